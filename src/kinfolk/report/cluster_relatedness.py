"""Learned relatedness between clusters of different tasks, as sentences and heat map.

For two data sets the method divides a share of 1 among all pairs of their clusters. The report
shows each share as a multiple of the even share, 1 by the number of pairs.

>>> import kinfolk as kf
>>> from kinfolk.report.content import read
>>> data = kf.datasets.make_related_blobs(20, n_features=4, random_state=0)
>>> study = kf.compare(data, n_clusters=3, method="mtcmrl", parameters={"n_init": 1}).study
>>> pair = pairs(read(study))[0]
>>> pair.one.number, pair.other.number, round(pair.times, 2)
(0, 0, 1.02)
"""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kinfolk.arrays import Matrix
from kinfolk.report import canvas, heatmap
from kinfolk.report.content import Cluster, Page
from kinfolk.report.wording import listing

_MOST_WRITTEN = 24
"""Clusters above which fields are shaded but carry no number: it would not be readable."""

_OUTSTANDING = 1.2
"""Multiple of the even share from which a pair is named."""


@dataclass(frozen=True)
class Pair:
    """Two clusters of different tasks, and their relatedness as a multiple of uniform."""

    one: Cluster
    other: Cluster
    times: float


def matrix(page: Page) -> Matrix | None:
    """Relatedness (C, C) of all cluster pairs as a multiple of uniform; None if not learned.

    nan within a task; the mean of the block of two tasks is 1.
    """
    if not page.cluster_relatedness:
        return None
    owners = np.array([cluster.task for cluster in page.clusters])
    G = np.full((len(owners), len(owners)), np.nan)
    for (task, other), block in page.cluster_relatedness.items():
        G[np.ix_(owners == str(task), owners == str(other))] = block * block.size
    return G


def pairs(page: Page) -> list[Pair]:
    """Return all pairs of clusters of different tasks, the most closely related first."""
    G = matrix(page)
    if G is None:
        return []
    found = page.clusters
    made = [Pair(found[i], found[j], float(G[i, j])) for i, j in np.argwhere(np.triu(~np.isnan(G)))]
    # Rounded, so that equal shares keep the order of the clusters on every machine.
    return sorted(made, key=lambda pair: -round(pair.times, 9))


def sentences(page: Page) -> list[str]:
    """Sentences on the most related clusters, and how often these are matched ones."""
    ranked = pairs(page)
    if not ranked:
        return []
    if ranked[0].times < _OUTSTANDING:
        return [
            "All clusters are related about equally to all clusters of the other data sets: the "
            f"closest pair has {ranked[0].times:.2f} times an even share."
        ]
    named = [
        f"kind {pair.one.group} of {pair.one.task} with kind {pair.other.group} of "
        f"{pair.other.task} ({pair.times:.1f} times an even share)"
        for pair in ranked[:3]
        if pair.times >= _OUTSTANDING
    ]
    return [f"Most closely related: {listing(named)}.", *_agreement(page, ranked)]


def _agreement(page: Page, ranked: list[Pair]) -> list[str]:
    """Sentence on how often the most related cluster of another task is the match; or []."""
    closest: dict[tuple[str, int, str], bool] = {}
    kinds = {(cluster.task, cluster.group) for cluster in page.clusters}
    for pair in ranked:
        for here, there in ((pair.one, pair.other), (pair.other, pair.one)):
            if (there.task, here.group) in kinds:
                key = (here.task, here.group, there.task)
                # Pairs are ranked: the first of a cluster and a task is its closest relative.
                closest.setdefault(key, here.group == there.group)
    if not closest:
        return []
    return [
        f"In {sum(closest.values())} of {len(closest)} cases the cluster of the same kind in "
        "another data set is also the most closely related one there."
    ]


def picture(page: Page) -> str:
    """Return the heat map of all pairs, clusters ordered by task; "" if nothing was learned."""
    G = matrix(page)
    if G is None:
        return ""
    tasks = page.tasks
    found = page.clusters
    # The last task needs no lines and the first no columns, since each pair is shown once.
    rank = np.array([tasks.index(cluster.task) for cluster in found])
    places = sorted(range(len(found)), key=lambda c: (rank[c], found[c].group))
    lines = [c for c in places if found[c].task != tasks[-1]]
    columns = [c for c in places if found[c].task != tasks[0]]
    # G is symmetric: show each pair once, the earlier task as the line.
    once = rank[lines][:, None] < rank[columns][None, :]
    shown = np.where(once, G[np.ix_(lines, columns)], np.nan)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        form = "{:.1f}" if len(columns) <= _MOST_WRITTEN else ""
        heatmap.draw(axes, shown, ~once, 0.0, max(1.0, float(np.nanmax(shown))), form)
        axes.set_aspect("equal")
        axes.set(xticks=[], yticks=[], xlim=(-1, len(columns)), ylim=(len(lines), -1))
        look: dict[str, str] = {"boxstyle": "round,pad=0.22", "edgecolor": "none"}
        for place, c in enumerate(columns):
            canvas.badge(axes, place + 0.5, -0.5, found[c].group, **look)
        for place, c in enumerate(lines):
            canvas.badge(axes, -0.5, place + 0.5, found[c].group, **look)
        for task in tasks:
            _caption(axes, task, [found[c].task == task for c in lines], upright=True)
            _caption(axes, task, [found[c].task == task for c in columns], upright=False)

    return canvas.svg(
        draw,
        name="cluster-relatedness",
        title="How closely clusters of different data sets are related",
        description=" ".join(sentences(page)),
        width=max(3.4, min(1.2 + 0.36 * len(columns), 8.0)),
        height=max(3.0, min(1.1 + 0.36 * len(lines), 8.0)),
    )


def _caption(axes: Axes, task: str, mine: list[bool], upright: bool) -> None:
    """Write a task's name beside its clusters on an axis."""
    own = np.flatnonzero(mine)
    if not len(own):
        return
    middle = (own[0] + own[-1] + 1) / 2
    name = canvas.plain(task, max(8, 4 * len(own)))
    if upright:
        axes.text(-1.15, middle, name, ha="right", va="center", rotation=90)
    else:
        axes.text(middle, -1.15, name, ha="center", va="bottom")
