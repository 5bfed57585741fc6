"""Combines the runs of methods that see only the rows of one task, and compares such answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kinfolk.arrays import Labels, Matrix
from kinfolk.choosing import consensus, cross_task
from kinfolk.choosing.consensus import Answer
from kinfolk.choosing.scores import BaseClusterings, RunScores
from kinfolk.choosing.task_scorer import TaskScorer
from kinfolk.numerics import memo


@dataclass(frozen=True)
class OwnResult:
    """Runs, scores and answers for one task from methods that see only this task's rows.

    Attributes
    ----------
    scorer : of the task
    runs, run_scores : its R runs and their scores
    answers : their combinations
    fitted : the answer that passed a test of its own, by gaps between clusters
        (`separated_clusters`) or by a mixture that fits the rows well (`mixtures`), or None
    """

    scorer: TaskScorer
    runs: BaseClusterings
    run_scores: RunScores
    answers: list[Answer]
    fitted: Answer | None = None

    @cached_property
    def answer(self) -> Answer:
        """The answer that passed a test, if any, else the own combination with the best total."""
        return consensus.best(self.answers) if self.fitted is None else self.fitted

    @property
    def has_clusters(self) -> bool:
        """True if the answer, or another clustering of the rows, exceeds the null level."""
        found = [consensus.best(self.answers), self.answer]
        return any(self.scorer.has_clusters(answer.labels) for answer in found)

    def labels_from_each(self, others: "Sequence[OwnResult]") -> list[Labels]:
        """Transfer the clusters of each other task to the scored rows (m,) by nearest rows."""
        theirs = [other.scorer.on_sample(other.answer.labels) for other in others]
        tables = [other.scorer.X for other in others]
        return cross_task.transferred_from(self.scorer.X, tables, theirs)


def transfers(owns: Sequence[OwnResult]) -> list[dict[int, Labels]]:
    """For each task, its scored rows labeled by every other task: {position: labels (m,)}."""
    found = []
    with memo.remembering(owns[0].scorer.memory):
        for t, own in enumerate(owns):
            others = [s for s in range(len(owns)) if s != t]
            labels = own.labels_from_each([owns[s] for s in others])
            found.append(dict(zip(others, labels, strict=True)))
    return found


def agreement(owns: Sequence[OwnResult], transferred: Sequence[Mapping[int, Labels]]) -> Matrix:
    """Agreement (T, T) of the own clusters of each pair of tasks, mean of both directions.

    Parameters
    ----------
    transferred : of each task, see `transfers`

    Examples
    --------
    >>> X = np.repeat(np.eye(2), 20, axis=0)
    >>> labels = np.repeat([0, 1], 20), np.repeat([1, 0], 20), np.repeat([0, 1, 1, 1], 10)
    >>> runs = [BaseClusterings(l[None], ["a"], [0], np.array([False])) for l in labels]
    >>> owns = [own_result(each, TaskScorer(X, 2)) for each in runs]
    >>> agreement(owns, transfers(owns)).round(2)
    array([[1.  , 1.  , 0.62],
           [1.  , 1.  , 0.62],
           [0.62, 0.62, 1.  ]])
    """
    A = np.eye(len(owns))
    for t, (own, labels) in enumerate(zip(owns, transferred, strict=True)):
        here = own.scorer.on_sample(own.answer.labels)
        A[t, list(labels)] = cross_task.agreement_with_each(here, list(labels.values()))
    return (A + A.T) / 2


def own_result(runs: BaseClusterings, scorer: TaskScorer) -> OwnResult:
    """Score and combine the runs of methods that see only this task.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]])
    >>> labels = np.array([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1]])
    >>> runs = BaseClusterings(labels, ["a", "b", "c"], [0, 0, 0], np.zeros(3, dtype=bool))
    >>> own_result(runs, TaskScorer(X, 2)).answer.labels
    array([0, 0, 1, 1])
    """
    run_scores = scorer.score_runs(runs, scorer.modularities(runs.labels))
    answers = scorer.answers("own", runs, run_scores, np.arange(len(runs)))
    return OwnResult(scorer, runs, run_scores, answers)
