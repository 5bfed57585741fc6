"""Finds columns with several answers in a cell, such as "email; phone" or "red, blue"."""

import ast
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels
from kinfolk.sources import parsing, spelling, times
from kinfolk.tables import answers, columns
from kinfolk.tables.columns import Column

CHOICE = "several"
"""Kind that a user names for a column with several answers in a cell."""

_FEWEST = 10
"""Of fewer cells one cannot tell that answers come again."""
_WITH_SEVERAL = 0.05
"""At least this share of the cells has several answers; else a comma may be part of a value."""
_RECURRING = 0.9
"""Common answers make up this share of all, unlike the parts of texts, names and addresses."""
_SHARED = 0.7
"""Answers that stand in several different cells make up this share of all: they combine freely."""
_REPEATED = 0.01
"""At most this share of cells of one length has an answer twice, as pairs of alleles have."""
_EXCEPTIONS = 0.1
"""At least this share of answers stands in other places than usual; members of pairs do not."""
_MOST_DIGITS = 2
"""Codes of answers have one or two digits; numbers between commas may be of thousands."""


_LONGEST_LIST = 10_000
"""Characters of a list in a cell; longer ones are texts."""

_MOST_LOOKED_AT = 10_000
"""Cells, spread over the column, by which it is decided."""


def of_lists(values: NDArray[Any], written: str) -> dict[str, Any]:
    """Return `values` and `written` of a column, with lists of words turned into words.

    They may be written as in JSON or Python, as ["email", "phone"]. Lists of other things, such as
    vectors of numbers, stay as they are.

    >>> lists = np.array([["email", "phone"], ["email"], None], dtype=object)
    >>> of_lists(lists, "")
    {'values': array(['email;phone', 'email', None], dtype=object),
     'written': "with ';' between answers"}
    """
    given = values
    values = _written_lists(values)
    if not _is_of_lists(values):
        return {"values": given, "written": written}
    parts = [part for cell in values.tolist() if cell is not None for part in cell]
    if not parts or not all(isinstance(part, str) for part in parts):
        return {"values": given, "written": written}
    words, how = answers.as_words(values.tolist(), written)
    return {"values": words, "written": how}


def decided(name: str, values: NDArray[Any], written: str, codes: Labels | None) -> Column | None:
    """Return a column with several answers in a cell; None if its cells are single values.

    >>> words = np.array(["email;phone", "email", "phone;post", "post;email"] * 5, dtype=object)
    >>> decided("contact", words, "", None).reason
    "3 different answers with ';' between them, several in 75% of the cells"
    """
    if values.dtype != object or not {*map(type, values.tolist())} <= {str, type(None)}:
        return None
    words = columns.words(values)
    counted = [word for word in words.tolist() if word]
    step = -(-len(counted) // _MOST_LOOKED_AT) or 1
    mark = answers.mark_of(written) or mark_of(counted[::step])
    if not mark or times.durations(counted[::step]):  # 1 day, 2:00:00 is one length of time
        return None
    column = _column(name, words, mark)
    given = answers.of_column(column)
    kept = answers.common(given, np.zeros(len(words), dtype=int) if codes is None else codes)
    kept = kept[: columns.MOST_LEVELS]
    n = len({answer for cell in given for answer in cell})
    if not kept and len(counted) >= _FEWEST:
        reason = f"lists of {n} different words, none in {columns.COMMON:.0%} of the rows"
        return replace(column, kind=columns.TEXT, reason=f"{reason} of a data set", written="")
    joined = f"; all but the {len(kept)} most frequent are joined as 'other'"
    rare = n - len(kept) > 1 and len(counted) >= _FEWEST
    return replace(column, reason=column.reason + joined * rare)


def as_asked(name: str, values: NDArray[Any], written: str) -> Column:
    """Split the cells of a column into answers because the user, or a model, says so.

    >>> as_asked("contact", np.array(["email,phone", "fax"], dtype=object), "").written
    "with ',' between answers"
    """
    if _is_of_lists(values):
        values, written = answers.as_words(values.tolist(), written)
    words = columns.words(values)
    mark = answers.mark_of(written) or mark_as_asked([word for word in words.tolist() if word])
    return _column(name, words, mark, "as you said, ")


def _column(name: str, words: NDArray[Any], mark: str, before: str = "") -> Column:
    """Return the column of words (n,), with the number of its answers as the reason."""
    every = [() if word is None else answers.split(word, mark) for word in words.tolist()]
    words = words.copy()
    words[[not found for found in every]] = None  # a mark alone is a gap
    given = [found for found in every if found]
    distinct = list(dict.fromkeys(answer for found in given for answer in found))
    share = sum(len(found) > 1 for found in given) / max(len(given), 1)
    how = answers.MARKS[mark]
    reason = (
        f"{before}{len(distinct)} different answers {how.removesuffix('answers')}them, several in "
        f"{share:.0%} of the cells"
    )
    return Column(
        name, columns.SEVERAL, reason + spelling.in_capitals(distinct), words, written=how
    )


def mark_of(words: Sequence[str]) -> str:
    """Mark that divides the cells of a column into answers; "" if they are single values.

    >>> mark_of(["email;phone", "email", "phone;post", "post;email", "phone"] * 5)
    ';'
    >>> mark_of(["Rome, Italy", "Oslo, Norway", "Bergen, Norway"] * 9)
    ''
    """
    if len(words) < _FEWEST:
        return ""
    return next((mark for mark in answers.MARKS if _divides(mark, Counter(words))), "")


def mark_as_asked(words: Sequence[str]) -> str:
    """Mark that stands in most cells of a column that is said to have several answers.

    >>> mark_as_asked(["Doe, Jane", "email"]), mark_as_asked(["email"])
    (',', ';')
    """
    return max(answers.MARKS, key=lambda mark: sum(mark in word for word in words))


def _divides(mark: str, times: Counter[str]) -> bool:
    """True if a mark divides cells, {cell: number of rows}, into recurring answers."""
    if not any(mark in word for word in times):
        return False
    n = times.total()
    parts = {word: [p for part in word.split(mark) if (p := part.strip())] for word in times}
    several = Counter({word: times[word] for word, found in parts.items() if len(found) > 1})
    twice = sum(times[word] for word in several if len(set(parts[word])) < len(parts[word]))
    if several.total() < max(_WITH_SEVERAL * n, 2):
        return False
    common = _common(times, parts)
    if not common or (_are_numbers(common) and not _are_codes(mark, parts, common)):
        return False
    if _vary(times, parts):  # an answer that comes twice in a cell was given twice
        return True
    return twice <= max(_REPEATED * n, 1) and _change_places(several, parts)


def _common(times: Counter[str], parts: dict[str, list[str]]) -> set[str]:
    """Return the answers that come again; empty unless they make up most and combine freely."""
    cells = {frozenset(found) for found in parts.values()}
    rows: Counter[str] = Counter()
    for word, found in parts.items():
        rows.update(dict.fromkeys(found, times[word]))
    within = Counter(answer for cell in cells for answer in cell)
    least = max(columns.COMMON * times.total(), 2)
    common = {answer for answer, number in rows.items() if number >= least}
    recurring = sum(rows[answer] for answer in common)
    shared = sum(rows[answer] for answer in common if within[answer] > 1)
    enough = recurring >= _RECURRING * rows.total() and shared >= _SHARED * rows.total()
    return common if enough and len(common) < len(cells) else set()


def _are_numbers(common: set[str]) -> bool:
    numbers = [word for word in common if parsing.numbers([word], known=True).found]
    return 2 * len(numbers) > len(common)


def _are_codes(mark: str, parts: dict[str, list[str]], common: set[str]) -> bool:
    """True for whole numbers of few digits that rise within each cell, as codes of answers do."""
    if not all(word.isdecimal() and len(word) <= _MOST_DIGITS for word in common):
        return False
    if mark == "," and max(map(len, parts.values())) < 3:
        return False
    rising = [[int(p) for p in found if p in common] for found in parts.values()]
    return all(a < b for found in rising for a, b in zip(found, found[1:], strict=False))


def _vary(times: Counter[str], parts: dict[str, list[str]]) -> bool:
    """True if at least the share `_WITH_SEVERAL` of cells has another number of parts than most."""
    lengths: Counter[int] = Counter()
    for word, found in parts.items():
        lengths[len(found)] += times[word]
    return max(lengths.values()) <= (1 - _WITH_SEVERAL) * times.total()


def _change_places(several: Counter[str], parts: dict[str, list[str]]) -> bool:
    """True if parts change places from cell to cell, as answers do, unlike first and last names."""
    places: dict[str, Counter[int]] = {}
    for word, number in several.items():
        for place, part in enumerate(parts[word]):
            places.setdefault(part, Counter())[place] += number
    total = sum(found.total() for found in places.values())
    usual = sum(max(found.values()) for found in places.values())
    return usual < (1 - _EXCEPTIONS) * total


def _written_lists(values: NDArray[Any]) -> NDArray[Any]:
    """Parse a column whose words are all lists in JSON or Python; else return it as it is.

    >>> _written_lists(np.array(['["a", "b"]', "['c']", None], dtype=object)).tolist()
    [['a', 'b'], ['c'], None]
    """
    if values.dtype != object or {*map(type, values.tolist())} - {str, type(None)}:
        return values
    words = {word for word in values.tolist() if word is not None}
    # The first word decides most columns.
    lists: dict[str | None, Any] = {None: None}
    for word in words:
        if (found := _list_in(word)) is None:
            return values
        lists[word] = found
    objects = np.empty(len(values), dtype=object)
    objects[:] = [lists[word] for word in values.tolist()]
    return objects


def _list_in(word: str) -> list[Any] | None:
    """Parse a word as a list in JSON or Python; None if it is no list."""
    text = word.strip()
    if not (text.startswith("[") and text.endswith("]")) or len(text) > _LONGEST_LIST:
        return None
    for parse in (json.loads, ast.literal_eval):
        try:
            found = parse(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        return found if isinstance(found, list) else None
    return None


def _is_of_lists(values: NDArray[Any]) -> bool:
    """True if all values but gaps are lists, tuples, sets or arrays."""
    if values.dtype != object:
        return False
    kinds = {type(value) for value in values.tolist()} - {type(None)}
    return bool(kinds) and kinds <= {list, tuple, set, frozenset, np.ndarray}
