"""Update steps of MTCMRL: memberships, regressions and relations between tasks' models.

The printed sweep (algorithm 1) goes from task to task. The exact sweep is the same for any order of
the tasks. It finds all relations G by (5), and then moves all Y and W at once, towards

    H_t = argmin over Y >= 0 of the row problems (R) of `symmetric_factorization`, Q_t held,
    V_t = the regression (7), Y_t and the W of other tasks held,

with a share of the last direction, as far as J falls most: along a line J is a polynomial of fourth
degree. Where nothing moves, (5), (7) and (R) hold together. Numbers of equations are those of
`kinfolk.methods.multitask.model_relation`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np

from kinfolk.arrays import Matrix, Vector
from kinfolk.numerics import nonnegative, simplex, symmetric_factorization
from kinfolk.numerics.operators import Symmetric
from kinfolk.numerics.ridge import Regression, Solution
from kinfolk.numerics.symmetric_factorization import Factor, Point, Step, factor, gram_of

SOLVERS: dict[str, Callable[[Vector, float, Vector], Vector]] = {
    "projection": simplex.projection,
    "quadratic-program": simplex.quadratic_program,
    "frank-wolfe": simplex.frank_wolfe,
}
"""Name -> solver of (5), the relations of two tasks: all exact but Frank-Wolfe, within a gap."""

VANISHED = 1e-200
"""A membership whose denominator in (19) is below this is set to 0."""

LEVEL = 1e-14
"""A rise of J by less than this share is rounding."""


Blocks = tuple[Matrix, ...]


class RelationTask(NamedTuple):
    """State of one task: fitted values Q = X W, memberships Y, and Y's products with M."""

    Q: Matrix
    factor: Factor | Point


class State(NamedTuple):
    """State of the descent: all tasks' states, and models W and relations G side by side.

    W is (d, K) for K clusters in all; G (K, K) has the blocks G_ts, and 0 for t = s. `last` is the
    step of an exact descent that led here, and `products` is W'W (K, K) after a printed sweep.
    """

    tasks: tuple[RelationTask, ...]
    W: Matrix
    G: Matrix
    last: Step | None = None
    products: Matrix | None = None


@dataclass(frozen=True)
class Problem:
    """Constants of the objective: regressions, similarities M and |M|_F^2 per task, weights.

    `own` has the columns of each task in W and G; `solver` is one of `SOLVERS`, `update` one of
    "exact" and "multiplicative".
    """

    ridges: Sequence[Regression]
    M: list[Symmetric]
    sizes: list[float]
    own: list[slice]
    lam: float
    mu: float
    alpha: float
    beta: float
    solver: str = "projection"
    update: str = "exact"

    @cached_property
    def runs(self) -> list[list[slice]]:
        """The slices of all tasks' columns, in lists of adjacent slices of equal width."""
        return runs_of_equal_width(self.own)


def parts(p: Problem) -> list[Problem]:
    """Split the problem into one per task if alpha is 0, else return it alone.

    A problem with printed sweeps is not split: they go over all tasks.
    """
    if p.alpha > 0 or p.update == "multiplicative":
        return [p]
    widths = [own.stop - own.start for own in p.own]
    each = zip(p.ridges, p.M, p.sizes, widths, strict=True)
    return [
        replace(p, ridges=[ridge], M=[M], sizes=[size], own=[slice(0, width)])
        for ridge, M, size, width in each
    ]


def objective(p: Problem, s: State) -> float:
    """Return the objective of MTCMRL: factorization, regression and model relations."""
    costs = [membership_cost(p, task) for task in s.tasks]
    within = sum(0.5 * size + cost for size, cost in zip(p.sizes, costs, strict=True))
    S = products_of(s)
    across = np.vdot(column_distances(S), s.G) + p.beta * np.vdot(s.G, s.G)
    return float(within + p.mu * np.trace(S) + 0.5 * p.alpha * across)


def membership_cost(p: Problem, task: RelationTask) -> float:
    """Factorization and regression cost of one task's Y, up to the constant |M|^2 / 2."""
    Y = task.factor.Y
    gram = gram_of(task.factor)
    away = Y - task.Q
    symmetric = 0.5 * np.vdot(gram, gram) - np.vdot(Y, task.factor.product)
    return float(symmetric + p.lam * np.vdot(away, away))


def sweep(p: Problem, s: State) -> State:
    """Update relations, regressions and memberships of all tasks once."""
    return exact_sweep(p, s) if p.update == "exact" else printed_sweep(p, s)


def exact_sweep(p: Problem, s: State) -> State:
    """Update relations exactly, then memberships and models together by a line search."""
    s = s._replace(G=relations(p, s.W, s.G))  # (5)
    D, slope = solutions(p, s)
    bounds = [*(task.factor.Y for task in s.tasks), *[None] * (len(p.own) + 1)]
    for T in symmetric_factorization.directions(bounds, D, slope, s.last):
        return moved(p, s, Step(D, slope, T))
    return s


def solutions(p: Problem, s: State) -> tuple[Blocks, Blocks]:
    """Return for each block its difference to the optimum, and half the gradient.

    Blocks are Y of each task, Q of each task, and W. The gradient by W is written as that by Q and
    W, as if they were free: then it needs no product with X.
    """
    dY = []
    dQ = []
    dW = np.empty_like(s.W)
    slope = []
    for t, (own, task) in enumerate(zip(p.own, s.tasks, strict=True)):
        Y = task.factor.Y
        G, B = symmetric_factorization.row_problem(cast(Point, task.factor), p.lam, task.Q)
        dY.append(nonnegative.least_squares(G, B, Y) - Y)  # (R)
        slope.append(Y @ G - B)
        V, Q = regression(p, t, Y, s.W, s.G)  # (7)
        dQ.append(Q - task.Q)
        dW[:, own] = V - s.W[:, own]
    c = p.mu + p.alpha * s.G.sum(axis=1)
    return (*dY, *dQ, dW), (*slope, *(-p.lam * q for q in dQ), -c * dW)


def moved(p: Problem, s: State, step: Step) -> State:
    """Move along a direction by the step length that lowers the objective most."""
    *TQ, TW = step.T
    TY = [TQ.pop(0) for _ in s.tasks]
    # mu |W|^2 and the terms with alpha are tr(W L W').
    L = p.mu * np.eye(len(s.G)) + p.alpha * (np.diag(s.G.sum(axis=1)) - s.G)
    line = np.array([2.0 * np.vdot(s.W @ L, TW), np.vdot(TW @ L, TW), 0.0, 0.0])
    limit = np.inf
    products = []
    for M, task, T, dQ in zip(p.M, s.tasks, TY, TQ, strict=True):
        Y = task.factor.Y
        products.append(M.times(T))
        slope = Y @ (Y.T @ Y) - task.factor.product
        line += symmetric_factorization.change(Y, slope, T, products[-1], 0.0)
        line[0] += 2.0 * p.lam * np.vdot(Y - task.Q, T - dQ)
        line[1] += p.lam * np.sum(np.square(T - dQ))
        limit = min(limit, symmetric_factorization.longest(Y, T))
    length = symmetric_factorization.lowest(line, limit)
    tasks = []
    for task, T, dQ, MT in zip(s.tasks, TY, TQ, products, strict=True):
        Y = symmetric_factorization.moved(task.factor.Y, length * T)
        product = task.factor.product + length * MT
        tasks.append(RelationTask(task.Q + length * dQ, Point(Y, product)))
    return State(tuple(tasks), s.W + length * TW, s.G, step)


def printed_sweep(p: Problem, s: State) -> State:
    """Update relations, regressions and memberships task by task: algorithm 1."""
    tasks = list(s.tasks)
    W = s.W.copy()
    G = s.G.copy()
    S = products_of(s).copy()
    for t, own in enumerate(p.own):
        update_relations(p, t, column_distances(S, own), G, p.own)
        W[:, own], Q = regression(p, t, tasks[t].factor.Y, W, G)
        S[own] = W[:, own].T @ W
        S[:, own] = S[own].T
        tasks[t] = update_memberships(p, t, tasks[t]._replace(Q=Q))
    return State(tuple(tasks), W, G, products=S)


def products_of(s: State) -> Matrix:
    """Products W'W (K, K) of the models, computed unless they are stored."""
    return s.W.T @ s.W if s.products is None else s.products


def column_distances(S: Matrix, rows: slice = slice(None)) -> Matrix:
    """Squared distances (K, K), or some rows of them, of columns W (d, K) with products S = W'W.

    >>> W = np.array([[0.0, 3.0, 1.0]])
    >>> column_distances(W.T @ W, slice(0, 2)).tolist()
    [[0.0, 9.0, 1.0], [9.0, 0.0, 4.0]]
    """
    sizes = np.diagonal(S)
    return np.maximum(sizes[rows, None] + sizes - 2.0 * S[rows], 0.0)


def even(k: list[int]) -> Matrix:
    """Uniform relations G (K, K), 0 within tasks: the block of each two tasks sums to 1.

    `k` are the numbers of clusters of the tasks.

    >>> even([1, 2])
    array([[0. , 0.5, 0.5],
           [0.5, 0. , 0. ],
           [0.5, 0. , 0. ]])
    """
    each = np.repeat(k, k).astype(float)
    task = np.repeat(np.arange(len(k)), k)
    return np.where(task[:, None] == task[None, :], 0.0, 1.0 / np.outer(each, each))


def relations(p: Problem, W: Matrix, G: Matrix) -> Matrix:
    """Return optimal relations (K, K) of all pairs of tasks; iterative solvers start at G."""
    G = G.copy()
    A = column_distances(W.T @ W)
    for t, own in enumerate(p.own):
        update_relations(p, t, A[own], G, p.own[:t])
    return G


def update_relations(p: Problem, t: int, A: Matrix, G: Matrix, others: list[slice]) -> None:
    """Overwrite in G the relations of task t by the optimal ones, for distances A (k_t, K).

    `others` are the tasks whose relations are sought; by projection they are those to all tasks.
    """
    own = p.own[t]
    if p.solver == "projection":
        for same in p.runs:
            _project_relations(A, G, own, same, p.beta)  # (5)
        G[own, own] = 0.0
        return
    for other in others:
        if other != own:
            g = SOLVERS[p.solver](A[:, other].ravel(), p.beta, G[own, other].ravel())  # (5)
            G[own, other] = g.reshape(A[:, other].shape)
            G[other, own] = G[own, other].T


def runs_of_equal_width(columns: list[slice]) -> list[list[slice]]:
    """Group adjacent slices of equal width.

    >>> [len(run) for run in runs_of_equal_width([slice(0, 2), slice(2, 4), slice(6, 8)])]
    [2, 1]
    """
    runs: list[list[slice]] = []
    for one in columns:
        last = runs[-1][-1] if runs else None
        follows = last is not None and last.stop == one.start
        if last is not None and follows and last.stop - last.start == one.stop - one.start:
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


def _project_relations(A: Matrix, G: Matrix, own: slice, others: list[slice], beta: float) -> None:
    """Write the optimal relations of a task with several equally wide tasks into G."""
    # A projection for each pair of tasks would take T^2 calls per sweep.
    columns = slice(others[0].start, others[-1].stop)
    k = A.shape[0]
    costs = A[:, columns].reshape(k, len(others), -1).swapaxes(0, 1)
    g = simplex.project(costs.reshape(len(others), -1) / (-2.0 * beta), axis=-1)
    G[own, columns] = g.reshape(costs.shape).swapaxes(0, 1).reshape(k, -1)
    G[columns, own] = G[own, columns].T


def regression(p: Problem, t: int, Y: Matrix, W: Matrix, G: Matrix) -> Solution:
    """Regression weights W and fitted values Q of task t, given Y and related tasks' models."""
    related = G[p.own[t]]
    c = p.mu + p.alpha * related.sum(axis=1)
    return p.ridges[t].towards(Y, W @ (p.alpha * related.T / c), p.lam, c)


def update_memberships(p: Problem, t: int, task: RelationTask) -> RelationTask:
    """Multiplicative step for task t's memberships, with a smaller power if the cost rose.

    With u = Y/Y_old the terms of J are bounded, all touching at u = 1: Y Y'Y by u^4, N Y and
    lambda Y by u^2 <= (u^4 + 1)/2, lambda Q- by u <= (u^4 + 3)/4, and P Y and lambda Q+ from
    below by logarithms. The sum of the bounds is least at the fourth root of the ratio.
    """
    Q = task.Q
    Y, PY, NY, _ = cast(Factor, task.factor)
    up = PY + p.lam * np.maximum(Q, 0.0)
    down = Y @ gram_of(task.factor) + p.lam * (Y + np.maximum(-Q, 0.0))
    if NY is not None:
        down += NY
    ratio = np.divide(up, down, out=np.zeros_like(Y), where=down > VANISHED)
    before = membership_cost(p, task)
    for root in (np.sqrt(ratio), np.sqrt(np.sqrt(ratio))):
        new = RelationTask(Q, factor(p.M[t], Y * root))  # (19)
        if membership_cost(p, new) <= before + LEVEL * (p.sizes[t] + abs(before)):
            break
    return new
