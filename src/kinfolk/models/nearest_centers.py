"""Estimator that assigns rows to nearest centers, in place of one that keeps rows.

The center of a cluster is the mean of its rows. Rows and centers are compared as the method
compared rows: by distance, by angle, or as the default method judges clusterings.
"""

from typing import Any, Self

import numpy as np

from kinfolk.arrays import Labels, Matrix, MatrixLike, Table
from kinfolk.choosing.representations import Representations
from kinfolk.errors import InputError
from kinfolk.estimators import kept_rows
from kinfolk.estimators.base import MultiTaskClusterer, MultiTaskEstimator
from kinfolk.estimators.warn import compared
from kinfolk.numerics import distances

DISTANCES, DIRECTIONS = "distances", "directions"


class NearestCenters(MultiTaskClusterer):
    """Clusters of another method, held as centers; assigns new rows to the nearest.

    Made by `without_rows`; it cannot be fitted.

    Attributes
    ----------
    cluster_centers_ : (C, d), the mean of each cluster of each task, in the order of `clusters_`;
        zeros for a cluster without rows, to which no new row goes
    comparison_ : "distances" or "directions" of rows and centers
    representation_ : the space in which the default method compares them; None: as they are
    and those of `MultiTaskClusterer` that are about clusters; `labels_` is empty
    """

    keeps = kept_rows.NONE
    compares = "nothing"
    cluster_centers_: Matrix
    comparison_: str
    representation_: Representations | None

    def __init__(self, n_clusters: Any = 2) -> None:
        self.n_clusters = n_clusters

    def fit(self, X: MatrixLike, y: Any = None, tasks: Any = None) -> Self:
        """Raise InputError: this model cannot be fitted again."""
        raise InputError(
            "this model was stored without the rows and can only assign rows of its own tasks: "
            "fit the method again, or take the model that holds the rows."
        )

    def _assign(self, X: Table, t: int) -> Labels:
        own = np.flatnonzero([task == self.task_names_[t] for task, _ in self.clusters_])
        # A cluster without rows has no mean, and zeros in its place.
        filled = own[np.asarray(self._cluster_sizes)[own] > 0]
        V: Table = self.cluster_centers_[filled]
        if self.representation_ is not None:
            X = self.representation_.for_scoring(X, np.full(X.shape[0], t))
            V = self.representation_.for_scoring(V, np.full(len(V), t))
        if self.comparison_ == DIRECTIONS:
            X = distances.unit_rows(X)
            V = distances.unit_rows(V)
        nearest = distances.squared(X, np.asarray(_dense(V))).argmin(axis=1)
        return np.asarray(filled - own[0])[nearest]


def of(estimator: MultiTaskEstimator) -> NearestCenters:
    """Convert a fitted estimator to its cluster centers; InputError if it has no means.

    Examples
    --------
    >>> from kinfolk import JointSpectral
    >>> X = np.repeat([[0.0, 2.0], [9.0, 1.0]], 12, axis=0) + 0.1 * np.eye(24)[:, :2]
    >>> fitted = JointSpectral(2, random_state=0).fit(X, tasks=["a"] * 24)
    >>> rule = of(fitted)
    >>> rule.predict([[1.0, 2.0], [8.0, 2.0]]) == fitted.predict([[1.0, 2.0], [8.0, 2.0]])
    array([ True,  True])
    """
    moments = vars(estimator).get("_moments")
    if moments is None or len(moments[0]) != len(estimator.clusters_):
        raise InputError(
            "the model holds no means of its clusters, because it has too many columns, has tasks "
            "that were added, or was stored by an older version: it cannot do without its rows."
        )
    rule = NearestCenters(getattr(estimator, "n_clusters", 2))
    for name in _OF_CLUSTERS:
        if name in vars(estimator):
            setattr(rule, name, vars(estimator)[name])
    rule.added_tasks_ = []
    rule.labels_ = np.empty(0, dtype=int)
    rule.cluster_centers_ = moments[1]
    # The default method compares rows in many ways and judges them in one.
    rule.representation_ = vars(estimator).get("_representations")
    seen = compared(estimator)
    by_angle = rule.representation_ is not None or seen in (DIRECTIONS, "lengths")
    rule.comparison_ = DIRECTIONS if by_angle else DISTANCES
    return rule


_OF_CLUSTERS = (
    *("task_names_", "n_clusters_", "n_features_in_", "feature_names_in_", "clusters_"),
    *("cluster_links_", "matched_clusters_", "match_strength_", "cluster_profiles_"),
    *("_cluster_sizes", "_directions", "_votes", "_moments"),
)
"""Attributes that are about clusters and not about rows."""


def _dense(V: Any) -> Any:
    return V.toarray() if hasattr(V, "toarray") else V
