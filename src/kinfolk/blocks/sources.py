"""Sources of rows in blocks: arrays, .npy and Parquet files, Dask arrays and frames.

Each is cut into blocks of a few tens of megabytes, without reading rows.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import scipy.sparse as sp

from kinfolk import arguments
from kinfolk.blocks.reading import MappedRows, ParquetRows
from kinfolk.errors import FileFormatError, InputError, import_extra
from kinfolk.numerics import backend
from kinfolk.tables import intake
from kinfolk.tables.alignment import repeated

BLOCK_NUMBERS = 2**23
"""Numbers of a block: 64 MB in double precision. Smaller ones cost messages, larger ones memory."""

BATCH_NUMBERS = 2**21
"""Numbers that are read at once of a row group of Parquet, which may be larger than a block."""


class Source(NamedTuple):
    """Rows to be read: description of the blocks, without their content.

    `data` are the descriptions of the blocks and `places` what words call them; `sizes` are their
    numbers of rows, None while they are not known; `columns` are the names of all columns of a
    frame or file, None for arrays.
    """

    data: list[Any]
    places: list[str]
    sizes: list[int] | None
    columns: list[str] | None
    engine: str = "serial"


def opened(source: Any, block_rows: int | None) -> Source:
    """Describe the blocks of a source without reading the rows."""
    if is_dask(source):
        return _of_dask(source)
    if isinstance(source, str | os.PathLike):
        source = arguments.path("source", source)
        return _of_files(_files(source), block_rows)
    if isinstance(source, list | tuple) and source and _are_paths(source):
        return _of_files([arguments.path("source", path) for path in source], block_rows)
    # A view of a memory map has the file's offset, which is not its own, so it counts as an array.
    if isinstance(source, np.memmap) and _is_whole(source):
        return _of_memory_maps([source], block_rows)
    return _of_table(source, block_rows)


def is_dask(source: Any) -> bool:
    """True for a Dask array or data frame; does not import Dask."""
    return type(source).__module__.startswith("dask") and hasattr(source, "to_delayed")


def _of_table(table: Any, block_rows: int | None) -> Source:
    """Cut a table in memory, or on another library's device, into blocks."""
    if backend.is_other(table):
        X: Any = backend.floats(table, "X")
    else:
        X = table if _is_float(table) else intake.matrix(table, "source")
    if sp.issparse(X):
        X = sp.csr_array(cast(Any, X))
    _table_only(X.shape)
    slices = list(_slices(X.shape, block_rows))
    places = [f"rows {part.start} to {part.stop}" for part in slices]
    sizes = [part.stop - part.start for part in slices]
    return Source([backend.taken(X, part) for part in slices], places, sizes, None)


def _of_files(paths: list[Path], block_rows: int | None) -> Source:
    """Describe the blocks of Parquet or .npy files."""
    kinds = [path.suffix == ".npy" for path in paths]
    if all(kinds):
        return _of_memory_maps([_mapped(path) for path in paths], block_rows)
    if any(kinds):
        raise InputError(
            f"source has .npy files such as {paths[kinds.index(True)]} and others such as "
            f"{paths[kinds.index(False)]}; give files of one kind."
        )
    return _of_parquet(paths, block_rows)


def _mapped(path: Path) -> Any:
    """Memory-map a .npy file."""
    if not path.exists():
        raise InputError(f"source is {str(path)!r}, and there is no such file; give its path.")
    try:
        found = np.load(path, mmap_mode="r")
    except Exception as error:
        raise FileFormatError(
            f"{path} cannot be read as .npy ({str(error)[:100]}): write it again, by numpy.save of "
            "an array of numbers."
        ) from error
    if not isinstance(found, np.memmap):  # an archive of several arrays under the wrong name
        raise FileFormatError(f"{path} holds no single array; write it by numpy.save.")
    return found


def _of_memory_maps(arrays: list[Any], block_rows: int | None) -> Source:
    """Cut memory-mapped arrays, stacked by row, into blocks."""
    data = []
    widths = set()
    for X in arrays:
        _table_only(X.shape)
        order = "F" if X.flags.f_contiguous and not X.flags.c_contiguous else "C"
        about = (str(X.filename), X.dtype.str, X.shape, X.offset, order)
        data += [MappedRows(*about, part.start, part.stop) for part in _slices(X.shape, block_rows)]
        widths.add(X.shape[1])
    if len(widths) > 1:
        raise InputError(
            f"source has files of {' and '.join(map(str, sorted(widths)))} columns; give files of "
            "one table."
        )
    sizes = [rows.stop - rows.start for rows in data]
    return Source(data, [rows.place() for rows in data], sizes, None)


def _of_parquet(files: list[Path], block_rows: int | None) -> Source:
    """Join row groups of Parquet files to blocks of at most `block_rows` rows, or of one group."""
    parquet = import_extra("pyarrow.parquet", "parquet", "Parquet files need")
    data = []
    sizes = []
    columns: list[str] | None = None
    for path in files:
        try:
            about = parquet.ParquetFile(path).metadata
            stored = parquet.read_schema(path).names
        except Exception as error:
            raise FileFormatError(
                f"{path} cannot be read as Parquet ({str(error)[:100]}): give files of Parquet, or "
                "a folder of them."
            ) from error
        # The positions of the rows in the frame that was written, which pandas keeps: no numbers.
        names = [name for name in stored if not name.startswith("__index_level_")]
        _check_different(names)
        if columns is not None and names != columns:
            raise InputError(f"{path} and {files[0]} have different columns; give files of one.")
        columns = names
        rows = block_rows or max(1, BLOCK_NUMBERS // max(1, len(names)))
        batch = min(rows, max(1, BATCH_NUMBERS // max(1, len(names))))
        for groups, size in _grouped(about, rows):
            data.append(ParquetRows(str(path), groups, batch))
            sizes.append(size)
    assert columns is not None
    return Source(data, [rows.place() for rows in data], sizes, columns)


def _grouped(about: Any, rows: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield groups of adjacent row groups of a file with their numbers of rows."""
    groups: list[int] = []
    size = 0
    for i in range(about.num_row_groups):
        own = about.row_group(i).num_rows
        if groups and size + own > rows:
            yield tuple(groups), size
            groups = []
            size = 0
        groups.append(i)
        size += own
    if size:
        yield tuple(groups), size


def _of_dask(source: Any) -> Source:
    """Use the partitions of a Dask frame, or the row chunks of a Dask array, as blocks."""
    if hasattr(source, "columns"):
        data = list(source.to_delayed())
        places = [f"partition {i}" for i in range(len(data))]
        names = [str(name) for name in source.columns]
        _check_different(names)
        return Source(data, places, None, names, "dask")
    _table_only(source.shape)
    whole = source.rechunk({1: -1})
    data = list(whole.to_delayed().ravel())
    places = [f"chunk {i}" for i in range(len(data))]
    sizes = None if np.isnan(source.shape[0]) else list(map(int, whole.chunks[0]))
    return Source(data, places, sizes, None, "dask")


def _slices(shape: tuple[int, ...], block_rows: int | None) -> Iterator[slice]:
    n, d = shape
    step = block_rows or max(1, BLOCK_NUMBERS // max(1, d))
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


def _table_only(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        raise InputError(
            f"source has {len(shape)} dimension{'s' * (len(shape) != 1)}; give rows and columns, "
            "shape (n, d)."
        )


def _check_different(names: list[str]) -> None:
    """Raise InputError if two columns have one name."""
    if twice := repeated(names):
        raise InputError(f"source has two columns of the name {twice[0]!r}; rename one.")


def _is_float(table: Any) -> bool:
    is_array = isinstance(table, np.ndarray) or sp.issparse(table)
    return is_array and table.dtype in (np.float32, np.float64)


def _is_whole(source: np.memmap) -> bool:
    import mmap

    # Of a memory map itself the base is the map; of a view it is another array.
    return isinstance(source.base, mmap.mmap) and source.filename is not None


def _are_paths(items: Any) -> bool:
    return all(isinstance(item, str | os.PathLike) for item in items)


def _files(path: Path) -> list[Path]:
    """Return the file, or a folder's Parquet files sorted by name."""
    if not path.is_dir():
        return [path]
    found = sorted(path.glob("*.parquet"))
    if not found:
        raise InputError(f"{path} has no files that end in .parquet; give a folder with some.")
    return found
