"""Maximum-entropy clustering (MEC): k-means with soft memberships at a temperature.

Over memberships U, with rows on the simplex, and centers V, minimize

    J(U, V) = sum_ik U[i,k] |X[i] - V[k]|^2 + gamma sum_ik U[i,k] log U[i,k]      (1)

by exact block updates, so that J never rises:

    V[k]   = sum_i U[i,k] X[i] / sum_i U[i,k]                                     (2)
    U[i,k] = exp(-|X[i] - V[k]|^2 / gamma) / sum_j exp(-|X[i] - V[j]|^2 / gamma)  (3)

Symbols  X (n, d), U (n, k), V (k, d), gamma > 0. The source has samples in columns.
Units    gamma and J are in squared units of X.
Exact    U enters (2) by U'1 and U'X and, being the minimizer (3), J by one number
         (`numerics.entropic`): a sweep is one pass over blocks of rows, and nothing (n, k) is held
         until the memberships are returned. Blocks may be anywhere (`kinfolk.blocks`): centers
         (k, d) go to each, and k (d + 1) + 1 sums come back.
Limits   gamma -> 0 is k-means; gamma > 2 lambda_max(cov X) puts every center at the mean.
Source   Qian, Sun, Jiang, Wang, Deng (2015), equations (1)-(3), after Karayiannis (1994).
Departures  starts are k-means++ rows, unless `init` is "random": centers of random memberships lie
         near the mean, from where the descent may not tell clusters apart.
Beyond   with weights w of rows, sums over i are sums of w[i] times the terms: a row of weight 2 is
         two equal rows.
         temperature "auto" is 2 s^2, where s^2 is the variance per feature inside the clusters of
         a k-means start: then (3) are the posteriors of round Gaussians of that variance.
"""

from typing import Any, NamedTuple, Self

import numpy as np

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Vector
from kinfolk.blocks import Rows, sums
from kinfolk.estimators import checks, kept_rows
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.row_sums import RowSumClusterer
from kinfolk.numerics import starts
from kinfolk.numerics.entropic import Moments, Rule


class State(NamedTuple):
    """Centers V (k, d), and the memberships' weighted sums and log normalizers."""

    V: Matrix
    U: Moments
    log_sum: float


def objective(s: State, gamma: float, scatter: float) -> float:
    """Free energy: squared distances plus temperature times negative entropy."""
    return scatter - gamma * s.log_sum


def sweep(rows: Rows, s: State, gamma: float, mean: Vector) -> State:
    """Update the centers to weighted means, then the memberships."""
    V = s.U.means(mean)  # (2)
    return with_memberships(rows, V, gamma, mean)


def with_memberships(rows: Rows, V: Matrix, gamma: float, mean: Vector) -> State:
    """Build the state for centers V (k, d): memberships' sums and log normalizers."""
    return State(V, *sums.moments(rows, membership_rule(V, gamma), mean))


def membership_rule(V: Matrix, gamma: float) -> Rule:
    """Softmax rule of the memberships for centers V (k, d) at a temperature.

    >>> from kinfolk.blocks import Block
    >>> rule = membership_rule(np.array([[0.0], [4.0]]), gamma=8.0)
    >>> sums.mixture(Block(np.array([[0.0], [2.0], [3.0]])), [(1.0, rule)]).round(2)
    array([[0.88, 0.12],
           [0.5 , 0.5 ],
           [0.27, 0.73]])
    """
    return Rule(V, 1.0 / gamma, np.zeros(len(V)))


@parameterized
class MEC(RowSumClusterer):
    """Soft clustering of one table at a fixed temperature (maximum-entropy clustering).

    Parameters
    ----------
    n_clusters : int >= 1, the number k of centers
    temperature : float > 0, gamma of equation (1), in squared units of X; or "auto"
    n_init : int >= 1, starts; the run with the lowest J is kept
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts
    init : "k-means++" rows as first centers, or those of "random" memberships, as in the paper

    Attributes
    ----------
    memberships_ : (n, k), rows sum to 1; an array of Dask of what Dask holds, none of other blocks
    cluster_centers_ : (k, d), units of X
    labels_ : (n,), the nearest center, which has the largest membership
    temperature_ : the gamma that was used
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    n_iter_, converged_ : sweeps of the run that was kept, and True if J no longer fell

    Examples
    --------
    >>> X = np.array([[0.0], [0.2], [9.8], [10.0]])
    >>> model = MEC(temperature=30.0, random_state=0).fit(X)
    >>> model.labels_, model.cluster_centers_.ravel().round(2)
    (array([0, 0, 1, 1]), array([0.64, 9.36]))
    >>> model.memberships_.round(2)
    array([[0.95, 0.05],
           [0.94, 0.06],
           [0.06, 0.94],
           [0.05, 0.95]])
    >>> MEC(random_state=0).fit(X).temperature_  # twice the variance inside the clusters
    0.02
    """

    keeps = kept_rows.MEMBERSHIPS
    of_rows = ("memberships_",)

    n_clusters: int = 2
    temperature: float | str = "auto"
    n_init: int = 4
    max_iter: int = 300
    tol: float = 1e-8
    random_state: Seed = None
    init: str = "k-means++"

    def fit(self, X: MatrixLike, y: None = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X (n, d), n >= k; InputError if X or a parameter cannot be used.

        sample_weight (n,), not negative, counts a row as so many; None: 1.
        """
        rows, k = self._open_rows(X, self.n_clusters, sample_weight)
        settings = Settings.of(self)
        first = starts.CENTRES[checks.choice("init", self.init, starts.CENTRES)]
        sample = rows.sample()
        gamma = self._gamma(sample, k, settings.seeds[0])
        about = sums.summary(rows)
        run = settings.best(
            start=lambda seed: with_memberships(
                rows, first(sample.x, k, seed, sample.weight), gamma, about.mean
            ),
            sweep=lambda s: sweep(rows, s, gamma, about.mean),
            objective=lambda s: objective(s, gamma, about.scatter),
            scale=about.scatter,
            what="maximum-entropy clustering",
            rounding=about.rounding(gamma, rows.dtype),
        )
        V = run.state.V.astype(rows.dtype, copy=False)
        self.temperature_ = gamma
        self.cluster_centers_ = V
        self._set_memberships(rows, [(1.0, membership_rule(V, gamma))])
        return self._record_rows(run, rows, sums.nearest, V, np.zeros(k))

    def predict(self, X: MatrixLike) -> Labels:
        """Return the nearest center (m,) of each row of X (m, d)."""
        rows = self._new_blocks(X)
        V = self.cluster_centers_
        return rows.each(sums.nearest, V, np.zeros(len(V)))

    def predict_memberships(self, X: MatrixLike) -> Matrix:
        """Return the softmax memberships (m, k) of new rows X (m, d)."""
        rows = self._new_blocks(X)
        rule = membership_rule(self.cluster_centers_, self.temperature_)
        return rows.each(sums.mixture, [(1.0, rule)])
