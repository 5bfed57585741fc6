"""The only loop: alternate exact updates, keep the trace, stop, and watch that nothing rises."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from kinfolk import progress
from kinfolk.errors import DescentWarning

S = TypeVar("S")
P = TypeVar("P")

RISE = 1e-9
"""An objective in double precision has risen if it is higher by this share of its first value."""


@dataclass(frozen=True)
class Run(Generic[S]):
    """Where a descent ended: its state, the objective at the start and after each sweep.

    `rounding` is what the objective may be off beyond the rounding of double precision.
    """

    state: S
    trace: list[float]
    converged: bool
    rounding: float = 0.0

    @property
    def n_iter(self) -> int:
        """The number of sweeps."""
        return len(self.trace) - 1


def alternate(
    state: S,
    *,
    sweep: Callable[[S], S],
    objective: Callable[[S], float],
    max_iter: int,
    tol: float,
    rounding: float = 0.0,
) -> Run[S]:
    """Sweep until the objective falls by at most `tol` (in its own units) or max_iter sweeps.

    Warns with a DescentWarning that names the sweep and both values if the objective rose, by more
    than `RISE` of it and the `rounding` (in its own units) of a lower precision.

    >>> run = alternate(8.0, sweep=lambda x: x / 2, objective=abs, max_iter=9, tol=1.0)
    >>> run.trace, run.converged
    ([8.0, 4.0, 2.0, 1.0], True)
    """
    trace = [objective(state)]
    for i in range(1, max_iter + 1):
        state = sweep(state)
        trace.append(objective(state))
        fall = trace[-2] - trace[-1]
        if fall < -(RISE * max(abs(trace[0]), abs(trace[-2])) + rounding):
            warnings.warn(
                f"the objective rose from {trace[-2]:.10g} to {trace[-1]:.10g} in sweep {i}; "
                "the result is kept, but please report the data that led to it",
                DescentWarning,
                stacklevel=2,
            )
        if fall <= tol:
            return Run(state, trace, True, rounding)
    return Run(state, trace, False, rounding)


def restarts(descend: Callable[[P], Run[S]], starts: Sequence[P], what: str) -> Run[S]:
    """The run with the lowest final objective among one run per start.

    Of runs that end level up to rounding the first is kept, so that it does not depend on the
    order of additions which of several equal answers is given.
    """
    runs = [descend(start) for start in progress.track(starts, what)]
    lowest = min(run.trace[-1] for run in runs)
    return next(
        run for run in runs if run.trace[-1] <= lowest + RISE * abs(run.trace[0]) + run.rounding
    )
