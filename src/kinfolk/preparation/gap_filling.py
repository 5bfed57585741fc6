"""Gaps of numbers, filled by what the other columns of a row make likely within its task.

A median stands off the axis of columns that rise together, such as the lengths of an animal: rows
with gaps are then far from all clusters. Rows of a task are taken for normal (`numerics.
task_normals`), which sees categories as predictors too; gaps of these are not filled by it.
`docs/tables-measured.md` says what decided this.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix
from kinfolk.numerics.task_normals import Normals
from kinfolk.preparation.recipes import Recipe
from kinfolk.tables import columns

MOST_COLUMNS = 200
"""Wider tables keep medians: a row of g gaps takes g^3 steps."""

MOST_ROWS = 20_000
"""Covariances are learned from about as many rows, evenly taken; more would change little."""

MOST_NUMBERS = 1_000_000
"""Tasks keep covariances of their own up to this many entries: 8 MB of the model."""


def predictors(recipes: Sequence[Recipe]) -> NDArray[np.intp]:
    """Positions of the encoded columns that predict gaps of others: all but 0/1 marks of gaps.

    >>> predictors([Recipe("age", "number", indicator=True), Recipe("income", "amount")])
    array([0, 2])
    """
    told = [j == len(r.names) - 1 and r.indicator for r in recipes for j in range(len(r.names))]
    return np.flatnonzero(np.logical_not(told))


def numbers(recipes: Sequence[Recipe]) -> NDArray[np.intp]:
    """Positions of the columns of numbers in the encoded matrix.

    >>> numbers([Recipe("age", "number", indicator=True), Recipe("income", "amount")])
    array([0, 2])
    """
    kinds = [kind for r in recipes for kind in [r.kind] + [""] * (len(r.names) - 1)]
    return np.flatnonzero([kind in columns.NUMERIC for kind in kinds])


def learned(recipes: Sequence[Recipe], Z: Matrix, codes: Labels, n_tasks: int) -> Normals | None:
    """Learn normal distributions of scaled rows Z (n, d), NaN in gaps; None: fill by medians."""
    told = predictors(recipes)
    if not len(numbers(recipes)) or not 1 < len(told) <= MOST_COLUMNS:
        return None
    kept = evenly(codes)
    alone = n_tasks * len(told) ** 2 <= MOST_NUMBERS
    return Normals.fit(Z[kept][:, told], codes[kept], n_tasks, alone=alone)


def with_tasks(
    recipes: Sequence[Recipe], found: Normals, Z: Matrix, codes: Labels, n_tasks: int
) -> Normals:
    """Append normal distributions of new tasks, learned from their scaled rows Z (n, d)."""
    kept = evenly(codes)
    return found.with_tasks(Z[kept][:, predictors(recipes)], codes[kept], n_tasks)


def filled(
    recipes: Sequence[Recipe],
    found: Normals,
    X: Matrix,
    gaps: NDArray[np.bool_],
    varies: NDArray[np.bool_],
    codes: Labels,
) -> Matrix:
    """Fill gaps of numbers in scaled rows X (n, d), where a column `varies` (n, d) in the task."""
    own = numbers(recipes)
    rows = np.flatnonzero(gaps[:, own].any(axis=1))
    told = predictors(recipes)
    Z = np.where(gaps[rows], np.nan, X[rows])[:, told]
    expected = found.filled(Z, codes[rows])[:, np.searchsorted(told, own)]
    places = np.ix_(rows, own)
    filled = X.copy()
    filled[places] = np.where(gaps[places] & varies[places], expected, X[places])
    return filled


def evenly(codes: Labels) -> NDArray[np.intp]:
    """Positions of about `MOST_ROWS` rows, evenly taken from each task; all, if they are fewer."""
    step = -(-len(codes) // MOST_ROWS)
    return np.concatenate([np.flatnonzero(codes == t)[::step] for t in np.unique(codes)])
