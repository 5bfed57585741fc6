"""MultiNMF: non-negative factorizations of several views whose coefficients agree.

Over Y_v, H_v, C >= 0, minimize

    J = sum_v ( |X_v - Y_v H_v|^2 + lambda sum_i o_iv |Y_v[i] Q_v - C[i]|^2 ),
    Q_v = diag(row sums of H_v)                                                    (1)

by block updates, none of which raises J. With update="exact" each is a minimum: rows h of H_v and
columns of Y_v in turn, then C; after them H_v and C move together, by L-BFGS-B
(`numerics/agreeing_descent.py`),

    h    = argmin_{h >= 0} a |h|^2 + lambda a s^2 - 2 (g + lambda b 1)'h,  s = sum of h    (2)
    Y_v  : columns of argmin_{Y >= 0} |X_v - Y H_v|^2 + lambda |Y - C|^2, after H_v/Q_v, Y_v Q_v (3)
    C[i] = sum_v o_iv Y_v[i] / sum_v o_iv                                                  (4)

where y is the column of Y_v to h, a = |y|^2, b = y'c, g = y'(X_v - Y_v H_v + y h'). With
update="multiplicative" `inner_iter` steps of each view as they are printed:

    H_v <- H_v o (Y'X + lambda diag(Y'C)) / (Y'YH + lambda s |y|^2),   then H/Q, Y Q       (5)
    Y_v <- Y_v o (XH' + lambda C) / (YHH' + lambda Y)                                      (6)

A row's label is by k-means of the C that minimizes its own part of J together with its Y_v.

Symbols     X_v (n, d_v) >= 0, its entries divided by their sum; Y_v, C (n, k), H_v (k, d_v);
            o (n, V) is 1 where row i has view v. The source has samples in columns, V for Y, U'
            for H.
Units       none: X_v is divided by the sum of its entries.
Exact       (2) is one sorting of (g + lambda b)/a: h_j = max(t_j - lambda s, 0).
Limits      lambda = 0, or one view: NMF of each view. lambda -> infinity: one Y for all views.
Source      Liu, Wang, Gao, Han, SDM 2013, 252-260; constants of the authors' code.
Departures  U and V are rescaled before V moves: in the order of the released code J may rise.
            Columns with negative entries are lifted to start at 0. Missing views (o) are ours.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.estimators import checks, factorization, kept_rows, nonnegative_views
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.observed import ObservedRows
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.views import MultiViewClusterer
from kinfolk.numerics import (
    agreeing_descent,
    agreeing_factors,
    content_order,
    distances,
    memberships,
    operators,
    starts,
    view_centers,
)
from kinfolk.numerics.agreeing_factors import State


class Scaled(NamedTuple):
    """Non-negative scaled tables of the views, and the mask (n, V) of views that rows have."""

    tables: list[Table]
    there: Matrix


def start(views: Scaled, first: Table, k: int, seed: int) -> State:
    """First state: k-means memberships plus 0.2, and the cluster means as components."""
    U = memberships.indicator(starts.kmeans(first, k, seed), k, factorization.OFFSET)
    H = []
    for X, o in zip(views.tables, views.there.T, strict=True):
        means = view_centers.means(X, U, o)
        sums = means.sum(axis=1, keepdims=True)
        H.append(np.divide(means, sums, out=np.full_like(means, 1.0 / X.shape[1]), where=sums > 0))
    sizes = sum(operators.times(X, np.ones(X.shape[1])) for X in views.tables)
    C = U * (sizes / views.there.sum(axis=1) / U.sum(axis=1))[:, None]
    return State([C * o[:, None] for o in views.there.T], H, C)


@parameterized
class MultiNMF(MultiViewClusterer):
    """Joint non-negative matrix factorization of several views.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters and of columns of the factors
    views : mapping view -> columns of X (slice, positions or names); None: one view. A row lacks a
        view if all its columns are NaN
    agreement : float >= 0, lambda, weight of the agreement of the views (paper: .01)
    update : "exact" steps, or "multiplicative" ones as printed
    inner_iter : int >= 1, multiplicative steps of each view in a sweep (paper: 200)
    n_init : int >= 1, starts; the run with the lowest J is kept
    max_iter : int >= 1, the most sweeps (paper: 30)
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), k-means of the rows of C
    view_names_ : (V,)
    view_weights_ : (V,), all 1/V
    memberships_ : (n, k), C, times the number of rows
    components_ : list of V arrays (k, d_v), H_v, whose rows sum to 1
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    n_iter_, converged_ : sweeps of the run that was kept, and True if J no longer fell

    Raises
    ------
    InputError : a parameter is out of range; X is no finite table of at least k rows, but for views
        that are NaN as a whole

    Examples
    --------
    >>> from kinfolk.tables import join
    >>> X, views = join({"a": [[5.0, 0], [4.0, 1], [0.0, 3]], "b": [[1.0, 0], [2.0, 0], [0.0, 3]]})
    >>> model = MultiNMF(n_clusters=2, views=views, random_state=0).fit(X)
    >>> model.labels_, model.predict([[0.0, 2.0, np.nan, np.nan]])
    (array([0, 0, 1]), array([1]))
    >>> model.components_[0].round(2)
    array([[1., 0.],
           [0., 1.]])
    """

    takes_missing_views = True
    from_zero = True  # views are products of factors
    keeps = kept_rows.MEMBERSHIPS
    of_rows = ("memberships_",)

    n_clusters: int = 2
    views: Mapping[Any, Any] | None = None
    agreement: float = 0.01
    update: str = "exact"
    inner_iter: int = 200
    n_init: int = 4
    max_iter: int = 300
    tol: float = 1e-9
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d); a row may lack views, each NaN in all its columns there."""
        rows, k = self._open_rows(X)
        lam = checks.not_negative("agreement", self.agreement)
        inner = checks.at_least("inner_iter", self.inner_iter, 1)
        exact = checks.choice("update", self.update, factorization.UPDATES) == "exact"
        self._least = nonnegative_views.lowest(rows.tables)
        lifted = nonnegative_views.lifted(rows.tables, self._least, rows.there)
        sums = np.array([float(T.sum()) for T in lifted])
        self._sums: Vector = np.where(sums > 0, sums, 1.0)
        views = self._scaled(rows)
        first = content_order.sorted_columns(view_centers.completed(views.tables, views.there))
        # Entries of C are about as large as 1/n; `memberships_` are n times them.
        n = rows.X.shape[0]

        def sweep(s: State) -> State:
            if exact:
                s = agreeing_factors.exact_sweep(views.tables, views.there, s, lam)
                return agreeing_descent.descend(views.tables, views.there, s, lam)
            return agreeing_factors.multiplicative_sweep(views.tables, views.there, s, lam, inner)

        settings = Settings.of(self)
        run = settings.best(
            start=lambda seed: start(views, first, k, seed),
            sweep=sweep,
            objective=lambda s: agreeing_factors.objective(views.tables, views.there, s, lam),
            scale=sum(float(distances.squared_norms(T).sum()) for T in views.tables),
            what="joint non-negative factorization",
        )
        self.view_weights_ = np.full(len(views.tables), 1.0 / len(views.tables))
        self.components_ = run.state.H
        self.memberships_ = n * self._consensus(views)
        self._centers = starts.centers(self.memberships_, k, settings.seeds[0], 10) / n
        self.labels_ = distances.squared(self.memberships_ / n, self._centers).argmin(axis=1)
        return self._record(run)

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d) by the views that they have."""
        C = self._consensus(self._scaled(self._observed_rows(X)))
        return distances.squared(C, self._centers).argmin(axis=1)

    def _scaled(self, rows: ObservedRows) -> Scaled:
        """Shift each view by its column minima, and divide it by its sum, both of the fit."""
        lifted = nonnegative_views.lifted(rows.tables, self._least, rows.there)
        tables = [T / size for T, size in zip(lifted, self._sums, strict=True)]
        return Scaled(tables, rows.there)

    def _consensus(self, views: Scaled) -> Matrix:
        """Optimal consensus memberships (n, k) of rows, for the fitted components."""
        lam = float(self.agreement)
        return agreeing_factors.best_consensus(views.tables, views.there, self.components_, lam)
