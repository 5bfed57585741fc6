"""`kinfolk methods` and `kinfolk datasets`: lists of methods and data sets."""

import json
from typing import Annotated, Any

import typer
from rich.table import Table

from kinfolk import catalogue
from kinfolk.catalogue import Entry
from kinfolk.cli import options, terminal

Json = Annotated[bool, typer.Option("--json", help="Print a JSON list.")]


def methods(
    name: Annotated[str | None, typer.Argument(help="Describe this method in full.")] = None,
    as_json: Json = False,
) -> None:
    """List the methods: what each does, when to use it, and its paper."""
    everything = catalogue.METHODS | catalogue.installed.entries()
    chosen = list(everything.values()) if name is None else [catalogue.method(name)]
    if as_json:
        _show([_full(entry) for entry in chosen], [], as_json)
    elif name is None:
        # The word alone: its meaning is in the description of each method.
        brief = [{**_brief(entry), "fidelity": entry.fidelity} for entry in chosen]
        _show(brief, ["name", "relation", "fidelity", "summary", "when", "when not"], as_json)
    else:
        _card(_full(chosen[0]))


def _brief(entry: Entry) -> dict[str, Any]:
    """Return what the catalogue says of a method, without importing its class."""
    return {
        "name": entry.name,
        "relation": str(entry.relation),
        "summary": entry.summary,
        "takes": entry.takes,
        "when": entry.when,
        "when not": entry.when_not,
        "paper": entry.paper,
        "equations": entry.equations,
        "fidelity": entry.described_fidelity,
    }


def _full(entry: Entry) -> dict[str, Any]:
    """Return all about a method, including facts that need its class."""
    # The list of all methods needs neither their classes nor the papers.
    from kinfolk.estimators import kept_rows
    from kinfolk.papers import common_figures

    figures = [str(found) for found in common_figures.read() if found.method == entry.name]
    return {
        **_brief(entry),
        "printed and ours": figures,
        "a stored model holds": kept_rows.MEANINGS[kept_rows.of(entry.make())],
        "formulas": entry.cls.__module__,
        "different numbers of clusters": entry.different_k,
        "parameters": entry.make().get_params(deep=False),
        "grid": {name: list(values) for name, values in entry.grid.items()},
    }


datasets = typer.Typer(
    help="List the named data sets: size, home page and terms; or fetch one.",
    invoke_without_command=True,
    **options.STYLE,
)


@datasets.command("fetch")
def fetch(
    name: Annotated[str, typer.Argument(help="A data set of the list.")],
    data: options.Data = None,
) -> None:
    """Download a data set and verify its checksum.

    Its published archive comes into the data directory, after its terms are shown.
    """
    from kinfolk import datasets as library
    from kinfolk.datasets import data_home

    if (info := library.AVAILABLE.get(name)) is not None and not info.embedded:
        terminal.write_unwrapped(f"Terms of {name}: {info.terms}\n")
    files = library.fetch(name, data)
    terminal.write_unwrapped(f"{len(files)} files of {name} are in {data_home.directory(data)}.\n")


@datasets.callback()
def list_datasets(context: typer.Context, as_json: Json = False) -> None:
    """List the named data sets: size, home page and terms; or fetch one."""
    if context.invoked_subcommand is not None:
        return
    # The list of methods needs no data sets.
    from kinfolk import datasets as library

    entries = [
        {
            "name": entry.name,
            "tasks": entry.tasks,
            "rows": entry.rows,
            "classes": entry.classes,
            "kind": entry.kind,
            "to fetch": "no" if entry.embedded else "yes",
            "home page": entry.home_page,
            "terms": entry.terms,
        }
        for entry in library.AVAILABLE.values()
    ]
    _show(entries, ["name", "tasks", "rows", "classes", "to fetch", "home page"], as_json)


def _show(entries: list[dict[str, Any]], columns: list[str], as_json: bool) -> None:
    """Print some columns of entries as a table, or all fields as JSON."""
    if as_json:
        terminal.write_unwrapped(json.dumps(entries, indent=2, default=str) + "\n")
        return
    table = Table()
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column == "name")
    for entry in entries:
        table.add_row(*(str(entry[column]) for column in columns))
    terminal.paper().print(table)


def _card(entry: dict[str, Any]) -> None:
    """Print one entry in full: a line per field and per parameter with the paper's values."""
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    grid = entry.pop("grid")
    parameters = entry.pop("parameters")
    figures = entry.pop("printed and ours")
    for key, value in entry.items():
        table.add_row(key, {True: "yes", False: "no"}.get(value, str(value)))
    for key, value in parameters.items():
        tried = f"; the paper tries {', '.join(map(str, grid[key]))}" if key in grid else ""
        table.add_row(options.OF_PARAMETERS.get(key, f"--set {key}="), f"{value}{tried}")
    for figure in figures:
        table.add_row("printed and ours", figure)
    terminal.paper().print(table)
