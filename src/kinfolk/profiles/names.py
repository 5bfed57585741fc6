"""Names that users give to kinds (groups of matched clusters)."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from kinfolk.arguments import mapping, shown
from kinfolk.errors import InputError

START = "^"
"""Mark in a placeholder whose kinds begin a sentence."""

# Two of the characters that Unicode keeps for programs; no text that is exchanged holds them.
_OPEN = "\ufdd0"
_CLOSE = "\ufdd1"
_PLACE = re.compile(rf"{_OPEN}(\{START}?)(\d+(?:,\d+)*){_CLOSE}")
_NO_NAME = re.compile(r"[+-]?\d{1,3}(\.\d+)?|yes|no|true|false", re.IGNORECASE)
_SEPARATOR = re.compile(r",(?=\s*\d+\s*=)")


def checked(names: Mapping[Any, Any] | None) -> dict[int, str]:
    """Check the names of kinds and return {number: name without outer spaces}.

    Raises
    ------
    InputError : a key is no whole number from 0, a name is empty, or two kinds have one name

    Examples
    --------
    >>> checked({0: "families", "2": " students "})
    {0: 'families', 2: 'students'}
    """
    found: dict[int, str] = {}
    for key, value in mapping("names", names).items():
        number = _number(key)
        name = str(value).strip()
        if not name:
            raise InputError(f"kind {number} has an empty name: give it one, or leave it out.")
        if number in found:
            raise InputError(f"kind {number} is named twice: {found[number]!r} and {name!r}.")
        if name in found.values():
            raise InputError(f"two kinds are named {name!r}: give each a name of its own.")
        found[number] = name
    return found


def parsed(texts: Iterable[str]) -> dict[int, str]:
    """Parse texts such as "0=families,2=students" to {number: name}.

    A comma divides two names only before a number and an equals sign, as names may have commas.

    >>> parsed(["0=families, large,2=students", "3=single"])
    {0: 'families, large', 2: 'students', 3: 'single'}
    """
    found: dict[int, str] = {}
    for text in texts:
        for part in _SEPARATOR.split(text):
            number, equals, name = part.partition("=")
            if not equals:
                raise InputError(
                    f"{part!r} names no kind; give the number of a kind and its name, such as "
                    "0=families,2=students."
                )
            # Each alone, so that a number that occurs twice is not lost in the dictionary.
            ((kind, own),) = checked({number: name}).items()
            if kind in found:
                raise InputError(f"kind {kind} is named twice: {found[kind]!r} and {own!r}.")
            found[kind] = own
    return checked(found)


class Placeholders(dict[int, str]):
    """Stand-in for the names of kinds that leaves placeholders in texts.

    >>> text = f"In Oslo, {called(3, Placeholders())} is small."
    >>> filled(text, {}), filled(text, {3: "families"})
    ('In Oslo, kind 3 is small.', 'In Oslo, families is small.')
    """


def called(number: int, names: Mapping[int, str]) -> str:
    """Return the name of the kind with this number, or "kind 3" without a name.

    >>> called(0, {0: "families"}), called(3, {0: "families"})
    ('families', 'kind 3')
    """
    return listed([number], names)


def listing(parts: Sequence[str]) -> str:
    """Join names to a list in words.

    >>> listing(["a", "b", "c"]), listing(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def data_set(task: object) -> str:
    """Name a data set in a sentence; a number that is no year, yes and no get a noun.

    >>> data_set("Oslo"), data_set("0"), data_set(2004), data_set("no")
    ('Oslo', 'data set 0', '2004', 'data set no')
    """
    return f"data set {task}" if _NO_NAME.fullmatch(str(task)) else str(task)


def data_sets(tasks: Iterable[object], start: bool = False) -> str:
    """List data sets in a sentence; at its start a noun of ours gets a capital letter.

    >>> data_sets(["0", "1"]), data_sets(["0", "rome"], start=True), data_sets(["rome"], start=True)
    ('data set 0 and data set 1', 'Data set 0 and rome', 'rome')
    """
    given = list(tasks)
    text = listing([data_set(task) for task in given])
    is_noun = data_set(given[0]) != str(given[0])
    return text[0].upper() + text[1:] if start and is_noun else text


def listed(kinds: Iterable[int], names: Mapping[int, str], start: bool = False) -> str:
    """List kinds in words, by number or by name if one of them has a name.

    At the start of a sentence a word of ours gets a capital letter; names keep their case.

    >>> listed([3, 2], {}), listed([3, 2], {3: "families"}), listed([2], {}, start=True)
    ('kinds 2 and 3', 'kind 2 and families', 'Kind 2')
    """
    numbers = sorted(kinds)
    if isinstance(names, Placeholders):
        return f"{_OPEN}{START if start else ''}{','.join(map(str, numbers))}{_CLOSE}"
    if any(number in names for number in numbers):
        parts = [names.get(number, f"kind {number}") for number in numbers]
    else:
        parts = [str(number) for number in numbers]
    text = listing(parts)
    if not any(number in names for number in numbers):
        text = f"kind{'s' if len(parts) > 1 else ''} {text}"
    return text if not start or numbers[0] in names else text[0].upper() + text[1:]


def filled(template: str, names: Mapping[int, str]) -> str:
    """Replace the placeholders of a text by names."""
    return exchanged(template, lambda kinds, start: listed(kinds, names, start))


def exchanged(template: str, text_of: Callable[[list[int], bool], str]) -> str:
    """Replace each placeholder by `text_of(kinds, start)`."""

    def text(found: re.Match[str]) -> str:
        return text_of([int(number) for number in found[2].split(",")], bool(found[1]))

    return _PLACE.sub(text, template)


def unknown(names: Mapping[int, str], kinds: Iterable[int]) -> str:
    """Return a sentence about names given to numbers of no kind; "" if there are none.

    >>> unknown({7: "families"}, [0, 1, 2])
    'There is no kind 7 to name families: the kinds are 0, 1 and 2.'
    """
    known = sorted(set(kinds))
    if not (wrong := [number for number in names if number not in known]):
        return ""
    which = " and no ".join(f"kind {number} to name {names[number]}" for number in wrong)
    return f"There is no {which}: the kinds are {listing([str(number) for number in known])}."


def _number(key: Any) -> int:
    text = str(key).strip()
    if not text.isdecimal() or not text.isascii():
        raise InputError(
            f"{shown(text)} is no number of a kind; give numbers as in the report, such as "
            "0=families,2=students."
        )
    return int(text)
