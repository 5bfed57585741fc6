"""Draws heat maps of matrices with the numbers written into the cells."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from numpy.typing import NDArray

from kinfolk.arrays import Matrix
from kinfolk.report import canvas

_SHADES = LinearSegmentedColormap.from_list("shades", ["#f4f8fb", "#8fbcd9", "#0b4f7d"])


def draw(
    axes: Axes, values: Matrix, own: NDArray[np.bool_], low: float, high: float, form: str
) -> None:
    """Draw a heat map of `values` (m, n) with colors from low to high, first row on top.

    Fields in `own` (m, n) are gray. `form` formats the numbers; "" writes none. nan leaves a field
    empty.
    """
    shown = np.ma.masked_invalid(values)
    # Wide gaps between many fields would leave little of their color.
    edges: dict[str, Any] = {"edgecolors": "white", "linewidth": 2 if len(values) <= 12 else 1}
    axes.pcolormesh(np.ma.masked_where(own, shown), cmap=_SHADES, vmin=low, vmax=high, **edges)
    # vmax=8 maps the ones of `own` to the lightest gray.
    axes.pcolormesh(np.ma.masked_array(own, ~own), cmap="Greys", vmin=0, vmax=8, **edges)
    for i, j in np.argwhere(~np.isnan(values)):
        shade = "#eeeeee" if own[i, j] else _SHADES((values[i, j] - low) / (high - low))
        text = form.format(values[i, j]).replace("-", "−")
        axes.text(j + 0.5, i + 0.5, text, ha="center", va="center", color=canvas.ink(shade))
    axes.invert_yaxis()  # the first row on top, as in a table
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelcolor=canvas.INK)


def draw_pairs(axes: Axes, tasks: list[str], R: Matrix, labels: tuple[str, str]) -> None:
    """Draw a heat map of a matrix (T, T) over pairs of tasks."""
    names = [canvas.plain(task, 16) for task in tasks]
    own = np.eye(len(R), dtype=bool)
    # The diagonal is 1 by definition and would hide the differences of the others.
    low = min(0.0, R[~own].min(initial=0.0))
    high = max(1e-9, R[~own].max(initial=0.0))
    draw(axes, R, own, low, high, "{:z.2f}")  # z: no minus before zero
    # Names of more than four tasks would touch each other.
    tilt: dict[str, Any] = {"rotation": 35, "ha": "left"} if len(R) > 4 else {}
    axes.set_xticks(np.arange(len(R)) + 0.5, names, **tilt)
    axes.set_yticks(np.arange(len(R)) + 0.5, names)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
