"""Lock on a folder of results, so that two processes never write there at once.

The file `.kinfolk-lock` names process and host of the holder. The operating system locks it too,
and gives that lock up when the process ends in whatever way: a file that a killed process left is
recognized at once. Of another host, whose processes cannot be seen, a file counts for 24 hours.
A process that is forked by the holder does not hold the lock.
"""

import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from kinfolk.errors import InputError
from kinfolk.running import processes

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCK = ".kinfolk-lock"
LIFETIME = 24 * 3600
"""Seconds after which the lock file of another host no longer counts."""


class _Holding(NamedTuple):
    """A lock of this process: the thread that holds it, and the descriptor of its file."""

    thread: int
    handle: int


_held: dict[str, _Holding] = {}
"""Folder locked by this process -> the thread that holds it, and the lock file."""


def _forget() -> None:
    """Drop all locks in a forked process: they are those of its parent."""
    for holding in _held.values():
        # The lock of the system stays with the parent, and ends with it alone.
        os.close(holding.handle)
    _held.clear()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_forget)


@contextmanager
def held(folder: str | os.PathLike[str], wait: float = 0.0) -> Iterator[Path]:
    """Context that holds a folder's lock; creates the folder, and removes it if empty.

    A block within another one of the same thread and folder only goes on.

    Raises
    ------
    InputError : another program still writes there after `wait` seconds, or the folder cannot be
        written to

    Examples
    --------
    >>> out = getfixture("tmp_path") / "out"
    >>> with held(out):
    ...     sorted(file.name for file in out.iterdir())
    ['.kinfolk-lock']
    >>> out.exists()
    False
    """
    place = Path(folder)
    name = os.path.realpath(place)
    holding = _held.get(name)
    if holding is not None and holding.thread == threading.get_ident():
        yield place
        return
    made = _make(place)
    try:
        mine = _Holding(threading.get_ident(), _take(place, time.monotonic() + wait))
        _held[name] = mine
        try:
            yield place
        finally:
            if _held.get(name) is mine:  # else this is a process that was forked meanwhile
                del _held[name]
                _give_up(place, mine.handle)
    finally:
        for new in made:
            with contextlib.suppress(OSError):  # it holds results
                new.rmdir()


def _make(place: Path) -> list[Path]:
    """Create a folder and its parents; return the new ones, the deepest first."""
    above = [place, *place.absolute().parents]
    new = [p for p in above if not os.path.lexists(p)]
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(next(p for p in above if os.path.lexists(p)), error) from error
    return new


def _take(place: Path, until: float) -> int:
    """Create and lock the lock file, waiting until a time; return its descriptor."""
    while True:
        try:
            handle = os.open(place / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        except OSError as error:
            raise _unwritable(place, error) from error
        taken = False
        try:
            holder = _read(handle)
            taken = _locked(handle) and not _is_other(holder, os.fstat(handle).st_mtime)
            if not taken and time.monotonic() >= until:
                raise _refusal(place, holder)
            # The holder before may have removed the file between our two steps.
            if taken and _same_file(handle, place / LOCK):
                mine = {"pid": os.getpid(), "host": socket.gethostname(), "since": time.time()}
                os.ftruncate(handle, 0)
                os.pwrite(handle, json.dumps(mine).encode(), 0)
                return handle
        except BaseException as error:
            if taken:
                _give_up(place, handle)
            else:
                os.close(handle)
            if isinstance(error, OSError):  # such as a full disk
                raise _unwritable(place, error) from error
            raise
        os.close(handle)
        # Short beside any write of results, long enough to leave the processor alone.
        time.sleep(0.05)


def _give_up(place: Path, handle: int) -> None:
    """Remove the lock file and unlock it."""
    try:
        # While it is locked; and not that of a later holder, if ours was removed meanwhile.
        if _same_file(handle, place / LOCK):
            (place / LOCK).unlink(missing_ok=True)
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    """Lock an open file; False if another process holds the lock."""
    holder = _read(handle)
    if fcntl is not None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a network share without locks
            pass
        else:
            return True
    pid = holder.get("pid")
    return not (_is_here(holder) and type(pid) is int and processes.is_alive(pid))


def _is_other(holder: dict[str, Any], modified: float) -> bool:
    """True if the lock's holder is on another host and may still be running.

    `modified` is when the file was written by the clock of its disk's server.
    """
    since = holder.get("since")
    now = time.time()
    if _is_here(holder) or not isinstance(since, int | float):
        return False
    # The clock of the other host may be ahead, even by years.
    return now - (since if since <= now else modified) < LIFETIME


def _is_here(holder: dict[str, Any]) -> bool:
    return holder.get("host") == socket.gethostname()


def _read(handle: int) -> dict[str, Any]:
    """Read what a lock file says of its holder; {} if unreadable."""
    try:
        found = json.loads(os.pread(handle, 4096, 0))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _same_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except OSError:
        return False


def _refusal(place: Path, holder: dict[str, Any]) -> InputError:
    """Build the error for a folder that another program has locked."""
    who = ""
    if holder:
        who = f" (process {holder.get('pid')!s:.20} on {holder.get('host')!s:.80})"
    ended = ""
    if holder and not _is_here(holder):
        ended = f"; if that process has ended, delete {place / LOCK}"
    return InputError(
        f"Another program writes to {place}{who}: wait until it has ended, or name another "
        f"folder{ended}."
    )


def _unwritable(place: Path, error: OSError) -> InputError:
    return InputError(
        f"{place} is no folder that can be written to ({error.strerror or error}): name "
        "another one."
    )
