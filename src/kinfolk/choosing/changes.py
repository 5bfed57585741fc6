"""What sharing changed in a task: the answer beside the one it has by itself, as a record.

Two signs speak for an answer: how far rows most alike share a cluster (modularity), beside the
level of chance, and how far the own clusters of other tasks bear it out (echo), which says
something where others are heard (`verdicts`). Neither proves a thing: look at the rows that differ.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.choosing import consensus, scores
from kinfolk.choosing.consensus import SIGNS
from kinfolk.choosing.decision import Verdict


def compared(task: Any, verdict: Verdict, rows: NDArray[np.integer]) -> dict[str, Any]:
    """The answer beside the task's own, as a record; rows (n,) are where the task stands.

    Returns
    -------
    task : its name
    agreement : adjusted Rand index of the two answers
    modularity, echo, way : of the answer; with "own_" before, of the own one
    source : the runs it was made of: "own", "all" or "joint", those that see several tasks; "own"
        also where of all runs only own ones were kept
    chance : the modularity that a table without clusters may have
    clusters : whether that of the answer is larger, or its silhouette beyond chance
    heard : whether other tasks bear out any run, see `echoes.LEAST`
    known : labels that took part in the choice
    joint_share : of the runs kept for the answer, those that know other tasks
    agree_own, agree_joint : mean agreement of the answer with the runs of the task by itself and
        with those that know other tasks, nan for none
    own_stands : whether the answer comes from the runs of the task by itself
    second : whether a second answer is as well supported
    rows, n_rows : positions on which the two differ, clusters matched; rows of the task
    meaning : a sentence
    """
    a, o, runs = verdict.answer, verdict.own, verdict.runs
    A = scores.agreement(np.array([a.labels, o.labels, *runs.labels]))[0]
    names = consensus.matched(o.labels, a.labels, int(max(a.labels.max(), o.labels.max())) + 1)
    w, agree, bench = verdict.found.weights, A[2:], verdict.bench
    record = {
        "task": task,
        "agreement": float(A[1]),
        **{sign: getattr(a, sign) for sign in (*SIGNS, "way")},
        **{f"own_{sign}": getattr(o, sign) for sign in (*SIGNS, "way")},
        **{
            "source": "own" if verdict.own_stands else a.source,
            "chance": bench.chance.modularity,
            "clusters": bench.clear(a.labels),
        },
        "heard": verdict.heard,
        "known": bench.told,
        "joint_share": float(runs.joint[a.kept].mean()),
        "agree_own": _mean(agree[~runs.joint], w[~runs.joint]),
        "agree_joint": _mean(agree[runs.joint], w[runs.joint]),
        "own_stands": verdict.own_stands,
        "second": verdict.second is not None,
        "rows": rows[names[o.labels] != a.labels],
        "n_rows": len(rows),
    }
    return {**record, "meaning": meaning(record)}


def meaning(record: dict[str, Any]) -> str:
    """Say in plain words what a record of `compared` means.

    >>> meaning({"modularity": 0.4, "own_modularity": 0.3, "echo": 0.0, "own_echo": 0.0,
    ...          "agree_joint": 0.7, "own_stands": False, "clusters": True, "second": False,
    ...          "heard": True, "known": 0, "rows": [4, 7], "n_rows": 50})
    'The other data sets changed the cluster of 2 of 50 rows, for the better as far as can be seen.'
    """
    said = [_difference(record)]
    if not record["clusters"]:
        said.insert(0, "No clusters found: a table without any could look as clear as this.")
    if record["known"]:
        said.append(f"{record['known']} known labels took part in the choice.")
    if record["second"]:
        said.append("Two answers are equally well supported: look at both.")
    return " ".join(said)


def telling(record: dict[str, Any]) -> tuple[str, ...]:
    """The signs of a record of `compared` that say something: echoes do where others are heard."""
    return SIGNS if record["heard"] else SIGNS[:1]


def _difference(record: dict[str, Any]) -> str:
    if np.isnan(record["agree_joint"]):
        return "This data set was clustered by itself."
    rows, n = len(record["rows"]), record["n_rows"]
    if record["own_stands"]:
        why = "more speaks for them" if record["heard"] else "the others divide its rows otherwise"
        how = f", combined in another way ({rows} of {n} rows)" if rows else ""
        return f"The clusters are those of this data set by itself{how}: {why}."
    if not rows:
        return "With and without the other data sets the clusters are the same."
    change = np.sign([record[sign] - record[f"own_{sign}"] for sign in telling(record)])
    by = {
        (True, False): "for the better as far as can be seen",
        (True, True): "with signs for and against it",
    }.get((bool((change > 0).any()), bool((change < 0).any())), "with no sign for it")
    return f"The other data sets changed the cluster of {rows} of {n} rows, {by}."


def _mean(values: Sequence[float] | NDArray[np.floating], weights: NDArray[np.floating]) -> float:
    return float(np.average(values, weights=weights)) if len(weights) else float("nan")
