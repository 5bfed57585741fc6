"""The pictures of a report: each a function from a study to an SVG element.

Widths stay below five inches wherever possible, so that a picture shrunk to a telephone's
screen can still be read.
"""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from kinfolk.report import canvas, findings, groups, heatmap, projection, wording
from kinfolk.report.study import Study

_SHAPES = {"alone": ("o", "#e69f00"), "pooled": ("s", "#66727f"), "together": ("D", "#0072b2")}
_RASTER_ABOVE = 1500


def contest(study: Study, measure: str) -> str:
    """Return the scores of all ways: a line a task and a mark a way; of one task, a line a way."""
    ways, tasks = findings.ran(study), groups.tasks(study)
    single = len(tasks) == 1
    lines = [contender.name for contender in ways] if single else tasks
    scores = np.array([[findings.score(c, measure, task) for task in tasks] for c in ways])

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for place, values in enumerate(() if single else scores.T):
            if not np.isnan(values).all():
                ends = [np.nanmin(values), np.nanmax(values)]
                axes.plot(ends, [place, place], color="#b4bcc5", lw=2, zorder=1)
        for way, (contender, values) in enumerate(zip(ways, scores, strict=True)):
            shape, shade = _look(contender.name, way)
            look = dict[str, Any](marker=shape, s=62, linewidths=1.6, edgecolors=shade, zorder=2)
            face = shade if contender.name == wording.words(study).own else "white"
            name = canvas.plain(contender.name)
            places = [way] if single else range(len(tasks))
            axes.scatter(values, places, facecolors=face, label=name, **look)
        axes.set_yticks(range(len(lines)), [canvas.plain(line) for line in lines])
        axes.set_ylim(len(lines) - 0.4, -0.6)
        axes.margins(x=0.08)
        axes.grid(axis="both" if single else "x")
        axes.spines["left"].set_visible(False)
        axes.tick_params(length=0)
        axes.tick_params(axis="y", labelcolor=canvas.INK)
        axes.set_xlabel(findings.MEASURES[measure] + ("" if measure == "silhouette" else ", %"))
        if not single:
            figure.legend(loc="outside upper left", ncols=2, frameon=False, handletextpad=0.2)

    title = f"{findings.MEASURES[measure]} of every way of clustering for each data set"
    keys = 0.0 if single else 0.5 + 0.19 * max(0, (len(ways) + 1) // 2 - 2)
    return canvas.svg(
        draw,
        name=f"contest-{measure}",
        title=title,
        description="Further right is better; the table beside it has the numbers.",
        width=3.4,
        height=0.8 + keys + 0.36 * len(lines),
    )


def _look(name: str, place: int) -> tuple[str, str]:
    """Mark and colour of a way; views go through all marks and colours."""
    if name.startswith(wording.VIEW):
        return canvas.marker(place), canvas.colour(place)
    return _SHAPES.get(name, ("^", canvas.INK))


def relatedness(study: Study) -> str:
    """Return the heat map of who contributes to whom; "" if there is nothing to show."""
    R = findings.relatedness(study)
    if R is None or len(R) < 2:
        return ""
    names = [canvas.plain(task, 16) for task in groups.tasks(study)]
    own = np.eye(len(R), dtype=bool)
    low, high = min(0.0, R[~own].min(initial=0.0)), max(1e-9, R[~own].max(initial=0.0))

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        heatmap.draw(axes, R, own, low, high, "{:.2f}")
        tilt: dict[str, Any] = {"rotation": 35, "ha": "left"} if len(R) > 4 else {}
        axes.set_xticks(np.arange(len(R)) + 0.5, names, **tilt)
        axes.set_yticks(np.arange(len(R)) + 0.5, names)
        axes.set_xlabel("help from")
        axes.set_ylabel("help for")

    side = max(4.2, 1.4 + 0.62 * len(R))
    return canvas.svg(
        draw,
        name="relatedness",
        title="How much the data sets contribute to one another",
        description=findings.kinship(study),
        width=side,
        height=max(2.2, 1.0 + 0.5 * len(R)),
    )


def scatter(study: Study) -> dict[str, str]:
    """Return for each task its rows in the common plane, marked by matched group."""
    shown = projection.plane(study)
    everything = np.vstack([points for _, points in shown.values()])
    low, high = everything.min(axis=0), everything.max(axis=0)
    margin = 0.06 * np.where(high > low, high - low, 1)
    frame = (low - margin, high + margin)
    return {
        task: _cloud(study, task, place, rows, points, frame, len(everything) > _RASTER_ABOVE)
        for place, (task, (rows, points)) in enumerate(shown.items())
    }


def _cloud(
    study: Study,
    task: str,
    place: int,
    rows: np.ndarray,
    points: np.ndarray,
    frame: tuple[np.ndarray, np.ndarray],
    raster: bool,
) -> str:
    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for cluster in groups.clusters(study):
            mine = points[np.isin(rows, cluster.rows)]
            if cluster.task != task or not len(mine):
                continue
            shade = canvas.colour(cluster.group)
            look = dict[str, Any](marker=canvas.marker(cluster.group), s=15, linewidths=0)
            x, y = mine.T
            axes.scatter(x, y, color=shade, alpha=0.6, rasterized=raster, **look)
            badge = {"boxstyle": "circle,pad=0.28", "facecolor": shade, "edgecolor": "white"}
            text: dict[str, Any] = {"weight": "bold", "ha": "center", "va": "center", "zorder": 5}
            axes.text(
                float(np.median(x)),
                float(np.median(y)),
                str(cluster.group),
                color=canvas.ink(shade),
                bbox=badge,
                **text,
            )
        axes.set(xlim=(frame[0][0], frame[1][0]), ylim=(frame[0][1], frame[1][1]))
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_visible(True)

    return canvas.svg(
        draw,
        name=f"rows-{place}",
        title=f"Rows of {canvas.plain(task)} in two dimensions",
        description="Each mark is a row, coloured by its group; numbers stand at the medians.",
        width=3.3,
        height=2.9,
    )


def traces(study: Study) -> str:
    """Return the share of each objective's fall still to come; "" if no objective fell."""
    rests = {}
    for name, trace in getattr(study.model, "objective_traces_", {}).items():
        values = np.asarray(trace, dtype=float)
        if len(values) > 1 and values[0] > values[-1]:
            rests[str(name)] = (values[:-1] - values[-1]) / (values[0] - values[-1])
    if not rests:
        return ""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for place, (name, rest) in enumerate(rests.items()):
            style = ("-", "--", "-.", ":")[place % 4]
            visible = np.where(rest > 0, rest, np.nan)
            look = dict[str, Any](color=canvas.colour(place), lw=1.8, marker="o", ms=3)
            axes.plot(visible, style, label=canvas.plain(name), **look)
        _percent_scale(axes)
        axes.set_xlabel("sweep")
        axes.set_ylabel("of the fall still to come")
        figure.legend(loc="outside upper left", ncols=3, frameon=False)

    return canvas.svg(
        draw,
        name="traces",
        title="How the objective fell, sweep by sweep",
        description=" ".join(findings.convergence(study)),
        width=4.6,
        height=3.0,
    )


def _percent_scale(axes: Axes) -> None:
    axes.set_yscale("log")
    axes.set_ylim(max(axes.get_ylim()[0], 1e-6), 2)
    axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
    axes.yaxis.set_minor_formatter(lambda value, _: "")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="y")
