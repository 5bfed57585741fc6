"""Gives tasks the clusters of one mixture of all tasks, where the others foretell their rows.

Ten clinics of thirty patients each cannot tell their clusters: a cluster of ten rows lies anywhere.
Where the clinics have the same clusters, all of them together can. So one mixture of normal numbers
and categories is fitted to the rows of all tasks, shifted in each task (`shifted_mixtures`).
Whether it holds for a task, the others tell: the mixture is fitted once more without the task, and
moved to its rows by one shift, which is all that is learned from them (`moved_mixtures`):

    evidence = BIC of the moved mixture - the largest BIC of mixtures of the task's rows alone,
               with its number of clusters or with one

A task in which the moved mixture is less likely than one cluster, of noise or of groups of its own,
would spoil the mixture of the others. It is left out, and the mixture is fitted once more, until no
such task is left. The clusters are the answer of a task if

    evidence  exceeds 10, or 20 if cautious
    clusters  are no more than asked for, and no fewer than those of the own answer
    fit       the mixture of all tasks passes the tests of means, fit and sizes of `mixtures`, as
              far as there are numbers; the test of means includes the categories
    chance    BIC of the mixture of all tasks, less that of one cluster, exceeds those of tables
              without clusters (`copula`) by five of their standard deviations

Limits  at least three tasks, as one other task is the case of `moved_mixtures`; at most 32, and 100
        numbers. Tasks with a mixture of their own that fits, with separated clusters, with an
        answer of `shared_metric` or `moved_mixtures`, or with more than 2000 rows keep what they
        have. Of all tasks at most 4000 rows are used, fewer of many columns, small tasks whole.
        Tasks in other units, or with other classes, get no help: the moved mixture is not likely
        there. Categories are not shifted: their shares have to be those of the other tasks.
Units   are those of all tasks: values of the columns are compared as they are.
Source  `docs/labelfree-columns-measured.md`; for 10 see `mixtures`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.choosing import (
    copula,
    mixtures,
    moved_mixtures,
    null_evidence,
    records,
    task_state,
)
from kinfolk.choosing.candidate_runs import CandidateRuns, FittedCandidate
from kinfolk.choosing.mixtures import MIN_EVIDENCE, MOST_ROWS, MixedMixture
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.shared_metric import MOST_COLUMNS
from kinfolk.choosing.task_state import FitState
from kinfolk.estimators import checks
from kinfolk.methods.multitask.baselines import with_estimators
from kinfolk.numerics import memberships, mixed_mixtures, operators, shifted_mixtures, starts
from kinfolk.numerics.shifted_mixtures import Shifted
from kinfolk.tables import Tasks

FAMILY = records.COMMON
COMBINER = "mixture of all data sets"
FEWEST_TASKS = 3
"""With two tasks the mixture of the others is that of one task, see `moved_mixtures`."""
STARTS = 2
MOST_ROWS_OF_ALL = 4000
"""Most rows that are fitted at once."""
MOST_STEPS = 1e7
"""Most steps n k d^2 of a sweep, of which there are hundreds."""


class CommonMixture(NamedTuple):
    """One mixture of all tasks, by the rows that it was fitted to.

    Attributes
    ----------
    model : has the columns, their scale, and the mixture at no shift
    X, codes : (n, d) and (n,) the rows, and the tasks that they are of
    seeds : of its starts
    found : the mixture of these rows, and how it fits
    """

    model: MixedMixture
    X: Matrix
    codes: Labels
    seeds: list[int]
    found: Shifted

    def without(self, t: int) -> MixedMixture:
        """Fit the mixture once more, from the clusters that it found, without a task."""
        rest = self.codes != t
        N, B = self.model.columns(self.X[rest])
        R = self.found.memberships[rest]
        again = shifted_mixtures.swept(N, B, self.codes[rest], R, self.found.form)
        return self.model.with_mixture(again.mixture)


def fitted(X: Matrix, codes: Labels, among: Sequence[int], k: int, seed: int) -> CommonMixture:
    """Fit one mixture of k clusters to rows X (n, d) of tasks `codes` (n,), shifted in each task.

    `among` are the tasks whose rows take part.

    >>> X = np.array([[0.0], [0.2], [5.0], [5.2], [8.0], [3.2], [3.0], [8.2]])
    >>> common = fitted(X, np.repeat([0, 1], 4), [0, 1], 2, 0)
    >>> common.without(1).moved_to(X[4:]).labels_, len(common.found.shifts)
    (array([0, 1, 1, 0]), 2)
    """
    random = checks.random(seed)
    kept = _sample(codes, among, most_rows(X.shape[1], k), random)
    X, codes = X[kept], codes[kept]
    seeds = starts.seeds(random, STARTS)
    model = MixedMixture(k, random_state=seed)

    def best(N: Matrix, B: Matrix) -> Shifted:
        return shifted_mixtures.best(N, B, codes, _starts(N, B, codes, k, seeds), k)

    _, _, found = model.search(X, best)
    return CommonMixture(model, X, codes, seeds, found)


def most_rows(d: int, k: int) -> int:
    """Most rows of d columns that k clusters are fitted to.

    >>> most_rows(10, 5), most_rows(50, 10)
    (4000, 400)
    """
    return int(min(MOST_ROWS_OF_ALL, MOST_STEPS / (k * d**2)))


def _sample(
    codes: Labels, among: Sequence[int], n_most: int, random: np.random.RandomState
) -> Labels:
    """Positions of at most `n_most` rows of some tasks, as many of each or all that it has."""
    own = [np.flatnonzero(codes == t) for t in among]
    sizes = np.array([len(rows) for rows in own])
    most = n_most
    while np.minimum(sizes, most).sum() > n_most and most > 1:
        most = int(0.95 * most)
    return np.sort(np.concatenate([starts.at_most(rows, most, random) for rows in own]))


def _starts(N: Matrix, B: Matrix, codes: Labels, k: int, seeds: Sequence[int]) -> list[Labels]:
    """Cluster rows by k-means, less the means of their tasks and as they are."""
    centered = N.copy()
    for t in np.unique(codes):
        centered[codes == t] -= N[codes == t].mean(axis=0)
    return [
        labels for table in (centered, N) for labels in mixtures.kmeans_starts(table, B, k, seeds)
    ]


def decide(
    X: Table,
    tasks: Tasks,
    seen: Representations,
    states: list[FitState],
    runs: CandidateRuns,
    cautious: bool,
) -> None:
    """Replace the decision of each task whose rows the mixture of the other tasks foretells.

    Parameters
    ----------
    X : (n, d) rows of all tasks
    states : of the tasks, decided
    runs : gets one run more if a task gets such clusters; Ctrl-C leaves all as it was
    cautious : True asks for twice the evidence
    """
    with runs.kept(states):
        if len(states) < FEWEST_TASKS or not any(map(_may_change, states)):
            return
        if not task_state.may_be_tested(states, seen.kind):
            return
        rows = operators.dense(seen.transform(mixtures.REPRESENTATION, X, tasks.codes))
        rows = rows.astype(float)
        k = max(task_state.numbers_asked(states).values())
        if not _rows_suffice(min(len(rows), most_rows(rows.shape[1], k)), rows, tasks.codes):
            return
        common, moved = _of_similar_tasks(rows, tasks.codes, states, k)
        if common is None or not is_sound(common):
            return
        found = _foretold(common, moved, rows, states, MIN_EVIDENCE * (2 if cautious else 1))
        if found and exceeds_chance(common):
            _set_decisions(common, found, rows, tasks, states, runs)


def _foretold(
    common: CommonMixture,
    moved: dict[int, MixedMixture],
    rows: Matrix,
    states: Sequence[FitState],
    least: float,
) -> dict[int, MixedMixture]:
    """Find the tasks whose rows the mixture of the others describes better than their own ones.

    Parameters
    ----------
    moved : task -> the mixture of the others, moved to its rows; a task that was left out has none
    least : by how much BIC has to be larger

    Returns
    -------
    found : task -> its moved mixture
    """
    found = {}
    for t, state in enumerate(states):
        if not _may_change(state):
            continue
        own = rows[state.rows]
        one = moved[t] if t in moved else common.without(t).moved_to(own)
        if _describes_better(one, own, state, least):
            found[t] = one
    return found


def _of_similar_tasks(
    rows: Matrix, codes: Labels, states: Sequence[FitState], k: int
) -> tuple[CommonMixture | None, dict[int, MixedMixture]]:
    """Fit one mixture of k clusters to tasks in which that of the others beats one cluster.

    Rows of noise, or with groups of their own, would spoil the clusters of the others.

    Returns
    -------
    common : the mixture; None if fewer than three tasks are left
    moved : task -> the mixture of the others, moved to its rows, for the tasks that are left
    """
    similar = list(range(len(states)))
    while len(similar) >= FEWEST_TASKS:
        common = fitted(rows, codes, similar, k, states[0].own.scorer.seed)
        moved = {t: common.without(t).moved_to(rows[states[t].rows]) for t in similar}
        similar = [t for t, one in moved.items() if one.evidence_ > 0]
        if len(similar) == len(moved):
            return common, moved
    return None, {}


def _may_change(state: FitState) -> bool:
    """True for a task of few rows with an answer that no mixture, gap or shape supports."""
    untested = state.own.fitted is None and state.decision.support in ("", records.TASKS)
    return untested and len(state.rows) <= MOST_ROWS


def _rows_suffice(n: int, rows: Matrix, codes: Labels) -> bool:
    """True if n rows are twice the numbers of a covariance of their columns, and the other columns.

    `rows` (m, d) are those of all tasks, `codes` (m,) their tasks.
    """
    d = len(task_state.numbers(rows, codes))
    n_others = rows.shape[1] - d
    enough = d == 0 or mixed_mixtures.rows_suffice(n, d)
    return enough and d <= MOST_COLUMNS and n >= 2 * n_others


def is_sound(common: CommonMixture) -> bool:
    """True if a mixture of all tasks passes the tests of means, fit and sizes."""
    N, B = common.model.columns(common.X)
    N -= common.found.shifts[common.codes]
    mixture, R = common.found.mixture, common.found.memberships
    if not mixtures.sizes_suffice(R):
        return False
    if N.shape[1] and not mixtures.lie_as_described(N, mixture, R):
        return False
    return mixtures.means_tell_apart(N, B, mixture, R)


def _describes_better(moved: MixedMixture, own: Matrix, state: FitState, least: float) -> bool:
    """True if a moved mixture describes a task's rows (m, d) better than mixtures of them alone."""
    k = len(np.unique(state.own.answer.labels)), state.own.scorer.n_clusters
    if not moved_mixtures.may_replace(moved, k, least):
        return False
    return moved.evidence_ - moved.evidence_of(own, k[1]) > least


def exceeds_chance(common: CommonMixture) -> bool:
    """True if the mixture of all tasks has more evidence than those of tables without clusters.

    Such tables have, in each task, the values of its columns and similar rank correlations.
    """
    random = checks.random(common.model.random_state)
    own = [common.codes == t for t in np.unique(common.codes)]
    draws = [copula.drawing(common.X[rows]) for rows in own]

    def of_table() -> float:
        X = np.empty_like(common.X)
        for rows, draw in zip(own, draws, strict=True):
            X[rows] = draw(random)
        return _evidence(common, X)

    return null_evidence.is_exceeded(_evidence(common, common.X), of_table)


def _evidence(common: CommonMixture, X: Matrix) -> float:
    """BIC of a mixture of rows X (n, d) of the same form, less that of one cluster.

    Numbers are normal in both, see `mixtures.exceeds_chance`.
    """
    k, codes = common.found.memberships.shape[1], common.codes
    form = common.found.form._replace(tails=None)
    N, B = common.model.columns(X)
    first = [memberships.indicator(one, k) for one in _starts(N, B, codes, k, common.seeds)]
    found = shifted_mixtures.of_form(N, B, codes, first, form)
    return found.bic - shifted_mixtures.one_normal_cluster(N, B, codes)


def _set_decisions(
    common: CommonMixture,
    found: dict[int, MixedMixture],
    X: Matrix,
    tasks: Tasks,
    states: list[FitState],
    runs: CandidateRuns,
) -> None:
    """Add the run of the moved mixtures, and make its clusters the answers of the tasks found."""
    moved = [
        found[t] if t in found else common.model.moved_to(X[state.rows])
        for t, state in enumerate(states)
    ]
    # k-means makes room for the mixtures, which take its place in every task.
    run = task_state.run_alone(states, FAMILY, mixtures.REPRESENTATION, None, X, tasks.codes)
    if run is None:
        return
    made = with_estimators(run.candidate.estimator, dict(enumerate(moved)))
    made.labels_ = np.empty(len(X), dtype=int)
    for state, one in zip(states, moved, strict=True):
        made.labels_[state.rows] = one.labels_
    joint = run.candidate._replace(joint=True, estimator=made)
    runs.fitted.append(FittedCandidate(joint, made.labels_, run.seconds))
    for t in found:
        states[t].decision = moved_mixtures.decision_for(
            states[t], runs.fitted, COMBINER, records.COMMON
        )
