"""Words that stand for numbers or dates: which they are, and how they are written."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+),\d+")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")

DATE_FORMS = (
    ("year-month-day", re.compile(r"\d{4}-\d{1,2}-\d{1,2}"), ("%Y-%m-%d",)),
    ("year/month/day", re.compile(r"\d{4}/\d{1,2}/\d{1,2}"), ("%Y/%m/%d",)),
    ("day.month.year", re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}"), ("%d.%m.%Y",)),
    ("day/month/year", re.compile(r"\d{1,2}/\d{1,2}/\d{4}"), ("%d/%m/%Y", "%m/%d/%Y")),
    ("day/month/short year", re.compile(r"\d{1,2}/\d{1,2}/\d{2}"), ("%d/%m/%y", "%m/%d/%y")),
    ("day-month-year", re.compile(r"\d{1,2}-\d{1,2}-\d{4}"), ("%d-%m-%Y", "%m-%d-%Y")),
    ("day month-name year", re.compile(r"\d{1,2}[ -][A-Za-z]{3}[ -]\d{4}"), ("%d-%b-%Y",)),
)
"""Name, pattern and readings of the ways in which days are written."""

_CLOCK = re.compile(r"[T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$")
"""A time of day behind a date, which does not change the day."""

_EPOCH = datetime(1970, 1, 1)


class Numbers(NamedTuple):
    """Words that are numbers.

    Attributes
    ----------
    found : word -> its number
    commas : a word whose comma was read as the decimal point, or ""
    thousands : a word whose commas were read as divisions of thousands, or ""
    """

    found: dict[str, float]
    commas: str
    thousands: str


class Dates(NamedTuple):
    """Words that are dates.

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
    """Return the words that are numbers, with a point or a comma before the decimals.

    "1,234" is 1234 only if all words with commas divide thousands and one of them does so twice
    or has a decimal point; otherwise its comma stands before the decimals.

    >>> numbers(["12,5", "3", "many"]).found
    {'12,5': 12.5, '3': 3.0}
    >>> numbers(["1,234,567", "1,500"]).found["1,500"]
    1500.0
    """
    words = list(words)
    with_commas = [word for word in words if "," in word]
    grouped = all(_THOUSANDS.fullmatch(word) for word in with_commas) and any(
        word.count(",") > 1 or "." in word for word in with_commas
    )
    found = {}
    commas = thousands = ""
    for word in words:
        if _NUMBER.fullmatch(word):
            found[word] = float(word)
        elif grouped and _THOUSANDS.fullmatch(word):
            found[word] = float(word.replace(",", ""))
            thousands = min(thousands or word, word, key=len)
        elif _DECIMAL_COMMA.fullmatch(word):
            found[word] = float(word.replace(".", "").replace(",", "."))
            commas = min(commas or word, word, key=len)
    return Numbers(found, commas, thousands)


def plain_numbers(words: Iterable[str]) -> dict[str, float] | None:
    """Return word -> number, or None if a word is no number with a point before the decimals.

    >>> plain_numbers(["1", "2e3"]), plain_numbers(["1", "2,5"])
    ({'1': 1.0, '2e3': 2000.0}, None)
    """
    found = {}
    for word in words:
        if word not in found:
            if not _NUMBER.fullmatch(word):
                return None
            found[word] = float(word)
    return found


def dates(words: Iterable[str]) -> Dates:
    """Return the words that are dates, with or without a time of day.

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
    unclear = ""
    for name, _, readings in DATE_FORMS:
        members = by_form.get(name, [])
        read = [_days(members, reading) for reading in readings]
        # The reading that fits most words; day before month where both fit.
        best = max(read, key=len)
        if members and len(read) > 1 and len(read[0]) == len(read[1]):
            unclear = members[0]
        found |= best
    forms = {
        name: kept[0] for name, ws in by_form.items() if (kept := [w for w in ws if w in found])
    }
    return Dates(found, forms, unclear)


def _days(words: Iterable[str], reading: str) -> dict[str, float]:
    """Return word -> days since 1970 for the words that are days of the calendar."""
    found = {}
    for word in words:
        day = _CLOCK.sub("", word)
        day = day.replace(" ", "-") if "%b" in reading else day
        try:
            found[word] = float((datetime.strptime(day, reading) - _EPOCH).days)
        except ValueError:
            continue
    return found
