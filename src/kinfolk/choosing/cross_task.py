"""Cross-task agreement: compares a task's clusterings with labels that other tasks transfer to it.

Modularity and silhouette look at one task only. Where tasks are alike there is an independent
check: cluster another task s BY ITSELF, transfer its clusters to the rows of task t by nearest
neighbors, and compare. If a clustering of t agrees with them, two tasks have found the same groups
without seeing each other.

    votes[i,c]      = rows of cluster c of s among the 15 rows of s nearest to row i of t, by cosine
    transferred[i]  = argmax over c of votes[i,c] / sqrt(rows of cluster c)
    agreement       = max over s of the adjusted Rand index of the clustering and transferred

A wrong clustering has no reason to agree, and unrelated tasks agree with nothing. An answer is
compared with the task's own one in both directions, by the mean over the other tasks:

    forth[s]  = adjusted Rand index of the clusters of t and the rows of t divided by those of s
    back[s]   = adjusted Rand index of the clusters of s and the rows of s divided by those of t
    h[s]      = (forth[s] + back[s]) / 2
    gain      = sum over s of w[s] (h[s] of the answer - h[s] of the own one) / sum of w[s]
    w[s]      = max(h[s] of either, 0) + .02

Units   none; at most 1, and 0 is chance.
Limits  0 for a single task, and for tasks whose transferred labels form one cluster (such as
        documents that share no word).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Table, Vector
from kinfolk.choosing import scores
from kinfolk.numerics import graphs, group_neighbors, memo, operators

# On tasks whose features are shuffled, shifted or of other words, the best run reaches 0 to 0.35;
# below this level differences in agreement are noise. With 0.35 means are the same within 0.002.
SUPPORT = 0.4
# Weight of a task that agrees with neither answer: a little, so that no task's weight is 0.
LEAST_WEIGHT = 0.02
# Rows times other tasks up to which nearest rows are remembered: 1 MB for each task.
MOST_KEPT = 2**15


def transferred_labels(
    X: Table, other: Table, labels: Labels, n_neighbors: int = scores.NEIGHBORS
) -> Labels:
    """Transfer the clusters of another task's rows (m, d) to the rows X (n, d) by nearest rows.

    >>> other = np.repeat(np.eye(2), 20, axis=0)
    >>> transferred_labels(np.array([[5.0, 1.0], [0.0, 2.0]]), other, np.repeat([0, 1], 20))
    array([0, 1])
    """
    return voted_labels(graphs.cosine_neighbors(X, n_neighbors, other), labels)


def transferred_from(X: Table, others: Sequence[Table], labels: Sequence[Labels]) -> list[Labels]:
    """Label the rows X (n, d) by the nearest rows of each other task; one result per task.

    >>> here, one, two = np.eye(2), np.repeat(np.eye(2), 20, axis=0), np.eye(2)[[1, 0]]
    >>> transferred_from(here, [one, two], [np.repeat([0, 1], 20), np.array([0, 1])])
    [array([0, 1]), array([0, 0])]
    """
    near = near_in_each(X, others)
    return [voted_labels(rows, found) for rows, found in zip(near, labels, strict=True)]


def near_in_each(X: Table, others: Sequence[Table]) -> list[NDArray[np.integer]]:
    """Positions (n, l) of the l <= 15 nearest rows to X (n, d), in each of the other tasks.

    They are in any order.

    >>> [near.tolist() for near in near_in_each(np.eye(2)[:1], [np.eye(2), np.eye(2)[:1]])]
    [[[0, 1]], [[0]]]
    """
    search = _kept_search if X.shape[0] * len(others) <= MOST_KEPT else _search
    return list(search(X, list(others)))


def _search(X: Table, others: list[Table]) -> tuple[NDArray[np.integer], ...]:
    """Nearest rows in each other task, as `near_in_each`, in the smallest integer type."""
    if len(others) < 2:
        return tuple(graphs.cosine_neighbors(X, scores.NEIGHBORS, other) for other in others)
    ends = np.cumsum([other.shape[0] for other in others])
    V = operators.vstack(others)
    groups = np.split(np.arange(ends[-1]), ends[:-1])
    # A vote needs no order.
    found = group_neighbors.rows_nearest_by_cosine(X, V, groups, scores.NEIGHBORS)
    return tuple(
        (near - group[0]).astype(np.min_scalar_type(len(group)))
        for near, group in zip(found, groups, strict=True)
    )


_kept_search = memo.remembered(_search)


def voted_labels(near: NDArray[np.integer], labels: Labels) -> Labels:
    """Cluster (n,) with the most votes of the nearest rows near (n, l), over the root of its size.

    >>> voted_labels(np.array([[0, 1, 2], [3, 4, 2]]), np.array([0, 0, 1, 1, 1]))
    array([0, 1])
    """
    sizes = np.bincount(labels)
    shape = len(near), len(sizes)
    cells = labels[near] + len(sizes) * np.arange(len(near))[:, None]
    votes = np.bincount(cells.ravel(), minlength=shape[0] * shape[1]).reshape(shape)
    # The root lies half way between counting rows, which favors large clusters wherever rows are
    # in doubt, and counting shares of clusters, which favors small ones.
    return np.asarray((votes / np.sqrt(np.maximum(sizes, 1))).argmax(axis=1))


def cross_task_agreement(labels: Labels, transferred: Sequence[Labels]) -> Vector:
    """Best adjusted Rand index (R,) of each run's labels (R, n) with any transferred labels.

    >>> cross_task_agreement(np.array([[0, 0, 1, 1], [0, 1, 0, 1]]), [np.array([5, 5, 2, 2])])
    array([ 1. , -0.5])
    """
    divided = [found for found in transferred if len(np.unique(found)) > 1]
    if not divided:
        return np.zeros(len(labels))
    best: Vector = scores.pairwise_agreement(labels, np.array(divided)).max(axis=1)
    return best


def agreement_with_each(labels: Labels, transferred: Sequence[Labels]) -> Vector:
    """Adjusted Rand index (S,) of labels (n,) with those of S tasks; 0 for one cluster.

    >>> agreement_with_each(np.array([0, 0, 1, 1]), [np.array([5, 5, 2, 2]), np.zeros(4, int)])
    array([1., 0.])
    """
    if not transferred:
        return np.zeros(0)
    divided = np.array(transferred)
    several = divided.min(axis=1) < divided.max(axis=1)
    A: Vector = scores.pairwise_agreement(labels[None], divided)[0]
    return np.where(several, A, 0.0)


def has_support(agreement: Vector) -> bool:
    """True if the agreement of any run (R,) with another task reaches the threshold `SUPPORT`.

    >>> has_support(np.array([0.1, 0.6])), has_support(np.array([0.1, 0.3]))
    (True, False)
    """
    return bool(agreement.max() >= SUPPORT)


def mutual_gain(own: Vector, answer: Vector) -> float:
    """Mean gain of an answer's agreement (S,) with S other tasks over the own answer's (S,).

    >>> round(mutual_gain(np.array([0.3, 0.0]), np.array([0.5, 0.0])), 3)
    0.193
    """
    # A task that agrees with neither answer says nothing about which of them is right.
    w = np.maximum(np.maximum(own, answer), 0.0) + LEAST_WEIGHT
    return float(np.average(answer - own, weights=w))
