"""Rounds numbers to the digits that their standard errors justify, or that can be compared.

The mean of n values of deviation s has the standard error s / sqrt(n). Rounded to a step of at most
a thirtieth of it, its error grows by less than 0.01 %:

    step = 10^floor(log10(s / (30 sqrt(n)))),   var(rounding) = step^2 / 12                      (1)
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from kinfolk.arrays import Matrix, Vector

STEPS_PER_ERROR = 30.0
"""Steps of rounding in one standard error, at the least."""

COMPARABLE = 9
"""Significant digits that sums of any order, and so all processors, agree on."""

MOST_PLACES = 300
"""Decimal places above which 10^places, or a number times it, may be too large."""

SMALL = 10.0**MOST_PLACES
"""Factor of numbers that are rounded to more places than that."""

WITHOUT_ERROR = 6
"""Significant digits of a number whose error is not known."""


def to_error(values: ArrayLike, error: ArrayLike, digits: int | None = None) -> Matrix:
    """Round values to a thirtieth of their standard errors, or to fewer significant digits.

    Parameters
    ----------
    values : any shape
    error : standard error of each, broadcast to that shape; 0 where it is not known. Where it is
        infinite no digit is left: 0
    digits : at most so many significant digits; None: as many as the error leaves

    >>> to_error([5.6692141906545, 0.123456789], [1.0, 0.05]), to_error([575.669], [0.01], 2)
    (array([5.67 , 0.123]), array([580.]))
    """
    x = np.asarray(values, dtype=float)
    errors = np.broadcast_to(np.asarray(error, dtype=float), x.shape)
    rounded = [
        _rounded(float(value), float(e), digits)
        for value, e in zip(x.ravel(), errors.ravel(), strict=True)
    ]
    return np.array(rounded).reshape(x.shape)


def comparable(values: ArrayLike) -> Matrix:
    """Round values to nine digits of the largest, so that those equal up to rounding become equal.

    An order or a maximum of them is then the same on every processor, ties by position.

    >>> found = comparable([0.1 + 0.2, 0.3, np.nan])
    >>> found[0] == found[1], found.argsort(kind="stable")
    (np.True_, array([0, 1, 2]))
    """
    x = np.asarray(values, dtype=float)
    largest = np.nanmax(np.abs(x), initial=0.0)
    if not 0 < largest < np.inf:
        return x
    places = COMPARABLE - 1 - math.floor(math.log10(largest))
    if places <= MOST_PLACES:
        return np.round(x, places)
    return np.round(x * SMALL, places - MOST_PLACES) / SMALL


def ranks(scores: Vector) -> Vector:
    """Ranks from 1 (lowest) of scores up to about 1; those that differ by rounding alone are tied.

    >>> ranks(np.array([0.9, 0.3, 0.1 + 0.2]))
    array([3. , 1.5, 1.5])
    """
    # Sums in another order differ by 1e-15 at this size.
    found: Vector = rankdata(scores.round(12))
    return found


def means(
    V: Matrix, weights: ArrayLike, digits: int | None = None, *, scaled: bool = False
) -> Matrix:
    """Round centers V (k, d) of clusters of `weights` (k,) rows by their standard errors.

    If the columns are `scaled` to variance 1, that is the deviation of the rows; elsewhere the rows
    differ at least as much as the centers.

    >>> means(np.array([[1.23456789], [9.87654321]]), [576.0, 120.0]).ravel()
    array([1.235, 9.877])
    """
    n = np.asarray(weights, dtype=float)
    mean = np.average(V, axis=0, weights=n)
    between = np.average((V - mean) ** 2, axis=0, weights=n) ** 0.5
    deviation = np.ones(len(between)) if scaled else between
    return to_error(V, deviation / n[:, None] ** 0.5, digits)


def _rounded(value: float, error: float, digits: int | None) -> float:
    """Round one number to a thirtieth of its error, or to its significant digits."""
    if value == 0 or error == math.inf:
        return 0.0
    if not math.isfinite(value):
        return value
    largest = math.floor(math.log10(abs(value)))
    places = WITHOUT_ERROR - 1 - largest
    step = error / STEPS_PER_ERROR
    if step > 0:
        places = -math.floor(math.log10(step))
    if digits is not None:
        places = min(places, digits - 1 - largest)
    return round(value, places)
