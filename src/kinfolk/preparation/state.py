"""Checks of a stored preparation, before any of it is used."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk import sealed
from kinfolk.errors import FileFormatError

_LAYOUT = sealed.Layout(
    kind="preparation",
    versions={
        1: {
            "reads": (str,),
            "text_weighting": (str,),
            "stop_words": (str, type(None)),
            "n_terms": (int, type(None)),
            "scale": (str,),
            "feature_names": (list,),
            "views": (list,),
        }
    },
    advice="fit and save the model again",
    marker="version",
)
_SOURCE = "The stored preparation"
VERSION = _LAYOUT.latest
"""Version of the settings; a change that older code would misread needs a new one."""


def settings(found: object) -> dict[str, Any]:
    """Return stored settings without their version; FileFormatError if they are not sound.

    Examples
    --------
    >>> settings({"version": 2})
    Traceback (most recent call last):
    kinfolk.errors.FileFormatError: The stored preparation has version 2 and this version of
    Kinfolk reads 1: fit and save the model again.
    """
    # Models with a single view are stored without this field.
    complete = {"views": [], **found} if isinstance(found, dict) else found
    checked = _LAYOUT.check(complete, _SOURCE)
    names = checked["feature_names"]
    if (
        not names
        or not all(isinstance(name, str) for name in names)
        or len(set(names)) < len(names)
    ):
        raise unsound("feature_names", names)
    ends = checked["views"]
    if ends and (
        not all(type(end) is int for end in ends)
        or ends[-1] != len(names)
        or any(a >= b for a, b in pairwise([0, *ends]))
    ):
        raise unsound("views", ends)
    if checked["reads"] not in ("texts", "numbers"):
        raise unsound("reads", checked["reads"])
    return {name: value for name, value in checked.items() if name != "version"}


def arrays(
    found: dict[str, NDArray[Any]], expected: tuple[str, ...], length: int
) -> dict[str, NDArray[np.float64]]:
    """Return stored arrays; FileFormatError unless they are those expected, (length,), finite.

    Examples
    --------
    >>> arrays({"idf": np.ones(3)}, ("idf",), 3)
    {'idf': array([1., 1., 1.])}
    >>> arrays({"idf": np.ones(2)}, ("idf",), 3)
    Traceback (most recent call last):
    kinfolk.errors.FileFormatError: The stored preparation has idf=(2,): fit and save the model
    again.
    """
    if set(found) != set(expected):
        raise FileFormatError(
            f"{_SOURCE} has the arrays {sorted(found)} where {sorted(expected)} are meant: "
            f"{_LAYOUT.advice}."
        )
    for name, values in found.items():
        if not isinstance(values, np.ndarray) or values.dtype != np.float64:
            raise unsound(name, getattr(values, "dtype", type(values)))
        if values.shape != (length,):
            raise unsound(name, values.shape)
        # Means may have any sign; spreads and weights of terms may not.
        if not np.isfinite(values).all() or (name != "center" and (values < 0).any()):
            raise unsound(name, values)
    return dict(found)


def unsound(name: str, value: object) -> FileFormatError:
    """Return the error for a stored field or array that cannot be right."""
    return _LAYOUT.refusal(_SOURCE, name, value)
