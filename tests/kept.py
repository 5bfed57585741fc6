"""Printed items on made data, and stores that hold their runs."""

from dataclasses import replace

from kinfolk.datasets import makers
from kinfolk.papers import execution, protocols, published
from kinfolk.papers.published import PrintedCell, PrintedColumn, Row
from kinfolk.papers.store import Outcome


def blobs(name, **options):
    return makers.make_related_blobs(n_samples=24, random_state=len(name))


def small(id, data=("one", "second"), **changes):
    """Make a printed item on simulated data, with two repeats."""
    item = published.item(id)
    protocol = replace(item.protocol, runs=2)
    return replace(item, data=data, protocol=protocol, **changes)


def run(item, store, load=blobs, quick=True):
    runs = [run for piece in protocols.planned_cells(item, quick) for run in piece.runs]
    execution.execute(runs, store, load=load)


def square(item, row_labels, columns):
    """Copy the item with other rows and columns, without printed values."""
    groups = tuple(PrintedColumn(name, item.columns[0].measure) for name in columns)
    cells = tuple(PrintedCell("0.5", 0.5) for _ in columns)
    return replace(item, columns=groups, rows=tuple(Row(r, "", "", cells) for r in row_labels))


def record(store, run, **outcome):
    """Record a finished run with these scores and arrays in a store."""
    store.record(store.claim(run, "sum"), Outcome("done", seconds=2.0, **outcome))


def scores(value, tasks=("a", "b")):
    return {m: dict.fromkeys(tasks, value) for m in ("accuracy", "nmi", "ari", "silhouette")}
