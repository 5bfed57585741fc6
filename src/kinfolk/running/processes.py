"""Delays signals to the end of a step, treats SIGTERM like Ctrl-C, and reads the memory size."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

_CONTAINER = Path("/sys/fs/cgroup/memory.max")
"""File of Linux with the most bytes that a container may use, or "max"."""
_USUAL_MEMORY = 8 * 2**30
"""Bytes of memory to assume where the system does not report them."""

_STOPPING = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def deferred_signals() -> Iterator[None]:
    """Context that delays SIGINT and SIGTERM until its end.

    >>> _ = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    >>> try:
    ...     with deferred_signals():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("finished")
    ... except KeyboardInterrupt:
    ...     print("then stopped")
    finished
    then stopped
    """
    # Python handles signals in its main thread, so that other threads are never interrupted.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[tuple[Any, ...]] = []
    # A handler that C code installed reads as None and cannot be put back: it stays.
    handlers = {n: found for n in _STOPPING if (found := signal.getsignal(n)) is not None}
    for number in handlers:
        signal.signal(number, lambda *found: waiting.append(found))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        with ExitStack() as raised:  # each of them, also if the handler of another raises
            for came, _ in reversed(waiting):
                raised.callback(signal.raise_signal, came)


@contextmanager
def terminations_as_interrupts() -> Iterator[list[int]]:
    """Context that raises KeyboardInterrupt at SIGTERM; yields the list of signals received."""
    came: list[int] = []
    default = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    # A program that asked to ignore SIGTERM, or that handles it by itself, is left alone.
    if not default or threading.current_thread() is not threading.main_thread():
        yield came
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        came.append(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield came
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def is_alive(pid: int) -> bool:
    """True if a process of this host is running, or if that is unknown.

    >>> is_alive(os.getpid())
    True
    """
    if os.name != "posix":  # elsewhere os.kill would end the process
        return True
    try:
        os.kill(pid, 0)  # signal 0 only asks if the process exists
    except OverflowError:
        return False
    except OSError as error:
        return not isinstance(error, ProcessLookupError)
    return True


def memory() -> int:
    """Bytes of memory that this process may use: of the machine, or of its container if less."""
    try:
        found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not a system of the POSIX kind
        found = _USUAL_MEMORY
    with suppress(OSError, ValueError):
        found = min(found, int(_CONTAINER.read_text()))
    return found
