"""Summarises stored runs as records (dicts): per method, per run, or per task of a run."""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np

from kinfolk.papers.store import StoredRun

Record: TypeAlias = dict[str, Any]
SCORE_COLUMNS = ("accuracy", "nmi", "ri", "ari", "silhouette")


def by_method(runs: Iterable[StoredRun]) -> list[Record]:
    """Return one record per data set, method and strategy: number of runs, mean scores, seconds.

    Scores are averaged over the tasks of each run, then over the runs; seconds over the settings,
    each by its slowest repeat. Runs that are not done appear only in the column "not done".

    Examples
    --------
    >>> from kinfolk.papers.store import Outcome, RunSpec
    >>> outcomes = (
    ...     Outcome("done", seconds=2.0, scores={"nmi": {"a": 0.25, "b": 0.75}}),
    ...     Outcome("failed", "MemoryError: "))
    >>> runs = [
    ...     StoredRun("key", RunSpec("blobs", "mec"), outcome, "checksum", "0.1", "2024-05-01")
    ...     for outcome in outcomes]
    >>> (record,) = by_method(runs)
    >>> [record[name] for name in ("data", "method", "runs", "nmi", "seconds", "not done")]
    ['blobs', 'mec', 1, 0.5, 2.0, '1 failed']
    """
    groups: dict[tuple[str, str, str], list[StoredRun]] = {}
    for run in runs:
        groups.setdefault((run.spec.data, run.spec.method, run.spec.strategy), []).append(run)
    return [_summary(*names, members) for names, members in groups.items()]


def by_run(runs: Iterable[StoredRun]) -> list[Record]:
    """Return one record per run: settings, mean of each measure over tasks, and status."""
    return [_specification(run) | _mean_scores(run) | _outcome(run) for run in runs]


def by_task(runs: Iterable[StoredRun]) -> list[Record]:
    """Return one record per task of each finished run: settings and scores."""
    return [
        _specification(run)
        | {"task": task}
        | {name: run.outcome.scores.get(name, {}).get(task, np.nan) for name in SCORE_COLUMNS}
        for run in runs
        for task in run.outcome.scores.get("silhouette", {})
    ]


LAYOUTS: dict[str, Callable[[Iterable[StoredRun]], list[Record]]] = {
    "method": by_method,
    "run": by_run,
    "task": by_task,
}
"""Values of `kinfolk results --by`."""


def _summary(data: str, method: str, strategy: str, runs: list[StoredRun]) -> Record:
    """Return the record of `by_method` for the runs of one data set, method and strategy."""
    done = [run for run in runs if run.outcome.status == "done"]
    others = Counter(run.outcome.status for run in runs if run.outcome.status != "done")
    scores = [_mean_scores(run) for run in done]
    # Later repeats share steps of the first, so a setting takes as long as its slowest repeat.
    slowest: dict[str, float] = {}
    for run in done:
        setting = " ".join(_setting(run).values())
        slowest[setting] = max(slowest.get(setting, 0.0), run.outcome.seconds or 0.0)
    return {
        "data": data,
        "method": method,
        "strategy": strategy,
        "settings": len(slowest),
        "runs": len(done),
        **{name: _mean(own[name] for own in scores) for name in SCORE_COLUMNS},
        "seconds": _mean(slowest.values()),
        "not done": ", ".join(f"{count} {status}" for status, count in others.items()),
    }


def _mean_scores(run: StoredRun) -> Record:
    return {name: _mean(run.outcome.scores.get(name, {}).values()) for name in SCORE_COLUMNS}


def _specification(run: StoredRun) -> Record:
    names = "data", "method", "strategy", "seed"
    # Twelve hexadecimal digits tell any realistic number of runs apart.
    return {"key": run.key[:12]} | _attributes(run.spec, names) | _setting(run)


def _setting(run: StoredRun) -> Record:
    """Format parameters, numbers of clusters, preparation and data options as JSON."""
    names = "parameters", "n_clusters", "preparation", "data_options"
    return {name: json.dumps(value) for name, value in _attributes(run.spec, names).items()}


def _outcome(run: StoredRun) -> Record:
    outcome = run.outcome
    names = "status", "seconds", "peak_memory", "objective", "n_iter", "converged"
    return (
        _attributes(outcome, names)
        | _attributes(run, ("started", "version", "checksum"))
        | {"error": outcome.error, "notes": " ".join(outcome.notes)}
    )


def _attributes(source: Any, names: Iterable[str]) -> Record:
    return {name: getattr(source, name) for name in names}


def _mean(values: Iterable[float | None]) -> float:
    """Mean of the values that are neither None nor nan; nan if there is none.

    >>> _mean([1.0, None, 3.0, np.nan]), _mean([])
    (2.0, nan)
    """
    known = [value for value in values if value is not None and not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")
