"""Soft k-means: semi-non-negative factorization of one table, X ~ Y V with Y >= 0.

The clusters of k-means, with memberships Y of any size instead of 0/1. Minimize

    J(Y, V) = |X - Y V|_F^2,   Y >= 0                                              (4)

by V = Y^+ X (8) and the best rows of Y for it. A row belongs to one cluster, the direction V_j at
the smallest angle (S), or to several, y >= 0 with the lowest |x - y V|^2. The multiplicative step
(14) of `seminonnegative`, with A = X V' and B = V V', replaces the latter.

Symbols     X (n, d), Y (n, k), V (k, d); the source has samples in columns.
Units       J in squared units of X; Y and V share those of X between them: (Y D, V/D) is as good.
Exact       J = |X|^2 - 2 tr(Y'XV') + tr(V V'Y'Y): nothing n x d besides X.
Limits      k = 1 is the first singular vector of a non-negative X; Y 0/1 is k-means.
Source      Gu, Zhou (2009), equations (4), (8), (14) for lambda = 1; Ding, Li, Jordan (2010).
Departures  1. One cluster per row is ours: columns of Y are then orthogonal, as Ding, Li, Peng,
            Park (2006) ask for. The minimum over all Y >= 0, `mixed=True`, describes rows as sums
            of centers that lie outside of the data, and the largest part says little of groups:
            accuracy falls from .82 to .64 on iris (z-scores), from .74 to .67 on digits.
            2. 20 multiplicative sweeps from one start, as published, stop far from a minimum;
            `update="multiplicative"`, `max_iter=20` and `init="random"`, as in the code that the
            authors released, or "kmeans", as printed, are these.
Beyond      a new row gets the best y for V. With weights w of rows a row of weight 2 is two equal
            rows: with D = diag(w) the objective of the repeated table is

                J(Y, V) = sum_i w_i |x_i - y_i V|^2 = |D^1/2 X - (D^1/2 Y) V|_F^2,      (4w)

            that is (4) of D^1/2 X and D^1/2 Y, for which (8), (S) and (14) are computed
            (`numerics/weighted_rows`). Weights times a constant change J by it, and nothing else.
"""

from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table
from kinfolk.blocks import Block, Blocks
from kinfolk.blocks import shared_subspace as in_blocks
from kinfolk.errors import InputError
from kinfolk.estimators import checks, factorization, kept_rows
from kinfolk.estimators import rows as rows_in
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.renamed import accept_old_names
from kinfolk.estimators.row_sums import BlockClusterer
from kinfolk.numerics import distances, operators, seminonnegative, weighted_rows
from kinfolk.numerics.subspaces import SUBSPACES
from kinfolk.tables import Tasks


class State(NamedTuple):
    """Memberships Y (n, k), centers V (k, d) and the product X V' (n, k)."""

    Y: Matrix
    V: Matrix
    XV: Matrix


def with_best_centers(X: Table, Y: Matrix) -> State:
    """Build the state of memberships Y (n, k) with their optimal centers.

    >>> X = np.array([[1.0, 0.0], [3.0, 0.0], [0.0, 2.0]])
    >>> hard = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> with_best_centers(X, hard).V.round(9).tolist()  # the means, as in k-means
    [[2.0, 0.0], [0.0, 2.0]]
    """
    O, C = seminonnegative.orthonormal_basis(Y)
    V = C @ operators.crossed(X, O).T  # (8)
    return State(Y, V, operators.times(X, V.T))


def objective(size: float, s: State) -> float:
    """Squared error |X - Y V|_F^2 without forming X - Y V; size is |X|_F^2."""
    J = size - 2.0 * np.sum(s.Y * s.XV) + np.sum((s.V @ s.V.T) * (s.Y.T @ s.Y))
    return seminonnegative.zero_if_rounding(float(J), size)


def with_best_rows(s: State, mixed: bool) -> State:
    """Replace the memberships by the optimal ones for the centers."""
    return s._replace(Y=seminonnegative.best_rows(s.XV, s.V @ s.V.T, mixed, s.Y).Y)


def exact_sweep(X: Table, Y: Matrix, mixed: bool) -> State:
    """Compute optimal centers for Y, then optimal memberships for these centers."""
    return with_best_rows(with_best_centers(X, Y), mixed)


def exact_sweeps(X: Table, s: State, mixed: bool, size: float) -> State:
    """Do two exact sweeps, and a third from an extrapolated point if that is lower."""
    return seminonnegative.extrapolated(
        s, lambda Y: exact_sweep(X, Y, mixed), lambda state: objective(size, state)
    )


def sweep(X: Table, s: State) -> State:
    """Multiplicative update of the memberships, then optimal centers."""
    Y = seminonnegative.step(s.Y, s.XV, s.V @ s.V.T)  # (14)
    return with_best_centers(X, Y)


@accept_old_names(parameters={"start": "init"}, unstated=factorization.PUBLISHED)
@parameterized
class SoftKMeans(BlockClusterer):
    """k-means with non-negative memberships: semi-non-negative matrix factorization.

    Clusters are directions from 0, in which rows are of any length.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    init : "kmeans" labels, or "random" memberships in [0, 1)
    mixed : a row may belong to several clusters, as published, instead of to one; always so with
        multiplicative updates
    update : "exact" rows by non-negative least squares, or "multiplicative" as printed
    n_init : int >= 1, starts; the run with the lowest J is kept
    max_iter : int >= 1, the most sweeps (published: 20)
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    memberships_ : (n, k), Y, not negative
    cluster_centers_ : (k, d), V, such that X is about memberships_ @ cluster_centers_
    labels_ : (n,), the column of the largest membership, as `predict` gives it to these rows
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    n_iter_, converged_ : sweeps of the run that was kept, and True if J no longer fell

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 3.0]])
    >>> model = SoftKMeans(random_state=0).fit(X)
    >>> model.labels_, model.memberships_.round(1)
    (array([0, 0, 1, 1]), array([[0.9, 0. ],
           [1.8, 0. ],
           [0. , 0.3],
           [0. , 1. ]]))
    >>> model.predict([[5.0, 0.0], [0.0, 0.3]]), model.objective_trace_[[0, -1]].round(3)
    (array([0, 1]), array([0.473, 0.003]))
    >>> rows = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> heavy = SoftKMeans(1, random_state=0).fit(rows, sample_weight=[1, 8])
    >>> plain = SoftKMeans(1, random_state=0).fit(rows)
    >>> plain.cluster_centers_.round(2), heavy.cluster_centers_.round(2)
    (array([[0.95, 0.59]]), array([[0.98, 0.92]]))
    """

    keeps = kept_rows.MEMBERSHIPS
    of_rows = ("memberships_",)

    n_clusters: int = 2
    init: str = "kmeans"
    mixed: bool = False
    update: str = "exact"
    n_init: int = 10
    max_iter: int = 300
    tol: float = 1e-6
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X (n, d), n >= k; InputError if X or a parameter cannot be used.

        sample_weight (n,), not negative, counts a row as so many; None: 1. InputError if fewer than
        k are above 0.
        """
        if rows_in.in_blocks(X, self):
            return self._fit_blocks(*self._open_blocks(X, self.n_clusters, sample_weight))
        sample_weight = rows_in.weights_beside(X, sample_weight)
        X, k = self._open(X, self.n_clusters)
        weight = rows_in.weights_of_fit(self, sample_weight, Tasks.single(X.shape[0]), [k])
        heavy = weighted_rows.scaled(X, weight)  # (4w)
        init = checks.choice("init", self.init, seminonnegative.PLAIN_INITS)
        exact = checks.choice("update", self.update, factorization.UPDATES) == "exact"
        offset = 0.0 if exact else factorization.OFFSET
        size = float(distances.squared_norms(heavy).sum())

        def start(seed: int) -> State:
            Y = seminonnegative.initial_memberships(X, k, seed, init, offset, weight)
            s = with_best_centers(heavy, Y)
            return with_best_rows(s, self.mixed) if exact else s

        run = Settings.of(self).best(
            start=start,
            sweep=lambda s: exact_sweeps(heavy, s, self.mixed, size) if exact else sweep(heavy, s),
            objective=lambda s: objective(size, s),
            scale=size,
            what="soft k-means",
        )
        self.cluster_centers_ = run.state.V.astype(X.dtype, copy=False)
        if exact:
            self.memberships_, self.labels_ = self._best_rows(X)
        else:
            self.memberships_ = weighted_rows.over_roots(
                run.state.Y, weight, lambda: self._best_rows(X).Y
            )
            self.labels_ = factorization.labels_of(self.memberships_)
        return self._record(run)

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d) by the largest of their optimal memberships."""
        return self._new_blocks(X).each(_assigned, self._light())

    def works_elsewhere(self) -> bool:
        """True if arrays on a GPU can be fitted there: exact updates, one cluster per row."""
        return self.update == "exact" and not self.mixed

    def _fit_blocks(self, found: Blocks, k: int) -> Self:
        """Cluster rows in blocks, from starts of the sample that is in memory."""
        init = checks.choice("init", self.init, seminonnegative.PLAIN_INITS)
        checks.choice("update", self.update, factorization.UPDATES)
        if not self.works_elsewhere():
            raise InputError(
                "X is in blocks, and for them SoftKMeans needs update='exact' and mixed=False; "
                "give these, or the table itself if it fits."
            )
        found = found.pooled()
        near, weight, _ = found.sample()
        heavy = weighted_rows.scaled(near, weight)
        d = found.shape[1]
        # With all weight on the clusters' own error the subspace has no part in the objective.
        p = in_blocks.problem(found, 1.0, SUBSPACES["explained"](near, 1), 1)

        def start(seed: int) -> in_blocks.State:
            Y = seminonnegative.initial_memberships(near, k, seed, init, 0.0, weight)
            V = with_best_centers(heavy, Y).V[None]
            return in_blocks.state_at(p, in_blocks.Centers(V, np.zeros((d, 1)), np.zeros((k, 1))))

        run = Settings.of(self).best(
            start=start,
            sweep=lambda s: in_blocks.sweeps(p, s),
            objective=lambda s: in_blocks.objective(p, s),
            scale=p.size,
            what="soft k-means",
        )
        self.cluster_centers_ = run.state.c.V[0].astype(found.dtype, copy=False)
        labels = found.gathered(_assigned, self._light())
        self.labels_ = found.like_rows(labels)
        self.memberships_ = found.like_rows(found.gathered(_memberships, self._light()))
        self._say_present(np.unique(labels))
        return self._record(run)

    def _light(self) -> Self:
        """Return a copy without per-row attributes, cheap to send to workers."""
        light = copy(self)
        for name in ("labels_", "memberships_"):
            light.__dict__.pop(name, None)
        return light

    def _best_rows(self, X: Table) -> seminonnegative.RowMemberships:
        V = self.cluster_centers_.astype(np.float64, copy=False)
        mixed = self.mixed or self.update != "exact"
        return seminonnegative.best_rows(operators.times(X, V.T), V @ V.T, mixed)


def _assigned(block: Block, model: SoftKMeans) -> Labels:
    """Assign the rows of a block to clusters (m,)."""
    return model._best_rows(block.x).labels


def _memberships(block: Block, model: SoftKMeans) -> Matrix:
    """Memberships (m, k) of the rows of a block."""
    return model._best_rows(block.x).Y
