"""Fits `Kinfolk` to samples of rows in blocks, then assigns all rows block by block.

1. A random sample of the rows is in memory (`Blocks.sample`, 64 MB). Two samples of each task are
   drawn from it, fitted, and doubled until they agree, as of a table in memory (`sampling`).
2. Each block is read once. Its rows are placed by their nearest rows of the first sample, and by
   those of the second one, which says if they are sure.

    part      of a block: answer, own answer and sureness (m, 3) of its rows; then sizes, sums and
              spreads of the clusters
    combine   rows after rows; moments of both

Labels are in memory, the rows are not. A sampled row is placed as all others are.
"""

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Table
from kinfolk.blocks import Block, Blocks
from kinfolk.choosing import sampling
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.sampling import Sampled
from kinfolk.errors import InputError
from kinfolk.estimators import checks, task_blocks
from kinfolk.numerics import operators
from kinfolk.running import deadlines
from kinfolk.tables import Tasks

NOWHERE: NDArray[np.integer] = np.empty(0, dtype=int)
"""Empty array in place of positions of rows, which are not known for sampled blocks."""


class Placing(NamedTuple):
    """Sampled rows X (m, d) with tasks and clusters (m,), by which the other rows are assigned.

    `answer` is True for the answer of the model, False for the own clusters of the tasks.
    """

    model: Any
    X: Table
    tasks: Tasks
    labels: Labels
    answer: bool = True


def fit(model: Any, X: Any, y: Any, tasks: Any) -> Any:
    """Fit a `Kinfolk` to rows in blocks; tables that need no samples are fitted in memory.

    Raises
    ------
    InputError : there are weights, views or known classes, or `rows` asks for all of a large one
    """
    found = task_blocks.opened(model, X, tasks)
    _refuse_more_than_rows(model, found, y)
    names = task_blocks.task_names(found)
    size = sampling.sample_size(model.rows, task_blocks.sizes_of(found))
    if size is None:
        if found.shape[0] > sampling.AUTO_ROWS and model.rows != "auto":
            raise InputError(
                f"rows is {model.rows} and X has {found.shape[0]} rows in blocks: give "
                "rows='auto', or the table itself if all of it is to be seen."
            )
        whole = found.gathered(_block)
        tasks = Tasks(names, task_blocks.codes_of(whole))
        return model.fit(whole.x, tasks=tasks.of_rows())
    sample = found.sample()
    near = Tasks(names, task_blocks.codes_of(sample))
    if model.rows == "auto" and math.isfinite(deadlines.moment()):
        families = list(model._families_to_run(len(names)))
        kind = Representations.of(sample.x, near.codes, bool(model.columns_are_scaled)).kind
        size = sampling.in_time(sample.x, near, model.n_clusters, families, kind, size) or size
    return _record(model, found, near, sample.x, _fitted(model, sample.x, near, size))


def _refuse_more_than_rows(model: Any, found: Blocks, y: Any) -> None:
    """Raise InputError if there are weights, views or known classes beside rows in blocks."""
    if found.weighted or model.views is not None or y is not None:
        what = "weights" if found.weighted else "known classes y" if y is not None else "views"
        raise InputError(
            f"X is in blocks, and of such rows Kinfolk takes no {what}: leave them out."
        )


def _block(block: Block) -> Block:
    return block


def _fitted(model: Any, X: Table, near: Tasks, size: int) -> Sampled:
    """Fit growing samples of the rows X (m, d) that are in memory."""
    random = checks.random(model.random_state)

    def make(rows: NDArray[np.integer], seconds: float | None) -> Any:
        changed = {"rows": None, "budget": seconds, "random_state": random.randint(2**31 - 1)}
        one = type(model)(**{**model.get_params(deep=False), **changed})
        return one.fit(X[rows], tasks=near.of_rows(rows))

    largest = sampling.AUTO_ROWS if model.rows == "auto" else size
    return sampling.fitted(make, X, None, near, size, random, largest)


def _record(model: Any, found: Blocks, near: Tasks, X: Table, made: Sampled) -> Any:
    """Assign all rows to clusters, and set the fitted attributes."""
    first = _placing(made.model, X, near, made.rows, made.model.labels_)
    own = None
    if sampling.differ(made.model):
        own = first._replace(labels=made.model.own_labels_, answer=False)
    second = made.second
    other = _placing(second.model, X, near, second.rows, second.model.labels_)
    numbers = found.gathered(_numbers, first, own, other, second.clusters)
    parameters = model.get_params(deep=False)
    for name, value in vars(made.model).items():
        if name not in (*parameters, "_row_order"):
            setattr(model, name, value)
    for record in model.guard_:
        record |= dict.fromkeys(("changed_rows", "refused_rows"), NOWHERE)
    sampling.name_budget(model)
    whole = replace(made, labels=numbers[:, 0], sure=numbers[:, 2].astype(bool))
    model.sampling_ = {**whole.record(), "rows": NOWHERE}
    model.sure_ = found.like_rows(whole.sure)
    model.own_labels_ = found.like_rows(numbers[:, 1].astype(int))
    task_blocks.set_labels(model, found, numbers[:, 0].astype(int))
    return model


def _placing(
    model: Any, X: Table, near: Tasks, rows: NDArray[np.integer], labels: Labels
) -> Placing:
    light = task_blocks.without_labels(model)
    return Placing(light, X[rows], Tasks(near.names, near.codes[rows]), labels)


def _numbers(
    block: Block, first: Placing, own: Placing | None, other: Placing, clusters: list[Labels]
) -> NDArray[np.int32]:
    """Rows (m, 3) of a block: cluster, cluster from its task alone, and 1 if two fits agree."""
    labels = placed(block, first)
    own_labels = labels if own is None else placed(block, own)
    others = placed(block, other)
    codes = task_blocks.codes_of(block)
    sure = np.empty(len(labels), dtype=bool)
    for t, matched in enumerate(clusters):
        mine = codes == t
        sure[mine] = matched[others[mine]] == labels[mine]
    # Half of the memory of integers of the usual size.
    return np.column_stack([labels, own_labels, sure]).astype(np.int32)


def placed(block: Block, by: Placing) -> Labels:
    """Assign the rows of a block to clusters (m,) by their nearest labeled rows."""
    m = len(by.labels)
    codes = np.concatenate([by.tasks.codes, task_blocks.codes_of(block)])
    X = operators.vstack([by.X, block.x])
    tasks = Tasks(by.tasks.names, codes)
    labels = sampling.placed(by.model, X, tasks, np.arange(m), by.labels, answer=by.answer)
    return labels[m:]
