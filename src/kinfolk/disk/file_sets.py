"""Sets of files in a folder that are replaced together, and repaired after a crash.

The file `run.json` marks the folder as one of Kinfolk. It lists each file with its SHA-256 and the
run that wrote it. All new files are written into a draft folder and reach the disk. Then, where the
system and the folder allow it (`folder_exchange`), the draft, with links to all files that stay,
and the folder change places in one step. Elsewhere a set is replaced in two steps:

1. the draft is renamed to `.kinfolk-next`, in one step of the file system: now the set is new;
2. each file moves from there to its place, `run.json` last.

A process that is killed before leaves the older set whole. One that is killed during step 2 leaves
`.kinfolk-next`, from which `mend` goes on; until then checksums in `run.json` tell which files are
older. Files that the set does not name are never touched.
"""

import glob
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from kinfolk import arguments
from kinfolk.disk import folder_exchange, folder_lock, writing
from kinfolk.errors import InputError
from kinfolk.running import processes

MANIFEST = "run.json"
FORMAT = "kinfolk-run"
SCHEMA = 1
_NEXT = ".kinfolk-next"
_DRAFT = ".kinfolk-draft-"
_OLDER = ".kinfolk-older"
"""File that tells the older folder from a draft after an exchange that was cut off."""
LONGEST_WAIT = 10.0
"""Seconds to wait for another program that writes into the folder, which takes far less."""
_LARGEST_MANIFEST = 2**24
"""Bytes of the largest manifest that is read; one of a thousand files has 0.2 MB."""


class FileRecord(NamedTuple):
    """Manifest entry of a file: the run that wrote it, and its SHA-256."""

    run: str
    sha256: str


def run_id(contents: Iterable[bytes]) -> str:
    """Return an identifier of a run computed from its files' contents.

    >>> run_id([b"labels", b"page"]), run_id([b"label", b"spage"])
    ('3c81234bb980', '6e6262916791')
    """
    digest = hashlib.sha256()
    for content in contents:
        digest.update(len(content).to_bytes(8, "big"))
        digest.update(content)
    return digest.hexdigest()[:12]


def replace(
    folder: str | os.PathLike[str],
    contents: Mapping[str, bytes | Path],
    run: str,
    overwrite: bool = False,
) -> None:
    """Replace the files of a set, all or none; other files in the folder stay.

    Parameters
    ----------
    folder : it is made if it does not exist
    contents : path within the folder, such as "model/model.json" -> content, or a file that is
        moved there, which may be larger than memory
    run : identifier of the run that made them
    overwrite : True: also replace files that Kinfolk did not write or that were changed since

    Raises
    ------
    InputError : a file would be lost, another program writes there, or there is no room

    Examples
    --------
    >>> out = getfixture("tmp_path") / "out"
    >>> replace(out, {"labels.csv": b"row,cluster", "model/model.json": b"{}"}, run="5f")
    >>> sorted(file.name for file in out.iterdir())
    ['labels.csv', 'model', 'run.json']
    >>> {name: entry.run for name, entry in entries(out).items()}, damaged(out)
    ({'labels.csv': '5f', 'model/model.json': '5f'}, [])
    """
    with folder_lock.held(folder, wait=LONGEST_WAIT) as place:
        mend(place)
        check(place, contents, overwrite)
        kept = {name: entry for name, entry in entries(place).items() if (place / name).is_file()}
        new = {name: FileRecord(run, _sha256(content)) for name, content in contents.items()}
        _replace_together(place, {**contents, MANIFEST: _manifest(run, kept | new)})


def replace_unlisted(folder: str | os.PathLike[str], contents: Mapping[str, bytes]) -> None:
    """Replace files of a folder together, without a manifest; other files in the folder stay.

    Whether the files may be replaced is for the caller to check.

    Raises
    ------
    InputError : another program writes there, or the folder cannot be written to

    Examples
    --------
    >>> out = getfixture("tmp_path") / "out"
    >>> replace_unlisted(out, {"a": b"1", "b": b"2"})
    >>> sorted(file.name for file in out.iterdir())
    ['a', 'b']
    """
    with folder_lock.held(folder, wait=LONGEST_WAIT) as place:
        mend(place)
        _replace_together(place, contents)


def write_file(
    path: str | os.PathLike[str], content: bytes, mark: bytes, overwrite: bool = False
) -> None:
    """Write a single file; an existing one must contain the mark of Kinfolk.

    Parameters
    ----------
    mark : stands within the first 4096 bytes of every such file that Kinfolk writes
    overwrite : True: replace any file

    Raises
    ------
    InputError : the file is there without the mark, or cannot be written

    Examples
    --------
    >>> place = getfixture("tmp_path") / "note.txt"
    >>> _ = place.write_text("dear")
    >>> write_file(place, b"# kinfolk", b"# kinfolk")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    kinfolk.errors.InputError: .../note.txt was not written by Kinfolk: move it away, name another
    file, or let it be replaced (overwrite=True).
    """
    check_file(path, mark, overwrite)
    try:
        writing.write_atomically(path, content)
    except OSError as error:
        raise InputError(
            f"{path} could not be written ({error.strerror or error}): name another place, or make "
            "room."
        ) from error


def check_file(path: str | os.PathLike[str], mark: bytes, overwrite: bool = False) -> None:
    """Raise InputError if an existing file lacks the mark and may not be overwritten."""
    place = arguments.path("path", path)
    if place.is_dir():
        raise InputError(f"{place} is a folder: name a file in it.")
    if not place.parent.is_dir():
        raise InputError(f"There is no folder {place.parent}: make it first.")
    if not os.path.lexists(place):
        return
    if not place.is_file():
        raise InputError(f"{place} is a pipe, a device or a lost link: name a file.")
    if overwrite:
        return
    if place.name in entries(place.parent):
        raise InputError(
            f"{place} belongs to the run in that folder: name another file, or let it be replaced "
            f"({overwriting()})."
        )
    try:
        with place.open("rb") as file:
            # The mark stands near the top; a large file of others is not read for it.
            head = file.read(4096)
    except OSError as error:
        raise InputError(
            f"{place} cannot be read ({error.strerror or error}), so it may be a file of others: "
            "name another file."
        ) from error
    # An empty mark is in every file, so it shows nothing.
    if (mark and mark in head) or not head:
        return
    raise InputError(
        f"{place} was not written by Kinfolk: move it away, name another file, or let it be "
        f"replaced ({overwriting()})."
    )


def check(
    folder: Path, names: Mapping[str, bytes | Path] | Iterable[str], overwrite: bool = False
) -> None:
    """Raise InputError if existing files, changed or not written by Kinfolk, would be lost.

    With contents, a file that already has its content is no loss.
    """
    known = entries(folder)
    contents = names if isinstance(names, Mapping) else {}
    for name in [*names, MANIFEST]:
        path = folder / name
        _check_parents(folder, path)
        if path.is_dir() and not path.is_symlink():
            raise InputError(f"{path} is a folder, and a file goes there: name another folder.")
        if overwrite or not os.path.lexists(path):
            continue
        if name == MANIFEST:
            if not known:
                raise _refusal(path, "was not written by Kinfolk")
        elif name not in known:
            if not _has(path, _sha256(contents[name]) if name in contents else ""):
                raise _refusal(path, "was not written by Kinfolk")
        elif not _has(path, known[name].sha256):
            raise _refusal(path, "was changed after Kinfolk wrote it")


def mend(folder: str | os.PathLike[str]) -> bool:
    """Finish an interrupted replacement and remove drafts; True if files of a run were moved.

    The lock of the folder must be held.
    """
    place = Path(folder)
    found = False
    for left in place.glob(_DRAFT + "*"):
        shutil.rmtree(left, ignore_errors=True)
    for left in place.absolute().parent.glob(glob.escape(_beside(place)) + "*"):
        if (left / _OLDER).is_file():  # a process was killed just after the exchange
            folder_exchange.bring_over(left, place, _not_of_others(left), newer=False)
        shutil.rmtree(left, ignore_errors=True)
    (place / _OLDER).unlink(missing_ok=True)
    if (place / _NEXT).is_dir():
        found = (place / _NEXT / MANIFEST).is_file()
        try:
            _move(place)
        except OSError as error:
            raise _failure(place, error) from error
    return found


def entries(folder: str | os.PathLike[str]) -> dict[str, FileRecord]:
    """Return the files in a folder's manifest; {} without a valid one."""
    path = Path(folder) / MANIFEST
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST_MANIFEST:
            return {}
        told = json.loads(path.read_bytes())
        if told["format"] != FORMAT or told["schema"] != SCHEMA:
            return {}
        return {str(name): FileRecord(**entry) for name, entry in told["files"].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def damaged(folder: str | os.PathLike[str]) -> list[str]:
    """Return listed files that are missing or have been changed."""
    place = Path(folder)
    return [name for name, e in entries(place).items() if not _has(place / name, e.sha256)]


def _manifest(run: str, files: Mapping[str, FileRecord]) -> bytes:
    """Return the content of `run.json` for these files."""
    told: dict[str, Any] = {
        "format": FORMAT,
        "schema": SCHEMA,
        "run": run,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "kinfolk": version("kinfolk"),
        "files": {name: entry._asdict() for name, entry in sorted(files.items())},
    }
    return (json.dumps(told, indent=1) + "\n").encode()


def _replace_together(place: Path, contents: Mapping[str, bytes | Path]) -> None:
    """Write a draft of the files and put it in their place; the folder's lock must be held."""
    draft = None
    try:
        whole = folder_exchange.can_step_aside(place)
        parent = place.absolute().parent if whole else place
        draft = Path(tempfile.mkdtemp(dir=parent, prefix=_beside(place) if whole else _DRAFT))
        for name, content in contents.items():
            _write_through(draft / name, content)
        with processes.deferred_signals():
            if not (whole and _exchanged(place, draft, contents)):
                os.replace(draft, place / _NEXT)
                _move(place)
    except OSError as error:
        raise _failure(place, error) from error
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)


def _write_through(path: Path, content: bytes | Path) -> None:
    """Write or move a file and flush it to disk, so that it survives a power failure."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, Path):
        shutil.move(content, path)
    with path.open("ab") as file:
        if isinstance(content, bytes):
            file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _beside(place: Path) -> str:
    """Name prefix of draft folders beside a folder."""
    return f".{place.absolute().name}{_DRAFT}"


def _exchanged(place: Path, draft: Path, files: Mapping[str, bytes | Path]) -> bool:
    """Swap a folder with a draft of its files in one step; False if impossible."""
    done = False
    try:
        folder_exchange.link_others(place, draft, files)
        (place / _OLDER).touch()
        done = folder_exchange.exchange(place, draft)
    except OSError:
        pass  # such as a file of another user, which the system does not let us link
    finally:
        if not done:
            (place / _OLDER).unlink(missing_ok=True)
    if not done:
        folder_exchange.unlink_others(draft, files)
        return False
    folder_exchange.bring_over(draft, place, {*files, _OLDER, folder_lock.LOCK}, newer=True)
    return True


def _not_of_others(folder: Path) -> set[str]:
    """Names of the files of a set and of its manifest and lock."""
    return {*entries(folder), MANIFEST, _OLDER, folder_lock.LOCK}


def _move(place: Path) -> None:
    """Move all draft files from `.kinfolk-next` into place, the manifest last."""
    source = place / _NEXT
    files = [path for path in source.rglob("*") if path.is_file() and not path.is_symlink()]
    # By name, and the manifest last: as long as it is here, another call can go on from here.
    for path in sorted(files, key=lambda path: (path == source / MANIFEST, path)):
        target = place / path.relative_to(source)
        _check_parents(place, target)
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, target)
    shutil.rmtree(source)


def _check_parents(folder: Path, path: Path) -> None:
    """Raise InputError if a parent folder of the file is a symbolic link."""
    for parent in path.relative_to(folder).parents:
        if str(parent) != "." and (folder / parent).is_symlink():
            raise InputError(f"{folder / parent} is a link: move it away, or name another folder.")


def _has(path: Path, sha256: str) -> bool:
    """True if a file has this SHA-256."""
    try:
        if not path.is_file():  # a pipe would never end
            return False
        return _sha256(path) == sha256
    except OSError:
        return False


def _sha256(content: bytes | Path) -> str:
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    with content.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def overwriting() -> str:
    """Return the option or argument by which a file of others is replaced."""
    return arguments.spelled("--overwrite", "overwrite=True")


def _refusal(path: Path, why: str) -> InputError:
    return InputError(
        f"{path} {why}: move it away, name another folder, or let it be replaced ({overwriting()})."
    )


def _failure(place: Path, error: OSError) -> InputError:
    """Build the error for a set that could not be written, by how much of it was."""
    why = error.strerror or str(error)
    if (place / _NEXT).exists():
        return InputError(
            f"{place} could not be written in full ({why}): when the cause is gone, write there "
            "again, which first finishes this."
        )
    if not place.is_dir():
        return InputError(
            f"{place} was moved away or removed while its files were made, so nothing is written: "
            "do it again."
        )
    return InputError(
        f"{place} could not be written to ({why}); its files are as they were: make room or name "
        "another folder."
    )
