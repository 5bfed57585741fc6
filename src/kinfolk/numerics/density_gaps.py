"""Clusters of any shape with sparse space between them: single linkage of a density distance.

    c_i  = distance of row i to its l-th nearest other row                                 (G1)
    m_ij = max(c_i, c_j, |x_i - x_j|), the mutual reachability distance                    (G2)

Single linkage by m joins rows along dense paths, whatever the shape of a cluster, and rows in
sparse places last. A cluster is a joined set of `least` rows or more; smaller ones are rows at a
rim. From the height where the k-th cluster arises to the one where two of the k become one

    gap   = upper height / lower height                                                    (G3)
    share = share of the rows that are in the k clusters just below the upper height       (G4)

Overlapping clusters have a gap near 1, or a small share: many of their rows lie at heights at which
the clusters have long become one.

Symbols  X (n, d), k clusters, l neighbors.
Units    m those of X; gap and share none.
Cost     n^2 d, and n^2 numbers.
Source   Campello, Moulavi, Sander: Density-based clustering based on hierarchical density
         estimates. PAKDD 2013, for (G1) and (G2).
"""

from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import fcluster, single
from scipy.spatial.distance import pdist, squareform

from kinfolk.arrays import Labels, Matrix, Vector

NEIGHBORS = 5
"""Rank l of (G1). With 3, clusters that hang on chains of single rows had gaps of 1.3."""

SAME_HEIGHT = 1e-9
"""Heights that differ by less than this share are equal but for rounding."""


class Separated(NamedTuple):
    """Clusters with sparse space between them.

    Attributes
    ----------
    labels : (n,) from 0 below k; -1 for rows in no cluster
    gap : (G3), at least 1
    share : (G4), of rows in a cluster
    """

    labels: Labels
    gap: float
    share: float


def separated(X: Matrix, k: int, least: float) -> Separated | None:
    """Find k clusters of `least` > 1 rows or more of X (n, d); None if at no height there are k.

    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [9.0], [10.0], [11.0], [12.0], [40.0]])
    >>> found = separated(np.repeat(X, [3] * 8 + [1], axis=0), 2, 9)
    >>> found.labels[::3], round(found.gap, 1), round(found.share, 2)
    (array([ 0,  0,  0,  0,  1,  1,  1,  1, -1]), 6.0, 0.96)
    >>> separated(X, 3, 4) is None
    True
    """
    tree = single(squareform(_mutual_distances(X), checks=False))
    heights = tree[:, 2]
    # Merges at one height come in any order; the clusters after the last of them count.
    ends = np.flatnonzero(np.diff(heights) > SAME_HEIGHT * heights[1:])
    counts = _numbers_of_clusters(tree, least)[ends]
    at_k = np.flatnonzero(counts == k)
    if not len(at_k):
        return None
    last = at_k[-1]
    earlier = np.flatnonzero(counts[:last] != k)
    first = earlier[-1] + 1 if len(earlier) else 0
    lower, upper = heights[ends[first]], heights[ends[last] + 1]
    joined = fcluster(tree, np.nextafter(upper, 0.0), "distance")
    large = np.bincount(joined) >= least
    kept = np.flatnonzero(large[joined])
    labels = np.full(len(X), -1)
    labels[kept] = np.unique(joined[kept], return_inverse=True)[1]
    gap = upper / lower if lower > 0 else np.inf
    return Separated(labels, float(gap), len(kept) / len(X))


def _mutual_distances(X: Matrix) -> Matrix:
    """Mutual reachability distances (G2) between rows X (n, d), with zeros on the diagonal."""
    D = squareform(pdist(X))
    l = min(NEIGHBORS, len(X) - 1)
    c = np.partition(D, l, axis=1)[:, l]  # (G1); the row itself is at 0
    mutual = np.maximum(D, np.maximum.outer(c, c))  # (G2)
    np.fill_diagonal(mutual, 0.0)
    return mutual


def _numbers_of_clusters(tree: Matrix, least: float) -> Vector:
    """Number of joined sets with `least` rows or more after each merge (n - 1,) of a tree."""
    n = len(tree) + 1
    sizes = np.append(np.ones(n), tree[:, 3])
    parts = sizes[tree[:, :2].astype(int)] >= least
    merged = tree[:, 3] >= least
    return np.asarray(np.cumsum(merged.astype(int) - parts.sum(axis=1)))
