"""Reads one block from an array, memory map, Parquet row groups, or Dask frame.

A source is described by a few small values, which travel to the process that reads the block.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Table
from kinfolk.blocks.block import Block
from kinfolk.blocks.reduction import folded
from kinfolk.errors import BlockError, InputError, KinfolkError, import_extra
from kinfolk.numerics import backend, sparse_format
from kinfolk.tables import Tasks, intake


class MappedRows(NamedTuple):
    """Rows start to stop of a memory-mapped .npy file."""

    path: str
    dtype: str
    shape: tuple[int, int]
    offset: int
    order: str
    start: int
    stop: int

    def table(self) -> Table:
        """Return the rows as a view of the file, which is read when used."""
        order: Any = self.order
        whole = np.memmap(self.path, self.dtype, "r", self.offset, self.shape, order)
        return whole[self.start : self.stop]

    def place(self) -> str:
        """Describe the location of the rows, for error messages."""
        return f"rows {self.start} to {self.stop} of {self.path}"


class ParquetRows(NamedTuple):
    """Some row groups of a Parquet file."""

    path: str
    groups: tuple[int, ...]
    batch_rows: int

    def frames(self, columns: list[str]) -> Iterator[Any]:
        """Yield the rows in batches, to limit memory for large row groups."""
        parquet = import_extra("pyarrow.parquet", "parquet", "Parquet files need")
        with parquet.ParquetFile(self.path) as file:
            # Threads of Arrow cost four times the processor time, and workers are threads enough.
            yield from file.iter_batches(
                self.batch_rows, list(self.groups), columns=columns, use_threads=False
            )

    def place(self) -> str:
        """Describe the location of the rows, for error messages."""
        return f"row groups {self.groups[0]} to {self.groups[-1]} of {self.path}"


class Reader(NamedTuple):
    """Names of the columns that hold X, weights and tasks, for reading blocks.

    `names` are the tasks in the order of their positions; None to return tasks as they are. With
    `only`, rows of that task alone are returned, without tasks. `functions` make other rows (m, D)
    of the rows (m, d) that are read, one after the other.
    """

    columns: list[str] | None = None
    weight: str | None = None
    tasks: str | None = None
    names: list[Any] | None = None
    only: int | None = None
    functions: tuple[Callable[[Any], Any], ...] = ()

    def without_values(self) -> "Reader":
        """Return a reader of the columns of X only."""
        return Reader(self.columns)

    def blocks(self, data: Any, weight: Any, tasks: Any) -> Iterator[Block]:
        """Yield the rows of one block, in pieces if the file is read in pieces."""
        for block in self._all(data, weight, tasks):
            if self.only is not None:
                own = np.flatnonzero(block.codes == self.only)
                block = block.taken(own)._replace(codes=None)
            for function in self.functions:
                block = block._replace(x=function(block.x))
            yield block

    def _all(self, data: Any, weight: Any, tasks: Any) -> Iterator[Block]:
        """Yield all rows of one block as they are read, before `only` and `functions` apply."""
        if isinstance(data, ParquetRows):
            wanted = [*(self.columns or ()), *filter(None, (self.weight, self.tasks))]
            for batch in data.frames(list(dict.fromkeys(wanted))):
                yield self._of_frame(batch, weight, tasks)
        elif isinstance(data, MappedRows):
            yield Block(_numbers(data.table()), weight, self._codes(tasks))
        elif self.columns is not None:
            yield self._of_frame(data, weight, tasks)
        else:
            yield Block(_numbers(data), weight, self._codes(tasks))

    def _of_frame(self, frame: Any, weight: Any, tasks: Any) -> Block:
        """Convert a pandas frame or pyarrow batch to a block."""
        if hasattr(frame, "iloc") and any(not isinstance(name, str) for name in frame.columns):
            frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
        x = np.column_stack([_column(frame[name], name) for name in self.columns or ()])
        if self.weight is not None:
            weight = _column(frame[self.weight], self.weight).astype(float)
        if self.tasks is not None:
            tasks = frame[self.tasks]
        return Block(x, weight, self._codes(tasks))

    def _codes(self, tasks: Any) -> Any:
        """Convert task names (m,) to positions in `names`; unchanged without `names`."""
        if tasks is None:
            return None
        if self.names is None:
            _check_named(tasks, self.tasks)
            return tasks
        found, codes = encoded(tasks)
        place = {name: t for t, name in enumerate(self.names)}
        return np.array([place[name] for name in found], dtype=np.intp)[codes]


def encoded(values: Any) -> tuple[list[Any], Labels]:
    """Distinct values in order of appearance, and each row's position among them.

    >>> encoded(np.array(["b", "a", "b"]))
    (['b', 'a'], array([0, 1, 0]))
    """
    if hasattr(values, "dictionary_encode"):  # a column of pyarrow
        found = values.dictionary_encode()
        # Categories of pandas come in an order of their own, and some may have no rows.
        used, codes = encoded(found.indices.to_numpy(zero_copy_only=False))
        return found.dictionary.take(used).to_pylist(), codes
    listed = np.asarray(values)
    if listed.dtype == object:  # may have names of several types, which no sort compares
        tasks = Tasks.of(listed)
        return tasks.names, tasks.codes
    there, first, codes = np.unique(listed, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return there[order].tolist(), np.argsort(order)[codes]


def _check_named(tasks: Any, name: str | None) -> None:
    """Raise InputError if a row has no task."""
    if hasattr(tasks, "null_count"):  # a column of pyarrow
        # Categories may have a null among them, which only the names tell.
        missing = tasks.null_count or sum(map(intake.missing, encoded(tasks)[0]))
    else:
        listed = np.asarray(tasks)
        missing = 0 if listed.dtype.kind in "iubSU" else sum(map(intake.missing, listed.tolist()))
    if missing:
        where = "tasks" if name is None else f"the column {name!r} of tasks"
        raise InputError(
            f"{where} is missing (null or NaN) in {missing} rows; name the task of every row or "
            "leave these rows out."
        )


@dataclass(frozen=True)
class ReadAndApply:
    """Function object that reads a block and applies a function to it, in any process.

    `combine` puts the results of the pieces of a block together.
    """

    function: Any
    reader: Reader
    combine: Any

    def __call__(self, data: Any, weight: Any, tasks: Any, place: str, *rest: Any) -> Any:
        """Read the block and return the function's result; `place` is for errors.

        `rest` are values of its rows, if there are any, and the state.
        """
        pieces = located(self.reader.blocks(data, weight, tasks), place)
        try:
            return folded(self._results(pieces, *rest), self.combine)
        except MemoryError:
            raise BlockError(
                f"{place} and the sums of a fit do not fit in memory: make blocks smaller "
                "(block_rows=), or let fewer workers share a machine."
            ) from None

    def _results(self, pieces: Iterator[Block], *rest: Any) -> Iterator[Any]:
        """Yield the function's result for each piece; `rest` are per-row values and the state."""
        *values, state = rest
        start = 0
        for piece in pieces:
            stop = start + piece.shape[0]
            yield self.function(piece, *(value[start:stop] for value in values), *state)
            start = stop


def located(pieces: Iterator[Block], place: str) -> Iterator[Block]:
    """Yield the pieces of a block, adding its location to reading errors."""
    try:
        yield from pieces
    except KinfolkError as error:
        raise type(error)(f"{error} This is so in {place}.") from error
    except (GeneratorExit, MemoryError):
        raise
    except Exception as error:
        raise BlockError(
            f"{place} cannot be read ({type(error).__name__}: {str(error)[:200]}): repair or "
            "replace the file, or leave these rows out, and fit again."
        ) from error


def _numbers(x: Any) -> Table:
    """Return rows as CSR or as a dense array in single or double precision."""
    if backend.is_other(x):  # its source has made it so
        return x
    if sp.issparse(x):
        found = sparse_format.compact(x)
        return found if found.dtype in (np.float32, np.float64) else found.astype(np.float64)
    if x.dtype in (np.float32, np.float64):
        return np.asarray(x)
    if x.dtype.kind not in "iubf":  # also half precision, and the byte order of other machines
        raise InputError(f"X holds {x.dtype}; clustering needs numbers.")
    return np.asarray(x, dtype=np.float64)


def _column(values: Any, name: str) -> Any:
    """Convert a column of a frame to floats."""
    if hasattr(values, "to_numpy") and hasattr(values, "null_count"):  # a column of pyarrow
        if str(values.type).startswith("decimal"):
            values = values.cast("float64")
        found = values.to_numpy(zero_copy_only=False)
    else:
        found = np.asarray(values)
    if found.dtype.kind not in "iufb":
        raise InputError(
            f"column {name!r} holds {found.dtype} values; clustering needs numbers: name the "
            "columns to use (columns=)."
        )
    return found if found.dtype in (np.float32, np.float64) else found.astype(np.float64)
