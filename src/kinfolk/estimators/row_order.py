"""Sorts rows by content before a fit, and returns results in the caller's order.

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
    """Base of estimators whose fit does not depend on the order of the rows."""

    of_rows: tuple[str, ...] = ("labels_",)
    """Public attributes with an entry for each row of the fit, beside those of the base classes."""

    keeps_row_order = False
    """True if prediction looks up `of_rows` by positions among the rows that `fit` worked on."""

    _row_order: Labels

    def _sorts_rows(self) -> bool:
        """True if rows may be sorted; False if columns stand for rows (similarities)."""
        return not get_tags(self).input_tags.pairwise

    def _by_content(self, X: Table, tasks: Tasks) -> tuple[Table, Tasks]:
        """Sort rows and tasks by content, and remember the order."""
        self.__dict__.pop("_row_order", None)
        if not self._sorts_rows():
            return X, tasks
        X, found = content_order.sorted_rows(X, tasks.codes)
        self._row_order = found.rows
        return X, Tasks(tasks.names, tasks.codes[found.rows])

    def _sorted(self, values: Any) -> Any:
        """Reorder per-row values (n, ...) from the caller's order to the sorted one."""
        order = vars(self).get("_row_order")  # models of older versions have none
        return values if order is None else values[order]

    def _unsorted(self, values: Any) -> Any:
        """Reorder per-row values (n, ...) from the sorted order to the caller's."""
        order = vars(self).get("_row_order")
        return values if order is None else values[np.argsort(order)]

    def _put_back(self, tasks: Tasks) -> None:
        """Reorder all per-row attributes to the caller's order after a fit."""
        order = vars(self).get("_row_order")
        if order is None:
            return
        for name, value in _values_of_rows(self).items():
            setattr(self, name, in_given_order(value, order, tasks))
        if not self.keeps_row_order:
            del self._row_order


def in_given_order(values: Any, order: Labels, tasks: Tasks) -> Any:
    """Reorder per-row values, of all rows or a list by task, to the caller's order.

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
    """Reorder a model's per-row results, in place, from those of X[given] to those of X.

    `given` (n,) are positions of rows, `codes` (n,) those of their tasks. Estimators inside the
    model are changed, too.
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
    """Return the attributes of a fitted estimator that have an entry per row."""
    names = {name for cls in type(model).__mro__ for name in vars(cls).get("of_rows", ())}
    return {name: vars(model)[name] for name in {*names, "labels_"} if name in vars(model)}
