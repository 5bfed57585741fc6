"""What the ways of clustering are called in each relation between the data sets."""

from dataclasses import dataclass

from kinfolk.report.study import Study

VIEW = "view "
"""How the name of a way begins that sees one view only; the view's name follows."""


@dataclass(frozen=True)
class Words:
    """How a report speaks of one relation.

    Attributes
    ----------
    question : the heading over the scores
    ways : contender -> what it does; "view …" stands for every view by itself
    own : the contender whose clusters the page shows
    subject : what `own` did, as the subject of a sentence
    rivals : contender -> what `own` is compared with, where its name alone would not do
    baseline : what the gain is measured from: "alone", `VIEW` (the best one), "" for no gain
    """

    question: str
    ways: dict[str, str]
    own: str
    subject: str
    rivals: dict[str, str]
    baseline: str = "alone"


_YARDSTICK = {"k-means alone": "plain k-means, the yardstick"}
_TASKS = Words(
    question="Alone, pooled, together: did the help help?",
    ways={
        "alone": "each data set by itself",
        "pooled": "all rows thrown together as if they were one data set",
        "together": "each data set keeps its own clusters and learns from the others",
        **_YARDSTICK,
    },
    own="together",
    subject="clustering together",
    rivals={"alone": "each data set alone", "pooled": "all rows pooled"},
)
_ONE = Words(
    question="Compared with other ways",
    ways={**_TASKS.ways, "alone": "each data set by itself, the clusters shown on this page"},
    own="alone",
    subject="clustering each data set by itself",
    rivals={"pooled": "all rows pooled"},
    baseline="",
)
_VIEWS = Words(
    question="One view or all views together: did the help help?",
    ways={
        "view …": "the method sees only the columns of that view",
        "pooled": "all columns side by side as if they were one view",
        "together": "all views are heard, and each counts as much as its weight says",
        **_YARDSTICK,
    },
    own="together",
    subject="clustering with all views together",
    rivals={"pooled": "all columns as one view", "k-means alone": "k-means on all columns"},
    baseline=VIEW,
)
_KNOWLEDGE = Words(
    question="With and without the other site: did its knowledge help?",
    ways={
        "alone": "each data set without the other site's centres",
        "together": "the same, drawn towards the other site's centres",
        **_YARDSTICK,
    },
    own="together",
    subject="clustering with the other site's centres",
    rivals={"alone": "the same without them", "k-means alone": "k-means without them"},
)
_LABELS = Words(
    question="With and without labels: did the labels help?",
    ways={
        "alone": "each data set clustered by itself, as if no label were known",
        "together": "known labels stay, and rows without one learn from them",
        **_YARDSTICK,
    },
    own="together",
    subject="clustering with the known labels",
    rivals={"alone": "each data set without labels", "k-means alone": "k-means without labels"},
)
_METHODS = Words(
    question="Alone, pooled, together: did the help help?",
    ways={
        "alone": "the same rule on each data set by itself",
        "pooled": "k-means on all rows thrown together as if they were one data set",
        "together": "the answer for which most speaks, of runs that see one data set or all",
        **_YARDSTICK,
    },
    own="together",
    subject="the answer of many methods",
    rivals={"alone": "each data set's own answer", "pooled": "k-means on all rows pooled"},
)
_WORDS = {
    "several tasks": _TASKS,
    "one data set": _ONE,
    "several views": _VIEWS,
    "another site's centres": _KNOWLEDGE,
    "tasks with labels": _LABELS,
    "several methods": _METHODS,
}


def words(study: Study) -> Words:
    """Return how to speak of a study's relation."""
    return _WORDS[study.relation]


def meanings(study: Study) -> dict[str, str]:
    """Return what the ways of a study do; "view …" stands for every single view."""
    told = {"view …" if c.name.startswith(VIEW) else c.name for c in study.contenders}
    return {name: what for name, what in words(study).ways.items() if name in told}


def baseline(study: Study) -> list[str]:
    """Return the names of the contenders from the best of which the gain is measured."""
    start, names = words(study).baseline, [contender.name for contender in study.contenders]
    return [name for name in names if name == start or (start == VIEW and name.startswith(VIEW))]


def gain(study: Study) -> str:
    """Return what the gain is, such as "together − alone"; "" where there is none."""
    start = words(study).baseline
    if not baseline(study):
        return ""
    return f"together − {'best view' if start == VIEW else start}"
