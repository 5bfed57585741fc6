"""Base class of spectral clustering by shared nearest neighbors (MTCTKI, SAMTC).

With S of `numerics.shared_neighbors` for the groups that a method gives each task,

    U are the k_t leading eigenvectors of D^-1/2 S D^-1/2, V the same with rows at unit length,

and k-means of the rows of V gives the labels. A new row x has neighbors in the same groups, lies
at v_j(x) = 1/lambda_j sum_i S_xi U_ij / sqrt(d_i), at unit length, and goes to the nearest center;
a row in the direction of one of the fit has its label.
"""

from abc import abstractmethod
from math import ceil
from typing import Any

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Matrix, Seed, Table
from kinfolk.errors import InputError
from kinfolk.estimators import checks, dear_sharing, kept_rows
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.numerics import distances, graphs, shared_neighbors, starts
from kinfolk.numerics.graphs import Nearest
from kinfolk.numerics.shared_neighbors import Group
from kinfolk.running import progress
from kinfolk.tables import Tasks

FEWEST = 3
"""Fewest neighbors of a row: rows with one or two share hardly any."""


def neighbor_count(name: str, value: Any, n: int, k: int, most: int | None) -> int:
    """Number of neighbors: a whole number as given, or a share of n / k, rounded up.

    Of a share it is from 3 to `most`. InputError names the parameter.

    >>> neighbor_count("neighbors", 0.5, 90, 4, 100), neighbor_count("neighbors", 30, 90, 4, None)
    (12, 30)
    """
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return checks.at_least(name, value, 1)
    l = max(FEWEST, ceil(min(checks.above(name, value, 0) * n / k, n)))
    return l if most is None else min(l, most)


class SharedNeighborClusterer(MultiTaskClusterer):
    """Base of methods that cluster each task by shared nearest neighbors.

    Attributes
    ----------
    embedding_ : (n, m), rows of unit length; each task has its own k_t columns, the first of these
    and all of `MultiTaskClusterer`
    """

    of_rows: tuple[str, ...] = ("embedding_",)
    keeps_row_order = True

    compares = "directions"
    keeps = kept_rows.ROWS

    neighbors: Any
    max_neighbors: int | None
    weigh_distances: bool
    n_init: int
    random_state: Seed

    @abstractmethod
    def _compared(self, X: Table, t: int) -> Table:
        """Return new rows X (n, d) of task t as unit rows, as they are compared."""

    def _seed(self) -> int:
        """Draw a random seed for k-means."""
        return starts.seeds(checks.random(self.random_state), 1)[0]

    def _most_neighbors(self) -> int | None:
        """Check the parameter `max_neighbors` and return it."""
        if self.max_neighbors is None:
            return None
        return checks.at_least("max_neighbors", self.max_neighbors, 1)

    def _neighbor_counts(self, sizes: list[int], k: list[int]) -> list[int]:
        """Number of neighbors for each task of these sizes and clusters."""
        most = self._most_neighbors()
        return [
            neighbor_count("neighbors", self.neighbors, n, k_t, most)
            for n, k_t in zip(sizes, k, strict=True)
        ]

    def _weighs_distances(self) -> bool:
        """Check the parameter `weigh_distances` and return it."""
        if not isinstance(self.weigh_distances, bool | np.bool_):
            raise InputError(f"weigh_distances is {self.weigh_distances!r}; give True or False.")
        return bool(self.weigh_distances)

    def _bandwidth(self, Z: Table, own: np.ndarray) -> float | None:
        """Median distance of a task's rows, or None if distances have no weight."""
        return shared_neighbors.median_distance(Z[own]) if self._weighs_distances() else None

    def _cluster(
        self, Z: Table, rows: list[np.ndarray], groups: list[list[Group]], k: list[int], seed: int
    ) -> Labels:
        """Cluster each task spectrally; return labels (n,); set all that new rows need."""
        n_init = checks.at_least("n_init", self.n_init, 1)
        labels = np.empty(Z.shape[0], dtype=int)
        self._Z = Z
        self._rows = rows
        self._groups = groups
        self._bandwidths = [self._bandwidth(Z, own) for own in rows]
        self._links: list[sp.csr_array] = []
        self._extensions: list[Matrix] = []
        self._centers: list[Matrix] = []
        self.embedding_ = np.zeros((Z.shape[0], max(k)))
        for t in progress.track(range(len(k)), "clustering tasks"):
            own = rows[t]
            B = shared_neighbors.links_of_task(Z, own, groups[t])
            found = shared_neighbors.spectrum(B, Z[own], self._bandwidths[t], k[t])
            V = found.embedding()
            centers = starts.centers(V, k[t], seed, n_init)
            labels[own] = distances.squared(V, centers).argmin(axis=1)
            self.embedding_[own, : V.shape[1]] = V
            self._links.append(B)
            self._extensions.append(found.extension())
            self._centers.append(centers)
        first = np.arange(Z.shape[0])
        for own in rows:
            first[own] = shared_neighbors.first_alike(Z, own)
        return labels[first]

    def _warn_of_dear_cuts(
        self, Z: Table, found: Tasks, labels: Labels, k: list[int], advice: str
    ) -> None:
        """Warn if clusters of a task cut far more links to its near rows than without sharing."""
        rows = found.rows()
        links = []
        for own, l in zip(rows, self._neighbor_counts(found.sizes, k), strict=True):
            near = graphs.nearest_by_cosine(Z[own], l)
            links.append(
                graphs.symmetrized(
                    graphs.directed(near.rows, 1.0 * (near.cosines > graphs.UNRELATED), len(own))
                )
            )
        own_labels = [labels[own] for own in rows]
        dear_sharing.of_cuts(found.names, links, own_labels, k, 0, advice)

    def _assign(self, X: Table, t: int) -> Labels:
        """Label new rows: equal training rows keep theirs, others go to the nearest center."""
        Z = self._compared(X, t)
        own = self._rows[t]
        nearest = self._nearest_fitted(Z, own, 1)
        place = np.searchsorted(own, nearest.rows[:, 0])
        groups = self._groups[t]
        near = [self._nearest_fitted(Z, group.rows, group.n_neighbors) for group in groups]
        # A new row takes part where the row of the fit does that it is nearest to.
        B = shared_neighbors.links(
            near, groups, [group.takers[place] for group in groups], self._Z.shape[0]
        )
        S = sp.csr_array(B @ self._links[t].T)
        if (h := self._bandwidths[t]) is not None:
            S = shared_neighbors.weighted(S, Z, self._Z[own], h)
        V = distances.unit_rows(S @ self._extensions[t])
        labels = distances.squared(V, self._centers[t]).argmin(axis=1)
        same = nearest.cosines[:, 0] >= 1 - graphs.SAME_DIRECTION
        return np.where(same, self._sorted(self.labels_)[nearest.rows[:, 0]], labels)

    def _nearest_fitted(self, Z: Table, there: np.ndarray, l: int) -> Nearest:
        """Find the l training rows among `there` nearest to new rows."""
        found = graphs.nearest_by_cosine(Z, l, self._Z[there])
        return Nearest(there[found.rows], found.cosines)
