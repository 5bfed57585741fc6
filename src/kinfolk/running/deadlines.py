"""A deadline for the running work, which loops check to end in time.

A caller with a budget opens `ending`; loops deep below ask `passed` and end with what they have.
Blocks may be nested: the earliest moment counts, and the outermost one says when the work began.

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
from dataclasses import dataclass, field

USUAL_SECONDS = 0.5
"""Seconds added to both times that `slowness` compares: the first moments of work say little."""
# Waiting for a slow disk counts as well, and says little about what follows.
MOST_SLOWNESS = 8.0
"""Largest factor that `slowness` returns."""

_moment: ContextVar[float] = ContextVar("kinfolk_deadline", default=math.inf)


def clock() -> float:
    """Seconds of the monotonic clock that all time budgets use."""
    return time.perf_counter()


@dataclass
class Start:
    """Time at which work began, and the times of clock and processor that its speed counts from.

    `since` and `processor` move on by each wait for other processes.
    """

    moment: float = field(default_factory=clock)
    since: float = field(init=False)
    processor: float = field(default_factory=time.process_time)

    def __post_init__(self) -> None:
        self.since = self.moment


_start: ContextVar[Start | None] = ContextVar("kinfolk_start", default=None)


@contextmanager
def counting(start: Start) -> Iterator[None]:
    """Context of work that began at `start`, unless it is part of other such work."""
    token = _start.set(_start.get() or start)
    try:
        yield
    finally:
        _start.reset(token)


def began() -> float:
    """Time of `clock` at which the running work began; now, if none is counted."""
    start = _start.get()
    return clock() if start is None else start.moment


def slowness() -> float:
    """Seconds of the clock for each second of the processor since the work began, at least 1.

    It is above 1 where other processes share the cores. Threads count as one.

    >>> slowness()
    1.0
    """
    start = _start.get()
    if start is None:
        return 1.0
    passed = clock() - start.since
    worked = time.process_time() - start.processor
    return min(max((passed + USUAL_SECONDS) / (worked + USUAL_SECONDS), 1.0), MOST_SLOWNESS)


@contextmanager
def waiting() -> Iterator[None]:
    """Context of a wait for other processes, which `slowness` does not count."""
    moment = clock()
    worked = time.process_time()
    try:
        yield
    finally:
        start = _start.get()
        if start is not None:
            start.since += clock() - moment
            start.processor += time.process_time() - worked


@contextmanager
def ending(moment: float) -> Iterator[None]:
    """Context with a deadline (a time of `clock`); the earlier of nested ones holds."""
    token = _moment.set(min(moment, _moment.get()))
    try:
        with counting(Start()):
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
