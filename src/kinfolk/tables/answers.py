"""Cells with several answers, such as "email; phone": their marks, and a 0/1 column per answer."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix
from kinfolk.tables import columns
from kinfolk.tables.columns import Column

_BETWEEN = " between answers"
MARKS = {
    ";": f"with ';'{_BETWEEN}",
    "|": f"with '|'{_BETWEEN}",
    "\n": f"with line breaks{_BETWEEN}",
    ",": f"with ','{_BETWEEN}",
}
"""Characters that may divide answers -> how a column is written, in `Column.written`.

A comma is the last, since it also stands within answers.
"""


def mark_of(written: str) -> str:
    """Return the mark between answers that a `Column.written` names; "" if it names none.

    >>> mark_of("with ';' between answers"), mark_of("in cm")
    (';', '')
    """
    return next((mark for mark, said in MARKS.items() if said == written), "")


def split(word: str, mark: str) -> tuple[str, ...]:
    """Split a cell into its answers, each once, without outer spaces.

    >>> split("email; phone;", ";"), split("email", "")
    (('email', 'phone'), ('email',))
    """
    parts = word.split(mark) if mark else [word]
    return tuple(dict.fromkeys(part for found in parts if (part := found.strip())))


def of_column(column: Column) -> list[tuple[str, ...]]:
    """Return the answers of each row; () for a gap.

    >>> contact = np.array(["email;phone", None], dtype=object)
    >>> of_column(Column("contact", columns.SEVERAL, "", contact, written=MARKS[";"]))
    [('email', 'phone'), ()]
    """
    mark = mark_of(column.written)
    words = columns.words(column.values).tolist()
    known = {word: split(word, mark) for word in set(words) if word is not None}
    return [known.get(word, ()) for word in words]


def common(answers: Sequence[tuple[str, ...]], codes: Labels) -> list[str]:
    """Return answers that are frequent in some task, most frequent first, as of a category.

    >>> common([("a", "b"), ("a",), ()], np.zeros(3, dtype=int))
    ['a']
    """
    each = np.array([answer for given in answers for answer in given], dtype=object)
    rows = np.repeat(codes, [len(given) for given in answers])
    return columns.common_values(each, rows, np.bincount(codes))


def coded(answers: Sequence[tuple[str, ...]], named: Sequence[str], other: bool) -> Matrix:
    """Return a 0/1 column (n, V) for each named answer, and for all others; NaN for gaps.

    >>> coded([("a", "c"), ("b",), ()], ["a", "b"], other=True)
    array([[ 1.,  0.,  1.],
           [ 0.,  1.,  0.],
           [nan, nan, nan]])
    """
    place = {answer: v for v, answer in enumerate(named)}
    found = np.zeros((len(answers), len(named) + 1))
    for i, given in enumerate(answers):
        found[i, [place.get(answer, -1) for answer in given]] = 1.0
    found[[not given for given in answers]] = np.nan
    return found if other else found[:, :-1]


def as_words(cells: Sequence[Any], written: str = "") -> tuple[NDArray[Any], str]:
    """Write lists as words (n,) with a mark that no answer has; also return how they are written.

    Empty lists are gaps. `written` is how these answers are written elsewhere, if known.

    >>> words, written = as_words([["email", "phone; fax"], [], None])
    >>> words.tolist(), written
    (['email|phone; fax', None, None], "with '|' between answers")
    """
    lists = [
        [] if cell is None else [str(v).strip() for v in cell if v is not None] for cell in cells
    ]
    for cell, given in zip(cells, lists, strict=True):
        if isinstance(cell, set | frozenset):
            given.sort()  # sets have no order of their own
    used = {letter for given in lists for answer in given for letter in answer}
    mark = mark_of(written) or next((mark for mark in MARKS if mark not in used), ";")
    words = np.empty(len(lists), dtype=object)
    words[:] = [mark.join(given) or None for given in lists]
    return words, MARKS[mark]
