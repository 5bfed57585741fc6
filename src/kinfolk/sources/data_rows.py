"""Finds the rows of a text that are data, by the rules of `layout`, not holding it in memory.

Rows of units or descriptions of columns are found by the first rows, names of columns that are
repeated wherever they stand, notes by the last rows, and last rows of sums by going through the
file once more, where their first word is that for a sum.
"""

import csv
import io
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from kinfolk.errors import import_extra
from kinfolk.sources import layout, parsing, totals

if TYPE_CHECKING:
    import pandas as pd

Row: TypeAlias = tuple[bytes, list[str]]
"""A row as bytes and as fields."""

_FIRST = 100
"""Rows below units or descriptions that must all have numbers."""


class DataRows:
    """Rows of a text with a header, without those that repeat or describe names or hold sums.

    Parameters
    ----------
    rows : makes an iterator over all rows, the names of columns first
    names : of the columns
    last : the fields of the last rows that are no notes

    Attributes
    ----------
    units : column -> its unit, of a first row that has units
    n_descriptions : first rows that describe the columns
    totals : the first words of last rows that hold sums or means
    n_repeated, n_notes : rows that repeated the names of the columns, and notes below the rows, in
        the last pass

    Examples
    --------
    >>> text = [["city", "n", "m"], ["", "kg", "cm"], ["oslo", "1", "4"], ["city", "n", "m"]]
    >>> found = DataRows(lambda: ((b"", fields) for fields in text), text[0], text[-1:])
    >>> [fields for _, fields in found.rows()], found.units, found.n_repeated
    ([['oslo', '1', '4']], {'n': 'kg', 'm': 'cm'}, 1)
    """

    def __init__(
        self, rows: Callable[[], Iterator[Row]], names: list[str], last: list[list[str]]
    ) -> None:
        self._all = rows
        self.names = names
        self.n_repeated = 0
        self.n_notes = 0
        self.units: Mapping[str, str] = {}
        self.totals: list[str] = []
        self.n_descriptions = 0
        first = self._first()
        self.units = layout.units(first)
        self.n_descriptions = 0 if self.units else layout.n_descriptions(first)
        # A row of another length is no total, but for the reader to refuse.
        whole = [fields if len(fields) == len(self.names) else [] for fields in last]
        called = totals.called(whole)
        self.totals = self._totals(called) if called else []

    def rows(self) -> Iterator[Row]:
        """Yield the rows that are data, in order."""
        waiting: deque[Row] = deque()
        for row in self._candidates():
            waiting.append(row)
            if len(waiting) > layout.MOST_NOTES + totals.MOST:
                yield waiting.popleft()
        last = list(waiting)
        self.n_notes = layout.number_of_notes([fields for _, fields in last], len(self.names))
        yield from last[: len(last) - self.n_notes - len(self.totals)]

    def notes(self, file: str) -> list[str]:
        """Sentences on the rows that are left out; complete once `rows` has yielded all others."""
        return [
            *[layout.told_repeated(file, self.n_repeated)] * bool(self.n_repeated),
            *[layout.told_units(file, self.units)] * bool(self.units),
            *[layout.told_descriptions(file, self.n_descriptions)] * bool(self.n_descriptions),
            *[layout.told_notes(file, self.n_notes)] * bool(self.n_notes),
            *[totals.told(file, self.totals)] * bool(self.totals),
        ]

    def with_units(self, fields: list[str], separator: str) -> str:
        """Return a row as text with the units behind its numbers.

        A row of another length is left as it is, for the reader to refuse.
        """
        found = fields
        if len(fields) == len(self.names):
            found = [
                layout.with_unit(value, self.units[name]) if name in self.units else value
                for name, value in zip(self.names, fields, strict=True)
            ]
        text = io.StringIO()
        csv.writer(text, delimiter=separator, lineterminator="\n").writerow(found)
        return text.getvalue()

    def _candidates(self) -> Iterator[Row]:
        """Yield the rows below the header, without repeats of it, which are counted, and units."""
        rows = self._all()
        next(rows, None)
        self.n_repeated = 0
        ahead = 1 if self.units else self.n_descriptions
        for line, fields in rows:
            # The first cell decides most rows.
            if fields[0].strip() == self.names[0] and layout.repeats(fields, self.names):
                self.n_repeated += 1
            elif ahead:
                ahead -= 1
            else:
                yield line, fields

    def _first(self) -> "pd.DataFrame":
        """The first rows below the names, of the right length."""
        first = [fields for _, fields in islice(self._candidates(), _FIRST)]
        pandas = import_extra("pandas", "app", "Reading this file needs")
        whole = [fields for fields in first if len(fields) == len(self.names)]
        return pandas.DataFrame(whole, columns=self.names)

    def _totals(self, last: list[Sequence[str]]) -> list[str]:
        """Return the first words of those last rows that hold sums or means, by all rows."""
        summed = totals.with_numbers(last)
        sums = dict.fromkeys(summed, 0.0)
        times = dict.fromkeys(summed, 0)
        for _, fields in self._candidates():
            for j in summed:
                found = parsing.number(fields[j]) if j < len(fields) else None
                sums[j] += found or 0.0
                times[j] += found is not None
        return totals.found(last, sums, times)
