"""CoFKM: fuzzy k-means of several views with a penalty on their disagreement.

Over memberships U^v of each view, rows on the simplex, and centers a_v, minimize

    J    = sum_v sum_ic u~^v_ic D_v[i,c],     D_v[i,c] = o_iv |X_v[i] - a_v[c]|^2       (1)
    u~^v = (1-eta) (u^v)^m + eta/(V-1) sum_{w != v} (u^w)^m                          (2)

by exact block updates, so that J never rises: with the terms of each u^v together,

    J       = sum_v sum_ic (u^v_ic)^m E_v[i,c]                                       (3)
    E_v     = (1-eta) D_v + eta/(V-1) sum_{w != v} D_w
    a_v[c]  = sum_i o_iv u~^v_ic X_v[i] / sum_i o_iv u~^v_ic
    u^v_ic  = E_v[i,c]^(-1/(m-1)) / sum_l E_v[i,l]^(-1/(m-1))                        (4)

The label of a row is the largest geometric mean of its memberships in the views that it has.

Symbols     X_v (n, d_v), U^v (n, k), a_v (k, d_v), V views; o (n, V) is 1 where row i has view v.
            The source has samples k, clusters i and views r.
Units       J is in squared units of X: views in larger units weigh more.
Limits      eta = 0: fuzzy k-means of each view from one start. eta = (V-1)/V: one membership for
            all views, fuzzy k-means of the joined views. One view: fuzzy k-means. m -> 1: k-means.
Source      Cleuziou, Exbrayat, Martin, Sublemontier, ICDM 2009, 752-757; (1) and (2) as restated by
            Yang, Sinaga, Pattern Recognition 119, 2021, equation (3).
Departures  (3) is (1) with its sums in another order. A row on centers (E = 0) shares its
            membership among them. Missing views (o) are ours.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed
from kinfolk.errors import InputError
from kinfolk.estimators import checks, kept_rows
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.observed import ObservedRows
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.views import MultiViewClusterer
from kinfolk.numerics import memberships, starts, view_centers


class State(NamedTuple):
    """Memberships (n, k) and centers (k, d_v) of each view, and the objective."""

    U: list[Matrix]
    A: list[Matrix]
    J: float


def mixed(parts: list[Matrix], eta: float) -> list[Matrix]:
    """Mix each view's P_v (n, k) with the other views' mean: weight 1 - eta and eta.

    >>> mixed([np.array([[8.0]]), np.array([[0.0]])], 0.25)
    [array([[6.]]), array([[2.]])]
    """
    if len(parts) == 1:
        return parts
    share = eta / (len(parts) - 1)
    whole = np.add.reduce(parts)
    return [(1.0 - eta - share) * P + share * whole for P in parts]


def centers(rows: ObservedRows, U: list[Matrix], m: float, eta: float) -> list[Matrix]:
    """Return the centers (k, d_v) of all views, given the memberships."""
    powers = mixed([Uv**m for Uv in U], eta)  # (2)
    views = zip(rows.tables, powers, rows.there.T, strict=True)
    return [view_centers.means(X, P, o) for X, P, o in views]


def costs(rows: ObservedRows, A: list[Matrix], eta: float) -> list[Matrix]:
    """Return the mixed squared distances (n, k) that decide each view's memberships."""
    views = zip(rows.tables, A, rows.there.T, strict=True)
    return mixed([view_centers.squared(X, Av, o) for X, Av, o in views], eta)


def sweep(rows: ObservedRows, U: list[Matrix], m: float, eta: float) -> State:
    """Update the centers, then the memberships of all views."""
    A = centers(rows, U, m, eta)
    E = costs(rows, A, eta)
    U = [memberships.fuzzy(Ev, m) for Ev in E]  # (4)
    J = sum(float(np.sum(Uv**m * Ev)) for Uv, Ev in zip(U, E, strict=True))  # (3)
    return State(U, A, J)


def mean_logs(E: list[Matrix], there: Matrix) -> Matrix:
    """Mean (n, k) of the logarithms of the views' distances, over the views that a row has.

    It is lowest where the geometric mean of the memberships is largest, whatever m.

    >>> mean_logs([np.array([[1.0, 2.0]]), np.array([[9.0, 1.0]])], np.ones((1, 2))).round(2)
    array([[1.1 , 0.35]])
    """
    logs = [
        o[:, None] * np.log(np.maximum(Ev, memberships.SMALLEST))
        for Ev, o in zip(E, there.T, strict=True)
    ]
    means: Matrix = np.add.reduce(logs) / there.sum(axis=1)[:, None]
    return means


@parameterized
class CoFKM(MultiViewClusterer):
    """Collaborative fuzzy k-means of several views.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    views : mapping view -> columns of X (slice, positions or names); None: one view. A row lacks a
        view if all its columns are NaN
    fuzzifier : float > 1, m; towards 1 memberships are hard
    collaboration : float from 0 to (V-1)/V, eta, the weight of the memberships in other views;
        None: half of the most
    n_init : int >= 1, starts; the run with the lowest J is kept
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the largest geometric mean of the memberships of a row in the views it has
    view_names_ : (V,)
    view_weights_ : (V,), all 1/V
    memberships_ : (n, k), geometric means over views, scaled to sum to 1 in each row
    cluster_centers_ : (k, d), a_v by columns of X, units of X; of a column in several views those
        of the last
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    n_iter_, converged_ : sweeps of the run that was kept, and True if J no longer fell

    Raises
    ------
    InputError : a parameter is out of range; X is no finite table of at least k rows, but for views
        that are NaN as a whole

    Examples
    --------
    >>> from kinfolk.tables import join
    >>> X, views = join({"a": [[0.0], [0.1], [5.0], [9.9]], "b": [[1.0], [1.2], [-4.0], [-4.1]]})
    >>> X[3, 0] = np.nan  # the fourth row has no view "a"
    >>> model = CoFKM(n_clusters=2, views=views, fuzzifier=2.0, random_state=0).fit(X)
    >>> model.labels_, model.predict([[4.0, np.nan]])
    (array([0, 0, 1, 1]), array([1]))
    >>> model.memberships_.round(2)
    array([[1., 0.],
           [1., 0.],
           [0., 1.],
           [0., 1.]])
    """

    takes_missing_views = True
    keeps = kept_rows.MEMBERSHIPS
    of_rows = ("memberships_",)

    n_clusters: int = 2
    views: Mapping[Any, Any] | None = None
    fuzzifier: float = 1.25
    collaboration: float | None = None
    n_init: int = 4
    max_iter: int = 300
    tol: float = 1e-6
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d); a row may lack views, each NaN in all its columns there."""
        rows, k = self._open_rows(X)
        m = checks.above("fuzzifier", self.fuzzifier, 1)
        eta = self._eta()
        first = view_centers.completed(rows.tables, rows.there)

        def start(seed: int) -> State:
            U = memberships.indicator(starts.kmeans(first, k, seed), k)
            return sweep(rows, [U] * len(rows.tables), m, eta)

        run = Settings.of(self).best(
            start=start,
            sweep=lambda s: sweep(rows, s.U, m, eta),
            objective=lambda s: s.J,
            scale=float(view_centers.scatters(rows.tables, rows.there).sum()),
            what="collaborative fuzzy k-means",
        )
        self.view_weights_ = np.full(len(rows.tables), 1.0 / len(rows.tables))
        self.cluster_centers_ = np.empty((k, rows.X.shape[1]), dtype=rows.X.dtype)
        self._centers = [A.astype(rows.X.dtype, copy=False) for A in run.state.A]
        for columns, A in zip(self._columns, self._centers, strict=True):
            self.cluster_centers_[:, columns] = A
        E = self._mean_logs(rows)
        self.labels_ = E.argmin(axis=1)
        self.memberships_ = memberships.entropic(E, m - 1.0)
        return self._record(run)

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d) by the views that they have."""
        return self._mean_logs(self._observed_rows(X)).argmin(axis=1)

    def predict_memberships(self, X: MatrixLike) -> Matrix:
        """Return geometric means (m, k) of the memberships of new rows X (m, d) over views."""
        logs = self._mean_logs(self._observed_rows(X))
        return memberships.entropic(logs, float(self.fuzzifier) - 1.0)

    def _mean_logs(self, rows: ObservedRows) -> Matrix:
        # A column of several views has centers in each; models of older versions have one alone.
        alone = [self.cluster_centers_[:, columns] for columns in self._columns]
        A = vars(self).get("_centers", alone)
        return mean_logs(costs(rows, A, self._eta()), rows.there)

    def _eta(self) -> float:
        """Return the parameter `collaboration`, checked, or half of its maximum."""
        most = 1.0 - 1.0 / len(self._columns)
        if self.collaboration is None:
            return most / 2
        eta = checks.share("collaboration", self.collaboration)
        if len(self._columns) > 1 and eta > most:
            raise InputError(
                f"collaboration is {eta:g}; with {len(self._columns)} views give at most "
                f"{most:g}, where all views have one membership."
            )
        return min(eta, most)
