"""Fits work on rows in the order of their content, and give results in the order of the caller.

Random starts, samples and halves are then those of the content: a permutation of the rows, or of
the tasks, changes no draw, no choice between equal distances and no rounding within a task.
"""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from kinfolk.arrays import Labels, Table
from kinfolk.numerics import content_order
from kinfolk.tables import Tasks


class RowsByContent(BaseEstimator):
    """Sorts the rows of a fit by content, and puts its results back."""

    of_rows: tuple[str, ...] = ("labels_",)
    """Public attributes with an entry for each row of the fit, beside those of the base classes."""

    keeps_row_order = False
    """True if prediction looks up `of_rows` by positions among the rows that `fit` worked on."""

    _row_order: Labels

    def _sorts_rows(self) -> bool:
        """True if `fit` may take the rows in any order: not if columns are rows too."""
        return not get_tags(self).input_tags.pairwise

    def _by_content(self, X: Table, tasks: Tasks) -> tuple[Table, Tasks]:
        """Rows and tasks in the order of their content."""
        self.__dict__.pop("_row_order", None)
        if not self._sorts_rows():
            return X, tasks
        X, found = content_order.sorted_rows(X, tasks.codes)
        self._row_order = found.rows
        return X, Tasks(tasks.names, tasks.codes[found.rows])

    def _sorted(self, values: Any) -> Any:
        """Entries (n, ...) for the rows in the given order, as `fit` worked on them."""
        order = vars(self).get("_row_order")  # models of older versions have none
        return values if order is None else values[order]

    def _unsorted(self, values: Any) -> Any:
        """Entries (n, ...) for the rows as `fit` works on them, in the given order."""
        order = vars(self).get("_row_order")
        return values if order is None else values[np.argsort(order)]

    def _put_back(self, tasks: Tasks) -> None:
        """Bring the attributes `of_rows` into the order in which the rows were given."""
        order = vars(self).get("_row_order")
        if order is None:
            return
        for name, value in _values_of_rows(self).items():
            setattr(self, name, in_given_order(value, order, tasks))
        if not self.keeps_row_order:
            del self._row_order


def in_given_order(values: Any, order: Labels, tasks: Tasks) -> Any:
    """Entries for the rows of all tasks, or a list of those for each task, in the given order.

    `tasks` are those of the sorted rows, `order` (n,) their positions among the given ones.

    >>> tasks = Tasks.of(["a", "b", "a"])
    >>> in_given_order(np.array([7, 8, 9]), np.array([2, 0, 1]), tasks)
    array([8, 9, 7])
    >>> in_given_order([np.array([7, 9]), np.array([8])], np.array([2, 0, 1]), tasks)
    [array([9, 7]), array([8])]
    """
    if not isinstance(values, list):
        return values[np.argsort(order)]
    return [own[np.argsort(order[rows])] for own, rows in zip(values, tasks.rows(), strict=True)]


def move_rows(model: Any, given: Labels, codes: Labels) -> None:
    """Bring results of a fit to rows at positions (n,), which were not ascending, into that order.

    `codes` (n,) are the positions of the tasks of these rows. Estimators inside the model move too.
    """
    if "estimator_" in vars(model):
        move_rows(model.estimator_, given, np.zeros(len(given), dtype=int))
    for t, inner in enumerate(vars(model).get("estimators_", ())):
        own = given[codes == t]
        move_rows(inner, own, np.zeros(len(own), dtype=int))
    if "_row_order" in vars(model):
        model._row_order = np.argsort(np.argsort(given))[model._row_order]
    tasks = Tasks(list(range(int(codes.max()) + 1)), codes)
    for name, value in _values_of_rows(model).items():
        setattr(model, name, in_given_order(value, given, tasks))


def _values_of_rows(model: Any) -> dict[str, Any]:
    """Return the attributes of a fitted estimator with an entry for each row."""
    names = {name for cls in type(model).__mro__ for name in vars(cls).get("of_rows", ())}
    return {name: vars(model)[name] for name in {*names, "labels_"} if name in vars(model)}
