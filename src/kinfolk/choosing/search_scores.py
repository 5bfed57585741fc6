"""Scores the runs of a parameter search, and holds the result of the search."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from kinfolk.arrays import Labels, MatrixLike, Vector
from kinfolk.choosing import fitting, partial_labels
from kinfolk.choosing.scores import BaseClusterings
from kinfolk.choosing.task_scorer import TaskScorer
from kinfolk.numerics import rounding
from kinfolk.tables import Tasks


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
        """True if the estimator refused the rows, so that there are no labels."""
        return self.outcome.labels is None

    def labels(self, n: int) -> Labels:
        """Labels (n,) of the fit; all 0 (one cluster) if it failed."""
        found = self.outcome.labels
        return np.zeros(n, dtype=int) if found is None else found

    def asked(self, t: int) -> int:
        """Number of clusters requested for the task at position t; 2 if the run failed."""
        return 2 if self.failed else int(self.planned.estimator.n_clusters_[t])


@dataclass(frozen=True)
class SearchScores:
    """Scores of R runs in one task, with the parts they are made of.

    Attributes
    ----------
    score : (R,), from 0 to 1
    agree : (R,), mean adjusted Rand index with runs of other settings and references
    modularity : (R,), in the graph of nearest rows in the representation for scoring
    complete : (R,), c of `search`, the share of the requested clusters that were found
    known : (R,), the share of known rows in their class; None without them
    """

    score: Vector
    agree: Vector
    modularity: Vector
    complete: Vector
    known: Vector | None = None

    def named(self) -> Iterator[tuple[str, Vector]]:
        """Yield name and values (R,) of each part of the scores."""
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
        best), means over starts and tasks of score, agree, modularity, complete and, if labels
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


def score_task(
    runs: BaseClusterings, asked: NDArray[np.integer], scorer: TaskScorer
) -> SearchScores:
    """Score the first R runs of one task by their agreement with all runs and by modularity.

    Parameters
    ----------
    runs : the R runs of the search, then those of references
    asked : (R,) number of clusters asked for
    scorer : of the task, as of `Kinfolk`

    Examples
    --------
    >>> X = np.repeat(np.eye(2), 5, axis=0)
    >>> labels = np.repeat([[0, 1], [1, 0], [0, 0]], 5, axis=1)
    >>> runs = BaseClusterings(labels, ["a"] * 3, [1, 2, 3], np.zeros(3, dtype=bool))
    >>> score_task(runs, np.array([2, 2, 2]), TaskScorer(X, 2)).score
    array([0.8333, 0.8333, 0. ])
    """
    R = len(asked)
    n_found = np.array([len(np.unique(labels)) for labels in runs.labels])
    # A run of one cluster divides nothing: it agrees with none and takes no part in the means.
    divided = np.flatnonzero(n_found > 1)
    agree, modularity = np.zeros((2, len(runs)))
    if len(divided):
        kept = runs.take(divided)
        kept_scores = scorer.score_runs(kept, scorer.modularities(kept.labels))
        agree[divided] = kept_scores.mean_agreement
        modularity[divided] = kept_scores.separation
    agree = agree[:R]
    modularity = modularity[:R]
    complete = np.where(asked > 1, (n_found[:R] - 1) / np.maximum(asked - 1, 1), 1.0)
    # Ranks, as agreement and modularity have no common unit.
    ranks = (rounding.ranks(agree) + rounding.ranks(modularity)) / R
    fit = partial_labels.label_fit(runs.labels[:R], scorer.y)
    if fit is None:
        return SearchScores(complete * ranks / 2.0, agree, modularity, complete)
    score = complete * (ranks + fit.weighted_ranks) / (2.0 + fit.weight)
    return SearchScores(score, agree, modularity, complete, fit.values)


def summarize(
    settings: list[dict[str, Any]],
    runs: list[FinishedRun],
    scored: list[SearchScores],
    tasks: Tasks,
    classes: Labels | None,
) -> SearchResult:
    """Build the result of a search: the best setting (the first of equals) and all records."""
    setting = np.array([run.planned.setting for run in runs])
    worked = np.array([not run.failed for run in runs])
    mean = np.mean([task.score for task in scored], axis=0)
    each = np.array([mean[setting == i].mean() for i in range(setting.max() + 1)])
    usable = np.array([worked[setting == i].any() for i in range(len(each))])
    # Rounded, so that of settings that tie the first one is taken on every machine.
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
    known_rows = _known_rows(scored, tasks, classes)
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


def _known_rows(scored: list[SearchScores], tasks: Tasks, classes: Labels | None) -> dict[Any, int]:
    """Number of rows with known labels by task, for tasks where these labels were scored."""
    if classes is None:
        return {}
    known = [t for t, found in enumerate(scored) if found.known is not None]
    return {tasks.names[t]: int(np.count_nonzero(classes[tasks.codes == t] >= 0)) for t in known}


def _record(
    which: NDArray[np.integer],
    runs: Sequence[FinishedRun],
    scored: Sequence[SearchScores],
    tasks: Tasks,
) -> dict[str, Any]:
    """Summarise the runs of one setting: mean scores over starts and tasks, failures, seconds."""
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
    """Say in a sentence which criteria and how many known labels by task made the scores."""
    criteria = "Scores combine agreement between runs and modularity, in each task by itself"
    if not rows:
        return f"{criteria}; no label was used."
    given = ", ".join(f"{m} of task {name!r}" for name, m in rows.items())
    return f"{criteria}, and the fit to known labels: {given}."
