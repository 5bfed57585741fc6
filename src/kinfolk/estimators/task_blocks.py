"""Fits several tasks whose rows come in blocks: checks, sums per task, fitted attributes.

Clusters are matched across tasks by the sample of the rows that is in memory (`Blocks.sample`);
sizes, means and spreads of clusters are those of all rows.
"""

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from kinfolk.arguments import shown
from kinfolk.arrays import Labels, Matrix, MatrixLike, Vector
from kinfolk.blocks import Block, Blocks, kernel
from kinfolk.errors import InputError, UnknownTaskError
from kinfolk.estimators import checks, rows, warn
from kinfolk.estimators.descent import Run
from kinfolk.numerics import memberships, operators
from kinfolk.profiles import from_moments
from kinfolk.profiles.from_moments import ClusterMoments
from kinfolk.tables import Tasks, TaskSizes, intake, object_array
from kinfolk.tables.alignment import some


def opened(model: Any, X: MatrixLike, tasks: Any, sample_weight: Any = None) -> Blocks:
    """Return checked blocks of rows of several tasks; InputError if a task is not in the sample."""
    found = rows.blocks(model, X, sample_weight=sample_weight, tasks=tasks, at_least=2)
    model.__dict__.pop("_row_order", None)
    names = task_names(found)
    sample = found.sample()
    there = np.unique(codes_of(sample))
    if len(there) < len(names):
        missing = [name for t, name in enumerate(names) if t not in there]
        raise InputError(
            f"task {some(missing)} has so few of all rows that the sample for starts has none of "
            "it; leave it out, or cluster it by itself."
        )
    warn.of_table(model, sample.x, model._sees())
    return found


def clusters(n_clusters: Any, found: Blocks) -> list[int]:
    """Return the number of clusters of each task, from one number or a dict by task."""
    return checks.clusters(n_clusters, sizes_of(found))


def sizes_of(found: Blocks) -> TaskSizes:
    """Return names and sizes of the tasks, without a code per row, which is not flat memory."""
    return TaskSizes(task_names(found), found.task_sizes)


def samples(found: Blocks) -> list[Block]:
    """Return the sampled rows of each task that are in memory, with their weights."""
    sample = found.sample()
    codes = codes_of(sample)
    return [sample.taken(np.flatnonzero(codes == t)) for t in range(len(task_names(found)))]


def check_sample(found: Blocks, k: Sequence[int]) -> None:
    """Raise InputError if a task has fewer sampled rows than its k_t clusters, k (T,)."""
    sizes = np.bincount(codes_of(found.sample()), minlength=len(k))
    for name, size, clusters in zip(task_names(found), sizes.tolist(), k, strict=True):
        kernel.check_sample(size, clusters, f"task {shown(name)}: ")


def sums(block: Block, T: int) -> tuple[Vector, Matrix]:
    """Total weight (T,) and row sums (T, d) of each task in a block."""
    Y = memberships.indicator(codes_of(block), T)
    if block.weight is not None:
        Y *= block.weight[:, None]
    return Y.sum(axis=0), operators.crossed(block.x, Y).T


def task_names(found: Blocks) -> list[Any]:
    """Return the names of the tasks; ["all"] if the blocks have none."""
    return found.task_names or ["all"]


def codes_of(block: Block) -> Labels:
    """Return the position (m,) of each row's task."""
    codes: Labels = np.zeros(block.shape[0], dtype=int) if block.codes is None else block.codes
    return codes


def known(model: Any, X: MatrixLike, tasks: Any) -> tuple[Blocks, int]:
    """Check blocks of new rows, whose tasks must be those of the model.

    Return them, and the position of the task that all rows are of; 0 where they name theirs.
    """
    there = list(model.task_names_)
    cut_by_caller = isinstance(X, Blocks)
    if not cut_by_caller and checks.is_single(tasks) and not intake.missing(tasks):
        if tasks in there:
            return rows.blocks(model, X, reset=False), there.index(tasks)
        if not (isinstance(tasks, str) and tasks in getattr(X, "columns", ())):
            raise UnknownTaskError(checks.unknown_tasks([tasks], there))
    if tasks is not None and not cut_by_caller:
        X = Blocks(X, tasks=tasks)
        tasks = None
    found = rows.blocks(model, X, tasks=tasks, reset=False)
    names = found.task_names
    if names is None:
        if len(there) > 1:
            if not cut_by_caller:
                raise InputError(checks.unnamed_tasks(there))
            raise InputError(
                f"the model knows {len(there)} tasks ({some(there)}) and the blocks name none; "
                "name them where the blocks are made, Blocks(..., tasks=...)."
            )
        return found, 0
    unknown = [name for name in names if name not in there]
    if unknown:
        raise UnknownTaskError(checks.unknown_tasks(unknown, there))
    return found.with_tasks(there), 0


def assigned(block: Block, model: Any, t: int = 0) -> Labels:
    """Assign the rows of a block to clusters (m,) of their tasks by a fitted model.

    Rows that name no tasks are of that at position t; t is 0 for others.
    """
    labels: Labels = model._assign_known(block.on_host().x, codes_of(block) + t)
    return labels


def without_labels(model: Any) -> Any:
    """Return a copy of the model without per-row attributes, cheap to send to workers.

    A model that looks up results of its rows is returned itself: it has the rows, too.
    """
    if model.keeps_row_order:
        return model
    light = copy(model)
    for name in ("labels_", "matched_labels_", "memberships_"):
        light.__dict__.pop(name, None)
    return light


def record(model: Any, found: Blocks, k: Sequence[int], runs: Run | list[Run] | None) -> Any:
    """Set the fitted attributes of a model that can assign rows already; match its clusters.

    `runs` has a descent per task, or is the one descent that moved all tasks.
    """
    names = task_names(found)
    model.task_names_ = object_array(names)
    model.n_clusters_ = np.array(k)
    model.added_tasks_ = []
    light = without_labels(model)
    first = np.cumsum([0, *k[:-1]])
    sample = found.sample()
    tasks = Tasks(names, codes_of(sample))
    model._set_correspondence(
        model._match_clusters(sample.x, tasks, assigned(sample, light), list(k))
    )
    sizes, moments = found.total(_moments, light, first, sum(k), combine=_together)
    model._cluster_sizes = sizes
    model._moments = None if moments is None else tuple(moments)
    filled = np.flatnonzero(sizes)
    codes = np.searchsorted(first, filled, side="right") - 1
    model._warn_of_empty_clusters(Tasks(names, codes), filled - first[codes], list(k))
    both = found.each(_numbers, light, first, model.matched_clusters_)
    model.labels_ = both[:, 0]
    model.matched_labels_ = both[:, 1]
    if isinstance(runs, Run):
        model._record_descents({"all tasks": runs})
    elif runs is not None:
        model._record_descents(dict(zip(names, runs, strict=True)))
    return model


def set_labels(model: Any, found: Blocks, labels: Labels) -> None:
    """Set `labels_` (n,) of a model with matched clusters, and the clusters' moments."""
    first = np.cumsum([0, *model.n_clusters_[:-1]])
    C = int(model.n_clusters_.sum())
    sizes, moments = found.total(_moments_of, first, C, combine=_together, of_rows=(labels,))
    model._cluster_sizes = sizes
    model._moments = None if moments is None else tuple(moments)
    codes = found.gathered(codes_of)
    model.labels_ = found.like_rows(labels)
    model.matched_labels_ = found.like_rows(model.matched_clusters_[first[codes] + labels])


def _numbers(block: Block, model: Any, first: Labels, matched: Labels) -> Labels:
    """Cluster and matched cluster (m, 2) of each row in a block."""
    labels = assigned(block, model)
    return np.column_stack([labels, matched[first[codes_of(block)] + labels]])


def _moments(
    block: Block, model: Any, first: Labels, C: int
) -> tuple[Labels, ClusterMoments | None]:
    """Sizes (C,), means and spreads of all tasks' clusters in a block."""
    return _moments_of(block, assigned(block, model), first, C)


def _moments_of(
    block: Block, labels: Labels, first: Labels, C: int
) -> tuple[Labels, ClusterMoments | None]:
    """Sizes (C,), means and spreads of all tasks' clusters, for a block with labels (m,)."""
    positions = first[codes_of(block)] + labels
    sizes = np.bincount(positions, minlength=C)
    return sizes, from_moments.moments(block.on_host().x, positions, C)


def _together(
    a: tuple[Labels, ClusterMoments | None], b: tuple[Labels, ClusterMoments | None]
) -> tuple[Labels, ClusterMoments | None]:
    """Merge the sizes, means and spreads of two blocks."""
    sizes = a[0] + b[0]
    if a[1] is None or b[1] is None:
        return sizes, None
    whole = np.maximum(sizes, 1)[:, None]
    share = b[0][:, None] / whole
    away = b[1].means - a[1].means
    means = a[1].means + share * away
    spread = (1 - share) * a[1].deviations ** 2 + share * b[1].deviations ** 2
    # (1 - share) + share is 1 for filled clusters; empty ones have means of 0 on both sides.
    spread += share * (1 - share) * away**2
    return sizes, ClusterMoments(sizes, means, np.sqrt(spread))
