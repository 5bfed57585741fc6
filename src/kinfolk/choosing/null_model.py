"""How clear clusters look where there are none at all.

Every method finds clusters in anything, and the best of many runs looks better than chance. So the
signs of an answer mean little by themselves: they are compared with those of clusterings of tables
like the task's but without clusters,

    level of modularity = mean + 2 standard deviations of Q_1 .. Q_10
    level of silhouette = max(0, mean + 5 standard deviations of S_1 .. S_10)
    Q_i   = the largest modularity of 5 starts of k-means and one spectral clustering of the i-th
            of such tables, in the graph of its rows
    S_i   = the largest silhouette of the 5 starts of k-means

and an answer that passes either has clusters. Among many columns, words and pixels, groups touch,
and silhouettes tell little; among few, where a cut through a cloud, too, leaves most neighbours
together, modularities do.

For counts and amounts, each column is shuffled by itself: every word stands in as many rows as
before, but no two words go together. Measurements of one cloud also go together, so there a table
is drawn from the normal distribution with the mean and covariance of the rows.

Units   none.
Source  the idea of Tibshirani, Walther, Hastie: Estimating the number of clusters in a data set
        via the gap statistic. JRSS B 63, 2001; the normal table is that of Liu, Hayes, Nobel,
        Marron: Statistical significance of clustering for high-dimension, low-sample size data.
        JASA 103, 2008.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from kinfolk import measures
from kinfolk.arrays import Matrix, Table
from kinfolk.choosing import scores
from kinfolk.numerics import distances, spectra, starts

TABLES, STARTS = 10, 5
"""Of five tables the spread is too often far too small; as many starts as a family has, about."""

SPREADS = 5.0
"""Standard deviations of silhouettes above the mean: answers for 32 tables of documents from one
distribution came up to 4.2."""

LINKED = 2.0
"""Those of modularities: answers for 80 tables of four kinds came up to 1.2."""


class Level(NamedTuple):
    """What signs must pass, so that there are clusters."""

    modularity: float
    silhouette: float


def level(X: Table, k: int, *, together: bool, seed: int = 0) -> Level:
    """What the signs of k clusters must pass, for rows X (n, d) in a neutral space.

    Parameters
    ----------
    together : whether columns without clusters may still go together

    Examples
    --------
    >>> X = np.vstack([np.eye(4)[[0, 1] * 20], np.eye(4)[[2, 3] * 20]])
    >>> level(X, 4, together=False).silhouette < measures.silhouette(X, X.argmax(axis=1))
    True
    """
    if k < 2:
        return Level(-1.0, -1.0)  # one cluster claims nothing
    random = np.random.RandomState(seed)
    best = []
    for _ in range(TABLES):
        table = cloud(X, random) if together else shuffled(X, random)
        best.append(_largest(table, k, starts.seeds(random, STARTS + 1)))
    Q, S = np.mean(best, axis=0) + (LINKED, SPREADS) * np.std(best, axis=0, ddof=1)
    return Level(float(Q), max(0.0, float(S)))


def _largest(X: Table, k: int, seeds: list[int]) -> Level:
    """The largest signs of k clusters of rows X (n, d), of k-means but for the last seed."""
    links, rows = scores.graph(X, k), distances.unit_rows(X)
    labels = [starts.kmeans(rows, k, seed) for seed in seeds[:-1]]
    _, V = spectra.leading(links, k)
    joined = [*labels, starts.kmeans(distances.unit_rows(V), k, seeds[-1])]
    Q = float(scores.modularities(np.array(joined), links).max())
    return Level(Q, max(measures.silhouette(X, found) for found in labels))


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
