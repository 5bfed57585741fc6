"""Ctrl-C that shortens long work: the first one keeps what there is, a second one ends everything.

A caller opens `keeping` around work and around what is done with its result. Code that catches
`KeyboardInterrupt` to go on with less asks `is_first`, and raises it again where that is False.
Blocks may be nested: the outermost one counts.

>>> with keeping():
...     is_first(), is_first()
(True, False)
>>> with keeping():
...     is_first()
True
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class _Came:
    once: bool = False


_came: ContextVar[_Came | None] = ContextVar("kinfolk_interruptions", default=None)


@contextmanager
def keeping() -> Iterator[None]:
    """Context of work in which the first Ctrl-C may be caught to keep a part of the result."""
    token = _came.set(_came.get() or _Came())
    try:
        yield
    finally:
        _came.reset(token)


def came() -> bool:
    """Return True if a Ctrl-C was recorded in the running work, so that no long work may begin.

    >>> with keeping():
    ...     came(), is_first(), came()
    (False, True, True)
    """
    found = _came.get()
    return found is not None and found.once


def is_first() -> bool:
    """Record a Ctrl-C; return True if it is the first one of the running work."""
    came = _came.get() or _Came()
    first = not came.once
    came.once = True
    return first
