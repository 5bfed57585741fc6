"""Minimizes a function of many variables x >= 0 by L-BFGS-B.

SciPy's `minimize` checks and converts the bounds of each variable in turn: 80 ms for 20,000
variables, about as long as twenty steps of a descent take, and the descents here make hundreds of
calls. Its routine can be called directly with bounds that are all the same. SciPy does not promise
how, so that one variable is first minimized both ways: where the answers differ, or the routine
refuses, `minimize` is used.

Exact   the points are those of `minimize`.
Source  Byrd, Lu, Nocedal, Zhu (1995), SIAM J. Scientific Computing 16.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from scipy.optimize import Bounds, minimize

from kinfolk.arrays import Vector

ValueAndSlope: TypeAlias = Callable[[Vector], tuple[float, Vector]]

SEARCHES = 20
"""Most evaluations along a line, as in `minimize`."""

EVALUATE = 3
NEW_POINT = 1
"""What the routine asks for next: value and slope at x, or whether to go on from a new x."""


def minimized(value_and_slope: ValueAndSlope, x: Vector, steps: int, memory: int = 10) -> Vector:
    """Minimize a function over x (n,) >= 0 by at most so many steps of L-BFGS-B from a start x.

    `memory` is the number of steps that it remembers.

    >>> wanted = np.array([3.0, -1.0])
    >>> minimized(lambda x: (float(np.sum((x - wanted) ** 2)), 2 * (x - wanted)), np.ones(2), 9)
    array([3., 0.])
    """
    search = _by_routine if _is_known() else _by_minimize
    # Rounding may leave it a little below 0.
    return np.maximum(search(value_and_slope, x, steps, memory), 0.0)


def _by_minimize(value_and_slope: ValueAndSlope, x: Vector, steps: int, memory: int) -> Vector:
    settings: Any = {"maxiter": steps, "maxcor": memory, "ftol": 0.0, "gtol": 0.0}
    search: Any = minimize
    bounds = Bounds(0.0, np.inf)
    found = search(value_and_slope, x, jac=True, method="L-BFGS-B", bounds=bounds, options=settings)
    return np.asarray(found.x)


def _by_routine(value_and_slope: ValueAndSlope, x: Vector, steps: int, memory: int) -> Vector:
    from scipy.optimize import _lbfgsb

    routine: Any = _lbfgsb.setulb
    n = len(x)
    x = np.maximum(x, 0.0)
    lower = np.zeros(n)
    upper = np.zeros(n)
    kinds = np.ones(n, dtype=np.int32)  # with a lower bound and no upper one
    reals = np.zeros(2 * memory * n + 5 * n + 11 * memory**2 + 8 * memory)
    integers = np.zeros(3 * n, dtype=np.int32)
    task = np.zeros(2, dtype=np.int32)
    saved = [np.zeros(4, dtype=np.int32), np.zeros(44, dtype=np.int32), np.zeros(29)]
    line_task = np.zeros(2, dtype=np.int32)
    value: Any = np.array(0.0)
    slope: Vector = np.zeros(n)
    made = 0
    while made < steps:
        points = memory, x, lower, upper, kinds, value, slope, 0.0, 0.0
        routine(*points, reals, integers, task, *saved, SEARCHES, line_task)
        if task[0] == EVALUATE:
            value, slope = value_and_slope(x.copy())
        elif task[0] == NEW_POINT:
            made += 1
        else:
            break
    return x


@cache
def _is_known() -> bool:
    """True if SciPy's routine is called as here: if it minimizes (x - 2)^4 as `minimize` does."""

    def value_and_slope(x: Vector) -> tuple[float, Vector]:
        return float(np.sum((x - 2.0) ** 4)), 4.0 * (x - 2.0) ** 3

    try:
        found = _by_routine(value_and_slope, np.ones(1), 5, 3)
    except Exception:  # whatever a version does that is called in another way
        return False
    return bool(found == _by_minimize(value_and_slope, np.ones(1), 5, 3))
