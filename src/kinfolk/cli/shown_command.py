"""Formats the command line for a report, without local folder names."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path, PureWindowsPath


def shown(arguments: Sequence[str]) -> str:
    """Return the arguments as a shell command, paths shortened to their last part.

    A column such as km/h is no path, unless there is a folder km.

    >>> shown(["kinfolk", "run", "/home/ann/clinic/a b.csv", "--out=../out", "--only", "km/h"])
    "kinfolk run 'a b.csv' --out=out --only km/h"
    """
    return shlex.join(_without_folder(argument) for argument in arguments)


def _without_folder(argument: str) -> str:
    """Shorten a path, or the path after the = of an option, to its last part."""
    option, equals, value = argument.rpartition("=")
    if not option.startswith("--"):
        option = equals = ""
        value = argument
    if PureWindowsPath(value).drive:
        name = PureWindowsPath(value).name
    else:
        place = Path(os.path.expanduser(value))
        name = place.name if place.is_absolute() or _is_there(place.parent) else value
    return f"{option}{equals}{name or value}"


def _is_there(folder: Path) -> bool:
    """True if there is such a folder; a long list of columns with a slash can name none."""
    try:
        return folder.exists()
    except OSError:  # the name is longer than any may be
        return False
