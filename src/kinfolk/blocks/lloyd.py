"""k-means (Lloyd) of rows in blocks, with scikit-learn's starts and stopping rule.

    part      of a block: sizes (k,) and sums (k, d) of its rows by their nearest center, and the
              sum of their squared distances
    combine   sums
    finish    centers are sums over sizes; a cluster without rows keeps its center

Starts are those of `sklearn.cluster.KMeans` for the sample of the rows (`Blocks.sample`), after
one of its sweeps. As there, distances are those of dense rows less a mean, here that of the sample:
far from zero the squares of single entries leave no digits for what is between rows.

Departures  scikit-learn moves a center without rows to the row that is farthest from its own.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from kinfolk.arrays import Matrix, Vector
from kinfolk.blocks import kernel
from kinfolk.blocks.block import Block
from kinfolk.blocks.blocks import Rows
from kinfolk.blocks.sums import Summary, summary
from kinfolk.numerics import backend, distances, operators


class Sums(NamedTuple):
    """Cluster sizes (k,) and sums of rows (k, d), and the inertia, over some rows."""

    sizes: Vector
    sums: Matrix
    inertia: float


def fitted(model: KMeans, rows: Rows) -> KMeans:
    """Fit a copy of scikit-learn's KMeans to rows in blocks; it has no `labels_`."""
    model._validate_params()  # as its own fit does
    sample = rows.sample()
    kernel.check_sample(sample.shape[0], model.n_clusters)
    # Zeros would be entries of sparse rows after it.
    is_sparse = sp.issparse(sample.x)
    origin = np.zeros(rows.shape[1]) if is_sparse else sample.x.mean(axis=0, dtype=np.float64)
    near = centered(sample, origin)
    about: Summary = rows.total(summary_about, origin, combine=Summary.plus)
    tol = model.tol * about.scatter / about.mass / rows.shape[1]
    random = check_random_state(model.random_state)
    init = model.init
    # scikit-learn has a sentence for centers of another shape.
    if not _is_named(init) and np.shape(init)[1:] == origin.shape:
        init = np.asarray(init) - origin
    found = []
    for _ in range(_starts(model)):
        first = clone(model).set_params(init=init, n_init=1, max_iter=1, random_state=random)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # of its one sweep
            first.fit(near.x, sample_weight=near.weight)
        found.append(descended(rows, first.cluster_centers_, model.max_iter - 1, tol, origin))
    V, inertia, sweeps = min(found, key=lambda end: end[1])
    # A fit of the sample sets what scikit-learn needs for predictions.
    whole = clone(model).set_params(init=V, n_init=1, max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        whole.fit(near.x).set_params(**model.get_params())
    del whole.labels_
    whole.cluster_centers_ = V + origin
    whole.inertia_ = inertia
    whole.n_iter_ = sweeps + 1
    return whole


def _is_named(init: Any) -> bool:
    """True if `init` is a name or a function, False if it is an array of centers."""
    return isinstance(init, str) or callable(init)


def _starts(model: KMeans) -> int:
    """Number of starts that scikit-learn would make for these parameters."""
    if not _is_named(model.init):
        return 1
    if model.n_init != "auto":
        return int(model.n_init)
    return 1 if model.init == "k-means++" else 10


def centered(block: Block, origin: Any) -> Block:
    """Convert a block to double precision and subtract `origin` (d,) from dense rows.

    >>> centered(Block(np.array([[4.0, 6.0]], dtype=np.float32)), np.array([4.0, 5.0])).x
    array([[0., 1.]])
    """
    x: Any = backend.double(block.x)
    if not sp.issparse(x):
        x = x - backend.beside(origin, x)
    return block._replace(x=x)


def summary_about(block: Block, origin: Any) -> Summary:
    """Weight, mean and scatter of a block's rows less origin (d,)."""
    return summary(centered(block, origin))


def descended(
    rows: Rows, V: Matrix, max_iter: int, tol: float, origin: Any = 0.0
) -> tuple[Matrix, float, int]:
    """Run Lloyd's sweeps from V; return centers (k, d), inertia and number of sweeps.

    V, and what is returned, are centers less origin (d,).

    >>> V, inertia, _ = descended(Block(np.array([[0.0], [1.0], [9.0]])), np.eye(2, 1), 9, 0.0)
    >>> V.ravel(), inertia
    (array([9. , 0.5]), 0.5)
    """
    s: Sums = rows.total(by_nearest, V, origin)
    for i in range(max_iter):
        new = V.copy()
        filled = s.sizes > 0
        new[filled] = s.sums[filled] / s.sizes[filled, None]
        shift = float(np.square(new - V).sum())
        V = new
        s = rows.total(by_nearest, V, origin)
        if shift <= tol:
            return V, s.inertia, i + 1
    return V, s.inertia, max_iter


def by_nearest(block: Block, V: Matrix, origin: Any = 0.0) -> Sums:
    """Assign a block's rows, less origin (d,), to nearest centers, and sum by cluster."""
    block = centered(block, origin)
    D = distances.squared(block.x, V)
    labels = backend.lowest(D)
    weight = np.ones(len(labels)) if block.weight is None else block.weight
    Y = np.zeros(D.shape)
    Y[np.arange(len(labels)), labels] = weight
    least = backend.namespace(D).min(D, axis=1)
    return Sums(Y.sum(axis=0), operators.crossed(block.x, Y).T, backend.total(least, weight))
