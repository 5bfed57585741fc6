"""Decides whether commas and points in numbers divide thousands, by all numbers of a column."""

import re
from collections.abc import Sequence

NUMBER = re.compile(r"[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+),\d+([eE][+-]?\d+)?")
# In India digits above the last three go in pairs: 1,25,000.
THOUSANDS = re.compile(r"[+-]?[1-9](\d{0,2}(,\d{3})+|\d?(,\d{2})+,\d{3})(\.\d*)?")
DOTTED = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?")
_BELOW_1000 = re.compile(r"[+-]?\d{1,3}")

MANY = 10
"""So many words with a mark before three digits show thousands, beside numbers below 1000."""

_SMALL = 100.0
"""A number from 1000 on stands beside some from here on, unless its point is that of decimals."""


def of(words: Sequence[str], money: bool, mark: str) -> tuple[bool, bool]:
    """Say whether commas, and whether points, divide thousands in the numbers of a column.

    Parameters
    ----------
    words : numbers without units
    money : True for amounts of money, which have no three decimals
    mark : "," or "." if it is known to divide thousands

    Examples
    --------
    >>> of(["1,234.5", "1,500"], False, ""), of(["0,5", "999,5", "1.366"], False, "")
    ((True, False), (False, True))
    >>> of(["0,5", "2,25", "1.366"], False, ""), of(["0,5", "2,25", "1.366"], False, ".")
    ((False, False), (False, True))
    """
    with_commas = [word for word in words if "," in word]
    has_points = any("." in word for word in with_commas)
    beside_commas = bool(with_commas) and not _are_decimals(words)
    return (
        _divides(",", words, THOUSANDS, mark == "," or money or has_points),
        _divides(".", words, DOTTED, mark == "." or money or beside_commas),
    )


def _divides(mark: str, words: Sequence[str], form: re.Pattern[str], known: bool) -> bool:
    """True if a mark (comma or point) separates thousands, by the form of words and a second sign.

    That is, it is `known`, a word has two such marks, or `MANY` words beside numbers below 1000.
    """
    marked = [word for word in words if mark in word]
    if not all(map(form.fullmatch, marked)):
        return False
    # Of decimals without zeros at their ends not all would have three, and hardly one none.
    others = [word for word in words if mark not in word and NUMBER.fullmatch(word)]
    from_1000 = others and all(map(_BELOW_1000.fullmatch, others)) and len(marked) >= MANY
    return known or any(word.count(mark) > 1 for word in marked) or bool(from_1000)


def _are_decimals(words: Sequence[str]) -> bool:
    """True if points beside decimal commas are those of decimals, such as 1.366 beside 0,5 and 2,2.

    As thousands they would be far above all others, which are below `_SMALL`; as decimals they lie
    among them.
    """
    pointed = [abs(float(word)) for word in words if "." in word and NUMBER.fullmatch(word)]
    commas = [word.replace(",", ".") for word in words if "." not in word]
    others = [abs(float(word)) for word in commas if NUMBER.fullmatch(word)]
    both = any("." in word and "," in word for word in words)
    if not pointed or not others or both:
        return False
    return max(others) < _SMALL and max(pointed) <= max(others)
