"""Parses options of the command line: kinds of columns, numbers of clusters, parameters."""

import json
import re
from itertools import chain
from typing import Any

from kinfolk.cli import options
from kinfolk.errors import InputError

AUTO = "auto"
"""Stands for a number of clusters that the method is to find."""


def clusters(given: list[str]) -> int | str | dict[str | None, int]:
    """Parse --clusters: one number, {task: number}, or `AUTO`.

    A number beside pairs, under None, is that of all other tasks.

    >>> clusters(["4"]), clusters(["auto"]), clusters(["a=4,b=3", "c=2"])
    (4, 'auto', {'a': 4, 'b': 3, 'c': 2})
    >>> clusters(["4,PT=3"])
    {None: 4, 'PT': 3}
    """
    if given == [AUTO]:
        return AUTO
    found: dict[str | None, int] = {}
    # A comma ends a pair only after a digit, because names of tasks may have commas, too.
    for part in chain.from_iterable(re.split(r"(?<=\d)\s*,", item) for item in given):
        name, equals, number = part.rpartition("=")
        task = name.strip() if equals else None
        if task in found or task == "":
            said = f"names {task!r}" if task else "has a number for all data sets"
            raise InputError(
                f"--clusters {said} twice or without a name; give a number such as 4, one for each "
                "task such as a=4,b=3, or both such as 4,b=3 (4 for all but b)."
            )
        found[task] = _whole(number)
    return found[None] if set(found) == {None} else found


def _whole(text: str) -> int:
    """Parse one number of clusters; InputError if it is no whole number."""
    try:
        return int(text)
    except ValueError:
        raise InputError(
            f"--clusters has {text.strip()!r}; give a number such as 4, pairs such as a=4,b=3, "
            "both such as 4,b=3 (4 for all but b), or auto."
        ) from None


def names(given: list[str] | None) -> list[str]:
    """Split the column names that --only or --ignore lists.

    >>> names(["id,since", "notes"])
    ['id', 'since', 'notes']
    """
    parts = chain.from_iterable(item.split(",") for item in given or [])
    return [name for part in parts if (name := part.strip())]


def kinds(given: list[str] | None) -> dict[str, str]:
    """Parse --as to {column: kind}.

    >>> kinds(["plan=category,age=number", "vip=yes/no"])
    {'plan': 'category', 'age': 'number', 'vip': 'yes/no'}
    """
    from kinfolk.sources.kinds import CHOICES

    found = {}
    for part in names(given):
        name, equals, kind = part.rpartition("=")
        if not equals or kind.strip() not in CHOICES:
            raise InputError(
                f"--as has {part!r}; give a column and what to take it for, such as plan=category "
                f"({', '.join(CHOICES)})."
            )
        found[name.strip()] = kind.strip()
    return found


def parameter(text: str) -> tuple[str, Any]:
    """Parse one --set to name and value; a value that is no JSON is a string.

    >>> parameter("noise=0.7"), parameter("weigh_tasks=False"), parameter("init=random")
    (('noise', 0.7), ('weigh_tasks', False), ('init', 'random'))
    """
    name, equals, value = text.partition("=")
    name = name.strip()
    if not equals:
        raise InputError(f"--set has {text!r}; give a name and a value such as noise=0.7.")
    if name in options.OF_PARAMETERS:
        raise InputError(f"--set has {text!r}; say this by {options.OF_PARAMETERS[name]}.")
    return name, _value(value)


def tried(text: str) -> tuple[str, list[Any]]:
    """Parse one --grid to name and values; values that are no JSON are strings.

    >>> tried("noise=0.5,0.7"), tried("init=random,k-means++")
    (('noise', [0.5, 0.7]), ('init', ['random', 'k-means++']))
    """
    name, _, values = text.partition("=")
    name = name.strip()
    if not name or not values:
        raise InputError(f"--grid has {text!r}; give a name and values such as noise=0.5,0.7.")
    return name, [_value(value.strip()) for value in values.split(",")]


def _value(text: str) -> Any:
    try:
        # JSON writes true and false in small letters, Python does not.
        return json.loads(text.lower() if text in ("True", "False") else text)
    except ValueError:
        return text
