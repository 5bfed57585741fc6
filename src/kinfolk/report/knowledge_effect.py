"""What another site's centres did to each cluster, against the same run without them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.knowledge import Knowledge
from kinfolk.numerics import distances, matching
from kinfolk.report import canvas, cluster_profiles, findings, groups, projection
from kinfolk.report.cluster_profiles import Feature
from kinfolk.report.groups import Cluster
from kinfolk.report.study import Study

_MOST_COLUMNS = 3
_HOLLOW: dict[str, Any] = {"facecolors": "white", "linewidths": 1.8, "s": 62, "zorder": 4}
_THERE = 0.05
"""The distance in spreads, or in standard deviations, that is as good as none."""


@dataclass(frozen=True)
class Effect:
    """What knowledge did to one cluster.

    Attributes
    ----------
    cluster : the cluster, found with knowledge
    source : the number of its counterpart at the source, None without one
    behind : rows behind the counterpart
    given, own, result : (d,) the counterpart, the mean of the rows without knowledge and the
        centre with it, in units of X; `own` is None for a cluster that only knowledge made, and
        all numbers below are then nan
    apart, moved : distances from `own` to the counterpart and to the result, in spreads of the
        cluster without knowledge (the root of the mean squared distance of its rows from `own`)
    way : how far along the way from `own` to the counterpart the result is: 0 at own, 1 there;
        nan if there was no way to go
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
    way: float = np.nan
    new: int = 0
    columns: list[Feature] = field(default_factory=list)


@dataclass(frozen=True)
class Influence:
    """What knowledge did to one task: its clusters, and (number, rows) of centres left out."""

    task: str
    effects: list[Effect]
    left_out: list[tuple[int, float]]


def of(study: Study) -> list[Influence]:
    """Return what knowledge did to each task; nothing if none was used or no run lacked it."""
    alone = next((c.labels for c in study.contenders if c.name == "alone"), None)
    fitted = getattr(study.model, "estimators_", [])
    if alone is None or not fitted or any(getattr(e, "knowledge", None) is None for e in fitted):
        return []
    return [
        _influence(study, task, estimator, np.asarray(alone))
        for task, estimator in zip(groups.tasks(study), fitted, strict=True)
    ]


def _influence(study: Study, task: str, estimator: Any, alone: Labels) -> Influence:
    known, V = estimator.knowledge, _centres(estimator.knowledge, study.feature_names)
    rows = groups.rows(study, task)
    former = _former(np.asarray(study.model.labels_)[rows], alone[rows])
    deviations = cluster_profiles.spreads(study.X, rows)
    effects = []
    for cluster in (c for c in groups.clusters(study) if c.task == task):
        partner = int(estimator.source_clusters_[cluster.number])
        effect = Effect(
            cluster,
            source=None if partner < 0 else partner,
            behind=float(known.cluster_weights[partner]) if partner >= 0 else np.nan,
            given=V[partner] if partner >= 0 else None,
            own=None,
            result=estimator.cluster_centers_[cluster.number],
        )
        before = rows[alone[rows] == former.get(cluster.number)]
        effects.append(_compared(study, effect, before, deviations) if len(before) else effect)
    used = {effect.source for effect in effects}
    left_out = [(j, float(w)) for j, w in enumerate(known.cluster_weights) if j not in used]
    return Influence(task, effects, left_out)


def _centres(known: Knowledge, names: tuple[str, ...]) -> Matrix:
    """The source's centres (k, d), with the columns of the study."""
    same = set(known.feature_names) == set(names)
    return (known.aligned(names) if same and names else known).cluster_centers


def _former(labels: Labels, alone: Labels) -> dict[int, int]:
    """For each cluster the one that shares most rows with it without knowledge, one to one."""
    met = matching.contingency(labels, alone)
    pairs = zip(met.row_labels, matching.assignment(met.counts), strict=True)
    return {int(label): int(met.column_labels[j]) for label, j in pairs if j >= 0}


def _compared(
    study: Study, effect: Effect, before: NDArray[np.integer], deviations: Vector
) -> Effect:
    """The effect with all that needs the rows of the same cluster without knowledge."""
    X = study.X[before]
    own = cluster_profiles.means(study.X, before)
    spread = np.sqrt(distances.scatter(X) / len(before))
    step = effect.result - own
    apart, moved, way = np.nan, _ratio(np.linalg.norm(step), spread), np.nan
    if effect.given is not None:
        road = effect.given - own
        apart = _ratio(np.linalg.norm(road), spread)
        way = _ratio(step @ road, road @ road) if apart >= _THERE else np.nan
    lifts = np.divide(step, deviations, out=np.zeros_like(step), where=deviations > 0)
    order = np.argsort(-np.abs(lifts), kind="stable")[:_MOST_COLUMNS]
    names = cluster_profiles.names(study)
    return Effect(
        effect.cluster,
        effect.source,
        effect.behind,
        effect.given,
        own,
        effect.result,
        apart,
        moved,
        way,
        new=len(np.setdiff1d(effect.cluster.rows, before)),
        columns=[Feature(names[j], float(lifts[j])) for j in order if abs(lifts[j]) >= _THERE],
    )


def _ratio(value: Any, by: Any) -> float:
    return float(value / by) if by > 0 else np.nan


def sentences(influence: Influence) -> list[str]:
    """Return how far the centres of a task moved, and what had no counterpart."""
    effects = influence.effects
    drawn = [effect for effect in effects if effect.source is not None]
    moved = [effect for effect in drawn if not np.isnan(effect.moved)]
    rows, new = sum(e.cluster.size for e in effects), sum(e.new for e in effects)
    said = []
    if moved:
        most = max(moved, key=lambda effect: effect.moved)
        said.append(
            f"In {influence.task} the {findings.count(len(drawn), 'centre')} with a counterpart "
            f"moved by {np.mean([e.moved for e in moved]):.2f} of a cluster's spread on average, "
            f"kind {most.cluster.group} the most ({most.moved:.2f}); {new:,} of "
            f"{findings.count(rows, 'row')} ({100 * new / max(rows, 1):.0f} %) changed their "
            "cluster."
        )
    if lonely := [str(e.cluster.group) for e in effects if e.source is None]:
        word, verb = ("Kind", "has") if len(lonely) == 1 else ("Kinds", "have")
        said.append(
            f"{word} {findings.listing(lonely)} of {influence.task} {verb} no counterpart at the "
            "other site and formed freely."
        )
    said += [
        f"Centre {number} of the other site ({behind:,.0f} rows) has no counterpart in "
        f"{influence.task} and was left out."
        for number, behind in influence.left_out
    ]
    return said


def picture(study: Study, influence: Influence, place: int) -> str:
    """Return own centre, result and source's centre of each cluster, before all rows of a task."""
    effects = [effect for effect in influence.effects if effect.own is not None]
    cloud, ends = _plane(study, influence.task, effects)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        x, y = cloud.T
        axes.scatter(x, y, s=7, color="#c3cad2", linewidths=0, rasterized=len(cloud) > 1500)
        for effect, trio in zip(effects, ends, strict=True):
            _draw_effect(axes, effect, trio)
        axes.scatter([], [], marker="o", label="without", edgecolors=canvas.QUIET, **_HOLLOW)
        axes.scatter([], [], marker="o", label="with", color=canvas.QUIET, s=110.0)
        axes.scatter([], [], marker="D", label="other site", edgecolors=canvas.QUIET, **_HOLLOW)
        axes.set(xticks=[], yticks=[])
        axes.margins(0.09)
        axes.spines[:].set_visible(True)
        figure.legend(loc="outside upper left", ncols=3, frameon=False, handletextpad=0.2)

    return canvas.svg(
        draw,
        name=f"knowledge-{place}",
        title=f"What the other site's centres did to those of {canvas.plain(influence.task)}",
        description=" ".join(sentences(influence)),
        width=3.8,
        height=3.3,
    )


def _plane(study: Study, task: str, effects: list[Effect]) -> tuple[Matrix, NDArray[np.floating]]:
    """Rows (m, 2), and own, result and given (clusters, 3, 2), where these vary most."""
    rows = projection.sample(study, task)
    trios = [(e.own, e.result, e.own if e.given is None else e.given) for e in effects]
    stack: Callable[[Any], Any] = sp.vstack if sp.issparse(study.X) else np.vstack
    table = stack([study.X[rows], *map(np.array, trios)])
    points = projection.coordinates(table, np.zeros(table.shape[0], dtype=int))
    return points[: len(rows)], points[len(rows) :].reshape(-1, 3, 2)


def _draw_effect(axes: Axes, effect: Effect, trio: NDArray[np.floating]) -> None:
    """The way of one centre: hollow where it was, its number where it is, a diamond ahead."""
    shade, (own, result, given) = canvas.colour(effect.cluster.group), trio
    axes.plot(*np.array([own, result]).T, color=shade, lw=2.6, zorder=3)
    axes.plot(*np.array([result, given]).T, color=shade, lw=1.4, ls=":", zorder=3)
    axes.scatter(*own, marker="o", edgecolors=shade, **_HOLLOW)
    if effect.given is not None:
        axes.scatter(*given, marker="D", edgecolors=shade, **_HOLLOW)
    box = {"boxstyle": "circle,pad=0.28", "facecolor": shade, "edgecolor": "white"}
    text: dict[str, Any] = {"weight": "bold", "ha": "center", "va": "center", "zorder": 5}
    x, y = result
    axes.text(x, y, str(effect.cluster.group), color=canvas.ink(shade), bbox=box, **text)
