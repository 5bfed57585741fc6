"""`kinfolk results`: shows the runs of a store, or exports them as CSV, JSON or Markdown."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from rich.console import Console
from rich.table import Table

from kinfolk.cli import options, terminal
from kinfolk.disk import file_sets
from kinfolk.errors import InputError

Record: TypeAlias = dict[str, Any]
"""{name of a column: value}, a line of the table."""

NOT_ON_SCREEN = (
    *("key", "preparation", "data_options", "n_iter", "started", "version", "checksum", "notes"),
)
"""Columns of the exports that would make the table too wide for a screen."""


def results(
    store: Annotated[Path, typer.Argument(help="The file of runs.")],
    data: Annotated[list[str] | None, typer.Option(help="Only this data set.")] = None,
    method: Annotated[list[str] | None, typer.Option(help="Only this method.")] = None,
    strategy: Annotated[
        list[str] | None, typer.Option(help="Only alone, pooled or together.")
    ] = None,
    status: Annotated[
        list[str] | None, typer.Option(help="Only done, refused, failed or running.")
    ] = None,
    by: Annotated[str, typer.Option(help="One line per method, run or task.")] = "method",
    form: Annotated[str, typer.Option("--format", help="table, csv, json or md.")] = "table",
    out: Annotated[Path | None, typer.Option(help="File to write instead of showing.")] = None,
    overwrite: options.Overwrite = False,
    way: Annotated[list[str] | None, typer.Option(hidden=True)] = None,  # its former name
) -> None:
    """Show or export the runs of a store: scores, time, refusals and errors."""
    from kinfolk.papers import overview
    from kinfolk.papers.store import Store
    from kinfolk.report.wording import count

    summarize = _one_of("--by", by, overview.LAYOUTS)
    text = _one_of("--format", form, FORMATS)
    if way:
        terminal.say("--way is now called --strategy; the old name goes in the next version.")
        strategy = [*(strategy or []), *way]
    with Store(store, read_only=True) as opened:
        runs = opened.runs(data=data, method=method, strategy=strategy, status=status)
        others = 0 if runs else len(opened.runs())
    if not runs and others:
        terminal.say(f"{store} holds no such runs, but {count(others, 'other run')}.")
    elif not runs:
        terminal.say(
            f"{store} holds no runs: `kinfolk reproduce ... --store {store}` writes some to it."
        )
    lines = summarize(runs)
    if out is not None:
        content = text(lines).encode()
        # Exports of one form begin alike, with the names of the columns, and 16 bytes of JSON end
        # before the first value. Without runs there are no names, so such an export cannot be told
        # apart from other programs' files.
        file_sets.write_file(out, content, content[:16] if runs else b"", overwrite)
    elif form == "table":
        terminal.paper().print(_table(lines))
    else:
        terminal.write_unwrapped(text(lines))


def _one_of(option: str, given: str, known: dict[str, Any]) -> Any:
    if given not in known:
        raise InputError(f"{option} is {given!r}; choose one of {', '.join(known)}.")
    return known[given]


def _table(lines: list[Record]) -> Table:
    table = Table()
    shown = [name for name in (lines[0] if lines else {}) if name not in NOT_ON_SCREEN]
    for name in shown:
        number = isinstance(lines[0][name], int | float)
        table.add_column(name, justify="right" if number else "left", overflow="fold")
    for line in lines:
        table.add_row(*(_short(line[name]) for name in shown))
    return table


def _plain(lines: list[Record]) -> str:
    """Format lines as a text table without wrapping."""
    # Wide enough that rich wraps no line, which other programs read.
    console = Console(file=io.StringIO(), width=10_000, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(_table(lines))
    return captured.get()


def _csv(lines: list[Record]) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, list(lines[0]) if lines else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: "" if _is_missing(v) else v for k, v in line.items()} for line in lines)
    return file.getvalue()


def _json(lines: list[Record]) -> str:
    known = [{k: None if _is_missing(v) else v for k, v in line.items()} for line in lines]
    return json.dumps(known, indent=2) + "\n"


def _md(lines: list[Record]) -> str:
    names = list(lines[0]) if lines else []
    cells = [names, ["---"] * len(names), *([_short(v) for v in line.values()] for line in lines)]
    return "".join(f"| {' | '.join(c.replace('|', '&#124;') for c in row)} |\n" for row in cells)


FORMATS: dict[str, Callable[[list[Record]], str]] = {
    "table": _plain,
    "csv": _csv,
    "json": _json,
    "md": _md,
}
"""Values of `--format`."""


def _short(value: Any) -> str:
    if _is_missing(value):
        return ""
    return f"{value:.4g}" if isinstance(value, float) else " ".join(str(value).split())


def _is_missing(value: Any) -> bool:
    return value is None or value != value  # nan is not equal to itself
