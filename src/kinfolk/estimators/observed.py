"""Tables with missing views: finds missing blocks of NaN and fills them.

A block is the part of one row in one view. A block that is missing is NaN in all of its columns.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Matrix, Table
from kinfolk.errors import InputError
from kinfolk.numerics import content_order, operators


class ObservedRows(NamedTuple):
    """Rows X (n, d) with missing views as 0, the tables per view, and a mask (n, V).

    `there` (n, V) has 1.0 for a block that is there and 0.0 for one that is missing.
    """

    X: Table
    tables: list[Table]
    there: Matrix

    def sorted_tables(self) -> list[Table]:
        """Tables with columns sorted by content: in another order, distances round otherwise."""
        return [content_order.sorted_columns(T) for T in self.tables]

    @property
    def complete(self) -> bool:
        """True if every row has every view."""
        return bool(self.there.all())


def has_nan(X: Table) -> bool:
    """True if any entry is NaN."""
    return bool(np.isnan(operators.entries(X).sum()))  # infinite entries are refused before


def blocks_there(X: Table, columns: list[NDArray[np.integer]], names: list[Any]) -> Matrix:
    """Return 1.0 where a row has a view and 0.0 where all its columns are NaN, (n, V).

    Raises
    ------
    InputError : a block is NaN in some columns only, or a row has no view

    Examples
    --------
    >>> X = np.array([[1.0, np.nan, np.nan], [np.nan, 2.0, 3.0]])
    >>> blocks_there(X, [np.array([0]), np.array([1, 2])], ["a", "b"])
    array([[1., 0.],
           [0., 1.]])
    """
    gaps = np.column_stack([_gaps(X, own) for own in columns])
    sizes = np.array([len(own) for own in columns])
    if (partial := (gaps > 0) & (gaps < sizes)).any():
        i, v = np.argwhere(partial)[0]
        raise InputError(
            f"row {i} of X is NaN in {gaps[i, v]} of the {sizes[v]} columns of view {names[v]!r}; "
            "a view may be missing from a row as a whole: fill in these entries, or make all "
            "columns of the view NaN in this row."
        )
    there = (gaps == 0).astype(float)
    if len(empty := np.flatnonzero(~there.any(axis=1))):
        raise InputError(
            f"{len(empty)} rows of X have no view: all their entries are NaN, the first is row "
            f"{empty[0]}; leave them out."
        )
    return there


def not_empty(X: Table) -> NDArray[np.bool_]:
    """Mark rows (n,) of X (n, d) that have an entry other than NaN.

    >>> not_empty(np.array([[1.0, np.nan], [np.nan, np.nan]]))
    array([ True, False])
    """
    if not has_nan(X):
        return np.ones(X.shape[0], dtype=bool)
    return _gaps(X, np.arange(X.shape[1])) < X.shape[1]


def filled(X: Table) -> Table:
    """Replace NaN by 0; X itself is returned if it has none."""
    if not has_nan(X):
        return X
    if sp.issparse(X):
        whole: Any = X.copy()
        whole.data = np.nan_to_num(whole.data)
        whole.eliminate_zeros()
        return sp.csr_array(whole)
    return np.nan_to_num(X)


def column_means_for_gaps(X: Table) -> Table:
    """Replace NaN by the column's mean (0 if sparse); X itself if it has none.

    >>> column_means_for_gaps(np.array([[1.0, np.nan], [3.0, 4.0]]))
    array([[1., 4.],
           [3., 4.]])
    """
    if sp.issparse(X) or not has_nan(X):
        return filled(X)
    known = ~np.isnan(X)
    sums = np.where(known, X, 0.0).sum(axis=0)
    return np.where(known, X, sums / np.maximum(known.sum(axis=0), 1))


def _gaps(X: Table, columns: NDArray[np.integer]) -> NDArray[np.intp]:
    """Count (n,) the NaN entries of each row in these columns."""
    block: Any = X[:, columns]
    if sp.issparse(X):
        marked: Any = block.copy()
        marked.data = np.isnan(block.data).astype(float)
        return operators.row_sums(marked).astype(np.intp)
    found: NDArray[np.intp] = np.isnan(block).sum(axis=1)
    return found
