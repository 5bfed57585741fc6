"""Sentences of caution about doubtful clusters (small, close, mismatched), with advice."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.numerics import rounding
from kinfolk.profiles import doubtful, misfits, names, units
from kinfolk.profiles.cells import Cells
from kinfolk.profiles.doubtful import ClosePair, SmallCluster
from kinfolk.profiles.misfits import Misfit
from kinfolk.profiles.values import ColumnProfile, Difference, Profiles


def sentences(
    found: Profiles, cells: Cells, X: Table, clusters: Labels, row_ids: ArrayLike, scaled: bool
) -> Iterator[str]:
    """Yield cautions about units and matched clusters, then small and close ones per task.

    Of texts and sparse tables only small clusters are reported, because lengths of texts decide
    their means and spreads. X (n, d) are the prepared rows; `clusters` (n,) numbers the clusters
    within each task; `scaled` is True if the columns of X have one scale.
    """
    yield from units.sentences(found)
    dense = None if sp.issparse(X) else np.asarray(X)
    if dense is not None:
        dense = dense if scaled else _on_one_scale(dense, cells)
        yield from _of_misfits(found, misfits.misfits(dense, cells))
    ids = np.asarray(row_ids)
    small: list[SmallCluster] = []
    close: list[ClosePair] = []
    for t, task in enumerate(cells.tasks):
        own = np.flatnonzero(cells.task_of == t)
        numbers, position = np.unique(clusters[own], return_inverse=True)
        kinds = [
            found.called(int(cells.kind_of[own[position == c]][0])) for c in range(len(numbers))
        ]
        small += doubtful.small(task, kinds, position, ids[own])
        pair = None if dense is None else doubtful.closest(dense[own], position)
        if pair is not None:
            a, b, distance = pair
            close.append(ClosePair(task, (kinds[a], kinds[b]), distance, len(numbers)))
    yield from doubtful.of_small(small)
    yield from doubtful.of_close(close)


def _on_one_scale(X: Matrix, cells: Cells) -> Matrix:
    """Center the columns of each task and divide by their deviation within its clusters: a copy.

    Units of tasks may differ. The deviation is that within clusters, because an outlier that is a
    cluster, or a cluster that a task lacks, would change the scale of all other rows.
    """
    scaled = np.empty(X.shape)
    for t in range(len(cells.tasks)):
        rows = np.flatnonzero(cells.task_of == t)
        own = X[rows] - X[rows].mean(axis=0)
        one = Cells.of(cells.kind_of[rows], np.zeros(len(rows)))
        means = one.sums(own)[:-1, 0] / one.sizes[:-1, :1]
        spread = np.sqrt(((own - means[one.kind_of]) ** 2).mean(axis=0))
        every = own.std(axis=0)
        # A column that is constant within clusters has no spread but rounding there.
        spread = np.where(spread > 1e-9 * every, spread, every)
        scaled[rows] = own / np.where(spread > 0, spread, 1.0)
    return scaled


def _of_misfits(found: Profiles, misfits: list[Misfit]) -> Iterator[str]:
    """Yield a sentence per kind with a misfit, or one on data sets or kinds if many have one."""
    worst = {misfit.kind: misfit for misfit in reversed(misfits)}
    shared = int(((found.sizes[:-1, :-1] > 0).sum(axis=1) > 1).sum())
    if len(worst) <= shared / 2:
        yield from (_of_misfit(found, worst[kind]) for kind in sorted(worst))
        return
    times = Counter(misfit.task for misfit in misfits)
    if len(times) <= len(found.tasks) / 2:
        clusters = (found.sizes[:-1, :-1] > 0).sum(axis=0)
        where = [
            f"{names.data_set(found.tasks[t])} ({times[t]} of {clusters[t]} clusters)"
            for t in sorted(times)
        ]
        yield (
            f"Means differ from those of the same kinds elsewhere about as much as kinds differ in "
            f"{', '.join(where)}: clusters may be matched wrongly there, or another number of them "
            "fits better. Compare them before you count them with the others."
        )
        return
    # Data sets then differ by more than a shift, and one kind is no worse than the next.
    yield (
        f"The means of {len(worst)} of {shared} kinds differ between data sets about as much as "
        "kinds differ: clusters may be matched wrongly, or, where the matches are strong all the "
        "same, a kind looks different in each data set. Compare the data sets by themselves first, "
        "cluster by cluster."
    )


def _of_misfit(found: Profiles, misfit: Misfit) -> str:
    """Sentence that a kind may not be one group, with the two columns that differ most."""
    kind = names.listed([found.kinds[misfit.kind]], found.names, start=True)
    task = names.data_set(found.tasks[misfit.task])
    told = [_beside(*one, misfit) for one in _largest(found, misfit)]
    means = f" ({'; '.join(told)})" if told else ""
    nearer = (
        f" Its rows in {task} are more like {found.called(misfit.nearer)}."
        if misfit.nearer >= 0
        else ""
    )
    return (
        f"{kind} may not be one group: its means in {task} differ from those "
        f"in the other data sets about as much as kinds differ{means}.{nearer} Compare them before "
        f"you count them as one; {task} may have another number of clusters."
    )


def _largest(found: Profiles, misfit: Misfit) -> list[tuple[ColumnProfile, int]]:
    """At most two (column, value) with the largest difference of a cluster from its matches."""
    sized: list[tuple[float, ColumnProfile, int]] = []
    for column in found.columns:
        for v in range(len(column.values) or 1):
            here, elsewhere, spread = _means(column, v, misfit)
            if spread > 0 and not np.isnan(here - elsewhere):
                sized.append((abs(here - elsewhere) / spread, column, v))
    order = np.argsort(-rounding.comparable([one[0] for one in sized]), kind="stable")
    sized = [sized[place] for place in order]
    # One value of a category is enough: the others follow from it.
    largest = {id(column): v for _, column, v in reversed(sized)}
    return [(column, v) for _, column, v in sized if largest[id(column)] == v][:2]


def _means(column: ColumnProfile, v: int, misfit: Misfit) -> tuple[float, float, float]:
    """A kind's mean or share in the misfit's task and in the others, and the overall deviation."""
    k, t = misfit.kind, misfit.task
    here = column.average(k, t, v)
    n = column.count[k, t]
    every = column.count[k, -1]
    if n == every or n == 0 or column.units_differ:
        return here, np.nan, 0.0
    elsewhere = (every * column.average(k, -1, v) - n * here) / (every - n)
    if column.is_number:
        return here, elsewhere, float(column.deviation[-1, -1])
    share = column.average(-1, -1, v)
    return here, elsewhere, float(np.sqrt(share * (1 - share)))


def _beside(column: ColumnProfile, v: int, misfit: Misfit) -> str:
    here, elsewhere, _ = _means(column, v, misfit)
    label = Difference(column, v, 0.0, here, elsewhere).label
    return f"{label} {column.text(here)} beside {column.text(elsewhere)}"
