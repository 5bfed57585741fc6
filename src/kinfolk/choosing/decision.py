"""Decides for each task between clusterings made with and without the other tasks.

An answer is a consensus clustering of one task: base clusterings ("runs") joined by a combiner such
as voting. Own runs come from methods that see this task alone, joint runs from methods that use
several tasks. Sharing data between tasks can also harm ("negative transfer"), and no test without
labels tells with certainty which answer is better; so both are kept and reported (`changes`).

    own answer  the best combination of the task's own runs
    answer      the best combination c of the own runs, of all runs, or of the joint runs, by

                    argmax over c of p[t,c] + 2 mean over s of q[s,c]
                    p[t,c] = total of combination c in task t                     (`consensus`)
                    q[s,c] = its modularity + cross-task agreement in task s, less the mean of all
                             combinations there; s are the tasks with cross-task support

                if a criterion is higher than that of the own answer, and else the own answer. The
                mean over tasks counts because the best combination depends more on the data set
                than on the task. Without cross-task support and known labels, only combinations
                whose modularity is clearly higher (`MIN_LEAD`) are considered
    second      another answer for the task, if the better half of the runs falls into two groups
                that agree within themselves and not with each other

A task has cross-task support if the clusters of another task agree well with any of its runs
(`cross_task`). Without it, and without known labels, the modularity must rise by `MIN_LEAD`.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Vector
from kinfolk.choosing import consensus, cross_task, scores
from kinfolk.choosing.consensus import CRITERIA, Answer
from kinfolk.choosing.scores import BaseClusterings, RunScores
from kinfolk.choosing.task_scorer import OwnResult, TaskScorer

Kind: TypeAlias = tuple[str, str]
"""Source and combiner of an answer."""

# Mean accuracies are the same within .002 from 1.5 to 9; at 0 one set of short texts lost .02.
MEAN_ADVANTAGE_WEIGHT = 2.0
# Lead in modularity. At .01 the answer of one task was .065 less accurate than its own answer; at
# .0125 to .02 no task's was.
MIN_LEAD = 0.015
# Mean adjusted Rand index within a group of runs; below it the group shares no clustering.
MIN_WITHIN = 0.5
# Adjusted Rand index of two votes; half way from chance to equality they count as one answer.
MAX_BETWEEN = 0.5


@dataclass(frozen=True)
class Options:
    """Candidate answers of a task (one per source and combiner), its own answer, runs and scores.

    Attributes
    ----------
    scorer : scores clusterings of the task
    runs, run_scores : all its R runs, own ones first, and their scores
    agreement : (R,) cross-task agreement of each run
    own : the own answer
    answers : all answers, own ones first; empty without runs that use other tasks
    """

    scorer: TaskScorer
    runs: BaseClusterings
    run_scores: RunScores
    agreement: Vector
    own: Answer
    answers: list[Answer]

    @property
    def has_cross_task_support(self) -> bool:
        """True if a run agrees with another task's clusters by `cross_task.SUPPORT` or more."""
        return cross_task.has_support(self.agreement)


@dataclass(frozen=True)
class Decision(Options):
    """The options of a task, the answer chosen among them and, if supported, a second answer.

    Attributes
    ----------
    answer : the chosen answer
    second : (n,) a second clustering that is supported as well, or None
    """

    answer: Answer
    second: Labels | None

    @property
    def own_runs_only(self) -> bool:
        """True if no run kept in the chosen answer uses several tasks, whatever its source is."""
        return not self.runs.joint[self.answer.kept].any()


def options(
    own: OwnResult, joint: BaseClusterings | None = None, transferred: Sequence[Labels] = ()
) -> Options:
    """Add joint runs to a task's own, rank all together, and add answers of all and of joint runs.

    Parameters
    ----------
    own : the task's own runs and answers
    joint : runs of methods that use several tasks; None leaves only the own answer
    transferred : the clusters of each other task, transferred to the scored rows (m,)
    """
    scorer = own.scorer
    if joint is None:
        none = np.zeros(len(own.runs))
        return Options(scorer, own.runs, own.run_scores, none, own.answer, [])
    runs = own.runs.joined_with(joint)
    agreement = cross_task.cross_task_agreement(scorer.on_sample(runs.labels), transferred)
    modularity = np.concatenate([own.run_scores.separation, scorer.modularities(joint.labels)])
    run_scores = scorer.score_runs(runs, modularity, agreement)
    joint_scores = run_scores.take(runs.joint, joint)
    shared = [
        *scorer.answers("all", runs, run_scores, np.arange(len(runs))),
        *scorer.answers("joint", joint, joint_scores, np.flatnonzero(runs.joint)),
    ]
    answers = scorer.with_cross_task_agreement([*own.answers, *shared], transferred)
    best_own = next(i for i, answer in enumerate(own.answers) if answer is own.answer)
    return Options(scorer, runs, run_scores, agreement, answers[best_own], answers)


def decide(tasks: Sequence[Options], cautious: bool = False) -> list[Decision]:
    """Choose each task's answer by its total there plus its combination's advantage over tasks.

    Parameters
    ----------
    cautious : True leaves the own answer only if both modularity and cross-task agreement improve,
        and considers no other combination of own runs

    Examples
    --------
    >>> from kinfolk.choosing.task_scorer import own_result
    >>> X = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]])
    >>> labels = np.array([[0, 1, 0, 1], [0, 1, 1, 1]])
    >>> runs = BaseClusterings(labels, ["kmeans", "mec"], [0, 0], np.array([False, False]))
    >>> joint = BaseClusterings(np.array([[0, 0, 1, 1]]), ["mtcfir"], [0], np.array([True]))
    >>> task = options(own_result(runs, TaskScorer(X, 2)), joint, [np.array([0, 0, 1, 1])])
    >>> (decision,) = decide([task])
    >>> decision.own.labels, decision.answer.labels, decision.answer.source
    (array([0, 1, 0, 1]), array([0, 0, 1, 1]), 'all')
    >>> decision.has_cross_task_support, decision.own_runs_only
    (True, False)
    """
    advantage = _mean_advantages(tasks)
    return [_decide_task(each, advantage, cautious) for each in tasks]


def _mean_advantages(tasks: Sequence[Options]) -> dict[Kind, float]:
    """Mean over tasks of modularity + cross-task agreement above that of all combinations there."""
    leads = defaultdict(list)
    for each in tasks:
        if not each.has_cross_task_support:
            continue
        totals = np.array([a.modularity + a.cross_task_agreement for a in each.answers])
        for answer, lead in zip(each.answers, totals - totals.mean(), strict=True):
            leads[answer.source, answer.combiner].append(lead)
    return {kind: float(np.mean(values)) for kind, values in leads.items()}


def _decide_task(given: Options, advantage: Mapping[Kind, float], cautious: bool) -> Decision:
    """Choose the eligible answer of highest total + 2 advantage, if it improves on the own one."""
    chosen = given.own
    eligible = [a for a in given.answers if not cautious or a.source != "own"]
    if not given.has_cross_task_support and not given.scorer.n_known:
        # Nothing outside the task confirms a change, so modularity must improve clearly.
        eligible = [a for a in eligible if a.modularity > chosen.modularity + MIN_LEAD]
    if eligible:
        weight = MEAN_ADVANTAGE_WEIGHT if given.has_cross_task_support else 0.0
        totals = [a.total + weight * advantage.get((a.source, a.combiner), 0.0) for a in eligible]
        # Rounded, so that the first of equal answers is taken on every machine.
        best = eligible[int(np.round(totals, 12).argmax())]
        chosen = best if improves(best, chosen, cautious) else chosen
    second = second_answer(given.runs, given.run_scores, chosen.labels, given.scorer)
    return Decision(**vars(given), answer=chosen, second=second)


def improves(answer: Answer, own: Answer, cautious: bool) -> bool:
    """True if a criterion or the label fit of the answer exceeds the own answer's.

    If cautious, both modularity and cross-task agreement must be higher.
    """
    better = [getattr(answer, name) > getattr(own, name) for name in CRITERIA]
    return all(better) if cautious else any(better) or answer.label_fit > own.label_fit


def second_answer(
    runs: BaseClusterings, run_scores: RunScores, answer: Labels, scorer: TaskScorer
) -> Labels | None:
    """Of two coherent, different groups of the best runs, the vote less like `answer`; else None.

    The better half of the runs is split into two groups, and each votes. The vote less like
    `answer` (n,) is returned if the two votes differ and its own score exceeds the null model's.
    """
    groups = consensus.modes(runs, run_scores)
    if groups is None:
        return None
    within = [_mean_off_diagonal(run_scores.pairwise[np.ix_(group, group)]) for group in groups]
    votes = [consensus.voting(runs.labels[group], scorer.n_clusters) for group in groups]
    A = scores.pairwise_agreement(np.vstack([answer, *votes]))
    other = votes[A[0, 1:].argmin()]
    supported = min(within) >= MIN_WITHIN and A[1, 2] < MAX_BETWEEN
    return other if supported and scorer.exceeds_null(other) else None


def _mean_off_diagonal(A: NDArray[np.floating]) -> float:
    """Mean of the entries of a square matrix off its diagonal."""
    n = len(A)
    return float((A.sum() - np.trace(A)) / (n * (n - 1)))
