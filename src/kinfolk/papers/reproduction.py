"""Creates the files of one reproduced table or figure, ours beside the printed one.

tables, matrices   CSV, Markdown and LaTeX (`table_files`)
figures            SVG, PNG, and the points as CSV (`figure_files`)
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from kinfolk import datasets
from kinfolk.datasets import data_home
from kinfolk.papers import (
    computed,
    figure_files,
    figures,
    from_models,
    protocols,
    table_files,
    tables,
    your_runs,
)
from kinfolk.papers.figures import Load
from kinfolk.papers.protocols import PlannedCell
from kinfolk.papers.published import PrintedItem
from kinfolk.papers.store import Store
from kinfolk.papers.tables import CellComparison


class Rendered(NamedTuple):
    """Files of a reproduced item ({name: content}), the main file, and a one-line summary."""

    contents: dict[str, bytes]
    first: str
    summary: str


def file_names(item: PrintedItem) -> list[str]:
    """Return the names of the files of a reproduced item.

    >>> from kinfolk.papers import published
    >>> file_names(published.item("ktmec-table-2"))
    ['ktmec-table-2.csv', 'ktmec-table-2.md', 'ktmec-table-2.tex']
    """
    endings = ("csv", "svg", "png") if item.kind == "figure" else table_files.FORMATS
    return [f"{item.id}.{ending}" for ending in endings]


def render(
    item: PrintedItem,
    store: Store,
    data: data_home.DataHome = None,
    quick: bool = False,
    added: Sequence[PlannedCell] = (),
    remarks: Sequence[str] = (),
) -> Rendered:
    """Return the files of a reproduced item from stored runs; nothing is executed.

    Parameters
    ----------
    item : the table, figure or matrix
    store : with its runs, as far as they have been executed
    data : the data directory, for items that are computed from data
    quick : True if the runs are those of the quick plan
    added : runs of rows to add to a table of results, such as a user's method
    remarks : paragraphs above the table

    Examples
    --------
    >>> from kinfolk.papers import published
    >>> with Store(getfixture("tmp_path") / "runs.sqlite") as store:
    ...     found = render(published.item("ktmec-table-2"), store, quick=True)
    >>> found.first, found.summary
    ('ktmec-table-2.md', 'none of 8 printed figures has ours beside it')
    """
    load = partial(datasets.load, data=data)
    if item.kind == "figure":
        if protocols.planned_cells(item, quick):
            drawn = figures.figure(item, store, load, quick)
        else:
            drawn = computed.figure(item, load, data)
        drawn_files = figure_files.contents(item, drawn)
        return Rendered(drawn_files, f"{item.id}.svg", "; ".join(drawn.notes) or "drawn")
    cells = _table(item, store, load, quick, added)
    decimals = table_files.DECIMALS.get(item.unit, 4)
    labels = dict.fromkeys(cell.row for cell in added)
    standings = [your_runs.standing(label, cells, item, decimals) for label in labels]
    summary = "; ".join([table_files.summary(item, cells), *standings])
    return Rendered(table_files.contents(item, cells, quick, remarks), f"{item.id}.md", summary)


def _table(
    item: PrintedItem, store: Store, load: Load, quick: bool, added: Sequence[PlannedCell]
) -> list[CellComparison]:
    """Compare the cells of a table or matrix with data, fitted models or scores, as it needs."""
    if not protocols.planned_cells(item, quick):
        return computed.table(item, load)
    if item.kind == "matrix" or item.columns[0].measure in ("relatedness", "distance"):
        return from_models.table(item, store, load, quick)
    return tables.table(item, store, quick, added)
