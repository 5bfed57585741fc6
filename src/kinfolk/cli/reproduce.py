"""`kinfolk reproduce`: the papers' tables and figures, from raw data, beside the printed ones."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from kinfolk import datasets
from kinfolk.cli import options, terminal
from kinfolk.errors import InputError
from kinfolk.papers import execution, protocols, published, reproduction
from kinfolk.papers.published import PrintedItem
from kinfolk.papers.store import Store


def reproduce(
    ids: Annotated[
        list[str] | None, typer.Argument(help="Such as mtcfir-table-2; several, or all.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Show what there is, and stop.")] = False,
    data: options.Data = None,
    jobs: Annotated[int, typer.Option(help="Parallel runs; -1: as many as cores.")] = 1,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer values of each parameter, fewer repeats.")
    ] = False,
    store: Annotated[Path | None, typer.Option(help="File of runs; else OUT/runs.sqlite.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for tables and pictures.")] = Path(
        "kinfolk-reproduction"
    ),
    quiet: options.Quiet = False,
) -> None:
    """Write printed tables and figures beside ours; execute the runs that the store lacks."""
    if listed:
        terminal.paper().print(_listing())
        return
    # Unknown ids are refused before any work.
    wanted = [published.item(name) for name in _names(ids)]
    runs = [
        run for item in wanted for cell in protocols.planned_cells(item, quick) for run in cell.runs
    ]
    load = partial(datasets.load, data=data)
    # The folder is made only after the ids are known to be right.
    out.mkdir(parents=True, exist_ok=True)
    path = store or out / "runs.sqlite"
    with Store(path) as opened:
        with terminal.bars(quiet):
            tally = execution.execute(runs, opened, load=load, jobs=jobs)
        written = [reproduction.write(item, opened, out, data, quick) for item in wanted]
    ran = ", ".join(f"{count} {status}" for status, count in tally.items()) or "none was missing"
    terminal.say(f"Runs: {ran}. `kinfolk results {path}` shows them.")
    for file, summary in written:
        terminal.say(f"Wrote {file}: {summary}.")


def _names(ids: list[str] | None) -> list[str]:
    if not ids:
        raise InputError("Name what to reproduce, such as mtcfir-table-2; --list shows all.")
    return list(published.items()) if ids == ["all"] else ids


def _listing() -> Table:
    """All printed items with their data sets and numbers of runs."""
    table = Table("id", "what it shows", "data", "runs", "quick")
    for item in published.items().values():
        counts = [_count_runs(item, quick) for quick in (False, True)]
        table.add_row(item.id, item.title, ", ".join(item.data), *map(str, counts))
    return table


def _count_runs(item: PrintedItem, quick: bool) -> int:
    return sum(len(cell.runs) for cell in protocols.planned_cells(item, quick))
