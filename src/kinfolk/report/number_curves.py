"""Draws the criteria for the number of clusters, one panel per task.

The solid curve is the agreement of clusterings of two halves of the rows, with one standard error
shaded around it. The dashed curve is the gap, or clearness, on a scale of its own, the dotted one
the agreement with groups of other tasks. The band behind them is the interval of plausible numbers,
the large mark the suggestion. A task of too few rows has no curves.
"""

import os

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from kinfolk.choosing.suggestions import Suggestion, Suggestions
from kinfolk.disk import file_sets
from kinfolk.report import canvas

ACROSS = 2
"""Panels side by side; more could not be read on a phone."""


_NAME = "numbers"
MARK = f'aria-labelledby="{_NAME}-title'.encode()
"""Bytes by which a file is recognized as such a picture, so that it may be replaced."""


def picture(suggestions: Suggestions) -> str:
    """Plot (SVG) of the criteria for the number of clusters, one panel per task.

    Examples
    --------
    >>> import kinfolk as kf
    >>> data = kf.datasets.makers.make_related_blobs(20, 4, 2, random_state=0)
    >>> found = kf.suggest_clusters(data.X, data.tasks, random_state=0)
    >>> picture(found).count("clusters</text>")
    2
    """
    columns = min(ACROSS, len(suggestions))
    rows = -(-len(suggestions) // columns)

    def draw(figure: Figure) -> None:
        panels = figure.subplots(rows, columns, squeeze=False, sharey=True).ravel()
        for axes in panels[len(suggestions) :]:
            axes.set_axis_off()
        for axes, suggestion in zip(panels, suggestions, strict=False):
            panel(axes, suggestion)
            axes.label_outer(remove_inner_ticks=False)
            axes.set_xlabel("clusters")

    return canvas.svg(
        draw,
        name=_NAME,
        title="Criteria for the number of clusters",
        description=" ".join(f"{canvas.plain(s.task)}: {s.sentence}" for s in suggestions),
        width=0.6 + 2.4 * columns,
        height=0.4 + 1.9 * rows,
    )


def write(suggestions: Suggestions, path: str | os.PathLike[str], overwrite: bool = False) -> None:
    """Write the picture to an SVG file atomically.

    Raises
    ------
    InputError : the file is there and is no such picture, and `overwrite` is False; or it cannot
        be written
    """
    file_sets.write_file(path, picture(suggestions).encode(), MARK, overwrite)


def panel(axes: Axes, suggestion: Suggestion) -> None:
    """Draw one task's criteria against the number of clusters."""
    k = np.array([record["clusters"] for record in suggestion.curve])
    value = np.array([record["agreement"] for record in suggestion.curve])
    error = np.array([record["error"] for record in suggestion.curve])
    shade = canvas.color(0)
    # .4 beyond both ends, so that an interval of one number is a band too.
    axes.axvspan(suggestion.low - 0.4, suggestion.high + 0.4, color=canvas.FAINT, lw=0)
    axes.fill_between(k, value - error, value + error, color=shade, alpha=0.2, lw=0)
    axes.plot(k, value, color=shade, lw=1.6, marker="o", ms=3)
    _draw_second(axes, suggestion)
    others = [record.get("other_tasks", 0.0) for record in suggestion.curve]
    if max(others, default=0.0) > 0:
        axes.plot(k, others, color=canvas.color(2), lw=1.2, ls=":", marker=".", ms=3)
    # Also where the mark is hidden by another curve.
    axes.axvline(suggestion.number, color=canvas.INK, lw=0.8, ls=":")
    # One cluster is never on the curve, which starts at two.
    chosen = value[k == suggestion.number]
    if len(chosen):
        axes.plot([suggestion.number], chosen, "D", color=canvas.color(5), ms=8, mec="white")
    title = f"{canvas.plain(suggestion.task)}: {suggestion.number} ({suggestion.confidence})"
    axes.set_title(title, size=9, loc="left")
    axes.set_ylabel("agreement")
    axes.set_xlim(0.5, max(k.max(initial=1), suggestion.high) + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="y")


def _draw_second(axes: Axes, suggestion: Suggestion) -> None:
    """Draw the second criterion (eigengap or clearness) scaled to the axes, without ticks."""
    k = [record["clusters"] for record in suggestion.curve]
    values = [record["gap" if "gap" in record else "clearness"] for record in suggestion.curve]
    beside = axes.twinx()
    beside.plot(k, values, color=canvas.QUIET, lw=1.0, ls="--")
    beside.set_yticks([])
    beside.spines[:].set_visible(False)
