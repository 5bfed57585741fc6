"""Cross-task agreement: supports clusterings of a task by the clusters of related tasks.

Modularity and silhouette look at one task only. Where tasks are alike there is an independent
check: cluster another task s BY ITSELF, transfer its clusters to the rows of task t by nearest
neighbours, and compare. If a clustering of t agrees with them, two tasks have found the same groups
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
from kinfolk.numerics import graphs, memberships

# On tasks whose features are shuffled, shifted or of other words, the best run reaches 0 to 0.35;
# below this level differences in agreement are noise. With 0.35 means are the same within 0.002.
SUPPORT = 0.4
# Weight of a task that agrees with neither answer: a little, so that no task's weight is 0.
LEAST_WEIGHT = 0.02


def transferred_labels(
    X: Table, other: Table, labels: Labels, n_neighbors: int = scores.NEIGHBORS
) -> Labels:
    """Transfer the clusters of another task's rows (m, d) to the rows X (n, d) by nearest rows.

    >>> other = np.repeat(np.eye(2), 20, axis=0)
    >>> transferred_labels(np.array([[5.0, 1.0], [0.0, 2.0]]), other, np.repeat([0, 1], 20))
    array([0, 1])
    """
    return voted_labels(graphs.cosine_neighbors(X, n_neighbors, other), labels)


def voted_labels(near: NDArray[np.integer], labels: Labels) -> Labels:
    """Clusters (n,) that win the votes of the nearest rows near (n, l) of another task.

    >>> voted_labels(np.array([[0, 1, 2], [3, 4, 2]]), np.array([0, 0, 1, 1, 1]))
    array([0, 1])
    """
    U = memberships.indicator(labels, int(labels.max()) + 1)
    # The root lies half way between counting rows, which favours large clusters wherever rows are
    # in doubt, and counting shares of clusters, which favours small ones.
    votes = U[near].sum(axis=1) / np.sqrt(np.maximum(U.sum(axis=0), 1.0))
    return np.asarray(votes.argmax(axis=1))


def cross_task_agreement(labels: Labels, transferred: Sequence[Labels]) -> Vector:
    """Best adjusted Rand index (R,) of clusterings (R, n) with transferred labels; 0 for none.

    >>> cross_task_agreement(np.array([[0, 0, 1, 1], [0, 1, 0, 1]]), [np.array([5, 5, 2, 2])])
    array([ 1. , -0.5])
    """
    divided = [found for found in transferred if len(np.unique(found)) > 1]
    if not divided:
        return np.zeros(len(labels))
    A = scores.pairwise_agreement(np.vstack([labels, divided]))
    best: Vector = A[: len(labels), len(labels) :].max(axis=1)
    return best


def has_support(agreement: Vector) -> bool:
    """True if any run (R,) agrees with another task well enough to trust such agreement.

    >>> has_support(np.array([0.1, 0.6])), has_support(np.array([0.1, 0.3]))
    (True, False)
    """
    return bool(agreement.max() >= SUPPORT)


def mutual_agreement(
    labels: Labels, divided: Labels, other: Labels, divided_other: Labels
) -> float:
    """Agreement h of the clusters of a task (n,) and those of another (m,), of both directions.

    Parameters
    ----------
    divided : (n,) the other task's clusters, transferred to the rows of the task
    divided_other : (m,) the task's clusters, transferred to the rows of the other

    Examples
    --------
    >>> mutual_agreement(*np.array([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1], [1, 1, 1, 1]]))
    0.5
    """
    forth = cross_task_agreement(labels[None], [divided])[0]
    back = cross_task_agreement(other[None], [divided_other])[0]
    return float(forth + back) / 2


def mutual_gain(own: Vector, answer: Vector) -> float:
    """Gain of an answer over the own one in mutual agreement h (S,) with S other tasks.

    >>> round(mutual_gain(np.array([0.3, 0.0]), np.array([0.5, 0.0])), 3)
    0.193
    """
    # A task that agrees with neither answer says nothing about which of them is right.
    w = np.maximum(np.maximum(own, answer), 0.0) + LEAST_WEIGHT
    return float(np.average(answer - own, weights=w))
