"""Reads the bytes of an .npz file: arrays by name, from `numpy.savez` or `scipy.sparse`."""

import io
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Table
from kinfolk.errors import FileFormatError, InputError
from kinfolk.sources import paths, sheets
from kinfolk.sources.sheets import Roles, Sheet
from kinfolk.tables import alignment

_USUAL = Roles(tasks="tasks", target="target", row_id="row_ids")
"""Where the labels are looked for when nothing else is named."""

_BROKEN = (
    ValueError,
    KeyError,
    OSError,
    EOFError,
    MemoryError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What NumPy, SciPy and zipfile raise on damaged files."""


def sheet(file: str, raw: bytes, roles: Roles, *, optional: bool = False) -> Sheet:
    """Sort the arrays of an .npz file by role.

    `X` (n, d), or the only array of two axes, holds the numbers, unless the file is one that
    `scipy.sparse.save_npz` wrote. Next to it `tasks`, `target` and `row_ids` (n,) and
    `feature_names` (d,) may stand; with `optional` it may lack named ones. Nothing that is
    pickled is ever read.

    Raises
    ------
    InputError
        If a named array is missing or of another length, or a number is missing or infinite.
    FileFormatError
        If the file is damaged, holds Python objects, or has no array of numbers.
    """
    if roles.text is not None:
        raise InputError(f"{file} holds arrays, not texts: give texts as .csv, .jsonl or .parquet.")
    arrays = _arrays(file, raw)
    roles = roles.among(arrays) if optional else roles
    X = _matrix(file, raw, arrays)
    n, d = X.shape
    paths.check_width(file, d)
    names = [str(name) for name in _vector(file, arrays, "feature_names", d)]
    names = names or [f"x{j}" for j in range(1, d + 1)]
    if twice := alignment.repeated(names):
        raise FileFormatError(f"{file} has more than one column named {alignment.some(twice)}.")

    def of(role: str) -> NDArray[Any] | None:
        asked, usual = getattr(roles, role), getattr(_USUAL, role)
        if asked is not None and asked not in arrays:
            raise InputError(f"{file} has no array {asked!r}; it has {alignment.some(arrays)}.")
        name = asked or usual
        values = _vector(file, arrays, name, n)
        if name not in arrays:
            return None
        return sheets.known(values) if role == "labels" else sheets.labels(file, name, values)

    row_ids = of("row_id")
    return Sheet(
        file,
        sheets.default_ids(n) if row_ids is None else row_ids,
        tasks=of("tasks"),
        target=of("target"),
        labels=of("labels"),
        X=sheets.finite(file, names, X),
        feature_names=tuple(names),
    )


def _arrays(file: str, raw: bytes) -> Mapping[str, NDArray[Any]]:
    """Read every array, after a look at how large they claim to be."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            paths.check_unpacked(file, sum(entry.file_size for entry in archive.infolist()))
        with np.load(io.BytesIO(raw), allow_pickle=False) as stored:
            return {name: np.asarray(stored[name]) for name in stored.files}
    except FileFormatError:
        raise
    except _BROKEN as error:
        objects = "Object arrays" in str(error)
        reason = "holds Python objects, which are never read" if objects else "is damaged"
        raise FileFormatError(
            f"{file} {reason}: save plain arrays of numbers and strings with numpy.savez, or a "
            "sparse matrix with scipy.sparse.save_npz."
        ) from error


def _matrix(file: str, raw: bytes, arrays: Mapping[str, NDArray[Any]]) -> Table:
    if "format" in arrays and "shape" in arrays:
        return _sparse(file, raw)
    wide = [name for name, array in arrays.items() if array.ndim == 2]
    name = "X" if "X" in arrays else wide[0] if len(wide) == 1 else None
    if name is None or arrays[name].ndim != 2 or arrays[name].dtype.kind not in "biuf":
        raise FileFormatError(
            f"{file} needs one array 'X' of numbers with two axes (rows and columns); it has "
            f"{alignment.some(arrays)}."
        )
    return np.ascontiguousarray(arrays[name], dtype=np.float64)


def _sparse(file: str, raw: bytes) -> sp.csr_array:
    """Read what `scipy.sparse.save_npz` wrote; indices that point outside are an error."""
    try:
        stored: Any = sp.load_npz(io.BytesIO(raw))
        if stored.format in ("csr", "csc", "bsr"):
            stored.check_format(full_check=True)
        X: sp.csr_array = sp.csr_array(stored, dtype=np.float64)
    except (*_BROKEN, TypeError, IndexError, AttributeError) as error:
        raise FileFormatError(
            f"{file} is not a sound sparse matrix: save it again with scipy.sparse.save_npz."
        ) from error
    X.sum_duplicates()
    return X


def _vector(file: str, arrays: Mapping[str, NDArray[Any]], name: str, length: int) -> NDArray[Any]:
    """Return an array of one axis and this length; an empty one if the file has none."""
    values = arrays.get(name)
    if values is None:
        return np.empty(0)
    if values.shape != (length,):
        raise InputError(
            f"{file}: array {name!r} has shape {values.shape}, but the table needs ({length},)."
        )
    return np.char.decode(values, "utf-8", "replace") if values.dtype.kind == "S" else values
