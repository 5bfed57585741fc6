"""Adds to a stored model the tasks of new rows that it does not know."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from kinfolk.choosing.estimator import Kinfolk
from kinfolk.cli import inputs
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.models.model import Assignment, Model
from kinfolk.tables import RelatedData, Tasks


def _new_tasks(stored: Model, data: RelatedData) -> list[str]:
    """Return the tasks that the model does not know; InputError if there are none."""
    if not isinstance(stored.estimator, MultiTaskClusterer):
        raise InputError(
            f"{stored.method} takes no new task: run it again with all rows, or leave out "
            "--new-task."
        )
    known = stored.estimator.task_names_.tolist()
    if not (names := [name for name in data.task_names if name not in known]):
        raise InputError(
            f"the model knows every task of these rows ({', '.join(data.task_names)}): leave out "
            "--new-task, or give the new task another name (--task)."
        )
    return names


def _numbers(
    estimator: MultiTaskClusterer, data: RelatedData, names: list[str], number: Any
) -> dict[str, Any]:
    """Return {new task: number of clusters}, None for the number that the model has."""
    if number is None and isinstance(estimator.n_clusters, Mapping):
        # Under None stands the number of all tasks that were not named.
        number = estimator.n_clusters.get(None)
        if number is not None:
            return dict.fromkeys(names, number)
        raise InputError(
            "the model has a number of clusters for each task by name: give --clusters, a number "
            "or pairs such as a=4,b=3, for the new one."
        )
    if number is None or number == inputs.AUTO:
        return dict.fromkeys(names, number)
    new = Tasks.of(data.tasks[np.isin(data.tasks, names)])
    return dict(zip(new.names, checks.clusters(number, new), strict=True))


def added(stored: Model, data: RelatedData, number: Any) -> tuple[Assignment, list[str]]:
    """Add new tasks to the model, in place; return the assignment of all rows, and warnings."""
    estimator = stored.estimator
    names = _new_tasks(stored, data)
    numbers = _numbers(estimator, data, names, number)
    if stored.preparation is not None:
        stored.preparation.add_tasks(data)
    X = stored.prepare(data)
    labels = np.empty(len(data), dtype=int)
    for name, k in numbers.items():
        rows = np.flatnonzero(data.tasks == name)
        labels[rows] = estimator.add_task(X[rows], name, k).labels
    if len(known := np.flatnonzero(~np.isin(data.tasks, list(numbers)))):
        labels[known] = estimator.predict(X[known], data.tasks[known])
    found = Assignment(labels, *estimator.match(labels, data.tasks))
    return found, list(_doubts(estimator, names))


def _doubts(estimator: MultiTaskClusterer, names: list[str]) -> Iterator[str]:
    """Yield a warning per new task without clusters, and per cluster without match."""
    for alone in estimator.added_tasks_[-len(names) :]:
        for task in alone.unclustered_tasks_ if isinstance(alone, Kinfolk) else []:
            yield f"No clusters found in {task}: a table without any could look as clear as this."
    clusters: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for record in estimator.counterparts_:
        if record["task"] in names:
            clusters.setdefault((record["task"], record["cluster"]), []).append(record)
    for (task, cluster), records in clusters.items():
        if not any(record["other_clusters"] for record in records):
            best = max(records, key=lambda record: record["strongest"] - record["level"])
            kinds = estimator.matched_clusters_.tolist()
            kind = kinds[estimator.clusters_.index((task, cluster))]
            doubtful = f"is of kind {kind} with doubt: no link of it is clearer than chance"
            yield (
                f"Cluster {cluster} of {task} "
                f"{doubtful if kinds.count(kind) > 1 else 'has no counterpart'} (strongest link "
                f"{best['strongest']:.2f}, to {best['other_task']}; level {best['level']:.2f})."
            )
