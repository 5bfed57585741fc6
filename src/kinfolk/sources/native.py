"""Extracts the columns of any data frame, or dict, as plain arrays."""

import datetime
import decimal
import math
import numbers
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from kinfolk.arguments import listed
from kinfolk.errors import InputError
from kinfolk.sources import gap_codes, kinds, lengths_of_time, parsing, spelling
from kinfolk.sources.kinds import Raw
from kinfolk.tables import columns, intake, name_order

_DAYS = (datetime.date, np.datetime64)
"""Types of dates among Python objects; datetimes of Python and pandas are dates too."""

_DURATIONS = (datetime.timedelta, np.timedelta64)
_HOUR = np.timedelta64(1, "h")

LARGEST_EXACT = 2**53
"""Whole numbers up to this are exact as floats; of larger ones two may become the same."""


def opened(table: Any, name: str = "the table") -> Any:
    """Wrap a data frame of any library by narwhals; return other objects unchanged.

    Names that are no strings become strings.

    Raises
    ------
    InputError : two columns have the same name, or there are no rows

    >>> import pandas as pd
    >>> opened(pd.DataFrame([[1, 2]])).columns, opened([1, 2])
    (['0', '1'], [1, 2])
    """
    given = list(getattr(table, "columns", ()))
    # Only pandas has names of other types, or of several levels.
    if hasattr(table, "set_axis") and not all(isinstance(label, str) for label in given):
        given = [" ".join(map(str, at)) if isinstance(at, tuple) else str(at) for at in given]
        table = table.set_axis(given, axis=1)
    frame = intake.frame_of(table, name)
    if frame is not None and not len(frame):
        raise InputError(f"{name} has no rows: give at least one.")
    return table if frame is None else frame


def of_frame(
    frame: Any, *, shared: bool = False, written: Mapping[str, str] | None = None
) -> dict[str, Raw]:
    """Return {name: column values} of a narwhals frame; with `shared`, floats are not copied.

    Those in single precision stay so then. `written` is the notation of columns where it is known,
    as of `Raw`.

    >>> import pandas as pd
    >>> frame = nw.from_native(pd.DataFrame({"age": [31, None], "vip": [True, False]}))
    >>> of_frame(frame)["age"].values, of_frame(frame)["vip"].values
    (array([31., nan]), array([1., 0.]))
    """
    known = written or {}
    return {c.name: _of_series(c, shared, known.get(c.name, "")) for c in frame.iter_columns()}


def of_mapping(table: Mapping[Any, Sequence[Any]]) -> dict[str, Raw]:
    """Return {name: column values} of a dict; InputError if lengths differ.

    >>> of_mapping({"age": ["31", "?"]})["age"].values
    array(['31', '?'], dtype=object)
    """
    found = {str(name): of_values(str(name), list(values)) for name, values in table.items()}
    lengths = {len(raw.values) for raw in found.values()}
    if len(lengths) != 1:
        raise InputError(
            f"the columns have {sorted(lengths) or 'no'} values; give at least one column, and as "
            "many values in each."
        )
    return found


def of_values(name: str, values: Sequence[Any], written: str = "") -> Raw:
    """Convert Python objects to floats or dates if possible, else objects with None.

    >>> of_values("n", ["1", None, "2.5"]).values
    array([1. , nan, 2.5])
    """
    kept = [None if is_missing(value) else _plain(value) for value in values]
    there = [value for value in kept if value is not None]
    if there and all(isinstance(value, _DURATIONS) for value in there):
        hours = np.array([math.nan if v is None else v / _HOUR for v in kept], dtype=float)
        return Raw(hours, written=lengths_of_time.IN_HOURS)
    if not there:
        return Raw(np.full(len(kept), np.nan), written=written)
    try:
        if all(isinstance(value, (numbers.Real, decimal.Decimal)) for value in there):
            if parsing.codes(str(value) for value in there if _is_long(value)):
                return Raw(_objects([None if v is None else str(v) for v in kept]), written=written)
            return Raw(np.array([math.nan if v is None else float(v) for v in kept]))
        # Where dots divide thousands, 1.200 is no plain number.
        if all(isinstance(value, str) for value in there) and spelling.thousands(written) != ".":
            read = parsing.plain_numbers(value.strip() for value in there)
            if read is not None:
                found = np.array([math.nan if v is None else read[v.strip()] for v in kept])
                if not (parsing.may_be_thousands(found) and parsing.numbers(read).thousands):
                    return Raw(found)
    except OverflowError as error:
        raise InputError(f"column {name!r} holds a number beyond 1e308.") from error
    if all(isinstance(value, _DAYS) for value in there):
        # A time zone changes no day of one column.
        days = ["NaT" if v is None else str(v)[:19] for v in kept]
        try:
            return Raw(np.array(days, dtype="datetime64[s]"))
        except ValueError as error:  # such as of a year of six digits
            raise InputError(
                f"column {name!r} holds a date outside the years 1 to 9999: correct it, or leave "
                "the column out."
            ) from error
    return Raw(_objects(kept), written=written)


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def _is_long(value: Any) -> bool:
    """True for a whole number that a float may not hold exactly."""
    return isinstance(value, numbers.Integral) and int(value) > LARGEST_EXACT


def _plain(value: Any) -> Any:
    """Convert a time of day or UUID to text, and a period of pandas to its first day."""
    if isinstance(value, datetime.time):
        return value.strftime("%H:%M:%S")
    if isinstance(value, uuid.UUID):
        return str(value)
    # pandas may not be installed, and then there are no periods of it.
    if type(value).__name__ == "Period" and hasattr(value, "start_time"):
        return value.start_time
    return value


def number_table(raws: Mapping[str, Raw], known: bool = False) -> NDArray[np.floating] | None:
    """Stack numeric columns as a table (n, d); None if one has words, gaps or codes for gaps.

    It is in single precision if all columns are. Of few rows it may be `known` that words such as
    <0.5 are numbers.

    >>> number_table({"a": Raw(np.array([1.0])), "b": Raw(np.array(["2,5"], dtype=object))})
    array([[1. , 2.5]])
    """
    found = []
    for raw in raws.values():
        values = raw.values
        if raw.is_category or raw.written == lengths_of_time.IN_HOURS:
            return None
        if values.dtype.kind == "O" and not raw.levels:
            words = columns.words(values).tolist()
            if parsing.codes(word for word in words if word is not None):
                return None
            distinct = (word for word in dict.fromkeys(words) if word is not None)
            mark = spelling.thousands(raw.written)
            unit = columns.unit(raw.written)
            read = parsing.numbers(distinct, known, mark, unit).found
            if not all(word in read for word in words):
                return None
            values = np.array([read[word] for word in words])
        if values.dtype.kind != "f" or np.isnan(values).any() or gap_codes.found(values):
            return None
        found.append(values)
    return np.column_stack(found)


def remarks(raws: Mapping[str, Raw]) -> dict[str, str]:
    """Return {numeric column that was written as words: how its numbers are written}."""
    return {
        name: remark
        for name, raw in raws.items()
        if raw.values.dtype.kind == "O" and (remark := kinds.as_numbers(raw.values, raw.written)[1])
    }


def how_read(found: Mapping[str, str]) -> list[str]:
    """Sentences about numeric columns that were written as words, from their `remarks`.

    >>> how_read(remarks({"cost": Raw(np.array(["1 EUR", "2 EUR"], dtype=object))}))
    ["Read as numbers: cost, in EUR ('1 EUR' is 1)."]
    """
    told = [f"{name}{remark}" for name, remark in found.items()]
    return [f"Read as numbers: {listed(told, 5, 'columns', mark='; ')}."] if told else []


def _of_series(column: Any, shared: bool, written: str) -> Raw:
    """Extract the values of a narwhals series."""
    kind = column.dtype
    is_whole = kind.is_integer() and not column.is_null().any()
    if kind.is_float() or (is_whole and column.max() <= LARGEST_EXACT):
        single = shared and kind == nw.Float32
        values = np.asarray(column.to_numpy(), dtype=np.float32 if single else np.float64)
        return Raw(values if shared else np.array(values), written=written)
    if kind.is_numeric() or kind == nw.Boolean:
        return of_values(column.name, column.to_list())
    if kind == nw.Categorical and not (levels := _levels(column)):
        # Numbers of a categorical type are names, as of regions.
        objects = np.array([None if is_missing(v) else v for v in column.to_list()], dtype=object)
        return Raw(columns.words(objects), is_category=True)
    raw = of_values(column.name, column.to_list(), written)
    if raw.values.dtype == object and (levels := _levels(column)):
        return Raw(raw.values, levels)
    return raw


def _levels(column: Any) -> tuple[str, ...]:
    """Levels of an ordered categorical from low to high; () for other columns."""
    return tuple(map(str, name_order.levels(column)))


def is_missing(value: object) -> bool:
    """Return True for None, NaN, NaT, pandas.NA and blank texts."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    if isinstance(value, str | bytes | list | dict | tuple | np.ndarray):
        return False
    equal = value == value  # False for NaN and NaT, pandas.NA for pandas.NA
    return equal is not True and not (isinstance(equal, np.bool_) and bool(equal))
