"""Mean scores of each method on common data sets, printed in papers and measured here.

    webkb4                  methods of the tables of MTCFIR and MTCMRL
    compvssci               methods that only the tables of LSSMTC and LSSTTC have
    simulated-transfer-x1   methods that only the table of KT-MEC has

Each is the mean over the columns of a measure, in percent. A method that several tables have gets
the first one. Ours come with the package in `FILE`, which `python scripts/common_figures.py` writes
from the files of `kinfolk reproduce`.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TypeAlias

import numpy as np

from kinfolk.papers import protocols, published
from kinfolk.papers.published import PrintedItem, Row

TABLES = ("mtcfir-table-2", "mtcmrl-table-2", "lssmtc-table-5", "lssmtc-table-8", "ktmec-table-1")
"""Tables, the preferred first: a method's figures are those of the first that has it."""
FILE = "common_figures.csv"
NOTHING = float("nan"), float("nan")

Ours: TypeAlias = Mapping[tuple[str, str, str], tuple[float, float]]
"""(table, row, measure) -> our means, chosen with labels and without."""


@dataclass(frozen=True)
class CommonFigure:
    """A method's mean score, in percent, over a table's columns: printed and ours; nan if missing.

    Attributes
    ----------
    method : its name in the catalogue
    table, row, data : the printed table, its row, and the data set
    measure : as printed
    printed, ours, label_free : as printed, ours chosen with labels, and ours without labels
    """

    method: str
    table: str
    row: str
    data: str
    measure: str
    printed: float
    ours: float
    label_free: float

    def __str__(self) -> str:
        """Return the figures in words.

        >>> print(CommonFigure("mec", "t", "MEC", "webkb4", "nmi", 60, 58.251, float("nan")))
        webkb4, nmi in %: printed 60.0, ours 58.3, ours without labels - (row MEC of t)
        """
        printed, ours, label_free = map(shown, (self.printed, self.ours, self.label_free))
        return (
            f"{self.data}, {self.measure} in %: printed {printed}, ours {ours}, ours without "
            f"labels {label_free} (row {self.row} of {self.table})"
        )


def shown(number: float) -> str:
    """Format a number with one decimal, "-" for nan.

    >>> shown(61.25), shown(float("nan"))
    ('61.2', '-')
    """
    return "-" if np.isnan(number) else f"{number:.1f}"


def figures(ours: Ours) -> list[CommonFigure]:
    """Return the mean scores, printed and ours, of all methods in the papers' tables."""
    found: dict[str, list[CommonFigure]] = {}
    for item in map(published.item, TABLES):
        for row in _rows(item):
            # "All k-means" is another method than k-means.
            if row.ours and row.strategy != "pooled" and row.ours not in found:
                found[row.ours] = [
                    CommonFigure(
                        row.ours,
                        item.id,
                        row.label,
                        item.data[0],
                        measure,
                        _printed(item, row, columns),
                        *ours.get((item.id, row.label, measure), NOTHING),
                    )
                    for measure, columns in _columns(item).items()
                ]
    return [figure for own in found.values() for figure in own]


def collect(folder: Path) -> dict[tuple[str, str, str], tuple[float, float]]:
    """Read (table, row, measure) -> our means, chosen with labels and without, from CSV files."""
    found = {}
    for item in map(published.item, TABLES):
        with (folder / f"{item.id}.csv").open(encoding="utf-8", newline="") as file:
            lines = {(line["row"], line["column"]): line for line in csv.DictReader(file)}
        for row in dict.fromkeys(label for label, _ in lines):
            for measure, columns in _columns(item).items():
                own = [lines.get((row, column), {}) for column in columns]
                means = tuple(
                    _mean(item, [_number(line.get(choice, "")) for line in own])
                    for choice in ("ours, chosen with labels", "ours, without labels")
                )
                if not np.isnan(means).all():
                    found[item.id, row, measure] = means[0], means[1]
    return found


def read() -> list[CommonFigure]:
    """Return each method's mean scores on a common set: the printed ones and ours.

    >>> [(found.data, found.measure) for found in read() if found.method == "mtcfir"]
    [('webkb4', 'accuracy'), ('webkb4', 'nmi')]
    """
    return figures(_packaged())


@cache
def _packaged() -> Ours:
    """Read our mean scores from `FILE`, which comes with the package."""
    text = resources.files(__package__).joinpath(FILE).read_text("utf-8")
    return {
        (line["table"], line["row"], line["measure"]): (
            float(line["ours"]),
            float(line["label_free"]),
        )
        for line in csv.DictReader(text.splitlines())
    }


def _rows(item: PrintedItem) -> Iterator[Row]:
    """Yield the rows of a table, and our `Kinfolk` row below a table of tasks."""
    yield from item.rows
    yield Row(protocols.KINFOLK_ROW, "kinfolk", "together", ())


def _columns(item: PrintedItem) -> dict[str, list[str]]:
    """Map each measure to its columns; if columns are data sets, only those of the first set."""
    data = item.data[0]
    own = [c for c in item.columns if data not in item.column_groups or c.group == data]
    return {
        measure: [str(column) for column in own if column.measure == measure]
        for measure in dict.fromkeys(column.measure for column in own)
    }


def _printed(item: PrintedItem, row: Row, columns: list[str]) -> float:
    cells = dict(zip(map(str, item.columns), row.cells, strict=False))
    means = [cells[column].mean if column in cells else None for column in columns]
    return _mean(item, [float("nan") if mean is None else mean for mean in means])


def _mean(item: PrintedItem, numbers: list[float]) -> float:
    """Mean of numbers in percent, to two decimals."""
    return round((1.0 if item.unit == "percent" else 100.0) * float(np.mean(numbers)), 2)


def _number(text: str) -> float:
    """Parse the mean in a cell of a table file; nan if there is none.

    >>> _number("61.00±1.41•"), _number("-"), _number("")
    (61.0, nan, nan)
    """
    try:
        return float(text.partition("±")[0].rstrip("•"))
    except ValueError:
        return float("nan")
