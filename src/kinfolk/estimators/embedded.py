"""Clusters each task by k-means in an embedding, and assigns new rows there.

Embedded rows are scaled to unit length (Ng, Jordan, Weiss 2002). Rows of one task that are equal in
all columns get the label of the first of them, and such a new row too, so that the labels of the
fit are those that its rows get when they come again.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.estimators import checks
from kinfolk.numerics import distances, equal_rows, starts
from kinfolk.running import progress

FEWEST_LINKS, MOST_LINKS = 3, 50
"""Bounds on the links of a row where their number is not given."""


def links_per_row(n: int, k: int) -> int:
    """Number of neighbors per row: half the mean cluster size n / k, from 3 to 50.

    >>> links_per_row(40, 4), links_per_row(6, 3), links_per_row(999, 2)
    (5, 3, 50)
    """
    # Most of the nearest rows must be of the same cluster, also where clusters are of uneven size.
    return max(FEWEST_LINKS, min(round(n / (2 * k)), MOST_LINKS))


def kmeans_starts(estimator: Any) -> tuple[int, int]:
    """Check `random_state` and `n_init`; return a seed and the number of k-means starts."""
    n_init = checks.at_least("n_init", estimator.n_init, 1)
    return starts.seeds(checks.random(estimator.random_state), 1)[0], n_init


class EmbeddedClusters(NamedTuple):
    """k-means centers (k, m) of a task's embedded rows, with hashes and labels of its rows."""

    centers: Matrix
    hashes: NDArray[np.uint64]
    labels: Labels

    @classmethod
    def of(cls, X: Table, places: Matrix, k: int, seed: int, n_init: int) -> Self:
        """Run k-means on embedded rows `places` (n, m) scaled to unit length."""
        Z = distances.unit_rows(places)
        centers = starts.centers(Z, k, seed, n_init)
        found = equal_rows.hashes(X)
        labels = distances.squared(Z, centers).argmin(axis=1)
        return cls(centers, found, labels[equal_rows.positions(found, found)])

    def assign(self, X: Table, place: Callable[[Table], Matrix]) -> Labels:
        """Label new rows (m,): training rows keep theirs, others go to the nearest center.

        >>> rows = np.array([[0.0, 1.0], [1.0, 0.0]])
        >>> clusters = EmbeddedClusters.of(rows, rows, 2, 0, 1)
        >>> same = clusters.assign(rows, lambda X: 0 * X)
        >>> (same == clusters.labels).all()
        np.True_
        """
        Z = distances.unit_rows(place(X))
        labels: Labels = distances.squared(Z, self.centers).argmin(axis=1)
        known = equal_rows.positions(equal_rows.hashes(X), self.hashes)
        return np.where(known >= 0, self.labels[known], labels)


def cluster(
    tables: list[Table], places: list[Matrix], k: list[int], seed: int, n_init: int
) -> list[EmbeddedClusters]:
    """Run k-means on the embedded rows of each task."""
    parts = zip(tables, places, k, strict=True)
    return [
        EmbeddedClusters.of(X, own, c, seed, n_init)
        for X, own, c in progress.track(list(parts), "clustering tasks")
    ]
