"""Finds the columns whose gaps tell something about the rows: those get a 0/1 column of their own.

A test that only the ill are given, or a price that cheap models have not, divides the rows as their
other columns do. Gaps of a form that had a further page in some years do not: marked by a column,
they would divide clusters in two (`docs/tables-measured.md`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.preparation import gap_filling
from kinfolk.preparation.recipes import Recipe
from kinfolk.tables.columns import Column

MANY_GAPS = 0.2
"""Gaps of columns with at most this share are few: their rows are filled and not marked."""

# Of patients and cars, .50 to .65 in columns whose gaps tell something; of birds and patients, .15
# to .28 in such as were not measured in some years.
TELLING = 0.4
"""Smallest correlation within tasks of gaps with another column that makes them telling."""

CERTAIN = 4.0
"""Standard errors, 1 / sqrt(n), that the correlation must exceed, as many columns are asked."""

THE_SAME = 0.9
"""Correlation of the gaps of two columns from which one mark stands for both."""


def marked(
    recipes: Sequence[Recipe],
    table: Sequence[Column],
    Z: Matrix,
    codes: Labels,
    lacking: Mapping[str, NDArray[np.bool_]],
) -> tuple[Recipe, ...]:
    """Return the recipes, with an indicator where gaps are many and tell something.

    Parameters
    ----------
    Z : (n, d) rows as the recipes encode them, scaled within each task, NaN for gaps
    codes : (n,) tasks of the rows
    lacking : see `mixed.fit`

    Examples
    --------
    >>> income = Column("income", "number", "", np.repeat([np.nan, 50.0, 60.0], [20, 15, 15]))
    >>> age = Column("age", "number", "", np.repeat([9.0, 10.0, 40.0, 50.0], [10, 10, 15, 15]))
    >>> recipes = [Recipe("income", "number"), Recipe("age", "number")]
    >>> Z = np.column_stack([c.values - np.nanmean(c.values) for c in (income, age)])
    >>> [r.names for r in marked(recipes, [income, age], Z, np.zeros(50, dtype=int), {})]
    [['income', 'income is missing'], ['age']]
    """
    rows = gap_filling.evenly(codes)
    gaps = {column.name: column.gaps[rows] for column in table}
    without_view = [lacks[rows] for lacks in lacking.values()]
    with_marks = set(_telling(recipes, gaps, Z[rows], codes[rows], without_view))
    return tuple(replace(r, indicator=r.name in with_marks) for r in recipes)


def _telling(
    recipes: Sequence[Recipe],
    gaps: Mapping[str, NDArray[np.bool_]],
    Z: Matrix,
    codes: Labels,
    lacking: Sequence[NDArray[np.bool_]],
) -> Iterator[str]:
    """Yield the names of columns whose gaps are to be marked."""
    owners = np.array([recipe.name for recipe in recipes for _ in recipe.names])
    many = {name for name in set(owners) if share_of_gaps(gaps[name], codes) > MANY_GAPS}
    # Gaps of rows that lack a view are NaN in the whole view, and need no column of marks.
    known = [_within(rows, codes) for rows in lacking]
    evidence = np.nan_to_num(Z[:, ~np.isin(owners, list(many))])
    for recipe in recipes:
        if recipe.name not in many:
            continue
        mark = _within(gaps[recipe.name], codes)
        rows = mark != 0
        # Of columns with gaps in the same rows, as of one left-out page of a form, one is marked.
        same = any(_correlations(mark, other[:, None])[0] > THE_SAME for other in known)
        told = np.abs(_correlations(mark[rows], evidence[rows])).max(initial=0.0)
        if not same and told > max(TELLING, CERTAIN / np.sqrt(max(rows.sum(), 1))):
            known.append(mark)
            yield recipe.name


def _within(gaps: NDArray[np.bool_], codes: Labels) -> Vector:
    """Return the marks (n,) of gaps less their mean in the task: 0 in tasks without or all gaps."""
    return gaps - _shares(gaps, codes)


def _correlations(mark: Vector, Z: Matrix) -> Vector:
    """Correlations (d,) of a mark (n,) with columns Z (n, d), all with mean 0; 0 if one is 0."""
    lengths = np.linalg.norm(mark) * np.linalg.norm(Z, axis=0)
    return np.divide(mark @ Z, lengths, out=np.zeros(Z.shape[1]), where=lengths > 0)


def share_of_gaps(gaps: NDArray[np.bool_], codes: Labels) -> float:
    """Share of gaps (n,) among the rows of tasks that have the column.

    >>> share_of_gaps(np.array([True, False, True, True]), np.array([0, 0, 1, 1]))
    0.5
    """
    there = recorded(gaps, codes)
    return float(gaps[there].mean()) if there.any() else 0.0


def recorded(gaps: NDArray[np.bool_], codes: Labels) -> NDArray[np.bool_]:
    """Mark rows (n,) of tasks that have a value in the column.

    >>> recorded(np.array([True, False, True, True]), np.array([0, 0, 1, 1]))
    array([ True,  True, False, False])
    """
    return np.asarray(_shares(gaps, codes) < 1)


def _shares(gaps: NDArray[np.bool_], codes: Labels) -> Vector:
    """Share of gaps in the task of each row (n,)."""
    return np.asarray((np.bincount(codes, gaps) / np.bincount(codes))[codes])
