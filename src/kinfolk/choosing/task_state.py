"""State of each task while `Kinfolk` fits, and records made from it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.choosing import (
    chains,
    costs,
    decision,
    fitting,
    null_model,
    own_answers,
    replicability,
)
from kinfolk.choosing.candidate_runs import CandidateRuns, FittedCandidate
from kinfolk.choosing.candidates import Candidate
from kinfolk.choosing.consensus import Answer
from kinfolk.choosing.costs import FULL, Effort
from kinfolk.choosing.decision import Decision
from kinfolk.choosing.null_model import NullScores
from kinfolk.choosing.own_answers import OwnResult
from kinfolk.choosing.records import Record
from kinfolk.choosing.replicability import Divided
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.scores import BaseClusterings
from kinfolk.choosing.task_scorer import TaskScorer, scorer_of
from kinfolk.errors import warn_user
from kinfolk.methods.multitask.baselines import PerTask
from kinfolk.numerics import kinds, matching, memo, starts
from kinfolk.running import progress
from kinfolk.tables import Tasks

# Rows per cluster below which a task takes part in sharing even without clusters: so few rows may
# not exceed the null level although there are clusters, and small tasks need help most.
MIN_ROWS_PER_CLUSTER = 10
MIN_ROWS_OF_ONE_VALUE = 5
SAME_CLUSTERS = 0.9
"""Adjusted Rand index from which two answers are the same clusters."""
# Of made tasks with 6 to 50 rows in three clusters, agreement with others was noise.
ROWS_OF_AGREEMENT = 20
"""Fewest rows per cluster of a single task whose agreement is more than noise."""


@dataclass
class FitState:
    """One task while `Kinfolk` fits: its rows, own result and, at the end, the decision.

    Attributes
    ----------
    name : of the task
    rows : (n_t,) positions of its rows
    own : its runs and answers without other tasks
    shares : True if joint runs include the task
    transferred : position of another task -> its own clusters, transferred to the scored rows
    decision : its options and the chosen answer, once it is made
    """

    name: Any
    rows: NDArray[np.integer]
    own: OwnResult
    shares: bool
    transferred: dict[int, Labels] = field(init=False)
    decision: Decision = field(init=False)


def scorers(
    X: Table,
    y: Labels | None,
    found: Tasks,
    k: list[int],
    seen: Representations,
    random: np.random.RandomState,
    combine: bool,
    runs: CandidateRuns,
    effort: Effort = FULL,
) -> list[TaskScorer]:
    """Build the scorer of each task, with the null level of its table.

    Ctrl-C ends the null tables, and the runs; every task then counts as one that has clusters.
    """
    if not effort.tables:
        warn_user(
            "the budget leaves no time for tables without clusters to compare with: every data set "
            "is taken to have clusters. Give more seconds to learn which have none.",
        )
    seed = starts.seeds(random, 1)[0]  # one for all tasks, so that their order does not matter
    memory = memo.Memory()
    # Words and other measurements gained nothing on data that decided nothing.
    smooth = seen.are_amounts_or_components(X)
    kind = null_model.COPULA if seen.kind == "measurements" else null_model.PERMUTED
    made = []
    for t, rows in enumerate(found.rows()):
        drawn = np.random.RandomState(seed)
        known = None if y is None else y[rows]
        scorer = scorer_of(X, found.codes, rows, seen, k[t], drawn, known, effort.rows)
        made.append(replace(scorer, seed=seed, combine=combine, memory=memory, smooth=smooth))
    share = effort.tables * costs.share_of_tables(len(made))
    work = [(scorer.X, scorer.n_clusters, kind, seed, share) for scorer in made]
    what = "simulating tables without clusters"
    try:
        made_of_chance = chains.mapped(_null_scores, work, runs.n_jobs, what)
    except KeyboardInterrupt:
        runs.interrupt("every data set is taken to have clusters, which was not tested, and ")
        made_of_chance = [_null_scores(*each[:-1], 0.0) for each in work]
    levels = null_model.levels(made_of_chance)
    return [replace(one, null_level=level) for one, level in zip(made, levels, strict=True)]


def _null_scores(X: Table, k: int, kind: str, seed: int, share: float) -> NullScores:
    """Score clusterings of random tables like X (n, d) without clusters."""
    return null_model.null_scores(X, k, kind=kind, seed=seed, share=share)


def own_states(found: Tasks, scorers: list[TaskScorer], runs: CandidateRuns) -> list[FitState]:
    """Score and combine each task's own runs, and decide if it takes part in joint runs.

    After Ctrl-C the answer of each task is its best single run, which takes little time.
    """
    try:
        states = _combined(found, scorers, runs)
    except KeyboardInterrupt:
        runs.interrupt("each data set keeps the best of them, none are combined, and ")
        states = _combined(found, [replace(one, combine=False) for one in scorers], runs)
    return states


def _combined(found: Tasks, scorers: list[TaskScorer], runs: CandidateRuns) -> list[FitState]:
    tasks = list(zip(found.names, found.rows(), scorers, strict=True))
    states = []
    for name, rows, scorer in progress.track(tasks, "scoring each data set by itself"):
        own = own_answers.own_result(base_clusterings(runs.fitted, rows), scorer)
        few = len(rows) < MIN_ROWS_PER_CLUSTER * scorer.n_clusters
        shares = own.has_clusters or bool(runs.stopped) or few
        states.append(FitState(name, rows, own, shares))
    transfer(states)
    accept_found_again(states)
    return states


def accept_found_again(states: list[FitState]) -> None:
    """Mark unclear tasks as having clusters if a clear task has each of their clusters, too.

    Few rows with many columns are hardly clearer than tables without clusters, but chance does not
    find clusters with the same profiles twice (`replicability`).
    """
    clear = {state.name for state in states if state.own.has_clusters}
    if not clear or len(clear) == len(states):
        return
    with memo.remembering(states[0].own.scorer.memory, keep=True):
        found = replicability.records([divided(state, state.own.answer) for state in states])
    again = {
        (record["task"], record["cluster"])
        for record in found
        if record["other_task"] in clear and record["result"] == replicability.FOUND
    }
    for state in states:
        clusters = np.unique(state.own.answer.labels).tolist()
        if state.name not in clear and all((state.name, c) in again for c in clusters):
            accept(state)
            state.shares = True


def accept(state: FitState) -> None:
    """Mark a task as one that has clusters."""
    state.own = replace(state.own, scorer=state.own.scorer.accepted())


def decide(states: list[FitState], runs: CandidateRuns, cautious: bool) -> None:
    """Set each task's decision among all runs; a task that does not share keeps its own answer.

    So do all tasks after Ctrl-C. `cautious` as `decision.decide` takes it.
    """
    try:
        _decide(states, [run for run in runs.fitted if run.candidate.joint], cautious)
    except KeyboardInterrupt:
        runs.fitted[:] = [run for run in runs.fitted if not run.candidate.joint]
        runs.interrupt("each data set keeps the clusters that it has by itself, and ")
        _decide(states, [], cautious)


def _decide(states: list[FitState], joint: list[FittedCandidate], cautious: bool) -> None:
    tasks = []
    for state in progress.track(states, "scoring all data sets together"):
        if joint and state.shares:
            runs = base_clusterings(joint, state.rows)
            sharing = {s: l for s, l in state.transferred.items() if states[s].shares}
            tasks.append(decision.options(state.own, runs, sharing))
        else:
            tasks.append(decision.options(state.own))
    # Replicability asks for the nearest rows in other tasks again, also where no proposal did.
    with memo.remembering(states[0].own.scorer.memory, keep=True):
        decisions = decision.decide(tasks, cautious)
    for state, made in zip(states, decisions, strict=True):
        state.decision = made


def transfer(states: list[FitState]) -> None:
    """Store in each task's state the labels that the other tasks transfer to its rows."""
    transferred = own_answers.transfers([state.own for state in states])
    for state, labels in zip(states, transferred, strict=True):
        state.transferred = labels


def base_clusterings(fitted: list[FittedCandidate], rows: NDArray[np.integer]) -> BaseClusterings:
    """Extract the runs on the rows of one task as base clusterings."""
    made = [run.candidate for run in fitted]
    return BaseClusterings(
        np.array([run.labels[rows] for run in fitted]),
        [c.family for c in made],
        [(c.setting, c.representation) for c in made],
        np.array([c.joint for c in made]),
    )


def numbers_asked(states: Sequence[FitState]) -> dict[int, int]:
    """Return the number of clusters asked for by task: {position: k}."""
    return {t: state.own.scorer.n_clusters for t, state in enumerate(states)}


def run_alone(
    states: Sequence[FitState],
    family: str,
    representation: str,
    estimator: Any,
    Z: Table,
    codes: Labels,
) -> FittedCandidate | None:
    """Run a clusterer of one table on each task by itself; None if it refuses the rows.

    Parameters
    ----------
    family, representation : of the run's record
    Z : (n, d) rows of all tasks in this representation
    codes : (n,) positions of the tasks
    """
    model = PerTask(estimator, numbers_asked(states))
    outcome = fitting.fit(model, Z, codes)
    if outcome.labels is None:
        return None
    made = Candidate(family, "", representation, 0, False, model)
    return FittedCandidate(made, outcome.labels, outcome.seconds)


def with_run(state: FitState, run: FittedCandidate, is_answer: bool) -> OwnResult:
    """Return a task's own result with one run more, whose clusters are the answer if `is_answer`.

    `run` has clusters of this task's rows alone, and is the last of all runs of the fit.
    """
    own = state.own
    runs = own.runs.joined_with(base_clusterings([run], state.rows))
    scorer = own.scorer
    run_scores = scorer.score_runs(runs, scorer.modularities(runs.labels))
    if not is_answer:
        return replace(own, runs=runs, run_scores=run_scores)
    last = np.array([len(runs) - 1])
    answer = scorer.answer(runs.labels[-1], run.candidate.family, "own", last)
    answers = [*own.answers, answer]
    return replace(own, runs=runs, run_scores=run_scores, answers=answers, fitted=answer)


def divided(state: FitState, answer: Answer) -> Divided:
    """Return a task's scored rows with the clusters of an answer and of its own answer."""
    scorer = state.own.scorer
    labels = [scorer.on_sample(found.labels) for found in (answer, state.own.answer)]
    return Divided.of(state.name, scorer.X, *labels)


def replicability_records(states: list[FitState]) -> list[dict[str, Any]]:
    """Return one record (a dict) per cluster on how well it is found again in other tasks."""
    with memo.remembering(states[0].own.scorer.memory):
        return replicability.records([divided(state, state.decision.answer) for state in states])


def run_records(state: FitState, fitted: list[FittedCandidate]) -> list[Record]:
    """Return one record (a dict) per run on one task; only own runs if it does not share."""
    made = state.decision
    found = made.run_scores
    return [
        Record(
            {
                "task": state.name,
                **run.candidate.described(),
                "mean_agreement": float(found.mean_agreement[r]),
                "modularity": float(found.separation[r]),
                "cross_task_agreement": float(made.agreement[r]),
                "score": float(found.total[r]),
                "kept": bool(r in made.answer.kept),
                "seconds": run.seconds,
            }
        )
        for r, run in enumerate(fitted[: len(found.total)])
    ]


def may_be_tested(states: Sequence[FitState], kind: str) -> bool:
    """True if own answers may be replaced: measurements, at most 32 tasks, no known labels."""
    few = len(states) <= costs.MANY
    return kind == "measurements" and few and not labels_are_known(states)


def labels_are_known(states: Iterable[FitState]) -> bool:
    """True if any task has rows of known class."""
    return any(state.own.scorer.n_known for state in states)


def numbers(Z: Matrix, codes: Labels) -> NDArray[np.integer]:
    """Positions of the columns of Z (n, d) that are not binary: more than two values in some task.

    >>> Z = np.array([[0.0, 3.1, 1.0], [1.4, 2.0, 1.0], [0.0, 0.7, 1.0]])
    >>> numbers(Z, np.zeros(3, dtype=int)).tolist()
    [1]
    """
    rounded = (Z * kinds.enlarging(Z)).round(kinds.DIGITS)
    tables = [rounded[codes == t] for t in np.unique(codes)]
    return np.flatnonzero(
        [any(len(np.unique(table[:, j])) > 2 for table in tables) for j in range(Z.shape[1])]
    )


def same_clusters(a: Labels, b: Labels) -> bool:
    """True if two answers (n,) to the same rows are the same clusters, but for some rows.

    >>> same_clusters(np.array([0, 0, 1]), np.array([1, 1, 0]))
    True
    """
    return bool(matching.adjusted_rand(a, b) >= SAME_CLUSTERS)


def asked(states: list[FitState], labels: Labels) -> NDArray[np.bool_]:
    """For each task, True if its gain by clusters (n,) of all tasks counts for accepting these.

    It does not for a task that has them already, by an own answer that passed a test. If only one
    task lacks them, and it has few rows, which agree by chance, all count.
    """
    lacking = np.array(
        [
            s.own.fitted is None or not same_clusters(s.own.answer.labels, labels[s.rows])
            for s in states
        ]
    )
    few = [len(s.rows) < ROWS_OF_AGREEMENT * s.own.scorer.n_clusters for s in states]
    return np.ones_like(lacking) if lacking.sum() == 1 and np.any(lacking & few) else lacking


def single_values(Z: Matrix, labels: Labels, share: float = 1.0) -> list[Vector]:
    """For each column of Z (n, d), the values that at least a share of some cluster's rows have.

    A column with one value has none. A cluster of fewer than five rows does not count: it may have
    one value by chance.

    >>> Z = np.column_stack([np.repeat([3, 6, 7], [5, 2, 3]), np.arange(10), np.ones(10)])
    >>> single_values(Z, np.repeat([0, 1], 5))
    [array([3.]), array([], dtype=float64), array([], dtype=float64)]
    >>> single_values(Z, np.repeat([0, 1], 5), 0.6)[0]
    array([3., 7.])
    """
    Z = Z.round(kinds.DIGITS)
    clusters = [Z[labels == j] for j in np.unique(labels)]
    large = [rows for rows in clusters if len(rows) >= MIN_ROWS_OF_ONE_VALUE]
    found = []
    for j in range(Z.shape[1]):
        modes = [_mode(rows[:, j]) for rows in large] if np.ptp(Z[:, j]) > 0 else []
        found.append(np.unique([value for value, frequency in modes if frequency >= share]))
    return found


def _mode(values: Vector) -> tuple[float, float]:
    """Most frequent of some values (m,), and its share of them."""
    unique, counts = np.unique(values, return_counts=True)
    return float(unique[counts.argmax()]), float(counts.max() / len(values))
