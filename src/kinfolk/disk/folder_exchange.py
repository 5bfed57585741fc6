"""Swaps a whole folder with a new one in a single file-system step (Linux).

The new folder is made beside the older one. Files that it does not replace are linked into it, so
that both folders hold the same files. After the exchange whatever came into the older folder in the
last moment is brought over.
"""

import ctypes
import os
import shutil
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2

MOST_LINKS = 1000
"""The most files of others that are linked: in a folder of more, files are replaced one by one."""

# A database has files beside it that must never be apart from it, not even for a moment.
_OF_DATABASES = (".sqlite", ".sqlite3", ".db", "-wal", "-shm", "-journal")


def can_step_aside(folder: Path) -> bool:
    """True if a folder can be swapped without harm to processes that use it.

    Not if the system cannot, if the folder above cannot be written to, if a process works inside it
    (its shell would stay in the older folder), or if there is a database or another file system.
    """
    if _rename() is None or folder.is_symlink() or not os.access(folder.parent, os.W_OK | os.X_OK):
        return False
    if folder.is_mount() or _is_used(folder):
        return False
    names = [path.name for path in files(folder)]
    return len(names) <= MOST_LINKS and not any(name.endswith(_OF_DATABASES) for name in names)


def link_others(folder: Path, new: Path, replaced: Collection[str]) -> None:
    """Hard-link the files of a folder into a new one, except the files named in `replaced`.

    The new folder gets mode and owner of the older one, and so do folders inside it. OSError if a
    file cannot be linked.
    """
    for path in [folder, *folder.rglob("*")]:
        name = path.relative_to(folder)
        target = new / name
        status = path.lstat()
        if stat.S_ISDIR(status.st_mode):
            target.mkdir(exist_ok=True)
            shutil.copystat(path, target)
            if (made := target.stat()).st_uid != status.st_uid or made.st_gid != status.st_gid:
                os.chown(target, status.st_uid, status.st_gid)
        elif str(name) not in replaced:
            os.link(path, target, follow_symlinks=False)


def unlink_others(new: Path, written: Collection[str]) -> None:
    """Remove all files of a new folder, except the files named in `written`."""
    for path in list(files(new)):
        if str(path.relative_to(new)) not in written:
            path.unlink()


def exchange(folder: Path, new: Path) -> bool:
    """Swap two folders in one step; False if the system cannot."""
    rename = _rename()
    if rename is None:
        return False
    one = os.fsencode(folder)
    other = os.fsencode(new)
    return bool(rename(_AT_FDCWD, other, _AT_FDCWD, one, _RENAME_EXCHANGE) == 0)


def bring_over(older: Path, folder: Path, replaced: Collection[str], *, newer: bool) -> None:
    """Move files that were added to the older folder during the swap.

    Parameters
    ----------
    replaced : names of files that are not to be brought over
    newer : True: also files that took the place of others in that moment; False: only files that
        are nowhere else
    """
    for path in list(files(older)):
        name = path.relative_to(older)
        target = folder / name
        there = os.path.lexists(target)
        if str(name) in replaced:
            continue
        changed = newer and there and not os.path.samestat(path.lstat(), target.lstat())
        if changed or (not there and path.lstat().st_nlink == 1):
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, target)


def files(folder: Path) -> Iterator[Path]:
    """Yield all files and links in a folder, recursively."""
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_dir():
            yield path


def _rename() -> "ctypes._NamedFuncPointer | None":
    """Return Linux's `renameat2` function, or None elsewhere."""
    try:
        return ctypes.CDLL(None).renameat2
    except (AttributeError, OSError, TypeError):
        return None


def _is_used(folder: Path) -> bool:
    """True if a process is known to have its working directory in the folder."""
    inside = os.path.realpath(folder)
    for process in Path("/proc").glob("[0-9]*"):
        try:
            place = os.readlink(process / "cwd")
        except OSError:  # of another user, or ended
            continue
        if place == inside or place.startswith(inside + os.sep):
            return True
    return False
