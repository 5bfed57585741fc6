"""Encodes mixed columns as a matrix in which each column counts about equally.

Numbers have mean 0 and variance 1 within each task: units, and shifts between tasks, do not matter.
Two rows of a number then differ by 2 in the mean of squares. So that a category counts no more, two
rows with different values differ by just 2, and rows with the same value by 0: one 0/1 column for
each value, or one 0/sqrt(2) column for two values and for yes/no. However many values a category
has, and however rare they are, its mean is below 2. Each answer of a question with several answers
in a cell is a yes/no column, as in tables with a column for each. An ordered category has a column
of two values for each step up, with variance 1 in all within each task: as one number it would
spoil mixtures.

    Gower (1971)  1 for different values too, but numbers over their range, which differ by less
    FAMD          0/1 columns over the root of their share: grows with the number of values
    z-scores      grows with the number of values too, and a rare value outweighs all numbers

`docs/tables-measured.md` says what decided this rule and the scale within each task.

Skewed numbers become logarithms before that (`logarithms`): few rows with much money would be a
cluster of their own, and all others stand close together.

Gaps of numbers take what the other columns of the row make likely in their task (`gap_filling`),
those of categories the most frequent value of their task. A column that a task lacks altogether
stands there at the middle of the others, so that the task is not set apart by it.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from kinfolk.arguments import spelled
from kinfolk.arrays import Labels, Matrix
from kinfolk.errors import InputError
from kinfolk.numerics.task_normals import Normals
from kinfolk.preparation import (
    components,
    gap_filling,
    left_out,
    logarithms,
    scaling,
    telling_gaps,
)
from kinfolk.preparation.recipes import OTHER, Recipe
from kinfolk.tables import Tasks, answers, columns
from kinfolk.tables.alignment import some
from kinfolk.tables.columns import Column

USED = (*columns.NUMERIC, columns.YES_NO, columns.ORDERED, *columns.WITH_LEVELS)
"""Kinds that are clustered on; the others say nothing about how alike two rows are."""

WITH_SCALE = (*columns.NUMERIC, columns.ORDERED)
"""Kinds beside which a table is no longer one of categories alone."""


@dataclass(frozen=True)
class Mixed:
    """Encoding rules of all columns, with centers, spreads and fill values per task.

    Attributes
    ----------
    recipes : of the columns that are used
    tasks : the T tasks it was fitted on
    centers, spreads : (T + 1, d) subtracted from and dividing the columns of the matrix
    fills : (T + 1, d) values of the matrix for gaps, and where a spread is 0
    normals : expect the gaps of numbers; None: these take `fills`, as in models of older versions

    The last row is the mean of the others, for tasks that are new.
    """

    recipes: tuple[Recipe, ...]
    tasks: tuple[str, ...] = ()
    centers: Matrix = field(default_factory=lambda: np.empty((0, 0)))
    spreads: Matrix = field(default_factory=lambda: np.empty((0, 0)))
    fills: Matrix = field(default_factory=lambda: np.empty((0, 0)))
    normals: Normals | None = None

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the d columns of the encoded matrix."""
        return tuple(name for recipe in self.recipes for name in recipe.names)

    def transform(self, table: Sequence[Column], tasks: NDArray[np.str_]) -> Matrix:
        """Encode the rows of a table as (n, d), each independent of the others.

        Raises
        ------
        InputError : a column is missing, or words stand where numbers are meant
        """
        E = _encoded(self.recipes, table)
        t = self._places(tasks.tolist())
        X = np.where(np.isnan(E) | (self.spreads[t] == 0), self.fills[t], self._scaled(E, t))
        if self.normals is None:
            return X
        return gap_filling.filled(
            self.recipes, self.normals, X, np.isnan(E), self.spreads[t] > 0, t
        )

    def scales(self, tasks: Sequence[str]) -> tuple[Matrix, Matrix]:
        """Return the centers and spreads (T, d) by which columns of these tasks are scaled."""
        t = self._places(tasks)
        return self.centers[t], self.spreads[t]

    def _places(self, tasks: Sequence[str]) -> Labels:
        """Position of each task; that of the mean for tasks that are new."""
        place = {task: t for t, task in enumerate(self.tasks)}
        return np.array([place.get(task, len(place)) for task in tasks], dtype=int)

    def _scaled(self, E: Matrix, t: Labels) -> Matrix:
        """Scale encoded rows (n, d) of the tasks at t (n,); gaps stay NaN."""
        scaled = scaling.standard(np.nan_to_num(E), self.centers[t], self.spreads[t])
        return np.where(np.isnan(E), np.nan, scaled)

    def with_tasks(self, table: Sequence[Column], tasks: NDArray[np.str_]) -> "Mixed":
        """Return the same rules, with centers, spreads and fill values of new tasks learned."""
        rows = ~np.isin(tasks, self.tasks)
        found = Tasks.of(tasks[rows])
        if not (new := found.names):
            return self
        E = _encoded(self.recipes, table)[rows]
        alike = components.are_common(self.spreads[:-1, gap_filling.numbers(self.recipes)])
        further = _learned(self.recipes, E, found, self.fills[-1], alike)
        known = (self.centers[:-1], self.spreads[:-1], self.fills[:-1])
        centers, spreads, fills = map(np.vstack, zip(known, further, strict=True))
        every = Mixed(self.recipes, (*self.tasks, *new), *_with_mean(centers, spreads, fills))
        if self.normals is None:
            return every
        Z = every._scaled(E, len(self.tasks) + found.codes)
        normals = gap_filling.with_tasks(self.recipes, self.normals, Z, found.codes, len(new))
        return replace(every, normals=normals)


def fit(
    table: Sequence[Column],
    tasks: NDArray[np.str_],
    lacking: Mapping[str, NDArray[np.bool_]] | None = None,
) -> Mixed:
    """Learn the encoding of a mixed table from the rows of all tasks.

    Parameters
    ----------
    lacking : column -> True for each row (n,) that lacks the view of the column, if there are views

    Raises
    ------
    InputError : a column is unclear, or none is left to cluster on

    Examples
    --------
    >>> income = Column("income", "number", "", np.array([10.0, 20.0, 30.0, 40.0, np.nan]))
    >>> plan = Column("plan", "category", "", np.array(["a", "a", "b", "b", "b"], dtype=object))
    >>> tasks = np.array(["IT"] * 5)
    >>> found = fit([income, plan], tasks)
    >>> found.feature_names
    ('income', 'plan=b')
    >>> found.transform([income, plan], tasks).round(3)  # the gap is that of a row of plan b
    array([[-1.342,  0.   ],
           [-0.447,  0.   ],
           [ 0.447,  1.414],
           [ 1.342,  1.414],
           [ 0.722,  1.414]])
    """
    found = Tasks.of(tasks)
    if unclear := [column for column in table if column.kind == columns.UNCLEAR]:
        raise InputError(
            f"column {unclear[0].name!r} is unclear: {unclear[0].reason}"
            + (f"; {len(unclear) - 1} more columns are unclear." if unclear[1:] else ".")
        )
    used = [column for column in table if column.kind in USED]
    recipes = tuple(_recipes(used, found.codes))
    if not recipes:
        kinds = ", ".join(f"{column.name!r} ({column.kind})" for column in table[:5])
        raise InputError(
            f"no column is left to cluster on, out of {kinds}: say what a column is to be taken "
            f"for, as in {columns.taken_as('code', columns.CATEGORY)}, or name the column of texts "
            f"({spelled('--text', 'text=')})."
        )
    made, Z = _scaled_within(recipes, table, found)
    recipes = telling_gaps.marked(recipes, used, Z, found.codes, lacking or {})
    if recipes != made.recipes:
        made, Z = _scaled_within(recipes, table, found)
    return replace(made, normals=gap_filling.learned(recipes, Z, found.codes, len(found.names)))


def _scaled_within(
    recipes: tuple[Recipe, ...], table: Sequence[Column], found: Tasks
) -> tuple[Mixed, Matrix]:
    """Learn the scales of each task; return the rules and the scaled rows (n, d), NaN for gaps."""
    E = _encoded(recipes, table)
    counts = np.maximum((~np.isnan(E)).sum(axis=0), 1)
    learned = _learned(recipes, E, found, neutral=np.nansum(E, axis=0) / counts)
    made = Mixed(recipes, tuple(map(str, found.names)), *_with_mean(*learned))
    return made, made._scaled(E, found.codes)


def notes(
    table: Sequence[Column],
    mixed: Mixed,
    tasks: NDArray[np.str_],
    lacking: Mapping[str, NDArray[np.bool_]] | None = None,
) -> Iterator[str]:
    """Yield sentences on columns left out, gaps, logarithms and rare values.

    Rows that are `lacking` the view of a column (see `fit`) are no gaps of it.
    """
    used = {recipe.name: recipe for recipe in mixed.recipes}
    if left := [column for column in table if column.name not in used]:
        yield f"Columns left out: {left_out.told(left)}."
    whole = lacking or {}
    codes = Tasks.of(tasks).codes
    gaps = {
        c.name: int(
            (c.gaps & telling_gaps.recorded(c.gaps, codes) & ~whole.get(c.name, False)).sum()
        )
        for c in table
        if c.name in used
    }
    if coded := [r for r in mixed.recipes if r.gap_codes]:
        told = (f"{r.name} ({' and '.join(f'{code:g}' for code in r.gap_codes)})" for r in coded)
        yield f"Numbers that are gaps, repeated and far from all others: {left_out.listed(told)}."
    if any(gaps.values()):
        counts = left_out.listed(f"{name} {number:,}" for name, number in gaps.items() if number)
        yield f"{_how_filled(mixed)} Gaps of each column: {counts}."
    if marked := [recipe.name for recipe in mixed.recipes if recipe.indicator]:
        yield (
            "Gaps that are many and go with the values of other columns are a further 0/1 "
            f"column: {left_out.listed(marked)}."
        )
    if empty := list(_lacking(used, table, tasks)):
        yield (
            f"Columns without any value in a data set: {left_out.listed(empty)}; its rows stand "
            "there at the middle of the others."
        )
    yield from _notes_on_values(mixed.recipes)


def _how_filled(mixed: Mixed) -> str:
    """Say by a sentence how gaps are filled."""
    if not len(gap_filling.numbers(mixed.recipes)):
        return "Gaps are filled by the most frequent value of their data set."
    if mixed.normals is None:
        return "Gaps are filled by the median or the most frequent value of their data set."
    return (
        "Gaps of numbers are filled by what the other columns of the row make likely within its "
        "data set, others by the most frequent value of the data set."
    )


def _notes_on_values(recipes: Sequence[Recipe]) -> Iterator[str]:
    """Yield sentences about columns whose values become logarithms or are joined."""
    signed = [recipe.name for recipe in recipes if recipe.log and recipe.log[0] < 0]
    skewed = [recipe.name for recipe in recipes if recipe.log and recipe.name not in signed]
    for which, how in (
        (skewed, "the logarithm, since few values are far above the others"),
        (signed, "a logarithm of size and sign (asinh), since few values are far from the others"),
    ):
        if which:
            yield f"Clustered by {how}: {left_out.listed(which)}."
    if joined := [recipe.name for recipe in recipes if recipe.other]:
        yield (
            f"Rare values are joined as {OTHER!r} in {some(joined)}: those of less than "
            f"{columns.COMMON:.0%} of the rows of every data set, or beyond the "
            f"{columns.MOST_LEVELS} commonest."
        )


def _lacking(
    used: Container[str], table: Sequence[Column], tasks: NDArray[np.str_]
) -> Iterator[str]:
    """Yield the name of each used column, with the tasks that have no value in it in brackets."""
    for column in table:
        if column.name in used:
            without = sorted(set(tasks.tolist()) - set(tasks[~column.gaps].tolist()))
            if without:
                yield f"{column.name} ({some(without)})"


def _recipes(table: Sequence[Column], codes: Labels) -> Iterator[Recipe]:
    """Yield the encoding rule of each column, but of categories with too few common values."""
    logs = _logarithms(table, codes)
    for column in table:
        there = set(column.values[~column.gaps].tolist())
        levels = tuple(level for level in column.levels if level in there)
        other = False
        if column.kind == columns.ORDERED and len(levels) < 2:
            continue
        if column.kind in columns.WITH_LEVELS:
            levels, other = _levels(column, codes)
            if len(levels) + other < 1 + (column.kind == columns.CATEGORY):
                continue
        kind = columns.NUMBER if column.kind == columns.AMOUNT else column.kind
        log = logs.get(column.name, ())
        yield Recipe(column.name, kind, levels, other, False, log, column.gap_codes)


def _logarithms(table: Sequence[Column], codes: Labels) -> dict[str, tuple[float, ...]]:
    """Return the terms of each number that becomes a logarithm; all are decided at once."""
    numeric = [column for column in table if column.kind in columns.NUMERIC]
    if not numeric:
        return {}
    found = logarithms.terms(np.column_stack([column.values for column in numeric]), codes)
    logged = np.flatnonzero(~np.isnan(found[0])).tolist()
    return {numeric[j].name: tuple(found[:, j].tolist()) for j in logged}


def _levels(column: Column, codes: Labels) -> tuple[tuple[str, ...], bool]:
    """Common values or answers of a column, sorted, and True if there are other ones."""
    if column.kind == columns.SEVERAL:
        given = answers.of_column(column)
        common = answers.common(given, codes)
        distinct = {answer for found in given for answer in found}
    else:
        common = columns.common_values(column.values, codes)
        distinct = {value for value in column.values.tolist() if value is not None}
    kept = common[: columns.MOST_LEVELS]
    return tuple(sorted(kept)), bool(kept) and len(kept) < len(distinct)


def _encoded(recipes: Sequence[Recipe], table: Sequence[Column]) -> Matrix:
    """Encode all columns (n, d) before scaling, NaN where there are gaps."""
    found = {column.name: column for column in table}
    if missing := [recipe.name for recipe in recipes if recipe.name not in found]:
        raise InputError(
            f"the rows lack {len(missing)} of the {len(recipes)} columns that the model was "
            f"fitted on ({some(missing)}): add them, with gaps where nothing is known."
        )
    return np.hstack([recipe.encoded(found[recipe.name]) for recipe in recipes])


def _learned(
    recipes: Sequence[Recipe], E: Matrix, tasks: Tasks, neutral: Matrix, alike: bool | None = None
) -> tuple[Matrix, Matrix, Matrix]:
    """Compute the center, spread and fill value (T, d) of each task and encoded column.

    Parameters
    ----------
    neutral : (d,) fill values of tasks that lack the column
    alike : the numeric columns of a task share one spread; None: decided from the columns
    """
    centers = np.zeros((len(tasks.names), E.shape[1]))
    spreads = np.ones_like(centers)
    fills = np.tile(neutral, (len(tasks.names), 1))
    start = 0
    for recipe in recipes:
        own = slice(start, start + len(recipe.names) - recipe.indicator)
        for t, rows in enumerate(tasks.rows()):
            values = E[rows, own]
            there = values[~np.isnan(values).any(axis=1)]
            if recipe.kind in columns.NUMERIC or recipe.ranked:
                centers[t, own], spreads[t, own], fills[t, own] = _of_numbers(there)
            elif len(there):
                if recipe.kind == columns.ORDERED:
                    spreads[t, own] = np.sqrt(there.var(axis=0).sum()) or 1.0
                by_answer = recipe.kind == columns.SEVERAL
                usual = np.median(there, axis=0) if by_answer else _most_frequent(there)
                fills[t, own] = usual / spreads[t, own]
            if recipe.indicator and not len(there):
                spreads[t, own.stop] = 0.0  # all rows of the task stand at the fill
        start += len(recipe.names)
    numbers = gap_filling.numbers(recipes)
    if alike is None:
        alike = components.like_components(E[:, numbers], tasks.codes, centers[:, numbers])
    if alike:
        components.share_spreads(spreads, fills, numbers)
    return centers, spreads, fills


def _of_numbers(values: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Mean, standard deviation and fill value (scaled median) of a numeric column (n, 1)."""
    nothing = np.zeros(1)
    if not len(values):
        return nothing, nothing, nothing
    mean, spread = scaling.moments(values)
    median = np.median(values, axis=0)[None, :]
    return mean, spread, scaling.standard(median, mean, spread)[0]


def _most_frequent(values: Matrix) -> Matrix:
    """Most frequent row of one-hot encoded categories, as the fill value of gaps."""
    distinct, times = np.unique(values, axis=0, return_counts=True)
    return distinct[times.argmax()]


def _with_mean(centers: Matrix, spreads: Matrix, fills: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Append a row for unknown tasks: the mean over tasks in which a column varies."""
    weights = spreads > 0
    times = np.maximum(weights.sum(axis=0), 1)
    means = [(part * weights).sum(axis=0) / times for part in (centers, spreads, fills)]
    one, two, three = (
        np.vstack([part, mean]) for part, mean in zip((centers, spreads, fills), means, strict=True)
    )
    return one, two, three
