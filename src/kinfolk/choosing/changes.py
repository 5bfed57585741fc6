"""Records how the answer of a task differs from the answer it has without the other tasks.

Two criteria compare the answers: modularity, beside its null level, and cross-task agreement, which
counts only with cross-task support (`decision`). Neither is proof: look at the rows that differ.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Vector
from kinfolk.choosing import consensus, scores
from kinfolk.choosing.consensus import CRITERIA
from kinfolk.choosing.decision import Decision
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
    n_rows : of the task
    meaning : the record in a sentence
    """
    answer = decision.answer
    own = decision.own
    runs = decision.runs
    A = scores.pairwise_agreement(np.array([answer.labels, own.labels, *runs.labels]))[0]
    n_clusters = int(max(answer.labels.max(), own.labels.max())) + 1
    matched = consensus.match_clusters(own.labels, answer.labels, n_clusters)
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
            "changed_rows": rows[matched[own.labels] != answer.labels],
            "n_rows": len(rows),
        }
    )
    record["meaning"] = describe(record)
    return record


def describe(record: Mapping[str, Any]) -> str:
    """Say in plain words what a change record means.

    >>> describe({"modularity": 0.4, "own_modularity": 0.3, "known_rows": 0, "n_rows": 50,
    ...           "agreement_with_joint_runs": 0.7, "own_runs_only": False, "has_clusters": True,
    ...           "has_second_answer": False, "has_cross_task_support": False,
    ...           "changed_rows": [4, 7]})
    'The other data sets changed the cluster of 2 of 50 rows; the criteria prefer the change.'
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


def _difference(record: Mapping[str, Any]) -> str:
    if np.isnan(record["agreement_with_joint_runs"]):
        return "This data set was clustered by itself."
    changed = len(record["changed_rows"])
    n = record["n_rows"]
    if record["own_runs_only"]:
        reason = (
            "they score higher"
            if record["has_cross_task_support"]
            else "the clusters of the others do not agree with any run"
        )
        combined = f", combined in another way ({changed} of {n} rows)" if changed else ""
        return f"The clusters are those of this data set by itself{combined}: {reason}."
    if not changed:
        return "With and without the other data sets the clusters are the same."
    criteria = usable_criteria(record)
    better = any(record[name] > record[f"own_{name}"] for name in criteria)
    worse = any(record[name] < record[f"own_{name}"] for name in criteria)
    preference = {
        (True, False): "the criteria prefer the change",
        (True, True): "one criterion prefers the change, the other does not",
    }.get((better, worse), "no criterion prefers the change")
    return f"The other data sets changed the cluster of {changed} of {n} rows; {preference}."


def _weighted_mean(values: Vector, weights: Vector, which: NDArray[np.bool_]) -> float:
    return float(np.average(values[which], weights=weights[which])) if which.any() else float("nan")
