"""Compares clusters found with another site's centers to those found without them."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.estimators import facets
from kinfolk.knowledge import Knowledge
from kinfolk.numerics import distances, matching, rounding
from kinfolk.report import canvas, cluster_pictures, figures, projection
from kinfolk.report.content import Cluster, Page
from kinfolk.report.wording import count, listing
from kinfolk.tables import alignment

_MOST_COLUMNS = 3
_HOLLOW: dict[str, Any] = {"facecolors": "white", "linewidths": 1.8, "s": 62, "zorder": 4}
_NEGLIGIBLE = 0.05
"""A distance, in spreads or in standard deviations, that counts as none."""


@dataclass(frozen=True)
class Feature:
    """A column and how far a center moved along it, in standard deviations."""

    name: str
    lift: float


@dataclass(frozen=True)
class CenterMove:
    """Shift of one cluster's center that the other site's centers caused.

    Attributes
    ----------
    cluster : the cluster, found with knowledge
    source : the number of its counterpart at the other site, None without one
    behind : rows behind the counterpart
    given, own, result : (d,) the counterpart, the mean of the rows without knowledge and the
        center with it, in units of X; `own` is None for a cluster that exists only with
        knowledge; `apart`, `moved` and `covered` are then nan, `new` is all and `columns` empty
    apart, moved : distances from `own` to the counterpart and to the result, in spreads of the
        cluster without knowledge (the root of the mean squared distance of its rows from `own`)
    covered : share of the distance from `own` to the counterpart that the center has moved: 0 at
        own, 1 at the counterpart, negative away from it; nan if the two are at one place
    new : rows that were in another cluster without knowledge
    columns : the columns that moved most, in standard deviations of the task
    """

    cluster: Cluster
    source: int | None
    behind: float
    given: Vector | None
    own: Vector | None
    result: Vector
    apart: float = np.nan
    moved: float = np.nan
    covered: float = np.nan
    new: int = 0
    columns: list[Feature] = field(default_factory=list)


@dataclass(frozen=True)
class KnowledgeEffect:
    """Moves of a task's centers, and the other site's centers that match no cluster."""

    task: str
    moves: list[CenterMove]
    left_out: list[tuple[int, float]]


def effects(page: Page) -> list[KnowledgeEffect]:
    """Return the effect on each task; [] without another site's centers or a comparison."""
    alone = next((r.labels for r in page.study.results if r.name == "alone"), None)
    fitted = [e for e in page.copies if isinstance(e, facets.UsesKnowledge)]
    fitted = [e for e in fitted if e.knowledge is not None]
    if alone is None or not fitted or len(fitted) < len(page.copies):
        return []
    return [
        _effect(page, task, estimator, np.asarray(alone))
        for task, estimator in zip(page.tasks, fitted, strict=True)
    ]


def _effect(page: Page, task: str, estimator: Any, alone: Labels) -> KnowledgeEffect:
    """Compare a task's centers with the means of its clusters `alone`, found without knowledge."""
    known = estimator.knowledge
    V = _centers(known, page.study.feature_names)
    rows = page.rows[task]
    former = _former(np.asarray(page.study.model.labels_)[rows], alone[rows])
    deviations = cluster_pictures.spreads(page.study.X, rows)
    moves = []
    for cluster in page.clusters_of(task):
        partner = int(estimator.source_clusters_[cluster.number])
        move = CenterMove(
            cluster,
            source=None if partner < 0 else partner,
            behind=float(known.cluster_weights[partner]) if partner >= 0 else np.nan,
            given=V[partner] if partner >= 0 else None,
            own=None,
            result=estimator.cluster_centers_[cluster.number],
            new=cluster.size,
        )
        # A cluster may have no former one: then only its center and size are known.
        before = rows[alone[rows] == former.get(cluster.number)]
        moves.append(_measured(page, move, before, deviations) if len(before) else move)
    used = {move.source for move in moves}
    left_out = [(j, float(w)) for j, w in enumerate(known.cluster_weights) if j not in used]
    return KnowledgeEffect(task, moves, left_out)


def _centers(known: Knowledge, names: tuple[str, ...]) -> Matrix:
    """Return the other site's centers (k, d), in the table's order of columns if names agree."""
    same = set(known.feature_names) == set(names)
    return (known.aligned(names) if same and names else known).cluster_centers


def _former(labels: Labels, alone: Labels) -> dict[int, int]:
    """Match each cluster to the one without knowledge that shares most rows, one to one.

    >>> _former(np.array([0, 0, 1, 1]), np.array([5, 5, 5, 2]))
    {0: 5, 1: 2}
    """
    met = matching.contingency(labels, alone)
    pairs = zip(met.row_labels, matching.assignment(met.counts), strict=True)
    return {int(label): int(met.column_labels[j]) for label, j in pairs if j >= 0}


def _measured(
    page: Page, move: CenterMove, before: NDArray[np.integer], deviations: Vector
) -> CenterMove:
    """Return a move completed by its distances, new rows and the columns that moved most."""
    X = page.study.X
    own = cluster_pictures.means(X, before)
    spread = np.sqrt(distances.scatter(X[before]) / len(before))
    step = move.result - own
    apart = covered = np.nan
    if move.given is not None:
        road = move.given - own
        apart = _ratio(np.linalg.norm(road), spread)
        # Over a negligible distance the share would be noise.
        covered = _ratio(step @ road, road @ road) if apart >= _NEGLIGIBLE else np.nan
    lifts = np.divide(step, deviations, out=np.zeros_like(step), where=deviations > 0)
    order = np.argsort(-rounding.comparable(np.abs(lifts)), kind="stable")[:_MOST_COLUMNS]
    names = cluster_pictures.names(page.study)
    return replace(
        move,
        own=own,
        apart=apart,
        moved=_ratio(np.linalg.norm(step), spread),
        covered=covered,
        new=len(np.setdiff1d(move.cluster.rows, before)),
        columns=[Feature(names[j], float(lifts[j])) for j in order if abs(lifts[j]) >= _NEGLIGIBLE],
    )


def _ratio(value: Any, by: Any) -> float:
    return float(value / by) if by > 0 else np.nan


def sentences(effect: KnowledgeEffect) -> list[str]:
    """Sentences on how far a task's centers moved, and on centers without a match."""
    drawn = [move for move in effect.moves if move.source is not None]
    moved = [move for move in drawn if not np.isnan(move.moved)]
    rows = sum(move.cluster.size for move in effect.moves)
    new = sum(move.new for move in effect.moves)
    said = []
    if moved:
        most = max(moved, key=lambda move: move.moved)
        # A cluster that exists only with knowledge has no center to compare with.
        some = f"{len(moved)} comparable of " if len(moved) < len(drawn) else ""
        said.append(
            f"In {effect.task} the {some}{count(len(drawn), 'center')} with a counterpart "
            f"moved by {np.mean([m.moved for m in moved]):.2f} of a cluster's spread on average, "
            f"kind {most.cluster.group} the most ({most.moved:.2f}); {new:,} of "
            f"{count(rows, 'row')} ({100 * new / max(rows, 1):.0f} %) changed their cluster."
        )
    if lonely := [str(m.cluster.group) for m in effect.moves if m.source is None]:
        noun, verb, were = ("Kind", "has", "was") if len(lonely) == 1 else ("Kinds", "have", "were")
        said.append(
            f"{noun} {listing(lonely)} of {effect.task} {verb} no counterpart at the other site "
            f"and {were} found from the rows alone."
        )
    said += [
        f"Center {number} of the other site ({behind:,.0f} rows) has no counterpart in "
        f"{effect.task} and was not used."
        for number, behind in effect.left_out
    ]
    return said


def picture(page: Page, effect: KnowledgeEffect, place: int) -> str:
    """Scatter plot (SVG) of a task's rows, with centers before, after and of the other site."""
    moves = [move for move in effect.moves if move.own is not None]
    cloud, ends = _plane(page, effect.task, moves)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        raster = len(cloud) > figures.RASTER_ABOVE
        x, y = cloud.T
        axes.scatter(x, y, s=7, color="#c3cad2", linewidths=0, rasterized=raster)
        for move, trio in zip(moves, ends, strict=True):
            _draw_move(axes, move, trio)
        # Empty marks for the legend, in gray because each cluster has its own color.
        axes.scatter([], [], marker="o", label="without", edgecolors=canvas.QUIET, **_HOLLOW)
        axes.scatter([], [], marker="o", label="with", color=canvas.QUIET, s=110.0)
        axes.scatter([], [], marker="D", label="other site", edgecolors=canvas.QUIET, **_HOLLOW)
        axes.set(xticks=[], yticks=[])
        axes.margins(0.09)
        axes.spines[:].set_visible(True)
        canvas.legend(figure, 3, handletextpad=0.2)

    return canvas.svg(
        draw,
        name=f"knowledge-{place}",
        title=f"How the other site's centers moved those of {canvas.plain(effect.task)}",
        description=" ".join(sentences(effect)),
        width=3.8,
        height=3.3,
    )


def _plane(
    page: Page, task: str, moves: list[CenterMove]
) -> tuple[Matrix, NDArray[np.floating[Any]]]:
    """Return plane coordinates of a task's rows (m, 2) and of each move's centers (moves, 3, 2).

    The three centers are own, result and given; own stands in for a missing counterpart.
    """
    X = page.study.X
    rows = projection.sample(page, task)
    trios = [(m.own, m.result, m.own if m.given is None else m.given) for m in moves]
    table = alignment.stacked([X[rows], *map(np.array, trios)])
    # One task: centers must keep their distances to the rows.
    points = projection.coordinates(table, np.zeros(table.shape[0], dtype=int))
    return points[: len(rows)], points[len(rows) :].reshape(-1, 3, 2)


def _draw_move(axes: Axes, move: CenterMove, trio: NDArray[np.floating[Any]]) -> None:
    """Draw a center without knowledge (hollow), with it (numbered), and the site's one."""
    own, result, given = trio
    shade = canvas.color(move.cluster.group)
    axes.plot(*np.array([own, result]).T, color=shade, lw=2.6, zorder=3)
    axes.plot(*np.array([result, given]).T, color=shade, lw=1.4, ls=":", zorder=3)
    axes.scatter(*own, marker="o", edgecolors=shade, **_HOLLOW)
    if move.given is not None:
        axes.scatter(*given, marker="D", edgecolors=shade, **_HOLLOW)
    x, y = result
    canvas.badge(axes, x, y, move.cluster.group)
