"""Weights and tasks of rows in blocks, given as column names or as arrays."""

from typing import Any

import numpy as np

from kinfolk.arguments import shown
from kinfolk.blocks import engines
from kinfolk.blocks.sources import is_dask
from kinfolk.errors import InputError
from kinfolk.numerics import backend
from kinfolk.tables import intake
from kinfolk.tables.alignment import some


def column(parameter: str, value: Any, there: list[str] | None) -> str | None:
    """Return the value if it is a column name; None for arrays; InputError if no such column."""
    if not isinstance(value, str):
        return None
    if there is None or value not in there:
        known = "an array has no columns by name" if there is None else f"there are {some(there)}"
        raise InputError(f"{parameter} is {shown(value)}, which is no column: {known}.")
    return value


def columns(given: Any, there: list[str] | None, others: list[str | None]) -> list[str] | None:
    """Return the names of the columns of X: those given, or all but `others`."""
    if there is None:
        if given is not None:
            raise InputError("columns names columns, and an array has none by name; leave it out.")
        return None
    if given is None:
        return [name for name in there if name not in others]
    # A name alone is one column; numbers of columns are names in a frame of Dask.
    given = [str(name) for name in ([given] if isinstance(given, str | int) else given)]
    unknown = [name for name in given if name not in there]
    if unknown or not given:
        raise InputError(
            f"columns has {some(unknown) if unknown else 'no names'}; give some of {some(there)}."
        )
    return given


def in_memory(value: Any) -> Any:
    """Convert Dask and other libraries' arrays to NumPy; return other values unchanged."""
    return engines.computed([value])[0] if is_dask(value) else backend.host(value)


def split(parameter: str, value: Any, sizes: list[int]) -> list[Any]:
    """Split per-row values into those of each block.

    >>> split("tasks", np.array([0, 1, 1]), [2, 1])
    [array([0, 1]), array([1])]
    """
    n = sum(sizes)
    if value is None or isinstance(value, str):
        return [None] * len(sizes)
    if is_dask(value):
        array = value.to_dask_array(lengths=True) if hasattr(value, "to_dask_array") else value
        if np.isnan(array.shape[0]):
            array = array.compute_chunk_sizes()
        _check(parameter, array.shape, n)
        return list(array.rechunk((tuple(sizes),)).to_delayed())
    found = intake.column(value)
    _check(parameter, () if found is None else found.shape, n)
    try:
        numbers = np.asarray(found, dtype=float if parameter == "sample_weight" else np.intp)
    except (TypeError, ValueError):
        raise InputError(f"{parameter} has entries that are no numbers; give n numbers.") from None
    return np.split(numbers, np.cumsum(sizes)[:-1])


def _check(parameter: str, shape: tuple[int, ...], n: int) -> None:
    if shape != (n,):
        raise InputError(
            f"{parameter} has shape {shape} and X has {n} rows; give one value for each row."
        )
