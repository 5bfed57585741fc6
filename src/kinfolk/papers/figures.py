"""Figures as numbers, from a store of runs and nothing else.

A mean over tasks, settings and repeats is over all runs that are there. What is not in the store
leaves a gap and a note.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from kinfolk import datasets
from kinfolk.arrays import Matrix
from kinfolk.datasets import simulated
from kinfolk.errors import InputError
from kinfolk.papers import protocols, tables
from kinfolk.papers.protocols import Piece
from kinfolk.papers.published import Exhibit
from kinfolk.papers.store import Row, Store, canonical
from kinfolk.papers.tables import Found
from kinfolk.tables import RelatedData

Load: TypeAlias = Callable[..., RelatedData]
"""`load(name, **options)` returns a data set; see `kinfolk.datasets.load`."""
MEASURES = ("accuracy", "nmi")
"""What the figures show, in percent; of one data set alone "ari" too, as Co-MVCF's tables do."""
TRUE = "true centres"


@dataclass(frozen=True)
class Point:
    """One point of a figure.

    Attributes
    ----------
    series : the curve, or the kind of mark
    x, y : where it is; x is a name where there is no scale
    shade : what a map shows there, else nan
    deviation : of y or shade over the repeats, nan where there is one
    n_runs : how many runs it is the mean of, 0 where it comes from the data
    """

    series: str
    x: float | str
    y: float
    shade: float = float("nan")
    deviation: float = float("nan")
    n_runs: int = 0


@dataclass(frozen=True)
class Panel:
    """One pair of axes, with the names of what is on them; or a picture, grey values (h, w)."""

    title: str
    x: str
    y: str
    points: tuple[Point, ...] = ()
    picture: Matrix | None = None


@dataclass(frozen=True)
class Drawing:
    """A figure as numbers.

    Attributes
    ----------
    kind : how it is drawn: curves, shaded maps, marks a name, clouds of points, or pictures
    panels : row by row
    columns : how many panels stand side by side
    notes : what a reader must know, for example which runs are missing
    """

    kind: Literal["lines", "map", "marks", "cloud", "pictures"]
    panels: tuple[Panel, ...]
    columns: int = 1
    notes: tuple[str, ...] = ()

    def table(self) -> list[dict[str, Any]]:
        """Return every point as plain values, to be written as a table.

        >>> Drawing("lines", (Panel("", "noise", "seconds", (Point("a", 0.5, 2.0),)),)).table()
        [{'panel': '', 'x_name': 'noise', 'y_name': 'seconds', 'series': 'a', 'x': 0.5, 'y': 2.0,
          'shade': nan, 'deviation': nan, 'n_runs': 0}]
        """
        return [
            {"panel": panel.title, "x_name": panel.x, "y_name": panel.y, **vars(point)}
            for panel in self.panels
            for point in panel.points
        ]


def drawing(
    exhibit: Exhibit, store: Store, load: Load = datasets.load, quick: bool = False
) -> Drawing:
    """Return a figure that is drawn from runs.

    Parameters
    ----------
    exhibit : a figure for which `protocols.pieces` has runs
    store : with these runs, or some of them
    load : gives the rows that are drawn beside centres

    Raises
    ------
    InputError : it is no such figure

    Examples
    --------
    >>> from kinfolk.papers import published
    >>> with Store(getfixture("tmp_path") / "runs.sqlite") as store:
    ...     found = drawing(published.exhibit("mtcfir-figure-4"), store)
    >>> [panel.title for panel in found.panels], found.notes
    (['accuracy, %', 'nmi, %'], ('webkb4: 0 of 250 runs',))
    """
    if exhibit.id not in _DRAWN:
        raise InputError(f"{exhibit.id} is not drawn from runs; known are {', '.join(_DRAWN)}.")
    pieces = protocols.pieces(exhibit, quick)
    found = Found(store, pieces)
    drawn = _DRAWN[exhibit.id](exhibit, pieces, found, load)
    places: dict[str, list[str]] = {}
    for piece in pieces:
        if note := found.note(piece):
            places.setdefault(note, []).append(" on ".join(filter(None, (piece.row, piece.data))))
    notes = [f"{', '.join(where)}: {note}" for note, where in places.items()]
    return Drawing(drawn.kind, drawn.panels, drawn.columns, (*drawn.notes, *notes))


def _layers(exhibit: Exhibit, pieces: list[Piece], found: Found, load: Load) -> Drawing:
    """One measure, a curve a data set."""
    measure = exhibit.plots.partition(",")[0]
    points = [
        point
        for piece in pieces
        for point in _curve(found.done(piece), piece.row, measure, piece.data)
    ]
    return Drawing("lines", (Panel("", "n_layers", f"{measure}, %", tuple(points)),))


def _map(exhibit: Exhibit, pieces: list[Piece], found: Found, load: Load) -> Drawing:
    """Both measures over two parameters."""
    rows = [row for piece in pieces for row in found.done(piece)]
    y, x = exhibit.sweep
    panels = []
    for measure in MEASURES:
        points = []
        for own in _grouped(rows, lambda row: canonical(row.run.parameters)).values():
            setting = own[0].run.parameters
            shade, deviation = _percent(own, measure)
            points.append(Point("", setting[x], setting[y], shade, deviation, len(own)))
        panels.append(Panel(f"{measure}, %", x, y, tuple(points)))
    return Drawing("map", tuple(panels), columns=2)


def _timed(exhibit: Exhibit, pieces: list[Piece], found: Found, load: Load) -> Drawing:
    """Seconds of the first repeat, since later ones reuse what it made; a mark a method."""
    points = [
        Point(piece.row, piece.data, row.outcome.seconds, n_runs=1)
        for piece in pieces
        for row in found.done(piece)
        if row.run.seed == 0 and row.outcome.seconds is not None
    ]
    return Drawing("marks", (Panel("", "", "seconds", tuple(points)),))


def _one_by_one(exhibit: Exhibit, pieces: list[Piece], found: Found, load: Load) -> Drawing:
    """A panel a parameter: of one data set a curve a measure, else a panel and a curve a set."""
    single = len(exhibit.data) == 1
    shown = [(*MEASURES, "ari")] if single else [(measure,) for measure in MEASURES]
    panels = []
    for name in exhibit.sweep:
        own = [piece for piece in pieces if piece.row == name]
        for measures in shown:
            points = [
                point
                for measure in measures
                for piece in own
                for point in _curve(
                    found.done(piece), name, measure, measure if single else piece.data
                )
            ]
            label = "%" if single else f"{measures[0]}, %"
            panels.append(Panel("", name, label, tuple(points)))
    return Drawing("lines", tuple(panels), columns=2)


def _descents(exhibit: Exhibit, pieces: list[Piece], found: Found, load: Load) -> Drawing:
    """The objective at the start and after each iteration, a panel a data set."""
    panels = []
    for piece in pieces:
        points = [
            Point("", float(i), float(value), n_runs=1)
            for row in found.done(piece)[:1]
            for i, value in enumerate(found.store.array(row.key, "objective_trace"))
        ]
        panels.append(Panel(piece.data, "iteration", "objective", tuple(points)))
    return Drawing("lines", tuple(panels), columns=2)


def _scenes(exhibit: Exhibit, pieces: list[Piece], found: Found, load: Load) -> Drawing:
    """The rows of each target with the centres of the first start at the chosen setting."""
    panels = []
    for name in exhibit.data:
        data = load(name)
        rows = np.asarray(data.X)[data.tasks == "target"]
        points = [*cloud("rows", rows), *cloud(TRUE, simulated.TRUE_CENTERS)]
        for piece in pieces:
            if piece.data == name and (done := found.done(piece)):
                first = tables.at(done, tables.chosen(exhibit, piece, done))[0]
                centers = found.store.array(first.key, "cluster_centers")[-1]
                points += cloud(piece.row, centers, n_runs=1)
        x, y = data.feature_names
        panels.append(Panel(name, x, y, tuple(points)))
    return Drawing("cloud", tuple(panels), columns=2)


def cloud(series: str, rows: Matrix, n_runs: int = 0) -> list[Point]:
    """Return rows (n, 2) as points.

    >>> cloud("rows", np.eye(2))[0].x
    1.0
    """
    return [Point(series, float(x), float(y), n_runs=n_runs) for x, y in rows]


def _curve(rows: Iterable[Row], name: str, measure: str, series: str) -> list[Point]:
    """A measure against a parameter."""
    points = []
    for value, own in sorted(_grouped(rows, lambda row: row.run.parameters[name]).items()):
        mean, deviation = _percent(own, measure)
        points.append(Point(series, value, mean, deviation=deviation, n_runs=len(own)))
    return points


def _grouped(rows: Iterable[Row], of: Callable[[Row], Any]) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(of(row), []).append(row)
    return groups


def _percent(rows: Iterable[Row], measure: str) -> tuple[float, float]:
    """A measure over tasks and settings in percent: its mean and deviation over the repeats."""
    repeats = [
        100 * np.mean([list(row.outcome.scores[measure].values()) for row in own])
        for own in _grouped(rows, lambda row: row.run.seed).values()
    ]
    return tables.summary(repeats)


_DRAWN: dict[str, Callable[[Exhibit, list[Piece], Found, Load], Drawing]] = {
    **{f"mtcfir-figure-{i}": _layers for i in (2, 3)},
    **{f"mtcfir-figure-{i}": _map for i in (4, 5, 6, 7)},
    "mtcfir-figure-8": _timed,
    "mtcmrl-figure-1": _one_by_one,
    "mtcmrl-figure-2": _descents,
    "ktmec-figure-2": _scenes,
    "comvcf-figure-1": _descents,
    "comvcf-figure-2": _one_by_one,
    "comvcf-figure-3": _one_by_one,
}
