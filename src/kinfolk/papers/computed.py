"""Printed tables and figures that need no stored runs, computed from classes or data.

    mtcfir-table-6, 7    ideal relatedness, from the subjects of the classes
    mtcfir-table-12      discrepancy of the tasks before and after the common features
    mtcmrl-figure-3      seconds of one relation G
    ktmec-figure-1, 3    the source, the ideal target, and turned faces

Choices where the papers are silent. *Discrepancy* is `kinfolk.measures.mmd` with a Gaussian kernel,
its bandwidth the median distance of each pair of tasks, averaged over the pairs; the common
features are the rows and the outputs of three layers side by side, at MTCFIR's default noise.
*Seconds* are the fastest of three, for random normal regression vectors; after `SECONDS_LIMIT` for
one G a solver gets no more clusters. *The ideal target* shows 300 of its 750 rows, those of scene
X2. *Faces* are those of ORL: the terms of JAFFE do not allow its pictures to be passed on.
"""

import timeit
from collections.abc import Callable

import numpy as np

from kinfolk import datasets, measures
from kinfolk.arrays import Matrix, Vector
from kinfolk.datasets import data_home, faces, simulated
from kinfolk.errors import InputError, KinfolkError
from kinfolk.methods.multitask import feature_instance, model_relation
from kinfolk.numerics import common_features, distances, model_relations
from kinfolk.numerics.features import Features
from kinfolk.papers import figures, preparations
from kinfolk.papers.figures import FigureData, FigurePanel, FigurePoint, Load
from kinfolk.papers.published import PrintedItem
from kinfolk.papers.tables import CellComparison, Value
from kinfolk.preparation import Preparation
from kinfolk.tables import RelatedData

CLASS_KINDS = {
    **dict.fromkeys(("gnp", "cpi", "ipi"), "indices"),
    **dict.fromkeys(("gold", "iron-steel", "copper"), "metals"),
    **dict.fromkeys(("cocoa", "coffee"), "food"),
}
"""Class -> its subject; of others the first part of a newsgroup's name, or the class itself."""
SECONDS_LIMIT = 10.0
N_REGRESSIONS = 50
"""Length of the random regression vectors, k of each task, between which a G (k, k) is learned."""
SHOWN_PEOPLE = 3


def table(item: PrintedItem, load: Load = datasets.load) -> list[CellComparison]:
    """Compare each printed cell of "mtcfir-table-6", 7 or 12 with a value computed from the data.

    Parameters
    ----------
    item : the table
    load : `load(name, **options)` returns a data set; a missing one leaves a note

    Raises
    ------
    InputError : the table needs runs

    Examples
    --------
    >>> from kinfolk.papers import published
    >>> few = lambda name, **options: datasets.load("digits-two-sources", n_rows=(20, 20))
    >>> cells = table(published.item("mtcfir-table-12"), few)
    >>> cells[0].row, cells[0].column, round(cells[0].ours.mean, 1)
    ('webkb4', 'original discrepancy', 0.2)
    """
    compute = _TABLES.get(item.id)
    if compute is None:
        raise InputError(f"{item.id} is not computed from data; known are {', '.join(_TABLES)}.")
    computed: dict[str, tuple[Vector | None, str]] = {}
    for name in item.data:
        # A table of several data sets has one row for each, a table of one has a row per task.
        labels = [name] if len(item.data) > 1 else [row.label for row in item.rows]
        shape = len(labels), len(item.columns)
        try:
            values = compute(load(name, **preparations.DATA_OPTIONS.get(name, {})))
            if values.shape != shape:
                raise InputError(f"{values.shape} numbers were found, {shape} are printed.")
            computed |= {label: (own, "") for label, own in zip(labels, values, strict=True)}
        except KinfolkError as error:
            computed |= dict.fromkeys(labels, (None, str(error)))
    compared = []
    for row in item.rows:
        own, note = computed[row.label]
        for j, (column, cell) in enumerate(zip(item.columns, row.cells, strict=True)):
            ours = None if own is None else Value.of(own[j : j + 1], "", 1)
            compared.append(CellComparison(row.label, str(column), cell, ours, note=note))
    return compared


def figure(
    item: PrintedItem,
    load: Load = datasets.load,
    data: data_home.DataHome = None,
    seconds_limit: float = SECONDS_LIMIT,
) -> FigureData:
    """Compute the points of "mtcmrl-figure-3", "ktmec-figure-1" or "ktmec-figure-3" from data.

    Parameters
    ----------
    item : the figure
    load : `load(name, **options)` returns a data set
    data : the data directory, for the faces; missing pictures leave a note
    seconds_limit : seconds for one G after which a solver gets no larger one

    Raises
    ------
    InputError : the figure needs runs

    Examples
    --------
    >>> from kinfolk.papers import published
    >>> drawn = figure(published.item("ktmec-figure-1"))
    >>> [(panel.title, len(panel.points)) for panel in drawn.panels]
    [('source', 753), ('ideal target', 303)]
    """
    if item.id == "mtcmrl-figure-3":
        return _relation_times(item, seconds_limit)
    if item.id == "ktmec-figure-1":
        return _scene(load)
    if item.id == "ktmec-figure-3":
        return _faces(data)
    raise InputError(f"{item.id} is not drawn from data; it needs a store of runs.")


def ideal_relatedness(data: RelatedData) -> Matrix:
    """Relatedness (T, T) of tasks computed from their true classes; 1 on the diagonal.

    For tasks t and s: the share of t's rows whose class is of a subject that s has, times the share
    of s's rows whose class is of a subject that t has.

    >>> tasks, target = np.array(["a", "a", "b", "b"]), np.array(["gnp", "gold", "cpi", "cpi"])
    >>> ideal_relatedness(RelatedData("small", tasks, np.arange(4), np.eye(4), target=target))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    if data.target is None:
        raise InputError(f"{data.name!r} has no true classes, from which relatedness is counted.")
    classes = map(str, data.target)
    kinds = np.array([CLASS_KINDS.get(name, name.partition(".")[0]) for name in classes])
    by_task = [kinds[data.tasks == task] for task in data.task_names]
    shares = np.array([[np.mean(np.isin(one, other)) for other in by_task] for one in by_task])
    return shares * shares.T


def discrepancies(data: RelatedData) -> Matrix:
    """Return the mean discrepancy (MMD) of pairs of tasks in raw rows and common features, (1, 2).

    >>> data = datasets.load("digits-two-sources", n_rows=(20, 20))
    >>> discrepancies(data).round(2)
    array([[0.21, 0.21]])
    """
    X = Preparation(**preparations.preparation("mtcfir", data.name)).fit_transform(data)
    defaults = feature_instance.MTCFIR()
    _, layers = common_features.fit(X, defaults.noise, defaults.n_layers, defaults.ridge)
    pairs = np.triu_indices(len(data.task_names), 1)
    tables = (X, Features(layers).dense())
    return np.array([[measures.mmd(Z, data.tasks)[pairs].mean() for Z in tables]])


_TABLES: dict[str, Callable[[RelatedData], Matrix]] = {
    "mtcfir-table-6": ideal_relatedness,
    "mtcfir-table-7": ideal_relatedness,
    "mtcfir-table-12": discrepancies,
}


def _relation_times(item: PrintedItem, seconds_limit: float) -> FigureData:
    """Figure of the seconds that each solver of MTCMRL's relations takes, by number of clusters."""
    points: list[FigurePoint] = []
    notes = []
    for name, solve in model_relations.SOLVERS.items():
        seconds = 0.0
        for k in map(int, item.sweep["n_clusters"]):
            if seconds > seconds_limit:
                notes.append(f"{name}: not run from {k} clusters on; fewer took {seconds:.1f} s")
                break
            seconds = _solver_seconds(solve, k)
            points.append(FigurePoint(name, k, seconds))
    panel = FigurePanel("", "n_clusters", "seconds", tuple(points))
    return FigureData("lines", (panel,), notes=tuple(notes))


def _solver_seconds(solve: Callable[[Vector, float, Vector], Vector], k: int) -> float:
    """Seconds that a solver takes to learn one relation matrix G (k, k) from a uniform start."""
    random = np.random.default_rng(0)
    V, W = random.normal(size=(2, N_REGRESSIONS, k)) / np.sqrt(N_REGRESSIONS)
    A = distances.squared(V.T, W.T).ravel()
    uniform = np.full(k * k, 1.0 / k**2)
    evenness = model_relation.MTCMRL().evenness
    # The fastest of three: other work of the machine only makes a run slower.
    return min(timeit.repeat(lambda: solve(A, evenness, uniform), number=1, repeat=3))


def _scene(load: Load) -> FigureData:
    """Figure of simulated source and target rows by class, with the true centers."""
    data = load("simulated-transfer-x2")
    X = np.asarray(data.X)
    target = np.asarray(data.target)
    centers = {"source": simulated.SOURCE_CENTERS, "target": simulated.TRUE_CENTERS}
    x, y = data.feature_names
    panels = []
    for task, title in (("source", "source"), ("target", "ideal target")):
        points: list[FigurePoint] = []
        for name in np.unique(target):
            rows = X[(data.tasks == task) & (target == name)]
            points += figures.cloud(str(name), rows)
        points += figures.cloud(figures.TRUE_SERIES, centers[task])
        panels.append(FigurePanel(title, x, y, tuple(points)))
    notes = ("the ideal target is shown by 300 of its rows, those of X2",)
    return FigureData("cloud", tuple(panels), columns=2, notes=notes)


def _faces(data: data_home.DataHome) -> FigureData:
    """Figure of the first image of some people of the ORL faces, upright and rotated."""
    notes = ["JAFFE: its terms forbid to spread its pictures"]
    try:
        images, people = faces.orl_images("orl-faces-rotated", data)
    except KinfolkError as error:
        return FigureData("pictures", (), len(faces.ANGLES), (str(error), *notes))
    first = np.unique(people, return_index=True)[1][:SHOWN_PEOPLE]
    frames = faces.rotated(images[first])
    panels = tuple(
        FigurePanel(f"{angle} degrees" if not person else "", "", "", picture=frames[person, i])
        for person in range(len(frames))
        for i, angle in enumerate(faces.ANGLES)
    )
    credit = faces.ORL.origin("ORL database of faces")
    return FigureData("pictures", panels, len(faces.ANGLES), (credit, *notes))
