"""Columns of mixed tables: values of any type with the kind each is taken for."""

import datetime
import math
import re
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.arguments import spelled
from kinfolk.arrays import Labels

NUMBER = "number"
AMOUNT = "amount"
DURATION = "duration"
YES_NO = "yes/no"
CATEGORY = "category"
SEVERAL = "several answers"
ORDERED = "ordered category"
DATE = "date"
TEXT = "text"
IDENTIFIER = "identifier"
CONSTANT = "constant"
COPY = "copy"
PAIR = "two numbers"
UNCLEAR = "unclear"

NUMERIC = (NUMBER, AMOUNT, DURATION)
"""Kinds of measurements, which have a scale."""

WITH_LEVELS = (CATEGORY, SEVERAL)
"""Kinds with a 0/1 column for each common value or answer, and one for all others."""

COMMON = 0.01
"""A value of a category is common if this share of the rows of some task has it."""

MOST_LEVELS = 20
"""Number of most frequent values with a column of their own; a reader can name no more."""

TREATMENT = {
    NUMBER: "scaled",
    AMOUNT: "scaled",
    DURATION: "scaled",
    ORDERED: "a 0/1 column per step",
    YES_NO: "one 0/1 column",
    CATEGORY: "0/1 columns",
    SEVERAL: "a 0/1 column per answer",
    UNCLEAR: "refused",
}
"""Kind -> its treatment when a table is prepared; all others are left out."""

_WHOLE = re.compile(r"([+-]?\d+)\.0")
"""A whole number of a column of floats, as programs write it."""

LEFT_OUT = "left out"
"""The treatment of kinds that say nothing about how alike two rows are."""


@dataclass(frozen=True)
class Column:
    """One column's values with the kind (number, category, ...) it is taken for.

    Attributes
    ----------
    name : of the column
    kind : one of the kinds above
    reason : why, in plain words
    values : (n,) float64 with NaN for gaps of numbers, amounts, durations (hours), dates (days
        since 1970) and yes/no (1 and 0); object for all other kinds: str or None
    levels : of an ordered category, from lowest to highest; of yes/no the words for no and yes, ()
        if they are just these
    gap_codes : numbers that stood for the gaps of a number, such as -999
    unread : number of values that are not of the kind that was asked for, and are gaps
    first_unread : the first of them, or ""
    written : unit and notation of numbers read from words, such as "in cm", or what stands between
        several answers of a cell; "" without one

    Examples
    --------
    >>> plan = Column("plan", CATEGORY, "2 values", np.array(["pro", None], dtype=object))
    >>> plan.gaps
    array([False,  True])
    """

    name: str
    kind: str
    reason: str
    values: NDArray[Any]
    levels: tuple[str, ...] = ()
    gap_codes: tuple[float, ...] = ()
    unread: int = 0
    first_unread: str = field(default="", repr=False)
    written: str = field(default="", repr=False)

    @property
    def treatment(self) -> str:
        """Transformation of the column before clustering, in few words."""
        return TREATMENT.get(self.kind, LEFT_OUT)

    @property
    def gaps(self) -> NDArray[np.bool_]:
        """Mask (n,) of rows without a value."""
        return gaps(self.values)


def taken_as(name: str, kind: str) -> str:
    """Return the option or argument by which a user has a column taken for a kind.

    >>> taken_as("plan", "category")
    "kf.read(..., kinds={'plan': 'category'})"
    """
    value = shlex.quote(f"{name}={kind}")
    return spelled(f"--as {value}", f"kf.read(..., kinds={{{name!r}: {kind!r}}})")


def left_out(name: str) -> str:
    """Return the option or argument by which a user leaves a column out.

    >>> left_out("year")
    "kf.read(..., ignore=['year'])"
    """
    return spelled(f"--ignore {shlex.quote(name)}", f"kf.read(..., ignore=[{name!r}])")


def unit(written: str) -> str:
    """Return the unit that a `Column.written` names; "" if it names none.

    >>> unit("in mmol/l, with decimal commas"), unit("with decimal commas")
    ('mmol/l', '')
    """
    return written.removeprefix("in ").partition(", with ")[0] if written[:3] == "in " else ""


def common_values(values: NDArray[Any], codes: Labels, sizes: Labels | None = None) -> list[str]:
    """Values of a category that are frequent in some task, most frequent first.

    A value of a single row is not common, however few rows there are. `sizes` (T,) are the rows of
    each task, where rows have more or fewer values than one; None: as many as values.

    >>> common_values(np.array(["a", "b", "a", None], dtype=object), np.zeros(4, dtype=int))
    ['a']
    """
    times = Counter(value for value in values.tolist() if value is not None)
    sizes = np.bincount(codes) if sizes is None else sizes
    by_task = Counter(zip(values.tolist(), codes.tolist(), strict=True))
    common = {
        value
        for (value, t), number in by_task.items()
        if value is not None and number >= COMMON * sizes[t] and times[value] > 1
    }
    return sorted(common, key=lambda value: (-times[value], value))


def lacking(table: Sequence[Column], n: int) -> NDArray[np.bool_]:
    """Mark rows (n,) in which all columns have gaps; none if there are no columns.

    >>> a, b = (Column(name, NUMBER, "", np.array([1.0, np.nan])) for name in "ab")
    >>> lacking([a, b], 2)
    array([False,  True])
    """
    return np.all([column.gaps for column in table], axis=0) if table else np.zeros(n, dtype=bool)


def gaps(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark missing values (n,).

    >>> gaps(np.array([1.0, np.nan]))
    array([False,  True])
    """
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind == "M":
        return np.isnat(values)
    return np.array([value is None for value in values.tolist()], dtype=bool)


def words(values: NDArray[Any]) -> NDArray[Any]:
    """Convert values to strings without outer spaces, None where missing.

    Whole numbers read the same whether or not gaps made them floats.

    >>> words(np.array([1.0, np.nan, 2.5])).tolist()
    ['1', None, '2.5']
    """
    if values.dtype.kind == "f":
        found = [None if math.isnan(v) else f"{v:.15g}" for v in values.tolist()]
    elif values.dtype.kind == "M":
        found = [None if text == "NaT" else text for text in values.astype(str).tolist()]
    else:
        found = [None if v is None else word(v) for v in values.tolist()]
    objects = np.empty(len(found), dtype=object)
    objects[:] = found
    return objects


def word(value: object) -> str:
    """Write a value without outer spaces, a whole number without ".0".

    >>> word(" oslo "), word(7.0), word(0.5)
    ('oslo', '7', '0.5')
    """
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value).strip()


def name(value: object) -> str:
    """Write the name of a row, task or class: a whole number without ".0", also in a text file.

    A day of a type with times has none.

    >>> name(7.0), name("7.0"), name("7.0 b"), name(0.5), name(datetime.datetime(2020, 1, 31))
    ('7', '7', '7.0 b', '0.5', '2020-01-31')
    """
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    text = word(value)
    match = _WHOLE.fullmatch(text)
    return match[1] if match else text
