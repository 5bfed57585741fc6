"""Criteria for the number of clusters: halves, eigengap, other tasks, silhouette, mixtures.

    agreement    cut the rows in two random halves, cluster each, and assign the rows of each half
                 to the nearest centers of the other: mean adjusted Rand index of both. True groups
                 are found twice. Errs towards too few groups if some are hard to separate.
    gap          of the eigenvalues of the graph of nearest rows, D^-1/2 W D^-1/2, in descending
                 order, the k-th less the next: k groups without links between them have k
                 eigenvalues of 1. Errs towards too many if groups have parts.
    other tasks  cluster the graph of each task into k groups, for all k; the agreement in both
                 directions (`cross_task`) of those of one task with those of another, at the number
                 of the other one where it is best, mean over the other tasks. Groups that two tasks
                 have are found by both. Errs towards few if tasks share only coarse groups.

    clearness    the best silhouette of k-means less that of normal tables with the same covariance,
                 so that it does not fall with k. Errs towards too many if groups are not round.
    mixture      the number with the largest BIC of a mixture (`mixtures`), where that one fits the
                 rows. Groups that are no clouds need several, but then it mostly does not fit.

Units   none.
Cost    `SPLITS` decompositions of an (n/2, n/2) matrix, K k-means in few columns, and the nearest
        rows of each task in each other one.
Source  Tibshirani, Walther: Cluster validation by prediction strength. JCGS 14, 2005; von Luxburg:
        A tutorial on spectral clustering. Statistics and Computing 17, 2007, section 8.3; for
        normal tables the sources of `null_model`.
"""

import warnings
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk import measures
from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.choosing import cross_task, null_model, scores, task_state
from kinfolk.choosing.mixtures import MixedMixture
from kinfolk.errors import EmptyClusterWarning
from kinfolk.numerics import (
    content_order,
    distances,
    extreme_eigenvectors,
    graphs,
    matching,
    memberships,
    mixed_mixtures,
    spectra,
    starts,
)

# The mean over 8 pairs of halves errs by about a third of what one pair errs.
SPLITS = 8
# k-means starts in each half: more raise the agreement for every number of clusters alike.
STARTS_PER_HALF = 2
# Eigenvalues are cheap; of 10 tables chance exceeded 3 standard deviations once in a hundred.
PERMUTED_TABLES = 10
# k-means in eigenvectors rarely ends in different optima.
STARTS_IN_GRAPH = 3
# Directions kept for tables without words: several times the clusters people look for.
MAX_DIRECTIONS = 100
# Two starts missed the likeliest mixture of six clear groups in two heaps in 8 of 37 draws, so that
# another number looked better; by the same chance of one start six miss it in one of a hundred.
MIXTURE_STARTS = 6
# Two larger numbers without a gain: BIC rises once more only where more clusters are parts of one.
MIXTURES_WITHOUT_GAIN = 2
# Eigenvalues below this share of n, the largest possible one, are zero but for rounding.
SMALLEST_EIGENVALUE = 1e-9


class Projection(NamedTuple):
    """Two halves of the rows, both projected on the principal directions of the first half."""

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
    """Agreement (SPLITS, K) of clusterings of random halves for each of K numbers of clusters.

    >>> noise = 0.1 * np.random.default_rng(0).normal(size=(32, 3))
    >>> G = cosines(np.repeat(np.eye(3), [16, 8, 8], axis=0) + noise)
    >>> agreement(G, [2, 3, 4], True, np.random.RandomState(0)).mean(axis=0).round(2)
    array([0.83, 1.  , 0.8 ])
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
            found[split, place] = np.mean([matching.adjusted_rand(*pair) for pair in pairs])
    return found


def graph_clusterings(
    X: Table, numbers: list[int], random: np.random.RandomState
) -> tuple[Vector, Labels]:
    """Eigengaps (K,) of the graph of nearest rows, and its spectral clusterings (K, n).

    >>> gaps, labels = graph_clusterings(np.repeat(np.eye(3), 20, axis=0), [2, 3, 4],
    ...                                  np.random.RandomState(0))
    >>> gaps.round(1), labels[1, ::20]
    (array([0., 1., 0.]), array([2, 0, 1]))
    """
    links = scores.neighbor_graph(X, 2)
    values, V = spectra.leading(links, max(numbers) + 1)
    values = np.pad(values, (0, max(max(numbers) + 1 - len(values), 0)))
    gaps = np.array([values[k - 1] - values[k] for k in numbers])
    labels = [_kmeans(distances.unit_rows(V[:, :k]), k, STARTS_IN_GRAPH, random) for k in numbers]
    return gaps, np.array(labels)


def clearness(
    X: Matrix, G: Matrix, numbers: list[int], random: np.random.RandomState
) -> tuple[Vector, float]:
    """Best silhouettes (K,) minus the mean of normal null tables, and the null's deviation."""
    tables = [null_model.gaussian_table(X, random) for _ in range(null_model.NULL_TABLES)]
    level = np.array([_silhouettes(cosines(table), numbers, random) for table in tables])
    spread = float(np.sqrt(level.var(axis=0, ddof=1).mean()))
    return _silhouettes(G, numbers, random) - level.mean(axis=0), spread


def _silhouettes(G: Matrix, numbers: list[int], random: np.random.RandomState) -> Vector:
    """Best silhouette (K,) of several k-means starts for each number of clusters."""
    rows = _project(G, np.arange(len(G)), np.arange(0), MAX_DIRECTIONS).own
    runs = range(null_model.KMEANS_STARTS)
    best = [
        max(measures.silhouette(rows, _kmeans(rows, k, 1, random)) for _ in runs) for k in numbers
    ]
    return np.array(best)


def fitting_mixture(
    X: Matrix, numbers: list[int], random: np.random.RandomState
) -> MixedMixture | None:
    """Return the mixture with the largest BIC of all numbers; None if it does not fit the rows.

    Numbers are tried until the next two after the best have a smaller BIC.

    Parameters
    ----------
    X : (n, d) the rows
    numbers : increasing

    Examples
    --------
    >>> random = np.random.RandomState(0)
    >>> X = random.normal(size=(90, 2)) * [1.0, 9.0] + np.repeat([[0.0], [8.0], [16.0]], 30, axis=0)
    >>> fitting_mixture(X, [2, 3, 4, 5, 6], random).n_clusters
    3
    """
    best = None
    seed = starts.seeds(random, 1)[0]
    d = len(task_state.numbers(X, np.zeros(len(X), dtype=int)))
    if not mixed_mixtures.rows_suffice(len(X), d):
        return None  # no mixture passes the tests of `mixtures`, and wide ones take seconds each
    for i, k in enumerate(numbers):
        with warnings.catch_warnings():
            # The user asked for no number of clusters yet.
            warnings.simplefilter("ignore", EmptyClusterWarning)
            model = MixedMixture(k, n_init=MIXTURE_STARTS, random_state=seed).fit(X)
        if best is None or model.evidence_ > best.evidence_:
            best = model
        if i - numbers.index(best.n_clusters) >= MIXTURES_WITHOUT_GAIN:
            break
    return best if best is not None and best.fits_ else None


def exceeds_permuted(X: Table, G: Matrix, random: np.random.RandomState) -> bool:
    """True if rows with cosines G (n, n) vary in more directions than column-permuted rows.

    Their second eigenvalue then exceeds the mean of those of permuted tables, where the first is
    the mean row (Horn's parallel analysis), by `null_model.SILHOUETTE_DEVIATIONS` standard
    deviations.

    >>> X = np.repeat(np.eye(3), 20, axis=0)
    >>> exceeds_permuted(X, cosines(X), np.random.RandomState(0))
    False
    """
    X = X[:, content_order.columns(X)]  # as each column takes the next draws
    tables = [null_model.permuted_columns(X, random) for _ in range(PERMUTED_TABLES)]
    edges = [_second_eigenvalue(cosines(table)) for table in tables]
    deviation = float(np.std(edges, ddof=1))
    level = float(np.mean(edges)) + null_model.SILHOUETTE_DEVIATIONS * deviation
    return bool(_second_eigenvalue(G) > max(level, SMALLEST_EIGENVALUE * len(G)))


def _second_eigenvalue(G: Matrix) -> float:
    # All of them, as LAPACK fails to find one of hundreds that are equal.
    return float(np.linalg.eigvalsh(G)[-2])


def found_in_others(tables: Sequence[Table], labels: Sequence[Labels]) -> list[Vector]:
    """Mean over the other tasks of each clustering's best agreement with one of theirs.

    Parameters
    ----------
    tables : T of rows (n_t, d)
    labels : T of clusterings (K_t, n_t)

    Returns
    -------
    T of (K_t,), for each clustering the mean over the other tasks of its best agreement; 0 for a
    single task

    Examples
    --------
    >>> X = np.repeat(np.eye(3), 20, axis=0)
    >>> labels = np.repeat([[0, 1, 1], [0, 1, 2]], 20, axis=1)
    >>> found_in_others([X, X], [labels, labels[1:]])[0].round(2)
    array([0.56, 1.  ])
    """
    T = len(tables)
    found: list[Vector] = [np.zeros(len(each)) for each in labels]
    for t, s in combinations(range(T), 2):
        forth = _agreements(tables[t], tables[s], labels[t], labels[s])
        back = _agreements(tables[s], tables[t], labels[s], labels[t]).T
        mutual = (forth + back) / 2.0
        found[t] += mutual.max(axis=1) / (T - 1)
        found[s] += mutual.max(axis=0) / (T - 1)
    return found


def nested_share(finer: Labels, coarser: Labels) -> float:
    """Share of rows whose finer cluster (n,) lies mostly in their coarser cluster (n,).

    >>> nested_share(np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 0, 0, 1, 0]))
    0.8333333333333334
    """
    return float(matching.contingency(finer, coarser).counts.max(axis=1).sum() / len(finer))


def _agreements(X: Table, other: Table, labels: Labels, others: Labels) -> Matrix:
    """Adjusted Rand indices (K, L) of labels (K, n) with labels transferred from another task."""
    near = graphs.cosine_neighbors(X, scores.NEIGHBORS, other)
    transferred = np.array([cross_task.voted_labels(near, one) for one in others])
    return scores.pairwise_agreement(np.asarray(labels), transferred)


def _project(
    G: Matrix, own: NDArray[np.integer], other: NDArray[np.integer], most: int
) -> Projection:
    """Project both halves of rows on at most `most` leading directions of the first half."""
    n = len(own)
    values, V = extreme_eigenvectors.largest(G[np.ix_(own, own)], min(most, n))
    values = values[::-1]
    V = V[:, ::-1]
    kept = values > SMALLEST_EIGENVALUE * n
    kept[0] = True  # rows of zeros have no positive eigenvalue, but need one direction
    lengths = np.sqrt(np.maximum(values[kept], SMALLEST_EIGENVALUE))
    return Projection(V[:, kept] * lengths, G[np.ix_(other, own)] @ (V[:, kept] / lengths))


def _clustered(
    half: Projection, k: int, n_directions: int, random: np.random.RandomState
) -> tuple[Labels, Labels]:
    """Cluster one half of the rows by k-means; label the other half by the nearest centers."""
    own = half.own[:, :n_directions]
    labels = _kmeans(own, k, STARTS_PER_HALF, random)
    V = memberships.centers(own, memberships.indicator(labels, int(labels.max()) + 1))
    return labels, distances.squared(half.other[:, :n_directions], V).argmin(axis=1)


def _kmeans(X: Matrix, k: int, n_init: int, random: np.random.RandomState) -> Labels:
    """k-means labels (n,), renumbered from 0 without gaps, as equal rows leave clusters empty."""
    found = starts.kmeans(X, k, random, n_init, max_iter=100)
    return np.unique(found, return_inverse=True)[1]
