"""Records how the answer of a task differs from the answer it has without the other tasks.

An answer that differs from the own one is supported from outside the task: by the clusters that
the other tasks have by themselves, or by known labels (`decision`). Modularity, beside its null
level, and cross-task agreement describe both answers. None is proof: look at the rows that differ.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Vector
from kinfolk.choosing import consensus, scores
from kinfolk.choosing.consensus import CRITERIA
from kinfolk.choosing.decision import CAUTIOUS_EVIDENCE, MIN_EVIDENCE, Decision
from kinfolk.choosing.records import Record


def change_record(task: Any, decision: Decision, rows: NDArray[np.integer]) -> Record:
    """Record of the answer beside the own answer of a task whose rows stand at `rows` (n,).

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
    has_second_answer : True if a second answer is supported as well
    changed_rows : positions where the two answers differ, clusters matched
    evidence : E of the proposed answer from outside the task, see `decision`; nan where none was
        asked: a task by itself, or one shape of clusters for all tasks
    refused_rows : positions where a proposed answer, which was not supported, differs from the own
    n_rows : of the task
    meaning : the record in a sentence
    """
    answer = decision.answer
    own = decision.own
    runs = decision.runs
    A = scores.pairwise_agreement(np.array([answer.labels, own.labels, *runs.labels]))[0]
    refused = own if decision.proposal is answer else decision.proposal
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
            "changed_rows": rows[_differ(own.labels, answer.labels)],
            "evidence": decision.evidence,
            "refused_rows": rows[_differ(own.labels, refused.labels)],
            "n_rows": len(rows),
        }
    )
    record["meaning"] = describe(record)
    return record


def _differ(labels: Labels, others: Labels) -> NDArray[np.bool_]:
    """True (n,) where two clusterings differ, clusters matched."""
    n_clusters = int(max(labels.max(), others.max())) + 1
    return np.asarray(consensus.match_clusters(labels, others, n_clusters)[labels] != others)


def describe(record: Mapping[str, Any]) -> str:
    """Say in plain words what a change record means.

    >>> describe({"modularity": 0.4, "own_modularity": 0.3, "known_rows": 0, "n_rows": 50,
    ...           "agreement_with_joint_runs": 0.7, "own_runs_only": False, "has_clusters": True,
    ...           "has_second_answer": False, "has_cross_task_support": True,
    ...           "changed_rows": [4, 7], "refused_rows": [], "evidence": 0.07})
    'The other data sets changed the cluster of 2 of 50 rows; their own clusters support it.'
    """
    sentences = [_difference(record)]
    if not record["has_clusters"]:
        sentences.insert(
            0,
            "No clusters found: tables without clusters reach the same modularity and silhouette.",
        )
    if record["known_rows"]:
        sentences.append(f"{record['known_rows']} known labels took part in the choice.")
    if record["has_second_answer"]:
        sentences.append("A second, different answer is as well supported: look at both.")
    return " ".join(sentences)


def usable_criteria(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Criteria that compare the two answers of a record; modularity alone without support.

    >>> usable_criteria({"has_cross_task_support": False})
    ('modularity',)
    """
    return CRITERIA if record["has_cross_task_support"] else CRITERIA[:1]


def moved_criteria(record: Mapping[str, Any]) -> tuple[bool, bool]:
    """True if a usable criterion is higher for the answer than for the own one; if one is lower.

    >>> moved_criteria({"has_cross_task_support": False, "modularity": 0.4, "own_modularity": 0.3})
    (True, False)
    """
    names = usable_criteria(record)
    higher = any(record[name] > record[f"own_{name}"] for name in names)
    lower = any(record[name] < record[f"own_{name}"] for name in names)
    return higher, lower


def _difference(record: Mapping[str, Any]) -> str:
    if np.isnan(record["agreement_with_joint_runs"]):
        return "This data set was clustered by itself."
    changed = len(record["changed_rows"])
    n = record["n_rows"]
    if refused := len(record["refused_rows"]):
        return (
            f"An answer that changes {refused} of {n} rows scored higher, but the clusters of the "
            "other data sets do not support it: this data set keeps its own."
        )
    if not changed and record["own_runs_only"]:
        return "The clusters are those of this data set by itself: they score highest."
    if not changed:
        return "With and without the other data sets the clusters are the same."
    return f"The other data sets changed the cluster of {changed} of {n} rows; {_support(record)}."


def _support(record: Mapping[str, Any]) -> str:
    """The reason for a change, in words."""
    if record["evidence"] > CAUTIOUS_EVIDENCE:
        return "their own clusters support it clearly"
    if record["evidence"] > MIN_EVIDENCE:
        return "their own clusters support it"
    if record["known_rows"]:
        return "the known labels support it"
    return {
        (True, False): "the criteria prefer the change",
        (True, True): "one criterion prefers the change, the other does not",
    }.get(moved_criteria(record), "no criterion prefers the change")


def _weighted_mean(values: Vector, weights: Vector, which: NDArray[np.bool_]) -> float:
    return float(np.average(values[which], weights=weights[which])) if which.any() else float("nan")
