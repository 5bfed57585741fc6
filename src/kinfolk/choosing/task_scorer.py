"""Scores clusterings of one task, by all of its rows or by a sample of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk import measures
from kinfolk.arrays import Labels, Table, Vector
from kinfolk.choosing import consensus, cross_task, partial_labels, scores
from kinfolk.choosing.consensus import Answer
from kinfolk.choosing.null_model import NullLevel
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.scores import BaseClusterings, RunScores
from kinfolk.numerics import graph_smoothing, memo
from kinfolk.tables import Tasks

# Clusters are cleaned along the nearest links: an eighth of a mean cluster, at most 15 rows.
FEWER_NEIGHBORS = 4
# Answers gain a third less with .9 or with .99, the value of the paper
# (`docs/labelfree-columns-measured.md`).
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
    smooth : True moves single rows of a consensus to the cluster of their neighborhood
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
        """Nearest-neighbor graph (m, m) of the scored rows."""
        return scores.neighbor_graph(self.X, self.n_clusters)

    @cached_property
    def nearest_graph(self) -> sp.csr_array:
        """Nearest-neighbor graph (m, m) with a quarter of the links, for smoothing."""
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

    def accepted(self) -> Self:
        """Return a scorer for which the task has clusters: another test has found them."""
        return replace(self, null_level=self.null_level._replace(exceeded=True))

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
        """Smooth clusters (n,) on the nearest-neighbor graph; unchanged if rows are sampled."""
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
        """Return the answers with their agreement with labels (m,) transferred from other tasks."""
        labels = self.on_sample(np.array([answer.labels for answer in answers]))
        agreement = cross_task.cross_task_agreement(labels, transferred)
        return [
            replace(answer, cross_task_agreement=float(value))
            for answer, value in zip(answers, agreement, strict=True)
        ]


def scorer_of(
    X: Table,
    codes: Labels,
    rows: NDArray[np.integer],
    seen: Representations,
    n_clusters: int,
    random: np.random.RandomState,
    y: Labels | None = None,
    most: int | None = None,
) -> TaskScorer:
    """Build the scorer of the task at rows (m,) of X (n, d); large tasks are sampled.

    Parameters
    ----------
    codes : (n,) positions of the tasks
    n_clusters : the largest number asked for: all clusterings of a task are scored in one graph
    y : (m,) known labels, -1 elsewhere
    most : rows that are scored at most; None: as of `consensus.scored_rows`
    """
    sample = sampled(len(rows), random, most)
    places = rows if sample is None else rows[sample]
    table = seen.for_scoring(X[places], codes[places])
    return TaskScorer(table, n_clusters, sample, y=y)


def sampled(
    n: int, random: np.random.RandomState, most: int | None = None
) -> NDArray[np.integer] | None:
    """Positions of the rows of a task of n rows that are scored, at most `most`; None for all."""
    m = consensus.scored_rows(n, most)
    return None if m == n else np.sort(random.choice(n, m, replace=False))


def modularity_of_tasks(X: Table, tasks: Any, labels: Labels) -> dict[Any, float]:
    """Modularity of each task's clusters labels (n,) in its nearest-neighbor graph: {task: Q}.

    >>> X = np.repeat(np.eye(2), 20, axis=0)
    >>> found = modularity_of_tasks(X, ["a"] * 40, np.repeat([0, 1], 20))
    >>> {task: round(value, 2) for task, value in found.items()}
    {'a': 0.5}
    """
    found = Tasks.of(np.asarray(tasks))
    seen = Representations.of(X, found.codes)
    random = np.random.RandomState(0)
    values = {}
    for name, rows in zip(found.names, found.rows(), strict=True):
        k = len(np.unique(labels[rows]))
        scorer = scorer_of(X, found.codes, rows, seen, k, random)
        values[name] = float(scorer.modularities(labels[None, rows])[0])
    return values
