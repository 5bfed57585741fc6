"""The command `kinfolk` with its subcommands."""

import io
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup
from typer.main import get_command

import kinfolk
from kinfolk import errors
from kinfolk.cli import options, screen

SHOWN = (
    errors.ClusterNumberWarning,
    errors.EmptyClusterWarning,
    errors.HeaderWarning,
    errors.OverlapWarning,
    errors.ScaleWarning,
    errors.SharingWarning,
    errors.SingleColumnWarning,
)
"""Warnings that are shown each time, as they differ from one data set to the next."""

EPILOG = (
    "Results go to standard output, progress and messages to standard error. Exit codes: 0 done, "
    "1 a fault of the program or failed runs, 2 wrong usage or unusable input, 3 data set not "
    "found, 4 optional dependency missing, 130 stopped by Ctrl-C, 143 by SIGTERM."
)

EXAMPLES = {
    "run": [
        "kinfolk run customers.csv --tasks country --clusters 4 --id id",
        "kinfolk run customers.csv --tasks country --clusters 4,PT=3 --ignore date",
        "kinfolk run north.csv south.csv --clusters auto",
        "kinfolk run pages.jsonl --tasks site --text body --clusters 5",
    ],
    "assign": [
        "kinfolk assign kinfolk-report/model new.csv --tasks country --out labels.csv",
        "kinfolk assign kinfolk-report/model norway.csv --new-task --keep grown",
    ],
    "name": ["kinfolk name kinfolk-report 0=families 1=students"],
    "suggest": ["kinfolk suggest customers.csv --tasks country --ignore date"],
    "methods": ["kinfolk methods mtcfir"],
    "datasets": ["kinfolk datasets fetch 20newsgroups"],
    "reproduce": ["kinfolk reproduce mtcfir-table-5 --data DIR --jobs 2"],
    "results": ["kinfolk results kinfolk-reproduction/runs.sqlite --by task"],
    "store": [
        "kinfolk store unpack docs/reproduction/runs mine.sqlite",
        "kinfolk reproduce mtcfir-table-5 --stored --store mine.sqlite",
        "kinfolk store pack mine.sqlite docs/reproduction/runs",
    ],
    "knowledge": [
        "kinfolk run lab.csv --method mec --clusters 3 --out lab",
        "kinfolk knowledge export lab/model --out lab.safetensors",
        "kinfolk knowledge check lab.safetensors clinic.csv",
    ],
}
"""Verb -> commands to copy, at the end of its help."""

VERBS = {
    "demo": (
        "demo",
        "Cluster male and female penguins as two tasks without their species; then compare.",
    ),
    "run": ("run", "Cluster related data sets together; write labels, a model and a report."),
    "assign": (
        "assign",
        "Assign new rows to the clusters of a model, and print their labels as CSV.",
    ),
    "name": (
        "name",
        "Name the kinds of clusters of a finished run, in all of its files.",
    ),
    "suggest": (
        "suggest",
        "Suggest a number of clusters for each data set, and say how certain it is.",
    ),
    "methods": (
        "listings",
        "List the methods, or describe one: when to use it, its paper, its parameters.",
    ),
    "datasets": ("listings", "List the named data sets: size, home page and terms; or fetch one."),
    "reproduce": (
        "reproduce",
        "Write printed tables and figures beside ours; execute the runs that the store lacks.",
    ),
    "results": (
        "results",
        "Show or export the runs of a store: scores, time, refusals and errors.",
    ),
    "store": (
        "store",
        "Pack the runs of a store into small files to keep or send, or unpack them.",
    ),
    "knowledge": ("knowledge", "Share centers of clusters with another site, without any row."),
}
"""Verb -> the module that defines it, in a function of its name, and the first line of its help."""


def _examples(verb: str) -> str | None:
    """Return the end of a verb's help: its examples line by line, for `run` also the exit codes."""
    # A paragraph that begins with \b is not wrapped.
    lines = "\n".join(f"  {line}" for line in EXAMPLES.get(verb, []))
    parts = [f"\b\nExamples:\n{lines}"] if lines else []
    return "\n\n".join([*parts, EPILOG] if verb == "run" else parts) or None


class Verbs(TyperGroup):
    """Group of all subcommands, each imported when called, so that --help is quick."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands: Any = dict.fromkeys(VERBS)  # a mistyped verb is compared with these

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the subcommands in the order of the help."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a subcommand by name; None if there is none."""
        if cmd_name not in VERBS:
            return None
        module, _ = VERBS[cmd_name]
        verb = getattr(import_module(f"kinfolk.cli.{module}"), cmd_name)
        if not isinstance(verb, typer.Typer):
            function = verb
            verb = typer.Typer(**options.STYLE)
            verb.command(cmd_name)(function)
        command = get_command(verb)
        command.name = cmd_name
        command.epilog = _examples(cmd_name)
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of subcommands for --help without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in VERBS.items()])


app = typer.Typer(
    name="kinfolk",
    cls=Verbs,
    help="Cluster related data sets, each with the help of the others.",
    epilog=EPILOG,
    no_args_is_help=True,
    **options.STYLE,
)


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


def _bare(given: Sequence[str]) -> Callable[[], None] | None:
    """Return the function of `methods` or `datasets` without options; None for other commands.

    typer reads options with pydantic, whose import takes as long as all else of a list.
    """
    if given not in (["methods"], ["datasets"]):
        return None
    from kinfolk.cli import listings

    return listings.methods if given == ["methods"] else listings.list_all


def run(arguments: list[str] | None) -> int:
    """Parse the arguments, call a subcommand and return the exit code."""
    with warnings.catch_warnings():
        warnings.showwarning = screen.show_warning
        # Python shows a warning once per place.
        for shown in SHOWN:
            warnings.simplefilter("always", shown)
        try:
            given = sys.argv[1:] if arguments is None else arguments
            if (bare := _bare(given)) is not None:
                bare()
                return 0
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
