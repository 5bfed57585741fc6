"""Rules of the guard, judged on stored runs: the answer that each task gets.

A rule takes a `stored.Run` and returns task name -> the position of an answer among the task's
answers, or labels (n_t,) of its own. Tasks that it leaves out keep their own answer. It must not
look at "accuracy"; `best_of_all` and `perfect_guard` do, and show what a rule could reach.
"""

import numpy as np

MIN_EVIDENCE = 0.05
LEAST_WEIGHT = 0.02


def as_stored(run):
    """The answers that the fit gave."""
    return {task["name"]: task["answer"] for task in run.tasks}


def own(run):
    """No task follows others."""
    return {}


def unguarded(run):
    """Every proposal is taken."""
    return {task["name"]: task["proposal"] for task in run.tasks}


def evidence_above(level, run):
    """Proposals of more evidence than `level`, computed anew; those without evidence as stored."""
    E = evidence(run)
    picked = as_stored(run)
    for task in run.tasks:
        if task["evidence"] is not None:
            above = E.get(task["name"], -1.0) > level
            picked[task["name"]] = task["proposal"] if above else task["base"]
    return picked


def evidence_02(run):
    """Evidence above .02."""
    return evidence_above(0.02, run)


def evidence_05(run):
    """Evidence above .05, the level of `guard="report"`."""
    return evidence_above(0.05, run)


def evidence_10(run):
    """Evidence above .1, the level of `guard="both"`."""
    return evidence_above(0.1, run)


def perfect_guard(run):
    """The best of proposal, base and own answer, picked WITH labels."""
    return {task["name"]: _best(task, ("own", "base", "proposal")) for task in run.judged}


def best_of_all(run):
    """The best of all answers, picked WITH labels."""
    accuracies = {
        task["name"]: [answer["accuracy"] for answer in task["answers"]] for task in run.judged
    }
    return {name: int(np.argmax(values)) for name, values in accuracies.items()}


def _best(task, names):
    return max((task[name] for name in names), key=lambda i: task["answers"][i]["accuracy"])


def gains(task):
    """Gain (A,) of all answers of a task over its base in agreement with the other tasks.

    h is the mean of both directions (S, A); gains over the S tasks are weighted by
    max(h of either answer, 0) + .02.
    """
    h = (np.array(task["forth"]) + np.array(task["back"])) / 2
    base = h[:, [task["base"]]]
    w = np.maximum(np.maximum(h, base), 0.0) + LEAST_WEIGHT
    return ((h - base) * w).sum(axis=0) / w.sum(axis=0)


def evidence(run):
    """Evidence E of the proposals: task name -> half the gain of the task, half that of all."""
    sharing = {task["name"] for task in run.tasks if task["evidence"] is not None}
    D = {}
    for task in run.tasks:
        kept = [s for s, name in enumerate(task["others"]) if name in sharing]
        if task["name"] in sharing and kept:
            part = {**task, **{side: [task[side][s] for s in kept] for side in ("forth", "back")}}
            D[task["name"]] = float(gains(part)[task["proposal"]])
    mean = np.mean(list(D.values())) if D else 0.0
    return {name: (value + mean) / 2 for name, value in D.items()}
