"""MVCF: concept factorization of several views with one learned graph.

Over Y_v, G_v >= 0, weights a of the views on the simplex and a graph A whose rows are on the
simplex, without a diagonal, minimize

    J   = sum_v a_v J_v + gamma |a|^2                                              (1)
    J_v = |X_v - Y_v G_v'X_v|^2 + sum_ij A_ij^lambda |Y_v[i] - Y_v[j]|^2

by block updates, none of which raises J:

    G_v, Y_v  for the graph S = A^lambda + its transpose: with update="exact" by L-BFGS-B
              (`numerics/smooth_concepts.py`); with update="multiplicative" by `inner_iter` split
              steps of `numerics/concepts.py`, which are those of the source on X_v >= 0
    A_ij     ~ P_ij^(1/(1-lambda)),  P_ij = sum_v a_v |Y_v[i] - Y_v[j]|^2              (2)
    a         = projection of -J_v / (2 gamma) onto the simplex                       (3)

The labels are k-means of the rows [a_1 Y_1, a_2 Y_2, ...].

Symbols     X_v (n, d_v), K_v = X_v X_v', Y_v and G_v (n, k), A (n, n). The source has samples in
            columns, U and V for G and Y.
Units       none: rows of X_v >= 0 are divided by the roots of their sums of similarities (the
            weighting of the source), other views by their root mean square row.
Exact       K_v is formed only where it is smaller than X_v; A is (n, n), for at most 5000 rows.
Limits      one view: CF with a learnt graph; lambda -> infinity then: CF without one. gamma ->
            infinity: equal weights; gamma -> 0: the view with the lowest J_v alone.
Source      Zhan, Shi, Wang, Wang, Xie, Neural Computation 30(4), 2018; (1)-(3) as read from the
            authors' released code.
Departures  in the code A is used as the Laplacian's weights though it is not symmetric, and only
            the graph's own diagonal is guarded; here both sides of a pair count. As (G/s, sY) fits
            as (G, Y) does, diag(G'KG) = 1 is held during the descent; the code divides after it.
            gamma None is the mean of J_v at the first start. New rows go by the votes of near rows.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self, cast

import numpy as np

from kinfolk.arrays import Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.estimators import checks, factorization
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.renamed import accept_old_names
from kinfolk.estimators.voted_views import VotedViews
from kinfolk.numerics import (
    concepts,
    distances,
    memberships,
    operators,
    simplex,
    smooth_concepts,
    starts,
)
from kinfolk.numerics.concepts import GramKernel
from kinfolk.numerics.smooth_concepts import Factors, LinkWeights

SAME = 1e-13
"""Squared distances below this share of the squared lengths are 0 but for rounding."""


class Problem(NamedTuple):
    """Kernels of the views, lambda, gamma, and the split steps per view in a sweep, 0 if exact."""

    kernels: list[GramKernel]
    power: float
    gamma: float
    inner: int


class State(NamedTuple):
    """Memberships and concepts (n, k) of each view, learned graph A (n, n), weights (V,)."""

    Y: list[Matrix]
    G: list[Matrix]
    KG: list[Matrix]
    A: Matrix
    a: Vector


def lengths(s: State) -> list[Vector]:
    """Squared lengths (k,) of each view's concepts."""
    return [np.sum(G * KG, axis=0) for G, KG in zip(s.G, s.KG, strict=True)]


def pair_distances(s: State) -> list[Matrix]:
    """Squared distances (n, n) of rows' memberships in each view, for concepts of unit length."""
    found = []
    for Y, squares in zip(s.Y, lengths(s), strict=True):
        rows = Y * np.sqrt(squares)
        D = distances.squared(rows, rows)
        norms = distances.squared_norms(rows)
        D[SAME * (norms[:, None] + norms) >= D] = 0.0
        found.append(D)
    return found


def costs(p: Problem, s: State, pairs: list[Matrix]) -> Vector:
    """Cost (V,) of each view: reconstruction error and roughness on the graph."""
    W = s.A**p.power
    views = zip(p.kernels, s.Y, s.G, s.KG, pairs, strict=True)
    return np.array([concepts.residual(K, Y, G, KG) + np.sum(W * D) for K, Y, G, KG, D in views])


def objective(p: Problem, s: State) -> float:
    """Weighted costs of the views, plus the penalty on their weights."""
    return float(s.a @ costs(p, s, pair_distances(s)) + p.gamma * np.sum(s.a**2))


def factor_step(K: GramKernel, f: Factors, graph: LinkWeights) -> Factors:
    """Update concepts and memberships of one view by one multiplicative-type step each."""
    # Longer concepts raise the graph term of J(Y m, G/m).
    Q = f.Y.T @ f.Y + np.diag(smooth_concepts.roughness(f.Y, graph))
    G = concepts.concept_step(K, f.G, f.KG, K.times(f.Y), Q)
    KG = K.times(G)
    pull = np.sum(G * KG, axis=0)
    none = np.zeros(len(pull))
    Y = concepts.membership_step(f.Y, concepts.gram(G, KG), KG, none, cast(Any, graph), pull)
    return Factors(Y, G, KG)


def sweep(p: Problem, s: State) -> State:
    """Update the factors of each view, then the learned graph and the view weights."""
    W = s.A**p.power
    S = W + W.T
    graph = LinkWeights.without_faint(S) if p.inner == 0 else LinkWeights(S, S.sum(axis=1))
    found = []
    for K, *own in zip(p.kernels, s.Y, s.G, s.KG, strict=True):
        f = Factors(*own)
        if p.inner == 0:
            f = smooth_concepts.descend(K, f, graph)
        for _ in range(p.inner):
            f = factor_step(K, f, graph)
        found.append(f)
    s = s._replace(Y=[f.Y for f in found], G=[f.G for f in found], KG=[f.KG for f in found])
    pairs_of = pair_distances(s)
    s = s._replace(A=learnt_graph(pairs_of, s.a, p.power))  # (2)
    return s._replace(a=simplex.project(-costs(p, s, pairs_of) / (2.0 * p.gamma)))  # (3)


def learnt_graph(pairs: list[Matrix], a: Vector, power: float) -> Matrix:
    """Learned graph A (n, n): rows sum to 1, larger for closer pairs, diagonal 0.

    >>> D = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 9.0], [4.0, 9.0, 0.0]])
    >>> learnt_graph([D], np.ones(1), 2.0).round(2)
    array([[0.  , 0.8 , 0.2 ],
           [0.9 , 0.  , 0.1 ],
           [0.69, 0.31, 0.  ]])
    """
    P = a[0] * pairs[0]
    for weight, D in zip(a[1:], pairs[1:], strict=True):
        P += weight * D
    np.fill_diagonal(P, np.inf)
    return memberships.fuzzy(P, power)


def prepared(X: Table) -> Table:
    """Return rows of one view on a common scale; non-negative ones weighted as in the source."""
    X = X.astype(np.float64, copy=False)
    squares = distances.squared_norms(X).mean()
    if operators.entries(X).min(initial=0.0) < 0:
        return X / np.sqrt(squares)
    degrees = operators.times(X, operators.sums(X))
    return distances.rows_times(X, distances.inverse_lengths(degrees))


@accept_old_names(unstated={"update": "multiplicative"})
@parameterized
class MVCF(VotedViews):
    """Multi-view concept factorization with a learned graph.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters and of concepts of each view
    views : mapping view -> columns of X (slice, positions or names); None: one view
    graph_power : float > 1, lambda; the larger, the more even the weights of the graph (code: 10)
    weight_penalty : float > 0, gamma; the larger, the more equal the weights of the views. None:
        the mean of J_v at the first start
    update : "exact" steps for the factors, or "multiplicative" ones as in the code
    inner_iter : int >= 1, multiplicative steps of each view in a sweep (code: 200)
    n_init : int >= 1, starts; the run with the lowest J is kept
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), k-means of the weighted memberships of all views
    view_names_ : (V,)
    view_weights_ : (V,), a
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    n_iter_, converged_ : sweeps of the run that was kept, and True if J no longer fell

    Raises
    ------
    InputError : a parameter is out of range, or X is no finite table of k to 5000 rows

    Examples
    --------
    >>> from kinfolk.tables import join
    >>> X, views = join({"a": [[5.0, 0], [4.0, 1], [0.0, 3]], "b": [[1.0, 0], [2.0, 0], [0.0, 3]]})
    >>> model = MVCF(n_clusters=2, views=views, random_state=0).fit(X)
    >>> model.labels_, model.view_weights_.round(1)
    (array([0, 0, 1]), array([0.5, 0.5]))
    """

    from_zero = True  # rows are sums of concepts

    n_clusters: int = 2
    views: Mapping[Any, Any] | None = None
    graph_power: float = 10.0
    weight_penalty: float | None = None
    update: str = "exact"
    inner_iter: int = 10
    n_init: int = 4
    max_iter: int = 300
    tol: float = 1e-4
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d)."""
        rows, k = self._open_rows(X)
        self._few_rows(rows.X.shape[0])
        settings = Settings.of(self)
        tables = [prepared(T) for T in rows.sorted_tables()]
        joined = operators.hstack(tables)
        p = self._problem(tables)
        first = [start(p, starts.kmeans(joined, k, seed), k) for seed in settings.seeds]
        if self.weight_penalty is None:
            # Of the first start alone, so that more starts descend on the same J.
            p = p._replace(gamma=float(costs(p, first[0], pair_distances(first[0])).mean()) or 1.0)
        order = iter(first)
        run = settings.best(
            start=lambda _: next(order),
            sweep=lambda s: sweep(p, s),
            objective=lambda s: objective(p, s),
            scale=sum(float(K.squared_norms.sum()) for K in p.kernels) + p.gamma,
            what="structured concept factorization",
        )
        s = run.state
        scaled = zip(s.a, s.Y, lengths(s), strict=True)
        places = np.hstack([a * Y * np.sqrt(squares) for a, Y, squares in scaled])
        labels = starts.kmeans(places, k, settings.seeds[0], 10)
        return self._record_labels(rows, labels, run, s.a)

    def _problem(self, tables: list[Table]) -> Problem:
        """Check the parameters and build the kernels of the views."""
        gamma = 1.0
        if self.weight_penalty is not None:
            gamma = checks.above("weight_penalty", self.weight_penalty, 0)
        inner = checks.at_least("inner_iter", self.inner_iter, 1)
        exact = checks.choice("update", self.update, factorization.UPDATES) == "exact"
        return Problem(
            [GramKernel(T) for T in tables],
            checks.above("graph_power", self.graph_power, 1),
            gamma,
            0 if exact else inner,
        )


def start(p: Problem, labels: Any, k: int) -> State:
    """First state: k-means memberships plus 0.2 in every view, and their learned graph."""
    Y = memberships.indicator(labels, k, factorization.OFFSET)
    G = Y / Y.sum(axis=0)
    KG = [K.times(G) for K in p.kernels]
    V = len(p.kernels)
    a = np.full(V, 1.0 / V)
    s = State([Y] * V, [G] * V, KG, np.zeros((0, 0)), a)
    return s._replace(A=learnt_graph(pair_distances(s), a, p.power))
