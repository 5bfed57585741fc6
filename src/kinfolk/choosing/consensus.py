"""One answer from many clusterings of the same rows.

Three ways to combine runs, each best on another kind of data, and the choice among what they make:

    linkage   average linkage, cut at k, of 1 - share of runs that put two rows together
    stacking  k-means on the 0/1 memberships of all runs side by side, each times sqrt(w[r])
    vote      from the best run: match the clusters of every run to the answer, give each row
              the label with most votes, until nothing changes

Linkage is good with unequal groups and poor with many equal ones, where it splits off single rows;
stacking is the reverse. Of several answers the best has most points,

    points = modularity + echo + v known

Modularity says how far rows most alike share a cluster (`scores`), the echo what other tasks make
of these rows (`echoes`): one sign from inside and one from outside, each 0 for chance and at most
1, so they are added as they are. v and known are those of labels that somebody knows (`known`).

Cost    linkage n^2 R, the others n k R; above `MOST_ROWS` rows there is no linkage.
Source  Strehl, Ghosh: Cluster ensembles. JMLR 3, 2002; Fred, Jain: Combining multiple clusterings
        using evidence accumulation. IEEE TPAMI 27(6), 2005.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import average, fcluster
from scipy.spatial.distance import squareform

from kinfolk.arrays import Labels
from kinfolk.choosing import scores
from kinfolk.choosing.scores import Evidence, Runs
from kinfolk.numerics import matching, memberships, starts

MOST_ROWS = 5000
"""Above this the n x n shares of linkage take 200 MB and more."""
SIGNS = "modularity", "echo"
"""What speaks for any answer, known labels or not."""
QUARTER, HALF = 0.25, 0.5
"""Shares of the runs that are combined: a quarter holds a crowd of mostly good runs; stacking,
which weighs runs itself, takes the half."""


@dataclass(frozen=True)
class Answer:
    """One clustering of a task.

    Attributes
    ----------
    labels : (n,) from 0
    way : "linkage", "stacking", "vote", or "single run"
    source : the runs it was made of: "own", "all", or "joint", those that see several tasks
    kept : (m,) positions of the runs that new rows go through, best first
    modularity : how far rows most alike share a cluster, 0 for chance
    echo : how far other tasks bear it out, 0 for chance, see `echoes`
    known : how well it fits known labels, times what they weigh, see `known`
    """

    labels: Labels
    way: str
    source: str
    kept: NDArray[np.integer]
    modularity: float
    echo: float = 0.0
    known: float = 0.0

    @property
    def points(self) -> float:
        """What speaks for it."""
        return round(self.modularity + self.echo + self.known, 12)


def combined(runs: Runs, found: Evidence, k: int, seed: int = 0) -> dict[str, Labels]:
    """The best runs combined in every way: k clusters (n,) by the name of the way.

    Parameters
    ----------
    runs, found : R clusterings of n rows, and what speaks for them
    """
    quarter, half = runs.take(found.best(QUARTER)), found.best(HALF)
    ways = {
        "stacking": stacking(runs.labels[half], found.weights[half], k, seed),
        "vote": vote(quarter.labels, k),
    }
    if runs.labels.shape[1] <= MOST_ROWS:
        ways["linkage"] = linkage(quarter.labels, k)
    return ways


def best(answers: Sequence[Answer]) -> Answer:
    """The answer for which most speaks; the first of equals.

    >>> none = np.array([0])
    >>> answers = [Answer(none, way, "own", none, Q, echo)
    ...            for way, Q, echo in (("vote", 0.5, 0.1), ("linkage", 0.4, 0.3))]
    >>> best(answers).way
    'linkage'
    """
    return max(answers, key=lambda answer: answer.points)


def linkage(labels: Labels, k: int) -> Labels:
    """Average linkage of the rows by the share of runs (R, n) that put them together.

    >>> linkage(np.array([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]]), 2)
    array([0, 0, 1, 1])
    """
    if labels.shape[1] == 1:
        return np.zeros(1, dtype=int)
    H, _ = scores.stacked(labels)
    apart = 1.0 - (H @ H.T).toarray() / len(labels)
    np.fill_diagonal(apart, 0.0)
    tree = average(squareform(apart, checks=False))
    return _numbered(fcluster(tree, k, "maxclust"))


def stacking(labels: Labels, weights: NDArray[np.floating], k: int, seed: int) -> Labels:
    """k-means, 3 starts, of the rows' memberships in all runs (R, n), runs weighted by w (R,).

    Rows that no run tells apart may be fewer than k, and the clusters with them, in silence.

    >>> stacking(np.array([[0, 0, 1, 1], [1, 1, 0, 0]]), np.array([0.5, 0.5]), 2, 0)
    array([0, 0, 1, 1])
    """
    H, first = scores.stacked(labels)
    clusters = np.diff(np.append(first, H.shape[1]))
    scaled = H * np.repeat(np.sqrt(weights), clusters)
    return _numbered(starts.means(scaled.tocsr(), k, seed, n_init=3).labels_)


def vote(labels: Labels, k: int, max_iter: int = 100) -> Labels:
    """Plurality of runs (R, n) of at most k clusters, from the first of them as the answer.

    >>> vote(np.array([[0, 0, 1, 1], [1, 1, 1, 0], [1, 1, 0, 0]]), 2)
    array([0, 0, 1, 1])
    """
    answer = np.unique(labels[0], return_inverse=True)[1]
    codes = [np.unique(row, return_inverse=True)[1] for row in labels]
    for _ in range(max_iter):
        votes = np.zeros((labels.shape[1], k))
        for row in codes:
            names = matched(row, answer, k)
            votes += memberships.indicator(names[row], k + 1)[:, :k]
        after = votes.argmax(axis=1)
        if np.array_equal(after, answer):
            break
        answer = after
    return _numbered(answer)


def matched(labels: Labels, answer: Labels, k: int) -> Labels:
    """The cluster of the answer (n,) that each cluster of `labels` (n,) is; k for none of them."""
    counts = np.zeros((int(labels.max()) + 1, k))
    np.add.at(counts, (labels, answer), 1.0)
    names = matching.assignment(counts)
    return np.where(names < 0, k, names)


def modes(runs: Runs, found: Evidence) -> tuple[NDArray[np.integer], NDArray[np.integer]] | None:
    """Positions of two groups of the better half of the runs, or None if all tell one story.

    Average linkage of 1 - A, cut at two, where each group holds at least a tenth of the half.
    """
    half = found.best(HALF)
    if len(half) < 2 * scores.LEAST:
        return None
    apart = np.clip(1.0 - found.agreement[np.ix_(half, half)], 0.0, None)
    np.fill_diagonal(apart, 0.0)
    side = fcluster(average(squareform(apart, checks=False)), 2, "maxclust")
    groups = half[side == 1], half[side == 2]
    enough = all(len(group) >= max(2, 0.1 * len(half)) for group in groups)
    return groups if enough else None


def _numbered(labels: Labels) -> Labels:
    """Codes in the order of first appearance, so that equal answers have equal numbers."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=int)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[codes]
