"""Distance of a column's distribution from one with a single peak.

A distribution function with one peak is convex below the peak and concave above it. With values
x_1 < .. < x_n and F their distribution function

    T = sqrt(n) min_m max(D(below m), D(above m))                                          (P1)
    D(below m) = half the largest distance of F, for values up to m, above its greatest convex
                 minorant; D(above m) = the same of the least concave majorant above F     (P2)

(P2) is the distance of F from the nearest convex, or concave, function. Without the condition that
the two parts fit together at m this is at most sqrt(n) times the dip of Hartigan and Hartigan: The
dip test of unimodality. Annals of Statistics 13, 1985. As there, uniform values are the hardest to
tell from two peaks: 99 % of samples of 30 to 1000 have T < .48, of normal ones T < .39.

Units   none; T does not change with scale and zero of the column.
"""

import numpy as np
from scipy.optimize import isotonic_regression

from kinfolk.arrays import Vector
from kinfolk.numerics import rounding

POINTS = 100
"""Most values that are used; of more, so many are taken evenly by rank."""

SPLITS = 11
"""Places, evenly by rank, that are tried as the peak."""

MANY = 0.1
"""A column in which one value has a larger share is not tested: it has no measurements."""

LARGEST = 0.5
"""Threshold for T of (P1), which about one in 200 samples with a single peak exceeds."""


def has_several(x: Vector) -> bool:
    """True if the values (n,) have more than one peak, hardly by chance.

    >>> random = np.random.default_rng(0)
    >>> one, two = random.normal(size=200), np.repeat([0.0, 6.0], 100) + random.normal(size=200)
    >>> has_several(one), has_several(two)
    (False, True)
    """
    # Values that are equal but for rounding, as 0.3 and 3 * 0.1, are one.
    values, counts = np.unique(rounding.comparable(x - np.median(x)), return_counts=True)
    if len(values) < 4 or counts.max() > max(MANY * len(x), 1):
        return False
    # Rounded values are spread out over the step to the next one.
    step = np.diff(values).min()
    within = np.arange(len(x)) - np.repeat(np.cumsum(counts) - counts, counts)
    spread = (within + 0.5) / np.repeat(counts, counts) - 0.5
    return distance(np.repeat(values, counts) + step * spread) > LARGEST


def distance(x: Vector) -> float:
    """Distance T of (P1) of values (n,), all different, from a distribution with one peak.

    >>> x = np.array([0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 13.0])
    >>> round(distance(x), 3), round(distance(np.arange(8.0)), 3)
    (0.318, 0.0)
    """
    x = np.sort(x)
    taken = np.linspace(0, len(x) - 1, min(len(x), POINTS)).round().astype(int)
    gaps = np.diff(x[taken])
    steps = np.diff(taken) / len(x)
    places = np.unique(np.linspace(0, len(gaps), SPLITS).round().astype(int))
    nearest = min(
        max(_from_convex(gaps[:m], steps[:m]), _from_convex(gaps[m:][::-1], steps[m:][::-1]))
        for m in places
    )
    return float(np.sqrt(len(x)) * nearest)  # (P1)


def _from_convex(gaps: Vector, steps: Vector) -> float:
    """Distance (P2) of a function that rises by steps over gaps from the nearest convex one."""
    if len(gaps) < 2:
        return 0.0
    slopes = isotonic_regression(steps / gaps, weights=gaps).x  # of the convex minorant
    return float(np.cumsum(steps - slopes * gaps).max(initial=0.0)) / 2
