"""Checks of labels that a user gives, and their conversion to codes 0, 1, ..."""

import numpy as np
from numpy.typing import ArrayLike

from kinfolk.arrays import Labels
from kinfolk.errors import InputError
from kinfolk.tables import intake


def partition(labels: ArrayLike, name: str = "labels") -> Labels:
    """Convert labels to codes 0, 1, ... (n,) in the order of the sorted labels.

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
    if np.ma.is_masked(labels):
        raise InputError(f"{name} has masked entries; drop these rows or give them a label.")
    # As objects lists keep None and mixed types, which arrays of text would swallow.
    values = np.asarray(labels, dtype=None if hasattr(labels, "__array__") else object)
    if values.ndim != 1 or not values.size:
        raise InputError(f"{name} has shape {values.shape}; give one label per row, in one column.")
    if values.dtype.kind not in "biuSU" and any(map(intake.missing, values.tolist())):
        raise InputError(f"{name} has missing values; drop these rows or give them a label.")
    try:
        return np.unique(values, return_inverse=True)[1]
    except TypeError as error:
        raise InputError(f"{name} mixes kinds of labels; give all numbers or all texts.") from error


def pair(truth: ArrayLike, labels: ArrayLike) -> tuple[Labels, Labels]:
    """Convert two partitions of the same rows to codes; InputError if their lengths differ.

    >>> pair(["x", "y", "x"], [7, 7, 5])
    (array([0, 1, 0]), array([1, 1, 0]))
    """
    a = partition(truth, "truth")
    b = partition(labels, "labels")
    if len(a) != len(b):
        raise InputError(f"truth has {len(a)} rows and labels has {len(b)}; give one per row.")
    return a, b
