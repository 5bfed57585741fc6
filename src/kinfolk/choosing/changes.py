"""Describes how a task's answer differs from the one found from its own rows alone.

An answer that differs from the own one is supported from outside the task: by the clusters that
the other tasks have by themselves, or by known labels (`decision`); or one shape of clusters was
learned from all tasks (`shared_metric`), or the mixture of one of them describes its rows better
than its own (`moved_mixtures`). Modularity, beside its null level, and cross-task
agreement describe both answers. None is proof: look at the rows that differ.

How often such an answer was the better one was counted on tasks with known classes, from sets that
decided nothing about the rules (`TRACK_RECORD`).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from kinfolk.arrays import Labels, Vector
from kinfolk.choosing import consensus, mixtures, scores, separated_clusters
from kinfolk.choosing.consensus import CRITERIA
from kinfolk.choosing.decision import Decision
from kinfolk.choosing.records import COMMON, FOUND_TWICE, LABELS, MIXTURE, SHAPE, TASKS, Record


class Cases(NamedTuple):
    """Counts on benchmark data sets: changed answers that got more accurate, and all changed."""

    better: int
    all: int

    @property
    def may_be_chance(self) -> bool:
        """True if the 95 % interval (Wilson) of the share that became better begins below a half.

        >>> Cases(31, 37).may_be_chance, Cases(19, 30).may_be_chance
        (False, True)
        """
        return bool(binomtest(self.better, self.all).proportion_ci(method="wilson").low < 0.5)


# Of the judging sets of `docs/related.md`, three seeds, kinds of tables as `Kinfolk` sees them. One
# shape for all tasks changes too few answers to count them: tasks keep mixtures of their own.
# Every rise counts as better: 55 of 76; that page asks for more than .005, and has 54 of them.
# Evidence above .1 is no grade of its own: 14 of 18 of its changes were better, 41 of 58 others.
# No kind has nine in ten for certain (the 95 % interval of 31 of 37 begins at .68), so no sentence
# says that a change is clearly better.
TRACK_RECORD = {
    "counts": Cases(31, 37),
    "amounts": Cases(5, 9),
    "measurements": Cases(19, 30),
}
"""For each kind of table, counts of answers that were changed with support by other tasks."""

# Of the same sets and seeds.
SECOND_ANSWERS = Cases(2, 14)
"""Counts of second answers: those more accurate than the first, and all that were shown."""


def change_record(
    task: Any, decision: Decision, rows: NDArray[np.integer], kind: str = "measurements"
) -> Record:
    """Compare a task's answer with its own answer (without other tasks) in one record (a dict).

    Parameters
    ----------
    kind : of the table, see `representations`

    Returns
    -------
    task : its name
    agreement : adjusted Rand index of the two answers
    modularity, cross_task_agreement, combiner : of the answer; with "own_" before, of the own one
    source : the runs it combines: "own", "all" or "joint" (methods that use several tasks); "own"
        also if of all runs only own ones were kept
    null_modularity : the modularity that tables without clusters reach
    has_clusters : True if the answer, or another clustering of the rows, exceeds its null level
    has_cross_task_support : True if another task agrees with any run, see `cross_task.SUPPORT`
    known_rows : number of known labels used in the choice
    joint_share : share of joint runs among those kept for the answer
    agreement_with_own_runs, agreement_with_joint_runs : weighted mean adjusted Rand index of the
        answer with these runs, nan for none
    own_runs_only : True if the answer combines only runs of the task by itself
    has_second_answer : True if a second answer is possible; it is mostly the worse one
    changed_rows : positions where the two answers differ, clusters matched
    evidence : E of the proposed answer from outside the task, see `decision`; nan where none was
        asked: a task by itself, or one shape of clusters for all tasks, which has a guard of its
        own (`shared_metric`)
    support : what supports an answer that differs from the own one: the own clusters of other
        "tasks", known "labels", one "shape" of clusters learned from all tasks (`shared_metric`),
        the "mixture" of another task, clusters "found twice" by mixtures of both
        (`moved_mixtures`), or a "common mixture" of all tasks (`common_mixtures`); "" where the own
        one stands
    refused_rows : positions where a proposed answer, which was not supported, differs from the one
        that stands
    cases, better_cases : counted changes of this sort on other data with known classes, and those
        among them that made an answer more accurate; 0 if none were counted
    n_rows : of the task
    meaning : the record in sentences
    """
    answer = decision.answer
    own = decision.own
    runs = decision.runs
    A = scores.pairwise_agreement(np.array([answer.labels, own.labels, *runs.labels]))[0]
    changed = np.sort(rows[differ(own.labels, answer.labels)])
    known = Cases(0, 0)
    if len(changed) and decision.support == TASKS:
        known = TRACK_RECORD[kind]
    with_runs = A[2:]
    weights = decision.run_scores.weights
    record = Record(
        {
            "task": task,
            "agreement": float(A[1]),
            **{name: getattr(answer, name) for name in (*CRITERIA, "combiner")},
            **{f"own_{name}": getattr(own, name) for name in (*CRITERIA, "combiner")},
            "source": "own" if decision.own_runs_only else answer.source,
            "null_modularity": decision.scorer.null_level.modularity,
            "has_clusters": decision.scorer.has_clusters(answer.labels),
            "has_cross_task_support": decision.has_cross_task_support,
            "known_rows": decision.scorer.n_known,
            "joint_share": float(runs.joint[answer.kept].mean()),
            "agreement_with_own_runs": _weighted_mean(with_runs, weights, ~runs.joint),
            "agreement_with_joint_runs": _weighted_mean(with_runs, weights, runs.joint),
            "own_runs_only": decision.own_runs_only,
            "has_second_answer": decision.second is not None,
            "changed_rows": changed,
            "evidence": decision.evidence,
            "support": decision.support if len(changed) else "",
            "refused_rows": np.sort(rows[differ(answer.labels, decision.proposal.labels)]),
            "cases": known.all,
            "better_cases": known.better,
            "n_rows": len(rows),
        }
    )
    record["meaning"] = describe(record)
    return record


def differ(labels: Labels, others: Labels) -> NDArray[np.bool_]:
    """Mark rows (n,) where two clusterings differ after their clusters are matched."""
    n_clusters = int(max(labels.max(), others.max())) + 1
    return np.asarray(consensus.match_clusters(labels, others, n_clusters)[labels] != others)


def describe(record: Mapping[str, Any]) -> str:
    """Explain a change record in plain sentences.

    >>> describe({"known_rows": 0, "n_rows": 50, "agreement_with_joint_runs": 0.7,
    ...           "own_runs_only": False, "has_clusters": True, "has_second_answer": False,
    ...           "changed_rows": [4, 7], "refused_rows": [], "evidence": 0.07, "source": "all",
    ...           "support": "tasks", "cases": 27, "better_cases": 24}).split(";")[1]
    ' their own clusters support it. In 24 of 27 such cases with known classes it was better.'
    """
    sentences = [_difference(record)]
    if record["cases"]:
        known = Cases(record["better_cases"], record["cases"])
        doubt = ", which may be chance" if known.may_be_chance else ""
        sentences.append(
            f"In {known.better} of {known.all} such cases with known classes it was better{doubt}."
        )
    if not record["has_clusters"]:
        sentences.insert(
            0,
            "No clusters found that are clearer than chance: tables without any reach the same "
            "scores (modularity and silhouette).",
        )
    if record["known_rows"]:
        sentences.append(f"{record['known_rows']} known labels took part in the choice.")
    if record["has_second_answer"]:
        sentences.append(
            "A second, different answer is possible; where classes were known it was the better "
            f"one in {SECOND_ANSWERS.better} of {SECOND_ANSWERS.all} cases."
        )
    return " ".join(sentences)


def _difference(record: Mapping[str, Any]) -> str:
    """Say in a sentence how an answer differs from the own one, or why it is the own one."""
    changed = len(record["changed_rows"])
    n = record["n_rows"]
    refused = len(record["refused_rows"])
    if refused and not changed:
        return (
            f"An answer that changes {refused:,} of {n:,} rows scored higher, but the clusters of "
            "the other data sets do not support it: this data set keeps its own."
        )
    own = "The clusters are those of this data set by itself"
    if not changed and record.get("combiner") in _TESTED:
        return f"{own}: {_TESTED[record['combiner']]}."
    if np.isnan(record["agreement_with_joint_runs"]):
        return f"{own}."
    if not changed and record["own_runs_only"]:
        return f"{own}: they score highest."
    if not changed:
        return "With and without the other data sets the clusters are the same."
    support = _SUPPORT[record["support"]]
    return f"The other data sets changed the cluster of {changed:,} of {n:,} rows; {support}."


_TESTED = {
    mixtures.FAMILY: "a mixture of bell-shaped clusters describes its rows well",
    separated_clusters.FAMILY: "hardly a row lies between them",
}

_SUPPORT = {
    TASKS: "their own clusters support it",
    LABELS: "the known labels support it",
    SHAPE: "one shape of clusters was learned from all data sets, and by it they agree better",
    MIXTURE: "the clusters of another data set describe these rows better than any of their own do",
    FOUND_TWICE: "a mixture of these rows alone and one of another data set give the same clusters",
    COMMON: "clusters common to all data sets describe these rows better than any of their own do",
}


def _weighted_mean(values: Vector, weights: Vector, which: NDArray[np.bool_]) -> float:
    return float(np.average(values[which], weights=weights[which])) if which.any() else float("nan")
