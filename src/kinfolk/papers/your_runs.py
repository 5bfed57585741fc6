"""Plans runs of a user's method for a printed table, and ranks it among the rows."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kinfolk.errors import InputError
from kinfolk.papers import plan, protocols
from kinfolk.papers.protocols import PlannedCell
from kinfolk.papers.published import PrintedItem
from kinfolk.papers.tables import CellComparison
from kinfolk.papers.your_method import YourMethod

Grid = Mapping[str, Sequence[Any]]


def planned_cells(
    item: PrintedItem, method: YourMethod, grid: Grid, quick: bool = False
) -> list[PlannedCell]:
    """Plan the runs of a user's method for each data set of a printed table.

    The data, their preparation and the repeats are those of the paper's rows. A method without
    `random_state` is taken to draw no random numbers, so it is run once per setting.

    Raises
    ------
    InputError : the item compares no methods, or its methods are given known classes

    Examples
    --------
    >>> from kinfolk.papers import published, your_method
    >>> method = your_method.find("sklearn.cluster:KMeans", getfixture("tmp_path"))
    >>> (cell,) = planned_cells(published.item("mtcfir-table-2"), method, {"tol": (0.0, 0.1)})
    >>> cell.row, cell.data, len(cell.runs), dict(cell.runs[0].parameters)
    ('KMeans (yours)', 'webkb4', 20, {'n_init': 1, 'tol': 0.0})
    """
    _check(item)
    values = {name: tuple(tried) for name, tried in method.grid(grid).items()}
    repeats = (item.protocol.runs or 1) if method.takes("random_state") else 1
    if quick:
        values = {name: protocols.thinned(tried) for name, tried in values.items()}
        repeats = min(repeats, protocols.QUICK_REPEATS)
    # The papers repeat single starts, so each run has one.
    one_start = {"n_init": 1} if method.takes("n_init") else {}
    settings = [{**one_start, **setting} for setting in plan.grid(values)]
    return [
        PlannedCell(
            method.label,
            data,
            data if data in item.column_groups else "",
            protocols.planned_runs(
                item, data, method.id, method.strategy, range(repeats), settings
            ),
        )
        for data in item.data
    ]


def takes_methods(item: PrintedItem) -> bool:
    """True if users' methods fit the table: a table of methods that see no classes."""
    try:
        _check(item)
    except InputError:
        return False
    return True


def remark(method: YourMethod, cells: Sequence[PlannedCell]) -> str:
    """Return a sentence about a user's method for the head of a table.

    >>> from kinfolk.papers import published, your_method
    >>> method = your_method.find("sklearn.cluster:KMeans", getfixture("tmp_path"))
    >>> remark(method, planned_cells(published.item("mtcfir-table-2"), method, {}))
    'KMeans (yours) is sklearn.cluster:KMeans@installed, run alone: 1 setting, 10 repeats.'
    """
    settings = [run.parameters for run in cells[0].runs]
    n_repeats = len({run.seed for run in cells[0].runs})
    n_settings = len(settings) // n_repeats
    return (
        f"{method.label} is {method.id}, run {method.strategy}: {n_settings} "
        f"setting{'s' * (n_settings > 1)}, {n_repeats} repeat{'s' * (n_repeats > 1)}."
    )


def standing(label: str, cells: Sequence[CellComparison], item: PrintedItem, decimals: int) -> str:
    """Return one sentence with the rank of a row among all rows that were run here.

    Rows are compared by the mean of the first measure over their columns, each with its setting
    chosen with labels.
    """
    own = [cell for cell in cells if cell.row == label]
    if any(cell.ours is None for cell in own):
        return next(f"{label}: {cell.note}" for cell in own if cell.ours is None)
    measure = item.columns[0].measure
    rows: dict[str, list[float]] = {}
    for cell in cells:
        if cell.ours is not None and cell.column.endswith(f" {measure}"):
            rows.setdefault(cell.row, []).append(cell.ours.mean)
    n_columns = len(rows[label])
    means = {row: float(np.mean(v)) for row, v in rows.items() if len(v) == n_columns}
    best = max(means, key=lambda row: means[row])
    place = 1 + sum(mean > means[label] for mean in means.values())
    among = (
        f"place {place} of {len(means)} rows run here (best: {best}, {means[best]:.{decimals}f})"
        if len(means) > 1
        else "no other row was run here"
    )
    return f"{label}: mean {measure} {means[label]:.{decimals}f}, {among}{_printed(item, measure)}"


def _printed(item: PrintedItem, measure: str) -> str:
    """Printed mean of the paper's own method (last row); "" if a number is missing."""
    row = item.rows[-1]
    pairs = zip(item.columns, row.cells, strict=True)
    means = [cell.mean for column, cell in pairs if column.measure == measure]
    known = [mean for mean in means if mean is not None]
    return f"; printed for {row.label}: {np.mean(known):.2f}" if len(known) == len(means) else ""


def _check(item: PrintedItem) -> None:
    """Raise InputError if a user's method cannot be a row of the item."""
    if not item.rows or not any(row.strategy for row in item.rows) or item.kind != "table":
        raise InputError(f"{item.id} has no rows of methods, so --method cannot be added to it.")
    if item.columns[0].measure == "distance":
        raise InputError(f"{item.id} compares centers, not clusters; --method has no row there.")
    if protocols.gives_labels(item):
        raise InputError(
            f"The methods of {item.id} are given the classes of another task; --method takes "
            "tables of methods that are given none, such as mtcfir-table-5."
        )
