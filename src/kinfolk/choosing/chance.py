"""How far rows most alike share a cluster where there are no clusters at all.

Every method finds clusters in anything, and the best of many runs looks better than chance. So the
modularity of an answer means little by itself: it is compared with that of clusterings of tables
like the task's but without clusters,

    level = mean + 2 standard deviations of Q_1 .. Q_10
    Q_i   = the largest modularity of 3 starts of k-means and one spectral clustering of the i-th
            of such tables, in the graph of its rows

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

from kinfolk.arrays import Matrix, Table
from kinfolk.choosing import evidence
from kinfolk.numerics import distances, spectra, starts

TABLES, STARTS = 10, 3
"""Of five tables the spread is too often far too small; the spectral clustering has one start, as
its starts differ little."""

SPREADS = 2.0
"""Standard deviations above the mean: answers for 80 tables of four kinds without clusters came up
to 1.2, and what real tasks of more than 20 rows have is 2.8 and more, but for faces."""


def level(X: Table, k: int, *, together: bool, seed: int = 0) -> float:
    """The modularity of k clusters that must be passed, for rows X (n, d) in a neutral space.

    Parameters
    ----------
    together : whether columns without clusters may still go together

    Examples
    --------
    >>> X = np.vstack([np.eye(4)[[0, 1] * 20], np.eye(4)[[2, 3] * 20]])
    >>> Q = evidence.modularities(X.argmax(axis=1)[None], evidence.graph(X, 4))[0]
    >>> bool(level(X, 4, together=False) < Q)
    True
    """
    if k < 2:
        return -1.0  # one cluster claims nothing
    random = np.random.RandomState(seed)
    best = []
    for _ in range(TABLES):
        table = cloud(X, random) if together else shuffled(X, random)
        best.append(_largest(table, k, starts.seeds(random, STARTS + 1)))
    return float(np.mean(best) + SPREADS * np.std(best, ddof=1))


def _largest(X: Table, k: int, seeds: list[int]) -> float:
    """The largest modularity of k clusters of rows X (n, d), one clustering for each seed."""
    links, rows = evidence.graph(X, k), distances.unit_rows(X)
    _, V = spectra.leading(links, k)
    seen = [*[rows] * (len(seeds) - 1), distances.unit_rows(V)]
    labels = np.array([starts.kmeans(Z, k, seed) for Z, seed in zip(seen, seeds, strict=True)])
    return float(evidence.modularities(labels, links).max())


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
