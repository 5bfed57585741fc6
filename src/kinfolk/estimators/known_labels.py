"""Base class of classifiers of unlabeled rows that use labels of related tasks."""

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from kinfolk.arrays import Labels, Matrix, MatrixLike, Table
from kinfolk.errors import InputError
from kinfolk.estimators import warn
from kinfolk.estimators.base import MultiTaskEstimator
from kinfolk.estimators.correspondence import Correspondence
from kinfolk.estimators.cut_clusters import warn_of_cut_clusters
from kinfolk.estimators.descent import Run
from kinfolk.numerics import kinds, memberships, operators
from kinfolk.tables import Tasks, intake

UNKNOWN = (-1, "-1")
"""Entries of y that stand for an unknown label, in numbers and in text."""
DISTINCT = 1e-9
"""Axes between class means shorter than this share of the longest are rounding."""


class Given(NamedTuple):
    """Mask (n,) of the rows with a known label, and their m classes, 0 to k - 1."""

    known: NDArray[np.bool_]
    classes: Labels
    k: int

    @property
    def fixed(self) -> Matrix:
        """0/1 class memberships (m, k) of the rows with a known label."""
        return memberships.indicator(self.classes, self.k)

    @property
    def shares(self) -> NDArray[np.float64]:
        """Share (k,) of each class among the rows with a known label."""
        return np.bincount(self.classes, minlength=self.k) / len(self.classes)


def as_numbers(y: NDArray[Any]) -> NDArray[Any]:
    """Convert labels (n,) that are numbers in an array of objects to an array of numbers.

    >>> as_numbers(np.array([7, -1], dtype=object)), as_numbers(np.array(["x", -1], dtype=object))
    (array([ 7, -1]), array(['x', -1], dtype=object))
    """
    if y.dtype == object and all(isinstance(label, Real | np.bool_) for label in y.tolist()):
        return np.array(y.tolist())
    return y


def known_rows(y: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the rows (n,) whose label is known.

    >>> known_rows(np.array([7, -1, 9]))
    array([ True, False,  True])
    """
    if np.ma.is_masked(y) or any(map(intake.missing, y.tolist())):
        raise InputError("y has missing values; give -1 where a label is unknown.")
    known = ~np.array([label in UNKNOWN for label in y.tolist()], dtype=bool)
    if not known.any():
        raise InputError("y has no known label (all are -1); give those of at least one task.")
    try:
        check_classification_targets(y[known])
    except TypeError as error:
        raise InputError("y mixes kinds of labels; give all numbers or all texts.") from error
    except ValueError as error:  # in scikit-learn's words, which tools for its estimators look for
        raise InputError(
            "Unknown label type: y has labels that are no classes, such as fractions; give whole "
            "numbers or texts, and -1 where a label is unknown."
        ) from error
    return known


class KnownLabelsEstimator(MultiTaskEstimator):
    """Base of methods that find unknown labels (-1) from known ones, over several tasks.

    Attributes
    ----------
    classes_ : (k,), the known labels, sorted
    transduction_ : (n,), the class of each row: the known label, else the one found
    labels_ : (n,), the position of this class in `classes_`
    known_ : (n,), True where the label is known
    matched_clusters_ : (C,), the class of each cluster, so `matched_labels_` equal `labels_`
    and all of `MultiTaskEstimator`

    Warns
    -----
    SharingWarning : the rows of a task without known labels lie far from all known classes, in a
        table of measurements; or k-means finds the known classes, but other groups in this task
    """

    of_rows: tuple[str, ...] = ("transduction_", "known_")

    classes_: NDArray[Any]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _open_labelled(self, X: MatrixLike, y: Any, tasks: Any) -> tuple[Table, Tasks, Given]:
        """Check table, tasks and labels y (n,), set `classes_`; return all, sorted by content."""
        table, found = self._open(X, tasks, least_rows=1)
        if y is None:
            raise InputError(
                f"{type(self).__name__} requires y to be passed, but the target y is None; give "
                "the known labels, and -1 where a label is unknown."
            )
        y = intake.in_order_of(X, y, "y")
        y = y if np.ma.is_masked(y) else as_numbers(column_or_1d(y, warn=True))
        check_consistent_length(table, y)
        y = self._sorted(y)
        known = known_rows(y)
        self.classes_, classes = np.unique(y[known], return_inverse=True)
        return table, found, Given(known, classes, len(self.classes_))

    def _record_classes(
        self, X: Table, tasks: Tasks, given: Given, labels: Labels, run: Run[Any] | None = None
    ) -> Self:
        """Put known labels into `labels` (n,), in place, and set the fitted attributes."""
        labels[given.known] = given.classes
        self.known_ = given.known
        self.transduction_ = self.classes_[labels]
        self._warn_of_other_classes(X, tasks, given, labels)
        return self._record(X, tasks, labels, [given.k] * len(tasks.names), run)

    def _warn_of_other_classes(self, X: Table, tasks: Tasks, given: Given, labels: Labels) -> None:
        """Warn of tasks without known labels that seem to have other groups than these classes."""
        new = {
            f"task {name!r}": rows
            for name, rows in zip(tasks.names, tasks.rows(), strict=True)
            if not given.known[rows].any()
        }
        far = self._far_from_classes({name: X[rows] for name, rows in new.items()}, X, given)
        known = [rows[given.known[rows]] for rows in tasks.rows()]
        warn_of_cut_clusters(
            ((X[rows], labels[rows]) for rows in known if len(rows)),
            {name: (X[rows], labels[rows]) for name, rows in new.items() if name not in far},
            given.k,
        )

    def _far_from_classes(self, new: Mapping[str, Table], X: Table, given: Given) -> list[str]:
        """Warn of tasks whose rows lie far from all known classes; return their names."""
        # Texts of other words lie as far, and are classified well by the words that they share.
        if kinds.kind(X) != kinds.MEASUREMENTS:
            return []
        fixed = given.fixed
        means = operators.crossed(X[given.known], fixed).T / fixed.sum(axis=0)[:, None]
        axes = self._class_axes(means)
        return warn.of_other_groups(
            {name: operators.times(own, axes) for name, own in new.items()},
            means @ axes,
            "mean of a known class",
            "cluster each of these tasks by itself",
        )

    def _class_axes(self, means: Matrix) -> Matrix:
        """Axes (d, q) along which rows are compared with the means (k, d) of known classes."""
        # Where the means differ: along other axes a shift of a task changes no nearest mean.
        _, lengths, axes = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
        return axes[lengths > DISTINCT * lengths[0]].T

    def predict(self, X: MatrixLike, tasks: Any = None) -> NDArray[Any]:
        """Return the classes (m,) of new rows X (m, d) of known tasks (m,), or of one for all."""
        check_is_fitted(self)
        return self.classes_[super().predict(X, tasks)]

    def _match_clusters(
        self, X: Table, tasks: Tasks, labels: Labels, k: list[int]
    ) -> Correspondence:
        """Match equal classes in all tasks; the strength is their mean similarity."""
        found = super()._match_clusters(X, tasks, labels, k)
        T = len(tasks.names)
        n_classes = k[0]
        links = found.links.reshape(T, n_classes, T, n_classes).diagonal(axis1=1, axis2=3)
        others = links.sum(axis=1).ravel() - 1.0  # without the link of 1 of each to itself
        strength = others / (T - 1) if T > 1 else np.full(n_classes, np.nan)
        return replace(found, groups=np.tile(np.arange(n_classes), T), strength=strength)
