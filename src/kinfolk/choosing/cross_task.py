"""What the clusters of other tasks make of a task's rows: the one sign from outside it.

Links between a task's rows look at one task. Where tasks are alike there is a further witness: the
clusters that another task s has BY ITSELF, without a look at task t. Let each row of t have the
cluster of those rows of s that it is most like; if an answer of t agrees with that division, two
tasks have found the same groups independently of each other.

    votes[i,c]    = rows of cluster c of s among the 15 rows of s nearest to row i of t, by cosine
    referee[s][i] = argmax over c of votes[i,c] / sqrt(rows of cluster c)
    echo          = max over s of the adjusted Rand index of an answer of t and referee[s]

The root is half way between counting rows, by which a large cluster wins wherever rows are in
doubt, and counting shares of clusters, by which a small one does.

A wrong answer has no reason to be echoed, and tasks with nothing in common echo nothing.

Units   none; an echo is at most 1, and 0 is chance.
Limits  one task: no referees, and the echo is 0. A referee that puts all rows into one cluster,
        as where tasks share no word, divides nothing and is not asked.
"""

from collections.abc import Sequence

import numpy as np

from kinfolk.arrays import Labels, Table, Vector
from kinfolk.choosing import scores
from kinfolk.numerics import graphs, memberships

NEIGHBORS = 15
"""Rows of another task that say what a row is, as many as `scores.NEIGHBORS`."""

LEAST = 0.4
"""Where no run of a task, its own or one that sees others, is echoed so far, its rows are divided
otherwise by the others' clusters, and nobody is heard: the best run on tasks whose features are
shuffled, shifted or of other words has 0 to 0.35, as a rule."""


def referee(X: Table, other: Table, labels: Labels) -> Labels:
    """What another task, rows (m, d) in clusters (m,), makes of rows X (n, d); neutral spaces.

    >>> other = np.repeat(np.eye(2), 20, axis=0)
    >>> referee(np.array([[5.0, 1.0], [0.0, 2.0]]), other, np.repeat([0, 1], 20))
    array([0, 1])
    """
    near = graphs.cosine_neighbors(X, NEIGHBORS, other)
    U = memberships.indicator(labels, int(labels.max()) + 1)
    votes = U[near].sum(axis=1) / np.sqrt(np.maximum(U.sum(axis=0), 1.0))
    return np.asarray(votes.argmax(axis=1))


def strengths(labels: Labels, referees: Sequence[Labels]) -> Vector:
    """The echoes (R,) of clusterings (R, n): their best agreement with a referee (n,), or 0.

    >>> strengths(np.array([[0, 0, 1, 1], [0, 1, 0, 1]]), [np.array([5, 5, 2, 2])])
    array([ 1. , -0.5])
    """
    heard = [seen for seen in referees if len(np.unique(seen)) > 1]
    if not heard:
        return np.zeros(len(labels))
    A = scores.agreement(np.vstack([labels, heard]))
    best: Vector = A[: len(labels), len(labels) :].max(axis=1)
    return best
