"""Measures of the difference between tasks' distributions."""

import math
import sys
from itertools import combinations
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from kinfolk.arguments import choice, shown
from kinfolk.arrays import Matrix, MatrixLike
from kinfolk.errors import InputError
from kinfolk.numerics import discrepancy, float_errors, operators
from kinfolk.tables import by_task, intake


@float_errors.handled_by_default
def mmd(
    X: MatrixLike,
    tasks: ArrayLike,
    kernel: Literal["gaussian", "linear"] = "gaussian",
    bandwidth: float | None = None,
) -> Matrix:
    """Maximum mean discrepancy (T, T) between each pair of tasks; 0 for equal distributions.

    Parameters
    ----------
    X : (n, d), dense or sparse
    tasks : (n,) the task of each row
    kernel, bandwidth : see `kinfolk.numerics.discrepancy.squared_mmd`

    Returns
    -------
    (T, T), symmetric, zero diagonal; tasks in the order of `kf.Kinfolk.task_names_`

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
    kernel = choice("kernel", kernel, ["gaussian", "linear"])  # type: ignore[assignment]
    table, factor = operators.with_squares(intake.matrix(X, "X"))
    if bandwidth is not None:
        # In the unit of the table it may be too small to be a number.
        bandwidth = max(_positive(bandwidth) * factor, sys.float_info.min)
    parts = list(by_task(table, intake.in_order_of(X, tasks, "tasks")).values())
    found = np.zeros((len(parts), len(parts)))
    for t, s in combinations(range(len(parts)), 2):
        squared = discrepancy.squared_mmd(parts[t], parts[s], kernel, bandwidth)
        found[t, s] = found[s, t] = np.sqrt(squared)
    return found / factor if kernel == "linear" else found


def _positive(bandwidth: Any) -> float:
    """Return a bandwidth as a float; InputError if it is no finite number above 0."""
    given = math.nan
    if isinstance(bandwidth, Real) and not isinstance(bandwidth, bool):
        try:
            given = float(bandwidth)
        except OverflowError:  # a whole number of Python beyond the largest float
            given = math.inf
    if not 0 < given < math.inf:
        raise InputError(
            f"bandwidth={shown(bandwidth)} must be above 0 and finite, or None for the median."
        )
    return given
