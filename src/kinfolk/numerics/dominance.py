"""Shares of single columns and rows in what a clustering method compares.

Of X (n, d), column j and row i have the shares

    distances    sum_i (x_ij - m_j)^2 / S    and    n/(n-1) sum_j (x_ij - m_j)^2 / S
    lengths      sum_i x_ij^2 / S            and    sum_j x_ij^2 / S
    directions   mean over rows of x_ij^2 / |x_i|^2; no row counts more than another

with S the sum of the squares and m the mean row. A far row moves the mean, and has (n-1)/n of the
squared distances from it at most, hence the factor. A column with a share near 1 decides alone
which rows are alike.
"""

from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Matrix, Vector
from kinfolk.numerics import operators

ROUNDING = 1e-14
"""What centring leaves of a constant column, as a share of its mean, is rounding."""


class Shares(NamedTuple):
    """Shares of the columns (d,) and of the rows (n,); 0 where nothing differs."""

    columns: Vector
    rows: Vector


def shares(X: Matrix, compares: str) -> Shares:
    """Shares of columns and rows of a dense X (n, d) for "distances", "lengths" or "directions".

    >>> shares(np.array([[3.0, 0.0], [3.0, 4.0]]), "directions").columns.round(2)
    array([0.68, 0.32])
    >>> shares(np.array([[3.0, 0.0], [3.0, 4.0]]), "distances").columns
    array([0., 1.])
    """
    n, d = X.shape
    mean = operators.mean(X) if compares == "distances" else np.zeros(d)
    columns = np.zeros(d)
    rows = np.zeros(n)
    for block in operators.blocks(n, d):
        squares = np.square(X[block].astype(np.float64) - mean)
        lengths = squares.sum(axis=1)
        if compares == "directions":
            squares /= np.where(lengths > 0, lengths, 1.0)[:, None]
            lengths = np.sign(lengths)
        columns += squares.sum(axis=0)
        rows[block] = lengths
    columns[columns <= n * np.square(ROUNDING * mean)] = 0.0
    moved = n / (n - 1) if compares == "distances" and n > 1 else 1.0
    return Shares(_normalized(columns), moved * _normalized(rows))


def _normalized(sums: Vector) -> Vector:
    """Sums as shares of their total; zeros stay."""
    total = sums.sum()
    return sums / total if total > 0 else sums
