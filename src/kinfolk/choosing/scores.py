"""Ranks base clusterings of one task without true labels, or with few known ones.

R base clusterings, here called runs, divide the same n rows. Each run belongs to a family (the
method) and to a setting (parameters and representation of the rows) and is one start (random seed)
of this setting.

    A[r,s]    = adjusted Rand index of runs r and s
    w[r]      = 1 / (families x settings of its family x starts of its setting)
    mean[r]   = sum_s w[s] A[r,s] / sum_s w[s],  s over the runs of other settings
    Q[r]      = sum_c L_cc / L - (d_c / L)^2, the modularity of its clusters in a graph of the rows
    total[r]  = (rank of mean[r] + rank of Q[r]) / R                          from 0 to 2

The graph links each row with its l nearest rows by cosine, in one direction or both; L is the sum
of all links, L_cc the sum of those inside cluster c, d_c the sum of the degrees of its rows. Where
there are other tasks, rank(cross-task agreement) / 2R is added (`cross_task`), and where some
labels are known, v rank(label fit) / R (`partial_labels`).

Neither criterion is enough alone: agreement favors the largest group of similar runs, and
modularity does not see what other methods find. Modularity asks whether neighboring rows share a
cluster more often than by chance. The silhouette also asks for round clusters and ranks runs
correctly less often (`docs/labelfree-rules-measured.md`).

Units   none; ranks make criteria of different scales comparable.
Limits  runs of a single setting have no others to agree with: the mean is 0 and modularity decides.
Source  Newman, Girvan: Finding and evaluating community structure in networks. Physical Review E
        69, 2004, equation (5), for Q.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.choosing.partial_labels import LabelFit
from kinfolk.numerics import graphs, operators, rounding

# The consensus of fewer runs is in effect that of a single run.
MIN_RUNS = 5
# More links would join small groups to others, fewer would cut a group in pieces; not tuned.
NEIGHBORS = 15
# Fewer links would cut small groups in pieces.
MIN_NEIGHBORS = 3
# Half a rank: with a whole one, or none, mean accuracy was .002 to .005 lower.
CROSS_TASK_WEIGHT = 0.5
# Up to here products with dense memberships take half the time of those with sparse ones.
DENSE = 2**18
"""Rows times clusters of all runs up to which their memberships are made dense."""


@dataclass(frozen=True)
class BaseClusterings:
    """R clusterings of the same rows, each with its method and setting, and if it used other tasks.

    Attributes
    ----------
    labels : (R, n) the cluster of each row in each run
    families : (R,) the method of each run
    settings : (R,) its parameters and representation, equal for starts of one setting
    joint : (R,) True for runs of methods that use several tasks

    Examples
    --------
    >>> labels = np.array([[0, 0, 1], [0, 1, 1]])
    >>> runs = BaseClusterings(labels, ["kmeans", "mec"], ["raw", "raw"], np.array([False, True]))
    >>> runs.take(runs.joint).families
    ['mec']
    >>> len(runs.joined_with(runs))
    4
    """

    labels: Labels
    families: Sequence[str]
    settings: Sequence[Hashable]
    joint: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, which: NDArray[np.integer] | NDArray[np.bool_]) -> "BaseClusterings":
        """Return the runs at these positions, or where a boolean mask (R,) is True."""
        positions = np.arange(len(self))[which]
        return BaseClusterings(
            self.labels[positions],
            [self.families[r] for r in positions],
            [self.settings[r] for r in positions],
            self.joint[positions],
        )

    def joined_with(self, other: "BaseClusterings") -> "BaseClusterings":
        """Return these runs followed by other runs on the same rows."""
        return BaseClusterings(
            np.vstack([self.labels, other.labels]),
            [*self.families, *other.families],
            [*self.settings, *other.settings],
            np.concatenate([self.joint, other.joint]),
        )


@dataclass(frozen=True)
class RunScores:
    """Pairwise agreement, weights, criteria and total ranks of R runs on one task.

    Attributes
    ----------
    pairwise : (R, R) adjusted Rand indices A of all pairs of runs
    weights : (R,) w, summing to 1
    mean_agreement : (R,) weighted mean adjusted Rand index with the runs of other settings
    separation : (R,) modularities
    total : (R,) sum of ranks, each divided by R; higher is better
    """

    pairwise: Matrix
    weights: Vector
    mean_agreement: Vector
    separation: Vector
    total: Vector

    def best(self, share: float) -> NDArray[np.integer]:
        """Return positions of the best runs, best first: a share of all, at least `MIN_RUNS`."""
        n_kept = max(round(share * len(self.total)), min(MIN_RUNS, len(self.total)))
        return np.argsort(-self.total, kind="stable")[:n_kept]

    def take(self, which: NDArray[np.bool_], runs: BaseClusterings) -> "RunScores":
        """Return the scores of the runs at mask `which` (R,), with weights computed anew."""
        return RunScores(
            self.pairwise[np.ix_(which, which)],
            run_weights(runs.families, runs.settings),
            self.mean_agreement[which],
            self.separation[which],
            self.total[which],
        )


def score_runs(
    runs: BaseClusterings,
    separation: Vector,
    label_fit: LabelFit | None = None,
    cross_task: Vector | None = None,
) -> RunScores:
    """Score runs by the sum of the ranks of agreement, separation and, if given, other criteria.

    Parameters
    ----------
    separation : (R,) modularity of each run
    label_fit : fit of each run to known labels, if there are any
    cross_task : (R,) cross-task agreement of each run, if there are other tasks

    Examples
    --------
    >>> labels = np.array([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1]])
    >>> runs = BaseClusterings(labels, ["a", "b", "c"], [1, 2, 3], np.zeros(3, dtype=bool))
    >>> found = score_runs(runs, np.array([0.9, 0.8, -0.5]))
    >>> found.mean_agreement
    array([ 0.25,  0.25, -0.5 ])
    >>> found.total
    array([1.8333, 1.5   , 0.6667])
    """
    A = pairwise_agreement(runs.labels)
    w = run_weights(runs.families, runs.settings)
    R = len(w)
    # Starts of one setting agree because they are the same method: they do not support each other.
    identity = list(zip(runs.families, runs.settings, strict=True))
    position = {setting: i for i, setting in enumerate(dict.fromkeys(identity))}
    codes = np.array([position[setting] for setting in identity])
    others = np.where(codes[:, None] != codes, w, 0.0)
    mass = others.sum(axis=1)
    mean = np.divide((A * others).sum(axis=1), mass, out=np.zeros(R), where=mass > 0)
    total = (rounding.ranks(mean) + rounding.ranks(separation)) / R
    if cross_task is not None:
        total = total + CROSS_TASK_WEIGHT * rounding.ranks(cross_task) / R
    if label_fit is not None:
        total = total + label_fit.weighted_ranks
    return RunScores(A, w, mean, separation, total)


def neighbor_graph(X: Table, n_clusters: int) -> sp.csr_array:
    """Return the graph (n, n) that links each row of X with its l nearest ones by cosine.

    l is half the mean size of a cluster, at least 3 and at most 15. Links in one direction weigh
    1/2.

    >>> rows = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]])
    >>> neighbor_graph(rows, 2).sum(axis=1)
    array([3., 3., 3., 3.])
    """
    n = X.shape[0]
    near = graphs.cosine_neighbors(X, min(NEIGHBORS, max(MIN_NEIGHBORS, n // (2 * n_clusters))))
    return graphs.symmetrized(graphs.directed(near, np.ones(near.shape), n))


def modularities(labels: Labels, W: sp.csr_array) -> Vector:
    """Modularity Q (R,) of R clusterings (R, n) in the graph W (n, n): 0 for chance, below 1.

    >>> pairs = sp.csr_array(np.kron(np.eye(2), [[0.0, 1.0], [1.0, 0.0]]))
    >>> modularities(np.array([[0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 0]]), pairs)
    array([ 0.5, -0.5,  0. ])
    """
    return separations(labels, W)[0]


def assortativities(labels: Labels, W: sp.csr_array) -> Vector:
    """Modularity (R,) of each run divided by its maximum for the degrees of clusters; at most 1.

    >>> links = sp.csr_array([[0.0, 1.0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    >>> assortativities(np.array([[0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 0]]), links)
    array([ 1., -1.,  0.])
    """
    return separations(labels, W)[1]


def separations(labels: Labels, W: sp.csr_array) -> tuple[Vector, Vector]:
    """Both `modularities` and `assortativities` of R clusterings (R, n), from one product."""
    inside, chance = _link_shares(labels, W)
    Q = inside - chance
    # A single cluster holds all links, by chance too.
    return Q, Q / np.where(np.isclose(chance, 1.0), 1.0, 1.0 - chance)


def _link_shares(labels: Labels, W: sp.csr_array) -> tuple[Vector, Vector]:
    """Share (R,) of a graph's links that lie inside clusters, and the share expected by chance."""
    H, first = stacked_memberships(labels)
    degrees = operators.row_sums(W)
    L = max(float(degrees.sum()), 1.0)
    if H.shape[0] * H.shape[1] <= DENSE:
        D = H.toarray()
        inside = ((W @ D) * D).sum(axis=0)
    else:
        inside = np.asarray((W @ H).multiply(H).sum(axis=0)).ravel()
    linked = degrees @ H
    return np.add.reduceat(inside / L, first), np.add.reduceat(np.square(linked / L), first)


def run_weights(families: Sequence[str], settings: Sequence[Hashable]) -> Vector:
    """Weights w (R,): equal for families, for settings in a family, and for starts in a setting.

    A hundred runs of one method then count no more than one run of another.

    >>> run_weights(["a", "a", "a", "b"], [1, 1, 2, 1])
    array([0.125, 0.125, 0.25 , 0.5  ])
    """
    pairs = list(zip(families, settings, strict=True))
    in_family = {f: len({s for g, s in pairs if g == f}) for f in set(families)}
    starts = {pair: pairs.count(pair) for pair in set(pairs)}
    each = [1.0 / (len(in_family) * in_family[f] * starts[f, s]) for f, s in pairs]
    return np.array(each)


def pairwise_agreement(labels: Labels, others: Labels | None = None) -> Matrix:
    """Adjusted Rand indices (R, S) of R clusterings (R, n) and S others (S, n), or R themselves.

    >>> pairwise_agreement(np.array([[0, 0, 1, 1], [5, 5, 2, 2], [0, 0, 0, 1]]))
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    >>> pairwise_agreement(np.array([[0, 0, 1, 1]]), np.array([[1, 0, 1, 0], [1, 1, 0, 0]]))
    array([[-0.5,  1. ]])
    """
    # One sparse product gives the contingency tables of all pairs of runs side by side.
    H, first = stacked_memberships(labels)
    G, start = (H, first) if others is None else stacked_memberships(others)
    n = labels.shape[1]
    squares = np.square((H.T @ G).toarray())
    squares = np.add.reduceat(np.add.reduceat(squares, first, axis=0), start, axis=1)
    together = (squares - n) / 2.0  # pairs of rows that share a cluster in both runs
    here = _joined_pairs(H, first)[:, None]
    there = _joined_pairs(G, start)
    expected = here * there / max(n * (n - 1) / 2.0, 1.0)
    largest = (here + there) / 2.0
    room = largest - expected
    # No room for a difference: both runs hold one cluster, or each row is a cluster.
    same = np.isclose(room, 0.0)
    return np.where(same, 1.0, (together - expected) / np.where(same, 1.0, room))


def _joined_pairs(H: sp.csr_array, first: Labels) -> Vector:
    """Number (R,) of pairs of rows that each run puts into the same cluster."""
    sizes = np.asarray(H.sum(axis=0)).ravel()
    return np.asarray(np.add.reduceat(sizes * (sizes - 1) / 2.0, first))


def stacked_memberships(labels: Labels) -> tuple[sp.csr_array, Labels]:
    """0/1 memberships (n, K) of all runs side by side, and each run's first column (R,).

    >>> H, first = stacked_memberships(np.array([[0, 0, 1], [4, 7, 7]]))
    >>> H.toarray().astype(int).tolist(), first.tolist()
    ([[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 0, 1]], [0, 2])
    """
    codes = _consecutive(labels)
    sizes = codes.max(axis=1) + 1
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    R, n = labels.shape
    # A row has an entry for each run, in their order: the arrays of a CSR table, without sorting.
    integers = np.int32 if n * R < 2**31 else np.int64
    columns = (codes.T + first).ravel().astype(integers)
    parts = np.ones(n * R), columns, np.arange(0, n * R + 1, R, dtype=integers)
    return sp.csr_array(parts, shape=(n, int(sizes.sum()))), first


def _consecutive(labels: Labels) -> Labels:
    """Renumber the clusters of each run (R, n) from 0, in the order of their numbers.

    >>> _consecutive(np.array([[0, 0, 5], [4, 7, 7]])).tolist()
    [[0, 0, 1], [0, 1, 1]]
    """
    least = labels.min()
    width = int(labels.max() - least) + 1
    R, n = labels.shape
    if width > max(n, 2):  # numbers far apart, as of runs that label few rows
        return np.array([np.unique(row, return_inverse=True)[1] for row in labels])
    # All runs at once, because to sort each takes as long as all else of a score.
    present = np.zeros((R, width), dtype=bool)
    present[np.arange(R)[:, None], labels - least] = True
    return np.take_along_axis(present.cumsum(axis=1) - 1, labels - least, axis=1)
