"""Levels of modularity and silhouette that tables without clusters reach.

Every method finds clusters in anything, and the best of many runs looks better than chance. So a
clustering is compared with clusterings of tables like the task's own but without clusters:

    level of modularity = mean + 2 standard deviations of Q_1 .. Q_10
    level of silhouette = max(0, mean + 5 standard deviations of S_1 .. S_10)
    Q_i   = the largest modularity of 5 starts of k-means and one spectral clustering of the i-th
            null table, in the graph of its rows
    S_i   = the largest silhouette of the 5 starts of k-means

A task has clusters if its clustering exceeds either level. With many columns, as of words and
pixels, groups touch and silhouettes tell little; with few columns, cutting a single cloud leaves
most neighbours together and modularities tell little.

Null tables of counts and amounts permute each column: every word stays in as many rows, but no two
words go together. Measurements are correlated even in a single cloud, so their null tables are
drawn from the normal distribution with the mean and covariance of the rows.

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
from kinfolk.numerics import distances, operators, spectra, starts

# With five tables the standard deviation is too often far too small.
NULL_TABLES = 10
# About as many starts as a family of candidates has.
KMEANS_STARTS = 5
# Clusterings of 80 tables of four kinds without clusters reached 1.2 deviations of modularity.
MODULARITY_DEVIATIONS = 2.0
# Clusterings of 32 tables of documents from one distribution reached 4.2 of the silhouette.
SILHOUETTE_DEVIATIONS = 5.0


class NullLevel(NamedTuple):
    """The largest modularity and silhouette expected without clusters."""

    modularity: float
    silhouette: float


def null_level(X: Table, n_clusters: int, *, correlated: bool, seed: int = 0) -> NullLevel:
    """Modularity and silhouette that clusterings of null tables like X (n, d) reach.

    Parameters
    ----------
    correlated : True draws normal tables with the covariance of X, False permutes its columns

    Examples
    --------
    >>> X = np.vstack([np.eye(4)[[0, 1] * 20], np.eye(4)[[2, 3] * 20]])
    >>> [round(level, 2) for level in null_level(X, 4, correlated=False)]
    [0.57, 0.57]
    """
    if n_clusters < 2:
        return NullLevel(-1.0, -1.0)  # a single cluster always exceeds chance
    random = np.random.RandomState(seed)
    best = []
    for _ in range(NULL_TABLES):
        table = (
            gaussian_table(operators.dense(X), random)
            if correlated
            else permuted_columns(X, random)
        )
        best.append(_best_scores(table, n_clusters, starts.seeds(random, KMEANS_STARTS + 1)))
    mean = np.mean(best, axis=0)
    deviation = np.std(best, axis=0, ddof=1)
    modularity = mean[0] + MODULARITY_DEVIATIONS * deviation[0]
    silhouette = mean[1] + SILHOUETTE_DEVIATIONS * deviation[1]
    return NullLevel(float(modularity), max(0.0, float(silhouette)))


def _best_scores(X: Table, n_clusters: int, seeds: list[int]) -> NullLevel:
    """Largest modularity and silhouette over k-means runs and one spectral run (last seed)."""
    links = scores.neighbor_graph(X, n_clusters)
    rows = distances.unit_rows(X)
    labels = [starts.kmeans(rows, n_clusters, seed) for seed in seeds[:-1]]
    _, V = spectra.leading(links, n_clusters)
    spectral = starts.kmeans(distances.unit_rows(V), n_clusters, seeds[-1])
    Q = float(scores.modularities(np.array([*labels, spectral]), links).max())
    return NullLevel(Q, max(measures.silhouette(X, found) for found in labels))


def permuted_columns(X: Table, random: np.random.RandomState) -> Table:
    """Copy of X (n, d) with the entries of each column in random order.

    >>> permuted_columns(np.array([[1.0, 5.0], [2.0, 6.0]]), np.random.RandomState(1))
    array([[1., 6.],
           [2., 5.]])
    """
    if not sp.issparse(X):
        order = random.uniform(size=X.shape).argsort(axis=0)
        return np.take_along_axis(X, order, axis=0)
    columns = sp.csc_array(X)
    sizes = np.diff(columns.indptr)
    places = [random.choice(X.shape[0], size, replace=False) for size in sizes]
    parts = columns.data, np.concatenate(places).astype(columns.indptr.dtype), columns.indptr
    return sp.csr_array(sp.csc_array(parts, shape=X.shape))


def gaussian_table(X: Matrix, random: np.random.RandomState) -> Matrix:
    """Random normal rows (n, d) with the mean and covariance of X (n, d)."""
    mean = X.mean(axis=0)
    n = len(X)
    # With standard normal N (n, n) the rows of N (X - mean) / sqrt(n) have exactly the covariance
    # of X, which is never formed.
    return mean + random.standard_normal((n, n)) @ (X - mean) / np.sqrt(n)
