"""Combines the blocks' results in a fixed order, whatever engine computes them.

Results are combined in groups of `FAN` neighbors, the groups again in groups, and so on: the
order of additions is that of the blocks, and so is every rounding. A machine that combines a group
holds two results of it at a time.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, TypeVar

P = TypeVar("P")

FAN = 8
"""Results combined in a group: more make fewer messages between machines, fewer a deeper tree."""


def added(a: Any, b: Any) -> Any:
    """Add two numbers or arrays, or tuples of them element by element.

    >>> added((1, (2.0, 3.0)), (10, (20.0, 30.0)))
    (11, (22.0, 33.0))
    """
    if not isinstance(a, tuple):
        return a + b
    values = [added(x, y) for x, y in zip(a, b, strict=True)]
    return type(a)(*values) if hasattr(a, "_fields") else tuple(values)


def folded(results: Iterable[P], combine: Callable[[P, P], P]) -> P:
    """Combine results from left to right.

    >>> folded("abc", lambda a, b: f"({a}{b})")
    '((ab)c)'
    """
    rest = iter(results)
    found = next(rest)
    for result in rest:
        found = combine(found, result)
    return found


def tree(results: Iterable[P], n: int, combine: Callable[[P, P], P]) -> P:
    """Combine n results group by group in a tree, holding few results per level in memory.

    >>> tree("abcdefghij", 10, lambda a, b: f"({a}{b})")
    '((((((((ab)c)d)e)f)g)h)(ij))'
    """
    level = iter(results)
    while n > 1:
        level = _groups(level, combine)
        n = -(-n // FAN)
    return next(level)


def _groups(results: Iterator[P], combine: Callable[[P, P], P]) -> Iterator[P]:
    for first in results:
        yield folded(chain([first], islice(results, FAN - 1)), combine)
