"""`kinfolk results`: what a store of runs holds, to look at or to take elsewhere."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from kinfolk import writing
from kinfolk.cli import terminal
from kinfolk.errors import InputError
from kinfolk.papers import overview
from kinfolk.papers.overview import Line
from kinfolk.papers.store import Store

WIDE = ("key", "preparation", "data_options", "n_iter", "started", "version", "checksum", "notes")
"""Columns for which a screen has no room."""


def results(
    store: Annotated[Path, typer.Argument(help="The file of runs.")],
    data: Annotated[list[str] | None, typer.Option(help="Only this data set.")] = None,
    method: Annotated[list[str] | None, typer.Option(help="Only this method.")] = None,
    way: Annotated[list[str] | None, typer.Option(help="Only this way, as together.")] = None,
    status: Annotated[
        list[str] | None, typer.Option(help="Only done, refused, failed or running.")
    ] = None,
    by: Annotated[str, typer.Option(help="A line for each method, run or task.")] = "method",
    form: Annotated[str, typer.Option("--format", help="table, csv, json or md.")] = "table",
    out: Annotated[Path | None, typer.Option(help="File to write instead of showing.")] = None,
) -> None:
    """Show or export the runs of a store: scores, time, and what went wrong."""
    view, text = _one_of("--by", by, overview.VIEWS), _one_of("--format", form, FORMS)
    with Store(store, read_only=True) as kept:
        rows = kept.runs(data=data, method=method, way=way, status=status)
    if not rows:
        terminal.say(f"{store} holds no such runs.")
    lines = view(rows)
    if out is not None:
        writing.write_atomically(out, text(lines).encode())
    elif form == "table":
        terminal.paper().print(_table(lines))
    else:
        Console(soft_wrap=True, highlight=False, markup=False).out(text(lines), end="")


def _one_of(option: str, given: str, known: dict[str, Any]) -> Any:
    if given not in known:
        raise InputError(f"{option} is {given!r}; choose one of {', '.join(known)}.")
    return known[given]


def _table(lines: list[Line]) -> Table:
    table = Table()
    shown = [name for name in (lines[0] if lines else {}) if name not in WIDE]
    for name in shown:
        number = isinstance(lines[0][name], int | float)
        table.add_column(name, justify="right" if number else "left", overflow="fold")
    for line in lines:
        table.add_row(*(_short(line[name]) for name in shown))
    return table


def _plain(lines: list[Line]) -> str:
    """The table as on a screen that is wide enough."""
    console = Console(file=io.StringIO(), width=10_000, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(_table(lines))
    return captured.get()


def _csv(lines: list[Line]) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, list(lines[0]) if lines else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: "" if _is_missing(v) else v for k, v in line.items()} for line in lines)
    return file.getvalue()


def _json(lines: list[Line]) -> str:
    known = [{k: None if _is_missing(v) else v for k, v in line.items()} for line in lines]
    return json.dumps(known, indent=2) + "\n"


def _md(lines: list[Line]) -> str:
    names = list(lines[0]) if lines else []
    cells = [names, ["---"] * len(names), *([_short(v) for v in line.values()] for line in lines)]
    return "".join(f"| {' | '.join(c.replace('|', '&#124;') for c in row)} |\n" for row in cells)


FORMS: dict[str, Callable[[list[Line]], str]] = {
    "table": _plain,
    "csv": _csv,
    "json": _json,
    "md": _md,
}


def _short(value: Any) -> str:
    if _is_missing(value):
        return ""
    return f"{value:.4g}" if isinstance(value, float) else " ".join(str(value).split())


def _is_missing(value: Any) -> bool:
    return value is None or value != value
