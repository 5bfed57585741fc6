"""Figures of every report: scores, relatedness of tasks, scatter plots, and convergence.

Each function takes a `Page` and returns SVG elements. Widths stay below five inches wherever
possible: a phone's screen shrinks wider pictures until they cannot be read.
"""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from kinfolk.arrays import Matrix, Vector
from kinfolk.report import canvas, findings, heatmap, projection, task_pairs, wording
from kinfolk.report.content import Page

SHAPES = {"alone": ("o", "#e69f00"), "pooled": ("s", "#66727f"), "together": ("D", "#0072b2")}
"""Marker and color of each result in all figures."""

RASTER_ABOVE = 1500
"""Points above which they are drawn as one image: as shapes they would make the page slow."""


def scores(page: Page, measure: str) -> str:
    """Return a dot plot of scores as SVG: one line per task, or per result for one task."""
    results = findings.ran(page.study)
    tasks = page.tasks
    single = len(tasks) == 1
    names = [result.name for result in results]
    values = np.array([[findings.score(r, measure, task) for task in tasks] for r in results])
    own = wording.words(page.study).own

    def draw(figure: Figure) -> None:
        draw_scores(figure.subplots(), measure, tasks, names, values, own)
        if not single:
            canvas.legend(figure, 2, handletextpad=0.2)

    # The legend takes two lines for four results, and one more for each two above.
    keys = 0.0 if single else 0.5 + 0.19 * max(0, (len(results) + 1) // 2 - 2)
    return canvas.svg(
        draw,
        name=f"scores-{measure}",
        title=f"{findings.MEASURES[measure]} of every result for each data set",
        description="Further right is better; the table beside it has the numbers.",
        width=3.4,
        height=0.8 + keys + 0.36 * len(names if single else tasks),
    )


def draw_scores(
    axes: Axes, measure: str, tasks: list[str], names: list[str], values: Matrix, own: str
) -> None:
    """Draw scores (results, tasks) as dots, one line per task, or per result for one task.

    The marks of the result of the name `own` are filled.
    """
    single = len(tasks) == 1
    for place, line in enumerate(() if single else values.T):
        if not np.isnan(line).all():
            ends = [np.nanmin(line), np.nanmax(line)]
            axes.plot(ends, [place, place], color=canvas.EDGE, lw=2, zorder=1)
    for index, (name, line) in enumerate(zip(names, values, strict=True)):
        shape, shade = _look(name, index)
        look = dict[str, Any](marker=shape, s=62, linewidths=1.6, edgecolors=shade, zorder=2)
        face = shade if name == own else "white"
        places = [index] if single else range(len(tasks))
        axes.scatter(line, places, facecolors=face, label=canvas.plain(name), **look)
    canvas.name_lines(axes, names if single else tasks)
    axes.margins(x=0.08)
    axes.grid(axis="both" if single else "x")
    axes.set_xlabel(findings.MEASURES[measure] + ("" if measure == "silhouette" else ", %"))


def _look(name: str, place: int) -> tuple[str, str]:
    """Marker and color of a result in the score plot; each view has its own."""
    if name.startswith(wording.VIEW):
        return canvas.marker(place), canvas.color(place)
    return SHAPES.get(name, ("^", canvas.INK))


def relatedness(page: Page) -> str:
    """Heat map (SVG) of the learned contributions between tasks; "" if none."""
    return _pairs_of_tasks(
        page.tasks,
        page.relatedness,
        ("help from", "help for"),
        name="relatedness",
        title="How much the data sets contribute to one another",
        description=task_pairs.strongest_help(page),
    )


def agreement(page: Page) -> str:
    """Heat map (SVG) of the agreement between tasks' own clusters; "" if none."""
    return _pairs_of_tasks(
        page.tasks,
        page.agreement,
        ("", ""),
        name="agreement",
        title="How alike the data sets are divided",
        description=task_pairs.most_alike(page),
    )


def _pairs_of_tasks(
    tasks: list[str], R: Matrix | None, labels: tuple[str, str], **titles: str
) -> str:
    """Heat map (SVG) of a matrix (T, T) over pairs of tasks; "" without one, or for one task."""
    if R is None or len(R) < 2:
        return ""
    return canvas.svg(
        lambda figure: heatmap.draw_pairs(figure.subplots(), tasks, R, labels),
        **titles,
        width=max(4.2, 1.4 + 0.62 * len(R)),
        height=max(2.2, 1.0 + 0.5 * len(R)),
    )


def scatter(page: Page) -> dict[str, str]:
    """Return {task: scatter plot (SVG)} of rows in a common plane, marked by matched group."""
    shown = projection.plane(page)
    everything = np.vstack([points for _, points in shown.values()])
    frame = canvas.limits(everything)
    raster = len(everything) > RASTER_ABOVE
    found = {}
    for place, (task, (rows, points)) in enumerate(shown.items()):
        members = [(c.group, points[np.isin(rows, c.rows)]) for c in page.clusters_of(task)]
        found[task] = _task_scatter(task, place, members, frame, raster)
    return found


def _task_scatter(
    task: str,
    place: int,
    members: list[tuple[int, Matrix]],
    frame: tuple[Vector, Vector],
    raster: bool,
) -> str:
    """Scatter plot (SVG) of one task's clusters, with axis limits common to all tasks."""
    return canvas.svg(
        lambda figure: draw_rows(figure.subplots(), members, frame, raster),
        name=f"rows-{place}",
        title=f"Rows of {canvas.plain(task)} in two dimensions",
        description="Each mark is a row, colored by its group; numbers stand at the medians.",
        width=3.3,
        height=2.9,
    )


def draw_rows(
    axes: Axes, members: list[tuple[int, Matrix]], frame: tuple[Vector, Vector], raster: bool
) -> None:
    """Draw the points (m, 2) of each cluster on axes, marked by matched group."""
    for group, points in members:
        if not len(points):
            continue
        look = dict[str, Any](marker=canvas.marker(group), s=15, linewidths=0)
        shade = canvas.color(group)
        axes.scatter(*points.T, color=shade, alpha=0.6, rasterized=raster, **look)
        x, y = np.median(points, axis=0)
        canvas.badge(axes, float(x), float(y), group)
    (left, low), (right, high) = frame
    axes.set(xlim=(left, right), ylim=(low, high), xticks=[], yticks=[])
    axes.spines[:].set_visible(True)


def traces(page: Page) -> str:
    """Plot (SVG) of objectives against sweeps; "" if no objective fell.

    Each curve is the share of the whole fall that was still to come.
    """
    rests = {}
    for name, trace in (page.traces.objective_traces_ if page.traces else {}).items():
        values = np.asarray(trace, dtype=float)
        # A start at the minimum has no fall to divide by.
        if len(values) > 1 and values[0] > values[-1]:
            rests[str(name)] = (values[:-1] - values[-1]) / (values[0] - values[-1])
    if not rests:
        return ""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for place, (name, rest) in enumerate(rests.items()):
            style = ("-", "--", "-.", ":")[place % 4]
            # Zero has no place on a logarithmic scale.
            visible = np.where(rest > 0, rest, np.nan)
            look = dict[str, Any](color=canvas.color(place), lw=1.8, marker="o", ms=3)
            axes.plot(visible, style, label=canvas.plain(name), **look)
        _percent_scale(axes)
        axes.set_xlabel("sweep")
        axes.set_ylabel("improvement still to come")
        canvas.legend(figure, 3)

    return canvas.svg(
        draw,
        name="traces",
        title="How the objective fell, sweep by sweep",
        description=" ".join(findings.convergence(page)),
        width=4.6,
        height=3.0,
    )


def _percent_scale(axes: Axes) -> None:
    """Make the y axis logarithmic, in percent from a millionth on, and x whole numbers."""
    axes.set_yscale("log")
    # Below a millionth the curve is rounding.
    axes.set_ylim(max(axes.get_ylim()[0], 1e-6), 2)
    axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
    axes.yaxis.set_minor_formatter(lambda value, _: "")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="y")
