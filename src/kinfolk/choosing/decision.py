"""Decides for each task between clusterings made with and without the other tasks.

An answer is a consensus clustering of one task: base clusterings ("runs") joined by a combiner such
as voting. Own runs come from methods that see this task alone, joint runs from methods that use
several tasks. Sharing data between tasks can also harm ("negative transfer"), and no test without
labels tells with certainty which answer is better; so both are kept and reported (`changes`).

    own answer  the best combination of the task's own runs
    proposal    the combination of the own runs, of all runs, or of the joint runs with the largest
                total: modularity + cross-task agreement (`consensus`)
    answer      the proposal if evidence from outside the task supports it, and else the own answer.
                Modularity cannot tell help from harm: runs were fitted to the rows that it judges.
                The other tasks' own clusters were not:

                    E[t] = (D[t] + mean of D over the tasks) / 2  >  .05     (.1 if cautious)
                    D[t] = gain in agreement with the other tasks in both directions (`cross_task`);
                           those with at most half as many clusters count if modularity rises by .03

                E > .03 is enough where modularity does not fall, unless cautious.
                E > .1 is asked of a task of fewer than 10 rows per cluster, none of them clearer
                than chance: agreements of so few rows are noise
                Known labels are evidence as well: a proposal that fits them better is the answer
    second      another answer for the task, if the better half of the runs falls into two groups
                that agree within themselves and not with each other

A task has cross-task support if the clusters of another task agree well with any of its runs
(`cross_task`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.choosing import consensus, cross_task, records, scores
from kinfolk.choosing.consensus import Answer
from kinfolk.choosing.own_answers import OwnResult
from kinfolk.choosing.scores import BaseClusterings, RunScores
from kinfolk.choosing.task_scorer import TaskScorer

# At .05 half as many tasks are worse than by themselves as without this guard, for a twentieth of
# the gain; at .07 a quarter of the gain is lost (`docs/labelfree-rules-measured.md`).
MIN_EVIDENCE = 0.05
# Enough where modularity does not fall: from .03 to .04 no further shaping task was harmed, at .025
# one lost .1. One level of .04 for all is as good on shaping sets and harms more on others.
MIN_EVIDENCE_IF_CLEAR = 0.03
# Gain in modularity above which coarser tasks are evidence (`docs/labelfree-rules-measured.md`).
MIN_GAIN_IF_COARSER = 0.03
# Fewer changes, not safer ones. More than .02 less accurate than the own answer were 0 of 14 above
# it on the sets that shaped it, and 4 of 18 on judging sets (`docs/labelfree-rules-measured.md`).
CAUTIOUS_EVIDENCE = 0.1
# Of tasks cut to few rows, evidence of .05 to .08 was right in 4 of 10, above .08 in 12 of 13
# (`docs/related.md`).
FEW_ROWS = 10
"""Rows per cluster; tasks with fewer and no cluster clearer than chance need more evidence."""
# Mean adjusted Rand index within a group of runs; below it the group shares no clustering.
MIN_WITHIN = 0.5
# Adjusted Rand index of two votes, and of the one shown with the answer; half way from chance to
# equality they count as one answer.
MAX_BETWEEN = 0.5


@dataclass(frozen=True)
class Options:
    """A task's candidate answers, its own answer (from its rows alone), and all runs with scores.

    Attributes
    ----------
    scorer : scores clusterings of the task
    runs, run_scores : all its R runs, own ones first, and their scores
    agreement : (R,) cross-task agreement of each run
    own : the own answer
    answers : all answers, own ones first; empty without runs that use other tasks
    transferred : position of another task -> its own clusters, transferred to the scored rows (m,)
    """

    scorer: TaskScorer
    runs: BaseClusterings
    run_scores: RunScores
    agreement: Vector
    own: Answer
    answers: list[Answer]
    transferred: Mapping[int, Labels]

    @property
    def has_cross_task_support(self) -> bool:
        """True if the agreement of some run with another task's clusters reaches `SUPPORT`."""
        return cross_task.has_support(self.agreement)


@dataclass(frozen=True)
class Decision(Options):
    """The options of a task, the answer chosen among them and perhaps a second, different answer.

    Attributes
    ----------
    answer : the chosen answer
    second : (n,) a second, different clustering, mostly the worse one, or None
    proposal : the answer that would be chosen if evidence from outside the task supported it
    evidence : E of the proposal; nan without another task, or where a moved mixture decided
    support : why the answer is not the own one, see `changes.change_record`; "" if it is
    """

    answer: Answer
    second: Labels | None
    proposal: Answer
    evidence: float
    support: str = ""

    @property
    def own_runs_only(self) -> bool:
        """True if the chosen answer combines only runs of methods that see one task.

        An answer of the source "all" may be one of these.
        """
        return not self.runs.joint[self.answer.kept].any()


def options(
    own: OwnResult,
    joint: BaseClusterings | None = None,
    transferred: Mapping[int, Labels] = MappingProxyType({}),
) -> Options:
    """Combine a task's runs into candidate answers: from own runs, joint runs, and all runs.

    Parameters
    ----------
    own : the task's own runs and answers
    joint : runs of methods that use several tasks; None leaves only the own answer
    transferred : position of another task -> its own clusters, transferred to the scored rows (m,)
    """
    scorer = own.scorer
    if joint is None:
        none = np.zeros(len(own.runs))
        return Options(scorer, own.runs, own.run_scores, none, own.answer, [], {})
    others = list(transferred.values())
    runs, agreement, run_scores = scored_together(own, joint, others)
    joint_scores = run_scores.take(runs.joint, joint)
    shared = [
        *scorer.answers("all", runs, run_scores, np.arange(len(runs))),
        *scorer.answers("joint", joint, joint_scores, np.flatnonzero(runs.joint)),
    ]
    answers = scorer.with_cross_task_agreement([*own.answers, *shared], others)
    best_own = next(i for i, answer in enumerate(own.answers) if answer is own.answer)
    return Options(scorer, runs, run_scores, agreement, answers[best_own], answers, transferred)


def scored_together(
    own: OwnResult, joint: BaseClusterings, others: Sequence[Labels]
) -> tuple[BaseClusterings, Vector, RunScores]:
    """Return own and joint runs together, their cross-task agreement, and their scores.

    Parameters
    ----------
    joint : runs of methods that use several tasks
    others : clusters of the other tasks, transferred to the scored rows (m,)
    """
    scorer = own.scorer
    runs = own.runs.joined_with(joint)
    agreement = cross_task.cross_task_agreement(scorer.on_sample(runs.labels), others)
    modularity = np.concatenate([own.run_scores.separation, scorer.modularities(joint.labels)])
    return runs, agreement, scorer.score_runs(runs, modularity, agreement)


def decide(tasks: Sequence[Options], cautious: bool = False) -> list[Decision]:
    """Choose each task's answer: its best combination if other tasks or known labels support it.

    Else the answer is the task's own.

    Parameters
    ----------
    tasks : the options of all tasks, at the positions that their `transferred` name
    cautious : True asks for an evidence above .1, also where modularity does not fall

    Examples
    --------
    >>> from kinfolk.choosing.own_answers import own_result
    >>> X = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]])
    >>> labels = np.array([[0, 1, 0, 1], [0, 1, 1, 1]])
    >>> runs = BaseClusterings(labels, ["kmeans", "mec"], [0, 0], np.array([False, False]))
    >>> joint = BaseClusterings(np.array([[0, 0, 1, 1]]), ["mtcfir"], [0], np.array([True]))
    >>> clear = BaseClusterings(joint.labels, ["mec"], [0], np.array([False]))
    >>> task = options(own_result(runs, TaskScorer(X, 2)), joint, {1: np.array([0, 0, 1, 1])})
    >>> helper = options(own_result(clear, TaskScorer(X, 2)), joint, {0: np.array([0, 1, 1, 1])})
    >>> decision, _ = decide([task, helper])
    >>> decision.own.labels, decision.answer.labels, decision.answer.source
    (array([0, 1, 0, 1]), array([0, 0, 1, 1]), 'all')
    >>> decision.has_cross_task_support, decision.own_runs_only, f"{decision.evidence:.2f}"
    (True, False, '0.56')
    """
    proposals = [consensus.best(each.answers or [each.own]) for each in tasks]
    evidence = _evidence(tasks, proposals)
    made = zip(tasks, proposals, evidence, strict=True)
    return [_decision(each, proposal, E, cautious) for each, proposal, E in made]


def _evidence(tasks: Sequence[Options], proposals: Sequence[Answer]) -> Vector:
    """Evidence E (T,) from the other tasks for each proposal; nan if compared with none."""
    D = np.array([0.0 if each.transferred else np.nan for each in tasks])
    pairs = zip(tasks, proposals, strict=True)
    asking = {
        t: [each.own, proposal]
        for t, (each, proposal) in enumerate(pairs)
        if each.transferred and proposal is not each.own
    }
    for t, h in _agreement_both_ways(tasks, asking).items():
        counted = _counted(tasks, t, proposals[t])
        D[t] = cross_task.mutual_gain(*h[counted].T) if any(counted) else 0.0
    # Tasks gain together or not at all: what helps one of related tasks mostly helps the others.
    return (D + D[np.isfinite(D)].mean()) / 2 if np.isfinite(D).any() else D


def _counted(tasks: Sequence[Options], t: int, proposal: Answer) -> list[bool]:
    """For each other task, True unless it is too coarse to be evidence for a proposal for task t.

    The clusters of a coarser task are silent on those that divide them: a proposal that finds only
    the coarse groups, and divides them badly, agrees with them best.
    """
    k = tasks[t].scorer.n_clusters
    clear = proposal.modularity - tasks[t].own.modularity > MIN_GAIN_IF_COARSER
    return [clear or 2 * tasks[s].scorer.n_clusters > k for s in tasks[t].transferred]


def _agreement_both_ways(
    tasks: Sequence[Options], asking: Mapping[int, Sequence[Answer]]
) -> dict[int, Matrix]:
    """Agreement h (S, A) of each task's answers with the S other tasks, mean of both directions.

    The rows of one task are searched for those of all others at once.
    """
    labels = {t: [tasks[t].scorer.on_sample(a.labels) for a in asking[t]] for t in asking}
    forth: dict[int, Matrix] = {}
    back: dict[int, list[Vector]] = {t: [] for t in asking}
    for t, found in labels.items():
        divided = list(tasks[t].transferred.values())
        forth[t] = np.array([cross_task.agreement_with_each(one, divided) for one in found])
    for s, each in enumerate(tasks):
        theirs = each.scorer.on_sample(each.own.labels)
        here = [t for t in asking if s in tasks[t].transferred]
        near = cross_task.near_in_each(each.scorer.X, [tasks[t].scorer.X for t in here])
        moved = [
            cross_task.voted_labels(rows, one)
            for t, rows in zip(here, near, strict=True)
            for one in labels[t]
        ]
        # All at once: one call for each pair of tasks would take most of the time.
        agreed = cross_task.agreement_with_each(theirs, moved)
        ends = np.cumsum([len(labels[t]) for t in here])[:-1]
        # Not strict: of no tasks `split` makes one empty part.
        for t, own in zip(here, np.split(agreed, ends), strict=False):
            back[t].append(own)
    return {t: (forth[t].T + np.array(back[t])) / 2 for t in asking}


def _decision(given: Options, proposal: Answer, evidence: float, cautious: bool) -> Decision:
    """Accept the proposal if evidence from other tasks suffices, or known labels fit better.

    Else the own answer is kept.
    """
    own = given.own.labels
    few = len(own) < FEW_ROWS * given.scorer.n_clusters and not given.scorer.has_clusters(own)
    cautious = cautious or few
    least = CAUTIOUS_EVIDENCE if cautious else MIN_EVIDENCE
    # Rounded, so that equal clusters are as clear on every machine.
    if not cautious and round(proposal.modularity - given.own.modularity, 12) >= 0:
        least = MIN_EVIDENCE_IF_CLEAR
    fits_labels = proposal.label_fit > given.own.label_fit
    support = records.TASKS if evidence > least else records.LABELS if fits_labels else ""
    answer = proposal if support else given.own
    second = second_answer(given.runs, given.run_scores, answer.labels, given.scorer)
    return Decision(
        **vars(given),
        answer=answer,
        second=second,
        proposal=proposal,
        evidence=evidence,
        support="" if answer is given.own else support,
    )


def second_answer(
    runs: BaseClusterings, run_scores: RunScores, answer: Labels, scorer: TaskScorer
) -> Labels | None:
    """Return a second clustering if the better half of the runs forms two groups that disagree.

    Each of the two groups votes. The vote less like `answer` (n,) is returned if the runs of each
    group agree, the two votes and `answer` differ, and it exceeds the level of the null model; else
    None.
    """
    groups = consensus.modes(runs, run_scores)
    if groups is None:
        return None
    within = [_mean_off_diagonal(run_scores.pairwise[np.ix_(group, group)]) for group in groups]
    votes = [consensus.voting(runs.labels[group], scorer.n_clusters) for group in groups]
    A = scores.pairwise_agreement(np.vstack([answer, *votes]))
    other = votes[A[0, 1:].argmin()]
    # Both votes may be close to the answer: then neither is a second one.
    apart = max(A[1, 2], A[0, 1:].min()) < MAX_BETWEEN
    supported = min(within) >= MIN_WITHIN and apart
    return other if supported and scorer.exceeds_null(other) else None


def _mean_off_diagonal(A: NDArray[np.floating]) -> float:
    """Mean of the entries of a square matrix off its diagonal."""
    n = len(A)
    return float((A.sum() - np.trace(A)) / (n * (n - 1)))
