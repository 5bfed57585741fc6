"""Array functions for other libraries than NumPy: PyTorch, CuPy, array API standard.

Rows stay where they are, on whatever device, and so does what has an entry for each row while a
function works on it. Small arrays, such as centers, travel to the rows by `beside`; sums over the
rows, and results of a function for each row, come back to NumPy by `host`. So all that lies
between two passes over the rows is NumPy's, in double precision.

Functions of rows take their own functions from `namespace`, which is NumPy for what NumPy and
SciPy hold.
"""

import sys
from typing import Any

import numpy as np

from kinfolk.errors import InputError, import_extra


def is_other(X: Any) -> bool:
    """True for a dense array of another library that follows the array API standard.

    >>> is_other(np.eye(2))
    False
    >>> import array_api_strict
    >>> is_other(array_api_strict.eye(2))
    True
    """
    if isinstance(X, np.ndarray):  # the answer in nearly all calls
        return False
    if _is_tensor(X):
        return True
    # The package `sparse` has the functions too, and rows that are not dense.
    return hasattr(X, "__array_namespace__") and not type(X).__module__.startswith("sparse")


def _is_tensor(X: Any) -> bool:
    """True for a PyTorch tensor; does not import PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(X, torch.Tensor)


def namespace(X: Any) -> Any:
    """Array API namespace of X; NumPy for NumPy and SciPy arrays.

    >>> namespace(np.eye(2)).__name__
    'numpy'
    """
    return _compat().array_namespace(X) if is_other(X) else np


def beside(small: Any, X: Any) -> Any:
    """Convert a NumPy array to the library and device of X."""
    if not is_other(X) or is_other(small):
        return small
    return namespace(X).asarray(small, device=_compat().device(X))


def host(found: Any) -> Any:
    """Convert an array of any library to NumPy; return other objects unchanged.

    >>> import array_api_strict
    >>> host(array_api_strict.eye(1, device=array_api_strict.Device("device1")))
    array([[1.]])
    """
    if not is_other(found):
        return found
    try:
        return np.asarray(found)
    except (RuntimeError, TypeError, ValueError):  # it lies on another device
        return np.asarray(_compat().to_device(found, _processor(found)))


def _processor(found: Any) -> Any:
    """Name or device of main memory in the array's library."""
    compat = _compat()
    if compat.is_torch_array(found) or compat.is_cupy_array(found):
        return "cpu"
    return namespace(found).__array_namespace_info__().default_device()


def place(X: Any) -> str:
    """Describe an array and its device in words.

    >>> import array_api_strict
    >>> place(array_api_strict.eye(2))
    "an array of array_api_strict on Device('CPU_DEVICE')"
    """
    library = type(X).__module__.partition(".")[0]
    where = str(_compat().device(X))
    return f"an array of {library} on {where.removeprefix(library + '.')}"


def floats(X: Any, name: str) -> Any:
    """Convert another library's rows to floats: single or double precision stay, integers double.

    InputError for what is no table of real numbers.
    """
    xp = namespace(X)
    if X.ndim != 2:
        raise InputError(
            f"{name} has {X.ndim} dimension{'s' * (X.ndim != 1)}; give rows and columns, "
            "shape (n, d)."
        )
    X = X.detach() if _is_tensor(X) else X  # no gradient goes through a clustering
    if X.dtype in (xp.float32, xp.float64):
        return X
    if xp.isdtype(X.dtype, "complex floating"):
        raise InputError(f"Complex data not supported: {name} holds {X.dtype}; give real numbers.")
    narrow = xp.isdtype(X.dtype, "real floating")  # half precision, which single holds exactly
    return xp.astype(X, xp.float32 if narrow else xp.float64)


def in_memory(X: Any, name: str) -> Any:
    """Convert an array in main memory to NumPy; InputError for one on another device.

    >>> import array_api_strict
    >>> in_memory(array_api_strict.eye(1), "X")
    array([[1.]])
    """
    try:
        return np.asarray(X.detach() if _is_tensor(X) else X)
    except (RuntimeError, TypeError, ValueError):
        raise InputError(
            f"{name} is {place(X)}, and this works on arrays of NumPy: give it as one, or take a "
            "method that works where it is; docs/large.md names them."
        ) from None


def precision(X: Any) -> np.dtype:
    """NumPy type (float32 or float64) of the rows of any library."""
    if is_other(X):
        return np.dtype(np.float32 if X.dtype == namespace(X).float32 else np.float64)
    return np.dtype(X.dtype)


def double(X: Any) -> Any:
    """Convert rows of any library to double precision, without a copy if they have it."""
    if is_other(X):
        xp = namespace(X)
        return xp.astype(X, xp.float64, copy=False)
    return X.astype(np.float64, copy=False)


def taken(X: Any, rows: Any) -> Any:
    """Select rows of X (n, d) by a slice, or by positions (m,) as NumPy array."""
    if not is_other(X):
        return X[rows]
    if isinstance(rows, slice):
        return X[rows, ...]
    return namespace(X).take(X, beside(np.asarray(rows, dtype=np.int64), X), axis=0)


def total(terms: Any, weight: Any = None) -> float:
    """Weighted sum of terms (n,) in double precision.

    >>> total(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    7.0
    """
    if not is_other(terms):
        return float(terms.sum(dtype=np.float64) if weight is None else weight @ terms)
    terms = double(terms)
    weighted = terms if weight is None else terms * beside(weight, terms)
    return float(namespace(terms).sum(weighted))


def not_negative(D: Any) -> Any:
    """Clip negative entries to 0; NumPy arrays in place."""
    if is_other(D):
        return namespace(D).clip(D, min=0.0)
    return np.maximum(D, 0.0, out=D)


def lowest(D: Any) -> Any:
    """Index (n,) of the smallest entry in each row of D (n, k), as NumPy array."""
    return host(namespace(D).argmin(D, axis=1)) if is_other(D) else D.argmin(axis=1)


def _compat() -> Any:
    return import_extra("array_api_compat", "array-api", "Arrays of other libraries need")
