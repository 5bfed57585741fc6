"""Rules that encode single columns of a table of mixed columns as columns of numbers."""

from dataclasses import dataclass

import numpy as np

from kinfolk.arrays import Matrix
from kinfolk.errors import InputError
from kinfolk.preparation import logarithms
from kinfolk.tables import answers, columns
from kinfolk.tables.columns import Column

OTHER = "other"
DIFFERENT = np.sqrt(2.0)
"""Distance of two rows with different values of a category."""


@dataclass(frozen=True)
class Recipe:
    """Rule that encodes one column of the table as one or more matrix columns.

    Attributes
    ----------
    name, kind : of the column
    levels : values of a category, or answers, with a column of their own; or ordered from lowest
        to highest
    other : True if a further column stands for all other values or answers
    indicator : True if a further column tells which rows have gaps
    log : lowest value and offset of a number that becomes a logarithm (`logarithms`); empty: it
        stays as it is
    gap_codes : numbers that are gaps of a number, such as -999
    ranked : True for an ordered category as one number, its rank, in models of older versions

    Examples
    --------
    >>> Recipe("plan", "category", ("free", "pro", "team"), other=True).names
    ['plan=free', 'plan=pro', 'plan=team', 'plan=other']
    >>> Recipe("contact", "several answers", ("email", "phone")).names
    ['contact: email', 'contact: phone']
    """

    name: str
    kind: str
    levels: tuple[str, ...] = ()
    other: bool = False
    indicator: bool = False
    log: tuple[float, ...] = ()
    gap_codes: tuple[float, ...] = ()
    ranked: bool = False

    @property
    def names(self) -> list[str]:
        """Names of the encoded columns."""
        own = [self.name]
        if self.kind == columns.ORDERED and not self.ranked:
            own = [f"{self.name}>={level}" for level in self.levels[1:] or self.levels]
        if self.kind == columns.CATEGORY:
            own = [f"{self.name}={level}" for level in self.levels]
            own += [f"{self.name}={OTHER}"] * self.other
            own = own[1:] if len(own) == 2 else own
        if self.kind == columns.SEVERAL:
            own = [f"{self.name}: {answer}" for answer in (*self.levels, *[OTHER] * self.other)]
        return own + [f"{self.name} is missing"] * self.indicator

    def encoded(self, column: Column) -> Matrix:
        """Encode a column as (n, w) before scaling, NaN in rows with a gap."""
        there = ~column.gaps
        if self.gap_codes:
            there &= ~np.isin(column.values, self.gap_codes)
        encoded = _ENCODERS.get(self.kind, _numbers)(self, column)
        encoded[~there] = np.nan
        return np.column_stack([encoded, ~there]) if self.indicator else encoded


def _numbers(recipe: Recipe, column: Column) -> Matrix:
    """Encode a numeric column as (n, 1), by its logarithm where the recipe has one."""
    if column.values.dtype.kind != "f":
        raise InputError(
            f"column {column.name!r} held numbers when the model was fitted, and is taken for "
            f"{column.kind} here ({column.reason}): correct its values."
        )
    values = column.values[:, None].copy()
    return logarithms.taken(values, np.array([recipe.log]).T) if recipe.log else values


def _yes_no(recipe: Recipe, column: Column) -> Matrix:
    """Encode a yes/no column as 0 and sqrt(2)."""
    return DIFFERENT * _numbers(recipe, column)


def _ordered(recipe: Recipe, column: Column) -> Matrix:
    """Encode an ordered category by a 0/1 column for each step up; NaN for unknown values."""
    place = {level: i for i, level in enumerate(recipe.levels)}
    words = columns.words(column.values)
    ranks = np.array([[place.get(word, np.nan)] for word in words.tolist()], dtype=float)
    if recipe.ranked:
        return ranks
    steps = np.arange(1, max(len(recipe.levels), 2))
    return np.where(np.isnan(ranks), np.nan, ranks >= steps)


def _category(recipe: Recipe, column: Column) -> Matrix:
    """One-hot encode a category, with a column for rare values; binary as 0 and sqrt(2)."""
    words = columns.words(column.values)[:, None]
    same = words == np.array([recipe.levels], dtype=object)
    other = ~same.any(axis=1, keepdims=True)
    if recipe.other:
        same = np.hstack([same, other])
    if same.shape[1] > 2:
        return same.astype(float)
    # A value that was not there at the fit stands halfway between the two.
    return DIFFERENT * np.where(other & (not recipe.other), 0.5, same[:, 1:])


def _several(recipe: Recipe, column: Column) -> Matrix:
    """Encode several answers as 0 and sqrt(2) in a column for each, as of yes/no.

    Answers that were not there at the fit count as others, if there are some, or not at all.
    """
    return DIFFERENT * answers.coded(answers.of_column(column), recipe.levels, recipe.other)


_ENCODERS = {
    columns.YES_NO: _yes_no,
    columns.ORDERED: _ordered,
    columns.CATEGORY: _category,
    columns.SEVERAL: _several,
}
