"""`kinfolk run` of a file larger than memory: a sample is clustered, all rows are then assigned."""

import csv
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import numpy as np

from kinfolk.choosing import sampling
from kinfolk.cli import terminal
from kinfolk.cli.reading import NewRows, RowsToCluster
from kinfolk.comparison import files
from kinfolk.errors import InputError, KinfolkError
from kinfolk.models.model import Model
from kinfolk.running import processes, progress
from kinfolk.sources import Reading, large_files, stacking
from kinfolk.sources.large_files import LargeFile, Numbers, Part
from kinfolk.tables import RelatedData, alignment

PART_OF_MEMORY = 16
"""A table of up to a 16th of the memory is read at once: a run takes up to nine times as much."""
SAMPLE_ROWS = 2 * sampling.AUTO_ROWS
"""Rows that are drawn: two samples of `AUTO_ROWS` rows, the most that `Kinfolk` compares."""

_PLACE = re.compile(r"\b(data row|in line|starting at row) (\d+)\b")
"""Row or line in a reader's error message, without commas; pandas writes the last two forms."""


class _Names:
    """Finds a name that two rows of a task have in different parts of a large file.

    It keeps 16 bytes of each name, as the names themselves would fill the memory.
    """

    def __init__(self) -> None:
        self._digests: list[bytes] = []

    def add(self, data: RelatedData) -> None:
        """Add the rows of a part, whose reader has compared them with one another."""
        pairs = zip(data.tasks.tolist(), data.row_ids.tolist(), strict=True)
        # So many bytes of this hash differ wherever names do, for all that is known.
        digests = [blake2b(repr(pair).encode(), digest_size=16).digest() for pair in pairs]
        self._digests.append(b"".join(digests))

    def repeated(self) -> int | None:
        """Return the position of a row whose name an earlier row of its task has, or None."""
        if not self._digests:
            return None
        rows = np.frombuffer(b"".join(self._digests), dtype="u8,u8")
        _, first, same = np.unique(rows, return_index=True, return_inverse=True)
        again = np.flatnonzero(first[same] < np.arange(len(rows)))
        return int(again[0]) if len(again) else None


def _repeated(labels: Path, row: int) -> str:
    """Return the sentence that the row at a position of a file of labels repeats a name."""
    with labels.open(encoding="utf-8", newline="") as file:
        told = next(islice(csv.DictReader(file), row, None))
    return stacking.repeated_id(told["task"], told["row"])


@dataclass
class Large:
    """A file to read in parts, its expected size in memory, and a folder for the parts.

    `n` is the number of its rows, which is known once a sample is drawn.
    """

    file: LargeFile
    size: int
    folder: Path
    rows: RowsToCluster
    n: int = 0

    def sample(self, seed: int) -> Reading:
        """Read a random sample, with a note on its size, and set `n`."""
        part, self.n = self.file.sample(self.folder, SAMPLE_ROWS, seed)
        # Whether a task has enough rows, its rows in the whole file say.
        rows = replace(self.rows, min_rows=min(1, self.rows.min_rows))
        with self._named(part):
            found = rows.read([str(part.path)])
        self._check_sizes(found.data.task_names)
        note = (
            f"The table takes about {_in_words(self.size)}: methods and report saw "
            f"{len(found.data):,} of its {self.n:,} rows, drawn at random, as many of each set. "
            f"{files.LABELS} has all rows, assigned as `kinfolk assign` does."
        )
        notes = [note, *self.file.notes(), *found.notes]
        return found._replace(data=self._numbered(found.data, part), notes=notes)

    def _check_sizes(self, tasks: Sequence[str]) -> None:
        """Raise InputError if --min-rows leaves out a task: each part would still hold its rows."""
        least = self.rows.min_rows
        few = [task for task in tasks if self.file.sizes.get(task, least) < least]
        if few:
            raise InputError(
                f"{self.file.path}: {alignment.some(few)} have fewer than --min-rows {least} rows, "
                "and of a file that is read in parts no data set is left out: take their rows out "
                "of the file, or leave --min-rows out."
            )

    def labels(self, model: Model) -> Path:
        """Assign all rows to clusters part by part; write a file of labels and return its path."""
        given = NewRows(**{f.name: getattr(self.rows, f.name) for f in fields(NewRows)})
        notes: dict[str, None] = {}
        names = _Names()
        out = self.folder / files.LABELS
        steps = progress.track(range(-(-self.n // large_files.PART)), "assigning rows")
        with out.open("w", encoding="utf-8", newline="") as file:
            for _, part in zip(steps, self.file.parts(self.folder), strict=False):
                with self._named(part):
                    data = model.read(
                        [part.path], given.roles(), header=given.header, missing=self.rows.missing
                    ).data
                    if not len(data):  # all rows of the part have gaps
                        continue
                    # In place of `assign`, which warns of what is among the notes.
                    found = model.assign_prepared(model.prepare(data), data.tasks)
                data = self._numbered(data, part)
                if self.rows.row_id is not None:
                    names.add(data)
                table = files.labels_csv(data, *found, names=model.names)
                file.write(table.partition("\n")[2] if file.tell() else table)
                notes |= dict.fromkeys(model.preparation.notes if model.preparation else [])
        if (row := names.repeated()) is not None:
            raise InputError(f"{self.file.path}: {_repeated(out, row)}")
        for note in notes:
            terminal.say(note)
        return out

    def _numbered(self, data: RelatedData, part: Part) -> RelatedData:
        """Return rows with their numbers in the whole file, unless a column names them."""
        if self.rows.row_id is not None:
            return data
        # Readers number the rows of a part from 1, and may leave rows out.
        numbers = part.numbers[data.row_ids.astype(int) - 1]
        return replace(data, row_ids=numbers.astype(str))

    @contextmanager
    def _named(self, part: Part) -> Iterator[None]:
        """Context in which errors name the whole file and its rows in place of those of a part."""
        try:
            yield
        except KinfolkError as error:
            told = str(error).replace(str(part.path), str(self.file.path))
            raise type(error)(_PLACE.sub(partial(self._place, part.numbers), told)) from error

    def _place(self, numbers: Numbers, found: re.Match[str]) -> str:
        """Return a place in a part as one in the whole file, of rows with these numbers."""
        # Lines are counted from 1 and rows of pandas from 0, both with the line of column names.
        header = int(self.rows.header)
        before = {"data row": 0, "in line": header, "starting at row": header - 1}[found[1]]
        row = int(found[2]) - before
        # A value that a message shows may have such words, too.
        known = 1 <= row <= len(numbers)
        return f"{found[1]} {numbers[row - 1] + before}" if known else found[0]


@contextmanager
def opened(source: list[str], rows: RowsToCluster, out: Path) -> Iterator[Large | None]:
    """Context with the file to read in parts, or None if memory is enough to read all at once.

    Parts are written to a folder beside `out`, which is removed at the end.

    Raises
    ------
    InputError : the tables are too large for memory and cannot be read in parts
    """
    size = _size(source)
    if not size or PART_OF_MEMORY * size <= processes.memory():
        yield None
        return
    why = _refusal(source, rows)
    if why:
        raise InputError(
            f"The tables take about {_in_words(size)}, more than a {PART_OF_MEMORY}th of the "
            f"memory of {_in_words(processes.memory())}, and {why}: give one .parquet or .csv file "
            "whose column --tasks names the data sets, without these options, or a sample of the "
            "rows."
        )
    path = Path(source[0])
    place = out.absolute().parent
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place, prefix=f".{out.name}.parts-") as folder:
        file = large_files.opened(path, rows.tasks, rows.header)
        yield Large(file, size, Path(folder), rows)


def _size(source: list[str]) -> int:
    """Expected bytes of the tables in memory; 0 for a named data set."""
    found = [Path(name) for name in source]
    return sum(large_files.table_bytes(path) for path in found if path.is_file())


def _in_words(size: int) -> str:
    """Format a number of bytes in GB, or in MB below a tenth of one.

    >>> _in_words(3 * 2**30), _in_words(120 * 2**30), _in_words(6_000_000), _in_words(100)
    ('3 GB', '120 GB', '5.7 MB', '0.1 MB')
    """
    if size < 2**30 / 10:
        return f"{max(size / 2**20, 0.1):,.1f} MB"
    return f"{size / 2**30:,.0f} GB" if size >= 10 * 2**30 else f"{size / 2**30:.2g} GB"


def _refusal(source: list[str], rows: RowsToCluster) -> str:
    """Return why these tables cannot be read in parts; "" if they can."""
    if len(source) > 1:
        return "several files are read at once"
    if Path(source[0]).suffix.lower() not in large_files.SUFFIXES:
        return "files of this format are read at once"
    for option in ("labels", "views", "embeddings"):
        if getattr(rows, option) is not None:
            return f"with --{option} all rows are read at once"
    return ""
