"""Normalizes the tables that a caller gives: paths, data frames, lists or dicts of them."""

import os
from collections.abc import Mapping, Sequence, Sized
from pathlib import Path
from typing import Any, NamedTuple

import narwhals as nw
import scipy.sparse as sp

from kinfolk import arguments
from kinfolk.errors import InputError, import_extra
from kinfolk.sources import native, paths
from kinfolk.tables import alignment

SINGLE = "the table"
"""Name of the only data frame, in sentences."""


class GivenTable(NamedTuple):
    """One table to read: a file path or a data frame.

    Attributes
    ----------
    path : of the file, None for a data frame
    frame : of narwhals, None for a file
    name : that the caller gave, or a default for frames; "" for a file that has none but its path
    """

    path: Path | None = None
    frame: Any = None
    name: str = ""

    @property
    def label(self) -> str:
        """Name of the table in messages: the path as written, or the frame's name."""
        return self.name if self.path is None else str(self.path)

    @property
    def stem(self) -> str:
        """Name of the data: as given, or the file name without folder and suffix."""
        return self.name or paths.split(self.path or Path())[0]


def are_several(given: Any) -> bool:
    """Return True for a list, or a dict by name, of data frames, also beside paths.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"n": [1]})
    >>> are_several([frame, "rome.csv"]), are_several({"Oslo": frame}), are_several([[1, 2]])
    (True, True, False)
    """
    listed = [*given.values()] if isinstance(given, Mapping) else given
    if not isinstance(listed, list | tuple) or not listed:
        return False
    return all(map(_is_table, listed))


def _is_table(one: Any) -> bool:
    return isinstance(one, str | os.PathLike) or isinstance(native.opened(one), nw.DataFrame)


def is_dictionary(given: Any) -> bool:
    """Return True for a dictionary of columns or tables."""
    # SciPy's sparse matrix by keys is a mapping, too.
    return isinstance(given, Mapping) and not sp.issparse(given)


def of_columns(given: Mapping[Any, Any]) -> Any:
    """Make a data frame of a dictionary of columns.

    Raises
    ------
    InputError : a value has rows and columns, or columns have different lengths

    Examples
    --------
    >>> of_columns({"n": [1, 2], "town": ["oslo", "rome"]}).shape
    (2, 2)
    """
    tables = [name for name, values in given.items() if getattr(values, "ndim", 1) != 1]
    if tables:
        raise InputError(
            f"{tables[0]!r} of the dictionary is {arguments.type_of(given[tables[0]])} of rows and "
            "columns: give columns with a value for each row, or join tables of several tasks by "
            "kf.stack."
        )
    single = [name for name, values in given.items() if not isinstance(values, Sized)]
    if single:
        raise InputError(
            f"column {single[0]!r} is {arguments.type_of(given[single[0]])}: give a list or an "
            "array with a value for each row."
        )
    lengths = {str(name): len(values) for name, values in given.items()}
    if len(set(lengths.values())) != 1:
        shown = ", ".join(f"{name!r} {n}" for name, n in list(lengths.items())[:3])
        raise InputError(
            f"the columns have different numbers of values ({shown}): give at least one column, "
            "and as many values in each."
        )
    pandas = import_extra("pandas", "app", "A dictionary of columns needs")
    return pandas.DataFrame(dict(given))


def tables(given: Any) -> list[GivenTable]:
    """Return a `GivenTable` for one path or frame, or for each in a list or a dict by name.

    Raises
    ------
    InputError : there is no table, or something is neither a path nor a data frame

    Examples
    --------
    >>> import pandas as pd
    >>> [found.label for found in tables(["rome.csv", pd.DataFrame({"n": [1]})])]
    ['rome.csv', 'table 2']
    >>> [found.stem for found in tables({"Rome": "r.csv", "Oslo": "o.csv"})]
    ['Rome', 'Oslo']
    """
    if is_dictionary(given) and given and not any(map(_is_table, given.values())):
        listed = [_table(of_columns(given), SINGLE)]
    elif isinstance(given, Mapping):
        listed = [_table(table, str(name), str(name)) for name, table in given.items()]
    elif isinstance(given, list | tuple):
        listed = [_table(table, f"table {j}") for j, table in enumerate(given, start=1)]
    else:
        listed = [_table(given, SINGLE)]
    if not listed:
        raise InputError("No file is given: name at least one, or give a data frame.")
    return listed


def _table(table: Any, default: str, name: str = "") -> GivenTable:
    """Wrap one table; a frame without a name is called `default`."""
    if isinstance(table, str) and "://" in table:
        raise InputError(f"{table} is an address: download the file, and name its path.")
    if isinstance(table, str | os.PathLike):
        return GivenTable(arguments.path("paths", table), name=name)
    frame = native.opened(table, default)
    if not isinstance(frame, nw.DataFrame):
        raise InputError(
            f"{default} is {arguments.type_of(table)}; give the path of a file or a data frame, or "
            "several of them in a list, or by name such as {'oslo': frame, 'rome': 'rome.csv'}, or "
            "a dictionary of columns."
        )
    return GivenTable(frame=frame, name=name or default)


def task_names(given: Sequence[GivenTable]) -> list[str]:
    """Return one task name per table, its own or its file's.

    Raises
    ------
    InputError : two have the same

    >>> task_names([GivenTable(Path("oslo.csv")), GivenTable(name="rome")])
    ['oslo', 'rome']
    """
    files = [table.path for table in given if not table.name and table.path is not None]
    of_files = iter(paths.task_names(files))
    names = [table.name or next(of_files) for table in given]
    if twice := alignment.repeated(names):
        raise InputError(
            f"Two tables are called {alignment.some(twice)}: give each a name of its own."
        )
    return names


def with_index(frame: Any, asked: Sequence[str]) -> Any:
    """Convert the pandas index to a column if a role asks for it by name.

    >>> import pandas as pd
    >>> indexed = nw.from_native(pd.DataFrame({"n": [1]}, index=pd.Index(["a"], name="id")))
    >>> with_index(indexed, ["id"]).columns, with_index(indexed, []).columns
    (['id', 'n'], ['n'])
    """
    held = nw.to_native(frame)
    index = getattr(held, "index", None)
    # Lists of Python, and frames of polars, have an `index` that is a method.
    name = getattr(index, "name", None)
    if not isinstance(name, str) or name not in asked or name in frame.columns:
        return frame
    return nw.from_native(held.reset_index(), eager_only=True)


def is_multimodal(files: Sequence[GivenTable]) -> bool:
    """Return True for one file of several modalities; InputError if there are others beside it."""
    found = [file for file in files if file.path and paths.split(file.path)[1] == ".h5mu"]
    if found and len(files) > 1:
        raise InputError(
            f"{found[0].path} has views of its own: give it alone, or each modality as an .h5ad "
            "file."
        )
    return bool(found)
