"""The method `score` of clusterers: mean silhouette of the assigned clusters."""

from typing import Any

import numpy as np
from sklearn.metrics import pairwise_distances, silhouette_score

from kinfolk.arrays import Labels, Matrix, MatrixLike, Table, Vector
from kinfolk.estimators import observed
from kinfolk.estimators import rows as rows_in
from kinfolk.numerics import float_errors

MOST_SCORED = 3000
"""Most rows of a task whose silhouette is computed, which takes O(n^2); of more, a sample."""


class SilhouetteScore:
    """Adds a `score` method (mean silhouette) to clusterers of several tasks."""

    __metadata_request__score = {"tasks": True}

    @float_errors.handled_by_default
    def score(
        self, X: MatrixLike, y: Any = None, tasks: Any = None, sample_weight: Any = None
    ) -> float:
        """Return the mean silhouette of rows X (m, d) in the clusters they are assigned to.

        The mean over tasks, from -1 to 1, higher is better; 0 in a task whose rows are all in one
        cluster, or each in one of its own. Views that a row lacks count as the means of their
        columns. y is ignored. `GridSearchCV` chooses parameters by it; `kf.search` does so by more
        evidence.

        Parameters
        ----------
        tasks : (m,) or one name for all rows; may be left out if there is only one task
        sample_weight : (m,), not negative, counts a row as so many; None: each as one

        Raises
        ------
        InputError : there is not one weight for each row, or one is negative
        UnknownTaskError : a task was not there when the model was fitted

        Examples
        --------
        >>> from kinfolk import PerTask
        >>> X = np.repeat([[0.0, 1.0], [5.0, 1.0]], [4, 3], axis=0)
        >>> PerTask(n_clusters=2).fit(X).score([[0.0, 1.0], [0.5, 1.0], [4.0, 1.0], [5.0, 1.0]])
        0.822
        """
        estimator: Any = self  # a `MultiTaskClusterer`
        sample_weight = rows_in.weights_beside(X, sample_weight)
        codes, X = estimator._open_new(X, tasks)
        labels = estimator._assign_known(X, codes)
        Z, metric = self._scored(observed.column_means_for_gaps(X), codes)
        rows = [np.flatnonzero(codes == t) for t in np.unique(codes)]
        weight = rows_in.weights(sample_weight, X.shape[0])
        weights = [None if weight is None else weight[own] for own in rows]
        parts = zip(rows, weights, strict=True)
        return float(np.mean([mean_silhouette(Z[own], labels[own], metric, w) for own, w in parts]))

    def _scored(self, X: Table, codes: Labels) -> tuple[Table, str]:
        """Return rows and metric for which silhouettes are computed."""
        estimator: Any = self
        return X, "euclidean" if estimator._sees() == "distances" else "cosine"


def mean_silhouette(X: Table, labels: Labels, metric: str, weight: Vector | None = None) -> float:
    """Return the mean silhouette of rows X (n, d), from a sample if there are many.

    With weights (n,) a row counts as so many.
    """
    if weight is not None:
        there = weight > 0
        X = X[there]
        labels = labels[there]
        weight = weight[there]
    n = len(labels)
    rows = np.arange(n)
    if n > MOST_SCORED:
        # The same rows for every model, so that their scores compare.
        rows = np.random.default_rng(0).choice(n, MOST_SCORED, replace=False)
    counted = len(rows) if weight is None else weight[rows].sum()
    if not 1 < len(np.unique(labels[rows])) < counted:
        return 0.0
    if weight is not None:
        return _weighted(pairwise_distances(X[rows], metric=metric), labels[rows], weight[rows])
    return float(silhouette_score(X[rows], labels[rows], metric=metric))


def _weighted(D: Matrix, labels: Labels, weight: Vector) -> float:
    """Return the mean silhouette of rows with distances D (n, n), each counted as its weight (n,).

    >>> D = np.abs(np.subtract.outer([0.0, 1.0, 8.0], [0.0, 1.0, 8.0]))
    >>> twice = np.abs(np.subtract.outer([0.0, 1.0, 8.0, 8.0], [0.0, 1.0, 8.0, 8.0]))
    >>> expected = silhouette_score(twice, [0, 0, 1, 1], metric="precomputed")
    >>> np.isclose(_weighted(D, np.array([0, 0, 1]), np.array([1.0, 1.0, 2.0])), expected)
    np.True_
    """
    rows = np.arange(len(labels))
    _, own = np.unique(labels, return_inverse=True)
    W = np.zeros((len(labels), own.max() + 1))
    W[rows, own] = weight
    away = D @ W
    sizes = W.sum(axis=0)
    inside = sizes[own] - 1.0  # without the row itself
    a = away[rows, own] / np.where(inside > 0, inside, 1.0)
    others = away / sizes
    others[rows, own] = np.inf
    b = others.min(axis=1)
    larger = np.maximum(a, b)
    s = np.where((inside > 0) & (larger > 0), (b - a) / np.where(larger > 0, larger, 1.0), 0.0)
    return float(np.average(s, weights=weight))
