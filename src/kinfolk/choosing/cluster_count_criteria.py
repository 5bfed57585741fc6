"""Three criteria for the number of clusters of a task, each with a known kind of error.

    agreement    cut the rows in two random halves, cluster each, and assign the rows of each half
                 to the nearest centres of the other: mean adjusted Rand index of both. True groups
                 are found twice. Errs towards too few groups if some are hard to separate.
    directions   eigenvalues of the cosines of all rows above the second eigenvalue of tables with
                 permuted columns, where the first is the mean row (parallel analysis): k topics
                 without common words span k directions. Errs towards too many if groups have parts.
    clearness    the best silhouette of k-means less that of normal tables with the same covariance,
                 so that it does not fall with k. Errs towards too many if groups are not round.

Units   none; directions are in multiples of the second eigenvalue of permuted tables.
Cost    `SPLITS` decompositions of an (n/2, n/2) matrix and K k-means in few columns.
Source  Tibshirani, Walther: Cluster validation by prediction strength. JCGS 14, 2005; Horn: A
        rationale and test for the number of factors in factor analysis. Psychometrika 30, 1965;
        for normal tables the sources of `null_model`.
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
from kinfolk.numerics import content_order, distances, memberships, starts

# The mean over 12 pairs of halves errs by a third of what one pair errs.
SPLITS = 12
# k-means starts in each half: more raise the agreement for every number of clusters alike.
STARTS_PER_HALF = 2
# Eigenvalues are cheap; of 10 tables chance exceeded 3 standard deviations once in a hundred.
PERMUTED_TABLES = 10
# Directions kept for tables without words: several times the clusters people look for.
MAX_DIRECTIONS = 100
# Eigenvalues below this share of n, the largest possible one, are zero but for rounding.
SMALLEST_EIGENVALUE = 1e-9


class Projection(NamedTuple):
    """Coordinates of both halves of the rows along the leading directions of the first half."""

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
    """Agreement (SPLITS, K) of halves for each of K numbers of clusters; G (n, n) are cosines.

    >>> G = cosines(np.repeat(np.eye(3), 8, axis=0))
    >>> agreement(G, [2, 3], True, np.random.RandomState(0)).mean(axis=0).round(2)
    array([0.16, 1.  ])
    """
    n = len(G)
    found = np.empty((SPLITS, len(numbers)))
    # Each word says little, so words are clustered in as many directions as there are clusters. Of
    # other tables all directions are kept: one that varies little may still separate groups.
    most = max(numbers) if words else MAX_DIRECTIONS
    for split in range(SPLITS):
        order = random.permutation(n)
        halves = order[: n // 2], order[n // 2 :]
        projections = _project(G, *halves, most), _project(G, *halves[::-1], most)
        for place, k in enumerate(numbers):
            n_directions = k if words else most
            first, second = (_clustered(half, k, n_directions, random) for half in projections)
            pairs = (first[0], second[1]), (second[0], first[1])
            found[split, place] = np.mean([adjusted_rand_score(*pair) for pair in pairs])
    return found


def directions(
    X: Table, G: Matrix, most: int, random: np.random.RandomState
) -> tuple[Vector, float]:
    """Leading eigenvalues (most,) of the cosines G, and the limit for more than one cluster.

    Both in multiples of the mean second eigenvalue of `PERMUTED_TABLES` permuted tables; the limit
    is `null_model.SILHOUETTE_DEVIATIONS` standard deviations above this mean.

    >>> X = np.repeat(np.eye(3), 20, axis=0)
    >>> values, limit = directions(X, cosines(X), 4, np.random.RandomState(0))
    >>> values.round(2), round(limit, 2)
    (array([1.58, 1.58, 1.58, 0.  ]), 1.64)
    """
    X = X[:, content_order.columns(X)]  # as each column takes the next draws
    tables = [null_model.permuted_columns(X, random) for _ in range(PERMUTED_TABLES)]
    edges = [eigenvalues(cosines(table), 2)[1] for table in tables]
    edge = max(float(np.mean(edges)), SMALLEST_EIGENVALUE * len(G))
    limit = 1.0 + null_model.SILHOUETTE_DEVIATIONS * float(np.std(edges, ddof=1)) / edge
    return eigenvalues(G, most) / edge, limit


def clearness(
    X: Matrix, G: Matrix, numbers: list[int], random: np.random.RandomState
) -> tuple[Vector, float]:
    """Best silhouettes (K,) less the mean of normal tables, and the deviation of one table."""
    tables = [null_model.gaussian_table(X, random) for _ in range(null_model.NULL_TABLES)]
    level = np.array([_silhouettes(cosines(table), numbers, random) for table in tables])
    spread = float(np.sqrt(level.var(axis=0, ddof=1).mean()))
    return _silhouettes(G, numbers, random) - level.mean(axis=0), spread


def eigenvalues(G: Matrix, most: int) -> Vector:
    """The largest eigenvalues (most,) of G (n, n), in descending order; 0 beyond the n-th.

    >>> eigenvalues(np.diag([1.0, 3.0]), 3)
    array([3., 1., 0.])
    """
    n = len(G)
    values = eigh(G, eigvals_only=True, subset_by_index=[max(n - most, 0), n - 1])[::-1]
    return np.pad(np.maximum(values, 0.0), (0, max(most - n, 0)))


def _silhouettes(G: Matrix, numbers: list[int], random: np.random.RandomState) -> Vector:
    """Best silhouette (K,) of several k-means starts for each number of clusters."""
    rows = _project(G, np.arange(len(G)), np.arange(0), MAX_DIRECTIONS).own
    runs = range(null_model.KMEANS_STARTS)
    best = [
        max(measures.silhouette(rows, _kmeans(rows, k, 1, random)) for _ in runs) for k in numbers
    ]
    return np.array(best)


def _project(
    G: Matrix, own: NDArray[np.integer], other: NDArray[np.integer], most: int
) -> Projection:
    """Coordinates of both halves along at most `most` leading directions of the first."""
    n = len(own)
    values, V = eigh(G[np.ix_(own, own)], subset_by_index=[max(n - most, 0), n - 1])
    values = values[::-1]
    V = V[:, ::-1]
    kept = values > SMALLEST_EIGENVALUE * n
    kept[0] = True  # rows of zeros have no positive eigenvalue, but need one direction
    lengths = np.sqrt(np.maximum(values[kept], SMALLEST_EIGENVALUE))
    return Projection(V[:, kept] * lengths, G[np.ix_(other, own)] @ (V[:, kept] / lengths))


def _clustered(
    half: Projection, k: int, n_directions: int, random: np.random.RandomState
) -> tuple[Labels, Labels]:
    """Labels of a half by k-means, and of the other half by the nearest centres."""
    own = half.own[:, :n_directions]
    labels = _kmeans(own, k, STARTS_PER_HALF, random)
    V = memberships.centres(own, memberships.indicator(labels, int(labels.max()) + 1))
    return labels, distances.squared(half.other[:, :n_directions], V).argmin(axis=1)


def _kmeans(X: Matrix, k: int, n_init: int, random: np.random.RandomState) -> Labels:
    """k-means labels (n,) without gaps: equal rows may give fewer than k clusters."""
    found = starts.means(X, k, random, n_init, max_iter=100).labels_
    return np.unique(found, return_inverse=True)[1]
