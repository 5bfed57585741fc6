"""Reports progress of long work to notebooks, terminals or a user's function.

Library code wraps its loops in `track`. Nothing is shown outside `bar()` and `listening(...)`.

>>> calls = []
>>> with listening(lambda what, done, total: calls.append((what, done, total))):
...     for _ in track(range(2), "counting"):
...         pass
>>> calls
[('counting', 0, 2), ('counting', 1, 2), ('counting', 2, 2)]
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
Listener: TypeAlias = Callable[[str, int, int], None]

INTERVAL = 0.1
"""Seconds between two updates of a bar, so that quick loops do not flood a notebook."""

_listener: ContextVar[Listener | None] = ContextVar("kinfolk_progress", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Context in which `listener(what, done, total)` is called with progress."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def bar() -> Iterator[None]:
    """Context that shows progress, in a notebook cell or on a terminal's stderr.

    Writes nothing if stderr is neither, as in a script whose output goes to a file.

        with kf.progress.bar():
            model.fit(X, tasks=tasks)
    """
    show = _notebook_line() or _terminal_line()
    if show is None:
        yield
        return
    try:
        with listening(_Bar(show)):
            yield
    finally:
        show("")


def track(items: Sequence[T], what: str) -> Iterator[T]:
    """Yield the items, reporting progress before the first and after each.

    >>> list(track("abc", "spelling"))
    ['a', 'b', 'c']
    """
    listener = _listener.get()
    if listener is None:
        yield from items
        return
    listener(what, 0, len(items))
    for done, item in enumerate(items, start=1):
        yield item
        listener(what, done, len(items))


class Unfinished:
    """Listener that collects all unfinished work, outermost first.

    >>> work = Unfinished()
    >>> work("reading files", 1, 3)
    >>> work.text
    'reading files: 1 of 3'
    """

    def __init__(self) -> None:
        self._works: dict[str, str] = {}

    def __call__(self, what: str, done: int, total: int) -> None:
        """Update how much of a work is done."""
        if done < total:
            self._works[what] = f"{what}: {done} of {total}"
        else:
            self._works.pop(what, None)

    @property
    def text(self) -> str:
        """Describe all unfinished work on one line, "" if there is none."""
        return ", ".join(list(self._works.values()))


class _Bar(Unfinished):
    """Listener that displays all unfinished work on one line."""

    def __init__(self, show: Callable[[str], None]) -> None:
        super().__init__()
        self._show = show
        self._shown_at = -INTERVAL

    def __call__(self, what: str, done: int, total: int) -> None:
        super().__call__(what, done, total)
        now = time.monotonic()
        if now - self._shown_at >= INTERVAL:
            self._shown_at = now
            self._show(self.text)


def _terminal_line() -> Callable[[str], None] | None:
    """Return a function that rewrites one line of stderr; None if stderr is no terminal."""
    stream = sys.stderr
    if not stream.isatty():
        return None

    def show(line: str) -> None:
        # Erasing the line, not padding it, also removes a longer line shown before.
        stream.write(f"\r\x1b[2K{line}")
        stream.flush()

    return show


def _notebook_line() -> Callable[[str], None] | None:
    """Return a function that updates a line below the cell; None if no kernel is running."""
    # A kernel has imported IPython long before; importing it here would cost every other user.
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if getattr(shell, "kernel", None) is None:
        return None
    handle: Any = None

    def show(line: str) -> None:
        nonlocal handle
        text = {"text/plain": line}
        if handle is not None:
            handle.update(text, raw=True)
        elif line:
            display = import_module("IPython.display").display
            handle = display(text, raw=True, display_id=True)

    return show
