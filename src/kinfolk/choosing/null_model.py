"""Null model: modularity, assortativity and silhouette reached on random tables without clusters.

Every method finds clusters in anything, and the best of many runs looks better than chance. So a
clustering is compared with clusterings of tables like the task's own but without clusters:

    level of modularity = mean + 2 standard deviations of Q_1 .. Q_B
    level of assortativity = mean + 2.5 standard deviations of r_1 .. r_B
    level of silhouette = max(0, mean + 5 standard deviations of S_1 .. S_B)
    Q_i, r_i = the largest modularity and assortativity of 5 starts of k-means and one spectral
            clustering of the i-th null table, in the graph of its rows
    S_i   = the largest silhouette of the 5 starts of k-means

A task has clusters if its clustering exceeds any level. With many columns, as of words and
pixels, groups touch and silhouettes tell little; with few columns, cutting a single cloud leaves
most neighbors together and modularities tell little.

Null tables of counts and amounts permute each column: every word stays in as many rows, but no two
words go together. Their assortativity has no level.

Measurements are correlated even in a single cloud, so their null tables are drawn from a normal
copula (`copula`), or, in a metric in which columns have lost their meaning, from the normal
distribution with the mean and covariance of the rows. With a copula

    r = Q / (1 - sum_c (d_c / L)^2)    the share of its largest possible value that Q reaches

counts as well: clusters of unequal size have a small Q, even where no link leaves them, and k-means
cuts null tables into equal parts. And the answer may be another than the clearest clustering, so
that a task also has clusters if 5 starts of k-means and one spectral clustering of its own rows
exceed the level of r.

Units   none.
Source  the idea of Tibshirani, Walther, Hastie: Estimating the number of clusters in a data set
        via the gap statistic. JRSS B 63, 2001; the normal table is that of Liu, Hayes, Nobel,
        Marron: Statistical significance of clustering for high-dimension, low-sample size data.
        JASA 103, 2008; r is equation (2) of Newman: Mixing patterns in networks. Physical Review
        E 67, 2003.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from kinfolk import measures
from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.choosing import copula, scores
from kinfolk.numerics import content_order, distances, operators, spectra, starts
from kinfolk.numerics.features import Features

# With five tables the standard deviation is too often far too small.
NULL_TABLES = 10
# Times as many: of 104 tasks without clusters, ten tables of a copula let four pass, twenty one.
TABLES_OF_A_COPULA = 2
# Enough to see that a clustering is far above chance; more would not change that.
FIRST_TABLES = 5
# With five tables a deviation is a quarter of the true one in 1 of 140 cases; 10 then are 2.5.
CLEAR_DEVIATIONS = 10.0
# And five tables may by chance be all alike.
CLEAR_MODULARITY = 0.05
# About as many starts as a family of candidates has.
KMEANS_STARTS = 5
# Clusterings of 80 tables of four kinds without clusters reached 1.2 deviations of modularity.
MODULARITY_DEVIATIONS = 2.0
# Of 104 tasks without clusters that shaped the test, one reached more, 3.0; the others 2.0.
ASSORTATIVITY_DEVIATIONS = 2.5
# Clusterings of 32 tables of documents from one distribution reached 4.2 of the silhouette.
SILHOUETTE_DEVIATIONS = 5.0

PERMUTED = "permuted columns"
COPULA = "copula"
NORMAL = "normal"


class NullLevel(NamedTuple):
    """Thresholds for modularity, silhouette and assortativity: largest expected without clusters.

    `exceeded` is True if clusterings of the table made here exceed the level of assortativity, or
    if other tasks find its clusters again (`task_state`).
    """

    modularity: float
    silhouette: float
    assortativity: float = np.inf
    exceeded: bool = False


class NullScores(NamedTuple):
    """Scores (modularity, silhouette, ...) of clusterings of null tables of one task.

    Attributes
    ----------
    best : (B, 3), the largest modularity, silhouette and assortativity for each of B null tables;
        B is 0 where there is no level
    n_rows : of the task
    usual : number of null tables where time is not short
    own : the largest assortativity of clusterings of the task's own rows; nan unless it counts
    """

    best: Matrix
    n_rows: int
    usual: int
    own: float = np.nan


def null_scores(
    X: Table,
    n_clusters: int,
    *,
    kind: str,
    seed: int = 0,
    share: float = 1.0,
    modularity: float = -1.0,
) -> NullScores:
    """Score clusterings of random tables like X (n, d) without clusters.

    Parameters
    ----------
    kind : of null tables: `PERMUTED`, `COPULA` or `NORMAL`
    share : of the usual number of null tables, where time is short; 0 sets no level
    modularity : of the clusters that are judged, if known: where it is far above chance, only
        `FIRST_TABLES` null tables are made
    """
    usual = NULL_TABLES * (TABLES_OF_A_COPULA if kind == COPULA else 1)
    if n_clusters < 2 or not share:
        return NullScores(np.empty((0, 3)), X.shape[0], usual)
    random = np.random.RandomState(seed)
    if kind == PERMUTED:
        X = X[:, content_order.columns(X)]  # as each column takes the next draws
    draw = _drawing(X, kind)
    best: list[tuple[float, float, float]] = []
    # A standard deviation needs two of them.
    for _ in range(max(round(share * usual), 2)):
        if len(best) == FIRST_TABLES and _far_below(modularity, best):
            break
        table = draw(random)
        best.append(_best_scores(table, n_clusters, starts.seeds(random, KMEANS_STARTS + 1)))
    found = NullScores(np.array(best), X.shape[0], usual)
    if kind != COPULA or _far_below(modularity, best):
        return found
    seeds = starts.seeds(random, KMEANS_STARTS + 1)
    own = scores.assortativities(*_clusterings(X, n_clusters, seeds)).max()
    return found._replace(own=float(own))


def null_level(X: Table, n_clusters: int, **options: Any) -> NullLevel:
    """Null level (thresholds) of the rows X (n, d) of one task; options as of `null_scores`.

    >>> X = np.vstack([np.eye(4)[[0, 1] * 20], np.eye(4)[[2, 3] * 20]])
    >>> [round(level, 2) for level in null_level(X, 4, kind=PERMUTED)[:2]]
    [0.57, 0.57]
    """
    return levels([null_scores(X, n_clusters, **options)])[0]


def levels(tasks: Sequence[NullScores]) -> list[NullLevel]:
    """Null levels of several tasks, with deviations pooled where null tables are few.

    The variance of a score falls with the number of rows, so that of all tasks is the mean of
    n times the variance, over the n of the task.

    >>> few = NullScores(np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.3]]), 50, 10)
    >>> [round(level.modularity, 2) for level in levels([few, few._replace(n_rows=200)])]
    [0.72, 0.46]
    """
    known = [task for task in tasks if len(task.best)]
    if not known:
        return [NullLevel(-1.0, -1.0) for _ in tasks]
    weights = [len(task.best) - 1.0 for task in known]
    rows = [task.n_rows * np.var(task.best, axis=0, ddof=1) for task in known]
    pooled = np.average(rows, axis=0, weights=weights)
    return [_level(task, pooled) for task in tasks]


def _level(task: NullScores, pooled: Vector) -> NullLevel:
    """Null level of a task, with deviations from pooled variances (3,) of all tasks."""
    B = len(task.best)
    if not B:
        return NullLevel(-1.0, -1.0)  # a single cluster always exceeds chance
    spread = np.std(task.best, axis=0, ddof=1)
    if task.usual > B:
        # The mean of fewer tables errs more: as far above it as one more table may lie.
        wider = (1.0 + 1.0 / B) / (1.0 + 1.0 / task.usual)
        spread = np.sqrt(pooled / task.n_rows * wider)
    deviations = MODULARITY_DEVIATIONS, SILHOUETTE_DEVIATIONS, ASSORTATIVITY_DEVIATIONS
    Q, S, r = np.mean(task.best, axis=0) + deviations * spread
    level = NullLevel(float(Q), max(0.0, float(S)))
    if np.isnan(task.own):
        return level
    return level._replace(assortativity=float(r), exceeded=bool(task.own > r))


def _far_below(modularity: float, best: list[tuple[float, float, float]]) -> bool:
    """True if null tables leave no doubt that clusters of this modularity exceed their level."""
    Q = [one[0] for one in best]
    step = max(CLEAR_DEVIATIONS * float(np.std(Q, ddof=1)), CLEAR_MODULARITY)
    return len(Q) >= FIRST_TABLES and modularity > float(np.mean(Q)) + step


def _drawing(X: Table, kind: str) -> Callable[[np.random.RandomState], Table]:
    """Function that draws random tables like X (n, d) without clusters, of this kind."""
    if kind == PERMUTED:
        return partial(permuted_columns, X)
    rows = operators.dense(X)
    return copula.drawing(rows) if kind == COPULA else partial(gaussian_table, rows)


def _best_scores(X: Table, n_clusters: int, seeds: list[int]) -> tuple[float, float, float]:
    """Best modularity, silhouette and assortativity over several clusterings of X (n, d)."""
    labels, links = _clusterings(X, n_clusters, seeds)
    Q, r = (float(each.max()) for each in scores.separations(labels, links))
    return Q, max(measures.silhouette(X, found) for found in labels[:-1]), r


def _clusterings(X: Table, n_clusters: int, seeds: list[int]) -> tuple[Labels, sp.csr_array]:
    """Clusterings (R, n) by k-means and spectral clustering (last seed), and the rows' graph."""
    links = scores.neighbor_graph(X, n_clusters)
    rows = distances.unit_rows(X)
    turned = starts.starting_rows(Features([rows]))  # once for all starts
    labels = [starts.kmeans(turned, n_clusters, seed) for seed in seeds[:-1]]
    _, V = spectra.leading(links, n_clusters)
    spectral = starts.kmeans(distances.unit_rows(V), n_clusters, seeds[-1])
    return np.array([*labels, spectral]), links


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
    # As random.choice draws without replacement, and twice as quick for the short columns of words.
    places = [random.permutation(X.shape[0])[:size] for size in sizes]
    parts = columns.data, np.concatenate(places).astype(columns.indptr.dtype), columns.indptr
    return sp.csr_array(sp.csc_array(parts, shape=X.shape))


def gaussian_table(X: Matrix, random: np.random.RandomState) -> Matrix:
    """Random normal rows (n, d) with the mean and covariance of X (n, d)."""
    mean = X.mean(axis=0)
    n = len(X)
    # With standard normal N (n, n) the rows of N (X - mean) / sqrt(n) have exactly the covariance
    # of X, which is never formed.
    return mean + random.standard_normal((n, n)) @ (X - mean) / np.sqrt(n)
