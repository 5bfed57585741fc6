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
"""

from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Labels, Matrix, Vector


class _Search(NamedTuple):
    """Shortest path distances to rows (k,) and columns (l,), inf where not computed.

    `via_row[j]` is the row before column j, `via_column[i]` the column before row i, -1 for a row
    with mass left; `end` is the column that was looked for.
    """

    rows: Vector
    columns: Vector
    via_column: Labels
    via_row: Labels
    end: int


def plan(C: Matrix, a: Labels, b: Labels) -> Matrix:
    """Transport plan R (k, l) of least cost <R, C> with row sums a and column sums b.

    >>> plan(np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 2.0]]), np.array([3, 3]), np.array([2, 2, 2]))
    array([[2., 1., 0.],
           [0., 1., 2.]])
    """
    R = np.zeros(C.shape)
    left = a.astype(float)
    room = b.astype(float)
    u = np.zeros(len(a))
    v = C.min(axis=0)
    while left.any():
        reduced = np.maximum(C - u[:, None] - v, 0.0)
        reduced[R > 0] = 0.0  # but for rounding
        found = _search(reduced, R, left, room)
        length = found.columns[found.end]
        u += np.maximum(length - found.rows, 0.0)
        v -= np.maximum(length - found.columns, 0.0)
        _send(R, left, room, found)
    return R


def _search(reduced: Matrix, R: Matrix, left: Vector, room: Vector) -> _Search:
    """Find the shortest path from any row with mass left to a column with capacity (Dijkstra)."""
    k, l = reduced.shape
    rows = np.where(left > 0, 0.0, np.inf)
    columns = np.full(l, np.inf)
    via_column = np.full(k, -1)
    via_row = np.full(l, -1)
    open_columns = np.ones(l, dtype=bool)
    new = np.flatnonzero(left > 0)
    length = 0.0
    while True:
        for i in new:
            closer = open_columns & (length + reduced[i] < columns)
            columns[closer] = length + reduced[i, closer]
            via_row[closer] = i
        end = int(np.where(open_columns, columns, np.inf).argmin())
        length = columns[end]
        if room[end] > 0:
            # Columns that were not passed keep their multipliers.
            return _Search(rows, columns, via_column, via_row, end)
        open_columns[end] = False
        # Mass may be taken back from the rows that send it here, at no reduced cost.
        new = np.flatnonzero((R[:, end] > 0) & np.isinf(rows))
        rows[new] = length
        via_column[new] = end


def _send(R: Matrix, left: Vector, room: Vector, found: _Search) -> None:
    """Send as much mass as possible along the path; changes R, left and room in place."""
    forwards = []
    backwards = []
    j = found.end
    while True:
        i = int(found.via_row[j])
        forwards.append((i, j))
        j = int(found.via_column[i])
        if j < 0:
            break
        backwards.append((i, j))
    mass = min([left[i], room[found.end], *(R[pair] for pair in backwards)])
    for pair in forwards:
        R[pair] += mass
    for pair in backwards:
        R[pair] -= mass
    left[i] -= mass
    room[found.end] -= mass
