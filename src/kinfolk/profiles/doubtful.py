"""Sentences on clusters of a task that are small, or so close that they may be one group."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from kinfolk.arguments import listed
from kinfolk.arrays import Labels, Matrix
from kinfolk.profiles.names import data_set, listing

SMALL = 0.01
"""Share of the rows of a task below which a cluster is small."""
CLOSE = 3.3
"""Two clusters are close if their means are fewer standard deviations apart than this. Halves of
one bell-shaped cloud are 2.6 apart. Of k-means with the true number of clusters, where it found the
classes, 4 % of 45 tasks of penguins, iris and made customers had a closer pair, and with one more
cluster 51 %; of 34 tasks of other tables 3 % and 35 %."""
HALVED = 2.6
"""Distance of the halves of a normal distribution, 2 sqrt(2/pi) / sqrt(1 - 2/pi), rounded."""
LEAST_ROWS = 5
MOST_PAIRS = 190
"""Most pairs that are compared, those of 20 clusters: pairs of more are mostly close, and slow."""
MOST_NAMED = 2
"""Most data sets with a sentence each; one sentence covers all if more have such clusters."""
MOST_LISTED = 8
"""Examples in a sentence on several data sets."""


class SmallCluster(NamedTuple):
    """A small cluster: its task, kind and row ids (m,); rows n and clusters k of the task."""

    task: Any
    kind: str
    rows: np.ndarray
    n: int
    k: int


class ClosePair(NamedTuple):
    """The two closest of k clusters of a task: names of their kinds, and their distance."""

    task: Any
    kinds: tuple[str, str]
    distance: float
    k: int


def small(task: Any, kinds: list[str], clusters: Labels, ids: np.ndarray) -> list[SmallCluster]:
    """Find the clusters that have one row or under 1 % of a task's rows; none of a single cluster.

    `kinds` are the names of their kinds; `clusters` (n,) are 0..k-1, and `ids` (n,) name the rows.

    >>> found = small("north", ["kind 0", "kind 4"], np.repeat([0, 1], [199, 1]), np.arange(200))
    >>> found[0].kind, found[0].rows.tolist(), found[0].n
    ('kind 4', [199], 200)
    """
    n = len(clusters)
    sizes = np.bincount(clusters)
    few = np.flatnonzero((sizes == 1) | (sizes < SMALL * n)).tolist()
    found = [SmallCluster(task, kinds[c], ids[clusters == c], n, len(sizes)) for c in few]
    return found if len(sizes) > 1 else []


def closest(X: Matrix, clusters: Labels) -> tuple[int, int, float] | None:
    """Return the two closest clusters and their distance; None if it is `CLOSE` or more.

    The distance is that of the means, over the standard deviation within the two clusters along
    the line that joins the means. Clusters of fewer than `LEAST_ROWS` rows are left out; None also
    if there are more than `MOST_PAIRS` pairs.

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


def _separation(A: Matrix, B: Matrix, line: Matrix) -> float:
    """Distance of two means along their line, in within-cluster standard deviations."""
    length = float(line @ line)
    if length == 0:
        return 0.0
    variance = 0.5 * (np.var(A @ line) + np.var(B @ line))
    return float(length / np.sqrt(variance)) if variance > 0 else np.inf


def of_small(found: list[SmallCluster]) -> Iterator[str]:
    """Yield a sentence on the small clusters of each task, or one on all of more than two."""
    tasks = dict.fromkeys(one.task for one in found)
    if len(tasks) <= MOST_NAMED:
        for task in tasks:
            own = [one for one in found if one.task == task]
            yield _of_one_small(own[0]) if len(own) == 1 else _of_several_small(own)
        return
    least = sorted(found, key=lambda one: len(one.rows) / one.n)
    shown = [f"{one.kind} in {data_set(one.task)} ({len(one.rows)} of {one.n:,})" for one in least]
    yield (
        f"{len(found)} clusters in {len(tasks)} data sets have a single row, or less than "
        f"{100 * SMALL:.0f} % of the rows: {listed(shown, MOST_LISTED)}. Look at them, or ask for "
        "fewer clusters there."
    )


def of_close(found: list[ClosePair]) -> Iterator[str]:
    """Yield a sentence on each close pair of clusters, or one on all if there are more than two."""
    if len(found) <= MOST_NAMED:
        yield from map(_of_one_pair, found)
        return
    nearest = sorted(found, key=lambda one: round(one.distance, 9))
    shown = [
        f"{' and '.join(one.kinds)} in {data_set(one.task)} ({one.distance:.1f})" for one in nearest
    ]
    yield (
        f"In {len(found)} data sets two clusters may be one group, as their means are fewer than "
        f"{CLOSE} standard deviations apart (those of one group that is cut in two: {HALVED}): "
        f"{listed(shown, MOST_LISTED)}. Compare with one cluster fewer there."
    )


def _of_one_small(found: SmallCluster) -> str:
    task, kind, rows, n, k = found
    advice = f"Look at {'it' if len(rows) == 1 else 'them'}, or ask for {_clusters(k - 1)} there."
    if len(rows) == 1:
        return (
            f"In {data_set(task)}, {kind} has a single row ({rows[0]}), which may be an outlier "
            f"rather than a group. {advice}"
        )
    return f"In {data_set(task)}, {kind} has only {len(rows)} of {n:,} rows. {advice}"


def _of_several_small(found: list[SmallCluster]) -> str:
    """Sentence on the small clusters of one task."""
    kinds = listing([one.kind for one in found])
    advice = "Look at them, or ask for fewer clusters there."
    if all(len(one.rows) == 1 for one in found):
        rows = listing([str(one.rows[0]) for one in found])
        return (
            f"In {data_set(found[0].task)}, {kinds} have a single row each ({rows}), which may be "
            f"outliers rather than groups. {advice}"
        )
    sizes = listing([str(len(one.rows)) for one in found])
    return (
        f"In {data_set(found[0].task)}, {kinds} have only {sizes} of {found[0].n:,} rows. {advice}"
    )


def _of_one_pair(found: ClosePair) -> str:
    task, kinds, distance, k = found
    return (
        f"In {data_set(task)}, {kinds[0]} and {kinds[1]} may be one group: their means are "
        f"{distance:.1f} standard deviations apart, and those of one group that is cut in "
        f"two {HALVED}. Compare with {_clusters(k - 1)} there."
    )


def _clusters(number: int) -> str:
    return "one cluster" if number == 1 else f"{number} clusters"
