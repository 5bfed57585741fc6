"""Checks what is read back from a stored model before any of it is believed."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.errors import FileFormatError

VERSION = 1
"""The layout of the settings; a change that older code would misread raises it."""

_FIELDS = {
    "version": (int,),
    "reads": (str,),
    "text_weighting": (str,),
    "stop_words": (str, type(None)),
    "n_terms": (int, type(None)),
    "scale": (str,),
    "feature_names": (list,),
    "views": (list,),
}
_ADVICE = "fit and save the model again"


def settings(found: object) -> dict[str, Any]:
    """Return the settings, less the version; FileFormatError if they are not of this layout.

    Examples
    --------
    >>> settings({"version": 2})
    Traceback (most recent call last):
    kinfolk.errors.FileFormatError: The stored preparation is of version 2, this program reads
    version 1: fit and save the model again.
    """
    if not isinstance(found, dict):
        raise FileFormatError(f"The stored preparation is not a JSON object: {_ADVICE}.")
    if found.get("version") != VERSION:
        raise FileFormatError(
            f"The stored preparation is of version {found.get('version')!r:.20}, this program "
            f"reads version {VERSION}: {_ADVICE}."
        )
    found = {"views": [], **found}  # which models of one view lack
    if wrong := sorted(map(str, found.keys() ^ _FIELDS.keys())):
        raise FileFormatError(
            f"The stored preparation lacks or should not have {', '.join(wrong)}: {_ADVICE}."
        )
    for name, types in _FIELDS.items():
        if not isinstance(found[name], types):
            raise unsound(name, found[name])
    names = found["feature_names"]
    if (
        not names
        or not all(isinstance(name, str) for name in names)
        or len(set(names)) < len(names)
    ):
        raise unsound("feature_names", names)
    ends = found["views"]
    if ends and (
        not all(type(end) is int for end in ends)
        or ends[-1] != len(names)
        or any(a >= b for a, b in pairwise([0, *ends]))
    ):
        raise unsound("views", ends)
    if found["reads"] not in ("texts", "numbers"):
        raise unsound("reads", found["reads"])
    return {name: value for name, value in found.items() if name != "version"}


def arrays(
    found: dict[str, NDArray[Any]], expected: tuple[str, ...], length: int
) -> dict[str, NDArray[np.float64]]:
    """Return the arrays; FileFormatError unless they are the expected ones, (length,) and finite.

    Examples
    --------
    >>> arrays({"idf": np.ones(3)}, ("idf",), 3)
    {'idf': array([1., 1., 1.])}
    """
    if set(found) != set(expected):
        raise FileFormatError(
            f"The stored preparation has the arrays {sorted(found)} where {sorted(expected)} are "
            f"meant: {_ADVICE}."
        )
    for name, values in found.items():
        if not isinstance(values, np.ndarray) or values.dtype != np.float64:
            raise unsound(name, getattr(values, "dtype", type(values)))
        if values.shape != (length,):
            raise unsound(name, values.shape)
        if not np.isfinite(values).all() or (name != "center" and (values < 0).any()):
            raise unsound(name, values)
    return dict(found)


def unsound(name: str, value: object) -> FileFormatError:
    """Make the error for a stored entry that cannot be right."""
    return FileFormatError(f"The stored preparation has {name}={value!r:.60}: {_ADVICE}.")
