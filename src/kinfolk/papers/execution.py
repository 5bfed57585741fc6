"""Executes planned runs in parallel and records each result in the store at once.

joblib hands the runs out: to processes of this machine, or to the backend that
`joblib.parallel_config` names, such as a Dask cluster. Workers load data sets themselves and keep
the last two; only this process writes to the store.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import joblib

from kinfolk import datasets
from kinfolk.errors import KinfolkError
from kinfolk.papers import single_run
from kinfolk.papers.plan import checksum
from kinfolk.papers.single_run import DataSource
from kinfolk.papers.store import Outcome, RunSpec, Store, canonical
from kinfolk.papers.your_method import YourMethod
from kinfolk.running import progress
from kinfolk.tables import RelatedData


def execute(
    runs: Iterable[RunSpec],
    store: Store,
    *,
    load: Callable[..., RelatedData] = datasets.load,
    jobs: int | None = None,
    yours: YourMethod | None = None,
) -> Counter[str]:
    """Execute the runs that the store does not have yet, and record each outcome.

    A killed process loses only the runs in flight: those that are running and, with several jobs,
    those that have ended but are not yet written.

    Parameters
    ----------
    runs : in the order in which they start
    store : open for writing; other processes may work on the same plan at the same time
    load : `load(name, **options)` returns the data; for another data directory,
        `functools.partial(datasets.load, data=folder)`
    jobs : number of parallel jobs, -1 for the number of cores; None: as in
        `joblib.parallel_config`, else 1. The cores are shared out among them as threads,
        but none gets more than this process has (OMP_NUM_THREADS and its like).
    yours : a user's method that runs may name by its `id`

    Returns
    -------
    status -> number of runs executed here that ended so. "refused": the method cannot take the
    data; "failed": a fault, tried again the next time

    Raises
    ------
    InputError : a run has values that cannot be stored, or the store cannot be written

    Examples
    --------
    >>> from kinfolk.datasets import makers
    >>> blobs = lambda name: makers.make_related_blobs(n_samples=20, random_state=0)
    >>> runs = [RunSpec("blobs", "kmeans", name) for name in ("alone", "pooled", "together")]
    >>> with Store(getfixture("tmp_path") / "runs.sqlite") as store:
    ...     print(execute(runs, store, load=blobs), execute(runs, store, load=blobs))
    Counter({'done': 2, 'refused': 1}) Counter()
    """
    pending = _pending(runs, store, load)
    threads = max(1, joblib.cpu_count() // joblib.effective_n_jobs(jobs))
    faults: list[KinfolkError] = []
    tally: Counter[str] = Counter()
    # One run per batch, none handed out ahead: a claim is taken just before its run starts.
    parallel = joblib.Parallel(
        n_jobs=jobs, batch_size=1, pre_dispatch="n_jobs", return_as="generator_unordered"
    )
    results = parallel(
        joblib.delayed(_with_key)(key, run, source, threads, yours)
        for key, run, source in _claimed(pending, store, faults)
    )
    try:
        for _ in progress.track(range(len(pending)), "running"):
            ended = next(results, None)
            if ended is not None:  # else another process has claimed the remaining runs
                key, outcome = ended
                store.record(key, outcome)
                tally[outcome.status] += 1
    finally:
        results.close()
        store.release()
        single_run.clear_caches()
    if faults:
        raise faults[0]
    return tally


def _pending(
    runs: Iterable[RunSpec], store: Store, load: Callable[..., RelatedData]
) -> list[tuple[RunSpec, DataSource]]:
    """List planned runs that the store lacks, without duplicates, with their data sources."""
    sources: dict[tuple[str, str], DataSource] = {}
    missing: dict[str, tuple[RunSpec, DataSource]] = {}
    finished = store.finished_keys()
    for run in runs:
        identity = run.data, canonical(run.data_options)
        if identity not in sources:
            sources[identity] = _source(*identity, load)
        key = run.key(sources[identity].checksum)
        if key not in finished:
            missing[key] = run, sources[identity]
    return list(missing.values())


def _source(name: str, options: str, load: Callable[..., RelatedData]) -> DataSource:
    """Describe how a worker loads a data set, with its checksum ("" if it cannot be loaded)."""
    try:
        return DataSource(name, options, checksum(load(name, **json.loads(options))), load)
    except KinfolkError:
        # The plan goes on: each run on this data set will fail and record the reason.
        return DataSource(name, options, "", load)


def _claimed(
    pending: list[tuple[RunSpec, DataSource]], store: Store, faults: list[KinfolkError]
) -> Iterator[tuple[str, RunSpec, DataSource]]:
    """Reserve pending runs one by one for this process; stop at the first error of the store."""
    for run, source in pending:
        try:
            key = store.claim(run, source.checksum)
        except KinfolkError as error:
            # joblib iterates in a thread of its own, where a raised error would be lost.
            faults.append(error)
            return
        if key is not None:
            yield key, run, source


def _with_key(
    key: str, run: RunSpec, source: DataSource, threads: int, yours: YourMethod | None
) -> tuple[str, Outcome]:
    return key, single_run.run(run, source, threads, yours)
