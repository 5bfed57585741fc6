"""Nearest rows within each of many groups, by one search for all groups together.

The closeness of a block of rows to all others is one matrix product; the nearest of each group are
picked from its columns. By "cosine" closeness is the cosine, by "euclidean" it is

    x.v - |v|^2 / 2 = (|x|^2 - |x - v|^2) / 2,

which orders the rows v as their distances from x do.

Symbols  X (m, d) rows that search, V (n, d) rows of G groups that are found.
Cost     m n d flops and m n numbers, in blocks; 2 m n G / `BLOCK` calls of NumPy.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.numerics import distances, graphs, large_search, operators
from kinfolk.numerics.graphs import Nearest

BLOCK = 2**22
"""Numbers of one block of closeness: 32 MB."""


def nearest_by_group(
    X: Table, V: Table, groups: Sequence[np.ndarray], l: Sequence[int], metric: str = "cosine"
) -> Iterator[tuple[slice, list[np.ndarray]]]:
    """Yield blocks of rows of X with their l nearest rows in each group, unordered.

    Parameters
    ----------
    V : (n, d), dense or CSR as X (m, d) is
    groups : G arrays of positions in V, each with at least one
    l : G numbers of rows to find in each group; all of them where there are fewer
    metric : "cosine" or "euclidean"

    Yields
    ------
    rows : a slice of X, b rows
    near : G arrays (b, l_g) of positions in V

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [1.0, 2.0], [0.0, 1.0], [3.0, 1.0]])
    >>> groups = [np.array([0, 2]), np.array([1, 3])]
    >>> for rows, near in nearest_by_group(X, X, groups, [1, 1]):
    ...     [found.ravel() for found in near]
    [array([0, 2, 2, 0]), array([3, 1, 1, 3])]
    """
    order = np.concatenate(groups)
    sizes = [len(group) for group in groups]
    ends = np.cumsum(sizes)
    alike = list(_runs_of_equals(list(zip(sizes, l, strict=True))))
    there = V[order]
    if metric == "cosine":
        X = distances.unit_rows(X.astype(np.float64, copy=False))
        there = distances.unit_rows(there.astype(np.float64, copy=False))
        half = np.zeros(len(order))
    else:
        X, there = distances.nearby(X, there)  # far from zero distances would lose digits
        half = distances.squared_norms(there) / 2
    step = max(1, BLOCK // len(order))
    for start in range(0, X.shape[0], step):
        rows = slice(start, min(start + step, X.shape[0]))
        closeness = _products(X[rows], there)
        closeness -= half
        near: list[np.ndarray] = []
        for same in alike:
            first = ends[same.start] - sizes[same.start]
            own = closeness[:, first : ends[same.stop - 1]]
            of_each = _largest(own.reshape(len(own), same.stop - same.start, -1), l[same.start])
            near.extend(groups[g][of_each[:, g - same.start]] for g in range(same.start, same.stop))
        yield rows, near


def nearest_cosines(
    X: Table, V: Table, groups: Sequence[np.ndarray], l: int
) -> tuple[Nearest, ...]:
    """The l rows of V in each group nearest by cosine to each row of X, nearest first.

    As `graphs.nearest_by_cosine` finds them in one group after the other, by one product.

    >>> X = np.array([[1.0, 0.0], [1.0, 2.0], [0.0, 1.0], [3.0, 1.0]])
    >>> one, two = nearest_cosines(X[:1], X, [np.array([0, 2]), np.array([1, 3])], 1)
    >>> one.rows.tolist(), two.rows.tolist(), two.cosines.round(2).tolist()
    ([[0]], [[3]], [[0.95]])
    """
    if _is_large(V, groups):
        each = [graphs.nearest_by_cosine(X, l, V[group]) for group in groups]
        return tuple(
            Nearest(group[near.rows], near.cosines)
            for group, near in zip(groups, each, strict=True)
        )
    found: list[list[Nearest]] = [[] for _ in groups]
    for same, far in _distances(X, V, groups):
        near, lengths = _nearest_first(far, l)
        for g, j in enumerate(range(same.start, same.stop)):
            found[j].append(Nearest(groups[j][near[:, g]], 1.0 - lengths[:, g]))
    return tuple(Nearest(*map(_stacked, zip(*parts, strict=True))) for parts in found)


def rows_nearest_by_cosine(
    X: Table, V: Table, groups: Sequence[np.ndarray], l: int
) -> tuple[np.ndarray, ...]:
    """Positions (m, l) of the rows that `nearest_cosines` finds in each group, in any order.

    >>> X = np.array([[1.0, 0.0], [1.0, 2.0], [0.0, 1.0], [3.0, 1.0]])
    >>> rows_nearest_by_cosine(X[:1], X, [np.array([0, 2]), np.array([1, 3])], 1)
    (array([[0]]), array([[3]]))
    """
    if _is_large(V, groups):
        return tuple(near.rows for near in nearest_cosines(X, V, groups, l))
    found: list[list[np.ndarray]] = [[] for _ in groups]
    for same, far in _distances(X, V, groups):
        near = _smallest(far, l)
        for g, j in enumerate(range(same.start, same.stop)):
            found[j].append(groups[j][near[:, g]])
    return tuple(map(_stacked, found))


def _is_large(V: Table, groups: Sequence[np.ndarray]) -> bool:
    """True if the largest group is left to `large_search`, which does not compare all pairs."""
    return max(map(len, groups)) > large_search.EXACT and not sp.issparse(V)


def _distances(
    X: Table, V: Table, groups: Sequence[np.ndarray]
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield slices of G adjacent groups of one size n, and 1 - cosine (b, G, n) of b rows of X.

    The blocks of rows of X come in order for each slice of groups.
    """
    order = np.concatenate(groups)
    # In double precision: single cannot order rows of nearly the same direction.
    rows = normalize(X.astype(np.float64, copy=False))
    there = normalize(V[order].astype(np.float64, copy=False))
    sizes = [len(group) for group in groups]
    ends = np.cumsum(sizes)
    step = max(1, BLOCK // len(order))
    for start in range(0, X.shape[0], step):
        far = _products(rows[start : start + step], there)
        np.subtract(1.0, far, out=far)
        np.clip(far, 0.0, 2.0, out=far)
        for same in _runs_of_equals(sizes):
            first = ends[same.start] - sizes[same.start]
            own = far[:, first : ends[same.stop - 1]]
            yield same, own.reshape(len(own), same.stop - same.start, -1)


def _stacked(parts: Sequence[np.ndarray]) -> np.ndarray:
    return parts[0] if len(parts) == 1 else np.vstack(parts)


def _runs_of_equals(values: Sequence[Any]) -> Iterator[slice]:
    """Yield slices of adjacent equal values.

    >>> list(_runs_of_equals([2, 2, 1]))
    [slice(0, 2, None), slice(2, 3, None)]
    """
    start = 0
    for _, run in groupby(values):
        stop = start + len(list(run))
        yield slice(start, stop)
        start = stop


def _nearest_first(far: np.ndarray, l: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions and distances (b, G, l) of the l smallest entries along the last axis, sorted."""
    # One call for many groups: a call for each takes longer than to sort a hundred rows.
    near = np.argpartition(far, min(l, far.shape[-1]) - 1, axis=-1)[..., :l]
    lengths = np.take_along_axis(far, near, axis=-1)
    order = np.argsort(lengths, axis=-1)
    return np.take_along_axis(near, order, axis=-1), np.take_along_axis(lengths, order, axis=-1)


def _smallest(far: np.ndarray, l: int) -> np.ndarray:
    """Positions (b, G, l) of the l smallest entries along the last axis, in any order."""
    l = min(l, far.shape[-1])
    # To find the l-th value takes a quarter of the time of finding its place.
    found = _marked(far <= np.partition(far, l - 1, axis=-1)[..., l - 1 : l], l)
    return np.argpartition(far, l - 1, axis=-1)[..., :l] if found is None else found


def _marked(marks: np.ndarray, l: int) -> np.ndarray | None:
    """Positions (..., l) of True along the last axis; None if any row has more than l of them.

    No row of `marks` has fewer; it has more where l-th values are tied.

    >>> _marked(np.array([[True, False, True]]), 2), _marked(np.array([[True, True]]), 1)
    (array([[0, 2]]), None)
    """
    places = np.flatnonzero(marks)
    shape = (*marks.shape[:-1], l)
    return (places % marks.shape[-1]).reshape(shape) if len(places) == np.prod(shape) else None


def votes(
    near: Sequence[np.ndarray], labels: Labels, clusters: Labels, k: Sequence[int]
) -> list[Matrix]:
    """Shares of each group's clusters among nearest rows, summed over the rows of C clusters.

    One array (C, k_g) per group: row i of cluster clusters[i] adds 1 in all for each group.

    >>> near = [np.array([[0, 1], [1, 2]])]
    >>> votes(near, np.array([0, 1, 1]), np.array([0, 1]), [2])
    [array([[0.5, 0.5],
           [0. , 1. ]])]
    """
    C = int(clusters.max(initial=-1)) + 1
    found = []
    for rows, k_g in zip(near, k, strict=True):
        cells = clusters[:, None] * k_g + labels[rows]
        counts = np.bincount(cells.ravel(), minlength=C * k_g)
        found.append(counts.reshape(C, k_g) / rows.shape[1])
    return found


def _products(X: Table, V: Table) -> Matrix:
    """Dense inner products X V' (b, n) in double precision."""
    if sp.issparse(X) or sp.issparse(V):
        return operators.dense(X @ V.T)
    return operators.times(X, V.T)


def _largest(closeness: np.ndarray, l: int) -> np.ndarray:
    """Positions (b, G, l) of the l largest entries along the last axis, in any order.

    All if there are fewer.
    """
    n = closeness.shape[-1]
    if l >= n:
        return np.broadcast_to(np.arange(n), closeness.shape)
    least = np.partition(closeness, n - l, axis=-1)[..., n - l : n - l + 1]
    found = _marked(closeness >= least, l)
    return np.argpartition(closeness, n - l, axis=-1)[..., n - l :] if found is None else found
