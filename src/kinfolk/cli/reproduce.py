"""`kinfolk reproduce`: the papers' tables and figures, from raw data, beside the printed ones."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from kinfolk import datasets
from kinfolk.cli import inputs, options, terminal
from kinfolk.errors import InputError
from kinfolk.papers import (
    execution,
    protocols,
    published,
    reproduction,
    your_method,
    your_runs,
)
from kinfolk.papers.protocols import PlannedCell
from kinfolk.papers.published import PrintedItem
from kinfolk.papers.store import Store
from kinfolk.papers.your_method import YourMethod

Method = Annotated[
    str | None,
    typer.Option(
        metavar="MODULE:CLASS",
        help="Add a row of your own: a clusterer with n_clusters, fit(X) or fit(X, tasks=...) "
        "and labels_. Its module, in this folder or installed, is executed.",
    ),
]
Grid = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=V1,V2", help="Values of a parameter of --method to try; once per parameter."
    ),
]
OnlyMethod = Annotated[
    bool,
    typer.Option(
        "--only-method",
        help="Execute no runs but those of --method; fill other rows as far as the store can.",
    ),
]


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
    method: Method = None,
    grid: Grid = None,
    only_method: OnlyMethod = False,
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
    if method is None and (grid or only_method):
        raise InputError("--grid and --only-method are about a method of yours: name --method.")
    # Unknown ids and methods are refused before any work.
    wanted = [published.item(name) for name in _names(ids, method)]
    yours, added = _yours(wanted, method, grid, quick)
    planned = [cell for own in added.values() for cell in own]
    if not only_method:
        planned += [cell for item in wanted for cell in protocols.planned_cells(item, quick)]
    runs = [run for cell in planned for run in cell.runs]
    load = partial(datasets.load, data=data)
    # The folder is made only after the ids are known to be right.
    out.mkdir(parents=True, exist_ok=True)
    path = store or out / "runs.sqlite"
    with Store(path) as opened:
        with terminal.bars(quiet):
            tally = execution.execute(runs, opened, load=load, jobs=jobs, yours=yours)
        written = []
        for item in wanted:
            own = added.get(item.id, [])
            remarks = [your_runs.remark(yours, own)] if yours else []
            written.append(reproduction.write(item, opened, out, data, quick, own, remarks))
    ran = ", ".join(f"{count} {status}" for status, count in tally.items()) or "none was missing"
    terminal.say(f"Runs: {ran}. `kinfolk results {path}` shows them.")
    for file, summary in written:
        terminal.say(f"Wrote {file}: {summary}.")


def _names(ids: list[str] | None, method: str | None) -> list[str]:
    if not ids:
        raise InputError("Name what to reproduce, such as mtcfir-table-2; --list shows all.")
    if ids != ["all"]:
        return ids
    everything = published.items()
    return [i for i in everything if method is None or your_runs.takes_methods(everything[i])]


def _yours(
    wanted: list[PrintedItem], method: str | None, grid: list[str] | None, quick: bool
) -> tuple[YourMethod | None, dict[str, list[PlannedCell]]]:
    """Return the method of --method and, for each item, its runs."""
    if method is None:
        return None, {}
    found = your_method.find(method, Path.cwd())
    values = dict(inputs.tried(text) for text in grid or [])
    return found, {item.id: your_runs.planned_cells(item, found, values, quick) for item in wanted}


def _listing() -> Table:
    """All printed items with their data sets and numbers of runs."""
    table = Table("id", "what it shows", "data", "runs", "quick")
    for item in published.items().values():
        counts = [_count_runs(item, quick) for quick in (False, True)]
        table.add_row(item.id, item.title, ", ".join(item.data), *map(str, counts))
    return table


def _count_runs(item: PrintedItem, quick: bool) -> int:
    return sum(len(cell.runs) for cell in protocols.planned_cells(item, quick))
