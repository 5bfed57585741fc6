"""Fits candidates in sequence or in parallel by joblib, under a time limit.

A chain holds the candidates of one family on one representation: they share their first steps, and
run one after the other in one worker. Their outcomes do not depend on the worker, so that any
number of them gives the same clusterings. `joblib.parallel_config` names another backend, such as a
Dask cluster.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from kinfolk.arguments import given
from kinfolk.arrays import Table
from kinfolk.choosing import fitting
from kinfolk.choosing.turns import Turns
from kinfolk.errors import InputError
from kinfolk.estimators import correspondence
from kinfolk.numerics import memo
from kinfolk.running import deadlines, progress

T = TypeVar("T")

# Settings of a family come in several turns, and share first steps with earlier settings, too.
SPARE = 2**26
"""Bytes of cached steps that a family keeps beside those that its last candidate used."""


class Work(NamedTuple):
    """One candidate to fit: its place in the plan, estimator, and the seconds it may take.

    Attributes
    ----------
    place : in the plan
    estimator : to fit
    seconds : that it may take; descents end then
    needed : seconds that must be left of those of the chain for it to start
    """

    place: int
    estimator: Any
    seconds: float
    needed: float = 0.0


class Done(NamedTuple):
    """Result of fitting one candidate: its place in the plan, fitted estimator and outcome."""

    place: int
    estimator: Any
    outcome: fitting.FitOutcome


def fit_chain(
    chain: Sequence[Work], X: Table, tasks: NDArray[Any], seconds: float, memory: memo.Memory
) -> list[Done]:
    """Fit candidates in turn to rows X (n, d); skip those that need more seconds than are left."""
    end = deadlines.clock() + seconds
    done = []
    for work in chain:
        if work.needed > end - deadlines.clock():
            continue
        until = min(end, deadlines.clock() + work.seconds)
        # Clusters of the answer are matched, not those of its runs.
        with memo.remembering(memory), correspondence.skipped(), deadlines.ending(until):
            outcome = fitting.fit(work.estimator, X, tasks, fitting.given_refusals(work.estimator))
        done.append(Done(work.place, work.estimator, outcome))
    return done


def jobs(value: Any) -> int | None:
    """Check `n_jobs` and return it; InputError unless it is None or a whole number other than 0.

    >>> jobs(-1), jobs(None)
    (-1, None)
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    # joblib makes semaphores that count in 31 bits.
    if value is None or (whole and value and abs(value) < 2**31):
        return None if value is None else int(value)
    raise InputError(
        f"{given('n_jobs', value, 'jobs')} must be a whole number other than 0: of workers, -1 for "
        "as many as there are cores."
    )


def several(n_jobs: int | None) -> bool:
    """True if `n_jobs` or `joblib.parallel_config` asks for more than one worker.

    >>> several(1), several(2)
    (False, True)
    """
    return bool(effective_n_jobs(n_jobs) > 1)


class Plan(NamedTuple):
    """Candidates still to be fitted, in planned order, with the tables and tasks to fit them to.

    Attributes
    ----------
    estimators, families, representations : of each candidate
    tables : representation -> rows (n, d)
    tasks : (n,) task of each row
    """

    estimators: Sequence[Any]
    families: Sequence[str]
    representations: Sequence[str]
    tables: Mapping[str, Table]
    tasks: NDArray[Any]

    def chains(self, places: Iterable[int]) -> list[list[int]]:
        """Group candidates (by place in the plan) of equal family and representation, in order."""
        found: dict[tuple[str, str], list[int]] = defaultdict(list)
        for i in places:
            found[self.families[i], self.representations[i]].append(i)
        return list(found.values())


def one_by_one(plan: Plan, turns: Turns, obliged: Callable[[], bool], what: str) -> Iterator[Done]:
    """Fit candidates in this process, as the time budget allows; yield each result.

    `obliged` is True while no candidate has succeeded: the next one then runs without a limit.
    """
    memories: dict[str, memo.Memory] = defaultdict(lambda: memo.Memory(SPARE))
    for i in progress.track(turns.begin(plan.families), what):
        # Also a run without a limit is the turn of its family, which waits no longer.
        allowed = turns.take(plan.families[i])
        seconds = math.inf if obliged() else allowed
        if seconds is not None:
            work = Work(i, plan.estimators[i], seconds)
            X = plan.tables[plan.representations[i]]
            yield from fit_chain([work], X, plan.tasks, math.inf, memories[plan.families[i]])


def side_by_side(
    plan: Plan, turns: Turns, obliged: Callable[[], bool], what: str, n_jobs: int | None
) -> Iterator[Done]:
    """Fit candidates in parallel workers under a time budget; yield each result when ready.

    Candidates without a limit run one after the other, when all others have failed.
    """
    order = turns.begin(plan.families)
    first = [
        Work(i, plan.estimators[i], turns.take(plan.families[i]) or 0.0)
        for i in order[: turns.n_first]
    ]
    waiting = set(order)
    able = [[work] for work in first if work.seconds > 0]
    for done in _from_workers(plan, able, math.inf, n_jobs, what):
        waiting.discard(done.place)
        yield done
    left = turns.further
    chains = [
        [Work(i, plan.estimators[i], math.inf, turns.expected(plan.families[i])) for i in chain]
        for chain in plan.chains(order[turns.n_first :])
    ]
    # The longest first, so that no worker waits for one that began last.
    chains.sort(key=lambda chain: -sum(work.needed for work in chain))
    for done in _from_workers(plan, chains, left, n_jobs, what) if left > 0 else ():
        waiting.discard(done.place)
        yield done
    for i in order:
        if i in waiting and obliged():
            alone = [[Work(i, plan.estimators[i], math.inf)]]
            yield from _from_workers(plan, alone, math.inf, n_jobs, what)


def _from_workers(
    plan: Plan, chains: Sequence[Sequence[Work]], seconds: float, n_jobs: int | None, what: str
) -> Iterator[Done]:
    """Fit chains of candidates in parallel, to end within some seconds; yield each result."""
    end = deadlines.clock() + seconds
    jobs = (
        delayed(fit_chain)(
            chain,
            plan.tables[plan.representations[chain[0].place]],
            plan.tasks,
            end - deadlines.clock(),
            memo.Memory(SPARE),
        )
        for chain in chains
    )
    # Jobs are made when a worker is free, so that each knows the seconds that are left for it.
    workers = Parallel(n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch="n_jobs")
    results = workers(jobs)
    for _ in progress.track(chains, what):
        with deadlines.waiting():
            done = next(results)
        yield from done
    next(results, None)  # closes it


def mapped(
    function: Callable[..., T], arguments: Iterable[tuple[Any, ...]], n_jobs: int | None, what: str
) -> list[T]:
    """Call a function on each tuple of arguments, maybe in parallel; return the results in order.

    >>> mapped(divmod, [(7, 2), (9, 4)], None, "dividing")
    [(3, 1), (2, 1)]
    """
    items = list(arguments)
    if not several(n_jobs):
        return [function(*item) for item in progress.track(items, what)]
    results = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(function)(*item) for item in items
    )
    with deadlines.waiting():
        found = [next(results) for _ in progress.track(items, what)]
        next(results, None)  # closes it
    return found
