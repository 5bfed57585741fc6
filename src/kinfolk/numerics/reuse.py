"""Costly steps kept for the next run on the same data, while somebody asks for it.

Repeats from other starts, and settings that differ in a later step, share what comes before:
layers, eigenvectors, similarities. A step is named by its parameters and by the content of its
tables, so that nothing is ever taken for something else.

>>> made = []
>>> with kept():
...     for _ in range(3):
...         x = of(name("ones", np.ones(2)), lambda: made.append(1) or 7)
>>> x, len(made)
(7, 1)
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias, TypeVar

import numpy as np
import scipy.sparse as sp

S = TypeVar("S")

MOST = 24
"""Steps that are kept; the one that was not asked for longest goes first."""

Memory: TypeAlias = OrderedDict[str, Any]

_memory: ContextVar[Memory | None] = ContextVar("kinfolk_reuse", default=None)


@contextmanager
def kept(memory: Memory | None = None) -> Iterator[None]:
    """Within this block keep steps, in a memory that may outlive it.

    A block inside another shares what that one keeps.
    """
    if _memory.get() is not None:
        yield
        return
    token = _memory.set(OrderedDict() if memory is None else memory)
    try:
        yield
    finally:
        _memory.reset(token)


def wanted() -> bool:
    """Whether somebody keeps steps: then what a step returned must not be changed."""
    return _memory.get() is not None


def name(*parts: Any) -> str:
    """What a step with these parameters and tables is called; "" if nobody keeps any."""
    if not wanted():
        return ""
    digest = hashlib.blake2b(digest_size=20)
    for part in parts:
        for piece in _pieces(part):
            digest.update(piece)
        digest.update(b";")
    return digest.hexdigest()


def of(step: str, make: Callable[[], S]) -> S:
    """The result of a step: that of the last time, or made now and kept."""
    memory = _memory.get()
    if memory is None or not step:
        return make()
    if step not in memory:
        memory[step] = make()
    memory.move_to_end(step)
    while len(memory) > MOST:
        memory.popitem(last=False)
    found: S = memory[step]
    return found


def _pieces(part: Any) -> Iterator[Any]:
    if sp.issparse(part):
        rows = sp.csr_array(part)
        yield from map(_bytes, (np.array(rows.shape), rows.indptr, rows.indices, rows.data))
    elif isinstance(part, np.ndarray):
        yield from map(_bytes, (np.array(part.shape), part))
    else:
        yield repr(part).encode()


def _bytes(array: Any) -> Any:
    contiguous = np.ascontiguousarray(array)
    return f"{contiguous.dtype}".encode() + contiguous.tobytes()
