"""A deadline for the running work, which loops check to end in time.

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
    """Seconds of the monotonic clock that all time budgets use."""
    return time.perf_counter()


@contextmanager
def ending(moment: float) -> Iterator[None]:
    """Context with a deadline (a time of `clock`); the earlier of nested ones holds."""
    token = _moment.set(min(moment, _moment.get()))
    try:
        yield
    finally:
        _moment.reset(token)


def moment() -> float:
    """Current deadline as a time of `clock`; inf without one."""
    return _moment.get()


def left() -> float:
    """Seconds left until the deadline, negative after it; inf without one."""
    return _moment.get() - clock()


def passed() -> bool:
    """True if the deadline has passed."""
    return left() <= 0
