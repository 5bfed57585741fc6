"""Sentences on new rows whose columns differ from those of the fit."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from kinfolk.arguments import listed, shown
from kinfolk.arrays import Matrix
from kinfolk.preparation.recipes import Recipe
from kinfolk.tables import RelatedData, alignment, answers, columns
from kinfolk.tables.columns import Column

FAR = 4.0
"""Standard deviations of a column: groups that hold 6 % of the rows or more are nearer to its
mean, and Fahrenheit for Celsius, or cents for dollars, are farther."""

_OF_UNKNOWN = {
    columns.CATEGORY: ", taken to be equally far from all others",
    columns.SEVERAL: " and leaves out",
    columns.ORDERED: ", taken for gaps, since their place in the order is not known",
}
"""Kind of a column -> the treatment of values that it did not have at the fit."""

_SHOWN = 5
"""Number of columns that a sentence names."""


def notes(table: Sequence[Column], recipes: Sequence[Recipe], X: Matrix) -> Iterator[str]:
    """Yield sentences on unread, unknown and far values of a table, prepared as rows X (m, d).

    >>> recipes = [Recipe("temp", "number"), Recipe("plan", "category", ("a", "b"))]
    >>> temp = Column("temp", "number", "", np.array([104.0, 99.0]))
    >>> plan = Column("plan", "category", "", np.array(["a", "c"], dtype=object))
    >>> for note in notes([temp, plan], recipes, np.array([[9.0, 0.0], [7.0, 0.0]])):
    ...     print(note)
    Values that the model does not know, taken to be equally far from all others: plan 'c' (1 row).
    Far from the rows of the fit, so units may differ: temp (median 8 standard deviations above).
    """
    found = {column.name: column for column in table}
    used = [found[recipe.name] for recipe in recipes]
    if lost := unread(used):
        yield lost
    for kind, how in _OF_UNKNOWN.items():
        alike = [recipe for recipe in recipes if recipe.kind == kind]
        if unknown := [told for recipe in alike for told in _unknown(recipe, found[recipe.name])]:
            yield f"Values that the model does not know{how}: {listed(unknown, _SHOWN)}."
    if far := list(_far(recipes, used, X)):
        yield f"Far from the rows of the fit, so units may differ: {listed(far, _SHOWN)}."


def unread(used: Sequence[Column]) -> str:
    """Return a sentence on values that are not of the kind of their column; "" without any.

    >>> nights = Column("nights", "number", "", np.array([2, np.nan]), unread=1, first_unread="two")
    >>> unread([nights])
    "Values that are not of the kind of their column are gaps: nights 1 (such as 'two')."
    """
    lost = [column for column in used if column.unread]
    told = listed(
        [f"{c.name} {c.unread:,} (such as {shown(c.first_unread)})" for c in lost], _SHOWN
    )
    return told and f"Values that are not of the kind of their column are gaps: {told}."


def _unknown(recipe: Recipe, column: Column) -> list[str]:
    """Values or answers that the fit did not have, with their rows; [] if others have a column."""
    if recipe.other:
        return []
    if recipe.kind == columns.SEVERAL:
        given = answers.of_column(column)
    else:
        given = [() if word is None else (word,) for word in columns.words(column.values).tolist()]
    times = Counter(word for words in given for word in words if word not in recipe.levels)
    return [
        f"{recipe.name} {shown(word)} ({number} {'rows' if number > 1 else 'row'})"
        for word, number in times.most_common()
    ]


def _far(recipes: Sequence[Recipe], used: Sequence[Column], X: Matrix) -> Iterator[str]:
    """Yield names of columns of numbers whose median is far from the mean of the fit."""
    start = 0
    for recipe, column in zip(recipes, used, strict=True):
        there = ~column.gaps
        if recipe.kind in columns.NUMERIC and there.any():
            middle = float(np.median(X[there, start]))
            if abs(middle) > FAR:
                side = "above" if middle > 0 else "below"
                yield f"{recipe.name} (median {abs(middle):.0f} standard deviations {side})"
        start += len(recipe.names)


def _is_number(value: float | str | None) -> bool:
    """True for a number, also one that a constant column has as a word; False for a gap.

    >>> [_is_number(value) for value in (0.5, "0", "x", None, np.nan)]
    [True, True, False, False, False]
    """
    try:
        return value is not None and not np.isnan(float(value))
    except ValueError:
        return False


def gaps_and_words(data: RelatedData, names: tuple[str, ...]) -> str:
    """Describe which columns have gaps or words where numbers are needed."""
    wrong = []
    for column in data.columns or ():
        rows = np.array([not _is_number(value) for value in column.values.tolist()])
        if column.name in names and rows.any():
            wrong.append((int(rows.argmax()), column))
    if not wrong:
        return f"{data.name!r} has gaps or words, but the model was fitted on numbers without gaps."
    row, first = min(wrong, key=lambda place: place[0])
    found = "nothing" if first.gaps[row] else repr(first.values[row])
    others = [column.name for _, column in wrong if column is not first]
    more = f" Gaps or words stand in {alignment.some(others)}, too." if others else ""
    return (
        f"{data.name!r} has {found:.40} in data row {row + 1} of column {first.name!r}, but the "
        f"model was fitted on numbers without gaps: fill the gaps, or drop the rows.{more}"
    )
