"""Bipartite graph of the rows and columns of a table, normalized by both degrees.

    A = R (X - m 1 1') C,   R = diag(row sums of X - m)^-1/2,   C = diag(column sums of X - m)^-1/2

Symbols  X (n, d), m its least entry, so that no entry of X - m is negative.
Units    none: X times a number, and X plus a number, give the same A.
Exact    X - m is formed for a dense table only. Of a sparse one A = R X C - m (R 1)(C 1)', which
         two products with vectors add to those with X.
Limits   rows and columns with a sum of 0 stay 0. All entries equal: A = 0.
Source   Dhillon (2001), KDD, section 4, for A; Jiang, Chung (2012) for the shift by m.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import distances, operators


class RowColumnGraph(NamedTuple):
    """Normalized matrix A = D_r^-1/2 (X - shift) D_c^-1/2 (n, d), stored as its factors."""

    table: Table
    shift: float
    rows: Vector
    columns: Vector

    def times(self, G: Matrix) -> Matrix:
        """Product A G (n, k) with the matrix A (n, d) of the graph, for G (d, k)."""
        scaled = self.columns[:, None] * G
        product = operators.times(self.table, scaled) - self.shift * scaled.sum(axis=0)
        return np.asarray(self.rows[:, None] * product)

    def crossed(self, F: Matrix) -> Matrix:
        """Product A'F (d, k) with the matrix A (n, d) of the graph, for F (n, k)."""
        scaled = self.rows[:, None] * F
        product = operators.crossed(self.table, scaled) - self.shift * scaled.sum(axis=0)
        return np.asarray(self.columns[:, None] * product)


def least_entry(X: Table) -> float:
    """Smallest entry of X (n, d), counting the implicit zeros of a sparse table.

    >>> least_entry(sp.csr_array([[0.0, 3.0]])), least_entry(np.array([[2.0, 3.0]]))
    (0.0, 2.0)
    """
    return float(X.min())


def graph(X: Table, m: float, columns: Vector | None = None) -> RowColumnGraph:
    """Build the normalized row-column graph of X - m; for new rows `columns` has the scales (d,).

    They are the `columns` of the graph of the fit; None computes them from X. Entries of new rows
    below m count as m.

    >>> A = graph(np.array([[5.0, 1.0], [1.0, 5.0]]), 1.0)
    >>> A.times(np.eye(2))
    array([[1., 0.],
           [0., 1.]])
    """
    X = X.astype(np.float64)
    if sp.issparse(X) and m > 0:
        X = operators.dense(X)  # implicit zeros lie below m, too
    if sp.issparse(X):
        X.data = np.maximum(X.data, m)
        shift = m
    else:
        X = np.maximum(X, m) - m
        shift = 0.0
    n, d = X.shape
    row_sums = operators.times(X, np.ones((d, 1))).ravel() - shift * d
    if columns is None:
        columns = distances.inverse_lengths(np.maximum(operators.sums(X) - shift * n, 0.0))
    return RowColumnGraph(X, shift, distances.inverse_lengths(np.maximum(row_sums, 0.0)), columns)


def normalized(parts: list[RowColumnGraph]) -> Table:
    """Stack the matrices of all tasks' graphs, normalize the stack, and return it (n, d).

    >>> A = graph(np.array([[4.0, 0.0], [0.0, 4.0]]), 0.0)
    >>> normalized([A, A]) * np.sqrt(2)
    array([[1., 0.],
           [0., 1.],
           [1., 0.],
           [0., 1.]])
    """
    formed: list[Any] = [_formed(part) for part in parts]
    stack: Table
    if all(map(sp.issparse, formed)):
        stack = sp.csr_array(sp.vstack(formed))
    else:
        stack = np.vstack([operators.dense(A) for A in formed])
    rows = operators.times(stack, np.ones((stack.shape[1], 1))).ravel()
    columns = distances.inverse_lengths(np.maximum(operators.sums(stack), 0.0))
    scaled = distances.rows_times(stack, distances.inverse_lengths(np.maximum(rows, 0.0)))
    if sp.issparse(scaled):
        return sp.csr_array(scaled @ sp.diags_array(columns))
    return scaled * columns


def _formed(part: RowColumnGraph) -> Table:
    """Compute the graph's matrix A (n, d) explicitly; dense if the shift is not 0."""
    if sp.issparse(part.table) and part.shift == 0:
        scaled = distances.rows_times(part.table, part.rows)
        return sp.csr_array(scaled @ sp.diags_array(part.columns))
    A: Matrix = part.rows[:, None] * (operators.dense(part.table) - part.shift) * part.columns
    return A
