"""Parses words as dates, times of day and lengths of time."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinfolk.sources.parsing import LONGEST, short_words
from kinfolk.tables import calendar_names

_CLOCK_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(:([0-5]\d))?")
_HALF_DAY = re.compile(
    r"(1[0-2]|0?[1-9])(?::([0-5]\d)(:([0-5]\d))?)?\s*([ap])\.?m\.?", re.IGNORECASE
)

_LONG_CLOCK = re.compile(r"(\d+):([0-5]\d):([0-5]\d)")

_DAYS_AND_CLOCK = re.compile(r"(-?\d+) days?,? \+?(\d+):([0-5]\d):([0-5]\d(?:\.\d+)?)")
"""A length of time as pandas and Python write it: 1 days 02:30:00, or 1 day, 2:30:00."""

_PERIODS = (
    (1 / 3600, "s sec secs second seconds sek sekunde sekunden seconde secondes"),
    (1 / 60, "m min mins minute minutes minuten"),
    (1.0, "h hr hrs hour hours std stunde stunden heure heures"),
    (24.0, "d day days tag tage tagen jour jours"),
    (168.0, "w wk wks week weeks woche wochen semaine semaines"),
    (8766 / 12, "mo mon mos month months monat monate monaten mois"),
    (8766.0, "y yr yrs year years jahr jahre jahren an ans"),
)

_HOURS = {unit: hours for hours, units in _PERIODS for unit in units.split()}
"""Unit of time -> its hours; a year has 365.25 days."""

_PERIOD = re.compile(r"(\d+(?:[.,]\d+)?)\s*([^\W\d_]+)[.,]?\s*(?:(?:and|und|et)\s+)?")

_NAME = r"[^\W\d_]{3,10}\.?"
_NAMED = ("%d %m %Y", "%m %d %Y", "%d %m %y", "%m %Y", "%m %y")
"""Formats of dates whose months have names, after each name is replaced by its number."""

DATE_FORMS = (
    ("year-month-day", re.compile(r"\d{4}-\d{1,2}-\d{1,2}"), ("%Y-%m-%d",)),
    ("year/month/day", re.compile(r"\d{4}/\d{1,2}/\d{1,2}"), ("%Y/%m/%d",)),
    ("year.month.day", re.compile(r"\d{4}\.\d{1,2}\.\d{1,2}"), ("%Y.%m.%d",)),
    ("day.month.year", re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}"), ("%d.%m.%Y",)),
    ("day.month.short year", re.compile(r"\d{2}\.\d{2}\.\d{2}"), ("%d.%m.%y",)),
    ("year年month月day日", re.compile(r"\d{4}年\d{1,2}月\d{1,2}日"), ("%Y年%m月%d日",)),
    ("day/month/year", re.compile(r"\d{1,2}/\d{1,2}/\d{4}"), ("%d/%m/%Y", "%m/%d/%Y")),
    ("day/month/short year", re.compile(r"\d{1,2}/\d{1,2}/\d{2}"), ("%d/%m/%y", "%m/%d/%y")),
    ("day-month-year", re.compile(r"\d{1,2}-\d{1,2}-\d{4}"), ("%d-%m-%Y", "%m-%d-%Y")),
    ("day month-name year", re.compile(rf"\d{{1,2}}\.?[ -]?{_NAME}[ -]?\d{{4}}"), (_NAMED[0],)),
    ("day month-name short year", re.compile(rf"\d{{1,2}}[ -]{_NAME}[ -]\d{{2}}"), (_NAMED[2],)),
    ("month-name year", re.compile(rf"{_NAME}[ -]\d{{4}}"), (_NAMED[3],)),
    ("month-name short year", re.compile(rf"{_NAME}-\d{{2}}"), (_NAMED[4],)),
    ("month/year", re.compile(r"\d{1,2}/\d{4}"), ("%m/%Y",)),
    ("year-month", re.compile(r"\d{4}-\d{1,2}"), ("%Y-%m",)),
    ("month-name day year", re.compile(rf"{_NAME} \d{{1,2}} \d{{4}}"), (_NAMED[1],)),
    ("month-name day, year", re.compile(rf"{_NAME} \d{{1,2}},? ?\d{{4}}"), (_NAMED[1],)),
)
"""Notations of days: name, pattern, and the formats of `strptime` by which it may be read."""

_CLOCK = re.compile(
    r"(?:,? |[T:])\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?"
    r"(\s?[ap]\.?\s?m\.?|\s?(Z|UTC|GMT|[+-]\d{2}(:?\d{2})?))?$",
    re.IGNORECASE,
)
"""A time of day behind a date, which does not change the day."""

_EPOCH = datetime(1970, 1, 1)

LAST_SHORT_YEAR = 2029
"""Years of two digits are 1930 to 2029, as spreadsheets take them."""

SHEET_EPOCH = 25569
"""1970-01-01 as spreadsheets count days."""

SHEET_DAYS = (3654, 73050)
"""The days of spreadsheets from 1910 to 2099; smaller numbers may be days of a month or a year."""


class Dates(NamedTuple):
    """Words parsed as dates, with the notation found.

    Attributes
    ----------
    found : word -> days since 1970-01-01
    forms : name of a notation in `DATE_FORMS` -> a word in it; day and month may be swapped
    unclear : a word whose day and month could be exchanged in the whole column, or ""
    """

    found: dict[str, float]
    forms: dict[str, str]
    unclear: str


def clock_times(words: Iterable[str]) -> dict[str, float]:
    """Parse times of day: {word: hours}.

    >>> clock_times(["14:30", "7:05:00", "25:00", "2:30 pm", "12 a.m."])
    {'14:30': 14.5, '7:05:00': 7.083333333333333, '2:30 pm': 14.5, '12 a.m.': 0.0}
    """
    found = {}
    for word in short_words(words):
        if match := _HALF_DAY.fullmatch(word):
            hours = int(match[1]) % 12 + 12 * (match[5].lower() == "p")
            found[word] = hours + int(match[2] or 0) / 60 + int(match[4] or 0) / 3600
        elif match := _CLOCK_TIME.fullmatch(word):
            found[word] = int(match[1]) + int(match[2]) / 60 + int(match[4] or 0) / 3600
    return found


def durations(words: Iterable[str], known: bool = False) -> dict[str, float]:
    """Parse lengths of time: {word: hours}.

    Unless it is `known` that the words are such, {} if one is none, or all are in one unit, as
    70 m, or might be times of day.

    >>> durations(["1h 30m", "45 min", "2 days"])
    {'1h 30m': 1.5, '45 min': 0.75, '2 days': 48.0}
    >>> durations(["0 days 02:30:00", "1 day, 2:00:00", "-1 days +23:00:00"])
    {'0 days 02:30:00': 2.5, '1 day, 2:00:00': 26.0, '-1 days +23:00:00': -1.0}
    >>> durations(["70 m", "80 m"]), durations(["8:30:00"]), durations(["8:30:00"], known=True)
    ({}, {}, {'8:30:00': 8.5})
    """
    found = {}
    units = set()
    for word in words:
        if len(word) > LONGEST:
            if known:
                continue
            return {}
        if match := _DAYS_AND_CLOCK.fullmatch(word):
            days, hours, minutes, seconds = map(float, match.groups())
            found[word] = 24 * days + hours + minutes / 60 + seconds / 3600
            units |= {24.0, 1.0}
            continue
        if match := _LONG_CLOCK.fullmatch(word):
            hours, minutes, seconds = map(int, match.groups())
            found[word] = hours + minutes / 60 + seconds / 3600
            units |= {1.0, 1 / 60} if hours >= 24 else {1.0}
            continue
        parts = _PERIOD.findall(word.lower())
        if parts and not _PERIOD.sub("", word.lower()) and all(u in _HOURS for _, u in parts):
            found[word] = sum(float(n.replace(",", ".")) * _HOURS[unit] for n, unit in parts)
            units |= {_HOURS[unit] for _, unit in parts}
        elif not known:
            return {}
    return found if known or len(units) > 1 else {}


def dates(words: Iterable[str], month_first: bool = False) -> Dates:
    """Parse words as dates, with or without a time of day.

    Where day and month of all words could be exchanged, the month is first only if `month_first`.

    >>> dates(["2024-02-01", "31.1.2024", "soon"]).forms
    {'year-month-day': '2024-02-01', 'day.month.year': '31.1.2024'}
    >>> dates(["1/3/1970"]).found, dates(["1/3/1970"], month_first=True).found
    ({'1/3/1970': 59.0}, {'1/3/1970': 2.0})
    >>> dates(["1970-01-03 12:30"]).found
    {'1970-01-03 12:30': 2.0}
    """
    by_form: dict[str, list[str]] = {}
    for word in short_words(words):
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
        # The reading that fits most words; where both fit, the first of these.
        best = max(reversed(read) if month_first else read, key=len)
        if members and len(read) > 1 and read[0].keys() == read[1].keys():
            unclear = members[0]
        if best:
            forms[name if best is read[0] else _month_first(name)] = next(iter(best))
        found |= best
    return Dates(found, forms, unclear)


def span(days: NDArray[np.float64], forms: Iterable[str] = ("day",)) -> tuple[str, str]:
    """Write the first and last of days since 1970, NaN for gaps; months alone if `forms` have none.

    >>> span(np.array([31.0, np.nan, 59.0])), span(np.array([31.0, 59.0]), ["month/year"])
    (('1970-02-01', '1970-03-01'), ('1970-02', '1970-03'))
    """
    unit = "D" if any("day" in form for form in forms) else "M"
    ends = (np.datetime64(int(day), "D") for day in (np.nanmin(days), np.nanmax(days)))
    first, last = (str(day.astype(f"datetime64[{unit}]")) for day in ends)
    return first, last


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
        if reading in _NAMED:
            parts = re.findall(r"\d+|[^\W\d_]+", day.lower())
            day = " ".join(str(calendar_names.MONTHS.get(part, part)) for part in parts)
        try:
            date = datetime.strptime(day, reading)
            if "%y" in reading and date.year > LAST_SHORT_YEAR:
                date = date.replace(year=date.year - 100)
            found[word] = float((date - _EPOCH).days)
        except ValueError:
            continue
    return found


def since_1970(values: NDArray[Any]) -> NDArray[np.float64]:
    """Convert datetime64 values to days since 1970, NaN where missing.

    >>> since_1970(np.array(["1970-01-03", "NaT"], dtype="datetime64[s]"))
    array([ 2., nan])
    """
    days = values.astype("datetime64[D]").astype(np.float64)
    return np.where(np.isnat(values), np.nan, days)


def of_eight_digits(values: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Convert whole numbers, or NaN, to days since 1970; None unless all are dates.

    >>> of_eight_digits(np.array([19700103.0, np.nan])), of_eight_digits(np.array([19700199.0]))
    (array([ 2., nan]), None)
    """
    there = set(values[~np.isnan(values)].tolist())
    # Numbers that are no dates, such as eight-digit ids, rarely stay within two centuries.
    if min(there) < 19000101 or max(there) > 21001231:
        return None
    words = {v: f"{int(v) // 10000}-{int(v) // 100 % 100}-{int(v) % 100}" for v in there}
    days = dates(words.values()).found
    if len(days) < len(words):
        return None
    return np.array([days[words[v]] if v in words else np.nan for v in values.tolist()])
