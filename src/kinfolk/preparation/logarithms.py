"""Logarithms of columns whose values are many small ones and few far above them.

Money, populations, concentrations: one row far above the others would be a cluster of its own, and
all others stand close together. Where it halves the skewness at least, rows are clustered by

    ln(max(x, lowest) + offset)                                                             (1)

with offset 0, or where the column has zeros, the median of its values above 0. Units do not matter:
another one adds a constant. Balances and other columns with values below 0 keep their sign, by

    asinh(x / offset) = sign(x) ln(|x| / offset + sqrt((x / offset)^2 + 1))                 (2)

with the median of |x| over all x but 0 as offset, where it halves the size of the skewness.

    skewness = mean over all rows of ((x - m_t) / s_t)^3                                    (3)

with mean m_t and standard deviation s_t of the column in the row's task t.

A few rows far from all others may also be a cluster. Its column has skewness, too, and a logarithm
would pull it back and tear the other rows apart. So the logarithm also has to be the likelier
description of the column: with z(x) of (1) or (2), and BIC of the best of the mixtures of one to
four normal distributions of the values, less their mean in the task,

    BIC(z) + 2 sum ln(dz/dx)  >  BIC(x)                                                     (4)

Source  Box, Cox: An analysis of transformations. JRSS B 26, 1964, with exponent 0 or 1 alone.
        (2): Burbidge, Magee, Robb: Alternative transformations to handle extreme values of the
        dependent variable. JASA 83, 1988.
        (4): the change of variables of a density. `docs/tables-measured.md` has what decided the
        rule.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.numerics import column_mixtures

SKEWED = 1.0
"""Columns with less skewness are left as they are: that of a half of a normal distribution is 1."""

REMAINS = 0.5
"""Largest share of the skewness, of either sign, that the logarithm may leave: zeros, or a bend the
other way, are no better than the column itself."""

FEW_VALUES = 10
"""Grades and small counts, with so many different values or fewer, are left as they are."""

MOST_CLUSTERS = 4
"""Largest number of normal distributions that describe the values of one column."""

MOST_ROWS = 500
"""Most values that are described; of more, so many are taken evenly by rank."""

SWEEPS = 10
"""Most sweeps of EM; more raise the likelihood of both descriptions, and choose no other one."""


def terms(X: Matrix, codes: Labels) -> NDArray[np.float64]:
    """Lowest value and offset (2, d) of columns that become logarithms; NaN of the others.

    (2) is for columns whose lowest value is below 0.

    Parameters
    ----------
    X : (n, d), NaN for gaps
    codes : (n,) position of each row's task

    Examples
    --------
    >>> spend = np.exp(np.arange(-6.0, 7.0))
    >>> terms(np.column_stack([spend, np.arange(13.0)]), np.zeros(13, dtype=int)).round(4).tolist()
    [[0.0025, nan], [0.0, nan]]
    """
    found = np.full((2, X.shape[1]), np.nan)
    pairs = []
    for j, x in enumerate(X.T):
        there = ~np.isnan(x)
        values = x[there]
        if not len(values):
            continue
        lowest = values.min()
        skew = skewness(values, codes[there])
        if (abs(skew) if lowest < 0 else skew) < SKEWED or len(np.unique(values)) <= FEW_VALUES:
            continue
        offset = 0.0 if lowest > 0 else np.median(np.abs(values[values != 0]))
        logged = _logarithm(values, lowest, offset)
        if abs(skewness(logged, codes[there])) > REMAINS * abs(skew):
            continue
        found[:, j] = lowest, offset
        pairs.append(_pair(values, logged, offset, codes[there]))
    columns = np.flatnonzero(~np.isnan(found[0]))
    found[:, columns[~_are_likelier(pairs)]] = np.nan
    return found


def _logarithm(x: Vector, lowest: float, offset: float) -> Vector:
    """Logarithms (1) of values x (n,), or (2) if the lowest one of the column is below 0."""
    if lowest < 0:
        return np.asarray(np.arcsinh(x / offset))
    return np.asarray(np.log(np.maximum(x, lowest) + offset))


class _Pair(NamedTuple):
    """Sorted values of a column and their logarithms, both (m,), less their mean in the task.

    `slopes` is 2 sum ln(dz/dx) of (4).
    """

    before: Vector
    after: Vector
    slopes: float


def _pair(x: Vector, z: Vector, offset: float, codes: Labels) -> _Pair:
    """Take up to `MOST_ROWS` of the values x (n,) and logarithms z (n,) of a column."""
    taken = np.argsort(x, kind="stable")
    if len(x) > MOST_ROWS:
        taken = taken[np.linspace(0, len(x) - 1, MOST_ROWS).round().astype(int)]
    size = np.hypot(x[taken], offset) if x.min() < 0 else x[taken] + offset  # dz/dx = 1 / size
    slopes = -2.0 * np.log(size).sum()
    return _Pair(_centered(x, codes)[taken], _centered(z, codes)[taken], slopes)


def _are_likelier(pairs: Sequence[_Pair]) -> NDArray[np.bool_]:
    """Mark columns whose logarithms a few normal distributions describe better: (4)."""
    lengths = np.array([len(pair.before) for pair in pairs], dtype=int)
    likelier = np.zeros(len(pairs), dtype=bool)
    for n in np.unique(lengths):  # columns with equally many values at once
        same = np.flatnonzero(lengths == n).tolist()
        before = _descriptions(np.stack([pairs[j].before for j in same]))
        after = _descriptions(np.stack([pairs[j].after for j in same]))
        likelier[same] = after + np.array([pairs[j].slopes for j in same]) > before
    return likelier


def _descriptions(x: Matrix) -> Vector:
    """BIC (c,) of the best mixture of one to four normal distributions of each row of x (c, n)."""
    n = x.shape[1]
    spread = x.std(axis=1, keepdims=True)
    # The prior of the mixtures is for variance 1.
    scaled = (x - x.mean(axis=1, keepdims=True)) / spread
    lowest = x.min(axis=1, keepdims=True)
    by_rank = np.broadcast_to(np.linspace(0.0, 1.0, n, endpoint=False), x.shape)
    by_value = (x - lowest) / (np.ptp(x, axis=1, keepdims=True) * (1 + 1e-9))
    found = [
        column_mixtures.criteria(scaled, (place * k).astype(int), k, SWEEPS)
        for k in range(1, MOST_CLUSTERS + 1)
        for place in (by_rank, by_value)[: min(k, 2)]
    ]
    return np.asarray(np.max(found, axis=0) - 2.0 * n * np.log(spread[:, 0]))


def _centered(x: Vector, codes: Labels) -> Vector:
    """Values x (n,) less their mean in the task, at positions (n,)."""
    sizes = np.maximum(np.bincount(codes), 1)
    return np.asarray(x - (np.bincount(codes, x) / sizes)[codes])


def skewness(x: Vector, codes: Labels) -> float:
    """Skewness (3) of values x (n,) within the tasks at positions (n,); 0 if none varies.

    >>> skewness(np.array([0.0, 0.0, 3.0, 7.0, 7.0, 7.0]), np.array([0, 0, 0, 1, 1, 1]))
    0.3535533905932737
    """
    sizes = np.maximum(np.bincount(codes), 1)
    rest = _centered(x, codes)
    spread = np.sqrt(np.bincount(codes, rest**2) / sizes)
    # Deviations of equal values are rounding.
    varies = spread > 1e-9 * np.abs(x).max(initial=0.0)
    z = rest / np.where(varies, spread, 1.0)[codes]
    return float(np.mean(np.where(varies[codes], z, 0.0) ** 3))


def taken(X: Matrix, found: Matrix) -> Matrix:
    """Return X (n, d) with logarithms (1), (2) of the columns that have `terms` in `found`.

    `found` (2, d) is NaN where the column stays as it is.

    >>> taken(np.array([[1.0, 5.0], [0.0, 6.0]]), np.array([[0.0, np.nan], [1.0, np.nan]])).round(3)
    array([[0.693, 5.   ],
           [0.   , 6.   ]])
    """
    columns = np.flatnonzero(~np.isnan(found[0]))
    if not len(columns):
        return X
    logged = np.array(X, dtype=np.float64)
    for j in columns:
        logged[:, j] = _logarithm(logged[:, j], *found[:, j])
    return logged
