"""Tells whoever listens how far long work has come; silent when nobody does.

Library code wraps its loops in `track`; the command line listens and draws a bar.

>>> heard = []
>>> with listening(lambda what, done, total: heard.append((what, done, total))):
...     for _ in track(range(2), "counting"):
...         pass
>>> heard
[('counting', 0, 2), ('counting', 1, 2), ('counting', 2, 2)]
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Listener: TypeAlias = Callable[[str, int, int], None]

_listener: ContextVar[Listener | None] = ContextVar("kinfolk_progress", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Within this block call `listener(what, done, total)` as work goes on."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def track(items: Sequence[T], what: str) -> Iterator[T]:
    """Yield the items; before the first and after each, tell the listener how many are done."""
    listener = _listener.get()
    if listener is None:
        yield from items
        return
    listener(what, 0, len(items))
    for done, item in enumerate(items, start=1):
        yield item
        listener(what, done, len(items))
