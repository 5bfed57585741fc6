"""Named sizes such as d and k of a stored object, for checks of array shapes."""

import re
from collections.abc import Callable, Sequence
from typing import Any


def fault(sentence: str) -> ValueError:
    """Build the error for an invalid part of a model."""
    return ValueError(" ".join(sentence.split()))


class Scope:
    """Named sizes within one stored object, bound to numbers at first use.

    A symbol gets its number where it first occurs, and must be the same number wherever it occurs
    again. `n_t` is one symbol for each task; `task` is the position of the task at hand.

    >>> scope = Scope({"d": 4})
    >>> scope.check_shape((3, 4), ["k", "d"], "centers")
    >>> scope.symbols["k"]
    3
    >>> scope.check_shape((2, 4), ["k", "d"], "sums")
    Traceback (most recent call last):
    ValueError: sums has the shape (2, 4), where k is 3
    """

    def __init__(self, symbols: dict[str, int]) -> None:
        self.symbols = symbols
        self.task: int | None = None
        self._later: list[Callable[[], None]] = []

    def bind(self, name: str, number: int, where: str) -> None:
        """Bind a name to a number; ValueError if it is bound to another."""
        if self.symbols.setdefault(self._name(name), number) != number:
            known = self.symbols[self._name(name)]
            raise fault(f"{where} says that {name} is {number}, where it is {known}")

    def value(self, name: str) -> int:
        """Return the number bound to a name, or written in digits; ValueError if unbound.

        `k_t` outside of a list over tasks is the largest number of clusters of a task.
        """
        if re.fullmatch(r"-?\d+", name):
            return int(name)
        if name == "k_t" and self.task is None:
            return max(self.cluster_numbers())
        if self._name(name) not in self.symbols:
            raise fault(f"nothing says what {name} is")
        return self.symbols[self._name(name)]

    def check_shape(self, shape: Sequence[int], dims: Sequence[str], where: str) -> None:
        """Raise ValueError unless a shape has these dimensions; unbound names get bound."""
        if len(shape) != len(dims):
            raise fault(f"{where} has {len(shape)} axes, and {len(dims)} are meant")
        for length, dim in zip(shape, dims, strict=True):
            if dim == "*":
                continue
            if dim.isdigit() or self._name(dim) in self.symbols:
                if length != self.value(dim):
                    raise fault(f"{where} has the shape {shape}, where {dim} is {self.value(dim)}")
            else:
                self.symbols[self._name(dim)] = int(length)

    def cluster_numbers(self) -> list[int]:
        """Return the number of clusters of each task of the fit."""
        return [self.symbols[f"k_{t}"] for t in range(self.symbols["T"])]

    def ends(self) -> list[int]:
        """Return cumulative numbers of clusters: the end position of each task."""
        sizes = self.cluster_numbers()
        return [sum(sizes[: t + 1]) for t in range(len(sizes))]

    def later(self, check: Callable[[], None]) -> None:
        """Postpone a check until all names are bound."""
        task = self.task

        def at_task() -> None:
            self.task = task
            check()

        self._later.append(at_task)

    def attempt(self, form: Callable[[Any, "Scope", str], None], value: Any, where: str) -> None:
        """Check a value by a form; if it fails, forget what that has bound and postponed."""
        symbols = dict(self.symbols)
        task = self.task
        postponed = len(self._later)
        try:
            form(value, self, where)
        except ValueError:
            self.symbols = symbols
            self.task = task
            del self._later[postponed:]
            raise

    def finish(self) -> None:
        """Run the postponed checks."""
        for check in self._later:
            check()

    def _name(self, name: str) -> str:
        return f"{name[:-1]}{self.task}" if name.endswith("_t") else name
