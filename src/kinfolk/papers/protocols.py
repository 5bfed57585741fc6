"""Plans the runs that reproduce each printed table or figure, by the papers' protocols.

Where a paper is silent, one choice holds for all methods; `docs/reproduction-protocol.md` says what
each rests on, and `preparations` has those of the data.

A quick plan has fewer values of each parameter and fewer repeats.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

from kinfolk import catalogue
from kinfolk.catalogue import SEVERAL_TASKS
from kinfolk.papers import as_printed, plan, published
from kinfolk.papers.preparations import DATA_OPTIONS, preparation
from kinfolk.papers.published import PrintedItem, Row
from kinfolk.papers.readings import PREPARED, READINGS
from kinfolk.papers.store import RunSpec, canonical

CHOICE_MEASURE = {"ktmec": "nmi"}
"""Paper -> the measure by which it chooses parameters with labels; accuracy for all others."""
TASK_NAMES = {
    "recvstalk": ("autos-guns", "baseball-mideast"),
    "compvssci": ("windows-crypt", "mac-space"),
}
"""Data set -> its tasks, in the paper's order, where the paper only numbers them."""

# MTCFIR and MTCMRL try more values for LSSMTC than its own paper does.
WIDE_LSSMTC = {
    "own_weight": tuple(i / 10 for i in range(1, 10)),
    "n_components": (2, 4, 6, 8, 10),
}
COUNTED_NEIGHBORS = dict.fromkeys(("neighbors", "other_neighbors"), (30, 60, 90, 120))
"""Grid of SAMTC in MTCMRL's tables: numbers of neighbors, where MTCFIR's tables have shares."""
LAYER_COUNTS = (1, 2, 3, 4, 5, 6)
"""Numbers of layers for figures 2 and 3 of MTCFIR, which do not state theirs."""
QUICK_VALUES = 2
"""Values of each parameter in a quick plan, unless the method is in `QUICK_GRIDS`."""
QUICK_GRIDS: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "mec": {"temperature": (0.1, 0.5, 2, 10, 50, 100)},
    "kt-mec": {
        "transfer_weight": (0, 0.5, 5, 50),
        "own_share": (0.0, 0.5, 1.0),
        "temperature": (0.1, 0.5, 2, 10, 50, 150),
    },
}
"""Method -> quick grid, for methods whose published values span decades."""
QUICK_REPEATS = 3
KINFOLK_ROW = "Kinfolk (no labels)"
"""Label of the row that we add below a table of tasks: the answer of `kf.Kinfolk`."""
KINFOLK_REPEATS = 3  # fewer than the methods have: each is itself made of many runs
KINFOLK_PARAMETERS: Mapping[str, Mapping[str, Any]] = {"handdigits": {"budget": 600.0}}
"""Data set -> parameters of `kf.Kinfolk`, where all its runs would take hours."""
EARLY_PARAMETERS = ("n_layers", "noise")
"""Parameters of a method's first steps: settings that share them run one after the other."""


class LazyRuns(Sequence[RunSpec]):
    """A sequence of planned runs with known length, created when the first one is read.

    A full grid may have a million runs, and `kinfolk reproduce --list` only counts them.

    >>> runs = LazyRuns(2, lambda: [RunSpec("blobs", "mec", seed=seed) for seed in (0, 1)])
    >>> len(runs), runs[1].seed
    (2, 1)
    """

    def __init__(self, count: int, make: Callable[[], list[RunSpec]]) -> None:
        self._count = count
        self._make = make

    @cached_property
    def _made(self) -> list[RunSpec]:
        return self._make()

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: Any) -> Any:
        return self._made[place]


@dataclass(frozen=True)
class PlannedCell:
    """The planned runs for one row of a printed table, or one curve of a figure, on one data set.

    Attributes
    ----------
    row : the printed row, or the parameter that a figure varies, or ""
    data : name of the data set
    group : the column group that it fills; "" if each task of the data set is a group
    runs : all settings and repeats
    reading_of : the printed row that this row of ours reads in another way, or ""
    repeats : number of repeats of a setting in the paper, where a quick plan has fewer; 0 if only
        the planned ones matter
    """

    row: str
    data: str
    group: str
    runs: Sequence[RunSpec]
    reading_of: str = ""
    repeats: int = 0

    def further_repeats(self, setting: str) -> list[RunSpec]:
        """Return the repeats of one setting (JSON) that the paper has and a quick plan leaves out.

        >>> runs = [RunSpec("blobs", "mec", seed=seed, parameters={"m": 2}) for seed in range(2)]
        >>> cell = PlannedCell("MEC", "blobs", "", runs, repeats=4)
        >>> [run.seed for run in cell.further_repeats('{"m":2}')]
        [2, 3]
        """
        planned = [run for run in self.runs if canonical(run.parameters) == setting]
        left_out = sorted(set(range(self.repeats)) - {run.seed for run in planned})
        return [replace(planned[0], seed=seed) for seed in left_out]


def planned_cells(item: PrintedItem, quick: bool = False) -> list[PlannedCell]:
    """Plan all runs of a printed table or figure, in its order; empty if it needs none.

    Examples
    --------
    >>> from kinfolk.papers import published
    >>> table = published.item("mtcfir-table-2")
    >>> [len(cell.runs) for cell in planned_cells(table) if cell.row == "MTCFIR"]
    [250]
    >>> [len(cell.runs) for cell in planned_cells(table, quick=True) if cell.row == "MTCFIR"]
    [12]
    """
    return list(_PLANNERS.get(item.id, _results_table)(item, quick))


def _results_table(item: PrintedItem, quick: bool) -> Iterator[PlannedCell]:
    """Plan each method's row on each data set, rows of other readings, and one of `kf.Kinfolk`."""
    for row in item.rows:
        for data in item.data if row.ours else ():
            for group, strategy in _strategies(item, row, data):
                planned = _runs(item, data, row.ours, strategy, quick)
                repeats = _repeats(item, row.ours)
                yield PlannedCell(row.label, data, group, planned, repeats=repeats)
    yield from _other_readings(item, quick)
    if _clusters_tasks_together(item):
        for data in item.data:
            setting = dict(KINFOLK_PARAMETERS.get(data, {}))
            runs = planned_runs(
                item, data, "kinfolk", "together", range(KINFOLK_REPEATS), [setting]
            )
            group = data if data in item.column_groups else ""
            yield PlannedCell(KINFOLK_ROW, data, group, tuple(runs))


def _other_readings(item: PrintedItem, quick: bool) -> Iterator[PlannedCell]:
    """Plan extra rows for other interpretations of what the paper did."""
    for name, (parameters, methods) in READINGS.get(item.paper, {}).items():
        for row in item.rows:
            for data in item.data if row.ours in methods else ():
                for group, strategy in _strategies(item, row, data):
                    runs = _runs(item, data, row.ours, strategy, quick, reading=parameters)
                    label = f"{row.label}, {name}"
                    repeats = _repeats(item, row.ours)
                    yield PlannedCell(label, data, group, runs, row.label, repeats)


def _clusters_tasks_together(item: PrintedItem) -> bool:
    """True if the table compares methods of several tasks without known labels."""
    relations = {catalogue.method(row.ours).relation for row in item.rows if row.ours}
    return SEVERAL_TASKS in relations and not gives_labels(item)


def gives_labels(item: PrintedItem) -> bool:
    """True if each group of columns is a source with known labels and a target without."""
    choice = item.protocol.choice
    return choice.startswith("the best over the grid by the true classes of the target")


def _strategies(item: PrintedItem, row: Row, data: str) -> Iterator[tuple[str, str]]:
    """Yield the column groups that a row fills on a data set, each with its strategy."""
    if gives_labels(item):
        names = {f"task {i + 1}": name for i, name in enumerate(TASK_NAMES.get(data, ()))}
        for group in item.column_groups:
            source, _, target = group.partition(" to ")
            yield group, f"{names.get(source, source)} to {names.get(target, target)}"
    elif row.ours == "kt-mec":
        yield data, "source to target"
    else:
        yield data if data in item.column_groups else "", row.strategy


def _runs(
    item: PrintedItem,
    data: str,
    method: str,
    strategy: str,
    quick: bool,
    grid: Mapping[str, tuple[Any, ...]] | None = None,
    reading: Mapping[str, Any] | None = None,
) -> LazyRuns:
    """Plan each setting of a grid (default: the published one) with the table's repeats."""
    values = _published_grid(item.paper, method) if grid is None else grid
    if quick:
        few = {name: thinned(tried) for name, tried in values.items()}
        values = (QUICK_GRIDS.get(method) if grid is None else None) or few
    repeats = _repeats(item, method)
    seeds = range(min(repeats, QUICK_REPEATS) if quick else repeats)

    def make() -> list[RunSpec]:
        changes = dict(reading or {})
        prepared = changes.pop(PREPARED, None)
        printed = as_printed.parameters(method) | changes
        start = as_printed.start(item.paper, method)
        settings = [{**printed, **setting, **start} for setting in plan.grid(values)]
        settings.sort(key=lambda setting: [setting.get(name, 0) for name in EARLY_PARAMETERS])
        return planned_runs(item, data, method, strategy, seeds, settings, prepared)

    return LazyRuns(prod(map(len, values.values())) * len(seeds), make)


def _repeats(item: PrintedItem, method: str) -> int:
    """Number of repeats of each setting; one for deterministic methods and single printed runs."""
    single = {row.ours for row in item.rows if row.label in item.protocol.single_runs}
    draws = "random_state" in catalogue.method(method).cls().get_params(deep=False)
    return item.protocol.runs or 1 if draws and method not in single else 1


def planned_runs(
    item: PrintedItem,
    data: str,
    method: str,
    strategy: str,
    seeds: range,
    settings: list[dict[str, Any]],
    prepared: Mapping[str, Any] | None = None,
) -> list[RunSpec]:
    """Return the runs on one data set for settings and seeds.

    `prepared` overrides parameters of the data set's preparation.
    """
    return plan.plan(
        [data],
        [method],
        strategies=[strategy],
        seeds=seeds,
        parameters={method: settings},
        preparation={**preparation(item.paper, data), **(prepared or {})},
        data_options=[DATA_OPTIONS.get(data, {})],
    )


def _published_grid(paper: str, method: str) -> Mapping[str, tuple[Any, ...]]:
    """Return the values that a paper tries for a method, mostly those of the method's own paper."""
    if method == "lssmtc-released" and paper in ("mtcfir", "mtcmrl"):
        return WIDE_LSSMTC
    if method == "samtc" and paper == "mtcmrl":
        return COUNTED_NEIGHBORS
    return catalogue.method(method).grid


def thinned(values: tuple[Any, ...], keep: int = QUICK_VALUES) -> tuple[Any, ...]:
    """Return at most `keep` values: the middles of `keep` equal parts of the given ones.

    >>> thinned((0.1, 0.3, 0.5, 0.7, 0.9), 2)
    (0.3, 0.7)
    """
    if len(values) <= keep:
        return values
    return tuple(values[(2 * i + 1) * len(values) // (2 * keep)] for i in range(keep))


def _own_row(item: PrintedItem, quick: bool) -> Iterator[PlannedCell]:
    """Plan the runs of the paper's own method, as in its table of results."""
    for data in item.data:
        yield PlannedCell("", data, "", _runs(item, data, item.paper, "together", quick))


def _layer_counts(item: PrintedItem, quick: bool) -> Iterator[PlannedCell]:
    """Plan MTCFIR's grid for each number of layers, fewest layers first."""
    entry = catalogue.method("mtcfir")
    default = entry.cls().get_params()["n_layers"]
    for data in item.data:
        runs: list[RunSpec] = []
        for n in LAYER_COUNTS[:4] if quick else LAYER_COUNTS:
            # At the default they are the runs of the tables, which a store has only once.
            layers = {} if n == default else {"n_layers": (n,)}
            runs += _runs(item, data, "mtcfir", "together", quick, {**entry.grid, **layers})
        yield PlannedCell("n_layers", data, "", tuple(runs))


def _one_by_one(item: PrintedItem, quick: bool) -> Iterator[PlannedCell]:
    """Plan runs with one parameter varied at a time, the others constant."""
    held = {key: (value,) for key, value in item.fixed.items()}
    for data in item.data:
        for name, stated in item.sweep.items():
            values = stated or catalogue.method(item.paper).grid[name]
            if quick:
                values = thinned(values, 4)
            runs: list[RunSpec] = []
            for value in values:
                grid = {**held, name: (value,)}
                runs += _runs(item, data, item.paper, "together", quick, grid)
            yield PlannedCell(name, data, "", tuple(runs))


def _descents(item: PrintedItem, quick: bool) -> Iterator[PlannedCell]:
    """Plan one run per data set at the defaults, for a figure of the objective over sweeps."""
    for data in item.data:
        runs = _runs(item, data, item.paper, "together", quick, {})
        yield PlannedCell("", data, "", runs[:1])


def _timed(item: PrintedItem, quick: bool) -> Iterator[PlannedCell]:
    """Plan a few runs of each method at the defaults, for a figure of running times."""
    rows = published.item("mtcfir-table-2").rows
    for data in item.data:
        for method in (row.ours for row in rows if row.ours and row.strategy == "together"):
            runs = _runs(item, data, method, "together", quick, {})
            yield PlannedCell(method, data, "", runs[: 1 if quick else 3])


def _scenes(item: PrintedItem, quick: bool) -> Iterator[PlannedCell]:
    """Plan MEC on the simulated target alone, and KT-MEC with the source's centers."""
    for data in item.data:
        mec = _runs(item, data, "mec", "alone", quick)
        yield PlannedCell("MEC", data, data, mec)
        transfer = _runs(item, data, "kt-mec", "source to target", quick)
        yield PlannedCell("KT-MEC", data, data, transfer)


def _no_runs(item: PrintedItem, quick: bool) -> Iterator[PlannedCell]:
    """Plan nothing, for items that are computed from classes or data."""
    yield from ()


_PLANNERS = {
    **{f"mtcfir-table-{i}": _no_runs for i in (6, 7, 12)},
    **{f"mtcfir-table-{i}": _own_row for i in (8, 9, 10, 11)},
    **{f"mtcfir-figure-{i}": _layer_counts for i in (2, 3)},
    **{f"mtcfir-figure-{i}": _own_row for i in (4, 5, 6, 7)},
    "mtcfir-figure-8": _timed,
    "mtcmrl-figure-1": _one_by_one,
    "mtcmrl-figure-2": _descents,
    "mtcmrl-figure-3": _no_runs,
    **{f"mtcmrl-matrix-{data}": _own_row for data in ("webkb4", "20newsgroups", "reuters")},
    "ktmec-figure-1": _no_runs,
    "ktmec-figure-2": _scenes,
    "ktmec-figure-3": _no_runs,
    "comvcf-figure-1": _descents,
    "comvcf-figure-2": _one_by_one,
    "comvcf-figure-3": _one_by_one,
}
"""Item -> planner of its runs; every other item is a table of results."""
