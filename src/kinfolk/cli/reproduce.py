"""`kinfolk reproduce`: computes the papers' printed tables and figures from raw data."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kinfolk.cli import inputs, options, terminal
from kinfolk.errors import InputError

if TYPE_CHECKING:
    from kinfolk.papers.protocols import PlannedCell
    from kinfolk.papers.published import PrintedItem
    from kinfolk.papers.your_method import YourMethod

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

    def check(self, rows: list[str] | None, all_repeats: bool) -> None:
        """Raise InputError if options of a method lack one, or contradict those of other rows."""
        if self.method is None and (self.grid or self.only_method):
            raise InputError("--grid and --only-method are about a method of yours: name --method.")
        if self.only_method and (rows or all_repeats):
            raise InputError(
                "--only-method executes no runs but those of --method, and "
                f"{'--row' if rows else '--all-repeats'} some of other rows: give one of the two."
            )

    def planned(
        self, wanted: "list[PrintedItem]", quick: bool
    ) -> "tuple[YourMethod | None, dict[str, list[PlannedCell]]]":
        """Return the user's method and its planned runs for each table; (None, {}) without one."""
        from kinfolk.papers import your_method, your_runs

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
    from kinfolk import datasets
    from kinfolk.cli import reproducing
    from kinfolk.comparison import files
    from kinfolk.papers import execution, published
    from kinfolk.papers.store import Store

    if listed:
        terminal.paper().print(reproducing.listing())
        return
    # Options, ids and methods, and files that are in the way, are refused before any work.
    yours.check(rows, all_repeats)
    _check_executed(jobs, rows, all_repeats, stored, quick)
    wanted = [published.item(name) for name in reproducing.names(ids, yours.method)]
    reproducing.check_files(wanted, files.check_writable(written.out), written.overwrite)
    method, added = yours.planned(wanted, quick)
    planned = [cell for own in added.values() for cell in own]
    planned += [] if yours.only_method else reproducing.of_rows(wanted, rows, quick)
    runs = [] if stored else [run for cell in planned for run in cell.runs]
    load = partial(datasets.load, data=data)
    reproducing.check_data(runs, load)
    # The folder is made only after the ids are known to be right.
    written.out.mkdir(parents=True, exist_ok=True)
    path = written.store or written.out / "runs.sqlite"
    with Store(path) as store, reproducing.kept(store, written.out):
        with terminal.bars(quiet):
            tally = execution.execute(runs, store, load=load, jobs=jobs, yours=method)
            further = reproducing.further_repeats(wanted, rows, store) if all_repeats else []
            tally += execution.execute(further, store, load=load, jobs=jobs)
        rendered = [
            reproducing.rendered(item, store, data, quick, added, method) for item in wanted
        ]
        reproducing.write(rendered, written.out, written.overwrite)
    reproducing.tell(tally, rendered, path, written.out, stored)


def _check_executed(
    jobs: int, rows: list[str] | None, all_repeats: bool, stored: bool, quick: bool
) -> None:
    """Raise InputError if options that say which runs are executed contradict each other."""
    if stored and rows:
        raise InputError("--stored executes no runs, and --row some: give one of the two.")
    if all_repeats and stored:
        raise InputError(
            "--stored executes no runs, and --all-repeats some: give one of the two. With --stored "
            "a table counts the repeats that the store has."
        )
    if all_repeats and not quick:
        raise InputError("--all-repeats executes what --quick leaves out: give it with --quick.")
    if jobs < -1 or jobs == 0:
        raise InputError(f"--jobs is {jobs}; give 1 or more, or -1 for as many as cores.")
