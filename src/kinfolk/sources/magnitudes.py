"""Finds magnitudes behind numbers, such as 12k, 1.4 Mio and €2bn."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from kinfolk.sources import currencies

_NAMES = {
    3: "k K tsd Tsd thousand",
    6: "m M mio Mio mill Mill mln Mln mn million millions Million Millionen millones millions",
    9: "b B bn Bn mrd Mrd mld Mld md Md billion billions Milliarde Milliarden",
    4: "万 萬",
    8: "亿 億",
}
"""Power of ten -> letters and words for it."""

_POWERS = {name: power for power, names in _NAMES.items() for name in names.split()}

_MONEY = currencies.PATTERN
_LONGEST_FIRST = sorted(_POWERS, key=len, reverse=True)
_MARKED = re.compile(
    rf"(?P<before>[+-]?\s*(?P<sign>{_MONEY})?\s*[+-]?[\d.,'’]*\d)(?P<space>\s*)"
    rf"(?P<name>{'|'.join(_LONGEST_FIRST)})\.?(?P<behind>\s*(?:{_MONEY}))?"
)
_PLAIN = re.compile(rf"[+-]?\s*(?:{_MONEY})?\s*[+-]?[\d.,'’]*\d(?:\s*(?:{_MONEY}))?")
_BEGINS_WITH_DIGIT = re.compile(rf"[+-]?\s*(?:{_MONEY})?\s*[+-]?\d")

_ENOUGH = 0.5
"""Least share of numbers with a magnitude; beside 5 and 7 a single 12k may be a mistake."""


class Magnitudes(NamedTuple):
    """Words with a magnitude: each without it, its power of ten, and an example of each power.

    Attributes
    ----------
    rest : word -> the word without its magnitude
    powers : word -> power of ten
    """

    rest: dict[str, str]
    powers: dict[str, int]

    def times(self, word: str, number: float) -> float:
        """Multiply the number of a word by its magnitude, without an error of rounding.

        >>> found = of({"4.35k": "4.35k"})
        >>> found.times("4.35k", 4.35)
        4350.0
        """
        return float(Decimal(repr(number)).scaleb(self.powers.get(word, 0)))

    @property
    def examples(self) -> list[str]:
        """Return the first word of each power of ten, the smallest power first."""
        first = {power: word for word, power in reversed(self.powers.items())}
        return [first[power] for power in sorted(first)]


def of(words: Mapping[str, str], known: bool = False) -> Magnitudes:
    """Find magnitudes in {word: its text without signs of bounds}.

    There are some only if at least half of the numbers have one and no word that begins with a
    number is anything else, as are classes 5k and 7d; both do not matter if it is `known` that the
    words are numbers. A single letter is no magnitude where it may be a unit: m needs a currency or
    a word with k beside it, and so do b and B, and M and K (Kelvin) behind a space; 3M may be three
    months, so that M alone needs a decimal or plain numbers beside it.

    >>> of({w: w for w in ["12k", "900", "1.2M"]}).powers
    {'12k': 3, '1.2M': 6}
    >>> of({w: w for w in ["€1.4 m", "€650 Tsd"]}).rest
    {'€1.4 m': '€1.4', '€650 Tsd': '€650'}
    >>> of({w: w for w in ["3 m", "25 m"]}).powers, of({w: w for w in ["5k", "7d"]}).powers
    ({}, {})
    """
    found = {word: match for word, text in words.items() if (match := _MARKED.fullmatch(text))}
    plain = {word for word, text in words.items() if _PLAIN.fullmatch(text)}
    names = {match["name"] for match in found.values()}
    decimals = any(mark in match["before"] for match in found.values() for mark in ".,")
    alone = decimals or bool(plain)
    found = {word: match for word, match in found.items() if _is_magnitude(match, names, alone)}
    others = [
        word
        for word, text in words.items()
        if word not in found and word not in plain and _BEGINS_WITH_DIGIT.match(text)
    ]
    some = len(found) >= _ENOUGH * (len(found) + len(plain)) and not others
    if not found or not (some or known):
        return Magnitudes({}, {})
    return Magnitudes(
        {word: match["before"] + (match["behind"] or "") for word, match in found.items()},
        {word: _POWERS[match["name"]] for word, match in found.items()},
    )


def _is_magnitude(match: re.Match[str], names: set[str], alone: bool) -> bool:
    """True if the letters behind a number are no unit, by the other words of its column.

    Parameters
    ----------
    names : the letters behind all its numbers
    alone : True if M may be a magnitude without others, beside decimals or plain numbers
    """
    name = match["name"]
    if len(name) > 1 or not name.isascii() or match["sign"] or match["behind"]:
        return True
    if name in "kK" and not match["space"]:
        return True
    if names & {"k", "K"} and name in "mMbB":
        return True
    if len(names) > 1 and name in "kKMB" and not match["space"]:
        return True
    return name == "M" and not match["space"] and alone
