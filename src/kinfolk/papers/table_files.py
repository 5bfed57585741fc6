"""Formats reproduced tables as CSV, Markdown and LaTeX, one line per printed cell."""

import csv
import io
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from kinfolk.papers.published import PrintedItem
from kinfolk.papers.tables import CellComparison, Value

COLUMN_NAMES = (
    *("row", "column", "published", "ours, chosen with labels", "ours, without labels"),
    *("difference", "within 2 sd", "fidelity", "note"),
)
DECIMALS = {"percent": 2, "seconds": 2}
"""Unit -> number of decimals shown; 4 for all others."""


def contents(
    item: PrintedItem,
    cells: Iterable[CellComparison],
    quick: bool,
    remarks: Iterable[str] = (),
) -> dict[str, bytes]:
    """Return {file name: bytes} of a table as CSV, Markdown and LaTeX.

    The last two open with `introduction` and the remarks.
    """
    lines = [line(cell, item) for cell in cells]
    above = [*introduction(item, quick), *remarks]
    return {
        f"{item.id}.{ending}": text(item, lines, above).encode() for ending, text in FORMATS.items()
    }


def line(cell: CellComparison, item: PrintedItem) -> list[str]:
    """Format one compared cell as texts, in the order of `COLUMN_NAMES`.

    >>> from kinfolk.papers import published
    >>> printed = published.PrintedCell.read("64.00±2.00")
    >>> ours = Value.of(np.array([60.0, 62.0]), "{}", 1)
    >>> item = published.item("mtcfir-table-2")
    >>> line(CellComparison("MEC", "texas nmi", printed, ours, ours, "", "•", "exact"), item)
    ['MEC', 'texas nmi', '64.00±2.00', '61.00±1.41•', '61.00±1.41', '-3.00', 'yes', 'exact', '']
    """
    decimals = DECIMALS.get(item.unit, 4)
    printed = cell.published.printed if cell.published else ""
    doubts = [d.why for d in item.doubts if (d.row, d.column) == (cell.row, cell.column)]
    notes = [cell.note, *(f"the printed figure is doubtful: {why}" for why in doubts)]
    gap = difference(cell)
    return [
        cell.row,
        cell.column,
        printed,
        _number(cell.ours, decimals) + cell.mark,
        _number(cell.label_free, decimals),
        "" if np.isnan(gap) else f"{gap:+.{decimals}f}",
        within_two_deviations(cell),
        cell.fidelity,
        "; ".join(note for note in notes if note),
    ]


def difference(cell: CellComparison) -> float:
    """Our score at the setting chosen with labels, minus the printed one; nan if missing."""
    if cell.ours is None or cell.published is None or cell.published.mean is None:
        return float("nan")
    return cell.ours.mean - cell.published.mean


def within_two_deviations(cell: CellComparison) -> str:
    """Return "yes" or "no": is ours within two deviations of the printed; "" if unknown.

    The variances of both are added. A printed number without deviation and a single run of ours
    count as exact, up to half of the last printed digit.
    """
    gap = difference(cell)
    if np.isnan(gap) or cell.ours is None or cell.published is None:
        return ""
    deviations = [cell.ours.deviation, cell.published.deviation or 0.0]
    decimals = len(cell.published.printed.partition("±")[0].partition(".")[2])
    # The printed number may be rounded by half a unit of its last digit.
    rounding = 0.5 * 10.0**-decimals
    allowed = 2 * np.sqrt(np.nansum(np.square(deviations))) + rounding
    return "yes" if abs(gap) <= allowed else "no"


def summary(item: PrintedItem, cells: Iterable[CellComparison]) -> str:
    """Sentence with the number of compared cells, mean difference, cells within two deviations."""
    printed = {row.label for row in item.rows}  # without the rows of other readings
    cells = [c for c in cells if c.published is not None and c.row in printed]
    gaps = [(difference(c), within_two_deviations(c)) for c in cells]
    compared = [(gap, within) for gap, within in gaps if within]
    if not compared:
        return f"none of {len(gaps)} printed figures has ours beside it"
    mean = float(np.mean([gap for gap, _ in compared]))
    near = sum(within == "yes" for _, within in compared)
    return (
        f"{len(compared)} of {len(gaps)} figures have ours beside them, on average "
        f"{mean:+.{DECIMALS.get(item.unit, 4)}f}; {near} within two standard deviations"
    )


def introduction(item: PrintedItem, quick: bool) -> list[str]:
    """Paragraphs above a table: its content, protocol, and both choices of settings."""
    protocol = item.protocol
    form = ["Quick form: fewer values of each parameter and fewer repeats than the paper."] * quick
    return [
        f"{item.title}. {item.citation.strip()}. Unit: {item.unit or 'none'}.",
        f"Protocol: {' '.join(protocol.grid.split())} Repeats: {protocol.runs or 'not stated'}. "
        f"Choice of parameters in the paper: {protocol.choice}.",
        "Ours, chosen with labels: one setting for all tasks, the best mean by the true classes. "
        "Ours, without labels: for each task the setting whose runs agree most with those of other "
        "settings and have the best modularity; in the last row of a table of tasks, the answer of "
        "kf.Kinfolk.",
        *form,
        *item.stated,
    ]


def _csv(item: PrintedItem, lines: list[list[str]], above: list[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([COLUMN_NAMES, *lines])
    return text.getvalue()


def _markdown(item: PrintedItem, lines: list[list[str]], above: list[str]) -> str:
    rows = [COLUMN_NAMES, ["---"] * len(COLUMN_NAMES), *lines]
    # A cell of Markdown has one line.
    cells = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows]
    table = "\n".join(f"| {' | '.join(row)} |" for row in cells)
    return "\n\n".join([f"# {item.id}", *above, table]) + "\n"


def _latex(item: PrintedItem, lines: list[list[str]], above: list[str]) -> str:
    frame = pd.DataFrame(lines, columns=list(COLUMN_NAMES)).map(_escaped)
    caption = _escaped(" ".join(above))
    return str(frame.to_latex(index=False, longtable=True, caption=caption, label=item.id))


def _escaped(text: str) -> str:
    r"""Escape characters that are special in LaTeX.

    >>> print(_escaped("50 % ± 1_000"))
    50 \% $\pm$ 1\_000
    """
    signs = {
        "\\": r"\textbackslash{}",
        "±": r"$\pm$",
        "•": r"$\bullet$",
        "^": r"\^{}",
        "~": r"\~{}",
    }
    signs |= {sign: f"\\{sign}" for sign in "&%$#_{}"}
    return "".join(signs.get(sign, sign) for sign in text)


FORMATS: dict[str, Callable[[PrintedItem, list[list[str]], list[str]], str]] = {
    "csv": _csv,
    "md": _markdown,
    "tex": _latex,
}
"""File ending -> function of the item, its lines and the paragraphs above; returns the file."""


def _number(value: Value | None, decimals: int) -> str:
    """Format mean and deviation, the latter only for several repeats; "" without a value."""
    if value is None:
        return ""
    spread = "" if np.isnan(value.deviation) else f"±{value.deviation:.{decimals}f}"
    return f"{value.mean:.{decimals}f}{spread}"
