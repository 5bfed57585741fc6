"""Each data set's answer beside the one it has by itself, told in words, numbers and rows.

Without true classes nobody can prove that help helped. Two signs chose the answer, and are shown
for it and for the own one: how far rows and their nearest rows share a cluster, beside the level
that a table without clusters reaches; and how far the clusters that other data sets have by
themselves divide the rows in the same way. And there are the rows that changed, which somebody can
look up.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from kinfolk.choosing import changes
from kinfolk.numerics import matching
from kinfolk.report import canvas, findings, groups
from kinfolk.report.study import Study

SIGNS = {"modularity": "Neighbours", "echo": "Echo"}
"""What speaks for an answer, by its name in the model's `guard_`."""

_NAMED = 10
"""Rows that are named at once; more would hide the sentence above them."""
_WIDE = 26
"""Letters of a row's name that are shown at once: two to a line of a card."""
_LISTED = 2000
"""Rows that are named when asked for; who needs more reads labels.csv."""

_OWN: dict[str, Any] = {"marker": "o", "facecolors": "white", "edgecolors": "#e69f00"}
_ANSWER: dict[str, Any] = {"marker": "D", "color": "#0072b2"}
"""As in the contest of all ways: "alone" and "together"."""

_CHANCE = "#dfe4ea"
_MOST = 1.03
"""Where a scale ends that is widened: no sign is above 1."""
_SPAN = 0.2
"""The least width of a scale, so that a small difference looks small."""

_TONES = {
    "better": ("signs for the change", "The signs are for the change in {}."),
    "mixed": ("no clear sign", "There is no clear sign for or against the change in {}."),
    "worse": ("signs against the change", "The signs are against the change in {}."),
    "same": ("nothing changed", "Nothing changed in {}."),
}
_FLAGS = {
    "no clusters found": "No clusters were found in {}.",
    "two answers": "Two answers are equally well supported in {}.",
    "its own runs stand": "In {} more speaks for the data set's own runs.",
    "left out of sharing": "Left out of sharing: {}.",
}
_CROWDS = {"own": "its own runs", "all": "all runs", "joint": "runs that see several"}
_ALONE = "No run saw more than one data set, so there is nothing to compare the answer with."


@dataclass(frozen=True)
class Crossing:
    """Two answers for one task.

    Attributes
    ----------
    kinds : (k,) the kind of each cluster of the answer
    counts : (k, l) rows of each in each cluster of the second answer, most alike first
    """

    kinds: list[int]
    counts: list[list[int]]


@dataclass(frozen=True)
class Card:
    """What is said of one task.

    Attributes
    ----------
    task : its name
    record : its record in the model's `guard_`
    tone : "better", "worse", "mixed" or "same": what the signs say of the change
    shared : whether runs that see other data sets took part
    ids : what the source calls the rows on which the two answers differ, at most `_LISTED`
    crossing : the answer and a second one that is as well supported, or None
    """

    task: str
    record: dict[str, Any]
    tone: str
    shared: bool
    ids: list[str]
    crossing: Crossing | None

    @property
    def changed(self) -> int:
        """How many rows differ."""
        return len(self.record["rows"])

    @property
    def named(self) -> list[str]:
        """The first of these rows, in short."""
        return [canvas.plain(name, _WIDE) for name in self.ids[:_NAMED]]

    @property
    def verdict(self) -> str:
        """What the signs say, in a few words."""
        return _TONES[self.tone][0]

    @property
    def crowd(self) -> str:
        """The runs among which the best made the answer."""
        return _CROWDS[self.record["source"]]

    @property
    def echoed(self) -> bool:
        """Whether other data sets were asked, and had anything to say."""
        return bool(self.record["heard"])

    @property
    def flags(self) -> list[str]:
        """What a reader must not overlook, where data sets are compared."""
        own = self.shared and self.record["own_stands"]
        raised = not self.record["clusters"], self.record["second"], own, not self.shared
        return [flag for flag, up in zip(_FLAGS, raised, strict=True) if up]


def of(study: Study) -> list[Card]:
    """Return a card for each task; none if the method guards nothing."""
    both = compared(study)
    return [
        Card(
            task=str(record["task"]),
            record=record,
            tone=_tone(record),
            shared=not both or bool(np.isfinite(record["agree_joint"])),
            ids=[str(name) for name in study.data.row_ids[record["rows"][:_LISTED]]],
            crossing=_crossing(study, str(record["task"])),
        )
        for record in getattr(study.model, "guard_", [])
    ]


def compared(study: Study) -> bool:
    """Return whether runs that see other data sets took part, so that there are two answers."""
    return any(record["joint"] for record in getattr(study.model, "evidence_", []))


def signs(cards: list[Card]) -> dict[str, str]:
    """Return the titles of the signs that say something of a task."""
    echoed = any(card.echoed for card in cards)
    return {sign: title for sign, title in SIGNS.items() if echoed or sign != "echo"}


def _tone(record: dict[str, Any]) -> str:
    if not len(record["rows"]):
        return "same"
    signs = changes.telling(record)
    up = any(record[sign] > record[f"own_{sign}"] for sign in signs)
    down = any(record[sign] < record[f"own_{sign}"] for sign in signs)
    return "mixed" if up == down else "better" if up else "worse"


def _crossing(study: Study, task: str) -> Crossing | None:
    """How the rows of a task fall into the clusters of both answers."""
    second = {str(name): labels for name, labels in study.model.second_labels_.items()}.get(task)
    if second is None:
        return None
    mine = [c for members in groups.by_group(study).values() for c in members if c.task == task]
    place = np.searchsorted(groups.rows(study, task), np.concatenate([c.rows for c in mine]))
    lines = np.repeat(np.arange(len(mine)), [c.size for c in mine])
    counts = np.zeros((len(mine), int(second.max()) + 1), dtype=int)
    np.add.at(counts, (lines, second[place]), 1)
    like = matching.assignment(counts.T.astype(float))
    order = np.argsort(np.where(like < 0, len(mine), like), kind="stable")
    return Crossing([c.group for c in mine], counts[:, order].tolist())


def sentences(study: Study) -> list[str]:
    """Return how many rows the others changed, and what the signs say of it in which tasks."""
    cards = of(study)
    if not cards:
        return []
    n, changed = sum(c.record["n_rows"] for c in cards), sum(c.changed for c in cards)
    said = [_changed(changed, n) if compared(study) else _ALONE]
    told = {s: [c.task for c in cards if c.tone == tone] for tone, (_, s) in _TONES.items()}
    flagged = {s: [c.task for c in cards if flag in c.flags] for flag, s in _FLAGS.items()}
    shown = {**(told if changed else {}), **flagged}
    said += [s.format(findings.listing(names)) for s, names in shown.items() if names]
    if known := sum(card.record["known"] for card in cards):
        said.append(f"{findings.count(known, 'known label')} took part in the choice.")
    return said


def _changed(changed: int, n: int) -> str:
    if not changed:
        return "With and without the other data sets the clusters are the same."
    return (
        f"With the other data sets in view, {changed:,} of {findings.count(n, 'row')} are in "
        "another cluster than without."
    )


def picture(study: Study) -> str:
    """Return the signs of both answers, a line a task; "" if the method guards nothing."""
    cards, both = of(study), compared(study)
    if not cards:
        return ""
    shown = signs(cards)

    def draw(figure: Figure) -> None:
        figure.set_layout_engine("constrained", wspace=0.08)
        panels = figure.subplots(1, len(shown), sharey=True, squeeze=False)[0]
        for axes, sign in zip(panels, shown, strict=True):
            _draw_sign(axes, sign, cards)
        labels = [canvas.plain(card.task) for card in cards]
        figure.axes[0].set_yticks(range(len(cards)), labels)
        figure.axes[0].set_ylim(len(cards) - 0.4, -0.6)
        keys = [
            figure.axes[0].scatter([], [], label="by itself", s=46, linewidths=1.6, **_OWN),
            figure.axes[0].scatter([], [], label="answer", s=46, **_ANSWER),
            Patch(facecolor=_CHANCE, label="could be chance"),
        ][0 if both else 1 :]
        legend: dict[str, Any] = {"ncols": 3, "frameon": False, "handletextpad": 0.4}
        figure.legend(handles=keys, loc="outside upper left", **legend)

    return canvas.svg(
        draw,
        name="guard",
        title="How clear the answer of each data set is",
        description=" ".join(sentences(study)),
        width=4.8 if len(shown) < len(SIGNS) else 7.5,
        height=1.15 + 0.36 * len(cards),
    )


def _draw_sign(axes: Axes, sign: str, cards: list[Card]) -> None:
    """One sign of all tasks: a line from the own answer to the one that was found."""
    both = np.array([(c.record[f"own_{sign}"], c.record[sign]) for c in cards], dtype=float)
    if sign == "echo":
        both[[not card.echoed for card in cards]] = np.nan
    own, answer = both.T
    places = np.arange(len(cards))
    axes.margins(x=0.1)
    axes.hlines(places, own, answer, color="#b4bcc5", lw=2, zorder=2)
    axes.scatter(own, places, s=52, linewidths=1.6, zorder=3, **_OWN)
    axes.scatter(answer, places, s=46, zorder=4, **_ANSWER)
    if sign == "modularity":
        levels = np.array([max(card.record["chance"], 0.0) for card in cards])
        axes.update_datalim([(level, 0.0) for level in levels])
        axes.autoscale_view()
        low = min(0.0, axes.get_xlim()[0])
        axes.barh(places, levels - low, left=low, height=0.66, color=_CHANCE, zorder=1)
        axes.set_xlim(left=low)
    left, right = axes.get_xlim()
    span = max(right - left, _SPAN)
    right = min((left + right + span) / 2, max(right, _MOST))
    axes.set_xlim(right - span, right)
    axes.set_title(SIGNS[sign], size=9, color=canvas.INK)
    axes.locator_params(axis="x", nbins=4)
    axes.grid(axis="x")
    axes.spines["left"].set_visible(False)
    axes.tick_params(length=0)
    axes.tick_params(axis="y", labelcolor=canvas.INK)
