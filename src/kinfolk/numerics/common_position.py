"""Chooses whether the measurements of several tasks are compared as they are, or less task means.

Where tasks have other zeros or units, the mean of each task has to be taken away before their rows
are compared. Where tasks have one scale but other groups, that is wrong: the mean of a task moves
with the groups that it has. The centers m of the clusters of all tasks tell which is the case:

    as they are   m[c] / w              w = root mean square over the tasks of w[t]
    centered      (m[c] - m[t]) / w[t]  m[t] = mean of the rows of task t

with w[t] the spread of each column within the clusters of task t. Of both the one is taken where
the clusters of two tasks lie closer together, measured against those of one task:

    misfit = mean over pairs of tasks of  1/min(k, l) min sum min(|m[c] - m[e]|^2 / s^2, 1)

over pairs (c, e) of clusters, each at most once. s is half the distance of a cluster to the
nearest other one of its task, in the median over all clusters. Pairs that are farther apart than s
count alike, since they are no more the same if they lie farther away still.

Units   misfits have none and lie in [0, 1].
Limits  tasks of one cluster each have no s: they are centered. Tasks that have other units and few
        groups in common fit neither way.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.spatial.distance import cdist

from kinfolk.arrays import Matrix, Vector
from kinfolk.numerics import matching

MOST_COMPARED = 20
"""Tasks that all others are compared with: more take the square of the time and change nothing."""


def placements(centers: Sequence[Matrix], means: Matrix, spreads: Matrix) -> tuple[Matrix, Matrix]:
    """Choose the zeros and the units (T, d) in which the rows of T tasks are comparable.

    Parameters
    ----------
    centers : T arrays (k_t, d) of cluster centers
    means : (T, d) of the rows of each task
    spreads : (T, d) within clusters; 0 for columns that do not vary in the task

    Returns
    -------
    zeros : (T, d) to be subtracted; 0 if tasks are compared as they are
    units : (T, d) to be divided by

    Examples
    --------
    Two of three groups are the same:

    >>> a = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
    >>> b = np.array([[9.0, 0.0], [0.0, 9.0], [30.0, 20.0]])
    >>> zeros, units = placements([a, b], np.array([[3.0, 3.0], [13.0, 10.0]]), np.ones((2, 2)))
    >>> zeros.tolist(), units.tolist()
    ([[0.0, 0.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 1.0]])

    The second task has the groups of the first, 40 higher and with twice the numbers:

    >>> b = 40.0 + 2.0 * a
    >>> zeros, units = placements(
    ...     [a, b], np.array([[3.0, 3.0], [46.0, 46.0]]), np.array([[1.0, 1.0], [2.0, 2.0]])
    ... )
    >>> zeros.tolist(), units.tolist()
    ([[3.0, 3.0], [46.0, 46.0]], [[1.0, 1.0], [2.0, 2.0]])
    """
    varies = spreads > 0
    own = np.where(varies, spreads, 1.0)
    squares = np.square(spreads).sum(axis=0) / np.maximum(varies.sum(axis=0), 1)
    common = np.broadcast_to(np.where(squares > 0, np.sqrt(squares), 1.0), own.shape)
    as_they_are = [m / w for m, w in zip(centers, common, strict=True)]
    centered = [(m - o) / w for m, o, w in zip(centers, means, own, strict=True)]
    if misfit(as_they_are) < misfit(centered):
        return np.zeros_like(means), common.copy()
    return means, own


def misfit(centers: Sequence[Matrix]) -> float:
    """Distance of clusters from their counterparts in other tasks, 0 to 1; 1 without a scale.

    centers : T arrays (k_t, d)

    >>> misfit([np.array([[0.0], [4.0]]), np.array([[1.0], [9.0]])])
    0.55
    """
    gaps = np.concatenate([_nearest(m) for m in centers])
    gaps = gaps[np.isfinite(gaps)]
    if len(gaps) == 0:
        return 1.0
    s_squared = np.median(gaps) / 4.0
    compared = np.linspace(0, len(centers) - 1, min(len(centers), MOST_COMPARED)).astype(int)
    found = [
        _paired(cdist(centers[a], centers[b], "sqeuclidean"), s_squared)
        for a, b in combinations(range(len(centers)), 2)
        if a in compared or b in compared
    ]
    return float(np.mean(found)) if found else 1.0


def _nearest(m: Matrix) -> Vector:
    """Squared distance (k,) of each center (k, d) to the nearest other one; inf for one alone."""
    D = cdist(m, m, "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    return D.min(axis=1)


def _paired(D: Matrix, s_squared: float) -> float:
    """Mean of min(D / s^2, 1) over the pairs of clusters that make it least."""
    share = np.minimum(D, s_squared) / s_squared if s_squared > 0 else (D > 0).astype(float)
    partner = matching.assignment(1.0 - share)
    paired = partner >= 0
    return float(share[paired, partner[paired]].mean())
