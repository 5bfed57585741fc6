"""Reads a .csv, .tsv or .parquet file larger than memory: a sample of its rows, or all in parts.

Sample and parts are written as small files of the same format and name, so that the usual readers
read them. The file is gone through from its beginning; some thousand rows are in memory at a time.
"""

import codecs
import csv
import io
import re
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinfolk.errors import FileFormatError, InputError, import_extra
from kinfolk.sources import frames, layout, limits, paths, spaces, starts, text_encoding, totals
from kinfolk.sources import header as header_lines
from kinfolk.sources.contents import Contents, rows_of
from kinfolk.sources.data_rows import DataRows
from kinfolk.tables import Tasks
from kinfolk.tables.columns import name as name_of
from kinfolk.tables.tasks import even_share

PART = 50_000
"""Rows of a part."""
FIRST = 100
"""Lines from which the separator of a text is found."""
SUFFIXES = (".csv", ".tsv", ".txt", ".dat", ".parquet")
"""Formats that can be read in parts."""
_TAIL = 2**16
"""Bytes at the end of a text in which its last row is looked for."""

Numbers = NDArray[np.integer]


class Part(NamedTuple):
    """A small file with some rows of a large one, and their numbers there (m,), from 1."""

    path: Path
    numbers: Numbers


class FileRows(NamedTuple):
    """Some rows: lines of a text or a table of pyarrow, and the task of each (None: one task)."""

    content: Any
    tasks: list[Any]


class LargeFile(ABC):
    """Interface of a file that is read in parts; `tasks` names a column, None for one task."""

    def __init__(self, path: Path, tasks: str | None) -> None:
        self.path = path
        self.tasks = tasks
        self.sizes: dict[Any, int] = {}
        """Task -> number of its rows, known once a sample is drawn."""

    @abstractmethod
    def pieces(self, most: int) -> Iterator[FileRows]:
        """Yield all rows in order, at most this number at a time."""

    @abstractmethod
    def taken(self, content: Any, rows: Numbers) -> Any:
        """Select rows of a piece by their positions."""

    @abstractmethod
    def write(self, contents: Sequence[Any], path: Path) -> None:
        """Write pieces as one file of this format."""

    def parts(self, folder: Path) -> Iterator[Part]:
        """Yield all rows, `PART` at a time, in one temporary file that each part overwrites."""
        path = folder / self.path.name
        first = 1
        for pieces in self._with_end():
            self.write([piece.content for piece in pieces], path)
            numbers = np.arange(first, first + sum(len(piece.tasks) for piece in pieces))
            yield Part(path, numbers)
            first += len(numbers)

    def _with_end(self) -> Iterator[list[FileRows]]:
        """Yield the pieces of each part: one, but for a last one of too few rows to know names."""
        waiting: list[FileRows] = []
        for piece in self.pieces(PART):
            if waiting and len(piece.tasks) >= frames.FEWEST_NAMED_ROWS:
                yield waiting
                waiting = []
            waiting.append(piece)
        yield from [waiting] * bool(waiting)

    def sample(self, folder: Path, size: int, seed: int) -> tuple[Part, int]:
        """Draw about `size` rows, as many of each task, to a file; also count all rows.

        Smaller tasks are taken whole and leave the rest to the others. FileFormatError without any
        row.
        """
        drawn = _Sample(self, size)
        random = np.random.default_rng(seed)
        n = 0
        for piece in self.pieces(PART):
            drawn.add(piece, n, random.random(len(piece.tasks)))
            n += len(piece.tasks)
        if not n:
            raise FileFormatError(f"{self.path} names its columns but has no rows.")
        drawn.compact()
        self.sizes = drawn.sizes
        path = folder / self.path.name
        self.write(drawn.contents, path)
        return Part(path, np.concatenate(drawn.numbers)), n

    def notes(self) -> list[str]:
        """Sentences on rows that were left out, once all were gone through."""
        return []

    def no_column(self) -> InputError:
        """Build the error for a column of tasks that is not there."""
        return InputError(f"{self.path} has no column {self.tasks!r}: look at its column names.")


class _Sample:
    """The rows with the smallest random draws in each task, among those seen so far."""

    def __init__(self, file: LargeFile, size: int) -> None:
        self._file = file
        self._size = size
        self.contents: list[Any] = []
        self.numbers: list[Numbers] = []
        self._codes: list[Numbers] = []
        self._draws: list[NDArray[np.float64]] = []
        self._tasks: dict[Any, int] = {}
        self._sizes = np.zeros(0, dtype=int)
        self._bounds = np.zeros(0)

    @property
    def sizes(self) -> dict[Any, int]:
        """Task -> number of its rows among those seen so far."""
        return dict(zip(self._tasks, self._sizes.tolist(), strict=True))

    def add(self, piece: FileRows, before: int, draws: NDArray[np.float64]) -> None:
        """Add a piece with a random draw for each row; `before` is the number of rows above it."""
        found = Tasks.of(piece.tasks)
        known = np.array([self._tasks.setdefault(t, len(self._tasks)) for t in found.names])
        new = len(self._tasks) - len(self._sizes)
        self._sizes = np.append(self._sizes, np.zeros(new, dtype=int))
        self._bounds = np.append(self._bounds, np.full(new, np.inf))
        self._sizes[known] += found.sizes
        codes = known[found.codes]
        kept = np.flatnonzero(draws <= self._bounds[codes])
        self.contents.append(self._file.taken(piece.content, kept))
        self.numbers.append(before + 1 + kept)
        self._codes.append(codes[kept])
        self._draws.append(draws[kept])
        if sum(map(len, self.numbers)) > 2 * self._size:
            self.compact()

    def compact(self) -> None:
        """Drop rows beyond the share of their task, which only falls as further rows come in."""
        most = even_share(self._sizes.tolist(), self._size)
        codes = np.concatenate(self._codes)
        draws = np.concatenate(self._draws)
        order = np.lexsort((draws, codes))
        first = np.searchsorted(codes[order], np.arange(len(self._sizes)))
        rank = np.empty(len(order), dtype=int)
        rank[order] = np.arange(len(order)) - first[codes[order]]
        last = np.flatnonzero(rank == most - 1)
        self._bounds[codes[last]] = draws[last]
        ends = np.cumsum([len(numbers) for numbers in self.numbers])[:-1]
        kept = [np.flatnonzero(ranks < most) for ranks in np.split(rank, ends)]
        taken = zip(self.contents, kept, strict=True)
        self.contents = [self._file.taken(content, rows) for content, rows in taken]
        lists: tuple[list[Any], ...] = (self.numbers, self._codes, self._draws)
        for values in lists:
            values[:] = [part[rows] for part, rows in zip(values, kept, strict=True)]


class _Text(LargeFile):
    """A .csv or .tsv file; the content of a piece is a list with the bytes of each row."""

    def __init__(self, path: Path, tasks: str | None, header: bool) -> None:
        super().__init__(path, tasks)
        with path.open("rb") as file:
            start = b"".join(islice(file, FIRST))
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise InputError(f"{path} is in UTF-16, and too large for that: save it as UTF-8.")
        usual = "," if paths.split(path)[1] == ".csv" else "\t"
        # A later byte may be the first that tells the encoding.
        self._codec, _ = text_encoding.encoding_of(str(path), Contents.of_file(path))
        contents = Contents.of_bytes(start.decode(self._codec, "replace").encode())
        self._start = starts.of(str(path), contents, usual, header)
        self._separator = self._start.separator
        if self._separator == spaces.SEPARATOR:
            raise InputError(
                f"{path} has spaces between its columns, and is too large for that: write commas "
                "or tabs there."
            )
        self._header = header
        self._names = self._names_of_columns()
        self._data = DataRows(self._rows, self._names, self._last()) if header else None

    def pieces(self, most: int) -> Iterator[FileRows]:
        rows = self._rows() if self._data is None else self._data.rows()
        place = self._place()
        while found := list(islice(rows, most)):
            lines = [line for line, _ in found]
            if place is None:
                yield FileRows(lines, [None] * len(lines))
            else:
                # A row that is too short is refused when it is read.
                yield FileRows(
                    lines, [("".join(row[place : place + 1])).strip() for _, row in found]
                )

    def taken(self, content: list[bytes], rows: Numbers) -> list[bytes]:
        """Select rows."""
        return [content[i] for i in rows.tolist()]

    def write(self, contents: Sequence[list[bytes]], path: Path) -> None:
        """Write the line of names and the rows."""
        with path.open("wb") as file:
            if self._header:
                file.write(next(self._rows())[0])
            for lines in contents:
                units = {} if self._data is None else self._data.units
                file.writelines(self._with_units(lines) if units else lines)

    def notes(self) -> list[str]:
        """Sentences on rows that are no data."""
        titles = layout.told_of_sheet(self.path.name, self._start.n_titles, False)
        return titles + ([] if self._data is None else self._data.notes(self.path.name))

    def _with_units(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Yield rows with the units of the first row behind their numbers."""
        assert self._data is not None
        for line in lines:
            text = io.StringIO(line.decode(self._codec, "surrogateescape"), newline="")
            fields = next(rows_of(text, self._separator))
            found = self._data.with_units(fields, self._separator)
            yield found.encode(self._codec, "surrogateescape")

    def _last(self) -> list[list[str]]:
        """Return the fields of the last lines above notes."""
        with self.path.open("rb") as file:
            file.seek(-min(_TAIL, self.path.stat().st_size), io.SEEK_END)
            tail = file.read().decode(self._codec, "replace")
        lines = tail.splitlines()[-2 * layout.MOST_NOTES :]
        words = [word for line in lines for word in re.split(f'["{self._separator}]', line)]
        if any('"' in line for line in lines) and any(totals.first_word([w]) for w in words):
            # A field in quotes may hold line breaks: only from its beginning is that known.
            rows = list(deque((fields for _, fields in self._rows()), maxlen=len(lines)))
        else:
            try:
                rows = [next(rows_of([line], self._separator), []) for line in lines]
            except csv.Error:
                return []
        rows = [fields for fields in rows if "".join(fields).strip()]
        width = max(map(len, rows), default=0)
        return rows[: len(rows) - layout.number_of_notes(rows, width)]

    def _names_of_columns(self) -> list[str]:
        """Names of the columns, as in `frames`; "" above the names of rows, where R has none."""
        rows = self._rows()
        _, first = next(rows, (b"", []))
        _, second = next(rows, (b"", []))
        if not self._header:
            return header_lines.default_names(len(first))
        has_row_names = len(second) == len(first) + 1 and second[-1] != ""
        return [""] * has_row_names + [header_lines.name_of(name) for name in first]

    def _place(self) -> int | None:
        """Position of the column of tasks in each row."""
        if self.tasks is None:
            return None
        if self.tasks not in self._names:
            raise self.no_column()
        return self._names.index(self.tasks)

    def _rows(self) -> Iterator[tuple[bytes, list[str]]]:
        """Yield each row as bytes and as fields; a field in quotes may hold line breaks."""
        lines: list[bytes] = []

        def text() -> Iterator[str]:
            """Yield the lines of the table as texts, and append their bytes to `lines`."""
            with self.path.open("rb") as file:
                for line in islice(file, self._start.n_lines, None):
                    # The next file must not begin on the last line of this one.
                    lines.append(line if line.endswith(b"\n") else line + b"\n")
                    yield line.decode(self._codec, "replace").removeprefix("\ufeff")

        try:
            for fields in rows_of(text(), self._separator):
                if len(fields) > 1 or "".join(fields).strip():
                    yield b"".join(lines), fields
                lines.clear()
        except csv.Error as error:
            raise frames.irregular(str(self.path), str(error)) from error


class _Parquet(LargeFile):
    """A Parquet file; the content of a piece is a table of pyarrow."""

    def __init__(self, path: Path, tasks: str | None) -> None:
        super().__init__(path, tasks)
        self._arrow = import_extra("pyarrow", "parquet", "Reading this file needs")
        self._parquet = import_extra("pyarrow.parquet", "parquet", "Reading this file needs")

    def pieces(self, most: int) -> Iterator[FileRows]:
        waiting: list[Any] = []
        for table in self._tables(most):
            # A batch ends where a row group does: those of small groups are put together.
            waiting.append(table)
            if sum(map(len, waiting)) >= most:
                joined = self._arrow.concat_tables(waiting)
                yield self._piece(joined.slice(0, most))
                waiting = [joined.slice(most)]
        if sum(map(len, waiting)):
            yield self._piece(self._arrow.concat_tables(waiting))

    def taken(self, content: Any, rows: Numbers) -> Any:
        """Select rows."""
        return content.take(rows)

    def write(self, contents: Sequence[Any], path: Path) -> None:
        """Write the rows, not packed, since they are read once."""
        self._parquet.write_table(self._arrow.concat_tables(contents), path, compression="none")

    def _piece(self, table: Any) -> FileRows:
        """Return a table of pyarrow with the task of each row; InputError without the column."""
        if self.tasks is None:
            return FileRows(table, [None] * len(table))
        if self.tasks not in table.column_names:
            raise self.no_column()
        return FileRows(table, [name_of(name) for name in table.column(self.tasks).to_pylist()])

    def _tables(self, most: int) -> Iterator[Any]:
        """Yield all rows in order as tables of pyarrow, at most this number in each."""
        arrow = self._arrow
        try:
            with self._parquet.ParquetFile(self.path) as stored:
                schema = stored.schema_arrow
            kinds = (arrow.string(), arrow.large_string(), arrow.binary(), arrow.large_binary())
            texts = [field.name for field in schema if field.type in kinds]
            # As dictionaries, until it is known how long the texts are in all.
            options = {"read_dictionary": texts, "pre_buffer": False}
            with self._parquet.ParquetFile(self.path, **options) as stored:
                for batch in stored.iter_batches(batch_size=most, use_threads=False):
                    table = arrow.Table.from_batches([batch])
                    limits.check_texts(str(self.path), table)
                    yield table.cast(schema)
        except (arrow.ArrowException, OSError) as error:
            raise FileFormatError(
                f"{self.path} cannot be read to its end: write it again, or give it as .csv."
            ) from error


def opened(path: Path, tasks: str | None, header: bool = True) -> LargeFile:
    """Open a file of one of `SUFFIXES`; InputError for a text in UTF-16 or divided by spaces."""
    if paths.split(path)[1] == ".parquet":
        return _Parquet(path, tasks)
    return _Text(path, tasks, header)


def table_bytes(path: Path) -> int:
    """Estimate the bytes of a file's table in memory, for texts by the size of the file."""
    size = path.stat().st_size
    if paths.split(path)[1] != ".parquet":
        return size  # in a text a number has some eight letters, as it has eight bytes
    reader = import_extra("pyarrow.parquet", "parquet", "Reading this file needs")
    try:
        stored = reader.read_metadata(path)
    except (OSError, ValueError):  # the usual reader says what is wrong
        return size
    told = 8 * stored.num_rows * stored.num_columns
    # A file that claims more than it can hold is left to the usual reader, which refuses it.
    return told if told <= limits.UNPACKED_RATIO * size else size
