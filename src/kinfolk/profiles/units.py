"""Columns whose unit may differ between data sets: no averages over them, and a sentence on it."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from kinfolk.profiles.values import ColumnProfile, Profiles
from kinfolk.tables import columns

FACTOR = 3.0
"""The middle halves of a column's values in two units are at least this times apart: thousands and
ones, dollars and yen, mmol/mol and per cent, but not miles and kilometers."""
MOST_SHOWN = 3
_AVERAGES = ("mean", "deviation", "lower", "median", "upper")


def without_averages(column: ColumnProfile, tasks: tuple[str, ...]) -> ColumnProfile:
    """Return a column without mean and quartiles over all tasks if units of tasks may differ.

    >>> from kinfolk.tables import RelatedData
    >>> from kinfolk.profiles import profile
    >>> X = np.array([[5.0], [6.0], [7.0], [40.0], [50.0], [60.0]])
    >>> data = RelatedData("sites", np.repeat(["a", "b"], 3), np.arange(6), X, ("HbA1c",))
    >>> profile(data, [0, 1, 1, 0, 1, 1]).columns[0].mean
    array([[ 5. , 40. ,  nan],
           [ 6.5, 55. ,  nan],
           [ 6. , 50. ,  nan]])
    """
    if not _differing(column, tasks):
        return column
    found = {name: getattr(column, name).copy() for name in _AVERAGES}
    for values in found.values():
        values[:, -1] = np.nan
    others = np.full_like(column.others, np.nan)
    return replace(column, others=others, **found)


def sentences(found: Profiles) -> Iterator[str]:
    """Yield at most one sentence, with the medians of columns that differ far in one data set.

    >>> from kinfolk.tables import RelatedData
    >>> from kinfolk.profiles import profile
    >>> X = np.array([[5.0], [6.0], [7.0], [40.0], [50.0], [60.0]])
    >>> data = RelatedData("sites", np.repeat(["a", "b"], 3), np.arange(6), X, ("HbA1c",))
    >>> next(sentences(profile(data, [0, 0, 0, 0, 0, 0]))).split(". ")[0]
    'Units may differ: HbA1c has a median of 50 in b and of 6 in a'
    """
    told = [text for column in found.columns if (text := _differing(column, found.tasks))]
    if told:
        n_more = len(told) - MOST_SHOWN
        more = f"; {n_more} more column{'s' * (n_more > 1)}, too" if n_more > 0 else ""
        yield (
            f"Units may differ: {'; '.join(told[:MOST_SHOWN])}{more}. If they do, convert them. "
            "Such columns have no averages over data sets, and are compared within each data set."
        )


def _differing(column: ColumnProfile, tasks: tuple[str, ...]) -> str:
    """Say which task has far larger or smaller values than all others; "" if none has."""
    if column.taken_for not in columns.NUMERIC:
        return ""
    known = np.flatnonzero(column.count[-1, :-1])
    lower = column.lower[-1, known]
    upper = column.upper[-1, known]
    if len(known) < 2 or not (lower > 0).all():
        return ""
    # The largest first: of two data sets either differs from the other.
    for place in np.argsort(-column.median[-1, known], kind="stable").tolist():
        others = np.arange(len(known)) != place
        above = lower[place] > FACTOR * upper[others].max()
        if above or lower[others].min() > FACTOR * upper[place]:
            here = float(column.median[-1, known[place]])
            usual = float(np.median(column.median[-1, known[others]]))
            other = known[others][0]
            elsewhere = tasks[other] if len(known) == 2 else "the other data sets"
            return (
                f"{column.heading} has a median of {_text(column, here, known[place])} in "
                f"{tasks[known[place]]} and of {_text(column, usual, other)} in {elsewhere}"
            )
    return ""


def _text(column: ColumnProfile, value: float, task: int) -> str:
    """Format a median: whole numbers from 99.5 on, smaller ones with two significant digits."""
    if column.taken_for == columns.DURATION:
        return column.text(value, task)
    return f"{value:.2g}" if value < 99.5 else f"{value:,.0f}"
