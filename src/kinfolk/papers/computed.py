"""Tables and figures that need no run: counted from classes, or computed from the data.

    mtcfir-table-6, 7    ideal relatedness, from the kinds of the classes
    mtcfir-table-12      discrepancy of the tasks before and after the common features
    mtcmrl-figure-3      seconds of one relation G
    ktmec-figure-1, 3    the source, the ideal target, and turned faces

Choices where the papers are silent. *Discrepancy* is `kinfolk.measures.mmd` with a Gaussian kernel,
its bandwidth the median distance of each pair of tasks, and the mean over the pairs; the common
features are the rows and the outputs of three layers side by side, at the noise that is the default
of MTCFIR. *Seconds* are those of the fastest of three for regressions that are random normal
vectors; after `LONGEST` seconds for one G a solver is given no more clusters. *The ideal target* is
drawn from the 300 of its 750 rows that scene X2 shows. *Faces* are those of ORL: the terms of JAFFE
forbid to spread its pictures.
"""

import timeit
from collections.abc import Callable

import numpy as np

from kinfolk import datasets, measures
from kinfolk.arrays import Matrix, Vector
from kinfolk.datasets import data_home, faces, simulated
from kinfolk.errors import InputError, KinfolkError
from kinfolk.methods.multitask import feature_instance, model_relation
from kinfolk.numerics.features import Features
from kinfolk.papers import figures, protocols
from kinfolk.papers.figures import Drawing, Load, Panel, Point
from kinfolk.papers.published import Exhibit
from kinfolk.papers.tables import Entry, Value
from kinfolk.preparation import Preparation
from kinfolk.tables import RelatedData

KINDS = {
    **dict.fromkeys(("gnp", "cpi", "ipi"), "indices"),
    **dict.fromkeys(("gold", "iron-steel", "copper"), "metals"),
    **dict.fromkeys(("cocoa", "coffee"), "food"),
}
"""Class -> its kind; that of a newsgroup is the first part of its name, others are their own."""
LONGEST = 10.0
"""Seconds for one G after which a solver is given no larger one."""
COLUMNS = 50
"""Of the random regressions between which a G is learnt."""
SHOWN_PEOPLE = 3


def entries(exhibit: Exhibit, load: Load = datasets.load) -> list[Entry]:
    """Return every cell of "mtcfir-table-6", 7 or 12.

    Parameters
    ----------
    exhibit : the table
    load : `load(name, **options)` returns a data set; one that is not there leaves a note

    Raises
    ------
    InputError : the table is not counted but run

    Examples
    --------
    >>> from kinfolk.papers import published
    >>> few = lambda name, **options: datasets.load("digits-two-sources", n_rows=(20, 20))
    >>> cells = entries(published.exhibit("mtcfir-table-12"), few)
    >>> cells[0].row, cells[0].column, round(cells[0].ours.mean, 1)
    ('webkb4', 'original discrepancy', 0.2)
    """
    compute = _TABLES.get(exhibit.id)
    if compute is None:
        raise InputError(f"{exhibit.id} is not counted; known are {', '.join(_TABLES)}.")
    filled: dict[str, tuple[Vector | None, str]] = {}
    for name in exhibit.data:
        labels = [name] if len(exhibit.data) > 1 else [row.label for row in exhibit.rows]
        shape = len(labels), len(exhibit.columns)
        try:
            values = compute(load(name, **protocols.DATA_OPTIONS.get(name, {})))
            if values.shape != shape:
                raise InputError(f"{values.shape} numbers were found, {shape} are printed.")
            filled |= {label: (own, "") for label, own in zip(labels, values, strict=True)}
        except KinfolkError as error:
            filled |= dict.fromkeys(labels, (None, str(error)))
    return [
        Entry(row.label, str(column), cell, _value(values, j), note=note)
        for row in exhibit.rows
        for values, note in [filled[row.label]]
        for j, (column, cell) in enumerate(zip(exhibit.columns, row.cells, strict=True))
    ]


def drawing(
    exhibit: Exhibit,
    load: Load = datasets.load,
    data: data_home.DataHome = None,
    longest: float = LONGEST,
) -> Drawing:
    """Return "mtcmrl-figure-3", "ktmec-figure-1" or "ktmec-figure-3".

    Parameters
    ----------
    exhibit : the figure
    load : `load(name, **options)` returns a data set
    data : the data directory, for the faces; what it does not hold leaves a note
    longest : seconds for one G after which a solver is given no larger one

    Raises
    ------
    InputError : the figure is drawn from runs

    Examples
    --------
    >>> from kinfolk.papers import published
    >>> [panel.title for panel in drawing(published.exhibit("ktmec-figure-1")).panels]
    ['source', 'ideal target']
    """
    if exhibit.id == "mtcmrl-figure-3":
        return _relation_times(exhibit, longest)
    if exhibit.id == "ktmec-figure-1":
        return _scene(load)
    if exhibit.id == "ktmec-figure-3":
        return _faces(data)
    raise InputError(f"{exhibit.id} is not drawn from data; it needs a store of runs.")


def ideal_relatedness(data: RelatedData) -> Matrix:
    """Return the relatedness (T, T) that the classes give, 1 for the own task.

    For two tasks it is the share of the rows of the one whose class is of a kind that the other
    has, times the share of the rows of the other whose class is of a kind that the one has.

    >>> tasks, target = np.array(["a", "a", "b", "b"]), np.array(["gnp", "gold", "cpi", "cpi"])
    >>> ideal_relatedness(RelatedData("small", tasks, np.arange(4), np.eye(4), target=target))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    kinds = np.array([KINDS.get(str(name), str(name).partition(".")[0]) for name in _classes(data)])
    own = [kinds[data.tasks == task] for task in data.task_names]
    shares = np.array([[np.mean(np.isin(one, other)) for other in own] for one in own])
    return shares * shares.T


def discrepancies(data: RelatedData) -> Matrix:
    """Return the mean discrepancy of pairs of tasks, of the rows and of common features, (1, 2)."""
    X = Preparation(**protocols.PREPARATIONS.get(data.name, {})).fit_transform(data)
    defaults = feature_instance.MTCFIR()
    _, layers = feature_instance.common_features(
        X, defaults.noise, defaults.n_layers, defaults.ridge
    )
    pairs = np.triu_indices(len(data.task_names), 1)
    spaces = (X, Features(layers).dense())
    return np.array([[measures.mmd(Z, data.tasks)[pairs].mean() for Z in spaces]])


_TABLES: dict[str, Callable[[RelatedData], Matrix]] = {
    "mtcfir-table-6": ideal_relatedness,
    "mtcfir-table-7": ideal_relatedness,
    "mtcfir-table-12": discrepancies,
}


def _classes(data: RelatedData) -> list[str]:
    if data.target is None:
        raise InputError(f"{data.name!r} has no true classes, from which relatedness is counted.")
    return list(data.target)


def _value(values: Vector | None, j: int) -> Value | None:
    if values is None:
        return None
    return Value.of(values[j : j + 1], "", 1)


def _relation_times(exhibit: Exhibit, longest: float) -> Drawing:
    """Seconds of each solver of equation (5) against the number of clusters of both tasks."""
    points: list[Point] = []
    notes = []
    for name, solve in model_relation.SOLVERS.items():
        seconds = 0.0
        for k in map(int, exhibit.sweep["n_clusters"]):
            if seconds > longest:
                notes.append(f"{name}: not run from {k} clusters on; fewer took {seconds:.1f} s")
                break
            seconds = _seconds(solve, k)
            points.append(Point(name, k, seconds))
    panel = Panel("", "n_clusters", "seconds", tuple(points))
    return Drawing("lines", (panel,), notes=tuple(notes))


def _seconds(solve: Callable[[Vector, float, Vector], Vector], k: int) -> float:
    """Of one G of k by k clusters from the uniform one, the fastest of three."""
    random = np.random.default_rng(0)
    V, W = random.normal(size=(2, COLUMNS, k)) / np.sqrt(COLUMNS)
    A = model_relation.column_distances(V, W).ravel()
    uniform = np.full(k * k, 1.0 / k**2)
    evenness = model_relation.MTCMRL().evenness
    return min(timeit.repeat(lambda: solve(A, evenness, uniform), number=1, repeat=3))


def _scene(load: Load) -> Drawing:
    """Source and ideal target by class, with the true centres."""
    data = load("simulated-transfer-x2")
    X, target = np.asarray(data.X), np.asarray(data.target)
    centres = {"source": simulated.SOURCE_CENTERS, "target": simulated.TRUE_CENTERS}
    panels = []
    for task, title in (("source", "source"), ("target", "ideal target")):
        points = [
            point
            for name in np.unique(target)
            for point in figures.cloud(str(name), X[(data.tasks == task) & (target == name)])
        ]
        points += figures.cloud(figures.TRUE, centres[task])
        x, y = data.feature_names
        panels.append(Panel(title, x, y, tuple(points)))
    notes = ("the ideal target is shown by 300 of its rows, those of X2",)
    return Drawing("cloud", tuple(panels), columns=2, notes=notes)


def _faces(data: data_home.DataHome) -> Drawing:
    """The first image of some people of ORL, upright and turned."""
    notes = ["JAFFE: its terms forbid to spread its pictures"]
    try:
        images, people = faces.orl_images("orl-faces-rotated", data)
    except KinfolkError as error:
        return Drawing("pictures", (), len(faces.ANGLES), (str(error), *notes))
    first = np.unique(people, return_index=True)[1][:SHOWN_PEOPLE]
    frames = faces.rotated(images[first])
    panels = tuple(
        Panel(f"{angle} degrees" if not person else "", "", "", picture=frames[person, i])
        for person in range(len(frames))
        for i, angle in enumerate(faces.ANGLES)
    )
    credit = faces.ORL.origin("ORL database of faces")
    return Drawing("pictures", panels, len(faces.ANGLES), (credit, *notes))
