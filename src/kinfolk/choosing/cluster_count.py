"""Suggests the number of clusters of each task, with an interval and a degree of confidence.

The number of groups in real data is partly a matter of taste: whether "sports" is one group or two
is not in the rows. So two criteria are computed that err in opposite directions, and the suggestion
lies between the numbers a and b that they prefer (`cluster_count_criteria`):

    words (counts)   b = directions above chance
                     a = number with the best agreement of halves, among those up to b
                     number = sqrt(a b), rounded: numbers of groups compare by their ratio
    other tables     a = number with the best agreement of halves
                     b = number with the best clearness
                     number = that with the largest agreement / its maximum + clearness / its
                     maximum, because where agreement is flat it says nothing

The interval is from the smallest of the three to the largest.

    sure      both criteria prefer the same number
    likely    they differ by one
    a guess   they differ by more, or a criterion is best at the largest number tried

One cluster is suggested if neither criterion exceeds chance: no direction but the first is above
the limit of permuted tables, no silhouette above that of normal tables (by `MIN_DEVIATIONS`). That
is always a guess, because there may be clusters that these criteria do not see; the interval then
reaches to the numbers they prefer.

Units   none.
Limits  a task of fewer than 2 `ROWS_PER_CLUSTER` rows is one cluster, as a guess. One skewed group
        of measurements looks like several clusters. Of more than `MAX_ROWS` rows a sample is used.
Source  `docs/numbers.md`: what was measured, and where it fails.
"""

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from kinfolk import progress
from kinfolk.arguments import flag
from kinfolk.arrays import Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.choosing import cluster_count_criteria
from kinfolk.choosing.representations import Representations
from kinfolk.estimators import checks
from kinfolk.numerics import content_order, operators, starts
from kinfolk.tables import Tasks

# The largest number tried by default: people rarely look at more groups, and criteria become vague.
MAX_CLUSTERS = 12
# On average, at least: each half of the rows then has five of a cluster, hardly a group.
ROWS_PER_CLUSTER = 10
# Of more rows a sample: eigenvectors cost n^3, and halves of a thousand rows suffice.
MAX_ROWS = 2000
# Standard deviations above the silhouettes of normal tables: chance exceeds 3 for one number about
# once in forty tables, and the best of a dozen numbers is taken here.
MIN_DEVIATIONS = 4.0
# A criterion whose maximum is below this is 0 but for rounding.
TINY = 1e-12

FOR_WORDS = "directions and agreement of halves: words of different topics are different words"
FOR_OTHERS = "clearness and agreement of halves: groups of measured values are about round"

SURE = "sure"
LIKELY = "likely"
GUESS = "a guess"


@dataclass(frozen=True)
class Suggestion:
    """The suggested number of clusters of one task.

    Attributes
    ----------
    task : its name
    number : suggested, >= 1
    low, high : the interval
    confidence : "sure", "likely" or "a guess"
    first, second : the numbers a and b that the two criteria prefer
    sign : which criteria, and why these
    curve : one record per number tried: clusters; agreement, and error, the standard deviation of
        its mean; and either directions or clearness

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

    @property
    def sentence(self) -> str:
        """The suggestion in words."""
        clusters = "cluster" if self.number == 1 else "clusters"
        between = f", {self.low} to {self.high}" if self.low < self.high else ""
        return f"{self.number} {clusters}{between} ({self.confidence})."

    def record(self) -> dict[str, Any]:
        """Record of all fields but the curve."""
        return {name: value for name, value in vars(self).items() if name != "curve"}


class Suggestions(Sequence[Suggestion]):
    """One suggestion per task, in the order of the tasks; shown as a table in notebooks."""

    def __init__(self, suggestions: Sequence[Suggestion]) -> None:
        self._all = list(suggestions)

    @property
    def numbers(self) -> dict[Any, int]:
        """Task -> suggested number, as the parameter `n_clusters` takes it."""
        return {s.task: s.number for s in self._all}

    def table(self) -> list[dict[str, Any]]:
        """One record per task, for a data frame."""
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
        """HTML table for notebooks."""
        heads = ("task", "clusters", "interval", "confidence", "the two criteria")
        rows = [
            (s.task, s.number, f"{s.low} to {s.high}", s.confidence, f"{s.first}, {s.second}")
            for s in self._all
        ]
        lines = [_line("th", heads), *(_line("td", row) for row in rows)]
        return f"<table>{''.join(lines)}</table>"


def _line(tag: str, cells: Iterable[Any]) -> str:
    """Row of an HTML table, with names of tasks escaped."""
    return f"<tr>{''.join(f'<{tag}>{html.escape(str(c))}</{tag}>' for c in cells)}</tr>"


def suggest_clusters(
    X: MatrixLike,
    tasks: Any = None,
    *,
    at_most: int | None = None,
    random_state: Seed = None,
    columns_are_scaled: bool = False,
) -> Suggestions:
    """Suggest how many clusters each task has, from 1 on.

    Parameters
    ----------
    X : (n, d), dense or sparse
    tasks : (n,) the task of each row, or the name of a column of X; None: one task
    at_most : int >= 1, the largest number tried; None: `MAX_CLUSTERS`. Clusters have at least
        `ROWS_PER_CLUSTER` rows on average
    random_state : int, RandomState or None, for halves, starts and null tables
    columns_are_scaled : as of `Kinfolk`

    Raises
    ------
    InputError : X or tasks are not usable, or at_most is below 1

    Examples
    --------
    >>> from kinfolk.datasets import makers
    >>> data = makers.make_related_blobs(40, n_features=4, random_state=0)
    >>> found = suggest_clusters(data.X, data.tasks, at_most=4, random_state=0)
    >>> found
    task-0: 3 clusters (sure).
    task-1: 3 clusters (sure).
    >>> found.numbers, found[1].low, found[1].high
    ({'task-0': 3, 'task-1': 3}, 3, 3)
    """
    columns_are_scaled = flag("columns_are_scaled", columns_are_scaled)
    most = MAX_CLUSTERS if at_most is None else checks.at_least("at_most", at_most, 1)
    found, X = checks.tasks_of(tasks, X)
    table = checks.samples(BaseEstimator(), X, at_least=2)
    # Halves, starts and null tables are drawn by content: the order of rows does not matter.
    table, order = content_order.sorted_rows(table, found.codes)
    found = Tasks(found.names, found.codes[order.rows])
    seed = starts.seeds(checks.random(random_state), 1)[0]  # one for all tasks, in any order
    seen = Representations.of(table, found.codes, columns_are_scaled)
    made = []
    for t, name in enumerate(progress.track(found.names, "looking for numbers of clusters")):
        own = np.random.RandomState(seed)
        rows = _sample(np.flatnonzero(found.codes == t), own)
        scored = seen.for_scoring(table[rows], found.codes[rows])
        made.append(_suggestion(name, scored, seen.kind, most, own))
    return Suggestions(made)


def chosen(suggestions: Suggestions) -> tuple[list[int], str]:
    """Numbers of clusters (T,) for `n_clusters="auto"`, and a note that says so.

    >>> chosen(Suggestions([Suggestion("a", 3, 2, 4, "a guess", 2, 4, "", [])]))
    ([3], "n_clusters='auto' took 3 for a (a guess, 2 to 4): look at suggestions_ and give numbers
    that mean something to you, because no criterion is always right.")
    """
    said = ", ".join(
        f"{s.number} for {s.task} ({s.confidence}, {s.low} to {s.high})" for s in suggestions
    )
    note = (
        f"n_clusters='auto' took {said}: look at suggestions_ and give numbers that mean "
        "something to you, because no criterion is always right."
    )
    return list(suggestions.numbers.values()), note


class _Preferred(NamedTuple):
    """The numbers of clusters that the two criteria prefer for one task.

    Attributes
    ----------
    first, second : the numbers a and b
    number : the suggestion between them
    strength : distance of the strongest cluster structure from chance; clusters only above 1
    name, values : the criterion beside agreement, and its curve (K,)
    """

    first: int
    second: int
    number: int
    strength: float
    name: str
    values: Vector


def _suggestion(
    task: Any, X: Table, kind: str, most: int, random: np.random.RandomState
) -> Suggestion:
    """Suggest the number of clusters of one task from its rows X (n, d) for scoring."""
    words = kind == "counts"
    why = FOR_WORDS if words else FOR_OTHERS
    most = min(most, X.shape[0] // ROWS_PER_CLUSTER)
    if most < 2:
        return Suggestion(task, 1, 1, 1, GUESS, 1, 1, why, [])
    G = cluster_count_criteria.cosines(X)
    numbers = list(range(2, most + 1))
    found = cluster_count_criteria.agreement(G, numbers, words, random)
    prefer = _prefer_for_words if words else _prefer_for_others
    preferred = prefer(X, G, found.mean(axis=0), numbers, random)
    curve = _curve(numbers, found, preferred)
    low = min(preferred[:3])
    high = max(preferred[:3])
    number = preferred.number
    confidence = _confidence(low, high, most)
    if preferred.strength <= 1:
        number = low = 1
        confidence = GUESS
    first, second = preferred[:2]
    return Suggestion(task, number, low, high, confidence, first, second, why, curve)


def _prefer_for_words(
    X: Table, G: Matrix, agreed: Vector, numbers: list[int], random: np.random.RandomState
) -> _Preferred:
    """Numbers by directions above chance, and by agreement (K,) among as many clusters."""
    values, limit = cluster_count_criteria.directions(X, G, max(numbers), random)
    second = max(int(np.sum(values > 1.0)), 2)
    first = numbers[agreed[: second - 1].argmax()]
    number = round(float(np.sqrt(first * second)))
    strength = float((values[1] - 1.0) / max(limit - 1.0, TINY))
    return _Preferred(first, second, number, strength, "directions", values[1:])


def _prefer_for_others(
    X: Table, G: Matrix, agreed: Vector, numbers: list[int], random: np.random.RandomState
) -> _Preferred:
    """Numbers by agreement (K,), by clearness, and by their sum."""
    clear, spread = cluster_count_criteria.clearness(operators.dense(X), G, numbers, random)
    together = agreed / max(agreed.max(), TINY) + clear / max(clear.max(), TINY)
    first, second, number = (numbers[values.argmax()] for values in (agreed, clear, together))
    strength = float(clear.max() / max(MIN_DEVIATIONS * spread, TINY))
    return _Preferred(first, second, number, strength, "clearness", clear)


def _curve(
    numbers: list[int], found: NDArray[np.float64], preferred: _Preferred
) -> list[dict[str, float]]:
    """One record per number of clusters; found (splits, K) are agreements of halves."""
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    columns = numbers, found.mean(axis=0), error, preferred.values
    names = "clusters", "agreement", "error", preferred.name
    lines = zip(*columns, strict=True)
    return [dict(zip(names, map(float, line), strict=True)) for line in lines]


def _confidence(low: int, high: int, most: int) -> str:
    """Confidence in an interval, where `most` is the largest number tried."""
    if high == most or high - low > 1:
        return GUESS
    return SURE if low == high else LIKELY


def _sample(rows: NDArray[np.integer], random: np.random.RandomState) -> NDArray[np.integer]:
    """Sorted positions of at most `MAX_ROWS` of the rows."""
    if len(rows) <= MAX_ROWS:
        return rows
    return np.sort(random.choice(rows, MAX_ROWS, replace=False))
