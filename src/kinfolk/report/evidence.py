"""What speaks for every run: agreement with other runs, and how far neighbours are together.

A picture a task, in which every run is a mark: the further right, the more other ways of looking
find the same; the further up, the more rows share a cluster with their nearest rows, beyond
chance. What was kept is filled.
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
from kinfolk.report import canvas, findings, groups
from kinfolk.report.study import Study

_MOST_MARKS = 1200
"""Marks on a page above which those of runs that were not kept go without a name."""

_NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
_RULES = {
    "report": "The one for which most speaks, here and in all data sets together, was taken; where "
    "the clusters of others divide the rows in other ways, the data set's own, unless another is "
    "clearer.",
    "both": "The best of the data set's own was taken, unless rows most alike and the clusters of "
    "other data sets both spoke for another.",
}
"""How the model chooses, by its parameter `guard`."""

_LEVEL: dict[str, Any] = {"color": canvas.QUIET, "lw": 1.0, "ls": (0, (4, 3))}
_STAR: dict[str, Any] = {"marker": "*", "s": 150, "color": canvas.INK, "edgecolors": "white"}


class Family(NamedTuple):
    """One method among the candidates: its name, whether it knows of other tasks, its look."""

    name: str
    joint: bool
    colour: str

    @property
    def marker(self) -> str:
        """Round for those of one task, a diamond for those that know others."""
        return "D" if self.joint else "o"


@dataclass(frozen=True)
class Line:
    """What became of the runs of one family.

    Attributes
    ----------
    family : its name and look
    runs : how many there were
    seconds : of one run, on average
    tasks : (T,) for each task how many runs were kept, and the best score; None where none ran
    """

    family: Family
    runs: int
    seconds: float
    tasks: list[tuple[int, float] | None]


@dataclass(frozen=True)
class Panel:
    """What the picture of one task shows: the answer's record in `guard_`, and its runs."""

    task: str
    answer: dict[str, Any]
    runs: list[dict[str, Any]]
    families: list[Family]

    @property
    def star(self) -> tuple[float, float]:
        """Agreement and modularity of the answer; a single run stands where it is.

        Families count the same in the agreement, as they do for the runs.
        """
        if self.answer["way"] == "single run":
            return next((r["agree"], r["modularity"]) for r in self.runs if r["kept"])
        sides = {r["family"]: r["joint"] for r in self.runs}.values()
        agree = [self.answer["agree_joint" if joint else "agree_own"] for joint in sides]
        return float(np.mean(agree)), self.answer["modularity"]

    @property
    def points(self) -> list[tuple[float, float]]:
        """Where there is something to see."""
        runs = [(r["agree"], r["modularity"]) for r in self.runs]
        return [*runs, self.star, (self.star[0], max(0.0, self.answer["chance"]))]


def families(study: Study) -> list[Family]:
    """Return the families that ran, those of one task first."""
    joint = {r["family"]: r["joint"] for r in getattr(study.model, "evidence_", [])}
    names = sorted(joint, key=lambda name: joint[name])
    return [Family(name, joint[name], canvas.colour(place)) for place, name in enumerate(names)]


def _records(study: Study, task: str) -> list[dict[str, Any]]:
    return [record for record in study.model.evidence_ if str(record["task"]) == task]


def sentences(study: Study) -> list[str]:
    """Return in a few sentences how the answer came about; none for a method without evidence."""
    found, tasks = families(study), groups.tasks(study)
    if not found:
        return []
    runs = findings.count(max(len(_records(study, task)) for task in tasks), "run")
    own = findings.count(sum(not family.joint for family in found), "method")
    joint = sum(family.joint for family in found)
    seen = (
        f"{own} that see one data set at a time and {joint} that see several together"
        if joint
        else f"{own} that see one data set at a time"
    )
    reasons = [
        "if runs of other methods and settings find the same clusters",
        "if rows most alike share a cluster",
    ]
    if any(record["echo"] for record in study.model.evidence_):
        reasons.append("if the clusters of another data set divide the rows in the same way")
    return [
        f"Instead of one method Kinfolk asked many: {runs} of {seen}.",
        f"A run is believed {findings.listing(reasons)}.",
        _choice(study, bool(joint)),
    ]


def _choice(study: Study, joint: bool) -> str:
    """How the answer was made of the runs that are believed."""
    single = all(record["way"] == "single run" for record in study.model.guard_)
    if not joint and single:
        return "The best run gives the answer."
    if not joint:
        return "The best runs were combined in up to three ways, and the best answer was taken."
    made = (
        "The best run of each is an answer."
        if single
        else "The best runs of each were combined in up to three ways, into nine answers at most."
    )
    return (
        "There are three crowds of runs: the data set's own, all, and those that see several "
        f"together. {made} {_RULES[study.model.guard]}"
    )


def table(study: Study) -> list[Line]:
    """Return a line for each family."""
    lines = []
    for family in families(study):
        mine = [
            [r for r in _records(study, task) if r["family"] == family.name]
            for task in groups.tasks(study)
        ]
        best = [
            (sum(r["kept"] for r in runs), max(r["score"] for r in runs)) if runs else None
            for runs in mine
        ]
        most = max(mine, key=len)
        seconds = float(np.mean([r["seconds"] for r in most]))
        lines.append(Line(family, len(most), seconds, best))
    return lines


def left_out(study: Study) -> dict[str, str]:
    """Return for each reason the families of which runs are missing, and how many."""
    reasons: dict[str, Counter[str]] = {}
    for record in getattr(study.model, "left_out_", []):
        reasons.setdefault(record["reason"], Counter())[record["family"]] += 1
    return {
        reason: findings.listing([f"{findings.count(n, 'run')} of {name}" for name, n in c.items()])
        for reason, c in reasons.items()
    }


def _look(family: Family, kept: bool) -> dict[str, Any]:
    """Kept runs are filled, others faint."""
    if kept:
        return {"marker": family.marker, "color": family.colour, "edgecolors": "white", "lw": 0.5}
    return {
        "marker": family.marker,
        "facecolors": "none",
        "edgecolors": family.colour,
        "alpha": 0.45,
    }


def pictures(study: Study) -> dict[str, str]:
    """Return for each task all runs by agreement and modularity, all on the same scales."""
    found = families(study)
    if not found:
        return {}
    answers = {str(record["task"]): record for record in study.model.guard_}
    panels = [
        Panel(task, answers[task], _records(study, task), found) for task in groups.tasks(study)
    ]
    frame = np.array([point for panel in panels for point in panel.points])
    named = len(frame) <= _MOST_MARKS
    return {
        panel.task: _picture(panel, t, len(panels), frame, named) for t, panel in enumerate(panels)
    }


def _picture(panel: Panel, place: int, many: int, frame: Matrix, named: bool) -> str:
    """One of many tasks; frame (m, 2) are the points of all."""
    name, titles = f"evidence-{place}", dict[str, list[str]]()

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        if panel.answer["chance"] >= 0:
            axes.axhline(panel.answer["chance"], **_LEVEL)
        for kept, family in itertools.product((False, True), panel.families):
            runs = [r for r in panel.runs if (r["family"], r["kept"]) == (family.name, kept)]
            if not runs:
                continue
            group = f"{family.name}-{'kept' if kept else 'left'}"
            titles[f"{name}-{group}"] = [_title(r) if kept or named else "" for r in runs]
            x, y = [r["agree"] for r in runs], [r["modularity"] for r in runs]
            axes.scatter(x, y, s=30, gid=group, zorder=3 if kept else 2, **_look(family, kept))
        axes.scatter(*panel.star, zorder=4, **_STAR)
        _frame(axes, frame)

    wide = min(4.8, max(2.6, 9.6 / many))
    drawn = canvas.svg(
        draw,
        name=name,
        title=f"All runs on {canvas.plain(panel.task)}, by agreement and neighbours",
        description=panel.answer["meaning"],
        width=wide,
        height=1.0 + 0.5 * wide,
    )
    return _named(drawn, titles)


def _frame(axes: Axes, frame: Matrix) -> None:
    low, high = frame.min(axis=0), frame.max(axis=0)
    margin = 0.06 * np.where(high > low, high - low, 1)
    axes.set(xlim=(low[0] - margin[0], high[0] + margin[0]))
    axes.set(ylim=(low[1] - margin[1], high[1] + margin[1]))
    axes.set(xlabel="agreement with other runs", ylabel="neighbours together")
    axes.locator_params(nbins=5)
    axes.grid()
    axes.tick_params(length=0)


def _title(record: dict[str, Any]) -> str:
    """What is said of a run under the pointer."""
    setting = f" ({record['setting']})" if record["setting"] else ""
    return f"{record['family']}{setting} on {record['space']}, start {record['start'] + 1}"


def _named(drawn: str, titles: dict[str, list[str]]) -> str:
    """Give marks their titles, and say what all marks of a group have in common once."""
    root = ElementTree.fromstring(drawn.replace(_NAMESPACE, "", 1))
    for group in root.iter("g"):
        # Few hollow diamonds are written out one by one; other marks refer to one shape.
        marks = group.findall(".//use") or group.findall(".//path")
        for mark, title in zip(marks, titles.get(group.get("id", ""), ()), strict=False):
            group.set("style", mark.attrib.pop("style"))
            for axis in {"x", "y"}.intersection(mark.keys()):
                mark.set(axis, f"{float(mark.attrib[axis]):.1f}")
            if title:
                ElementTree.SubElement(mark, "title").text = title
    return ElementTree.tostring(root, encoding="unicode").replace("<svg", f"<svg{_NAMESPACE}", 1)
