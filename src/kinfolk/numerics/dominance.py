"""Measures how far single columns or rows dominate distances, lengths or directions of rows.

Of X (n, d), column j and row i have the shares

    distances    sum_i (x_ij - m_j)^2 / S    and    n/(n-1) sum_j (x_ij - m_j)^2 / S
    lengths      sum_i x_ij^2 / S            and    sum_j x_ij^2 / S
    directions   mean over rows of x_ij^2 / |x_i|^2; no row counts more than another

with S the sum of the squares and m the mean row. A far row moves the mean, and has (n-1)/n of the
squared distances from it at most, hence the factor. A column with a share near 1 decides alone
which rows are alike.

Shares p_j make 1 / sum_j p_j^2 columns count: d columns of one size count as d, and a column that
is far larger than all others as 1 (the participation ratio, or the inverse Simpson index).
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.numerics import distances, operators

ROUNDING = 1e-14
"""Deviations of a column below this share of its mean are rounding error of the centering."""

NEARLY_ALL = 0.99
"""A column or a row with more than this share of the whole hides all others."""

HALF = 0.5
"""A column with more than this share outweighs all others together."""

# Shaped on wine, penguins, olive and heart in their own units, where z-scores give other clusters,
# and on iris in cm, digits and words, where they do not or give worse ones. Judged on cancer and
# the views of mfeat and msrc-v1 (all warned of, rightly), 14 tables of pixels and words and 10 of
# made groups (none).
FEW = 1 / 3
"""The largest column dominates if the effective number is below this share of varying columns."""


class Shares(NamedTuple):
    """Shares of the columns (d,) and rows (n,) in the total variation; 0 where nothing varies."""

    columns: Vector
    rows: Vector


def shares(X: Matrix, compares: str) -> Shares:
    """Shares of columns and rows of X (n, d) in its "distances", "lengths" or "directions".

    >>> shares(np.array([[3.0, 0.0], [3.0, 4.0]]), "directions").columns.round(2)
    array([0.68, 0.32])
    >>> shares(np.array([[3.0, 0.0], [3.0, 4.0]]), "distances").columns
    array([0., 1.])
    """
    n, d = X.shape
    mean = distances.center(X) if compares == "distances" else np.zeros(d)
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


def effective(columns: Vector) -> float:
    """Effective number of columns with these shares (d,), as if all were equal; 0 if all are 0.

    >>> effective(np.array([0.5, 0.5, 0.0])), round(effective(np.array([0.9, 0.05, 0.05])), 2)
    (2.0, 1.23)
    """
    total = float(np.sum(np.square(columns)))
    return 1.0 / total if total > 0 else 0.0


def dominant(columns: Vector) -> int | None:
    """Position of a column that dominates the others by its unit of measurement, or None.

    It has nearly the whole, or more than all others together while the columns count as less than
    a third of those that differ: in one unit a column may be the largest, but hardly by so much.

    >>> dominant(np.array([0.1, 0.7, 0.1, 0.1])), dominant(np.array([0.02] * 15 + [0.7]))
    (None, 15)
    """
    largest = int(columns.argmax())
    n_different = np.count_nonzero(columns)
    few = columns[largest] > HALF and effective(columns) < FEW * n_different
    return largest if n_different > 1 and (columns[largest] > NEARLY_ALL or few) else None


def _normalized(sums: Vector) -> Vector:
    """Divide sums by their total; all zeros stay zeros."""
    total = sums.sum()
    return sums / total if total > 0 else sums


def deciding_column(X: Table, labels: Labels) -> int | None:
    """Position of the one column of dense X (n, d) whose values are the clusters, or None.

    It has one value in each cluster and differs between them; every other column that is not
    constant, at least one, varies inside a cluster.

    >>> deciding_column(np.array([[1.0, 5.0], [2.0, 5.0], [2.1, 7.0]]), np.array([0, 0, 1]))
    1
    """
    if sp.issparse(X):
        return None
    parts = [X[labels == c] for c in np.unique(labels)]
    lowest = np.array([part.min(axis=0) for part in parts])
    highest = np.array([part.max(axis=0) for part in parts])
    constant = (lowest == highest).all(axis=0) & (lowest != lowest[0]).any(axis=0)
    varies = (lowest != highest).any(axis=0)
    return int(constant.argmax()) if constant.sum() == 1 and varies.any() else None
