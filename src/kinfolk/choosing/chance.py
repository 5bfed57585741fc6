"""How large a silhouette is where there are no clusters at all.

k-means finds clusters in anything, and the best of many runs looks better than chance. So the
silhouette of an answer means little by itself: it is compared with that of k-means on tables like
the task's but without clusters,

    level = max(0, mean + 5 standard deviations of S_1 .. S_10)
    S_i   = the largest silhouette of 5 starts of k-means on the i-th of such tables

For counts and amounts, each column is shuffled by itself: every word stands in as many rows as
before, but no two words go together. Measurements of one cloud also go together, so there a table
is drawn from the normal distribution with the mean and covariance of the rows.

Units   none.
Source  the idea of Tibshirani, Walther, Hastie: Estimating the number of clusters in a data set
        via the gap statistic. JRSS B 63, 2001; the normal table is that of Liu, Hayes, Nobel,
        Marron: Statistical significance of clustering for high-dimension, low-sample size data.
        JASA 103, 2008.
"""

import numpy as np
import scipy.sparse as sp

from kinfolk import measures
from kinfolk.arrays import Matrix, Table
from kinfolk.numerics import distances, starts

TABLES, STARTS = 10, 5
"""Of five tables the spread is too often far too small; as many starts as a family has, about."""

SPREADS = 5.0
"""Standard deviations above the mean. A combination of many runs is clearer than one k-means: 32
tables of documents from one distribution came up to 4.2, real tasks to 9.8 and more."""


def level(X: Table, k: int, *, together: bool, seed: int = 0) -> float:
    """The silhouette of k clusters that must be passed, for rows X (n, d) in a neutral space.

    Parameters
    ----------
    together : whether columns without clusters may still go together

    Examples
    --------
    >>> X = np.vstack([np.eye(4)[[0, 1] * 20], np.eye(4)[[2, 3] * 20]])
    >>> level(X, 4, together=False) < measures.silhouette(X, X.argmax(axis=1))
    True
    """
    if k < 2:
        return -1.0  # one cluster claims nothing
    random = np.random.RandomState(seed)
    best = []
    for _ in range(TABLES):
        table = cloud(X, random) if together else shuffled(X, random)
        rows = distances.unit_rows(table)
        found = [starts.kmeans(rows, k, s) for s in starts.seeds(random, STARTS)]
        best.append(max(measures.silhouette(table, labels) for labels in found))
    return max(0.0, float(np.mean(best) + SPREADS * np.std(best, ddof=1)))


def shuffled(X: Table, random: np.random.RandomState) -> Table:
    """The rows X (n, d) with the entries of each column in random order.

    >>> shuffled(np.array([[1.0, 5.0], [1.0, 6.0]]), np.random.RandomState(0)).sum(axis=0)
    array([ 2., 11.])
    """
    if not sp.issparse(X):
        order = random.uniform(size=X.shape).argsort(axis=0)
        return np.take_along_axis(X, order, axis=0)
    columns = sp.csc_array(X)
    sizes = np.diff(columns.indptr)
    places = [random.choice(X.shape[0], size, replace=False) for size in sizes]
    parts = columns.data, np.concatenate(places).astype(columns.indptr.dtype), columns.indptr
    return sp.csr_array(sp.csc_array(parts, shape=X.shape))


def cloud(X: Matrix, random: np.random.RandomState) -> Matrix:
    """n rows from the normal distribution with the mean and covariance of X (n, d).

    Exact without the covariance: with W (n, n) standard normal and X centred, the rows of
    W X / sqrt(n) have covariance X'X / n.
    """
    mean = X.mean(axis=0)
    n = len(X)
    return mean + random.standard_normal((n, n)) @ (X - mean) / np.sqrt(n)
