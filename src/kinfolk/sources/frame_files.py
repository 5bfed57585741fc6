"""Reads a file with named columns, by the reader for its suffix."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kinfolk.arguments import spelled
from kinfolk.errors import InputError
from kinfolk.sources import (
    frames,
    layout,
    marks,
    parquet,
    paths,
    spaces,
    starts,
    stata,
    text_encoding,
    workbooks,
)
from kinfolk.sources import header as header_lines
from kinfolk.sources.contents import Contents
from kinfolk.sources.sheets import Roles

_USUAL_SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t", ".dat": "\t"}

_READERS: dict[str, Callable[..., Any]] = {
    ".jsonl": frames.json_lines,
    ".ndjson": frames.json_lines,
    ".parquet": parquet.frame,
}


def frame(
    path: Path,
    contents: Contents,
    roles: Roles,
    header: bool = True,
    written: Mapping[str, str] | None = None,
) -> tuple[Any, list[str], Mapping[str, str]]:
    r"""Read a file with named columns; return a pandas frame, notes, and columns' notations.

    The notes say how the file was parsed. Without `header` the first line of a .csv, .tsv or .xlsx
    file is a row. `written` is the notation of columns in the rows of a fit, and is returned with
    those that the file shows besides.

    Raises
    ------
    InputError : the file holds arrays, or has no line of names and `header` is False
    FileFormatError : the file is not what its suffix claims

    Warns
    -----
    HeaderWarning : the first line looks like a row

    >>> frame(Path("t.csv"), Contents.of_bytes(b"city;n\nrome;1\n"), Roles())[1]
    ['t.csv is separated by semicolons.']
    """
    _, suffix = paths.split(path)
    if suffix in (".npz", ".npy", ".h5ad", ".h5mu"):
        raise InputError(f"{path} holds arrays, which are all numbers: name a table with columns.")
    name = str(path)
    written = written or {}
    if not header and suffix not in (*_USUAL_SEPARATORS, ".xlsx"):
        raise InputError(
            f"{path} names its columns in every row: leave out "
            f"{spelled('--no-header', 'header=False')}."
        )
    if suffix == ".xlsx":
        table, before = workbooks.frame(name, contents, roles, header)
        found, notes = _tidied(name, table) if header else frames.without_unnamed(name, table)
        return found, [*before, *notes], written
    if suffix == ".dta":
        table, before = stata.frame(name, contents)
        return table, before, written
    if suffix in _READERS:
        return *frames.without_unnamed(name, _READERS[suffix](name, contents, roles)), written
    return _separated_values(path, contents, roles, header, written)


def _separated_values(
    path: Path, contents: Contents, roles: Roles, header: bool, written: Mapping[str, str]
) -> tuple[Any, list[str], Mapping[str, str]]:
    """Read a text file in any encoding, with any separator, as `frame` does."""
    name = str(path)
    contents, encoding = text_encoding.decoded(name, contents)
    usual = _USUAL_SEPARATORS[paths.split(path)[1]]
    start = starts.of(name, contents, usual, header)
    contents = contents.after(start.n_bytes)
    separator = start.separator
    if separator == spaces.SEPARATOR:
        contents = spaces.by_tabs(name, contents)
        separator = "\t"
    table = frames.separated_values(
        name, contents, roles, separator, header=header, written=written
    )
    found, notes = _tidied(name, table) if header else frames.without_unnamed(name, table)
    notes = layout.told_of_sheet(name, start.n_titles, False) + notes
    if start.separator != usual:
        divider = starts.SEPARATORS.get(start.separator, "spaces")
        notes.append(f"{path} is separated by {divider}.")
    if encoding:
        notes.append(
            f"{path} was read as {encoding}: if letters look wrong, save it as UTF-8 (in a "
            'spreadsheet program as "CSV UTF-8").'
        )
    if separator == ",":
        written = {**marks.thousands_between_commas(found), **written}
    else:
        written = {**marks.decimal_points(found), **written}
    return found, notes, written


def _tidied(name: str, table: Any) -> tuple[Any, list[str]]:
    """Drop unnamed columns and rows that are no data, with notes; warn of a header like a row."""
    found, notes = frames.without_unnamed(name, table)
    found, more = layout.cleaned(name, found)
    header_lines.warn(name, found)
    return found, [*notes, *more]
