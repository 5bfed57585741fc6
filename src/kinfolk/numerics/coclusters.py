"""Information-theoretic co-clustering of several tables with the same columns.

Table t, divided by its sum, is a joint distribution p_t of rows x and columns z. Rows have clusters
r_t of their own in each table, and columns have clusters c that all tables share. Minimize

    J = sum_t w_t ( I_t(X; Z) - I_t(R; C) )                                          (5)

the information about columns that rows lose with their clusters. Each term is the divergence of
p_t from p~_t(x, z) = B_t(r, c) p_t(x)/p_t(r) p_t(z)/p_t(c), where B_t(r, c) is the sum of a block
(6)-(9). Coordinate steps, each with new sums of blocks after it:

    r_t(x) = argmax_r  sum_c p_t(x, c) log( B_t(r, c) / B_t(r, .) )                  (14), (15)
    c(z)   = argmax_c  sum_t w_t sum_r p_t(r, z) log( B_t(r, c) / B_t(., c) )        (16)

where p_t(x, c) and p_t(r, z) add up the columns and the rows of a cluster. They are the minima of
divergences in (14)-(16) without their terms that do not depend on the cluster.

Symbols     X (n, d), k clusters of rows, m of columns, P (n, m) the p(x, c), Q (k, d) the p(r, z),
            B (k, m).
Units       J in nats; none in X, since only shares of its sum count.
Exact       J never rises. log 0 is -infinity in each table by itself, where mass would meet it:
            a cluster of columns without mass in one table is not free there for columns with mass.
            A row or column whose best cluster is not better than its own, keeps its own.
Cost        O(nnz) for each P and Q, then n m k and d k m.
Source      Dhillon, Mallela, Modha (2003), KDD, for one table; Dai, Yang, Xue, Yu (2008), ICML,
            (5)-(9), (14)-(16) for two.
Departures  sums over more tables than two are ours.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.numerics import memberships, operators

TIE = 1e-12
"""Scores that differ by this share of the mass of a row or column are equal but for rounding."""


class Domain(NamedTuple):
    """One table (n, d) of non-negative numbers, its number of row clusters, and its weight.

    The rows of a `fixed` domain keep the clusters of the start.
    """

    X: Table
    k: int
    weight: float = 1.0
    fixed: bool = False

    @property
    def total(self) -> float:
        """Sum of the table's entries; 1 for a table of zeros."""
        return float(np.sum(operators.entries(self.X), dtype=np.float64)) or 1.0


class State(NamedTuple):
    """Row clusters of each table, shared column clusters, and the tables' block sums B_t (k, m)."""

    rows: tuple[Labels, ...]
    columns: Labels
    blocks: tuple[Matrix, ...]


class Problem(NamedTuple):
    """Tables with the same columns, number m of column clusters, mutual information of each."""

    domains: tuple[Domain, ...]
    m: int
    information: tuple[float, ...]


def problem(domains: Sequence[Domain], m: int) -> Problem:
    """Set up co-clustering of these tables; computes the mutual information of each.

    >>> problem([Domain(np.eye(2), 2)], 2).information
    (0.6931,)
    """
    return Problem(tuple(domains), m, tuple(mutual_information(domain.X) for domain in domains))


def by_columns(X: Table, columns: Labels, m: int) -> Matrix:
    """Add up the columns of X (n, d) that share a cluster, giving (n, m), in double precision.

    >>> by_columns(np.array([[1.0, 2.0, 4.0]]), np.array([1, 0, 1]), 2)
    array([[2., 5.]])
    """
    if not sp.issparse(X):
        return operators.times(X, memberships.indicator(columns, m))
    n = X.shape[0]
    places = np.repeat(np.arange(n) * m, np.diff(X.indptr)) + columns[X.indices]
    return np.asarray(np.bincount(places, X.data, n * m), dtype=np.float64).reshape(n, m)


def by_rows(X: Table, rows: Labels, k: int) -> Matrix:
    """Add up the rows of X (n, d) that share a cluster, giving (k, d), in double precision.

    >>> by_rows(np.array([[1.0], [2.0], [4.0]]), np.array([1, 0, 1]), 2)
    array([[2.],
           [5.]])
    """
    if not sp.issparse(X):
        return operators.crossed(memberships.indicator(rows, k), X)
    d = X.shape[1]
    places = np.repeat(rows.astype(np.intp) * d, np.diff(X.indptr)) + X.indices
    return np.asarray(np.bincount(places, X.data, k * d), dtype=np.float64).reshape(k, d)


def mutual_information(X: Table) -> float:
    """Mutual information in nats between rows and columns of a table, scaled to sum 1.

    >>> mutual_information(np.array([[3.0, 0.0], [0.0, 3.0]]))
    0.6931
    >>> mutual_information(np.array([[1.0, 2.0], [2.0, 4.0]]))
    0.0
    """
    total = float(np.sum(operators.entries(X), dtype=np.float64))
    if total == 0:
        return 0.0
    in_rows = np.asarray(X.sum(axis=1, dtype=np.float64)).ravel() / total
    terms = (operators.entries(X), total), (in_rows, 1.0), (operators.sums(X), total)
    joint, rows, columns = (_entropy(np.asarray(p, dtype=np.float64) / size) for p, size in terms)
    found = rows + columns - joint
    # The difference of entropies has their rounding.
    return found if found > TIE * (rows + columns) else 0.0


def _entropy(p: np.ndarray) -> float:
    p = p[p > 0]
    return float(-np.sum(p * np.log(p)))


def logarithms(B: Matrix, axis: int) -> tuple[Matrix, Matrix]:
    """Logarithms (k, m) of B over its sums along an axis, with 0 for log 0, and a mask of these.

    >>> logarithms(np.array([[1.0, 1.0], [0.0, 3.0]]), axis=1)
    (array([[-0.6931, -0.6931],
           [ 0.    ,  0.    ]]), array([[0., 0.],
           [1., 0.]]))
    """
    sums = np.broadcast_to(B.sum(axis=axis, keepdims=True), B.shape)
    shares = np.divide(B, sums, out=np.ones_like(B), where=B > 0)
    return np.log(shares), (B <= 0).astype(float)


def row_scores(P: Matrix, B: Matrix) -> Matrix:
    """Score (n, k) of each row, with sums P (n, m) by column cluster, in each row cluster."""
    logs, never = logarithms(B, axis=1)
    scores = P @ logs.T
    if never.any():
        np.copyto(scores, -np.inf, where=P @ never.T > 0)
    return scores


def column_scores(Q: Sequence[Matrix], B: Sequence[Matrix], weights: Sequence[float]) -> Matrix:
    """Score (d, m) of putting each column, with sums Q_t (k, d), in each column cluster."""
    scores = np.zeros((Q[0].shape[1], B[0].shape[1]))
    for q, b, weight in zip(Q, B, weights, strict=True):
        logs, never = logarithms(b, axis=0)
        scores += weight * (q.T @ logs)
        if never.any():
            np.copyto(scores, -np.inf, where=q.T @ never > 0)
    return scores


def improved(scores: Matrix, mass: Vector, current: Labels) -> Labels:
    """Clusters (n,) with the best score in (n, k); a row keeps its cluster unless one is better.

    >>> improved(np.array([[-1.0, -1.0], [-2.0, -1.0]]), np.ones(2), np.array([1, 0]))
    array([1, 1])
    """
    i = np.arange(len(scores))
    best = scores.argmax(axis=1)
    # A row of the table has a finite score in its own cluster, whose blocks contain its mass.
    better = scores[i, best] > scores[i, current] + TIE * mass
    return np.where(better, best, current)


def nearest(P: Matrix, B: Matrix) -> Labels:
    """Assign rows with sums P (n, m) by column cluster to the row cluster of the largest score.

    If no cluster has mass in all column clusters of a row, those that miss the least of it count,
    and the score is that of the other mass. Mass in column clusters where the whole table has none
    is ignored.

    >>> B = np.array([[0.5, 0.1, 0.0], [0.1, 0.3, 0.0]])
    >>> nearest(np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 7.0], [0.0, 0.0, 1.0]]), B)
    array([0, 1, 0])
    """
    known = B.sum(axis=0) > 0
    P, B = P[:, known], B[:, known]
    logs, never = logarithms(B, axis=1)
    never[B.sum(axis=1) <= 0] = 2.0  # a cluster without rows is the last choice
    missed = P @ never.T
    slack = TIE * P.sum(axis=1, keepdims=True)
    least = missed <= missed.min(axis=1, keepdims=True) + slack
    scores = np.where(least, P @ logs.T, -np.inf)
    return (scores >= scores.max(axis=1, keepdims=True) - slack).argmax(axis=1)


def state(p: Problem, rows: Sequence[Labels], columns: Labels) -> State:
    """Build the state for given row and column clusters, with the sums of their blocks."""
    sums = [by_columns(domain.X, columns, p.m) for domain in p.domains]
    return State(tuple(rows), columns, _blocks(p, sums, rows))


def _blocks(p: Problem, sums: Sequence[Matrix], rows: Sequence[Labels]) -> tuple[Matrix, ...]:
    return tuple(
        by_rows(P, own, domain.k) / domain.total
        for P, own, domain in zip(sums, rows, p.domains, strict=True)
    )


def sweep(p: Problem, s: State) -> State:
    """Update the column clusters, then the row clusters of each table that are not fixed."""
    columns = column_step(p, s)
    sums = [by_columns(domain.X, columns, p.m) for domain in p.domains]
    blocks = _blocks(p, sums, s.rows)
    rows = tuple(
        own if domain.fixed else improved(row_scores(P, B), P.sum(axis=1), own)
        for P, B, own, domain in zip(sums, blocks, s.rows, p.domains, strict=True)
    )
    return State(rows, columns, _blocks(p, sums, rows))


def column_step(p: Problem, s: State) -> Labels:
    """Update the column clusters (d,), given the row clusters."""
    Q = [
        by_rows(domain.X, own, domain.k) / domain.total
        for domain, own in zip(p.domains, s.rows, strict=True)
    ]
    weights = [domain.weight for domain in p.domains]
    mass = np.add.reduce([w * q.sum(axis=0) for w, q in zip(weights, Q, strict=True)])
    return improved(column_scores(Q, s.blocks, weights), mass, s.columns)


def losses(p: Problem, s: State) -> list[float]:
    """Mutual information that the co-clusters of each table lose, in nats."""
    kept = map(mutual_information, s.blocks)
    lost = (max(whole - part, 0.0) for whole, part in zip(p.information, kept, strict=True))
    return [
        loss if loss > TIE * whole else 0.0 for loss, whole in zip(lost, p.information, strict=True)
    ]


def objective(p: Problem, s: State) -> float:
    """Weighted sum of the mutual information lost by the tables' co-clusters, in nats."""
    return sum(d.weight * loss for d, loss in zip(p.domains, losses(p, s), strict=True))


def scale(p: Problem) -> float:
    """Weighted sum of the tables' mutual information: the scale for tolerances of the objective."""
    return sum(d.weight * whole for d, whole in zip(p.domains, p.information, strict=True))
