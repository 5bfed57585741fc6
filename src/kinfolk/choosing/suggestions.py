"""Suggested numbers of clusters of one or all tasks, their sentences and command-line option."""

import html
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from kinfolk.arguments import spelled
from kinfolk.profiles.names import data_set

SURE = "sure"
LIKELY = "likely"
GUESS = "a guess"

SURE_ROWS = 60
"""Fewest rows of a task for a sure number; with fewer only the largest groups can be seen."""


@dataclass(frozen=True)
class Suggestion:
    """Suggested number of clusters of one task, with an interval and the evidence.

    Attributes
    ----------
    task : its name
    number : suggested, >= 1
    low, high : the interval
    confidence : "sure", "likely" or "a guess"
    first, second : the numbers that agreement of halves and gap, or clearness, prefer
    sign : the criteria
    curve : one record per number tried: clusters; agreement, and error, the standard deviation of
        its mean; gap and other_tasks, or clearness
    third : the number that the other tasks prefer, of measurements that of a mixture; or None
    also : a second number whose clusters divide those of the first, or are divided by them; None

    Examples
    --------
    >>> found = Suggestion("a", 3, 2, 4, "a guess", 2, 4, "", [])
    >>> found.sentence
    '3 clusters, 2 to 4 (a guess).'
    """

    task: Any
    number: int
    low: int
    high: int
    confidence: str
    first: int
    second: int
    sign: str
    curve: list[dict[str, float]]
    third: int | None = None
    also: int | None = None

    @property
    def sentence(self) -> str:
        """Return the suggested number, its interval and confidence as a sentence."""
        clusters = "cluster" if self.number == 1 else "clusters"
        second = f" or {self.also}" if self.also is not None else ""
        between = f", {self.low} to {self.high}" if self.low < self.high else ""
        return f"{self.number}{second} {clusters}{between} ({self.confidence})."

    def record(self) -> dict[str, Any]:
        """Return all fields but the curve of criteria as a dict."""
        return {name: value for name, value in vars(self).items() if name != "curve"}


class Suggestions(Sequence[Suggestion]):
    """One suggestion per task, in the order of the tasks; shown as a table in notebooks."""

    def __init__(self, suggestions: Sequence[Suggestion]) -> None:
        self._all = list(suggestions)

    @property
    def numbers(self) -> dict[Any, int]:
        """Return {task: suggested number}, as the parameter `n_clusters` takes it."""
        return {s.task: s.number for s in self._all}

    def table(self) -> list[dict[str, Any]]:
        """Return one record (a dict) per task, for a data frame."""
        return [s.record() for s in self._all]

    @overload
    def __getitem__(self, place: int) -> Suggestion: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Suggestion]: ...
    def __getitem__(self, place: int | slice) -> Suggestion | Sequence[Suggestion]:
        return self._all[place]

    def __len__(self) -> int:
        return len(self._all)

    def __repr__(self) -> str:
        return "\n".join(f"{s.task}: {s.sentence}" for s in self._all)

    def _repr_html_(self) -> str:
        """Return an HTML table of the suggestions for notebooks."""
        heads = ("task", "clusters", "or", "interval", "confidence", "the criteria")
        rows = [
            (s.task, s.number, _or_dash(s.also), f"{s.low} to {s.high}", s.confidence)
            + (f"{s.first}, {s.second}, {_or_dash(s.third)}",)
            for s in self._all
        ]
        lines = [_line("th", heads), *(_line("td", row) for row in rows)]
        return f"<table>{''.join(lines)}</table>"


def _line(tag: str, cells: Iterable[Any]) -> str:
    """Return one row of an HTML table from its cells, with special characters escaped."""
    return f"<tr>{''.join(f'<{tag}>{html.escape(str(c))}</{tag}>' for c in cells)}</tr>"


def _or_dash(number: int | None) -> str:
    return "–" if number is None else str(number)


def chosen(suggestions: Suggestions) -> tuple[list[int], str]:
    """Return the suggested numbers (T,), used if `n_clusters="auto"`, and a note for the user.

    >>> chosen(Suggestions([Suggestion("a", 3, 2, 4, "a guess", 2, 4, "", [])]))
    ([3], "n_clusters='auto' took 3 for a (a guess, 2 to 4). No criterion is always right: see
    suggestions_ of the model, and give numbers that mean something to you. A guess may be far off:
    for fewer, larger groups begin with n_clusters=2.")
    """
    said = ", ".join(
        f"{s.number} for {data_set(s.task)} "
        f"({s.confidence}{f', {s.low} to {s.high}' * (s.low < s.high)})"
        for s in suggestions
    )
    auto = spelled("--clusters auto", "n_clusters='auto'")
    where = spelled("`kinfolk suggest`", "suggestions_ of the model")
    note = (
        f"{auto} took {said}. No criterion is always right: see {where}, and give numbers that "
        "mean something to you."
    )
    fewer = {s.task: s.low if s.confidence == GUESS else s.number for s in suggestions}
    if fewer != suggestions.numbers:
        note += (
            " A guess may be far off: for fewer, larger groups begin with "
            f"{spelled(f'--clusters {clusters_option(fewer)}', _argument(fewer))}."
        )
    return list(suggestions.numbers.values()), note


def _argument(numbers: Mapping[Any, int]) -> str:
    """Format numbers of clusters by task as the argument `n_clusters`.

    >>> _argument({"IT": 4, "PT": 3}), _argument({"IT": 4, "PT": 4})
    ("n_clusters={'IT': 4, 'PT': 3}", 'n_clusters=4')
    """
    one = len(set(numbers.values())) == 1
    return f"n_clusters={next(iter(numbers.values())) if one else dict(numbers)}"


def clusters_option(numbers: Mapping[Any, int]) -> str:
    """Format numbers of clusters by task for --clusters, the most frequent one only once.

    >>> clusters_option({"IT": 4, "PT": 3, "DE": 4})
    '4,PT=3'
    """
    times = Counter(numbers.values())
    common, most = times.most_common(1)[0]
    if most == 1 and len(times) > 1:
        return shlex.quote(",".join(f"{task}={number}" for task, number in numbers.items()))
    others = [f"{task}={number}" for task, number in numbers.items() if number != common]
    return shlex.quote(",".join([str(common), *others]))
