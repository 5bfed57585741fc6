"""Adaptive subspace iteration (ASI): soft k-means in a subspace fitted to the clusters.

Over memberships Y >= 0, centers F and directions W with W'W = I, minimize

    J(Y, F, W) = |X W - Y F|_F^2                                       (4) with lambda = 0

by F = Y^+ X W (6), W, by the name of the subspace (`numerics/subspaces`): "explained" or
"published" (16), and the best rows of Y: in one cluster each (S), or y >= 0 with the lowest
|x W - y F|^2. The step (14) of `seminonnegative` with A = X W F' and B = F F' replaces the latter.

Symbols     X (n, d), Y (n, k), F (k, l), W (d, l); the source has samples in columns.
Units       J in squared units of X.
Limits      "explained" with l >= k is soft k-means. It is LSSMTC with lambda = 0.
Source      Li, Ma, Ogihara (2004), in the form of Gu, Zhou (2009), equations (4)-(16).
Departures  the original assigns rows to one cluster each, with 0/1; here the membership in it has
            any size, and rows may be in several by `mixed=True`, as in the special case of Gu,
            Zhou, with their step by `update="multiplicative"`. "published" sees nothing of X where
            d - rank(X) >= l; "explained" adds what W leaves out, |X|^2 - |X W|^2, to J. k - 1
            directions suffice only for centered rows, so that l = k here unless given.
Beyond      a new row gets the best y for W and F.
"""

from typing import NamedTuple, Self

import numpy as np

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table
from kinfolk.estimators import checks, factorization, kept_rows
from kinfolk.estimators.base import Clusterer
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.renamed import accept_old_names
from kinfolk.numerics import distances, operators, seminonnegative
from kinfolk.numerics.subspaces import SUBSPACES, Subspace


class State(NamedTuple):
    """Memberships Y (n, k), centers F (k, l), subspace W (d, l) and product X W (n, l)."""

    Y: Matrix
    F: Matrix
    W: Matrix
    XW: Matrix


def with_best_subspace(X: Table, Y: Matrix, subspace: Subspace) -> State:
    """Build the state of memberships Y (n, k) with optimal subspace and centers."""
    O, C = seminonnegative.orthonormal_basis(Y)
    W = subspace(operators.crossed(X, O))  # (16)
    XW = operators.times(X, W)
    F = C @ (O.T @ XW)  # (6)
    return State(Y, F, W, XW)


def objective(size: float, s: State, subspace: Subspace) -> float:
    """Squared error of the rows in the subspace; size is |X|_F^2."""
    J = np.sum(np.square(s.XW - s.Y @ s.F))
    if subspace.counts_rest:  # "explained" also pays for the part of X outside W
        J += size - np.sum(np.square(s.XW))
    return seminonnegative.zero_if_rounding(float(J), size)


def with_best_rows(s: State, mixed: bool) -> State:
    """Replace the memberships by the optimal ones for subspace and centers."""
    return s._replace(Y=seminonnegative.best_rows(s.XW @ s.F.T, s.F @ s.F.T, mixed, s.Y).Y)


def exact_sweep(X: Table, Y: Matrix, subspace: Subspace, mixed: bool) -> State:
    """Compute optimal subspace and centers for Y, then optimal memberships for them."""
    return with_best_rows(with_best_subspace(X, Y, subspace), mixed)


def exact_sweeps(X: Table, s: State, subspace: Subspace, mixed: bool, size: float) -> State:
    """Do two exact sweeps, and a third from an extrapolated point if that is lower."""
    return seminonnegative.extrapolated(
        s,
        lambda Y: exact_sweep(X, Y, subspace, mixed),
        lambda state: objective(size, state, subspace),
    )


def sweep(X: Table, s: State, subspace: Subspace) -> State:
    """Multiplicative update of the memberships, then optimal subspace and centers."""
    Y = seminonnegative.step(s.Y, s.XW @ s.F.T, s.F @ s.F.T)  # (14)
    return with_best_subspace(X, Y, subspace)


@accept_old_names(parameters={"start": "init"}, unstated=factorization.PUBLISHED)
@parameterized
class ASI(Clusterer):
    """Adaptive subspace iteration: soft k-means in a subspace that follows the clusters.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    subspace : "explained" or "published", how W is found
    n_components : int >= 1, l; at most d are used, and k by "explained"; None: k
    init : "kmeans" labels, or "random" memberships in [0, 1)
    mixed : a row may belong to several clusters, as published, instead of to one; always so with
        multiplicative updates
    update : "exact" rows by non-negative least squares, or "multiplicative" as printed
    n_init : int >= 1, starts; the run with the lowest J is kept
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    memberships_ : (n, k), Y, not negative
    components_ : (d, l), W, orthonormal columns
    labels_ : (n,), the column of the largest membership, as `predict` gives it to these rows
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    n_iter_, converged_ : sweeps of the run that was kept, and True if J no longer fell

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 3.0]])
    >>> model = ASI(random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 1, 1])
    >>> abs(model.components_).round(2)
    array([[0.1, 1. ],
           [1. , 0.1]])
    >>> model.predict([[0.0, 7.0]])
    array([1])
    """

    keeps = kept_rows.MEMBERSHIPS
    of_rows = ("memberships_",)

    n_clusters: int = 2
    subspace: str = "explained"
    n_components: int | None = None
    init: str = "kmeans"
    mixed: bool = False
    update: str = "exact"
    n_init: int = 10
    max_iter: int = 300
    tol: float = 1e-6
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d), n >= k; InputError if X or a parameter cannot be used."""
        X, k = self._open(X, self.n_clusters)
        l = k if self.n_components is None else self.n_components
        l = min(checks.at_least("n_components", l, 1), X.shape[1])
        name = checks.choice("subspace", self.subspace, ["explained", "published"])
        init = checks.choice("init", self.init, seminonnegative.PLAIN_INITS)
        exact = checks.choice("update", self.update, factorization.UPDATES) == "exact"
        offset = 0.0 if exact else factorization.OFFSET
        size = float(distances.squared_norms(X).sum())
        subspace = SUBSPACES[name](X, l)

        def start(seed: int) -> State:
            Y = seminonnegative.initial_memberships(X, k, seed, init, offset)
            s = with_best_subspace(X, Y, subspace)
            return with_best_rows(s, self.mixed) if exact else s

        def following(s: State) -> State:
            if exact:
                return exact_sweeps(X, s, subspace, self.mixed, size)
            return sweep(X, s, subspace)

        run = Settings.of(self).best(
            start=start,
            sweep=following,
            objective=lambda s: objective(size, s, subspace),
            scale=size,
            what="adaptive subspace iteration",
        )
        self.memberships_, self._F, self.components_, _ = run.state
        if exact:
            self.memberships_, self.labels_ = self._best_rows(X)
        else:
            self.labels_ = factorization.labels_of(self.memberships_)
        return self._record(run)

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d) by the largest of their optimal memberships."""
        return self._best_rows(self._new_rows(X)).labels

    def _best_rows(self, X: Table) -> seminonnegative.RowMemberships:
        A = operators.times(X, self.components_) @ self._F.T
        mixed = self.mixed or self.update != "exact"
        return seminonnegative.best_rows(A, self._F @ self._F.T, mixed)
