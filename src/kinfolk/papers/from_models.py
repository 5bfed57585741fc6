"""Compares printed matrices (relatedness, relations, distances) with those of fitted models.

Each cell gets two values (see `kinfolk.papers.tables`): at the setting with the best mean over
tasks and repeats, chosen with labels, and at the one setting whose runs score best over all tasks
without labels. Each is a mean over repeats.

A relation G of two tasks is non-negative and sums to 1, as the method learns it and as it is
printed. Its rows and columns are put into the printed order by the classes of their clusters: one
cluster per class, by the matching of the accuracy, separately in each repeat.

Missing runs leave a gap and a note.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, TypeAlias

import numpy as np

from kinfolk import datasets
from kinfolk.arrays import Labels, Matrix
from kinfolk.errors import InputError, KinfolkError
from kinfolk.numerics import matching
from kinfolk.papers import protocols, tables
from kinfolk.papers.figures import Load
from kinfolk.papers.protocols import PlannedCell
from kinfolk.papers.published import PrintedItem
from kinfolk.papers.store import Store, StoredRun, canonical
from kinfolk.papers.tables import CellComparison, OurValues, StoredRuns, Value

ModelReader: TypeAlias = Callable[[Store, StoredRun], Matrix]
"""Reads the numbers of one run, in the rows and columns of the printed item."""
FilledCells: TypeAlias = dict[tuple[str, str], OurValues]
"""(row, column group) -> our values."""


def table(
    item: PrintedItem, store: Store, load: Load = datasets.load, quick: bool = False
) -> list[CellComparison]:
    """Compare each cell of a printed matrix or relatedness table with fitted models of the store.

    Parameters
    ----------
    item : "mtcfir-table-8" to 11, "mtcmrl-matrix-..." or "ktmec-table-2"
    store : with the runs of `protocols.planned_cells(item, quick)`, or some of them
    load : loads the true classes, which name the clusters of a matrix

    Examples
    --------
    >>> from kinfolk.papers import published
    >>> with Store(getfixture("tmp_path") / "runs.sqlite") as store:
    ...     cells = table(published.item("mtcfir-table-9"), store)
    >>> cells[1].row, cells[1].column, cells[1].published.mean, cells[1].ours, cells[1].note
    ('mnist', 'usps relatedness', 0.21, None, '0 of 250 runs')
    """
    stored = StoredRuns(store, protocols.planned_cells(item, quick))
    filled: FilledCells = {}
    if item.kind == "table" and item.paper == "ktmec":
        # One number per method and data set.
        for cell in stored.planned:
            filled |= _values(item, stored, _center_distance, cell, [cell.row], [cell.data])
    else:
        # All repeats use the same data, so the last loaded set is kept.
        load_once = lru_cache(maxsize=1)(load)
        read = partial(_relation, item, load_once) if item.kind == "matrix" else _relatedness
        rows = [row.label for row in item.rows]
        groups = [column.group for column in item.columns]
        for cell in stored.planned:
            filled |= _values(item, stored, read, cell, rows, groups)
    return [
        CellComparison(
            row.label,
            str(column),
            cell,
            *filled[row.label, column.group],
            # Rows that are tasks or classes show what the paper's own method learned.
            fidelity=tables.fidelity(row.ours or item.paper),
        )
        for row in item.rows
        for column, cell in zip(item.columns, row.cells, strict=True)
    ]


def _values(
    item: PrintedItem,
    stored: StoredRuns,
    read: ModelReader,
    planned: PlannedCell,
    rows: list[str],
    groups: list[str],
) -> FilledCells:
    """Our values for the printed cells, from the matrices (rows, groups) of planned runs."""
    runs = stored.done(planned)
    note = stored.note(planned)
    shape = len(rows), len(groups)
    both: list[tuple[str, Matrix]] = []  # (setting, numbers of its repeats (S, rows, groups))
    if runs:
        names = tables.scored_tasks(planned, runs)
        with_labels = tables.best_with_labels(item, planned, runs)
        label_free = tables.best_label_free(runs, names, stored.store)
        try:
            both = [
                (s, np.array([read(stored.store, run) for run in tables.repeats_of(runs, s)]))
                for s in (with_labels, label_free)
            ]
        except KinfolkError as error:
            note = str(error)
    if both and both[0][1].shape[1:] != shape:
        note = f"{both[0][1].shape[1:]} numbers were learned, {shape} are printed"
        both = []
    if not both:
        return {(row, group): (None, None, note) for row in rows for group in groups}
    n_settings = len({canonical(run.spec.parameters) for run in runs})
    filled: FilledCells = {}
    for i, row in enumerate(rows):
        for j, group in enumerate(groups):
            ours, free = (Value.of(found[:, i, j], s, n_settings) for s, found in both)
            filled[row, group] = ours, free, note
    return filled


def _relatedness(store: Store, run: StoredRun) -> Matrix:
    return store.array(run.key, "task_relatedness")


def _center_distance(store: Store, run: StoredRun) -> Matrix:
    """Distance of a stored run's target centers from the true ones, as a matrix (1, 1)."""
    centers = store.array(run.key, "cluster_centers")[-1]
    return np.array([[datasets.distance_to_truth(centers)]])


def _relation(item: PrintedItem, load: Load, store: Store, run: StoredRun) -> Matrix:
    """Learned relations of the clusters of two tasks, in the order of the printed classes."""
    data = load(run.spec.data, **run.spec.data_options)
    target = np.asarray(data.target)
    labels = store.labels(run.key)
    codes = store.array(run.key, "task_codes")
    k = store.array(run.key, "n_clusters")
    printed = [row.label for row in item.rows], list(item.column_groups)
    first, second = (
        _cluster_of_class(classes, target[codes == t], labels[codes == t], int(k[t]))
        for t, classes in enumerate(printed)
    )
    G = store.array(run.key, "cluster_relatedness")
    return G[first[:, None], k[0] + second]  # clusters of the second task follow the first's


def _cluster_of_class(classes: list[str], target: Any, labels: Labels, k: int) -> Labels:
    """Cluster (of k) matched to each class so that most rows agree."""
    known = np.unique(target).tolist()
    if known != sorted(classes) or k < len(classes):
        raise InputError(
            f"{k} clusters of the classes {', '.join(known)} cannot be put into the printed order "
            f"{', '.join(classes)}; load the data that was run."
        )
    # Rows of each class (in printed order) in each cluster, counted in one pass.
    position = np.array([classes.index(name) for name in target])
    counts = np.bincount(position * k + labels, minlength=len(classes) * k)
    return matching.assignment(counts.reshape(len(classes), k))
