"""One answer without labels: many methods, each task's evidence, and what sharing changed.

1. Candidates: runs of several methods, settings and starts (`candidates`), in spaces that fit the
   table (`spaces`).
2. Evidence, in each task by itself: a run is good if runs of other settings agree with it and rows
   most alike share its clusters (`evidence`).
3. The answer each task has by itself: the best quarter of its own runs combined in three ways, of
   which the one is kept for which most speaks (`consensus`). Tasks without clusters are left out
   of what follows (`null_model`).
4. The same with all runs, and with those that know other tasks; what the own clusters of the others
   make of the task (`echoes`) is a further sign. The best of all nine combinations is the answer;
   where no run has an echo, that of the task by itself, unless another is clearer (`decision`).

Units   the signs have none, and judges of measurements see no units (`spaces`). Runs on raw rows
        depend on those of the columns.
Limits  one task: only runs of the task itself, and own_labels_ are labels_.
Source  `docs/labelfree.md`: the rule, its constants and what was measured.
Beyond  a new row goes through every run that was kept, each run's cluster becomes that cluster of
        the answer with which it is matched on the rows of the fit, and the plurality decides. So
        new rows are voted on whichever way made the answer; rows of the fit keep their label where
        the vote equals it.
"""

import warnings
from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinfolk import progress
from kinfolk.arrays import Labels, MatrixLike, Seed, Table
from kinfolk.choosing import (
    candidates,
    changes,
    cluster_count,
    consensus,
    decision,
    null_model,
    partial_labels,
)
from kinfolk.choosing.candidates import FAMILIES, Finished, Trial
from kinfolk.choosing.decision import Bench, Own, Verdict
from kinfolk.choosing.representations import Spaces
from kinfolk.choosing.scores import Runs
from kinfolk.errors import ClusterNumberWarning, InputError
from kinfolk.estimators import checks
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.numerics import memo, starts
from kinfolk.tables import Tasks

ROWS_TO_TELL = 10
"""Rows a cluster from which on a task without clusters is left out of sharing: fewer may look no
clearer than chance even where there are clusters, and those tasks need help most."""

SAMPLE = 2000
"""Rows that speak for a task with more than `consensus.MOST_ROWS`: the share of their links inside
clusters then errs by 0.01, and their graph takes seconds."""


class Kinfolk(MultiTaskClusterer):
    """Clusters related tasks by many methods and combines what the evidence supports.

    Parameters
    ----------
    n_clusters : int >= 1, or a mapping task -> int, or "auto": found for each task by
        `kf.suggest_clusters`, which is often one off
    families : names of `kinfolk.choosing.candidates.FAMILIES`, of which at least one clusters each
        task by itself; None: all
    budget : float > 0, seconds after which no further run begins; None: all runs
    consensus : bool, False gives in each task the labels of one real run, the best by evidence
    guard : "report" takes the answer for which most speaks and reports the own one beside it;
        "both" takes the own answer unless both modularity and echo prefer another
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the answer, from 0 in each task
    own_labels_ : (n,), the answer of each task by itself, numbered independently
    second_labels_ : task -> (n_t,), where a second answer is as well supported
    unclustered_tasks_ : tasks in which no clusters were found, see `null_model`
    guard_ : one record a task, see `changes.compared`
    evidence_ : one record for each task and run: task, family, setting, space, start, joint,
        agree, modularity, echo, score, kept, seconds
    left_out_ : one record for each candidate that did not run: family, setting, space, start,
        joint, reason
    task_relatedness_ : (T, T), the mean of all runs of MTCFIR, if there were any; 0 between
        tasks that do not share
    voters_ : task -> the runs that were kept, each with the space it sees
    suggestions_ : what is known of the numbers of clusters, if they were found
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range; a task has fewer rows than clusters, or only one;
        y is not one label a row

    Warns
    -----
    ClusterNumberWarning : the numbers of clusters were found, not given
    UserWarning : interrupted by Ctrl-C; the answer rests on the runs until then

    Examples
    --------
    >>> from kinfolk.datasets import makers
    >>> data = makers.make_related_blobs(20, n_features=4, random_state=0)
    >>> model = Kinfolk(3, families=["kmeans", "mec", "pooled"], random_state=0)
    >>> model.fit(data.X, tasks=data.tasks).guard_[0]["meaning"]
    'The clusters are those of this data set by itself: more speaks for them.'
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

    def fit(self, X: MatrixLike, y: ArrayLike | None = None, tasks: Any = None) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each.

        Labels y (n,) that somebody knows take part in the choice if some are -1, unknown; all of
        them are ignored otherwise, as scikit-learn's clusterers do.
        """
        X, found = self._open(X, tasks)
        y, k = _partly(y, len(found.codes)), self._numbers(X, found)
        trial = Trial(None if self.budget is None else checks.above("budget", self.budget, 0))
        checks.choice("guard", self.guard, ["report", "both"])
        random = checks.random(self.random_state)
        families = self._families(len(k))
        spaces = Spaces.of(X, found.codes)
        own = [name for name in families if not FAMILIES[name].joint]
        plan = candidates.plan(own, spaces, dict(enumerate(k)), random)
        candidates.run(plan, spaces, X, found.codes, trial, "each data set by itself")
        if not trial.finished:
            raise InputError(
                "no candidate that clusters each task by itself takes these rows: "
                f"{trial.left_out[0]['reason']}"
            )
        benches = self._benches(X, y, found, k, spaces, random)
        alone = self._alone(found, trial.finished, benches)
        sharing = [t for t, task in enumerate(alone) if task.clear or trial.stopped or _few(task)]
        joint = [name for name in families if FAMILIES[name].joint and len(sharing) > 1]
        plan = candidates.plan(joint, spaces, {t: k[t] for t in sharing}, random)
        seen = np.where(np.isin(found.codes, sharing), found.codes, -1)
        candidates.run(plan, spaces, X, seen, trial, "all data sets together")
        self.left_out_ = trial.left_out
        made = self._judged(found, trial.finished, alone, sharing)
        self._report(found, made)
        self._report_runs(found, made, trial.finished, sharing)
        self._keep(spaces, made, k, trial.finished)
        return self._record(X, found, _joined(found, [v.answer.labels for v in made]), k)

    @property
    def voters_(self) -> dict[Any, list[tuple[str, Any]]]:
        """task -> the runs that new rows of it go through, each with the space (`spaces`) it sees.

        Estimators of several tasks, which they know by position, with all that their method has:
        centres, relatedness. With `consensus=False` a task has one, whose clusters are the answer.
        """
        votes = self._names.max(axis=2) >= 0
        return {
            name: [self._voters[i] for i in np.flatnonzero(votes[:, t])]
            for t, name in enumerate(self.task_names_[: votes.shape[1]])
        }

    def _numbers(self, X: Table, found: Tasks) -> list[int]:
        """The number of clusters of each task, found where it is "auto"."""
        self.__dict__.pop("suggestions_", None)
        if self.n_clusters != "auto":
            return checks.clusters(self.n_clusters, found)
        seed = starts.seeds(checks.random(self.random_state), 1)[0]
        tasks = np.empty(len(found.codes), dtype=object)
        tasks[:] = [found.names[code] for code in found.codes]
        self.suggestions_ = cluster_count.suggest_clusters(X, tasks, random_state=seed)
        k, note = cluster_count.chosen(self.suggestions_)
        warnings.warn(note, ClusterNumberWarning, stacklevel=3)
        return k

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

    def _benches(
        self,
        X: Table,
        y: Labels | None,
        found: Tasks,
        k: list[int],
        spaces: Spaces,
        random: np.random.RandomState,
    ) -> list[Bench]:
        """What the answers for each task are judged by."""
        made = []
        for t, rows in enumerate(progress.track(found.rows(), "looking for chance")):
            sample = _sample(len(rows), random)
            seen = rows if sample is None else rows[sample]
            neutral = spaces.neutral(X[seen], found.codes[seen])
            seed = starts.seeds(random, 1)[0]
            together = spaces.kind == "measurements"
            least = null_model.level(neutral, k[t], together=together, seed=seed)
            told = None if y is None else y[rows]
            made.append(Bench(neutral, k[t], sample, seed, bool(self.consensus), least, told))
        return made

    def _alone(self, found: Tasks, finished: list[Finished], benches: list[Bench]) -> list[Own]:
        """What each task says by itself."""
        pairs = list(zip(found.rows(), benches, strict=True))
        made = []
        for rows, bench in progress.track(pairs, "weighing each data set by itself"):
            made.append(decision.alone(_runs(finished, rows), bench))
        return made

    def _judged(
        self, found: Tasks, finished: list[Finished], alone: list[Own], sharing: list[int]
    ) -> list[Verdict]:
        """The verdict on each task; those that do not share have their own answer."""
        joint = [run for run in finished if run.candidate.joint]
        cases = []
        pairs = list(zip(found.rows(), alone, strict=True))
        for t, (rows, own) in enumerate(progress.track(pairs, "weighing the evidence")):
            runs, referees = None, []
            if joint and t in sharing:
                runs = _runs(joint, rows)
                referees = [own.refereed(alone[s]) for s in sharing if s != t]
            cases.append(decision.case(own, runs, referees))
        return decision.judge(cases, self.guard == "both")

    def _report(self, found: Tasks, made: list[Verdict]) -> None:
        """Set what the tasks would be by themselves, beside the answers."""
        named = list(zip(found.names, made, strict=True))
        self.own_labels_ = _joined(found, [verdict.own.labels for verdict in made])
        self.second_labels_ = {name: v.second for name, v in named if v.second is not None}
        self.guard_ = [
            changes.compared(name, verdict, rows)
            for (name, verdict), rows in zip(named, found.rows(), strict=True)
        ]
        self.unclustered_tasks_ = [r["task"] for r in self.guard_ if not r["clusters"]]

    def _report_runs(
        self, found: Tasks, made: list[Verdict], finished: list[Finished], sharing: list[int]
    ) -> None:
        """Set the evidence of every run, and what MTCFIR says of the tasks."""
        self.evidence_ = [
            record
            for name, verdict in zip(found.names, made, strict=True)
            for record in _evidence(name, verdict, finished)
        ]
        self.__dict__.pop("task_relatedness_", None)
        related = [f.candidate.estimator for f in finished if f.candidate.family == "mtcfir"]
        if related:
            self.task_relatedness_ = np.eye(len(made))
            learned = np.mean([e.task_relatedness_ for e in related], axis=0)
            self.task_relatedness_[np.ix_(sharing, sharing)] = learned

    def _keep(
        self, spaces: Spaces, made: list[Verdict], k: list[int], finished: list[Finished]
    ) -> None:
        """Keep what new rows need: the runs, and what their clusters are called in the answer.

        The names (runs, T, k) are -1 for clusters that are none of the answer, and throughout
        where a run has no vote in a task.
        """
        used = np.unique(np.concatenate([verdict.answer.kept for verdict in made]))
        chosen = [finished[r].candidate for r in used]
        self._spaces = dict(vars(spaces))
        self._voters = [(candidate.space, candidate.estimator) for candidate in chosen]
        self._names = np.full((len(used), len(k), max(k)), -1)
        for t, verdict in enumerate(made):
            labels = verdict.answer.labels
            for r in verdict.answer.kept:
                names = consensus.matched(verdict.runs.labels[r], labels, k[t])
                place = np.searchsorted(used, r)
                self._names[place, t, : len(names)] = np.where(names < k[t], names, -1)

    def _assign(self, X: Table, t: int) -> Labels:
        return self._assign_all(X, np.full(X.shape[0], t))

    def _assign_all(self, X: Table, codes: Labels) -> Labels:
        """Clusters (m,) of new rows X (m, d) of the tasks at positions (m,), by vote."""
        spaces = Spaces(**self._spaces)
        votes = np.zeros((X.shape[0], self._names.shape[2]))
        memory = memo.Memory()
        for (space, estimator), names in zip(self._voters, self._names, strict=True):
            rows = np.flatnonzero(names.max(axis=1)[codes] >= 0)
            if not len(rows):
                continue
            seen = spaces.table(space, X[rows], codes[rows])
            with memo.remembering(memory):  # runs on the same features come one after the other
                # A copy drops what MTCFIR keeps to assign further rows, which is large.
                called = names[codes[rows], copy(estimator).predict(seen, tasks=codes[rows])]
            votes[rows, called] += called >= 0
        return votes.argmax(axis=1)


def _partly(y: ArrayLike | None, n: int) -> Labels | None:
    """Known classes (n,) by number, -1 where unknown; None if none or all of them are known."""
    if y is None:
        return None
    codes = partial_labels.codes(y, n)
    return codes if (codes < 0).any() and (codes >= 0).any() else None


def _few(own: Own) -> bool:
    """Whether a task has too few rows to tell whether there are clusters."""
    return len(own.runs.labels[0]) < ROWS_TO_TELL * own.bench.k


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
            "modularity": float(found.clear[r]),
            "echo": float(verdict.echo[r]),
            "score": float(found.scores[r]),
            "kept": bool(r in verdict.answer.kept),
            "seconds": run.seconds,
        }
        for r, run in enumerate(finished[: len(found.scores)])
    ]
