"""Sizes of the kinds (groups of matched clusters), in total and per task.

>>> import kinfolk as kf
>>> from kinfolk.report.content import read
>>> data = kf.datasets.make_related_blobs(20, n_features=4, random_state=0)
>>> study = kf.compare(data, n_clusters=3, method="mec").study
>>> for line in lines(read(study)):
...     print(line.name, line.rows, round(line.share, 2), line.cells)
kind 0 14 0.35 [(7, 0.35), (7, 0.35)]
kind 1 13 0.33 [(7, 0.35), (6, 0.3)]
kind 2 13 0.33 [(6, 0.3), (7, 0.35)]
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from kinfolk.arguments import spelled
from kinfolk.arrays import Table
from kinfolk.report import wording
from kinfolk.report.content import Page


@dataclass(frozen=True)
class SizeLine:
    """Size of one kind (group of matched clusters), in total and per task.

    Attributes
    ----------
    kind : its number
    name : its name, or "kind 3"
    rows : in all data sets
    share : of all rows
    cells : for each data set the rows of the kind in it, and their share of its rows
    """

    kind: int
    name: str
    rows: int
    share: float
    cells: list[tuple[int, float]]


def lines(page: Page) -> list[SizeLine]:
    """Return a size line per kind (group of matched clusters), by number."""
    n = len(page.study.data)
    totals = [len(page.rows[task]) for task in page.tasks]
    found = []
    for kind, members in page.groups.items():
        sizes = [sum(c.size for c in members if c.task == task) for task in page.tasks]
        cells = [(size, size / total) for size, total in zip(sizes, totals, strict=True)]
        rows = sum(sizes)
        found.append(SizeLine(kind, wording.kind(page.study, kind), rows, rows / n, cells))
    return found


def are_divided(page: Page) -> bool:
    """True if some data set has more than one cluster."""
    return sum(map(len, page.groups.values())) > len(page.tasks)


def undivided(page: Page) -> str:
    """Sentence that each data set is a single cluster, and what to do."""
    how = spelled("--clusters 2", "n_clusters=2")
    advice = f"with this number of clusters nothing is divided; ask for 2 or more ({how})"
    if all(_are_equal(page.study.X[rows]) for rows in page.rows.values()):
        advice = "they do not differ in any column that is clustered on"
    if len(page.tasks) == 1:
        return f"The {wording.count(len(page.study.data), 'row')} are one cluster: {advice}."
    n = wording.count(len(page.tasks), "data set")
    return f"Each of the {n} is one cluster of all its rows: {advice}."


def _are_equal(X: Table) -> bool:
    """True if all rows (n, d) are the same."""
    if sp.issparse(X):
        return bool((X.max(axis=0) - X.min(axis=0)).nnz == 0)
    return bool((np.asarray(X) == np.asarray(X)[:1]).all())
