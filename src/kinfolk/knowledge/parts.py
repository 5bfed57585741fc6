"""Checks of the parts of shared centers."""

import re
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.arguments import choice, shown
from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.errors import InputError
from kinfolk.tables import alignment

LARGEST_NUMBER = 1e75
"""Largest accepted entry of an array: products of its squares are still finite."""
LEAST_SPREAD = 1e-75
"""Smallest accepted spread above 0: the largest number divided by it is still finite."""
SCALINGS = ("none", "unit", "standard")
_ROUNDED = re.compile(r"to 1/30 of the standard error(?:, at most (\d{1,2}) digits?)?")


def check(
    V: Matrix,
    weights: Vector,
    names: Sequence[str],
    scaling: str,
    scale: Mapping[str, Vector | None],
    least: Any,
) -> None:
    """Raise InputError unless centers V (k, d), weights and columns fit together."""
    if V is None or weights is None:
        raise InputError("cluster_centers or cluster_weights is None; give an array for each.")
    if V.ndim != 2 or 0 in V.shape:
        raise InputError(f"cluster_centers has shape {V.shape}; give at least one center.")
    k, d = V.shape
    if weights.shape != (k,):
        raise InputError(f"there are {weights.size} weights for {k} centers.")
    choice("scaling", scaling, SCALINGS)
    for name, found in scale.items():
        if (found is None) == (scaling == "standard"):
            raise InputError(f'{name} belongs to scaling "standard", and to no other.')
        if found is not None and (found.shape != (d,) or (name == "spread" and found.min() < 0)):
            raise InputError(f"{name} is not one number for each of the {d} columns.")
        if name == "spread" and found is not None and ((found > 0) & (found < LEAST_SPREAD)).any():
            raise InputError(
                f"spread has numbers between 0 and {LEAST_SPREAD:g}, by which columns cannot be "
                "divided; give 0 for a column that does not vary."
            )
    if names and (
        len(names) != d
        or not all(isinstance(name, str) for name in names)
        or alignment.repeated(names)
    ):
        raise InputError(f"feature_names are not {d} different names.")
    least = minimum(least)
    if weights.min() < least:
        raise InputError(
            f"a center rests on {weights.min():g} rows, at least {least} must "
            "stand behind one that leaves."
        )


def kept(weights: Vector, least: int, totals: bool) -> NDArray[np.bool_]:
    """Mark the clusters (k,) with enough rows for their centers to be shared.

    If the totals of all clusters are known, those of the clusters left out are, too: there must be
    at least as many rows behind them as behind a center (complementary suppression).

    >>> sizes = np.array([40.0, 12.0, 3.0, 30.0])
    >>> kept(sizes, 10, False), kept(sizes, 10, True)
    (array([ True,  True, False,  True]), array([ True, False, False,  True]))
    """
    found = weights >= least
    while totals and found.any() and 0 < weights[~found].sum() < least:
        found[np.argmin(np.where(found, weights, np.inf))] = False
    return found


def rounding(digits: int | None) -> str:
    """Describe in words how `Knowledge.rounded` rounds with this parameter.

    >>> rounding(None), rounding(2)
    ('to 1/30 of the standard error', 'to 1/30 of the standard error, at most 2 digits')
    """
    limit = "" if digits is None else f", at most {digits} digit{'s' if digits > 1 else ''}"
    return f"to 1/30 of the standard error{limit}"


def check_rounding(said: str) -> None:
    """Raise InputError unless the text is one that `rounding` produces."""
    digits = _ROUNDED.fullmatch(said)
    if said and (digits is None or rounding(int(digits[1]) if digits[1] else None) != said):
        raise InputError(f"rounding is {shown(said)}; give that of `rounded`, or leave it out.")


def numbers(name: str, values: Any) -> Any:
    """Convert to a read-only array of finite doubles in C order."""
    try:
        found = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} is {shown(values)}; give numbers in an array.") from None
    if not (np.abs(found) <= LARGEST_NUMBER).all():
        raise InputError(f"{name} has entries that are NaN, infinite or above {LARGEST_NUMBER:g}.")
    found.flags.writeable = False
    return found


def minimum(value: Any) -> int:
    """Check `minimum_cluster_size`, the least number of rows per center: a whole number >= 1."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise InputError(f"minimum_cluster_size is {shown(value)}; give a whole number from 1.")
    return int(value)


def weights(estimator: Any, k: int) -> Vector:
    """Number of rows behind each of k centers, as far as the estimator knows it."""
    # Centers that were pulled by those of another site rest on fewer own rows than memberships say.
    if hasattr(estimator, "cluster_weights_"):
        return np.asarray(estimator.cluster_weights_, dtype=float)
    if hasattr(estimator, "memberships_"):
        return np.asarray(estimator.memberships_.sum(axis=0), dtype=float)
    labels: Labels = estimator.labels_  # -1 is noise, which belongs to no center
    return np.bincount(labels[labels >= 0], minlength=k).astype(float)
