"""Finds columns that mix two units, or hold two numbers in a cell, such as 120/80 or 30 x 40 cm."""

import re
from collections.abc import Sequence

from kinfolk.arguments import shown
from kinfolk.sources import parsing, percentages, placeholders, units
from kinfolk.tables import columns

_NUMBER = r"(?!0\d)\d+(?:[.,]\d+)?"
"""No number of a pair has a leading zero, as those of telephones and months (03/24) have."""
_PAIRS = (
    re.compile(rf"(?P<first>[+-]?{_NUMBER})\s*[/x×]\s*(?P<second>{_NUMBER})\s*(?P<unit>[^\W\d]*)"),
    # Latitude and longitude; both have a decimal point, so that the comma is none.
    re.compile(
        r"\(?\s*(?P<first>[+-]?\d+\.\d+)\s*[,;]\s*(?P<second>[+-]?\d+\.\d+)\s*\)?(?P<unit>)"
    ),
)
_PARTS = (" (first)", " (second)")
_MONTHS = 12
_DAYS = 31
_MOST_CATEGORIES = 10
"""So few different pairs may be names of sizes or shares, such as 16/9, 1/2 and 3/4."""


def why_mixed_units(name: str, words: Sequence[str | None], distinct: Sequence[str]) -> str:
    """Say which units a column of numbers has, where first, and what to do; "" if it has not two.

    Only where all words but placeholders are numbers, at least half of them with a unit. Letters
    behind numbers alone, as 5d and 5g, may be classes. Units that can be converted do not matter
    where all numbers have one.

    >>> words = ["70 EUR", "154 USD", None]
    >>> why_mixed_units("price", words, words[:2]).partition(": ")[0]
    "its numbers are in EUR ('70 EUR' in data row 1) and in USD ('154 USD' in data row 2)"
    >>> why_mixed_units("weight", ["70 kg", "154 lb"], ["70 kg", "154 lb"])
    ''
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
    alike = bool(first) and units.are_alike(parts[word][1] for word in first.values())
    # Beside 40% a number without the sign may be a share, such as 0.45.
    signs = bool(first) and percentages.SIGNS.issuperset(first)
    shares = signs and len(parsing.numbers(counted).found) < len(counted)
    if len(first) < 2 - shares or letters or 2 * without > len(counted) or (alike and not without):
        return ""
    # Each currency may be written by the marks of its country.
    numbers: dict[str, set[str]] = {}
    for number, unit in parts.values():
        numbers.setdefault(parsing.singular(unit), set()).add(number)
    if any(len(parsing.numbers(n, known=True).found) < len(n) for n in numbers.values()):
        return ""
    examples = [*first.values()]
    if alike:
        examples.append(next(word for word, (_, unit) in parts.items() if not unit))
    rows = list(words)
    told = [
        f"in {parts[word][1] or 'no unit'} ({shown(word)} in data row {rows.index(word) + 1})"
        for word in examples
    ]
    return f"its numbers are {', '.join(told[:-1])} and {told[-1]}: {_advice(name, alike, shares)}"


def _advice(name: str, alike: bool, shares: bool) -> str:
    """Say what to do with numbers in two units, or in one and none if they are `alike`."""
    category = columns.taken_as(name, columns.CATEGORY)
    number = columns.taken_as(name, columns.NUMBER)
    advice = f"convert them to one unit, take the column as a category ({category})"
    if shares:
        advice = f"write all alike, say {number} (those in no unit become gaps)"
    elif alike:
        advice = f"take it as a number ({number} converts them; those in no unit become gaps)"
    return f"{advice}, or leave it out ({columns.left_out(name)})"


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
    pairs = [pair for word in counted if (pair := pair_of(word))]
    if len(pairs) < (1 - most_others) * len(counted) or not pairs:
        return False
    return len(set(pairs)) > _MOST_CATEGORIES and len({second for _, second in pairs}) > 1


def pair_of(word: str) -> tuple[str, str] | None:
    """Split a word into its two numbers, each with the unit of both; None if it is no pair.

    >>> pair_of("120/80 mmHg"), pair_of("30 x 40,5 cm"), pair_of("48.14, 11.58")
    (('120 mmHg', '80 mmHg'), ('30 cm', '40,5 cm'), ('48.14', '11.58'))
    >>> pair_of("10-20"), pair_of("2:1"), pair_of("030/123456"), pair_of("30x40x5")
    (None, None, None, None)
    """
    if len(word) > parsing.LONGEST:
        return None
    match = next((m for pattern in _PAIRS if (m := pattern.fullmatch(word))), None)
    if match is None:
        return None
    behind = f" {match['unit']}" if match["unit"] else ""
    return match["first"] + behind, match["second"] + behind


def why_not_split(name: str, words: Sequence[str | None]) -> str:
    """Say why a column of pairs stays one column, and what to do; "" if it can be split.

    >>> why_not_split("bp", ["120/80", "135/90", None])
    ''
    >>> why_not_split("bp", ["120/80", "high"]).partition(":")[0]
    "1 of its values is no such pair, such as 'high' in data row 2"
    """
    first, _ = part_names(name)
    others = [word for word in words if word is not None and pair_of(word) is None]
    wrong = [word for word in others if not placeholders.all_stand_for_gaps([word])]
    if wrong:
        row = list(words).index(wrong[0]) + 1
        said = "are no such pairs" if wrong[1:] else "is no such pair"
        return (
            f"{len(wrong)} of its values {said}, such as {shown(wrong[0])} in data row {row}: "
            f"correct them, or say {columns.taken_as(first, columns.NUMBER)}, and they become gaps"
        )
    pairs = [pair for word in words if word is not None and "/" in word and (pair := pair_of(word))]
    both = [parsing.plain_numbers(column) for column in zip(*pairs, strict=True)]
    highest = sorted(max(found.values()) for found in both if found)
    if len(highest) == len(_PARTS) and highest[0] <= _MONTHS and highest[1] <= _DAYS:
        number = columns.taken_as(first, columns.NUMBER)
        return f"they may be days without a year; if not, say {number}"
    return ""


def part_names(name: str) -> list[str]:
    """Return the names of the two columns into which a column is split.

    >>> part_names("bp")
    ['bp (first)', 'bp (second)']
    """
    return [name + part for part in _PARTS]


def whole_name(name: str) -> str:
    """Strip " (first)" or " (second)" from the name of a column that was split into two.

    >>> whole_name("bp (first)"), whole_name("bp")
    ('bp', 'bp')
    """
    return name.removesuffix(_PARTS[0]).removesuffix(_PARTS[1])
