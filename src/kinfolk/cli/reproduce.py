"""`kinfolk reproduce`: computes the papers' printed tables and figures from raw data."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from kinfolk import datasets, file_sets, folder_lock
from kinfolk.cli import inputs, options, terminal
from kinfolk.comparison import files
from kinfolk.errors import InputError, KinfolkError, MissingDataError
from kinfolk.papers import (
    execution,
    protocols,
    published,
    reproduction,
    tables,
    your_method,
    your_runs,
)
from kinfolk.papers.protocols import PlannedCell
from kinfolk.papers.published import PrintedItem
from kinfolk.papers.reproduction import Rendered
from kinfolk.papers.store import RunSpec, Store, canonical
from kinfolk.papers.your_method import YourMethod
from kinfolk.tables import RelatedData

FAULT = 1
"""Exit code if runs failed."""

Rows = Annotated[
    list[str] | None,
    typer.Option(
        "--row",
        metavar="LABEL",
        help="Execute the runs of this printed row only, and fill other rows as far as the store "
        "can; several times for several rows.",
    ),
]

AllRepeats = Annotated[
    bool,
    typer.Option(
        "--all-repeats",
        help="With --quick: repeat the setting that each row chooses with labels as often as the "
        "paper does.",
    ),
]

Stored = Annotated[
    bool,
    typer.Option(
        "--stored", help="Execute no runs; fill tables and figures as far as the store can."
    ),
]


@dataclass(frozen=True)
class Yours:
    """Options on a method of the user."""

    method: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:CLASS",
            help="Add a row of your own: a clusterer with n_clusters, fit(X) or fit(X, tasks=...) "
            "and labels_. Its module, in this folder or installed, is executed.",
        ),
    ] = None
    grid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=V1,V2",
            help="Values of a parameter of --method to try; once per parameter.",
        ),
    ] = None
    only_method: Annotated[
        bool,
        typer.Option(
            "--only-method",
            help="Execute no runs but those of --method; fill other rows as far as the store can.",
        ),
    ] = False

    def check(self) -> None:
        """Raise InputError if options of a method are given without one."""
        if self.method is None and (self.grid or self.only_method):
            raise InputError("--grid and --only-method are about a method of yours: name --method.")

    def planned(
        self, wanted: list[PrintedItem], quick: bool
    ) -> tuple[YourMethod | None, dict[str, list[PlannedCell]]]:
        """Return the user's method and its planned runs for each table; (None, {}) without one."""
        if self.method is None:
            return None, {}
        found = your_method.find(self.method, Path.cwd())
        values = dict(inputs.tried(text) for text in self.grid or [])
        cells = {item.id: your_runs.planned_cells(item, found, values, quick) for item in wanted}
        return found, cells


@dataclass(frozen=True)
class Files:
    """Options on the files that are written."""

    store: Annotated[Path | None, typer.Option(help="File of runs; else OUT/runs.sqlite.")] = None
    out: Annotated[Path, typer.Option(help="Folder for tables and pictures.")] = Path(
        "kinfolk-reproduction"
    )
    overwrite: options.Overwrite = False


@options.grouped
def reproduce(
    yours: Yours,
    written: Files,
    ids: Annotated[
        list[str] | None, typer.Argument(help="Such as mtcfir-table-2; several, or all.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Show what there is, and stop.")] = False,
    data: options.Data = None,
    jobs: Annotated[int, typer.Option(help="Parallel runs; -1: as many as cores.")] = 1,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer values of each parameter, fewer repeats.")
    ] = False,
    rows: Rows = None,
    all_repeats: AllRepeats = False,
    stored: Stored = False,
    quiet: options.Quiet = False,
) -> None:
    """Write printed tables and figures beside ours; execute the runs that the store lacks."""
    if listed:
        terminal.paper().print(_listing())
        return
    # Options, ids and methods, and files that are in the way, are refused before any work.
    yours.check()
    _check_executed(jobs, rows, all_repeats, stored, quick)
    wanted = [published.item(name) for name in _names(ids, yours.method)]
    _check_files(wanted, files.check_writable(written.out), written.overwrite)
    method, added = yours.planned(wanted, quick)
    planned = [cell for own in added.values() for cell in own]
    planned += [] if yours.only_method else _of_rows(wanted, rows, quick)
    runs = [] if stored else [run for cell in planned for run in cell.runs]
    load = partial(datasets.load, data=data)
    _check_data(runs, load)
    # The folder is made only after the ids are known to be right.
    written.out.mkdir(parents=True, exist_ok=True)
    path = written.store or written.out / "runs.sqlite"
    with Store(path) as store, _kept(store, written.out):
        with terminal.bars(quiet):
            tally = execution.execute(runs, store, load=load, jobs=jobs, yours=method)
            further = _further_repeats(wanted, rows, store) if all_repeats else []
            tally += execution.execute(further, store, load=load, jobs=jobs)
        rendered = [_rendered(item, store, data, quick, added, method) for item in wanted]
        _write(rendered, written.out, written.overwrite)
    _tell(tally, rendered, path, written.out)


def _rendered(
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


def _of_rows(wanted: list[PrintedItem], rows: list[str] | None, quick: bool) -> list[PlannedCell]:
    """Return the planned runs of each row and data set, of named rows only if given."""
    cells = [cell for item in wanted for cell in protocols.planned_cells(item, quick)]
    known = list(dict.fromkeys(cell.row for cell in cells))
    if unknown := sorted(set(rows or []) - set(known)):
        raise InputError(f"--row is {unknown[0]!r}; choose of {', '.join(map(repr, known))}.")
    return [cell for cell in cells if not rows or cell.row in rows]


def _further_repeats(
    wanted: list[PrintedItem], rows: list[str] | None, store: Store
) -> list[RunSpec]:
    """Runs of chosen settings that the quick plan leaves out, of named rows only if given."""
    return [
        run
        for item in wanted
        for run in tables.further_repeats(
            item,
            store,
            [c for c in protocols.planned_cells(item, quick=True) if not rows or c.row in rows],
        )
    ]


def _tell(tally: Counter[str], rendered: list[Rendered], store: Path, out: Path) -> None:
    """Print what was executed and written; exit with 1 if runs failed."""
    ran = ", ".join(f"{count} {status}" for status, count in tally.items()) or "none was missing"
    terminal.say(f"Runs: {ran}. `kinfolk results {store}` shows them.")
    for found in rendered:
        terminal.say(f"Wrote {out / found.first}: {found.summary}.")
    if tally["failed"]:
        terminal.say(
            f"{tally['failed']} runs failed; `kinfolk results {store} --status failed --by run "
            "--format md` says why. They are tried again the next time."
        )
        raise typer.Exit(FAULT)


def _check_files(wanted: list[PrintedItem], out: Path, overwrite: bool) -> None:
    """Raise InputError if foreign files would be replaced, after an interrupted set is mended."""
    if out.exists():
        # Another process with the same plan may be writing its tables.
        with folder_lock.held(out, wait=10.0):
            file_sets.mend(out)
    names = [name for item in wanted for name in reproduction.file_names(item)]
    file_sets.check(out, names, overwrite)


def _check_executed(
    jobs: int, rows: list[str] | None, all_repeats: bool, stored: bool, quick: bool
) -> None:
    """Raise InputError if options that say which runs are executed contradict each other."""
    if stored and rows:
        raise InputError("--stored executes no runs, and --row some: give one of the two.")
    if all_repeats and (stored or not quick):
        raise InputError("--all-repeats executes what --quick leaves out: give it with --quick.")
    if jobs < -1 or jobs == 0:
        raise InputError(f"--jobs is {jobs}; give 1 or more, or -1 for as many as cores.")


def _check_data(runs: list[RunSpec], load: Callable[..., RelatedData]) -> None:
    """Raise MissingDataError if none of the data sets of the runs can be found."""
    missing = None
    # Until the first that is there: a plan of several goes on with those.
    for name, given in dict.fromkeys((run.data, canonical(run.data_options)) for run in runs):
        try:
            load(name, **json.loads(given))
        except MissingDataError as error:
            missing = missing or error
        except KinfolkError:
            return  # the run will tell
        else:
            return
    if missing is not None:
        raise missing


@contextmanager
def _kept(store: Store, out: Path) -> Iterator[None]:
    """Context that, if interrupted, prints which runs the store keeps."""
    before = len(store.finished_keys())
    try:
        yield
    except KeyboardInterrupt:
        new = len(store.finished_keys()) - before
        terminal.say(
            f"{new} new runs are kept in {store.path}, and the same command goes on from there; "
            f"each table or figure in {out} is whole."
        )
        raise


def _write(rendered: list[Rendered], out: Path, overwrite: bool) -> None:
    """Replace the files of all reproduced items at once."""
    contents = {name: text for found in rendered for name, text in found.contents.items()}
    file_sets.replace(out, contents, file_sets.run_id(contents.values()), overwrite)


def _names(ids: list[str] | None, method: str | None) -> list[str]:
    if not ids:
        raise InputError("Name what to reproduce, such as mtcfir-table-2; --list shows all.")
    if ids != ["all"]:
        return ids
    everything = published.items()
    return [i for i in everything if method is None or your_runs.takes_methods(everything[i])]


def _listing() -> Table:
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
