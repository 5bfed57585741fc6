"""Runs a plan: what is settled is left out, the rest goes side by side, each row is kept at once.

joblib hands the runs out: to processes of this machine, or to whatever `joblib.parallel_config`
names, such as a Dask cluster. Workers load data sets by themselves and keep the last two; only
this process writes to the store.
"""

import json
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import joblib
import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from kinfolk import catalogue, datasets, measures, progress
from kinfolk.arrays import Table
from kinfolk.comparison import strategies
from kinfolk.errors import InputError, KinfolkError, MissingDataError
from kinfolk.numerics import memo
from kinfolk.papers import peak_memory, transfers
from kinfolk.papers.plan import Run, checksum
from kinfolk.papers.store import Outcome, Store, canonical
from kinfolk.papers.transfers import Transfer
from kinfolk.preparation import Preparation
from kinfolk.tables import RelatedData, Tasks

EXTERNAL = {
    "accuracy": measures.accuracy,
    "nmi": measures.nmi,
    "ri": measures.rand_index,
    "ari": measures.adjusted_rand_index,
}
"""The measures that need the true classes; "silhouette" is always there."""
ARRAYS = ("n_clusters", "task_relatedness")
"""What is kept of a model, where it has it, beside what `_arrays` adds."""
ROWWISE = ("labels", "task_codes")
"""Kept of every run: (m,) the cluster and the task of each row that is scored."""
_STEPS = memo.Memory()
"""What repeats share in a process: they differ in the start alone."""
MOST_NUMBERS = 1000
"""Larger arrays of a model are not kept: centres of many words belong into a model's folder."""


@dataclass(frozen=True)
class Source:
    """A data set that every process loads for itself.

    Attributes
    ----------
    name, options : what `load` takes, the options as JSON
    checksum : of what was loaded where the plan began; "" if nothing could be
    load : `load(name, **options)` returns RelatedData
    """

    name: str
    options: str
    checksum: str
    load: Callable[..., RelatedData] = field(compare=False)


def execute(
    runs: Iterable[Run],
    store: Store,
    *,
    load: Callable[..., RelatedData] = datasets.load,
    jobs: int | None = None,
) -> Counter[str]:
    """Run what is not settled in the store, and record it there run by run.

    Whoever kills this process loses the runs in flight: those that are running, and with several
    jobs those that have just ended and are on their way to the store.

    Parameters
    ----------
    runs : in the order in which they are to start
    store : open for writing; others may work on the same plan at the same time
    load : `load(name, **options)` returns the data; for data elsewhere,
        `functools.partial(datasets.load, data=folder)`
    jobs : how many side by side, -1 for as many as there are cores; None: as
        `joblib.parallel_config` says, else 1. Each gets its share of the cores as threads.

    Returns
    -------
    status -> how many of the runs that were run here ended so; a run that its method refuses is
    "refused", a fault is "failed" and will be tried again the next time

    Raises
    ------
    InputError : a run holds values that cannot be kept, or the store cannot be written
    """
    pending = _pending(runs, store, load)
    threads = max(1, joblib.cpu_count() // joblib.effective_n_jobs(jobs))
    faults: list[KinfolkError] = []
    tally: Counter[str] = Counter()
    parallel = joblib.Parallel(
        n_jobs=jobs, batch_size=1, pre_dispatch="n_jobs", return_as="generator_unordered"
    )
    results = parallel(
        joblib.delayed(_named)(key, run, source, threads)
        for key, run, source in _claimed(pending, store, faults)
    )
    try:
        for _ in progress.track(range(len(pending)), "running"):
            if (found := next(results, None)) is not None:  # else in the hands of another
                key, outcome = found
                store.record(key, outcome)
                tally[outcome.status] += 1
    finally:
        results.close()
        store.release()
        _forget()
    if faults:
        raise faults[0]
    return tally


def conclude(run: Run, source: Source, threads: int = 1) -> Outcome:
    """Run once and say how it ended, whatever happens.

    >>> from kinfolk.datasets import makers
    >>> source = Source("blobs", "{}", "", lambda name: makers.make_related_blobs(random_state=0))
    >>> source = Source("blobs", "{}", checksum(source.load("blobs")), source.load)
    >>> conclude(Run("blobs", "kmeans", "alone", parameters={"n_init": 1}), source).scores["nmi"]
    {'task-0': 1.0, 'task-1': 1.0}
    >>> conclude(Run("blobs", "kmeans", "alone", n_clusters=0), source).status
    'refused'
    """
    if run.seed == 0:  # the time and memory of a first repeat leave nothing out
        _STEPS.clear()
    limits, listening = threadpool_limits(threads), warnings.catch_warnings(record=True)
    with limits, listening as heard, memo.remembering(_STEPS):
        warnings.simplefilter("always")
        try:
            outcome = _fitted(run, source)
        except InputError as error:
            outcome = Outcome("refused", str(error))
        except Exception as error:  # noqa: BLE001 - the plan goes on
            outcome = Outcome("failed", f"{type(error).__name__}: {error}")
    return replace(outcome, notes=tuple(dict.fromkeys(str(note.message) for note in heard)))


def _pending(
    runs: Iterable[Run], store: Store, load: Callable[..., RelatedData]
) -> list[tuple[Run, Source]]:
    """The runs that are not settled, each once, with their data."""
    sources: dict[tuple[str, str], Source] = {}
    found: dict[str, tuple[Run, Source]] = {}
    settled = store.settled()
    for run in runs:
        place = run.data, canonical(run.data_options)
        if place not in sources:
            sources[place] = _source(*place, load)
        key = run.key(sources[place].checksum)
        if key not in settled:
            found[key] = run, sources[place]
    return list(found.values())


def _source(name: str, options: str, load: Callable[..., RelatedData]) -> Source:
    """What cannot be loaded is no fault of the plan: its runs will say why."""
    try:
        return Source(name, options, checksum(load(name, **json.loads(options))), load)
    except KinfolkError:
        return Source(name, options, "", load)


def _claimed(
    pending: list[tuple[Run, Source]], store: Store, faults: list[KinfolkError]
) -> Iterator[tuple[str, Run, Source]]:
    """The runs that fall to this process; joblib asks in threads where an error would be lost."""
    for run, source in pending:
        try:
            key = store.claim(run, source.checksum)
        except KinfolkError as error:
            faults.append(error)
            return
        if key is not None:
            yield key, run, source


def _named(key: str, run: Run, source: Source, threads: int) -> tuple[str, Outcome]:
    return key, conclude(run, source, threads)


def _fitted(run: Run, source: Source) -> Outcome:
    data, X = _rows(source), _table(source, canonical(run.preparation))
    k = _true_numbers(data) if run.n_clusters is None else run.n_clusters
    before, start = peak_memory.start(), time.perf_counter()
    found = _answer(run, data, X, k)
    seconds, peak = time.perf_counter() - start, peak_memory.raised(before)
    return Outcome(
        "done",
        seconds=seconds,
        peak_memory=peak,
        scores=_scores(data, X, found),
        arrays=_arrays(found, data.tasks[found.rows], with_trace=run.seed == 0),
        **_descent(found.model),
    )


def _answer(run: Run, data: RelatedData, X: Table, k: Any) -> Transfer:
    """The fitted model, and the rows that are scored with their clusters."""
    entry, parameters = catalogue.method(run.method), dict(run.parameters)
    if transfers.ARROW in run.way:
        return transfers.fit(entry, run.way, data, X, k, run.seed, parameters)
    way = _way(strategies.Setup(entry, data, k, run.seed, parameters, None), run.way)
    model = way.estimator.fit(X[:, way.columns], way.labels, tasks=data.tasks)
    return Transfer(model, np.arange(len(data)), getattr(model, way.answer))


@lru_cache(maxsize=2)
def _rows(source: Source) -> RelatedData:
    data = source.load(source.name, **json.loads(source.options))
    if checksum(data) != source.checksum:
        raise MissingDataError(
            f"The data set {source.name!r} is another here than where the plan began; give every "
            "worker the same data directory."
        )
    return data


@lru_cache(maxsize=2)
def _table(source: Source, preparation: str) -> Table:
    try:
        prepared = Preparation(**json.loads(preparation))
    except TypeError as error:
        raise InputError(f"{preparation} is no preparation: {error}.") from error
    return prepared.fit_transform(_rows(source))


def _forget() -> None:
    _rows.cache_clear()
    _table.cache_clear()
    _STEPS.clear()


def _true_numbers(data: RelatedData) -> int | dict[str, int]:
    """The number of classes, of each task where they differ."""
    if data.target is None:
        raise InputError(f"{data.name!r} has no true classes; give n_clusters.")
    found = measures.per_task(lambda own: len(np.unique(own)), data.tasks, data.target)
    return next(iter(found.values())) if len(set(found.values())) == 1 else found


def _way(case: strategies.Setup, name: str) -> strategies.Strategy:
    offered = {way.name: way for way in strategies.of(case)}
    if name not in offered:
        raise InputError(
            f"{case.entry.name} has no way {name!r} here; it has {', '.join(offered)}."
        )
    if offered[name].estimator is None:
        raise InputError(offered[name].reason)
    return offered[name]


def _scores(data: RelatedData, X: Table, found: Transfer) -> dict[str, dict[str, float]]:
    rows, labels = found.rows, found.labels
    tasks = data.tasks[rows]
    scores = {"silhouette": measures.per_task(measures.silhouette, tasks, X[rows], labels)}
    if data.target is not None:
        for name, measure in EXTERNAL.items():
            scores[name] = measures.per_task(measure, tasks, data.target[rows], labels)
    return scores


def _parts(model: Any) -> list[Any]:
    """The models that were fitted: one for each task, or one."""
    return getattr(model, "estimators_", None) or [getattr(model, "estimator_", model)]


def _arrays(answer: Transfer, tasks: Any, with_trace: bool) -> dict[str, Any]:
    """What is kept of a model; a trace of few runs only, since traces would be most of a store."""
    model = answer.model
    kept = [*ARRAYS, *["objective_trace"] * with_trace]
    found = {name: np.asarray(getattr(model, f"{name}_", None)) for name in kept}
    found["cluster_relatedness"] = _relations(model)
    for name in ("view_weights", "cluster_centers"):
        each = [getattr(part, f"{name}_", None) for part in _parts(model)]
        alike = len({np.shape(np.asarray(a)) for a in each}) == 1
        found[name] = np.array(each if alike else None)
    for name, codes in (("labels", answer.labels), ("task_codes", Tasks.of(tasks).codes)):
        found[name] = codes.astype(np.min_scalar_type(int(codes.max())))  # few clusters: one byte
    return {
        name: array
        for name, array in found.items()
        if array.dtype != object and (name in ROWWISE or array.size <= MOST_NUMBERS)
    }


def _relations(model: Any) -> Any:
    """The relations of all clusters (C, C), 0 within a task; None in an array if there are none."""
    blocks = getattr(model, "cluster_relatedness_", None)
    if not blocks:
        return np.array(None)
    owners = [name for name, _ in model.clusters_]
    G = np.zeros((len(owners), len(owners)))
    for (task, other), block in blocks.items():
        rows, columns = ([i for i, own in enumerate(owners) if own == t] for t in (task, other))
        G[np.ix_(rows, columns)] = block
    return G


def _descent(model: Any) -> dict[str, Any]:
    """What the parts say of their descents; None where any does not."""

    def together(combine: Callable[[list[Any]], Any], read: Callable[[Any], Any]) -> Any:
        values = [read(part) for part in _parts(model)]
        return None if any(value is None for value in values) else combine(values)

    return {
        "objective": together(lambda v: float(sum(v)), _objective),
        "n_iter": together(lambda v: int(max(v)), lambda part: getattr(part, "n_iter_", None)),
        "converged": together(all, lambda part: getattr(part, "converged_", None)),
    }


def _objective(part: Any) -> Any:
    trace = getattr(part, "objective_trace_", None)
    return getattr(part, "inertia_", None) if trace is None else trace[-1]
