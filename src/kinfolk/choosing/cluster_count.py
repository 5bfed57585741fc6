"""How many clusters each task may have: a suggestion, an interval, and how sure it is.

No curve tells the number of groups in real data: whether "sports" is one group or two is a
matter of taste as much as of rows. So two signs are asked that err in opposite directions
(`cluster_count_criteria`), and what is suggested lies between what they say:

    words (counts)   a = number with the best agreement of halves, among those up to b
                     b = directions beyond chance
                     number = sqrt(a b), rounded: numbers of groups compare by their ratio
    other tables     a = number with the best agreement of halves
                     b = number with the best clearness
                     number = that with the largest agreement / its maximum + clearness / its
                     maximum, because where agreement is flat it says nothing

The interval is from the smaller of the three to the largest. The closer both signs are, the surer:

    sure      both say the same number
    likely    they differ by one
    a guess   they differ by more, or a sign is at the end of what was looked at

One cluster is suggested where neither criterion exceeds chance: no direction but the first is above
those of permuted words (by `null_model.SILHOUETTE_DEVIATIONS` standard deviations), no silhouette
above those of normal tables (by `BEYOND`). That is always a guess, because clusters may be there
that these criteria do not see; the interval then reaches to what they prefer.

Units   none.
Limits  a task of fewer than 2 `ROWS_EACH` rows is said to be one cluster, as a guess. Measurements
        of one skewed cloud look like several clusters. Above `MOST_ROWS` rows a sample speaks.
Source  `docs/numbers.md`: what was measured, and where it fails.
"""

import html
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from kinfolk import progress
from kinfolk.arrays import Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.choosing import cluster_count_criteria
from kinfolk.choosing.representations import Representations
from kinfolk.estimators import checks
from kinfolk.numerics import starts

MOST = 12
"""Numbers looked at unless told: nobody looks at more groups at once; signs grow vague there."""

ROWS_EACH = 10
"""Rows of a cluster in the mean, at the least: halves then have five, hardly a group."""

MOST_ROWS = 2000
"""Above, a sample: eigenvectors cost n^3, and halves of a thousand rows tell what more do."""

BEYOND = 4.0
"""Standard deviations above that of clouds: chance passes 3 at one number about once in forty
tables (`chance`), and the best of a dozen numbers is looked at here."""

ROUNDING = 1e-12
"""Below this a sign is 0."""

OF_WORDS = "directions and agreement of halves: words of different topics are different words"
OF_OTHERS = "clearness and agreement of halves: groups of measured values are balls, about"
"""The signs that are asked, and why."""

SURE, LIKELY, GUESS = "sure", "likely", "a guess"


@dataclass(frozen=True)
class Suggestion:
    """How many clusters one task may have.

    Attributes
    ----------
    task : its name
    number : suggested, >= 1
    low, high : the interval
    confidence : "sure", "likely" or "a guess"
    first, second : the numbers that the two signs say, see the module
    sign : which signs, and why these
    curve : a record for each number looked at: clusters; agreement, and error, the standard
        deviation of its mean; and either directions or clearness
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
        """All but the curve, for a table."""
        return {name: value for name, value in vars(self).items() if name != "curve"}


class Suggestions(Sequence[Suggestion]):
    """One suggestion a task, in the order of the tasks; shown as a table."""

    def __init__(self, suggestions: Sequence[Suggestion]) -> None:
        self._all = list(suggestions)

    @property
    def numbers(self) -> dict[Any, int]:
        """Task -> number, as `n_clusters` takes it."""
        return {s.task: s.number for s in self._all}

    def table(self) -> list[dict[str, Any]]:
        """One record a task, for a data frame."""
        return [s.record() for s in self._all]

    @overload
    def __getitem__(self, place: int) -> Suggestion: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Suggestion]: ...
    def __getitem__(self, place: int | slice) -> Suggestion | Sequence[Suggestion]:
        return self._all[place]

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Suggestion]:
        return iter(self._all)

    def __repr__(self) -> str:
        return "\n".join(f"{s.task}: {s.sentence}" for s in self._all)

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        heads = ("task", "clusters", "interval", "how sure", "the two signs")
        rows = [
            (s.task, s.number, f"{s.low} to {s.high}", s.confidence, f"{s.first}, {s.second}")
            for s in self._all
        ]
        lines = [_line("th", heads), *(_line("td", row) for row in rows)]
        return f"<table>{''.join(lines)}</table>"


def _line(tag: str, cells: Iterable[Any]) -> str:
    """A row of an HTML table; names of tasks are no markup."""
    return f"<tr>{''.join(f'<{tag}>{html.escape(str(c))}</{tag}>' for c in cells)}</tr>"


def suggest_clusters(
    X: MatrixLike, tasks: Any = None, *, at_most: int | None = None, random_state: Seed = None
) -> Suggestions:
    """Suggest how many clusters each task has, from 1 on.

    Parameters
    ----------
    X : (n, d), dense or sparse
    tasks : (n,) the task of each row, or the name of a column of X; None: one task
    at_most : int >= 1, the largest number looked at; None: `MOST`. A task is never asked for
        clusters of fewer than `ROWS_EACH` rows in the mean
    random_state : int, RandomState or None, for halves, starts and tables without clusters

    Raises
    ------
    InputError : X or tasks are not usable, or at_most is below 1

    Examples
    --------
    >>> from kinfolk.datasets import makers
    >>> data = makers.make_related_blobs(40, n_features=4, random_state=0)
    >>> suggest_clusters(data.X, data.tasks, random_state=0)
    task-0: 3 clusters (sure).
    task-1: 3 clusters, 2 to 3 (likely).
    """
    most = MOST if at_most is None else checks.at_least("at_most", at_most, 1)
    found, X = checks.tasks_of(tasks, X)
    table = checks.samples(BaseEstimator(), X, at_least=2)
    random = checks.random(random_state)
    seen = Representations.of(table, found.codes)
    made = []
    for t, name in enumerate(progress.track(found.names, "looking for numbers of clusters")):
        own = np.random.RandomState(starts.seeds(random, 1)[0])
        rows = _sample(np.flatnonzero(found.codes == t), own)
        scored = seen.for_scoring(table[rows], found.codes[rows])
        made.append(_suggestion(name, scored, seen.kind, most, own))
    return Suggestions(made)


def chosen(suggestions: Suggestions) -> tuple[list[int], str]:
    """The numbers of clusters (T,) that `n_clusters="auto"` takes, and a note that says so.

    >>> chosen(Suggestions([Suggestion("a", 3, 2, 4, "a guess", 2, 4, "", [])]))[1][:50]
    "n_clusters='auto' took 3 for a (a guess, 2 to 4): "
    """
    said = ", ".join(
        f"{s.number} for {s.task} ({s.confidence}, {s.low} to {s.high})" for s in suggestions
    )
    note = (
        f"n_clusters='auto' took {said}: look at suggestions_ and give numbers that mean "
        "something to you, because no sign is always right."
    )
    return list(suggestions.numbers.values()), note


class _Signs(NamedTuple):
    """What the signs say of one task.

    Attributes
    ----------
    first, second : the numbers that they prefer
    number : what lies between
    strength : how far the strongest is beyond chance; up to 1, nothing speaks for clusters
    name, values : the sign beside agreement, and its curve (K,)
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
    """The suggestion for one task, of which X (n, d) are the rows in a neutral space."""
    n, words = X.shape[0], kind == "counts"
    why = OF_WORDS if words else OF_OTHERS
    most = min(most, n // ROWS_EACH)
    if most < 2:
        return Suggestion(task, 1, 1, 1, GUESS, 1, 1, why, [])
    G = cluster_count_criteria.cosines(X)
    numbers = list(range(2, most + 1))
    found = cluster_count_criteria.agreement(G, numbers, words, random)
    signs = (_of_words if words else _of_others)(X, G, found.mean(axis=0), numbers, random)
    curve = _curve(numbers, found, signs)
    said = signs.first, signs.second, signs.number
    number, level = signs.number, _confidence(min(said), max(said), most)
    if signs.strength <= 1:
        number, level = 1, GUESS
    low, high = min(number, *said), max(said)
    return Suggestion(task, number, low, high, level, *said[:2], why, curve)


def _of_words(
    X: Table, G: Matrix, agreed: Vector, numbers: list[int], random: np.random.RandomState
) -> _Signs:
    """Directions beyond chance, and the best agreement (K,) up to as many clusters."""
    values, limit = cluster_count_criteria.directions(X, G, max(numbers), random)
    second = max(int(np.sum(values > 1.0)), 2)
    first = numbers[agreed[: second - 1].argmax()]
    number = round(float(np.sqrt(first * second)))
    strength = float((values[1] - 1.0) / max(limit - 1.0, ROUNDING))
    return _Signs(first, second, number, strength, "directions", values[1:])


def _of_others(
    X: Table, G: Matrix, agreed: Vector, numbers: list[int], random: np.random.RandomState
) -> _Signs:
    """The best agreement (K,) and the best clearness, and where both are good."""
    clear, spread = cluster_count_criteria.clearness(X, G, numbers, random)
    together = agreed / max(agreed.max(), ROUNDING) + clear / max(clear.max(), ROUNDING)
    first, second, number = (numbers[sign.argmax()] for sign in (agreed, clear, together))
    strength = float(clear.max() / max(BEYOND * spread, ROUNDING))
    return _Signs(first, second, number, strength, "clearness", clear)


def _curve(numbers: list[int], found: NDArray[np.float64], signs: _Signs) -> list[dict[str, float]]:
    """A record for each number of clusters; found (splits, K) are agreements of halves."""
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    columns = numbers, found.mean(axis=0), error, signs.values
    names = "clusters", "agreement", "error", signs.name
    lines = zip(*columns, strict=True)
    return [dict(zip(names, map(float, line), strict=True)) for line in lines]


def _confidence(low: int, high: int, most: int) -> str:
    """How sure numbers from low to high are, where none above `most` was looked at."""
    if high == most or high - low > 1:
        return GUESS
    return SURE if low == high else LIKELY


def _sample(rows: NDArray[np.integer], random: np.random.RandomState) -> NDArray[np.integer]:
    """Positions of at most `MOST_ROWS` of the rows, in their order."""
    if len(rows) <= MOST_ROWS:
        return rows
    return np.sort(random.choice(rows, MOST_ROWS, replace=False))
