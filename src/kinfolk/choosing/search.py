"""Searches the parameters of one estimator without labels, or with a few.

Every setting of the grid runs from several starts. In each task by itself, a run is good if runs of
other settings agree with it and if its clusters are well separated:

    score[r] = c[r] (rank of agree[r] + rank of sil[r] + v rank of known[r]) / (R (2 + v))
    c[r]     = (clusters found - 1) / (clusters asked for - 1)                       from 0 to 1

over the R runs of the task, with agreement and silhouette from `scores`; v = 0 where no labels are
known (`partial_labels`). The score of a setting is the mean over its starts and the tasks.

All settings of one method may make the same mistake. So runs of k-means and symmetric NMF, each
task by itself, can serve as references: agreement with them counts too, with equal weight for every
family, but they cannot be chosen. They hold a method back where it finds what they cannot see: on
our data they did as much harm as good.

Degenerate runs have scores too.
    fewer clusters     a few large clusters look well separated, so the score is multiplied by c
    one cluster        where more were asked for: c = 0, agreement and silhouette are 0
    one asked for      c = 1, the rest likewise: such a task does not change the order
    failed             as one cluster where more were asked for

Units   none; a score is from 0 to 1, and 1 is best by each criterion in every task.
Cost    of the runs; scoring is linear in rows and quadratic in runs.
Limits  a number of clusters can be in the grid, but agreement and silhouettes favour few.
Source  `docs/search.md`.
"""

import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from kinfolk import progress
from kinfolk.arrays import Labels, MatrixLike, Seed, Table, Vector
from kinfolk.choosing import candidates, fitting, partial_labels, scores
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.scores import BaseClusterings
from kinfolk.errors import InputError, LeftOutWarning
from kinfolk.estimators import checks
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.methods.multitask.baselines import PerTask
from kinfolk.numerics import memo, starts
from kinfolk.tables import Tasks, object_array

# The two fastest families of one task; they look for different clusters and need no parameters.
REFERENCES = ("kmeans", "symnmf")


class PlannedRun(NamedTuple):
    """One estimator to fit on a table (n, d), with its family and setting."""

    family: str
    setting: Hashable
    estimator: Any
    X: MatrixLike


class FinishedRun(NamedTuple):
    """A planned run and the outcome of its fit."""

    planned: PlannedRun
    outcome: fitting.FitOutcome

    @property
    def failed(self) -> bool:
        """True if the estimator refused."""
        return self.outcome.labels is None

    def labels(self, n: int) -> Labels:
        """Labels (n,) of the fit; one cluster of all rows if it failed."""
        found = self.outcome.labels
        return np.zeros(n, dtype=int) if found is None else found

    def asked(self, t: int) -> int:
        """Number of clusters asked for in the task at position t; 2, more than found, if failed."""
        return 2 if self.failed else int(self.planned.estimator.n_clusters_[t])


@dataclass(frozen=True)
class SearchScores:
    """Score of R runs in one task, and its parts.

    Attributes
    ----------
    score : (R,), from 0 to 1
    agree : (R,), mean adjusted Rand index with runs of other settings and references
    silhouette : (R,), in the representation for scoring
    complete : (R,), c
    known : (R,), the share of known rows in their class; None without them
    """

    score: Vector
    agree: Vector
    silhouette: Vector
    complete: Vector
    known: Vector | None = None

    def named(self) -> Iterator[tuple[str, Vector]]:
        """Yield name and values (R,) of each part that was computed."""
        return ((name, values) for name, values in vars(self).items() if values is not None)


@dataclass(frozen=True)
class SearchResult:
    """Result of `search`, with attributes named as in scikit-learn's searches.

    Attributes
    ----------
    best_estimator_ : of several tasks, fitted: the start of the best setting with the best score
    best_params_ : its setting, for the estimator that was given
    best_index_ : its place in `results_`
    best_score_ : its score, from 0 to 1
    results_ : one record per setting, in the order of the grid: params, param_<name>, rank (1 is
        best), means over starts and tasks of score, agree, silhouette, complete and, if labels
        are known, known; the same by task (score_<task>, ...); starts, failed (how many of them),
        seconds (mean of a start), error (of the first that failed, else "")
    known_rows_ : task -> number of known rows, for the tasks in which they joined the score
    note_ : the criteria that made the scores, in a sentence
    run_warnings_ : one record per warning of a run: params, message
    """

    best_estimator_: Any
    best_params_: dict[str, Any]
    best_index_: int
    best_score_: float
    results_: list[dict[str, Any]]
    known_rows_: dict[Any, int]
    note_: str
    run_warnings_: list[dict[str, Any]]


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
    if witnesses is not None:
        message = "'witnesses' of search is now called 'references'; the old name goes in the next "
        warnings.warn(f"{message}version.", FutureWarning, stacklevel=2)
        references = witnesses
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
    seen = Representations.of(table, found.codes)

    def plan_references(runs: list[FinishedRun]) -> list[PlannedRun]:
        return _references(runs, found, table, seen, random) if references else []

    runs, others = _run(plan, found, plan_references)
    if all(run.failed for run in runs):
        raise InputError(
            f"every run of {type(estimator).__name__} failed: {runs[0].outcome.reason}"
        )
    _warn_of_failed(runs)
    scored = []
    for t, rows in enumerate(progress.track(found.rows(), "scoring the runs")):
        clusterings = _base_clusterings([*runs, *others], rows, table.shape[0])
        asked = np.array([run.asked(t) for run in runs])
        labels = None if classes is None else classes[rows]
        scoring_table = seen.for_scoring(table[rows], found.codes[rows])
        scored.append(score_task(clusterings, asked, scoring_table, labels))
    return _result(settings, runs, scored, found, classes)


def score_task(
    runs: BaseClusterings, asked: NDArray[np.integer], X: Table, y: Labels | None = None
) -> SearchScores:
    """Score the first R runs of one task by their agreement with all runs and by silhouette.

    Parameters
    ----------
    runs : the R runs of the search, then those of references
    asked : (R,) number of clusters asked for
    X : (n, d) rows in the representation for scoring
    y : (n,) known labels, -1 elsewhere

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]])
    >>> labels = np.array([[0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0]])
    >>> runs = BaseClusterings(labels, ["a"] * 3, [1, 2, 3], np.zeros(3, dtype=bool))
    >>> score_task(runs, np.array([2, 2, 2]), X).score
    array([0.8333, 0.8333, 0. ])
    """
    R = len(asked)
    n_found = np.array([len(np.unique(labels)) for labels in runs.labels])
    # A run of one cluster divides nothing: it agrees with none and takes no part in the means.
    divided = np.flatnonzero(n_found > 1)
    agree, silhouette = np.zeros((2, len(runs)))
    if len(divided):
        kept = runs.take(divided)
        kept_scores = scores.score_runs(kept, scores.silhouettes(kept, X))
        agree[divided] = kept_scores.mean_agreement
        silhouette[divided] = kept_scores.separation
    agree = agree[:R]
    silhouette = silhouette[:R]
    complete = np.where(asked > 1, (n_found[:R] - 1) / np.maximum(asked - 1, 1), 1.0)
    ranks = sum(rankdata(values.round(12)) for values in (agree, silhouette)) / R
    fit = None if y is None else partial_labels.label_fit(runs.labels[:R], y)
    if fit is None:
        return SearchScores(complete * ranks / 2.0, agree, silhouette, complete)
    score = complete * (ranks + fit.weighted_ranks) / (2.0 + fit.weight)
    return SearchScores(score, agree, silhouette, complete, fit.values)


def _settings(grid: Any) -> list[dict[str, Any]]:
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
    """Yield estimators of several tasks with this setting; n of them if they take a seed."""
    try:
        fresh = clone(estimator).set_params(**setting)
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"{setting} is no setting of estimator {estimator!r:.60}: {error}"
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
    """Fit the planned runs, then the references planned from them; stop at Ctrl-C."""
    runs: list[FinishedRun] = []
    others: list[FinishedRun] = []
    memory = memo.Memory()
    names = object_array(tasks.names)

    def fitted(planned: PlannedRun, tasks_of_rows: NDArray[Any]) -> FinishedRun:
        with memo.remembering(memory):  # forgets what the last run did not ask for
            refusals = fitting.refusals_of(planned.estimator)
            outcome = fitting.fit(planned.estimator, planned.X, tasks_of_rows, refusals)
        return FinishedRun(planned, outcome)

    try:
        for planned in progress.track(plan, "trying settings"):
            runs.append(fitted(planned, names[tasks.codes]))
        for planned in progress.track(plan_references(runs), "running references"):
            others.append(fitted(planned, tasks.codes))
    except KeyboardInterrupt:
        if not runs:
            raise
        warnings.warn(
            f"interrupted after {len(runs)} of {len(plan)} runs and {len(others)} references: the "
            "choice uses these alone; search again for one that uses all.",
            stacklevel=3,
        )
    return runs, others


def _references(
    runs: Sequence[FinishedRun],
    tasks: Tasks,
    X: Table,
    seen: Representations,
    random: np.random.RandomState,
) -> list[PlannedRun]:
    """Plan runs of other families for all numbers of clusters (T,) that were asked for."""
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
    """Warn once if every run of any setting failed."""
    settings = {run.planned.setting for run in runs}
    lost = settings - {run.planned.setting for run in runs if not run.failed}
    if lost:
        reason = next(run.outcome.reason for run in runs if run.planned.setting in lost)
        warnings.warn(
            f"No run of {len(lost)} of {len(settings)} settings worked, the first because: "
            f"{reason.rstrip('.')}. See 'error' in results_.",
            LeftOutWarning,
            stacklevel=3,
        )


def _base_clusterings(
    runs: Sequence[FinishedRun], rows: NDArray[np.integer], n: int
) -> BaseClusterings:
    """The runs on the given rows, which are those of one task, of n."""
    return BaseClusterings(
        np.array([run.labels(n)[rows] for run in runs]),
        [run.planned.family for run in runs],
        [run.planned.setting for run in runs],
        np.zeros(len(runs), dtype=bool),
    )


def _result(
    settings: list[dict[str, Any]],
    runs: list[FinishedRun],
    scored: list[SearchScores],
    tasks: Tasks,
    classes: Labels | None,
) -> SearchResult:
    """Records of all settings, and the best setting; the first of equals."""
    setting = np.array([run.planned.setting for run in runs])
    worked = np.array([not run.failed for run in runs])
    mean = np.mean([task.score for task in scored], axis=0)
    each = np.array([mean[setting == i].mean() for i in range(setting.max() + 1)])
    usable = np.array([worked[setting == i].any() for i in range(len(each))])
    best = int(np.where(usable, each.round(12), -1.0).argmax())
    start = int(np.where((setting == best) & worked, mean, -1.0).argmax())
    ranks = rankdata(-each.round(12), method="min").astype(int)
    records = [
        {
            "params": settings[i],
            **{f"param_{name}": value for name, value in settings[i].items()},
            "rank": int(ranks[i]),
            **_record(np.flatnonzero(setting == i), runs, scored, tasks),
        }
        for i in range(len(each))
    ]
    known_rows = {
        name: int(np.count_nonzero(classes[tasks.codes == t] >= 0))
        for t, name in enumerate(tasks.names)
        if classes is not None and scored[t].known is not None
    }
    return SearchResult(
        best_estimator_=runs[start].planned.estimator,
        best_params_=settings[best],
        best_index_=best,
        best_score_=float(each[best]),
        results_=records,
        known_rows_=known_rows,
        note_=_note(known_rows),
        run_warnings_=[
            {"params": settings[i], "message": message}
            for i, run in zip(setting, runs, strict=True)
            for message in run.outcome.warnings
        ],
    )


def _record(
    which: NDArray[np.integer],
    runs: Sequence[FinishedRun],
    scored: Sequence[SearchScores],
    tasks: Tasks,
) -> dict[str, Any]:
    """Record of the runs at these positions: means over starts and tasks, failures, seconds."""
    by_name: dict[str, dict[str, float]] = {}
    for task, task_scores in zip(tasks.names, scored, strict=True):
        for name, values in task_scores.named():
            by_name.setdefault(name, {})[f"{name}_{task}"] = float(values[which].mean())
    outcomes = [runs[i].outcome for i in which]
    errors = [outcome.reason for outcome in outcomes if outcome.labels is None]
    return {
        **{name: float(np.mean(list(values.values()))) for name, values in by_name.items()},
        **{key: value for values in by_name.values() for key, value in values.items()},
        "starts": len(outcomes),
        "failed": len(errors),
        "seconds": float(np.mean([outcome.seconds for outcome in outcomes])),
        "error": errors[0] if errors else "",
    }


def _note(rows: dict[Any, int]) -> str:
    criteria = "Scores combine agreement between runs and silhouettes, in each task by itself"
    if not rows:
        return f"{criteria}; no label was used."
    given = ", ".join(f"{m} of task {name!r}" for name, m in rows.items())
    return f"{criteria}, and the fit to known labels: {given}."
