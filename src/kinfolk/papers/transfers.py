"""Fits transfers from a source task to a target task ("SOURCE to TARGET" in the papers).

    another site's centers   maximum-entropy clustering of the source's rows gives the knowledge
                             with which the method clusters the target's rows
    tasks with labels        the source's classes are known, the method finds those of the target

The method sees only the rows of these two tasks, and only the target's rows are scored.
"""

from typing import Any, NamedTuple

import numpy as np

from kinfolk import catalogue
from kinfolk.arrays import Table
from kinfolk.catalogue import KNOWN_LABELS, OTHER_SITE, Entry
from kinfolk.errors import InputError
from kinfolk.knowledge import Knowledge
from kinfolk.methods.multitask.baselines import PerTask
from kinfolk.tables import RelatedData

ARROW = " to "


class Transfer(NamedTuple):
    """A fitted model with the rows to score (m,) and their clusters (m,)."""

    model: Any
    rows: np.ndarray
    labels: np.ndarray


def fit(
    entry: Entry, strategy: str, data: RelatedData, X: Table, k: int, seed: int, parameters: Any
) -> Transfer:
    """Fit a method from source to target as named by `strategy`, on the rows X (n, d).

    Raises
    ------
    InputError : a task does not exist, or the method takes nothing from another task

    Examples
    --------
    >>> from kinfolk.datasets import makers
    >>> data = makers.make_related_blobs(n_samples=20, random_state=0)
    >>> mec = catalogue.method("kt-mec")
    >>> found = fit(mec, "task-0 to task-1", data, data.X, 3, 0, {"temperature": 0.1})
    >>> found.rows[[0, -1]], np.bincount(found.labels)
    (array([20, 39]), array([ 7, 13]))
    """
    source, _, target = strategy.partition(ARROW)
    tasks = data.task_names
    for task in (source, target):
        if task not in tasks:
            raise InputError(f"{data.name!r} has no task {task!r}; it has {', '.join(tasks)}.")
    target_rows, source_rows = (np.flatnonzero(data.tasks == task) for task in (target, source))
    if entry.relation == OTHER_SITE:
        # Both sites have the same temperature, as in the paper, and start alike. Others are only
        # the target's.
        shared = {name: parameters[name] for name in ("temperature", "init") if name in parameters}
        mec = catalogue.method("mec").seeded(seed, n_clusters=k, **shared).fit(X[source_rows])
        knowledge = Knowledge.of(mec, minimum_cluster_size=1)
        model = PerTask(entry.seeded(seed, **{**parameters, "knowledge": knowledge}), k)
        model.fit(X[target_rows], tasks=data.tasks[target_rows])
        return Transfer(model, target_rows, model.labels_)
    if entry.relation == KNOWN_LABELS:
        codes = np.unique(np.asarray(data.target), return_inverse=True)[1]
        both = np.concatenate([source_rows, target_rows])
        y = np.where(data.tasks[both] == source, codes[both], -1)
        model = entry.seeded(seed, **parameters).fit(X[both], y, tasks=data.tasks[both])
        return Transfer(model, target_rows, model.labels_[len(source_rows) :])
    raise InputError(
        f"{entry.name} takes nothing from one task to another; choose strategy together."
    )
