"""Wraps clusterers for the laws, and makes tables with clear groups."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix
from kinfolk.numerics import matching


class Subject(NamedTuple):
    """A clusterer under test, with or without tasks, behind one interface.

    Attributes
    ----------
    make : number of clusters -> an unfitted copy
    several : True if it takes several tasks
    predicts : True if it assigns new rows
    """

    make: Callable[[int], Any]
    several: bool
    predicts: bool

    def fit(self, X: Any, tasks: Any = None, k: int = 3) -> Any:
        """Return a new model with k clusters, fitted to rows X (n, d) of tasks (n,)."""
        return self.fit_again(self.make(k), X, tasks)

    def fit_again(self, model: Any, X: Any, tasks: Any = None) -> Any:
        """Fit a model itself, fitted before or not, and return it."""
        return model.fit(X, tasks=tasks) if self.several else model.fit(X)

    def predict(self, model: Any, X: Any, tasks: Any = None) -> Labels:
        """Return the clusters (m,) of new rows X (m, d) of tasks (m,)."""
        found = model.predict(X, tasks=tasks) if self.several else model.predict(X)
        return np.asarray(found)

    def partition(self, model: Any, tasks: NDArray[Any]) -> Labels:
        """Return the labels (n,) of a fitted model, made distinct between tasks."""
        codes = np.unique(tasks, return_inverse=True)[1] if self.several else 0
        return np.asarray(codes * 1000 + np.asarray(model.labels_))


class Related(NamedTuple):
    """Simulated tasks with three groups each, clearly apart by distances and by cosines."""

    X: Matrix
    tasks: NDArray[Any]
    truth: Labels


def related(
    sizes: tuple[int, ...] = (15, 12),
    d: int = 6,
    noise: float = 0.1,
    signed: bool = True,
    seed: int = 0,
) -> Related:
    """Draw rows around three orthogonal directions, with a small shift per task."""
    random = np.random.default_rng(seed)
    codes = np.concatenate([np.full(n, t) for t, n in enumerate(sizes)])
    truth = np.concatenate([np.arange(n) % 3 for n in sizes])
    centers = np.zeros((3, d))
    for c in range(3):
        centers[c, c % d :: 3] = 2.0
    # The shift of a task is small beside the distance of groups, 2 sqrt(2 d / 3) or so.
    X = centers[truth] + noise * random.normal(size=(len(codes), d)) + 0.05 * codes[:, None]
    order = random.permutation(len(codes))
    X = X if signed else np.abs(X)
    return Related(X[order], np.array(["lab", "field", "sea"])[codes[order]], truth[order])


def same_clusters(a: Any, b: Any) -> bool:
    """True if two labelings are equal up to renaming.

    >>> same_clusters([0, 0, 1], [5, 5, 2]), same_clusters([0, 0, 1], [5, 5, 5])
    (True, False)
    """
    meets = matching.contingency(a, b).counts > 0
    return bool((meets.sum(axis=0) == 1).all() and (meets.sum(axis=1) == 1).all())


def assert_same_fit(a: Any, b: Any) -> None:
    """Raise AssertionError unless two fits have equal labels, centers and objectives."""
    np.testing.assert_array_equal(a.labels_, b.labels_)
    # Another layout of X in memory is added up in another order, and each sweep of a descent
    # enlarges that rounding: traces agree within the default `tol` alone.
    shares = {"task_relatedness_": 1e-10, "objective_trace_": 1e-6, "cluster_centers_": 1e-10}
    for name, share in shares.items():
        if hasattr(a, name):
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=share, atol=1e-10)


def drawn(n: int, d: int, seed: int) -> Matrix:
    """Draw standard normal numbers (n, d)."""
    return np.random.default_rng(seed).normal(size=(n, d))


AWKWARD: dict[str, tuple[Matrix, int]] = {
    "as many clusters as rows": (np.eye(3)[[0, 1, 2, 0, 1, 2]] + 0.1, 3),
    "one cluster": (drawn(12, 3, 0), 1),
    "duplicate rows": (np.repeat(drawn(4, 3, 1), 5, axis=0), 3),
    "all rows equal": (np.full((12, 3), 0.7), 2),
    "all rows equal, lengths rounded": (np.tile([0.45, -0.37, -0.22, -0.53, -2.94], (12, 1)), 2),
    "all rows zero": (np.zeros((12, 3)), 2),
    "some rows zero": (drawn(14, 3, 2) * (np.arange(14) % 3 > 0)[:, None], 2),
    "one task zero": (drawn(14, 3, 2) * (np.arange(14) > 6)[:, None], 2),
    "a constant feature": (np.hstack([drawn(12, 2, 3), np.ones((12, 1))]), 2),
    "a zero feature": (np.hstack([drawn(12, 2, 3), np.zeros((12, 1))]), 2),
    "fewer rows than features": (drawn(6, 50, 4), 2),
    "one feature": (drawn(14, 1, 5), 2),
    "two rows per task": (drawn(4, 3, 6), 2),
    "three rows per task": (drawn(6, 3, 6), 2),
    "rows of very different length": (drawn(14, 4, 7) * 10.0 ** np.arange(-7, 7)[:, None], 2),
    "tiny numbers": (1e-8 * drawn(14, 4, 8), 3),
    "large numbers": (1e8 * drawn(14, 4, 8), 3),
    "few different whole numbers": (np.round(abs(drawn(30, 3, 9))), 3),
    "a far outlier": (np.vstack([drawn(15, 3, 10), [[1e4, 1e4, 1e4]]]), 3),
}
"""Description -> a table, and the number of clusters in each task; halves of the rows are tasks."""
