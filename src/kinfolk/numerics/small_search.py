"""Nearest rows by cosine in small dense tables, with the numbers and the order of scikit-learn.

A search among few rows spends nearly all of its time on checks there, and methods of many small
tasks make thousands. Of rows that are equally near the same ones are found, in the same order.
"""

import numpy as np

from kinfolk.arrays import Labels, Matrix, Table

MOST_PAIRS = 2**16
"""Most pairs of rows; of more, the comparisons take most of the time."""


def fits(rows: Table, there: Table) -> bool:
    """True for dense tables (m, d) and (n, d) in double precision of few rows."""
    usual = all(type(X) is np.ndarray and X.dtype == np.float64 for X in (rows, there))
    return usual and rows.shape[0] * there.shape[0] <= MOST_PAIRS


def nearest(rows: Table, l: int, there: Table | None = None) -> tuple[Matrix, Labels]:
    """Cosine distances (m, l) and positions (m, l) of the nearest rows, nearest first.

    Of `there` (n, d), or of the rows (m, d) themselves, where a row is not its own neighbor.

    >>> distances, found = nearest(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), 1)
    >>> found.ravel(), distances.ravel().round(2)
    (array([1, 0, 1]), array([0.29, 0.29, 0.29]))
    """
    itself = there is None
    Z = _unit(rows)
    C = Z @ (Z if there is None else _unit(there)).T
    D = np.clip(1.0 - C, 0.0, 2.0)
    if itself:
        np.fill_diagonal(D, 0.0)
    most = l + itself
    row = np.arange(len(Z))[:, None]
    near = np.argpartition(D, most - 1, axis=1)[:, :most]
    near = near[row, np.argsort(D[row, near])]
    if itself:
        other = near != row
        other[other.all(axis=1), 0] = False  # as many equal rows come first: one of them goes
        near = near[other].reshape(len(Z), l)
    return D[row, near], near


def _unit(X: Table) -> Matrix:
    """Rows of X divided by their lengths, but for lengths that are hardly more than rounding."""
    given = np.ascontiguousarray(X)  # for sums in the order of scikit-learn
    lengths = np.sqrt(np.einsum("ij,ij->i", given, given))
    lengths[lengths < 10 * np.finfo(np.float64).eps] = 1.0
    unit: Matrix = given / lengths[:, None]
    return unit
