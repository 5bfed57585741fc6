"""Reads gzip-compressed JSON Lines with limits on size and fields."""

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, TypeAlias

from kinfolk.datasets import data_home
from kinfolk.errors import FileFormatError

FieldTypes: TypeAlias = Mapping[str, type | UnionType]
"""The fields that every object must have, with their types."""

MOST_BYTES = 2 * 2**30
"""The most bytes that a file may have after decompression, 2 GiB."""


def records(path: Path, fields: FieldTypes) -> Iterator[dict[str, Any]]:
    """Yield the objects of a gzip JSON Lines file, one line at a time.

    Raises
    ------
    FileFormatError : the gzip stream is damaged; it is longer than MOST_BYTES, or one line is
        longer than `data_home.LARGEST_TEXT`; a line is not a JSON object with these fields. The
        message names the file and the line.
    """
    for number, line in enumerate(_lines(path), start=1):
        try:
            record = json.loads(line)
        # Deeply nested brackets exhaust the stack before they are found to be no JSON.
        except (ValueError, RecursionError) as error:
            reason = str(error).partition(":")[0]
            raise FileFormatError(
                f"{path}, line {number}: not JSON in UTF-8 ({reason}); fetch the file again."
            ) from error
        if not isinstance(record, dict):
            raise FileFormatError(
                f"{path}, line {number}: a JSON object is expected, not {type(record).__name__}."
            )
        for field, kind in fields.items():
            if field not in record or not isinstance(record[field], kind):
                found = type(record[field]).__name__ if field in record else "nothing"
                wanted = getattr(kind, "__name__", kind)
                raise FileFormatError(
                    f"{path}, line {number}: the field {field!r} must hold {wanted}, "
                    f"it holds {found}."
                )
        yield record


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a gzip file, within size limits."""
    left = MOST_BYTES
    number = 1
    try:
        with gzip.open(path, "rb") as file:
            # A small file can unpack to any size: never ask for more than one line may have.
            while line := file.readline(min(left, data_home.LARGEST_TEXT) + 1):
                left -= len(line)
                if left < 0 or len(line) > data_home.LARGEST_TEXT:
                    raise FileFormatError(
                        f"{path}, line {number}: the file unpacks to more than {MOST_BYTES} bytes "
                        f"or has a line of more than {data_home.LARGEST_TEXT}; check that it is "
                        "the right file."
                    )
                yield line
                number += 1
    except (OSError, EOFError, zlib.error) as error:
        raise FileFormatError(
            f"{path}, line {number}: the gzip file is damaged or incomplete ({error}); fetch it "
            "again."
        ) from error
