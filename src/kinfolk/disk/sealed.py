"""Sealed files: JSON header, safetensors arrays and SHA-256 checksum, verified on reading.

A folder keeps the header as JSON in a file beside the arrays. A single file keeps it in the
metadata of the arrays. Neither can hold code. Everything that is not as it was written ends in
a FileFormatError of one sentence.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as parse_arrays
from safetensors.numpy import save as format_arrays

from kinfolk.arguments import shown
from kinfolk.errors import FileFormatError

Fields = Mapping[str, tuple[type, ...]]

LARGEST_HEADER = 2**27
"""Bytes of the largest header that is read, 128 MB: a larger one would be parsed for minutes."""

MALFORMED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    SafetensorError,
    TypeError,
    ValueError,
)
"""Errors that parts of a damaged or forged file lead to when they are put together."""


@dataclass(frozen=True)
class Layout:
    """Field names of a JSON header, for each version.

    Attributes
    ----------
    kind : the thing stored, as in "no knowledge of Kinfolk"
    versions : version -> field -> allowed types; the largest version is the one that is written
    advice : the end of every error sentence, on where to get a file that can be read
    format : value of the field "format", or None for a header without it
    marker : name of the field with the version
    optional : fields that any version may have or lack, with their allowed types

    Examples
    --------
    >>> layout = Layout("recipe", {1: {"steps": (list,)}}, "write it again", "recipe")
    >>> layout.check({"format": "recipe", "schema": 1, "steps": ["mix"]}, "cake.json")["steps"]
    ['mix']
    >>> layout.check({"format": "recipe", "schema": 2, "steps": ["mix"]}, "cake.json")
    Traceback (most recent call last):
    kinfolk.errors.FileFormatError: cake.json has schema 2 and this version of Kinfolk reads 1:
    write it again.
    """

    kind: str
    versions: Mapping[int, Fields]
    advice: str
    format: str | None = None
    marker: str = "schema"
    optional: Fields = field(default_factory=dict)

    @property
    def latest(self) -> int:
        """Version number to write."""
        return max(self.versions)

    def check(self, header: object, source: str) -> dict[str, Any]:
        """Return a header; FileFormatError unless it has its version's fields."""
        if not isinstance(header, dict) or header.get("format") != self.format:
            raise FileFormatError(f"{source} is no {self.kind} of Kinfolk: {self.advice}.")
        version = header.get(self.marker)
        # A header may hold anything, also True, which is a key equal to 1.
        if type(version) is not int or version not in self.versions:
            raise FileFormatError(
                f"{source} has {self.marker} {shown(version)} and this version of Kinfolk reads "
                f"{' and '.join(map(str, self.versions))}: {self.advice}."
            )
        present = {name: self.optional[name] for name in self.optional.keys() & header.keys()}
        fields = {**self.versions[version], **present}
        own = {self.marker} if self.format is None else {self.marker, "format"}
        if missing := sorted(fields.keys() - header.keys()):
            raise FileFormatError(f"{source} lacks {', '.join(missing)}: {self.advice}.")
        if surplus := sorted(map(str, header.keys() - fields.keys() - own)):
            raise FileFormatError(
                f"{source} should not have {', '.join(surplus):.80}: {self.advice}."
            )
        for name, types in fields.items():
            if type(header[name]) not in types:
                raise self.refusal(source, name, header[name])
        return header

    def refusal(self, source: str, name: str, value: object) -> FileFormatError:
        """Build the error for an invalid field or array."""
        return FileFormatError(f"{source} has {name}={shown(value)}: {self.advice}.")


def canonical(header: Mapping[str, Any]) -> str:
    """Format a header as canonical JSON, over which the checksum is computed.

    >>> canonical({"schema": 1, "names": ["a"]})
    '{"names":["a"],"schema":1}'
    """
    return json.dumps(header, sort_keys=True, separators=(",", ":"), allow_nan=False)


def checksum(header: Mapping[str, Any], contents: Iterable[bytes]) -> str:
    """SHA-256 of a header (without its field "sha256") and the contents.

    >>> checksum({"schema": 1, "sha256": "is not counted"}, [b"rows"])[:16]
    '2f0e4a4f3ba62a10'
    """
    rest = {name: value for name, value in header.items() if name != "sha256"}
    digest = hashlib.sha256(canonical(rest).encode())
    for content in contents:
        digest.update(content)
    return digest.hexdigest()


def parse_header(raw: bytes, source: str) -> object:
    """Parse JSON text; FileFormatError if it is invalid."""
    try:
        return json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise FileFormatError(
            f"{source} is not readable JSON: it is damaged; copy or write it again."
        ) from error


def pack(arrays: Mapping[str, NDArray[Any]], entry: str = "", header: str = "") -> bytes:
    """Serialise arrays as safetensors, with a header as metadata `entry` if given."""
    # safetensors writes the memory of an array as it lies, in whatever order.
    contiguous = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    return format_arrays(contiguous, {entry: header} if entry else None)


def unpack(raw: bytes) -> dict[str, NDArray[Any]]:
    """Parse the arrays of a safetensors file; SafetensorError if it is invalid."""
    return parse_arrays(raw)


def metadata(raw: bytes, entry: str) -> tuple[str, bool]:
    """Return the metadata `entry` of a safetensors file, and True if laid out as by `pack`.

    A head can hide text that no reader shows: spaces, escapes, keys given twice, other entries.

    Raises
    ------
    ValueError, TypeError, KeyError, RecursionError : it is no such file
    """
    # The format of safetensors: the length of the header, the header, the arrays.
    size = int.from_bytes(raw[:8], "little")
    if len(raw) < 8 or size > len(raw) - 8:
        raise ValueError("it is shorter than it says")
    text = raw[8 : 8 + size].decode("utf-8").rstrip(" ")  # safetensors pads with spaces
    head = json.loads(text)
    as_written = json.dumps(head, separators=(",", ":"), ensure_ascii=False)
    alone = head["__metadata__"].keys() == {entry}
    return head["__metadata__"][entry], alone and text == as_written


def read_bytes(path: Path, largest: int = LARGEST_HEADER) -> bytes:
    """Return a file's bytes; FileFormatError if there are more than `largest`."""
    check_regular(path)
    if path.stat().st_size > largest:
        raise FileFormatError(f"{path} has more than {largest} bytes, which no such file has.")
    return path.read_bytes()


def check_regular(path: Path) -> None:
    """Raise FileFormatError for a pipe or device; missing files pass."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise FileFormatError(
            f"{path} is a pipe or a device: write its content to a file first, and name that."
        )
