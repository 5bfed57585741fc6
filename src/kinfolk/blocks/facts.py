"""Facts about rows from one pass: their number, tasks, and first invalid entry."""

import math
from typing import Any, NamedTuple, cast

import numpy as np
import scipy.sparse as sp

from kinfolk.blocks.block import Block
from kinfolk.blocks.reading import encoded
from kinfolk.numerics import backend
from kinfolk.tables.name_order import order_of


class Facts(NamedTuple):
    """Number of rows and tasks, and the first invalid entry, of some rows.

    `width` is the number of columns, `single` True for single precision, `largest` the largest
    absolute entry that is finite; `bad` has row, column and value of the first entry that is not,
    `lightest` is the smallest weight, `mass` the sum of the weights; `tasks` name -> rows, `order`
    the tasks of an ordered category from first to last.
    """

    n: int
    width: int
    single: bool
    largest: float
    bad: tuple[int, int, float] | None
    lightest: float
    mass: float
    tasks: dict[Any, int]
    order: tuple[Any, ...] = ()

    def with_next(self, after: "Facts") -> "Facts":
        """Merge with the facts of the rows that follow."""
        bad = self.bad
        if bad is None and after.bad is not None:
            row, column, value = after.bad
            bad = (row + self.n, column, value)
        tasks = dict(self.tasks)
        for name, rows in after.tasks.items():
            tasks[name] = tasks.get(name, 0) + rows
        return Facts(
            n=self.n + after.n,
            width=max(self.width, after.width),
            single=self.single and after.single,
            largest=max(self.largest, after.largest),
            bad=bad,
            lightest=min(self.lightest, after.lightest),
            mass=self.mass + after.mass,
            tasks=tasks,
            order=self.order if self.order == after.order else (),
        )


def facts(block: Block) -> Facts:
    """Compute size, tasks and first invalid entry of one block.

    >>> found = facts(Block(np.array([[1.0, -2.0], [np.nan, 0.0]]), codes=np.array(["a", "a"])))
    >>> found.n, found.largest, found.bad, found.tasks
    (2, 2.0, (1, 0, nan), {'a': 2})
    """
    x = block.x
    n, d = block.shape
    if backend.is_other(x):
        largest, bad = _entries_elsewhere(x)
    else:
        entries = x.data if sp.issparse(x) else x
        good = np.isfinite(entries)
        largest = float(np.abs(entries).max(initial=0.0, where=good))
        bad = None if good.all() else _first(x, good)
    weight = np.ones(n) if block.weight is None else np.asarray(block.weight, dtype=float)
    tasks: dict[Any, int] = {}
    if block.codes is not None:
        names, codes = encoded(block.codes)
        tasks = dict(zip(names, np.bincount(codes, minlength=len(names)).tolist(), strict=True))
    return Facts(
        n=n,
        width=d,
        single=block.dtype == np.float32,
        largest=largest,
        bad=bad,
        # A weight of NaN makes both NaN, which no comparison takes for right.
        lightest=float(weight.min(initial=np.inf)),
        mass=float(weight.sum()),
        tasks=tasks,
        order=() if block.codes is None else order_of(block.codes),
    )


def _entries_elsewhere(x: Any) -> tuple[float, tuple[int, int, float] | None]:
    """Largest finite absolute entry, and first invalid one, of another library's array."""
    xp = backend.namespace(x)
    good = xp.isfinite(x)
    sizes = xp.where(good, xp.abs(x), xp.zeros_like(x))
    largest = float(xp.max(sizes)) if math.prod(x.shape) else 0.0
    return largest, None if bool(xp.all(good)) else _first(backend.host(x), backend.host(good))


def _first(x: Any, good: Any) -> tuple[int, int, float]:
    """Row, column and value of the first entry that is not finite."""
    if sp.issparse(x):
        x = cast(Any, x)
        i = int(np.argmin(good))
        row = int(np.searchsorted(x.indptr, i, side="right")) - 1
        return row, int(x.indices[i]), float(x.data[i])
    row, column = (int(found[0]) for found in np.nonzero(~good))
    return row, column, float(x[row, column])
