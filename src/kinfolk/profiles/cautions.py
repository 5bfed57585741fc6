"""Sentences of caution about doubtful clusters (small, close, mismatched), with advice."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.numerics import rounding
from kinfolk.profiles import misfits, names, units
from kinfolk.profiles.cells import Cells
from kinfolk.profiles.misfits import Misfit
from kinfolk.profiles.values import ColumnProfile, Difference, Profiles

SMALL = 0.01
"""Share of the rows of a task below which a cluster is small."""
CLOSE = 3.3
"""Two clusters are close if their means are fewer standard deviations apart than this. Halves of
one bell-shaped cloud are 2.7 apart. Of k-means with the true number of clusters, where it found the
classes, 4 % of 45 tasks of penguins, iris and made customers had a closer pair, and with one more
cluster 51 %; of 34 tasks of other tables 3 % and 35 %."""
HALVED = 2.7
"""Distance of the halves of a normal distribution: 2 sqrt(2/pi) / sqrt(1 - 2/pi)."""
LEAST_ROWS = 5
MOST_PAIRS = 190
"""Pairs of 20 clusters; with more of them all are close, and the test takes long."""


def sentences(
    found: Profiles, cells: Cells, X: Table, clusters: Labels, row_ids: ArrayLike, scaled: bool
) -> Iterator[str]:
    """Yield cautions about units and matched clusters, then small and close ones per task.

    Of texts and sparse tables only small clusters are told, because lengths of texts decide their
    means and spreads. X (n, d) are the prepared rows; `clusters` (n,) numbers the clusters within
    each task; `scaled` is True if the columns of X have one scale.
    """
    yield from units.sentences(found)
    dense = None if sp.issparse(X) else np.asarray(X)
    if dense is not None:
        dense = dense if scaled else _on_one_scale(dense, cells)
        yield from _of_misfits(found, misfits.misfits(dense, cells))
    ids = np.asarray(row_ids)
    for t, task in enumerate(cells.tasks):
        own = np.flatnonzero(cells.task_of == t)
        numbers, position, sizes = np.unique(clusters[own], return_inverse=True, return_counts=True)
        called = [
            found.called(int(cells.kind_of[own[position == c]][0])) for c in range(len(sizes))
        ]
        for c in np.flatnonzero((sizes == 1) | (sizes < SMALL * len(own))).tolist():
            if len(numbers) > 1:
                yield _of_small(called[c], task, ids[own[position == c]], len(own), len(numbers))
        pair = None if dense is None else closest(dense[own], position)
        if pair is not None:
            a, b, distance = pair
            yield (
                f"In {task}, {called[a]} and {called[b]} may be one group: their means are "
                f"{distance:.1f} standard deviations apart, and those of one group that is cut in "
                f"two {HALVED}. Compare with {_clusters(len(numbers) - 1)} there."
            )


def closest(X: Matrix, clusters: Labels) -> tuple[int, int, float] | None:
    """The two closest clusters of a task and their distance, if closer than a limit.

    The distance is that of the means, over the standard deviation within the two clusters along
    the line that joins the means.

    Examples
    --------
    >>> one = np.random.default_rng(0).normal(size=(200, 1))
    >>> closest(one, (one[:, 0] > 0).astype(int))
    (0, 1, 2.7)
    >>> print(closest(np.vstack([one, one + 9]), np.repeat([0, 1], 200)))
    None
    """
    sizes = np.bincount(clusters)
    large = np.flatnonzero(sizes >= LEAST_ROWS)
    pairs = list(combinations(large.tolist(), 2))
    if not pairs or len(pairs) > MOST_PAIRS:
        return None
    centers = {c: X[clusters == c].mean(axis=0) for c in large.tolist()}
    distances = [
        _separation(X[clusters == a], X[clusters == b], centers[b] - centers[a]) for a, b in pairs
    ]
    best = int(np.argmin(distances))
    if distances[best] >= CLOSE:
        return None
    return (*pairs[best], float(distances[best]))


def _on_one_scale(X: Matrix, cells: Cells) -> Matrix:
    """Divide columns by their standard deviation within the clusters of each task.

    Units of tasks may differ. Within kinds, because an outlier in a kind of its own, or a kind that
    a task lacks, would change the scale of all other rows.
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


def _separation(A: Matrix, B: Matrix, line: Matrix) -> float:
    """Distance of two means along their line, in within-cluster standard deviations."""
    length = float(line @ line)
    if length == 0:
        return 0.0
    variance = 0.5 * (np.var(A @ line) + np.var(B @ line))
    return float(length / np.sqrt(variance)) if variance > 0 else np.inf


def _of_small(kind: str, task: str, rows: np.ndarray, n: int, k: int) -> str:
    advice = f"Look at {'it' if len(rows) == 1 else 'them'}, or ask for {_clusters(k - 1)} there."
    if len(rows) == 1:
        return (
            f"In {task}, {kind} has a single row ({rows[0]}), which is an outlier rather than a "
            f"group. {advice}"
        )
    return f"In {task}, {kind} has only {len(rows)} of {n:,} rows. {advice}"


def _of_misfits(found: Profiles, misfits: list[Misfit]) -> Iterator[str]:
    worst = {misfit.kind: misfit for misfit in reversed(misfits)}
    shared = int(((found.sizes[:-1, :-1] > 0).sum(axis=1) > 1).sum())
    if len(worst) <= shared / 2:
        yield from (_of_misfit(found, worst[kind]) for kind in sorted(worst))
        return
    times = Counter(misfit.task for misfit in misfits)
    if len(times) <= len(found.tasks) / 2:
        clusters = (found.sizes[:-1, :-1] > 0).sum(axis=0)
        where = [f"{found.tasks[t]} ({times[t]} of {clusters[t]} clusters)" for t in sorted(times)]
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
    kind = names.listed([found.kinds[misfit.kind]], found.names, start=True)
    task = found.tasks[misfit.task]
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
    """At most two (column, value) in which a cluster differs most from its matches elsewhere."""
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
    """Mean or share in the task, in other tasks, and the overall standard deviation."""
    k, t = misfit.kind, misfit.task
    here = column.average(k, t, v)
    n = column.count[k, t]
    every = column.count[k, -1]
    if n == every or n == 0:
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


def _clusters(number: int) -> str:
    return "one cluster" if number == 1 else f"{number} clusters"
