"""Relatedness, relations and centres that methods learnt, from a store of runs and nothing else.

Each figure of ours comes twice (see `kinfolk.papers.tables`): at the one setting with
the best mean over tasks and repeats, chosen with labels, and at the one whose runs rank best over
all tasks without labels. Each is a mean over repeats.

A relation G of two tasks is not negative and sums to 1, as the method learns it and as it is
printed. Its rows and columns are put into the printed order by the classes of their clusters: one
cluster a class, by the naming that gives the accuracy, anew in each repeat.

What is not in the store leaves a gap and a note.
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
from kinfolk.papers.protocols import Piece
from kinfolk.papers.published import Exhibit
from kinfolk.papers.store import Row, Store, canonical
from kinfolk.papers.tables import Entry, Found, Value

Reader: TypeAlias = Callable[[Store, Row], Matrix]
"""What a run found, in the rows and columns of the exhibit."""
Filled: TypeAlias = dict[tuple[str, str], tuple[Value | None, Value | None, str]]
"""(row, column group) -> (ours, free, note)."""


def entries(
    exhibit: Exhibit, store: Store, load: Load = datasets.load, quick: bool = False
) -> list[Entry]:
    """Return every cell of a table of relatedness, a matrix, or the distances of centres.

    Parameters
    ----------
    exhibit : "mtcfir-table-8" to 11, "mtcmrl-matrix-..." or "ktmec-table-2"
    store : with the runs of `protocols.pieces(exhibit, quick)`, or some of them
    load : gives the true classes, by which the clusters of a matrix are named

    Examples
    --------
    >>> from kinfolk.papers import published
    >>> with Store(getfixture("tmp_path") / "runs.sqlite") as store:
    ...     cells = entries(published.exhibit("mtcfir-table-9"), store)
    >>> cells[1].row, cells[1].column, cells[1].published.mean, cells[1].ours, cells[1].note
    ('mnist', 'usps relatedness', 0.21, None, '0 of 250 runs')
    """
    pieces = protocols.pieces(exhibit, quick)
    found = Found(store, pieces)
    if exhibit.kind == "table" and exhibit.paper == "ktmec":
        blocks: list[tuple[Reader, Piece, list[str], list[str]]] = [
            (_centre_distance, piece, [piece.row], [piece.data]) for piece in pieces
        ]
    else:
        once = lru_cache(maxsize=1)(load)
        read = partial(_relation, exhibit, once) if exhibit.kind == "matrix" else _relatedness
        groups = [column.group for column in exhibit.columns]
        blocks = [(read, piece, [row.label for row in exhibit.rows], groups) for piece in pieces]
    filled: Filled = {}
    for block in blocks:
        filled |= _filled(exhibit, found, *block)
    return [
        Entry(row.label, str(column), cell, *filled[row.label, column.group])
        for row in exhibit.rows
        for column, cell in zip(exhibit.columns, row.cells, strict=True)
    ]


def _filled(
    exhibit: Exhibit,
    found: Found,
    read: Reader,
    piece: Piece,
    labels: list[str],
    groups: list[str],
) -> Filled:
    """Row and column group -> (ours, free, note), of what a run's array (labels, groups) holds."""
    rows, note = found.done(piece), found.note(piece)
    both: list[Matrix] = []
    if rows:
        best = tables.chosen(exhibit, piece, rows)
        tasks = tables.tasks(piece, rows)
        settings = [best, tables.unlabelled(rows, tasks, found.store)]
        try:
            both = [_repeats(found.store, rows, setting, read) for setting in settings]
        except KinfolkError as error:
            note = str(error)
    shape = len(labels), len(groups)
    if both and both[0].shape[1:] != shape:
        both, note = [], f"{both[0].shape[1:]} numbers were learned, {shape} are printed"
    if not both:
        return {(label, group): (None, None, note) for label in labels for group in groups}
    count = len({canonical(row.run.parameters) for row in rows})
    return {
        (label, group): (
            Value.of(both[0][:, i, j], settings[0], count),
            Value.of(both[1][:, i, j], settings[1], count),
            note,
        )
        for i, label in enumerate(labels)
        for j, group in enumerate(groups)
    }


def _repeats(store: Store, rows: list[Row], setting: str, read: Reader) -> Matrix:
    """What each repeat of a setting found, (repeats, ...)."""
    return np.array([read(store, row) for row in tables.at(rows, setting)])


def _relatedness(store: Store, row: Row) -> Matrix:
    return store.array(row.key, "task_relatedness")


def _centre_distance(store: Store, row: Row) -> Matrix:
    """The distance of the target's centres from the true ones, (1, 1)."""
    centers = store.array(row.key, "cluster_centers")[-1]
    return np.array([[datasets.distance_to_truth(centers)]])


def _relation(exhibit: Exhibit, load: Load, store: Store, row: Row) -> Matrix:
    """The block of the first two tasks, in the order of the printed classes."""
    data = load(row.run.data, **row.run.data_options)
    labels, codes = store.labels(row.key), store.array(row.key, "task_codes")
    printed = [line.label for line in exhibit.rows], [c.group for c in exhibit.columns]
    k = store.array(row.key, "n_clusters")
    first, second = (
        _cluster_of(classes, np.asarray(data.target)[codes == t], labels[codes == t], int(k[t]))
        for t, classes in enumerate(printed)
    )
    G = store.array(row.key, "cluster_relatedness")
    return G[first[:, None], k[0] + second]


def _cluster_of(classes: list[str], target: Any, labels: Labels, k: int) -> Labels:
    """The cluster of each class, of k, by the naming that gives the accuracy."""
    known = np.unique(target).tolist()
    if known != sorted(classes) or k < len(classes):
        raise InputError(
            f"{k} clusters of the classes {', '.join(known)} cannot be put into the printed order "
            f"{', '.join(classes)}; load the data that was run."
        )
    position = np.array([classes.index(name) for name in target])
    counts = np.bincount(position * k + labels, minlength=len(classes) * k)
    return matching.assignment(counts.reshape(len(classes), k))
