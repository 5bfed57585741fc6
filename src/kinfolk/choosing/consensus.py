"""Combines base clusterings of one task into consensus clusterings, and picks the best.

    evidence accumulation  average linkage, cut at k clusters, of 1 - share of runs that put two
                           rows together
    k-means on memberships k-means on the 0/1 memberships of all runs, each times sqrt(w[r])
    voting                 from the best run of at most k clusters: match the clusters of every run
                           to the consensus, give each row the label with most votes, until nothing
                           changes

Evidence accumulation is good with unequal groups and poor with many equal ones, where it splits off
single rows; k-means on memberships is the reverse. The best answer has the largest

    total = modularity + cross-task agreement + v fit to known labels

Modularity (`scores`) and cross-task agreement (`cross_task`) are both 0 for chance and at most 1,
so they are added as they are. v and the fit come from `partial_labels`.

Cost    evidence accumulation n^2 R, the others n k R.
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
from kinfolk.choosing.scores import BaseClusterings, RunScores
from kinfolk.numerics import matching, memberships, starts

# Above this many rows the (n, n) table of evidence accumulation takes 200 MB and more.
MAX_PAIRWISE_ROWS = 5000
# Rows that are scored of a task with more: the share of links inside clusters then errs by 0.01,
# and the graph takes seconds.
SCORED_ROWS = 2000
# The criteria of every answer, with or without known labels: attributes of `Answer`.
CRITERIA = "modularity", "cross_task_agreement"
# A tenth of the runs is too few to outvote bad ones, a half lets bad runs in; between them accuracy
# hardly moves. k-means on memberships weighs runs itself and gains from more of them.
QUARTER = 0.25
HALF = 0.5

ACCUMULATION = "evidence accumulation"
MEMBERSHIPS = "k-means on memberships"
VOTING = "voting"
SINGLE_RUN = "single run"


@dataclass(frozen=True)
class Answer:
    """One clustering of a task, by consensus of runs or a single run, with its criteria.

    Attributes
    ----------
    labels : (n,) from 0
    combiner : "evidence accumulation", "k-means on memberships", "voting" or "single run"
    source : the runs it combines: "own" (methods of one task), "all", or "joint" (methods that use
        several tasks)
    kept : (m,) positions of the runs that assign new rows, best first
    modularity : in the graph of the task's rows, 0 for chance
    cross_task_agreement : see `cross_task`, 0 for chance
    label_fit : share of known rows in their class, times the weight v
    """

    labels: Labels
    combiner: str
    source: str
    kept: NDArray[np.integer]
    modularity: float
    cross_task_agreement: float = 0.0
    label_fit: float = 0.0

    @property
    def total(self) -> float:
        """Sum of modularity, agreements and label fit, by which the best answer is chosen."""
        # Rounded, so that answers that differ by rounding alone are tied and the first is taken.
        return round(self.modularity + self.cross_task_agreement + self.label_fit, 12)


def scored_rows(n: int, most: int | None = None) -> int:
    """Number of a task's n rows that are scored (large tasks: a sample); at most `most` if given.

    >>> scored_rows(5000), scored_rows(5001), scored_rows(5001, 300)
    (5000, 2000, 300)
    """
    usual = n if n <= MAX_PAIRWISE_ROWS else SCORED_ROWS
    return usual if most is None else min(usual, most)


def combine(
    runs: BaseClusterings, run_scores: RunScores, k: int, seed: int = 0
) -> dict[str, Labels]:
    """Combine the best runs into clusterings with k clusters: {name of the combiner: labels (n,)}.

    Above `MAX_PAIRWISE_ROWS` rows without evidence accumulation.
    """
    quarter = runs.take(run_scores.best(QUARTER))
    half = run_scores.best(HALF)
    made = {
        MEMBERSHIPS: kmeans_on_memberships(runs.labels[half], run_scores.weights[half], k, seed),
        VOTING: voting(quarter.labels, k),
    }
    if runs.labels.shape[1] <= MAX_PAIRWISE_ROWS:
        made[ACCUMULATION] = evidence_accumulation(quarter.labels, k)
    return made


def best(answers: Sequence[Answer]) -> Answer:
    """Return the answer with the largest total; the first one among ties.

    >>> none = np.array([0])
    >>> answers = [Answer(none, combiner, "own", none, Q, agreement)
    ...            for combiner, Q, agreement in ((VOTING, 0.5, 0.1), (ACCUMULATION, 0.4, 0.3))]
    >>> best(answers).combiner, best(answers).total
    ('evidence accumulation', 0.7)
    """
    return max(answers, key=lambda answer: answer.total)


def evidence_accumulation(labels: Labels, k: int) -> Labels:
    """Cluster rows by average linkage on the share of runs (R, n) that join two rows.

    >>> evidence_accumulation(np.array([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]]), 2)
    array([0, 0, 1, 1])
    """
    if labels.shape[1] == 1:
        return np.zeros(1, dtype=int)
    H, _ = scores.stacked_memberships(labels)
    # Numbers of runs, not shares: equal numbers stay equal in means. Shares that rounding makes
    # unequal led `average` to an invalid tree (once, with 4000 rows).
    apart = len(labels) - np.rint((H @ H.T).toarray())
    tree = average(squareform(apart, checks=False))
    return _relabelled(fcluster(tree, k, "maxclust"))


def kmeans_on_memberships(
    labels: Labels, weights: NDArray[np.floating], k: int, seed: int
) -> Labels:
    """Cluster rows by k-means on their memberships in runs (R, n) with weights (R,).

    Fewer than k clusters if the runs tell fewer than k rows apart.

    >>> kmeans_on_memberships(np.array([[0, 0, 1, 1], [1, 1, 0, 0]]), np.array([0.5, 0.5]), 2, 0)
    array([0, 0, 1, 1])
    """
    H, first = scores.stacked_memberships(labels)
    clusters = np.diff(np.append(first, H.shape[1]))
    scaled = H * np.repeat(np.sqrt(weights), clusters)
    return _relabelled(starts.kmeans(scaled.tocsr(), k, seed, n_init=3))


def voting(labels: Labels, k: int, max_iter: int = 100) -> Labels:
    """Plurality vote (n,) for at most k clusters of runs (R, n), matched to the vote before.

    The first vote is the first run of at most k clusters. Of a run of more, as clusterers that
    choose their own number give, the clusters that match none of the vote before have no vote.

    >>> voting(np.array([[0, 0, 1, 1], [1, 1, 1, 0], [1, 1, 0, 0]]), 2)
    array([0, 0, 1, 1])
    """
    codes = [np.unique(row, return_inverse=True)[1] for row in labels]
    answer = next((row for row in codes if row.max() < k), _k_clusters(codes[0], k))
    for _ in range(max_iter):
        votes = np.zeros((labels.shape[1], k))
        for row in codes:
            matched = match_clusters(row, answer, k)
            votes += memberships.indicator(matched[row], k + 1)[:, :k]
        after = np.where(votes.any(axis=1), votes.argmax(axis=1), answer)
        # A cluster that every vote divides otherwise would lose its last row.
        if np.array_equal(after, answer) or len(np.unique(after)) < len(np.unique(answer)):
            break
        answer = after
    return _relabelled(answer)


def _k_clusters(labels: Labels, k: int) -> Labels:
    """Number the k - 1 largest clusters of `labels` (n,) from 0; all other rows are the last."""
    rank = np.argsort(np.argsort(-np.bincount(labels), kind="stable"))
    return np.minimum(rank[labels], k - 1)


def match_clusters(labels: Labels, answer: Labels, k: int) -> Labels:
    """Match each cluster of `labels` (n,) to one of `answer` (n,); k where unmatched.

    >>> match_clusters(np.array([2, 2, 0, 1]), np.array([0, 0, 1, 1]), 2)
    array([1, 2, 0])
    """
    counts = np.zeros((int(labels.max()) + 1, k))
    np.add.at(counts, (labels, answer), 1.0)
    matched = matching.assignment(counts)
    return np.where(matched < 0, k, matched)


def modes(
    runs: BaseClusterings, run_scores: RunScores
) -> tuple[NDArray[np.integer], NDArray[np.integer]] | None:
    """Split the better half of the runs into two groups that disagree; return positions, or None.

    Average linkage of 1 - A, cut at two; None if a group holds less than a tenth of the half.
    """
    half = run_scores.best(HALF)
    if len(half) < 2 * scores.MIN_RUNS:
        return None
    apart = np.clip(1.0 - run_scores.pairwise[np.ix_(half, half)], 0.0, None)
    np.fill_diagonal(apart, 0.0)
    side = fcluster(average(squareform(apart, checks=False)), 2, "maxclust")
    groups = half[side == 1], half[side == 2]
    # A few stray runs are no second opinion about the rows.
    large = all(len(group) >= max(2, 0.1 * len(half)) for group in groups)
    return groups if large else None


def _relabelled(labels: Labels) -> Labels:
    """Renumber clusters in the order of their first rows, so that equal partitions are equal."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=int)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[codes]
