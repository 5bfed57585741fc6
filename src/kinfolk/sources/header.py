"""Reads names of columns, and detects header lines that look like a row of data."""

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from kinfolk.arguments import spelled
from kinfolk.errors import HeaderWarning, warn_user

_YEARS = range(1800, 2101)
"""Numbers that name columns as years."""

_MANY = 5
"""So many numbers that only rise, or only fall, are a scale, such as wavelengths, and no row."""


def name_of(field: str) -> str:
    r"""Return the name that a field of the header gives, in one line.

    >>> name_of(" Weight\n(kg) ")
    'Weight (kg)'
    """
    return re.sub(r"\s*[\r\n]\s*", " ", field.strip())


def advice() -> str:
    """Say what to do if the first line of a table looks like a row."""
    none = spelled("--no-header", "header=False")
    return f"put a line with names above it, or say that there is none: {none}"


def default_names(d: int) -> list[str]:
    """Make names ("x0", ...) for d columns without a header.

    >>> default_names(2)
    ['x0', 'x1']
    """
    return [f"x{j}" for j in range(d)]


def looks_like_numbers(names: Sequence[str]) -> bool:
    """True if most column names are numbers that are no count, years or scale.

    >>> looks_like_numbers(["5.1", "3.5", "setosa"]), looks_like_numbers(["0", "1", "2"])
    (True, False)
    """
    read = _numbers(names)
    return 2 * len(read) > len(names) and not _names_columns(read)


def warn(file: str, frame: Any) -> None:
    """Warn if the column names of a pandas frame look like a row of data.

    They do if most of them are numbers, or stand among the values of their own column.
    """
    names = [str(name) for name in frame.columns]
    like = [name for name in names if _number(name) is not None or _is_value(frame[name], name)]
    if 2 * len(like) <= len(names) or _names_columns(_numbers(names)):
        return
    shown = ", ".join(repr(name) for name in names[:4]) + (", ..." if names[4:] else "")
    warn_user(
        f"The first line of {file} looks like a row and not like names ({shown}); it was taken for "
        f"names and is no part of the data: {advice()}.",
        HeaderWarning,
    )


def _is_value(column: Any, name: str) -> bool:
    """True if a text column contains its own name as a value."""
    if column.dtype.kind in "fiub":
        return False
    return bool((column.astype(str).str.strip() == name).any())


def _numbers(names: Sequence[str]) -> list[float]:
    return [value for name in names if (value := _number(name)) is not None]


def _number(name: str) -> float | None:
    try:
        found = float(name.replace(",", "."))
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _names_columns(values: Sequence[float]) -> bool:
    """True for numbers that serve as column names: 0, 1, 2, ..., years, a scale."""
    steps = np.diff(values)
    first = values[0] if values else math.nan
    counts = len(values) > 0 and bool((steps == 1).all())
    if counts and (first in (0, 1) or first in _YEARS):
        return True
    return len(values) >= _MANY and bool((steps > 0).all() or (steps < 0).all())
