"""Suggests the number of clusters of each task, with an interval and a degree of confidence.

The number of groups in real data is partly a matter of taste: whether "sports" is one group or two
is not in the rows. So criteria are computed that err differently (`cluster_count_criteria`), each
relative to its maximum over the numbers tried:

    total[k]  = agreement of halves[k] / max + gap[k] / max + other tasks[k] / max(max, SUPPORT)
    of measurements: agreement of halves[k] / max + clearness[k] / max
    number    = argmax of total; of measurements that of a mixture, where one fits the rows

Where columns have few different values, small clusters of k-means are clearer than in normal tables
even without groups. So if half of the columns have at most `kinds.FEW_VALUES`, and agreement and
clearness prefer numbers that differ by more than one, the number is the geometric mean of the
argmax and of agreement's, which errs towards too few.

The interval is from the smallest to the largest of the numbers that the criteria prefer and the
suggestion; the other tasks have a preference where their agreement reaches `cross_task.SUPPORT`.

    sure      all criteria prefer the same number, the other tasks or the mixture among them, and
              there are at least `SURE_ROWS` rows
    likely    they prefer numbers that differ by at most one
    a guess   they differ by more, or a criterion is best at the largest number tried

A second number `also` is given, but of measurements, where both may be true: its total is at least
`ALSO` of the largest, it is no neighbor of the suggestion, and the clusters of the larger number
divide those of the smaller one, but for one row in twenty.

One cluster is suggested, as a guess, if words vary in no more directions than permuted words, if no
clearness exceeds that of normal tables by `MIN_DEVIATIONS`, nor a mixture chance (`mixtures`), or
if clusters of amounts, or of measurements in more columns than rows, do not exceed chance by the
test of `Kinfolk` (`null_model`).

Then guesses are corrected by the numbers of the other tasks (`shared_numbers`).

Limits  a single task of fewer than 2 `ROWS_PER_CLUSTER` rows is one cluster, as a guess. Of more
        than `MAX_ROWS` rows a sample is used.
Source  `docs/numbers-measured.md`: what was measured; `docs/numbers.md`: where it fails.
"""

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from kinfolk.arguments import flag
from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.choosing import (
    cluster_count_criteria,
    cross_task,
    mixtures,
    null_model,
    shared_numbers,
)
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.suggestions import (
    GUESS,
    LIKELY,
    SURE,
    SURE_ROWS,
    Suggestion,
    Suggestions,
)
from kinfolk.choosing.task_scorer import TaskScorer
from kinfolk.estimators import checks
from kinfolk.numerics import content_order, float_errors, kinds, operators, starts
from kinfolk.running import progress
from kinfolk.tables import Tasks

# Largest number tried, or the square root of the number of rows if larger, where rows suffice.
MAX_CLUSTERS = 12
# On average, at least: each half of the rows then has five of a cluster, hardly a group.
ROWS_PER_CLUSTER = 10
# Of more rows a sample: eigenvectors cost n^3, and halves of a thousand rows suffice.
MAX_ROWS = 2000
# On the shaping sets the first or the second number then was within 1 of the truth in 11 of 11.
ALSO = 0.75
NESTED = 0.95
# A criterion whose maximum is below this is 0 but for rounding.
TINY = 1e-12

# Chance exceeds 3 for one number about once in forty tables; the best of a dozen is taken here.
MIN_DEVIATIONS = 4.0

SIGN = "agreement of halves, gap of eigenvalues, and the same groups in other tasks"
SIGN_OF_MEASUREMENTS = "agreement of halves, clearness, and a mixture where one fits the rows"
FEW_ROWS = "too few rows to look for clusters"


@float_errors.handled_by_default
def suggest_clusters(
    X: MatrixLike,
    tasks: Any = None,
    *,
    at_most: int | None = None,
    random_state: Seed = None,
    columns_are_scaled: bool = False,
) -> Suggestions:
    """Suggest numbers of clusters of rows X (n, d), see `kf.suggest_clusters`.

    Raises
    ------
    InputError : X or tasks are not usable, or at_most is below 1
    """
    columns_are_scaled = flag("columns_are_scaled", columns_are_scaled)
    most = None if at_most is None else checks.at_least("at_most", at_most, 1)
    found, X = checks.tasks_of(tasks, X)
    table = checks.samples(BaseEstimator(), X, at_least=2)
    # Halves, starts and null tables are drawn by content: the order of rows does not matter.
    table, order = content_order.sorted_rows(table, found.codes)
    found = Tasks(found.names, found.codes[order.rows])
    seed = starts.seeds(checks.random(random_state), 1)[0]  # one for all tasks, in any order
    seen = Representations.of(table, found.codes, columns_are_scaled)
    tasks_seen = []
    for t, name in enumerate(progress.track(found.names, "looking for numbers of clusters")):
        own = np.random.RandomState(seed)
        rows = starts.at_most(np.flatnonzero(found.codes == t), MAX_ROWS, own)
        scored = seen.for_scoring(table[rows], found.codes[rows])
        tasks_seen.append(_evidence(name, scored, seen.kind, most, own))
    several = [task for task in tasks_seen if task.numbers]
    others: list[Vector] = [np.zeros(len(task.numbers)) for task in several]
    if seen.kind != "measurements":
        tables = [task.X for task in several]
        others = cluster_count_criteria.found_in_others(tables, [t.labels for t in several])
    by_task = {id(task): values for task, values in zip(several, others, strict=True)}
    suggested = [_suggestion(task, by_task.get(id(task))) for task in tasks_seen]
    sizes = dict(zip(found.names, found.sizes, strict=True))
    if len(sizes) > 1 and any(shared_numbers.is_unsure(one, sizes[one.task]) for one in suggested):
        whole = _of_all_rows(table, found.codes, seen, most, np.random.RandomState(seed))
        large = [one.number for one in suggested if sizes[one.task] >= SURE_ROWS]
        limit = max(large, default=whole.high)
        whole = replace(whole, number=min(whole.number, limit), high=min(whole.high, limit))
        suggested = [shared_numbers.raised(one, sizes[one.task], whole) for one in suggested]
    return Suggestions(shared_numbers.lowered(suggested))


class _Evidence(NamedTuple):
    """Values of the criteria for one task at K candidate numbers of clusters.

    Attributes
    ----------
    task : its name
    X : (n, d) its rows for scoring
    kind : of the table
    numbers : K numbers of clusters; [] with too few rows
    agreement : (splits, K) of halves
    name, second : the criterion beside it, "gap" or "clearness", and its values (K,)
    labels : (K, n) spectral clusterings; of measurements (0, n)
    exceeds : True if clearness or the mixture exceeds chance; None where this is tested later, for
        the suggested number alone
    seed : of null tables
    mixture : the number of clusters of a mixture that fits measurements, or None
    few_values : True if half of the columns of measurements have few different values
    """

    task: Any
    X: Table
    kind: str
    numbers: list[int]
    agreement: NDArray[np.float64]
    name: str
    second: Vector
    labels: Labels
    exceeds: bool | None
    seed: int
    mixture: int | None = None
    few_values: bool = False


def _evidence(
    task: Any, X: Table, kind: str, most: int | None, random: np.random.RandomState
) -> _Evidence:
    """Compute the criteria for the number of clusters of one task from its rows X (n, d)."""
    n = X.shape[0]
    largest = max(MAX_CLUSTERS, math.isqrt(n)) if most is None else most
    numbers = _candidates(min(largest, n // ROWS_PER_CLUSTER))
    none = np.empty((0, n), dtype=int)
    if not numbers:
        return _Evidence(task, X, kind, [], np.empty(0), "", np.empty(0), none, None, 0)
    G = cluster_count_criteria.cosines(X)
    agreed = cluster_count_criteria.agreement(G, numbers, kind == "counts", random)
    seed = starts.seeds(random, 1)[0]
    if kind == "measurements":
        rows = operators.dense(X)
        clear, spread = cluster_count_criteria.clearness(rows, G, numbers, random)
        exceeds: bool | None = bool(clear.max() > MIN_DEVIATIONS * spread)
        mixture = cluster_count_criteria.fitting_mixture(rows, numbers, random)
        if mixture is not None and not exceeds:
            exceeds = mixtures.exceeds_chance(mixture, rows)
        if not exceeds and n <= rows.shape[1]:
            exceeds = None  # normal tables with the covariance of so few rows have their clusters
        number = mixture.n_clusters if exceeds and mixture is not None else None
        return _Evidence(
            task,
            X,
            kind,
            numbers,
            agreed,
            "clearness",
            clear,
            none,
            exceeds,
            seed,
            number,
            _has_few_values(rows),
        )
    gaps, labels = cluster_count_criteria.graph_clusterings(X, numbers, random)
    return _Evidence(task, X, kind, numbers, agreed, "gap", gaps, labels, None, seed)


def _candidates(largest: int) -> list[int]:
    """Numbers of clusters to try: all up to 16, then in steps of an eighth.

    >>> _candidates(4), _candidates(44)[13:]
    ([2, 3, 4], [15, 16, 18, 20, 22, 24, 27, 30, 33, 37, 41])
    """
    numbers = []
    k = 2
    while k <= largest:
        numbers.append(k)
        k += max(1, k // 8)
    return numbers


def _suggestion(task: _Evidence, others: Vector | None) -> Suggestion:
    """Suggest a task's number of clusters from its criteria and agreement (K,) with other tasks."""
    if others is None:
        return Suggestion(task.task, 1, 1, 1, GUESS, 1, 1, FEW_ROWS, [])
    numbers = task.numbers
    agreed = task.agreement.mean(axis=0)
    measured = task.kind == "measurements"
    total = _relative(agreed) + _relative(task.second)
    if not measured:
        total = total + _relative(others, cross_task.SUPPORT)
    place = int(total.argmax())
    first = numbers[agreed.argmax()]
    second = numbers[task.second.argmax()]
    supported = numbers[others.argmax()] if cross_task.has_support(others) else None
    third = task.mixture if measured else supported
    number = numbers[place]
    if measured:
        number = task.mixture or (_between(number, first, second) if task.few_values else number)
    preferred = [number, first, second] + ([] if third is None else [third])
    low = min(preferred)
    high = max(preferred)
    enough = third is not None and task.X.shape[0] >= SURE_ROWS
    confidence = _confidence(low, high, max(numbers), enough)
    also = None if measured else _also(task, total, place)
    if not _exceeds_chance(task, number, place):
        number = low = 1
        confidence = GUESS
        also = None
    sign = SIGN_OF_MEASUREMENTS if measured else SIGN
    found = number, low, high, confidence, first, second
    return Suggestion(task.task, *found, sign, _curve(task, others), third, also)


def _between(number: int, agreed: int, clear: int) -> int:
    """Return `number`, or its geometric mean with `agreed` where the two criteria differ.

    >>> _between(6, 5, 6), _between(13, 2, 13)
    (6, 5)
    """
    return number if abs(agreed - clear) <= 1 else round(math.sqrt(number * agreed))


def _has_few_values(X: Matrix) -> bool:
    """True if at least half of the columns of X (n, d) have at most 20 different values.

    >>> _has_few_values(np.c_[np.arange(30.0) % 2, np.arange(30.0)])
    True
    """
    few = kinds.different_values(X) <= kinds.FEW_VALUES
    return 2 * int(few.sum()) >= len(few)


def _of_all_rows(
    X: Table,
    codes: Labels,
    seen: Representations,
    most: int | None,
    random: np.random.RandomState,
) -> Suggestion:
    """Suggest one number of clusters for the rows X (n, d) of all tasks; `codes` (n,) are tasks."""
    # By content alone, so that the order of tasks does not matter.
    by_content = content_order.order(X, np.zeros_like(codes)).rows
    rows = starts.at_most(by_content, MAX_ROWS, random)
    scored = seen.for_scoring(X[rows], codes[rows])
    found = _evidence("", scored, seen.kind, most, random)
    if seen.kind == "measurements":
        # Z-scores of several tasks have more values than their columns.
        found = found._replace(few_values=_has_few_values(operators.dense(X[rows])))
    return _suggestion(found, np.zeros(len(found.numbers)) if found.numbers else None)


def _relative(values: Vector, least: float = TINY) -> Vector:
    """Divide values (K,) by their maximum, or by `least` if that is larger; zeros if none is > 0.

    >>> _relative(np.array([1.0, 4.0])), _relative(np.array([-0.1, -0.2]))
    (array([0.25, 1. ]), array([0., 0.]))
    """
    if values.max() <= TINY:
        return np.zeros_like(values)
    return values / max(float(values.max()), least)


def _also(task: _Evidence, total: Vector, place: int) -> int | None:
    """Return a second plausible number, whose clusters nest with those of the first, or None."""
    padded = np.pad(total, 1, constant_values=-np.inf)
    peaks = (total >= padded[:-2]) & (total >= padded[2:])
    fitting = [
        i
        for i in np.flatnonzero(peaks & (total >= ALSO * total[place])).tolist()
        if abs(i - place) > 1
        and cluster_count_criteria.nested_share(
            task.labels[max(i, place)], task.labels[min(i, place)]
        )
        >= NESTED
    ]
    return task.numbers[max(fitting, key=lambda i: total[i])] if fitting else None


def _exceeds_chance(task: _Evidence, number: int, place: int) -> bool:
    """True if the rows of a task pass the test for clusters that belongs to their kind of table."""
    if task.exceeds is not None:
        return task.exceeds
    if task.kind == "counts":
        G = cluster_count_criteria.cosines(task.X)
        return cluster_count_criteria.exceeds_permuted(task.X, G, np.random.RandomState(task.seed))
    if task.kind == "measurements":
        return null_model.null_level(
            task.X, number, kind=null_model.COPULA, seed=task.seed
        ).exceeded
    level = null_model.null_level(task.X, number, kind=null_model.PERMUTED, seed=task.seed)
    return TaskScorer(task.X, number, null_level=level).has_clusters(task.labels[place])


def _curve(task: _Evidence, others: Vector) -> list[dict[str, float]]:
    """Return one record of criteria (a dict) per candidate number of clusters."""
    error = task.agreement.std(axis=0, ddof=1) / np.sqrt(len(task.agreement))
    columns = {"clusters": task.numbers, "agreement": task.agreement.mean(axis=0), "error": error}
    columns[task.name] = task.second
    if task.kind != "measurements":
        columns["other_tasks"] = others
    lines = zip(*columns.values(), strict=True)
    return [dict(zip(columns, map(float, line), strict=True)) for line in lines]


def _confidence(low: int, high: int, most: int, enough: bool) -> str:
    """Say how sure the interval [low, high] of numbers is, "sure" only with `enough` evidence."""
    if high == most or high - low > 1:
        return GUESS
    return SURE if low == high and enough else LIKELY
