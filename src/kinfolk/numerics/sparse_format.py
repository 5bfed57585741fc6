"""Validates the indices of a sparse table before compiled code uses them, and makes it compact.

SciPy and scikit-learn trust the indices of a sparse table: one that points outside reads and
writes memory of the process. The constructors of SciPy do not look at each index either.

Cost    one pass over the indices: about 1 ms per million entries.
"""

import copy
from typing import Any

import numpy as np
import scipy.sparse as sp

from kinfolk.errors import InputError


def checked(X: Any, name: str = "X") -> Any:
    """Return a sparse table (n, d) whose indices have been checked; ValueError if one is outside.

    CSR, CSC, BSR and COO tables share their arrays with the one given; others become COO.

    Raises
    ------
    InputError : an index points outside, or the parts do not have the lengths that belong together

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> X = sp.csr_array([[0.0, 1.0], [2.0, 0.0]])
    >>> X.indices[0] = 7
    >>> checked(X)
    Traceback (most recent call last):
    kinfolk.errors.InputError: X is a damaged sparse table (indices must be < 2): make it again
    from its rows, or give it as a dense array.
    """
    try:
        if X.format in ("csr", "csc", "bsr"):
            # Of a copy that shares the arrays: the check cuts unused ends off.
            found = copy.copy(X)
            found.check_format(full_check=True)
            return found
        found = X if X.format == "coo" else X.tocoo()
        _check_coordinates(found)
    except (ValueError, IndexError, TypeError, AttributeError) as error:
        reason = str(error).strip().rstrip(".")
        raise InputError(
            f"{name} is a damaged sparse table ({reason:.80}): make it again from its rows, or "
            "give it as a dense array."
        ) from error
    return found


def compact(X: Any) -> sp.csr_array:
    """Return CSR with duplicates summed, and with 32-bit indices where they suffice.

    The arrays are those of X where nothing has to change, which stays as it is.
    """
    X = sp.csr_array(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if max(X.nnz, *X.shape) <= np.iinfo(np.int32).max:  # scikit-learn's k-means takes no others
        X.indices = X.indices.astype(np.int32, copy=False)
        X.indptr = X.indptr.astype(np.int32, copy=False)
    return X


def _check_coordinates(X: Any) -> None:
    """Raise ValueError unless all indices of a COO table lie inside it."""
    for places, length, axis in zip((X.row, X.col), X.shape, ("row", "column"), strict=True):
        if len(places) != len(X.data):
            raise ValueError(f"there are {len(places)} {axis} indices for {len(X.data)} entries")
        if len(places) and not 0 <= np.min(places) <= np.max(places) < length:
            raise ValueError(f"{axis} indices must be from 0 to {length - 1}")
