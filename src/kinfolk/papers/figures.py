"""Computes the points of printed figures from stored runs.

A mean over tasks, settings and repeats goes over all runs that the store has. Missing runs leave a
gap and a note.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np

from kinfolk import catalogue, datasets
from kinfolk.arrays import Matrix
from kinfolk.datasets import simulated
from kinfolk.errors import InputError
from kinfolk.papers import protocols, tables
from kinfolk.papers.published import PrintedItem
from kinfolk.papers.store import Store, StoredRun, canonical
from kinfolk.papers.tables import StoredRuns
from kinfolk.tables import RelatedData

T = TypeVar("T")
Load: TypeAlias = Callable[..., RelatedData]
"""`load(name, **options)` returns a data set; see `kinfolk.datasets.load`."""
DRAWN_MEASURES = ("accuracy", "nmi")
"""Measures of the figures, in percent; with one data set "ari" too, as in Co-MVCF's tables."""
TRUE_SERIES = "true centers"


@dataclass(frozen=True)
class FigurePoint:
    """One point of a figure: series, x, y and deviation.

    Attributes
    ----------
    series : the curve, or the kind of mark
    x, y : position; x is a name on an axis without scale
    shade : value of a map at this point, else nan
    deviation : of y or shade over the repeats, nan for a single one
    n_runs : number of runs behind the mean, 0 for points of the data
    """

    series: str
    x: float | str
    y: float
    shade: float = float("nan")
    deviation: float = float("nan")
    n_runs: int = 0


@dataclass(frozen=True)
class FigurePanel:
    """One pair of axes with its title, labels and points; or a picture, gray values (h, w)."""

    title: str
    x: str
    y: str
    points: tuple[FigurePoint, ...] = ()
    picture: Matrix | None = None


@dataclass(frozen=True)
class FigureData:
    """Points, panels and notes of one figure, ready to be drawn.

    Attributes
    ----------
    kind : curves, shaded maps, marks above names, clouds of points, or pictures
    panels : row by row
    columns : number of panels side by side
    notes : missing runs and other remarks, printed below the figure
    """

    kind: Literal["lines", "map", "marks", "cloud", "pictures"]
    panels: tuple[FigurePanel, ...]
    columns: int = 1
    notes: tuple[str, ...] = ()

    def table(self) -> list[dict[str, Any]]:
        """Return one dict per point, to be written as a table.

        >>> panel = FigurePanel("", "noise", "seconds", (FigurePoint("a", 0.5, 2.0),))
        >>> FigureData("lines", (panel,)).table()
        [{'panel': '', 'x_name': 'noise', 'y_name': 'seconds', 'series': 'a', 'x': 0.5, 'y': 2.0,
          'shade': nan, 'deviation': nan, 'n_runs': 0}]
        """
        return [
            {"panel": panel.title, "x_name": panel.x, "y_name": panel.y, **vars(point)}
            for panel in self.panels
            for point in panel.points
        ]


def figure(
    item: PrintedItem, store: Store, load: Load = datasets.load, quick: bool = False
) -> FigureData:
    """Compute the points of a printed figure from the runs of a store.

    Parameters
    ----------
    item : a figure for which `protocols.planned_cells` has runs
    store : with these runs, or some of them
    load : loads the rows that are drawn beside centers

    Raises
    ------
    InputError : the figure is not drawn from runs

    Examples
    --------
    >>> from kinfolk.papers import published
    >>> with Store(getfixture("tmp_path") / "runs.sqlite") as store:
    ...     found = figure(published.item("mtcfir-figure-4"), store)
    >>> [panel.title for panel in found.panels], found.notes
    (['accuracy, %', 'nmi, %'], ('webkb4: 0 of 250 runs',))
    """
    if item.id not in _READERS:
        raise InputError(f"{item.id} is not drawn from runs; known are {', '.join(_READERS)}.")
    stored = StoredRuns(store, protocols.planned_cells(item, quick))
    drawn = _READERS[item.id](item, stored, load)
    # Cells with the same note share one line.
    cells: dict[str, list[str]] = {}
    for cell in stored.planned:
        if note := stored.note(cell):
            cells.setdefault(note, []).append(" on ".join(filter(None, (cell.row, cell.data))))
    notes = [f"{', '.join(names)}: {note}" for note, names in cells.items()]
    return replace(drawn, notes=(*drawn.notes, *notes))


def _layer_curves(item: PrintedItem, stored: StoredRuns, load: Load) -> FigureData:
    """Figure of a measure against the number of layers, one curve per data set."""
    measure = item.plots.partition(",")[0]
    points = [
        point
        for cell in stored.planned
        for point in _curve(stored.done(cell), cell.row, measure, cell.data)
    ]
    panel = FigurePanel("", "n_layers", f"{measure}, %", tuple(points))
    return FigureData("lines", (panel,))


def _maps(item: PrintedItem, stored: StoredRuns, load: Load) -> FigureData:
    """Figure of both measures over two parameters, as one heat map per measure."""
    runs = [run for cell in stored.planned for run in stored.done(cell)]
    y, x = item.sweep
    panels = []
    for measure in DRAWN_MEASURES:
        points = []
        for own in grouped(runs, lambda run: canonical(run.spec.parameters)).values():
            setting = own[0].spec.parameters
            shade, deviation = _percent(own, measure)
            points.append(FigurePoint("", setting[x], setting[y], shade, deviation, len(own)))
        panels.append(FigurePanel(f"{measure}, %", x, y, tuple(points)))
    return FigureData("map", tuple(panels), columns=2)


def _timed(item: PrintedItem, stored: StoredRuns, load: Load) -> FigureData:
    """Figure of the running time of each method on each data set, in seconds."""
    # Later repeats share steps of the first one, so their times are too short.
    points = [
        FigurePoint(cell.row, cell.data, run.outcome.seconds, n_runs=1)
        for cell in stored.planned
        for run in stored.done(cell)
        if run.spec.seed == 0 and run.outcome.seconds is not None
    ]
    return FigureData("marks", (FigurePanel("", "", "seconds", tuple(points)),))


def _one_by_one(item: PrintedItem, stored: StoredRuns, load: Load) -> FigureData:
    """Figure of measures against each varied parameter, the others constant.

    With one data set there is one panel per parameter and one curve per measure; else one panel
    per parameter and measure, and one curve per data set.
    """
    single = len(item.data) == 1
    shown = [(*DRAWN_MEASURES, "ari")] if single else [(measure,) for measure in DRAWN_MEASURES]
    panels = []
    for name in item.sweep:
        own = [cell for cell in stored.planned if cell.row == name]
        for measures in shown:
            points: list[FigurePoint] = []
            for measure in measures:
                for cell in own:
                    series = measure if single else cell.data
                    points += _curve(stored.done(cell), name, measure, series)
            label = "%" if single else f"{measures[0]}, %"
            panels.append(FigurePanel("", name, label, tuple(points)))
    return FigureData("lines", tuple(panels), columns=2)


def _descents(item: PrintedItem, stored: StoredRuns, load: Load) -> FigureData:
    """Figure of the objective against iterations, one panel per data set."""
    panels = []
    for cell in stored.planned:
        points = [
            FigurePoint("", float(i), float(value), n_runs=1)
            for run in stored.done(cell)[:1]
            for i, value in enumerate(stored.store.array(run.key, "objective_trace"))
        ]
        panels.append(FigurePanel(cell.data, "iteration", "objective", tuple(points)))
    return FigureData("lines", tuple(panels), columns=2)


def _scenes(item: PrintedItem, stored: StoredRuns, load: Load) -> FigureData:
    """Figure of simulated target rows with the centers that MEC and KT-MEC found."""
    panels = []
    for name in item.data:
        data = load(name)
        rows = np.asarray(data.X)[data.tasks == "target"]
        points = [*cloud("rows", rows), *cloud(TRUE_SERIES, simulated.TRUE_CENTERS)]
        for cell in stored.planned:
            if cell.data == name and (done := stored.done(cell)):
                first = tables.repeats_of(done, tables.best_with_labels(item, cell, done))[0]
                centers = stored.store.array(first.key, "cluster_centers")[-1]
                points += cloud(cell.row, centers, n_runs=1)
        x, y = data.feature_names
        panels.append(FigurePanel(name, x, y, tuple(points)))
    return FigureData("cloud", tuple(panels), columns=2)


def cloud(series: str, rows: Matrix, n_runs: int = 0) -> list[FigurePoint]:
    """Convert rows (n, 2) to the points of one series of a figure.

    >>> [(point.series, point.x, point.y) for point in cloud("rows", np.eye(2))]
    [('rows', 1.0, 0.0), ('rows', 0.0, 1.0)]
    """
    return [FigurePoint(series, float(x), float(y), n_runs=n_runs) for x, y in rows]


def _curve(
    runs: Iterable[StoredRun], parameter: str, measure: str, series: str
) -> list[FigurePoint]:
    """Points of a measure's mean against the values of a parameter."""
    points = []
    by_value = grouped(runs, lambda run: _value(run, parameter))
    for value, own in sorted(by_value.items()):
        mean, deviation = _percent(own, measure)
        points.append(FigurePoint(series, value, mean, deviation=deviation, n_runs=len(own)))
    return points


def _value(run: StoredRun, parameter: str) -> Any:
    """Value of a parameter in a run: the one that was set, else the method's default."""
    if parameter in run.spec.parameters:
        return run.spec.parameters[parameter]
    return catalogue.method(run.spec.method).cls().get_params(deep=False)[parameter]


def grouped(items: Iterable[T], key: Callable[[T], Hashable]) -> dict[Any, list[T]]:
    """Group items by key: {key: items}, in the order in which keys first appear.

    >>> grouped([3, 1, 5, 2], lambda number: number % 2)
    {1: [3, 1, 5], 0: [2]}
    """
    groups: dict[Any, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def _percent(runs: Iterable[StoredRun], measure: str) -> tuple[float, float]:
    """Mean of a measure in percent over tasks and settings, and its deviation over repeats."""
    repeats = [
        100 * np.mean([list(run.outcome.scores[measure].values()) for run in own])
        for own in grouped(runs, lambda run: run.spec.seed).values()
    ]
    return tables.mean_and_deviation(repeats)


_READERS: dict[str, Callable[[PrintedItem, StoredRuns, Load], FigureData]] = {
    **{f"mtcfir-figure-{i}": _layer_curves for i in (2, 3)},
    **{f"mtcfir-figure-{i}": _maps for i in (4, 5, 6, 7)},
    "mtcfir-figure-8": _timed,
    "mtcmrl-figure-1": _one_by_one,
    "mtcmrl-figure-2": _descents,
    "ktmec-figure-2": _scenes,
    "comvcf-figure-1": _descents,
    "comvcf-figure-2": _one_by_one,
    "comvcf-figure-3": _one_by_one,
}
"""Figure -> function that reads its points from the stored runs."""
