"""Options of the command line as values: columns by role, numbers of clusters, parameters."""

import json
import re
from itertools import chain
from typing import Any

from kinfolk.cli import options
from kinfolk.errors import InputError

ROLES = {
    "tasks": "--tasks",
    "text": "--text",
    "target": "--target",
    "row_id": "--id",
    "labels": "--labels",
    "views": "--views",
}
"""Role of a column -> the option that names it."""

AUTO = "auto"
"""Stands for a number of clusters that the method is to find."""


def clusters(given: list[str]) -> int | str | dict[str, int]:
    """Return the value of --clusters: one number, task -> number, or `AUTO`.

    >>> clusters(["4"]), clusters(["auto"]), clusters(["a=4,b=3", "c=2"])
    (4, 'auto', {'a': 4, 'b': 3, 'c': 2})
    """
    if given == [AUTO]:
        return AUTO
    if len(given) == 1 and "=" not in given[0]:
        return _whole(given[0])
    found: dict[str, int] = {}
    # A comma ends a pair only after a digit, because names of tasks may have commas, too.
    for part in chain.from_iterable(re.split(r"(?<=\d)\s*,", item) for item in given):
        task, equals, number = part.rpartition("=")
        if not equals or task.strip() in found:
            raise InputError(
                f"--clusters names {task.strip() or part!r} twice or without a number; give a "
                "number such as 4, or one for each task such as a=4,b=3."
            )
        found[task.strip()] = _whole(number)
    return found


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(
            f"--clusters has {text!r}; give a number such as 4, pairs such as a=4,b=3, or auto."
        ) from None


def parameter(text: str) -> tuple[str, Any]:
    """Return name and value of one --set; a value that is no JSON is a string.

    >>> parameter("noise=0.7"), parameter("weigh_tasks=False"), parameter("init=random")
    (('noise', 0.7), ('weigh_tasks', False), ('init', 'random'))
    """
    name, equals, value = text.partition("=")
    name = name.strip()
    if not equals:
        raise InputError(f"--set has {text!r}; give a name and a value such as noise=0.7.")
    if name in options.OF_PARAMETERS:
        raise InputError(f"--set has {text!r}; say this by {options.OF_PARAMETERS[name]}.")
    try:
        # JSON writes true and false in small letters, Python does not.
        return name, json.loads(value.lower() if value in ("True", "False") else value)
    except ValueError:
        return name, value
