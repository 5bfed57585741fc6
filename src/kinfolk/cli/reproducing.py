"""Plans the runs of `kinfolk reproduce`, writes its files, and prints a summary."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.table import Table

from kinfolk.cli import terminal
from kinfolk.disk import file_sets, folder_lock
from kinfolk.errors import InputError, KinfolkError, MissingDataError
from kinfolk.papers import protocols, published, reproduction, tables, your_runs
from kinfolk.papers.protocols import PlannedCell
from kinfolk.papers.published import PrintedItem
from kinfolk.papers.reproduction import Rendered
from kinfolk.papers.store import RunSpec, Store, canonical
from kinfolk.papers.your_method import YourMethod
from kinfolk.report import wording
from kinfolk.tables import RelatedData

FAULT = 1
"""Exit code if runs failed."""


def rendered(
    item: PrintedItem,
    store: Store,
    data: Path | None,
    quick: bool,
    added: dict[str, list[PlannedCell]],
    method: YourMethod | None,
) -> Rendered:
    """Render a printed table or figure, with a remark on the user's own method."""
    own = added.get(item.id, [])
    remarks = [your_runs.remark(method, own)] if method else []
    return reproduction.render(item, store, data, quick, own, remarks)


def of_rows(wanted: list[PrintedItem], rows: list[str] | None, quick: bool) -> list[PlannedCell]:
    """Return the planned cells of tables and figures, only those of `rows` if these are given."""
    cells = [cell for item in wanted for cell in protocols.planned_cells(item, quick)]
    known = list(dict.fromkeys(cell.row for cell in cells))
    if unknown := sorted(set(rows or []) - set(known)):
        raise InputError(f"--row is {unknown[0]!r}; choose of {', '.join(map(repr, known))}.")
    return [cell for cell in cells if not rows or cell.row in rows]


def further_repeats(
    wanted: list[PrintedItem], rows: list[str] | None, store: Store
) -> list[RunSpec]:
    """Repeats of chosen settings that the quick plan leaves out, only of `rows` if given."""
    return [
        run
        for item in wanted
        for run in tables.further_repeats(
            item,
            store,
            [c for c in protocols.planned_cells(item, quick=True) if not rows or c.row in rows],
        )
    ]


def tell(
    tally: Counter[str], rendered: list[Rendered], store: Path, out: Path, stored: bool = False
) -> None:
    """Print what was executed and written; exit with 1 if runs failed.

    `stored` is True if no run was to be executed, whatever the store lacks.
    """
    nothing = "none was executed (--stored)" if stored else "none was missing"
    ran = ", ".join(f"{count} {status}" for status, count in tally.items()) or nothing
    terminal.say(f"Runs: {ran}. `kinfolk results {store}` shows them.")
    for found in rendered:
        terminal.say(f"Wrote {out / found.first}: {found.summary}.")
    if tally["failed"]:
        terminal.say(
            f"{wording.count(tally['failed'], 'run')} failed; `kinfolk results {store} --status "
            "failed --by run --format md` says why. What failed is tried again the next time."
        )
        raise typer.Exit(FAULT)


def check_files(wanted: list[PrintedItem], out: Path, overwrite: bool) -> None:
    """Raise InputError if foreign files would be replaced, after an interrupted set is mended."""
    if out.exists():
        # Another process with the same plan may be writing its tables.
        with folder_lock.held(out, wait=10.0):
            file_sets.mend(out)
    names = [name for item in wanted for name in reproduction.file_names(item)]
    file_sets.check(out, names, overwrite)


def check_data(runs: list[RunSpec], load: Callable[..., RelatedData]) -> None:
    """Raise MissingDataError if none of the data sets of the runs can be found."""
    missing = None
    # Until the first that is there: a plan of several goes on with those.
    for name, given in dict.fromkeys((run.data, canonical(run.data_options)) for run in runs):
        try:
            load(name, **json.loads(given))
        except MissingDataError as error:
            missing = missing or error
        except KinfolkError:
            return  # the run will report it
        else:
            return
    if missing is not None:
        raise missing


@contextmanager
def kept(store: Store, out: Path) -> Iterator[None]:
    """Context that, if interrupted, prints which runs the store keeps."""
    before = len(store.finished_keys())
    try:
        yield
    except KeyboardInterrupt:
        new = len(store.finished_keys()) - before
        terminal.say(
            f"{store.path} keeps {wording.count(new, 'new run')}, and the same command goes on "
            f"from there; each table or figure in {out} is whole."
        )
        raise


def write(rendered: list[Rendered], out: Path, overwrite: bool) -> None:
    """Replace the files of all reproduced items at once."""
    contents = {name: text for found in rendered for name, text in found.contents.items()}
    file_sets.replace(out, contents, file_sets.run_id(contents.values()), overwrite)


def names(ids: list[str] | None, method: str | None) -> list[str]:
    """Return the ids, those of all items for "all": with a method, only of tables that take it."""
    if not ids:
        raise InputError("Name what to reproduce, such as mtcfir-table-2; --list shows all.")
    if ids != ["all"]:
        return ids
    everything = published.items()
    return [i for i in everything if method is None or your_runs.takes_methods(everything[i])]


def listing() -> Table:
    """Table of all printed tables and figures, with data sets and numbers of runs."""
    table = Table("id", "what it shows", "data", "runs", "quick")
    for item in published.items().values():
        counts = [_count_runs(item, quick) for quick in (False, True)]
        # Some tables and figures follow from the data alone.
        shown = [str(count) for count in counts] if any(counts) else ["none needed"] * 2
        table.add_row(item.id, item.title, ", ".join(item.data), *shown)
    return table


def _count_runs(item: PrintedItem, quick: bool) -> int:
    return sum(len(cell.runs) for cell in protocols.planned_cells(item, quick))
