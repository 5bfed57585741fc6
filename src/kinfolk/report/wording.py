"""Words for the compared strategies, for each relation between data sets."""

from collections.abc import Mapping
from dataclasses import dataclass

from kinfolk.estimators import facets
from kinfolk.report.study import Study

VIEW = "view "
"""Start of the name of a result that uses one view only; the view's name follows."""

NO_BREAK = "\N{NO-BREAK SPACE}"
"""Between a number and its unit, which stay on one line."""


@dataclass(frozen=True)
class Words:
    """Headings, names and explanations for one relation (tasks, views, ...).

    Attributes
    ----------
    question : the heading over the scores
    strategies : name of a result -> how it was found; "view …" stands for every single view
    own : name of the result that the page shows
    subject : the strategy of `own` as the subject of a sentence
    rivals : name of a result -> how a sentence calls it where its name alone would be unclear
    baseline : the result that the gain is measured from: "alone", `VIEW` (the best one), "" for
        no gain
    """

    question: str
    strategies: dict[str, str]
    own: str
    subject: str
    rivals: dict[str, str]
    baseline: str = "alone"


_K_MEANS = {"k-means alone": "plain k-means, for comparison"}
_TASKS = Words(
    question="Alone, pooled or together: which clusters are better?",
    strategies={
        "alone": "each data set by itself",
        "pooled": "all rows in one table, as if they were one data set",
        "together": "each data set keeps its own clusters and learns from the others",
        **_K_MEANS,
    },
    own="together",
    subject="clustering together",
    rivals={"alone": "each data set alone", "pooled": "all rows pooled"},
)
_ONE = Words(
    question="How this method compares with others",
    strategies={**_TASKS.strategies, "alone": "each data set by itself, as shown on this page"},
    own="alone",
    subject="clustering each data set by itself",
    rivals={"pooled": "all rows pooled"},
    baseline="",
)
_VIEWS = Words(
    question="One view or all views together: which clusters are better?",
    strategies={
        "view …": "the method uses only the columns of that view",
        "pooled": "all columns side by side as if they were one view",
        "together": "all views are used, each with its weight",
        **_K_MEANS,
    },
    own="together",
    subject="clustering with all views together",
    rivals={"pooled": "all columns as one view", "k-means alone": "k-means on all columns"},
    baseline=VIEW,
)
_KNOWLEDGE = Words(
    question="With or without the other site's centres: which clusters are better?",
    strategies={
        "alone": "each data set without the other site's centres",
        "together": "the same, drawn towards the other site's centres",
        **_K_MEANS,
    },
    own="together",
    subject="clustering with the other site's centres",
    rivals={"alone": "the same without them", "k-means alone": "k-means without them"},
)
_LABELS = Words(
    question="With or without the known labels: which clusters are better?",
    strategies={
        "alone": "each data set clustered by itself, as if no label were known",
        "together": "known labels are kept, and the other rows learn from them",
        **_K_MEANS,
    },
    own="together",
    subject="clustering with the known labels",
    rivals={"alone": "each data set without labels", "k-means alone": "k-means without labels"},
)
_METHODS = Words(
    question=_TASKS.question,
    strategies={
        "alone": "the best-scored answer of runs on that data set by itself",
        "pooled": "k-means on all rows in one table, as if they were one data set",
        "together": "the best-scored answer of all runs, on one data set or on several together",
        **_K_MEANS,
    },
    own="together",
    subject="the answer chosen from all methods",
    rivals={"alone": "the answer of each data set alone", "pooled": "k-means on all rows pooled"},
)
_METHODS_IN_VIEWS = Words(
    question=_VIEWS.question,
    strategies={
        "alone": "the view that the others support best, by itself",
        "view …": "the best-scored answer of runs on that view by itself",
        "pooled": "k-means on all columns side by side, as they are",
        "together": "the views that support each other, joined; others are left out",
        **_K_MEANS,
    },
    own="together",
    subject="the answer from all views",
    rivals={
        "alone": "the best supported view alone",
        "pooled": "k-means on all columns",
        "k-means alone": "k-means on all columns, scaled",
    },
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
    """Return headings, names and explanations for the relation between a study's data sets."""
    if isinstance(study.model, facets.HasViewEvidence):
        return _METHODS_IN_VIEWS
    return _WORDS[str(study.relation)]


def explanations(study: Study) -> dict[str, str]:
    """Explain how each strategy's clusters were found; "view …" stands for any single view."""
    present = {"view …" if r.name.startswith(VIEW) else r.name for r in study.results}
    return {name: text for name, text in words(study).strategies.items() if name in present}


def baselines(study: Study) -> list[str]:
    """Names of the results whose best score is the baseline for the gain."""
    start = words(study).baseline
    names = [result.name for result in study.results]
    return [name for name in names if name == start or (start == VIEW and name.startswith(VIEW))]


def gain(study: Study) -> str:
    """Return how the gain is defined, such as "together − alone"; "" without a baseline."""
    start = words(study).baseline
    if not baselines(study):
        return ""
    return f"together − {'best view' if start == VIEW else start}"


def names(study: Study) -> Mapping[int, str]:
    """Return the names that the user gave to kinds (groups of matched clusters), by number."""
    return study.names


def kind(study: Study, group: int) -> str:
    """Return the name of a kind (group of matched clusters), or "kind 3" without a name."""
    return names(study).get(group, f"kind {group}")


def count(number: int, noun: str, nouns: str = "") -> str:
    """Format a number with its noun, in the plural form if needed.

    >>> count(1, "row"), count(2000, "row"), count(2, "class", "classes")
    ('1 row', '2,000 rows', '2 classes')
    """
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def percent(share: float) -> str:
    """Format a share as a percentage; values above 0 are never shown as 0.

    >>> percent(0.347).replace(NO_BREAK, " "), percent(0.004).replace(NO_BREAK, " ")
    ('35 %', '<1 %')
    """
    text = f"{share:.0%}"
    return ("<1%" if text == "0%" and share > 0 else text).replace("%", f"{NO_BREAK}%")


def listing(names: list[str]) -> str:
    """Join names to a list in words.

    >>> listing(["a", "b", "c"])
    'a, b and c'
    >>> listing(["a"])
    'a'
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def decimal(value: float, digits: int, sign: str = "") -> str:
    """Format a number with a typographic minus, "–" for nan; `sign` "+" forces a sign.

    >>> decimal(-0.125, 2), decimal(3.0, 1, "+"), decimal(float("nan"), 1)
    ('−0.12', '+3.0', '–')
    """
    if value != value:
        return "–"
    return f"{value + 0.0:{sign}.{digits}f}".replace("-", "−")  # + 0.0 turns -0.0 into 0.0
