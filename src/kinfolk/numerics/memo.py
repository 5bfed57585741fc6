"""Costly steps kept for the next run on the same data, while somebody asks for it.

Repeats from other starts, and settings that differ in a later step, share what comes before:
layers, eigenvectors, similarities. A step is named by its parameters and by the content of its
tables, so that nothing is ever taken for something else. What follows from a step that has a name
is named by it, so that large tables are read once.

A memory that outlives its block forgets what the last block did not ask for: runs of a kind come
one after the other, and layers of many rows are large.

>>> made = []
>>> with kept():
...     for _ in range(3):
...         x = of(name("ones", np.ones(2)), lambda: made.append(1) or 7)
>>> x, len(made)
(7, 1)
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias, TypeVar

import numpy as np
import scipy.sparse as sp

S = TypeVar("S")

Memory: TypeAlias = dict[str, Any]

_memory: ContextVar[tuple[Memory, set[str]] | None] = ContextVar("kinfolk_reuse", default=None)
"""What is kept, and which of it was asked for in this block."""


@contextmanager
def kept(memory: Memory | None = None) -> Iterator[None]:
    """Within this block keep steps, in a memory that may outlive it: make one block of each run.

    A block inside another shares what that one keeps, unless it has a memory of its own.
    """
    if memory is None and wanted():
        yield
        return
    memory, asked = {} if memory is None else memory, set[str]()
    token = _memory.set((memory, asked))
    try:
        yield
    finally:
        _memory.reset(token)
        for step in memory.keys() - asked:
            del memory[step]


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
    held = _memory.get()
    if held is None or not step:
        return make()
    memory, asked = held
    asked.add(step)
    if step not in memory:
        memory[step] = make()
    found: S = memory[step]
    return found


def _pieces(part: Any) -> Iterator[Any]:
    if sp.issparse(part):
        rows = sp.csr_array(part)
        yield repr(rows.shape).encode()
        for array in (rows.indptr, rows.indices, rows.data):
            yield from _pieces(array)
    elif isinstance(part, np.ndarray):
        yield f"{part.dtype} {part.shape}".encode()
        yield np.ascontiguousarray(part)
    else:
        yield repr(part).encode()
