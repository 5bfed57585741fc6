"""Differences between the distributions of tasks, from their tables alone."""

from itertools import combinations
from typing import Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from kinfolk.arrays import Matrix, MatrixLike
from kinfolk.numerics import discrepancy, sparse_format
from kinfolk.tables import by_task


def mmd(
    X: MatrixLike,
    tasks: ArrayLike,
    kernel: Literal["gaussian", "linear"] = "gaussian",
    bandwidth: float | None = None,
) -> Matrix:
    """Maximum mean discrepancy between each pair of tasks; 0 for equal distributions.

    Parameters
    ----------
    X : (n, d), dense or sparse
    tasks : (n,) the task of each row
    kernel, bandwidth : see `kinfolk.numerics.discrepancy.squared_mmd`

    Returns
    -------
    (T, T), symmetric, zero diagonal; tasks in the order in which they first appear

    Raises
    ------
    InputError : tasks and rows differ in number; an unknown kernel; a bandwidth not above 0

    Notes
    -----
    Source: Gretton et al. (2012); the measure of table 12 of Zhang, Zhang, Liu (2019).

    Examples
    --------
    >>> mmd(np.array([[0.0], [2.0], [3.0], [5.0]]), ["a", "a", "b", "b"], kernel="linear")
    array([[0., 3.],
           [3., 0.]])
    """
    sparse = sp.issparse(X)
    X = sp.csr_array(sparse_format.checked(X)) if sparse else np.asarray(X, dtype=float)
    parts = list(by_task(X, tasks).values())
    found = np.zeros((len(parts), len(parts)))
    for t, s in combinations(range(len(parts)), 2):
        squared = discrepancy.squared_mmd(parts[t], parts[s], kernel, bandwidth)
        found[t, s] = found[s, t] = np.sqrt(squared)
    return found
