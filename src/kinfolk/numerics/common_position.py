"""Chooses a zero and a unit for each column of each task, so that tasks can be compared.

Where tasks have other zeros or units, the mean of each task has to be taken away before their rows
are compared. Where tasks have one scale but other groups, that is wrong: the mean of a task moves
with the groups that it has. The centers m of the clusters of all tasks tell which is the case:

    as they are     m[c] / w              w = root mean square over the tasks of w[t]
    less the rows   (m[c] - m[t]) / w[t]  m[t] = mean of the rows of task t
    less centers    (m[c] - z[t]) / w[t]  z[t] = mean of the cluster centers of task t
    in the table    (a[t] + b[t] m[c]) / w, where columns were brought to one scale in each task:
                    they were less a[t] and over b[t]; w = root mean square of b[t] w[t]

with w[t] the spread of each column within the clusters of task t. z[t] does not move with the sizes
of groups that tasks have in common. Of these four the one is chosen for which the clusters of two
tasks lie closest together, relative to those of one task. Ties are decided in this order: less the
rows, less centers, as they are, in the table.

    misfit = mean over pairs of tasks of  1/min(k, l) min sum min(|m[c] - m[e]|^2 / s^2, 1)

over pairs (c, e) of clusters, each at most once. s is half the distance of a cluster to the
nearest other one of its task, in the median over all clusters. Pairs that are farther apart than s
count alike, since they are no more the same if they lie farther away still.

Units   misfits have none and lie in [0, 1].
Limits  tasks of one cluster each have no s: they are centered. Tasks that have other units and few
        groups in common fit by none of the four.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.spatial.distance import cdist

from kinfolk.arrays import Matrix, Vector
from kinfolk.numerics import matching

MOST_COMPARED = 20
"""Most tasks that all others are compared with; more take longer and change nothing."""


Placement = tuple[Matrix, Matrix]
"""Zeros to subtract, and units to divide by then, (T, d) each."""


def placements(
    centers: Sequence[Matrix], means: Matrix, spreads: Matrix, table: Placement | None = None
) -> Placement:
    """Choose the zeros and the units (T, d) that make the rows of T tasks comparable.

    Parameters
    ----------
    centers : T arrays (k_t, d) of cluster centers
    means : (T, d) of the rows of each task
    spreads : (T, d) within clusters; 0 for columns that do not vary in the task
    table : a and b (T, d) of each task, if the columns were brought to one scale; b is 0 where all
        rows of a task are alike

    Returns
    -------
    zeros : (T, d) to be subtracted; 0 if tasks are compared as they are
    units : (T, d) to divide by then

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
    own = np.where(spreads > 0, spreads, 1.0)
    middles = np.array([m.mean(axis=0) for m in centers])
    ways = [(means, own), (middles, own), (np.zeros_like(means), _common(spreads))]
    if table is not None:
        zeros, units = table
        known = units > 0
        units = np.where(known, units, 1.0)
        # In prepared columns the zero of the table lies at -a / b, and its unit is 1 / b.
        common = _common(np.where(known, units * own, 0.0))
        ways.append((np.where(known, -zeros / units, 0.0), common / units))
    return min(ways, key=lambda way: misfit(_placed(centers, *way)))


def _common(spreads: Matrix) -> Matrix:
    """Root mean square of spreads (T, d) over the tasks where they are not 0, in T rows; else 1.

    >>> _common(np.array([[3.0, 0.0], [0.0, 0.0]]))
    array([[3., 1.],
           [3., 1.]])
    """
    squares = np.square(spreads).sum(axis=0) / np.maximum((spreads > 0).sum(axis=0), 1)
    return np.tile(np.where(squares > 0, np.sqrt(squares), 1.0), (len(spreads), 1))


def _placed(centers: Sequence[Matrix], zeros: Matrix, units: Matrix) -> list[Matrix]:
    return [(m - zero) / unit for m, zero, unit in zip(centers, zeros, units, strict=True)]


def misfit(centers: Sequence[Matrix]) -> float:
    """Distance of clusters from their counterparts in other tasks, from 0 to 1 (far or unknown).

    It is unknown for one task, and where no task has two clusters.

    centers : T arrays (k_t, d)

    >>> misfit([np.array([[0.0], [4.0]]), np.array([[1.0], [9.0]])])
    0.55
    """
    s_squared = _scale(centers)
    pairs = _compared(len(centers))
    found = [_paired(centers[a], centers[b], s_squared).mean() for a, b in pairs]
    return float(np.mean(found)) if found else 1.0


def _scale(centers: Sequence[Matrix]) -> float:
    """Squared distance s^2 beyond which clusters count as different; 0 if no task has two."""
    gaps = np.concatenate([_nearest(m) for m in centers])
    gaps = gaps[np.isfinite(gaps)]
    return float(np.median(gaps)) / 4.0 if len(gaps) else 0.0


def _compared(T: int) -> list[tuple[int, int]]:
    """Pairs of tasks that are compared: all of a few, with some evenly spaced ones of many."""
    some = set(np.linspace(0, T - 1, min(T, MOST_COMPARED)).astype(int).tolist())
    return [(a, b) for a, b in combinations(range(T), 2) if a in some or b in some]


def _nearest(m: Matrix) -> Vector:
    """Squared distance (k,) of each center (k, d) to the nearest other one; inf for one alone."""
    D = cdist(m, m, "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    return D.min(axis=1)


def _paired(a: Matrix, b: Matrix, s_squared: float) -> Vector:
    """Distances min(|a - b|^2 / s^2, 1) of centers (k, d) and (l, d), paired to make them least."""
    D = cdist(a, b, "sqeuclidean")
    share = np.minimum(D, s_squared) / s_squared if s_squared > 0 else np.ones_like(D)
    partner = matching.assignment(1.0 - share)
    paired = np.flatnonzero(partner >= 0)
    return np.asarray(share[paired, partner[paired]])
