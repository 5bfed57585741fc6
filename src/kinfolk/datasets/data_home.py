"""The data directory: its location, finding and verifying files in it."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from kinfolk import arguments
from kinfolk.errors import FileFormatError, MissingDataError

DataHome: TypeAlias = str | os.PathLike[str] | None
"""A data directory as the user names it; None for the default of `directory`."""

VARIABLE = "KINFOLK_DATA"
"""The environment variable that names the data directory."""

LARGEST_TEXT = 64 * 2**20
"""The most bytes of one text file or of one line of a file, 64 MiB."""


def directory(data: DataHome = None) -> Path:
    """Return the data directory: `data`, else KINFOLK_DATA, else the user's default.

    The last is `kinfolk` in XDG_DATA_HOME, or in `~/.local/share` if that is not set. InputError if
    `data` is no path.

    >>> directory("corpora").as_posix()
    'corpora'
    """
    if data is None:
        # An empty variable counts as unset, as XDG asks.
        data = os.environ.get(VARIABLE) or None
    if data is not None:
        # As a shell does: the name of a user who is not there stays as it is.
        return Path(os.path.expanduser(arguments.path("data", data)))
    shared = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(shared) / "kinfolk"


def find(dataset: str, candidates: Sequence[str], data: DataHome, home_page: str) -> Path:
    """Return the first of the `candidates`, paths within the data directory, that exists.

    Parameters
    ----------
    dataset : name of the data set, for the error message
    candidates : relative paths, the preferred layout first
    data : the data directory as the user named it
    home_page : where the data set is published

    Raises
    ------
    MissingDataError : none of them exists
    """
    where = directory(data)
    for candidate in candidates:
        path = where / candidate
        if path.exists():
            return path
    state = "" if where.is_dir() else " (no such directory)"
    raise MissingDataError(
        f"{dataset} was not found in {where}{state}: looked for {', '.join(candidates)}; get it "
        f"from {home_page} and name the directory that holds it by "
        f"{arguments.spelled('--data DIR', 'data=')} or the environment variable {VARIABLE}."
    )


def verify(path: Path, sha256: str) -> None:
    """Raise FileFormatError unless the file can be read and has this SHA-256."""
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FileFormatError(f"{path} cannot be read: {error}.") from error
    if found != sha256:
        raise FileFormatError(
            f"{path} is damaged or another version: its SHA-256 begins with {found[:12]} where "
            f"{sha256[:12]} is expected; fetch the file again."
        )


def read_text(path: Path) -> str:
    """Return the content of a Latin-1 text file.

    Raises
    ------
    FileFormatError : it has more than LARGEST_TEXT bytes or cannot be read
    """
    try:
        with path.open("rb") as file:
            # One byte more than allowed tells a file that is too large, however large it is.
            content = file.read(LARGEST_TEXT + 1)
    except OSError as error:
        raise FileFormatError(f"{path} cannot be read: {error}.") from error
    if len(content) > LARGEST_TEXT:
        raise FileFormatError(
            f"{path} is larger than {LARGEST_TEXT} bytes, the most that one text may have; check "
            "that it is the right file."
        )
    # Latin-1 maps every byte to one character, so that decoding never fails.
    return content.decode("latin-1")
