"""Checks stored values without a class: numbers, texts, arrays, and lists and dicts of them."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from kinfolk.models.scope import Scope, fault

_SINGLE = frozenset((type(None), bool, int, float, str, slice, np.ndarray))
"""Types of plain values that have no parts."""


def are_single(values: Iterable[Any]) -> bool:
    """True if no value has parts to go through; of many tasks there are a million such lists.

    >>> are_single(["task", 2]), are_single([["task", 2]])
    (True, False)
    """
    return _SINGLE.issuperset(map(type, values))


def check(value: Any, scope: Scope, where: str, depth: int = 0) -> None:
    """Raise ValueError unless a value is made of numbers, texts, lists, dicts and arrays only."""
    # No method nests values more than a few deep; without a limit a file could exhaust the stack.
    if depth > 20:
        raise fault(f"{where} is nested too deeply")
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple):
        if depth < 20 and are_single(value):
            return
        for part in value:
            check(part, scope, where, depth + 1)
    elif not isinstance(value, tuple(_SINGLE)):
        raise fault(f"{where} holds a {type(value).__name__}")


def check_records(value: Any, scope: Scope, where: str) -> None:
    """Raise ValueError unless a value is a list of dicts from texts to plain values."""
    if not isinstance(value, list) or not all(isinstance(record, dict) for record in value):
        raise fault(f"{where} is no list of records")
    for record in value:
        if not all(type(name) is str for name in record):
            raise fault(f"{where} has a record with a name that is no text")
    check(value, scope, where)
