"""MV-Co-VH: fuzzy k-means of several views and a hidden view from NMF of all of them.

First the hidden view: non-negative H and W_v with X_v ~ H W_v, rows of W = [W_1, W_2, ...] of unit
length. Then over memberships U, rows on the simplex, centers and weights w on the simplex, minimize

    J = sum_ic u_ic^m D[i,c] + eta sum_v w_v log w_v                                (1)
    D[i,c] = beta |H[i] - h[c]|^2 + (1-beta) sum_v w_v |X_v[i] - z_v[c]|^2

by exact block updates, so that J never rises:

    h[c], z_v[c] = means with the weights u_ic^m
    u_ic         = D[i,c]^(-1/(m-1)) / sum_l D[i,l]^(-1/(m-1))                     (2)
    w_v          = softmax_v( -(1-beta) E_v / eta ),  E_v = sum_ic u_ic^m |X_v[i] - z_v[c]|^2   (3)

A new row gets the h >= 0 that is best for W, and the cluster with the smallest D.

Symbols     X_v (n, d_v) in [0, 1], H (n, q), W_v (q, d_v), U (n, k), h (k, q), z_v (k, d_v).
Units       none: columns with negative entries are lifted to start at 0, and every view is divided
            by its largest entry.
Limits      beta = 0: fuzzy k-means with entropy weights of the views. beta = 1: fuzzy k-means of H
            alone. eta -> infinity: equal weights. m -> 1: k-means.
Source      a reconstruction. Confirmed by Deng et al., IEEE TKDE 34(2), 2022 (arXiv 1908.04766): a
            hidden view by multi-view NMF, then collaborative fuzzy clustering of it and the views
            with weights. (1) is ours, after its description in Hu, Shen, Huang, Huang (2023).
"""

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.estimators import checks, kept_rows, nonnegative_views
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.views import MultiViewClusterer
from kinfolk.numerics import (
    content_order,
    distances,
    memberships,
    nonnegative,
    operators,
    starts,
    view_centers,
)


class Problem(NamedTuple):
    """The hidden view followed by the visible ones, and the parameters of the objective."""

    tables: list[Table]
    m: float
    beta: float
    eta: float


class State(NamedTuple):
    """Memberships (n, k), centers per view, weights (V,) of the visible views, objective."""

    U: Matrix
    centers: list[Matrix]
    w: Vector
    J: float


def shares(w: Vector, beta: float) -> Vector:
    """Weights (1 + V,) of the hidden and visible views in the distance."""
    return np.concatenate([[beta], (1.0 - beta) * w])


def parts(tables: list[Table], centers: list[Matrix]) -> list[Matrix]:
    """Return the squared distances (n, k) to the centers in each view."""
    every = np.ones(tables[0].shape[0])
    return [view_centers.squared(X, V, every) for X, V in zip(tables, centers, strict=True)]


def costs(found: list[Matrix], w: Vector, beta: float) -> Matrix:
    """Weighted sum (n, k) of the views' squared distances to the centers."""
    weights = shares(w, beta)
    D: Matrix = np.add.reduce([c * part for c, part in zip(weights, found, strict=True)])
    return D


def sweep(p: Problem, U: Matrix, w: Vector) -> State:
    """Update the centers, the memberships, then the weights of the views."""
    every = np.ones(len(U))
    centers = [view_centers.means(X, U**p.m, every) for X in p.tables]
    found = parts(p.tables, centers)
    U = memberships.fuzzy(costs(found, w, p.beta), p.m)  # (2)
    E = np.array([np.sum(U**p.m * part) for part in found])
    w = memberships.entropic((1.0 - p.beta) * E[None, 1:], p.eta)[0]  # (3)
    J = float(shares(w, p.beta) @ E) + p.eta * memberships.negentropy(w[None])
    return State(U, centers, w, J)


def components(X: Table, q: int, seed: int) -> Matrix:
    """Components (q, d) of an NMF of X (n, d) >= 0, scaled to unit length (or 0).

    >>> components(np.array([[3.0, 0.0], [0.0, 2.0], [6.0, 0.0]]), 2, 0).round(2)
    array([[1., 0.],
           [0., 1.]])
    """
    if operators.entries(X).max(initial=0.0) <= 0:
        return np.zeros((q, X.shape[1]))
    with warnings.catch_warnings():
        # The clusters of the second stage need no NMF to the last digit.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found: Matrix = NMF(q, init="nndsvda", random_state=seed).fit(X).components_
    return distances.unit_rows(found)


def coordinates(X: Table, W: Matrix) -> Matrix:
    """Non-negative least-squares coefficients H (n, q) of X (n, d) in components W (q, d).

    >>> coordinates(np.array([[3.0, -1.0]]), np.eye(2))
    array([[3., 0.]])
    """
    return nonnegative.least_squares(W @ W.T, operators.times(X, W.T))


@parameterized
class MVCoVH(MultiViewClusterer):
    """Fuzzy clustering of several visible views and a hidden one together.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    views : mapping view -> columns of X (slice, positions or names); None: one view
    n_hidden : int >= 1, q, columns of the hidden view; None: n_clusters
    hidden_share : float in [0, 1], beta, weight of the hidden view against the visible ones
    fuzzifier : float > 1, m; towards 1 memberships are hard
    view_temperature : float > 0, eta; the larger, the more equal the weights of the views. None:
        the mean scatter of a view
    n_init : int >= 1, starts; the run with the lowest J is kept
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the cluster with the largest membership
    view_names_ : (V,)
    view_weights_ : (V,), w
    memberships_ : (n, k), U, rows sum to 1
    hidden_ : (n, q), H
    components_ : list of V arrays (q, d_v), W_v
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    n_iter_, converged_ : sweeps of the run that was kept, and True if J no longer fell

    Raises
    ------
    InputError : a parameter is out of range, or X is no finite table of at least k rows

    Examples
    --------
    >>> from kinfolk.tables import join
    >>> X, views = join({"a": [[5.0, 0], [4.0, 1], [0.0, 3]], "b": [[1.0, 0], [2.0, 0], [0.0, 3]]})
    >>> model = MVCoVH(n_clusters=2, views=views, random_state=0).fit(X)
    >>> model.labels_, model.predict([[0.0, 2.0, 0.0, 4.0]])
    (array([0, 0, 1]), array([1]))
    """

    from_zero = True  # views are products of factors
    keeps = kept_rows.MEMBERSHIPS
    of_rows = ("memberships_", "hidden_")

    n_clusters: int = 2
    views: Mapping[Any, Any] | None = None
    n_hidden: int | None = None
    hidden_share: float = 0.5
    fuzzifier: float = 1.25
    view_temperature: float | None = None
    n_init: int = 4
    max_iter: int = 300
    tol: float = 1e-6
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d)."""
        rows, k = self._open_rows(X)
        q = k if self.n_hidden is None else checks.at_least("n_hidden", self.n_hidden, 1)
        settings = Settings.of(self)
        self._least = nonnegative_views.lowest(rows.tables)
        lifted = nonnegative_views.lifted(rows.tables, self._least, rows.there)
        self._sizes: Vector = operators.scales(lifted)
        tables = [T / size for T, size in zip(lifted, self._sizes, strict=True)]
        parameters = self._checked(tables)
        joined = operators.hstack(tables)
        order = content_order.columns(joined)
        W = np.empty((min(q, *joined.shape), joined.shape[1]))
        W[:, order] = components(joined[:, order], len(W), settings.seeds[0])
        ends = np.cumsum([T.shape[1] for T in tables])[:-1]
        self.components_ = np.split(W, ends, axis=1)
        p = Problem(self._with_hidden(tables), *parameters)
        joined = operators.hstack([p.tables[0], joined])
        V = len(tables)

        def start(seed: int) -> State:
            U = memberships.indicator(starts.kmeans(joined, k, seed), k)
            return sweep(p, U, np.full(V, 1.0 / V))

        run = settings.best(
            start=start,
            sweep=lambda s: sweep(p, s.U, s.w),
            objective=lambda s: s.J,
            scale=p.eta,
            what="hidden and visible clustering",
        )
        self.view_weights_ = run.state.w
        self._centers = run.state.centers
        self.hidden_ = operators.dense(p.tables[0])
        D = self._costs(p.tables)
        self.memberships_ = memberships.fuzzy(D, p.m)
        self.labels_ = D.argmin(axis=1)
        return self._record(run)

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d) with the columns of all views."""
        return self._costs(self._seen(X)).argmin(axis=1)

    def predict_memberships(self, X: MatrixLike) -> Matrix:
        """Return the fuzzy memberships (m, k) of new rows X (m, d)."""
        return memberships.fuzzy(self._costs(self._seen(X)), float(self.fuzzifier))

    def _seen(self, X: MatrixLike) -> list[Table]:
        """Return the hidden and visible views of new rows."""
        rows = self._observed_rows(X)
        lifted = nonnegative_views.lifted(rows.tables, self._least, rows.there)
        return self._with_hidden([T / size for T, size in zip(lifted, self._sizes, strict=True)])

    def _with_hidden(self, tables: list[Table]) -> list[Table]:
        W = np.hstack(self.components_)
        return [coordinates(operators.hstack(tables), W), *tables]

    def _costs(self, tables: list[Table]) -> Matrix:
        """Weighted squared distances (n, k) of rows to the centers, over all views."""
        return costs(parts(tables, self._centers), self.view_weights_, float(self.hidden_share))

    def _checked(self, tables: list[Table]) -> tuple[float, float, float]:
        """Return fuzzifier, hidden share and temperature; InputError if out of range."""
        scatters = view_centers.scatters(tables, np.ones((tables[0].shape[0], len(tables))))
        eta = float(scatters.mean()) or 1.0
        if self.view_temperature is not None:
            eta = checks.above("view_temperature", self.view_temperature, 0)
        return (
            checks.above("fuzzifier", self.fuzzifier, 1),
            checks.share("hidden_share", self.hidden_share),
            eta,
        )
