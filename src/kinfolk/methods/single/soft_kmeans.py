"""Soft k-means: semi-non-negative factorisation of one table, X ~ Y V with Y >= 0.

The clusters of k-means, with memberships that need be neither 0/1 nor of sum 1. Minimise

    J(Y, V) = |X - Y V|_F^2,   Y >= 0                                              (4)

by V = Y^+ X (8) and the step (14) of `seminonnegative`, with A = X V' and B = V V'. The label of
a row is its largest membership.

Symbols     X (n, d), Y (n, k), V (k, d); the source has samples in columns.
Units       J in squared units of X; Y and V share those of X between them: (Y D, V/D) is as good.
Exact       J = |X|^2 - 2 tr(Y'XV') + tr(V V'Y'Y): nothing n x d besides X.
Limits      k = 1 is the first singular vector of a non-negative X; Y 0/1 is k-means.
Source      Gu, Zhou (2009), equations (4), (8), (14) for lambda = 1; Ding, Li, Jordan (2010).
Departures  20 sweeps from one start, as published, stop far from a minimum; the default start is
            random as in the code that the authors released, not k-means as printed.
Beyond      a new row gets the y >= 0 that minimises |x - y V|^2.
"""

from typing import NamedTuple, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table
from kinfolk.estimators import checks, factorization
from kinfolk.estimators.base import Clusterer
from kinfolk.estimators.descent import Run, alternate, restarts
from kinfolk.estimators.renamed import accept_old_names
from kinfolk.numerics import distances, operators, seminonnegative, starts


class State(NamedTuple):
    """One point of the descent: Y (n, k), V (k, d) and their product XV' (n, k)."""

    Y: Matrix
    V: Matrix
    XV: Matrix


def settled(X: Table, Y: Matrix) -> State:
    """Equation (8): the point Y with its best centres."""
    O, C = seminonnegative.span(Y)
    V = C @ operators.crossed(X, O).T
    return State(Y, V, operators.times(X, V.T))


def objective(size: float, s: State) -> float:
    """J of equation (4), for size = |X|_F^2."""
    J = size - 2.0 * np.sum(s.Y * s.XV) + np.sum((s.V @ s.V.T) * (s.Y.T @ s.Y))
    return seminonnegative.cleared(float(J), size)


def sweep(X: Table, s: State) -> State:
    """Equation (14), then equation (8)."""
    return settled(X, seminonnegative.step(s.Y, s.XV, s.V @ s.V.T))


@accept_old_names(parameters={"start": "init"})
class SoftKMeans(Clusterer):
    """k-means with non-negative memberships, which LSSMTC is for each task without sharing.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    init : "random" memberships in [0, 1), or "kmeans" labels as 0/1 rows plus 0.2
    n_init : int >= 1, starts, of which the one with the lowest J is kept
    max_iter : int >= 1, the most sweeps (published: 20)
    tol : float >= 0, stop when a sweep lowers J by at most this share of |X|_F^2
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    memberships_ : (n, k), Y, not negative
    cluster_centers_ : (k, d), V, such that X is about memberships_ @ cluster_centers_
    labels_ : (n,), the column of the largest membership
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep

    Raises
    ------
    InputError : a parameter is out of range, or X is not a finite table of at least k rows

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 3.0]])
    >>> labels = SoftKMeans(random_state=0).fit_predict(X)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    def __init__(
        self,
        n_clusters: int = 2,
        init: str = "random",
        n_init: int = 10,
        max_iter: int = 20,
        tol: float = 1e-8,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d)."""
        X, k = self._open(X, self.n_clusters)
        how = checks.choice("init", self.init, seminonnegative.STARTS)
        random = checks.random(self.random_state)
        seeds = starts.seeds(random, checks.at_least("n_init", self.n_init, 1))
        max_iter = checks.at_least("max_iter", self.max_iter, 1)
        size = float(distances.squared_norms(X).sum())
        tol = checks.not_negative("tol", self.tol) * size

        def descend(seed: int) -> Run[State]:
            Y = seminonnegative.start(X, k, seed, how, factorization.OFFSET)
            return alternate(
                settled(X, Y),
                sweep=lambda s: sweep(X, s),
                objective=lambda s: objective(size, s),
                max_iter=max_iter,
                tol=tol,
            )

        run = restarts(descend, seeds, "soft k-means")
        self.memberships_ = run.state.Y
        self.cluster_centers_ = run.state.V.astype(X.dtype, copy=False)
        self.labels_ = factorization.labels_of(self.memberships_)
        return self._record(run)

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d): the largest entry of the y >= 0 that minimises |x - y V|^2."""
        check_is_fitted(self)
        X = checks.samples(self, X, reset=False)
        V = self.cluster_centers_.astype(np.float64, copy=False)
        return seminonnegative.placed(operators.times(X, V.T), V @ V.T)
