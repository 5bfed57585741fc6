"""Base classes of methods that propagate known labels along a nearest-neighbor graph."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.errors import InputError
from kinfolk.estimators import checks, kept_rows, warn
from kinfolk.estimators.known_labels import Given, KnownLabelsEstimator
from kinfolk.numerics import graphs, label_graphs
from kinfolk.numerics.label_graphs import Links
from kinfolk.tables import Tasks

ALL = "all"
"""Value of `n_neighbors` that links each row to every other."""


class LabelGraphEstimator(KnownLabelsEstimator):
    """Base of methods that classify rows along the graph of nearest rows of all tasks.

    A new row that equals a row of unknown label gets its class. Other new rows get a class by
    their `n_neighbors` nearest rows of the fit, see `_scores`.

    Attributes
    ----------
    memberships_ : (n, k), rows sum to 1; 0/1 where the label is known
    unreached_ : number of rows without a path of links to a row of known label; their memberships
        are the shares of the known classes
    and all of `KnownLabelsEstimator`
    """

    keeps = kept_rows.ROWS
    of_rows: tuple[str, ...] = ("memberships_",)
    keeps_row_order = True

    n_neighbors: Any

    def _width(self, n: int) -> int:
        """Check `n_neighbors` and return it as a number of rows, n for "all"."""
        given = self.n_neighbors
        if isinstance(given, str):
            if given != ALL:
                raise InputError(
                    f"n_neighbors is {given!r}; give a whole number of at least 1, or {ALL!r}."
                )
            return n
        return checks.at_least("n_neighbors", given, 1)

    def _record_values(
        self, X: Table, tasks: Tasks, given: Given, F: Matrix, compared: Table | None = None
    ) -> Self:
        """Set the fitted attributes from class values F (n, k); nan or 0 if unreached.

        `compared` (n, d) are the rows as new ones are compared with them; None: X.
        """
        sums = np.nan_to_num(F).sum(axis=1, keepdims=True)
        lost = sums[:, 0] <= 0
        self.memberships_ = np.where(lost[:, None], given.shares, F / np.where(sums > 0, sums, 1.0))
        self.memberships_[given.known] = given.fixed
        lost &= ~given.known
        self.unreached_ = int(lost.sum())
        warn.of_unreached_rows(self.unreached_)
        self._rows = X if compared is None else compared
        self._free = np.flatnonzero(~given.known)
        labels = self.memberships_.argmax(axis=1)
        if len(self._free) > 1:
            labels[self._free] = labels[self._free][self._first_alike()]
        return self._record_classes(X, tasks, given, labels)

    def _first_alike(self) -> np.ndarray:
        """Position, for each unlabeled row, of the first unlabeled row that is equal to it."""
        own = self._rows[self._free]
        near, lengths = self._nearest(own, None)
        return graphs.first_of_equal(near, self._equal(own, own, near, lengths))

    def _assign(self, X: Table, t: int) -> Labels:
        labels = self._scores(X).argmax(axis=1)
        if not len(self._free):
            return labels
        own = self._rows[self._free]
        near, lengths = self._nearest(own, X, 1)
        equal = self._equal(X, own, near, lengths)[:, 0]
        return np.where(equal, self._sorted(self.labels_)[self._free[near[:, 0]]], labels)

    def _nearest(
        self, X: Table, rows: Table | None, l: int | None = None
    ) -> tuple[np.ndarray, Matrix]:
        """Positions and squared distances (m, l) of the rows of X that are nearest to `rows`.

        `rows` None: nearest to each row of X, itself left out. l None: `n_neighbors`.
        """
        return label_graphs.nearest(X, self._width(X.shape[0]) if l is None else l, rows)

    def _equal(self, rows: Table, X: Table, near: np.ndarray, lengths: Matrix) -> np.ndarray:
        """Mark which of the nearest training rows are equal to each row."""
        return label_graphs.same_place(rows, X, near, lengths)

    @abstractmethod
    def _scores(self, X: Table) -> Matrix:
        """Class scores (m, k) of new rows X (m, d), the largest for their class."""


class GaussianGraphEstimator(LabelGraphEstimator):
    """Base of methods that propagate labels along Gaussian-weighted links.

    Attributes
    ----------
    bandwidth_ : float, the square root of s of `numerics.label_graphs`, in units of X
    """

    width: float
    _factor: float
    """Ratio of s in `numerics.label_graphs` to the squared width in the method's own formula."""
    _values: Matrix

    def _set_bandwidth(self, X: Table) -> None:
        """Check `width` and set `bandwidth_`, a share of the squared mean distance."""
        self._width(X.shape[0])
        width = checks.above("width", self.width, 0)
        self.bandwidth_ = float(label_graphs.mean_distance(X) * np.sqrt(width))

    def _links(self, X: Table) -> Links:
        """Build the Gaussian-weighted graph of all rows X (n, d), n > 1."""
        squares = label_graphs.edges(X, min(self._width(X.shape[0]), X.shape[0] - 1))
        return label_graphs.links(squares, self._factor * self.bandwidth_**2)

    def _shares(self, X: Table) -> tuple[np.ndarray, Matrix]:
        """Nearest training rows (m, l) of new rows, and their normalized weights (m, l)."""
        near, squares = self._nearest(self._rows, X)
        return near, label_graphs.transitions(squares, self._factor * self.bandwidth_**2)

    def _scores(self, X: Table) -> Matrix:
        """Mean class values (m, k) of the nearest training rows, weighted by their links."""
        near, shares = self._shares(X)
        scores: Matrix = np.einsum("ml,mlk->mk", shares, self._values[near])
        return scores
