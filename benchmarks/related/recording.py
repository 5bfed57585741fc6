"""Fits `Kinfolk` once and stores all that a decision rule could use.

Labels judge only: the fit does not see them. What is recorded of a task, as `task_record` says:
all answers with their criteria and accuracy, and their agreement with the clusters that every
other task has by itself, in both directions (`choosing.cross_task`).
"""

import time
import warnings

import numpy as np

import kinfolk as kf
from benchmarks.related import comparisons
from kinfolk.choosing import cross_task, decision, task_state
from kinfolk.choosing.candidates import FAMILIES
from kinfolk.datasets import alterations
from kinfolk.measures import accuracy


class RecordedKinfolk(kf.Kinfolk):
    """`Kinfolk` that keeps its task states and all runs after the fit.

    Attributes
    ----------
    states_ : of each task, with its own result and the decision
    fitted_ : all runs
    given_rows_ : (n,) the position in the table of each row that the states and runs number
    """

    def _set_runs(self, states, runs):
        super()._set_runs(states, runs)
        self.states_ = states
        self.fitted_ = list(runs.fitted)
        self.given_rows_ = self._row_order


def record(table, seed, families=None, compared=comparisons.made):
    """Fit to a `prepared.Prepared` table; return what is stored of it.

    Parameters
    ----------
    table : rows with the true classes, which judge only
    seed : of the fit
    families : as `Kinfolk` takes them; None: all
    compared : (table, seed) -> joint runs for comparison, where the fit does without

    Returns
    -------
    found : a dict that JSON can hold: kind, seconds of the processor, tasks and candidates
    arrays : labels as arrays: own (n,), answer (n,), candidates (R, n), -1 where a run has none,
        and the answers of the task at position t, (A, n_t), as "answers t"
    """
    # Of the processor: other work beside it counts less.
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RecordedKinfolk(
            table.n_clusters,
            families,
            random_state=seed,
            columns_are_scaled=table.columns_are_scaled,
        ).fit(table.X, tasks=table.tasks)
    seconds = time.process_time() - begin
    begin = time.process_time()
    states = model.states_
    order = model.given_rows_
    joint = [] if _has_joint_runs(model) else compared(table, seed)
    sorted_joint = [run._replace(labels=run.labels[order]) for run in joint]
    answers = [_answers(state, sorted_joint) for state in states]
    tasks = [
        task_record(table.target[order], states, t, guard, answers[t])
        for t, guard in enumerate(model.guard_)
    ]
    back = np.argsort(order)
    fitted = [run._replace(labels=run.labels[back]) for run in model.fitted_]
    runs = [*fitted, *joint]
    found = {
        "kind": model._representations.kind,
        "seconds": seconds,
        "tasks": tasks,
        "candidates": [_candidate_record(table, run) for run in runs],
    }
    arrays = {
        "own": _small(model.own_labels_),
        "answer": _small(model.labels_),
        "candidates": _small([run.labels for run in runs]),
        **{
            f"answers {t}": _small([a.labels for a in made])[:, np.argsort(order[states[t].rows])]
            for t, made in enumerate(answers)
        },
    }
    found["seconds_of_recording"] = time.process_time() - begin
    return found, arrays


def task_record(target, states, t, guard, answers):
    """Record of one task without its labels; `answers` as from `_answers`.

    `target` (n,) are the true classes of the rows as the states number them.

    Returns
    -------
    name, n, k, shares, has_clusters, support : of the task
    judged : False for a task of noise, whose accuracy means nothing
    answers : one record of each: source, combiner, modularity, agreement, accuracy, and
        compared, True if the fit did without it, see `_answers`
    own, answer, proposal : positions among the answers
    evidence : E of the proposal; None where none was asked
    others : names of the other tasks
    forth, back : [other][answer] agreement with its own clusters in both directions
    meaning : the sentence of the report
    """
    state = states[t]
    made = state.decision
    n_fitted = len(_answers(state, []))
    truth = target[state.rows]
    forth, back = _agreements(states, t, answers)
    return {
        "name": str(state.name),
        "n": len(state.rows),
        "k": int(state.own.scorer.n_clusters),
        "judged": str(state.name) != alterations.NOISE,
        "shares": bool(state.shares),
        "has_clusters": bool(guard["has_clusters"]),
        "support": bool(guard["has_cross_task_support"]),
        "second_accuracy": None if made.second is None else accuracy(truth, made.second),
        "answers": [
            {
                "source": answer.source,
                "combiner": answer.combiner,
                "modularity": answer.modularity,
                "agreement": answer.cross_task_agreement,
                "accuracy": accuracy(truth, answer.labels),
                "compared": i >= n_fitted,
            }
            for i, answer in enumerate(answers)
        ],
        "own": _position(answers, made.own),
        "answer": _position(answers, made.answer),
        "proposal": _position(answers, made.proposal),
        "evidence": float(made.evidence) if np.isfinite(made.evidence) else None,
        "others": [str(other.name) for other in states if other is not state],
        "forth": forth,
        "back": back,
        "meaning": guard["meaning"],
    }


def _answers(state, joint):
    """List the answers considered for a task: those of the fit, and those with further joint runs.

    Where the fit looked for one shape of clusters for all tasks, the combinations that other tables
    get are made of the runs for comparison, so that rules can be judged on measurements, too. Their
    criteria are those of the z-scores.
    """
    made = state.decision
    answers = list(made.answers)
    for chosen in (made.own, made.answer, made.proposal):
        if all(chosen is not answer for answer in answers):
            answers.append(chosen)
    if joint:
        runs = task_state.base_clusterings(joint, state.rows)
        further = decision.options(state.own, runs, state.transferred).answers
        answers += [answer for answer in further if answer.source != "own"]
    return answers


def _position(answers, wanted):
    return next(i for i, answer in enumerate(answers) if answer is wanted)


def _agreements(states, t, answers):
    """Adjusted Rand indices (S, A) of the answers of a task with the own clusters of others."""
    state = states[t]
    scorer = state.own.scorer
    labels = np.array([scorer.on_sample(answer.labels) for answer in answers])
    sampled, place = np.unique(labels, axis=0, return_inverse=True)
    forth, back = [], []
    for s, other in enumerate(states):
        if s == t:
            continue
        there = other.own.scorer
        theirs = there.on_sample(other.decision.own.labels)
        divided = [state.transferred[s]]
        forth.append(cross_task.cross_task_agreement(sampled, divided)[place].tolist())
        moved = [cross_task.transferred_labels(there.X, scorer.X, labels) for labels in sampled]
        found = [cross_task.cross_task_agreement(theirs[None], [labels])[0] for labels in moved]
        back.append(np.array(found)[place].tolist())
    return forth, back


def _has_joint_runs(model):
    """True if methods of several tasks took part; the shape of measurements is none of them."""
    return any(run.candidate.family in FAMILIES and run.candidate.joint for run in model.fitted_)


def _candidate_record(table, run):
    """Family, setting, representation and start of a run, and its accuracy in each task."""
    judged = {}
    for name in table.names:
        rows = table.rows(name)
        if name != alterations.NOISE and (run.labels[rows] >= 0).all():
            judged[name] = accuracy(table.target[rows], run.labels[rows])
    return {**run.candidate.described(), "seconds": run.seconds, "accuracy": judged}


def _small(labels):
    return np.asarray(labels).astype(np.int16)
