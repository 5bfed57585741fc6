"""Whitens tables of amounts by the scatter within the clusters of all tasks, and clusters anew.

Rows of one cluster differ more in some directions than in others: strokes of a digit slant more
than they bend. Distances between clusters are clearer where every direction is measured in units
of the differences within clusters. A task has few rows to tell them by itself, so each task takes
half of its covariance from all tasks:

    z[i]  = V' (x[i] - mean of its task)       V (d, p): the leading principal directions of all
                                               rows less the means of their tasks
    S[t]  = scatter of z within the first clusters of task t / (rows - clusters)
    C[t]  = .9 (S[t] + mean of S) / 2 + .1 tr(.) / p I      mean weighted by rows - clusters
    w[i]  = C[t]^-1/2 z[i]

k-means and spectral clustering of w give new runs, and their best combination is the metric's
answer. It goes before the first clusters, the own answers, if it is the clearer one on average over
the tasks, where each of the two graphs counts alike: that of the rows, to which the own answer was
fitted, and that of w, to which the new one was:

    sum over tasks of Q(new) - Q(own) + Q'(new) - Q'(own)  >  0        Q, Q': modularities

No cluster is shared here, only the metric; so tasks need no clusters in common.

Units   none: a direction is measured in its own differences.
Limits  not with a single task or known labels, nor for counts, tables of mostly zeros as weighted
        words are, or measurements (`shared_metric`) but principal components, which are those of
        amounts as often as not. p <= a tenth of the rows less clusters.
Source  `docs/labelfree.md`. A covariance between a group's own and that of all groups: Friedman:
        Regularized discriminant analysis. JASA 84, 1989, equations (16) to (18), here with
        lambda = 1/2, gamma = .1 and groups that are tasks.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from sklearn.decomposition import PCA

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.choosing import candidates, task_scorer, task_state
from kinfolk.choosing.candidates import CandidateRuns, FittedCandidate
from kinfolk.choosing.consensus import Answer
from kinfolk.choosing.representations import InMetric, Representations
from kinfolk.choosing.task_state import FitState
from kinfolk.numerics import operators
from kinfolk.tables import Tasks

SOURCE = "metric"
"""Source of an answer from runs in the metric, beside "own", "all" and "joint"."""

FAMILIES = "kmeans", "spectral"
# With 20 or 50 directions a task of unequal-digits lost .06 and .04, with 30 none lost .02.
MOST_DIRECTIONS = 30
# Fewer would leave less than 10 rows for a variance; not tuned.
ROWS_PER_DIRECTION = 10
# With .03 a task of 20 rows lost .15; .3 gains as much as .1.
SHRINKAGE = 0.1


def applies(X: Table, seen: Representations, states: Mapping[int, FitState]) -> bool:
    """True if the table suits whitening: amounts (not words) or components, and two tasks or more.

    X (n, d) are the rows. False where labels are known.
    """
    if not seen.are_amounts_or_components(X):
        return False
    return len(states) > 1 and not task_state.labels_are_known(states.values())


def where_it_applies(
    X: Table,
    found: Tasks,
    seen: Representations,
    states: list[FitState],
    runs: CandidateRuns,
    random: np.random.RandomState,
) -> Representations:
    """Cluster the tasks anew in the whitened metric if the table suits it."""
    sharing = {t: state for t, state in enumerate(states) if state.shares}
    if not applies(X, seen, sharing):
        return seen
    codes = np.where(np.isin(found.codes, list(sharing)), found.codes, -1)
    seen = lend(operators.dense(X), codes, seen, sharing, runs, random)
    task_state.transfer(states)
    return seen


def learned(
    X: Matrix, seen: Representations, states: Mapping[int, FitState]
) -> Representations | None:
    """Learn the whitening of rows X (n, d) from all tasks' clusters; None for too few rows.

    Parameters
    ----------
    states : position of a task that shares -> its state, with its own answer
    """
    tables = [X[s.rows] - X[s.rows].mean(axis=0) for s in states.values()]
    spare = np.array([len(s.rows) - s.own.scorer.n_clusters for s in states.values()])
    p = min(MOST_DIRECTIONS, X.shape[1], spare.sum() // ROWS_PER_DIRECTION)
    rows = np.vstack(tables)
    if p < 1 or spare.min() < 1 or not rows.any():
        return None
    V = PCA(p, random_state=0).fit(rows).components_.T
    firsts = [state.own.answer.labels for state in states.values()]
    pairs = zip(tables, firsts, strict=True)
    C = covariances(np.array([scatter_within(table @ V, l) for table, l in pairs]), spare)
    if not (np.trace(C, axis1=1, axis2=2) > 0).all():
        return None
    maps = np.zeros((len(seen.means), *V.shape))
    maps[list(states)] = [V @ inverse_root(each) for each in C]
    return replace(seen, maps=maps)


def lend(
    X: Matrix,
    codes: Labels,
    seen: Representations,
    states: Mapping[int, FitState],
    runs: CandidateRuns,
    random: np.random.RandomState,
) -> Representations:
    """Cluster the tasks in the whitened metric; use the answers as baseline if clearer on average.

    Adds the runs to `runs`, and the answers to the states.

    Parameters
    ----------
    codes : (n,) position of each row's task; -1 for tasks that do not share
    states : see `learned`

    Returns
    -------
    The representations, which know the metric if it was learned.
    """
    metric = learned(X, seen, states)
    if metric is None:
        return seen
    first = len(runs.fitted)
    k = {t: state.own.scorer.n_clusters for t, state in states.items()}
    plan = candidates.plan(FAMILIES, InMetric(**vars(metric)), k, random)
    # The metric is that of all tasks.
    plan = [candidate._replace(joint=True) for candidate in plan]
    candidates.run(plan, metric, X, codes, runs, "all data sets in one metric")
    fitted = runs.fitted[first:]
    if len(fitted) < len(plan):
        return metric
    W = metric.transform("whitened with offset", X, np.maximum(codes, 0))
    found = [_answer(state, operators.dense(W), fitted, first) for state in states.values()]
    if sum(gain for _, gain in found) > 0:
        for state, (answer, _) in zip(states.values(), found, strict=True):
            state.own = replace(state.own, lent=answer)
    return metric


def _answer(
    state: FitState, W: Matrix, fitted: list[FittedCandidate], first: int
) -> tuple[Answer, float]:
    """Best clustering of a task by runs on whitened rows, and its gain in modularity.

    Parameters
    ----------
    first : number of runs before those in the metric
    """
    scorer = state.own.scorer
    rows = state.rows if scorer.sample is None else state.rows[scorer.sample]
    inside = replace(scorer, X=W[rows])
    best = task_scorer.own_result(task_state.base_clusterings(fitted, state.rows), inside).answer
    pair = np.array([state.own.answer.labels, best.labels])
    gain = np.diff(scorer.modularities(pair) + inside.modularities(pair))[0]
    return scorer.answer(best.labels, best.combiner, SOURCE, first + best.kept), float(gain)


def scatter_within(Z: Matrix, labels: Labels) -> Matrix:
    """Sum (p, p) of outer products of rows Z (n, p) less the means of their clusters.

    >>> scatter_within(np.array([[1.0, 0.0], [3.0, 0.0], [9.0, 9.0]]), np.array([0, 0, 1])).tolist()
    [[2.0, 0.0], [0.0, 0.0]]
    """
    rest = Z.copy()
    for c in np.unique(labels):
        rest[labels == c] -= Z[labels == c].mean(axis=0)
    return np.asarray(rest.T @ rest)


def covariances(scatters: Matrix, spare: Vector) -> Matrix:
    """Shrunk within-cluster covariances C (T, p, p) from scatters and degrees of freedom (T,).

    >>> covariances(np.array([[[2.0]], [[12.0]]]), np.array([2, 3])).round(2).tolist()
    [[[1.9]], [[3.4]]]
    """
    own = scatters / spare[:, None, None]
    C = (own + scatters.sum(axis=0) / spare.sum()) / 2
    p = C.shape[1]
    mean = np.trace(C, axis1=1, axis2=2) / p
    return np.asarray((1 - SHRINKAGE) * C + SHRINKAGE * mean[:, None, None] * np.eye(p))


def inverse_root(C: Matrix) -> Matrix:
    """Inverse square root R (p, p) with R' C R = I, for a positive definite C (p, p).

    >>> inverse_root(np.diag([4.0, 1.0])).round(2).tolist()
    [[0.0, 0.5], [1.0, 0.0]]
    """
    values, vectors = np.linalg.eigh(C)
    return np.asarray(vectors / np.sqrt(values))
