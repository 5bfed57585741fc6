"""The method `score` of clusterers: mean silhouette of the assigned clusters."""

from typing import Any

import numpy as np
from sklearn.metrics import silhouette_score

from kinfolk.arrays import Labels, MatrixLike, Table
from kinfolk.estimators import observed
from kinfolk.numerics import float_errors

MOST_SCORED = 3000
"""Most rows of a task whose silhouette is computed, which takes O(n^2); of more, a sample."""


class SilhouetteScore:
    """Adds a `score` method (mean silhouette) to clusterers of several tasks."""

    __metadata_request__score = {"tasks": True}

    @float_errors.handled_by_default
    def score(self, X: MatrixLike, y: Any = None, tasks: Any = None) -> float:
        """Return the mean silhouette of rows X (m, d) in the clusters they are assigned to.

        The mean over tasks, from -1 to 1, higher is better; 0 in a task whose rows are all in one
        cluster, or each in one of its own. Views that a row lacks count as the means of their
        columns. y is ignored. `GridSearchCV` chooses parameters by it; `kf.search` does so by more
        evidence.

        Parameters
        ----------
        tasks : (m,) or one name for all rows; may be left out if there is only one task

        Raises
        ------
        UnknownTaskError : a task was not there when the model was fitted

        Examples
        --------
        >>> from kinfolk import PerTask
        >>> X = np.repeat([[0.0, 1.0], [5.0, 1.0]], [4, 3], axis=0)
        >>> PerTask(n_clusters=2).fit(X).score([[0.0, 1.0], [0.5, 1.0], [4.0, 1.0], [5.0, 1.0]])
        0.822
        """
        estimator: Any = self  # a `MultiTaskClusterer`
        codes, X = estimator._open_new(X, tasks)
        labels = estimator._assign_known(X, codes)
        Z, metric = self._scored(observed.column_means_for_gaps(X), codes)
        rows = [np.flatnonzero(codes == t) for t in np.unique(codes)]
        return float(np.mean([mean_silhouette(Z[own], labels[own], metric) for own in rows]))

    def _scored(self, X: Table, codes: Labels) -> tuple[Table, str]:
        """Return rows and metric for which silhouettes are computed."""
        estimator: Any = self
        return X, "euclidean" if estimator._sees() == "distances" else "cosine"


def mean_silhouette(X: Table, labels: Labels, metric: str) -> float:
    """Return the mean silhouette of rows X (n, d), from a sample if there are many."""
    n = len(labels)
    rows = np.arange(n)
    if n > MOST_SCORED:
        # The same rows for every model, so that their scores compare.
        rows = np.random.default_rng(0).choice(n, MOST_SCORED, replace=False)
    if not 1 < len(np.unique(labels[rows])) < len(rows):
        return 0.0
    return float(silhouette_score(X[rows], labels[rows], metric=metric))
