"""Lloyd's k-means of rows in blocks, from the starts and with the end that scikit-learn has.

    part      of a block: sizes (k,) and sums (k, d) of its rows by their nearest centre, and the
              sum of their squared distances
    combine   sums
    finish    centres are sums over sizes; a cluster without rows keeps its centre

Starts are those of `sklearn.cluster.KMeans` for the sample of the rows (`Blocks.sample`), after
one of its sweeps.

Departures  scikit-learn moves a centre without rows to the row that is farthest from its own.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from kinfolk.arrays import Matrix, Vector
from kinfolk.blocks.block import Block
from kinfolk.blocks.blocks import Rows
from kinfolk.blocks.sums import summary
from kinfolk.numerics import distances


class Sums(NamedTuple):
    """Sizes (k,) and sums (k, d) of the rows of each cluster, and the inertia of the centres."""

    sizes: Vector
    sums: Matrix
    inertia: float


def fitted(model: KMeans, rows: Rows) -> KMeans:
    """Return a copy of scikit-learn's k-means, fitted to rows in blocks, without `labels_`."""
    sample = rows.sample()
    about = summary(rows)
    tol = model.tol * about.scatter / about.mass / rows.shape[1]
    n_init = 10 if model.n_init == "auto" and model.init == "random" else model.n_init
    random = check_random_state(model.random_state)
    found = []
    for _ in range(1 if n_init == "auto" else n_init):
        first = clone(model).set_params(n_init=1, max_iter=1, random_state=random)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # of its one sweep
            first.fit(sample.x, sample_weight=sample.weight)
        found.append(descended(rows, first.cluster_centers_, model.max_iter - 1, tol))
    V, inertia, sweeps = min(found, key=lambda end: end[1])
    # A fit of the sample sets what scikit-learn needs for predictions.
    whole = clone(model).set_params(init=V, n_init=1, max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        whole.fit(sample.x).set_params(**model.get_params())
    del whole.labels_
    whole.cluster_centers_ = V
    whole.inertia_ = inertia
    whole.n_iter_ = sweeps + 1
    return whole


def descended(rows: Rows, V: Matrix, max_iter: int, tol: float) -> tuple[Matrix, float, int]:
    """Centres (k, d) after Lloyd's sweeps from V, their inertia, and the number of sweeps.

    >>> V, inertia, _ = descended(Block(np.array([[0.0], [1.0], [9.0]])), np.eye(2, 1), 9, 0.0)
    >>> V.ravel(), inertia
    (array([9. , 0.5]), 0.5)
    """
    s: Sums = rows.total(by_nearest, V)
    for i in range(max_iter):
        new = V.copy()
        filled = s.sizes > 0
        new[filled] = s.sums[filled] / s.sizes[filled, None]
        shift = float(np.square(new - V).sum())
        V = new
        s = rows.total(by_nearest, V)
        if shift <= tol:
            return V, s.inertia, i + 1
    return V, s.inertia, max_iter


def by_nearest(block: Block, V: Matrix) -> Sums:
    """Sums over the rows of a block by their nearest centre."""
    D = distances.squared(block.x, V)
    labels = D.argmin(axis=1)
    weight = np.ones(len(labels)) if block.weight is None else block.weight
    Y = np.zeros(D.shape)
    Y[np.arange(len(labels)), labels] = weight
    sums: Any = block.x.T @ Y
    return Sums(Y.sum(axis=0), sums.T, float(weight @ D.min(axis=1)))
