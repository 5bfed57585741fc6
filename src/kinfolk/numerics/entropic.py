"""Entropic (softmax) memberships, their weighted sums and objective, in one pass over rows.

For centers V, beta >= 0 and offsets c, the memberships are

    U[i,k] = exp(-beta E[i,k]) / sum_j exp(-beta E[i,j]),  E[i,k] = |X[i] - V[k]|^2 + c[k].

Centers are updated from the sums U'1 and U'X, and the objective needs U only through

    min over U of  sum_ik U[i,k] E[i,k] + (1/beta) sum_ik U[i,k] log U[i,k]
        = -(1/beta) sum_i log sum_k exp(-beta E[i,k]),

so that rows are read once per sweep, in blocks that stay in the cache, and only `mixture` forms
U (n, k).

Exact  |X[i]|^2 is the same for all k and cancels from U. Distances are counted from those to an
       origin near the rows, |X[i] - V[k]|^2 - |X[i] - origin|^2, whose rounding grows with the
       distance of the rows from zero only linearly. Blocks are computed in the precision of X;
       sums over blocks are added in double precision, in the order of the rows, whatever the
       number of threads.
"""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.numerics import backend, distances, memberships, operators, starts

P = TypeVar("P")

STEEP = 1e15
"""Scores with larger weights are computed in double precision, where they cannot overflow."""


class Moments(NamedTuple):
    """Weighted sums over rows for weights P (n, k): total weight P'1 (k,) and P'X (k, d)."""

    mass: Vector
    sums: Matrix

    def scaled(self, factor: float) -> "Moments":
        """Return the sums for weights factor * P."""
        return Moments(factor * self.mass, factor * self.sums)

    def plus(self, other: "Moments") -> "Moments":
        """Return the sums over both sets of rows together."""
        return Moments(self.mass + other.mass, self.sums + other.sums)

    def means(self, fallback: Vector) -> Matrix:
        """Weighted means (k, d); clusters without weight get `fallback` (d,).

        >>> Moments(np.array([2.0, 0.0]), np.array([[6.0], [0.0]])).means(np.array([7.0]))
        array([[3.],
               [7.]])
        """
        empty = self.mass <= 0
        means = self.sums / np.where(empty, 1.0, self.mass)[:, None]
        means[empty] = fallback
        return means


class Rule(NamedTuple):
    """Parameters of memberships: centers V (k, d), beta, offsets c (k,), inf to drop a cluster."""

    V: Matrix
    beta: float
    offsets: Vector


def moments(
    X: Table, rule: Rule, origin: Vector, weight: Vector | None = None
) -> tuple[Moments, float]:
    """Sums of rows by softmax membership, and the log-partition function relative to `origin`.

    With weights (n,) of the rows both are weighted sums.

    >>> X = np.array([[0.0], [1.0]])
    >>> found, log_sum = moments(X, Rule(X, 0.0, np.zeros(2)), np.zeros(1))
    >>> found.mass, found.sums.ravel(), log_sum
    (array([1., 1.]), array([0.5, 0.5]), 1.38629)
    """
    W, bias = _scores(X, rule, origin)
    k = len(W)
    if backend.is_other(X):
        return _moments_elsewhere(X, W, bias, weight)

    def part(rows: slice) -> tuple[Vector, Matrix, float]:
        x = X[rows]
        w = None if weight is None else weight[rows]
        if sp.issparse(x):
            U, log_sum = _softmax(x, W, bias, weight=w)
            return U.sum(axis=1), np.asarray((x.T @ U.T).T), log_sum
        spare = -k % 4 if W.dtype == np.float32 else 0  # its products take rows by four
        U, log_sum = _softmax(x, W, bias, spare, w)
        return U[:k].sum(axis=1), (U @ x)[:k], log_sum

    mass = np.zeros(k)
    sums = np.zeros(rule.V.shape)
    total = 0.0
    for m, s, log_sum in _mapped(part, _blocks(X, k)):
        mass += m
        sums += s
        total += log_sum
    return Moments(mass, sums), total


def mixture(X: Table, parts: Sequence[tuple[float, Rule]]) -> Matrix:
    """Weighted sum (n, k) of the memberships under several rules.

    >>> rule = Rule(np.array([[0.0], [9.0]]), 1.0, np.zeros(2))
    >>> mixture(np.zeros((1, 1)), [(0.5, rule), (0.5, rule._replace(beta=0.0))])
    array([[0.75, 0.25]])
    """
    k = len(parts[0][1].V)
    scores = [(weight, *_scores(X, rule, rule.V.mean(axis=0))) for weight, rule in parts]
    B = np.zeros((X.shape[0], k), dtype=backend.precision(X))
    if backend.is_other(X):
        for weight, W, bias in scores:
            B += weight * backend.host(_elsewhere(X, W, bias)[0])
        return B

    def part(rows: slice) -> None:
        for weight, W, bias in scores:
            U = _softmax(X[rows], W, bias)[0]
            B[rows] += (weight * U).T

    _mapped(part, _blocks(X, k))
    return B


def rounding(X: Table, gamma: float) -> float:
    """Bound on the rounding error of the free energy by `moments`, in units of gamma.

    >>> rounding(np.ones((2, 3), dtype=np.float32), 1.0)
    4.768e-07
    """
    squares = backend.total(distances.squared_norms(X))
    kind = backend.precision(X)
    return rounding_of(squares, distances.scatter(X), X.shape[0], gamma, kind)


def rounding_of(squares: float, scatter: float, mass: float, gamma: float, kind: np.dtype) -> float:
    """Bound on the free energy's rounding error from sums of squares, weight and precision.

    >>> rounding_of(6.0, 6.0, 2.0, 1.0, np.dtype(np.float32))
    1.907e-06
    """
    # A score errs by some eps of its terms, of which gamma times the largest is |V - origin| |x|,
    # and the logarithm of a scale by some eps; errors of different rows partly cancel.
    return 2.0 * float(np.finfo(kind).eps) * (math.sqrt(squares * scatter) + gamma * mass)


def nearest(X: Table, V: Matrix, offsets: Vector) -> Labels:
    """Index (n,) of the center k with the smallest |X[i] - V[k]|^2 + c[k].

    >>> nearest(np.array([[0.4]]), np.array([[0.0], [1.0]]), np.array([0.5, 0.0]))
    array([1])
    """
    labels = np.empty(X.shape[0], dtype=int)
    for rows in _blocks(X, len(V)):
        D = distances.squared(backend.taken(X, rows), V)
        labels[rows] = backend.lowest(D + backend.beside(offsets, D))
    return labels


COLD = 0.01
"""Temperature of clusters without variance, as a share of the least squared distance of two.

At high temperatures centers coincide, and near where they begin to sweeps become ever smaller.
"""


def temperature(X: Table, k: int, seed: int, weight: Vector | None = None) -> float:
    """Temperature chosen from X (n, d): twice the variance per feature within k-means clusters.

    Where rows equal their centers it is `COLD` times the least squared distance of two centers, and
    1 if there is one alone. With weights (n,) of the rows both k-means and variance are weighted.

    >>> temperature(np.array([[0.0], [2.0], [8.0], [10.0]]), 2, 0)
    2.0
    """
    labels = starts.kmeans(X, k, seed, weight=weight)
    Y = memberships.indicator(labels, k)
    V = memberships.centers(X, Y if weight is None else Y * weight[:, None])
    inside = 0.0
    for rows in _blocks(X, k):
        D = distances.squared(X[rows], V)
        own = np.take_along_axis(D, labels[rows, None], axis=1)
        inside += float(own.sum() if weight is None else weight[rows] @ own[:, 0])
    mass = X.shape[0] if weight is None else float(weight.sum())
    least = _rounding_of_distances(V, X.shape[0])
    if inside > least * mass:
        return 2.0 * inside / mass / X.shape[1]
    used = V[np.unique(labels)]
    apart = distances.squared(used, used)
    apart = apart[apart > least]
    return COLD * float(apart.min()) if len(apart) else 1.0


def _rounding_of_distances(V: Matrix, n: int) -> float:
    """Squared distance of n rows from their means V (k, d) that may be rounding alone."""
    eps = float(np.finfo(np.float64).eps)
    # Of the products that distances are made of, and of the sums that means are made of.
    products = 8.0 * eps * float(distances.squared_norms(distances.nearby(V, V)[1]).max())
    return max(products, (n * eps / 4.0) ** 2 * float(distances.squared_norms(V).max()))


def _scores(X: Table, rule: Rule, origin: Vector) -> tuple[Matrix, Matrix]:
    """Weights W (k, d) and bias (k, 1) that give log memberships up to a constant per row."""
    A = rule.V - origin
    bias = -np.where(
        np.isinf(rule.offsets),
        np.inf,
        rule.beta * (np.einsum("ij,ij->i", A, rule.V + origin) + rule.offsets),
    )
    W = 2.0 * rule.beta * A
    # exp of single precision needs scores that single precision can hold.
    steepest = max(abs(W).max(), abs(bias[np.isfinite(bias)]).max(initial=0.0) / STEEP)
    kind = backend.precision(X) if steepest < STEEP else np.dtype(np.float64)
    return W.astype(kind), bias[:, None].astype(kind)


def _softmax(
    x: Table, W: Matrix, bias: Matrix, spare: int = 0, weight: Vector | None = None
) -> tuple[Matrix, float]:
    """Memberships (k, m) of a block of m rows, and the sum of the log normalizers.

    They are followed by `spare` rows of zeros. Weights (m,) multiply both.
    """
    k = len(W)
    padded = np.zeros((k + spare, x.shape[0]), dtype=W.dtype)
    U = np.add((x @ W.T).T, bias, out=padded[:k])
    top = U.max(axis=0)
    U -= top
    np.exp(U, out=U)
    scale = U.sum(axis=0)
    if weight is not None:
        log_sum = float(weight @ top.astype(np.float64)) + float(weight @ np.log(scale))
        U *= weight / scale
        return padded, log_sum
    log_sum = float(top.sum(dtype=np.float64)) + float(np.log(scale).sum(dtype=np.float64))
    U *= np.divide(1.0, scale, out=scale)
    return padded, log_sum


def _elsewhere(X: Any, W: Matrix, bias: Matrix) -> tuple[Any, Any]:
    """Softmax memberships (n, k) and log normalizers (n,) for another library's rows."""
    xp = backend.namespace(X)
    W, bias = (backend.beside(small, X) for small in (W, bias))
    scores = xp.astype(X, W.dtype, copy=False) @ W.T + bias.T
    top = xp.max(scores, axis=1, keepdims=True)
    U = xp.exp(scores - top)
    scale = xp.sum(U, axis=1, keepdims=True)
    return U / scale, (top + xp.log(scale))[:, 0]


def _moments_elsewhere(
    X: Any, W: Matrix, bias: Matrix, weight: Vector | None
) -> tuple[Moments, float]:
    """Sums of rows by softmax membership, as `moments`, for another library's rows."""
    xp = backend.namespace(X)
    U, logs = _elsewhere(X, W, bias)
    if weight is not None:
        U = U * xp.astype(backend.beside(weight, X), U.dtype, copy=False)[:, None]
    mass = backend.host(xp.sum(U, axis=0, dtype=xp.float64))
    return Moments(mass, operators.crossed(X, U).T), backend.total(logs, weight)


def _blocks(X: Table, k: int) -> list[slice]:
    """Slices of n rows that fit in the cache with their memberships (4 MB in double precision)."""
    n, d = X.shape
    if backend.is_other(X):  # a device has no such cache, and waits between its calls
        return [slice(0, n)]
    return operators.blocks(n, 4 * max(k, X.nnz // n if sp.issparse(X) else d))


def _mapped(work: Callable[[slice], P], parts: list[slice]) -> list[P]:
    """Apply a function to each part in threads, as many as BLAS would use; results in order."""
    if len(parts) == 1:
        return [work(parts[0])]
    # One thread per block beats threads within products that are this small.
    found = _libraries()
    threads = max((lib["num_threads"] for lib in found.info()), default=1)
    with found.limit(limits=1):
        if threads == 1:
            return [work(part) for part in parts]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(work, parts))


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")
