"""Ordinary tables as a user brings them, and fits of any method of the catalogue to one of them.

Measurements are z-scored over all rows; texts are weighted counts of words, rows at unit length,
as k-means needs them. Tables that have no tasks of their own are cut into random parts, the same in
every run; of large ones rows are drawn.
"""

import warnings
from dataclasses import dataclass, field

import numpy as np
from sklearn import datasets as bundled

import kinfolk as kf
from benchmarks import heldout
from benchmarks.by_task import ByTask
from kinfolk import catalogue
from kinfolk.arrays import Table
from kinfolk.knowledge import Knowledge
from kinfolk.methods.multitask.baselines import PerTask
from kinfolk.methods.single.entropy import MEC
from kinfolk.preparation import Preparation

LEFT_OUT = {
    "kinfolk": "it runs many methods; `benchmarks.labelfree` measures it",
    "per-task": "its k-means is the yardstick",
    "pooled": "its k-means is the yardstick",
}
"""Methods that are not measured -> the reason."""
METHODS = [name for name in catalogue.METHODS if name not in LEFT_OUT]
ROWS_A_CLASS = 25
"""Rows of mfeat that are drawn of each class in each half."""


@dataclass(frozen=True)
class Ordinary(ByTask):
    """A table with tasks and true classes; `views` has the columns of views, if there are any."""

    X: Table
    tasks: np.ndarray
    target: np.ndarray
    views: dict = field(default_factory=dict)

    def only(self, tasks):
        """The rows of some tasks."""
        kept = np.isin(self.tasks, tasks)
        return Ordinary(self.X[kept], self.tasks[kept], self.target[kept], self.views)


@dataclass(frozen=True)
class Fit:
    """A fitted model, its rows, and the sentences of its warnings."""

    model: object
    data: Ordinary
    judged: list
    warnings: list
    rises: int


def fitted(name, data, seed, **parameters):
    """Fit a method of the catalogue with its defaults, but for the numbers of clusters.

    Methods of one table are fitted to each task. Those that need help from elsewhere take it from
    the first task, and are judged on the others: the centers that MEC finds there (kt-mec), or its
    true classes (lssttc).
    """
    entry = catalogue.method(name)
    if "views" in entry.cls().get_params(deep=False) and data.views:
        parameters["views"] = data.views
    given = {}
    judged = data.names
    k = data.n_clusters
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if entry.relation == catalogue.OTHER_SITE:
            first, *judged = data.names
            centers = MEC(k[first], random_state=seed).fit(data.X[data.rows(first)])
            parameters["knowledge"] = Knowledge.of(centers, minimum_cluster_size=1)
            data = data.only(judged)
            k = data.n_clusters
            model = PerTask(entry.seeded(seed, **parameters), k)
        else:
            model = catalogue.tasks_estimator(entry, k, seed, **parameters)
        if entry.relation == catalogue.KNOWN_LABELS:
            first, *judged = data.names
            given["y"] = np.where(data.tasks == first, data.target, "-1")
        model.fit(data.X, tasks=data.tasks, **given)
    sentences = list(dict.fromkeys(str(warning.message) for warning in caught))
    rises = sum(issubclass(w.category, kf.errors.DescentWarning) for w in caught)
    return Fit(model, data, judged, sentences, rises)


def _parts(X, target, number, rows=None):
    """Cut a table into random parts, its tasks, after drawing so many rows."""
    order = np.random.RandomState(0).permutation(len(X))[:rows]
    tasks = np.array([f"part {i % number + 1}" for i in range(len(order))])
    return Ordinary(X[order], tasks, target[order].astype(str))


def _standard(data):
    """Standardize every column."""
    X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    return Ordinary(X, data.tasks, data.target)


def _bundled(load, number, rows=None, scale=1.0):
    """Make a function of the data folder that cuts a table of scikit-learn into random parts."""
    return lambda folder: _parts(*_divided(load, scale), number, rows)


def _divided(load, scale):
    X, target = load(return_X_y=True)
    return X / scale, target


def _standardized(made):
    return lambda folder: _standard(made(folder))


def _named(name, scale="none"):
    """Make a function of the data folder that loads a data set and applies `Preparation`."""

    def made(folder):
        data = kf.datasets.load(name, folder)
        return Ordinary(Preparation(scale=scale).fit_transform(data), data.tasks, data.target)

    return made


def _mfeat(folder):
    """Digits in six views, columns from 0 to 1; two halves are the tasks."""
    data = kf.datasets.load("mfeat", folder)
    X = np.asarray(data.X, dtype=float)
    low = X.min(axis=0)
    span = X.max(axis=0) - low
    X = (X - low) / np.where(span > 0, span, 1)
    order = np.random.RandomState(0).permutation(len(X))
    kept = []
    tasks = []
    for kind in np.unique(data.target):
        drawn = order[data.target[order] == kind][: 2 * ROWS_A_CLASS]
        kept.extend(drawn)
        tasks.extend(np.where(np.arange(len(drawn)) < ROWS_A_CLASS, "half 1", "half 2"))
    return Ordinary(X[kept], np.array(tasks), data.target[kept], dict(data.views))


IRIS = _bundled(bundled.load_iris, 2)
WINE = _bundled(bundled.load_wine, 2)

SETS = {
    "iris": _standardized(IRIS),
    "iris raw": IRIS,
    "wine": _standardized(WINE),
    "wine raw": WINE,
    "cancer": _standardized(_bundled(bundled.load_breast_cancer, 2)),
    "digits": _bundled(bundled.load_digits, 3, 900),
    "digits/16": _bundled(bundled.load_digits, 3, 900, 16.0),
    **{name: _standardized(_named(name)) for name in ("penguins", "olive", "vowel", "heart")},
    "webkb4": _named("webkb4", "unit"),
    "reuters": _named("reuters", "unit"),
    "mfeat": _mfeat,
}
"""Name -> the function that makes it from the data directory."""

WHAT = {
    "iris": "150 flowers, 2 random parts, z-scores",
    "iris raw": "the same in cm",
    "wine": "178 wines, 2 random parts, z-scores",
    "wine raw": "the same in the units of the source: one column carries nearly all the length",
    "cancer": "569 tumours, 2 random parts, z-scores",
    "digits": "900 of 1797 images of 8 x 8, 3 random parts, ink 0 to 16",
    "digits/16": "the same, ink 0 to 1",
    "penguins": "333 birds by sex, z-scores",
    "olive": "572 oils by region, z-scores",
    "vowel": "990 vowels by 15 speakers, z-scores",
    "heart": "855 patients by 4 hospitals, z-scores",
    "webkb4": "1041 pages of 4 universities, weighted counts of words at unit length",
    "reuters": "526 stories in 3 tasks, weighted counts of words at unit length",
    "mfeat": "500 of 2000 digits in 2 halves, six views side by side, columns from 0 to 1",
}
"""Name -> its description in a table."""


def drawn(data, n):
    """Draw at most n rows per class and task, with a fixed seed."""
    whole = kf.RelatedData(
        "drawn", data.tasks, np.arange(len(data.tasks)).astype(str),
        X=np.arange(len(data.tasks))[:, None] + 0.0, target=data.target,
    )  # fmt: skip
    rows = heldout.drawn(whole, n, 0).row_ids.astype(int)
    return Ordinary(data.X[rows], data.tasks[rows], data.target[rows], data.views)
