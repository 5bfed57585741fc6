"""Parses words as numbers, in several notations."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinfolk.sources import (
    currencies,
    divisions,
    end_labels,
    magnitudes,
    open_ends,
    percentages,
    units,
)
from kinfolk.sources.divisions import DECIMAL_COMMA, DOTTED, NUMBER, THOUSANDS
from kinfolk.sources.placeholders import PLACEHOLDERS

_SPACED = re.compile(r"[+-]?[1-9]\d{0,2}([ \u00a0\u202f]\d{3})+([.,]\d+)?")
_MARKED = re.compile(r"[+-]?\d{1,3}(['’]\d{3})+([.,]\d+)?")
_MARKS = re.compile(r"[ '’\u00a0\u202f]")
_CODE = re.compile(r"0\d+")
_LONG = re.compile(r"[1-9]\d{15,99}")
"""Whole numbers that floats may round: those above 2^53."""
_DIGIT = re.compile(r"\d")
_BRACKETS = re.compile(r"(\D*?)\s*\(([^()]+)\)")
_BOUND = re.compile(r"[<>≤≥]=?\s*(?=[\d.,+-])")
_ABOUT = re.compile(
    r"(?:~|≈|ca\.?|circa|approx\.?|about|etwa|env\.?|约|約)\s*(?=[+-]?[\d.,])", re.IGNORECASE
)
_COUNTED = re.compile(
    r"(?<=\d)(\s*°(?:\s*[NSEW])?|\s*/\s*\d+|\s+(?:of|out of|von|sur|de|di|van)\s+\d+"
    r"|\s+[^\W\d_]{2,})"
)
"""Degrees, a total as in 3/10 or 3 of 10, or a word; cut off if they stand behind all numbers."""
_NO_CENTS = re.compile(r"(?<=\d)[.,](?:--?|–|—)(?=\D*$)")
_PLUS_MINUS = re.compile(r"\s*(?:±|\+/-|\+-)\s*[\d.,]*\d")
"""An error or a spread behind a number."""

_UNITS = (
    "% ‰ ng µg μg mg g kg t lb lbs oz mm cm m km in ft mi m2 m² m3 m³ km2 km² ha ml cl dl l mL dL "
    "L °C °F ℃ ℉ kcal kJ W kW kWh V mS µS μS Hz MHz GHz kB MB GB TB ms s min h d days years bpm "
    "mmHg hPa bar µmol μmol mmol mol IU yd st"
)
_CHINESE = "岁 歳 年 天 小时 分钟 人 次 个 公斤 千克 克 斤 厘米 米 公里 平方米 ㎡"
MEASURES = frozenset([*_UNITS.split(), *_CHINESE.split()])
"""Units that stand behind a number, also one per another, as mg/l."""

_BEFORE = re.compile(rf"([+-]?)\s*({currencies.PATTERN})\s*(?=[\d.,+-])")
# 11 st are stones, and 1st is the first.
_BEHIND = re.compile(r"(?<=[\d.,])(?!st$)\s*([^\s\d.,][^\s\d]*[23]?)$")


LONGEST = 100
"""Characters of the longest word that may be a number, a date or a length of time.

The patterns take time by the square of the length: minutes for a cell of 30,000 digits.
"""


class Numbers(NamedTuple):
    """Words parsed as numbers, with the notation found.

    Attributes
    ----------
    found : word -> its number
    commas : a word whose comma was read as the decimal point, or ""
    points : a word beside those whose point was read as one of decimals, too, or ""
    thousands : a word whose commas or dots were read as divisions of thousands, or ""
    unit : the unit that stands with the numbers, or ""
    bound : a word such as "<0.5" or "80+" that was read as its bound, or ""
    negative : a word in brackets that was read as a negative number, or ""
    magnitudes : a word with each magnitude, such as "12k" and "1.2M"
    spread : a word such as "10 ± 1" or "~10" that was read as its first number, or ""
    converted : a word with another unit whose number was converted to `unit`, or ""
    labels : words such as "1 - never" that were read as their numbers
    """

    found: dict[str, float]
    commas: str
    thousands: str
    unit: str = ""
    bound: str = ""
    negative: str = ""
    magnitudes: tuple[str, ...] = ()
    spread: str = ""
    converted: str = ""
    labels: tuple[str, ...] = ()
    points: str = ""


def numbers(
    words: Iterable[str], known: bool = False, thousands: str = "", unit: str = ""
) -> Numbers:
    """Parse words as numbers with decimal point or comma, units and thousands.

    "1,234" is 1234 only if all words with commas divide thousands and one of them does so twice,
    has a decimal point, or stands with a currency, which has no three decimals, or if ten of them
    stand beside whole numbers, all below 1000; otherwise its comma is that of decimals. "1.234" is
    1234 by the same rule, and beside decimal commas. Either is, too, if it is known to divide
    `thousands` ("," or "."). One unit or currency may stand with all of them. Words with another
    one are converted to the `unit` that is known, else to that of most words, where `units` knows
    the factors and each word has a unit; otherwise they are no numbers.

    "<0.5" is 0.5 where most words have no such sign, "(5)" is -5 where some words have no brackets,
    and "80+" is 80 above other numbers; all are if it is `known` that the words are numbers.
    "12k" is 12000 where `magnitudes` says so, "10 ± 1" is 10 where most words have a spread, and
    "~10" is 10. "1 - never" is 1 where `end_labels` says so.

    >>> numbers(["12,5", "3", "many"]).found
    {'12,5': 12.5, '3': 3.0}
    >>> numbers(["1,234,567", "1,500"]).found["1,500"]
    1500.0
    >>> numbers(["1.200"]).found, numbers(["1.200"], thousands=".").found
    ({'1.200': 1.2}, {'1.200': 1200.0})
    >>> numbers(["1,200.50 EUR", "30.00 EUR", "5.00 USD"]).found
    {'1,200.50 EUR': 1200.5, '30.00 EUR': 30.0}
    >>> numbers(["70 kg", "80 kg", "1000 g"]).found
    {'70 kg': 70.0, '80 kg': 80.0, '1000 g': 1.0}
    >>> numbers(["<0.5", "2.25", "(3)", "7-"]).found
    {'<0.5': 0.5, '2.25': 2.25, '(3)': -3.0, '7-': -7.0}
    >>> numbers(["€1.4m", "€650k"]).found, numbers(["10 ± 1", "12.5 ± 2"]).found
    ({'€1.4m': 1400000.0, '€650k': 650000.0}, {'10 ± 1': 10.0, '12.5 ± 2': 12.5})
    """
    # A word for a gap says no more of the others than an empty cell.
    there = (word for word in short_words(words) if word.lower() not in PLACEHOLDERS)
    plain = {word: _signed(word) for word in there}
    labelled = end_labels.of(plain, known)
    plain |= labelled
    bounds, brackets = _bounds_and_brackets(plain, known)
    bounds += open_ends.of(plain, known)
    plain |= {word: open_ends.without(_BOUND.sub("", plain[word])) for word in bounds}
    plain |= units.of_compounds(plain)
    spreads = [word for word, given in plain.items() if _PLUS_MINUS.search(given)]
    if known or 2 * len(spreads) >= len(plain):
        plain |= {word: _PLUS_MINUS.sub("", plain[word], count=1) for word in spreads}
    about = [word for word, given in plain.items() if _ABOUT.match(given)]
    plain |= {word: _ABOUT.sub("", plain[word], count=1) for word in about}
    spreads += about
    sized = magnitudes.of(plain, known)
    bare, unit, others = _without_unit(plain | sized.rest, known, unit)
    bare = _without_marks(bare, known or bool(unit))
    # €1.234m has three decimals.
    money = unit in currencies.ALL and not sized.powers
    found, commas, points, grouped = _parsed(bare, money, thousands)
    found |= {word: sized.times(word, found[word]) for word in sized.powers if word in found}
    others = {word: own for word, own in others.items() if word in found}
    found |= {
        word: number
        for word, own in others.items()
        if (number := units.converted(found[word], own, unit)) is not None
    }
    return Numbers(
        found,
        commas,
        grouped,
        unit,
        next((word for word in bounds if word in found), ""),
        next((word for word in brackets if word in found), ""),
        tuple(word for word in sized.examples if word in found),
        next((word for word in spreads if word in found), ""),
        next(iter(others), ""),
        tuple(sorted(labelled.keys() & found, key=lambda word: found[word])),
        points,
    )


def _bounds_and_brackets(plain: dict[str, str], known: bool) -> tuple[list[str], list[str]]:
    """Return the words of {word: text} that are bounds, and those in brackets.

    If most words are such, they are steps of a scale, such as < 18 and > 60, or labels (1), (2),
    (3), and no measurements, unless it is `known` that they are: `plain` gets the words back.
    """
    bounds = [word for word, given in plain.items() if _BOUND.match(given)]
    brackets = [word for word in plain if _BRACKETS.fullmatch(word)]
    for members, most in ((bounds, 0.5), (brackets, 0.99)):
        if not known and len(members) > most * len(plain):
            plain |= {word: word for word in members}
            members.clear()
    return bounds, brackets


def _without_marks(bare: dict[str, str], are_numbers: bool) -> dict[str, str]:
    """Return {word: text} without spaces and other marks between groups of digits.

    Telephone numbers are groups of digits, too; amounts differ in how many.
    """
    lengths = {len(text) for text in bare.values() if _SPACED.fullmatch(text)}
    forms = (_MARKED, _SPACED) if are_numbers or len(lengths) > 1 else (_MARKED,)
    return {
        word: _MARKS.sub("", text) if any(form.fullmatch(text) for form in forms) else text
        for word, text in bare.items()
    }


def short_words(words: Iterable[str]) -> Iterator[str]:
    """Return the words of at most `LONGEST` characters."""
    return (word for word in words if len(word) <= LONGEST)


def _parsed(bare: dict[str, str], money: bool, mark: str) -> tuple[dict[str, float], str, str, str]:
    """Parse {word: number without unit}; also words with a decimal comma, point, and thousands.

    These are the shortest of their sort, to name in a note; "" if there is none.
    """
    grouped, dotted = divisions.of(list(bare.values()), money, mark)
    found = {}
    commas = points = thousands = ""
    for word, given in bare.items():
        if grouped and THOUSANDS.fullmatch(given):
            found[word] = float(given.replace(",", ""))
            thousands = min(thousands or word, word, key=len)
        elif DECIMAL_COMMA.fullmatch(given):
            found[word] = float(given.replace(".", "").replace(",", "."))
            commas = min(commas or word, word, key=len)
        elif dotted and DOTTED.fullmatch(given):
            found[word] = float(given.replace(".", ""))
            thousands = min(thousands or word, word, key=len)
        elif NUMBER.fullmatch(given):
            found[word] = float(given)
            points = points or word * ("." in given)
    return found, commas, points if commas else "", thousands


def _signed(word: str) -> str:
    """Write "(5)", "$(5)" and "5-" with a minus before the number, and a minus sign as "-".

    Money without cents, such as 5.- or 5,–, is 5.
    """
    word = _NO_CENTS.sub("", word.replace("−", "-"))
    if match := _BRACKETS.fullmatch(word):
        return f"-{match[1]}{match[2].strip()}"
    return f"-{word[:-1]}" if re.fullmatch(r"[\d.,]+-", word) else word


def _without_unit(
    words: dict[str, str], known: bool, wanted: str
) -> tuple[dict[str, str], str, dict[str, str]]:
    """Strip units from {word: text}; return {word: rest}, the unit, and others to convert to it."""
    parts = {word: number_and_unit(text) for word, text in words.items()}
    times = Counter(unit for _, unit in parts.values() if unit)
    # In the order of letters, so that equally frequent ones do not depend on the order of rows.
    unit = max(sorted(times), key=lambda one: times[one], default="")
    if convertible := _convertible(parts, known, wanted or unit):
        return convertible
    # Where some are in days, 1 day is in the same unit.
    if times[unit] < len(words) and (counted := _counted(words)):
        return *counted, {}
    # A letter behind numbers may name houses or classes (5d, 5g), which have other letters, too.
    if len(unit) == 1 and unit.isalpha() and times[unit] < len(words):
        unit = ""
    if unit in percentages.SIGNS and (doubtful := percentages.doubtful(parts, unit)):
        if not known or len(doubtful) > times[unit]:
            unit = ""
        else:  # most have the sign, so that those without it are gaps
            parts = {word: part for word, part in parts.items() if word not in doubtful}
    return {w: bare if own == unit else words[w] for w, (bare, own) in parts.items()}, unit, {}


def _convertible(
    parts: dict[str, tuple[str, str]], known: bool, unit: str
) -> tuple[dict[str, str], str, dict[str, str]] | None:
    """Return {word: number}, the unit, and {word: another unit}; None if units cannot be converted.

    Unless it is `known` that the words are numbers, all need a unit that can be converted, not only
    single letters (5g and 5t may be classes), nor only those of time, which are durations. Beside
    two units a number without one is no number.
    """
    given = {own for _, own in parts.values() if own}
    alike = {own for own in given if units.converted(1.0, own, unit) is not None}
    without = {word for word, (bare, own) in parts.items() if not own and _DIGIT.search(bare)}
    letters = all(len(own) == 1 and own.isalpha() for own in given)
    doubtful = without or letters or alike != given or units.TIMES.issuperset(given)
    if not alike - {unit} or (doubtful and not known):
        return None
    other = {word for word, (_, own) in parts.items() if own and own not in alike}
    left_out = other | (without if len(given) > 1 else set())
    rest = {word: bare for word, (bare, _) in parts.items() if word not in left_out}
    others = {word: parts[word][1] or min(alike) for word in rest if parts[word][1] != unit}
    return rest, unit, others


def _counted(words: dict[str, str]) -> tuple[dict[str, str], str] | None:
    """Strip what stands behind all numbers, as in 5 rooms or 3/10; None if it differs.

    >>> _counted({"a": "1 room", "b": "12 rooms"}), _counted({"a": "3/10", "b": "3/12"})
    (({'a': '1', 'b': '12'}, 'room'), None)
    """
    ends = {word: _COUNTED.search(text) for word, text in words.items()}
    found = {word: end for word, end in ends.items() if end and end.end() == len(words[word])}
    parts = [end[1].split() for end in found.values()]
    units = {(" " if own[0].isalpha() else "").join(own) for own in parts}
    if len(found) < len(words) or len(set(map(singular, units))) != 1:
        return None
    shown = min(units, key=lambda unit: (len(unit), unit))
    return {word: words[word][: end.start()] for word, end in found.items()}, shown


def singular(unit: str) -> str:
    """Cut letters that end plurals off a unit, to compare years, Jahre or Jahren; not to show it.

    >>> singular("Jahren"), singular("Jahr"), singular("person") == singular("persons")
    ('Jahr', 'Jahr', True)
    """
    return unit.rstrip("ens") if len(unit) > len("min") else unit


def number(value: Any) -> float | None:
    """Return the number in a cell, also in a text such as "1,5 kg"; None without one.

    >>> number("1,5 kg"), number("kg"), number(None)
    (1.5, None, None)
    """
    if isinstance(value, str):
        return numbers([value.strip()], known=True).found.get(value.strip())
    try:
        found = float(value)
    except (TypeError, ValueError):
        return None
    return None if math.isnan(found) else found


def number_and_unit(word: str) -> tuple[str, str]:
    """Split a word into number and known unit ("" without one).

    >>> number_and_unit("70.5 kg"), number_and_unit("$5"), number_and_unit("12")
    (('70.5', 'kg'), ('5', '$'), ('12', ''))
    """
    before = _BEFORE.match(word)
    if before:
        return before[1] + word[before.end() :], before[2]
    behind = _BEHIND.search(word)
    if behind and (behind[1] in currencies.ALL or MEASURES.issuperset(behind[1].split("/"))):
        return word[: behind.start()], behind[1]
    return word, ""


def codes(words: Iterable[str]) -> str:
    """Return the first word with a leading zero, as in postcodes, or "".

    Without one, the first of two long whole numbers that would be the same as floats.

    >>> codes(["10115", "01067"]), codes(["0", "0.5"])
    ('01067', '')
    >>> codes(["1152921504606846976", "1152921504606846983"])
    '1152921504606846976'
    """
    rounded: dict[float, str] = {}
    same = ""
    for word in words:
        if _CODE.fullmatch(word):
            return word
        if _LONG.fullmatch(word) and (first := rounded.setdefault(float(word), word)) != word:
            same = same or first
    return same


def may_be_thousands(values: NDArray[np.float64]) -> bool:
    """True for whole numbers and, from 1 on, some with up to three decimals: 1.200 may be 1200.

    >>> may_be_thousands(np.array([1.2, 950.0])), may_be_thousands(np.array([1.2, 9500.0]))
    (True, False)
    """
    there = np.abs(values[~np.isnan(values)])
    whole = there == np.floor(there)
    rest = there[~whole]
    some = whole.any() and not whole.all() and there[whole].max() < 1000
    return bool(some and rest.min() >= 1 and np.array_equal(rest.round(3), rest))


def plain_numbers(words: Iterable[str]) -> dict[str, float] | None:
    """Parse words as plain numbers: {word: number}; None if one is not, or some are codes.

    >>> plain_numbers(["1", "2e3"]), plain_numbers(["1", "2,5"])
    ({'1': 1.0, '2e3': 2000.0}, None)
    """
    found = {}
    for word in words:
        if word not in found:
            if not NUMBER.fullmatch(word) or _CODE.fullmatch(word):
                return None
            found[word] = float(word)
    return None if codes(found) else found
