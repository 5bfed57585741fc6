"""Effect sizes: difference of a kind of rows from the other rows of its tasks, in deviations.

For kind k, task t, and a column whose mean is m and whose standard deviation in the task is s,

    d[k,t] = (m[k,t] - m[not k, t]) / s[t]                                        (1)
    w[k,t] = n[k,t] n[not k, t] / n[t]                                            (2)
    d[k]   = sum_t w[k,t] d[k,t] / sum_t w[k,t]                                   (3)

so that units and shifts of the tasks do not matter. For a value of a category m is its share p, and
s = sqrt(p (1 - p)): numbers and categories are on one scale. A column that is constant in a task
has d = 0 there; a task without other rows says nothing.

Source  standardized mean difference (Glass 1976), with the weights of Cochran (1954) over strata
"""

import numpy as np

from kinfolk.arrays import Matrix
from kinfolk.profiles.cells import Cube, divided


def effects(mean: Cube, deviation: Cube, count: Cube) -> Matrix:
    """Effect sizes d (K, d) by kind and column; NaN for a kind alone in all its tasks.

    `mean`, `deviation` and `count` are (K + 1, T + 1, d), with the margins at index -1.

    >>> mean = np.array([1.0, 5.0, 3.0]).reshape(3, 1, 1).repeat(2, axis=1)
    >>> deviation = np.array([0.0, 0.0, 2.0]).reshape(3, 1, 1).repeat(2, axis=1)
    >>> count = np.array([4, 4, 8]).reshape(3, 1, 1).repeat(2, axis=1)
    >>> effects(mean, deviation, count)
    array([[-2.],
           [ 2.]])
    """
    spread = deviation[-1:, :-1]
    # A constant column has a spread of rounding, by which no difference must be divided.
    varies = spread > 1e-9 * np.abs(mean[-1:, :-1])
    difference = mean[:-1, :-1] - rest(mean, count)
    d = np.divide(difference, spread, out=np.zeros_like(difference), where=varies)  # (1)
    w = weights(count)
    return divided(np.where(w > 0, w * d, 0.0).sum(axis=1), w.sum(axis=1))  # (3)


def weights(count: Cube) -> Cube:
    """Weight (K, T, d) of each task in a kind's effect size, by numbers of rows."""
    own = count[:-1, :-1]
    every = count[-1:, :-1]
    return np.nan_to_num(divided(own * (every - own), np.broadcast_to(every, own.shape)))


def rest(mean: Cube, count: Cube) -> Cube:
    """Mean (K, T, d), for each kind of rows, of the other rows of each task."""
    own = count[:-1, :-1]
    every = count[-1:, :-1]
    sums = np.nan_to_num(every * mean[-1:, :-1]) - np.nan_to_num(own * mean[:-1, :-1])
    return divided(sums, every - own)


def others(mean: Cube, count: Cube) -> Matrix:
    """Mean (K, d), for each kind of rows, of the other rows of its tasks, weighted by task.

    Each task counts by the rows of the kind that it has, so that a kind and its others differ by
    what the kind is and not by the data sets that it is in.
    """
    w = np.where(weights(count) > 0, count[:-1, :-1], 0)
    return divided(np.where(w > 0, w * rest(mean, count), 0.0).sum(axis=1), w.sum(axis=1))
