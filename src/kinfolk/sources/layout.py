"""Finds rows of a table that are no data: titles, units, repeated names of columns, notes."""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from kinfolk.sources import currencies, parsing, placeholders, subtotals, totals
from kinfolk.sources import header as header_lines

if TYPE_CHECKING:
    import pandas as pd

_BEGINNINGS = "* # note source quelle anmerkung hinweis remarque nota fuente 注 备注 来源"
_NOTES = tuple(_BEGINNINGS.split())
"""Beginnings, in small letters, of a note below a table."""

MOST_NOTES = 5
"""Rows at the end of a table that may be notes."""

_WORDS_OF_NOTE = 3
"""A note has at least so many words; the name of a row without values has fewer."""

_FEWEST = 3
"""A table of fewer columns may have a cell or two in each row."""


_MOST_DESCRIPTIONS = 3
"""Rows below the names of columns that may say in words what the columns are."""

_FEWEST_BELOW = 5
"""Rows of numbers by which such a row is known."""

_MARKED = re.compile(r"""'([-+(]?[\d.,].*)|="(.*)\"""")
"""A text such as '5 or ="5"."""


def without_titles(cells: "pd.DataFrame") -> tuple["pd.DataFrame", int]:
    """Drop the first rows with a single cell, as of a title above the names of columns.

    Returns the other rows of the sheet and the number of those that were dropped.

    >>> import pandas as pd
    >>> sheet = pd.DataFrame([["Sales 2024", None, None], ["city", "n", "m"], ["oslo", 1, 2]])
    >>> without_titles(sheet)[0].to_numpy().tolist()
    [['city', 'n', 'm'], ['oslo', 1, 2]]
    """
    if cells.shape[1] < _FEWEST:
        return cells, 0
    filled = cells.notna().sum(axis=1).to_numpy()
    n = int(np.argmax(filled > 1)) if (filled > 1).any() else 0
    return cells.iloc[n:].dropna(how="all", axis=1), n


def cleaned(file: str, frame: "pd.DataFrame") -> tuple["pd.DataFrame", list[str]]:
    """Drop rows that repeat names of columns, describe them, or hold notes or sums; also say so.

    Numbers of a column whose unit stands in the first row are written with this unit.

    >>> import pandas as pd
    >>> n = ["1", "n", "2", "3", "6"]
    >>> table = {"city": ["oslo", "city", "rome", "bonn", "Total"], "n": n}
    >>> table["m"] = ["4", "m", "4", "4", "12"]
    >>> frame, notes = cleaned("t.csv", pd.DataFrame(table))
    >>> frame.to_numpy().tolist()
    [['oslo', '1', '4'], ['rome', '2', '4'], ['bonn', '3', '4']]
    >>> for note in notes:
    ...     print(note)
    1 row of t.csv repeats the names of the columns and is left out.
    The last row of t.csv, 'Total', holds sums of the others and is left out.
    """
    notes = []
    frame = without_marks_of_text(frame)
    repeated = _repeats_names(frame)
    if n := int(repeated.sum()):
        notes.append(told_repeated(file, n))
        frame = frame[~repeated].reset_index(drop=True)
    if found := units(frame):
        notes.append(told_units(file, found))
        frame = frame.iloc[1:].reset_index(drop=True)
        for name, unit in found.items():
            frame[name] = [with_unit(value, unit) for value in frame[name].tolist()]
    elif n := n_descriptions(frame):
        notes.append(told_descriptions(file, n))
        frame = frame.iloc[n:].reset_index(drop=True)
    if n := _notes_below(frame):
        notes.append(told_notes(file, n))
        frame = frame.iloc[:-n]
    if inner := subtotals.of_frame(frame):
        notes.append(subtotals.told(file, inner))
        frame = frame.drop(frame.index[[place for place, _ in inner]]).reset_index(drop=True)
    if words := totals.of_frame(frame):
        notes.append(totals.told(file, words))
        frame = frame.iloc[: -len(words)]
    return frame, notes


def without_marks_of_text(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Return a frame without the marks by which spreadsheets keep numbers as texts: '5 and ="5".

    A column has them in all of its cells but gaps.

    >>> import pandas as pd
    >>> without_marks_of_text(pd.DataFrame({"n": ["'1", "'2"], "m": ['="3"', None]})).loc[0, "m"]
    '3'
    """
    marked = {}
    for name in frame.columns:
        there = frame[name].dropna()
        # The first cell decides most columns.
        if frame[name].dtype.kind in "fiubM" or not len(there) or not _is_marked(there.iloc[0]):
            continue
        words = [None if _is_gap(value) else str(value).strip() for value in frame[name].tolist()]
        found = [None if word is None else _MARKED.fullmatch(word) for word in words]
        if all(found[i] for i, word in enumerate(words) if word is not None):
            marked[name] = [match and (match[1] or match[2]) for match in found]
    return frame.assign(**marked) if marked else frame


def _is_marked(value: Any) -> bool:
    return _MARKED.fullmatch(str(value).strip()) is not None


def told_of_sheet(file: str, n_titles: int, has_merged: bool) -> list[str]:
    """Return the sentences on rows that are titles, and on merged cells.

    >>> told_of_sheet("t.xlsx", 2, True)[0]
    'The first 2 rows are titles and left out of t.xlsx.'
    """
    rows = "first row is a title" if n_titles == 1 else f"first {n_titles} rows are titles"
    titles = [f"The {rows} and left out of {file}."] if n_titles else []
    return titles + [f"Merged cells of {file} count in each of their rows."] * has_merged


def told_repeated(file: str, n: int) -> str:
    """Sentence on n rows that repeat the names of the columns."""
    rows = f"{n} rows of {file} repeat" if n > 1 else f"1 row of {file} repeats"
    are = "are left out; rows are counted without them" if n > 1 else "is left out"
    return f"{rows} the names of the columns and {are}."


def told_units(file: str, found: Mapping[str, str]) -> str:
    """Sentence on a first row of units."""
    named = ", ".join(f"{name} {unit}" for name, unit in found.items())
    return f"The first row of {file} has units ({named:.200}) and is left out."


def told_descriptions(file: str, n: int) -> str:
    """Sentence on first rows that say in words what the columns are.

    >>> told_descriptions("t.csv", 1)
    'The first row of t.csv has words above numbers, which describe the columns, and is left out.'
    """
    rows = f"first {n} rows of {file} have" if n > 1 else f"first row of {file} has"
    left = "are" if n > 1 else "is"
    return f"The {rows} words above numbers, which describe the columns, and {left} left out."


def told_notes(file: str, n: int) -> str:
    """Sentence on n last rows that are notes, or empty.

    >>> told_notes("t.csv", 1)
    'The last row of t.csv is a note or empty, and is left out.'
    """
    rows = f"last {n} rows of {file} are notes or" if n > 1 else f"last row of {file} is a note or"
    return f"The {rows} empty, and {'are' if n > 1 else 'is'} left out."


def _notes_below(frame: "pd.DataFrame") -> int:
    """Number of last rows that are notes or empty; 0 if nothing were left."""
    filled = np.flatnonzero(frame.notna().any(axis=1).to_numpy())
    if frame.shape[1] < _FEWEST or not len(filled):
        return 0
    end = int(filled[-1]) + 1
    last = frame.iloc[max(end - MOST_NOTES, 0) : end].astype(object).to_numpy().tolist()
    n = len(frame) - end + number_of_notes(last, frame.shape[1])
    return n if n < len(frame) else 0


def _repeats_names(frame: "pd.DataFrame") -> Any:
    """Mark rows (n,) in which all cells but empty ones have the name of their column."""
    marked = np.zeros(len(frame), dtype=bool)
    if frame.shape[1] < _FEWEST or any(kind.kind in "fiubM" for kind in frame.dtypes):
        return marked
    names = [str(name) for name in frame.columns]
    for i in np.flatnonzero((frame.iloc[:, 0] == names[0]).to_numpy(dtype=bool)).tolist():
        marked[i] = repeats(frame.iloc[i].tolist(), names)
    return marked


def repeats(cells: Sequence[Any], names: Sequence[str]) -> bool:
    """True if two or more of at least three cells are filled, each with the name of its column.

    >>> repeats(["city", None, "m"], ["city", "n", "m"]), repeats(["city"], ["city"])
    (True, False)
    """
    if len(names) < _FEWEST or len(cells) != len(names):
        return False
    filled = [pair for pair in zip(cells, names, strict=True) if not _is_gap(pair[0])]
    return len(filled) > 1 and all(header_lines.name_of(str(cell)) == name for cell, name in filled)


def units(frame: "pd.DataFrame") -> dict[str, str]:
    """Return {column: unit in its first row}; {} unless it has only units, two or more.

    All other rows must have numbers, or gaps, in these columns.

    >>> import pandas as pd
    >>> units(pd.DataFrame({"height": ["cm", "170"], "weight": ["kg", "70"]}))
    {'height': 'cm', 'weight': 'kg'}
    """
    if len(frame) < 2:
        return {}
    first = {str(name): value for name, value in frame.iloc[0].items() if not _is_gap(value)}
    words = {name: str(value).strip(" []()") for name, value in first.items()}
    known = parsing.MEASURES | currencies.ALL
    found = {name: unit for name, unit in words.items() if known.issuperset(unit.split("/"))}
    if len(found) < 2 or not all(_are_numbers(frame[name].iloc[1:]) for name in found):
        return {}
    # What stands above columns of words, such as "(name)", is left out with the units.
    return {} if any(_are_numbers(frame[name].iloc[1:]) for name in words.keys() - found) else found


def n_descriptions(frame: "pd.DataFrame") -> int:
    """Number of first rows that say in words what the columns are, as exports of surveys have them.

    Two columns or more hold nothing but numbers below, and have no number in these rows.

    >>> import pandas as pd
    >>> answers = [str(i % 5) for i in range(_FEWEST_BELOW)]
    >>> n_descriptions(pd.DataFrame({"q1": ["Price?", *answers], "q2": ["Service?", *answers]}))
    1
    """
    most = max(min(_MOST_DESCRIPTIONS, len(frame) - _FEWEST_BELOW), 0)
    first = list(takewhile(_has_words_alone, frame.iloc[:most].astype(object).to_numpy().tolist()))
    # Read once: the rows between the descriptions and these have words alone, too.
    numbers = [
        j for j in range(frame.shape[1]) if first and _are_numbers(frame.iloc[len(first) :, j])
    ]
    for n in range(len(first), 0, -1):
        below = [j for j in numbers if not any(_is_word(row[j]) for row in first[n:])]
        if all(sum(_is_word(row[j]) for j in below) > 1 for row in first[:n]):
            return n
    return 0


def _has_words_alone(cells: Sequence[Any]) -> bool:
    """True if two or more cells are words, and no cell is a number."""
    filled = [cell for cell in cells if not _is_empty(cell)]
    return len(filled) > 1 and all(map(_is_word, filled))


def _is_word(cell: Any) -> bool:
    return isinstance(cell, str) and not _is_empty(cell) and parsing.number(cell) is None


def _are_numbers(values: "pd.Series[Any]") -> bool:
    """True if all values but gaps, and words for them, are numbers, and some are."""
    # The first word ends it: most columns of words are known by their first row.
    there = [value for value in values.unique().tolist() if not _is_empty(value)]
    return bool(there) and all(parsing.number(value) is not None for value in there)


def with_unit(value: Any, unit: str) -> Any:
    """Write a unit behind a value; a gap, or a word for one, stays.

    >>> with_unit("170", "cm"), with_unit("", "cm"), with_unit("NAN", "cm")
    ('170 cm', '', 'NAN')
    """
    return value if _is_empty(value) else f"{value} {unit}"


def number_of_notes(rows: Sequence[Sequence[Any]], width: int) -> int:
    """Number of last rows, of a table with this many columns, that are notes below it.

    A note has one cell, with some words or the word for a sum, and the others are empty.

    >>> number_of_notes([["oslo", 1, 2], ["rome", None, None], ["Source: the city", "", ""]], 3)
    1
    """
    n = 0
    for cells in reversed(rows[-MOST_NOTES:]):
        filled = [str(cell).strip() for cell in cells if not _is_gap(cell)]
        if width < _FEWEST or len(filled) > 1:
            break
        word = filled[0].lower() if filled else "*"  # an empty row stands between notes
        short = len(word.split()) < _WORDS_OF_NOTE and word.strip(" :") not in totals.SUMS
        if short and not word.startswith(_NOTES):
            break
        n += 1
    return n


def _is_empty(value: Any) -> bool:
    """True for a gap and a word that stands for one."""
    return _is_gap(value) or (
        isinstance(value, str) and placeholders.all_stand_for_gaps([value.strip()])
    )


def _is_gap(value: Any) -> bool:
    return value is None or value != value or (isinstance(value, str) and not value.strip())
