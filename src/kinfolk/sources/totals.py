"""Finds the last rows of a table that hold sums or means of those above them."""

import math
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from kinfolk.sources import parsing

if TYPE_CHECKING:
    import pandas as pd

_WORDS = (
    "total, totals, grand total, sum, sums, subtotal, summe, gesamt, insgesamt, gesamtsumme, "
    "somme, total général, totale, totaal, suma, total general, razem, 合计, 总计"
)
SUMS = frozenset(_WORDS.split(", "))
"""Words, in small letters, that begin a row of sums."""

_MEAN_WORDS = (
    "average, mean, averages, means, avg, durchschnitt, mittelwert, mittel, moyenne, media, "
    "promedio, média, gemiddelde, średnia, 平均, 平均值"
)
MEANS = frozenset(_MEAN_WORDS.split(", "))
"""Words, in small letters, that begin a row of means."""

MOST = 3
"""Last rows, above notes, that may hold sums and means: a total, an average, a grand total."""

CLOSE = 1e-4
"""A sum of rounded numbers differs by less than this share of it from the rounded sum."""

CLOSE_MEAN = 1e-2
"""The same for a mean, which has fewer digits."""

_FEWEST = 3
"""Fewer rows are no sum."""


def of_frame(frame: "pd.DataFrame") -> list[str]:
    """Return the first words of last rows that sum up a column, as `found` does."""
    last = called(frame.iloc[-MOST:].astype(object).to_numpy().tolist())
    sums, times = {}, {}
    for j in with_numbers(last):
        values = frame.iloc[:, j]
        numbers = (
            values if values.dtype.kind in "fiub" else values.map(parsing.number).astype(float)
        )
        sums[j] = float(numbers.sum())
        times[j] = int(numbers.count())
    return found(last, sums, times)


def called(rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    """Return the last rows, at most `MOST`, that begin with a word for a sum or mean.

    >>> called([["Total", 3], ["oslo", 1], ["Total", 4], ["Mean", 2]])
    [['Total', 4], ['Mean', 2]]
    """
    last = takewhile(first_word, reversed(rows[-MOST:]))
    return list(last)[::-1]


def with_numbers(rows: Sequence[Sequence[Any]]) -> list[int]:
    """Return the columns in which some row has a number other than 0."""
    return sorted({j for cells in rows for j, cell in enumerate(cells) if parsing.number(cell)})


def found(
    last: Sequence[Sequence[Any]], sums: Mapping[int, float], times: Mapping[int, int]
) -> list[str]:
    """Return the first words of last rows that each have the sum, or mean, of the rows above them.

    Parameters
    ----------
    last : the rows `called`
    sums, times : column -> the sum and number of all its numbers, with those of `last`

    >>> found([["Total", 6], ["Mean", 2]], sums={1: 14.0}, times={1: 5})
    ['Total', 'Mean']
    >>> found([["Total", 7], ["Sum", 13]], sums={1: 26.0}, times={1: 5})
    ['Sum']
    """
    for n in range(len(last), 0, -1):
        rows = last[-n:]
        words = [first_word(cells) for cells in rows]
        columns = []
        for j in sums:
            ends = [parsing.number(cells[j]) for cells in rows]
            there = [end for end in ends if end is not None]
            columns.append((ends, sums[j] - sum(there), times[j] - len(there)))
        if all(
            any(_is_sum(ends[i], total, n_others, word) for ends, total, n_others in columns)
            for i, word in enumerate(words)
        ):
            return words
    return []


def first_word(cells: Sequence[Any]) -> str:
    """Return the first word of a row if it is one for a sum or mean, such as Total; "" if not.

    >>> first_word(["3", "Total:", 12]), first_word(["oslo", "Total"])
    ('Total', '')
    """
    word = first_text(cells)
    return word if word.lower() in SUMS | MEANS else ""


def first_text(cells: Sequence[Any]) -> str:
    """Return the first cell that is neither empty nor a number, without a colon; "" if none is.

    >>> first_text(["3", " ", "Oslo total:", "b"]), first_text([12])
    ('Oslo total', '')
    """
    words = (v for v in cells if isinstance(v, str) and v.strip() and parsing.number(v) is None)
    return next(words, "").strip(" :")


def _is_sum(end: float | None, total: float, n: int, word: str) -> bool:
    """True if the last number of a column is the sum, or by its word the mean, of the n others.

    >>> _is_sum(6.0, 6.0, 3, "Sum"), _is_sum(7.0, 6.0, 3, "Sum"), _is_sum(0.0, 0.0, 3, "Sum")
    (True, False, False)
    >>> _is_sum(2.0, 6.0, 3, "Mean"), _is_sum(6.0, 6.0, 3, "Mean")
    (True, False)
    """
    if word.lower() in MEANS:
        return bool(end) and n >= _FEWEST and math.isclose(total / n, end or 0, rel_tol=CLOSE_MEAN)
    # A column of zeros sums up to 0, whatever the last row is.
    return bool(end) and n >= _FEWEST and math.isclose(total, end or 0.0, rel_tol=CLOSE)


def told(file: str, words: Sequence[str]) -> str:
    """Sentence on last rows of sums or means, by the first word of each.

    >>> told("t.csv", ["Total", "Average"])
    "The last 2 rows of t.csv, 'Total' and 'Average', hold sums and means of the others and are left
    out."
    """
    are_means = [word.lower() in MEANS for word in words]
    what = " and ".join(["sums"] * (not all(are_means)) + ["means"] * any(are_means))
    named = " and ".join(map(repr, words))
    if len(words) == 1:
        return f"The last row of {file}, {named}, holds {what} of the others and is left out."
    rows = f"last {len(words)} rows of {file}"
    return f"The {rows}, {named}, hold {what} of the others and are left out."
