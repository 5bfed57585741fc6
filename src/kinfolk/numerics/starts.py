"""Where a descent begins: k-means labels and spread-out centres."""

import warnings
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.exceptions import ConvergenceWarning

from kinfolk.arrays import Labels, Matrix, Seed, Table


def seeds(random: np.random.RandomState, n: int) -> list[int]:
    """Draw n seeds, so that starts can be made in any order or side by side."""
    return [int(s) for s in random.randint(np.iinfo(np.int32).max, size=n)]


def means(X: Table, k: int, random: Seed, n_init: int = 1, **parameters: Any) -> KMeans:
    """k-means of rows X (n, d) from k-means++ starts, the one kept that has the least inertia.

    Fewer than k distinct rows give fewer than k clusters, in silence: what follows tells its user
    what became of them.

    >>> means(np.array([[0.0], [0.0], [9.0]]), 2, 0).inertia_
    0.0
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(k, n_init=n_init, random_state=random, **parameters).fit(X)


def kmeans(X: Table, k: int, seed: int, *, overwrite: bool = False) -> Labels:
    """Labels (n,) of `means` from one start; X may change by rounding if allowed."""
    labels: Labels = means(X, k, seed, copy_x=not overwrite).labels_
    return labels


def worth_condensing(shape: tuple[int, int]) -> bool:
    """True if k-means on `condensed` rows is cheaper than on a table (n, d) of that shape."""
    n, d = shape
    return 4 * n < d  # an eigendecomposition of n^2 numbers must pay for itself


def condensed(G: Matrix) -> Matrix:
    """Rows (n, n) with the inner products G (n, n), and so with the distances of any such rows.

    k-means on n columns gives what it gives on many more.
    """
    values, vectors = np.linalg.eigh(G)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def spread(X: Table, k: int, seed: int) -> Matrix:
    """Centres (k, d) that are rows of X, drawn by k-means++."""
    return kmeans_plusplus(X, k, random_state=seed)[0].astype(float)
