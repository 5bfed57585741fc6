"""Finds clusters of any shape in measurements by the gaps between them, as own answers of tasks.

Most methods take clusters for balls, mixtures take them for ellipsoids. Crescents, rings and other
bent clusters are neither; but where hardly a row lies between two of them, single linkage of a
density distance finds them (`numerics/density_gaps`). They are the own answer of a task if

    numbers  each column that varies has more than 20 values: the distance of two values of a
             category is a gap that tells nothing of clusters
    sizes    each of the k clusters has a fifth of the rows of a mean cluster, and 5 rows
    share    90 % of the rows are in one of them before two of them become one
    gap      this happens at 1.1 times the height at which the last of them arises, or higher
    others   their adjusted Rand index with the clusters that the runs of the task agree on is
             below .75: balls with gaps between them are found by all, and rims better

The other rows go to the cluster of the nearest row that is in one.

Null tables keep the tails of columns, which a few rows far away are, too. So a task has clusters as
well if those of its answer have such gaps between them; here 5 rows are enough for a cluster.

Units   none: rows are compared by z-scores, or in units of the columns where these are scaled.
Limits  not for known labels, more than 32 tasks, or tables that are not measurements.
Source  `docs/labelfree-columns-measured.md` says what decided the rule.
"""

import warnings
from typing import Self

import numpy as np
from sklearn.metrics import pairwise_distances_argmin

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table
from kinfolk.choosing import task_state
from kinfolk.choosing.candidate_runs import CandidateRuns
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.task_state import FitState
from kinfolk.errors import EmptyClusterWarning
from kinfolk.estimators import checks, kept_rows
from kinfolk.estimators.base import Clusterer
from kinfolk.estimators.parameterized import parameterized
from kinfolk.numerics import density_gaps, kinds, matching, operators, starts
from kinfolk.tables import Tasks

FAMILY = "gaps"
REPRESENTATION = "z-scores"
MIN_SIZE = 0.2
"""Least size of a cluster, as a share of the mean cluster size."""
MIN_ROWS = 5
MIN_SHARE = 0.9
MIN_GAP = 1.1
DIFFERENT = 0.75
MOST_ROWS = 1000
"""Most rows that are clustered; of more, a sample, as distances of all pairs are needed."""


@parameterized
class SeparatedClusters(Clusterer):
    """Clusters of any shape, found by the gaps between them.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    min_cluster_size : int >= 2, or None for 5 and a fifth of a mean cluster
    random_state : int, RandomState or None, for the sample of 1000 rows where there are more

    Attributes
    ----------
    labels_ : (n,), the cluster of each row; all 0 if there are no k clusters with gaps
    gap_, share_ : (G3) and (G4) of `numerics.density_gaps`; 1 and 0 without such clusters
    separated_ : True if gap, share and numbers are those that this module asks for

    Examples
    --------
    >>> angles = np.linspace(0.0, 2 * np.pi, 60)
    >>> circle = np.column_stack([np.cos(angles), np.sin(angles)])
    >>> model = SeparatedClusters(2).fit(np.vstack([circle, 4 * circle[::-1]]))
    >>> model.separated_, np.bincount(model.labels_), round(model.gap_, 1)
    (True, array([60, 60]), 2.4)
    >>> model.predict([[0.0, 0.0], [0.0, 3.0]])
    array([0, 1])
    """

    keeps = kept_rows.ROWS
    compares = "nothing"  # columns are comparable already

    n_clusters: int = 2
    min_cluster_size: int | None = None
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d), n >= k."""
        X, k = self._open(X, self.n_clusters)
        random = checks.random(self.random_state)
        rows = starts.at_most(operators.dense(X).astype(np.float64), MOST_ROWS, random)
        usual = max(MIN_ROWS, MIN_SIZE * len(rows) / k)
        least = usual if self.min_cluster_size is None else self.min_cluster_size
        found = density_gaps.separated(rows, k, least) if k > 1 else None
        if found is None:
            found = density_gaps.Separated(np.zeros(len(rows), dtype=int), 1.0, 0.0)
        self.gap_, self.share_ = found.gap, found.share
        clear = self.gap_ >= MIN_GAP and self.share_ >= MIN_SHARE
        self.separated_ = bool(clear and _have_many_values(rows))
        inside = found.labels >= 0
        self._rows, self._labels = rows[inside], found.labels[inside]
        self.labels_ = self._assigned(X)
        return self._record()

    def predict(self, X: MatrixLike) -> Labels:
        """Return, for each row of X (m, d), the cluster of the nearest fitted row that has one."""
        return self._assigned(self._new_rows(X))

    def _assigned(self, X: Table) -> Labels:
        near = pairwise_distances_argmin(operators.dense(X).astype(np.float64), self._rows)
        return np.asarray(self._labels[near])


def _have_many_values(X: Matrix) -> bool:
    """True if each column of X (n, d) that varies has more than 20 values.

    >>> numbers = np.arange(40.0)
    >>> _have_many_values(np.column_stack([numbers, numbers > 9]))
    False
    >>> _have_many_values(np.column_stack([numbers, numbers * 0]))
    True
    """
    values = kinds.different_values(X)
    return bool((values[values > 1] > kinds.FEW_VALUES).all())


def improve(
    X: Table,
    found: Tasks,
    seen: Representations,
    states: list[FitState],
    runs: CandidateRuns,
) -> None:
    """Set the own answers of tasks to separated clusters, where their rows X (n, d) have them.

    If any do, the run is added to `runs`, and to the runs of each state.
    """
    if not task_state.may_be_tested(states, seen.kind):
        return
    Z = operators.dense(seen.transform(REPRESENTATION, X, found.codes)).astype(float)
    model = SeparatedClusters(random_state=states[0].own.scorer.seed)
    run = task_state.run_alone(states, FAMILY, REPRESENTATION, model, Z, found.codes)
    if run is None:
        return
    fitted = run.candidate.estimator.estimators_
    if not any(one.separated_ for one in fitted):
        return
    runs.fitted.append(run)
    for state, one in zip(states, fitted, strict=True):
        same = matching.adjusted_rand(state.own.answer.labels, run.labels[state.rows])
        stands = one.separated_ and same < DIFFERENT
        state.own = task_state.with_run(state, run, stands)
        if stands:
            task_state.accept(state)
    task_state.transfer(states)


def accept(X: Table, found: Tasks, seen: Representations, states: list[FitState]) -> None:
    """Mark tasks as having clusters where gaps part those of their own answers to rows X (n, d)."""
    unclear = [state for state in states if not state.own.has_clusters]
    if not unclear or not task_state.may_be_tested(states, seen.kind):
        return
    Z = operators.dense(seen.transform(REPRESENTATION, X, found.codes)).astype(float)
    for state in unclear:
        k, seed = state.own.scorer.n_clusters, state.own.scorer.seed
        if len(state.rows) <= k:
            continue
        model = SeparatedClusters(k, min_cluster_size=MIN_ROWS, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EmptyClusterWarning)  # where no gaps are found
            model.fit(Z[state.rows])
        if model.separated_ and task_state.same_clusters(state.own.answer.labels, model.labels_):
            task_state.accept(state)
    if any(state.own.has_clusters for state in unclear):
        task_state.accept_found_again(states)
