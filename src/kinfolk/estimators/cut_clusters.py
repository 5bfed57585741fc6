"""Warning of tasks whose k-means clusters are not the classes that were found in them.

In the tasks with known classes k-means may find just these classes. If it then finds other groups
in a task without known classes, this task has other classes, or those found in it are wrong:

    p = (a + 1) / (m + 2)    m rows of known classes, a of them in the cluster of their class
    q = (b + 1) / (n + 2)    n rows of classes found, b of them in the cluster of their class
    e = sqrt(p (1 - p) / (m + 2) + q (1 - q) / (n + 2))
    warned if  p >= CLEAR  and  p - q > max(MARGIN, 2 e)

Clusters and classes are paired one to one. A task has as many clusters as there are known classes.

Units   none.
Source  estimates and error of Agresti and Caffo (2000); the comparison is ours.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Self

import numpy as np

from kinfolk.arrays import Labels, Table
from kinfolk.errors import SharingWarning, warn_user
from kinfolk.estimators.warn import first_three
from kinfolk.numerics import matching, starts

CLEAR = 0.9
"""Least share of known rows in the k-means cluster of their class for any warning.

Where the share was lower, right classes were warned of, too.
"""

MARGIN = 0.05
"""Least difference of the shares of known and of new rows that makes the new classes doubtful."""

MAX_ROWS = 2000
"""Most rows of a task that k-means clusters: more take time, and a share of 2,000 errs by .01."""


class MatchedShare(NamedTuple):
    """Count of a task's n rows that lie in the k-means cluster matched to their class."""

    paired: int
    n: int

    @classmethod
    def of(cls, X: Table, classes: Labels, k: int) -> Self:
        """Cluster X (n, d) by k-means, and count rows in the cluster matched to their class."""
        n = X.shape[0]
        rows = np.linspace(0, n - 1, min(n, MAX_ROWS)).astype(int)
        clusters = starts.kmeans(X[rows], min(k, len(rows)), 0, n_init=10)
        return cls(matching.n_paired(clusters, classes[rows]), len(rows))

    def __str__(self) -> str:
        return f"{self.paired / self.n:.0%}".replace("%", " %")

    @property
    def share(self) -> float:
        """Share of rows in the matched cluster, shrunk towards 1/2 where rows are few."""
        return (self.paired + 1) / (self.n + 2)

    @property
    def variance(self) -> float:
        """The squared standard error of the share."""
        return self.share * (1 - self.share) / (self.n + 2)

    def is_below(self, other: "MatchedShare") -> bool:
        """True if the share is lower than another by more than its error and the margin.

        >>> MatchedShare(68, 100).is_below(MatchedShare(98, 100))
        True
        >>> MatchedShare(95, 100).is_below(MatchedShare(98, 100))
        False
        """
        error = 2 * np.sqrt(self.variance + other.variance)
        return bool(other.share - self.share > max(MARGIN, error))


def warn_of_cut_clusters(
    known: Iterable[tuple[Table, Labels]], found: Mapping[str, tuple[Table, Labels]], k: int
) -> None:
    """Warn if k-means clusters are the known classes, but not the classes found in other tasks.

    Parameters
    ----------
    known : rows (m, d) and their known classes (m,), of each task that has such
    found : name of a task without known classes -> its rows (n, d) and the classes found (n,)
    k : the number of known classes of all tasks
    """
    each = [
        MatchedShare.of(X, classes, own_k)
        for X, classes in known
        if (own_k := len(np.unique(classes))) > 1
    ]
    control = MatchedShare(sum(a.paired for a in each), sum(a.n for a in each))
    if control.share < CLEAR:
        return
    cut = {}
    for name, (X, classes) in found.items():
        own = MatchedShare.of(X, classes, k)
        if own.is_below(control):
            cut[name] = own
    if cut:
        shares = [f"{own} of {name}" for name, own in cut.items()]
        warn_user(
            f"k-means finds the known classes in {control} of their rows, but the classes found in "
            f"only {first_three(shares)}, where it finds other groups. Compare with k-means of "
            "each of these tasks, or cluster each by itself.",
            SharingWarning,
        )
