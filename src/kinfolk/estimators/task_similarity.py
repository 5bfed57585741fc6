"""Similarity of rows that a method for several tasks factorizes: by name, a function, or given."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Table, Vector
from kinfolk.errors import InputError
from kinfolk.estimators import affinity, checks
from kinfolk.numerics import similarities
from kinfolk.numerics.similarities import Similarity
from kinfolk.tables import Tasks


def fitted(
    model: Any, X: Table, tasks: Tasks, random: np.random.RandomState, weight: Vector | None
) -> list[Similarity]:
    """Return the similarity of each task's rows, and set `affinity_` and `bandwidth_` of the model.

    A bandwidth of None is the median distance. Weights (n,) are those of the rows X (n, d).
    """
    model.bandwidth_ = None
    T = len(tasks.names)
    if isinstance(model.affinity, Mapping):
        if missing := [name for name in tasks.names if name not in model.affinity]:
            raise InputError(
                f"affinity has no entry for task {missing[0]!r}; give a symmetric matrix of "
                "similarities for each task."
            )
        return [similarities.MatrixSimilarity([model.affinity[name] for name in tasks.names])] * T
    if callable(model.affinity):
        return [of_fit(model)] * T
    name = affinity.chosen(model.affinity, X, similarities.NAMES)
    if name == "itakura-saito" and (sp.issparse(X) or X.min() <= 0):
        raise InputError(
            "affinity is 'itakura-saito' and X has entries that are 0 or negative; give "
            "positive numbers, such as spectra with a small one added."
        )
    model.affinity_ = name
    h = None if model.bandwidth is None else checks.above("bandwidth", model.bandwidth, 0)
    model.bandwidth_ = h or similarities.median_bandwidth(name, X, random, weight=weight)
    return [of_fit(model, own) for own in by_task(weight, tasks.rows())]


def of_fit(model: Any, weight: Vector | None = None) -> Similarity:
    """Return the similarity of a fitted model, with the weights of a task's rows at the fit."""
    if isinstance(model.affinity, Mapping):
        return similarities.MatrixSimilarity([])
    if callable(model.affinity):
        return similarities.KernelSimilarity(model.affinity)
    return similarities.named(affinity.of_fit(model), model.bandwidth_, weight=weight)


def by_task(weight: Vector | None, rows: Sequence[Any]) -> list[Vector | None]:
    """Split weights (n,) by the rows of each task; None for each task without weights.

    >>> by_task(np.array([1.0, 2.0, 5.0]), [np.array([0, 2]), np.array([1])])
    [array([1., 5.]), array([2.])]
    >>> by_task(None, [np.array([0, 2]), np.array([1])])
    [None, None]
    """
    return [None if weight is None else weight[own] for own in rows]
