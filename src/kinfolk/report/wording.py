"""Words for strategies, by the relation of data sets, and formats of counts and numbers."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from kinfolk.estimators import facets
from kinfolk.profiles.names import data_sets as data_sets
from kinfolk.profiles.names import listing as listing
from kinfolk.report.study import Study

VIEW = "view "
"""Start of the name of a result that uses one view only; the view's name follows."""

NO_BREAK = "\N{NO-BREAK SPACE}"
"""Space between a number and its unit that keeps them on one line."""


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
    baseline: str


def _read() -> dict[str, Words]:
    """Read the words for each relation from `wording.toml`."""
    text = resources.files(__package__).joinpath("wording.toml").read_text(encoding="utf-8")
    return {relation: Words(**facts) for relation, facts in tomllib.loads(text).items()}


_WORDS = _read()


def words(study: Study) -> Words:
    """Return headings, names and explanations for the relation between a study's data sets."""
    of_views = isinstance(study.model, facets.HasViewEvidence)
    return _WORDS["several methods of views" if of_views else str(study.relation)]


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


def decimal(value: float, digits: int, sign: str = "") -> str:
    """Format a number with a typographic minus, "–" for nan; `sign` "+" forces a sign.

    >>> decimal(-0.125, 2), decimal(3.0, 1, "+"), decimal(float("nan"), 1)
    ('−0.12', '+3.0', '–')
    """
    if value != value:
        return "–"
    # "z": what is rounded to zero has no minus.
    return f"{value:{sign}z.{digits}f}".replace("-", "−")


def told_together(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """Sentences of records with "task" and "meaning", tasks with the same meaning together.

    >>> told_together([{"task": t, "meaning": "Nothing changed."} for t in "abc"])
    ['a, b and c: Nothing changed.']
    """
    told: dict[str, list[str]] = {}
    for record in records:
        told.setdefault(record["meaning"], []).append(str(record["task"]))
    return [f"{data_sets(tasks, start=True)}: {meaning}" for meaning, tasks in told.items()]
