"""Three signs of how many clusters a task has, of which each is wrong in a way that is known.

    agreement    cut the rows in two halves at random, cluster each, and put the rows of each half
                 to the nearest centre of the other: mean adjusted Rand index of both. Right groups
                 are found twice. It sees too few groups where some are hard to tell apart.
    directions   eigenvalues of the cosines of all rows above the second of shuffled tables, of
                 which the first is the mean row (parallel analysis). k topics without common words
                 span k directions. It sees too many where groups have parts.
    clearness    the best silhouette of k-means less that of clouds with the same covariance. It
                 does not fall with the number itself, as agreement does. It sees too many where
                 groups are no balls.

Words are many and each says little, so they are clustered in as many leading directions as there
are clusters; of other tables all directions are kept, because one that varies little may still
be the one that divides.

Units   none; directions are in multiples of the second eigenvalue of shuffled tables.
Cost    `SPLITS` decompositions of an (n/2, n/2) matrix and K k-means in few columns.
Source  Tibshirani, Walther: Cluster validation by prediction strength. JCGS 14, 2005; Horn: A
        rationale and test for the number of factors in factor analysis. Psychometrika 30, 1965;
        for clouds the sources of `null_model`.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh
from sklearn.metrics import adjusted_rand_score

from kinfolk import measures
from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.choosing import null_model
from kinfolk.numerics import distances, memberships, starts

SPLITS = 12
"""Pairs of halves: the mean of their agreements then errs by a third of what one pair does."""

STARTS = 2
"""Of k-means in each half: more make halves agree better for every number alike."""

TABLES = 10
"""Shuffled: eigenvalues are cheap, and chance then passes the limit about once in a hundred."""

MOST_DIRECTIONS = 100
"""Kept of tables without words: several times the clusters that anyone looks for."""


ROUNDING = 1e-9
"""Eigenvalues below this share of the largest that there can be, the number of rows, are 0."""


class Cut(NamedTuple):
    """Rows of one half and of the other along the leading directions of the first."""

    own: Matrix
    other: Matrix


def cosines(X: Table) -> Matrix:
    """Cosines (n, n) of the rows of X (n, d).

    >>> cosines(np.array([[3.0, 0.0], [0.0, 2.0]]))
    array([[1., 0.],
           [0., 1.]])
    """
    Z = distances.unit_rows(X)
    G = Z @ Z.T
    return G.toarray() if sp.issparse(G) else G


def agreement(
    G: Matrix, numbers: list[int], words: bool, random: np.random.RandomState
) -> NDArray[np.float64]:
    """Agreement (SPLITS, K) of halves for each number of clusters; G (n, n) are cosines.

    >>> G = cosines(np.repeat(np.eye(3), 8, axis=0))
    >>> agreement(G, [2, 3], True, np.random.RandomState(0)).mean(axis=0).round(2)[1:]
    array([1.])
    """
    n, found = len(G), np.empty((SPLITS, len(numbers)))
    for split in range(SPLITS):
        order = random.permutation(n)
        halves = order[: n // 2], order[n // 2 :]
        m = max(numbers) if words else MOST_DIRECTIONS
        cuts = _cut(G, *halves, m), _cut(G, *halves[::-1], m)
        for place, k in enumerate(numbers):
            first, second = (_clustered(cut, k, k if words else m, random) for cut in cuts)
            pairs = (first[0], second[1]), (second[0], first[1])
            found[split, place] = np.mean([adjusted_rand_score(*pair) for pair in pairs])
    return found


def directions(
    X: Table, G: Matrix, most: int, random: np.random.RandomState
) -> tuple[Vector, float]:
    """The leading eigenvalues (most,), and the least that speaks for more than one cluster.

    Both in multiples of the mean of the second eigenvalue of `TABLES` shuffled tables;
    the least is `null_model.SILHOUETTE_DEVIATIONS` standard deviations above this mean.
    """
    edges = [
        eigenvalues(cosines(null_model.permuted_columns(X, random)), 2)[1] for _ in range(TABLES)
    ]
    edge = max(float(np.mean(edges)), ROUNDING * len(G))
    limit = 1.0 + null_model.SILHOUETTE_DEVIATIONS * float(np.std(edges, ddof=1)) / edge
    return eigenvalues(G, most) / edge, limit


def clearness(
    X: Matrix, G: Matrix, numbers: list[int], random: np.random.RandomState
) -> tuple[Vector, float]:
    """The best silhouette less the mean of clouds (K,), and the deviation of one cloud's."""
    clouds = [null_model.gaussian_table(X, random) for _ in range(null_model.NULL_TABLES)]
    level = np.array([_silhouettes(cosines(cloud), numbers, random) for cloud in clouds])
    spread = float(np.sqrt(level.var(axis=0, ddof=1).mean()))
    return _silhouettes(G, numbers, random) - level.mean(axis=0), spread


def eigenvalues(G: Matrix, most: int) -> Vector:
    """The largest eigenvalues (most,) of G (n, n), downwards; 0 beyond the n-th.

    >>> eigenvalues(np.diag([1.0, 3.0]), 3)
    array([3., 1., 0.])
    """
    n = len(G)
    values = eigh(G, eigvals_only=True, subset_by_index=[max(n - most, 0), n - 1])[::-1]
    return np.pad(np.maximum(values, 0.0), (0, max(most - n, 0)))


def _silhouettes(G: Matrix, numbers: list[int], random: np.random.RandomState) -> Vector:
    rows = _cut(G, np.arange(len(G)), np.arange(0), MOST_DIRECTIONS).own
    best = [
        max(
            measures.silhouette(rows, _kmeans(rows, k, 1, random))
            for _ in range(null_model.KMEANS_STARTS)
        )
        for k in numbers
    ]
    return np.array(best)


def _cut(G: Matrix, own: NDArray[np.integer], other: NDArray[np.integer], most: int) -> Cut:
    """Coordinates of both halves along at most `most` leading directions of the first."""
    n = len(own)
    values, V = eigh(G[np.ix_(own, own)], subset_by_index=[max(n - most, 0), n - 1])
    values, V = values[::-1], V[:, ::-1]
    kept = values > ROUNDING * n
    kept[0] = True  # rows of zeros have none
    lengths = np.sqrt(np.maximum(values[kept], ROUNDING))
    return Cut(V[:, kept] * lengths, G[np.ix_(other, own)] @ (V[:, kept] / lengths))


def _clustered(cut: Cut, k: int, m: int, random: np.random.RandomState) -> tuple[Labels, Labels]:
    """Clusters of a half in its m leading directions, and the nearest centres of the other."""
    own, other = cut.own[:, :m], cut.other[:, :m]
    labels = _kmeans(own, k, STARTS, random)
    V = memberships.centres(own, memberships.indicator(labels, int(labels.max()) + 1))
    return labels, distances.squared(other, V).argmin(axis=1)


def _kmeans(X: Matrix, k: int, n_init: int, random: np.random.RandomState) -> Labels:
    """Labels (n,) without gaps; rows that are equal give fewer clusters in silence."""
    found = starts.means(X, k, random, n_init, max_iter=100).labels_
    return np.unique(found, return_inverse=True)[1]
