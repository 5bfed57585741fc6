"""Section on the learned weights of views and each view's own score.

>>> import kinfolk as kf
>>> from kinfolk.report.content import read
>>> blobs = kf.datasets.make_related_blobs(20, n_features=4, n_tasks=1, random_state=0)
>>> X, views = kf.join({"left": blobs.X[:, :2], "right": blobs.X[:, 2:]})
>>> study = kf.compare(X, n_clusters=3, method="comvcf", views=views).study
>>> sentences(read(study))[0]
'All 2 views have about the same weight.'
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from kinfolk.arrays import Matrix, Vector
from kinfolk.estimators import facets, views
from kinfolk.numerics import rounding
from kinfolk.report import canvas, findings, wording
from kinfolk.report.content import Page
from kinfolk.report.findings import ScoreTable

_HATCHES = ("", "////", "....", "xxxx", "----", "++++")


@dataclass(frozen=True)
class ViewWeights:
    """Weights of the views in each task.

    Attributes
    ----------
    views : the names of the V views
    columns : (V,) the number of columns of each view
    tasks : the names of the T tasks
    W : (T, V) weights, rows sum to 1
    """

    views: list[str]
    columns: list[int]
    tasks: list[str]
    W: Matrix

    @property
    def mean(self) -> Vector:
        """Mean weight (V,) of each view over the tasks."""
        return np.asarray(self.W.mean(axis=0))

    @property
    def effective(self) -> float:
        """Effective number of views: exp(entropy) from 1 (one counts) to V (even), mean of tasks.

        >>> ViewWeights(["a", "b"], [1, 1], ["all"], np.array([[0.5, 0.5]])).effective
        2.0
        """
        logs = np.log(self.W, out=np.zeros_like(self.W), where=self.W > 0)
        return float(np.exp(-np.sum(self.W * logs, axis=1)).mean())


def weights(page: Page) -> ViewWeights | None:
    """Return the weights of two or more views; None if the method has none."""
    if isinstance(page.study.model, facets.HasViewEvidence):
        return _of_answer(page)
    fitted = [e for e in page.copies if isinstance(e, facets.HasViews) and len(e.view_weights_) > 1]
    if not fitted or len(fitted) < len(page.copies):
        return None
    first: Any = fitted[0]  # copies share their views; only weights differ
    names = list(page.study.feature_names)
    columns = views.columns_of(first.views, page.study.X.shape[1], names)
    return ViewWeights(
        views=[str(view) for view in first.view_names_],
        columns=[len(columns[view]) for view in first.view_names_],
        tasks=page.tasks,
        W=np.array([estimator.view_weights_ for estimator in fitted]),
    )


def _of_answer(page: Page) -> ViewWeights | None:
    """Return the view weights of an answer that was chosen from several views."""
    model: Any = page.study.model
    names = model.view_names_.tolist()
    if len(names) < 2:
        return None
    found = views.columns_of(model.views, page.study.X.shape[1], list(page.study.feature_names))
    W = np.array([record["weight"] for record in model.view_guard_])
    return ViewWeights(
        views=[str(view) for view in names],
        columns=[len(found[view]) for view in names],
        tasks=page.tasks,
        W=W.reshape(len(page.tasks), len(names)),
    )


def sentences(page: Page) -> list[str]:
    """Sentences on the largest and smallest view weights, their evenness, and the best view."""
    found = weights(page)
    if found is None:
        return []
    mean = rounding.comparable(found.mean)
    many = len(found.views)
    where = " on average over the data sets" if len(found.tasks) > 1 else ""
    # Differences below the rounding of the page must not be described.
    if np.ptp(mean.round(2)) == 0:
        return [f"All {many} views have about the same weight{where}.", *_single(page)]
    most = int(mean.argmax())
    least = int(mean.argmin())
    return [
        f"View {found.views[most]} has the largest weight ({mean[most]:.2f}), {found.views[least]} "
        f"the smallest ({mean[least]:.2f}){where}.",
        f"The weights are as even as if {found.effective:.1f} of the {many} views had the same "
        f"weight and the others none{where}.",
        *_single(page),
    ]


def _single(page: Page) -> list[str]:
    """Sentence on the best and the worst view by itself, by the first measure; [] for one view."""
    for measure in findings.measures(page.study)[:1]:
        scores = {
            result.name.removeprefix(wording.VIEW): findings.mean(page, result, measure)
            for result in findings.ran(page.study)
            if result.name.startswith(wording.VIEW)
        }
        scores = {view: score for view, score in scores.items() if not np.isnan(score)}
        if len(scores) > 1:
            best = max(scores, key=scores.__getitem__)
            worst = min(scores, key=scores.__getitem__)
            shown = [findings.with_unit(scores[view], measure) for view in (best, worst)]
            # NMI is an abbreviation; the other names are words.
            name = findings.MEASURES[measure].replace("Acc", "acc").replace("Sil", "sil")
            return [
                f"By itself, view {best} has the best {name} ({shown[0]}) and {worst} the worst "
                f"({shown[1]})."
            ]
    return []


def table(page: Page, scores: list[ScoreTable]) -> list[tuple[str, int, list[str], list[str]]]:
    """Line per view: name, number of columns, weight in each task, mean scores by itself."""
    found = weights(page)
    if found is None:
        return []
    lines = []
    for place, view in enumerate(found.views):
        name = wording.VIEW + view
        texts = [
            score.lines[-1].texts[score.names.index(name)] if name in score.names else "–"
            for score in scores
        ]
        shares = [f"{share:.2f}" for share in found.W[:, place]]
        lines.append((view, found.columns[place], shares, texts))
    return lines


def picture(page: Page) -> str:
    """Bar chart (SVG) of the weights with a line at uniform weights; "" without views."""
    found = weights(page)
    if found is None:
        return ""
    many = len(found.views)
    tasks = len(found.tasks)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        # The bars of a view fill .72 of its place, so that views stay apart.
        for t, (task, line) in enumerate(zip(found.tasks, found.W, strict=True)):
            places = np.arange(many) + 0.72 * ((t + 0.5) / tasks - 0.5)
            look: dict[str, Any] = {"color": canvas.color(t), "hatch": _HATCHES[t % len(_HATCHES)]}
            label = canvas.plain(task) if tasks > 1 else None
            look |= {"height": 0.65 / tasks, "edgecolor": "white", "linewidth": 0, "label": label}
            bars = axes.barh(places, line, **look)
            axes.bar_label(bars, [f"{share:.2f}" for share in line], padding=3, color=canvas.INK)
        # A weight means little without that which every view would have.
        axes.axvline(1 / many, color=canvas.INK, lw=1.2, ls="--", label="even weights")
        axes.set_yticks(range(many), [canvas.plain(view) for view in found.views])
        axes.set(xlim=(0, 1.15 * found.W.max()), ylim=(many - 0.5, -0.5), xlabel="weight")
        canvas.quiet_axis(axes)
        canvas.legend(figure, 2)

    return canvas.svg(
        draw,
        name="view-weights",
        title="The weight of each view",
        description=" ".join(sentences(page)),
        width=4.0,
        height=1.1 + many * max(0.32, 0.2 * tasks) + 0.1 * tasks,
    )
