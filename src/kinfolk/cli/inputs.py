"""What comes in by the command line: the rows, and the number of clusters."""

import re
from collections.abc import Mapping
from itertools import chain
from pathlib import Path

from kinfolk import datasets, sources
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
"""Said in place of a number of clusters where the method shall find it."""


def read(
    source: list[str], roles: Mapping[str, str | None], columns: str, data: Path | None
) -> sources.Reading:
    """Read a named data set, or files.

    Parameters
    ----------
    source : one name of a data set, or files
    roles : columns of the files for some of `ROLES`
    columns : "strict", "intersect" or "union", for files that differ
    data : the data directory; None: KINFOLK_DATA

    Raises
    ------
    InputError : there is no such file; a named data set is given roles
    """
    if len(source) == 1 and not Path(source[0]).suffix and not Path(source[0]).exists():
        given = [ROLES[role] for role, column in roles.items() if column is not None]
        if given and source[0] in datasets.AVAILABLE:
            raise InputError(f"{source[0]} is a named data set and takes no {', '.join(given)}.")
        if given:
            raise InputError(f"There is no file {source[0]}: check its name and its ending.")
        return sources.Reading(datasets.load(source[0], data), [])
    return sources.read(source, columns=columns, **roles)


def clusters(given: list[str]) -> int | str | dict[str, int]:
    """Return one number, task -> number, or `AUTO`.

    >>> clusters(["4"]), clusters(["auto"]), clusters(["a=4,b=3", "c=2"])
    (4, 'auto', {'a': 4, 'b': 3, 'c': 2})
    """
    if given == [AUTO]:
        return AUTO
    if len(given) == 1 and "=" not in given[0]:
        return _whole(given[0])
    found: dict[str, int] = {}
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
