"""Minimizes an objective by repeated sweeps (alternating updates), from several starts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import numpy as np

from kinfolk.errors import DescentWarning, InputError, warn_user
from kinfolk.estimators import checks
from kinfolk.numerics import starts
from kinfolk.running import deadlines, progress

S = TypeVar("S")
P = TypeVar("P")

# A sum of n squares in double precision errs by about 1e-16 sqrt(n) of itself, and an objective is
# a difference of such sums.
RISE = 1e-9
"""Largest rise of an objective, as a share of its first or last value, that may be rounding."""
FLAT = 1e-14
"""A sweep that lowers an objective by this share of its scale lowers it by rounding alone."""
WINDOW = 3
"""Sweeps whose falls are added up before they are compared with those of as many before."""


@dataclass(frozen=True)
class Run(Generic[S]):
    """Result of a descent: the last state and the trace of the objective over sweeps.

    `rounding` bounds the error of the objective beyond that of double precision.
    """

    state: S
    trace: list[float]
    converged: bool
    rounding: float = 0.0

    @property
    def n_iter(self) -> int:
        """Number of sweeps."""
        return len(self.trace) - 1


def alternate(
    state: S,
    *,
    sweep: Callable[[S], S],
    objective: Callable[[S], float],
    max_iter: int,
    tol: float | None,
    scale: float = 0.0,
    rounding: float = 0.0,
) -> Run[S]:
    """Sweep until the objective is expected to fall by less than tol, or for max_iter sweeps.

    A descent has converged once J is expected to fall by at most `tol` times |J|, or times its
    whole fall if that is less; see `expected_fall`. It also has where a sweep lowers J by `FLAT` of
    its `scale` at most, which is rounding. With `tol` None all sweeps are made. Once the work's
    deadline has passed (`deadlines`), a descent ends with the sweeps that it has made.

    Warns with a DescentWarning that names the sweep and both values if the objective rose, by more
    than `RISE` of it, `FLAT` of its `scale` and the `rounding`.

    >>> run = alternate(8.0, sweep=lambda x: 1 + x / 2, objective=abs, max_iter=99, tol=0.01)
    >>> run.n_iter, round(run.trace[-1], 3), run.converged
    (9, 2.012, True)
    """
    trace = [objective(state)]
    flat = FLAT * max(scale, abs(trace[0]))
    for i in range(1, max_iter + 1):
        if i > 1 and deadlines.passed():
            break
        state = sweep(state)
        trace.append(objective(state))
        fall = trace[-2] - trace[-1]
        # The largest value before and the scale count: near 0 any rounding is a large share.
        if fall < -(RISE * max(abs(trace[0]), abs(trace[-2])) + flat + rounding):
            warn_user(
                f"the objective rose from {trace[-2]:.10g} to {trace[-1]:.10g} in sweep {i}; "
                "the result is kept, but please report the data that led to it",
                DescentWarning,
            )
        if tol is None:
            continue
        # Where J is mostly what no state can lower, as with words, its own size says little.
        enough = tol * min(abs(trace[-1]), trace[0] - trace[-1])
        if fall <= flat or expected_fall(trace) <= enough:
            return Run(state, trace, True, rounding)
    return Run(state, trace, False, rounding)


def expected_fall(trace: Sequence[float]) -> float:
    """Extrapolate from the last sweeps how far the objective can still fall.

    If sums of `WINDOW` falls shrink by a factor q from one to the next, those to come add up to
    the last one times q / (1 - q). Infinite where they do not shrink, as on the way from a saddle,
    and while there are no two such sums after the first sweep.

    >>> expected_fall([99.0, 64.0, 32.0, 16.0, 8.0, 4.0, 2.0, 1.0])
    1.0
    >>> expected_fall([99.0, 64.0, 32.0, 16.0])
    inf
    """
    # Sums, since single falls are erratic; without the first sweep, which leaves the start.
    if len(trace) < 2 * WINDOW + 2:
        return np.inf
    before = trace[-2 * WINDOW - 1] - trace[-WINDOW - 1]
    last = trace[-WINDOW - 1] - trace[-1]
    return float(last * last / (before - last)) if last < before else np.inf


def restarts(descend: Callable[[P], Run[S]], first: Sequence[P], what: str) -> Run[S]:
    """Run a descent from each start, and return the run with the lowest final objective.

    Of runs that end level up to rounding the first is kept, so that the order of additions does
    not decide which of several equal answers is given.
    """
    runs = [descend(start) for start in progress.track(first, what)]
    lowest = min(run.trace[-1] for run in runs)
    if not np.isfinite(lowest):
        raise InputError(
            "the objective is not finite: numbers of X or a parameter are too large or too small; "
            "divide the columns by their size, or bring the parameters nearer to their defaults."
        )
    return next(
        run for run in runs if run.trace[-1] <= lowest + RISE * abs(run.trace[0]) + run.rounding
    )


@dataclass(frozen=True)
class Settings:
    """Checked parameters of a descent: seeds of the starts, max_iter and tol.

    `tol` is a share of the objective itself, so it has no units.
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
        """Run one descent from a state; `scale` is the size of the terms of the objective."""
        return alternate(
            state,
            sweep=sweep,
            objective=objective,
            max_iter=self.max_iter,
            tol=self.tol,
            scale=scale,
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
        """Run a descent from `start(seed)` for each seed; return the run that ends lowest.

        `what` names the work for a progress bar.

        >>> settings = Settings(seeds=[5, 4], max_iter=3, tol=0.1)
        >>> run = settings.best(
        ...     start=float, sweep=lambda x: x / 2, objective=abs, scale=10.0, what="halving"
        ... )
        >>> run.trace, run.converged
        ([4.0, 2.0, 1.0, 0.5], False)
        """

        def descend(seed: int) -> Run[S]:
            return self.descend(
                start(seed), sweep=sweep, objective=objective, scale=scale, rounding=rounding
            )

        return restarts(descend, self.seeds, what)
