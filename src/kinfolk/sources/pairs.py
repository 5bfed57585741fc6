"""Decides the kinds of columns, after those with two numbers in a cell are split into two."""

from collections.abc import Collection, Mapping

import numpy as np

from kinfolk.arguments import shown
from kinfolk.arrays import Labels
from kinfolk.errors import InputError
from kinfolk.sources import kinds, parsing, placeholders, two_in_one
from kinfolk.sources.kinds import Raw
from kinfolk.tables import columns
from kinfolk.tables.columns import Column


def decided(
    name: str,
    raw: Raw,
    codes: Labels | None,
    asked: Mapping[str, str],
    ignored: Collection[str] = (),
) -> list[Column]:
    """Decide the kind of a column; one such as 120/80 becomes "name (first)" and "name (second)".

    Parameters
    ----------
    codes : (n,) the position of each row's task; None: one task
    asked : column -> the kind that the user named, also for one of the two parts
    ignored : columns to leave out, also one of the two parts

    Raises
    ------
    InputError : a part is asked for or ignored, and the column has no cell with two numbers

    Examples
    --------
    >>> pressure = np.array([f"{110 + i % 11}/{70 + i % 9}" for i in range(20)], dtype=object)
    >>> [(part.name, part.reason) for part in decided("bp", Raw(pressure), None, {})]
    [('bp (first)', 'whole numbers from 110 to 120'),
     ('bp (second)', 'whole numbers from 70 to 78, 9 different')]
    """
    parts = two_in_one.part_names(name)
    # If one of the two is asked to be a number, the other one is no less.
    wanted = columns.NUMBER in map(asked.get, (name, *parts))
    as_numbers = dict.fromkeys(parts, columns.NUMBER) if wanted else {}
    words = columns.words(raw.values)
    if not {*asked, *ignored}.isdisjoint(parts):
        _check_pairs(name, parts, words.tolist())
    elif as_numbers:
        if not _are_split(words.tolist(), raw.written):
            return [kinds.decide(name, raw, codes, columns.NUMBER)]
    else:
        whole = kinds.decide(name, raw, codes, asked.get(name))
        if whole.kind != columns.PAIR or two_in_one.why_not_split(name, words.tolist()):
            return [whole]
    split = [two_in_one.pair_of(word) or (word, word) if word else None for word in words.tolist()]
    return [
        kinds.decide(part, _part(split, place), codes, {**as_numbers, **asked}.get(part))
        for place, part in enumerate(parts)
        if part not in ignored
    ]


def _are_split(words: list[str | None], written: str) -> bool:
    """True if some words are two numbers, and not all of these one number out of a total, as 3/5.

    >>> _are_split(["120/80", "135/90"], ""), _are_split(["3/5", "4/5"], "")
    (True, False)
    """
    found = {word for word in words if word is not None and two_in_one.pair_of(word)}
    return not found <= parsing.numbers(found, unit=columns.unit(written)).found.keys()


def _part(split: list[tuple[str, str] | None], place: int) -> Raw:
    """Return the first or second numbers (n,) of cells; None for gaps."""
    objects = np.empty(len(split), dtype=object)
    objects[:] = [None if pair is None else pair[place] for pair in split]
    return Raw(objects)


def _check_pairs(name: str, parts: list[str], words: list[str | None]) -> None:
    """Raise InputError if no word is a pair, and some word is no gap."""
    there = [word for word in words if word is not None]
    if not any(map(two_in_one.pair_of, there)) and not placeholders.all_stand_for_gaps(there):
        raise InputError(
            f"column {name!r} has no two numbers in a cell such as 120/80, but {shown(there[0])}: "
            f"there is no {parts[0]!r}; write two numbers in each cell, or name the whole column."
        )
