"""Converts tables and columns of any container: frames, arrays, sparse matrices, lists.

A table is a data frame of any library, a NumPy array or what becomes one, a matrix or array of
SciPy, or a list of rows. A column is one value per row, in as many forms. Masked and missing
entries become NaN, dates and texts are refused, and a column of pandas whose index differs from
that of the table is put in the order of the table.
"""

import datetime
import math
import os
from collections.abc import Iterator, Mapping, Sequence, Set, Sized
from typing import Any, cast

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arguments import shown, type_of
from kinfolk.arrays import MatrixLike, Table
from kinfolk.errors import InputError, RowOrderWarning, warn_user
from kinfolk.numerics import backend, sparse_format
from kinfolk.tables import alignment

_WANTED = "give a data frame, an array, a sparse matrix or a list of rows"

_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
"""Types of dates and durations among Python objects."""

_FOR_DATES = "replace dates by numbers, such as days since a first day, or leave them out"
_FOR_WORDS = (
    "leave the column out, make numbers of it by kf.Preparation, or give the table to kf.compare, "
    "which takes columns of all kinds"
)


def frame_of(table: Any, name: str = "the table") -> Any:
    """Return a data frame of any library as a narwhals frame, or None for other objects.

    Raises
    ------
    InputError : two columns have the same name, or the rows are not there yet
    """
    if isinstance(table, np.ndarray) or sp.issparse(table):  # as nearly always
        return None
    if _is_dask(table):
        raise InputError(
            f"{name} is {type_of(table)} of Dask, and this needs all rows in memory at "
            f"once. If they fit, give {name}.compute(); if not, a method that reads rows in "
            "blocks, such as MEC: docs/large.md names them."
        )
    try:
        found = nw.from_native(table, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        twice = alignment.some(alignment.repeated(list(map(str, table.columns))))
        raise InputError(
            f"{name} has more than one column named {twice}: rename or drop all but one."
        ) from error
    if isinstance(found, nw.LazyFrame):
        raise InputError(
            f"{name} is a lazy frame of {nw.get_native_namespace(found).__name__}, whose rows are "
            "not there yet: call its collect() or compute() first."
        )
    return found if isinstance(found, nw.DataFrame) else None


def numbers(table: Any, name: str = "X") -> MatrixLike:
    """Check a numeric table; frames and sparse matrices stay, others become arrays.

    Its shape is not checked, and neither is that entries are finite. Gaps are NaN; the indices of
    a sparse table lie inside.

    Raises
    ------
    InputError : entries are texts, dates, complex or other than numbers; rows of unequal length

    Examples
    --------
    >>> numbers([[1, None], [2, 3]])
    array([[ 1., nan],
           [ 2.,  3.]])
    >>> numbers(np.ma.masked_greater([[1, 9]], 5))
    array([[ 1., nan]])
    """
    frame = frame_of(table, name)
    if frame is not None:
        return _frame_of_numbers(frame, name)
    if backend.is_other(table):
        table = backend.in_memory(table, name)
    if sp.issparse(table):
        _check_kind(cast(Any, table), name)
        is_table = len(np.shape(cast(Any, table))) == 2
        return sparse_format.checked(table, name) if is_table else table
    if isinstance(table, str | os.PathLike):
        raise InputError(
            f"{name} is {_shown(table)}; {_WANTED}. A file is read by kf.read, and by kf.compare "
            "itself."
        )
    if table is None or isinstance(table, bytes | Mapping | Set | Iterator):
        raise InputError(f"{name} is {_shown(table)}; {_WANTED}.")
    if hasattr(table, "obs") and hasattr(table, "var"):
        raise InputError(
            f"{name} is {_shown(table)}; {_WANTED}. Cells in an AnnData or MuData are clustered by "
            "kf.anndata.cluster, and kf.compare reads their file (.h5ad, .h5mu)."
        )
    array = _rows(table, name) if isinstance(table, list | tuple) else _unmasked(table, name)
    if array.dtype.kind == "O":
        return _plain(array, name)
    _check_kind(array, name)
    return array


def matrix(table: Any, name: str) -> Table:
    """Convert a numeric table to float64 (n, d) or CSR; InputError for another shape.

    >>> matrix([[1, 2], [3, 4]], "the table")
    array([[1., 2.],
           [3., 4.]])
    """
    found = numbers(table, name)
    if np.ndim(found) != 2:
        raise InputError(
            f"{name} has {np.ndim(found)} dimension{'s' * (np.ndim(found) != 1)}; give rows and "
            "columns, shape (n, d)."
        )
    if sp.issparse(found):
        return sp.csr_array(cast(Any, found), dtype=float)
    frame = frame_of(found)
    if frame is not None:
        columns = [np.asarray(column.to_numpy(), dtype=float) for column in frame.iter_columns()]
        return np.column_stack(columns) if columns else np.empty((len(frame), 0))
    try:
        return np.asarray(found, dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} has entries that are no numbers; drop or encode these columns."
        ) from None


def column(values: Any) -> NDArray[Any] | None:
    """Return per-row values as objects, None for masked ones; None if not a column.

    >>> column([("north", 1), ("south", 2)]), column("north")
    (array([('north', 1), ('south', 2)], dtype=object), None)
    """
    if isinstance(values, list | tuple):
        return object_array(values)
    values = backend.host(values)
    shape = np.shape(values)
    if len(shape) == 2 and shape[1] == 1:
        values = np.ravel(_masked_as_none(values))
    elif len(shape) != 1:
        return None
    return np.asarray(_masked_as_none(values), dtype=object)


def in_order_of(table: Any, values: Any, name: str, table_name: str = "X") -> Any:
    """Reorder values (n,) to a table's pandas index, if both have one.

    Raises
    ------
    InputError : each has an index, and the two have different values

    Warns
    -----
    RowOrderWarning : the table has no index, and that of the values is 0 to n - 1 in another order

    Examples
    --------
    >>> import pandas as pd
    >>> sites = pd.Series(["a", "b"], index=[7, 5])
    >>> in_order_of(pd.DataFrame({"x": [1, 2]}, index=[5, 7]), sites, "tasks").tolist()
    ['b', 'a']
    """
    there = _index(table)
    own = _index(values)
    if there is None and own is not None and table is not None:
        _warn_of_other_order(own, name, table_name)
    if there is None or own is None or len(there) != len(own) or own.equals(there):
        return values
    if own.is_unique and there.is_unique and own.isin(there).all():
        return values.loc[there]
    unknown = own[~own.isin(there)]
    reason = (
        f"{alignment.some(unknown[:1].tolist())} is only in {name}"
        if len(unknown)
        else "entries repeat"
    )
    raise InputError(
        f"{name} and {table_name} have different indexes ({reason}), so it is not clear which rows "
        f"belong together; give both the same index, or {name}.to_numpy() to go by position."
    )


def _warn_of_other_order(index: Any, name: str, table_name: str) -> None:
    """Warn if an index of positions is not in the order of the rows.

    Other indexes, such as names, or the rows that a split selected, name no order of an array.
    """
    n = len(index)
    positions = np.arange(n)
    numbered = index.dtype.kind in "iu" and not index.hasnans
    if numbered and not index.is_monotonic_increasing and np.array_equal(np.sort(index), positions):
        warn_user(
            f"the index of {name} is 0 to {n - 1} in another order, and {table_name} has no index, "
            f"so the first entry is taken for the first row. Give {name}.to_numpy() if that is "
            f"meant, or {name}.sort_index() if the index counts the rows of {table_name}.",
            RowOrderWarning,
        )


def object_array(items: Sequence[Any] | Mapping[Any, Any]) -> NDArray[Any]:
    """Convert names of any type to a vector; tuples stay single entries.

    >>> object_array([("north", 1), ("south", 2)])
    array([('north', 1), ('south', 2)], dtype=object)
    """
    found = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):  # one by one, since an item may be an array or a frame
        found[i] = item
    return found


def missing(value: Any) -> bool:
    """True for None, NaN, NaT and pandas' missing values.

    >>> missing(None), missing(math.nan), missing(("a", 1)), missing("")
    (True, True, False, False)
    """
    try:
        equal = value == value  # False for NaN and NaT, pandas.NA for pandas.NA
    except ArithmeticError:  # a signalling NaN of the decimal module
        return True
    return value is None or not isinstance(equal, bool | np.bool_) or not equal


def _is_dask(table: Any) -> bool:
    return type(table).__module__.startswith("dask") and hasattr(table, "to_delayed")


def _index(values: Any) -> Any:
    """Return the index of a pandas object, None for others."""
    index = getattr(values, "index", None)  # a method of lists, which has no such property
    return index if hasattr(index, "is_unique") else None


def _frame_of_numbers(frame: Any, name: str) -> Any:
    """Return a numeric narwhals frame as its library has it, with objects as floats."""
    if not frame.columns:
        raise InputError(f"{name} has no columns; give at least one.")
    objects = {}
    of_table = "" if name == "X" else f" of {name}"
    for values in frame.iter_columns():
        kind = values.dtype
        native = values.to_native()
        if kind.is_numeric() or kind == nw.Boolean or _is_sparse_numbers(native):
            continue
        if kind == nw.Object and hasattr(native, "astype"):
            where = f"column {values.name!r}{of_table}"
            if _plain(object_array(values.to_list()), where).dtype.kind == "O":
                raise InputError(f"{where} holds objects that are no numbers; drop or encode it.")
            objects[values.name] = float
            continue
        example = values.head(1).to_list()
        shown = f", for example {example[0]!r}" if example else ""
        advice = _FOR_DATES if kind.is_temporal() else _FOR_WORDS
        raise InputError(
            f"column {values.name!r}{of_table} holds {kind} values{shown}; clustering needs "
            f"numbers: {advice}."
        )
    native = frame.to_native()
    return native.astype(objects) if objects else native


def _is_sparse_numbers(native: Any) -> bool:
    """True for a sparse numeric pandas column, which narwhals does not know."""
    subtype = getattr(getattr(native, "dtype", None), "subtype", None)
    return getattr(subtype, "kind", "") in "fiub" and hasattr(native, "sparse")


def _rows(rows: Sequence[Any], name: str) -> NDArray[Any]:
    """Convert a list of rows to an array; InputError if lengths differ, or rows have names."""
    if any(isinstance(row, Mapping) for row in rows):
        raise InputError(
            f"{name} is a list of dictionaries; give a data frame, such as pandas.DataFrame(rows)."
        )
    try:
        array = np.asarray(rows)
    except ValueError as error:
        widths = {len(row) if isinstance(row, Sized) else 1 for row in rows}
        what = f"from {min(widths)} to {max(widths)}" if len(widths) > 1 else "deeper inside"
        raise InputError(
            f"rows of {name} have different lengths, {what}; give every row the same columns."
        ) from error
    # NumPy turns numbers beside texts into texts; as objects the first text is found.
    return np.asarray(rows, dtype=object) if array.dtype.kind in "US" else array


def _unmasked(table: Any, name: str) -> NDArray[Any]:
    """Fill masked entries: numbers become floats with NaN; without a mask nothing changes."""
    if not np.ma.is_masked(table):
        try:
            return np.asarray(table)
        except InputError:  # such as of rows in blocks, which say so themselves
            raise
        except ValueError as error:  # such as of a data frame by groups
            raise InputError(f"{name} is {type_of(table)}; {_WANTED}.") from error
    kind = table.dtype.kind
    return table.filled() if kind not in "fiub" else table.astype(float).filled(np.nan)


def _masked_as_none(values: Any) -> Any:
    if not np.ma.is_masked(values):
        return values
    found = np.ma.getdata(values).astype(object)
    found[np.ma.getmaskarray(values)] = None
    return found


def _check_kind(array: Any, name: str) -> None:
    """Raise InputError for arrays, dense or sparse, that are not numeric."""
    dtype = array.dtype
    if dtype.names is not None:
        raise InputError(
            f"{name} is a structured array with the fields {alignment.some(dtype.names)}; give "
            f"numpy.lib.recfunctions.structured_to_unstructured({name}), or a data frame."
        )
    if dtype.kind in "US":
        raise InputError(_text(array.flat[0] if array.size else "", name))
    if dtype.kind in "mM":
        raise InputError(f"{name} holds dates or durations ({dtype}); {_FOR_DATES}.")
    if dtype.kind == "c":
        raise InputError(
            f"Complex data not supported: {name} holds {dtype}; give the real and the imaginary "
            "parts as columns of their own."
        )
    if dtype.kind not in "fiubO":
        raise InputError(f"{name} holds {dtype}; clustering needs numbers.")


def _text(value: Any, name: str) -> str:
    """Build the error sentence for a table that holds text."""
    plain = str(value) if isinstance(value, str) else bytes(value)
    return (
        f"{name} holds text, for example {shown(plain)}; clustering needs numbers, so convert or "
        "encode it."
    )


def _plain(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Convert an object array to floats; InputError for texts, dates, complex numbers.

    Other objects are left to scikit-learn, which has a sentence for them.
    """
    found = []
    for value in array.flat:
        if isinstance(value, str | bytes):
            raise InputError(_text(value, name))
        if isinstance(value, _DATES):
            raise InputError(f"{name} holds dates or durations, such as {value}; {_FOR_DATES}.")
        if isinstance(value, list | tuple | np.ndarray):
            raise InputError(
                f"{name} holds lists or arrays, such as {shown(value)}; give one number in each "
                "entry."
            )
        if isinstance(value, complex | np.complexfloating):
            raise InputError(
                f"Complex data not supported: {name} holds {value}; give real numbers."
            )
        found.append(math.nan if missing(value) else value)
    try:
        return np.array(found, dtype=float).reshape(array.shape)
    except OverflowError:
        raise InputError(f"{name} holds a number beyond 1e308; divide by a power of 10.") from None
    except (TypeError, ValueError):
        return array


def _shown(table: Any) -> str:
    kind = type(table).__name__
    if isinstance(table, Mapping):
        return f"a {kind}, whose entries may be columns or tasks (kf.stack joins tables of tasks)"
    return shown(table) if table is None or isinstance(table, str | bytes) else type_of(table)
