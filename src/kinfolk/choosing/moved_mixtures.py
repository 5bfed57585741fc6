"""Gives a task the clusters of another task's mixture, where that one describes its rows better.

A task of 12 or 40 rows tells neither where its clusters are nor which shape they have. Another task
may: one with clusters that are clearer than chance, and with a mixture of bell-shaped clusters that
fits its rows (`mixtures`). That mixture is moved to the rows of the task by one shift for all
centers, which is all that is learned from them:

    evidence = BIC of the moved mixture - the largest BIC of mixtures of the task's rows alone,
               with its number of clusters or with one

Of several other tasks the one is taken whose moved mixture is furthest above one cluster. Its
clusters are the answer if

    evidence  exceeds 10, or 20 if cautious; or the mixture of these rows alone exceeds one cluster
              by as much and has the same clusters (adjusted Rand index of .9 and more): they were
              found twice then, and only some test of `mixtures` stood against them, as of a cluster
              of four rows
    clusters  are no more than asked for, and no fewer than those of the own answer
    others    their agreement with the clusters of other tasks is at most .1 below that of the own
              answer: a mixture may be the likeliest, and still divide the rows as no task does. It
              is not below where that of the own answer is .95 and more: other tasks have then found
              the same clusters by themselves
    tasks     that get them are no more than those with a fitting mixture, but for tasks of at most
              half the rows of one of these: what fits one task of four as large is no common form

A task with a fitting mixture of its own gets other clusters as well, but only by evidence, from
tasks with more rows, and if these clusters agree with those of other tasks by .1 more than the own
ones: of a hundred rows, a mixture that fits may cut a large cluster and join two.

BIC counts the free numbers: d of the shift against k d and more, so few rows favor a mixture that
was learned from many. But every row has to be likely under it: those of an unrelated task, of other
classes or in other units are not, and with many rows the own mixture is likelier again.

Limits  tasks with separated clusters or with more than 2000 rows keep what they have.
Units   are those of all tasks: values of the columns are compared as they are.
Source  `docs/labelfree-columns-measured.md`; for 10 see `mixtures`.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.choosing import cross_task, decision, records, task_state
from kinfolk.choosing.candidate_runs import CandidateRuns, FittedCandidate
from kinfolk.choosing.decision import Decision, Options
from kinfolk.choosing.mixtures import FAMILY, MIN_EVIDENCE, MOST_ROWS, MixedMixture
from kinfolk.choosing.task_state import FitState
from kinfolk.methods.multitask.baselines import with_estimators
from kinfolk.numerics import operators

COMBINER = "mixture of another data set"
MOST_DISAGREEMENT = 0.1
"""Loss of agreement with other tasks up to which the likelihood alone decides, and the least gain
where the own mixture fits."""
FOUND_BY_OTHERS = 0.95
"""Own clusters that agree so well with those of other tasks give way to none that agree less."""
SMALLER = 2
"""Least ratio of the rows of the largest task with a fitting mixture to those of a small task."""


def decide(
    rows: Table,
    states: list[FitState],
    mixed: FittedCandidate,
    runs: CandidateRuns,
    cautious: bool,
) -> None:
    """Replace the decision of each task whose rows another task's mixture describes better.

    Parameters
    ----------
    rows : (n, d) of all tasks, in the representation of `mixed`
    states : of the tasks, decided; those with an answer from other tasks already keep it
    mixed : the mixtures of all tasks, as of `mixtures.improve`
    runs : gets one run more if a task gets such clusters
    cautious : True asks for twice the evidence
    """
    X = operators.dense(rows).astype(np.float64)
    model = mixed.candidate.estimator
    # One that is no clearer than chance may fit as well, such as halves of a square.
    fitting = [
        t
        for t, state in enumerate(states)
        if state.own.has_clusters and _is_own(model.estimators_[t], state)
    ]
    if not fitting:
        return
    least = MIN_EVIDENCE * (2 if cautious else 1)
    found: dict[int, MixedMixture] = {}
    supports: dict[int, str] = {}
    for t, state in enumerate(states):
        fits = state.own.fitted is not None
        larger = [s for s in fitting if len(states[s].rows) > len(state.rows)]
        helpers = [model.estimators_[s] for s in (larger if fits else fitting)]
        if better := _better(state, X[state.rows], model.estimators_[t], helpers, least):
            found[t], supports[t] = better
    most = max(len(states[t].rows) for t in fitting)
    as_large = [t for t in found if SMALLER * len(states[t].rows) > most]
    if len(as_large) > len(fitting):
        found = {t: moved for t, moved in found.items() if t not in as_large}
    if not found:
        return
    changed = with_estimators(model, found)
    changed.labels_ = mixed.labels.copy()
    for t, moved in found.items():
        changed.labels_[states[t].rows] = moved.labels_
    made = mixed.candidate._replace(joint=True, estimator=changed)
    runs.fitted.append(FittedCandidate(made, changed.labels_, mixed.seconds))
    for t in found:
        states[t].decision = decision_for(states[t], runs.fitted, COMBINER, supports[t])


def _better(
    state: FitState,
    X: Matrix,
    own: MixedMixture,
    helpers: Sequence[MixedMixture],
    least: float,
) -> tuple[MixedMixture, str] | None:
    """Return the moved mixture that replaces a task's answer, and why; None to keep the answer.

    Parameters
    ----------
    X : (m, d) rows of the task
    own : the mixture of these rows alone
    helpers, least : as of `best_moved`
    """
    if _has_gaps(state) or state.decision.answer is not state.decision.own:
        return None
    if len(X) > MOST_ROWS:  # enough for a mixture of its own, and slow
        return None
    k = len(np.unique(state.own.answer.labels)), state.own.scorer.n_clusters
    moved = best_moved(helpers, X, k, least)
    if moved is None or not _agrees(state, moved.labels_):
        return None
    reason = support(moved, own, X, k[1], least)
    return (moved, reason) if reason and _is_new(state, moved.labels_) else None


def _has_gaps(state: FitState) -> bool:
    """True if the own clusters of a task have sparse space between them (`separated_clusters`)."""
    fitted = state.own.fitted
    return fitted is not None and fitted.combiner != FAMILY


def _is_new(state: FitState, labels: Labels) -> bool:
    """True unless a task has the clusters (m,) by a fitting mixture of its own, or nearly so."""
    fitted = state.own.fitted
    return fitted is None or not task_state.same_clusters(labels, fitted.labels)


def _is_own(model: MixedMixture, state: FitState) -> bool:
    """True if a task's mixture fits its rows and has the clusters of its own answer.

    These may be clusters with gaps between them (`separated_clusters`).
    """
    return model.fits_ and task_state.same_clusters(model.labels_, state.own.answer.labels)


def accept(rows: Table, states: list[FitState], mixed: FittedCandidate) -> None:
    """Mark tasks as having clusters where the mixture of a clear task finds those of their own.

    Null tables may be as clear as a mixture with a cluster of few rows (`mixtures`), but chance
    does not put the same clusters into two tasks. Parameters as of `decide`.
    """
    fitted = list(zip(mixed.candidate.estimator.estimators_, states, strict=True))
    own = [(model, state) for model, state in fitted if _is_own(model, state)]
    helpers = [model for model, state in own if state.own.has_clusters]
    unclear = [state for _, state in own if not state.own.has_clusters]
    if not helpers or not unclear:
        return
    X = operators.dense(rows).astype(np.float64)
    for state in unclear:
        labels = state.own.answer.labels
        k = len(np.unique(labels))
        moved = best_moved(helpers, X[state.rows], (k, k), MIN_EVIDENCE)
        if moved is not None and task_state.same_clusters(moved.labels_, labels):
            task_state.accept(state)


def best_moved(
    helpers: Sequence[MixedMixture], X: Matrix, k: tuple[int, int], least: float
) -> MixedMixture | None:
    """Return the mixture of another task that, moved to rows X (m, d), describes them best.

    Parameters
    ----------
    helpers : mixtures that fit the rows of their tasks
    k : the least and the largest number of clusters
    least : by how much its BIC has to exceed that of one cluster
    """
    found = [helper.moved_to(X) for helper in helpers]
    found = [one for one in found if may_replace(one, k, least)]
    if not found:
        return None
    return max(found, key=lambda one: round(one.evidence_, 9))


def may_replace(moved: MixedMixture, k: tuple[int, int], least: float) -> bool:
    """True if a moved mixture has from k[0] to k[1] clusters, and beats one cluster by `least`."""
    return k[0] <= len(moved.weights_) <= k[1] and moved.evidence_ > least


def support(moved: MixedMixture, own: MixedMixture, X: Matrix, k: int, least: float) -> str:
    """Why rows X (m, d) of a task may get the clusters of a moved mixture; "" if they may not.

    Parameters
    ----------
    own : the mixture of k clusters of these rows alone
    least : by how much BIC has to exceed that of others
    """
    if moved.evidence_ - moved.evidence_of(X, k) > least:
        return records.MIXTURE
    twice = own.evidence_ > least and task_state.same_clusters(own.labels_, moved.labels_)
    return records.FOUND_TWICE if twice else ""


def _agrees(state: FitState, labels: Labels) -> bool:
    """True if clusters (m,) agree with other tasks about as well as the own answer does.

    Better by far, if the own answer is a fitting mixture.
    """
    both = state.own.scorer.on_sample(np.array([state.own.answer.labels, labels]))
    own, moved = cross_task.cross_task_agreement(both, list(state.transferred.values()))
    lost = round(float(own - moved), 9)
    if state.own.fitted is not None:
        return lost <= -MOST_DISAGREEMENT
    if lost > 0 and own >= FOUND_BY_OTHERS:
        return False
    # Without clusters of other tasks there is no number, and nothing to disagree with.
    return not lost > MOST_DISAGREEMENT


def decision_for(
    state: FitState, fitted: Sequence[FittedCandidate], combiner: str, reason: str
) -> Decision:
    """Build a task's decision for the clusters of the last fitted run, a moved mixture."""
    # `best_moved` found one cluster less likely by its margin: chance is exceeded.
    own = replace(state.own, scorer=state.own.scorer.accepted())
    joint = task_state.base_clusterings(list(fitted[len(own.runs) :]), state.rows)
    others = list(state.transferred.values())
    runs, agreement, run_scores = decision.scored_together(own, joint, others)
    answer = own.scorer.answer(joint.labels[-1], combiner, "joint", np.array([len(runs) - 1]))
    answers = own.scorer.with_cross_task_agreement([own.answer, answer], others)
    given = Options(own.scorer, runs, run_scores, agreement, answers[0], answers, {})
    return Decision(
        **vars(given),
        answer=answers[1],
        second=None,
        proposal=answers[1],
        evidence=np.nan,
        support=reason,
    )
