"""Writes the files of one printed item: our table or figure beside the printed one.

tables, matrices   CSV, Markdown and LaTeX (`table_files`)
figures            SVG, PNG, and the points as CSV (`figure_files`)
"""

from collections.abc import Sequence
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
    your_runs,
)
from kinfolk.papers.figures import Load
from kinfolk.papers.protocols import PlannedCell
from kinfolk.papers.published import PrintedItem
from kinfolk.papers.store import Store
from kinfolk.papers.tables import CellComparison


def write(
    item: PrintedItem,
    store: Store,
    folder: Path,
    data: data_home.DataHome = None,
    quick: bool = False,
    added: Sequence[PlannedCell] = (),
    remarks: Sequence[str] = (),
) -> tuple[Path, str]:
    """Write the files of a printed item into a folder, without executing any run.

    Parameters
    ----------
    item : the table, figure or matrix
    store : with its runs, as far as they have been executed
    folder : where the files go
    data : the data directory, for items that are computed from data
    quick : True if the runs are those of the quick plan
    added : runs of rows to add to a table of results, such as a user's method
    remarks : paragraphs above the table

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
    cells = _table(item, store, load, quick, added)
    files = table_files.write(item, cells, folder, quick, remarks)
    first = next(path for path in files if path.suffix == ".md")
    decimals = table_files.DECIMALS.get(item.unit, 4)
    labels = dict.fromkeys(cell.row for cell in added)
    standings = [your_runs.standing(label, cells, item, decimals) for label in labels]
    return first, "; ".join([table_files.summary(item, cells), *standings])


def _table(
    item: PrintedItem, store: Store, load: Load, quick: bool, added: Sequence[PlannedCell]
) -> list[CellComparison]:
    if not protocols.planned_cells(item, quick):
        return computed.table(item, load)
    if item.kind == "matrix" or item.columns[0].measure in ("relatedness", "distance"):
        return from_models.table(item, store, load, quick)
    return tables.table(item, store, quick, added)
