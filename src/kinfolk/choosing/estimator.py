"""One answer without labels: many methods, each task's evidence, and what sharing changed.

1. Candidates: runs of several methods, settings and starts (`candidates`), in spaces that fit the
   table (`spaces`).
2. Evidence, in each task by itself: a run is good if runs of other settings agree with it and its
   clusters stand apart (`evidence`).
3. The answer: the best quarter of the runs combined in three ways, of which the one is kept that
   looks best (`consensus`).
4. The guard: the same rule on the runs that know of no other task (`verdicts`).

Units   the signs have none, and judges of measurements see no units (`spaces`). Runs on raw rows
        depend on those of the columns.
Limits  one task: only runs of the task itself, and own_labels_ are labels_.
Source  `docs/labelfree.md`: the rule, its constants and what was measured.
Beyond  a new row goes through every run that was kept, each run's cluster becomes that cluster of
        the answer with which it is matched on the rows of the fit, and the plurality decides. So
        new rows are voted on whichever way made the answer; rows of the fit keep their label where
        the vote equals it.
"""

from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from kinfolk import checks, progress
from kinfolk.arrays import Labels, MatrixLike, Seed, Table
from kinfolk.base import MultiTaskClusterer
from kinfolk.choosing import candidates, chance, consensus, verdicts
from kinfolk.choosing.candidates import FAMILIES, Finished
from kinfolk.choosing.evidence import Runs
from kinfolk.choosing.spaces import Spaces
from kinfolk.choosing.verdicts import Bench, Verdict
from kinfolk.errors import InputError
from kinfolk.numerics import starts
from kinfolk.tables import Tasks

SAMPLE = 2000
"""Rows that speak for a task with more than `consensus.MOST_ROWS`: the standard error of a mean
silhouette is then below 0.01."""


class Kinfolk(MultiTaskClusterer):
    """Clusters related tasks by many methods and combines what the evidence supports.

    Parameters
    ----------
    n_clusters : int >= 1, or a mapping task -> int
    families : names of `kinfolk.choosing.candidates.FAMILIES`, of which at least one clusters each
        task by itself; None: all
    budget : float > 0, seconds after which no further run begins; None: all runs
    consensus : bool, False gives in each task the labels of one real run, the best by evidence
    guard : "report" keeps the answer and reports the task's own beside it; "both" takes the own
        answer where both the silhouette and the neighbours prefer it
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the answer, from 0 in each task
    own_labels_ : (n,), the answer of each task by itself, numbered independently
    second_labels_ : task -> (n_t,), where a second answer is as well supported
    unclustered_tasks_ : tasks in which no clusters were found, see `chance`
    guard_ : one record a task, see `verdicts.compared`
    evidence_ : one record for each task and run: task, family, setting, space, start, joint,
        agree, silhouette, score, kept, seconds
    left_out_ : one record for each candidate that did not run: family, setting, space, start,
        joint, reason
    task_relatedness_ : (T, T), the mean of all runs of MTCFIR, if there were any
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range; a task has fewer rows than clusters, or only one

    Warns
    -----
    UserWarning : interrupted by Ctrl-C; the answer rests on the runs until then

    Examples
    --------
    >>> from kinfolk.datasets import makers
    >>> data = makers.make_related_blobs(20, n_features=4, random_state=0)
    >>> model = Kinfolk(3, families=["kmeans", "mec", "pooled"], random_state=0)
    >>> model.fit(data.X, tasks=data.tasks).guard_[0]["meaning"]
    'With and without the other tasks the clusters are the same.'
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        families: Sequence[str] | None = None,
        budget: float | None = None,
        consensus: bool = True,
        guard: str = "report",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.families = families
        self.budget = budget
        self.consensus = consensus
        self.guard = guard
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: None = None, tasks: Any = None) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each."""
        X, found = self._open(X, tasks)
        k = self._numbers(found)
        budget = None if self.budget is None else checks.above("budget", self.budget, 0)
        checks.choice("guard", self.guard, ["report", "both"])
        random = checks.random(self.random_state)
        spaces = Spaces.of(X, found.codes)
        plan = candidates.plan(self._families(len(k)), spaces, k, random)
        trial = candidates.run(plan, spaces, X, found.codes, budget)
        self.left_out_ = trial.left_out
        made = []
        for t, rows in enumerate(progress.track(found.rows(), "weighing the evidence")):
            sample = _sample(len(rows), random)
            seen = rows if sample is None else rows[sample]
            neutral = spaces.neutral(X[seen], found.codes[seen])
            seed = starts.seeds(random, 1)[0]
            together = spaces.kind == "measurements"
            least = chance.level(neutral, k[t], together=together, seed=seed)
            bench = Bench(neutral, k[t], sample, seed, bool(self.consensus), least)
            made.append(verdicts.judge(_runs(trial.finished, rows), bench, self.guard == "both"))
        self._report(found, made)
        self._report_runs(found, made, trial.finished)
        self._keep(spaces, made, k, trial.finished)
        return self._record(X, found, _joined(found, [v.stands[0] for v in made]), k)

    def _numbers(self, found: Tasks) -> list[int]:
        if isinstance(self.n_clusters, str):
            raise InputError(
                f"n_clusters is {self.n_clusters!r}, and Kinfolk does not choose the number itself "
                "yet; give a number or a mapping task -> number, and compare the silhouettes in "
                "guard_ for a few of them."
            )
        return checks.clusters(self.n_clusters, found)

    def _families(self, T: int) -> list[str]:
        """The families that take part, in the order of `FAMILIES`; joint ones need two tasks."""
        if isinstance(self.families, str):
            raise InputError(f"families is {self.families!r}; give a list of names.")
        given = list(FAMILIES) if self.families is None else list(self.families)
        asked = [checks.choice("families", name, FAMILIES) for name in given]
        if all(FAMILIES[name].joint for name in asked):
            raise InputError(
                f"families is {asked}, none of which clusters each task by itself; add one that "
                "does, such as 'kmeans', for the guard to compare with."
            )
        return [n for n, f in FAMILIES.items() if n in asked and (T > 1 or not f.joint)]

    def _report(self, found: Tasks, made: list[Verdict]) -> None:
        """Set what the tasks would be by themselves, beside the answers."""
        named = list(zip(found.names, made, strict=True))
        self.own_labels_ = _joined(found, [verdict.own.labels for verdict in made])
        self.second_labels_ = {name: v.second for name, v in named if v.second is not None}
        self.guard_ = [
            verdicts.compared(name, verdict, rows)
            for (name, verdict), rows in zip(named, found.rows(), strict=True)
        ]
        self.unclustered_tasks_ = [r["task"] for r in self.guard_ if not r["clusters"]]

    def _report_runs(self, found: Tasks, made: list[Verdict], finished: list[Finished]) -> None:
        """Set the evidence of every run, and what MTCFIR says of the tasks."""
        self.evidence_ = [
            record
            for name, verdict in zip(found.names, made, strict=True)
            for record in _evidence(name, verdict, finished)
        ]
        related = [f.candidate.estimator for f in finished if f.candidate.family == "mtcfir"]
        if related:
            self.task_relatedness_ = np.mean([e.task_relatedness_ for e in related], axis=0)
        elif hasattr(self, "task_relatedness_"):
            del self.task_relatedness_

    def _keep(
        self, spaces: Spaces, made: list[Verdict], k: list[int], finished: list[Finished]
    ) -> None:
        """Keep what new rows need: the runs, and what their clusters are called in the answer.

        The names (runs, T, k) are -1 for clusters that are none of the answer, and throughout
        where a run has no vote in a task.
        """
        used = np.unique(np.concatenate([verdict.stands[1] for verdict in made]))
        chosen = [finished[r].candidate for r in used]
        self._spaces = dict(vars(spaces))
        self._voters = [(candidate.space, candidate.estimator) for candidate in chosen]
        self._names = np.full((len(used), len(k), max(k)), -1)
        for t, verdict in enumerate(made):
            labels, positions = verdict.stands
            for r in positions:
                names = consensus.matched(verdict.runs.labels[r], labels, k[t])
                place = np.searchsorted(used, r)
                self._names[place, t, : len(names)] = np.where(names < k[t], names, -1)

    def predict(self, X: MatrixLike, tasks: Any = None) -> Labels:
        """Assign new rows X (m, d) of known tasks (m,) by a vote of the runs that were kept."""
        check_is_fitted(self)
        codes, X = checks.known_tasks(tasks, X, list(self.task_names_))
        return self._voted(checks.samples(self, X, reset=False), codes)

    def _assign(self, X: Table, t: int) -> Labels:
        return self._voted(X, np.full(X.shape[0], t))

    def _voted(self, X: Table, codes: Labels) -> Labels:
        """Clusters (m,) of new rows X (m, d) of the tasks at positions (m,)."""
        spaces = Spaces(**self._spaces)
        votes = np.zeros((X.shape[0], self._names.shape[2]))
        for (space, estimator), names in zip(self._voters, self._names, strict=True):
            rows = np.flatnonzero(names.max(axis=1)[codes] >= 0)
            if len(rows):
                seen = spaces.table(space, X[rows], codes[rows])
                # A copy drops what MTCFIR keeps to assign further rows, which is large.
                called = names[codes[rows], copy(estimator).predict(seen, tasks=codes[rows])]
                votes[rows, called] += called >= 0
        return votes.argmax(axis=1)


def _sample(n: int, random: np.random.RandomState) -> NDArray[np.integer] | None:
    """Positions of the rows that speak for a task of n, or None for all."""
    if n <= consensus.MOST_ROWS:
        return None
    return np.sort(random.choice(n, SAMPLE, replace=False))


def _runs(finished: list[Finished], rows: NDArray[np.integer]) -> Runs:
    """The runs on the rows of one task."""
    made = [f.candidate for f in finished]
    return Runs(
        np.array([f.labels[rows] for f in finished]),
        [c.family for c in made],
        [(c.setting, c.space) for c in made],
        np.array([c.joint for c in made]),
    )


def _joined(found: Tasks, answers: list[Labels]) -> Labels:
    """Labels (n,) of all rows from those of each task."""
    labels = np.empty(len(found.codes), dtype=int)
    for rows, answer in zip(found.rows(), answers, strict=True):
        labels[rows] = answer
    return labels


def _evidence(name: Any, verdict: Verdict, finished: list[Finished]) -> list[dict[str, Any]]:
    """One record for each run on one task."""
    found = verdict.found
    return [
        {
            "task": name,
            **run.candidate.described(),
            "agree": float(found.agree[r]),
            "silhouette": float(found.silhouettes[r]),
            "score": float(found.scores[r]),
            "kept": bool(r in verdict.kept),
            "seconds": run.seconds,
        }
        for r, run in enumerate(finished)
    ]
