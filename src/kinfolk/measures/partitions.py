"""Partitions: the labels a user hands over as codes 0, 1, ..., or a sentence on what is wrong."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinfolk.arrays import Labels
from kinfolk.errors import InputError


def partition(labels: ArrayLike, name: str = "labels") -> Labels:
    """Codes 0, 1, ... (n,) of the labels, in the order of the sorted labels.

    Raises
    ------
    InputError
        If there are no labels, one is missing (None, NaN), they form no single column, or they
        cannot be compared with one another.

    Examples
    --------
    >>> partition(["rec", "talk", "rec"])
    array([0, 1, 0])
    """
    values = np.asarray(labels, dtype=None if hasattr(labels, "__array__") else object)
    if values.ndim != 1 or not values.size:
        raise InputError(f"{name} has shape {values.shape}; give one label per row, in one column.")
    if values.dtype.kind not in "biuSU" and any(map(_is_missing, values.tolist())):
        raise InputError(f"{name} has missing values; drop these rows or give them a label.")
    try:
        return np.unique(values, return_inverse=True)[1]
    except TypeError as error:
        raise InputError(f"{name} mixes kinds of labels; give all numbers or all texts.") from error


def pair(truth: ArrayLike, labels: ArrayLike) -> tuple[Labels, Labels]:
    """Codes of two partitions of the same rows; InputError also where their lengths differ."""
    a, b = partition(truth, "truth"), partition(labels, "labels")
    if len(a) != len(b):
        raise InputError(f"truth has {len(a)} rows and labels has {len(b)}; give one per row.")
    return a, b


def _is_missing(label: Any) -> bool:
    """Whether it is None, NaN, NaT or the NA of pandas, which refuses to be true or false."""
    try:
        return label is None or bool(label != label)
    except TypeError:
        return True
