"""The answer for one task, the answer it has by itself, and what the difference means.

The guard against negative transfer is to know both: `own` is the same rule on the task's own runs
only. No test without labels tells with certainty which of them is better, so both are kept, with
the two signs there are: the silhouette, and how often neighbours share a cluster (kappa). Where
both signs prefer `own`, the cautious take it.

    no clusters         the silhouette is not above what chance gives such tables (`chance`)
    two answers         the better half of the runs falls into two crowds, each of which agrees
                        within itself (mean adjusted Rand index >= `TOLD`), whose votes differ
                        (index < `APART`), and are clearer than chance
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk import measures
from kinfolk.arrays import Labels, Table
from kinfolk.choosing import consensus, evidence
from kinfolk.choosing.consensus import Answer
from kinfolk.choosing.evidence import Evidence, Runs
from kinfolk.numerics import reuse

TOLD = 0.5
"""Below this the runs of a crowd tell no common story."""
APART = 0.5
"""From this index on two answers are variants of one: more pairs agree than differ."""


@dataclass(frozen=True)
class Bench:
    """What all answers for one task are judged by.

    Attributes
    ----------
    X : (m, d) the rows in a neutral space
    k : clusters
    sample : (m,) the positions of these rows in the task, or None for all
    seed : of the consensus
    combined : False takes the best single run instead of a consensus
    chance : the silhouette that a table without clusters may have
    """

    X: Table
    k: int
    sample: NDArray[np.integer] | None = None
    seed: int = 0
    combined: bool = True
    chance: float = 0.0

    def seen(self, runs: Runs) -> Runs:
        """The runs on the rows that are looked at."""
        return runs if self.sample is None else runs.rows(self.sample)

    def answer(self, runs: Runs, found: Evidence) -> tuple[Answer, NDArray[np.integer]]:
        """The answer, and the positions of the runs that made it, best first."""
        if self.combined:
            made = consensus.combine(runs, found, self.X, self.k, self.seed, self.sample)
            return made, found.best(consensus.QUARTER)
        first = found.best(0.0)[:1]
        return consensus.best({"single run": runs.labels[first[0]]}, self.X, self.sample), first


@dataclass(frozen=True)
class Verdict:
    """What is found for one task.

    Attributes
    ----------
    runs, found : its R runs, and what speaks for each
    answer, own : from all runs, and from those of the task by itself
    kept, own_kept : positions of the runs that made them, best first
    second : (n,) a second answer that is as well supported, or None
    chance : the silhouette that a table without clusters may have
    cautious : whether the own answer stands where both signs prefer it
    """

    runs: Runs
    found: Evidence
    answer: Answer
    kept: NDArray[np.integer]
    own: Answer
    own_kept: NDArray[np.integer]
    second: Labels | None
    chance: float
    cautious: bool = False

    @property
    def prefers_own(self) -> bool:
        """Whether both signs prefer the task's own answer."""
        a, o = self.answer, self.own
        return o.silhouette > a.silhouette and o.kappa > a.kappa

    @property
    def stands(self) -> tuple[Labels, NDArray[np.integer]]:
        """The labels (n,) that stand, and the positions of the runs that made them."""
        if self.cautious and self.prefers_own:
            return self.own.labels, self.own_kept
        return self.answer.labels, self.kept


def judge(runs: Runs, bench: Bench, cautious: bool = False) -> Verdict:
    """Find the answer of one task, and its own.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]])
    >>> labels = np.array([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1]])
    >>> runs = Runs(labels, ["a", "b", "c"], [0, 0, 0], np.array([False, False, True]))
    >>> judge(runs, Bench(X, 2)).answer.labels.tolist()
    [0, 0, 1, 1]
    """
    with reuse.kept():
        seen = bench.seen(runs)
        silhouettes = evidence.silhouettes(seen, bench.X)
        found = evidence.gather(seen, silhouettes)
        answer, kept = bench.answer(runs, found)
        own, own_kept = answer, kept
        if runs.joint.any():
            alone = np.flatnonzero(~runs.joint)
            among = evidence.gather(seen.take(alone), silhouettes[alone])
            own, positions = bench.answer(runs.take(alone), among)
            own_kept = alone[positions]
    other = second(runs, found, answer.labels, bench)
    return Verdict(runs, found, answer, kept, own, own_kept, other, bench.chance, cautious)


def second(runs: Runs, found: Evidence, answer: Labels, bench: Bench) -> Labels | None:
    """The vote of that of two crowds which is less like the answer (n,); None if there is one."""
    crowds = consensus.modes(runs, found)
    if crowds is None:
        return None
    unity = [_within(found.agreement[np.ix_(crowd, crowd)]) for crowd in crowds]
    votes = np.array([consensus.vote(runs.labels[crowd], bench.k) for crowd in crowds])
    A = evidence.agreement(np.vstack([answer, votes]))
    other = votes[A[0, 1:].argmin()]
    seen = other if bench.sample is None else other[bench.sample]
    clear = measures.silhouette(bench.X, seen) > bench.chance
    return other if clear and min(unity) >= TOLD and A[1, 2] < APART else None


def _within(A: NDArray[np.floating]) -> float:
    """The mean of a square matrix off its diagonal."""
    n = len(A)
    return float((A.sum() - np.trace(A)) / (n * (n - 1)))


def compared(task: Any, verdict: Verdict, rows: NDArray[np.integer]) -> dict[str, Any]:
    """The answer beside the task's own, as a record; rows (n,) are where the task stands.

    Returns
    -------
    task : its name
    agreement : adjusted Rand index of the two answers
    silhouette, kappa, way : of the answer; with "own_" before, of the own one
    chance : the silhouette that a table without clusters may have
    clusters : whether that of the answer, or of the own one if it stands, is larger
    joint_share : of the runs kept for the answer, those that know other tasks
    agree_own, agree_joint : mean agreement of the answer with these runs, nan for none
    own_stands : whether the labels are the own ones
    second : whether a second answer is as well supported
    rows, n_rows : positions on which the two differ, clusters matched; rows of the task
    meaning : a sentence
    """
    a, o, runs = verdict.answer, verdict.own, verdict.runs
    A = evidence.agreement(np.array([a.labels, o.labels, *runs.labels]))[0]
    names = consensus.matched(o.labels, a.labels, int(max(a.labels.max(), o.labels.max())) + 1)
    w, agree = verdict.found.weights, A[2:]
    own_stands = verdict.cautious and verdict.prefers_own
    sign = o.silhouette if own_stands else a.silhouette
    record = {
        "task": task,
        "agreement": float(A[1]),
        **{"silhouette": a.silhouette, "own_silhouette": o.silhouette},
        **{"kappa": a.kappa, "own_kappa": o.kappa},
        **{"way": a.way, "own_way": o.way},
        **{"chance": verdict.chance, "clusters": sign > verdict.chance},
        "joint_share": float(runs.joint[verdict.kept].mean()),
        "agree_own": _mean(agree[~runs.joint], w[~runs.joint]),
        "agree_joint": _mean(agree[runs.joint], w[runs.joint]),
        "own_stands": own_stands,
        "second": verdict.second is not None,
        "rows": rows[names[o.labels] != a.labels],
        "n_rows": len(rows),
    }
    return {**record, "meaning": meaning(record)}


def meaning(record: dict[str, Any]) -> str:
    """Say in plain words what a record of `compared` means.

    >>> meaning({"silhouette": 0.3, "own_silhouette": 0.2, "kappa": 0.9, "own_kappa": 0.8,
    ...          "clusters": True, "second": False, "rows": [4, 7], "n_rows": 50})
    'The other tasks changed the cluster of 2 of 50 rows, and both signs say for the better.'
    """
    said = [_difference(record)]
    if not record["clusters"]:
        said.insert(0, "No clusters found: a table without any could look as clear as this.")
    if record["second"]:
        said.append("Two answers are equally well supported: look at both.")
    return " ".join(said)


def _difference(record: dict[str, Any]) -> str:
    if not len(record["rows"]):
        return "With and without the other tasks the clusters are the same."
    better = [record[sign] - record[f"own_{sign}"] for sign in ("silhouette", "kappa")]
    sign = {
        (True, True): "both signs say for the better",
        (False, False): "neither sign says for the better: compare own_labels_",
    }.get((better[0] > 0, better[1] > 0), "the two signs do not agree whether for the better")
    return (
        f"The other tasks changed the cluster of {len(record['rows'])} of {record['n_rows']} rows, "
        f"and {sign}."
    )


def _mean(values: Sequence[float] | NDArray[np.floating], weights: NDArray[np.floating]) -> float:
    return float(np.average(values, weights=weights)) if len(weights) else float("nan")
