"""Columns whose values are lists of numbers, such as embeddings of texts or pictures."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.arguments import shown
from kinfolk.arrays import Matrix
from kinfolk.errors import InputError
from kinfolk.sources import limits

HOW = (
    "give the name of a column of lists, an .npy file or an array with a row for each row of the "
    "tables"
)
"""Advice in errors about embeddings."""

NOT_NUMBERS = (str, bytes, bool, complex, np.bool_, np.datetime64, np.timedelta64)
"""Types of entries that are no numbers, although NumPy would convert them."""


def names(d: int) -> tuple[str, ...]:
    """Make the names of the d columns of embeddings.

    >>> names(2)
    ('embedding 1', 'embedding 2')
    """
    return tuple(f"embedding {j}" for j in range(1, d + 1))


def of_column(file: str, name: str, values: Sequence[Any]) -> Matrix:
    """Convert a column of lists of numbers to an array (n, d).

    Raises
    ------
    InputError : a row has no list, or one of another length, or something else in it

    Examples
    --------
    >>> of_column("t.csv", "vector", ["[1, 2]", [3.5, 4]])
    array([[1. , 2. ],
           [3.5, 4. ]])
    """
    found: list[NDArray[np.float64]] = []
    for row, value in enumerate(values, start=1):
        vector = _vector(value)
        if vector is None:
            raise InputError(
                f"{file}: column {name!r} has no list of numbers in data row {row} "
                f"({shown(value)}): {HOW}."
            )
        if found and len(vector) != len(found[0]):
            raise InputError(
                f"{file}: column {name!r} has {len(found[0])} numbers in data row 1 and "
                f"{len(vector)} in data row {row}: embeddings of all rows need the same length."
            )
        found.append(vector)
    limits.check_named_width(file, len(found[0]) if found else 1)
    return np.array(found) if found else np.empty((0, 1))


def _vector(value: Any) -> NDArray[np.float64] | None:
    """Parse one list of numbers (d,), also from JSON text; None for other values."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if not isinstance(value, list | tuple | np.ndarray) or not _holds_numbers(value):
        return None
    try:
        vector = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    return vector if vector.ndim == 1 and len(vector) else None


def _holds_numbers(value: Any) -> bool:
    """False for a list or array with text, truth values, dates or complex numbers in it."""
    # All of these would become numbers without a word.
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return value.dtype.kind in "iuf"
    return np.ndim(value) > 0 and not any(isinstance(entry, NOT_NUMBERS) for entry in value)
