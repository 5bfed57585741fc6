"""`kinfolk methods` and `kinfolk datasets`: lists of methods and data sets."""

import json
import tomllib
from importlib import resources
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from kinfolk.cli import options, terminal

if TYPE_CHECKING:
    from kinfolk.catalogue import Entry

Json = Annotated[bool, typer.Option("--json", help="Print a JSON list.")]


def methods(
    name: Annotated[str | None, typer.Argument(help="Describe this method in full.")] = None,
    as_json: Json = False,
) -> None:
    """List the methods, or describe one: when to use it, its paper, its parameters."""
    from kinfolk import catalogue

    everything = catalogue.METHODS | catalogue.installed.entries()
    chosen = list(everything.values()) if name is None else [catalogue.method(name)]
    if as_json:
        _write_json([_full(entry) for entry in chosen])
    elif name is None:
        _list_by_relation(chosen)
    else:
        _card(_full(chosen[0]))


def _list_by_relation(entries: "list[Entry]") -> None:
    """Print each method's name, summary and fidelity, by the relation of the data sets."""
    table = _two_columns()
    for relation in dict.fromkeys(str(entry.relation) for entry in entries):
        table.add_row(relation, style="bold")
        for entry in entries:
            if str(entry.relation) == relation:
                table.add_row(f"  {entry.name}", f"{entry.summary} ({entry.fidelity})")
    terminal.paper().print(table)
    terminal.write_unwrapped(
        "In brackets: how near a method is to its publication. `kinfolk methods NAME` says when to "
        "use one and when not, its paper and its parameters.\n"
    )


def _brief(entry: "Entry") -> dict[str, Any]:
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


def _full(entry: "Entry") -> dict[str, Any]:
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


_SOURCES = {
    "no": "at hand",
    "yes": "kinfolk datasets fetch {name}, from {home page}",
    "by hand": "by hand, from {home page}",
}
"""Value of "to fetch" -> words on where a data set comes from."""


@datasets.callback()
def list_datasets(context: typer.Context, as_json: Json = False) -> None:
    """List the named data sets: size, home page and terms; or fetch one."""
    if context.invoked_subcommand is None:
        list_all(as_json)


def list_all(as_json: bool = False) -> None:
    """Print the named data sets as a table, or as a JSON list."""
    entries = _described()
    if as_json:
        _write_json(entries)
        return
    table = _two_columns()
    for entry in entries:
        source = _SOURCES[entry["to fetch"]].format(**entry)
        told = (entry[key] for key in ("tasks", "rows", "classes"))
        table.add_row(entry["name"], f"{'; '.join(map(str, told))}; {source}")
    terminal.paper().print(table)


def _described() -> list[dict[str, str]]:
    """Return what the registry says of each data set, without importing the loaders."""
    found = resources.files("kinfolk").joinpath("datasets", "registry.toml")
    registry = tomllib.loads(found.read_text(encoding="utf-8"))
    entries = []
    for entry in registry["datasets"]:
        collection = registry["collections"][entry["collection"]]
        entries.append(
            {
                "name": entry["name"],
                "tasks": entry["tasks"],
                "rows": entry["rows"],
                "classes": entry["classes"],
                "kind": entry["kind"],
                "to fetch": _fetched(entry, collection),
                "home page": collection["home_page"],
                "terms": collection["terms"],
            }
        )
    return entries


def _fetched(entry: dict[str, Any], collection: dict[str, Any]) -> str:
    """Return how a data set is got: "no" (it is at hand), "yes" (by the command) or "by hand"."""
    if entry.get("embedded"):
        return "no"
    return "yes" if collection.get("downloads") else "by hand"


def _write_json(entries: list[dict[str, Any]]) -> None:
    """Print all fields of entries as a JSON list."""
    terminal.write_unwrapped(json.dumps(entries, indent=2, default=str) + "\n")


def _two_columns() -> Table:
    """Return an empty table of two columns: names on one line each, and wrapped descriptions."""
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    return table


def _card(entry: dict[str, Any]) -> None:
    """Print an entry in full, a line per field and parameter; removes three fields from it."""
    table = _two_columns()
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
