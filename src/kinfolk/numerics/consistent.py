"""Builds MTCFIR's similarity of a task's rows, from their affinities to the rows of all tasks.

    A_ij     = sum_s alpha_ts |V^ts_i - V^ts_j|^2                                  (9)
    M        = for each row the l nearest by A, weighted; (M + M')/2         (14)-(19)

Symbols     V^ts (n_t, n_s) associations of the rows of tasks t and s, alpha_ts their weights.
Units       none: the weights of a row are at most 1, whatever the unit of V.
Exact       A in blocks of rows (`geometry`); M is sparse.
Source      Zhang, Zhang, Liu (2019), the equations above; see `methods.multitask.feature_instance`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Labels, Vector
from kinfolk.numerics import graphs, memo, operators
from kinfolk.numerics.associations import Association
from kinfolk.numerics.features import Features
from kinfolk.numerics.geometry import Geometry


class TaskSimilarity(NamedTuple):
    """Similarity M (n_t, n_t) of a task's rows, and the first row equal to each row (n_t,)."""

    M: operators.Symmetric
    first_equal: Labels


@memo.remembered
def consistent_similarity(
    V: Association,
    Z: Sequence[Features],
    alpha: Vector,
    t: int,
    l: int,
    grams: tuple[Vector, ...] | None = None,
    precision: type[np.floating] = np.float64,
) -> TaskSimilarity:
    """Sparse similarity of task t's rows from affinities to all tasks, and equal rows (MTCFIR)."""
    task = Geometry(V, Z, alpha, t, grams, precision)
    near = []
    weights = []
    first = []
    for rows in task.blocks():
        A, sizes = task.among(rows)
        own = (np.arange(len(A)), np.arange(rows.start, rows.stop))
        tolerance = graphs.EQUAL_DISTANCES[A.dtype] * sizes[:, None]
        equal = tolerance >= A
        equal[own] = True
        first.append(equal.argmax(axis=1))
        A[own] = np.inf  # no row is its own neighbor
        i, w = graphs.simplex_neighbors(A, l, sizes)
        near.append(i)
        weights.append(w)
    graph = graphs.directed(np.vstack(near), np.vstack(weights), len(task.sizes))
    return TaskSimilarity(operators.Explicit(graphs.symmetrized(graph)), np.concatenate(first))


@memo.remembered
def own_similarity(V: Association, Z: Features) -> operators.Symmetric:
    """Similarity of a task's rows from affinities within the task only (MTCFIR's variant nI)."""
    return operators.gram(Z.tables) if V.linear else operators.Explicit(V.tile(Z, Z))
