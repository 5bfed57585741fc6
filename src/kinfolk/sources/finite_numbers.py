"""Refuses numbers of a table that are missing, infinite or too large, with their location."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Table
from kinfolk.errors import InputError
from kinfolk.tables import columns
from kinfolk.tables.columns import Column

LARGEST = 1e100
"""Largest size of a number that is read: sums of its squares are still finite."""

PIECE = 2**20
"""Numbers that are checked at a time."""


def checked(file: str, names: Sequence[str], X: Table) -> Table:
    """Return X; InputError with the location of the first entry that is not finite."""
    values = X.data if sp.issparse(X) else X.ravel()
    first = _first_wrong(values)
    if first is None:
        return X
    if sp.issparse(X):
        # Row i holds the stored entries from indptr[i] up to indptr[i + 1].
        row = int(np.searchsorted(X.indptr, first, side="right")) - 1
        column = X.indices[first]
    else:
        row, column = divmod(first, X.shape[1])
    if not np.isnan(values[first]):
        raise infinite(file, row, names[column])
    raise InputError(
        f"{file}: data row {row + 1} has nothing (or not a number) in column {names[column]!r}: "
        "fill the gap, or drop the row or the column."
    )


def _first_wrong(values: NDArray[Any]) -> int | None:
    """Position of the first entry that is NaN, infinite or too large; None without any."""
    # Piece by piece: absolute values of all would be a second table.
    for start in range(0, len(values), PIECE):
        piece = np.abs(values[start : start + PIECE]).astype(float, copy=False)
        wrong = np.flatnonzero(~(piece <= LARGEST))
        if len(wrong):
            return start + int(wrong[0])
    return None


def infinite(file: str, row: int, name: str) -> InputError:
    """Build the error for an infinite number in a row (from 0) of a column."""
    return InputError(
        f"{file}: data row {row + 1} has an infinite number in column "
        f"{name!r} (or one beyond 1e100): correct it or leave it empty, or leave the column out."
    )


def row_of_infinite(column: Column) -> int | None:
    """Position of the first number of a column that is infinite or too large; None without any.

    >>> row_of_infinite(Column("days", "number", "", np.array([1.0, np.nan, np.inf])))
    2
    """
    if column.values.dtype.kind != "f":
        return None
    too_large = np.abs(column.values) > LARGEST
    return int(too_large.argmax()) if too_large.any() else None


def unclear_if_infinite(column: Column) -> Column:
    """Return a column as unclear, with the reason, if it has an infinite number.

    >>> unclear_if_infinite(Column("days", "number", "", np.array([1.0, np.inf]))).reason
    "data row 2 has an infinite number (or one beyond 1e100): correct it or leave it empty, or leave
    the column out (kf.read(..., ignore=['days']))"
    """
    row = row_of_infinite(column)
    if row is None:
        return column
    reason = (
        f"data row {row + 1} has an infinite number (or one beyond 1e100): correct it or leave it "
        f"empty, or leave the column out ({columns.left_out(column.name)})"
    )
    return replace(column, kind=columns.UNCLEAR, reason=reason)
