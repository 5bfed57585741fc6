"""Finds numbers that stand for gaps, such as -999."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEWEST = 10
"""With fewer other values than this none is far from them all."""


def found(values: NDArray[Any]) -> tuple[float, ...]:
    """Negative numbers of nines that are repeated and far from all other values.

    Far: farther from the nearest than the others are from one another. A repeated 999 may be a
    price or a count, and is not found.

    >>> found(np.r_[-999, -999, np.arange(10.0)]), found(np.r_[999, 999, np.arange(10.0)])
    ((-999.0,), ())
    >>> found(np.r_[-9999, -9999, -99, -99, np.arange(10.0)])
    (-9999.0, -99.0)
    """
    return tuple(_peeled(values))


def _peeled(values: NDArray[Any]) -> Iterator[float]:
    """Yield the codes that `found` returns, the lowest first."""
    while len(values) and (low := float(values.min())) < 0 and is_far(values, low):
        yield low
        values = values[values != low]


def is_far(values: NDArray[Any], extreme: float) -> bool:
    """True if `extreme`, the largest or smallest value, is of nines, repeated and far from others.

    >>> is_far(np.r_[99, 99, np.arange(10.0)], 99.0), is_far(np.arange(10.0), 9.0)
    (True, False)
    """
    if set(f"{abs(extreme):.15g}") != {"9"}:
        return False
    others = values[values != extreme]
    if len(values) - len(others) < 2 or len(others) < FEWEST:
        return False
    return bool(np.abs(others - extreme).min() > np.ptp(others))


def told(values: NDArray[Any], codes: Iterable[float]) -> str:
    """Say how often codes for gaps occur, and that they are far from all other values.

    >>> told(np.array([-999.0, -999.0, 3.0]), [-999.0])
    '-999 (2 times) is far from all others'
    """
    listed = [f"{code:g} ({(values == code).sum()} times)" for code in codes]
    return f"{' and '.join(listed)} {'are' if listed[1:] else 'is'} far from all others"
