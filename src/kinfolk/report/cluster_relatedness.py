"""Which clusters of different data sets a method found to be related, and how closely.

For two data sets the method shares out 1 over all pairs of their clusters. What is shown is how
many times an even share, 1 by the number of pairs, a pair has: 1 is neither close nor far.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kinfolk.arrays import Matrix
from kinfolk.report import canvas, findings, groups, heatmap
from kinfolk.report.groups import Cluster
from kinfolk.report.study import Study

_MOST_WRITTEN = 24
"""Clusters above which shares are shaded but not written."""

_OUTSTANDING = 1.2
"""How many times an even share a pair must have to be named."""


@dataclass(frozen=True)
class Pair:
    """Two clusters of different tasks, and how many times an even share they have."""

    one: Cluster
    other: Cluster
    times: float


def matrix(study: Study) -> Matrix | None:
    """Return how many times an even share each pair of `groups.clusters` has, (C, C).

    nan within a task; the mean of the block of two tasks is 1. None: it was not learned.
    """
    learned = getattr(study.model, "cluster_relatedness_", None)
    if not learned:
        return None
    owners = np.array([cluster.task for cluster in groups.clusters(study)])
    G = np.full((len(owners), len(owners)), np.nan)
    for (task, other), block in learned.items():
        G[np.ix_(owners == str(task), owners == str(other))] = block * block.size
    return G


def pairs(study: Study) -> list[Pair]:
    """Return all pairs of clusters of different tasks, the most closely related first."""
    G, found = matrix(study), groups.clusters(study)
    if G is None:
        return []
    made = [Pair(found[i], found[j], float(G[i, j])) for i, j in np.argwhere(np.triu(~np.isnan(G)))]
    return sorted(made, key=lambda pair: -round(pair.times, 9))


def sentences(study: Study) -> list[str]:
    """Return which clusters are related most, and whether matched clusters agree."""
    ranked = pairs(study)
    if not ranked:
        return []
    if ranked[0].times < _OUTSTANDING:
        return [
            "All clusters are related about equally to all clusters of the other data sets: the "
            f"most is {ranked[0].times:.2f} times an even share."
        ]
    said = [
        f"kind {pair.one.group} of {pair.one.task} with kind {pair.other.group} of "
        f"{pair.other.task} ({pair.times:.1f} times an even share)"
        for pair in ranked[:3]
        if pair.times >= _OUTSTANDING
    ]
    return [f"Most closely related: {findings.listing(said)}.", *_agreement(study, ranked)]


def _agreement(study: Study, ranked: list[Pair]) -> list[str]:
    """How often a cluster with a counterpart in a task is related to it more than to others."""
    nearest: dict[tuple[str, int, str], bool] = {}
    kinds = {(cluster.task, cluster.group) for cluster in groups.clusters(study)}
    for pair in ranked:
        for here, there in ((pair.one, pair.other), (pair.other, pair.one)):
            if (there.task, here.group) in kinds:
                key = (here.task, here.group, there.task)
                nearest.setdefault(key, here.group == there.group)
    if not nearest:
        return []
    return [
        f"In {sum(nearest.values())} of {len(nearest)} cases the counterpart of the same kind in "
        "another data set is also the closest relative there."
    ]


def picture(study: Study) -> str:
    """Return the heat map of all pairs, clusters gathered by task; "" if it was not learned."""
    G, order = matrix(study), groups.tasks(study)
    if G is None:
        return ""
    found = groups.clusters(study)
    rank = np.array([order.index(cluster.task) for cluster in found])
    places = sorted(range(len(found)), key=lambda c: (rank[c], found[c].group))
    lines = [c for c in places if found[c].task != order[-1]]
    columns = [c for c in places if found[c].task != order[0]]
    once = rank[lines][:, None] < rank[columns][None, :]
    shown = np.where(once, G[np.ix_(lines, columns)], np.nan)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        form = "{:.1f}" if len(columns) <= _MOST_WRITTEN else ""
        heatmap.draw(axes, shown, ~once, 0.0, max(1.0, float(np.nanmax(shown))), form)
        axes.set_aspect("equal")
        axes.set(xticks=[], yticks=[], xlim=(-1, len(columns)), ylim=(len(lines), -1))
        for place, c in enumerate(columns):
            _badge(axes, place + 0.5, -0.5, found[c])
        for place, c in enumerate(lines):
            _badge(axes, -0.5, place + 0.5, found[c])
        for task in order:
            _caption(axes, task, [found[c].task == task for c in lines], upright=True)
            _caption(axes, task, [found[c].task == task for c in columns], upright=False)

    return canvas.svg(
        draw,
        name="cluster-relatedness",
        title="How closely clusters of different data sets are related",
        description=" ".join(sentences(study)),
        width=max(3.4, min(1.2 + 0.36 * len(columns), 8.0)),
        height=max(3.0, min(1.1 + 0.36 * len(lines), 8.0)),
    )


def _badge(axes: Axes, x: float, y: float, cluster: Cluster) -> None:
    """The number of the cluster's kind on its colour."""
    shade = canvas.colour(cluster.group)
    box = {"boxstyle": "round,pad=0.22", "facecolor": shade, "edgecolor": "none"}
    look: dict[str, Any] = {"ha": "center", "va": "center", "weight": "bold", "size": 8}
    axes.text(x, y, str(cluster.group), color=canvas.ink(shade), bbox=box, **look)


def _caption(axes: Axes, task: str, mine: list[bool], upright: bool) -> None:
    """The task's name beside its clusters, if any are there."""
    own = np.flatnonzero(mine)
    if not len(own):
        return
    middle, name = (own[0] + own[-1] + 1) / 2, canvas.plain(task, max(8, 4 * len(own)))
    if upright:
        axes.text(-1.15, middle, name, ha="right", va="center", rotation=90)
    else:
        axes.text(middle, -1.15, name, ha="center", va="bottom")
