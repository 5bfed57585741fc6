"""Search over the parameters of one estimator without labels.

Every setting of the grid runs from several starts. In each task, by itself, a run is good if runs
of other settings agree with it and if its clusters stand apart, as in `scores`:

    score[r] = c[r] (rank of agree[r] + rank of sil[r] + v rank of known[r]) / (R (2 + v))
    c[r]     = (clusters found - 1) / (clusters asked for - 1)                       from 0 to 1

over the R runs of the task; v = 0 where no labels are known (`partial_labels`). The score of a
setting is the mean over its starts and the tasks.

Settings of one method may all make the same mistake. So runs of k-means and symmetric NMF, each
task by itself, can be witnesses: agreement with them counts too, every family the same, but they
are not chosen. They hold a method back where it finds what they cannot see: on the data we tried
they did as much harm as good.

Degenerate runs have scores too.
    fewer clusters     few large clusters look clear, so the score is multiplied by c, the share of
                       the divisions that were made
    one cluster        where more were asked for: c = 0. It divides nothing, so it agrees with
                       nothing, and nothing with it, and the silhouette is 0
    one asked for      c = 1, the rest likewise: such a task does not change the order
    failed             as one cluster where more were asked for

Units   none; a score is from 0 to 1, which is to be the best by each sign in every task.
Cost    of the runs; the evidence is linear in rows and quadratic in runs.
Limits  a number of clusters can be in the grid, but agreement and silhouettes favour few.
Source  `docs/search.md`; the signs are those of `scores`.
"""

import time
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
from kinfolk.choosing import candidates, partial_labels, scores
from kinfolk.choosing.representations import Spaces
from kinfolk.choosing.scores import Runs
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.methods.multitask.baselines import PerTask
from kinfolk.numerics import memo, starts
from kinfolk.tables import Tasks

WITNESSES = ("kmeans", "symnmf")
"""The two fastest families of one task; they look in different ways, and need no parameters."""


class Planned(NamedTuple):
    """A run that could be made: of a family and a setting, on a table (n, d)."""

    family: str
    setting: Hashable
    estimator: Any
    X: MatrixLike


class Attempt(NamedTuple):
    """What became of it: labels (n,), which are all 0 if it failed, and then why."""

    of: Planned
    labels: Labels
    seconds: float
    error: str = ""

    def asked(self, t: int) -> int:
        """The clusters it should have found in the task at position t; a failed one, some."""
        return 2 if self.error else int(self.of.estimator.n_clusters_[t])


@dataclass(frozen=True)
class Signs:
    """What speaks for each of R runs in one task.

    Attributes
    ----------
    score : (R,), from 0 to 1
    agree : (R,), mean adjusted Rand index with runs of other settings and witnesses
    silhouette : (R,), in a neutral space
    complete : (R,), c
    known : (R,), the share of known rows in their class; None without them
    """

    score: Vector
    agree: Vector
    silhouette: Vector
    complete: Vector
    known: Vector | None = None

    def named(self) -> Iterator[tuple[str, Vector]]:
        """The signs that there are, by name."""
        return ((name, values) for name, values in vars(self).items() if values is not None)


@dataclass(frozen=True)
class SearchResult:
    """What `search` found, in the words of scikit-learn's searches.

    Attributes
    ----------
    best_estimator_ : of several tasks, fitted: that of the best setting's starts with most evidence
    best_params_ : its setting, for the estimator that was given
    best_index_ : its place in `results_`
    best_score_ : its score, from 0 to 1
    results_ : one record a setting, in the order of the grid: params, param_<name>, rank (1 is
        best), means over starts and tasks of score, agree, silhouette, complete and, if labels
        are known, known; the same by task (score_<task>, ...); starts, failed (how many of them),
        seconds (mean of a start), error (of the first that failed, else "")
    known_rows_ : task -> known rows, for the tasks in which known labels joined the evidence
    note_ : in a sentence, on what the scores rest
    """

    best_estimator_: Any
    best_params_: dict[str, Any]
    best_index_: int
    best_score_: float
    results_: list[dict[str, Any]]
    known_rows_: dict[Any, int]
    note_: str


def search(
    estimator: Any,
    grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]],
    X: MatrixLike,
    tasks: Any = None,
    *,
    y: ArrayLike | None = None,
    n_starts: int = 3,
    witnesses: bool = False,
    random_state: Seed = None,
) -> SearchResult:
    """Choose the parameters of an estimator without labels, or with a few.

    Parameters
    ----------
    estimator : of several tasks, or any clusterer of one table, which `PerTask` then applies to
        each task; it is copied
    grid : parameter -> values to try, or a list of such mappings, as of `ParameterGrid`
    X : (n, d)
    tasks : (n,) the task of each row, or the name of a column of X; None: one task
    y : (n,) known labels, -1 where unknown; they judge the runs and no run is told of them
    n_starts : int >= 1, runs of a setting, each with a `random_state` of its own; 1 is made of an
        estimator without one
    witnesses : bool, whether runs also are to agree with those of k-means and symmetric NMF
    random_state : int, RandomState or None, for the starts

    Raises
    ------
    InputError : the grid names no parameter of the estimator, or every run failed
    KeyboardInterrupt : before there is a run

    Warns
    -----
    UserWarning : interrupted by Ctrl-C; the choice rests on the runs until then

    Examples
    --------
    >>> from kinfolk.datasets import makers
    >>> from kinfolk.methods.single.entropy import MEC
    >>> data = makers.make_related_blobs(20, n_features=4, random_state=0)
    >>> grid = {"temperature": [0.1, 1000.0]}
    >>> found = search(MEC(3), grid, data.X, data.tasks, random_state=0)
    >>> found.best_params_
    {'temperature': 0.1}
    """
    found, X = checks.tasks_of(tasks, X, least_rows=2)
    table = checks.samples(PerTask(), X, at_least=2)
    classes = None if y is None else partial_labels.codes(y, table.shape[0])
    random, n_starts = checks.random(random_state), checks.at_least("n_starts", n_starts, 1)
    settings = _settings(grid)
    plan = [
        Planned("searched", i, made, X)
        for i, setting in enumerate(settings)
        for made in _starts(estimator, setting, n_starts, random)
    ]
    spaces = Spaces.of(table, found.codes)

    def further(attempts: list[Attempt]) -> list[Planned]:
        return _witnesses(attempts, found, table, spaces, random) if witnesses else []

    attempts, others = _tried(plan, found, further)
    if all(attempt.error for attempt in attempts):
        raise InputError(f"every run of {type(estimator).__name__} failed: {attempts[0].error}")
    signs = []
    for t, rows in enumerate(progress.track(found.rows(), "weighing the evidence")):
        neutral = spaces.neutral(table[rows], found.codes[rows])
        asked = np.array([attempt.asked(t) for attempt in attempts])
        labels = None if classes is None else classes[rows]
        signs.append(weigh(_runs([*attempts, *others], rows), asked, neutral, labels))
    return _result(settings, attempts, signs, found, classes)


def weigh(runs: Runs, asked: Labels, X: Table, y: Labels | None = None) -> Signs:
    """Weigh runs of one task of n rows: the first of them, as many as `asked` (R,) has entries.

    Parameters
    ----------
    runs : R runs to choose from, and then their witnesses
    asked : (R,) clusters that were asked for
    X : (n, d) the rows in a neutral space
    y : (n,) known classes, -1 elsewhere

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]])
    >>> labels = np.array([[0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0]])
    >>> runs = Runs(labels, ["a"] * 3, [1, 2, 3], np.zeros(3, dtype=bool))
    >>> weigh(runs, np.array([2, 2, 2]), X).score
    array([0.8333, 0.8333, 0. ])
    """
    R = len(asked)
    n_found = np.array([len(np.unique(labels)) for labels in runs.labels])
    divides = np.flatnonzero(n_found > 1)
    agree, silhouette = np.zeros((2, len(runs)))
    if len(divides):
        seen = runs.take(divides)
        weighed = scores.gather(seen, scores.silhouettes(seen, X))
        agree[divides], silhouette[divides] = weighed.agree, weighed.clear
    agree, silhouette = agree[:R], silhouette[:R]
    complete = np.where(asked > 1, (n_found[:R] - 1) / np.maximum(asked - 1, 1), 1.0)
    points = sum(rankdata(values.round(12)) for values in (agree, silhouette)) / R
    sign = None if y is None else partial_labels.sign(runs.labels[:R], y)
    if sign is None:
        return Signs(complete * points / 2.0, agree, silhouette, complete)
    score = complete * (points + sign.ranks) / (2.0 + sign.weight)
    return Signs(score, agree, silhouette, complete, sign.values)


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
    """Estimators of several tasks with the setting; n of them if a seed makes a difference."""
    try:
        fresh = clone(estimator).set_params(**setting)
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"{setting} is no setting of estimator {estimator!r:.60}: {error}"
        ) from error
    around = fresh if isinstance(fresh, MultiTaskClusterer) else PerTask(fresh)
    names = [p for p in fresh.get_params() if p.split("__")[-1] == "random_state"]
    free = [name for name in names if name not in setting]
    for seed in starts.seeds(random, n if free else 1):
        fresh.set_params(**dict.fromkeys(free, seed))
        yield clone(around)


def _tried(
    plan: Sequence[Planned], tasks: Tasks, further: Callable[[list[Attempt]], list[Planned]]
) -> tuple[list[Attempt], list[Attempt]]:
    """Run what is planned, and then the witnesses that are planned further."""
    attempts: list[Attempt] = []
    others: list[Attempt] = []
    memory = memo.Memory()
    names = np.empty(len(tasks.names), dtype=object)
    names[:] = tasks.names
    try:
        for planned in progress.track(plan, "trying settings"):
            with memo.remembering(memory):  # which forgets what the last run did not ask for
                attempts.append(_try(planned, names[tasks.codes]))
        for planned in progress.track(further(attempts), "asking witnesses"):
            with memo.remembering(memory):
                others.append(_try(planned, tasks.codes))
    except KeyboardInterrupt:
        if not attempts:
            raise
        warnings.warn(
            f"interrupted after {len(attempts)} of {len(plan)} runs and {len(others)} witnesses: "
            "the choice rests on these alone; search again for one that rests on all.",
            stacklevel=3,
        )
    return attempts, others


def _try(planned: Planned, tasks: NDArray[Any]) -> Attempt:
    """Fit one estimator; what it warns of is its own affair, and a refusal is noted."""
    begin, labels, error = time.perf_counter(), np.zeros(len(tasks), dtype=int), ""
    try:
        with warnings.catch_warnings(), progress.listening(lambda *_: None):
            warnings.simplefilter("ignore")
            labels = planned.estimator.fit(planned.X, tasks=tasks).labels_
    except (ValueError, ArithmeticError, MemoryError) as refusal:
        error = str(refusal) or type(refusal).__name__
    return Attempt(planned, labels, time.perf_counter() - begin, error)


def _witnesses(
    attempts: Sequence[Attempt],
    tasks: Tasks,
    X: Table,
    spaces: Spaces,
    random: np.random.RandomState,
) -> list[Planned]:
    """Runs of other families for all numbers of clusters (T,) that were asked for."""
    ran = [a.of.estimator for a in attempts if not a.error]
    numbers = dict.fromkeys(tuple(estimator.n_clusters_.tolist()) for estimator in ran)
    return [
        Planned(c.family, (k, c.space), c.estimator, spaces.table(c.space, X, tasks.codes))
        for k in numbers
        for c in candidates.plan(WITNESSES, spaces, dict(enumerate(k)), random)
    ]


def _runs(attempts: Sequence[Attempt], rows: NDArray[np.integer]) -> Runs:
    """The attempts on the rows of one task."""
    return Runs(
        np.array([a.labels[rows] for a in attempts]),
        [a.of.family for a in attempts],
        [a.of.setting for a in attempts],
        np.zeros(len(attempts), dtype=bool),
    )


def _result(
    settings: list[dict[str, Any]],
    attempts: list[Attempt],
    signs: list[Signs],
    tasks: Tasks,
    classes: Labels | None,
) -> SearchResult:
    """The records, and the best of them; of equal ones the first that ran."""
    of = np.array([a.of.setting for a in attempts])
    worked = np.array([not a.error for a in attempts])
    mean = np.mean([s.score for s in signs], axis=0)
    scores = np.array([mean[of == i].mean() for i in range(of.max() + 1)])
    usable = np.array([worked[of == i].any() for i in range(len(scores))])
    best = int(np.where(usable, scores.round(12), -1.0).argmax())
    start = int(np.where((of == best) & worked, mean, -1.0).argmax())
    ranks = rankdata(-scores.round(12), method="min").astype(int)
    records = [
        {
            "params": settings[i],
            **{f"param_{name}": value for name, value in settings[i].items()},
            "rank": int(ranks[i]),
            **_record(np.flatnonzero(of == i), attempts, signs, tasks),
        }
        for i in range(len(scores))
    ]
    rows = {
        name: int(np.count_nonzero(classes[tasks.codes == t] >= 0))
        for t, name in enumerate(tasks.names)
        if classes is not None and signs[t].known is not None
    }
    return SearchResult(
        best_estimator_=attempts[start].of.estimator,
        best_params_=settings[best],
        best_index_=best,
        best_score_=float(scores[best]),
        results_=records,
        known_rows_=rows,
        note_=_note(rows),
    )


def _record(
    which: NDArray[np.integer], attempts: Sequence[Attempt], signs: Sequence[Signs], tasks: Tasks
) -> dict[str, Any]:
    """What became of the attempts at these positions: means over starts, and tasks."""
    each: dict[str, dict[str, float]] = {}
    for name, s in zip(tasks.names, signs, strict=True):
        for sign, values in s.named():
            each.setdefault(sign, {})[f"{sign}_{name}"] = float(values[which].mean())
    made = [attempts[i] for i in which]
    errors = [a.error for a in made if a.error]
    return {
        **{sign: float(np.mean(list(by_task.values()))) for sign, by_task in each.items()},
        **{key: value for by_task in each.values() for key, value in by_task.items()},
        "starts": len(made),
        "failed": len(errors),
        "seconds": float(np.mean([a.seconds for a in made])),
        "error": errors[0] if errors else "",
    }


def _note(rows: dict[Any, int]) -> str:
    said = "Scores rest on agreement between runs and on silhouettes, in each task by itself"
    if not rows:
        return f"{said}; no label was used."
    given = ", ".join(f"{m} of task {name!r}" for name, m in rows.items())
    return f"{said}, and on how runs fit known labels: {given}."
