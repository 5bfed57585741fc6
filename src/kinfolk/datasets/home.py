"""Where data sets live on this machine, and whether a file is the one it claims to be."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from kinfolk.errors import FileFormatError, MissingDataError

Place: TypeAlias = str | os.PathLike[str] | None
"""A data directory as a user names it; None leaves it to `directory`."""

VARIABLE = "KINFOLK_DATA"
"""The environment variable that names the data directory."""

LARGEST_TEXT = 64 * 2**20
"""The most bytes of one text file or one line of a file, 64 MiB."""


def directory(data: Place = None) -> Path:
    """Return the data directory: `data`, else KINFOLK_DATA, else one for each user.

    The last is `kinfolk` in XDG_DATA_HOME, or in `~/.local/share` where that is not set.

    >>> directory("corpora").as_posix()
    'corpora'
    """
    if data is None:
        data = os.environ.get(VARIABLE) or None
    if data is not None:
        return Path(data).expanduser()
    shared = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(shared) / "kinfolk"


def find(dataset: str, candidates: Sequence[str], data: Place, home_page: str) -> Path:
    """Return the first of the `candidates`, paths within the data directory, that exists.

    Parameters
    ----------
    dataset : its name, for the message
    candidates : relative paths, the preferred layout first
    data : the data directory as the user named it
    home_page : where the data set can be had

    Raises
    ------
    MissingDataError : none of them exists
    """
    where = directory(data)
    for candidate in candidates:
        if (path := where / candidate).exists():
            return path
    state = "" if where.is_dir() else " (no such directory)"
    raise MissingDataError(
        f"{dataset} was not found in {where}{state}: looked for {', '.join(candidates)}; get it "
        f"from {home_page} and name the directory that holds it by --data DIR, data=DIR or the "
        f"environment variable {VARIABLE}."
    )


def verify(path: Path, sha256: str) -> None:
    """Compare the SHA-256 of a file, read in blocks, with the one that is known.

    Raises
    ------
    FileFormatError : they differ, or the file cannot be read
    """
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


def text(path: Path) -> str:
    """Return a Latin-1 text file, of at most LARGEST_TEXT bytes, as it is.

    Raises
    ------
    FileFormatError : it is larger or cannot be read
    """
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_TEXT + 1)
    except OSError as error:
        raise FileFormatError(f"{path} cannot be read: {error}.") from error
    if len(content) > LARGEST_TEXT:
        raise FileFormatError(
            f"{path} is larger than {LARGEST_TEXT} bytes, the most that one text may have; check "
            "that it is the right file."
        )
    return content.decode("latin-1")
