"""Describes and compares how numbers, dates and words of a column are written."""

import unicodedata
from collections.abc import Mapping

from kinfolk.arguments import shown
from kinfolk.errors import InputError
from kinfolk.sources import parsing, times, units
from kinfolk.tables import columns

_COMMAS_AND_DOTS = {"with decimal commas", "with dots between thousands"}
"""Marks of one notation, that of 1.200,50: amounts may have only one of them."""

BOTH = "with decimal commas and points"
"""The mark of a column such as 0,5 and 1.366, in which a point divides no thousands."""

POINTS = "with decimal points"
"""The mark of plain numbers, which is told where other columns of the file have decimal commas."""

MONTH_FIRST = "with the month before the day"
DAY_FIRST = "with the day before the month"


_WIDE = 4
"""Characters of Chinese, Japanese or Korean that count as a word: addresses have some fifteen."""


def length(text: str) -> float:
    """Return the number of words in a text; `_WIDE` East Asian characters count as a word.

    A text without letters has none, as numbers of telephones and accounts.

    >>> length("a long word"), length("+41 44 123 45 67")
    (3, 0)
    """
    if not any(map(str.isalpha, text)):
        return 0
    wide = sum(unicodedata.east_asian_width(character) == "W" for character in text)
    return max(len(text.split()), wide / _WIDE)


def of_number(number: float) -> str:
    """Write a number in six digits, a larger one in as many as it has before the point.

    >>> of_number(3014510.0), of_number(0.12345678), of_number(1e20)
    ('3014510', '0.123457', '1e+20')
    """
    return f"{number:.0f}" if 1e5 <= abs(number) < 1e15 else f"{number:g}"


def of_range(low: float, high: float) -> str:
    """Write the range of the numbers of a column.

    >>> of_range(-0.5, 3014510.0)
    'from -0.5 to 3014510'
    """
    return f"from {of_number(low)} to {of_number(high)}"


def of_numbers(read: parsing.Numbers) -> str:
    """Describe how numbers were parsed, for the end of a sentence; "" if trivially.

    >>> of_numbers(parsing.numbers(["1.200,50 €", "<3 €", "7 €"]))
    ", in €, with decimal commas ('1.200,50 €' is 1200.5, '<3 €' is 3)"
    >>> of_numbers(parsing.numbers(["0,5", "2,25", "1.366"]))
    ", with decimal commas and points ('0,5' is 0.5, '1.366' is 1.366)"
    >>> of_numbers(parsing.numbers(["70 kg", "81 kg", "154 lb"]))
    ", in kg ('154 lb' is 69.8532)"
    >>> of_numbers(parsing.numbers(["12k", "1.2M"]))
    " ('12k' is 12000, '1.2M' is 1200000)"
    """
    how = []
    if read.unit:
        how.append(f"in {read.unit}")
    if read.commas:
        how.append(BOTH if read.points else "with decimal commas")
    elif read.thousands:
        mark = "commas" if "," in read.thousands else "dots"
        how.append(f"with {mark} between thousands")
    # Feet are not written in 5'11".
    written = [word for word in read.found if read.unit in word]
    with_unit = read.converted or next(iter([*written, *read.found]), "")
    examples = [read.commas or read.thousands or with_unit] if how else []
    if read.magnitudes and examples and not (read.commas or read.thousands):
        examples = []  # words with a magnitude show the unit, too
    further = (
        read.points,
        read.converted,
        *read.magnitudes,
        read.bound,
        read.negative,
        read.spread,
        *read.labels,
    )
    examples += [word for word in further if word]
    told = ", ".join(
        f"{word!r} is {of_number(read.found[word])}" for word in dict.fromkeys(examples)
    )
    return "".join(f", {part}" for part in how) + (f" ({told})" if told else "")


def order_of(read: times.Dates) -> str:
    """Describe the order of day and month where both are numbers, for the end of a sentence.

    >>> order_of(times.dates(["3/25/2025"])), order_of(times.dates(["03/2025"]))
    (', with the month before the day', '')
    """
    if any(form.startswith(("month/day", "month-day")) for form in read.forms):
        return f", {MONTH_FIRST}"
    return f", {DAY_FIRST}" * any(form.startswith(("day/", "day-")) for form in read.forms)


def thousands(written: str) -> str:
    """Mark between thousands in a notation, also by its decimal mark; "" if unknown.

    >>> thousands("in kg, with decimal commas"), thousands("with commas between thousands")
    ('.', ',')
    """
    if written.endswith("with commas between thousands"):
        return ","
    return "." * written.endswith(tuple(_COMMAS_AND_DOTS))


def points(written: str) -> str:
    """Return a notation if it is `POINTS`, else ""."""
    return POINTS * (written == POINTS)


def notation(remark: str) -> str:
    """Return unit and notation from what `of_numbers` says, without the examples.

    >>> notation(of_numbers(parsing.numbers(["1.200,50 €", "7 €"])))
    'in €, with decimal commas'
    """
    return remark.partition(" (")[0].partition(";")[0].removeprefix(", ")


def check_same(
    known: Mapping[str, str], new: Mapping[str, str], there: str, here: str, *, all_known: bool
) -> None:
    """Raise InputError if a column's numbers have another unit or notation here than there.

    A factor of 1000 (1,500 with a decimal comma or with thousands) or of 100 (cm and m) would else
    go unseen. Numbers without a unit or mark agree with any.

    Parameters
    ----------
    known, new : column -> `notation`; columns without one may be left out
    there, here : what the sentence calls the two tables
    all_known : True: a unit or mark that only `new` has is refused, too
    """
    for name, how in new.items():
        if how == POINTS:
            continue
        for said, before in zip(_parts(how), _parts(known.get(name, "")), strict=True):
            # Dates of the fit may be written such that they tell no order.
            needed = all_known and said not in (MONTH_FIRST, DAY_FIRST)
            if said and not _agree(said, before) and (before or needed):
                raise InputError(
                    f"the values of column {name!r} are written {said} in {here}, and "
                    f"{before or 'without that'} in {there}: {_advice(said, before, here)}"
                    # A model needs all its columns.
                    + f", or leave the column out ({columns.left_out(name)})." * (not all_known)
                    + "." * all_known
                )


def _advice(said: str, before: str, here: str) -> str:
    """Say what to do with numbers in another unit or notation, for the end of a sentence.

    >>> _advice("in lb", "in kg", "utah.csv"), _advice("in $", "in €", "utah.csv")
    ('convert those of utah.csv (1 lb is 0.453592 kg)', 'write both the same way')
    """
    unit = said.removeprefix("in ")
    to = before.removeprefix("in ")
    # The two scales of temperature have no common zero, so that no factor converts them.
    nothing = units.converted(0.0, unit, to)
    if nothing is None:
        return "write both the same way"
    factor = f" (1 {unit} is {units.converted(1.0, unit, to):g} {to})"
    return f"convert those of {here}{factor * (nothing == 0)}"


def _agree(one: str, other: str) -> bool:
    """True for the same unit, in singular or plural, and for marks of the same notation.

    >>> _agree("in day", "in days"), _agree("in m", "in mm")
    (True, False)
    >>> _agree("with decimal commas", "with dots between thousands")
    True
    """
    units = {parsing.singular(how.removeprefix("in ")) for how in (one, other)}
    return len(units) == 1 or {one, other} in (_COMMAS_AND_DOTS, {"with decimal commas", BOTH})


def _parts(how: str) -> tuple[str, str]:
    """Split a notation into unit and mark, "" where there is none.

    >>> _parts("in cm, with decimal commas"), _parts("with dots between thousands")
    (('in cm', 'with decimal commas'), ('', 'with dots between thousands'))
    """
    unit, _, mark = how.partition(", ")
    return ("", unit) if unit.startswith("with ") else (unit, mark)


def without_mark(how: str) -> str:
    """Return a notation without its decimal mark or mark of thousands.

    >>> without_mark("in cm, with decimal commas"), without_mark("with decimal commas")
    ('in cm', '')
    """
    return _parts(how)[0]


def of_dates(read: times.Dates) -> str:
    """Describe how dates are written.

    >>> of_dates(times.dates(["31.1.2024"]))
    'words written as day.month.year'
    """
    if len(read.forms) == 1:
        unclear = ", whose day and month could be exchanged" if read.unclear else ""
        return f"words written as {next(iter(read.forms))}{unclear}"
    forms = ", ".join(f"{example} as {form}" for form, example in read.forms.items())
    return f"words written in {len(read.forms)} ways ({forms})"


def in_capitals(distinct: list[str]) -> str:
    """Remark on values that differ only in capital letters; "" if none do."""
    seen: dict[str, str] = {}
    for word in distinct:
        if (first := seen.setdefault(word.lower(), word)) != word:
            return f"; {shown(first)} and {shown(word)} differ in capitals only"
    return ""
