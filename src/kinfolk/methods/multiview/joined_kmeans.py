"""k-means on all views side by side, ignoring the views that a row lacks.

Over clusters p (n,) and centers z_v (k, d_v) of each view, minimize

    J = sum_v c_v sum_i o_iv |X_v[i] - z_v[p_i]|^2                                 (1)

by exact block updates, so that J never rises:

    z_v[c] = mean of the rows of cluster c that have view v                        (2)
    p_i    = argmin_c sum_v c_v o_iv |X_v[i] - z_v[c]|^2                           (3)

Symbols  X_v (n, d_v); o (n, V) is 1 where row i has view v; c_v is 1, or 1 over the mean squared
         distance of rows from their mean (`balance`), so that every view counts the same.
Units    J is in squared units of X, without `balance`: views in larger units weigh more.
Limits   every view there: Lloyd's k-means of the table, each view times sqrt(c_v). One column per
         view: k-means of the entries that are known (k-POD).
Source   Lloyd, IEEE Trans. Information Theory 28(2), 1982. Missing entries: Chi, Chi, Baraniuk,
         k-POD, American Statistician 70(1), 2016, whose majorisation has (2), (3) as its steps.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from kinfolk.arguments import flag
from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Vector
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.observed import ObservedRows
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.views import MultiViewClusterer
from kinfolk.numerics import memberships, starts, view_centers


class State(NamedTuple):
    """Clusters (n,), the centers (k, d_v) of each view, and the objective."""

    p: Labels
    V: list[Matrix]
    J: float


def costs(rows: ObservedRows, V: list[Matrix], c: Vector) -> Matrix:
    """Cost (n, k) of each row in each cluster: squared distances over the views it has."""
    views = zip(rows.tables, V, rows.there.T, c, strict=True)
    found: Matrix = np.add.reduce([cv * view_centers.squared(X, z, o) for X, z, o, cv in views])
    return found


def sweep(rows: ObservedRows, p: Labels, k: int, c: Vector) -> State:
    """Update the centers, then the clusters."""
    U = memberships.indicator(p, k)
    views = zip(rows.tables, rows.there.T, strict=True)
    V = [view_centers.means(X, U, o) for X, o in views]  # (2)
    cost = costs(rows, V, c)
    p = cost.argmin(axis=1)  # (3)
    return State(p, V, float(cost[np.arange(len(p)), p].sum()))


@parameterized
class JoinedKMeans(MultiViewClusterer):
    """k-means on the columns of all views, where a row may lack views.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    views : mapping view -> columns of X (slice, positions or names); None: one view. A row lacks a
        view if all its columns are NaN
    balance : bool, True divides each view by the root mean square distance of its rows from their
        mean, so that every view counts the same; False takes the columns in their units
    n_init : int >= 1, starts; the run with the lowest J is kept
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the cluster with the nearest centers in the views that a row has
    view_names_ : (V,)
    view_weights_ : (V,), c_v as shares; they sum to 1
    cluster_centers_ : (k, d), z_v by columns of X, units of X
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
    >>> model = JoinedKMeans(n_clusters=2, views=views, random_state=0).fit(X)
    >>> model.labels_, model.predict([[4.0, np.nan]])
    (array([0, 0, 1, 1]), array([1]))
    >>> model.cluster_centers_.round(2)
    array([[ 0.05,  1.1 ],
           [ 5.  , -4.05]])
    """

    takes_missing_views = True

    n_clusters: int = 2
    views: Mapping[Any, Any] | None = None
    balance: bool = False
    n_init: int = 10
    max_iter: int = 300
    tol: float = 0.0
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d); a row may lack views, each NaN in all its columns there."""
        rows, k = self._open_rows(X)
        settings = Settings.of(self)
        scatters = view_centers.scatters(rows.tables, rows.there)
        sizes = scatters / rows.there.sum(axis=0)
        c = np.ones(len(sizes))
        if flag("balance", self.balance):
            c = np.divide(1.0, sizes, out=c, where=sizes > 0)
        tables = [X * np.sqrt(cv) for X, cv in zip(rows.tables, c, strict=True)]
        first = view_centers.completed(tables, rows.there)
        run = settings.best(
            start=lambda seed: sweep(rows, starts.kmeans(first, k, seed), k, c),
            sweep=lambda s: sweep(rows, s.p, k, c),
            objective=lambda s: s.J,
            scale=float(c @ scatters),
            what="k-means of joined views",
        )
        self.view_weights_ = c / c.sum()
        self._weights = c
        self.cluster_centers_ = np.empty((k, rows.X.shape[1]), dtype=rows.X.dtype)
        for columns, V in zip(self._columns, run.state.V, strict=True):
            self.cluster_centers_[:, columns] = V
        self.labels_ = self._assigned(rows)
        return self._record(run)

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d) by the views that they have."""
        return self._assigned(self._observed_rows(X))

    def _assigned(self, rows: ObservedRows) -> Labels:
        V = [self.cluster_centers_[:, columns] for columns in self._columns]
        return costs(rows, V, self._weights).argmin(axis=1)
