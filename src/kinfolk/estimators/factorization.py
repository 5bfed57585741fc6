"""Descents that several methods share, from the starts of their papers."""

from collections.abc import Callable, Sequence

import numpy as np

from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.estimators import checks
from kinfolk.estimators.base import MultiTaskEstimator
from kinfolk.estimators.descent import Run, Settings, alternate, restarts
from kinfolk.numerics import memberships, nonnegative, shared_factorization
from kinfolk.numerics.operators import Symmetric
from kinfolk.numerics.shared_factorization import Problem, State
from kinfolk.numerics.subspaces import SUBSPACES
from kinfolk.tables import Tasks

# Multiplicative updates never move an entry that is 0, so hard starts are lifted off it.
OFFSET = 0.2
"""Added to a 0/1 start, so that no entry of a factor is stuck at zero."""


def symmetric(
    M: Symmetric, first: Sequence[Labels], k: int, *, max_iter: int, tol: float
) -> Run[nonnegative.Factor]:
    """Minimise |M - Y Y'|_F^2 over Y (n, k) >= 0 from several hard clusterings; keep the lowest.

    `tol` is a share of this objective.
    """
    squared_norm = M.squared_norm()

    def descend(labels: Labels) -> Run[nonnegative.Factor]:
        return alternate(
            nonnegative.factor(M, memberships.indicator(labels, k, OFFSET)),
            sweep=lambda s: nonnegative.symmetric_sweep(M, s),
            objective=lambda s: nonnegative.symmetric_objective(squared_norm, s),
            max_iter=max_iter,
            tol=tol,
            scale=squared_norm,
        )

    return restarts(descend, first, "symmetric factorisation")


def labels_of(Y: Matrix) -> Labels:
    """Return the column of each row's largest membership; rows without any get cluster 0.

    >>> labels_of(np.array([[0.1, 0.7], [0.4, 0.2], [0.0, 0.0]]))
    array([1, 0, 0])
    """
    return memberships.hard(Y, np.zeros(len(Y), dtype=int))


class SharedSubspaceEstimator(MultiTaskEstimator):
    """Factorizes tasks in all features, and together in a subspace; see `LSSMTC` and `LSSTTC`.

    Attributes
    ----------
    cluster_centers_, shared_centers_, components_, subspace_share_ : as of `LSSMTC`
    and all of `MultiTaskEstimator`
    """

    own_weight: float
    subspace: str
    n_components: int | None

    def _minimize(
        self,
        X: Table,
        tasks: Tasks,
        k: int,
        first: Callable[[Problem, int], Matrix],
        free: np.ndarray | None = None,
    ) -> Run[State]:
        """Check the parameters and descend from each start Y = first(problem, seed)."""
        lam = checks.share("own_weight", self.own_weight)
        l = k if self.n_components is None else self.n_components
        l = min(checks.at_least("n_components", l, 1), X.shape[1])
        subspace = SUBSPACES[checks.choice("subspace", self.subspace, SUBSPACES)](X, l)
        p = shared_factorization.problem(X, tasks.rows(), lam, subspace, free)
        run = Settings.of(self).best(
            start=lambda seed: shared_factorization.best_centres(p, first(p, seed)),
            sweep=lambda s: shared_factorization.sweep(p, s),
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

    def _assign(self, X: Table, t: int) -> Labels:
        V = self.cluster_centers_[t]
        W = self.components_
        F = self.shared_centers_
        return shared_factorization.assign(X, V, W, F, float(self.own_weight))
