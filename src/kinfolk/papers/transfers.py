"""Transfers from one task of a data set to another: what the papers' "source to target" is.

    another site's centres   maximum-entropy clustering of the source's rows gives the knowledge,
                             the method clusters the target's rows with it
    tasks with labels        the source's classes are known, the method finds those of the target

Nothing else of the data set is seen, and only the target's rows are scored.
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
    """A fitted transfer: the model, and the rows (m,) of the target with their clusters (m,)."""

    model: Any
    rows: np.ndarray
    labels: np.ndarray


def fit(
    entry: Entry, way: str, data: RelatedData, X: Table, k: int, seed: int, parameters: Any
) -> Transfer:
    """Fit "SOURCE to TARGET" on the rows X (n, d) of the data.

    Raises
    ------
    InputError : there is no such task, or the method takes nothing from another task
    """
    source, _, target = way.partition(ARROW)
    known = data.task_names
    for task in (source, target):
        if task not in known:
            raise InputError(f"{data.name!r} has no task {task!r}; it has {', '.join(known)}.")
    here, there = (np.flatnonzero(data.tasks == task) for task in (target, source))
    if entry.relation == OTHER_SITE:
        warm = {name: parameters[name] for name in ("temperature",) if name in parameters}
        mec = catalogue.method("mec").seeded(seed, n_clusters=k, **warm).fit(X[there])
        knowledge = Knowledge.of(mec, minimum_cluster_size=1)
        model = PerTask(entry.seeded(seed, **{**parameters, "knowledge": knowledge}), k)
        return Transfer(model.fit(X[here], tasks=data.tasks[here]), here, model.labels_)
    if entry.relation == KNOWN_LABELS:
        codes = np.unique(np.asarray(data.target), return_inverse=True)[1]
        both = np.concatenate([there, here])
        y = np.where(data.tasks[both] == source, codes[both], -1)
        model = entry.seeded(seed, **parameters).fit(X[both], y, tasks=data.tasks[both])
        return Transfer(model, here, model.labels_[len(there) :])
    raise InputError(f"{entry.name} takes nothing from one task to another; choose way together.")
