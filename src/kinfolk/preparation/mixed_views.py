"""Views of a mixed table: their encoded columns, and rows that lack a view.

A row lacks a view if it has a value in none of the columns of it that are clustered on. It is then
NaN in all prepared columns of the view: gaps are filled within a view, not whole views.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Matrix
from kinfolk.errors import InputError
from kinfolk.preparation import mixed
from kinfolk.preparation.recipes import Recipe
from kinfolk.tables import columns
from kinfolk.tables.columns import Column


def lacking(table: Sequence[Column], views: Mapping[str, slice]) -> dict[str, NDArray[np.bool_]]:
    """Return {column: mask (n,) of rows that lack the column's view}."""
    found: dict[str, NDArray[np.bool_]] = {}
    for view in views.values():
        used = [column for column in table[view] if column.kind in mixed.USED]
        gaps = columns.lacking(used, 0)
        found |= {column.name: gaps for column in used}
    return found


def ends(
    recipes: Sequence[Recipe], table: Sequence[Column], views: Mapping[str, slice]
) -> list[int]:
    """Return each view's end position among the encoded columns; InputError if it has none.

    >>> age, plan = (Column(name, "number", "", np.zeros(2)) for name in ("age", "plan"))
    >>> recipes = [Recipe("age", "number"), Recipe("plan", "category", ("a", "b", "c"))]
    >>> ends(recipes, [age, plan], {"person": slice(0, 1), "shop": slice(1, 2)})
    [1, 4]
    """
    width = {recipe.name: len(recipe.names) for recipe in recipes}
    sizes = {
        view: sum(width.get(column.name, 0) for column in table[own]) for view, own in views.items()
    }
    if empty := [view for view, size in sizes.items() if not size]:
        own = ", ".join(f"{c.name!r} ({c.kind})" for c in table[views[empty[0]]][:5])
        raise InputError(
            f"no column of view {empty[0]!r} is left to cluster on, out of {own}: leave the view "
            "out, or say what a column is to be taken for, as in "
            f"{columns.taken_as('code', columns.CATEGORY)}."
        )
    return [int(end) for end in np.cumsum(list(sizes.values()))]


def without_missing(
    X: Matrix, recipes: Sequence[Recipe], table: Sequence[Column], stops: Sequence[int]
) -> Matrix:
    """Set encoded rows X (n, d) to NaN in the views that a row lacks.

    Parameters
    ----------
    stops : the end of each view among the prepared columns
    """
    values = {column.name: column for column in table}
    last = np.cumsum([len(recipe.names) for recipe in recipes])
    X = X.copy()
    for start, stop in zip([0, *stops], stops, strict=False):
        own = [r.name for r, end in zip(recipes, last, strict=True) if start < end <= stop]
        X[columns.lacking([values[name] for name in own], len(X)), start:stop] = np.nan
    return X
