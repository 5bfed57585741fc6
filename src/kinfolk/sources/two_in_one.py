"""Finds columns that mix two units, or hold two numbers in a cell, such as 120/80."""

import re
from collections.abc import Sequence

from kinfolk.sources import parsing, placeholders

_PAIR = re.compile(r"([+-]?\d+(?:[.,]\d+)?)\s*/\s*(\d+(?:[.,]\d+)?)(?:\s*[^\W\d]+)?")
_MOST_CATEGORIES = 10
"""So few different pairs may be names of sizes or shares, such as 16/9, 1/2 and 3/4."""


def why_mixed_units(name: str, words: Sequence[str | None], distinct: Sequence[str]) -> str:
    """Say which units a column of numbers has, where first, and what to do; "" if it has not two.

    Only where all words but placeholders are numbers, at least half of them with a unit. Letters
    behind numbers alone, as 5d and 5g, may be classes.

    >>> words = ["70 kg", "154 lb", None, "81 kg"]
    >>> why_mixed_units("weight", words, ["70 kg", "154 lb", "81 kg"]).partition(": ")[0]
    "its numbers are in kg ('70 kg' in data row 1) and in lb ('154 lb' in data row 2)"
    >>> why_mixed_units("class", ["5d", "5g"], ["5d", "5g"])
    ''
    """
    counted = [word for word in distinct if not placeholders.all_stand_for_gaps([word])]
    parts = {word: parsing.number_and_unit(word) for word in counted}
    first: dict[str, str] = {}
    for word, (_, unit) in parts.items():
        if unit:
            first.setdefault(parsing.singular(unit), word)
    letters = all(len(unit) == 1 and unit.isalpha() for unit in first)
    without = sum(not unit for _, unit in parts.values())
    if len(first) < 2 or letters or 2 * without > len(counted):
        return ""
    numbers = {number for number, _ in parts.values()}
    if len(parsing.numbers(numbers, known=True).found) < len(numbers):
        return ""
    rows = list(words)
    told = [
        f"in {parts[word][1]} ({word!r:.40} in data row {rows.index(word) + 1})"
        for word in first.values()
    ]
    return (
        f"its numbers are {', '.join(told[:-1])} and {told[-1]}: convert them to one unit, take "
        f"the column as a category (--as {name}=category), or leave it out (--ignore {name})"
    )


def is_of_pairs(counted: Sequence[str], most_others: float) -> bool:
    """True if words are two numbers such as 120/80, with different second ones.

    Parameters
    ----------
    counted : the word of each row that has one
    most_others : share of words that may be something else

    Examples
    --------
    >>> is_of_pairs([f"{110 + i}/{70 + i % 7}" for i in range(20)], 0.5)
    True
    >>> is_of_pairs(["1/2", "3/4", "1/3"] * 9, 0.5)
    False
    """
    pairs = [match for word in counted if (match := _PAIR.fullmatch(word))]
    if len(pairs) < (1 - most_others) * len(counted) or not pairs:
        return False
    different = {(match[1], match[2]) for match in pairs}
    return len(different) > _MOST_CATEGORIES and len({second for _, second in different}) > 1
