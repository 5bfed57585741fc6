"""Checks values read from a store's file, as SQLite allows any type in any column.

Each function returns the value or raises ValueError, TypeError or RecursionError, which the store
turns into the one sentence on damaged files.
"""

import json
import zlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load as parse_arrays

from kinfolk.arguments import shown
from kinfolk.papers.store.runs import COLUMN_OF, Outcome, RunSpec, Status, StoredRun

LARGEST_ARRAY = 2**28
"""Bytes that a stored array may unpack to: 33 million labels."""

ENCODED: dict[str, tuple[type, ...]] = {
    "data_options": (dict,),
    "n_clusters": (type(None), int, dict),
    "parameters": (dict,),
    "preparation": (dict,),
    "notes": (list,),
}
"""Columns that hold JSON, and the types of their values."""

_TEXT = (str,)
_NUMBER = (type(None), float, int)
_COUNT = (type(None), int)
_PLAIN: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("key", "checksum", "version", "started"), _TEXT),
    **dict.fromkeys(("data", "method", "way", "status", "error"), _TEXT),
    **dict.fromkeys(("seconds", "objective"), _NUMBER),
    **dict.fromkeys(("peak_memory", "n_iter", "converged"), _COUNT),
    "seed": (int,),
}


def stored_run(line: Mapping[str, Any], scores: Mapping[str, Mapping[str, float]]) -> StoredRun:
    """Convert a database row, and its scores, to a `StoredRun`.

    Raises
    ------
    ValueError, TypeError, RecursionError : a value is not of the type of its column
    """
    values = {name: _plain(name, line[name]) for name in _PLAIN}
    values |= {name: _decoded(name, line[name]) for name in ENCODED}
    if values["status"] not in get_args(Status):
        raise _wrong("status", values["status"])
    if not all(type(note) is str for note in values["notes"]):
        raise _wrong("notes", values["notes"])
    datetime.fromisoformat(values["started"])
    if values["converged"] is not None:  # SQLite has no truth values, only 0 and 1
        values["converged"] = bool(values["converged"])
    values["notes"] = tuple(values["notes"])
    spec = {name: values.pop(COLUMN_OF.get(name, name)) for name in RunSpec.__dataclass_fields__}
    own = {name: values.pop(name) for name in Outcome.__dataclass_fields__ if name in values}
    return StoredRun(spec=RunSpec(**spec), outcome=Outcome(**own, scores=scores), **values)


def score(measure: Any, task: Any, value: Any) -> float:
    """Check and return a stored score; NaN where it is NULL.

    >>> score("nmi", "a", 0.5), score("nmi", "a", None)
    (0.5, nan)
    """
    if type(measure) is not str or type(task) is not str:
        raise _wrong("score", (measure, task))
    if value is None:  # SQLite stores nan as NULL
        return float("nan")
    if type(value) not in (int, float):  # Dunn's index may be infinite
        raise _wrong(measure, value)
    return float(value)


def array(content: Any) -> NDArray[Any]:
    """Decode an array from its stored bytes.

    Raises
    ------
    ValueError, TypeError, KeyError, zlib.error, SafetensorError : they are none
    """
    if type(content) is not bytes:
        raise _wrong("content", content)
    unpacker = zlib.decompressobj()
    raw = unpacker.decompress(content, LARGEST_ARRAY)
    if unpacker.unconsumed_tail or not unpacker.eof:
        raise ValueError(f"an array is cut off, or unpacks to more than {LARGEST_ARRAY:,} bytes")
    found: NDArray[Any] = parse_arrays(raw)["array"]
    if found.dtype.kind == "f" and np.isinf(found).any():
        raise ValueError("an array has infinite entries")
    return found


def labels(found: NDArray[Any]) -> NDArray[np.int64]:
    """Check that an array holds labels: whole numbers (n,), else ValueError.

    >>> labels(np.array([0, 1], dtype=np.int32))
    array([0, 1])
    """
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise ValueError(f"labels of type {found.dtype} with the shape {found.shape}")
    return found.astype(np.int64)


def _plain(name: str, value: Any) -> Any:
    if type(value) not in _PLAIN[name]:
        raise _wrong(name, value)
    return value


def _decoded(name: str, text: Any) -> Any:
    if type(text) is not str:
        raise _wrong(name, text)
    value = json.loads(text, parse_constant=_no_constant)
    if type(value) not in ENCODED[name]:
        raise _wrong(name, value)
    return value


def _no_constant(text: str) -> None:
    raise ValueError(f"JSON has no {text}")


def _wrong(name: str, value: Any) -> ValueError:
    return ValueError(f"{name} is {shown(value)}")
