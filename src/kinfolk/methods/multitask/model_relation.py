"""Multi-task clustering with model relation learning (MTCMRL), and SNMF+LR, its single-task limit.

Symmetric factorisation of each task whose memberships are also a linear regression on the
features; clusters of different tasks with similar regressions draw each other's closer. Minimise

    J = sum_t  1/2 |M_t - Y_t Y_t'|_F^2 + lambda |Y_t - X_t W_t|_F^2 + mu |W_t|_F^2
      + alpha sum_{t<s} ( sum_ij |W_t[:,i] - W_s[:,j]|^2 G_ts[i,j] + beta |G_ts|_F^2 )   (3)

over Y_t >= 0, W_t, and G_ts >= 0 whose entries sum to 1, with G_st = G_ts'. For each t in turn:

    G_ts     = simplex(-A / (2 beta)),   A_ij = |W_t[:,i] - W_s[:,j]|^2,  for all s      (5)
    W_t[:,i] : (lambda X'X + (mu + alpha h_i) I) w = lambda X'y_i + alpha z_i            (7)
               z_i = sum_s W_s G_ts[i,:]',   h_i = sum_s sum_j G_ts[i,j]
    Y_t      = Y o sqrt( (P Y + lambda Q+) / (Y Y'Y + N Y + lambda Y + lambda Q-) )     (19)
               Q = X W = Q+ - Q-,   M = P - N

from k-means labels as 0/1 rows plus 0.2 and W = 0. The label is the largest entry of Y.

Symbols     X_t (n_t, d), Y_t (n_t, k_t), W_t (d, k_t), M_t (n_t, n_t), G_ts (k_t, k_s).
Units       J has none; mu and alpha are in squared units of X: rows should be about unit length.
Exact       (5) is a projection: no quadratic programme. (7) solves in O(n d k), after one
            eigendecomposition per task (`ridge`), what (10) and (13) solve as an n x n Sylvester
            equation. For cosines M = Z Z' is never formed where it would outweigh X, and
            |M - YY'|^2 = |Z'Z|^2 - 2 <Y, MY> + |Y'Y|^2.
Limits      relation_weight=0: every task by itself, which is SNMF+LR; with regression_weight=0
            also, SymNMF (J is then half of its). evenness -> infinity: G is uniform;
            evenness -> 0: each G_ts links only the two most similar clusters. The sum of each
            G_ts being 1, unrelated tasks draw each other as much as related ones.
Source      Zhang, Zhang, Liu, Luo (2018), IJCAI, equations (1)-(19), algorithm 1.
Departures  (3) sums over t != s, where each W stands in the terms of (t, s) and (s, t), and (6)
            counts one of them. Summed over pairs t < s, as here, (5) and (7) are exact minimisers.
            (19) shows no root, and without one J oscillates. The square root lowers J except far
            from rest; there the fourth root is taken, which cannot raise it (`factor`).
            The paper has M >= 0; P and N allow any symmetric M.
            W starts at 0: `first_weights=1` is as printed (where n_t x h_t should be d x h_t), but
            ones pull the first regressions towards the sum of all features.
            The descent stops at a share of J instead of an absolute threshold of 1.
            How the Itakura-Saito divergence becomes a similarity is not said: here by the Gaussian
            of its symmetric form (`similarities`).
Beyond      a new row x with similarities m to the rows of its task gets the y >= 0 that minimises
            its part of J, |m - Y y|^2 + lambda |y - W'x|^2. Rows of the fit keep their labels
            where (19) has come to rest, since this is its condition (17) on a row. Where no m can
            be had (matrices given), the regression alone decides.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from kinfolk import progress
from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.errors import InputError
from kinfolk.estimators import checks, factorization
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.estimators.descent import Settings
from kinfolk.numerics import distances, memberships, operators, similarities, simplex, starts
from kinfolk.numerics.operators import Symmetric
from kinfolk.numerics.ridge import Ridge, Solution
from kinfolk.numerics.seminonnegative import nonnegative_assignment
from kinfolk.numerics.similarities import Similarity
from kinfolk.tables import Tasks

SOLVERS: dict[str, Callable[[Vector, float, Vector], Vector]] = {
    "projection": simplex.projection,
    "quadratic-program": simplex.quadratic_program,
    "frank-wolfe": simplex.frank_wolfe,
}
"""Solvers of (5), all to the same G: the first two exact, Frank-Wolfe within a gap."""

VANISHED = 1e-200
"""A membership whose denominator in (19) is below this is set to 0."""

LEVEL = 1e-14
"""A rise of J by less than this share is rounding."""


class TaskState(NamedTuple):
    """State of one task: Y, Q = X W, and the products of M = P - N with Y; NY None if N = 0."""

    Y: Matrix
    Q: Matrix
    PY: Matrix
    NY: Matrix | None


class State(NamedTuple):
    """State of the descent: that of each task, and W and G of all tasks side by side.

    W is (d, K) for K clusters in all; G (K, K) has the blocks G_ts, and 0 for t = s.
    """

    tasks: tuple[TaskState, ...]
    W: Matrix
    G: Matrix


@dataclass(frozen=True)
class Problem:
    """Parameters of J: regressions and similarities M of each task, with |M|_F^2; the weights.

    `own` has the columns of each task in W and G; `solver` is one of `SOLVERS`.
    """

    ridges: list[Ridge]
    M: list[Symmetric]
    sizes: list[float]
    own: list[slice]
    lam: float
    mu: float
    alpha: float
    beta: float
    solver: str = "projection"


def objective(p: Problem, s: State) -> float:
    """Return J of equation (3), over unordered pairs."""
    costs = [membership_cost(p, task) for task in s.tasks]
    within = sum(0.5 * size + cost for size, cost in zip(p.sizes, costs, strict=True))
    across = np.sum(column_distances(s.W, s.W) * s.G) + p.beta * np.sum(np.square(s.G))
    return float(within + p.mu * np.sum(np.square(s.W)) + 0.5 * p.alpha * across)


def membership_cost(p: Problem, task: TaskState) -> float:
    """Return the terms of J with Y: 1/2 |M - YY'|^2 - 1/2 |M|^2 + lambda |Y - Q|^2."""
    MY = task.PY if task.NY is None else task.PY - task.NY
    symmetric = 0.5 * np.sum(np.square(task.Y.T @ task.Y)) - np.sum(task.Y * MY)
    return float(symmetric + p.lam * np.sum(np.square(task.Y - task.Q)))


def sweep(p: Problem, s: State) -> State:
    """Update relations (5), regressions (7) and memberships (19) of each task: algorithm 1."""
    tasks = list(s.tasks)
    W = s.W.copy()
    G = s.G.copy()
    for t, own in enumerate(p.own):
        update_relations(p, t, W, G)
        W[:, own], Q = regression(p, t, tasks[t].Y, W, G)
        tasks[t] = update_memberships(p, t, tasks[t]._replace(Q=Q))
    return State(tuple(tasks), W, G)


def column_distances(W: Matrix, V: Matrix) -> Matrix:
    """Return A of equation (5): squared distances of the columns of W (d, k) and V (d, l).

    >>> column_distances(np.array([[0.0, 3.0]]), np.array([[1.0, 3.0]])).tolist()
    [[1.0, 9.0], [4.0, 0.0]]
    """
    return distances.squared(W.T, V.T)


def update_relations(p: Problem, t: int, W: Matrix, G: Matrix) -> None:
    """Write the relations of task t with all others by equation (5) into G."""
    own = p.own[t]
    A = column_distances(W[:, own], W)
    for other in p.own:
        if other != own:
            g = SOLVERS[p.solver](A[:, other].ravel(), p.beta, G[own, other].ravel())  # (5)
            G[own, other] = g.reshape(A[:, other].shape)
            G[other, own] = G[own, other].T


def regression(p: Problem, t: int, Y: Matrix, W: Matrix, G: Matrix) -> Solution:
    """Return W and Q of task t by equation (7), that is (10) and (13)."""
    related = G[p.own[t]]
    c = p.mu + p.alpha * related.sum(axis=1)
    return p.ridges[t].towards(Y, W @ (p.alpha * related.T / c), p.lam, c)


def update_memberships(p: Problem, t: int, task: TaskState) -> TaskState:
    """Take the step (19) of task t: the square root, or the fourth if the square root raises J.

    With u = Y/Y_old the terms of J are bounded, all touching at u = 1: Y Y'Y by u^4, N Y and
    lambda Y by u^2 <= (u^4 + 1)/2, lambda Q- by u <= (u^4 + 3)/4, and P Y and lambda Q+ from
    below by logarithms. The sum of the bounds is least at the fourth root of the ratio.
    """
    Y, Q = task.Y, task.Q
    up = task.PY + p.lam * np.maximum(Q, 0.0)
    down = Y @ (Y.T @ Y) + p.lam * (Y + np.maximum(-Q, 0.0))
    if task.NY is not None:
        down += task.NY
    ratio = np.divide(up, down, out=np.zeros_like(Y), where=down > VANISHED)
    before = membership_cost(p, task)
    for root in (np.sqrt(ratio), np.sqrt(np.sqrt(ratio))):
        Y = task.Y * root  # (19)
        new = TaskState(Y, Q, *p.M[t].parts(Y))
        if membership_cost(p, new) <= before + LEVEL * (p.sizes[t] + abs(before)):
            break
    return new


def start(p: Problem, labels: list[Labels], first_weights: float) -> State:
    """Return a first state: memberships of hard labels, constant W and uniform G."""
    k = [own.stop - own.start for own in p.own]
    W = np.full((p.ridges[0].X.shape[1], sum(k)), first_weights)
    tasks = []
    for t, (first, own) in enumerate(zip(labels, p.own, strict=True)):
        Y = memberships.indicator(first, k[t], factorization.OFFSET)
        Q = operators.times(p.ridges[t].X, W[:, own])
        tasks.append(TaskState(Y, Q, *p.M[t].parts(Y)))
    each = np.repeat(k, k).astype(float)
    task = np.repeat(np.arange(len(k)), k)
    # Every G_ts is uniform with sum 1; a task has no relation to itself.
    G = np.where(task[:, None] == task[None, :], 0.0, 1.0 / np.outer(each, each))
    return State(tuple(tasks), W, G)


class MTCMRL(MultiTaskClusterer):
    """Multi-task clustering that learns which clusters of different tasks have related models.

    Parameters
    ----------
    n_clusters : int >= 1, or a mapping task -> int
    regression_weight : float >= 0, lambda (paper: 1/4 to 4)
    shrinkage : float > 0, mu, in squared units of X (paper: 1/2)
    relation_weight : float >= 0, alpha, in squared units of X (paper: 1/4 to 4); 0 is SNMF+LR
    evenness : float > 0, beta: the larger, the more equal the entries of each G (paper: 1/2)
    affinity : "cosine", "gaussian" or "itakura-saito" (for positive X); or a function of tables
        (m, d) and (n, d) that returns similarities (m, n); or a mapping task -> symmetric
        (n_t, n_t), in the order of the task's rows
    bandwidth : float > 0, h in exp(-D / (2 h^2)) for the two named kernels, where D are squared
        distances or divergences; None: the median root of D
    first_weights : float, every entry of W at the start (paper: 1)
    solver : "projection", "quadratic-program" or "frank-wolfe", how G is found
    n_init : int >= 1, k-means starts; the run with the lowest J is kept
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the cluster of each row, from 0 in each task
    memberships_ : list of T arrays Y (n_t, k_t), not negative, in the row order of each task
    coef_ : list of T arrays W (d, k_t), in units of 1/X
    cluster_relatedness_ : (task, other task) -> G (k, k_other), entries sum to 1; both orders
    bandwidth_ : the h that was used by a named affinity; None for cosines
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    objective_traces_ : {"all tasks": the same}, since one descent moves all
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range; a task has fewer rows than clusters, or only one; a
        given similarity is not symmetric or fits no task

    Examples
    --------
    >>> X = np.eye(3)[[0, 0, 1, 1, 2, 2, 1, 1, 0, 0]] + 0.1 * np.eye(10, 3)
    >>> tasks = ["a"] * 6 + ["b"] * 4
    >>> model = MTCMRL(n_clusters={"a": 3, "b": 2}, random_state=0).fit(X, tasks=tasks)
    >>> model.labels_
    array([1, 1, 0, 0, 2, 2, 0, 0, 1, 1])
    >>> model.cluster_relatedness_["a", "b"].round(2).tolist()
    [[0.5, 0.0], [0.0, 0.5], [0.0, 0.0]]
    >>> model.predict([[0.0, 0.1, 2.0], [3.0, 0.0, 0.0]], tasks="a")
    array([2, 1])
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        regression_weight: float = 4.0,
        shrinkage: float = 0.5,
        relation_weight: float = 4.0,
        evenness: float = 0.5,
        affinity: Any = "cosine",
        bandwidth: float | None = None,
        first_weights: float = 0.0,
        solver: str = "projection",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.regression_weight = regression_weight
        self.shrinkage = shrinkage
        self.relation_weight = relation_weight
        self.evenness = evenness
        self.affinity = affinity
        self.bandwidth = bandwidth
        self.first_weights = first_weights
        self.solver = solver
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: None = None, tasks: Any = None) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each."""
        X, found = self._open(X, tasks)
        k = checks.clusters(self.n_clusters, found)
        random = checks.random(self.random_state)
        settings = Settings.of(self, random)  # draws the seeds before the bandwidth
        tables = [X[rows] for rows in found.rows()]
        similarity = self._fit_similarity(X, found, random)
        M = [similarity.operator(x, t) for t, x in enumerate(tables)]
        p = self._problem(tables, M, k)
        first_weights = checks.number("first_weights", self.first_weights, -np.inf, open_low=True)
        # k-means needs the distances of the rows only, which fewer columns may have too.
        reduced = [ridge.condensed() for ridge in p.ridges]

        def first(seed: int) -> State:
            labels = [starts.kmeans(table, c, seed) for table, c in zip(reduced, k, strict=True)]
            return start(p, labels, first_weights)

        run = settings.best(
            start=first,
            sweep=lambda s: sweep(p, s),
            objective=lambda s: objective(p, s),
            scale=0.5 * sum(p.sizes),
            what="model relation learning",
        )
        states, W, G = run.state
        self.memberships_ = [task.Y for task in states]
        self.coef_ = [W[:, columns].copy() for columns in p.own]
        own = dict(zip(found.names, p.own, strict=True))
        self.cluster_relatedness_ = {
            (a, b): G[own[a], own[b]].copy() for a, b in itertools.permutations(own, 2)
        }
        self._kept = [similarity.kept(x, Y) for x, Y in zip(tables, self.memberships_, strict=True)]
        labels = np.empty(len(found.codes), dtype=int)
        for rows, Y in zip(found.rows(), self.memberships_, strict=True):
            labels[rows] = factorization.labels_of(Y)
        return self._record(X, found, labels, k, run)

    def _problem(self, tables: list[Table], M: list[Symmetric], k: list[int]) -> Problem:
        """Check the weights and prepare the regressions."""
        ends = np.cumsum(k).tolist()
        return Problem(
            ridges=[Ridge(table) for table in progress.track(tables, "preparing regressions")],
            M=M,
            sizes=[similarity.squared_norm() for similarity in M],
            own=[slice(end - c, end) for end, c in zip(ends, k, strict=True)],
            lam=checks.not_negative("regression_weight", self.regression_weight),
            mu=checks.above("shrinkage", self.shrinkage, 0),
            alpha=checks.not_negative("relation_weight", self.relation_weight),
            beta=checks.above("evenness", self.evenness, 0),
            solver=checks.choice("solver", self.solver, SOLVERS),
        )

    def _fit_similarity(self, X: Table, tasks: Tasks, random: np.random.RandomState) -> Similarity:
        """Check the affinity and return it; a bandwidth of None is the median over all rows."""
        if isinstance(self.affinity, Mapping):
            if missing := [name for name in tasks.names if name not in self.affinity]:
                raise InputError(
                    f"affinity has no entry for task {missing[0]!r}; give a symmetric matrix of "
                    "similarities for each task."
                )
            return similarities.MatrixSimilarity([self.affinity[name] for name in tasks.names])
        if callable(self.affinity):
            return self._similarity()
        name = checks.choice("affinity", self.affinity, similarities.NAMES)
        if name == "itakura-saito" and (sp.issparse(X) or X.min() <= 0):
            raise InputError(
                "affinity is 'itakura-saito' and X has entries that are 0 or negative; give "
                "positive numbers, such as spectra with a small one added."
            )
        self.bandwidth_ = (
            similarities.median_bandwidth(name, X, random)
            if self.bandwidth is None
            else checks.above("bandwidth", self.bandwidth, 0)
        )
        return self._similarity()

    def _similarity(self) -> Similarity:
        """Return the affinity as new rows need it."""
        if isinstance(self.affinity, Mapping):
            return similarities.MatrixSimilarity([])
        if callable(self.affinity):
            return similarities.KernelSimilarity(self.affinity)
        return similarities.named(self.affinity, self.bandwidth_)

    def _assign(self, X: Table, t: int) -> Labels:
        Y = self.memberships_[t]
        Q = operators.times(X, self.coef_[t])
        B = self._similarity().products(X, self._kept[t], Y)
        if B is None:  # matrices were given, which say nothing of new rows
            return Q.argmax(axis=1)
        # Rows sqrt(lambda) I below Y turn |m - Y y|^2 into the new row's part of J.
        weight = float(self.regression_weight)
        Y = np.vstack([Y, np.sqrt(weight) * np.eye(Y.shape[1])])
        return nonnegative_assignment(B + weight * Q, Y.T @ Y)
