"""One answer from many clusterings of the same rows.

Three ways to combine runs, each best on another kind of data, and the choice among them:

    linkage   average linkage, cut at k, of 1 - share of runs that put two rows together
    stacking  k-means on the 0/1 memberships of all runs side by side, each times sqrt(w[r])
    vote      from the best run: match the clusters of every run to the answer, give each row
              the label with most votes, until nothing changes

Linkage is good with unequal groups and poor with many equal ones, where it splits off single rows;
stacking is the reverse. The best of several answers has the largest sum of ranks

    rank(silhouette) + rank(kappa) + 2 rank(echo) + v rank(known)

kappa says how often a row's nearest neighbours share its label, corrected for chance; the echo is
what other tasks make of these rows (`echoes`), the only sign from outside, so it weighs as much as
the two from inside together; v and known are those of labels that somebody knows (`known`).

Cost    linkage n^2 R, the others n k R; above `MOST_ROWS` rows there is no linkage.
Source  Strehl, Ghosh: Cluster ensembles. JMLR 3, 2002; Fred, Jain: Combining multiple clusterings
        using evidence accumulation. IEEE TPAMI 27(6), 2005; Cohen (1960) for kappa.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import average, fcluster
from scipy.spatial.distance import squareform
from scipy.stats import rankdata
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import cohen_kappa_score
from sklearn.neighbors import NearestNeighbors

from kinfolk import measures
from kinfolk.arrays import Labels, Table
from kinfolk.choosing import evidence, known
from kinfolk.choosing.evidence import Evidence, Runs
from kinfolk.numerics import matching, memberships, reuse

MOST_ROWS = 5000
"""Above this the n x n shares of linkage take 200 MB and more."""
NEIGHBORS = 7
"""Rows whose majority a row is compared with: odd, and fewer than the rows of a small group."""
SIGNS = 1.0, 1.0, 2.0
"""Weights of silhouette, kappa and echo: inside and outside count the same."""
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
    silhouette : mean silhouette in the neutral space
    kappa : how often neighbours share a label, 0 for chance and 1 for always
    echo : how far other tasks bear it out, 0 for chance or if nobody was asked, see `echoes`
    """

    labels: Labels
    way: str
    silhouette: float
    kappa: float
    echo: float = 0.0


def proposals(
    runs: Runs,
    found: Evidence,
    X: Table,
    k: int,
    seed: int = 0,
    sample: NDArray[np.integer] | None = None,
) -> list[Answer]:
    """Combine the best runs in every way.

    Parameters
    ----------
    runs, found : R clusterings of n rows, and what speaks for them
    X : (n, d) the rows in a neutral space
    k : clusters of the answers
    sample : (m,) positions of the rows that X holds, if it does not hold all
    """
    quarter, half = runs.take(found.best(QUARTER)), found.best(HALF)
    ways = {
        "stacking": stacking(runs.labels[half], found.weights[half], k, seed),
        "vote": vote(quarter.labels, k),
    }
    if runs.labels.shape[1] <= MOST_ROWS:
        ways["linkage"] = linkage(quarter.labels, k)
    return [judged(labels, way, X, sample) for way, labels in ways.items()]


def judged(labels: Labels, way: str, X: Table, sample: NDArray[np.integer] | None = None) -> Answer:
    """A clustering (n,) with its signs by the rows X of a neutral space."""
    near = reuse.of(reuse.name("neighbors", X), lambda: neighbors(X))
    seen = labels if sample is None else labels[sample]
    return Answer(labels, way, measures.silhouette(X, seen), kappa(seen, near))


def best(answers: Sequence[Answer], y: Labels | None = None) -> Answer:
    """The answer with the largest sum of ranks; ties by silhouette.

    Parameters
    ----------
    y : (n,) classes that are known, -1 elsewhere

    Examples
    --------
    >>> best([Answer(None, "vote", 0.2, 0.9), Answer(None, "linkage", 0.3, 0.8)]).way
    'linkage'
    """
    signs = np.array([(a.silhouette, a.kappa, a.echo) for a in answers]).round(12)
    ranks = rankdata(signs, axis=0) @ SIGNS
    told = None if y is None else known.sign(np.array([a.labels for a in answers]), y)
    if told is not None:
        ranks = ranks + len(answers) * told.ranks
    return answers[np.lexsort((-signs[:, 0], -ranks))[0]]


def linkage(labels: Labels, k: int) -> Labels:
    """Average linkage of the rows by the share of runs (R, n) that put them together.

    >>> linkage(np.array([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]]), 2)
    array([0, 0, 1, 1])
    """
    if labels.shape[1] == 1:
        return np.zeros(1, dtype=int)
    H, _ = evidence.stacked(labels)
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
    H, first = evidence.stacked(labels)
    clusters = np.diff(np.append(first, H.shape[1]))
    scaled = H * np.repeat(np.sqrt(weights), clusters)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Number of distinct clusters", ConvergenceWarning)
        found = KMeans(k, n_init=3, random_state=seed).fit(scaled.tocsr())
    return _numbered(found.labels_)


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


def neighbors(X: Table) -> Labels:
    """The `NEIGHBORS` nearest rows (n, l) of each row of X (n, d) by cosine, itself left out."""
    l = min(NEIGHBORS, X.shape[0] - 1)
    if l < 1:
        return np.zeros((X.shape[0], 0), dtype=int)
    return NearestNeighbors(n_neighbors=l, metric="cosine").fit(X).kneighbors()[1]


def kappa(labels: Labels, near: Labels) -> float:
    """Cohen's kappa of each row's label and the majority of its neighbours (n, l)."""
    if near.shape[1] == 0 or len(np.unique(labels)) < 2:
        return 0.0
    votes = np.stack([(labels[near] == c).sum(axis=1) for c in range(labels.max() + 1)], axis=1)
    return float(cohen_kappa_score(labels, votes.argmax(axis=1)))


def modes(runs: Runs, found: Evidence) -> tuple[NDArray[np.integer], NDArray[np.integer]] | None:
    """Positions of two groups of the better half of the runs, or None if all tell one story.

    Average linkage of 1 - A, cut at two, where each group holds at least a tenth of the half.
    """
    half = found.best(HALF)
    if len(half) < 2 * evidence.LEAST:
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
