"""The order of tasks: of an ordered category, of numbers and dates, else of appearance."""

import datetime
import numbers
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from kinfolk.tables import calendar_names

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
_DIGITS = re.compile(r"(\d+)")
_YEAR_LAST = re.compile(r"[^\W\d]?\d{1,2}[ ./-]+(?:\d{1,2}[ ./-]+)?(?:19|20)\d\d")
"""Dates such as 31/12/2007, 12/2007 and Q4 2007, whose last number counts first."""

_QUARTER = re.compile(r"[^\W\d]([1-4])((?:19|20)\d\d)")
"""A quarter or half of a year, such as Q42007, whose two numbers nothing divides."""

MONTHS = 12


class OrderedNames(np.ndarray):
    """Names (n,) of rows in an array that knows their order, as a column of an ordered category.

    Rows that are taken of it know the order, too; elsewhere it is an array as any other.

    Attributes
    ----------
    order : the names from first to last; some may have no rows

    Examples
    --------
    >>> sizes = ordered_names(np.array(["large", "small", "large"]), ["small", "large"])
    >>> sizes[1:].order, sizes.tolist()
    (('small', 'large'), ['large', 'small', 'large'])
    """

    order: tuple[Any, ...]

    def __array_finalize__(self, source: Any) -> None:
        """Take the order of the array that this one was made from."""
        self.order = getattr(source, "order", ())

    def __array_wrap__(self, found: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Return what NumPy computes from the names, such as comparisons, as plain arrays.

        >>> ordered_names(np.array(["b", "a"]), "ab") == "a"
        array([False,  True])
        """
        plain = np.asarray(found)
        return plain[()] if return_scalar else plain

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep the order in pickles, as those for other processes."""
        return ordered_names, (np.asarray(self), self.order)


def ordered_names(names: NDArray[Any], order: Iterable[Any]) -> NDArray[Any]:
    """Return names (n,) with their order, or as they are if there is none."""
    levels = tuple(dict.fromkeys(order))
    if not levels:
        return names
    found = names.view(OrderedNames)
    found.order = levels
    return found


def order_of(values: Any) -> tuple[Any, ...]:
    """Return the values of an ordered category from first to last; () for other containers.

    >>> import pandas as pd
    >>> sizes = pd.Categorical(["large", "small"], ["small", "large"], ordered=True)
    >>> order_of(sizes), order_of(pd.Series(sizes)), order_of(["large", "small"])
    (('small', 'large'), ('small', 'large'), ())
    """
    if isinstance(values, OrderedNames):
        return values.order
    if isinstance(values, np.ndarray | list | tuple | str):
        return ()
    if hasattr(values, "ordered") and hasattr(values, "categories"):  # no series, but of pandas
        return tuple(values.categories) if values.ordered else ()
    if getattr(getattr(values, "type", None), "ordered", None) is not None:  # of pyarrow
        return _levels_of_arrow(values)
    series = nw.from_native(values, series_only=True, pass_through=True)
    return levels(series) if isinstance(series, nw.Series) else ()


def levels(column: "nw.Series[Any]") -> tuple[Any, ...]:
    """Return the values of a narwhals series of an ordered category; () for other series."""
    if isinstance(column.dtype, nw.Enum):
        return tuple(column.dtype.categories)
    native = column.to_native()
    return _levels_of_arrow(native) if hasattr(getattr(native, "type", None), "ordered") else ()


def _levels_of_arrow(values: Any) -> tuple[Any, ...]:
    if not values.type.ordered:
        return ()
    array = values.combine_chunks() if hasattr(values, "combine_chunks") else values
    return tuple(array.dictionary.to_pylist())


def in_order(names: Iterable[Any], order: Iterable[Any] = ()) -> list[Any]:
    """Sort different names by their place in `order`, else by number, date, month or day of week.

    Names without a number, or with different words around it, stay in the order given.

    >>> in_order(["site 10", "site 2"]), in_order([2009, 2007.5]), in_order(["10", "9.5"])
    (['site 2', 'site 10'], [2007.5, 2009], ['9.5', '10'])
    >>> in_order(["01/02/2009", "31/12/2008"]), in_order(["Q1 2009", "Q2 2008"])
    (['31/12/2008', '01/02/2009'], ['Q2 2008', 'Q1 2009'])
    >>> in_order(["Sat", "Sun", "Fri"]), in_order(["Q12011", "Q42010", "Q12012"])
    (['Fri', 'Sat', 'Sun'], ['Q42010', 'Q12011', 'Q12012'])
    >>> in_order(["yes", "no"]), in_order(["B1", "A2"]), in_order(["B", "A"], order=["A", "B"])
    (['yes', 'no'], ['B1', 'A2'], ['A', 'B'])
    """
    given = list(names)
    if place := {name: i for i, name in enumerate(order)}:
        return sorted(given, key=lambda name: place.get(name, len(place)))
    if all(isinstance(name, str) for name in given):
        keys = calendar_names.places(given) or _keys(given)
        return sorted(given, key=keys.__getitem__) if keys else given
    if any(isinstance(name, bool | np.bool_) for name in given):  # words: yes and no
        return given
    for kind in (numbers.Real, datetime.date, np.datetime64):
        if all(isinstance(name, kind) for name in given):
            try:
                return sorted(given)
            except TypeError:  # such as of dates with and without a time zone
                return given
    return given


def _keys(names: list[str]) -> dict[str, Any]:
    """Return {name: what to sort it by}; {} if not all have numbers with the same words around."""
    if all(map(_NUMBER.fullmatch, names)):
        return {name: Decimal(name) for name in names}
    if all(quarters := {name: _QUARTER.fullmatch(name) for name in names}.values()):
        return {q[0]: [Decimal(q[2]), Decimal(q[1])] for q in quarters if q}
    # Words and numbers take turns, and a word, perhaps empty, comes first.
    parts = {name: _DIGITS.split(name) for name in names}
    if len({tuple(of[::2]) for of in parts.values()}) > 1 or len(parts[names[0]]) == 1:
        return {}
    found = {name: [Decimal(digits) for digits in of[1::2]] for name, of in parts.items()}
    if not all(map(_YEAR_LAST.fullmatch, names)):
        return found
    # No month is beyond 12: what stands second is the day then, and else the month.
    month_first = any(of[1] > MONTHS for of in found.values())
    return {name: [of[-1], *of[:-1][:: 1 if month_first else -1]] for name, of in found.items()}
