"""Figures of a decision rule on stored runs: gains, harm, yardsticks, intervals."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from kinfolk.measures import accuracy

ALLOWED = 0.02
"""A task is harmed if its answer is less accurate than its own one by more than this."""
ROUNDING = 1e-9
DRAWS = 2000
"""Of the bootstrap over sets."""


@dataclass(frozen=True)
class Outcome:
    """Accuracy of one task of one run under a decision rule.

    Attributes
    ----------
    set, seed, task : which
    own, answer : accuracy of the own answer and of the one that the rule picked
    evidence : E of the proposal, nan where none was asked
    proposed : accuracy of the proposal less that of the own answer; nan where they are one answer
    meaning : the sentence of the report, which is about the proposal
    """

    set: str
    seed: int
    task: str
    own: float
    answer: float
    evidence: float
    proposed: float
    meaning: str

    @property
    def gain(self):
        """Accuracy of the answer minus that of the own answer."""
        return self.answer - self.own


def lost(gain):
    """True for a loss of accuracy of more than .02.

    >>> lost(-0.02), lost(0.92 - 0.94), lost(-0.021)
    (False, False, True)
    """
    return bool(gain < -ALLOWED - ROUNDING)


def outcomes(runs, rule):
    """Outcomes of all judged tasks of all runs under a rule, see `rules`."""
    return [
        _outcome(run, t, task, picked.get(task["name"], task["own"]))
        for run in runs
        for picked in [rule(run)]
        for t, task in enumerate(run.tasks)
        if task["judged"]
    ]


def _outcome(run, t, task, picked):
    accuracies = [answer["accuracy"] for answer in task["answers"]]
    if np.ndim(picked):
        truth = run.arrays["target"][run.arrays["tasks"] == t]
        answer = accuracy(truth, picked)
    else:
        answer = accuracies[picked]
    own = accuracies[task["own"]]
    proposed = np.nan
    if task["proposal"] != task["own"]:
        proposed = accuracies[task["proposal"]] - own
    E = task["evidence"]
    return Outcome(
        set=run.set,
        seed=run.seed,
        task=task["name"],
        own=own,
        answer=answer,
        evidence=np.nan if E is None else E,
        proposed=proposed,
        meaning=task["meaning"],
    )


def best_setting(run):
    """The best mean accuracy over tasks and starts of a setting, of all families, WITH labels."""
    names = {task["name"] for task in run.judged}
    means = defaultdict(list)
    for made in run.facts["candidates"]:
        if names <= made["accuracy"].keys():
            setting = made["family"], str(made["setting"]), made["representation"]
            means[setting].append(np.mean([made["accuracy"][name] for name in names]))
    return max(np.mean(found) for found in means.values())


def yardsticks(run):
    """Mean accuracy over tasks of every yardstick; nan for an absent one."""
    return {
        name: float(np.mean(list(found["accuracy"].values()))) if found["accuracy"] else np.nan
        for name, found in run.facts["yardsticks"].items()
    }


@dataclass(frozen=True)
class SetFigures:
    """Figures of one data set: means over seeds and tasks.

    Attributes
    ----------
    own, answer, best : mean accuracy of own answers, of answers, and of the best setting
    harmed, cases : number of harmed tasks, and of tasks, over all seeds
    worst, worst_once : the least gain of a task: by its mean over seeds, and in one seed
    yardsticks : name -> mean accuracy
    seeds : number of them
    seconds : of a fit, mean
    """

    own: float
    answer: float
    best: float
    harmed: int
    cases: int
    worst: float
    worst_once: float
    yardsticks: dict[str, float]
    seeds: int
    seconds: float

    @property
    def gain(self):
        """Accuracy of the answer minus that of the own answer."""
        return self.answer - self.own

    @property
    def share(self):
        """Accuracy of the answer over that of the best setting."""
        return self.answer / self.best


def of_sets(runs, found):
    """Figures of each set by name, from its runs and the outcomes of a rule."""
    made = {}
    for name in sorted({run.set for run in runs}):
        mine = [run for run in runs if run.set == name]
        cases = [outcome for outcome in found if outcome.set == name]
        by_task = defaultdict(list)
        for outcome in cases:
            by_task[outcome.task].append(outcome.gain)
        sticks = [yardsticks(run) for run in mine]
        made[name] = SetFigures(
            own=float(np.mean([outcome.own for outcome in cases])),
            answer=float(np.mean([outcome.answer for outcome in cases])),
            best=float(np.mean([best_setting(run) for run in mine])),
            harmed=sum(lost(outcome.gain) for outcome in cases),
            cases=len(cases),
            worst=min(float(np.mean(gains)) for gains in by_task.values()),
            worst_once=min(outcome.gain for outcome in cases),
            yardsticks={key: float(np.mean([s[key] for s in sticks])) for key in sticks[0]},
            seeds=len(mine),
            seconds=float(np.mean([run.facts["seconds"] for run in mine])),
        )
    return made


def interval(values, weights=None):
    """Bootstrap 95 % interval of the mean of values (S,) over data sets.

    >>> interval([1.0, 1.0, 1.0])
    (1.0, 1.0)
    """
    values = np.asarray(values, dtype=float)
    w = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=float)
    drawn = np.random.default_rng(0).integers(len(values), size=(DRAWS, len(values)))
    means = (values * w)[drawn].sum(axis=1) / w[drawn].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


EDGES = (-np.inf, 0.0, 0.02, 0.05, 0.1, np.inf)
GRADES = ("below 0", "0 to .02", ".02 to .05", ".05 to .1", "above .1")


def grade(evidence):
    """Describe in words how strong the evidence for a proposal is.

    >>> grade(0.07), grade(float("nan"))
    ('.05 to .1', 'none asked')
    """
    if np.isnan(evidence):
        return "none asked"
    return GRADES[int(np.searchsorted(EDGES, evidence, side="left")) - 1]
