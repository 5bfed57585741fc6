"""Limits on tables' sizes relative to their files, checked before memory is used.

A file of a few bytes can claim to hold a table of any size: packed zeros, a cell in the last row
of a workbook, a shape in a header. So that a small file takes little memory,

    unpacked bytes   at most 8 MB, or 200 times the bytes of the file, and never above 4 GB
    cells            of named columns: at most 1 million, or 20 times the bytes that they come from
    rows, columns    of sparse matrices: at most 100,000, or the bytes that they come from
    columns          at most 1 million; 200,000 with names

A regular table has at least one byte for each cell, and tables of words and counts pack to 1/100.
"""

import io
import re
import xml.parsers.expat
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any

from kinfolk.arguments import spelled
from kinfolk.errors import FileFormatError
from kinfolk.tables.alignment import repeated

UNPACKED_LIMIT = 4 * 2**30
"""Most bytes that a compressed file may unpack to."""
UNPACKED_FLOOR = 8 * 2**20
"""Bytes that any compressed file may unpack to."""
UNPACKED_RATIO = 200
"""Bytes that one byte of a larger compressed file may stand for."""

CELL_FLOOR = 1_000_000
"""Cells that any file may hold."""
CELL_RATIO = 20
"""Cells that one byte of a larger file may stand for: lines of JSON need not name all columns."""

AXIS_FLOOR = 100_000
"""Rows, and columns, that any sparse matrix may have."""

COLUMN_LIMIT = 1_000_000
"""Columns of a table of numbers without names."""
NAMED_COLUMN_LIMIT = 200_000
"""Columns with names: pandas takes several kilobytes for each."""

LIST_ROWS = 256
"""Rows of lists that are read at a time, to know how long they are."""

STRING_LIMIT = 2**28
"""Characters that the texts of a Parquet file may have, however short their dictionary is."""


def most_unpacked(packed: int) -> int:
    """Largest unpacked size allowed for a compressed file of `packed` bytes.

    >>> most_unpacked(963), most_unpacked(10**6)
    (8388608, 200000000)
    """
    return min(UNPACKED_LIMIT, max(UNPACKED_FLOOR, UNPACKED_RATIO * packed))


def check_unpacked(
    file: str,
    size: int,
    packed: int,
    advice: str = "split it into smaller files, or give it unpacked",
) -> None:
    """Raise FileFormatError if a compressed file unpacks to more than allowed."""
    if size > (most := most_unpacked(packed)):
        raise FileFormatError(
            f"{file} unpacks to more than {most:,} bytes, the most that is read of a file of "
            f"{packed:,} bytes: {advice}."
        )


def check_archive(file: str, raw: bytes) -> None:
    """Raise FileFormatError if a zip archive unpacks to more than allowed or repeats a name."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members = archive.infolist()
    # The sizes in the directory of the archive: no member is unpacked beyond its own.
    check_unpacked(file, sum(entry.file_size for entry in members), len(raw))
    # Readers take the last one of a name without a word.
    if twice := repeated([entry.filename for entry in members]):
        raise FileFormatError(
            f"{file} has more than one member named {twice[0]!r}: write it again, each under a "
            "name of its own."
        )


def check_width(file: str, n_columns: int, most: int | None = None) -> None:
    """Raise FileFormatError unless a table has 1 to `most` columns."""
    most = COLUMN_LIMIT if most is None else most
    if not 1 <= n_columns <= most:
        raise FileFormatError(f"{file} has {n_columns:,} columns; a table can have 1 to {most:,}.")


def check_named_width(file: str, n_columns: int) -> None:
    """Raise FileFormatError unless a table has 1 to `NAMED_COLUMN_LIMIT` columns with names."""
    check_width(file, n_columns, NAMED_COLUMN_LIMIT)


def check_cells(
    file: str,
    n_rows: int,
    n_columns: int,
    size: int,
    advice: str = "write it again with all columns in each row, or as a sparse matrix",
) -> None:
    """Raise FileFormatError if a table has more cells than `size` bytes can hold."""
    if n_rows * n_columns > max(CELL_FLOOR, CELL_RATIO * size):
        raise FileFormatError(
            f"{file} claims {n_rows:,} rows and {n_columns:,} columns, too many for its "
            f"{size:,} bytes: {advice}."
        )


def check_axes(file: str, n_rows: int, n_columns: int, size: int) -> None:
    """Raise FileFormatError if a sparse matrix has more rows or columns than bytes."""
    if max(n_rows, n_columns) > max(AXIS_FLOOR, size):
        raise FileFormatError(
            f"{file} claims {n_rows:,} rows and {n_columns:,} columns, too many for its "
            f"{size:,} bytes: leave out rows and columns without any entry."
        )


def check_lines(file: str, lines: Iterable[str], separator: str) -> Iterator[str]:
    """Yield lines; FileFormatError if one has more fields than columns are allowed."""
    n = 1
    for line in lines:
        n += line.count(separator)
        check_named_width(file, n)
        yield line


def check_cells_of_workbook(file: str, raw: bytes) -> None:
    """Raise FileFormatError if cell addresses imply a far larger table than the file.

    A reader fills the rectangle from the first cell to the last one. Members that are no XML are
    left to the reader.
    """
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        for entry in archive.infolist():
            if entry.filename.endswith(".xml"):
                extent = _Extent()
                extent.read(archive.read(entry))
                size = max(entry.file_size, len(raw))
                advice = "delete the cells that stand far outside the table"
                check_cells(file, extent.n_rows, extent.n_columns, size, advice)


class _Extent:
    """Last row and column among the cells of an Excel sheet."""

    def __init__(self) -> None:
        self.n_rows = 1
        self.n_columns = 1
        self._column = 0

    def read(self, text: bytes) -> None:
        """Parse the cells of a sheet's XML, up to the first error."""
        parser = xml.parsers.expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = self._start
        try:
            parser.Parse(text, True)
        except xml.parsers.expat.ExpatError:
            return

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        """Count a row or cell whose tag begins; one without an address follows the last one."""
        local = name.rpartition(" ")[2]
        place = attributes.get("r", "")
        if local == "row":
            self._column = 0
            self.n_rows = max(self.n_rows + 1, _row(place))
        elif local == "c":
            self._column += 1
            if found := re.fullmatch(r"([A-Za-z]{1,3})(\d{1,9})", place):
                self._column = column_position(found[1])
                self.n_rows = max(self.n_rows, int(found[2]))
            self.n_columns = max(self.n_columns, self._column)


def _row(place: str) -> int:
    """Row number of a sheet's row element, 0 without one; huge if invalid.

    >>> _row("7"), _row(""), _row("1e308") > 2**40
    (7, 0, True)
    """
    if not place or (place.isdecimal() and len(place) < 10):
        return int(place or 0)
    return 2**41  # a reader takes 1e308 for a number of rows, and makes them


def column_position(letters: str) -> int:
    """Column position (from 1) of column letters such as "AB".

    >>> column_position("A"), column_position("Z"), column_position("AA"), column_position("XFD")
    (1, 26, 27, 16384)
    """
    position = 0
    for letter in letters.upper():
        position = 26 * position + ord(letter) - ord("A") + 1
    return position


def check_parquet(file: str, size: int, metadata: Any, nested: list[str]) -> None:
    """Raise FileFormatError if a Parquet file claims more values than its `size` bytes can hold.

    `nested` are the columns of lists and records: a few bytes can stand for lists of any length.
    """
    # Not by `metadata.row_group(0).column(0)`: damaged statistics there end the process.
    check_named_width(file, metadata.num_columns)
    if nested:
        raise FileFormatError(
            f"{file} has lists or records in column {nested[0]!r}: give one value in each cell, "
            "drop the column from the file, or cluster on it alone if it holds vectors "
            f"({spelled('--embeddings', 'embeddings=')})."
        )
    # A column of one repeated value takes a few bytes in the file, but 8 per row in memory.
    advice = "split it into smaller files, or cluster it from Python in blocks, see kf.Blocks"
    check_unpacked(file, 8 * metadata.num_rows * metadata.num_columns, size, advice)


def check_lists(file: str, size: int, stored: Any, name: str) -> None:
    """Raise FileFormatError if lists of a column hold more than a file of `size` bytes can.

    They are read a few rows at a time, so that a damaged file is refused before memory is taken.
    """
    total = 0
    for batch in stored.iter_batches(batch_size=LIST_ROWS, columns=[name]):
        # The values of all lists, one below the other.
        values = batch.column(0).flatten()
        total += max(8 * len(values), values.nbytes)
        check_unpacked(file, total, size)


def check_texts(file: str, table: Any) -> None:
    """Raise FileFormatError if texts of a pyarrow table may be over `STRING_LIMIT` in total.

    A long text that stands once in a dictionary can stand in every row.
    """
    total = 0
    for column in table.columns:
        for chunk in column.chunks:
            if hasattr(chunk, "dictionary"):
                longest = max((len(str(v)) for v in chunk.dictionary.to_pylist()), default=0)
                total += longest * len(chunk)
    if total > STRING_LIMIT:
        raise FileFormatError(
            f"{file} repeats long texts up to {total:,} characters: give each text once."
        )
