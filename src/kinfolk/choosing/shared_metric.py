"""Clusters measurements of several tasks by Gaussian mixtures with one covariance for all tasks.

k-means, and modularity in a graph of z-scores, take clusters for balls. Those of measurements are
long and lie askew: a large crab differs from a small one of its species in every column, and far
more than two species of one size do. The shape of a cluster is hard to see in one task, and often
the same in all. So a mixture of Gaussian distributions with one covariance matrix S for all tasks
and clusters is fitted from several starts; means and shares of clusters are each task's own. Its
metric is

    W = (Z - means of the tasks) S^-1/2          Z: z-scores, or columns at one scale already

Its clusters are accepted if they are clearer in its metric than the own answers are there:

    gain_t = modularity of the clusters in the graph of W_t - that of the own answer of task t
    D_t    = gain in agreement of these clusters with those of the other tasks over that of the own
             answers, in the metric and in both directions (`cross_task`)
    a_t    = mean adjusted Rand index of these clusters with those of the other starts
    accepted if mean gain and mean D both exceed .01 and their standard errors over the tasks, and
             mean D > .05 or mean a > .9

Tasks that have these clusters already, by a mixture of their own (`mixtures`), do not count in this
test, unless a small task would then count alone. The gain alone is blind: the metric was made to
show these clusters. A shape that fits chance, or is not common, makes tasks agree less.

One covariance is refuted where its clusters depend on a common size: assigned once more with a size
of its own for each cluster (`numerics/cluster_sizes`), rows must keep them, by an adjusted Rand
index of .965 and more. With fewer than d (d + 1) rows, two rows and less tell one number of S:
mixtures then fit chance, too, and end elsewhere from each start. There a must be .7 and more.

Of the starts whose gain suffices the one with the largest mean gain + mean a is taken; if D refuses
it no other one is tried, since the best of ten would pass by chance. The likeliest may have nearly
singular clusters, as 0/1 columns have them, which few starts reach. Where no task gets its clusters
so, ten starts from rows that are whitened by the covariance within the tasks are tried as well: all
k-means starts may end in the same wrong mixture, where few columns tell of the clusters.

Every task then is scored in this metric, and keeps its own answer where D_t <= 0, where fewer
clusters of the mixture have rows than of the own answer, where they do not exceed those of tables
without clusters (`null_model`), where the shape of the other tasks alone does not give them
(`shape_without_task`), or where the own answer is a mixture of its own. Methods of several
tasks, which share clusters and know no shape, run only where fewer than d (d + 1) rows have refused
a shape, since these may have missed the right one.

Chance is exceeded in the numbers alone, too: rows of one value, as of yes and no, always are a
clear group, which null tables do not have. A column of which 90 % of a cluster have one value is no
number.

Units   none; neither units nor zeros of columns matter.
Limits  not with a single task, known labels, fewer than 5 d rows of d columns, or more than 100
        columns. S is regularized, and D refuses one that fits chance differences.
Source  `docs/labelfree-columns.md`, which says what decided the rule; the mixture is
        `methods/multitask/shared_covariance`.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.choosing import (
    cross_task,
    decision,
    fitting,
    own_answers,
    records,
    scores,
    shape_scorers,
    shape_without_task,
    task_state,
)
from kinfolk.choosing.candidate_runs import FittedCandidate
from kinfolk.choosing.candidates import Candidate
from kinfolk.choosing.consensus import CRITERIA, Answer
from kinfolk.choosing.decision import Decision, Options
from kinfolk.choosing.own_answers import OwnResult
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.task_scorer import TaskScorer
from kinfolk.choosing.task_state import FitState
from kinfolk.estimators import correspondence
from kinfolk.methods.multitask.shared_covariance import INITS, SharedCovarianceMixture
from kinfolk.numerics import cluster_sizes, mixed_mixtures, operators, starts
from kinfolk.running import progress
from kinfolk.tables import Tasks

FAMILY = "shared-covariance"
COMBINER = "shared covariance"
REPRESENTATION = "z-scores"
STARTS = 10
# Smaller gains are within the error of a modularity; eleven shaping sets had .014 and more, or < 0.
MIN_GAIN = 0.01
# Own clusters that are good already, as those of made customers, leave no room for a large gain.
FOUND_AGAIN = 0.9
# With sizes of their own, clusters of patients whose illness scatters them kept .81, those of made
# counts, which scatter the more the larger they are, .95, right ones (of crabs, oils) .98 and more.
KEPT_WITH_SIZES = 0.965
# For shapes of fewer than d (d + 1) rows. Of three that were right starts agreed by .75 and more,
# of two that were wrong (of moments of digits, of radar signals) by .63 and less.
FOUND_OFTEN = 0.7
# Answers from 1 to 5 that nearly all rows of a cluster share made it clear, and not of one kind.
ONE_VALUE = 0.9
ROWS_PER_COLUMN = 5
# A sweep takes n d^2 steps: with more columns it would take longer than all other methods.
MOST_COLUMNS = 100


class SharedMetric(NamedTuple):
    """Mixtures fitted to all tasks with one covariance, and scorers of the tasks in its metric.

    Attributes
    ----------
    runs : the mixtures from several starts, as runs of a method of several tasks
    best : position of the mixture whose clusters are the answers
    scorers : of all tasks, in order
    stands : of each task, True if the clusters exceed chance, also in its numbers alone, agree
        better with other tasks' clusters than the own ones do, no fewer of them have rows, and they
        are found again by the shape of the other tasks alone
    """

    runs: list[FittedCandidate]
    best: int
    scorers: list[TaskScorer]
    stands: list[bool]


def measurements(
    X: Table, found: Tasks, seen: Representations, states: list[FitState]
) -> Matrix | None:
    """Return rows (n, d) at one scale for the mixtures; None if one covariance does not apply."""
    d = int((seen.spreads > 0).any(axis=0).sum()) if seen.kind == "measurements" else 0
    if len(states) < 2 or not 0 < d <= min(MOST_COLUMNS, X.shape[0] / ROWS_PER_COLUMN):
        return None
    if task_state.labels_are_known(states):
        return None
    Z = operators.dense(seen.transform(REPRESENTATION, X, found.codes)).astype(float)
    return Z if len(task_state.numbers(Z, found.codes)) else None


def refusal_is_final(Z: Matrix) -> bool:
    """True if rows Z (n, d), at least d (d + 1), are enough that a refusal of mixtures is final.

    >>> refusal_is_final(np.arange(36.0).reshape(12, 3)), refusal_is_final(np.eye(11, 3))
    (True, False)
    """
    return mixed_mixtures.rows_suffice(len(Z), int(np.count_nonzero(np.ptp(Z, axis=0))))


def learned(Z: Matrix, found: Tasks, states: list[FitState]) -> SharedMetric | None:
    """Fit mixtures with one covariance for all tasks; None if the tasks do not support them.

    Parameters
    ----------
    Z : (n, d) rows of all tasks, their columns at one scale, see `measurements`
    states : of the tasks, with their own answers
    """
    first = None
    for init in INITS:
        metric = _learned_from(init, Z, found, states)
        if metric is not None and any(metric.stands):
            return metric
        first = first or metric
    return first


def _learned_from(
    init: str, Z: Matrix, found: Tasks, states: list[FitState]
) -> SharedMetric | None:
    """Fit mixtures from one kind of starts; None if the tasks do not support them."""
    fitted = _fitted(Z, found.codes, states, init)
    trials = []
    for run in progress.track(fitted, "scoring the shared metric"):
        S = run.candidate.estimator.covariance_
        scorers = shape_scorers.of_tasks(states, Z, found.codes, S)
        trials.append((_gains(states, scorers, run.labels), scorers))
    asked = [task_state.asked(states, run.labels) for run in fitted]
    eligible = [i for i, (gains, _) in enumerate(trials) if accepted(gains[asked[i]])]
    if not eligible:
        return None
    means = np.array([gains.mean() for gains, _ in trials])
    agreement = _agreement(fitted, states)
    # Of equal mixtures the first start is taken on every machine.
    totals = np.round(agreement + means, 12)
    best = max(eligible, key=lambda i: totals[i])
    D = agreement_gains(states, trials[best][1], fitted[best].labels)
    often = agreement[best] >= FOUND_OFTEN or refusal_is_final(Z)
    if not often or not supported(D[asked[best]], float(agreement[best])):
        return None
    W = shape_scorers.whitened(Z, found.codes, fitted[best].candidate.estimator.covariance_)
    if cluster_sizes.kept(W, found.codes, fitted[best].labels) < KEPT_WITH_SIZES:
        return None
    scorers = shape_scorers.with_null_levels(trials[best][1])
    stands = (D > 0) & _as_many(states, fitted[best])
    stands &= _clear(Z, found.codes, states, fitted[best], scorers)
    seed = states[0].own.scorer.seed
    stands &= shape_without_task.found_again(Z, found.codes, fitted[best].labels, seed)
    return SharedMetric(fitted, best, scorers, stands.tolist())


def _as_many(states: list[FitState], run: FittedCandidate) -> NDArray[np.bool_]:
    """For each task, True if a mixture fills at least as many clusters as the task's own answer."""
    pairs = [(run.labels[state.rows], state.own.answer.labels) for state in states]
    return np.array([len(np.unique(made)) >= len(np.unique(own)) for made, own in pairs])


def _clear(
    Z: Matrix,
    codes: Labels,
    states: list[FitState],
    run: FittedCandidate,
    scorers: list[TaskScorer],
) -> list[bool]:
    """For each task, True if a mixture's clusters exceed chance, also in the numbers alone."""
    clear = _exceeding(states, run, scorers)
    single = [task_state.single_values(Z[s.rows], run.labels[s.rows], ONE_VALUE) for s in states]
    parted = [j for j in range(Z.shape[1]) if any(len(values[j]) for values in single)]
    numbers = np.setdiff1d(task_state.numbers(Z, codes), parted)
    if len(numbers) == Z.shape[1]:
        return clear
    if not len(numbers):
        return [False] * len(states)
    S = run.candidate.estimator.covariance_[np.ix_(numbers, numbers)]
    alone = shape_scorers.of_tasks(states, Z[:, numbers], codes, S)
    also = _exceeding(states, run, shape_scorers.with_null_levels(alone))
    return [one and other for one, other in zip(clear, also, strict=True)]


def _exceeding(
    states: list[FitState], run: FittedCandidate, scorers: list[TaskScorer]
) -> list[bool]:
    """For each task, True if the clusters of a mixture exceed the null level of its scorer."""
    pairs = zip(states, scorers, strict=True)
    return [scorer.exceeds_null(run.labels[state.rows]) for state, scorer in pairs]


def _fitted(Z: Matrix, codes: Labels, states: list[FitState], init: str) -> list[FittedCandidate]:
    """Fit mixtures with one covariance to rows Z (n, d) from several starts; drop failed fits."""
    k = task_state.numbers_asked(states)
    random = np.random.RandomState(states[0].own.scorer.seed)
    found = []
    for start, seed in enumerate(starts.seeds(random, STARTS)):
        model = SharedCovarianceMixture(k, init=init, n_init=1, random_state=seed)
        with correspondence.skipped():
            outcome = fitting.fit(model, Z, codes)
        if outcome.labels is not None:
            made = Candidate(FAMILY, "", REPRESENTATION, start, True, model)
            found.append(FittedCandidate(made, outcome.labels, outcome.seconds))
    return found


def _agreement(fitted: list[FittedCandidate], states: list[FitState]) -> Vector:
    """Mean adjusted Rand index of each mixture with the other ones, over the tasks."""
    labels = np.array([run.labels for run in fitted])
    A = np.mean([scores.pairwise_agreement(labels[:, s.rows]) for s in states], axis=0)
    others = max(len(fitted) - 1, 1)
    return np.asarray((A.sum(axis=1) - np.diag(A)) / others)


def _gains(states: list[FitState], scorers: list[TaskScorer], labels: Labels) -> Vector:
    """Modularity (T,) of clusters (n,), less that of own answers, in the shared metric."""
    pairs = [np.array([state.own.answer.labels, labels[state.rows]]) for state in states]
    Q = [scorer.modularities(pair) for scorer, pair in zip(scorers, pairs, strict=True)]
    return np.diff(Q, axis=1)[:, 0]


def agreement_gains(states: list[FitState], scorers: list[TaskScorer], labels: Labels) -> Vector:
    """Gain D (T,) in agreement with other tasks by clusters (n,) instead of each own answer.

    Parameters
    ----------
    scorers : of the tasks, in the metric in which rows of different tasks are compared
    """
    scored = zip(states, scorers, strict=True)
    before = [replace(state.own, scorer=scorer) for state, scorer in scored]
    answers = [replace(state.own.answer, labels=labels[state.rows]) for state in states]
    pairs = zip(before, answers, strict=True)
    after = [replace(own, answers=[made], fitted=None) for own, made in pairs]
    H = [own_answers.agreement(owns, own_answers.transfers(owns)) for owns in (before, after)]
    others = ~np.eye(len(states), dtype=bool)
    rows = zip(*H, others, strict=True)
    return np.array([cross_task.mutual_gain(own[o], made[o]) for own, made, o in rows])


def accepted(gains: Vector) -> bool:
    """True if the mean of the gains (T,) exceeds `MIN_GAIN` and its own standard error.

    >>> [accepted(np.array(gains)) for gains in ([0.1, 0.2], [0.3, -0.01], [0.004, 0.003], [])]
    [True, False, False, False]
    """
    if not len(gains):
        return False
    error = gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else 0.0
    return bool(gains.mean() > max(MIN_GAIN, error))


def supported(D: Vector, agreement: float) -> bool:
    """True if gains D (T,) in agreement of tasks suffice; smaller ones do if all starts agree.

    Parameters
    ----------
    agreement : mean adjusted Rand index of the clusters with those of the other starts

    Examples
    --------
    >>> [supported(np.array([0.03, 0.04]), agreement) for agreement in (0.8, 0.95)]
    [False, True]
    >>> supported(np.array([0.07, 0.08]), 0.5), supported(np.array([0.0, 0.3]), 1.0)
    (True, False)
    """
    return accepted(D) and bool(D.mean() > decision.MIN_EVIDENCE or agreement > FOUND_AGAIN)


def decide(states: list[FitState], metric: SharedMetric | None, cautious: bool) -> None:
    """Set each task's decision: the best mixture's clusters where accepted, else its own answer.

    Parameters
    ----------
    metric : None leaves every task its own answer
    cautious : True replaces an own answer only if modularity and cross-task agreement improve
    """
    if metric is None:
        for state in states:
            (state.decision,) = decision.decide([decision.options(state.own)])
        return
    owns = [
        _rescored(state.own, scorer) for state, scorer in zip(states, metric.scorers, strict=True)
    ]
    for state, own, stands in zip(states, owns, metric.stands, strict=True):
        others = [other for other in owns if other is not own]
        given = _options(own, metric, state.rows, others)
        answer = given.answers[-1]
        # A mixture of the task alone passed a test of its fit; the shared one did not.
        free = state.own.fitted is None
        if stands and free and (not cautious or _improves(answer, given.own)):
            # E of `decision` is of another graph, that of the rows before they were whitened.
            state.decision = Decision(
                **vars(given),
                answer=answer,
                second=None,
                proposal=answer,
                evidence=np.nan,
                support=records.SHAPE,
            )
        else:
            (state.decision,) = decision.decide([decision.options(state.own)])


def _improves(answer: Answer, own: Answer) -> bool:
    """True if an answer exceeds the own one in both modularity and cross-task agreement."""
    return all(getattr(answer, name) > getattr(own, name) for name in CRITERIA)


def _rescored(own: OwnResult, scorer: TaskScorer) -> OwnResult:
    """Score a task's own runs and its unchanged own answer anew in the shared metric."""
    run_scores = scorer.score_runs(own.runs, scorer.modularities(own.runs.labels))
    before = own.answer
    answer = scorer.answer(before.labels, before.combiner, before.source, before.kept)
    return OwnResult(scorer, own.runs, run_scores, [answer])


def _options(
    own: OwnResult, metric: SharedMetric, rows: NDArray[np.integer], others: list[OwnResult]
) -> Options:
    """Return a task's options: its own answer and the clusters of the best mixture."""
    mixtures = task_state.base_clusterings(metric.runs, rows)
    scorer = own.scorer
    transferred = own.labels_from_each(others)
    runs, agreement, run_scores = decision.scored_together(own, mixtures, transferred)
    kept = np.array([len(own.runs) + metric.best])
    answer = scorer.answer(mixtures.labels[metric.best], COMBINER, "joint", kept)
    answers = scorer.with_cross_task_agreement([own.answer, answer], transferred)
    return Options(scorer, runs, run_scores, agreement, answers[0], answers, {})
