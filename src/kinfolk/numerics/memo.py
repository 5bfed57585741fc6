"""Cache of costly pure functions' results, keyed by the content of their arguments.

Repeats from other starts, and settings that differ in a later step, share what comes before them:
layers, eigenvectors, similarities. A function joins by the decorator `remembered`; nothing is
remembered outside of a `remembering` block.

>>> calls = []
>>> @remembered
... def doubled(x):
...     calls.append(x.tolist())
...     return 2 * x
>>> memory = Memory()
>>> for x in np.array([1.0, 1.0, 5.0]):
...     with remembering(memory):
...         y = doubled(np.array([x]))
>>> calls
[[1.0], [5.0]]
>>> y.flags.writeable
False
"""

import functools
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple, ParamSpec, TypeAlias, TypeVar
from weakref import ref

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

P = ParamSpec("P")
R = TypeVar("R")

Key: TypeAlias = tuple[Callable[..., Any], bytes]
SCALARS = (type(None), bool, int, float, complex, str, bytes, np.generic)
DIGEST_BYTES = 20  # two different arguments collide with a chance of 2^-80 after 2^40 of them


class Remembered(NamedTuple):
    """A cached result, and digests of the arrays created for it."""

    result: Any
    named: list[tuple[np.ndarray, bytes]]

    @property
    def size(self) -> int:
        """Bytes of the arrays created for the result; at least 1, so that any can be dropped."""
        return max(1, sum(array.nbytes for array, _ in self.named))


class Memory:
    """Cache of function results, keyed by function and arguments.

    Results that a block did not use are forgotten at its end, but for the last used ones of at most
    `spare` bytes in all.

    >>> memory = Memory()
    >>> memory.recall(max, (3, 4), {}), memory.recall(max, (3, 4), {}), len(memory)
    (4, 4, 1)
    """

    def __init__(self, spare: int = 0) -> None:
        self._spare = spare
        self._results: dict[Key, Remembered] = {}  # the last used come last
        self._used: set[Key] = set()
        # Names of arrays by identity: of results, which are kept alive, and of arguments.
        self._owned: dict[int, bytes] = {}
        self._given: dict[int, tuple[ref[np.ndarray], bytes]] = {}

    def __len__(self) -> int:
        return len(self._results)

    def recall(self, make: Callable[..., R], args: Any, options: dict[str, Any]) -> R:
        """Return make(*args, **options) from the cache, or compute and store it."""
        # The function itself is part of the key: two closures may have one name.
        key = make, self._name((args, options))
        kept = self._results.pop(key, None)
        if kept is None:
            result = make(*args, **options)
            kept = Remembered(result, self._named(key, result))
        self._results[key] = kept
        self._used.add(key)
        found: R = kept.result
        return found

    def forget_unused(self) -> None:
        """Drop cached results that were not used since the last call, beyond the spare bytes."""
        spare = self._spare
        for key in reversed(list(self._results)):
            if key not in self._used:
                spare -= self._results[key].size
                if spare < 0:
                    del self._results[key]
        self._used.clear()
        self._given.clear()
        named = [pair for kept in self._results.values() for pair in kept.named]
        self._owned = {id(array): name for array, name in named}

    def clear(self) -> None:
        """Drop all cached results."""
        self._results.clear()
        self.forget_unused()

    def _named(self, key: Key, result: Any) -> list[tuple[np.ndarray, bytes]]:
        """Make a result's new arrays read-only, and derive their digests from the key."""
        named = []
        for place, array in enumerate(arrays_of(result)):
            if id(array) in self._owned or self._is_given(array):
                continue  # part of an argument: it has a name and may belong to the user
            array.flags.writeable = False  # several models will share it
            self._owned[id(array)] = _digest(key[1], repr((key[0], place)).encode())
            named.append((array, self._owned[id(array)]))
        return named

    def _is_given(self, array: np.ndarray) -> bool:
        known = self._given.get(id(array))
        return known is not None and known[0]() is array  # an id is reused after an array's death

    def _name(self, value: Any) -> bytes:
        """Digest of an argument's content; TypeError for types that cannot be digested.

        Each part has a digest of fixed length, so that parts never run into each other.
        """
        if isinstance(value, np.ndarray):
            return self._array_name(value)
        kind = f"{type(value).__module__}.{type(value).__qualname__}".encode()
        if isinstance(value, SCALARS):
            return _digest(kind, repr(value).encode())
        if isinstance(value, type):
            return _digest(kind, f"{value.__module__}.{value.__qualname__}".encode())
        if isinstance(value, sp.csr_array | sp.csc_array):
            parts = [value.shape, value.indptr, value.indices, value.data]
        elif isinstance(value, list | tuple):
            parts = list(value)
        elif isinstance(value, dict):
            parts = [*value, *value.values()]
        elif is_dataclass(value) and not isinstance(value, BaseEstimator):
            # A fitted estimator is more than the parameters that are its fields.
            parts = [getattr(value, field.name) for field in fields(value)]
        else:
            raise TypeError(
                f"{kind.decode()} cannot be remembered by its content: pass arrays, plain values "
                "or dataclasses of them."
            )
        return _digest(kind, *map(self._name, parts))

    def _array_name(self, array: np.ndarray) -> bytes:
        """Digest of an array's content, made once; TypeError for masked and object arrays."""
        if id(array) in self._owned:
            return self._owned[id(array)]
        if self._is_given(array):
            return self._given[id(array)][1]
        # A mask is no part of the buffer, and objects are pointers there.
        if isinstance(array, np.ma.MaskedArray) or array.dtype.hasobject:
            raise TypeError(f"{type(array).__name__} of {array.dtype} cannot be remembered.")
        name = _digest(f"{array.dtype.str} {array.shape}".encode(), np.ascontiguousarray(array))
        self._given[id(array)] = ref(array), name
        return name


_memory: ContextVar[Memory | None] = ContextVar("kinfolk_memory", default=None)


def remembered(make: Callable[P, R]) -> Callable[P, R]:
    """Decorate a pure function so that its results are cached inside `remembering`.

    Its arguments are arrays, CSR tables, plain values, and lists and dataclasses of them; arrays
    must not change within a block. Results are read-only there, and shared: return tuples, not
    lists that a caller might change.
    """

    @functools.wraps(make)
    def call(*args: P.args, **options: P.kwargs) -> R:
        memory = _memory.get()
        if memory is None:
            return make(*args, **options)
        return memory.recall(make, args, options)

    return call


@contextmanager
def remembering(memory: Memory | None = None, keep: bool = False) -> Iterator[None]:
    """Cache results of `remembered` functions within this block, in a given or new memory.

    What a block did not use is forgotten at its end, but for the spare bytes of the memory, since
    layers of many rows are large: give each run a block, and similar runs one after the other.
    With `keep` nothing is forgotten. A block inside another shares its memory unless it has one of
    its own.
    """
    if memory is None and active():
        yield
        return
    memory = Memory() if memory is None else memory
    token = _memory.set(memory)
    try:
        yield
    finally:
        _memory.reset(token)
        if not keep:
            memory.forget_unused()


def active() -> bool:
    """True inside a `remembering` block, where results are shared and read-only."""
    return _memory.get() is not None


def arrays_of(value: Any) -> Iterator[np.ndarray]:
    """Yield all arrays inside lists, tuples, CSR tables and attributes of objects.

    >>> [array.tolist() for array in arrays_of((np.zeros(1), [sp.csr_array([[0.0, 7.0]])]))]
    [[0.0], [0, 1], [1], [7.0]]
    """
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from arrays_of(item)
    elif hasattr(value, "__dict__") and not isinstance(value, type):
        for item in vars(value).values():
            yield from arrays_of(item)


def _digest(*parts: Any) -> bytes:
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        digest.update(part)
    return digest.digest()
