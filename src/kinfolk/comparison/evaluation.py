"""Fits and scores the strategies of a comparison."""

import math
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils._param_validation import InvalidParameterError

from kinfolk import measures
from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.catalogue.strategies import Strategy
from kinfolk.choosing import fitting
from kinfolk.comparison.scoring_space import ScoringSpace, scoring_space
from kinfolk.errors import InputError
from kinfolk.estimators import neighbor_votes, observed, warn
from kinfolk.report.study import Result
from kinfolk.running import deadlines, interruptions
from kinfolk.tables import RelatedData, Tasks

# Any other error of a fit is a fault of the program, and a comparison must not hide it.
# InvalidParameterError is how scikit-learn's own clusterers refuse a parameter.
EXPECTED_ERRORS = (*fitting.REFUSALS, InvalidParameterError)


# Seconds of scores, profiles and files after the fits, with a report of a few pages, on one core
# without other work: where others share it, they are so many times as many (`deadlines.slowness`).
AFTER = 3.0
AFTER_TASK = 0.5
AFTER_ROW = 2e-5
MOST_AFTER = 0.5
"""Largest share of the time left that is reserved for the steps after the fits."""
KMEANS = 5e-8
"""Seconds of one k-means start per number of the table and cluster, on a core without others."""
STOPPED = "Ctrl-C came before it was done."
"""Reason in the results of strategies that are missing because of Ctrl-C."""


class Attempt(NamedTuple):
    """Outcome of one fit: seconds, and the reason of a refusal or ""."""

    seconds: float
    reason: str = ""


@dataclass(frozen=True)
class ComparedRows:
    """Prepared rows of a comparison, in the forms that strategies and scores need.

    Attributes
    ----------
    data : as they were read
    X : (n, d) as prepared
    columns_are_scaled : as of `Kinfolk`
    scales : zeros and units (T, d) of the prepared columns in the table; None: not prepared by task
    feature_names : (d,) of the prepared columns, or () without names
    """

    data: RelatedData
    X: Table
    columns_are_scaled: bool = False
    scales: tuple[Matrix, Matrix] | None = None
    feature_names: tuple[str, ...] = ()

    @cached_property
    def filled(self) -> Table:
        """The rows with missing views replaced by column means."""
        return observed.column_means_for_gaps(self.X)

    @cached_property
    def scored(self) -> ScoringSpace:
        """The space (transformed rows) in which all results are scored."""
        codes = Tasks.of(self.data.tasks).codes
        return scoring_space(self.filled, codes, self.columns_are_scaled)

    @cached_property
    def as_one(self) -> ScoringSpace:
        """The rows transformed as in `scored`, but as one task, for k-means of pooled rows."""
        return scoring_space(
            self.filled, np.zeros(len(self.data), dtype=int), self.columns_are_scaled
        )

    def seen_by(self, strategy: Strategy) -> Table:
        """Return the rows in the form that a strategy is fitted on."""
        if strategy.space == "filled":
            return self.filled[:, strategy.columns]
        X = self.X
        if strategy.space != "prepared":
            X = self.scored.Z if strategy.space == "scored" else self.as_one.Z
        return X[:, strategy.columns]

    def scales_seen_by(self, strategy: Strategy) -> tuple[Matrix, Matrix] | None:
        """Return zeros and units (T, d) of prepared columns a strategy is fitted on, or None."""
        if self.scales is None or strategy.space not in ("prepared", "filled"):
            return None
        zeros, units = self.scales
        return zeros[:, strategy.columns], units[:, strategy.columns]


def fit_all(
    planned: Sequence[Strategy], shown: Strategy, rows: ComparedRows
) -> tuple[list[Result], list[str]]:
    """Fit and score each strategy; return the results and all distinct warnings.

    Numbers of clusters that `shown` finds itself are given to all others. All results are scored in
    one space (`scoring_space`). Ctrl-C after the fit of `shown` leaves out the other ones.

    Raises
    ------
    InputError : `shown` cannot be fitted, so there is nothing to report
    KeyboardInterrupt : before `shown` is fitted, or a second Ctrl-C

    Examples
    --------
    >>> import kinfolk as kf
    >>> from sklearn.cluster import KMeans
    >>> blobs = kf.datasets.make_related_blobs(random_state=0)
    >>> kmeans = KMeans(n_init=10, random_state=0)
    >>> alone = Strategy("alone", "k-means by itself", kf.PerTask(kmeans, 3))
    >>> pooled = Strategy("pooled", "k-means as one table", kf.Pooled(kmeans, 3))
    >>> results, _ = fit_all([alone, pooled], alone, ComparedRows(blobs, blobs.X))
    >>> for result in results:
    ...     print(result.name, result.scores["accuracy"])
    alone {'task-0': 1.0, 'task-1': 1.0}
    pooled {'task-0': 1.0, 'task-1': 0.67}
    """
    asked = shown.estimator.get_params(deep=False).get("n_clusters")  # before the fit may set it
    warned: dict[str, Strategy] = {}  # who said it first
    with deadlines.ending(deadlines.moment() - _after(rows)):
        attempts = {shown.estimator: _fit(shown, rows, warned)}
    if reason := attempts[shown.estimator].reason:
        raise InputError(reason)
    if isinstance(asked, str):
        _give_numbers(planned, shown.estimator)
    results: list[Result] = []
    # Two strategies may share an estimator, such as alone and together of several methods.
    for strategy in planned:
        try:
            attempt = _attempted(strategy, attempts, rows, warned)
            results.append(_result(strategy, attempt, rows, results))
        except KeyboardInterrupt:
            if not interruptions.is_first():
                raise
            _leave_out(planned[len(results) :], shown, attempts)
            results.append(_result(strategy, attempts[strategy.estimator], rows, results))
    return results, [
        _sentence(text) if first is shown else f"{first.description}: {text}"
        for text, first in warned.items()
    ]


def _attempted(
    strategy: Strategy,
    attempts: dict[Any, Attempt],
    rows: ComparedRows,
    warned: dict[str, Strategy],
) -> Attempt:
    """Fit a strategy unless its estimator has an attempt already, or the budget is spent."""
    if strategy.estimator not in attempts:
        late = _is_late(strategy, rows)
        attempts[strategy.estimator] = (
            Attempt(0.0, "The budget left no time for it.")
            if late
            else _fit(strategy, rows, warned)
        )
    return attempts[strategy.estimator]


def _leave_out(waiting: Iterable[Strategy], shown: Strategy, attempts: dict[Any, Attempt]) -> None:
    """Mark strategies as missing after Ctrl-C, but for the answer and those that do not apply."""
    for strategy in waiting:
        if strategy.estimator not in (None, shown.estimator):
            attempts[strategy.estimator] = Attempt(0.0, STOPPED)
        attempts.setdefault(strategy.estimator, Attempt(0.0, strategy.reason))


def _after(rows: ComparedRows) -> float:
    """Seconds to reserve for steps after the fits; 0 without a deadline."""
    left = deadlines.left()
    n_tasks = len(rows.data.task_names)
    needed = AFTER + AFTER_TASK * n_tasks + AFTER_ROW * len(rows.data)
    needed *= deadlines.slowness()
    return 0.0 if math.isinf(left) else min(needed, MOST_AFTER * left)


def _is_late(strategy: Strategy, rows: ComparedRows) -> bool:
    """True if a strategy is expected to take longer than the deadline allows.

    It is expected to take as long as k-means, which is what is fitted beside the answer of several
    methods, the only one with a budget.
    """
    if strategy.estimator is None or math.isinf(deadlines.left()):
        return False
    k = strategy.estimator.get_params(deep=False).get("n_clusters", 2)
    known = k.values() if isinstance(k, Mapping) else [k]
    most = max((number for number in known if isinstance(number, int | np.integer)), default=2)
    n_init = strategy.estimator.get_params().get("estimator__n_init", 1)
    seconds = KMEANS * rows.X.shape[0] * rows.X.shape[1] * most * n_init
    return seconds * deadlines.slowness() > deadlines.left() - _after(rows)


def _sentence(text: str) -> str:
    """Begin a warning with a capital letter, unless a name such as n_clusters comes first.

    >>> _sentence("only 2 of 3 clusters have rows."), _sentence("n_clusters is 9.")
    ('Only 2 of 3 clusters have rows.', 'n_clusters is 9.')
    >>> _sentence("")
    ''
    """
    return text[:1].upper() + text[1:] if text.partition(" ")[0].isalpha() else text


def _fit(strategy: Strategy, rows: ComparedRows, warned: dict[str, Strategy]) -> Attempt:
    """Fit and time one strategy; add its warnings to `warned`; return the reason of a refusal."""
    if strategy.estimator is None:
        return Attempt(0.0, strategy.reason)
    reason = ""
    X = rows.seen_by(strategy)
    labels = strategy.labels
    tasks = rows.data.tasks
    there = observed.not_empty(X)
    if not there.all():  # a row that lacks the only view has no place in it
        X = X[there]
        tasks = tasks[there]
        labels = None if labels is None else labels[there]
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            with (
                neighbor_votes.prepared_from(rows.scales_seen_by(strategy)),
                warn.columns_named(rows.feature_names[strategy.columns]),
            ):
                strategy.estimator.fit(X, labels, tasks=tasks)
        except EXPECTED_ERRORS as error:
            reason = str(error) or type(error).__name__
    seconds = 0.0 if reason else time.perf_counter() - start
    for warning in caught:
        warned.setdefault(str(warning.message), strategy)
    return Attempt(seconds, reason)


def _give_numbers(planned: Sequence[Strategy], model: Any) -> None:
    """Copy the numbers of clusters that a model found to all other estimators."""
    found = dict(zip(model.task_names_, model.n_clusters_.tolist(), strict=True))
    for strategy in planned:
        if strategy.estimator is not model:
            strategy.estimator.set_params(n_clusters=found)


def _result(
    strategy: Strategy, attempt: Attempt, rows: ComparedRows, earlier: Sequence[Result]
) -> Result:
    """Score a fitted strategy in each task; equal labels have the scores of an earlier result."""
    data = rows.data
    if attempt.reason:
        return Result(strategy.name, strategy.description, None, reason=attempt.reason)
    labels = getattr(strategy.estimator, strategy.answer)
    labels = labels if strategy.column is None else labels[:, strategy.column]
    there = observed.not_empty(rows.seen_by(strategy))
    if not there.all():
        found = labels
        labels = np.full(len(data), -1)
        labels[there] = found
    # Without help from other tasks, the answer is that of each task alone: scored once.
    done = ((made.labels, made.scores) for made in earlier)
    same = (scores for old, scores in done if old is not None and np.array_equal(old, labels))
    scores = next(same, None) or _scores(rows, labels)
    return Result(strategy.name, strategy.description, labels, attempt.seconds, scores=scores)


def _scores(rows: ComparedRows, labels: Labels) -> dict[str, dict[Any, float]]:
    """Score clusters (n,) in each task, on rows that have one; nan for a task without any.

    A row that lacks the only view that was clustered has label -1, which is no cluster.
    """
    data = rows.data
    known = np.flatnonzero(labels >= 0)
    tasks = data.tasks[known]
    found = labels[known]
    none = dict.fromkeys(data.task_names, float("nan"))
    # On all columns, also for a strategy that saw some of them, so that scores compare.
    space = rows.scored._replace(Z=rows.scored.Z[known])
    scores = {"silhouette": {**none, **space.silhouettes(tasks, found)}}
    if data.target is not None:
        for measure in (measures.accuracy, measures.nmi):
            by_task = measures.per_task(measure, tasks, data.target[known], found)
            scores[measure.__name__] = {**none, **by_task}
    return scores
