"""Finds where the table of a delimited text begins, and the separator of its fields."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from kinfolk.sources import header as header_lines
from kinfolk.sources import layout, limits, spaces
from kinfolk.sources.contents import Contents, rows_of
from kinfolk.sources.text_encoding import not_utf8

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
"""Characters that may stand between the fields of a row, with their names; `spaces` may, too."""

_SAMPLE = 40
"""Number of first lines that are looked at."""

_FEWEST = 3
"""A table of fewer columns may have rows of a single field, as titles are."""

_DECLARED = re.compile(r"sep=([,;\t|])\s*", re.IGNORECASE)
"""A first line by which spreadsheet programs know the separator."""

_Row = tuple[int, list[str]]
"""Number of lines above a row, and its fields."""


class Start(NamedTuple):
    """Beginning of a table in a text.

    Attributes
    ----------
    separator : of fields
    n_lines : lines above the one that names the columns
    n_titles : rows among them that are titles or notes
    n_bytes : length of these lines
    """

    separator: str
    n_lines: int = 0
    n_titles: int = 0
    n_bytes: int = 0


def of(file: str, contents: Contents, usual: str, header: bool = True) -> Start:
    r"""Find the separator of a text in UTF-8, and the line of names below titles and notes.

    The separator is the suffix's `usual` one if it divides all of the first rows into the same
    number of fields, else the one that divides them so into most, and spaces if none does.

    >>> of("t.csv", Contents.of_bytes(b"city;price\nrome;3,5\n"), ",").separator
    ';'
    >>> of("t.csv", Contents.of_bytes(b"Sales of 2024\n\ncity,n,m\nrome,3,5\noslo,2,4\n"), ",")
    Start(separator=',', n_lines=2, n_titles=1, n_bytes=15)
    """
    lines, mark = _first_lines(file, contents)
    declared = _DECLARED.fullmatch(lines[0]) if lines else None
    if declared:
        usual = declared[1]
    skipped = int(declared is not None)
    found = {}
    for separator in SEPARATORS:
        if any(line.count(separator) >= limits.NAMED_COLUMN_LIMIT for line in lines):
            continue  # too wide to divide by it: a text, or a table that is refused
        try:
            rows = _rows(lines[skipped:], separator)
        except csv.Error:
            continue
        n = _number_of_titles(rows) if header else 0
        found[separator] = (n, rows[n:])
    separator = _chosen(found, usual)
    n, rows = found.get(separator, (0, []))
    if not _width(rows) and spaces.divide(lines[skipped:], header):
        return Start(spaces.SEPARATOR)
    n_lines = skipped + (rows[0][0] if n else 0)
    n_bytes = len("".join(lines[:n_lines]).encode()) + mark if n_lines else 0
    return Start(separator, n_lines, n, n_bytes)


def _first_lines(file: str, contents: Contents) -> tuple[list[str], int]:
    """Return the first lines, and the number of bytes of a byte order mark."""
    try:
        with io.TextIOWrapper(contents.open(), encoding="utf-8", newline="") as stream:
            lines = list(islice(stream, _SAMPLE))
    except UnicodeDecodeError as error:
        raise not_utf8(file) from error
    bom = codecs.BOM_UTF8.decode()
    marked = bool(lines) and lines[0].startswith(bom)
    if marked:
        lines[0] = lines[0].removeprefix(bom)
    return lines, len(codecs.BOM_UTF8) * marked


def _rows(lines: Sequence[str], separator: str) -> list[_Row]:
    """Divide lines into rows that are not blank."""
    reader = rows_of(lines, separator)
    rows = []
    before = 0
    for fields in reader:
        if any(field.strip() for field in fields):
            rows.append((before, fields))
        before = reader.line_num
    return rows


def _number_of_titles(rows: Sequence[_Row]) -> int:
    """Number of rows above the one that names the columns; 0 unless all of them may be titles.

    A title has one field that is not empty, or at most half as many as the table has columns.
    """
    lengths = Counter(len(fields) for _, fields in rows)
    width = max(lengths, key=lambda n: (lengths[n], n), default=0)
    if width < _FEWEST:
        return 0
    for n, (_, fields) in enumerate(rows):
        filled = sum(bool(field.strip()) for field in fields)
        if len(fields) == width and 2 * filled > width:
            names = [header_lines.name_of(field) for field in fields]
            return 0 if header_lines.looks_like_numbers(names) else n
        is_note = fields[0].startswith("#") and len(fields) != width
        if 2 * filled > width and filled > 1 and not is_note:
            return 0
    return 0


def _widths(rows: list[list[str]]) -> set[int]:
    """Return the different numbers of fields in rows, without notes and a separator at the end.

    >>> _widths([["a", "b", "c"], ["1", "2", "3", ""], ["Source: the city"]])
    {3}
    """
    width = max(map(len, rows), default=0)
    rows = rows[: len(rows) - layout.number_of_notes(rows, width)]
    names = len(rows[0]) if rows else 0
    return {len(row) - (len(row) == names + 1 and not row[-1]) for row in rows}


def _width(rows: Sequence[_Row]) -> int:
    """Number of fields of all rows but notes; 0 if they differ, or all have one."""
    widths = _widths([fields for _, fields in rows])
    return max(widths) if len(widths) == 1 and widths != {1} else 0


def _chosen(found: dict[str, tuple[int, list[_Row]]], usual: str) -> str:
    """Return the separator that divides all rows but titles evenly; the usual one without any."""
    regular = {}
    for separator, (n, rows) in found.items():
        if width := _width(rows):
            # By a wrong separator, such as the comma of decimals, the names may look like a title.
            regular[separator] = (n, separator != usual, -width)
    best = min(regular, key=lambda separator: regular[separator], default=usual)
    if best == usual:
        return usual
    # A header with the usual separator and rows of other lengths is an irregular table.
    names = found[best][1][0][1]
    return usual if any(usual in name for name in names) else best
