"""Matrix factorizations that several methods share: symmetric, or with a shared subspace."""

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
    weighted_rows,
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
"""Updates of memberships: non-negative least squares by row, or the paper's multiplicative step."""

PUBLISHED = {"update": "multiplicative", "mixed": True}
"""Parameters for memberships as in the papers; models saved without these parameters get them."""

SymmetricRun = Run[Factor] | Run[Point]

EVEN = ("cosine", "local-gaussian", "local-neighbors", "neighbors")
"""Affinities that give all rows degrees of about the same size; "neighbors" is a graph.

A kernel of one bandwidth leaves outliers a degree of nearly 0: divided by it, they are clusters.
"""


def balanced(
    M: Symmetric, given: Any, update: str, affinity: str, weight: Vector | None = None
) -> tuple[Symmetric, Vector]:
    """Divide a similarity matrix by its degrees if `given`; return it and the factors s (n,).

    Parameters
    ----------
    given : bool, or "auto": True for exact updates if M has no negative entries and its affinity
        is in `EVEN`
    weight : (n,) of the rows, or None

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
    if M.signed and degrees.degrees(M, weight).min(initial=0.0) < 0:
        raise InputError(
            "divide_by_degrees is True and the similarities of a row have a negative sum, which is "
            "no degree; give divide_by_degrees=False, or affinity='local-gaussian'."
        )
    s = degrees.scales(M, weight)
    return M.scaled(s), s


def symmetric(
    M: Symmetric,
    first: Sequence[Labels],
    k: int,
    *,
    update: str,
    max_iter: int,
    tol: float,
    weight: Vector | None = None,
) -> SymmetricRun:
    """Factorize M ~ Y Y' with Y (n, k) >= 0 from several hard clusterings; keep the best.

    `update` is one of `UPDATES`, `tol` is a share of this objective. With weights (n,) the factor
    of the run is D^1/2 Y, see `numerics.weighted_rows`.
    """
    M = weighted_rows.scaled_similarity(M, weight)  # (W3)

    def begin(labels: Labels) -> Matrix:
        return weighted_rows.times_roots(memberships.indicator(labels, k, OFFSET), weight)

    if update == "exact":
        steps = (symmetric_factorization.point, symmetric_factorization.exact_sweep)
        return _symmetric(M, first, begin, *steps, max_iter=max_iter, tol=tol)
    printed = (symmetric_factorization.factor, symmetric_factorization.multiplicative_sweep)
    return _symmetric(M, first, begin, *printed, max_iter=max_iter, tol=tol)


def _symmetric(
    M: Symmetric,
    first: Sequence[Labels],
    begin: Callable[[Labels], Matrix],
    point: Callable[[Symmetric, Matrix], F],
    sweep: Callable[[Symmetric, F], F],
    *,
    max_iter: int,
    tol: float,
) -> Run[F]:
    """Factorize M by `sweep` from each hard clustering; return the run of the least objective."""
    squared_norm = M.squared_norm()

    def descend(labels: Labels) -> Run[F]:
        return alternate(
            point(M, begin(labels)),
            sweep=lambda s: sweep(M, s),
            objective=lambda s: symmetric_factorization.objective(squared_norm, s),
            max_iter=max_iter,
            tol=tol,
            scale=squared_norm,
        )

    return restarts(descend, first, "symmetric factorization")


class Memberships(NamedTuple):
    """Memberships Y (n, k) of the training rows, and their labels (n,)."""

    Y: Matrix
    labels: Labels


def symmetric_memberships(
    s: Factor | Point,
    lam: float = 0.0,
    Q: Matrix | None = None,
    M: Symmetric | None = None,
    weight: Vector | None = None,
) -> Memberships:
    """Memberships of the training rows at the end of a symmetric factorization, target Q if given.

    Of an exact descent those of each row given the others, which new rows get too; of a
    multiplicative one Y itself, but for rows of weight 0. With weights (n,) the factor is D^1/2 Y,
    and M and Q are those of the rows as they are.
    """

    def best() -> Memberships:
        MY = s.product
        if weight is not None and M is not None:
            # Rows of weight 0 have memberships too, which M D Y shows and D^1/2 M D Y does not.
            MY = M.times(weighted_rows.times_roots(s.Y, weight))
        return row_memberships(*symmetric_factorization.row_problem(Point(s.Y, MY), lam, Q))

    if isinstance(s, Point):
        return best()
    Y = weighted_rows.over_roots(s.Y, weight, lambda: best().Y)
    return Memberships(Y, labels_of(Y))


def row_memberships(G: Matrix, B: Matrix) -> Memberships:
    """Minimize y'Gy - 2 b'y over y >= 0 for each row b of B (n, k); add hard labels.

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
    """Base of LSSMTC and LSSTTC: own centers per task, shared centers in a subspace.

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
        weight: Vector | None = None,
    ) -> Run[State]:
        """Descend from starts Y = first(problem, seed); set all centers and return the best run.

        `held` returns W and F that stay as they are, instead of best ones for each Y. With weights
        (n,) all of the descent, `first` too, is about D^1/2 X and D^1/2 Y (`weighted_rows`).
        """
        heavy = weighted_rows.scaled(X, weight)  # (W2)
        lam = checks.share("own_weight", self.own_weight)
        l = k if self.n_components is None else self.n_components
        l = min(checks.at_least("n_components", l, 1), X.shape[1])
        subspace = SUBSPACES[checks.choice("subspace", self.subspace, SUBSPACES)](heavy, l)
        if gap_weight > 0:
            subspace = self._close_means(X, l, tasks, gap_weight, weight)
        exact = checks.choice("update", self.update, UPDATES) == "exact"
        mixed = bool(self.mixed) or not exact
        p = shared_factorization.problem(heavy, tasks.rows(), lam, subspace, free, mixed)
        if held is not None:
            p = p._replace(held=held(p))
        sweep = shared_factorization.exact_sweeps if exact else shared_factorization.sweep

        def start(seed: int) -> State:
            s = shared_factorization.best_centers(p, first(p, seed))
            return shared_factorization.with_best_memberships(p, s) if exact else s

        run = Settings.of(self).best(
            start=start,
            sweep=lambda s: sweep(p, s),
            objective=lambda s: shared_factorization.objective(p, s),
            scale=p.size,
            what="sharing a subspace",
        )
        self.cluster_centers_ = run.state.V.astype(X.dtype, copy=False)
        self._set_shared(run.state, p.size)
        return run

    def _set_shared(self, s: State, size: float) -> None:
        """Set the attributes of shared centers and subspace; `size` is |X|_F^2 of the rows."""
        self.shared_centers_ = s.F
        self.components_ = s.W
        self.subspace_share_ = float(np.linalg.norm(s.XW) / np.sqrt(size)) if size > 0 else 0.0

    def _close_means(
        self, X: Table, l: int, tasks: Tasks, gap_weight: float, weight: Vector | None
    ) -> CloseMeans:
        """Build the subspace rule that penalizes distance between tasks' means."""
        self._needs_explained(gap_weight)
        if weight is None:
            return CloseMeans(X, l, tasks.codes, gap_weight)
        of_tasks = memberships.indicator(tasks.codes, len(tasks.names)) * weight[:, None]
        means = memberships.centers(X, of_tasks)
        return CloseMeans.of_means(means, l, gap_weight * float(weight.sum()))

    def _needs_explained(self, weight: float) -> None:
        """Raise InputError unless `subspace` is "explained", as a `gap_weight` above 0 needs."""
        if self.subspace != "explained":
            raise InputError(
                f"gap_weight is {weight:g} and subspace is {self.subspace!r}: means of tasks can "
                "be drawn together with subspace='explained' only; give that, or gap_weight=0."
            )

    def _fitted_rows(
        self, X: Table, tasks: Tasks, last: Matrix, weight: Vector | None = None
    ) -> Memberships:
        """Memberships of the training rows: as of new rows with exact updates, else `last`.

        `last` (n, k) are those that ended the descent, D^1/2 Y with weights (n,).
        """
        if self.update != "exact":
            last = weighted_rows.over_roots(last, weight, lambda: self._new_rows_of(X, tasks).Y)
            return Memberships(last, labels_of(last))
        return self._new_rows_of(X, tasks)

    def _new_rows_of(self, X: Table, tasks: Tasks) -> Memberships:
        """Best memberships of the rows X (n, d) of all tasks, computed as for new rows."""
        Y = np.empty((X.shape[0], len(self.shared_centers_)))
        labels = np.empty(len(Y), dtype=int)
        for t, rows in enumerate(tasks.rows()):
            found = self._best_rows(X[rows], t)
            Y[rows] = found.Y
            labels[rows] = found.labels
        return Memberships(Y, labels)

    def _best_rows(self, X: Table, t: int) -> seminonnegative.RowMemberships:
        """Best memberships and labels of rows X (m, d) of the task at position t."""
        V = self.cluster_centers_[t].astype(np.float64, copy=False)
        W = self.components_
        F = self.shared_centers_
        mixed = bool(self.mixed) or self.update != "exact"
        return shared_factorization.best_rows(X, V, W, F, float(self.own_weight), mixed)

    def _assign(self, X: Table, t: int) -> Labels:
        return self._best_rows(X, t).labels
