"""Writes the files of one printed item: our table or figure beside the printed one.

tables, matrices   CSV, Markdown and LaTeX (`table_files`)
figures            SVG, PNG, and the points as CSV (`figure_files`)
"""

from functools import partial
from pathlib import Path

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
)
from kinfolk.papers.figures import Load
from kinfolk.papers.published import PrintedItem
from kinfolk.papers.store import Store
from kinfolk.papers.tables import CellComparison


def write(
    item: PrintedItem,
    store: Store,
    folder: Path,
    data: data_home.DataHome = None,
    quick: bool = False,
) -> tuple[Path, str]:
    """Write the files of a printed item into a folder, without executing any run.

    Parameters
    ----------
    item : the table, figure or matrix
    store : with its runs, as far as they have been executed
    folder : where the files go
    data : the data directory, for items that are computed from data
    quick : True if the runs are those of the quick plan

    Returns
    -------
    the Markdown or SVG file, and a one-line summary

    Examples
    --------
    >>> from kinfolk.papers import published
    >>> folder = getfixture("tmp_path")
    >>> with Store(folder / "runs.sqlite") as store:
    ...     path, summary = write(published.item("ktmec-table-2"), store, folder, quick=True)
    >>> path.name, summary
    ('ktmec-table-2.md', 'none of 8 figures can be compared')
    """
    load = partial(datasets.load, data=data)
    if item.kind == "figure":
        if protocols.planned_cells(item, quick):
            drawn = figures.figure(item, store, load, quick)
        else:
            drawn = computed.figure(item, load, data)
        return figure_files.write(item, drawn, folder), "; ".join(drawn.notes) or "drawn"
    cells = _table(item, store, load, quick)
    files = table_files.write(item, cells, folder, quick)
    first = next(path for path in files if path.suffix == ".md")
    return first, table_files.summary(item, cells)


def _table(item: PrintedItem, store: Store, load: Load, quick: bool) -> list[CellComparison]:
    if not protocols.planned_cells(item, quick):
        return computed.table(item, load)
    if item.kind == "matrix" or item.columns[0].measure in ("relatedness", "distance"):
        return from_models.table(item, store, load, quick)
    return tables.table(item, store, quick)
