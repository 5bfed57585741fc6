"""Reads the bytes of a table with named columns; says in one sentence why it cannot."""

import csv
import importlib
import io
import json
import warnings
from types import ModuleType
from typing import TYPE_CHECKING, Any

from kinfolk.errors import FileFormatError, MissingExtraError
from kinfolk.sources import paths
from kinfolk.sources.sheets import Roles
from kinfolk.tables import alignment

if TYPE_CHECKING:
    import pandas as pd

_MISSING = ["", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None"]
"""What an empty number may look like; in texts and labels only "" is empty."""


def separated(file: str, raw: bytes, roles: Roles, separator: str) -> "pd.DataFrame":
    """Read comma or tab separated values in UTF-8, the names of the columns in the first line."""
    pandas = _optional("pandas", "app")
    names = _header(file, _text(file, raw), separator)
    empty = {name: [""] if name in roles else _MISSING for name in names}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            return pandas.read_csv(
                _text(file, raw),
                sep=separator,
                header=0,
                names=names,
                index_col=False,
                dtype={name: str for name in names if name in roles},
                keep_default_na=False,
                na_values=empty,
                low_memory=False,
            )
    except pandas.errors.ParserWarning:
        reason = "its rows have more fields than its header"
    except pandas.errors.ParserError as error:
        reason = str(error).rpartition("C error: ")[2].strip()
    except UnicodeDecodeError as error:
        raise _not_utf8(file) from error
    raise FileFormatError(
        f"{file} is not a regular table ({reason}): every row needs one field a column; put "
        "fields that contain the separator or a quote in double quotes."
    )


def json_lines(file: str, raw: bytes, roles: Roles) -> "pd.DataFrame":
    """Read one JSON object a line, in UTF-8; its keys are the names of the columns."""
    pandas = _optional("pandas", "app")
    records: list[dict[str, Any]] = []
    try:
        for line, text in enumerate(_text(file, raw), start=1):
            if text.strip():
                records.append(_record(file, line, text))
    except UnicodeDecodeError as error:
        raise _not_utf8(file) from error
    names = dict.fromkeys(name for record in records for name in record)
    return pandas.DataFrame(records, columns=list(names), dtype=object)


def parquet(file: str, raw: bytes, roles: Roles) -> "pd.DataFrame":
    """Read an Apache Parquet file; an index that pandas stored counts as a column if named."""
    _optional("pandas", "app")
    arrow = _optional("pyarrow", "parquet")
    reader = _optional("pyarrow.parquet", "parquet")
    try:
        stored = reader.ParquetFile(io.BytesIO(raw))
        paths.check_width(file, stored.metadata.num_columns)
        paths.check_unpacked(file, 8 * stored.metadata.num_rows * stored.metadata.num_columns)
        table = stored.read()
        names = [n for n in table.column_names if not n.startswith("__index_level_")]
        check_names(file, names)
        return table.select(names).to_pandas(ignore_metadata=True)
    except FileFormatError:
        raise
    except (arrow.ArrowException, OSError, ValueError, MemoryError) as error:
        raise FileFormatError(
            f"{file} is not a Parquet file that can be read: write it again, or give it as .csv."
        ) from error


def check_names(file: str, names: list[str]) -> None:
    """FileFormatError if a column has no name or the name of another column."""
    paths.check_characters(names)
    if "" in names:
        raise FileFormatError(
            f"{file}: column {names.index('') + 1} has no name: name it, or drop it if it only "
            "counts the rows."
        )
    if twice := alignment.repeated(names):
        raise FileFormatError(
            f"{file} has more than one column named {alignment.some(twice)}: rename or drop all "
            "but one."
        )


def _text(file: str, raw: bytes) -> io.TextIOWrapper:
    """Decode UTF-8 with or without a byte order mark, as it is read."""
    if b"\0" in raw:
        raise _not_utf8(file)
    return io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8-sig", newline="")


def _not_utf8(file: str) -> FileFormatError:
    return FileFormatError(
        f"{file} is not text in UTF-8: save it as UTF-8 (in a spreadsheet program as "
        '"CSV UTF-8"), and check that its name ends in the suffix of its true format.'
    )


def _header(file: str, stream: io.TextIOWrapper, separator: str) -> list[str]:
    try:
        fields = next(row for row in csv.reader(stream, delimiter=separator) if row)
    except UnicodeDecodeError as error:
        raise _not_utf8(file) from error
    except (csv.Error, StopIteration) as error:
        raise FileFormatError(f"{file} has no line that names its columns.") from error
    names = [field.strip() for field in fields]
    paths.check_width(file, len(names))
    if len(names) == 1 and (other := [s for s in ";\t," if s in names[0]]):
        raise FileFormatError(
            f"{file} is separated by {other[0]!r} where {separator!r} is meant: save it with "
            f"{separator!r} (commas in .csv, tabs in .tsv)."
        )
    check_names(file, names)
    return names


def _record(file: str, line: int, text: str) -> dict[str, Any]:
    try:
        pairs = json.loads(text, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(
            f'{file}: line {line} is not JSON: write one object such as {{"name": 1}} a line.'
        ) from error
    if not isinstance(pairs, _Pairs):
        raise FileFormatError(
            f"{file}: line {line} is not a JSON object but {text.strip()!r:.40}: write one object "
            'such as {"name": 1} a line.'
        )
    check_names(f"{file}: line {line}", [name for name, _ in pairs])
    return dict(pairs)


class _Pairs(list[tuple[str, Any]]):
    """The fields of a JSON object as they are written, repetitions and all."""


def _optional(module: str, extra: str) -> ModuleType:
    """Import a library that only an extra installs; MissingExtraError names the extra."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"Reading this file needs {module.partition('.')[0]}: install it with "
            f"pip install 'kinfolk[{extra}]'."
        ) from error
