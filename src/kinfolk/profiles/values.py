"""Values of profiles: columns by kind and task, typical rows, and their long table."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix
from kinfolk.errors import import_extra
from kinfolk.numerics import rounding
from kinfolk.profiles import formats
from kinfolk.profiles.names import called
from kinfolk.tables import columns

TERM = "term"
"""Value of `taken_for` for a term of texts, or for a column of counts."""

ALL_KINDS = "all kinds"
ALL_TASKS = "all data sets"

HEAD = (
    *("matched_cluster", "name", "task", "column", "taken_for", "value", "rows", "gaps", "mean"),
    *("deviation", "lower", "median", "upper", "share", "effect", "unit"),
)
"""Columns of profiles.csv."""
_TAKEN_FOR = HEAD.index("taken_for")
_DATED = ("mean", "lower", "median", "upper")

_YEARS = re.compile("year|jahr|année|annee|año|anno|jaar|rok|年", re.IGNORECASE)
"""Names of columns of years, which have no comma between thousands."""


@dataclass(frozen=True)
class ColumnProfile:
    """One column's values by kind of rows and task; index -1 holds totals.

    Attributes
    ----------
    name : of the column
    taken_for : a kind of column of `tables.columns`, or `TERM`
    values : V values that have shares; () for numbers and dates, ("yes",) for yes/no, or its word
        in the table, such as ("ja",)
    count : (K + 1, T + 1) rows with a value
    gaps : (K + 1, T + 1) share of rows without a value; NaN where the kind has no rows
    shares : (K + 1, T + 1, V) share of each value among the rows that have one
    mean, deviation, lower, median, upper : (K + 1, T + 1), the mean, the standard deviation and the
        quartiles of numbers in their own units, of dates in days since 1970; (0, 0) otherwise. NaN
        over all tasks if `units_differ`
    effects : (K, V), or (K, 1) for numbers: distance from the other rows of the same data sets in
        standard deviations, see `profiles.effects`
    others : (K, V) or (K, 1), the mean or share of those other rows
    unit : that stood with the numbers in the table, such as "mmol/l", or ""

    Examples
    --------
    >>> import kinfolk as kf
    >>> from kinfolk.profiles import profile
    >>> rows = np.array(["a", "b", "c"])
    >>> X = np.array([[20.0], [24.0], [60.0]])
    >>> ages = kf.RelatedData("people", np.full(3, "all"), rows, X, ("age",))
    >>> found = profile(ages, [0, 0, 1]).columns[0]
    >>> found.mean[:, -1]
    array([22.   , 60.   , 34.667])
    >>> found.shown(0), found.shown()
    ('22', '35')
    """

    name: str
    taken_for: str
    values: tuple[str, ...]
    count: Labels
    gaps: Matrix
    shares: NDArray[np.float64]
    mean: Matrix
    deviation: Matrix
    lower: Matrix
    median: Matrix
    upper: Matrix
    effects: Matrix
    others: Matrix
    unit: str = ""

    @property
    def heading(self) -> str:
        """Name of the column with the unit of its numbers, unless the name has it already."""
        if not self.unit:
            return self.name
        pattern = rf"(?<!\w){re.escape(self.unit)}(?!\w)"
        named = re.search(pattern, self.name.replace("_", " "), re.IGNORECASE)
        return self.name if named else f"{self.name} ({self.unit})"

    @property
    def is_binary(self) -> bool:
        """True if a row has one of just two values, so that the share of one tells the other's."""
        return len(self.values) == 2 and self.taken_for != columns.SEVERAL

    @property
    def between(self) -> str:
        """Text between the name of the column and a value: " = ", or ": " for several answers."""
        return ": " if self.taken_for == columns.SEVERAL else " = "

    @property
    def is_number(self) -> bool:
        """True if the column has means and quartiles: a number, amount or date."""
        return not self.values

    @property
    def statistics(self) -> tuple[Matrix, Matrix, Matrix, Matrix, Matrix]:
        """Mean, deviation, lower quartile, median, upper quartile, by kind and task."""
        return self.mean, self.deviation, self.lower, self.median, self.upper

    @property
    def units_differ(self) -> bool:
        """True if there is no mean over the data sets, as their units may differ."""
        return self.is_number and self.count[-1, -1] > 0 and bool(np.isnan(self.mean[-1, -1]))

    def average(self, kind: int, task: int = -1, value: int = 0) -> float:
        """Return the column's mean, or the share of a value, in a kind and task (-1: all)."""
        return float((self.mean if self.is_number else self.shares[:, :, value])[kind, task])

    def shown(self, kind: int = -1, task: int = -1, value: int = 0) -> str:
        """Format a mean or share in the user's units; "–" without values.

        `kind` and `task` are positions; `value` is that of a category. Without a mean over the data
        sets it is the effect, in standard deviations, such as "+1.2 SD".
        """
        if self.units_differ and kind >= 0 and task < 0:
            effect = float(self.effects[kind, 0])
            return "–" if np.isnan(effect) else f"{effect:+.1f} SD".replace("-", "−")
        return self.text(self.average(kind, task, value), task)

    def text(self, number: float, task: int = -1) -> str:
        """Format any mean, quartile or share of this column in the user's units.

        The standard deviation of all rows of a task (-1: of all tasks) decides how many decimals
        means have.
        """
        if np.isnan(number):
            return "–"
        if not self.is_number:
            # Differences of sums may leave a share just below 0.
            return f"{max(number, 0.0):.0%}".replace("%", " %")
        if self.taken_for == columns.DATE:
            return _date(number)
        # Decimals are those of the column wherever data sets share its units.
        spread = float(self.deviation[-1, task if self.units_differ else -1])
        return formats.number(
            number, spread, hours=self.taken_for == columns.DURATION, years=self._has_years
        )

    @property
    def _has_years(self) -> bool:
        """True if the column is named after years, and most of its values may be some."""
        ends = float(self.lower[-1, -1]), float(self.upper[-1, -1])
        return bool(_YEARS.search(self.name)) and min(ends) >= 1000 and max(ends) < 2200


@dataclass(frozen=True)
class Difference:
    """A column, or value of a category, in which a kind of rows differs from others.

    Attributes
    ----------
    column : of the profiles
    value : position in the column's values; 0 for numbers
    effect : in standard deviations within data sets; below 0 if the kind has less
    here, others : mean or share of the kind, and of the other rows of the same data sets; NaN for
        a mean over data sets whose units may differ

    Examples
    --------
    >>> import kinfolk as kf
    >>> from kinfolk.profiles import profile
    >>> frame = {"age": [20.0, 24.0, 60.0, 64.0], "plan": ["pro", "pro", "free", "free"]}
    >>> columns = kf.describe(frame).columns
    >>> people = kf.RelatedData("people", np.full(4, "all"), np.arange(4), columns=columns)
    >>> for difference in profile(people, [0, 0, 1, 1]).differences(1):
    ...     print(difference)
    plan = free: 100 % beside 0 % (+2.0)
    plan = pro: 0 % beside 100 % (−2.0)
    age: 62 beside 22 (+2.0)
    """

    column: ColumnProfile
    value: int
    effect: float
    here: float
    others: float

    @property
    def label(self) -> str:
        """Name of the column, with the value if it is a category."""
        column = self.column
        if column.is_number or column.taken_for == TERM or column.values == ("yes",):
            return column.heading
        return f"{column.name}{column.between}{column.values[self.value]}"

    @property
    def apart(self) -> str:
        """Say in standard deviations how far the kind is above or below the others."""
        return (
            f"{abs(self.effect):.1f} standard deviations {'above' if self.effect > 0 else 'below'}"
        )

    def __str__(self) -> str:
        if self.column.units_differ:
            return f"{self.label}: {self.apart} the others of each data set"
        here, others = (self.column.text(number) for number in (self.here, self.others))
        effect = f"{self.effect:+.1f}".replace("-", "−")
        return f"{self.label}: {here} beside {others} ({effect})"


@dataclass(frozen=True)
class TypicalRow:
    """A row near its cluster's center, as an example of the cluster.

    Attributes
    ----------
    kind, task : positions in the kinds and the tasks of the profiles
    rank : 0 for the nearest row of that cluster, then 1, 2 ...
    row : its position in the table
    row_id : its name in its source
    """

    kind: int
    task: int
    rank: int
    row: int
    row_id: str


@dataclass(frozen=True, repr=False)
class Profiles:
    """Sizes, values and typical rows of each kind (group of matched clusters) by task.

    A kind is the clusters of all tasks that match, in the numbers of `matched_labels_`. Arrays have
    a last row for all kinds and a last column for all tasks, so that index -1 finds them.

    Attributes
    ----------
    kinds : the K numbers of the kinds, ascending
    tasks : the T tasks
    sizes : (K + 1, T + 1) rows
    columns : a profile for each column; of tables with over 200 columns, and of terms, those
        that set some kind apart
    names : kind number -> name, of kinds that were named
    typical : rows near the center of each cluster
    cautions : sentences about clusters that need a second look, with advice

    Examples
    --------
    >>> import kinfolk as kf
    >>> from kinfolk.profiles import profile
    >>> income = np.array([[20.0], [22.0], [90.0], [30.0], [32.0], [99.0]])
    >>> tasks = np.array(["PT", "PT", "PT", "SE", "SE", "SE"])
    >>> data = kf.RelatedData("customers", tasks, np.arange(6), income, ("income",))
    >>> found = profile(data, [0, 0, 1, 0, 0, 1])
    >>> found
    Profiles(2 kinds of 6 rows in 2 tasks, 1 column)
    >>> found.sizes
    array([[2, 2, 4],
           [1, 1, 2],
           [3, 3, 6]])
    >>> [found.columns[0].shown(0, t) for t in (0, 1, -1)]
    ['21', '31', '26']
    """

    kinds: tuple[int, ...]
    tasks: tuple[str, ...]
    sizes: Labels
    columns: tuple[ColumnProfile, ...]
    names: Mapping[int, str] = field(default_factory=dict)
    typical: tuple[TypicalRow, ...] = ()
    cautions: tuple[str, ...] = ()

    def __repr__(self) -> str:
        counts = (
            (len(self.kinds), "kind"),
            (int(self.sizes[-1, -1]), "row"),
            (len(self.tasks), "task"),
            (len(self.columns), "column"),
        )
        shown = [f"{number} {noun}{'s' * (number != 1)}" for number, noun in counts]
        return "Profiles({} of {} in {}, {})".format(*shown)

    def called(self, kind: int) -> str:
        """Return the name of the kind at a position (-1: all), or "kind 3" without one."""
        if kind < 0:
            return ALL_KINDS
        return called(self.kinds[kind], self.names)

    def differences(self, kind: int, least: float = 0.2) -> list[Difference]:
        """Return the columns in which a kind differs most, the largest effect first.

        Equal effects are in the order of the columns. `least` is the smallest effect that is
        listed, in standard deviations. Terms are listed only where the kind has them more often
        than others.
        """
        found = [
            Difference(
                column, v, effect, column.average(kind, value=v), float(column.others[kind, v])
            )
            for column in self.columns
            for v, effect in enumerate(column.effects[kind].tolist())
            if (effect if column.taken_for == TERM else abs(effect)) >= least
        ]
        sizes = -rounding.comparable([abs(difference.effect) for difference in found])
        return [found[place] for place in np.argsort(sizes, kind="stable")]

    def typical_rows(self, kind: int, most: int = 3) -> list[TypicalRow]:
        """Return a kind's typical rows: the first of each cluster, largest first, then others."""
        own = [row for row in self.typical if row.kind == kind]
        return sorted(own, key=lambda row: (row.rank, -self.sizes[kind, row.task]))[:most]

    def frame(self) -> Any:
        """Return the profiles as a data frame: one line per kind, task, column and value.

        MissingExtraError if pandas is not installed.
        """
        pandas = import_extra("pandas", "app", "Data frames need")
        found = pandas.DataFrame(list(self._lines()), columns=list(HEAD))
        return found.astype({"matched_cluster": "Int64"})

    def csv(self) -> str:
        """Return the profiles as CSV in long form: one line per kind, task, column, value.

        Means and quartiles of dates are dates; in `frame` they are days since 1970.

        >>> import kinfolk as kf
        >>> from kinfolk.profiles import profile
        >>> X = np.array([[1.0], [2.0], [9.0]])
        >>> data = kf.RelatedData("t", np.full(3, "all"), np.arange(3), X, ("age",))
        >>> for line in profile(data, [0, 0, 1]).csv().splitlines()[1:]:
        ...     print(line)
        0,kind 0,all data sets,age,number,,2,0,1.5,0.5,1.25,1.5,1.75,,-2.10732,
        1,kind 1,all data sets,age,number,,1,0,9,0,9,9,9,,2.10732,
        ,all kinds,all data sets,age,number,,3,0,4,3.55903,1.5,2,5.5,,,
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(HEAD)
        for line in self._lines():
            dated = line[_TAKEN_FOR] == columns.DATE
            writer.writerow(
                _date(value) if dated and name in _DATED else _text(value)
                for name, value in zip(HEAD, line, strict=True)
            )
        return text.getvalue()

    def _lines(self) -> Iterator[list[Any]]:
        """Yield the lines of the long table, without single tasks if there is only one."""
        tasks = [*(range(len(self.tasks)) if len(self.tasks) > 1 else []), -1]
        for column in self.columns:
            for k in [*range(len(self.kinds)), -1]:
                for t in tasks:
                    yield from self._of_cell(column, k, t)

    def _of_cell(self, column: ColumnProfile, k: int, t: int) -> Iterator[list[Any]]:
        """Yield the lines of a column for one kind and task: one, or one per value."""
        number = None if k < 0 else self.kinds[k]
        task = ALL_TASKS if t < 0 else self.tasks[t]
        start = [number, self.called(k), task, column.name, column.taken_for]
        size = int(self.sizes[k, t])
        gaps = float(column.gaps[k, t])
        for v, value in enumerate(column.values or ("",)):
            effect = float(column.effects[k, v]) if k >= 0 and t < 0 else np.nan
            numbers = [np.nan] * 5
            share = np.nan
            if column.is_number:
                numbers = [float(of[k, t]) for of in column.statistics]
            else:
                share = float(column.shares[k, t, v])
            yield [*start, value, size, gaps, *numbers, share, effect, column.unit]


def _text(value: Any) -> Any:
    """Format numbers with six digits, NaN and None as ""."""
    if isinstance(value, float):
        if np.isnan(value):
            return ""
        # Large numbers keep their unit; 1.23457e+06 would not be read as 1,234,567.
        return f"{value:.0f}" if abs(value) >= 1e6 else f"{value:.6g}"
    return "" if value is None else value


def _date(days: float) -> str:
    """Format days since 1970 as a date, or a part of the first day, a time of day, as such.

    >>> _date(16071.0), _date(13.5 / 24)
    ('2014-01-01', '13:30')
    """
    if 0 <= days < 1:
        minutes = min(round(days * 24 * 60), 24 * 60 - 1)
        return f"{minutes // 60:02}:{minutes % 60:02}"
    return "" if np.isnan(days) else str(np.datetime64(round(days), "D"))
