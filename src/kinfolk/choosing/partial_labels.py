"""Scores clusterings by their fit to partly known labels.

In a task with m known rows, each run gets one more criterion:

    fit[r] = share of the known rows in their class, under the best one-to-one matching of clusters
    v      = m / 10

v rank(fit[r]) joins the ranks of the other criteria of a run, which weigh 1 each (`scores`), and v
fit joins the total of an answer (`consensus`). Known labels select runs; no run is fitted to them.

Why the share of rows: it weighs every known row the same. The mean over classes rests a class on
its one or two known rows, and in the adjusted Rand index, which counts pairs, the largest class
decides; both follow the accuracy on the other rows less closely where classes differ in size.

Units   none: a share from 0 to 1.
Limits  none is computed with fewer than two classes of two known rows each: only then are there
        rows known to belong together and rows known to belong apart.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinfolk import measures
from kinfolk.arrays import Labels, Vector
from kinfolk.errors import InputError
from kinfolk.measures import partitions
from kinfolk.numerics import rounding

MIN_CLASSES = 2
MIN_ROWS_PER_CLASS = 2

# The variance of a share falls with 1 / m, so the weight grows with m. At m = 20 known labels count
# as much as the two other criteria together; at 5 hardly at all, since the share of 5 rows errs by
# 0.2 and runs differ by less.
ROWS_OF_WEIGHT_ONE = 10.0


class LabelFit(NamedTuple):
    """Fit of R runs to known labels: share (R,) of known rows in their class, and a weight."""

    values: Vector
    weight: float

    @property
    def weighted_ranks(self) -> Vector:
        """Ranks (R,) of the runs by their fit to known labels, divided by R, times the weight.

        >>> LabelFit(np.array([0.5, 1.0]), 2.0).weighted_ranks
        array([1., 2.])
        """
        return self.weight * rounding.ranks(self.values) / len(self.values)


def encode(y: ArrayLike, n: int) -> Labels:
    """Class numbers (n,) from labels y (n,) of any type; -1 where y is -1 or "-1" (unknown).

    Raises
    ------
    InputError : y is not one label per row, has missing values, or mixes numbers and texts

    Examples
    --------
    >>> encode(["home", -1, "work"], 3)
    array([ 0, -1,  1])
    """
    values = np.asarray(y, dtype=None if hasattr(y, "__array__") else object)
    if values.shape != (n,):
        raise InputError(
            f"y has shape {values.shape} but X has {n} rows; give one label per row, and -1 where "
            "it is unknown."
        )
    rows = np.flatnonzero([str(label) not in ("-1", "-1.0") for label in values.tolist()])
    numbers = np.full(n, -1)
    if len(rows):
        numbers[rows] = partitions.partition(values[rows], "y")
    return numbers


def label_fit(labels: Labels, y: Labels | None) -> LabelFit | None:
    """Fit of R runs (R, n) to the known classes y (n,), -1 elsewhere; None if too few are known.

    Examples
    --------
    >>> y = np.array([0, 0, 1, 1, -1])
    >>> label_fit(np.array([[3, 3, 0, 0, 0], [1, 1, 1, 0, 0]]), y)
    LabelFit(values=array([1.  , 0.75]), weight=0.4)
    """
    if y is None or not sufficient(y):
        return None
    rows = np.flatnonzero(y >= 0)
    values = np.array([measures.accuracy(y[rows], run[rows]) for run in labels])
    return LabelFit(values, len(rows) / ROWS_OF_WEIGHT_ONE)


def sufficient(y: Labels) -> bool:
    """True if at least two classes have two known rows each.

    >>> sufficient(np.array([0, 0, 1, -1])), sufficient(np.array([0, 0, 1, 1]))
    (False, True)
    """
    return bool((np.bincount(y[y >= 0]) >= MIN_ROWS_PER_CLASS).sum() >= MIN_CLASSES)


def partly_known(y: ArrayLike | None, n: int) -> Labels | None:
    """Class numbers (n,), -1 where unknown; None unless some are known and some unknown.

    >>> partly_known(["b", -1], 2), partly_known([3, 4], 2)
    (array([ 0, -1]), None)
    """
    if y is None:
        return None
    codes = encode(y, n)
    return codes if (codes < 0).any() and (codes >= 0).any() else None
