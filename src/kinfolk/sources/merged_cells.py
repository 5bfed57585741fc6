"""Finds the merged cells of a sheet of an Excel workbook, and fills those merged downwards."""

import io
import posixpath
import re
import zipfile
from typing import TYPE_CHECKING, NamedTuple

from kinfolk.sources import limits

if TYPE_CHECKING:
    import pandas as pd

_MERGED = re.compile(rb'mergeCell ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_SHEET = re.compile(rb'<(?:\w+:)?sheet\s[^>]*?\bid="([^"]+)"')
_PART = re.compile(rb"<(?:\w+:)?Relationship\s[^>]*>")


class Block(NamedTuple):
    """Cells that are merged: first and last row and column, from 0."""

    top: int
    end: int
    left: int
    right: int


def of_sheet(raw: bytes, place: int) -> list[Block]:
    """Return the merged cells of the sheet at a place, from 0, of a workbook; [] if it has none."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        part = _part(archive, place)
        found = _MERGED.findall(archive.read(part)) if part in archive.namelist() else []
    at = limits.column_position
    return [
        Block(int(top) - 1, int(end) - 1, at(left.decode()) - 1, at(right.decode()) - 1)
        for left, top, right, end in found
    ]


def fill(cells: "pd.DataFrame", blocks: list[Block]) -> bool:
    """Write the value of cells that are merged downwards into each of their rows, in place.

    Returns True if there are some.

    >>> import pandas as pd
    >>> cells = pd.DataFrame({"site": ["a", None, "b"], "n": [1, 2, 3]})
    >>> fill(cells, [Block(0, 1, 0, 0)]), cells["site"].tolist()
    (True, ['a', 'a', 'b'])
    """
    down = [block for block in blocks if block.left == block.right]
    for top, end, j, _ in down:
        if top < len(cells) and j < cells.shape[1]:
            cells.iloc[top : end + 1, j] = cells.iat[top, j]
    return bool(down)


def across(blocks: list[Block], row: int) -> dict[int, int]:
    """Return {first column: last column} of the cells of a row that are merged to the right.

    >>> across([Block(1, 1, 2, 4), Block(1, 2, 0, 0)], 1)
    {2: 4}
    """
    found = [block for block in blocks if block.top == block.end == row]
    return {block.left: block.right for block in found if block.left < block.right}


def _part(archive: zipfile.ZipFile, place: int) -> str:
    """Name of the member that holds the sheet at a place; "" if the workbook does not tell."""
    sheets = _SHEET.findall(archive.read("xl/workbook.xml"))
    if place >= len(sheets):
        return ""
    for relation in _PART.findall(archive.read("xl/_rels/workbook.xml.rels")):
        told = dict(re.findall(rb'(\w+)="([^"]*)"', relation))
        if told.get(b"Id") == sheets[place]:
            return posixpath.join("/xl", told.get(b"Target", b"").decode())[1:]
    return ""
