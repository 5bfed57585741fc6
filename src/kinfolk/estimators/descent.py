"""Minimise an objective by alternating exact updates, from several starts."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import numpy as np

from kinfolk import progress
from kinfolk.errors import DescentWarning
from kinfolk.estimators import checks
from kinfolk.numerics import starts

S = TypeVar("S")
P = TypeVar("P")

# A sum of n squares in double precision errs by about 1e-16 sqrt(n) of itself, and an objective is
# a difference of such sums.
RISE = 1e-9
"""An objective in double precision has risen if it is higher by this share of its first value."""


@dataclass(frozen=True)
class Run(Generic[S]):
    """Result of a descent: its last state, the objective at the start and after each sweep.

    `rounding` bounds the error of the objective beyond that of double precision.
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
        # The largest value before counts, since near 0 any rounding is a large share.
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


def restarts(descend: Callable[[P], Run[S]], first: Sequence[P], what: str) -> Run[S]:
    """Descend once per start and return the run with the lowest final objective.

    Of runs that end level up to rounding the first is kept, so that the order of additions does
    not decide which of several equal answers is given.
    """
    runs = [descend(start) for start in progress.track(first, what)]
    lowest = min(run.trace[-1] for run in runs)
    return next(
        run for run in runs if run.trace[-1] <= lowest + RISE * abs(run.trace[0]) + run.rounding
    )


@dataclass(frozen=True)
class Settings:
    """Checked settings of a descent: a seed per start, the most sweeps, and the tolerance.

    `tol` is a share of the `scale` that a descent names, so it has no units.
    """

    seeds: list[int]
    max_iter: int
    tol: float

    @classmethod
    def of(cls, estimator: Any, random: np.random.RandomState | None = None) -> Self:
        """Check `n_init`, `max_iter`, `tol` and `random_state`, and draw a seed for each start.

        Estimators that draw other numbers before the seeds give the generator `random` they use.
        """
        random = checks.random(estimator.random_state) if random is None else random
        n_init = checks.at_least("n_init", estimator.n_init, 1)
        max_iter = checks.at_least("max_iter", estimator.max_iter, 1)
        tol = checks.not_negative("tol", estimator.tol)
        return cls(starts.seeds(random, n_init), max_iter, tol)

    def descend(
        self,
        state: S,
        *,
        sweep: Callable[[S], S],
        objective: Callable[[S], float],
        scale: float,
        rounding: float = 0.0,
    ) -> Run[S]:
        """Descend from one state; `scale` and `rounding` are in units of the objective."""
        return alternate(
            state,
            sweep=sweep,
            objective=objective,
            max_iter=self.max_iter,
            tol=self.tol * scale,
            rounding=rounding,
        )

    def best(
        self,
        *,
        start: Callable[[int], S],
        sweep: Callable[[S], S],
        objective: Callable[[S], float],
        scale: float,
        what: str,
        rounding: float = 0.0,
    ) -> Run[S]:
        """Descend from `start(seed)` of each seed and return the run that ends lowest.

        `what` names the work for a progress bar.

        >>> settings = Settings(seeds=[5, 4], max_iter=9, tol=0.1)
        >>> run = settings.best(
        ...     start=float, sweep=lambda x: x / 2, objective=abs, scale=10.0, what="halving"
        ... )
        >>> run.trace
        [5.0, 2.5, 1.25, 0.625]
        """

        def descend(seed: int) -> Run[S]:
            return self.descend(
                start(seed), sweep=sweep, objective=objective, scale=scale, rounding=rounding
            )

        return restarts(descend, self.seeds, what)
