"""What rows-in-tasks and columns-in-views are: one table, divided (see `docs/notation.md`)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Table


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
