"""Symmetric non-negative factorisation (SymNMF): clusters as blocks of a similarity matrix.

For a symmetric similarity M between rows and non-negative Y, minimise

    J(Y) = |M - Y Y'|_F^2                                                         (21)

from k-means labels as 0/1 rows plus 0.2. Exact steps solve the problem of each row m of M,

    y = argmin |m - Y y|^2   over y >= 0,                                          (R)

and go from Y towards these rows as far as J falls most (`symmetric_factorization`). The label of a
row, of the fit or new, is the largest entry of its y of (R). The multiplicative step is

    Y <- Y o sqrt( (M Y) / (Y Y'Y) ).                                             (25)

Symbols     M (n, n), Y (n, k), Z unit rows of X (n, d), h bandwidth.
Units       cosines and kernels have none; h is in units of X.
Exact       for cosines M = Z Z' and M Y = Z (Z'Y): M is never formed, and
            J = |Z'Z|_F^2 - 2 tr(Y'MY) + |Y'Y|_F^2.
Limits      M with blocks of ones is factored exactly, J = 0.
Source      Zhang, Zhang, Liu (2019), equations (21)-(25), after Kuang, Ding, Park (2012).
Departures  exact steps end where (25) does, in fewer sweeps; `update="multiplicative"` is (25),
            with the largest entry of Y as label. Where M has negative entries (25) would take roots
            of negative numbers: it is then the step of `symmetric_factorization` for M = P - N.
Beyond      new rows: (R), with the similarities m to the n rows. It is the condition (24) on a row
            of Y while all others stay.
"""

from typing import Any, Self

import numpy as np

from kinfolk.arrays import Labels, MatrixLike, Seed, Table
from kinfolk.errors import InputError
from kinfolk.estimators import checks, factorization
from kinfolk.estimators.base import Clusterer
from kinfolk.estimators.descent import Settings
from kinfolk.numerics import associations, distances, operators, similarities, starts
from kinfolk.numerics.features import Features

ASYMMETRY = 1e-8
"""Differences of M and M' up to this share of its entries are rounding of the user's program."""


class SymNMF(Clusterer):
    """Symmetric non-negative matrix factorisation of a similarity between rows.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    affinity : "cosine", "gaussian" or "precomputed" (X is then the symmetric matrix M)
    bandwidth : float > 0, h of the Gaussian kernel in units of X; None: the median distance
    update : "exact" rows by non-negative least squares, or "multiplicative" as printed
    n_init : int >= 1, k-means starts; the run with the lowest J is kept
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    memberships_ : (n, k), Y, not negative
    labels_ : (n,), the column of the largest membership, which `predict` gives too
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 3.0]])
    >>> model = SymNMF(n_clusters=2, random_state=0).fit(X)
    >>> model.labels_, model.predict([[0.0, 7.0]])
    (array([0, 0, 1, 1]), array([1]))
    >>> model.memberships_[[0, 2]].round(2) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """

    def __init__(
        self,
        n_clusters: int = 2,
        affinity: str = "cosine",
        bandwidth: float | None = None,
        update: str = "exact",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.bandwidth = bandwidth
        self.update = update
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed"
        return tags

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d), or of the similarity X (n, n); InputError if unusable."""
        X, k = self._open(X, self.n_clusters)
        random = checks.random(self.random_state)
        M, Z = self._similarity(X, random)
        settings = Settings.of(self, random)
        run = factorization.symmetric(
            M,
            [starts.kmeans(Z, k, seed) for seed in settings.seeds],
            k,
            update=checks.choice("update", self.update, factorization.UPDATES),
            max_iter=settings.max_iter,
            tol=settings.tol,
        )
        self._factor = run.state.Y
        self.memberships_, self.labels_ = factorization.symmetric_memberships(run.state)
        # New rows need only Z'Y (d, k) for cosines, else the similarities to all rows.
        self._profiles = operators.crossed(Z, self._factor) if self.affinity == "cosine" else None
        self._rows = Z if self.affinity == "gaussian" else None
        return self._record(run)

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d), or their similarities X (m, n) to the rows of the fit."""
        X = self._new_rows(X)
        # Models that were saved by earlier versions have no factor of its own.
        Y = getattr(self, "_factor", self.memberships_)
        if self._profiles is not None:
            B = operators.times(distances.unit_rows(X), self._profiles)
        elif self._rows is not None:
            kernel = associations.Gaussian(self.bandwidth_)
            B = kernel.tile(Features([X]), Features([self._rows])) @ Y
        else:
            B = operators.times(X, Y)
        return factorization.row_memberships(Y.T @ Y, B).labels  # (R)

    def _similarity(
        self, X: Table, random: np.random.RandomState
    ) -> tuple[operators.Symmetric, Table]:
        """Return M as an operator, and the table whose rows k-means clusters for a start."""
        affinity = checks.choice("affinity", self.affinity, ["cosine", "gaussian", "precomputed"])
        if affinity == "cosine":
            Z = distances.unit_rows(X)
            return operators.gram([Z]), Z
        if affinity == "gaussian":
            rows = Features([X])
            self.bandwidth_ = (
                associations.median_distance([rows], random)
                if self.bandwidth is None
                else checks.above("bandwidth", self.bandwidth, 0)
            )
            return operators.Explicit(associations.Gaussian(self.bandwidth_).tile(rows, rows)), X
        if X.shape[0] != X.shape[1] or similarities.asymmetry(X) > ASYMMETRY:
            raise InputError(
                f"affinity is 'precomputed' and X has shape {X.shape}; give a symmetric (n, n) "
                "similarity, or choose affinity='cosine' to start from a table of features."
            )
        return operators.Explicit(X), X
