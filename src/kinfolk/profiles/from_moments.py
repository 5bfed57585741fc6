"""Profiles of clusters from stored means and spreads, without the rows."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.numerics import operators
from kinfolk.profiles import summaries
from kinfolk.profiles.cells import Cells, Cube, deviations, divided
from kinfolk.profiles.effects import effects, others
from kinfolk.profiles.values import ColumnProfile, Profiles
from kinfolk.tables import columns

MOST_MOMENTS = 2**20
"""Most numbers that are kept (8 MB): more would be larger than the model that they are part of."""


class ClusterMoments(NamedTuple):
    """Number of rows, means and standard deviations (C, d) of each of C clusters.

    Attributes
    ----------
    sizes : (C,)
    means, deviations : (C, d), 0 for empty clusters
    """

    sizes: Labels
    means: Matrix
    deviations: Matrix


def moments(X: Table, clusters: Labels, n_clusters: int) -> ClusterMoments | None:
    """Compute sizes, means and deviations of clusters (n,) of X; None if too large.

    >>> moments(np.array([[1.0], [3.0], [7.0]]), np.array([0, 0, 2]), 3)
    ClusterMoments(sizes=array([2, 0, 1]), means=array([[2.],
           [0.],
           [7.]]), deviations=array([[1.],
           [0.],
           [0.]]))
    """
    n, d = X.shape
    if 2 * n_clusters * d > MOST_MOMENTS:
        return None
    sizes = np.bincount(clusters, minlength=n_clusters)
    rows = np.maximum(sizes, 1)[:, None]
    means = _sums(X, clusters, n_clusters) / rows
    # About the means themselves: squares of large numbers would lose all digits of the spread.
    squares = _sums(X, clusters, n_clusters, about=means)
    return ClusterMoments(sizes, means, np.sqrt(squares / rows))


def _sums(X: Table, clusters: Labels, C: int, about: Matrix | None = None) -> Matrix:
    """Sums (C, d) of the rows of each cluster, or of their squared distances from means (C, d).

    In blocks of rows in double precision: a table of single precision is not copied.
    """
    n, d = X.shape
    total: Matrix = np.zeros((C, d))
    for block in operators.blocks(n, d):
        own = clusters[block]
        part = operators.dense(X[block]).astype(np.float64, copy=False)
        if about is not None:
            part = np.square(part - about[own])
        members = sp.csr_array((np.ones(len(own)), (own, np.arange(len(own)))), (C, len(own)))
        total += np.asarray(members @ part)
    return total


def profiles(
    found: ClusterMoments, kinds: Labels, tasks: Sequence[Any], names: Sequence[str]
) -> Profiles:
    """Build profiles from means and spreads, without quartiles and typical rows.

    Parameters
    ----------
    found : of C clusters
    kinds, tasks : (C,) of each cluster
    names : (d,) of the columns

    Examples
    --------
    >>> two = ClusterMoments(np.array([2, 1]), np.array([[2.0], [7.0]]), np.array([[1.0], [0.0]]))
    >>> income = profiles(two, np.array([0, 1]), ["a", "a"], ["income"]).columns[0]
    >>> income.mean[:, -1], income.deviation[:, -1]
    (array([2.   , 7.   , 3.667]), array([1.   , 0.   , 2.494]))
    """
    filled = np.flatnonzero(found.sizes)
    cells = Cells.of(np.asarray(kinds)[filled], [str(tasks[c]) for c in filled.tolist()])
    n = found.sizes[filled].astype(float)[:, None]
    center = (n * found.means[filled]).sum(axis=0) / n.sum()
    shift = found.means[filled] - center
    count = np.broadcast_to(cells.sums(n), (*cells.sizes.shape, len(names)))
    mean = divided(cells.sums(n * shift), count)
    apart = shift - mean[cells.kind_of, cells.task_of]
    within = cells.sums(n * (found.deviations[filled] ** 2 + apart**2))
    deviation = deviations(within, mean, count)
    mean = center + mean
    d = effects(mean, deviation, count)
    kept = summaries.telling(d) if len(names) > summaries.MOST_COLUMNS else range(len(names))
    beside = others(mean, count)
    return Profiles(
        kinds=cells.kinds,
        tasks=cells.tasks,
        sizes=cells.sums(n)[:, :, 0].round().astype(int),
        columns=tuple(_column(names[j], j, (count, mean, deviation), d, beside) for j in kept),
    )


def _column(
    name: str, j: int, cubes: tuple[Cube, Cube, Cube], d: Matrix, beside: Matrix
) -> ColumnProfile:
    count, mean, deviation = (cube[:, :, j] for cube in cubes)
    unknown = np.full(mean.shape, np.nan)
    return ColumnProfile(
        name=name,
        taken_for=columns.NUMBER,
        values=(),
        count=count.round().astype(int),
        gaps=np.where(count > 0, 0.0, np.nan),
        shares=np.empty((*mean.shape, 0)),
        mean=mean,
        deviation=deviation,
        lower=unknown,
        median=unknown,
        upper=unknown,
        effects=d[:, [j]],
        others=beside[:, [j]],
    )
