"""Parses words as numbers or dates, in several notations."""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+),\d+")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_SPACED = re.compile(r"[+-]?[1-9]\d{0,2}([ \u00a0\u202f]\d{3})+([.,]\d+)?")
_MARKED = re.compile(r"[+-]?\d{1,3}(['’]\d{3})+([.,]\d+)?")
_MARKS = re.compile(r"[ '’\u00a0\u202f]")
_CODE = re.compile(r"0\d+")
_CLOCK_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(:([0-5]\d))?")

_MONEY = (
    "€ $ £ ¥ ₹ ₽ ₩ kr zł Fr. EUR USD GBP JPY CHF CNY INR SEK NOK DKK PLN CZK HUF RON BGN TRY RUB "
    "UAH BRL MXN CAD AUD NZD ZAR SGD HKD KRW"
)
CURRENCIES = frozenset(_MONEY.split())
"""Signs of money, before or behind a number."""

_UNITS = (
    "% ‰ mg g kg t lb lbs oz mm cm m km in ft mi m2 m² m3 m³ km2 km² ha ml cl dl l °C °F kcal kJ "
    "kW kWh Hz MHz GHz kB MB GB TB ms s min h d days years bpm mmHg mmol/l mmol/L mg/dl "
    "mg/dL mmol/mol"
)
MEASURES = frozenset(_UNITS.split())
"""Units that stand behind a number."""

_BEFORE = re.compile(rf"([+-]?)\s*({'|'.join(map(re.escape, sorted(CURRENCIES)))})\s*(?=[\d.,+-])")
_BEHIND = re.compile(r"(?<=[\d.,])\s*([^\s\d.,][^\s\d]*[23]?)$")

DATE_FORMS = (
    ("year-month-day", re.compile(r"\d{4}-\d{1,2}-\d{1,2}"), ("%Y-%m-%d",)),
    ("year/month/day", re.compile(r"\d{4}/\d{1,2}/\d{1,2}"), ("%Y/%m/%d",)),
    ("day.month.year", re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}"), ("%d.%m.%Y",)),
    ("day/month/year", re.compile(r"\d{1,2}/\d{1,2}/\d{4}"), ("%d/%m/%Y", "%m/%d/%Y")),
    ("day/month/short year", re.compile(r"\d{1,2}/\d{1,2}/\d{2}"), ("%d/%m/%y", "%m/%d/%y")),
    ("day-month-year", re.compile(r"\d{1,2}-\d{1,2}-\d{4}"), ("%d-%m-%Y", "%m-%d-%Y")),
    ("day month-name year", re.compile(r"\d{1,2}[ -][A-Za-z]{3}[ -]\d{4}"), ("%d-%b-%Y",)),
    ("month-name day, year", re.compile(r"[A-Za-z]{3} \d{1,2}, ?\d{4}"), ("%b-%d,-%Y",)),
)
"""Name, pattern and readings of the ways in which days are written."""

_CLOCK = re.compile(r"[T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$")
"""A time of day behind a date, which does not change the day."""

_EPOCH = datetime(1970, 1, 1)


class Numbers(NamedTuple):
    """Words parsed as numbers, with the notation found.

    Attributes
    ----------
    found : word -> its number
    commas : a word whose comma was read as the decimal point, or ""
    thousands : a word whose commas were read as divisions of thousands, or ""
    unit : the unit that stands with the numbers, or ""
    """

    found: dict[str, float]
    commas: str
    thousands: str
    unit: str = ""


class Dates(NamedTuple):
    """Words parsed as dates, with the notation found.

    Attributes
    ----------
    found : word -> days since 1970-01-01
    forms : way of writing -> a word written so
    unclear : a word whose day and month could be exchanged in the whole column, or ""
    """

    found: dict[str, float]
    forms: dict[str, str]
    unclear: str


def numbers(words: Iterable[str]) -> Numbers:
    """Parse words as numbers with decimal point or comma, units and thousands.

    "1,234" is 1234 only if all words with commas divide thousands and one of them does so twice,
    has a decimal point, or stands with a currency, which has no three decimals; otherwise its
    comma stands before the decimals. One unit or currency may
    stand with all of them; words with another one are no numbers.

    >>> numbers(["12,5", "3", "many"]).found
    {'12,5': 12.5, '3': 3.0}
    >>> numbers(["1,234,567", "1,500"]).found["1,500"]
    1500.0
    >>> numbers(["1,200.50 EUR", "30.00 EUR", "5.00 USD"]).found
    {'1,200.50 EUR': 1200.5, '30.00 EUR': 30.0}
    """
    bare, unit = _without_unit(list(words))
    spaced = {len(word) for word in bare.values() if _SPACED.fullmatch(word)}
    for word, given in bare.items():
        # Telephone numbers are groups of digits, too; amounts differ in how many.
        spaces = (unit or len(spaced) > 1) and _SPACED.fullmatch(given)
        if spaces or _MARKED.fullmatch(given):
            bare[word] = _MARKS.sub("", given)
    with_commas = [given for given in bare.values() if "," in given]
    grouped = all(_THOUSANDS.fullmatch(word) for word in with_commas) and any(
        word.count(",") > 1 or "." in word or unit in CURRENCIES for word in with_commas
    )
    found = {}
    commas = thousands = ""
    for word, given in bare.items():
        if _NUMBER.fullmatch(given):
            found[word] = float(given)
        elif grouped and _THOUSANDS.fullmatch(given):
            found[word] = float(given.replace(",", ""))
            thousands = min(thousands or word, word, key=len)
        elif _DECIMAL_COMMA.fullmatch(given):
            found[word] = float(given.replace(".", "").replace(",", "."))
            commas = min(commas or word, word, key=len)
    return Numbers(found, commas, thousands, unit)


def _without_unit(words: list[str]) -> tuple[dict[str, str], str]:
    """Strip the most common unit from words; return {word: rest} and the unit."""
    parts = {word: _divided(word) for word in words}
    times = Counter(unit for _, unit in parts.values() if unit)
    unit = times.most_common(1)[0][0] if times else ""
    # A letter behind numbers may name houses or classes (5d, 5g), which have other letters, too.
    if len(unit) == 1 and unit.isalpha() and times[unit] < len(words):
        unit = ""
    return {w: bare if own == unit else w for w, (bare, own) in parts.items()}, unit


def _divided(word: str) -> tuple[str, str]:
    """Split a word into number and known unit ("" without one)."""
    before = _BEFORE.match(word)
    if before:
        return before[1] + word[before.end() :], before[2]
    behind = _BEHIND.search(word)
    if behind and (behind[1] in MEASURES or behind[1] in CURRENCIES):
        return word[: behind.start()], behind[1]
    return word, ""


def clock_times(words: Iterable[str]) -> dict[str, float]:
    """Parse times of day: {word: hours}.

    >>> clock_times(["14:30", "7:05:00", "25:00"])
    {'14:30': 14.5, '7:05:00': 7.083333333333333}
    """
    found = {}
    for word in words:
        if match := _CLOCK_TIME.fullmatch(word):
            found[word] = int(match[1]) + int(match[2]) / 60 + int(match[4] or 0) / 3600
    return found


def codes(words: Iterable[str]) -> str:
    """Return the first word with a leading zero, as in postcodes, or "".

    >>> codes(["10115", "01067"]), codes(["0", "0.5"])
    ('01067', '')
    """
    return next((word for word in words if _CODE.fullmatch(word)), "")


def plain_numbers(words: Iterable[str]) -> dict[str, float] | None:
    """Parse words as plain numbers: {word: number}; None if one is not, or is a code.

    >>> plain_numbers(["1", "2e3"]), plain_numbers(["1", "2,5"])
    ({'1': 1.0, '2e3': 2000.0}, None)
    """
    found = {}
    for word in words:
        if word not in found:
            if not _NUMBER.fullmatch(word) or _CODE.fullmatch(word):
                return None
            found[word] = float(word)
    return found


def dates(words: Iterable[str]) -> Dates:
    """Parse words as dates, with or without a time of day.

    >>> dates(["2024-02-01", "31.1.2024", "soon"]).forms
    {'year-month-day': '2024-02-01', 'day.month.year': '31.1.2024'}
    >>> dates(["1970-01-03 12:30"]).found
    {'1970-01-03 12:30': 2.0}
    """
    by_form: dict[str, list[str]] = {}
    for word in words:
        day = _CLOCK.sub("", word)
        for name, pattern, _ in DATE_FORMS:
            if pattern.fullmatch(day):
                by_form.setdefault(name, []).append(word)
                break
    found: dict[str, float] = {}
    forms = {}
    unclear = ""
    for name, _, readings in DATE_FORMS:
        members = by_form.get(name, [])
        read = [_days(members, reading) for reading in readings]
        # The reading that fits most words; day before month where both fit.
        best = max(read, key=len)
        if members and len(read) > 1 and len(read[0]) == len(read[1]):
            unclear = members[0]
        if best:
            forms[name if best is read[0] else _month_first(name)] = next(iter(best))
        found |= best
    return Dates(found, forms, unclear)


def _month_first(name: str) -> str:
    """Name of a date notation with day and month swapped.

    >>> _month_first("day/month/year")
    'month/day/year'
    """
    day, month, rest = re.split(r"(?<=\W)", name, maxsplit=2)
    return f"{month[:-1]}{day[-1]}{day[:-1]}{month[-1]}{rest}"


def _days(words: Iterable[str], reading: str) -> dict[str, float]:
    """Parse words as valid dates in this notation: {word: days since 1970}."""
    found = {}
    for word in words:
        day = _CLOCK.sub("", word)
        day = day.replace(" ", "-") if "%b" in reading else day
        try:
            found[word] = float((datetime.strptime(day, reading) - _EPOCH).days)
        except ValueError:
            continue
    return found
