"""What the clusters of other tasks make of a task's rows: the one sign from outside it.

Silhouettes and neighbours look at one task. Where tasks are alike there is a further witness: the
clusters that another task s has BY ITSELF, without a look at task t. Put each row of t to the
nearest of their centres; if an answer of t agrees with that division, two tasks have found the
same groups independently of each other.

    referee[s] = the nearest centre, by cosine, of the clusters of s, for each row of t
    echo       = max over s of the adjusted Rand index of an answer of t and referee[s]

A wrong answer has no reason to be echoed, and tasks with nothing in common echo nothing.

Units   none; an echo is at most 1, and 0 is chance.
Limits  one task: no referees, and the echo is 0.
"""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.choosing import evidence
from kinfolk.numerics import distances, memberships

LEAST = 0.1
"""Where the own answers of a task are echoed less than this, its rows are divided otherwise by the
others' clusters, and differences between answers say nothing: tasks whose features are shuffled,
shifted or of other words have 0 to 0.15, as a rule."""


def centres(X: Table, labels: Labels) -> Matrix:
    """Mean directions (k, d) of the clusters (n,) of rows X (n, d) in a neutral space."""
    U = memberships.indicator(labels, int(labels.max()) + 1)
    rows = distances.unit_rows(X)
    sums = (rows.T @ U).T if sp.issparse(rows) else U.T @ rows
    return distances.unit_rows(np.asarray(sums))


def referee(X: Table, C: Matrix) -> Labels:
    """The nearest (n,) of another task's centres C (k, d) for rows X (n, d) of a neutral space.

    >>> X = np.array([[1.0, 0.1], [0.0, 2.0], [3.0, 0.0]])
    >>> referee(X, np.eye(2)).tolist()
    [0, 1, 0]
    """
    return np.asarray(X @ C.T).argmax(axis=1)


def strength(labels: Labels, referees: Sequence[Labels]) -> float:
    """The echo of an answer (n,): its best agreement with a referee (n,), 0 without one.

    >>> strength(np.array([0, 0, 1, 1]), [np.array([5, 5, 2, 2]), np.array([0, 1, 0, 1])])
    1.0
    """
    if not len(referees):
        return 0.0
    A = evidence.agreement(np.array([labels, *referees]))
    return float(A[0, 1:].max())
