"""Fits and scores the strategies of a comparison."""

import time
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

from sklearn.utils._param_validation import InvalidParameterError

from kinfolk import measures
from kinfolk.arrays import Table
from kinfolk.choosing import fitting
from kinfolk.comparison.strategies import Strategy
from kinfolk.errors import InputError
from kinfolk.report.study import Result
from kinfolk.tables import RelatedData

# Any other error of a fit is a fault of the program, and a comparison must not hide it.
# InvalidParameterError is how scikit-learn's own clusterers refuse a parameter.
EXPECTED_ERRORS = (*fitting.REFUSALS, InvalidParameterError)


class Attempt(NamedTuple):
    """Outcome of one fit: wall time in seconds, and the reason of a refusal, or ""."""

    seconds: float
    reason: str = ""


def fit_all(
    planned: Sequence[Strategy], shown: Strategy, data: RelatedData, X: Table
) -> tuple[list[Result], list[str]]:
    """Fit each strategy and score it; also return the warnings of the fits, each once.

    Numbers of clusters that `shown` finds itself are given to all others.

    Raises
    ------
    InputError : `shown` cannot be fitted, so there is nothing to report

    Examples
    --------
    >>> import kinfolk as kf
    >>> from sklearn.cluster import KMeans
    >>> blobs = kf.datasets.make_related_blobs(random_state=0)
    >>> kmeans = KMeans(n_init=10, random_state=0)
    >>> alone = Strategy("alone", "k-means by itself", kf.PerTask(kmeans, 3))
    >>> pooled = Strategy("pooled", "k-means as one table", kf.Pooled(kmeans, 3))
    >>> results, _ = fit_all([alone, pooled], alone, blobs, blobs.X)
    >>> for result in results:
    ...     print(result.name, result.scores["accuracy"])
    alone {'task-0': 1.0, 'task-1': 1.0}
    pooled {'task-0': 1.0, 'task-1': 0.67}
    """
    asked = shown.estimator.get_params(deep=False).get("n_clusters")  # before the fit may set it
    warned: dict[str, Strategy] = {}  # who said it first
    attempts = {shown.estimator: _fit(shown, data, X, warned)}
    if reason := attempts[shown.estimator].reason:
        raise InputError(reason)
    if isinstance(asked, str):
        _give_numbers(planned, shown.estimator)
    results = []
    # Two strategies may share an estimator, such as alone and together of several methods.
    for strategy in planned:
        if strategy.estimator not in attempts:
            attempts[strategy.estimator] = _fit(strategy, data, X, warned)
        results.append(_result(strategy, attempts[strategy.estimator], data, X))
    return results, [
        text if first is shown else f"{first.description}: {text}" for text, first in warned.items()
    ]


def _fit(strategy: Strategy, data: RelatedData, X: Table, warned: dict[str, Strategy]) -> Attempt:
    """Fit and time one strategy, and add its warnings; the reason says why it cannot be fitted."""
    if strategy.estimator is None:
        return Attempt(0.0, strategy.reason)
    reason = ""
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            strategy.estimator.fit(X[:, strategy.columns], strategy.labels, tasks=data.tasks)
        except EXPECTED_ERRORS as error:
            reason = str(error) or type(error).__name__
    seconds = 0.0 if reason else time.perf_counter() - start
    for warning in caught:
        warned.setdefault(str(warning.message), strategy)
    return Attempt(seconds, reason)


def _give_numbers(planned: Sequence[Strategy], model: Any) -> None:
    """Set the numbers of clusters that a fitted model found on all other estimators."""
    found = dict(zip(model.task_names_, model.n_clusters_.tolist(), strict=True))
    for strategy in planned:
        if strategy.estimator is not model:
            strategy.estimator.set_params(n_clusters=found)


def _result(strategy: Strategy, attempt: Attempt, data: RelatedData, X: Table) -> Result:
    """Score a strategy that was attempted, on all columns and on each task."""
    if attempt.reason:
        return Result(strategy.name, strategy.description, None, reason=attempt.reason)
    labels = getattr(strategy.estimator, strategy.answer)
    # On all columns of X, also for a strategy that saw some of them, so that scores compare.
    scores = {"silhouette": measures.per_task(measures.silhouette, data.tasks, X, labels)}
    if data.target is not None:
        for measure in (measures.accuracy, measures.nmi):
            scores[measure.__name__] = measures.per_task(measure, data.tasks, data.target, labels)
    return Result(strategy.name, strategy.description, labels, attempt.seconds, scores=scores)
