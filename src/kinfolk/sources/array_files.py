"""Reads .npz files (NumPy or SciPy sparse) and .npy files."""

import io
import math
import operator
import sys
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Table
from kinfolk.errors import FileFormatError, InputError
from kinfolk.numerics import sparse_format
from kinfolk.sources import finite_numbers, limits, sheets
from kinfolk.sources.sheets import Roles, Sheet
from kinfolk.tables import alignment

SUFFIXES = (".npz", ".npy")
"""Endings of the names of files with arrays."""

_DEFAULT_NAMES = Roles(tasks="tasks", target="target", row_id="row_ids")
"""Names of the arrays that are read for a role that the user did not name."""

_DAMAGE = (
    *(ValueError, LookupError, OSError, EOFError, MemoryError, RuntimeError, TypeError),
    *(AttributeError, OverflowError, SyntaxError, tokenize.TokenError),
    *(zipfile.BadZipFile, zlib.error),
)
"""Errors that NumPy, SciPy and zipfile raise on damaged files."""


def sheet(file: str, raw: bytes, roles: Roles, *, optional: bool = False) -> Sheet:
    """Read the arrays of an .npz or .npy file and sort them by role (X, tasks, ...).

    The numbers are `X` (n, d), or the only array with two axes, or the matrix that
    `scipy.sparse.save_npz` wrote. Beside it the file may hold `tasks`, `target` and `row_ids` (n,)
    and `feature_names` (d,); with `optional`, named arrays may be missing. Pickles are never read.

    Raises
    ------
    InputError : a named array is missing or of another length, or a number is missing or infinite
    FileFormatError : the file is damaged, holds Python objects, or has no array of numbers

    Examples
    --------
    >>> stream = io.BytesIO()
    >>> np.savez(stream, X=[[1.5, 2.0], [3.0, 4.0]], tasks=["oslo", "rome"])
    >>> found = sheet("shops.npz", stream.getvalue(), Roles())
    >>> found.tasks.tolist(), found.row_ids.tolist(), found.feature_names
    (['oslo', 'rome'], ['1', '2'], ('x1', 'x2'))
    """
    if roles.text is not None:
        raise InputError(f"{file} holds arrays, not texts: give texts as .csv, .jsonl or .parquet.")
    arrays = _arrays(file, raw)
    roles = roles.present_in(arrays) if optional else roles
    X = _matrix(file, raw, arrays)
    n, d = X.shape
    limits.check_width(file, d)
    names = [str(name) for name in _vector(file, arrays, "feature_names", d)]
    names = names or [f"x{j}" for j in range(1, d + 1)]
    if twice := alignment.repeated(names):
        raise FileFormatError(f"{file} has more than one column named {alignment.some(twice)}.")

    def values_of(role: str) -> NDArray[Any] | None:
        """Return the values (n,) of a role, from the array of its own or default name."""
        asked = getattr(roles, role)
        if asked is not None and asked not in arrays:
            raise InputError(f"{file} has no array {asked!r}; it has {alignment.some(arrays)}.")
        name = asked or getattr(_DEFAULT_NAMES, role)
        values = _vector(file, arrays, name, n)
        if name not in arrays:
            return None
        if role == "labels":
            return sheets.known_classes(values)
        return sheets.labels(file, name, values)

    row_ids = values_of("row_id")
    return Sheet(
        file,
        sheets.default_ids(n) if row_ids is None else row_ids,
        tasks=values_of("tasks"),
        target=values_of("target"),
        labels=values_of("labels"),
        X=finite_numbers.checked(file, names, X),
        feature_names=tuple(names),
    )


def _arrays(file: str, raw: bytes) -> Mapping[str, NDArray[Any]]:
    """Read all arrays of an .npz file, or the one of an .npy file as "X": {name: array}."""
    try:
        if file.lower().endswith(".npy"):
            return {"X": _single(file, raw)}
        limits.check_archive(file, raw)
        with np.load(io.BytesIO(raw), allow_pickle=False) as stored:
            return {name: np.asarray(stored[name]) for name in stored.files}
    except FileFormatError:  # from check_unpacked; some of our errors are ValueErrors too
        raise
    except _DAMAGE as error:
        objects = "Object arrays" in str(error)
        reason = "holds Python objects, which are never read" if objects else "is damaged"
        raise FileFormatError(
            f"{file} {reason}: save plain arrays of numbers and strings with numpy.savez, or a "
            "sparse matrix with scipy.sparse.save_npz."
        ) from error


def _single(file: str, raw: bytes) -> NDArray[Any]:
    """Read an .npy array, after checking that its header matches the file's size."""
    stream = io.BytesIO(raw)
    version = np.lib.format.read_magic(stream)
    later = np.lib.format.read_array_header_2_0
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else later
    shape, _, dtype = read(stream)
    # Python objects are pickled, in any number of bytes; np.load refuses them.
    if not dtype.hasobject and math.prod(shape) * dtype.itemsize > len(raw):
        raise FileFormatError(
            f"{file} claims the shape {shape}, more than its bytes: copy it again."
        )
    return np.asarray(np.load(io.BytesIO(raw), allow_pickle=False))


def _matrix(file: str, raw: bytes, arrays: Mapping[str, NDArray[Any]]) -> Table:
    """Choose the data matrix (n, d): the sparse one, the array `X`, or the only 2-D array."""
    if "format" in arrays and "shape" in arrays:  # as scipy.sparse.save_npz writes them
        return _sparse(file, raw, arrays)
    wide = [name for name, array in arrays.items() if array.ndim == 2]
    name = "X" if "X" in arrays else wide[0] if len(wide) == 1 else None
    if name is None or arrays[name].ndim != 2 or arrays[name].dtype.kind not in "biuf":
        found = [f"{n!r} of {a.dtype} and shape {a.shape}" for n, a in arrays.items()]
        raise FileFormatError(
            f"{file} needs one array 'X' of numbers with two axes (rows and columns); it has "
            f"{', '.join(found[:3]) or 'no array'}{' and others' if len(found) > 3 else ''}."
        )
    return np.ascontiguousarray(arrays[name], dtype=np.float64)


def _sparse(file: str, raw: bytes, arrays: Mapping[str, NDArray[Any]]) -> sp.csr_array:
    """Read a file of `scipy.sparse.save_npz` as CSR without duplicate entries."""
    try:
        n, d = map(operator.index, arrays["shape"].tolist())
        # Every format but CSR takes memory for each row as it becomes CSR.
        limits.check_axes(file, n, d, sum(array.nbytes for array in arrays.values()))
        stored: Any = sparse_format.checked(sp.load_npz(io.BytesIO(raw)), file)
        X: sp.csr_array = sp.csr_array(stored, dtype=np.float64)
    except FileFormatError:
        raise
    except _DAMAGE as error:
        raise FileFormatError(
            f"{file} is not a sound sparse matrix: save it again with scipy.sparse.save_npz."
        ) from error
    X.sum_duplicates()
    return X


def _vector(file: str, arrays: Mapping[str, NDArray[Any]], name: str, length: int) -> NDArray[Any]:
    """Return a 1-D array of this length by name, or an empty one if the file lacks it."""
    values = arrays.get(name)
    if values is None:
        return np.empty(0)
    if values.shape != (length,):
        raise InputError(
            f"{file}: array {name!r} has shape {values.shape}, but the table needs ({length},)."
        )
    if values.dtype.kind == "U" and values.itemsize and values.size:
        # NumPy reads any numbers as characters, and Python fails at the first use of such texts.
        codes = np.ascontiguousarray(values).view(f"{values.dtype.byteorder}u4")
        if codes.max() > sys.maxunicode:
            raise FileFormatError(
                f"{file} is damaged: array {name!r} has characters that no text has; copy it again."
            )
    return np.char.decode(values, "utf-8", "replace") if values.dtype.kind == "S" else values
