"""Known labels as evidence: how well a clustering fits the rows whose class somebody knows.

In a task with m known rows, run r has the further sign

    known[r] = share of these rows in their class, under the best one-to-one naming of clusters
    v        = m / 10

and v times the rank of known[r] joins the ranks of a run's other signs, which weigh 1 each; of an
answer v known joins the sum of its signs (`consensus`).

Why this sign: counting rows weighs every known row the same. The mean over classes rests a class
on its one or two known rows, and the adjusted Rand index counts pairs, so that the largest class
decides; both follow the accuracy on the other rows less closely where classes differ in size.

Why this weight: the variance of a share falls with 1 / m, so what m rows are worth grows with m.
At m = 20 known labels count as much as the two other signs together; at 5 hardly anything, since
5 rows place 0.2 around the true share, and runs differ by less.

Units   none: a share from 0 to 1.
Limits  fewer than two classes with two known rows each: no sign, since nothing says both which
        rows belong together and which do not. Known rows judge runs; no run is told of them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from kinfolk import measures
from kinfolk.arrays import Labels, Vector
from kinfolk.errors import InputError
from kinfolk.measures import partitions

CLASSES, ROWS = 2, 2
"""The least that says which rows belong together and which do not."""

PER_SIGN = 10.0
"""Known rows that weigh as much as one other sign, see above."""


class Sign(NamedTuple):
    """What known labels say of R runs: known (R,), and v."""

    values: Vector
    weight: float

    @property
    def ranks(self) -> Vector:
        """Ranks (R,) over R, times v.

        >>> Sign(np.array([0.5, 1.0]), 2.0).ranks
        array([1., 2.])
        """
        return self.weight * rankdata(self.values.round(12)) / len(self.values)


def codes(y: ArrayLike, n: int) -> Labels:
    """Classes (n,) by number, from labels y (n,) of any kind; -1 where y is -1 or "-1".

    Raises
    ------
    InputError : y is not one label a row, has missing values, or mixes numbers and texts

    Examples
    --------
    >>> codes(["home", -1, "work"], 3)
    array([ 0, -1,  1])
    """
    if np.shape(y) != (n,):
        raise InputError(
            f"y has shape {np.shape(y)} but X has {n} rows; give one label per row, and -1 where "
            "it is unknown."
        )
    values = np.asarray(y, dtype=None if hasattr(y, "__array__") else object)
    rows = np.flatnonzero([str(label) not in ("-1", "-1.0") for label in values.tolist()])
    numbers = np.full(n, -1)
    if len(rows):
        numbers[rows] = partitions.partition(values[rows], "y")
    return numbers


def sign(labels: Labels, y: Labels) -> Sign | None:
    """What the known labels y (n,), -1 elsewhere, say of R runs (R, n) of one task.

    Returns
    -------
    None where they are too few, see `enough`

    Examples
    --------
    >>> y = np.array([0, 0, 1, 1, -1])
    >>> sign(np.array([[3, 3, 0, 0, 0], [1, 1, 1, 0, 0]]), y)
    Sign(values=array([1.  , 0.75]), weight=0.4)
    """
    if not enough(y):
        return None
    rows = np.flatnonzero(y >= 0)
    values = np.array([measures.accuracy(y[rows], run[rows]) for run in labels])
    return Sign(values, len(rows) / PER_SIGN)


def enough(y: Labels) -> bool:
    """Whether at least two classes have two known rows each.

    >>> enough(np.array([0, 0, 1, -1])), enough(np.array([0, 0, 1, 1]))
    (False, True)
    """
    return bool((np.bincount(y[y >= 0]) >= ROWS).sum() >= CLASSES)
