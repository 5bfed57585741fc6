"""`kinfolk reproduce`: the papers' tables and figures, from raw data, beside the printed ones."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from kinfolk import datasets
from kinfolk.cli import options, terminal
from kinfolk.errors import InputError
from kinfolk.papers import execution, gallery, protocols, published
from kinfolk.papers.published import Exhibit
from kinfolk.papers.store import Store


def reproduce(
    ids: Annotated[
        list[str] | None, typer.Argument(help="Such as mtcfir-table-2; several, or all.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Show what there is, and stop.")] = False,
    data: options.Data = None,
    jobs: Annotated[int, typer.Option(help="Runs side by side; -1: as many as cores.")] = 1,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer values of each parameter, fewer repeats.")
    ] = False,
    store: Annotated[Path | None, typer.Option(help="File of runs; else OUT/runs.sqlite.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for tables and pictures.")] = Path(
        "kinfolk-reproduction"
    ),
    quiet: options.Quiet = False,
) -> None:
    """Run what a printed table or figure needs, as far as it is not in the store, and write it."""
    if listed:
        terminal.paper().print(_listing())
        return
    wanted = [published.exhibit(name) for name in _names(ids)]
    runs = [r for e in wanted for piece in protocols.pieces(e, quick) for r in piece.runs]
    load = partial(datasets.load, data=data)
    out.mkdir(parents=True, exist_ok=True)
    with Store(store or out / "runs.sqlite") as kept:
        with terminal.bars(quiet):
            tally = execution.execute(runs, kept, load=load, jobs=jobs)
        written = [gallery.write(exhibit, kept, out, data, quick) for exhibit in wanted]
    ran = ", ".join(f"{count} {status}" for status, count in tally.items()) or "none was missing"
    terminal.say(f"Runs: {ran}. `kinfolk results {store or out / 'runs.sqlite'}` shows them.")
    for path, summary in written:
        terminal.say(f"Wrote {path}: {summary}.")


def _names(ids: list[str] | None) -> list[str]:
    if not ids:
        raise InputError("Name what to reproduce, such as mtcfir-table-2; --list shows all.")
    return list(published.exhibits()) if ids == ["all"] else ids


def _listing() -> Table:
    table = Table("id", "what it shows", "data", "runs", "quick")
    for exhibit in published.exhibits().values():
        table.add_row(exhibit.id, exhibit.title, ", ".join(exhibit.data), *_counts(exhibit))
    return table


def _counts(exhibit: Exhibit) -> tuple[str, str]:
    whole, few = (
        sum(len(piece.runs) for piece in protocols.pieces(exhibit, quick))
        for quick in (False, True)
    )
    return str(whole), str(few)
