"""Finds the decimal marks of numbers written as words, and compares those of several files.

A word such as 12,5 or 1.200,50 shows its decimal mark. 1,200 does not: it may be 1200 or 1.2.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kinfolk.errors import InputError
from kinfolk.sources import parsing, spelling
from kinfolk.sources.kinds import Raw
from kinfolk.tables import columns

_NAMES = {",": "decimal commas", ".": "decimal points"}
_OTHER = {",": ".", ".": ","}
_DIGITS = re.compile(r"[\d.,]*\d")
_GROUPS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,2}(?:\.\d{3})+|[1-9]\d?(?:,\d{2})+,\d{3}")
"""Groups of three digits, as of thousands; in India of two above the last three."""

_FIRST = 100
"""Number of words with a mark by which texts are distinguished from numbers."""

Shown = tuple[str, str]
"""A decimal mark and a word that shows it; the mark is "" if it may be one of thousands, too."""


def of_words(words: Iterable[str]) -> Shown | None:
    """Decimal mark that the numbers of a column show; None if they have no mark, or show both.

    >>> of_words(["1.200", "12,5 kg"]), of_words(["1.200", "1.350"]), of_words(["12", "Oslo"])
    ((',', '12,5 kg'), ('', '1.200'), None)
    >>> of_words(["1.5", "2,5"]) is None
    True
    """
    marked = [word for word in parsing.short_words(words) if "," in word or "." in word]
    if not marked:
        return None
    # Texts are recognized by their first words, since to parse all takes seconds.
    if 2 * len(parsing.numbers(marked[:_FIRST], known=True).found) < len(marked[:_FIRST]):
        return None
    are_numbers = parsing.numbers(marked, known=True).found
    found: dict[str, str] = {}
    for word in marked:
        if word in are_numbers:
            for digits in _DIGITS.findall(word):
                found.setdefault(_of_digits(digits), word)
    found.pop("none", None)
    known = [mark for mark in found if mark]
    if len(known) > 1 or not found:
        return None
    mark = known[0] if known else ""
    return mark, found[mark]


def _of_digits(digits: str) -> str:
    """Return the decimal mark of digits: "," or "."; "" if unclear, "none" without a mark.

    >>> [_of_digits(given) for given in ("1.200,5", "1,200,300", "1,5", "0.125", "1.125", "12")]
    [',', '.', ',', '.', '', 'none']
    """
    used = [mark for mark in _OTHER if mark in digits]
    if not used:
        return "none"
    last = max(used, key=digits.rfind)
    if len(used) == 2:
        return last
    if digits.count(last) > 1:
        return _OTHER[last] if _GROUPS.fullmatch(digits) else "none"
    return "" if _GROUPS.fullmatch(digits) else last


def of_columns(raws: Mapping[str, Raw]) -> dict[str, Shown]:
    """Return {column: (decimal mark, a word that shows it)} for columns of words with marks.

    >>> of_columns({"n": Raw(np.array(["1,5", None], dtype=object)), "m": Raw(np.array([1.5]))})
    {'n': (',', '1,5')}
    """
    found = {}
    for name, raw in raws.items():
        if raw.values.dtype != object or raw.is_category:
            continue
        # In this order, so that the first word of a column is shown.
        distinct = dict.fromkeys(word for word in columns.words(raw.values).tolist() if word)
        if (shown := of_words(distinct)) is not None:
            known = _OTHER.get(spelling.thousands(raw.written), "")
            found[name] = (shown[0] or known, shown[1])
    return found


def thousands_between_commas(frame: Any) -> dict[str, str]:
    """Return {column: its notation} for columns such as 45,200 of a file with commas between cells.

    In such a file the comma is hardly that of decimals, unless another number such as 12,5 says so.

    >>> import pandas as pd
    >>> thousands_between_commas(pd.DataFrame({"pay": ["45,200", "38,100"], "n": [1.5, 2]}))
    {'pay': 'with commas between thousands'}
    """
    objects = {name: frame[name] for name in frame.columns if frame[name].dtype.kind not in "fiub"}
    raws = {}
    for name, values in objects.items():
        words = values.dropna().unique()
        raws[name] = Raw(np.array([str(word).strip() for word in words], dtype=object))
    found = of_columns(raws)
    if any(mark == "," for mark, _ in found.values()):
        return {}
    unclear = [name for name, (mark, word) in found.items() if not mark and "," in word]
    return dict.fromkeys(unclear, "with commas between thousands")


def decimal_points(frame: Any) -> dict[str, str]:
    """Return {column of decimal numbers: its notation} of a file with other marks in its words.

    >>> import pandas as pd
    >>> decimal_points(pd.DataFrame({"cost": ["3,50", "4"], "size": [1.5, 1.802], "n": [1, 2]}))
    {'size': 'with decimal points'}
    """
    broken = [name for name in frame if frame[name].dtype.kind == "f" and (frame[name] % 1).any()]
    others = (read.commas or "." in read.thousands for read in _words_read(frame))
    return dict.fromkeys(broken, spelling.POINTS) if broken and any(others) else {}


def has_decimal_commas(frame: Any) -> bool:
    """True if some column has numbers such as 3,50: then 1.200 is 1200 in the others."""
    return any(read.commas for read in _words_read(frame))


def _words_read(frame: Any) -> Iterator[parsing.Numbers]:
    """Yield the words of each column of words, parsed as numbers."""
    for name in frame:
        if frame[name].dtype.kind not in "fiub":
            yield parsing.numbers(map(str, frame[name].dropna().unique()))


def differing(shown: Sequence[Mapping[str, Shown]], files: Sequence[str]) -> set[str]:
    """Return the columns whose decimal mark is not the same in all files.

    Raises
    ------
    InputError : a column has another mark in one file than 1.200 or 1,200 would have in another
    """
    found = set()
    for name in dict.fromkeys(name for of in shown for name in of):
        there = {file: of[name] for file, of in zip(files, shown, strict=True) if name in of}
        marks = {mark for mark, _ in there.values() if mark}
        for file, (mark, word) in there.items():
            doubtful = not mark and any(known not in word for known in marks)
            if doubtful:
                _refuse(name, file, word, there)
        if len(marks) > 1:
            found.add(name)
    return found


def _refuse(name: str, file: str, word: str, there: Mapping[str, Shown]) -> None:
    """Raise InputError: a word of a column may be read in two ways beside another file's."""
    other, (mark, example) = next(item for item in there.items() if item[1][0])
    raise InputError(
        f"column {name!r} has {_NAMES[mark]} in {other} ({example!r}), and {word!r} in {file} may "
        f"have a decimal mark or one of thousands: write both the same way, or leave the column "
        f"out ({columns.left_out(name)})."
    )


def told(
    names: Iterable[str], shown: Sequence[Mapping[str, Shown]], files: Sequence[str]
) -> list[str]:
    """Sentence that the numbers of each file were read by its own marks; [] without such columns.

    >>> told(["pay"], [{"pay": (",", "1,5")}, {"pay": (".", "2.5")}], ["bonn.csv", "york.csv"])
    ["Each file is read by its own marks: bonn.csv has decimal commas ('1,5'), york.csv has decimal
    points ('2.5')."]
    """
    names = sorted(names)
    parts = []
    for file, of in zip(files, shown, strict=True):
        known = [of[name] for name in names if name in of and of[name][0]]
        if known:
            mark, word = known[0]
            # Notes stand in reports that may be sent on: they name no folder of this machine.
            parts.append(f"{Path(file).name} has {_NAMES[mark]} ({word!r})")
    return [f"Each file is read by its own marks: {', '.join(parts)}."] if names else []


def plain(raw: Raw, shown: Shown | None) -> Raw:
    """Write the numbers of a column with a decimal point and without marks of thousands.

    >>> plain(Raw(np.array(["1.200,50 kg", None], dtype=object)), (",", "1.200,50")).values
    array(['1200.50 kg', None], dtype=object)
    """
    mark = "" if shown is None else shown[0]
    if not mark:
        return raw

    def pointed(found: re.Match[str]) -> str:
        return found[0].replace(_OTHER[mark], "").replace(mark, ".")

    words = columns.words(raw.values).tolist()
    objects = np.empty(len(words), dtype=object)
    objects[:] = [None if word is None else _DIGITS.sub(pointed, word) for word in words]
    return raw._replace(values=objects, written="")
