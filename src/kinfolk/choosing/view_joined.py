"""Runs published multi-view methods, and keeps those that the views' graphs score well.

    joined-kmeans   k-means of all columns, views scaled to one mean square distance from their
                    mean, or to their weight w of `view_support`
    cofkm           collaborative fuzzy k-means of rows of length 1 in each view

Each view that takes part is represented as for k-means. A run is kept if its modularity, mean of
the views weighted by w, is at least `LEAST_SHARE` of the largest of co-regularized runs: on texts
k-means of joined columns finds much worse clusters than graphs do, on measurements often better
ones.

Units   none.
Limits  a row that lacks a view is clustered by the others, as these methods do.
Source  `docs/views-measured.md`.
"""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.choosing import fitting
from kinfolk.choosing.view_fusion import Fusion
from kinfolk.choosing.view_support import ViewGraph, ViewSupport
from kinfolk.methods.multiview.collaborative_fuzzy import CoFKM
from kinfolk.methods.multiview.joined_kmeans import JoinedKMeans
from kinfolk.numerics import distances, operators, starts
from kinfolk.tables import joined_views

# Mean accuracy of twelve shaping tables: .879 without these runs, .895 with .95, .907 with .9.
LEAST_SHARE = 0.9
KMEANS_RUNS = 3
"""Runs of k-means with equal views, and as many with weighted ones."""
COFKM_RUNS = 2


def runs(
    tables: Sequence[Table],
    graphs: Sequence[ViewGraph],
    there: NDArray[np.bool_],
    found: ViewSupport,
    fused: Sequence[Fusion],
    k: int,
    seed: int,
) -> list[Fusion]:
    """Fit methods of several views; return runs nearly as modular as the best one of `fused`.

    Parameters
    ----------
    tables : the rows (n_v, d_v) that have each view, represented as for k-means
    there : (n, V) True where a row has a view
    """
    order = tuple(found.order)
    everyone = there[:, order].any(axis=1)
    rows = np.flatnonzero(everyone)
    made = []
    for method, setting, estimator, table in _planned(tables, there, found, k, seed):
        labels = np.zeros(len(there), dtype=int)  # a row without any of these views
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a run that is not at its end may be kept
            try:
                labels[rows] = estimator.fit(table[rows]).labels_
            except fitting.REFUSALS:
                continue
        made.append(Fusion(labels, order, setting, method))
    if not made:
        return []
    clear = mean_modularities([run.labels for run in [*fused, *made]], graphs, found)
    least = LEAST_SHARE * clear[: len(fused)].max()
    return [run for run, Q in zip(made, clear[len(fused) :], strict=True) if least <= Q]


def mean_modularities(
    labels: Sequence[Labels], graphs: Sequence[ViewGraph], found: ViewSupport
) -> Matrix:
    """Modularity (R,) of clusterings: the mean over views, weighted by their support."""
    Q = np.array([graph.modularities(np.array(labels)) for graph in graphs])
    return np.asarray(found.weights @ Q)


def _planned(
    tables: Sequence[Table], there: NDArray[np.bool_], found: ViewSupport, k: int, seed: int
) -> Iterator[tuple[str, str, Any, Table]]:
    """Yield method name, setting, estimator and input table of each run."""
    order = found.order
    seeds = starts.seeds(np.random.RandomState(seed), KMEANS_RUNS + COFKM_RUNS)
    parts = [tables[v] for v in order]
    spreads = [np.sqrt(distances.scatter(part) / part.shape[0]) or 1.0 for part in parts]
    even: list[Any] = [part / spread for part, spread in zip(parts, spreads, strict=True)]
    roots = np.sqrt(found.weights[order])
    weighted: list[Any] = [part * root for part, root in zip(even, roots, strict=True)]
    has = there[:, order]
    for setting, scaled in (("even", even), ("weighted", weighted)):
        table, views = side_by_side(scaled, has)
        for start in seeds[:KMEANS_RUNS]:
            estimator = JoinedKMeans(k, views=views, n_init=3, random_state=start)
            yield "joined-kmeans", setting, estimator, table
    table, views = side_by_side([distances.unit_rows(part) for part in parts], has)
    for start in seeds[KMEANS_RUNS:]:
        yield "cofkm", "unit rows", CoFKM(k, views=views, n_init=1, random_state=start), table


def side_by_side(
    parts: Sequence[Table], there: NDArray[np.bool_]
) -> tuple[Table, dict[str, slice]]:
    """Stack views (n_v, d_v) as columns (n, D), NaN where a row lacks a view, with column slices.

    >>> X, views = side_by_side([np.array([[1.0], [2.0]]), np.array([[5.0]])],
    ...                         np.array([[True, True], [True, False]]))
    >>> X, views["1"]
    (array([[ 1.,  5.],
           [ 2., nan]]), slice(1, 2, None))
    """
    views = joined_views.slices({str(v): part.shape[1] for v, part in enumerate(parts)})
    if there.all():
        return operators.hstack(parts), views
    X = np.full((len(there), sum(part.shape[1] for part in parts)), np.nan)
    for own, columns, part in zip(there.T, views.values(), parts, strict=True):
        X[own, columns] = operators.dense(part)
    return X, views
