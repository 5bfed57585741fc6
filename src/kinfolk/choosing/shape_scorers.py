"""Scores clusterings of tasks in the metric of one covariance that all clusters share.

    W = (Z - means of the tasks) S^-1/2          Z (n, d): rows at one scale, S (d, d): a covariance

In this metric clusters of covariance S are round. A scorer there has the graph of the nearest rows
of W in place of that of z-scores, and null tables drawn from the normal distribution of W.

Units   none.
Source  ours; see `shared_metric`.
"""

from dataclasses import replace

import numpy as np

from kinfolk.arrays import Labels, Matrix
from kinfolk.choosing import costs, null_model, representations
from kinfolk.choosing.task_scorer import TaskScorer
from kinfolk.choosing.task_state import FitState
from kinfolk.numerics import gaussian_mixtures


def whitened(Z: Matrix, codes: Labels, S: Matrix) -> Matrix:
    """Center rows Z (n, d) by task, then whiten them so that covariance S (d, d) becomes I.

    >>> Z = np.array([[2.0, 0.0], [-2.0, 0.0], [5.0, 1.0], [5.0, 3.0]])
    >>> whitened(Z, np.array([0, 0, 1, 1]), np.diag([4.0, 1.0])).tolist()
    [[1.0, 0.0], [-1.0, 0.0], [0.0, -1.0], [0.0, 1.0]]
    """
    centered = Z.copy()
    for t in np.unique(codes):
        centered[codes == t] -= Z[codes == t].mean(axis=0)
    return gaussian_mixtures.whitened(centered, S)


def of_tasks(states: list[FitState], Z: Matrix, codes: Labels, S: Matrix) -> list[TaskScorer]:
    """Build the scorers of the tasks on whitened rows, without null levels."""
    W = whitened(Z, codes, S)
    # A constant column makes cosines order rows by distance.
    W = representations.with_offset(W, np.sqrt(W.shape[1]))
    made = []
    for state in states:
        scorer = state.own.scorer
        rows = state.rows if scorer.sample is None else state.rows[scorer.sample]
        made.append(replace(scorer, X=W[rows]))
    return made


def with_null_levels(scorers: list[TaskScorer]) -> list[TaskScorer]:
    """Set the null level of each task, from null tables in the shared metric."""
    share = costs.share_of_tables(len(scorers))
    found = [
        null_model.null_scores(
            one.X, one.n_clusters, kind=null_model.NORMAL, seed=one.seed, share=share
        )
        for one in scorers
    ]
    levels = null_model.levels(found)
    return [replace(one, null_level=level) for one, level in zip(scorers, levels, strict=True)]
