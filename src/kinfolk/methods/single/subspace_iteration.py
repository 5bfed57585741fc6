"""Adaptive subspace iteration (ASI): soft k-means in a subspace that is fitted to the clusters.

Over memberships Y >= 0, centres F and directions W with W'W = I, minimise

    J(Y, F, W) = |X W - Y F|_F^2                                       (4) with lambda = 0

by F = Y^+ X W (6), the step (14) of `seminonnegative` with A = X W F' and B = F F', and W, by
the name of the subspace (`numerics/subspaces`): "explained" or "published" (16).

Symbols     X (n, d), Y (n, k), F (k, l), W (d, l); the source has samples in columns.
Units       J in squared units of X.
Limits      "explained" with l >= k is soft k-means. It is LSSMTC with lambda = 0.
Source      Li, Ma, Ogihara (2004), in the form of Gu, Zhou (2009), equations (4)-(16).
Departures  the original assigns rows to one cluster each; here memberships are soft, as in the
            special case of Gu, Zhou. "published" sees nothing of X where d - rank(X) >= l;
            "explained" adds what W leaves out, |X|^2 - |X W|^2, to J. k - 1 directions suffice only
            for centred rows, so that l = k here unless given.
Beyond      a new row gets the y >= 0 that minimises |x W - y F|^2.
"""

from typing import NamedTuple, Self

import numpy as np

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table
from kinfolk.estimators import checks, factorization
from kinfolk.estimators.base import Clusterer
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.renamed import accept_old_names
from kinfolk.numerics import distances, operators, seminonnegative
from kinfolk.numerics.subspaces import SUBSPACES, Subspace


class State(NamedTuple):
    """State of the descent: Y (n, k), F (k, l), W (d, l) and the product X W (n, l)."""

    Y: Matrix
    F: Matrix
    W: Matrix
    XW: Matrix


def with_best_subspace(X: Table, Y: Matrix, subspace: Subspace) -> State:
    """Complete memberships Y (n, k) by the directions of (16) and the centres of (6)."""
    O, C = seminonnegative.orthonormal_basis(Y)
    W = subspace(operators.crossed(X, O))  # (16)
    XW = operators.times(X, W)
    F = C @ (O.T @ XW)  # (6)
    return State(Y, F, W, XW)


def objective(size: float, s: State, subspace: Subspace) -> float:
    """Return J of equation (4) with lambda = 0; size is |X|_F^2."""
    J = np.sum(np.square(s.XW - s.Y @ s.F))
    if subspace.counts_rest:  # "explained" also pays for the part of X outside W
        J += size - np.sum(np.square(s.XW))
    return seminonnegative.zero_if_rounding(float(J), size)


def sweep(X: Table, s: State, subspace: Subspace) -> State:
    """Update the memberships by equation (14), then directions and centres by (16) and (6)."""
    Y = seminonnegative.step(s.Y, s.XW @ s.F.T, s.F @ s.F.T)  # (14)
    return with_best_subspace(X, Y, subspace)


@accept_old_names(parameters={"start": "init"})
class ASI(Clusterer):
    """Adaptive subspace iteration: soft k-means in directions that follow the clusters.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    subspace : "explained" or "published", how W is found
    n_components : int >= 1, l; at most d are used, and k by "explained"; None: k
    init : "random" memberships in [0, 1), or "kmeans" labels as 0/1 rows plus 0.2
    n_init : int >= 1, starts; the run with the lowest J is kept
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    memberships_ : (n, k), Y, not negative
    components_ : (d, l), W, orthonormal columns
    labels_ : (n,), the column of the largest membership
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 3.0]])
    >>> model = ASI(random_state=0).fit(X)
    >>> model.labels_
    array([1, 1, 0, 0])
    >>> model.components_.round(2)
    array([[ 0.1,  1. ],
           [ 1. , -0.1]])
    >>> model.predict([[0.0, 7.0]])
    array([0])
    """

    def __init__(
        self,
        n_clusters: int = 2,
        subspace: str = "explained",
        n_components: int | None = None,
        init: str = "random",
        n_init: int = 10,
        max_iter: int = 20,
        tol: float = 1e-8,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.subspace = subspace
        self.n_components = n_components
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d), n >= k; InputError if X or a parameter cannot be used."""
        X, k = self._open(X, self.n_clusters)
        l = k if self.n_components is None else self.n_components
        l = min(checks.at_least("n_components", l, 1), X.shape[1])
        name = checks.choice("subspace", self.subspace, ["explained", "published"])
        init = checks.choice("init", self.init, seminonnegative.PLAIN_INITS)
        size = float(distances.squared_norms(X).sum())
        subspace = SUBSPACES[name](X, l)

        def start(seed: int) -> State:
            Y = seminonnegative.initial_memberships(X, k, seed, init, factorization.OFFSET)
            return with_best_subspace(X, Y, subspace)

        run = Settings.of(self).best(
            start=start,
            sweep=lambda s: sweep(X, s, subspace),
            objective=lambda s: objective(size, s, subspace),
            scale=size,
            what="adaptive subspace iteration",
        )
        self.memberships_, self._F, self.components_, _ = run.state
        self.labels_ = factorization.labels_of(self.memberships_)
        return self._record(run)

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d) by the largest entry of y >= 0 with the least |xW - yF|^2."""
        X = self._new_rows(X)
        XW = operators.times(X, self.components_)
        return seminonnegative.nonnegative_assignment(XW @ self._F.T, self._F @ self._F.T)
