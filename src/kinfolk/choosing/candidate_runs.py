"""Runs the candidates, and collects those fitted, left out and failed, with their warnings."""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from kinfolk.arrays import Labels, Table
from kinfolk.choosing import chains, fitting
from kinfolk.choosing.candidates import Candidate
from kinfolk.choosing.costs import Costs
from kinfolk.choosing.records import Record
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.turns import Turns
from kinfolk.errors import InputError, LeftOutWarning, ScaleWarning, warn_user
from kinfolk.running import interruptions

INTERRUPTED = "interrupted"
"""Reason in the records of candidates that did not run because of Ctrl-C."""


class FittedCandidate(NamedTuple):
    """A fitted candidate: labels (n,), -1 for rows of tasks left out, and seconds taken."""

    candidate: Candidate
    labels: Labels
    seconds: float


@dataclass
class CandidateRuns:
    """Collects the runs of one or more plans: those fitted, left out and failed, and warnings.

    Attributes
    ----------
    budget : seconds for all that is to be done; None: no limit
    costs : what runs are expected to take; None: nothing is known
    n_jobs : workers, as of joblib
    task_names : the name of the task at each position, for messages; empty: positions stay
    fitted : the successful runs
    left_out : records of candidates that did not run, each with a "reason"
    run_warnings : records of candidates whose fit warned, each with a "message"
    failed : families with a run that failed for another reason than a refusal (`InputError`)
    stopped : why no further candidate starts, or ""
    """

    budget: float | None = None
    costs: Costs | None = None
    n_jobs: int | None = None
    task_names: Sequence[Any] = ()
    fitted: list[FittedCandidate] = field(default_factory=list)
    left_out: list[Record] = field(default_factory=list)
    run_warnings: list[Record] = field(default_factory=list)
    failed: set[str] = field(default_factory=set)
    stopped: str = ""
    turns: Turns = field(init=False)

    def __post_init__(self) -> None:
        self.turns = Turns(self.budget, self.costs)

    def outcomes(self, plan: chains.Plan, what: str) -> Iterable[chains.Done]:
        """Fit the candidates of a plan, maybe in parallel; yield outcomes, none after Ctrl-C."""
        if self.stopped == INTERRUPTED:
            return []
        self.stopped = ""  # an earlier plan may have left time for this one
        if chains.several(self.n_jobs):
            return chains.side_by_side(plan, self.turns, self._has_none, what, self.n_jobs)
        return chains.one_by_one(plan, self.turns, self._has_none, what)

    def _has_none(self) -> bool:
        """Return True while no run has succeeded: the next one then runs without a time limit."""
        return not self.fitted

    @contextmanager
    def kept(self, states: Sequence[Any] = ()) -> Iterator[None]:
        """Context in which Ctrl-C ends the work inside and keeps the runs made, if there are any.

        With `states` of tasks that the work changes, they and the runs are again as before it.
        """
        before = [dict(vars(state)) for state in states]
        n_before = len(self.fitted)
        try:
            yield
        except KeyboardInterrupt:
            for state, fields in zip(states, before, strict=True):
                vars(state).clear()
                vars(state).update(fields)
            if states:
                del self.fitted[n_before:]
            self.interrupt()

    def interrupt(self, consequence: str = "") -> None:
        """Start no further run after Ctrl-C, and warn; `consequence` says what else is missing.

        Raises
        ------
        KeyboardInterrupt : no run was made, or this is a second Ctrl-C
        """
        if not self.fitted or not interruptions.is_first():
            raise KeyboardInterrupt
        self.stopped = INTERRUPTED
        warn_user(
            f"interrupted after {len(self.fitted)} runs: {consequence}the answer uses these alone; "
            "fit again for one that uses all.",
        )

    def leave_out(self, candidates: Iterable[Candidate]) -> None:
        """Record candidates that never ran, with the reason: interrupted, or no time left."""
        records = [candidate.described() for candidate in candidates]
        if records and not self.stopped:
            spent = "" if self.budget is None else f" of {self.budget:.3g} s"
            self.stopped = f"the budget{spent} was spent"
        self.left_out.extend(Record(each, reason=self.stopped) for each in records)

    def add(self, candidate: Candidate, outcome: fitting.FitOutcome, rows: Labels, n: int) -> bool:
        """Record labels, warnings or error of one fit to some of n rows; True if it gave labels."""
        # Many candidates stop after the few sweeps of their papers: a vote needs no converged runs.
        expected = [f"{ConvergenceWarning.__name__}:"]
        if "offset" in candidate.representation:
            # The constant column of such a representation is meant to be long.
            expected.append(f"{ScaleWarning.__name__}:")
        for message in outcome.warnings:
            if message.startswith(tuple(expected)):
                continue
            told = _with_names(message, self.task_names)
            self.run_warnings.append(Record(candidate.described(), message=told))
        if outcome.labels is None:
            reason = _with_names(outcome.reason, self.task_names)
            self.left_out.append(Record(candidate.described(), reason=reason))
            self.turns.fail(candidate.family)
            if not isinstance(outcome.error, InputError):
                self.failed.add(candidate.family)
            return False
        labels = np.full(n, -1)
        labels[rows] = outcome.labels
        self.fitted.append(FittedCandidate(candidate, labels, outcome.seconds))
        self.turns.learn(candidate.family, outcome.seconds)
        return True

    def warn_of_left_out(self, requested: Container[str]) -> None:
        """Warn once for each family without any run, with the reason.

        A family that refuses the rows is left out silently unless it was requested by name: some
        methods do not apply to some data, and `left_out` says so.
        """
        ran = {run.candidate.family for run in self.fitted}
        reasons: dict[str, str] = {}
        for record in self.left_out:
            family = record["family"]
            expected = family in ran or record["reason"] == self.stopped
            if not expected and (family in requested or family in self.failed):
                reasons.setdefault(family, record["reason"])
        for family, reason in reasons.items():
            warn_user(
                f"No run of {family!r} took part: {reason.rstrip('.')}.",
                LeftOutWarning,
            )


def _with_names(message: str, names: Sequence[Any]) -> str:
    """Name the tasks in the message of a candidate, which knows them by their positions.

    >>> _with_names("only 1 of 2 clusters in task 0, 1 of 2 clusters in task 1", ["oslo", "rome"])
    "only 1 of 2 clusters in task 'oslo', 1 of 2 clusters in task 'rome'"
    """
    numbered = {str(t): f"task {name!r}" for t, name in enumerate(names)}
    return re.sub(r"\btask (\d+)\b", lambda found: numbered.get(found[1], found[0]), message)


def run(
    candidates: Sequence[Candidate],
    representations: Representations,
    X: Table,
    codes: Labels,
    runs: CandidateRuns,
    what: str = "candidates",
) -> None:
    """Fit candidates to the rows X (n, d) and append their results to `runs` in planned order.

    With a budget they take turns (`turns`), and descents end once their time is over.

    Parameters
    ----------
    codes : (n,) the position of each row's task; -1 for rows of tasks that take no part
    what : the candidates in words, for the progress bar

    Raises
    ------
    KeyboardInterrupt : before the first run is complete

    Warns
    -----
    UserWarning : interrupted; the complete runs are kept
    """
    rows = np.flatnonzero(codes >= 0)
    X, seen = (X, codes) if len(rows) == len(codes) else (X[rows], codes[rows])
    names = [candidate.representation for candidate in candidates]
    tables = {name: representations.transform(name, X, seen) for name in set(names)}
    families = [candidate.family for candidate in candidates]
    waiting = chains.Plan([c.estimator for c in candidates], families, names, tables, seen)
    before = len(runs.fitted)
    left = dict(enumerate(candidates))
    made: list[int] = []
    with runs.kept():
        for place, estimator, outcome in runs.outcomes(waiting, f"trying {what}"):
            candidate = left.pop(place)._replace(estimator=estimator)
            made.extend([place] * runs.add(candidate, outcome, rows, len(codes)))
    # As planned, so that neither a budget that suffices nor the number of workers changes anything.
    runs.fitted[before:] = [runs.fitted[before + j] for j in np.argsort(made, kind="stable")]
    runs.leave_out(left.values())
