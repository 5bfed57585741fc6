"""Compares each task's answer with the one found from its rows alone.

Without true classes the better answer cannot be proved. An answer that differs from the task's own
one was supported by the clusters that other tasks have by themselves. The report shows two criteria
for both answers: modularity, beside the level that a table without clusters reaches, and agreement
with the clusters of the other tasks. It names the rows that changed, so that a reader can look them
up, and the tasks in which a change was refused.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from kinfolk.choosing import changes, records
from kinfolk.estimators import facets
from kinfolk.numerics import matching
from kinfolk.report import canvas
from kinfolk.report.content import Page
from kinfolk.report.wording import count, data_sets

TITLES = {"modularity": "Neighbors", "cross_task_agreement": "Other data sets"}
"""Titles of the criteria, by their names in the model's `guard_`."""

_NAMED = 10
"""Rows named at once; more would hide the sentence above them."""
_WIDE = 26
"""Letters shown of a row's name, so that two fit on a line of a card."""
_LISTED = 2000
"""Rows named on request; labels.csv has all."""

# The looks of "alone" and "together" in `figures.SHAPES`.
_OWN: dict[str, Any] = {"marker": "o", "facecolors": "white", "edgecolors": "#e69f00"}
_ANSWER: dict[str, Any] = {"marker": "D", "color": "#0072b2"}
_CHANCE = "#dfe4ea"
_SCALE_END = 1.03
"""End of a widened scale; no criterion exceeds 1, and a mark at 1 needs room."""
_LEAST_SPAN = 0.2
"""The smallest width of a scale, so that a small difference looks small."""

_TONES = {
    records.TASKS: (
        "supported by other data sets",
        "The clusters that the other data sets have by themselves support the change of {}.",
    ),
    "kept": (
        "keeps its own clusters",
        "In {} another answer scored higher, but the other data sets do not support it: the "
        "clusters are those of the data set by itself.",
    ),
    records.LABELS: (
        "supported by known labels",
        "The known labels support the change of {}.",
    ),
    records.SHAPE: (
        "one shape for all data sets",
        "One shape of clusters was learned from all data sets; by it those of {} agree better with "
        "the others.",
    ),
    records.MIXTURE: (
        "clusters of another data set",
        "The clusters of another data set describe the rows of {} better than any of their own do.",
    ),
    records.FOUND_TWICE: (
        "found twice",
        "In {} a mixture of its rows alone and one of another data set give the same clusters.",
    ),
    records.COMMON: (
        "clusters of all data sets",
        "Clusters common to all data sets describe the rows of {} better than any of their own do.",
    ),
    "same": ("nothing changed", "Nothing changed in {}."),
}
"""Tone (reason for a change) -> label of a task, and sentence on all tasks that have it."""
_FLAGS = {
    "no clusters found": "No clusters were found in {}.",
    "two answers": "A second answer is possible in {}, but it is the worse bet: where classes were "
    f"known it was the better one in {changes.SECOND_ANSWERS.better} of "
    f"{changes.SECOND_ANSWERS.all} cases.",
    "made of its own runs": "In {} the answer was made of the data set's own runs only.",
    "left out of sharing": "Left out of sharing: {}.",
    "worse by the true classes": "Measured against the true classes, {} became worse: believe the "
    "classes, not the criteria.",
}
"""Warning label of a task -> sentence on all tasks that have it."""
_POOLS = {
    "own": "its own runs",
    "all": "all runs",
    "joint": "runs on several data sets",
}
_ALONE = (
    "Every data set has the clusters that it finds by itself; the other data sets offered no "
    "better ones."
)


@dataclass(frozen=True)
class CrossTable:
    """Contingency table of two clusterings of one task.

    Attributes
    ----------
    kinds : (k,) the matched group of each cluster of the answer
    counts : (k, l) rows of each in each cluster of the second answer; columns are ordered so that
        clusters that share most rows stand on the diagonal
    """

    kinds: list[int]
    counts: list[list[int]]


@dataclass(frozen=True)
class SharingEffect:
    """Change of one task's answer that the other tasks caused.

    Attributes
    ----------
    task : its name
    record : its record in the model's `guard_`
    tone : what supports the change, see `changes.change_record`; "kept" or "same" without one
    shared : True if runs that use other tasks took part
    ids : names in the source of the rows on which the two answers differ, at most `_LISTED`
    second : the answer crossed with a second, less supported one, or None
    worse : True if the true classes are known, and more rows are right by itself
    """

    task: str
    record: dict[str, Any]
    tone: str
    shared: bool
    ids: list[str]
    second: CrossTable | None
    worse: bool = False

    @property
    def changed(self) -> int:
        """Number of rows that changed their cluster."""
        return len(self.record["changed_rows"])

    @property
    def named(self) -> list[str]:
        """Short names of the first rows that changed."""
        return [canvas.plain(name, _WIDE) for name in self.ids[:_NAMED]]

    @property
    def summary(self) -> str:
        """Label of the change: what supports it, or that clusters were kept or are the same."""
        return _TONES[self.tone][0]

    @property
    def pool(self) -> str:
        """Description in words of the runs that were combined to the answer."""
        return _POOLS[self.record["source"]]

    @property
    def has_agreement(self) -> bool:
        """True if agreement with other tasks is high enough to be a criterion."""
        return bool(self.record["has_cross_task_support"])

    @property
    def flags(self) -> list[str]:
        """Short warning labels for the task's line."""
        own = self.record["own_runs_only"]
        raised = {
            "no clusters found": not self.record["has_clusters"],
            "two answers": self.record["has_second_answer"],
            "made of its own runs": self.shared and own and self.tone != "kept",
            "left out of sharing": not self.shared,
            "worse by the true classes": self.worse,
        }
        return [flag for flag in _FLAGS if raised[flag]]


def effects(page: Page) -> list[SharingEffect]:
    """Return the effect of sharing on each task; [] if the method does not choose among runs."""
    # With views no other data set helps: `view_evidence` says what was joined.
    if page.evidence is None or isinstance(page.study.model, facets.HasViewEvidence):
        return []
    both = compared(page)
    return [
        SharingEffect(
            task=str(record["task"]),
            record=record,
            tone=_tone(record),
            shared=not both or bool(np.isfinite(record["agreement_with_joint_runs"])),
            ids=[str(name) for name in page.study.data.row_ids[record["changed_rows"][:_LISTED]]],
            second=_second(page, str(record["task"])),
            worse=_worse(page, str(record["task"])),
        )
        for record in page.evidence.guard_
    ]


def _worse(page: Page, task: str) -> bool:
    """True if, by known true classes, the own answer is better than the chosen one."""
    if page.study.data.target is None:
        return False
    accuracy = {r.name: r.scores.get("accuracy", {}).get(task) for r in page.study.results}
    own = accuracy.get("alone")
    answer = accuracy.get("together")
    return own is not None and answer is not None and answer < own


def compared(page: Page) -> bool:
    """True if runs that use other tasks took part, so that two answers exist."""
    return page.evidence is not None and any(r["joint"] for r in page.evidence.evidence_)


def title(page: Page) -> str:
    """Heading of the section on sharing, also in the list of contents."""
    return "What the other data sets changed" if compared(page) else "How clear the clusters are"


def criteria(found: list[SharingEffect]) -> dict[str, str]:
    """Return {criterion: title} of the criteria that count in at least one task."""
    if any(effect.has_agreement for effect in found):
        return TITLES
    return {"modularity": TITLES["modularity"]}


def _tone(record: dict[str, Any]) -> str:
    """Return the support of a change as in `changes.change_record`, or "kept" or "same".

    >>> record = {"changed_rows": [3], "refused_rows": [], "support": "shape"}
    >>> _tone(record), _tone({**record, "changed_rows": []})
    ('shape', 'same')
    """
    if not len(record["changed_rows"]):
        return "kept" if len(record["refused_rows"]) else "same"
    return str(record["support"])


def _second(page: Page, task: str) -> CrossTable | None:
    """Contingency table of a task's answer and its second answer, or None."""
    answers = {str(name): labels for name, labels in page.study.model.second_labels_.items()}
    if task not in answers:
        return None
    second = answers[task]
    mine = sorted(page.clusters_of(task), key=lambda cluster: cluster.group)
    place = np.searchsorted(page.rows[task], np.concatenate([c.rows for c in mine]))
    lines = np.repeat(np.arange(len(mine)), [c.size for c in mine])
    counts = np.zeros((len(mine), int(second.max()) + 1), dtype=int)
    np.add.at(counts, (lines, second[place]), 1)
    # Each column moves to the line it shares most rows with, one to one; others stand last.
    like = matching.assignment(counts.T.astype(float))
    order = np.argsort(np.where(like < 0, len(mine), like), kind="stable")
    return CrossTable([c.group for c in mine], counts[:, order].tolist())


def sentences(page: Page, found: list[SharingEffect]) -> list[str]:
    """Sentences about the changes in all tasks, and about doubts."""
    said = moves(page, found)
    flagged = [(text, [e.task for e in found if flag in e.flags]) for flag, text in _FLAGS.items()]
    said += [text.format(data_sets(names)) for text, names in flagged if names]
    if known := sum(effect.record["known_rows"] for effect in found):
        said.append(f"{count(known, 'known label')} helped to choose the answer.")
    return said


def moves(page: Page, found: list[SharingEffect]) -> list[str]:
    """Sentences about how many rows changed in which tasks, and about refused changes."""
    if not found or len(page.tasks) == 1:
        return []
    if not compared(page):
        return [_ALONE]
    n = sum(effect.record["n_rows"] for effect in found)
    changed = sum(effect.changed for effect in found)
    # Where nothing changed at all, the first sentence says so of every task.
    tones = [tone for tone in _TONES if changed or tone != "same"]
    shown = [(_TONES[tone][1], [e.task for e in found if e.tone == tone]) for tone in tones]
    return [
        _changed(changed, n),
        *(text.format(data_sets(names)) for text, names in shown if names),
    ]


def _changed(changed: int, n: int) -> str:
    """Sentence on how many of n rows sharing put in another cluster."""
    if not changed:
        return "With and without the other data sets the clusters are the same."
    verb = "is" if changed == 1 else "are"
    return (
        f"Because of the other data sets, {changed:,} of {count(n, 'row')} {verb} in another "
        "cluster than each data set has by itself."
    )


def picture(page: Page, found: list[SharingEffect]) -> str:
    """Plot (SVG) of the criteria of own and chosen answer, one line per task; "" if none."""
    if not found:
        return ""
    shown = criteria(found)
    both = compared(page)

    def draw(figure: Figure) -> None:
        figure.set_layout_engine("constrained", wspace=0.08)
        panels = figure.subplots(1, len(shown), sharey=True, squeeze=False)[0]
        for axes, name in zip(panels, shown, strict=True):
            _draw_criterion(axes, name, found)
        canvas.name_lines(panels[0], [effect.task for effect in found])
        keys = [
            panels[0].scatter([], [], label="by itself", s=46, linewidths=1.6, **_OWN),
            panels[0].scatter([], [], label="answer", s=46, **_ANSWER),
            Patch(facecolor=_CHANCE, label="could be chance"),
        ]
        canvas.legend(figure, 3, handles=keys if both else keys[1:], handletextpad=0.4)

    return canvas.svg(
        draw,
        name="sharing",
        title="How clear the answer of each data set is",
        description=" ".join(sentences(page, found)),
        width=4.8 if len(shown) < len(TITLES) else 7.5,
        height=1.15 + 0.36 * len(found),
    )


def _draw_criterion(axes: Axes, name: str, found: list[SharingEffect]) -> None:
    """Draw one criterion for all tasks: a line from the own to the chosen answer."""
    both = np.array([(e.record[f"own_{name}"], e.record[name]) for e in found], dtype=float)
    if name == "cross_task_agreement":
        both[[not effect.has_agreement for effect in found]] = np.nan
    own, answer = both.T
    places = np.arange(len(found))
    axes.margins(x=0.1)
    axes.hlines(places, own, answer, color=canvas.EDGE, lw=2, zorder=2)
    axes.scatter(own, places, s=52, linewidths=1.6, zorder=3, **_OWN)
    axes.scatter(answer, places, s=46, zorder=4, **_ANSWER)
    if name == "modularity":
        _draw_chance(axes, np.array([max(e.record["null_modularity"], 0.0) for e in found]))
    left, right = axes.get_xlim()
    # Widen a narrow scale around its middle, but not past the largest value possible.
    span = max(right - left, _LEAST_SPAN)
    right = min((left + right + span) / 2, max(right, _SCALE_END))
    axes.set_xlim(right - span, right)
    axes.set_title(TITLES[name], size=9, color=canvas.INK)
    axes.locator_params(axis="x", nbins=4)
    axes.grid(axis="x")
    canvas.quiet_axis(axes)


def _draw_chance(axes: Axes, levels: np.ndarray) -> None:
    """Shade the range below the null level, reached without clusters."""
    axes.update_datalim([(level, 0.0) for level in levels])
    axes.autoscale_view()
    low = min(0.0, axes.get_xlim()[0])
    places = np.arange(len(levels))
    axes.barh(places, levels - low, left=low, height=0.66, color=_CHANCE, zorder=1)
    axes.set_xlim(left=low)
