"""Section on views: the views joined, their agreement, and the view that shows each cluster.

Only for answers that were chosen from several views (`facets.HasViewEvidence`).
"""

from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from kinfolk.estimators import facets
from kinfolk.numerics import rounding
from kinfolk.report import canvas, heatmap, wording
from kinfolk.report.content import Page


class KindLine(NamedTuple):
    """One cluster of the answer, and the share of neighbors it keeps in each view.

    Attributes
    ----------
    kind : the number that matched clusters have in common
    task : its data set
    size : its number of rows
    shares : for each view, the share of the nearest rows that are in the same cluster, as text
    clearest : position of the view that shows it best, or None
    """

    kind: int
    task: str
    size: int
    shares: list[str]
    clearest: int | None


def _model(page: Page) -> Any:
    """Return the model if its answer was chosen from two or more views, else None."""
    model = page.study.model
    several = isinstance(model, facets.HasViewEvidence) and len(model.view_names_) > 1
    return model if several else None


def sentences(page: Page) -> list[str]:
    """Sentences on the views joined in each task and the agreement of views; [] without views."""
    model = _model(page)
    if model is None:
        return []
    if len(page.tasks) > 1:
        said = wording.told_together(model.guard_)
    else:
        said = [record["meaning"] for record in (*model.guard_, *model.view_guard_)]
    return [*said, _most_alike(model)]


def _most_alike(model: Any) -> str:
    """Sentence on the two views whose own clusters agree most, and the two that agree least."""
    A = model.view_agreement_
    pairs = np.column_stack(np.triu_indices(len(A), 1))
    values = rounding.comparable(A[tuple(pairs.T)])
    most = pairs[values.argmax()]
    text = "By themselves views {} and {} agree {} (adjusted Rand index {})"
    names = [str(name) for name in model.view_names_]

    def say(pair: Any, word: str) -> str:
        value = wording.decimal(float(A[tuple(pair)]), 2)
        return text.format(names[pair[0]], names[pair[1]], word, value)

    if len(pairs) == 1:
        value = wording.decimal(float(values[0]), 2)
        return (
            f"The clusters that the two views have by themselves agree by {value} (adjusted Rand "
            "index: 0 is chance, 1 the same clusters)."
        )
    least = pairs[values.argmin()]
    return f"{say(most, 'most')}. {say(least, 'least')}; 0 is chance, 1 the same clusters."


def views(page: Page) -> list[str]:
    """Return the names of the views; [] if the answer was not chosen from several."""
    model = _model(page)
    return [] if model is None else [str(name) for name in model.view_names_]


def lines(page: Page) -> list[KindLine]:
    """Return a line per cluster: share of its nearest-neighbor links inside it, by view."""
    model = _model(page)
    if model is None:
        return []
    inside: dict[str, list[list[float]]] = {task: [] for task in page.tasks}
    for record in model.view_guard_:
        inside[str(record["task"])].append(record["inside"])
    found = []
    for kind, members in page.groups.items():
        for cluster in members:
            values = np.array([of_view[cluster.number] for of_view in inside[cluster.task]])
            known = np.isfinite(values)
            shares = [
                wording.percent(value) if ok else "–"
                for value, ok in zip(values, known, strict=True)
            ]
            clearest = int(np.nanargmax(rounding.comparable(values))) if known.any() else None
            found.append(KindLine(kind, cluster.task, cluster.size, shares, clearest))
    return found


def picture(page: Page) -> str:
    """Heat map (SVG) of agreement between views and answer; "" without views."""
    model = _model(page)
    if model is None:
        return ""
    names = [canvas.plain(str(name), 16) for name in model.view_names_]
    with_answer = np.array([record["agreement"] for record in model.view_guard_])
    with_answer = with_answer.reshape(-1, len(names)).mean(axis=0)
    values = np.vstack([model.view_agreement_, with_answer])
    own = np.vstack([np.eye(len(names), dtype=bool), np.zeros((1, len(names)), dtype=bool)])

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        heatmap.draw(axes, values, own, min(0.0, values.min()), 1.0, "{:z.2f}")
        axes.set_xticks(np.arange(len(names)) + 0.5, names, rotation=30, ha="left")
        axes.set_yticks(np.arange(len(names) + 1) + 0.5, [*names, "answer"])

    return canvas.svg(
        draw,
        name="view-agreement",
        title="How alike the clusters of the views are",
        description=_most_alike(model),
        width=1.6 + 0.6 * len(names),
        height=1.2 + 0.4 * len(names),
    )
