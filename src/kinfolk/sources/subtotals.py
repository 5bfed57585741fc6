"""Finds rows within a table that hold the sums or means of groups of rows above them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kinfolk.arguments import listed, shown
from kinfolk.arrays import Matrix
from kinfolk.sources import parsing, totals

if TYPE_CHECKING:
    import pandas as pd

_MOST_WORDS = 6
"""A longer text is no name of a group with a word for its sum."""

_MOST_STARTS = 300
"""Groups are looked for that begin after one of so many of the last rows of sums, or at the top."""


class _Sums(NamedTuple):
    """Sums and counts (J,) of the numbers of all rows above a place, and the number of rows."""

    sums: Matrix
    counts: Matrix
    rows: int


def of_frame(frame: "pd.DataFrame") -> list[tuple[int, str]]:
    """Return the positions and first words of rows that sum up rows above them, but not all others.

    A group begins at the top or after another such row; rows of sums do not count in those below.

    >>> import pandas as pd
    >>> table = {"city": ["Oslo", "Oslo", "Oslo total", "Rome", "Rome", "Rome total", "Total"]}
    >>> of_frame(pd.DataFrame(table | {"n": [1, 2, 3, 4, 5, 9, 12]}))
    [(2, 'Oslo total'), (5, 'Rome total'), (6, 'Total')]
    """
    called = _called(frame)
    if not called:
        return []
    found = _confirmed(called, _numbers(frame, list(called)))
    # Sums at the end alone are those of all rows, which `totals` looks for.
    last = len(frame) - 1
    while (last, called.get(last, "")) in found:
        last -= 1
    return found if any(place < last for place, _ in found) else []


def told(file: str, found: Sequence[tuple[int, str]]) -> str:
    """Sentence on rows of sums or means within a table.

    >>> told("t.csv", [(2, "Oslo total"), (5, "Rome total"), (6, "Total")])
    "3 rows of t.csv ('Oslo total' in data row 3, 'Rome total' in data row 6 and 1 more) hold sums
    or means of rows above and are left out."
    """
    examples = listed([f"{shown(word)} in data row {place + 1}" for place, word in found], 2)
    rows = "1 row" if len(found) == 1 else f"{len(found)} rows"
    hold, are = ("holds", "is") if len(found) == 1 else ("hold", "are")
    return f"{rows} of {file} ({examples}) {hold} sums or means of rows above and {are} left out."


def word_of(cell: Any) -> str:
    """Return the word for a sum or mean in a cell, alone or beside a group's name; "" if none.

    >>> word_of("Oslo Total:"), word_of("Summe Nord"), word_of("totally new"), word_of(3)
    ('total', 'summe', '', '')
    """
    if not isinstance(cell, str):
        return ""
    text = cell.strip(" :").lower()
    if len(text.split()) > _MOST_WORDS:
        return ""
    every = totals.SUMS | totals.MEANS
    if text in every:
        return text
    ends = (w for w in every if text.endswith((f" {w}", f"-{w}")) or text.startswith(f"{w} "))
    return max(ends, key=len, default="")


def _called(frame: "pd.DataFrame") -> dict[int, str]:
    """Return {position: first text} of the rows whose first text has a word for a sum or mean."""
    texts = [frame[name] for name in frame.columns if frame[name].dtype.kind not in "fiubM"]
    # Few tables have such words; to look at each different text once is quick.
    some = np.zeros(len(frame), dtype=bool)
    for column in texts:
        words = [text for text in column.dropna().unique().tolist() if word_of(text)]
        some |= column.isin(words).to_numpy() if words else False
    found = {}
    for place in np.flatnonzero(some).tolist():
        first = totals.first_text([column.iloc[place] for column in texts])
        if word_of(first):
            found[place] = first
    return found


def _numbers(frame: "pd.DataFrame", places: list[int]) -> Matrix:
    """Return the numbers (n, J) of all columns that have one in the rows at `places`, else NaN."""
    columns = totals.with_numbers(frame.iloc[places].astype(object).to_numpy().tolist())
    found = np.full((len(frame), len(columns)), np.nan)
    for place, j in enumerate(columns):
        values = frame.iloc[:, j]
        plain = values.dtype.kind in "fiub"
        found[:, place] = (values if plain else values.map(parsing.number)).astype(float)
    return found


def _confirmed(called: dict[int, str], X: Matrix) -> list[tuple[int, str]]:
    """Return those rows `called` by a sum or mean whose numbers, in X (n, J), are such ones."""
    numbers = np.nan_to_num(X)
    there = ~np.isnan(X)
    above = _Sums(np.zeros(X.shape[1]), np.zeros(X.shape[1]), 0)
    starts = [above]
    found = []
    sure = 0
    before = 0
    for place, text in called.items():
        above = _with(above, numbers[before:place], there[before:place])
        before = place
        n_rows = _group_of(X[place], word_of(text) in totals.MEANS, above, starts)
        if not n_rows:
            continue  # a row like others
        found.append((place, text))
        sure += n_rows > 1
        before = place + 1
        if starts[-1].rows < above.rows:
            starts.append(above)
    # A row that is equal to the one above it is no sum unless there are sums of several rows.
    return found if sure else []


def _with(above: _Sums, numbers: Matrix, there: Any) -> _Sums:
    """Add the rows of `numbers` (m, J) to the sums of those above them."""
    sums = above.sums + numbers.sum(axis=0)
    rows = above.rows + int(there.any(axis=1).sum())  # empty rows may stand between groups
    return _Sums(sums, above.counts + there.sum(axis=0), rows)


def _group_of(row: Matrix, is_mean: bool, above: _Sums, starts: Sequence[_Sums]) -> int:
    """Number of rows just above that a row of numbers (J,) sums up; 0 if there is no such group.

    At least half of its numbers are the sums, or the means, and all of them for a group of one row.
    """
    given = np.flatnonzero(np.nan_to_num(row))
    near = [s for s in starts if s.rows < above.rows][::-1][:_MOST_STARTS]
    for start in [*near, starts[0]]:
        sums = (above.sums - start.sums)[given]
        n = above.rows - start.rows
        if is_mean:
            sums = sums / np.maximum((above.counts - start.counts)[given], 1)
        close = totals.CLOSE_MEAN if is_mean else totals.CLOSE
        same = np.isclose(sums, row[given], rtol=close, atol=0.0)
        if n and len(given) and 2 * same.sum() >= len(given) and (n > 1 or same.all()):
            return n
    return 0
