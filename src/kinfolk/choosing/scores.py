"""What speaks for a clustering of one task when nobody knows the classes.

R runs have clustered the same n rows; run r belongs to a family (its method) and has a setting
(its parameters and preparation), of which it is one start. Two kinds of evidence, neither of which
is enough by itself: what other settings find too, and how clearly the clusters stand apart.

    A[r,s]   = adjusted Rand index of runs r and s
    w[r]     = 1 / (families x settings of its family x starts of its setting)
    agree[r] = sum_s w[s] A[r,s] / sum_s w[s],  s over the runs of other settings
    Q[r]     = sum_c L_cc / L - (d_c / L)^2, the modularity of its clusters in a graph of the rows
    score[r] = (rank of agree[r] + rank of Q[r]) / R                          from 0 to 2

and rank(echo[r]) / 2R more where there are other tasks (`echoes`), and v rank(known[r]) / R where
some labels are known (`known`). The graph W links each row with its l nearest by cosine in a space
that favours no family, in one direction or both; L is the sum of its links, L_cc that of those
inside cluster c, d_c that of those of its rows.

Agreement alone follows the largest crowd; how clearly clusters stand apart alone knows nothing of
what other ways of looking find. A run that is high on both is rarely bad. Modularity asks whether
a row and those most like it go together, beyond chance. The silhouette asks for more, that groups
be round, and is right less often. The weights make every family count the same, so that a hundred
runs of one method cannot outvote the others. Runs of the same setting agree with one another for
no better reason than that they are the same, so they do not count as witnesses.

Units   none; ranks make the two kinds comparable without a scale between them.
Limits  with a single setting nothing can agree with it: agree is 0 and the modularity decides.
Source  Newman, Girvan: Finding and evaluating community structure in networks. Physical Review E
        69, 2004, equation (5), for Q.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.stats import rankdata

from kinfolk import measures
from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.choosing.partial_labels import Sign
from kinfolk.numerics import graphs

LEAST = 5
"""Fewer runs than this are no crowd: a vote would be that of a single run."""

NEIGHBORS = 15
"""Links of a row, or half the mean cluster size where that is less: more would leave small groups,
fewer make many small ones of a group."""
FEWEST = 3
"""Links of a row that keep a small group together."""
ECHOED = 0.5
"""Weight of the rank of echoes in a score: the other two are from the task itself."""


@dataclass(frozen=True)
class Runs:
    """Clusterings of the same rows, and where each comes from.

    Attributes
    ----------
    labels : (R, n) the cluster of each row in each run
    families : (R,) the method of each run
    settings : (R,) its parameters and preparation, equal for starts of one setting
    joint : (R,) whether it knew of other tasks
    """

    labels: Labels
    families: Sequence[str]
    settings: Sequence[Hashable]
    joint: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, which: NDArray[np.integer] | NDArray[np.bool_]) -> "Runs":
        """Some of the runs, by position or by mask."""
        positions = np.arange(len(self))[which]
        return Runs(
            self.labels[positions],
            [self.families[r] for r in positions],
            [self.settings[r] for r in positions],
            self.joint[positions],
        )

    def beside(self, other: "Runs") -> "Runs":
        """These runs and then others of the same rows."""
        return Runs(
            np.vstack([self.labels, other.labels]),
            [*self.families, *other.families],
            [*self.settings, *other.settings],
            np.concatenate([self.joint, other.joint]),
        )


@dataclass(frozen=True)
class Evidence:
    """What speaks for each of R runs.

    Attributes
    ----------
    agreement : (R, R) adjusted Rand indices A
    weights : (R,) w, summing to 1
    agree : (R,) mean agreement with the runs of other settings
    clear : (R,) how clearly the clusters stand apart: modularities, or silhouettes
    scores : (R,) the sum of the ranks over R, higher is better
    """

    agreement: Matrix
    weights: Vector
    agree: Vector
    clear: Vector
    scores: Vector

    def best(self, share: float) -> NDArray[np.integer]:
        """Positions of the best share of the runs, best first, at least `LEAST` if there are."""
        n_kept = max(round(share * len(self.scores)), min(LEAST, len(self.scores)))
        return np.argsort(-self.scores, kind="stable")[:n_kept]

    def take(self, which: NDArray[np.bool_], runs: Runs) -> "Evidence":
        """The same scores of some of the runs, which weigh what they do among themselves."""
        w = weights(runs.families, runs.settings)
        rows = self.agreement[np.ix_(which, which)]
        return Evidence(rows, w, self.agree[which], self.clear[which], self.scores[which])


def gather(
    runs: Runs, clear: Vector, told: Sign | None = None, echo: Vector | None = None
) -> Evidence:
    """Weigh the runs of one task.

    Parameters
    ----------
    clear : (R,) how clearly the clusters of each stand apart
    told : what known labels say of the runs, see `known`
    echo : (R,) how far other tasks bear each out, if there are any

    Examples
    --------
    >>> labels = np.array([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1]])
    >>> runs = Runs(labels, ["a", "b", "c"], [1, 2, 3], np.zeros(3, dtype=bool))
    >>> gather(runs, np.array([0.9, 0.9, -0.5])).best(0.25).tolist()
    [0, 1, 2]
    """
    A = agreement(runs.labels)
    w = weights(runs.families, runs.settings)
    identity = list(zip(runs.families, runs.settings, strict=True))
    position = {setting: i for i, setting in enumerate(dict.fromkeys(identity))}
    codes = np.array([position[setting] for setting in identity])
    others = np.where(codes[:, None] != codes, w, 0.0)
    mass = others.sum(axis=1)
    agree = np.divide((A * others).sum(axis=1), mass, out=np.zeros(len(w)), where=mass > 0)
    scores = (rankdata(agree.round(12)) + rankdata(clear.round(12))) / len(w)
    if echo is not None:
        scores = scores + ECHOED * rankdata(echo.round(12)) / len(w)
    if told is not None:
        scores = scores + told.ranks
    return Evidence(A, w, agree, clear, scores)


def silhouettes(runs: Runs, X: Table) -> Vector:
    """Mean silhouettes (R,) of the runs, whose rows in a neutral space are X (n, d)."""
    return np.array([measures.silhouette(X, labels) for labels in runs.labels])


def graph(X: Table, k: int) -> sp.csr_array:
    """The links W (n, n) of rows X (n, d) in a neutral space, of which k clusters are asked."""
    n = X.shape[0]
    near = graphs.cosine_neighbors(X, min(NEIGHBORS, max(FEWEST, n // (2 * k))))
    return graphs.symmetrized(graphs.directed(near, np.ones(near.shape), n))


def modularities(labels: Labels, W: sp.csr_array) -> Vector:
    """Q (R,) of R clusterings (R, n) of the rows that W (n, n) links; 0 for chance, below 1.

    >>> pairs = sp.csr_array(np.kron(np.eye(2), [[0.0, 1.0], [1.0, 0.0]]))
    >>> modularities(np.array([[0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 0]]), pairs)
    array([ 0.5, -0.5,  0. ])
    """
    H, first = stacked(labels)
    degrees = np.asarray(W.sum(axis=1)).ravel()
    L = max(float(degrees.sum()), 1.0)
    inside = np.asarray((W @ H).multiply(H).sum(axis=0)).ravel()
    linked = degrees @ H
    Q: Vector = np.add.reduceat(inside / L - np.square(linked / L), first)
    return Q


def weights(families: Sequence[str], settings: Sequence[Hashable]) -> Vector:
    """w (R,): families weigh the same, so do settings in a family, and starts in a setting.

    >>> weights(["a", "a", "a", "b"], [1, 1, 2, 1])
    array([0.125, 0.125, 0.25 , 0.5  ])
    """
    pairs = list(zip(families, settings, strict=True))
    in_family = {f: len({s for g, s in pairs if g == f}) for f in set(families)}
    starts = {pair: pairs.count(pair) for pair in set(pairs)}
    each = [1.0 / (len(in_family) * in_family[f] * starts[f, s]) for f, s in pairs]
    return np.array(each)


def agreement(labels: Labels) -> Matrix:
    """Adjusted Rand indices A (R, R) of R clusterings (R, n), all pairs by one sparse product.

    >>> agreement(np.array([[0, 0, 1, 1], [5, 5, 2, 2], [0, 0, 0, 1]]))
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """
    H, first = stacked(labels)
    n = labels.shape[1]
    squares = np.square((H.T @ H).toarray())  # squared counts of every pair of clusters
    squares = np.add.reduceat(np.add.reduceat(squares, first, axis=0), first, axis=1)
    together = (squares - n) / 2.0  # pairs of rows that are together in both runs
    sizes = np.asarray(H.sum(axis=0)).ravel()
    own = np.add.reduceat(sizes * (sizes - 1) / 2.0, first)
    chance = own[:, None] * own / max(n * (n - 1) / 2.0, 1.0)
    most = (own[:, None] + own) / 2.0
    room = most - chance
    same = np.isclose(room, 0.0)  # both hold one cluster, or a cluster of each row
    return np.where(same, 1.0, (together - chance) / np.where(same, 1.0, room))


def stacked(labels: Labels) -> tuple[sp.csr_array, Labels]:
    """0/1 memberships (n, K) of all R runs side by side, and where each run begins (R,)."""
    codes = [np.unique(row, return_inverse=True)[1] for row in labels]
    sizes = [int(row.max()) + 1 for row in codes]
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    R, n = labels.shape
    columns = (np.stack(codes, axis=1) + first).ravel()
    places = np.repeat(np.arange(n, dtype=np.int32), R), columns.astype(np.int32)
    return sp.csr_array((np.ones(n * R), places), shape=(n, sum(sizes))), first
