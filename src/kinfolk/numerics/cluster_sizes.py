"""Reassigns rows to round clusters that differ in width, and compares them with the given ones.

Clusters j of whitened rows x_i of task t get a size of their own, the mean squared distance per
column of their rows from their center m_j, and the rows are assigned once more, each to the
cluster with the largest

    log w_j - |x_i - m_j|^2 / (2 s_j) - d/2 log s_j                                        (1)
    s_j = (sum_{i in j} |x_i - m_j|^2 + d) / (d (n_j + 1)),    w_j = n_j / n_t             (2)

which is one E step of a mixture of round normal clusters. One row at distance 1 in each column is
added to each cluster, so that clusters of equal rows have a size.

Symbols     X (n, d), m (k, d); s, w (k,).
Limits      equal sizes and shares: each row goes to the nearest center.
"""

import numpy as np

from kinfolk.arrays import Labels, Matrix
from kinfolk.numerics import distances, matching, memberships


def kept(X: Matrix, codes: Labels, labels: Labels) -> float:
    """Adjusted Rand index of clusters (n,) before and after reassignment, the mean over tasks.

    Parameters
    ----------
    X : (n, d) rows in a metric in which clusters are round
    codes : (n,) position of each row's task

    Examples
    --------
    >>> labels = np.arange(200) % 2
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> for width in (1.0, 4.0):  # of the second cluster; its inner rows are in the first one
    ...     Z = X * np.where(labels == 1, width, 1.0)[:, None] + 4.0 * labels[:, None]
    ...     print(round(kept(Z, np.zeros(200), (Z.sum(axis=1) > 4) * 1), 2))
    1.0
    0.79
    """
    indices = []
    for t in np.unique(codes):
        _, before = np.unique(labels[codes == t], return_inverse=True)
        indices.append(matching.adjusted_rand(before, assigned(X[codes == t], before)))
    return float(np.mean(indices))


def assigned(X: Matrix, labels: Labels) -> Labels:
    """Reassign rows X (n, d) of clusters (n,), 0 to k - 1, to the likeliest cluster by (1).

    >>> assigned(np.array([[0.0], [0.1], [1.4], [3.0], [7.0]]), np.array([0, 0, 0, 1, 1]))
    array([0, 0, 0, 1, 1])
    """
    n, d = X.shape
    Y = memberships.indicator(labels, labels.max() + 1)
    counts = Y.sum(axis=0)
    squares = distances.squared(X, Y.T @ X / counts[:, None])
    sizes = ((Y * squares).sum(axis=0) + d) / (d * (counts + 1))  # (2)
    logs = np.log(counts / n) - 0.5 * (squares / sizes + d * np.log(sizes))  # (1)
    return np.asarray(logs.argmax(axis=1))
