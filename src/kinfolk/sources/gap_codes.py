"""Finds numbers that stand for gaps, such as -999, or 98 and 99 beside answers from 1 to 5."""

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEWEST = 10
"""With fewer other values than this none is far from them all."""

WIDEST_SCALE = 10
"""Whole numbers from 0 to at most this are taken for answers to a question."""


def found(values: NDArray[Any]) -> tuple[float, ...]:
    """Numbers that are repeated, far from all other values, and of digits that mean a gap.

    Far: farther from the nearest than the others are from one another. Negative numbers of nines
    mean gaps. A repeated 99 may be a price or a count, and means a gap only beside answers to a
    question, whole numbers from 0 to 10, or beside 98 and the like.

    >>> found(np.r_[-999, -999, np.arange(10.0)]), found(np.r_[999, 999, np.arange(30.0)])
    ((-999.0,), ())
    >>> found(np.r_[-9999, -9999, -99, -99, np.arange(10.0)])
    (-9999.0, -99.0)
    >>> found(np.r_[97, 98, 98, 99, 99, np.arange(1.0, 6).repeat(3)])
    (97.0, 98.0, 99.0)
    """
    low = tuple(_negative(values))
    high = at_top(values)
    rest = values[~np.isin(values, (*low, *high))]
    if not high or high[0] < 10 or not np.array_equal(rest, np.floor(rest)):
        return low
    return low + high if len(high) > 1 or _are_answers(rest) else low


def _negative(values: NDArray[Any]) -> Iterator[float]:
    """Yield the negative numbers that `found` returns, the lowest first."""
    while len(values) and values.min() < 0 and (codes := at_top(-values)):
        yield from (-code for code in codes[::-1])
        values = values[values > -codes[0]]


def at_top(values: NDArray[Any]) -> tuple[float, ...]:
    """Return the highest values where they may be codes: repeated, far, and of such digits.

    >>> at_top(np.r_[99, 99, 98, np.arange(10.0)]), at_top(np.arange(10.0))
    ((98.0, 99.0), ())
    >>> at_top(np.array([4.0, 6.0, 8.0]).repeat(10))
    ()
    """
    distinct = np.unique(values)[::-1]
    if len(values) <= FEWEST or (values == distinct[0]).sum() < 2:
        return ()
    codes = _codes(distinct[0])
    beside = list(takewhile(codes.__contains__, distinct))
    for n_codes in range(len(beside), 0, -1):
        lowest = beside[n_codes - 1]
        rest = values[values < lowest]
        # Of one value alone, as of 4 beside 6 and 8, no other number is far.
        if len(rest) < FEWEST or not 0 < np.ptp(rest) < lowest - rest.max():
            continue
        if distinct[0] == max(codes) or _are_answers(rest):
            return tuple(float(value) for value in beside[:n_codes][::-1])
    return ()


def _codes(highest: float) -> set[float]:
    """Return the numbers that stand for gaps in surveys, with as many digits as `highest`.

    >>> sorted(_codes(99.0))
    [77.0, 88.0, 96.0, 97.0, 98.0, 99.0]
    """
    ones = float("1" * len(f"{max(highest, 1):.0f}"))
    return {7 * ones, 8 * ones, *(9 * ones - np.arange(4.0)).tolist()}


def _are_answers(values: NDArray[Any]) -> bool:
    """True for whole numbers from 0 to 10, such as answers on a scale."""
    on_scale = (values >= 0) & (values <= WIDEST_SCALE) & (values == np.floor(values))
    return bool(on_scale.all())


def taken(values: NDArray[Any], codes: Iterable[float], how_kept: str) -> str:
    """Say that codes count as gaps, and how to keep them as numbers.

    >>> taken(np.array([-999.0, -999.0, 3.0]), [-999.0], "--as temp=number")
    '-999 (2 times) is far from all others: a gap (--as temp=number keeps it)'
    """
    said, many = _told(values, codes)
    return f"{said}: {'gaps' if many else 'a gap'} ({how_kept} keeps {'them' if many else 'it'})"


def doubted(values: NDArray[Any], codes: Iterable[float]) -> str:
    """Say that codes may be gaps, and what to do if so.

    >>> doubted(np.array([998.0, 999.0, 999.0, 3.5]), [998.0, 999.0])
    '998 (1 time) and 999 (2 times) are far from all others: empty these cells if they are gaps'
    """
    said, many = _told(values, codes)
    return f"{said}: empty {'these cells if they are gaps' if many else 'it if it is a gap'}"


def _told(values: NDArray[Any], codes: Iterable[float]) -> tuple[str, bool]:
    """Say how often codes occur and that they are far; also return True for more than one."""
    counts = [(code, int((values == code).sum())) for code in codes]
    listed = [f"{code:g} ({n} time{'s' * (n != 1)})" for code, n in counts]
    many = len(listed) > 1
    return f"{' and '.join(listed)} {'are' if many else 'is'} far from all others", many
