"""Alone, pooled, together: whether the help of other data sets, views or sites helped."""

import time
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

from numpy.typing import NDArray

from kinfolk import catalogue, measures
from kinfolk.arrays import Table
from kinfolk.comparison import strategies
from kinfolk.errors import InputError
from kinfolk.preparation import Preparation
from kinfolk.report.study import Result, Study
from kinfolk.tables import RelatedData


class Fit(NamedTuple):
    """What became of an attempt to fit: wall time in seconds, and why it was refused, or ""."""

    seconds: float
    reason: str = ""


def study(
    data: RelatedData,
    method: str,
    n_clusters: int | str | Mapping[str, int],
    *,
    preparation: Preparation,
    parameters: Mapping[str, Any] | None = None,
    labels: NDArray[Any] | None = None,
    random_state: int = 0,
    settings: Mapping[str, str] | None = None,
    command: str = "",
    notes: list[str] | None = None,
) -> Study:
    """Cluster the data with all the help that the method takes, and without; score each way.

    Parameters
    ----------
    data : texts or numbers, their tasks and views, and the true classes if known
    method : its name in the catalogue
    n_clusters : one number, or task -> number; "auto" where the method finds them, and then the
        others take what it found
    preparation : fitted here on all rows, unless it is fitted already, as to another site's scale
    parameters : those of the method
    labels : (n,) known classes, -1 where unknown, for a method of tasks with labels
    settings, command, notes : what else the report shall show

    Raises
    ------
    InputError : an unknown method or parameter, or rows that the method cannot take
    """
    entry = catalogue.method(method)
    fitted = bool(preparation.feature_names)
    X = preparation.transform(data) if fitted else preparation.fit_transform(data)
    setup = strategies.Setup(entry, data, n_clusters, random_state, dict(parameters or {}), labels)
    tried = strategies.of(setup)
    shown = next(way for way in tried if way.name == entry.relation.shown)
    with warnings.catch_warnings(record=True) as told:
        fits = {shown.estimator: _fit(shown, data, X)}
    if reason := fits[shown.estimator].reason:
        raise InputError(reason)
    if isinstance(n_clusters, str):
        _take_numbers(tried, shown.estimator)
    warned = dict.fromkeys(str(warning.message) for warning in told)
    return Study(
        data=data,
        X=X,
        feature_names=preparation.feature_names,
        model=shown.estimator,
        method=method,
        relation=str(entry.relation),
        results=[_judged(way, fits, data, X) for way in tried],
        settings=dict(settings or {}),
        command=command,
        notes=[
            *(notes or []),
            *preparation.notes,
            *warned,
            *strategies.notes(setup),
            *strategies.left_out(shown.estimator, warned),
        ],
    )


def _fit(way: strategies.Strategy, data: RelatedData, X: Table) -> Fit:
    """Fit and time one way of clustering; one that refuses the data says why."""
    if way.estimator is None:
        return Fit(0.0, way.reason)
    start = time.perf_counter()
    try:
        way.estimator.fit(X[:, way.columns], way.labels, tasks=data.tasks)
    except ValueError as error:  # InputError, and what a foreign clusterer says of its parameters
        return Fit(0.0, str(error))
    return Fit(time.perf_counter() - start)


def _take_numbers(tried: list[strategies.Strategy], model: Any) -> None:
    """Let all others look for as many clusters as the fitted model found."""
    found = dict(zip(model.task_names_, model.n_clusters_.tolist(), strict=True))
    for way in tried:
        if way.estimator is not model:
            way.estimator.set_params(n_clusters=found)


def _judged(way: strategies.Strategy, fits: dict[Any, Fit], data: RelatedData, X: Table) -> Result:
    """Score one way of clustering; it is fitted unless a way of the same estimator was."""
    if way.estimator not in fits:
        fits[way.estimator] = _fit(way, data, X)
    seconds, reason = fits[way.estimator]
    if reason:
        return Result(way.name, way.description, None, reason=reason)
    labels = getattr(way.estimator, way.answer)
    scores = {"silhouette": measures.per_task(measures.silhouette, data.tasks, X, labels)}
    if data.target is not None:
        for measure in (measures.accuracy, measures.nmi):
            scores[measure.__name__] = measures.per_task(measure, data.tasks, data.target, labels)
    return Result(way.name, way.description, labels, seconds, scores=scores)
