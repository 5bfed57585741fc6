"""Runs functions under NumPy's default handling of floating-point errors (`numpy.seterr`)."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")


def handled_by_default(function: Callable[P, R]) -> Callable[P, R]:
    """Decorator: `np.seterr` of the caller does not reach into the function.

    With `np.seterr(all="raise")` the exponential of a large distance would be an error, although
    0 is right; with `np.seterr(all="ignore")` a division by zero would pass in silence.

    >>> small = handled_by_default(lambda: np.exp(np.array([-1000.0])))
    >>> with np.errstate(all="raise"):
    ...     small()
    array([0.])
    """

    @functools.wraps(function)
    def handled(*args: P.args, **given: P.kwargs) -> R:
        with np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"):
            return function(*args, **given)

    return handled
