"""Contents of a file: read from its beginning as often as needed, without being held in memory."""

import csv
import gzip
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self, cast

if TYPE_CHECKING:
    from _csv import Reader

PIECE = 2**20
"""Bytes that are read at a time."""


@dataclass(frozen=True)
class Contents:
    r"""The unpacked bytes of a file.

    Attributes
    ----------
    open : opens a stream of the bytes, from the first one
    size : number of bytes

    >>> contents = Contents.of_bytes(b"n\n1\n")
    >>> contents.size, contents.read(), contents.read()
    (4, b'n\n1\n', b'n\n1\n')
    """

    open: Callable[[], IO[bytes]]
    size: int

    @classmethod
    def of_bytes(cls, raw: bytes) -> Self:
        """Contents that are in memory already."""
        return cls(lambda: io.BytesIO(raw), len(raw))

    @classmethod
    def of_file(cls, path: Path) -> Self:
        """Contents of a file that is not packed."""
        return cls(lambda: path.open("rb"), path.stat().st_size)

    @classmethod
    def of_gzip(cls, path: Path, most: int) -> Self:
        """Contents of a gzip file, unpacked at each reading; a `size` above `most` is not exact."""
        packed = cls(lambda: cast(IO[bytes], gzip.GzipFile(path)), 0)
        size = 0
        for piece in packed.pieces():
            size += len(piece)
            if size > most:
                break
        return cls(packed.open, size)

    def after(self, n: int) -> Self:
        r"""Return the contents without the first n bytes.

        >>> Contents.of_bytes(b"title\nn\n1\n").after(6).read()
        b'n\n1\n'
        """

        def opened() -> IO[bytes]:
            stream = self.open()
            stream.read(n)
            return stream

        return type(self)(opened, self.size - n)

    def read(self) -> bytes:
        """Return all bytes."""
        with self.open() as stream:
            return stream.read()

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes in order, a piece at a time."""
        with self.open() as stream:
            while piece := stream.read(PIECE):
                yield piece


def rows_of(lines: Iterable[str], separator: str) -> "Reader":
    """Return a reader of the fields of each row of a delimited text.

    Spaces before a field are no part of it.

    >>> list(rows_of(['"a, b", "c"'], ","))
    [['a, b', 'c']]
    """
    return csv.reader(lines, delimiter=separator, skipinitialspace=True)
