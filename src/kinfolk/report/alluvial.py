"""Alluvial plot of matched clusters: a column per task, a block per cluster, bands for matches.

Blocks are as tall as the cluster's share of its task's rows. A band joins two blocks of one group,
also across columns without a block of the group; it is darker the better the two clusters match.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from kinfolk.arrays import Matrix
from kinfolk.report import canvas, wording
from kinfolk.report.content import Cluster, Page

_WIDTH = 0.34  # of a block, where columns are 1 apart
_GAP = 0.022  # between blocks, where a column is 1 high
_LOWEST = 0.15  # height in inches below which a text does not fit


class _Block(NamedTuple):
    """A cluster's block in the plot: cluster, column x, and lower and upper ends in y.

    `place` is the position of the cluster in `Ribbons.clusters`.
    """

    cluster: Cluster
    place: int
    x: int
    low: float
    high: float


class Ribbons(NamedTuple):
    """Input of the plot: tasks from left to right, their clusters and matches.

    `links` is (C, C), the strength of the match of two clusters.
    """

    tasks: list[str]
    clusters: list[Cluster]
    links: Matrix

    def of_task(self, task: str) -> list[Cluster]:
        """Return the clusters of a task, in the order from top to bottom."""
        own = [cluster for cluster in self.clusters if cluster.task == task]
        return sorted(own, key=lambda c: (c.group, c.number))

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of the plot, for its numbers of tasks and clusters."""
        most = max(len(self.of_task(task)) for task in self.tasks)
        T = len(self.tasks)
        return max(4.6, min(2.3 * T, 9.6), 1.2 * T), max(3.0, 0.8 + 0.34 * most)


def draw(axes: Axes, ribbons: Ribbons, height: float) -> None:
    """Draw blocks and bands on axes of a figure of this height in inches."""
    blocks = _stacked(ribbons)
    for left, right in _joined(blocks):
        _draw_band(axes, left, right, ribbons.links[left.place, right.place], height)
    for block in blocks:
        _draw_block(axes, block, height)
    tasks = ribbons.tasks
    rows = [sum(cluster.size for cluster in ribbons.of_task(task)) for task in tasks]
    names = [canvas.plain(task, 14) for task in tasks]
    labels = [f"{name}\n{n:,} rows" for name, n in zip(names, rows, strict=True)]
    axes.set_xticks(range(len(tasks)), labels)
    axes.xaxis.tick_top()
    axes.set(xlim=(-0.3, len(tasks) - 0.7), ylim=(1.005, -0.005), yticks=[])
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelcolor=canvas.INK)


def of_page(page: Page) -> Ribbons:
    """Return the tasks, clusters and matches that the plot of a page shows."""
    links = np.asarray(page.study.model.cluster_links_, dtype=float)
    return Ribbons(page.tasks, page.clusters, links)


def picture(page: Page) -> str:
    """Return the plot of all tasks as an SVG element."""
    ribbons = of_page(page)
    width, height = ribbons.size
    return canvas.svg(
        lambda figure: draw(figure.subplots(), ribbons, height),
        name="ribbons",
        title="Clusters of each data set and how they match",
        description="The same number and color mean the same kind of cluster; the table below "
        "has sizes and strengths.",
        width=width,
        height=height,
    )


def _stacked(ribbons: Ribbons) -> list[_Block]:
    """Place each task's clusters as blocks from top to bottom, by matched group."""
    places = {id(cluster): place for place, cluster in enumerate(ribbons.clusters)}
    blocks = []
    for x, task in enumerate(ribbons.tasks):
        column = ribbons.of_task(task)
        total = max(1, sum(cluster.size for cluster in column))
        room = 1 - _GAP * (len(column) - 1)
        y = 0.0  # the axis points down, so that the first group is on top
        for cluster in column:
            tall = room * cluster.size / total
            blocks.append(_Block(cluster, places[id(cluster)], x, y, y + tall))
            y += tall + _GAP
    return blocks


def _joined(blocks: list[_Block]) -> list[tuple[_Block, _Block]]:
    """Pairs of blocks of one matched group in columns with no block of the group between."""
    found = []
    for group in sorted({block.cluster.group for block in blocks}):
        columns: dict[int, list[_Block]] = {}
        for block in blocks:
            if block.cluster.group == group:
                columns.setdefault(block.x, []).append(block)
        for one, other in pairwise(columns.values()):
            found += [(left, right) for left in one for right in other]
    return found


def _draw_block(axes: Axes, block: _Block, height: float) -> None:
    """Draw a cluster's block with group number and size, hatched if it has no match."""
    cluster = block.cluster
    shade = canvas.color(cluster.group)
    lonely = np.isnan(cluster.strength)
    face: dict[str, Any] = (
        {"facecolor": "white", "hatch": "////"} if lonely else {"facecolor": shade}
    )
    corner = (block.x - _WIDTH / 2, block.low)
    tall = block.high - block.low
    axes.add_patch(Rectangle(corner, _WIDTH, tall, edgecolor=shade, linewidth=1, zorder=3, **face))
    if tall * height < _LOWEST:
        return
    ink = canvas.INK if lonely else canvas.ink(shade)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5} if lonely else None
    text: dict[str, Any] = {"va": "center", "color": ink, "zorder": 4, "bbox": box}
    middle = (block.low + block.high) / 2
    axes.text(block.x - 0.13, middle, str(cluster.group), weight="bold", **text)
    axes.text(block.x + 0.13, middle, f"{cluster.size:,}", ha="right", size=8, **text)


def _draw_band(axes: Axes, left: _Block, right: _Block, strength: float, height: float) -> None:
    """Draw a band between two blocks, with the match's strength if there is room."""
    start = left.x + _WIDTH / 2
    end = right.x - _WIDTH / 2
    middle = (start + end) / 2
    adjacent = right.x == left.x + 1
    upper = [(start, left.low), (middle, left.low), (middle, right.low), (end, right.low)]
    lower = [(end, right.high), (middle, right.high), (middle, left.high), (start, left.high)]
    curve = [Path.CURVE4] * 3
    codes = [Path.MOVETO, *curve, Path.LINETO, *curve, Path.CLOSEPOLY]
    # Bézier curves that leave and reach the blocks horizontally.
    outline = Path([*upper, *lower, upper[0]], codes)
    alpha = 0.12 + 0.45 * float(np.clip(strength, 0, 1))
    if not adjacent:
        alpha /= 2.5  # such a band runs across blocks of other groups
    shade = canvas.color(left.cluster.group)
    axes.add_patch(PathPatch(outline, facecolor=shade, alpha=alpha, linewidth=0))
    thin = min(left.high - left.low, right.high - right.low)
    if thin * height > _LOWEST and adjacent:
        y = (left.low + left.high + right.low + right.high) / 4
        text = wording.decimal(strength, 2)
        axes.text(middle, y, text, ha="center", va="center", size=8, zorder=4)
