"""Tables of printed and of our figures, as CSV, Markdown and LaTeX: one line a printed figure."""

import csv
import io
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from kinfolk import writing
from kinfolk.papers.published import Exhibit
from kinfolk.papers.tables import Entry, Value

COLUMNS = (
    *("row", "column", "published", "ours, chosen with labels", "ours, without labels"),
    *("difference", "within 2 sd", "note"),
)
DIGITS = {"percent": 2, "seconds": 2}


def write(exhibit: Exhibit, entries: Iterable[Entry], folder: Path, quick: bool) -> list[Path]:
    """Write the table into a folder, each file whole or not at all; return the files."""
    lines = [line(entry, exhibit) for entry in entries]
    written = []
    for ending, form in FORMS.items():
        path = folder / f"{exhibit.id}.{ending}"
        writing.write_atomically(path, form(exhibit, lines, quick).encode())
        written.append(path)
    return written


def line(entry: Entry, exhibit: Exhibit) -> list[str]:
    """The figures of an entry as text, in the order of `COLUMNS`."""
    digits = DIGITS.get(exhibit.unit, 4)
    printed = entry.published.printed if entry.published else ""
    doubts = [d.why for d in exhibit.doubts if (d.row, d.column) == (entry.row, entry.column)]
    notes = [entry.note, *(f"the printed figure is doubtful: {why}" for why in doubts)]
    return [
        entry.row,
        entry.column,
        printed,
        _number(entry.ours, digits) + entry.mark,
        _number(entry.free, digits),
        "" if np.isnan(gap(entry)) else f"{gap(entry):+.{digits}f}",
        within(entry),
        "; ".join(note for note in notes if note),
    ]


def gap(entry: Entry) -> float:
    """Ours under the paper's protocol minus the printed figure; nan if either is missing."""
    if entry.ours is None or entry.published is None or entry.published.mean is None:
        return float("nan")
    return entry.ours.mean - entry.published.mean


def within(entry: Entry) -> str:
    """Whether the gap is at most twice the root of the summed variances of both; "" if unknown.

    A printed figure without deviation, and ours of a single run, count as exact, up to half of the
    last printed digit.
    """
    difference = gap(entry)
    if np.isnan(difference) or entry.ours is None or entry.published is None:
        return ""
    spreads = [entry.ours.deviation, entry.published.deviation or 0.0]
    printed = entry.published.printed.partition("±")[0].partition(".")[2]
    room = 2 * np.sqrt(np.nansum(np.square(spreads))) + 0.5 * 10.0 ** -len(printed)
    return "yes" if abs(difference) <= room else "no"


def summary(exhibit: Exhibit, entries: Iterable[Entry]) -> str:
    """How many printed figures have one of ours beside them, and how far off these are."""
    gaps = [(gap(entry), within(entry)) for entry in entries if entry.published is not None]
    both = [(difference, near) for difference, near in gaps if near]
    if not both:
        return f"none of {len(gaps)} figures can be compared"
    mean = float(np.mean([difference for difference, _ in both]))
    near = sum(verdict == "yes" for _, verdict in both)
    return (
        f"{len(both)} of {len(gaps)} figures have ours beside them, on average "
        f"{mean:+.{DIGITS.get(exhibit.unit, 4)}f}; {near} within two standard deviations"
    )


def heading(exhibit: Exhibit, quick: bool) -> list[str]:
    """What a reader must know before the figures."""
    protocol = exhibit.protocol
    ours = ["Quick form: fewer values of each parameter and fewer repeats than the paper."] * quick
    return [
        f"{exhibit.title}. {exhibit.citation.strip()}. Unit: {exhibit.unit or 'none'}.",
        f"Protocol: {' '.join(protocol.grid.split())} Repeats: {protocol.runs or 'not stated'}. "
        f"Choice of parameters in the paper: {protocol.choice}.",
        "Ours, chosen with labels: one setting for all tasks, the best mean by the true classes. "
        "Ours, without labels: for each task the setting whose runs agree most with those of other "
        "settings and have the best silhouette; in the last row of a table of tasks, the answer of "
        "kf.Kinfolk.",
        *ours,
        *exhibit.stated,
    ]


def _csv(exhibit: Exhibit, lines: list[list[str]], quick: bool) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *lines])
    return text.getvalue()


def markdown(lines: Iterable[list[str]]) -> str:
    """The lines as a table of Markdown."""
    rows = [COLUMNS, ["---"] * len(COLUMNS), *lines]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in r) + " |" for r in rows)


def _markdown(exhibit: Exhibit, lines: list[list[str]], quick: bool) -> str:
    return "\n\n".join([f"# {exhibit.id}", *heading(exhibit, quick), markdown(lines)]) + "\n"


def _latex(exhibit: Exhibit, lines: list[list[str]], quick: bool) -> str:
    frame = pd.DataFrame(lines, columns=list(COLUMNS)).map(_escaped)
    caption = _escaped(" ".join(heading(exhibit, quick)))
    return str(frame.to_latex(index=False, longtable=True, caption=caption, label=exhibit.id))


def _escaped(text: str) -> str:
    """Text for LaTeX, which reads some signs as commands."""
    signs = {
        "\\": r"\textbackslash{}",
        "±": r"$\pm$",
        "•": r"$\bullet$",
        "^": r"\^{}",
        "~": r"\~{}",
    }
    signs |= {sign: f"\\{sign}" for sign in "&%$#_{}"}
    return "".join(signs.get(sign, sign) for sign in text)


FORMS: dict[str, Callable[[Exhibit, list[list[str]], bool], str]] = {
    "csv": _csv,
    "md": _markdown,
    "tex": _latex,
}


def _number(value: Value | None, digits: int) -> str:
    if value is None:
        return ""
    spread = "" if np.isnan(value.deviation) else f"±{value.deviation:.{digits}f}"
    return f"{value.mean:.{digits}f}{spread}"
