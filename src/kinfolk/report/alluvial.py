"""Matched clusters as ribbons: tasks are columns, clusters blocks, kinship bands between them."""

from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from kinfolk.report import canvas, groups
from kinfolk.report.groups import Cluster
from kinfolk.report.study import Study

_WIDTH = 0.34  # of a block, where columns are 1 apart
_GAP = 0.022  # between blocks, where a column is 1 high


def picture(study: Study) -> str:
    """Return the ribbons of all tasks: heights are shares of a task's rows."""
    tasks = groups.tasks(study)
    found = groups.clusters(study)
    most = max(sum(cluster.task == task for cluster in found) for task in tasks)
    height = max(3.0, 0.8 + 0.34 * most)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        columns = [_stack([c for c in found if c.task == task]) for task in tasks]
        links = np.asarray(study.model.cluster_links_, dtype=float)
        _draw_bands(axes, columns, found, links, height)
        for x, column in enumerate(columns):
            for place, (low, high) in column.items():
                _draw_block(axes, x, low, high, found[place], height)
        rows = [len(groups.rows(study, task)) for task in tasks]
        labels = [f"{canvas.plain(t, 14)}\n{n:,} rows" for t, n in zip(tasks, rows, strict=True)]
        axes.set_xticks(range(len(tasks)), labels)
        axes.xaxis.tick_top()
        axes.set(xlim=(-0.3, len(tasks) - 0.7), ylim=(1.005, -0.005), yticks=[])
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0, labelcolor=canvas.INK)

    def _stack(column: list[Cluster]) -> dict[int, tuple[float, float]]:
        total = max(1, sum(cluster.size for cluster in column))
        room = 1 - _GAP * (len(column) - 1)
        spans, y = {}, 0.0
        for cluster in sorted(column, key=lambda c: (c.group, c.number)):
            tall = room * cluster.size / total
            spans[found.index(cluster)] = (y, y + tall)
            y += tall + _GAP
        return spans

    return canvas.svg(
        draw,
        name="ribbons",
        title="Clusters of each data set and how they match",
        description="The same number and colour mean the same kind of cluster; the table below "
        "has sizes and strengths.",
        width=max(4.6, min(2.3 * len(tasks), 9.6), 1.2 * len(tasks)),
        height=height,
    )


def _draw_block(
    axes: Axes, x: int, low: float, high: float, cluster: Cluster, height: float
) -> None:
    shade = canvas.colour(cluster.group)
    lonely = np.isnan(cluster.strength)
    face: dict[str, Any] = (
        {"facecolor": "white", "hatch": "////"} if lonely else {"facecolor": shade}
    )
    corner = (x - _WIDTH / 2, low)
    axes.add_patch(
        Rectangle(corner, _WIDTH, high - low, edgecolor=shade, linewidth=1, zorder=3, **face)
    )
    if (high - low) * height < 0.15:
        return
    ink = canvas.INK if lonely else canvas.ink(shade)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5} if lonely else None
    text: dict[str, Any] = {"va": "center", "color": ink, "zorder": 4, "bbox": box}
    axes.text(x - 0.13, (low + high) / 2, str(cluster.group), weight="bold", **text)
    axes.text(x + 0.13, (low + high) / 2, f"{cluster.size:,}", ha="right", size=8, **text)


def _draw_bands(
    axes: Axes,
    columns: list[dict[int, tuple[float, float]]],
    found: list[Cluster],
    links: np.ndarray,
    height: float,
) -> None:
    """Join each cluster with those of its group in the next column that has any."""
    for group in {cluster.group for cluster in found}:
        mine = [(x, [p for p in c if found[p].group == group]) for x, c in enumerate(columns)]
        for (x, left), (z, right) in pairwise([(x, places) for x, places in mine if places]):
            for a in left:
                for b in right:
                    _draw_band(axes, x, z, columns[x][a], columns[z][b], links[a, b], group, height)


def _draw_band(
    axes: Axes,
    x: int,
    z: int,
    left: tuple[float, float],
    right: tuple[float, float],
    strength: float,
    group: int,
    height: float,
) -> None:
    start, end = x + _WIDTH / 2, z - _WIDTH / 2
    middle = (start + end) / 2
    upper = [(start, left[0]), (middle, left[0]), (middle, right[0]), (end, right[0])]
    lower = [(end, right[1]), (middle, right[1]), (middle, left[1]), (start, left[1])]
    curve = [Path.CURVE4] * 3
    codes = [Path.MOVETO, *curve, Path.LINETO, *curve, Path.CLOSEPOLY]
    alpha = (0.12 + 0.45 * float(np.clip(strength, 0, 1))) / (1 if z == x + 1 else 2.5)
    outline = Path([*upper, *lower, upper[0]], codes)
    axes.add_patch(PathPatch(outline, facecolor=canvas.colour(group), alpha=alpha, linewidth=0))
    y = (sum(left) + sum(right)) / 4
    if min(left[1] - left[0], right[1] - right[0]) * height > 0.15 and z == x + 1:
        text = f"{strength:.2f}".replace("-", "−")
        axes.text(middle, y, text, ha="center", va="center", size=8, zorder=4)
