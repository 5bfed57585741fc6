"""Agreement of clusters of different tasks, by the clusters of their nearest rows there.

Each row of a cluster c of task s votes for the clusters of its l nearest rows in task t. With the
share v[c,e] of votes for cluster e, which has the share p[e] of the rows of t,

    a[c,e]       = (v[c,e] - p[e]) / (1 - p[e]), at least -1
    agreement    = 3/4 min(a[c,e], a[e,c]) + 1/4 max(a[c,e], a[e,c])

is 1 if the two clusters have only each other as neighbors, and 0 for votes that do not depend on
the cluster. Rows of a cluster that the other task lacks still have nearest rows there, whose own
nearest rows are others: hence the larger weight of the weaker direction.

Counts are compared as tf-idf by cosine, amounts by cosine, as in the scores of `Kinfolk`.
Measurements are compared by distance, over the standard deviation within clusters: that of all rows
of a task depends on the groups that it has. Where their zeros lie is chosen by the clusters
(`numerics.common_position`). Columns that have one scale already keep it, unless that of the table
that they were made of is known (`prepared_from`) and brings clusters closer.

Cost    the products of at most 1000 rows of each task with those of all tasks, in blocks.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.numerics import common_position, group_neighbors, kinds, memberships, operators
from kinfolk.numerics.common_position import Placement

# As many as in the scores of `Kinfolk`, but at most the mean size of a cluster.
NEIGHBORS = 15
# A task with fewer rows has no neighborhoods: 15 rows would be half of it.
MIN_ROWS = 2 * NEIGHBORS
# Shares of votes have a standard error of at most 0.05 for clusters of 100 rows; more rows of a
# large task cost time and change no match.
MAX_ROWS = 1000
# By the smaller direction alone two tasks that share all classes lost matches of weak clusters;
# by the mean of both, clusters that one task lacks were matched (docs/clusters-across-tasks.md).
WEIGHT_OF_WEAKER = 0.75
# A column that tells clusters apart without fault would otherwise outweigh all others.
LEAST_WITHIN = 0.1
"""Least standard deviation within clusters, as a share of that in the task."""

_TABLE: ContextVar[Placement | None] = ContextVar("_TABLE", default=None)


@contextmanager
def prepared_from(table: Placement | None) -> Iterator[None]:
    """Context that gives `agreement` the zeros and units by which columns were scaled, by task.

    table : zeros and units (T, d) of the columns of each task in the table, or None; tables of
        other shapes are not concerned
    """
    token = _TABLE.set(table)
    try:
        yield
    finally:
        _TABLE.reset(token)


def agreement(
    X: Table, labels: Labels, codes: Labels, k: Sequence[int], columns_are_scaled: bool = False
) -> Matrix:
    """Agreement (C, C) of all pairs of clusters; nan within a task and for tasks under 30 rows.

    Parameters
    ----------
    X : (n, d)
    labels : (n,) the cluster of each row in its task
    codes : (n,) the position of each row's task
    k : T numbers of clusters, C in all
    columns_are_scaled : True if columns have comparable units already

    Examples
    --------
    >>> X = np.repeat([[0.5], [9.5], [3.5], [-5.5]], 20, axis=0)
    >>> X += np.tile(np.arange(20) / 20, 4)[:, None]
    >>> agreement(X, np.repeat([0, 1, 0, 1], 20), np.repeat([0, 1], 40), [2, 2]).round(1)
    array([[nan, nan, -1.,  1.],
           [nan, nan,  1., -1.],
           [-1.,  1., nan, nan],
           [ 1., -1., nan, nan]])
    """
    first = np.cumsum(k) - k
    found = np.full((sum(k), sum(k)), np.nan)
    places = [np.flatnonzero(codes == t) for t in range(len(k))]
    large = [t for t, rows in enumerate(places) if len(rows) >= MIN_ROWS]
    if len(large) < 2:
        return found
    own = [places[t] for t in large]
    table = _TABLE.get()
    if table is not None:
        applies = table[0].shape == (len(k), X.shape[1])
        table = (table[0][large], table[1][large]) if applies else None
    metric, Z = _voters(X, labels, own, columns_are_scaled, table)
    chosen = [_sample(rows) for rows in own]
    voters = np.concatenate(chosen)
    towards = np.full_like(found, np.nan)
    block = np.concatenate([first[t] + np.arange(k[t]) for t in large])
    towards[np.ix_(block, block)] = _excess_votes(
        Z, labels[voters], [len(rows) for rows in chosen], [k[t] for t in large], metric
    )
    inside = np.repeat(np.arange(len(k)), k)
    towards[inside[:, None] == inside] = np.nan
    weaker = np.minimum(towards, towards.T)
    stronger = np.maximum(towards, towards.T)
    return WEIGHT_OF_WEAKER * weaker + (1.0 - WEIGHT_OF_WEAKER) * stronger


def _excess_votes(
    Z: Table, labels: Labels, sizes: Sequence[int], k: Sequence[int], metric: str
) -> Matrix:
    """Share (C, C) of a cluster's nearest rows in each other one, in excess of chance.

    Parameters
    ----------
    Z : (n, d) rows that vote, task by task, `sizes` of each
    labels : (n,) the cluster of each in its task
    k : number of clusters of each task

    Examples
    --------
    >>> Z = np.array([[0.0], [5.0], [0.1], [0.2], [0.3], [5.0]])
    >>> _excess_votes(Z, np.array([0, 1, 0, 0, 0, 1]), [2, 4], [2, 2], "euclidean")[:2, 2:].round(2)
    array([[ 1.  , -0.33],
           [-1.  ,  0.33]])
    """
    groups = np.split(np.arange(len(labels)), np.cumsum(sizes)[:-1])
    positions = labels + np.repeat(np.cumsum(k) - k, sizes)
    # As many as the mean size of a cluster at most.
    l = [min(NEIGHBORS, max(1, n // k_t)) for n, k_t in zip(sizes, k, strict=True)]
    votes = np.zeros((sum(k), sum(k)))
    for rows, near in group_neighbors.nearest_by_group(Z, Z, groups, l, metric):
        found = np.hstack(group_neighbors.votes(near, labels, positions[rows], k))
        votes[: len(found)] += found
    counts = np.bincount(positions, minlength=sum(k))
    v = votes / np.maximum(counts, 1)[:, None]
    p = counts / np.repeat(sizes, k)
    a = np.divide(v - p, 1.0 - p, out=np.zeros_like(v), where=p < 1)
    a = np.maximum(a, -1.0)  # a cluster of nearly all rows would lose any number of votes
    # Clusters without rows neither vote nor get votes.
    return np.where((counts[:, None] > 0) & (p > 0), a, 0.0)


def _voters(
    X: Table,
    labels: Labels,
    places: Sequence[np.ndarray],
    columns_are_scaled: bool,
    table: Placement | None,
) -> tuple[str, Table]:
    """Choose the metric; return it with the rows that vote, scaled so that tasks are comparable.

    Double precision is for them, and for one task at a time, not for all rows (n, d).
    """
    kind = "measurements" if columns_are_scaled else kinds.compared(X)
    voters = np.concatenate([_sample(rows) for rows in places])
    if kind == "counts":
        weighted = TfidfTransformer().fit_transform(sp.csr_array(X).astype(np.float64))
        return "cosine", weighted[voters]
    if kind == "amounts":
        return "cosine", operators.dense(X[voters]).astype(np.float64)
    found, centers, means, spreads = [], [], [], []
    for rows in places:
        Z = operators.dense(X[rows]).astype(np.float64)
        own, spread = _centers_and_spread(Z, labels[rows])
        found.append(Z[np.searchsorted(rows, _sample(rows))])
        centers.append(own)
        means.append(Z.mean(axis=0))
        spreads.append(np.ones_like(spread) if columns_are_scaled else spread)
    zeros, units = common_position.placements(centers, np.array(means), np.array(spreads), table)
    comparable = [(Z - o) / w for Z, o, w in zip(found, zeros, units, strict=True)]
    return "euclidean", np.vstack(comparable)


def _centers_and_spread(Z: Matrix, labels: Labels) -> tuple[Matrix, Vector]:
    """Centers (k, d) and within-cluster standard deviation (d,), 0 for constant columns.

    >>> Z = np.array([[0.0, 1.0], [2.0, 1.0], [8.0, 1.0], [10.0, 1.0]])
    >>> centers, spread = _centers_and_spread(Z, np.array([0, 0, 1, 1]))
    >>> centers.tolist(), spread.tolist()
    ([[1.0, 1.0], [9.0, 1.0]], [1.0, 0.0])
    """
    present, numbers = np.unique(labels, return_inverse=True)
    centers = memberships.centers(Z, memberships.indicator(numbers, len(present)))
    within = (Z - centers[numbers]).std(axis=0)
    total = Z.std(axis=0)
    # The mean of equal values may be off by a few units in the last place.
    varies = total > 10 * np.finfo(np.float64).eps * np.abs(Z).max(axis=0)
    return centers, np.where(varies, np.maximum(within, LEAST_WITHIN * total), 0.0)


def _sample(rows: np.ndarray) -> np.ndarray:
    """Pick at most 1000 evenly spaced rows of a task."""
    if len(rows) > MAX_ROWS:
        rows = rows[np.linspace(0, len(rows) - 1, MAX_ROWS).astype(int)]
    return rows
