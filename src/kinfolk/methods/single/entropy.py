"""Maximum-entropy clustering (MEC): k-means softened by a temperature.

Over memberships U, with rows on the simplex, and centres V, minimise

    J(U, V) = sum_ik U[i,k] |X[i] - V[k]|^2 + gamma sum_ik U[i,k] log U[i,k]      (1)

by exact block updates, so that J never rises:

    V[k]   = sum_i U[i,k] X[i] / sum_i U[i,k]                                     (2)
    U[i,k] = exp(-|X[i] - V[k]|^2 / gamma) / sum_j exp(-|X[i] - V[j]|^2 / gamma)  (3)

Symbols  X (n, d), U (n, k), V (k, d), gamma > 0. The source has samples in columns.
Units    gamma and J are in squared units of X.
Limits   gamma -> 0 is k-means; gamma > 2 lambda_max(cov X) puts every centre at the mean.
Source   Qian, Sun, Jiang, Wang, Deng (2015), equations (1)-(3), after Karayiannis (1994).
Beyond   temperature "auto" is 2 s^2, where s^2 is the variance per feature inside the clusters of
         a k-means start: then (3) are the posteriors of round Gaussians of that variance.
"""

from typing import NamedTuple, Self

import numpy as np

from kinfolk import checks
from kinfolk.arrays import Matrix, MatrixLike, Seed, Table
from kinfolk.base import CentreClusterer
from kinfolk.descent import Run, alternate, restarts
from kinfolk.numerics import distances, memberships, starts


class State(NamedTuple):
    """One point of the descent: U (n, k) and V (k, d)."""

    U: Matrix
    V: Matrix


def objective(X: Table, s: State, gamma: float) -> float:
    """J of equation (1)."""
    distortion = np.sum(s.U * distances.squared(X, s.V))
    return float(distortion + gamma * memberships.negentropy(s.U))


def sweep(X: Table, s: State, gamma: float) -> State:
    """Equation (2), then equation (3)."""
    V = memberships.centres(X, s.U)
    return State(memberships.entropic(distances.squared(X, V), gamma), V)


class MEC(CentreClusterer):
    """Soft clustering of one data set at a fixed temperature.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of centres
    temperature : float > 0, gamma of equation (1), in squared units of X; or "auto"
    n_init : int >= 1, k-means++ starts, of which the one with the lowest J is kept
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when a sweep lowers J by at most this share of the scatter of X
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    memberships_ : (n, k), rows sum to 1
    cluster_centers_ : (k, d), units of X
    labels_ : (n,), the nearest centre, which has the largest membership
    temperature_ : the gamma that was used
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep

    Raises
    ------
    InputError : a parameter is out of range, or X is not a finite table of at least k rows

    Examples
    --------
    >>> X = np.array([[0.0], [0.2], [9.8], [10.0]])
    >>> model = MEC(temperature=0.5, random_state=0).fit(X)
    >>> np.sort(model.cluster_centers_.ravel()).round(3)
    array([0.1, 9.9])
    """

    def __init__(
        self,
        n_clusters: int = 2,
        temperature: float | str = "auto",
        n_init: int = 4,
        max_iter: int = 300,
        tol: float = 1e-8,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.temperature = temperature
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d)."""
        X, k = self._open(X, self.n_clusters)
        seeds = starts.seeds(
            checks.random(self.random_state), checks.at_least("n_init", self.n_init, 1)
        )
        gamma = self._gamma(X, k, seeds[0])
        max_iter = checks.at_least("max_iter", self.max_iter, 1)
        tol = checks.not_negative("tol", self.tol) * distances.scatter(X)

        def descend(seed: int) -> Run[State]:
            V = starts.spread(X, k, seed)
            return alternate(
                State(memberships.entropic(distances.squared(X, V), gamma), V),
                sweep=lambda s: sweep(X, s, gamma),
                objective=lambda s: objective(X, s, gamma),
                max_iter=max_iter,
                tol=tol,
            )

        run = restarts(descend, seeds, "maximum-entropy clustering")
        self.temperature_ = gamma
        self.memberships_, self.cluster_centers_ = run.state
        self.labels_ = self._distances(X).argmin(axis=1)
        return self._record(run)

    def predict_memberships(self, X: MatrixLike) -> Matrix:
        """Return the memberships (m, k) of new rows X (m, d) by equation (3)."""
        X = checks.samples(self, X, reset=False)
        return memberships.entropic(self._distances(X), self.temperature_)

    def _gamma(self, X: Table, k: int, seed: int) -> float:
        if self.temperature != "auto":
            return checks.above("temperature", self.temperature, 0)
        Y = memberships.indicator(starts.kmeans(X, k, seed), k)
        inside = np.sum(Y * distances.squared(X, memberships.centres(X, Y)))
        gamma = 2.0 * float(inside) / X.shape[0] / X.shape[1]
        return gamma if gamma > 0 else 1.0
