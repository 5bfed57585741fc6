"""Counts and sums of rows by kind (group of matched clusters) and task, with margins."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from kinfolk.arrays import Labels, Table
from kinfolk.tables import Tasks

Cube = NDArray[np.float64]
"""(K + 1, T + 1, d): a value per kind, task and column; index -1 stands for all of them."""


@dataclass(frozen=True)
class Cells:
    """Kind (group of matched clusters) and task of each row, for counts and sums by both.

    Attributes
    ----------
    kinds : the K numbers that matched clusters share, ascending
    tasks : the T tasks in their order, as of `Tasks`
    kind_of, task_of : (n,) positions in `kinds` and `tasks`

    Examples
    --------
    >>> cells = Cells.of([3, 3, 5], ["a", "b", "b"])
    >>> cells.sums(np.array([[1.0], [2.0], [4.0]]))[:, :, 0]
    array([[1., 2., 3.],
           [0., 4., 4.],
           [1., 6., 7.]])
    """

    kinds: tuple[int, ...]
    tasks: tuple[str, ...]
    kind_of: Labels
    task_of: Labels

    @classmethod
    def of(cls, kinds: ArrayLike, tasks: ArrayLike) -> Self:
        """Build the cells of rows from the number of the kind (n,) and the task (n,) of each."""
        numbers, kind_of = np.unique(np.asarray(kinds, dtype=int), return_inverse=True)
        found = Tasks.of(tasks)
        return cls(tuple(numbers.tolist()), tuple(map(str, found.names)), kind_of, found.codes)

    @property
    def sizes(self) -> Labels:
        """Number of rows (K + 1, T + 1) by kind and task, with totals at index -1."""
        return self.sums(np.ones((len(self.kind_of), 1)))[:, :, 0].round().astype(int)

    def sums(self, values: Table) -> Cube:
        """Sums (K + 1, T + 1, d) of values (n, d) by kind and task, with totals at index -1."""
        K = len(self.kinds)
        T = len(self.tasks)
        n = len(self.kind_of)
        cell = self.kind_of * T + self.task_of
        members = sp.csr_array((np.ones(n), (cell, np.arange(n))), shape=(K * T, n))
        sparse = sp.issparse(values)
        own: Any = members @ values
        own = own.toarray() if sparse else np.asarray(own)
        sums = np.zeros((K + 1, T + 1, own.shape[1]))
        sums[:K, :T] = own.reshape(K, T, -1)
        sums[K, :T] = sums[:K, :T].sum(axis=0)
        sums[:, T] = sums[:, :T].sum(axis=1)
        return sums

    def rows(self) -> Iterator[tuple[int, int, NDArray[np.integer]]]:
        """Yield kind, task and row positions of all cells, and of totals (-1)."""
        everything = np.arange(len(self.kind_of))
        yield -1, -1, everything
        for t in range(len(self.tasks)):
            yield -1, t, np.flatnonzero(self.task_of == t)
        for k in range(len(self.kinds)):
            own = np.flatnonzero(self.kind_of == k)
            yield k, -1, own
            for t in range(len(self.tasks)):
                yield k, t, own[self.task_of[own] == t]


def divided(sums: Cube, counts: NDArray[Any]) -> Cube:
    """Divide sums by counts, NaN where the count is 0.

    >>> divided(np.array([3.0, 0.0]), np.array([2, 0]))
    array([1.5, nan])
    """
    return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)


def deviations(within: Cube, mean: Cube, count: NDArray[Any]) -> Cube:
    """Standard deviations from `within`, the sums of squares about the mean of each single cell.

    Those of totals have the squares of the cells' own means as well. Differences of large squares
    would lose all digits of a task in small units beside one in large units.

    >>> cells = Cells.of([0, 0, 1, 1], ["a"] * 4)
    >>> X = np.array([[1.0], [3.0], [5.0], [7.0]])
    >>> mean, count = cells.sums(X) / cells.sums(np.ones((4, 1))), cells.sums(np.ones((4, 1)))
    >>> deviations(cells.sums((X - [[2.0], [2.0], [6.0], [6.0]]) ** 2), mean, count)[:, -1, 0]
    array([1.        , 1.        , 2.23606798])
    """
    own = np.nan_to_num(mean[:-1, :-1])
    n = count[:-1, :-1]
    squares = within.copy()
    squares[-1, :-1] += (n * (own - mean[-1, :-1]) ** 2).sum(axis=0)
    squares[:-1, -1] += (n * (own - mean[:-1, -1:]) ** 2).sum(axis=1)
    squares[-1, -1] += (n * (own - mean[-1, -1]) ** 2).sum(axis=(0, 1))
    return np.sqrt(divided(squares, count))
