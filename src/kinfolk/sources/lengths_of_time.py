"""Takes columns for lengths of time: of a type of durations, or words such as 1h 20m."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.sources import naming, spelling, times
from kinfolk.tables import columns
from kinfolk.tables.columns import Column

IN_HOURS = "in hours"
"""How numbers are written that a type of durations was converted to, as `Raw.written`."""


def of_type(name: str, hours: NDArray[np.float64]) -> Column:
    """Return lengths of time (n,) of a type of durations, in hours with NaN for gaps, as a column.

    >>> of_type("stay", np.array([0.5, 30.0, np.nan]))
    Column(name='stay', kind='duration', reason='a type of lengths of time, from 0.5 to 30 hours',
           values=array([ 0.5, 30. ,  nan]), levels=(), gap_codes=(), unread=0)
    >>> of_type("stay", np.array([2.0, 2.0])).reason
    'every value is 2 h'
    """
    low = float(np.nanmin(hours))
    high = float(np.nanmax(hours))
    if low == high:
        reason = f"every value is {spelling.of_number(low)} h"
        return Column(name, columns.CONSTANT, reason, columns.words(hours))
    reason = f"a type of lengths of time, {spelling.of_range(low, high)} hours"
    return Column(name, columns.DURATION, reason, hours)


def of_words(
    name: str, words: NDArray[Any], distinct: Sequence[str], remark: str = ""
) -> Column | None:
    """Return words (n,) as lengths of time; None if they are none or may be something else.

    Parameters
    ----------
    distinct : the different words, without those for gaps
    remark : what to say of words for gaps, at the end of the reason

    Examples
    --------
    >>> stays = np.array(["1h 30m", None, "2 days"], dtype=object)
    >>> found = of_words("stay", stays, ["1h 30m", "2 days"])
    >>> found.values, found.reason
    (array([ 1.5,  nan, 48. ]), "lengths of time, in hours ('1h 30m' is 1.5)")
    """
    hours = times.durations(distinct, known=naming.is_duration(name))
    if len(hours) < len(distinct) or len(set(hours.values())) < 2:
        return None
    first = hours[distinct[0]]
    shown = f"{first:.3g}" if first < 1000 else f"{first:.0f}"
    reason = f"lengths of time, in hours ({distinct[0]!r} is {shown}){remark}"
    values = np.array([hours.get(word, math.nan) for word in words.tolist()], dtype=float)
    return Column(name, columns.DURATION, reason, values)
