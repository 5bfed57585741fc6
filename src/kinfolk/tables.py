"""What rows-in-tasks and columns-in-views are: one table, divided (see `docs/notation.md`)."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinfolk.arrays import Labels, Table


@dataclass(frozen=True)
class Tasks:
    """Which task each row belongs to.

    Attributes
    ----------
    names : the T tasks, in the order in which they first appear
    codes : (n,) the position in `names` of each row's task
    """

    names: list[Any]
    codes: Labels

    @classmethod
    def of(cls, values: ArrayLike) -> Self:
        """Tasks from one name per row.

        >>> Tasks.of(["b", "a", "b"]).codes
        array([0, 1, 0])
        """
        flat = np.asarray(values, dtype=object).tolist()
        position = {name: t for t, name in enumerate(dict.fromkeys(flat))}
        return cls(list(position), np.array([position[name] for name in flat], dtype=int))

    @classmethod
    def single(cls, n: int) -> Self:
        """One task, named "all", of n rows."""
        return cls(["all"], np.zeros(n, dtype=int))

    @property
    def sizes(self) -> list[int]:
        """The number of rows of each task."""
        return np.bincount(self.codes, minlength=len(self.names)).tolist()

    def rows(self) -> list[NDArray[np.integer]]:
        """The positions of each task's rows."""
        return [np.flatnonzero(self.codes == t) for t in range(len(self.names))]


@dataclass(frozen=True)
class RelatedData:
    """Several related data sets as one table, before any method has seen them.

    Exactly one of `X` and `texts` is given.

    Attributes
    ----------
    name : what to call it in titles
    tasks : (n,) the task of each row, as strings
    row_ids : (n,) what the source calls each row, unique within its task
    X : (n, d) numbers, dense or CSR, or None
    feature_names : (d,) names of the columns of X; empty when X is None
    texts : (n,) one document a row, or None
    target : (n,) true classes as strings, or None; used to score, never to cluster
    origin : where the rows come from and on what terms, in a sentence
    """

    name: str
    tasks: NDArray[Any]
    row_ids: NDArray[Any]
    X: Table | None = None
    feature_names: tuple[str, ...] = ()
    texts: tuple[str, ...] | None = None
    target: NDArray[Any] | None = None
    origin: str = ""

    @property
    def task_names(self) -> list[str]:
        """The tasks in the order in which they first appear."""
        return list(dict.fromkeys(self.tasks.tolist()))

    def __len__(self) -> int:
        return int(np.shape(self.tasks)[0])
