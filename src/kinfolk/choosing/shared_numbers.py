"""Corrects guessed numbers of clusters by those of the other tasks.

Related tasks mostly have about as many groups, few rows show few of them, and guesses err towards
too many otherwise. So, in this order,

    few rows  a task of fewer than `SURE_ROWS` rows whose number is a guess gets, still as a guess,
              the number of the rows of all tasks together, if that is larger. Measurements are
              z-scores of their task there, as everywhere. It is no larger than the largest number
              of a task with more rows.
    too many  a guess that is larger than the geometric mean of the numbers of all tasks (without
              those of one cluster), rounded up, becomes that number

Source  `docs/numbers-measured.md`
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kinfolk.choosing.suggestions import GUESS, SURE_ROWS, Suggestion

FEWEST_ROWS_PER_CLUSTER = 4
"""Fewest rows per cluster, on average, of a task whose number of clusters is raised."""

SIGN_OF_ALL_ROWS = "few rows: the number of clusters of all data sets together"
SIGN_OF_OTHERS = "lowered to the geometric mean of the numbers of all data sets"


def is_unsure(suggestion: Suggestion, n: int) -> bool:
    """True if the number of a task of n rows is a guess that other tasks may correct."""
    return n < SURE_ROWS and suggestion.confidence == GUESS


def raised(suggestion: Suggestion, n: int, whole: Suggestion) -> Suggestion:
    """Raise an unsure guess for a task of n rows to the number found in all rows together.

    >>> own = Suggestion("a", 1, 1, 2, GUESS, 1, 2, "", [])
    >>> whole = Suggestion("", 5, 4, 6, "likely", 5, 5, "", [])
    >>> found = [raised(own, n, whole) for n in (13, 25, 80)]
    >>> [(one.number, one.low, one.high) for one in found]
    [(3, 1, 3), (5, 1, 6), (1, 1, 2)]
    """
    most = n // FEWEST_ROWS_PER_CLUSTER
    number = min(whole.number, most)
    if not is_unsure(suggestion, n) or number <= suggestion.number:
        return suggestion
    low = min(suggestion.low, whole.low)
    high = max(suggestion.high, min(whole.high, most))
    # The second number was compared with the one that is given up.
    return replace(suggestion, number=number, low=low, high=high, sign=SIGN_OF_ALL_ROWS, also=None)


def lowered(suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """Lower guesses to the geometric mean of the numbers above one, rounded up.

    >>> own = Suggestion("a", 12, 3, 12, GUESS, 3, 12, "", [])
    >>> other = Suggestion("b", 3, 3, 3, "likely", 3, 3, "", [])
    >>> [one.number for one in lowered([own, other])]
    [6, 3]
    """
    several = [one.number for one in suggestions if one.number > 1]
    # The mean of equal numbers is that number, also where rounding errors make it more.
    mean = math.ceil(round(math.exp(np.mean(np.log(several))), 9)) if several else 1
    return [_at_most(one, mean) for one in suggestions]


def _at_most(suggestion: Suggestion, most: int) -> Suggestion:
    """Return a suggestion whose number, if it is a guess, is at most `most`."""
    if suggestion.confidence != GUESS or suggestion.number <= most:
        return suggestion
    low = min(suggestion.low, most)
    # The second number was compared with the one that is given up.
    return replace(suggestion, number=most, low=low, sign=SIGN_OF_OTHERS, also=None)
