"""Executes one planned run: load and prepare data, fit the method, score the clusters.

Caches keep the last two data sets and prepared tables of each process, and the steps that the runs
of one grid share.
"""

import json
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from kinfolk import catalogue, measures
from kinfolk.arrays import Table
from kinfolk.catalogue import strategies
from kinfolk.choosing import task_scorer
from kinfolk.errors import InputError, MissingDataError
from kinfolk.estimators import facets
from kinfolk.numerics import memo
from kinfolk.numerics.threads import at_most
from kinfolk.papers import as_printed, peak_memory, transfers
from kinfolk.papers.plan import checksum
from kinfolk.papers.store import Outcome, RunSpec, canonical
from kinfolk.papers.transfers import Transfer
from kinfolk.papers.your_method import YourMethod
from kinfolk.preparation import Preparation
from kinfolk.tables import RelatedData, Tasks

EXTERNAL = {
    "accuracy": measures.accuracy,
    "nmi": measures.nmi,
    "ri": measures.rand_index,
    "ari": measures.adjusted_rand_index,
}
"""Measures that compare with true classes; "silhouette" and "modularity" need none."""
# Without the MemoryError of `choosing.fitting.REFUSALS`: such a run is tried again the next time.
REFUSED = (InputError, np.linalg.LinAlgError)
"""Errors by which a method says that it cannot take the data; any other error is a fault."""
ARRAY_LIMIT = 1000
"""Larger arrays of a model are not stored: centers of many words would be most of a store."""


@dataclass(frozen=True)
class DataSource:
    """A data set's name, options and loader, so that each worker process can load it.

    Attributes
    ----------
    name, options : arguments of `load`, the options as JSON
    checksum : of the content when the plan began; "" if it could not be loaded
    load : `load(name, **options)` returns RelatedData
    """

    name: str
    options: str
    checksum: str
    load: Callable[..., RelatedData] = field(compare=False)


def run(
    spec: RunSpec, source: DataSource, threads: int = 1, yours: YourMethod | None = None
) -> Outcome:
    """Execute one run and return its outcome, whatever error occurs.

    `yours` is the one method that may be run beside those of the catalogue.

    Examples
    --------
    >>> from kinfolk.datasets import makers
    >>> source = DataSource("blobs", "{}", "", lambda _: makers.make_related_blobs(random_state=0))
    >>> source = replace(source, checksum=checksum(source.load("blobs")))
    >>> outcome = run(RunSpec("blobs", "kmeans", "alone", parameters={"n_init": 1}), source)
    >>> outcome.status, outcome.scores["nmi"], round(outcome.objective, 1)
    ('done', {'task-0': 1.0, 'task-1': 1.0}, 370.1)
    >>> outcome = run(RunSpec("blobs", "kmeans", "alone", n_clusters=0), source)
    >>> outcome.status, outcome.error
    ('refused', "n_clusters of task 'task-0' is 0; give at least 1.")
    """
    steps = _steps(source, spec.method, spec.strategy, tuple(sorted(spec.parameters)))
    recorded = warnings.catch_warnings(record=True)
    with at_most(threads), recorded as caught, memo.remembering(steps):
        warnings.simplefilter("always")
        try:
            outcome = _fit_and_score(spec, source, yours)
        except REFUSED as error:
            outcome = Outcome("refused", str(error))
        except Exception as error:  # noqa: BLE001 - recorded; the plan goes on
            outcome = Outcome("failed", f"{type(error).__name__}: {error}")
    return replace(outcome, notes=tuple(dict.fromkeys(str(note.message) for note in caught)))


def clear_caches() -> None:
    """Drop the data, prepared tables and shared results cached in this process."""
    _load.cache_clear()
    _prepared.cache_clear()
    _steps.cache_clear()


def _fit_and_score(spec: RunSpec, source: DataSource, yours: YourMethod | None) -> Outcome:
    """Load and prepare the data, fit the method and score its clusters; errors are not caught."""
    data = _load(source)
    X = _prepared(source, canonical(spec.preparation))
    k = _class_counts(data) if spec.n_clusters is None else spec.n_clusters
    memory_before = peak_memory.start()
    # Processor time: several jobs, or other programs, share the machine.
    start = time.process_time()
    fitted = _fit(spec, data, X, k, yours)
    seconds = time.process_time() - start
    peak = peak_memory.rise_since(memory_before)
    return Outcome(
        "done",
        seconds=seconds,
        peak_memory=peak,
        scores=_scores(data, X, fitted),
        # Traces of every seed would be most of a store; figures draw those of the first.
        arrays=_arrays(fitted, data.tasks[fitted.rows], with_trace=spec.seed == 0),
        **_descent(fitted.model),
    )


def _fit(spec: RunSpec, data: RelatedData, X: Table, k: Any, yours: YourMethod | None) -> Transfer:
    """Fit a run's strategy to the prepared rows; return model, scored rows and clusters."""
    # A name alone, which may come from a store, never leads to an import.
    if yours is not None and spec.method == yours.id:
        return yours.fit(data, X, k, spec.seed, spec.parameters)
    entry = catalogue.method(spec.method)
    parameters = as_printed.complete(spec.method, spec.parameters)
    if transfers.ARROW in spec.strategy:
        return transfers.fit(entry, spec.strategy, data, X, k, spec.seed, parameters)
    setup = strategies.Setup(entry, data, k, spec.seed, parameters, None)
    strategy = _strategy(setup, spec.strategy)
    model = strategy.estimator.fit(X[:, strategy.columns], strategy.labels, tasks=data.tasks)
    return Transfer(model, np.arange(len(data)), getattr(model, strategy.answer))


@lru_cache(maxsize=1)
def _steps(source: DataSource, *grid: Any) -> memo.Memory:
    """Return the cache of steps for the runs of one grid on one data set in this process.

    Repeats differ in the start and settings in a few steps. The first run of a method finds the
    cache empty, so that its time and memory count every step.
    """
    return memo.Memory()


@lru_cache(maxsize=2)
def _load(source: DataSource) -> RelatedData:
    """Load a data set; MissingDataError if it differs from the one with which the plan began."""
    data = source.load(source.name, **json.loads(source.options))
    # The key of a run holds the checksum, so a run on other content would get a false key.
    if checksum(data) != source.checksum:
        raise MissingDataError(
            f"The data set {source.name!r} is another here than where the plan began; give every "
            "worker the same data directory."
        )
    return data


@lru_cache(maxsize=2)
def _prepared(source: DataSource, preparation: str) -> Table:
    """Return the rows of a data set as prepared; InputError if the JSON is no preparation."""
    try:
        prepare = Preparation(**json.loads(preparation))
    except TypeError as error:
        raise InputError(f"{preparation} is no preparation: {error}.") from error
    return prepare.fit_transform(_load(source))


def _class_counts(data: RelatedData) -> int | dict[str, int]:
    """Number of true classes: one number if equal in all tasks, else {task: number}."""
    if data.target is None:
        raise InputError(f"{data.name!r} has no true classes; give n_clusters.")
    counts = measures.per_task(lambda own: len(np.unique(own)), data.tasks, data.target)
    return next(iter(counts.values())) if len(set(counts.values())) == 1 else counts


def _strategy(setup: strategies.Setup, name: str) -> strategies.Strategy:
    """Return the strategy with this name; error if the method lacks it or it cannot run."""
    offered = {strategy.name: strategy for strategy in strategies.of(setup)}
    if name not in offered:
        raise InputError(
            f"{setup.entry.name} has no strategy {name!r} here; it has {', '.join(offered)}."
        )
    if offered[name].estimator is None:
        raise InputError(offered[name].reason)
    return offered[name]


def _scores(data: RelatedData, X: Table, fitted: Transfer) -> dict[str, dict[str, float]]:
    """Score the clusters found by each measure in each task: {measure: {task: score}}."""
    rows, labels = fitted.rows, fitted.labels
    tasks = data.tasks[rows]
    scores = {
        "silhouette": measures.per_task(measures.silhouette, tasks, X[rows], labels),
        "modularity": task_scorer.modularity_of_tasks(X[rows], tasks, labels),
    }
    if data.target is not None:
        for name, measure in EXTERNAL.items():
            scores[name] = measures.per_task(measure, tasks, data.target[rows], labels)
    return scores


def _parts(model: Any) -> list[Any]:
    """Fitted estimators inside a wrapper (per task, or one for all); else the model itself."""
    if isinstance(model, facets.HasCopies):
        return model.estimators_
    return [model.estimator_] if isinstance(model, facets.HasPooledCopy) else [model]


def _arrays(fitted: Transfer, tasks: Any, with_trace: bool) -> dict[str, Any]:
    """Collect the arrays to store: clusters and tasks of rows, and small fitted arrays."""
    model = fitted.model
    parts = _parts(model)
    learned: dict[str, Any] = {}
    if isinstance(model, facets.HasClusterCounts):
        learned["n_clusters"] = model.n_clusters_
    if isinstance(model, facets.HasRelatedness):
        learned["task_relatedness"] = model.task_relatedness_
    if with_trace and isinstance(model, facets.HasTrace):
        learned["objective_trace"] = model.objective_trace_
    if isinstance(model, facets.HasClusterRelatedness) and model.cluster_relatedness_:
        learned["cluster_relatedness"] = _joined_relatedness(model)
    if all(isinstance(part, facets.HasViews) for part in parts):
        learned["view_weights"] = _stacked([part.view_weights_ for part in parts])
    if all(isinstance(part, facets.HasCenters) for part in parts):
        learned["cluster_centers"] = _stacked([part.cluster_centers_ for part in parts])
    small = {
        name: np.asarray(array)
        for name, array in learned.items()
        if array is not None and np.size(array) <= ARRAY_LIMIT
    }
    codes = {"labels": fitted.labels, "task_codes": Tasks.of(tasks).codes}
    # Few clusters: one byte per row.
    return small | {n: c.astype(np.min_scalar_type(int(c.max()))) for n, c in codes.items()}


def _stacked(arrays: list[Any]) -> Any:
    """Stack an array of all parts; None if shapes differ or one part lacks it."""
    shapes = {None if array is None else np.shape(array) for array in arrays}
    return np.array(arrays) if len(shapes) == 1 and None not in shapes else None


def _joined_relatedness(model: Any) -> np.ndarray:
    """Relations of all clusters of all tasks as one matrix (C, C), 0 within a task."""
    owners = [name for name, _ in model.clusters_]
    G = np.zeros((len(owners), len(owners)))
    for (task, other), block in model.cluster_relatedness_.items():
        rows, columns = ([i for i, own in enumerate(owners) if own == t] for t in (task, other))
        G[np.ix_(rows, columns)] = block
    return G


def _descent(model: Any) -> dict[str, Any]:
    """Objective, iterations and convergence flag over all parts; None if a part lacks one."""
    parts = _parts(model)
    objectives = [_objective(part) for part in parts]
    iterations: list[Any] = [
        part.n_iter_ if isinstance(part, facets.HasIterations) else None for part in parts
    ]
    convergence = [p.converged_ if isinstance(p, facets.HasConvergence) else None for p in parts]
    return {
        "objective": None if None in objectives else float(sum(objectives)),
        "n_iter": None if None in iterations else int(max(iterations)),
        "converged": None if None in convergence else all(convergence),
    }


def _objective(part: Any) -> Any:
    """Final objective: last value of the trace, else scikit-learn's inertia, else None."""
    if isinstance(part, facets.HasTrace):
        return part.objective_trace_[-1]
    return part.inertia_ if isinstance(part, facets.HasInertia) else None
