"""Optimal transport plan between two small discrete distributions.

    min over R >= 0   sum_kl R[k,l] C[k,l]   with   R 1 = a,  R'1 = b                    (1)

by successive shortest paths. Each path goes from a row with mass left to a column with room left,
forwards along any pair and backwards along pairs that already carry mass, and is the cheapest such
path; with multipliers u and v the reduced costs C - u - v never fall below 0 and are 0 where R > 0,
which proves (1) at the end. Masses are whole numbers: no sum is rounded, so marginals are exact,
and a plan is no worse for costs that are all tiny or differ by many powers of ten.

Symbols     C (k, l) costs >= 0, a (k,) and b (l,) whole numbers >= 0 with the same sum.
Limits      a = 1, b = 1: the best one-to-one pairing.
Source      Ford, Fulkerson, Flows in Networks (1962); with multipliers: Edmonds, Karp, J. ACM 19
            (1972). General solvers stop at costs of 1e-7 and masses of 1e-7.

Plans are small, a few clusters by a few clusters, and solved by the thousand: lists of Python
numbers take a tenth of the time that calls on such small arrays do.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Labels, Matrix


class _Problem(NamedTuple):
    """Costs and plan so far (k lists of l), masses left (k) and room (l), multipliers u and v."""

    C: list[list[float]]
    R: list[list[int]]
    left: list[int]
    room: list[int]
    u: list[float]
    v: list[float]


class _Search(NamedTuple):
    """Shortest path distances to rows (k) and columns (l), inf where not computed.

    `via_row[j]` is the row before column j, `via_column[i]` the column before row i, -1 for a row
    with mass left; `end` is the column that was looked for.
    """

    rows: list[float]
    columns: list[float]
    via_column: list[int]
    via_row: list[int]
    end: int


def plan(C: Matrix, a: Labels, b: Labels) -> Matrix:
    """Transport plan R (k, l) of least cost <R, C> with row sums a and column sums b.

    >>> plan(np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 2.0]]), np.array([3, 3]), np.array([2, 2, 2]))
    array([[2., 1., 0.],
           [0., 1., 2.]])
    """
    k, l = C.shape
    R = [[0] * l for _ in range(k)]
    p = _Problem(C.tolist(), R, a.tolist(), b.tolist(), [0.0] * k, C.min(axis=0).tolist())
    while any(p.left):
        found = _search(p)
        length = found.columns[found.end]
        p.u[:] = [u + max(length - path, 0.0) for u, path in zip(p.u, found.rows, strict=True)]
        p.v[:] = [v - max(length - path, 0.0) for v, path in zip(p.v, found.columns, strict=True)]
        _send(p, found)
    return np.array(R, dtype=float)


def _search(p: _Problem) -> _Search:
    """Find the shortest path from any row with mass left to a column with capacity (Dijkstra)."""
    rows = [0.0 if mass else inf for mass in p.left]
    columns = [inf] * len(p.v)
    via_column = [-1] * len(rows)
    via_row = [-1] * len(columns)
    open_columns = list(range(len(columns)))
    new = [i for i, mass in enumerate(p.left) if mass]
    length = 0.0
    while True:
        for i in new:
            costs, sent, u, v = p.C[i], p.R[i], p.u[i], p.v
            for j in open_columns:
                # The reduced cost is 0 where mass is sent, and nowhere negative, but for rounding.
                step = 0.0 if sent[j] else costs[j] - u - v[j]
                reached = length + step if step > 0.0 else length
                if reached < columns[j]:
                    columns[j] = reached
                    via_row[j] = i
        end = min(open_columns, key=columns.__getitem__)
        length = columns[end]
        if p.room[end]:
            # Columns that were not passed keep their multipliers.
            return _Search(rows, columns, via_column, via_row, end)
        open_columns.remove(end)
        # Mass may be taken back from the rows that send it here, at no reduced cost.
        new = [i for i, sent in enumerate(p.R) if sent[end] and rows[i] == inf]
        for i in new:
            rows[i] = length
            via_column[i] = end


def _send(p: _Problem, found: _Search) -> None:
    """Send as much mass as possible along the path; changes the problem in place."""
    forwards = []
    backwards = []
    j = found.end
    while True:
        i = found.via_row[j]
        forwards.append((i, j))
        j = found.via_column[i]
        if j < 0:
            break
        backwards.append((i, j))
    mass = min([p.left[i], p.room[found.end], *(p.R[row][column] for row, column in backwards)])
    for row, column in forwards:
        p.R[row][column] += mass
    for row, column in backwards:
        p.R[row][column] -= mass
    p.left[i] -= mass
    p.room[found.end] -= mass
