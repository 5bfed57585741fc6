"""Decision rules evaluated on stored runs: which answer each task gets.

A rule takes a `stored.Run` and returns task name -> the position of an answer among the task's
answers, or labels (n_t,) of its own. Tasks that it leaves out keep their own answer. It must not
look at "accuracy"; `best_of_all` and `perfect_guard` do, and show what a rule could reach.
"""

import numpy as np

MIN_EVIDENCE = 0.05
MIN_EVIDENCE_IF_CLEAR = 0.03
LEAST_WEIGHT = 0.02
MIN_GAIN_IF_COARSER = 0.03


def as_stored(run):
    """Take the answers of the fit."""
    return {task["name"]: task["answer"] for task in run.tasks}


def own(run):
    """Take each task's own answer."""
    return {}


def unguarded(run):
    """Take every proposal."""
    return {task["name"]: task["proposal"] for task in run.tasks}


def evidence_above(level, run, level_if_clear=None):
    """Take proposals with evidence above `level`; less if modularity does not fall.

    `level_if_clear` is enough then; None: the same level.
    """
    E = evidence(run)
    picked = as_stored(run)
    for task in run.tasks:
        if task["evidence"] is not None:
            clear = round(_modularity_gain(task), 12) >= 0
            least = level if level_if_clear is None or not clear else level_if_clear
            above = E.get(task["name"], -1.0) > least
            picked[task["name"]] = task["proposal"] if above else task["own"]
    return picked


def report(run):
    """Take the proposals that `guard="report"` takes."""
    return evidence_above(MIN_EVIDENCE, run, MIN_EVIDENCE_IF_CLEAR)


def evidence_02(run):
    """Take proposals with evidence above .02."""
    return evidence_above(0.02, run)


def evidence_05(run):
    """Take proposals with evidence above .05."""
    return evidence_above(0.05, run)


def evidence_10(run):
    """Take proposals with evidence above .1, as `guard="both"`."""
    return evidence_above(0.1, run)


def perfect_guard(run):
    """Take the better of proposal and own answer, by true labels."""
    return {task["name"]: _best(task, ("own", "proposal")) for task in run.judged}


def best_of_all(run):
    """Take the best of all answers, by true labels."""
    accuracies = {
        task["name"]: [answer["accuracy"] for answer in task["answers"]] for task in run.judged
    }
    return {name: int(np.argmax(values)) for name, values in accuracies.items()}


def _best(task, names):
    return max((task[name] for name in names), key=lambda i: task["answers"][i]["accuracy"])


def _modularity_gain(task):
    """Modularity of a task's proposal less that of its own answer."""
    proposal, alone = (task["answers"][task[side]] for side in ("proposal", "own"))
    return proposal["modularity"] - alone["modularity"]


def gains(task):
    """Gain (A,) of a task's answers over its own one in agreement with other tasks.

    h is the mean of both directions (S, A); gains over the S tasks are weighted by
    max(h of either answer, 0) + .02.
    """
    h = (np.array(task["forth"]) + np.array(task["back"])) / 2
    alone = h[:, [task["own"]]]
    w = np.maximum(np.maximum(h, alone), 0.0) + LEAST_WEIGHT
    return ((h - alone) * w).sum(axis=0) / w.sum(axis=0)


def evidence(run):
    """Evidence of the proposals: {task: mean of its gain and of all tasks'}."""
    k = {task["name"]: task["k"] for task in run.tasks if task["evidence"] is not None}
    D = {}
    for task in run.tasks:
        name = task["name"]
        if name not in k or not k.keys() & set(task["others"]):
            continue
        clear = _modularity_gain(task) > MIN_GAIN_IF_COARSER
        heard = [(s, k[other]) for s, other in enumerate(task["others"]) if other in k]
        kept = [s for s, k_other in heard if clear or 2 * k_other > k[name]]
        part = {**task, **{side: [task[side][s] for s in kept] for side in ("forth", "back")}}
        D[name] = float(gains(part)[task["proposal"]]) if kept else 0.0
    mean = np.mean(list(D.values())) if D else 0.0
    return {name: (value + mean) / 2 for name, value in D.items()}
