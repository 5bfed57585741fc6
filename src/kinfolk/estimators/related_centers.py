"""Base class of MBC and MKC, whose tasks' centers attract each other."""

import itertools
from typing import Any

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Table, Vector
from kinfolk.estimators import checks, dear_sharing
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.estimators.descent import Run, Settings
from kinfolk.numerics import distances, operators, related_centers, starts
from kinfolk.numerics.related_centers import LOCAL_LOSSES, MARGINALS, Problem, Space, State
from kinfolk.tables import Tasks

INITS = ("kmeans", "random")
"""Names of the first labels of a task: by k-means, or by the nearest of k random rows."""


def first_labels(X: Table, k: int, seed: int, init: str) -> Labels:
    """First labels (n,) of one task's rows X (n, d): k-means or random, by name.

    >>> first_labels(np.array([[0.0], [9.0], [9.5]]), 2, 0, "random")
    array([1, 1, 0])
    """
    if init == "kmeans":
        return starts.kmeans(X, k, seed)
    drawn = np.random.RandomState(seed).choice(X.shape[0], k, replace=False)
    return distances.squared(X, operators.dense(X[drawn]).astype(float)).argmin(axis=1)


def middle_of(X: Table) -> Vector:
    """Mean (d,) of the training rows, to be subtracted; 0 if they are sparse.

    Distances stay as they are; far from 0 they would be small differences of large numbers.
    """
    return np.zeros(X.shape[1]) if sp.issparse(X) else operators.mean(X)


def shifted(X: Table, middle: Vector) -> Table:
    """Subtract a vector (d,) from the rows of a dense table; sparse tables stay.

    >>> shifted(np.array([[3.0, 5.0]]), np.array([1.0, 1.0]))
    array([[2., 4.]])
    """
    return X if sp.issparse(X) else X - middle


class RelatedCentersClusterer(MultiTaskClusterer):
    """Base of MBC and MKC: clusters tasks with centers that attract each other.

    Attributes
    ----------
    cluster_relatedness_ : (task, other task) -> plan (k, k_other), whose entries sum to 1
    shared_sweeps_ : (T,), sweeps in which a task took the centers drawn by others; 0 for all if
        `local_loss` is None, where every task always does
    """

    compares = "distances"

    relation_weight: float
    marginals: str
    local_loss: str | None
    init: str

    def _problem(self, space: Space) -> Problem:
        """Check the parameters and build the objective."""
        loss = self.local_loss
        return Problem(
            space,
            checks.not_negative("relation_weight", self.relation_weight),
            checks.choice("marginals", self.marginals, MARGINALS),
            None if loss is None else checks.choice("local_loss", loss, LOCAL_LOSSES),
        )

    def _descend(
        self, space: Space, tables: list[Table], width: int, settings: Settings, found: Tasks
    ) -> Run[State]:
        """Descend from each start and return the best run; set relations; warn of worse tasks."""
        p = self._problem(space)
        init = checks.choice("init", self.init, INITS)
        k = [own.stop - own.start for own in space.own]
        alone = []

        def start(seed: int) -> State:
            # One seed for all tasks, so that their order does not matter.
            labels = [first_labels(X, c, seed, init) for X, c in zip(tables, k, strict=True)]
            alone.append(related_centers.errors(space, labels, width))
            return related_centers.start(p, labels, width)

        run = settings.best(
            start=start,
            sweep=lambda s: related_centers.sweep(p, s),
            objective=lambda s: s.J,
            scale=space.squared_length,
            what="drawing centers together",
        )
        self._set_relations(run.state, space.own, found.names)
        nearest = [D.argmin(axis=1) for D in space.places(run.state.V).rows]
        dear_sharing.of_errors(
            found.names,
            related_centers.errors(space, nearest, width),
            np.min(alone, axis=0),
            f"Lower relation_weight (now {p.weight:g}; 0 shares nothing)",
        )
        return run

    def _set_relations(self, s: State, own: list[slice], names: list[Any]) -> None:
        """Set the fitted attributes of relations, and where the clusters of each task end."""
        at = dict(zip(names, own, strict=True))
        self.cluster_relatedness_ = {
            (a, b): s.R[at[a], at[b]].copy() for a, b in itertools.permutations(at, 2)
        }
        self.shared_sweeps_ = s.shared
        self._ends = np.cumsum([slice_.stop - slice_.start for slice_ in own])

    def _own(self, t: int) -> slice:
        """Slice of the clusters of the task at position t among all clusters."""
        return slice(int(self._ends[t - 1]) if t else 0, int(self._ends[t]))

    def _labels(self, tables: list[Table], found: Tasks) -> Labels:
        """Labels (n,) of the training rows, assigned like new rows."""
        return found.merged(self._assign(X, t) for t, X in enumerate(tables))
