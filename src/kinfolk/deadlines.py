"""A moment at which work is to end, known to every loop that runs before it.

A caller with a budget opens `ending`; loops deep below ask `passed` and end with what they have.
Blocks may be nested: the earliest moment counts.

>>> passed()
False
>>> with ending(clock() - 1.0):
...     passed(), left() < 0
(True, True)
>>> left()
inf
"""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_moment: ContextVar[float] = ContextVar("kinfolk_deadline", default=math.inf)


def clock() -> float:
    """Seconds since some moment in the past: the one clock of all budgets."""
    return time.perf_counter()


@contextmanager
def ending(moment: float) -> Iterator[None]:
    """End work within this block at a moment of `clock`, or at that of a block around it."""
    token = _moment.set(min(moment, _moment.get()))
    try:
        yield
    finally:
        _moment.reset(token)


def moment() -> float:
    """The moment of `clock` at which work is to end; inf without one."""
    return _moment.get()


def left() -> float:
    """Seconds until that moment, below 0 after it; inf without one."""
    return _moment.get() - clock()


def passed() -> bool:
    """True from that moment on."""
    return left() <= 0
