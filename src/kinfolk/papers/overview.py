"""What a store holds, as lines of plain values: by method, by run, or by task of a run."""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np

from kinfolk.papers.store import Row

Line: TypeAlias = dict[str, Any]
MEASURES = ("accuracy", "nmi", "ri", "ari", "silhouette")


def by_method(rows: Iterable[Row]) -> list[Line]:
    """One line for each data set, method and way: runs, mean scores and mean seconds.

    A mean is over the tasks of each run, then over the runs, that of the seconds over the slowest
    repeat of each setting; settings counts how many different ones it goes over. Runs that are
    not done count in "not done" alone.
    """
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.run.data, row.run.method, row.run.way), []).append(row)
    return [_summary(*place, members) for place, members in groups.items()]


def by_run(rows: Iterable[Row]) -> list[Line]:
    """One line a run: what was run, how it ended, and the mean of each measure over its tasks."""
    return [
        _what(row)
        | {name: _mean(row.outcome.scores.get(name, {}).values()) for name in MEASURES}
        | _how(row)
        for row in rows
    ]


def by_task(rows: Iterable[Row]) -> list[Line]:
    """One line for each task of each run that is done."""
    return [
        _what(row)
        | {"task": task}
        | {name: row.outcome.scores.get(name, {}).get(task, np.nan) for name in MEASURES}
        for row in rows
        for task in row.outcome.scores.get("silhouette", {})
    ]


VIEWS: dict[str, Callable[[Iterable[Row]], list[Line]]] = {
    "method": by_method,
    "run": by_run,
    "task": by_task,
}
"""The views by name."""


def _summary(data: str, method: str, way: str, rows: list[Row]) -> Line:
    done = [row for row in rows if row.outcome.status == "done"]
    others = Counter(row.outcome.status for row in rows if row.outcome.status != "done")
    lines = by_run(done)
    slowest: dict[str, float] = {}
    for row in done:
        setting = " ".join(_settings(row).values())
        slowest[setting] = max(slowest.get(setting, 0.0), row.outcome.seconds or 0.0)
    return {
        "data": data,
        "method": method,
        "way": way,
        "settings": len(slowest),
        "runs": len(done),
        **{name: _mean(line[name] for line in lines) for name in MEASURES},
        "seconds": _mean(slowest.values()),
        "not done": ", ".join(f"{count} {status}" for status, count in others.items()),
    }


def _what(row: Row) -> Line:
    names = "data", "method", "way", "seed"
    return {"key": row.key[:12]} | _taken(row.run, names) | _settings(row)


def _settings(row: Row) -> Line:
    """What else names a run, as JSON."""
    names = "parameters", "n_clusters", "preparation", "data_options"
    return {name: json.dumps(value) for name, value in _taken(row.run, names).items()}


def _how(row: Row) -> Line:
    ended = "status", "seconds", "peak_memory", "objective", "n_iter", "converged"
    outcome = row.outcome
    return (
        _taken(outcome, ended)
        | _taken(row, ("started", "version", "checksum"))
        | {"error": outcome.error, "notes": " ".join(outcome.notes)}
    )


def _taken(source: Any, names: Iterable[str]) -> Line:
    return {name: getattr(source, name) for name in names}


def _mean(values: Iterable[float | None]) -> float:
    """The mean of the numbers that are there; nan if none is."""
    known = [value for value in values if value is not None and not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")
