"""Symbols of a stored object, such as d and k, with the number that each stands for."""

import re
from collections.abc import Callable, Sequence


def fault(sentence: str) -> ValueError:
    """Return the error for a part of a model that cannot be right, in one line."""
    return ValueError(" ".join(sentence.split()))


class Scope:
    """Numbers that symbols stand for within one object.

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
        """Give a symbol its number; ValueError if it has another."""
        if self.symbols.setdefault(self._name(name), number) != number:
            known = self.symbols[self._name(name)]
            raise fault(f"{where} says that {name} is {number}, where it is {known}")

    def value(self, name: str) -> int:
        """Return the number of a symbol, or of digits; ValueError if it has none."""
        if re.fullmatch(r"-?\d+", name):
            return int(name)
        if name == "k_t" and self.task is None:
            return max(self.cluster_numbers())
        if self._name(name) not in self.symbols:
            raise fault(f"nothing says what {name} is")
        return self.symbols[self._name(name)]

    def check_shape(self, shape: Sequence[int], dims: Sequence[str], where: str) -> None:
        """ValueError unless a shape has these axes; symbols without a number get theirs."""
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
        """Return the numbers of clusters of the tasks of the fit."""
        return [self.symbols[f"k_{t}"] for t in range(self.symbols["T"])]

    def ends(self) -> list[int]:
        """Return the position after the last cluster of each task of the fit."""
        sizes = self.cluster_numbers()
        return [sum(sizes[: t + 1]) for t in range(len(sizes))]

    def later(self, check: Callable[[], None]) -> None:
        """Keep a check for the end, when all symbols have their numbers."""
        task = self.task

        def at_task() -> None:
            self.task = task
            check()

        self._later.append(at_task)

    def finish(self) -> None:
        """Make the checks that were kept."""
        for check in self._later:
            check()

    def _name(self, name: str) -> str:
        return f"{name[:-1]}{self.task}" if name.endswith("_t") else name
