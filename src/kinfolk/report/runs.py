"""Tables and pictures of all runs behind an answer, with scores and the runs kept.

One picture for each task, one mark for each run. To the right agreement with other runs grows,
upwards modularity: the share of most similar rows in one cluster, beyond chance. Marks of kept
runs are filled.
"""

import itertools
from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kinfolk.arrays import Matrix
from kinfolk.choosing.decision import CAUTIOUS_EVIDENCE
from kinfolk.estimators import facets
from kinfolk.report import canvas
from kinfolk.report.content import Page
from kinfolk.report.wording import count, listing

_MOST_MARKS = 1200
"""Marks on a page above which only kept runs carry their name, to keep the file small."""

_MOST_WARNINGS = 8
"""Different warnings shown; a descent names its sweep and values, so texts rarely repeat."""

_NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
_RULES = {
    "report": "The candidate with the best scores, in its data set and in all data sets together, "
    "is the answer where the clusters that the other data sets have by themselves support it in "
    "both directions; else the data set keeps the answer it has without their clusters.",
    "both": "The candidate with the best scores is the answer where the clusters that the other "
    "data sets have by themselves support it in both directions, with an evidence above "
    f"{CAUTIOUS_EVIDENCE}; else the best of the data set's own candidates is.",
}
"""Parameter `guard` of the model -> sentence on its rule for choosing an answer."""

_LEVEL: dict[str, Any] = {"color": canvas.QUIET, "lw": 1.0, "ls": (0, (4, 3))}
_STAR: dict[str, Any] = {"marker": "*", "s": 150, "color": canvas.INK, "edgecolors": "white"}


class RunMethod(NamedTuple):
    """A method among the runs: name, True if it uses several tasks, and color.

    >>> RunMethod("mec", False, "#e69f00").marker, RunMethod("mtcfir", True, "#0072b2").marker
    ('o', 'D')
    """

    name: str
    joint: bool
    color: str

    @property
    def marker(self) -> str:
        """Marker: a circle for methods of one task, a diamond for those of several."""
        return "D" if self.joint else "o"


@dataclass(frozen=True)
class MethodLine:
    """Summary of one method's runs: one line of a table.

    Attributes
    ----------
    method : its name and look
    runs : their number
    seconds : mean time of a run
    tasks : (T,) for each task the number of kept runs and the best score; None without a run
    """

    method: RunMethod
    runs: int
    seconds: float
    tasks: list[tuple[int, float] | None]


@dataclass(frozen=True)
class TaskRuns:
    """The runs of one task, and the record of its answer."""

    task: str
    answer: dict[str, Any]
    runs: list[dict[str, Any]]

    @property
    def star(self) -> tuple[float, float]:
        """Position (agreement, modularity) of the answer in the plot of the runs.

        Methods count the same in the agreement, as they do for the runs.
        """
        if self.answer["combiner"] == "single run":
            return next((r["mean_agreement"], r["modularity"]) for r in self.runs if r["kept"])
        sides = {r["family"]: r["joint"] for r in self.runs}.values()
        agree = [
            self.answer["agreement_with_joint_runs" if joint else "agreement_with_own_runs"]
            for joint in sides
        ]
        return float(np.mean(agree)), self.answer["modularity"]

    @property
    def points(self) -> list[tuple[float, float]]:
        """Positions of all marks in the plot, with the null level."""
        runs = [(r["mean_agreement"], r["modularity"]) for r in self.runs]
        return [*runs, self.star, (self.star[0], max(0.0, self.answer["null_modularity"]))]


def methods(page: Page) -> list[RunMethod]:
    """Return the methods that ran, single-task methods first; [] without runs."""
    return methods_of(page.evidence.evidence_ if page.evidence else [])


def methods_of(records: list[dict[str, Any]]) -> list[RunMethod]:
    """Return the methods in records of runs, single-task methods first."""
    joint = {record["family"]: record["joint"] for record in records}
    # Sorting is stable: methods of one kind keep the order in which they ran.
    names = sorted(joint, key=lambda name: joint[name])
    return [RunMethod(name, joint[name], canvas.color(place)) for place, name in enumerate(names)]


def by_task(page: Page) -> list[TaskRuns]:
    """Return the runs of each task, in the page's order; [] without runs."""
    return [] if page.evidence is None else of_tasks(page.tasks, page.evidence)


def of_tasks(tasks: list[str], model: facets.HasEvidence) -> list[TaskRuns]:
    """Return the recorded runs of each task of a model."""
    found: dict[str, list[dict[str, Any]]] = {task: [] for task in tasks}
    for record in model.evidence_:
        found[str(record["task"])].append(record)
    answers = {str(record["task"]): record for record in model.guard_}
    return [TaskRuns(task, answers[task], runs) for task, runs in found.items()]


def sentences(page: Page) -> list[str]:
    """Explain in a few sentences how the answer was chosen; [] without runs."""
    found = methods(page)
    if not found:
        return []
    runs = count(max(len(task.runs) for task in by_task(page)), "run")
    own = sum(not method.joint for method in found)
    joint = sum(method.joint for method in found)
    in_views = isinstance(page.study.model, facets.HasViewEvidence)
    used = f"{count(own, 'method')} that use{'s' * (own == 1)} "
    used += f"one {'view' if in_views else 'data set'} at a time"
    if joint:
        used += f" and {joint} that use{'s' * (joint == 1)} several together"
    reasons = [
        "if runs of other methods and settings find the same clusters",
        "if the most similar rows share a cluster",
    ]
    if page.evidence and any(record["cross_task_agreement"] for record in page.evidence.evidence_):
        reasons.append("if the clusters of another data set divide the rows in the same way")
    return [
        f"Kinfolk ran many methods instead of one: {runs} of {used}.",
        f"A run has a high score {listing(reasons)}.",
        _choice(page, bool(joint)),
    ]


def _choice(page: Page, joint: bool) -> str:
    """Explain how runs with high scores, or a model of the rows, gave the answer."""
    answers = page.evidence.guard_ if page.evidence else []
    if isinstance(page.study.model, facets.HasViewEvidence):
        return (
            "The clusterings by several views and the best combination of runs on each view were "
            "combined, views with more support counting more."
        )
    combiners = {record["combiner"] for record in answers}
    single = combiners <= {"single run"}
    if combiners == {"mixture"}:
        return (
            "A mixture of bell-shaped clusters, whose shapes the rows choose, describes each data "
            "set well: its clusters are the answer."
        )
    if combiners == {"gaps"}:
        return (
            "In each data set hardly a row lies between clusters that are found by the gaps "
            "between them, whatever their shape: these are the answer."
        )
    if not joint and single:
        return "The run with the best scores is the answer."
    if not joint:
        return (
            "The best runs were combined in up to three ways; the combination with the best scores "
            "is the answer."
        )
    made = (
        "The best run of each group is a candidate."
        if single
        else "The best runs of each group were combined in up to three ways, which gives nine "
        "candidates at most."
    )
    if "shared covariance" in combiners:
        return (
            "One shape of the clusters was learned from all data sets (a mixture of Gaussians with "
            "one covariance). Where its clusters are clearer in this shape than those of the data "
            "set by itself, and clearer than chance, they are the answer; runs are scored in it."
        )
    return (
        "There are three groups of runs: the data set's own, all, and those that use several data "
        f"sets. {made} {_RULES[page.study.model.guard]}"
    )


def table(page: Page) -> list[MethodLine]:
    """Return a line per method: number of runs, mean time, kept runs, best scores."""
    lines = []
    tasks = by_task(page)
    for method in methods(page):
        mine = [[r for r in task.runs if r["family"] == method.name] for task in tasks]
        best = [
            (sum(r["kept"] for r in runs), max(r["score"] for r in runs)) if runs else None
            for runs in mine
        ]
        # A task that took no part in sharing has fewer runs than the others.
        most = max(mine, key=len)
        seconds = float(np.mean([r["seconds"] for r in most]))
        lines.append(MethodLine(method, len(most), seconds, best))
    return lines


def left_out(page: Page) -> dict[str, str]:
    """Return {reason: methods whose runs are missing, with counts}."""
    return _by_text(page.evidence.left_out_ if page.evidence else [], "reason")


def warnings(page: Page) -> dict[str, str]:
    """Return {warning: methods whose runs gave it, with counts}: eight, then the number of more."""
    found = _by_text(page.run_warnings, "message")
    more = len(found) - _MOST_WARNINGS
    if more <= 0:
        return found
    first = dict(list(found.items())[:_MOST_WARNINGS])
    return {**first, "all are in the model's run_warnings_": f"{count(more, 'more warning')}"}


def _by_text(records: list[dict[str, Any]], key: str) -> dict[str, str]:
    """Count runs by a text field and method, in words.

    >>> _by_text([{"family": "mec", "reason": "no time"}, {"family": "mec", "reason": "no time"}],
    ...          "reason")
    {'no time': '2 runs of mec'}
    """
    counted: dict[str, Counter[str]] = {}
    for record in records:
        counted.setdefault(record[key], Counter())[record["family"]] += 1
    return {
        text: listing([f"{count(n, 'run')} of {name}" for name, n in methods.items()])
        for text, methods in counted.items()
    }


def _look(method: RunMethod, kept: bool) -> dict[str, Any]:
    """Style of a mark: filled for kept runs, faint and hollow for others."""
    look: dict[str, Any] = {"marker": method.marker}
    if kept:
        return {**look, "color": method.color, "edgecolors": "white", "lw": 0.5}
    return {**look, "facecolors": "none", "edgecolors": method.color, "alpha": 0.45}


def pictures(page: Page) -> dict[str, str]:
    """Return {task: plot (SVG) of its runs by agreement and modularity}, on equal scales."""
    tasks = by_task(page)
    if not tasks:
        return {}
    frame = np.array([point for task in tasks for point in task.points])
    wide = min(4.8, max(2.6, 9.6 / len(tasks)))
    found = methods(page)
    return {
        task.task: _picture(task, found, f"runs-{place}", frame, wide)
        for place, task in enumerate(tasks)
    }


def _picture(
    task: TaskRuns, methods: list[RunMethod], name: str, frame: Matrix, wide: float
) -> str:
    """Plot (SVG) of one task's runs; frame (m, 2) has the points of all tasks."""
    titles: dict[str, list[str]] = {}
    # frame has the answer and the level of each task too; a few more do not matter.
    every = len(frame) <= _MOST_MARKS

    def draw(figure: Figure) -> None:
        for group, runs in draw_task(figure.subplots(), task, methods, frame).items():
            kept = group.endswith("-kept")
            titles[f"{name}-{group}"] = [_title(r) if kept or every else "" for r in runs]

    drawn = canvas.svg(
        draw,
        name=name,
        title=f"All runs on {canvas.plain(task.task)}, by agreement and neighbors",
        description=task.answer["meaning"],
        width=wide,
        height=1.0 + 0.5 * wide,
    )
    return _with_titles(drawn, titles)


def draw_task(
    axes: Axes, task: TaskRuns, methods: list[RunMethod], frame: Matrix
) -> dict[str, list[dict[str, Any]]]:
    """Draw one task's runs; return {id of the group of marks: records behind it}."""
    drawn = {}
    if task.answer["null_modularity"] >= 0:
        axes.axhline(task.answer["null_modularity"], **_LEVEL)
    # Kept runs last, so that their marks lie on top.
    for kept, method in itertools.product((False, True), methods):
        runs = [r for r in task.runs if (r["family"], r["kept"]) == (method.name, kept)]
        if not runs:
            continue
        group = f"{method.name}-{'kept' if kept else 'left'}"
        drawn[group] = runs
        x = [r["mean_agreement"] for r in runs]
        y = [r["modularity"] for r in runs]
        axes.scatter(x, y, s=30, gid=group, zorder=3 if kept else 2, **_look(method, kept))
    axes.scatter(*task.star, zorder=4, **_STAR)
    _scale(axes, frame)
    return drawn


def _scale(axes: Axes, frame: Matrix) -> None:
    """Set limits that hold the points (m, 2) of all tasks, axis labels and a grid."""
    (left, low), (right, high) = canvas.limits(frame)
    axes.set(xlim=(left, right), ylim=(low, high))
    axes.set(xlabel="agreement with other runs", ylabel="neighbors together")
    axes.locator_params(nbins=5)
    axes.grid()
    axes.tick_params(length=0)


def _title(record: dict[str, Any]) -> str:
    """Tooltip of a run's mark.

    >>> _title({"family": "mtcfir", "setting": "noise 0.5", "representation": "raw", "start": 0})
    'mtcfir (noise 0.5) on raw, start 1'
    """
    setting = f" ({record['setting']})" if record["setting"] else ""
    return f"{record['family']}{setting} on {record['representation']}, start {record['start'] + 1}"


def _with_titles(drawn: str, titles: dict[str, list[str]]) -> str:
    """Add tooltips to the marks of an SVG plot, and share their common style."""
    root = ElementTree.fromstring(drawn.replace(_NAMESPACE, "", 1))
    for group in root.iter("g"):
        # matplotlib writes a few hollow diamonds out as paths, and many as uses of one shape.
        marks = group.findall(".//use") or group.findall(".//path")
        for mark, title in zip(marks, titles.get(group.get("id", ""), ()), strict=False):
            group.set("style", mark.attrib.pop("style"))
            for axis in {"x", "y"}.intersection(mark.keys()):
                mark.set(axis, f"{float(mark.attrib[axis]):.1f}")
            if title:
                ElementTree.SubElement(mark, "title").text = title
    return ElementTree.tostring(root, encoding="unicode").replace("<svg", f"<svg{_NAMESPACE}", 1)
