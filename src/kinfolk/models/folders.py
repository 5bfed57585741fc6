"""Folders of models: which may be replaced, and how their files are written and read."""

import os
import time
from collections.abc import Mapping
from pathlib import Path

from kinfolk.arguments import path, spelled
from kinfolk.disk import file_sets, sealed
from kinfolk.errors import FileFormatError, InputError

HEADER = "model.json"
ARRAYS = "arrays.safetensors"
FORMAT = "kinfolk-model"

_OWN = ".kinfolk-"
"""Start of the names of lock and drafts, which a killed process may leave."""
_MARK = f'"format": "{FORMAT}"'.encode()
_HEAD = 100
"""Bytes of a header within which the mark stands; it is the first field."""

_READINGS = 20
_PAUSE = 0.05
"""Seconds between two readings: with 20 of them 1 s, in which another program ends its writing."""


def check_replaceable(folder: str | os.PathLike[str], overwrite: bool = False) -> Path:
    """Return a folder that is new, empty or holds a model of Kinfolk; InputError otherwise.

    With `overwrite` it may hold anything.
    """
    place = path("folder", folder)
    try:
        if not os.path.lexists(place):
            return place
        if not place.exists():
            raise InputError(f"{place} is a link that leads nowhere: name a folder.")
        if not place.is_dir():
            raise InputError(f"{place} is no folder: name another one for the model.")
        for file in (place / HEADER, place / ARRAYS):
            if file.exists() and not file.is_file():
                raise InputError(f"{file} is no file, and one goes there: name another folder.")
        others = [name for name in os.listdir(place) if not name.startswith(_OWN)]
        if overwrite or not others or _is_model(place):
            return place
    except OSError as error:
        raise InputError(
            f"{place} cannot be looked into ({error.strerror or error}): name another folder."
        ) from error
    raise InputError(
        f"{place} holds something that is no model of Kinfolk: name another folder for it, or let "
        f"{HEADER} and {ARRAYS} be written there ({file_sets.overwriting()})."
    )


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a model together; other files in the folder stay.

    A model that belongs to the folder of a run is listed anew in its `run.json`.

    Raises
    ------
    InputError : the folder cannot be written to, or another program writes there
    """
    place = Path(os.path.realpath(folder))
    in_run = {f"{place.name}/{name}": content for name, content in files.items()}
    if in_run.keys() & file_sets.entries(place.parent).keys():
        run = file_sets.run_id(files.values())
        file_sets.replace(place.parent, in_run, run, overwrite=True)
    else:
        file_sets.replace_unlisted(place, files)


def read(place: Path) -> tuple[bytes, bytes]:
    """Return the bytes of header and arrays, both of the same model.

    Raises
    ------
    FileFormatError : they are missing, or cannot be read
    """
    try:
        for _ in range(_READINGS):
            header = sealed.read_bytes(place / HEADER)
            sealed.check_regular(place / ARRAYS)
            arrays = (place / ARRAYS).read_bytes()
            # Another program may have replaced the model between the two.
            if header == sealed.read_bytes(place / HEADER):
                break
            time.sleep(_PAUSE)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileFormatError(
            f"{place} holds no model ({HEADER} and {ARRAYS}): name "
            f"{spelled('the folder `model` that `kinfolk run` wrote', 'one that kf.save wrote')}."
        ) from error
    except OSError as error:
        raise FileFormatError(
            f"{place} cannot be read ({error.strerror or error}): see that you may read {HEADER} "
            f"and {ARRAYS} there."
        ) from error
    return header, arrays


def _is_model(place: Path) -> bool:
    """True if the header in a folder says that it is of a model of Kinfolk."""
    if not (place / HEADER).is_file():
        return False
    with (place / HEADER).open("rb") as file:
        return _MARK in file.read(_HEAD)
