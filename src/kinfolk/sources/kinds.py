"""Decides the kind of each column (number, category, text, ...), with the reason.

The rules, in this order; the first that fits decides (with examples: `docs/column-rules.md`):

    no value at all, or the same in every row              constant
    values of a date type, or words most of which are so   date
    values of a type of durations, or words such as
        1h 20m, not all in one unit                        duration
    categories with an order, from the data frame or by
        their words, such as never, often, always          ordered category
    only 0 and 1, true and false, yes and no               yes/no
    whole numbers, all different within each data set,
        as hardly by chance, or are named as an id         identifier
    other whole numbers, named as an id, code or group     category
    numbers, none below 0, that are whole or have zeros    amount
    other numbers                                          number
    two numbers in a cell, such as 120/80                  two numbers (`pairs`)
    cells such as "email; phone", whose parts come again   several answers (`several`)
    four words or more to a value, over half different     text
    words of which nearly all are different                identifier
    other words                                            category

Words beside numbers, and numbers in units without a known factor, are unclear: the user decides.
Columns that say what another one says are found once all are decided (`tables.copies`).
"""

import datetime
import decimal
import math
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinfolk.arguments import shown
from kinfolk.arrays import Labels
from kinfolk.errors import InputError
from kinfolk.sources import (
    gap_codes,
    lengths_of_time,
    naming,
    nested,
    parsing,
    placeholders,
    scales,
    several,
    spelling,
    times,
    two_in_one,
    yes_no,
)
from kinfolk.tables import calendar_names, columns
from kinfolk.tables.columns import Column

CHOICES = (columns.NUMBER, columns.DURATION, columns.YES_NO, columns.CATEGORY, several.CHOICE)
"""Kinds that a user may name for a column; a model may also name those of `_OF_MODELS`."""

_OF_MODELS = (columns.ORDERED, columns.SEVERAL)

_SINGLE = (str, numbers.Real, decimal.Decimal, datetime.date, np.datetime64, type(None))
"""Types of single values; a column that holds others, such as records, is unclear."""

MOSTLY = 0.5
"""With this share of numbers or dates a column was meant to hold them; other words are mistakes."""

NEARLY_ALL = 0.9
"""Words of which this share are different name their rows: few rows can have any in common."""

FEW_ROWS = 10
"""With fewer values than this all may differ by chance, so that nothing is an identifier."""

LONG = 4
"""Texts have at least this many words on average; names and addresses have fewer."""


class Raw(NamedTuple):
    """A column's values before its kind is decided.

    Attributes
    ----------
    values : (n,) float64, datetime64, or objects: None for a gap
    levels : of categories with an order, from lowest to highest
    is_category : True for values of a categorical type without an order, which are words
    written : unit and notation of these numbers or dates elsewhere, as `Column.written`, if known
    """

    values: NDArray[Any]
    levels: tuple[str, ...] = ()
    is_category: bool = False
    written: str = ""


def decide(name: str, raw: Raw, codes: Labels | None = None, asked: str | None = None) -> Column:
    """Return a column with the requested kind, or the one that its values suggest.

    Parameters
    ----------
    codes : (n,) the position of each row's task; None: one task
    asked : one of `CHOICES`, or None

    Raises
    ------
    InputError : `asked` is no such kind, or no value of the column can be of it

    Examples
    --------
    >>> values = np.array(["pro", "basic", None, "pro"], dtype=object)
    >>> decide("plan", Raw(values))
    Column(name='plan', kind='category', reason='2 different values, all words',
           values=array(['pro', 'basic', None, 'pro'], dtype=object), levels=(), gap_codes=(),
           unread=0)
    >>> decide("price", Raw(np.array(["1,5", "2,0"], dtype=object))).reason
    "numbers from 1.5 to 2, with decimal commas ('1,5' is 1.5)"
    """
    raw = raw._replace(**several.of_lists(raw.values, raw.written))
    if nested.are_not_read(raw.values):
        return _of_objects(name, raw, codes)
    if asked is not None:
        return _as_asked(name, raw, asked)
    values = raw.values
    there = values[~columns.gaps(values)]
    if not len(there):
        return Column(name, columns.CONSTANT, "no row has a value", columns.words(values))
    if values.dtype.kind == "M":
        return _date(name, times.since_1970(values), "a date type")
    if raw.levels:
        return scales.of_levels(name, columns.words(values), raw.levels)
    if raw.written == lengths_of_time.IN_HOURS:
        return lengths_of_time.of_type(name, values)
    if values.dtype.kind == "f":
        return replace(_of_numbers(name, values, codes), written=spelling.points(raw.written))
    if raw.is_category:
        found = _of_words(name, values, there, _distinct(values), codes)
        return replace(found, reason=found.reason.replace("all words", "of a categorical type"))
    answered = several.decided(name, values, raw.written, codes)
    return answered or _of_objects(name, raw, codes)


def _as_asked(name: str, raw: Raw, asked: str) -> Column:
    """Convert a column to the requested kind; values that do not fit become gaps."""
    if asked not in (*CHOICES, *_OF_MODELS):
        raise InputError(
            f"column {name!r} is to be taken for {asked!r}; choose one of "
            f"{', '.join(map(repr, CHOICES))}, or leave the column out."
        )
    if asked == columns.CATEGORY:
        return Column(name, asked, "as you said", columns.words(raw.values))
    if asked in (several.CHOICE, columns.SEVERAL):
        return several.as_asked(name, raw.values, raw.written)
    found, remark = as_numbers(raw.values, raw.written)
    if asked == columns.ORDERED:
        return Column(name, asked, "as you said", columns.words(raw.values), raw.levels)
    if asked == columns.DURATION and raw.written != lengths_of_time.IN_HOURS:
        words = columns.words(raw.values)
        found = _mapped(words, times.durations(_distinct(words), known=True))
        remark = ", in hours"
    if asked == columns.YES_NO:
        ticked = raw.written == yes_no.EMPTY_IS_NO or yes_no.are_ticks(_distinct(raw.values))
        found = (yes_no.ticks if ticked else yes_no.numbers)(columns.words(raw.values))
        remark = f", {yes_no.EMPTY_IS_NO}" * ticked
    # Of few new rows none may have more than a placeholder.
    if np.isnan(found).all() and not placeholders.all_stand_for_gaps(_distinct(raw.values)):
        raise InputError(
            f"column {name!r} has no value that is a {asked} ({shown(_distinct(raw.values)[0])} is "
            "none): correct its values, or take it as a category."
        )
    without = columns.words(raw.values)[np.isnan(found)].tolist()
    empty = [w for w in without if w is not None and placeholders.all_stand_for_gaps([w])]
    lost = [w for w in without if w is not None and w not in empty]
    more = f"; {len(lost)} other values count as gaps" if lost else ""
    more += placeholders.remark(empty)
    # A length of time is in hours however it is written.
    written = spelling.notation(remark) if asked in (columns.NUMBER, columns.YES_NO) else ""
    made = Column(name, asked, f"as you said{remark}{more}", found, written=written)
    return replace(made, unread=len(lost), first_unread=lost[0]) if lost else made


def as_numbers(values: NDArray[Any], written: str = "") -> tuple[NDArray[np.float64], str]:
    """Convert values of any type to floats (NaN if impossible); also say how they were parsed.

    Words that two notations would read differently follow the one of `written`, as `Raw` has it.

    >>> as_numbers(np.array(["3", "many", None, 4], dtype=object))[0]
    array([ 3., nan, nan,  4.])
    """
    if values.dtype.kind == "f":
        kept = written in (spelling.POINTS, lengths_of_time.IN_HOURS)
        return values, f", {written}" * kept
    if values.dtype.kind == "M":
        return times.since_1970(values), ", in days since 1970"
    words = _distinct(values)
    mark = spelling.thousands(written)
    read = parsing.numbers(words, known=True, thousands=mark, unit=columns.unit(written))
    found = _mapped(values, read.found)
    if read.found:
        return found, spelling.of_numbers(read)
    if hours := times.clock_times(words):
        return _mapped(values, hours), ", in hours"
    days = times.dates(words, month_first=spelling.MONTH_FIRST in written)
    if days.found:
        return _mapped(values, days.found), ", in days since 1970" + spelling.order_of(days)
    return found, ""


def _of_numbers(
    name: str, values: NDArray[np.float64], codes: Labels | None, remark: str = ""
) -> Column:
    """Classify numbers as constant, yes/no, date, identifier, category, amount or number."""
    there = values[~np.isnan(values)]
    if empty := gap_codes.found(there):
        values = np.where(np.isin(values, empty), np.nan, values)
        found = _of_numbers(name, values, codes, remark)
        how = columns.taken_as(name, columns.NUMBER)
        reason = f"{found.reason}; {gap_codes.taken(there, empty, how)}"
        return replace(found, reason=reason, gap_codes=empty)
    low = there.min() + 0.0  # adding 0 makes 0 of -0
    high = there.max() + 0.0
    if low == high:
        return Column(name, columns.CONSTANT, f"every value is {low:g}", columns.words(values))
    span = spelling.of_range(low, high)
    if may_be := gap_codes.at_top(there):
        remark += f"; {gap_codes.doubted(there, may_be)}"
    whole = bool(np.array_equal(there, np.floor(there)))
    if whole and low == 0 and high == 1:
        return Column(name, columns.YES_NO, "only 0 and 1", values)
    if whole and len(there) >= FEW_ROWS and (days := times.of_eight_digits(values)) is not None:
        return _date(name, days, "whole numbers written as yearmonthday")
    if naming.is_date(name) and times.SHEET_DAYS[0] <= low <= high <= times.SHEET_DAYS[1]:
        days = np.floor(values) - times.SHEET_EPOCH
        return _date(name, days, "numbers of days as in spreadsheets, by the name of the column")
    # Numbers with a unit or a magnitude are measurements.
    may_name = whole and len(there) == len(values) and not remark.startswith((", in ", " ("))
    rows = _differing(values, codes) if may_name else 0
    if rows and (reason := naming.why_identifier(name, there, rows)):
        return Column(name, columns.IDENTIFIER, reason, columns.words(values))
    if whole and (naming.is_code(name) or naming.names_groups(name)):
        words = columns.words(values)
        found = _of_words(name, words, words[~np.isnan(values)], _distinct(values), codes)
        reason = found.reason.replace("all words", "whole numbers, which by the name are codes")
        return replace(found, reason=reason)
    what = "whole numbers" if whole else "numbers"
    if low >= 0 and (whole or low == 0):
        distinct = len(np.unique(there))
        few = f", {distinct} different" if whole and distinct <= 10 else ""
        reason = f"{what} {span}{few}{remark}"
        if not remark and naming.may_be_codes(low, high, distinct):
            how = columns.taken_as(name, columns.CATEGORY)
            reason += f"; if they are codes, say {how}"
        return Column(name, columns.AMOUNT, reason, values)
    return Column(name, columns.NUMBER, f"{what} {span}{remark}", values)


def _of_objects(name: str, raw: Raw, codes: Labels | None) -> Column:
    """Classify a column of words or other objects, as numbers or dates if most of them are."""
    values = raw.values
    words = columns.words(values)
    if odd := [v for v in values.tolist() if not isinstance(v, _SINGLE)]:
        reason = nested.why_unclear(name, values, odd[0])
        return Column(name, columns.UNCLEAR, reason, words)
    counted = words[~columns.gaps(words)]
    distinct = _distinct(words)
    empty = [word for word in distinct if placeholders.all_stand_for_gaps([word])]
    rest = [word for word in distinct if word not in empty]
    given = [word for word in counted.tolist() if word not in empty]
    for_gaps = placeholders.remark(empty)
    if lengths := lengths_of_time.of_words(name, words, rest, for_gaps):
        return lengths
    if reason := two_in_one.why_mixed_units(name, words.tolist(), distinct):
        return Column(name, columns.UNCLEAR, reason, words)
    mark = spelling.thousands(raw.written)
    read = parsing.numbers([] if parsing.codes(distinct) else distinct, thousands=mark)
    if _are_most(read.found, given, counted):
        if strange := [word for word in given if word not in read.found]:
            return scales.decided(name, words, distinct) or _mixed(name, words, strange)
        said = spelling.of_numbers(read)
        found = _of_numbers(name, _mapped(words, read.found), codes, said + for_gaps)
        return replace(found, written=spelling.notation(said))
    dates = times.dates(distinct)
    if _are_most(dates.found, given, counted):
        strange = [word for word in given if word not in dates.found]
        wrong = strange and f"; no date: {len(strange)}, such as {_where(words, strange[0])}"
        said = spelling.of_dates(dates) + (wrong or for_gaps)
        return _date(name, _mapped(words, dates.found), said, dates.forms)
    if not naming.is_identifier(name) and two_in_one.is_of_pairs(given, 1 - MOSTLY):
        advice = two_in_one.why_not_split(name, words.tolist()) or "split into two columns"
        pair = next(filter(two_in_one.pair_of, given))
        reason = f"two numbers in a cell, such as {shown(pair)}; {advice}"
        return Column(name, columns.PAIR, reason, words)
    hours = times.clock_times(rest)
    if len(hours) > 1 and _are_most(hours, given, counted):
        how = columns.taken_as(name, columns.DURATION)
        strange = [word for word in given if word not in hours]
        wrong = strange and f"; no time of day: {len(strange)}, such as {_where(words, strange[0])}"
        said = f"such as {next(iter(hours))} ({how} takes them for hours){wrong or for_gaps}"
        days = {word: hour / 24 for word, hour in hours.items()}
        return Column(name, columns.DATE, f"times of day, {said}", _mapped(words, days))
    return _of_words(name, words, counted, distinct, codes)


def _are_most(read: Mapping[str, float], given: list[str], counted: NDArray[Any]) -> bool:
    """True if nearly all words `given`, which are all but those for gaps, are read as numbers."""
    if not read or sum(word not in read for word in given) > (1 - MOSTLY) * len(given):
        return False
    # A 1 here and there beside many "-" is a tick.
    return 2 * len(given) >= len(counted) or len(set(read.values())) > 1


def _of_words(
    name: str, words: NDArray[Any], counted: NDArray[Any], distinct: list[str], codes: Labels | None
) -> Column:
    """Classify words as constant, yes/no, text, identifier, ordered category or category."""
    if len(distinct) == 1 and distinct[0].lower() in yes_no.TICKS and len(counted) < len(words):
        reason = f"only {distinct[0]!r}, and empty cells, which are no"
        return Column(name, columns.YES_NO, reason, yes_no.ticks(words), written=yes_no.EMPTY_IS_NO)
    if len(distinct) == 1:
        ticked = distinct[0].lower() in yes_no.YES and len(counted) < len(words)
        advice = "; if empty cells mean no, write no" * ticked
        return Column(name, columns.CONSTANT, f"every value is {shown(distinct[0])}{advice}", words)
    spelled = {word.lower() for word in distinct}
    if spelled <= yes_no.YES | yes_no.NO and spelled & yes_no.YES and spelled & yes_no.NO:
        reason = f"only {yes_no.listed(distinct)}"
        said = yes_no.said(counted)
        return Column(name, columns.YES_NO, reason, yes_no.numbers(words), said)
    length = sum(map(spelling.length, distinct)) / len(distinct)
    many = len(distinct) > NEARLY_ALL * len(counted) and len(counted) >= FEW_ROWS
    if length >= LONG and len(distinct) > MOSTLY * len(counted):
        reason = f"{len(distinct)} different texts of {length:.0f} words on average"
        return Column(name, columns.TEXT, reason, words)
    if many or (len(counted) == len(words) and _differing(words, codes)):
        share = "every value is" if len(distinct) == len(counted) else "nearly all values are"
        return Column(name, columns.IDENTIFIER, f"{share} different: it names the rows", words)
    if ordered := scales.decided(name, words, distinct):
        return ordered
    what = f"all words{spelling.in_capitals(distinct)}"
    if code := parsing.codes(distinct):
        what = f"codes, such as {code}"
    if calendar := calendar_names.names_of(distinct):
        what = f"{calendar}; if they only say when, leave them out: {columns.left_out(name)}"
    reason = f"{len(distinct)} different values, {what}"
    rows = np.zeros(len(words), dtype=int) if codes is None else codes
    kept = columns.common_values(words, rows)[: columns.MOST_LEVELS]
    if len(counted) >= FEW_ROWS and not kept:
        reason = f"{len(distinct)} different values, none in {columns.COMMON:.0%} of the rows"
        return Column(name, columns.IDENTIFIER, f"{reason} of a data set: names, no groups", words)
    rare = len(distinct) - len(kept)
    if rare > 1 and kept and len(counted) >= FEW_ROWS:
        reason += f"; all but the {len(kept)} most frequent are joined as 'other'"
    return Column(name, columns.CATEGORY, reason, words)


def _mixed(name: str, words: NDArray[Any], other: list[str]) -> Column:
    """Return a column of kind "unclear", saying how many words stand among numbers."""
    said = "are no numbers" if len(other) > 1 else "is no number"
    reason = (
        f"{len(other)} of its values {said}, such as {_where(words, other[0])}: correct them, take "
        f"the column as a number ({columns.taken_as(name, columns.NUMBER)}; they become gaps) or a "
        f"category, or leave it out ({columns.left_out(name)})"
    )
    return Column(name, columns.UNCLEAR, reason, words)


def _where(words: NDArray[Any], word: str) -> str:
    """Describe a word with the row of its first occurrence."""
    return f"{shown(word)} in data row {words.tolist().index(word) + 1}"


def _date(
    name: str, days: NDArray[np.float64], reason: str, forms: Iterable[str] = ("day",)
) -> Column:
    first, last = times.span(days, forms)
    if first == last:
        return Column(name, columns.CONSTANT, f"every value is {first}", columns.words(days))
    return Column(name, columns.DATE, f"{reason}, from {first} to {last}", days)


def _differing(values: NDArray[Any], codes: Labels | None) -> int:
    """Number of rows if all values differ, of the largest task if they do in each task, else 0.

    Numbering may start anew in each task.
    """
    if len(values) >= FEW_ROWS and len(set(values.tolist())) == len(values):
        return len(values)
    if codes is None or (largest := int(np.bincount(codes).max())) < FEW_ROWS:
        return 0
    pairs = zip(codes.tolist(), values.tolist(), strict=True)
    return largest if len(set(pairs)) == len(values) else 0


def _distinct(values: NDArray[Any]) -> list[str]:
    return list(dict.fromkeys(word for word in columns.words(values).tolist() if word is not None))


def _mapped(values: NDArray[Any], numbers: dict[str, float]) -> NDArray[np.float64]:
    words = columns.words(values).tolist()
    return np.array([numbers.get(word, math.nan) for word in words], dtype=float)
