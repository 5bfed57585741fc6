"""Searches the parameters of one estimator without labels, or with a few.

Every setting of the grid runs from several starts. In each task by itself, a run is good if runs of
other settings agree with it and if neighboring rows share its clusters:

    score[r] = c[r] (rank of agree[r] + rank of Q[r] + v rank of known[r]) / (R (2 + v))
    c[r]     = (clusters found - 1) / (clusters asked for - 1)                       from 0 to 1

over the R runs of the task, with agreement and modularity Q from `scores`, as in `Kinfolk`; v = 0
where no labels are known (`partial_labels`). The score of a setting is the mean over its starts and
the tasks.

All settings of one method may make the same mistake. So runs of k-means and symmetric NMF, each
task by itself, can serve as references: agreement with them counts too, with equal weight for every
family, but they cannot be chosen. They hold a method back where it finds what they cannot see: on
our data they did as much harm as good.

Degenerate runs have scores too.
    fewer clusters     a few large clusters have few links between them, so the score is times c
    one cluster        where more were asked for: c = 0, agreement and modularity are 0
    one asked for      c = 1, the rest likewise: such a task does not change the order
    failed             as one cluster where more were asked for

Units   none; a score is from 0 to 1, and 1 is best by each criterion in every task.
Cost    of the runs; scoring is quadratic in runs, and in rows up to a sample of 2000.
Limits  a number of clusters can be in the grid, but agreement favors few.
Source  `docs/parameter-search.md`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from kinfolk.arguments import flag, shown
from kinfolk.arrays import Labels, MatrixLike, Seed, Table
from kinfolk.choosing import candidates, fitting, partial_labels, search_scores
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.scores import BaseClusterings
from kinfolk.choosing.search_scores import FinishedRun, PlannedRun, SearchResult, SearchScores
from kinfolk.choosing.task_scorer import scorer_of
from kinfolk.errors import InputError, LeftOutWarning, warn_renamed, warn_user
from kinfolk.estimators import checks
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.methods.multitask.baselines import PerTask
from kinfolk.numerics import float_errors, memo, starts
from kinfolk.running import progress
from kinfolk.tables import Tasks, intake

# The two fastest families of one task; they look for different clusters and need no parameters.
REFERENCES = ("kmeans", "symnmf")


@float_errors.handled_by_default
def search(
    estimator: Any,
    grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]],
    X: MatrixLike,
    tasks: Any = None,
    *,
    y: ArrayLike | None = None,
    n_starts: int = 3,
    references: bool = False,
    random_state: Seed = None,
    witnesses: bool | None = None,
    columns_are_scaled: bool = False,
) -> SearchResult:
    """Choose the parameters of an estimator without labels, or with a few.

    Parameters
    ----------
    estimator : of several tasks, or any clusterer of one table, which `PerTask` then applies to
        each task; it is copied
    grid : parameter -> values to try, or a list of such mappings, as of `ParameterGrid`
    X : (n, d)
    tasks : (n,) the task of each row, or the name of a column of X; None: one task
    y : (n,) known labels, -1 where unknown; they score the runs, no run is fitted to them
    n_starts : int >= 1, runs per setting, each with its own `random_state`; an estimator without
        this parameter runs once
    references : bool, True also scores agreement with runs of k-means and symmetric NMF
    random_state : int, RandomState or None, for the starts
    witnesses : former name of `references`
    columns_are_scaled : as of `Kinfolk`; scores then leave the columns at their scale

    Raises
    ------
    InputError : the grid names no parameter of the estimator, or every run failed
    KeyboardInterrupt : before the first run is complete

    Warns
    -----
    LeftOutWarning : every run of a setting failed
    UserWarning : interrupted by Ctrl-C; the choice uses the runs until then

    Examples
    --------
    >>> from kinfolk.datasets import makers
    >>> from kinfolk.methods.single.entropy import MEC
    >>> data = makers.make_related_blobs(20, n_features=4, random_state=0)
    >>> grid = {"temperature": [0.1, 1000.0]}
    >>> found = search(MEC(3), grid, data.X, data.tasks, random_state=0)
    >>> found.best_params_, round(found.best_score_, 3)
    ({'temperature': 0.1}, 0.646)
    >>> [(record["rank"], record["complete"]) for record in found.results_]
    [(1, 1.0), (2, 0.75)]
    """
    references = flag("references", _accept_witnesses(references, witnesses))
    columns_are_scaled = flag("columns_are_scaled", columns_are_scaled)
    y = intake.in_order_of(X, y, "y")
    found, X = checks.tasks_of(tasks, X, least_rows=2)
    table = checks.samples(PerTask(), X, at_least=2)
    classes = None if y is None else partial_labels.encode(y, table.shape[0])
    random = checks.random(random_state)
    n_starts = checks.at_least("n_starts", n_starts, 1)
    settings = _settings(grid)
    plan = [
        PlannedRun("searched", i, made, X)
        for i, setting in enumerate(settings)
        for made in _starts(estimator, setting, n_starts, random)
    ]
    seen = Representations.of(table, found.codes, columns_are_scaled)

    def plan_references(runs: list[FinishedRun]) -> list[PlannedRun]:
        return _references(runs, found, table, seen, random) if references else []

    runs, others = _run(plan, found, plan_references)
    if all(run.failed for run in runs):
        raise InputError(
            f"every run of {type(estimator).__name__} failed: {runs[0].outcome.reason}"
        )
    _warn_of_failed(runs)
    scored = _scored(runs, others, found, table, seen, classes, random)
    return search_scores.summarize(settings, runs, scored, found, classes)


def _accept_witnesses(references: bool, witnesses: bool | None) -> bool:
    """Return `references`, accepting its former name `witnesses` with a FutureWarning."""
    if witnesses is None:
        return references
    warn_renamed("'witnesses' of search", "'references'")
    return witnesses


def _settings(grid: Any) -> list[dict[str, Any]]:
    """List the settings of a grid; InputError if it cannot be read or has none."""
    try:
        settings = list(ParameterGrid(grid))
    except (TypeError, ValueError) as error:
        raise InputError(f"grid cannot be read: {error}") from error
    if not settings:
        raise InputError("grid holds no setting; give a mapping parameter -> values to try.")
    return settings


def _starts(
    estimator: Any, setting: dict[str, Any], n: int, random: np.random.RandomState
) -> Iterator[Any]:
    """Yield copies of an estimator with this setting and n random seeds (one without a seed)."""
    try:
        fresh = clone(estimator).set_params(**setting)
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"{setting} is no setting of estimator {shown(estimator)}: {error}"
        ) from error
    wrapped = fresh if isinstance(fresh, MultiTaskClusterer) else PerTask(fresh)
    names = [p for p in fresh.get_params() if p.split("__")[-1] == "random_state"]
    unset = [name for name in names if name not in setting]
    for seed in starts.seeds(random, n if unset else 1):
        fresh.set_params(**dict.fromkeys(unset, seed))
        yield clone(wrapped)


def _run(
    plan: Sequence[PlannedRun],
    tasks: Tasks,
    plan_references: Callable[[list[FinishedRun]], list[PlannedRun]],
) -> tuple[list[FinishedRun], list[FinishedRun]]:
    """Fit the planned runs, then reference runs of other methods; Ctrl-C keeps those made."""
    runs: list[FinishedRun] = []
    others: list[FinishedRun] = []
    memory = memo.Memory()

    def fitted(planned: PlannedRun, tasks_of_rows: NDArray[Any]) -> FinishedRun:
        with memo.remembering(memory):  # forgets what the last run did not ask for
            refusals = fitting.refusals_of(planned.estimator)
            outcome = fitting.fit(planned.estimator, planned.X, tasks_of_rows, refusals)
        return FinishedRun(planned, outcome)

    try:
        for planned in progress.track(plan, "trying settings"):
            runs.append(fitted(planned, tasks.of_rows()))
        for planned in progress.track(plan_references(runs), "running references"):
            others.append(fitted(planned, tasks.codes))
    except KeyboardInterrupt:
        if not runs:
            raise
        warn_user(
            f"interrupted after {len(runs)} of {len(plan)} runs and {len(others)} references: the "
            "choice uses these alone; search again for one that uses all.",
        )
    return runs, others


def _references(
    runs: Sequence[FinishedRun],
    tasks: Tasks,
    X: Table,
    seen: Representations,
    random: np.random.RandomState,
) -> list[PlannedRun]:
    """Plan reference runs of other methods at every number of clusters that the runs used."""
    estimators = [run.planned.estimator for run in runs if not run.failed]
    numbers = dict.fromkeys(tuple(estimator.n_clusters_.tolist()) for estimator in estimators)
    return [
        PlannedRun(
            c.family,
            (k, c.representation),
            c.estimator,
            seen.transform(c.representation, X, tasks.codes),
        )
        for k in numbers
        for c in candidates.plan(REFERENCES, seen, dict(enumerate(k)), random)
    ]


def _warn_of_failed(runs: Sequence[FinishedRun]) -> None:
    """Warn once if all runs of some setting failed."""
    settings = {run.planned.setting for run in runs}
    lost = settings - {run.planned.setting for run in runs if not run.failed}
    if lost:
        reason = next(run.outcome.reason for run in runs if run.planned.setting in lost)
        warn_user(
            f"No run of {len(lost)} of {len(settings)} settings worked, the first because: "
            f"{reason.rstrip('.')}. See 'error' in results_.",
            LeftOutWarning,
        )


def _scored(
    runs: list[FinishedRun],
    others: list[FinishedRun],
    tasks: Tasks,
    X: Table,
    seen: Representations,
    classes: Labels | None,
    random: np.random.RandomState,
) -> list[SearchScores]:
    """Score the runs in each task by their agreement with each other and with the references."""
    scored = []
    every = [*runs, *others]
    clusterings = BaseClusterings(
        np.array([run.labels(X.shape[0]) for run in every]),
        [run.planned.family for run in every],
        [run.planned.setting for run in every],
        np.zeros(len(every), dtype=bool),
    )
    for t, rows in enumerate(progress.track(tasks.rows(), "scoring the runs")):
        of_task = replace(clusterings, labels=clusterings.labels[:, rows])
        asked = np.array([run.asked(t) for run in runs])
        known = None if classes is None else classes[rows]
        k = int(asked.max())
        scorer = scorer_of(X, tasks.codes, rows, seen, k, random, known)
        scored.append(search_scores.score_task(of_task, asked, scorer))
    return scored
