"""Reads one file of named columns by its suffix."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kinfolk.errors import InputError
from kinfolk.sources import frames, paths
from kinfolk.sources.sheets import Roles

_USUAL_SEPARATORS = {".csv": ",", ".tsv": "\t"}

_READERS: dict[str, Callable[..., Any]] = {
    ".jsonl": frames.json_lines,
    ".ndjson": frames.json_lines,
    ".parquet": frames.parquet,
    ".xlsx": frames.excel,
}


def frame(path: Path, raw: bytes, roles: Roles) -> tuple[Any, list[str]]:
    r"""Return a table with named columns as a pandas frame, and notes on how it was understood.

    >>> frame(Path("t.csv"), b"city;n\nrome;1\n", Roles())[1]
    ['t.csv is separated by semicolons.']
    """
    _, suffix = paths.split(path)
    if suffix == ".npz":
        raise InputError(f"{path} holds arrays, which are all numbers: name a table with columns.")
    if suffix not in _USUAL_SEPARATORS:
        return _READERS[suffix](str(path), raw, roles), []
    usual = _USUAL_SEPARATORS[suffix]
    separator = frames.separator_of(str(path), raw, usual)
    found = frames.separated_values(str(path), raw, roles, separator)
    if separator == usual:
        return found, []
    return found, [f"{path} is separated by {frames.SEPARATORS[separator]}."]
