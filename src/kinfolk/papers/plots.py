"""The papers' figures, drawn from our numbers: an SVG and a PNG each.

What a paper says of its own figure stands below ours in small letters, and what is missing below
that.
"""

import io
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from kinfolk import writing
from kinfolk.arrays import Vector
from kinfolk.papers.figures import Drawing, Panel, Point
from kinfolk.papers.published import Exhibit
from kinfolk.report import canvas, heatmap

WIDTH = 5.0
"""Inches."""
_SMALL = 7.0
_LETTERS, _TITLE = 88, 60
"""How many small letters, and letters of the title, fit into a line."""
_HEIGHTS = {"lines": 1.9, "map": 2.4, "marks": 3.0, "cloud": 2.4, "pictures": 1.9}
_FINE = 160
"""Dots an inch."""


def write(exhibit: Exhibit, drawing: Drawing, folder: Path) -> Path:
    """Draw a figure into `ID.svg` and `ID.png` of a folder; return the SVG.

    Parameters
    ----------
    exhibit : what it is
    drawing : its numbers, from `kinfolk.papers.figures` or `kinfolk.papers.computed`
    folder : where the files go

    Raises
    ------
    OSError : they cannot be written

    Examples
    --------
    >>> from kinfolk.papers import published
    >>> panel = Panel("", "n_layers", "accuracy, %", (Point("webkb4", 1, 70.0),))
    >>> write(published.exhibit("mtcfir-figure-2"), Drawing("lines", (panel,)),
    ...       getfixture("tmp_path")).name
    'mtcfir-figure-2.svg'
    """
    below = _below(exhibit, drawing)
    dots = io.BytesIO()

    def draw(figure: Figure) -> None:
        figure.add_artist(Rectangle((0, 0), 1, 1, color="white", zorder=-9))
        _panels(figure, drawing)
        _head(figure, textwrap.fill(exhibit.title, _TITLE))
        if below:
            figure.supxlabel(below, x=0.01, ha="left", size=_SMALL, color=canvas.QUIET)
        figure.savefig(dots, format="png", dpi=_FINE, metadata={"Software": None})

    rows = -(-len(drawing.panels) // drawing.columns)
    picture = canvas.svg(
        draw,
        name=exhibit.id,
        title=exhibit.title,
        description=exhibit.plots,
        width=WIDTH,
        height=1.0 + _HEIGHTS[drawing.kind] * rows + 0.12 * below.count("\n"),
    )
    path = folder / f"{exhibit.id}.svg"
    writing.write_atomically(path, picture.encode())
    writing.write_atomically(path.with_suffix(".png"), dots.getvalue())
    return path


def _below(exhibit: Exhibit, drawing: Drawing) -> str:
    """What the paper states and what is missing, in short lines."""
    said = [f"The paper: {text}." for text in exhibit.stated]
    lines = [textwrap.fill(text, _LETTERS) for text in (*said, *drawing.notes)]
    return "\n".join(lines)


def _panels(figure: Figure, drawing: Drawing) -> None:
    rows = -(-len(drawing.panels) // drawing.columns)
    if not rows:
        return
    axes = figure.subplots(rows, drawing.columns, squeeze=False).ravel()
    names = dict.fromkeys(point.series for panel in drawing.panels for point in panel.points)
    looks = {name: place for place, name in enumerate(names)}
    for place, own in enumerate(axes):
        if place < len(drawing.panels):
            panel = drawing.panels[place]
            _DRAWN[drawing.kind](own, panel, looks)
            own.set(xlabel=panel.x, ylabel=panel.y)
            own.set_title(panel.title, size=9, loc="left")
        else:
            own.set_axis_off()


def _head(figure: Figure, title: str) -> None:
    """The title, and under it the legend of all panels; a legend has no room beside a title."""
    handles = {
        label: handle
        for own in figure.axes
        for handle, label in zip(*own.get_legend_handles_labels(), strict=True)
    }
    if handles:
        where: dict[str, Any] = {"loc": "outside upper left", "ncols": 3, "alignment": "left"}
        look: dict[str, Any] = {"title_fontsize": 9.5, "frameon": False, "borderaxespad": 0.2}
        figure.legend(handles.values(), handles, title=title, **where, **look)
    else:
        figure.suptitle(title, x=0.01, ha="left", size=9.5)


def _lines(axes: Axes, panel: Panel, looks: dict[str, int]) -> None:
    """A curve a series, with bars of one deviation; few points are marked."""
    for name, points in _by_series(panel.points):
        x, y, spread = _columns(points, "x", "y", "deviation")
        look = _look(looks[name]) if len(x) <= 20 else {"color": canvas.color(looks[name])}
        axes.errorbar(
            x, y, np.nan_to_num(spread), label=name or "_", lw=1.4, ms=4, elinewidth=0.8, **look
        )
    x, y = _columns(panel.points, "x", "y")
    if _geometric(x):
        axes.set_xscale("log")
        axes.set_xticks(np.unique(x), [f"{value:g}" for value in np.unique(x)])
        axes.minorticks_off()
    elif len(x) and np.all(x == np.round(x)):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _scaled(axes, panel, y)


def _marks(axes: Axes, panel: Panel, looks: dict[str, int]) -> None:
    """A mark a series above each name."""
    places = {name: i for i, name in enumerate(dict.fromkeys(p.x for p in panel.points))}
    for name, points in _by_series(panel.points):
        x = [places[point.x] for point in points]
        (y,) = _columns(points, "y")
        axes.plot(x, y, ls="none", label=name, ms=6, **_look(looks[name]))
    axes.set_xticks(range(len(places)), [canvas.plain(name) for name in places])
    axes.tick_params(axis="x", labelrotation=20)
    axes.margins(x=0.15)
    _scaled(axes, panel, _columns(panel.points, "y")[0])


def _map(axes: Axes, panel: Panel, looks: dict[str, int]) -> None:
    """Shades over two parameters, with their numbers."""
    x, y, shade = _columns(panel.points, "x", "y", "shade")
    across, down = np.unique(x), np.unique(y)
    values = np.full((len(down), len(across)), np.nan)
    values[np.searchsorted(down, y), np.searchsorted(across, x)] = shade
    if len(shade):
        low, high = float(shade.min()), float(shade.max())
        none = np.zeros(values.shape, dtype=bool)
        heatmap.draw(axes, values, none, low, max(high, low + 1e-9), "{:.0f}")
    axes.set_xticks(np.arange(len(across)) + 0.5, [f"{value:g}" for value in across])
    axes.set_yticks(np.arange(len(down)) + 0.5, [f"{value:g}" for value in down])


def _cloud(axes: Axes, panel: Panel, looks: dict[str, int]) -> None:
    """Rows as small points, and centres, of which there are few, as large marks."""
    for name, points in _by_series(panel.points):
        x, y = _columns(points, "x", "y")
        shade, few = canvas.color(looks[name]), len(x) < 10
        look = _look(looks[name]) | {"ms": 7 if few else 2, "zorder": 3 if few else 2}
        edge: dict[str, Any] = (
            {"mec": "white", "mew": 0.8} if few else {"mec": shade, "mew": 0, "alpha": 0.6}
        )
        axes.plot(x, y, ls="none", label=name, **look, **edge)


def _picture(axes: Axes, panel: Panel, looks: dict[str, int]) -> None:
    if panel.picture is not None:
        axes.imshow(panel.picture, cmap="gray", vmin=0, vmax=1)
    axes.set_axis_off()


_DRAWN: dict[str, Callable[[Axes, Panel, dict[str, int]], None]] = {
    "lines": _lines,
    "marks": _marks,
    "map": _map,
    "cloud": _cloud,
    "pictures": _picture,
}


def _by_series(points: Iterable[Point]) -> Iterable[tuple[str, list[Point]]]:
    found: dict[str, list[Point]] = {}
    for point in points:
        found.setdefault(point.series, []).append(point)
    return found.items()


def _columns(points: Iterable[Point], *names: str) -> list[Vector]:
    found = list(points)
    return [np.array([getattr(point, name) for point in found], dtype=float) for name in names]


def _look(place: int) -> dict[str, Any]:
    return {"color": canvas.color(place), "marker": canvas.marker(place)}


def _geometric(x: Vector) -> bool:
    """Whether values grow by one factor, so that they belong on a logarithmic axis."""
    values = np.unique(x)
    if len(values) < 3 or values[0] <= 0:
        return False
    factors = values[1:] / values[:-1]
    return bool(np.ptp(factors) < 1e-6 * factors[0])


def _scaled(axes: Axes, panel: Panel, y: Vector) -> None:
    """A logarithmic axis where positive values, not percent, span two decades; and a grid."""
    if len(y) and "%" not in panel.y and y.min() > 0 and y.max() > 100 * y.min():
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(axis="y")
