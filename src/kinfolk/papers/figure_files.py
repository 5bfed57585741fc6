"""Draws reproduced figures and formats them as SVG, PNG and CSV files.

Below each figure stand the statements of the paper and the notes, in small letters.
"""

import io
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from kinfolk.arrays import Vector
from kinfolk.papers.figures import FigureData, FigurePanel, FigurePoint, grouped
from kinfolk.papers.published import PrintedItem
from kinfolk.report import canvas, heatmap

WIDTH = 5.0  # inches
DPI = 160
NOTE_SIZE = 7.0  # points
# Letters per line at which a note and a title still fit into WIDTH.
NOTE_LETTERS = 88
TITLE_LETTERS = 60
PANEL_INCHES = {"lines": 1.9, "map": 2.4, "marks": 3.0, "cloud": 2.4, "pictures": 1.9}
"""Kind of figure -> height of one row of panels."""


def contents(item: PrintedItem, drawing: FigureData) -> dict[str, bytes]:
    """Return {file name: bytes} of a figure as SVG, PNG and CSV.

    Parameters
    ----------
    item : the printed figure
    drawing : our points, from `kinfolk.papers.figures` or `kinfolk.papers.computed`

    Examples
    --------
    >>> from kinfolk.papers import published
    >>> panel = FigurePanel("", "n_layers", "accuracy, %", (FigurePoint("webkb4", 1, 70.0),))
    >>> found = contents(published.item("mtcfir-figure-2"), FigureData("lines", (panel,)))
    >>> list(found)
    ['mtcfir-figure-2.csv', 'mtcfir-figure-2.svg', 'mtcfir-figure-2.png']
    >>> print(found["mtcfir-figure-2.csv"].decode(), end="")
    panel,x_name,y_name,series,x,y,shade,deviation,n_runs
    ,n_layers,"accuracy, %",webkb4,1,70.0,,,0
    """
    points = pd.DataFrame(drawing.table()).to_csv(index=False, lineterminator="\n")
    svg, png = _drawn(item, drawing)
    return {f"{item.id}.csv": points.encode(), f"{item.id}.svg": svg, f"{item.id}.png": png}


def _drawn(item: PrintedItem, drawing: FigureData) -> tuple[bytes, bytes]:
    """Draw the figure; return it as SVG and as PNG."""
    notes = _notes(item, drawing)
    png = io.BytesIO()

    def draw(figure: Figure) -> None:
        figure.add_artist(Rectangle((0, 0), 1, 1, color="white", zorder=-9))
        _panels(figure, drawing)
        _head(figure, textwrap.fill(item.title, TITLE_LETTERS))
        if notes:
            figure.supxlabel(notes, x=0.01, ha="left", size=NOTE_SIZE, color=canvas.QUIET)
        # Without the name of the software, equal figures give equal bytes.
        figure.savefig(png, format="png", dpi=DPI, metadata={"Software": None})

    svg = canvas.svg(
        draw,
        name=item.id,
        title=item.title,
        description=item.plots,
        width=WIDTH,
        height=1.0 + PANEL_INCHES[drawing.kind] * _n_rows(drawing) + 0.12 * notes.count("\n"),
    )
    return svg.encode(), png.getvalue()


def _notes(item: PrintedItem, drawing: FigureData) -> str:
    """Wrap the paper's statements and our notes into lines that fit below the figure."""
    texts = [f"The paper: {text}." for text in item.stated] + list(drawing.notes)
    return "\n".join(textwrap.fill(text, NOTE_LETTERS) for text in texts)


def _n_rows(drawing: FigureData) -> int:
    return -(-len(drawing.panels) // drawing.columns)


def _panels(figure: Figure, drawing: FigureData) -> None:
    """Draw all panels; a series has one color and one marker in all of them."""
    if not drawing.panels:
        return
    axes = figure.subplots(_n_rows(drawing), drawing.columns, squeeze=False).ravel()
    names = dict.fromkeys(point.series for panel in drawing.panels for point in panel.points)
    places = {name: place for place, name in enumerate(names)}
    for place, own in enumerate(axes):
        if place < len(drawing.panels):
            panel = drawing.panels[place]
            _PAINTERS[drawing.kind](own, panel, places)
            own.set(xlabel=panel.x, ylabel=panel.y)
            own.set_title(panel.title, size=9, loc="left")
        else:
            own.set_axis_off()


def _head(figure: Figure, title: str) -> None:
    """Draw the title and, below it, one legend for all panels, if a series has a name."""
    handles = {
        label: handle
        for own in figure.axes
        for handle, label in zip(*own.get_legend_handles_labels(), strict=True)
    }
    if handles:
        # matplotlib's layout leaves no room for a legend beside a title of the figure.
        where: dict[str, Any] = {"loc": "outside upper left", "ncols": 3, "alignment": "left"}
        look: dict[str, Any] = {"title_fontsize": 9.5, "frameon": False, "borderaxespad": 0.2}
        figure.legend(handles.values(), handles, title=title, **where, **look)
    else:
        figure.suptitle(title, x=0.01, ha="left", size=9.5)


def _lines(axes: Axes, panel: FigurePanel, places: dict[str, int]) -> None:
    """Draw one curve per series, with error bars of one deviation."""
    for name, points in _by_series(panel.points):
        x, y, spread = _columns(points, "x", "y", "deviation")
        look = _look(places[name])
        if len(x) > 20:  # markers would hide such a curve
            look.pop("marker")
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


def _marks(axes: Axes, panel: FigurePanel, places: dict[str, int]) -> None:
    """Draw one mark per series above each category of the x axis."""
    ticks = {name: i for i, name in enumerate(dict.fromkeys(p.x for p in panel.points))}
    for name, points in _by_series(panel.points):
        x = [ticks[point.x] for point in points]
        (y,) = _columns(points, "y")
        axes.plot(x, y, ls="none", label=name, ms=6, **_look(places[name]))
    axes.set_xticks(range(len(ticks)), [canvas.plain(name) for name in ticks])
    axes.tick_params(axis="x", labelrotation=20)
    axes.margins(x=0.15)
    _scaled(axes, panel, _columns(panel.points, "y")[0])


def _map(axes: Axes, panel: FigurePanel, places: dict[str, int]) -> None:
    """Draw a heat map over two parameters, with its numbers."""
    x, y, shade = _columns(panel.points, "x", "y", "shade")
    across = np.unique(x)
    down = np.unique(y)
    values = np.full((len(down), len(across)), np.nan)
    values[np.searchsorted(down, y), np.searchsorted(across, x)] = shade
    if len(shade):
        low = float(shade.min())
        high = max(float(shade.max()), low + 1e-9)  # equal values still need a range of shades
        none = np.zeros(values.shape, dtype=bool)
        heatmap.draw(axes, values, none, low, high, "{:z.0f}")
    axes.set_xticks(np.arange(len(across)) + 0.5, [f"{value:g}" for value in across])
    axes.set_yticks(np.arange(len(down)) + 0.5, [f"{value:g}" for value in down])


def _cloud(axes: Axes, panel: FigurePanel, places: dict[str, int]) -> None:
    """Draw long series as small dots and short ones (centers) as large marks."""
    for name, points in _by_series(panel.points):
        x, y = _columns(points, "x", "y")
        look = _look(places[name])
        # Centers of clusters are few, rows are many.
        if len(x) < 10:
            look |= {"ms": 7, "zorder": 3, "mec": "white", "mew": 0.8}
        else:
            look |= {"ms": 2, "zorder": 2, "mec": look["color"], "mew": 0, "alpha": 0.6}
        axes.plot(x, y, ls="none", label=name, **look)


def _picture(axes: Axes, panel: FigurePanel, places: dict[str, int]) -> None:
    if panel.picture is not None:
        axes.imshow(panel.picture, cmap="gray", vmin=0, vmax=1)
    axes.set_axis_off()


_PAINTERS: dict[str, Callable[[Axes, FigurePanel, dict[str, int]], None]] = {
    "lines": _lines,
    "marks": _marks,
    "map": _map,
    "cloud": _cloud,
    "pictures": _picture,
}


def _by_series(points: Iterable[FigurePoint]) -> Iterable[tuple[str, list[FigurePoint]]]:
    return grouped(points, lambda point: point.series).items()


def _columns(points: Iterable[FigurePoint], *names: str) -> list[Vector]:
    found = list(points)
    return [np.array([getattr(point, name) for point in found], dtype=float) for name in names]


def _look(place: int) -> dict[str, Any]:
    return {"color": canvas.color(place), "marker": canvas.marker(place)}


def _geometric(x: Vector) -> bool:
    """True if at least three positive values grow by one factor, so that a log axis suits them.

    >>> _geometric(np.array([0.25, 0.5, 1.0])), _geometric(np.array([0.1, 0.3, 0.5]))
    (True, False)
    """
    values = np.unique(x)
    if len(values) < 3 or values[0] <= 0:
        return False
    factors = values[1:] / values[:-1]
    # Grids such as .01, .1, 1 are powers but for rounding.
    return bool(np.ptp(factors) < 1e-6 * factors[0])


def _scaled(axes: Axes, panel: FigurePanel, y: Vector) -> None:
    """Draw a grid; use a logarithmic y axis if positive values span two decades."""
    # Percentages stay on one scale, so that panels can be compared.
    if len(y) and "%" not in panel.y and y.min() > 0 and y.max() > 100 * y.min():
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(axis="y")
