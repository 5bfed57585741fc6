"""How much each view counts, how even that is, and what each view can do by itself."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from kinfolk.arrays import Matrix, Vector
from kinfolk.estimators import views
from kinfolk.report import canvas, findings, groups, wording
from kinfolk.report.study import Study

_HATCHES = ("", "////", "....", "xxxx", "----", "++++")


@dataclass(frozen=True)
class Weights:
    """The weights of the views.

    Attributes
    ----------
    views : the names of the V views
    columns : (V,) how many columns each view has
    tasks : the names of the T tasks
    W : (T, V) weights, rows sum to 1
    """

    views: list[str]
    columns: list[int]
    tasks: list[str]
    W: Matrix

    @property
    def mean(self) -> Vector:
        """The mean weights (V,) of all tasks."""
        return np.asarray(self.W.mean(axis=0))

    @property
    def effective(self) -> float:
        """The exponential of the entropy, 1 (one view decides) to V (all equal); mean of tasks.

        >>> Weights(["a", "b"], [1, 1], ["all"], np.array([[0.5, 0.5]])).effective
        2.0
        """
        logs = np.log(self.W, out=np.zeros_like(self.W), where=self.W > 0)
        return float(np.exp(-np.sum(self.W * logs, axis=1)).mean())


def of(study: Study) -> Weights | None:
    """Return the weights of two views or more, or None if the method has none."""
    fitted = getattr(study.model, "estimators_", [])
    if not fitted or not all(len(getattr(e, "view_weights_", ())) > 1 for e in fitted):
        return None
    names = [str(view) for view in fitted[0].view_names_]
    found = views.columns_of(fitted[0].views, study.X.shape[1], list(study.feature_names))
    W = np.array([estimator.view_weights_ for estimator in fitted])
    return Weights(names, [len(found[v]) for v in fitted[0].view_names_], groups.tasks(study), W)


def sentences(study: Study) -> list[str]:
    """Return which view counts most, how even the weights are, and the best single views."""
    weights = of(study)
    if weights is None:
        return []
    mean, many = weights.mean, len(weights.views)
    where = " on average over the data sets" if len(weights.tasks) > 1 else ""
    even = (
        f"The weights are as even as if {weights.effective:.1f} of the {many} views counted "
        f"equally{where}."
    )
    if np.ptp(mean.round(2)) == 0:
        return [f"All {many} views count about equally{where}.", *_single(study)]
    most, least = int(mean.argmax()), int(mean.argmin())
    return [
        f"View {weights.views[most]} counts most (weight {mean[most]:.2f}), {weights.views[least]} "
        f"least ({mean[least]:.2f}){where}.",
        even,
        *_single(study),
    ]


def _single(study: Study) -> list[str]:
    """Which view does best by itself, by the first measure that there is."""
    for measure in findings.measures(study)[:1]:
        scores = {
            c.name.removeprefix(wording.VIEW): findings.mean(study, c, measure)
            for c in findings.ran(study)
            if c.name.startswith(wording.VIEW)
        }
        scores = {view: score for view, score in scores.items() if not np.isnan(score)}
        if len(scores) > 1:
            best, worst = max(scores, key=scores.__getitem__), min(scores, key=scores.__getitem__)
            shown = [findings.with_unit(scores[view], measure) for view in (best, worst)]
            name = findings.MEASURES[measure].replace("Acc", "acc").replace("Sil", "sil")
            return [
                f"By itself, view {best} does best ({name} {shown[0]}), {worst} worst ({shown[1]})."
            ]
    return []


def table(study: Study) -> list[tuple[str, int, list[str], list[str]]]:
    """Return for each view its name, columns, weight in each task, and scores by itself."""
    weights = of(study)
    if weights is None:
        return []
    scores = findings.tables(study)
    lines = []
    for place, view in enumerate(weights.views):
        name = wording.VIEW + view
        texts = [s.rows[-1][1][s.names.index(name)] if name in s.names else "–" for s in scores]
        shares = [f"{share:.2f}" for share in weights.W[:, place]]
        lines.append((view, weights.columns[place], shares, texts))
    return lines


def picture(study: Study) -> str:
    """Return a bar for each view and task, and where all would be if they were even."""
    weights = of(study)
    if weights is None:
        return ""
    many, tasks = len(weights.views), len(weights.tasks)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for t, (task, line) in enumerate(zip(weights.tasks, weights.W, strict=True)):
            places = np.arange(many) + 0.72 * ((t + 0.5) / tasks - 0.5)
            look: dict[str, Any] = {"color": canvas.colour(t), "hatch": _HATCHES[t % len(_HATCHES)]}
            label = canvas.plain(task) if tasks > 1 else None
            look |= {"height": 0.65 / tasks, "edgecolor": "white", "linewidth": 0, "label": label}
            bars = axes.barh(places, line, **look)
            axes.bar_label(bars, [f"{share:.2f}" for share in line], padding=3, color=canvas.INK)
        axes.axvline(1 / many, color=canvas.INK, lw=1.2, ls="--", label="if all were even")
        axes.set_yticks(range(many), [canvas.plain(view) for view in weights.views])
        axes.set(xlim=(0, 1.15 * weights.W.max()), ylim=(many - 0.5, -0.5), xlabel="weight")
        axes.spines["left"].set_visible(False)
        axes.tick_params(length=0)
        axes.tick_params(axis="y", labelcolor=canvas.INK)
        figure.legend(loc="outside upper left", ncols=2, frameon=False)

    return canvas.svg(
        draw,
        name="view-weights",
        title="How much each view counts",
        description=" ".join(sentences(study)),
        width=4.0,
        height=1.1 + many * max(0.32, 0.2 * tasks) + 0.1 * tasks,
    )
