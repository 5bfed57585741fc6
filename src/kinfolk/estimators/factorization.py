"""Factorisation descents that several methods share."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from kinfolk.arguments import flag
from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.estimators.base import MultiTaskEstimator
from kinfolk.estimators.descent import Run, Settings, alternate, restarts
from kinfolk.numerics import (
    degrees,
    kinds,
    memberships,
    nonnegative,
    seminonnegative,
    shared_factorization,
    symmetric_factorization,
)
from kinfolk.numerics.operators import Symmetric
from kinfolk.numerics.shared_factorization import Problem, Shared, State
from kinfolk.numerics.subspaces import SUBSPACES, CloseMeans
from kinfolk.numerics.symmetric_factorization import Factor, Point
from kinfolk.tables import Tasks

F = TypeVar("F", Factor, Point)

# Multiplicative updates never move an entry that is 0, so hard starts are lifted off it.
OFFSET = 0.2
"""Added to a 0/1 start, so that no entry of a factor is stuck at zero."""


UPDATES = ("exact", "multiplicative")
"""Ways to update memberships: rows by non-negative least squares, or the step of the paper."""

PUBLISHED = {"update": "multiplicative", "mixed": True}
"""Memberships as papers have them, and as they were before there was a choice."""

SymmetricRun = Run[Factor] | Run[Point]

EVEN = ("cosine", "local-gaussian", "local-neighbors", "neighbors")
"""Affinities of which every row has a degree of about the same size; "neighbors" is a graph.

A kernel of one bandwidth leaves outliers a degree of nearly 0: divided by it, they are clusters.
"""


def balanced(M: Symmetric, given: Any, update: str, affinity: str) -> tuple[Symmetric, Vector]:
    """Normalise a similarity matrix by its degrees if wanted; return it and the factors s (n,).

    Parameters
    ----------
    given : bool, or "auto": True for exact updates if M has no negative entries and its affinity
        is in `EVEN`

    >>> from kinfolk.numerics.operators import Explicit
    >>> M = Explicit(np.diag([1.0, 4.0]))
    >>> balanced(M, "auto", "exact", "cosine")[1].round(2)
    array([1.58, 0.79])
    >>> balanced(M, "auto", "multiplicative", "cosine")[1]
    array([1., 1.])
    """
    if isinstance(given, str):
        checks.choice("divide_by_degrees", given, [kinds.AUTO])
        given = update == "exact" and affinity in EVEN and not M.signed
    if not flag("divide_by_degrees", given):
        return M, np.ones(M.n)
    if M.signed and degrees.degrees(M).min(initial=0.0) < 0:
        raise InputError(
            "divide_by_degrees is True and the similarities of a row have a negative sum, which is "
            "no degree; give divide_by_degrees=False, or affinity='local-gaussian'."
        )
    s = degrees.scales(M)
    return M.scaled(s), s


def symmetric(
    M: Symmetric, first: Sequence[Labels], k: int, *, update: str, max_iter: int, tol: float
) -> SymmetricRun:
    """Factorise M ~ Y Y' with Y (n, k) >= 0 from several hard clusterings; keep the best.

    `update` is one of `UPDATES`, `tol` is a share of this objective.
    """
    if update == "exact":
        steps = (symmetric_factorization.point, symmetric_factorization.exact_sweep)
        return _symmetric(M, first, k, *steps, max_iter=max_iter, tol=tol)
    printed = (symmetric_factorization.factor, symmetric_factorization.multiplicative_sweep)
    return _symmetric(M, first, k, *printed, max_iter=max_iter, tol=tol)


def _symmetric(
    M: Symmetric,
    first: Sequence[Labels],
    k: int,
    begin: Callable[[Symmetric, Matrix], F],
    sweep: Callable[[Symmetric, F], F],
    *,
    max_iter: int,
    tol: float,
) -> Run[F]:
    squared_norm = M.squared_norm()

    def descend(labels: Labels) -> Run[F]:
        return alternate(
            begin(M, memberships.indicator(labels, k, OFFSET)),
            sweep=lambda s: sweep(M, s),
            objective=lambda s: symmetric_factorization.objective(squared_norm, s),
            max_iter=max_iter,
            tol=tol,
            scale=squared_norm,
        )

    return restarts(descend, first, "symmetric factorisation")


class Memberships(NamedTuple):
    """Memberships Y (n, k) of the training rows, and their labels (n,)."""

    Y: Matrix
    labels: Labels


def symmetric_memberships(
    s: Factor | Point, lam: float = 0.0, Q: Matrix | None = None
) -> Memberships:
    """Optimal memberships at the end of a symmetric factorisation, with target Q if given.

    Of an exact descent those of each row given the others, which new rows get too; of a
    multiplicative one Y itself.
    """
    if isinstance(s, Factor):
        return Memberships(s.Y, labels_of(s.Y))
    return row_memberships(*symmetric_factorization.row_problem(s, lam, Q))


def row_memberships(G: Matrix, B: Matrix) -> Memberships:
    """Minimise y'Gy - 2 b'y over y >= 0 for each row b of B (n, k); add hard labels.

    >>> row_memberships(np.eye(2), np.array([[3.0, 1.0], [-2.0, -1.0]])).labels
    array([0, 1])
    """
    Y = nonnegative.least_squares(G, B)
    return Memberships(Y, memberships.hard(Y, B.argmax(axis=1)))


def labels_of(Y: Matrix) -> Labels:
    """Return the column of each row's largest membership; rows without any get cluster 0.

    >>> labels_of(np.array([[0.1, 0.7], [0.4, 0.2], [0.0, 0.0]]))
    array([1, 0, 0])
    """
    return memberships.hard(Y, np.zeros(len(Y), dtype=int))


class SharedSubspaceEstimator(MultiTaskEstimator):
    """Base of LSSMTC and LSSTTC: own centres per task, shared centres in a subspace.

    Attributes
    ----------
    cluster_centers_, shared_centers_, components_, subspace_share_ : as of `LSSMTC`
    and all of `MultiTaskEstimator`
    """

    own_weight: float
    subspace: str
    n_components: int | None
    mixed: bool
    update: str

    def _minimize(
        self,
        X: Table,
        tasks: Tasks,
        k: int,
        first: Callable[[Problem, int], Matrix],
        free: np.ndarray | None = None,
        held: Callable[[Problem], Shared] | None = None,
        gap_weight: float = 0.0,
    ) -> Run[State]:
        """Check the parameters and descend from starts Y = first(problem, seed).

        `held` returns W and F that stay as they are, instead of best ones for each Y.
        """
        lam = checks.share("own_weight", self.own_weight)
        l = k if self.n_components is None else self.n_components
        l = min(checks.at_least("n_components", l, 1), X.shape[1])
        subspace = SUBSPACES[checks.choice("subspace", self.subspace, SUBSPACES)](X, l)
        if gap_weight > 0:
            subspace = self._close_means(X, l, tasks, gap_weight)
        exact = checks.choice("update", self.update, UPDATES) == "exact"
        mixed = bool(self.mixed) or not exact
        p = shared_factorization.problem(X, tasks.rows(), lam, subspace, free, mixed)
        if held is not None:
            p = p._replace(held=held(p))
        sweep = shared_factorization.exact_sweeps if exact else shared_factorization.sweep

        def start(seed: int) -> State:
            s = shared_factorization.best_centres(p, first(p, seed))
            return shared_factorization.with_best_memberships(p, s) if exact else s

        run = Settings.of(self).best(
            start=start,
            sweep=lambda s: sweep(p, s),
            objective=lambda s: shared_factorization.objective(p, s),
            scale=p.size,
            what="sharing a subspace",
        )
        s = run.state
        self.cluster_centers_ = s.V.astype(X.dtype, copy=False)
        self.shared_centers_ = s.F
        self.components_ = s.W
        self.subspace_share_ = float(np.linalg.norm(s.XW) / np.sqrt(p.size)) if p.size > 0 else 0.0
        return run

    def _close_means(self, X: Table, l: int, tasks: Tasks, weight: float) -> CloseMeans:
        """Build the subspace rule that penalises distance between tasks' means."""
        self._needs_explained(weight)
        return CloseMeans(X, l, tasks.codes, weight)

    def _needs_explained(self, weight: float) -> None:
        if self.subspace != "explained":
            raise InputError(
                f"gap_weight is {weight:g} and subspace is {self.subspace!r}: means of tasks can "
                "be drawn together with subspace='explained' only; give that, or gap_weight=0."
            )

    def _fitted_rows(self, X: Table, tasks: Tasks, last: Matrix) -> Memberships:
        """Memberships of the training rows, assigned like new rows or as printed.

        `last` (n, k) are those that ended the descent.
        """
        if self.update != "exact":
            return Memberships(last, labels_of(last))
        Y = np.empty_like(last)
        labels = np.empty(len(Y), dtype=int)
        for t, rows in enumerate(tasks.rows()):
            found = self._best_rows(X[rows], t)
            Y[rows] = found.Y
            labels[rows] = found.labels
        return Memberships(Y, labels)

    def _best_rows(self, X: Table, t: int) -> seminonnegative.RowMemberships:
        V = self.cluster_centers_[t].astype(np.float64, copy=False)
        W = self.components_
        F = self.shared_centers_
        mixed = bool(self.mixed) or self.update != "exact"
        return shared_factorization.best_rows(X, V, W, F, float(self.own_weight), mixed)

    def _assign(self, X: Table, t: int) -> Labels:
        return self._best_rows(X, t).labels
