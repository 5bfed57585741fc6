"""Scores clusterings of one task, and combines the runs of methods that see only its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk import measures
from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.choosing import consensus, cross_task, partial_labels, scores
from kinfolk.choosing.consensus import Answer
from kinfolk.choosing.null_model import NullLevel
from kinfolk.choosing.scores import BaseClusterings, RunScores
from kinfolk.numerics import graph_smoothing, memo

# Clusters are cleaned along the nearest links: an eighth of a mean cluster, at most 15 rows.
FEWER_NEIGHBORS = 4
# Answers gain a third less with .9 or with .99, the value of the paper (`docs/labelfree.md`).
SMOOTHNESS = 0.95


@dataclass(frozen=True)
class TaskScorer:
    """Scores clusterings of one task: modularity, null level, fit to known labels.

    Attributes
    ----------
    X : (m, d) the rows, or a sample of them, in the representation for scoring
    n_clusters : of the answers
    sample : (m,) positions of these rows in the task, or None for all
    seed : of the consensus
    combine : False takes the best single run instead of a consensus
    null_level : modularity, silhouette and assortativity expected without clusters
    y : (n,) known classes of the task's rows, -1 where unknown; None: no class is known
    memory : of the nearest rows in other tasks, one for all tasks of a fit: each pair of tasks is
        searched once
    smooth : True moves single rows of a consensus to the cluster of their neighbourhood
    """

    X: Table
    n_clusters: int
    sample: NDArray[np.integer] | None = None
    seed: int = 0
    combine: bool = True
    null_level: NullLevel = NullLevel(0.0, 0.0)
    y: Labels | None = None
    memory: memo.Memory = field(default_factory=memo.Memory, repr=False)
    smooth: bool = False

    @property
    def n_known(self) -> int:
        """Number of rows with a known class; 0 if too few to compare clusterings by them."""
        if self.y is None or not partial_labels.sufficient(self.y):
            return 0
        return int((self.y >= 0).sum())

    @cached_property
    def graph(self) -> sp.csr_array:
        """Nearest-neighbour graph (m, m) of the scored rows."""
        return scores.neighbor_graph(self.X, self.n_clusters)

    @cached_property
    def nearest_graph(self) -> sp.csr_array:
        """Nearest-neighbour graph (m, m) with a quarter of the links, for smoothing."""
        return scores.neighbor_graph(self.X, FEWER_NEIGHBORS * self.n_clusters)

    def on_sample(self, labels: Labels) -> Labels:
        """Restrict clusterings (..., n) to the scored rows (..., m)."""
        return labels if self.sample is None else labels[..., self.sample]

    def modularities(self, labels: Labels) -> Vector:
        """Modularity (R,) of clusterings (R, n) on the scored rows."""
        return scores.modularities(self.on_sample(labels), self.graph)

    def exceeds_null(self, labels: Labels) -> bool:
        """True if modularity or another criterion of labels (n,) exceeds its null level.

        >>> scorer = TaskScorer(np.eye(4)[[0, 0, 0, 1, 1, 1]], 2, null_level=NullLevel(0.9, 0.5))
        >>> [scorer.exceeds_null(np.array(labels)) for labels in ([0, 0, 0, 1, 1, 1], [0, 1] * 3)]
        [True, False]
        """
        if self.modularities(labels[None])[0] > self.null_level.modularity:
            return True
        sampled = self.on_sample(labels[None])
        if scores.assortativities(sampled, self.graph)[0] > self.null_level.assortativity:
            return True
        return measures.silhouette(self.X, self.on_sample(labels)) > self.null_level.silhouette

    def has_clusters(self, labels: Labels) -> bool:
        """True if this clustering (n,), or another one of the same rows, exceeds the null level.

        >>> scorer = TaskScorer(np.eye(2)[[0, 0, 1, 1]], 2, null_level=NullLevel(1, 1, 1, True))
        >>> scorer.has_clusters(np.array([0, 1, 0, 1]))
        True
        """
        return self.null_level.exceeded or self.exceeds_null(labels)

    def score_runs(
        self, runs: BaseClusterings, modularity: Vector, agreement: Vector | None = None
    ) -> RunScores:
        """Score R runs by agreement, modularity (R,) and cross-task agreement (R,)."""
        fit = partial_labels.label_fit(runs.labels, self.y)
        sampled = replace(runs, labels=self.on_sample(runs.labels))
        return scores.score_runs(sampled, modularity, fit, agreement)

    def answers(
        self,
        source: str,
        runs: BaseClusterings,
        run_scores: RunScores,
        positions: NDArray[np.integer],
    ) -> list[Answer]:
        """Combine the best runs by each combiner into answers, or return the single best run.

        positions (R,) are those of the runs among all runs of the task.
        """
        if self.combine:
            kept = run_scores.best(consensus.QUARTER)
            made = consensus.combine(runs, run_scores, self.n_clusters, self.seed)
            made = {name: self._smoothed(labels) for name, labels in made.items()}
        else:
            kept = run_scores.best(0.0)[:1]
            made = {consensus.SINGLE_RUN: runs.labels[kept[0]]}
        return [self.answer(labels, name, source, positions[kept]) for name, labels in made.items()]

    def _smoothed(self, labels: Labels) -> Labels:
        """Smooth clusters (n,) on the nearest-neighbour graph; unchanged if rows are sampled."""
        # A graph of a sample says nothing about the rows that are not in it.
        if not self.smooth or self.sample is not None:
            return labels
        return graph_smoothing.smoothed(labels, self.nearest_graph, SMOOTHNESS)

    def answer(
        self, labels: Labels, combiner: str, source: str, kept: NDArray[np.integer]
    ) -> Answer:
        """Build an `Answer` from labels (n,), scored by modularity and known labels."""
        fit = partial_labels.label_fit(labels[None], self.y)
        weighted = 0.0 if fit is None else fit.weight * float(fit.values[0])
        Q = float(self.modularities(labels[None])[0])
        return Answer(labels, combiner, source, kept, Q, label_fit=weighted)

    def with_cross_task_agreement(
        self, answers: list[Answer], transferred: Sequence[Labels]
    ) -> list[Answer]:
        """Add to each answer its agreement with labels (m,) transferred from other tasks."""
        labels = self.on_sample(np.array([answer.labels for answer in answers]))
        agreement = cross_task.cross_task_agreement(labels, transferred)
        return [
            replace(answer, cross_task_agreement=float(value))
            for answer, value in zip(answers, agreement, strict=True)
        ]


@dataclass(frozen=True)
class OwnResult:
    """Runs, scores and answers for one task from methods that see only this task's rows.

    Attributes
    ----------
    scorer : of the task
    runs, run_scores : its R runs and their scores
    answers : their combinations
    fitted : the answer by a mixture that fits the rows well (`mixtures`), or None
    """

    scorer: TaskScorer
    runs: BaseClusterings
    run_scores: RunScores
    answers: list[Answer]
    fitted: Answer | None = None

    @cached_property
    def answer(self) -> Answer:
        """The mixture's answer if any, else the combination of own runs with the best total."""
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
    """For each task, its scored rows labelled by every other task: {position: labels (m,)}."""
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
