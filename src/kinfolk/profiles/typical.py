"""Finds typical rows: those nearest to the center of their cluster."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from kinfolk.arrays import Table, Vector
from kinfolk.numerics import rounding
from kinfolk.profiles.cells import Cells
from kinfolk.profiles.values import TypicalRow

OF_A_CLUSTER = 3


def rows(X: Table, cells: Cells, row_ids: ArrayLike) -> Iterator[TypicalRow]:
    """Yield the typical rows of each kind (group of matched clusters) in each task.

    The center is that of the kind within the task, so that shifts between tasks do not matter.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [2.0]])
    >>> [found.row_id for found in rows(X, Cells.of([7] * 4, ["a"] * 4), ["w", "x", "y", "z"])]
    ['z', 'x', 'w']
    """
    called = np.asarray(row_ids)
    for k, t, own in cells.rows():
        if k < 0 or t < 0 or not len(own):
            continue
        far = rounding.comparable(distances(X[own]))
        nearest = np.argsort(far, kind="stable")[:OF_A_CLUSTER]
        for rank, i in enumerate(nearest.tolist()):
            row = int(own[i])
            yield TypicalRow(k, t, rank, row, str(called[row]))


def distances(X: Table) -> Vector:
    """Squared distance (n,) of each row to the mean; counts are scaled to unit rows first."""
    if sp.issparse(X):
        S: Any = sp.csr_array(X)
        # Short texts are near the mean of counts whatever they say: directions are compared.
        length = np.sqrt(np.asarray(S.power(2).sum(axis=1)).ravel())
        S = sp.diags_array(np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)) @ S
        mean = np.asarray(S.mean(axis=0)).ravel()
        return (length > 0) - 2 * (S @ mean) + mean @ mean
    return ((X - X.mean(axis=0)) ** 2).sum(axis=1)
