"""The answer for one task, beside the answer it has by itself.

The guard against negative transfer is to know both: `own` is the same rule on the task's own runs
only. No test without labels tells with certainty which of them is better, so both are kept, with
the signs there are (`differences`).

    own       the best of the three combinations of the task's own runs
    answer    the best of these, of the three combinations of all runs, and of the three of those
              that see several tasks,

                  argmax over c of p[t,c] + 2 mean over s of q[s,c]
                  p[t,c] = points of combination c in task t                       (`consensus`)
                  q[s,c] = its modularity + echo in s, less the mean of all combinations there

              over the tasks s that hear others; which combination is good depends more on the
              data set than on the task, and what one task's signs say of it is vague.
              It is `own` unless a sign prefers another, for the cautious: unless both modularity
              and echo do
    no clusters         neither modularity nor silhouette is above what such tables have by chance
                        (`chance`)
    two answers         the better half of the runs falls into two crowds, each of which agrees
                        within itself (mean adjusted Rand index >= `TOLD`), whose votes differ
                        (index < `APART`), and are clearer than chance

Others are heard if any run is echoed by `cross_task.LEAST`. Where nobody is heard, nothing bears
out what sharing would change: another answer must be clearer by `LEAD`, unless known labels can
tell.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk import measures
from kinfolk.arrays import Labels, Table, Vector
from kinfolk.choosing import consensus, cross_task, partial_labels, scores
from kinfolk.choosing.consensus import SIGNS, Answer
from kinfolk.choosing.null_model import Level
from kinfolk.choosing.scores import Evidence, Runs

Kind: TypeAlias = tuple[str, str]
"""The source and the way of an answer."""
SHARED = 2.0
"""Weight of the mean over tasks beside a task's own points; from 1.5 to 9 means hardly differ."""
LEAD = 0.015
"""Of modularity: with 0.01 a task lost 0.065 by an answer, with 0.0125 to 0.02 none."""
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
    chance : the signs that a table without clusters may have
    y : (n,) classes of the rows of the task that somebody knows, -1 elsewhere; None: of none
    """

    X: Table
    k: int
    sample: NDArray[np.integer] | None = None
    seed: int = 0
    combined: bool = True
    chance: Level = Level(0.0, 0.0)
    y: Labels | None = None

    @property
    def told(self) -> int:
        """Rows whose class is known, if they are enough to tell answers apart, else 0."""
        return (
            0 if self.y is None or not partial_labels.enough(self.y) else int((self.y >= 0).sum())
        )

    @cached_property
    def links(self) -> sp.csr_array:
        """The graph (m, m) of the rows that are looked at."""
        return scores.graph(self.X, self.k)

    def seen(self, labels: Labels) -> Labels:
        """Clusterings (..., n) on the rows that are looked at (..., m)."""
        return labels if self.sample is None else labels[..., self.sample]

    def clear(self, labels: Labels) -> bool:
        """Whether a clustering (n,) stands out more than chance allows."""
        if self.modularities(labels[None])[0] > self.chance.modularity:
            return True
        return measures.silhouette(self.X, self.seen(labels)) > self.chance.silhouette

    def modularities(self, labels: Labels) -> Vector:
        """How clearly the clusters of R clusterings (R, n) stand apart (R,)."""
        return scores.modularities(self.seen(labels), self.links)

    def gather(self, runs: Runs, clear: Vector, echo: Vector | None = None) -> Evidence:
        """Weigh the runs by the rows that are looked at, and by the classes that are known."""
        told = None if self.y is None else partial_labels.sign(runs.labels, self.y)
        seen = replace(runs, labels=self.seen(runs.labels))
        return scores.gather(seen, clear, told, echo)

    def answers(
        self, source: str, runs: Runs, found: Evidence, positions: NDArray[np.integer]
    ) -> list[Answer]:
        """Answers made of some runs, of which `positions` (R,) says where they stand among all."""
        if not self.combined:
            first = found.best(0.0)[:1]
            ways = {"single run": runs.labels[first[0]]}
        else:
            first = found.best(consensus.QUARTER)
            ways = consensus.combined(runs, found, self.k, self.seed)
        return [self.judged(labels, way, source, positions[first]) for way, labels in ways.items()]

    def judged(self, labels: Labels, way: str, source: str, kept: NDArray[np.integer]) -> Answer:
        """A clustering (n,) with its signs from inside."""
        told = None if self.y is None else partial_labels.sign(labels[None], self.y)
        fit = 0.0 if told is None else told.weight * float(told.values[0])
        Q = float(self.modularities(labels[None])[0])
        return Answer(labels, way, source, kept, Q, known=fit)

    def echoed(self, answers: list[Answer], referees: Sequence[Labels]) -> list[Answer]:
        """The answers with their echoes."""
        echo = cross_task.strengths(self.seen(np.array([a.labels for a in answers])), referees)
        return [replace(a, echo=float(e)) for a, e in zip(answers, echo, strict=True)]


@dataclass(frozen=True)
class Own:
    """What a task says by itself.

    Attributes
    ----------
    bench : what it is judged by
    runs, found : its R runs, and what speaks for each
    answers : their combinations
    """

    bench: Bench
    runs: Runs
    found: Evidence
    answers: list[Answer]

    @cached_property
    def answer(self) -> Answer:
        """The best of the combinations."""
        return consensus.best(self.answers)

    @property
    def clear(self) -> bool:
        """Whether it has clusters: its answer stands out more than chance allows."""
        return self.bench.clear(self.answer.labels)

    def refereed(self, other: "Own") -> Labels:
        """What the clusters of another task make of the rows (m,) that are looked at."""
        rows = other.bench.X
        return cross_task.referee(self.bench.X, rows, other.bench.seen(other.answer.labels))


@dataclass(frozen=True)
class Case:
    """What one task is judged by.

    Attributes
    ----------
    bench : what its answers are judged by
    runs, found : all its R runs, own ones first, and what speaks for each
    echo : (R,) how far other tasks bear each run out
    own : the answer from the runs of the task by itself
    answers : all there are, own ones first; none without other tasks
    """

    bench: Bench
    runs: Runs
    found: Evidence
    echo: Vector
    own: Answer
    answers: list[Answer]

    @property
    def heard(self) -> bool:
        """Whether other tasks bear anything out."""
        return bool(self.echo.max() >= cross_task.LEAST)


@dataclass(frozen=True)
class Verdict(Case):
    """A case, and what was found.

    Attributes
    ----------
    answer : what stands
    second : (n,) a second answer that is as well supported, or None
    """

    answer: Answer
    second: Labels | None

    @property
    def own_stands(self) -> bool:
        """Whether no run that knows other tasks has a part in the answer."""
        return not self.runs.joint[self.answer.kept].any()


def alone(runs: Runs, bench: Bench) -> Own:
    """Combine the runs of a task by itself.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]])
    >>> labels = np.array([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1]])
    >>> runs = Runs(labels, ["a", "b", "c"], [0, 0, 0], np.zeros(3, dtype=bool))
    >>> alone(runs, Bench(X, 2)).answer.labels.tolist()
    [0, 0, 1, 1]
    """
    found = bench.gather(runs, bench.modularities(runs.labels))
    return Own(bench, runs, found, bench.answers("own", runs, found, np.arange(len(runs))))


def case(own: Own, joint: Runs | None = None, referees: Sequence[Labels] = ()) -> Case:
    """Gather what there is to judge one task by.

    Parameters
    ----------
    own : what it says by itself
    joint : runs that know other tasks, if there are any
    referees : what the clusters of each other task make of the rows that are looked at
    """
    bench = own.bench
    if joint is None:
        return Case(bench, own.runs, own.found, np.zeros(len(own.runs)), own.answer, [])
    runs = own.runs.beside(joint)
    echo = cross_task.strengths(bench.seen(runs.labels), referees)
    clear = np.concatenate([own.found.clear, bench.modularities(joint.labels)])
    found = bench.gather(runs, clear, echo)
    ours = bench.echoed(own.answers, referees)
    mine = next(a for a, b in zip(ours, own.answers, strict=True) if b is own.answer)
    return Case(bench, runs, found, echo, mine, [*ours, *_others(bench, runs, found, referees)])


def _others(bench: Bench, runs: Runs, found: Evidence, referees: Sequence[Labels]) -> list[Answer]:
    """Answers from all runs, and from those alone that see several tasks."""
    seeing, places = runs.take(runs.joint), np.flatnonzero(runs.joint)
    answers = [
        *bench.answers("all", runs, found, np.arange(len(runs))),
        *bench.answers("joint", seeing, found.take(runs.joint, seeing), places),
    ]
    return bench.echoed(answers, referees)


def judge(cases: Sequence[Case], cautious: bool = False) -> list[Verdict]:
    """Find the answer of each task.

    Parameters
    ----------
    cases : of all tasks
    cautious : whether both modularity and echo must prefer an answer to the own one
    """
    shared = _shared(cases)
    return [_verdict(each, shared, cautious) for each in cases]


def _shared(cases: Sequence[Case]) -> dict[Kind, float]:
    """How far each combination's signs are above others', mean over the tasks that hear others."""
    above = defaultdict(list)
    for answers in (each.answers for each in cases if each.heard):
        points = np.array([answer.modularity + answer.echo for answer in answers])
        for answer, more in zip(answers, points - points.mean(), strict=True):
            above[answer.source, answer.way].append(more)
    return {kind: float(np.mean(values)) for kind, values in above.items()}


def _verdict(given: Case, shared: Mapping[Kind, float], cautious: bool) -> Verdict:
    chosen = given.own
    asked = [a for a in given.answers if not cautious or a.source != "own"]
    if not given.heard and not given.bench.told:
        asked = [a for a in asked if a.modularity > chosen.modularity + LEAD]
    if asked:
        weight = SHARED if given.heard else 0.0
        points = [a.points + weight * shared.get((a.source, a.way), 0.0) for a in asked]
        chosen = _careful(chosen, asked[int(np.round(points, 12).argmax())], cautious)
    other = second(given.runs, given.found, chosen.labels, given.bench)
    return Verdict(**vars(given), answer=chosen, second=other)


def _careful(own: Answer, other: Answer, cautious: bool) -> Answer:
    """Another answer if a sign prefers it, for the cautious: if both do; else the own one."""
    better = {sign: getattr(other, sign) > getattr(own, sign) for sign in (*SIGNS, "known")}
    if cautious:
        return other if all(better[sign] for sign in SIGNS) else own
    return other if any(better.values()) else own


def second(runs: Runs, found: Evidence, answer: Labels, bench: Bench) -> Labels | None:
    """The vote of that of two crowds which is less like the answer (n,); None if there is one."""
    crowds = consensus.modes(runs, found)
    if crowds is None:
        return None
    unity = [_within(found.agreement[np.ix_(crowd, crowd)]) for crowd in crowds]
    votes = np.array([consensus.vote(runs.labels[crowd], bench.k) for crowd in crowds])
    A = scores.agreement(np.vstack([answer, votes]))
    other = votes[A[0, 1:].argmin()]
    return other if bench.clear(other) and min(unity) >= TOLD and A[1, 2] < APART else None


def _within(A: NDArray[np.floating]) -> float:
    """The mean of a square matrix off its diagonal."""
    n = len(A)
    return float((A.sum() - np.trace(A)) / (n * (n - 1)))
