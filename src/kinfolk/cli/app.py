"""The command `kinfolk` with all its verbs."""

import io
import sys
import warnings
from typing import Annotated

import typer
from rich.console import Console
from typer.main import get_command

import kinfolk
from kinfolk.cli import (
    assign,
    demo,
    knowledge,
    listings,
    name,
    reproduce,
    results,
    screen,
    suggest,
    terminal,
)
from kinfolk.cli import run as run_verb
from kinfolk.errors import (
    ClusterNumberWarning,
    EmptyClusterWarning,
    HeaderWarning,
    OverlapWarning,
    ScaleWarning,
    SharingWarning,
)

SHOWN = (
    ClusterNumberWarning,
    EmptyClusterWarning,
    HeaderWarning,
    OverlapWarning,
    ScaleWarning,
    SharingWarning,
)
"""Warnings that differ from one data set to the next."""

EPILOG = (
    "Results go to standard output, progress and messages to standard error. Exit codes: 0 done, "
    "1 a fault of the program or failed runs, 2 wrong usage or unusable input, 3 data set not "
    "found, 4 optional dependency missing, 130 stopped by Ctrl-C, 143 by SIGTERM."
)

app = typer.Typer(
    name="kinfolk",
    help="Cluster related data sets, each with the help of the others.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("demo")(demo.demo)
app.command("run", epilog=EPILOG)(run_verb.run)
app.command("assign")(assign.assign)
app.command("name")(name.name)
app.command("suggest")(suggest.suggest)
app.command("methods")(listings.methods)
app.command("datasets")(listings.datasets)
app.command("reproduce")(reproduce.reproduce)
app.command("results")(results.results)
app.add_typer(knowledge.knowledge, name="knowledge")


def _version(wanted: bool) -> None:
    if wanted:
        Console().print(kinfolk.__version__)
        raise typer.Exit


@app.callback()
def everything(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Cluster related data sets, each with the help of the others."""


def run(arguments: list[str] | None) -> int:
    """Parse the arguments and call a verb; return the exit code."""
    with warnings.catch_warnings():
        warnings.showwarning = terminal.show_warning
        # Python shows a warning once per place.
        for shown in SHOWN:
            warnings.simplefilter("always", shown)
        try:
            given = sys.argv[1:] if arguments is None else arguments
            outcome = get_command(app)(
                given, prog_name="kinfolk", standalone_mode=False, obj=["kinfolk", *given]
            )
        except typer.Abort:
            raise KeyboardInterrupt from None
        except Exception as error:
            if not hasattr(error, "exit_code") or not hasattr(error, "show"):
                raise
            told = io.StringIO()
            error.show(file=told)  # typer's usage errors print themselves
            screen.say(told.getvalue().rstrip("\n"))
            return int(error.exit_code)
    return int(outcome or 0)
