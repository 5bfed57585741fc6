"""Random starts of descents: seeds, samples, k-means labels and k-means++ centers."""

import warnings
from typing import Any

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.exceptions import ConvergenceWarning

from kinfolk.arrays import Labels, Matrix, Seed, Table, Vector
from kinfolk.numerics import distances, memberships, memo, operators, small_kmeans, weighted_rows
from kinfolk.numerics.features import Features


def seeds(random: np.random.RandomState, n: int) -> list[int]:
    """Draw n seeds, one per start.

    >>> seeds(np.random.RandomState(0), 2)
    [209652396, 398764591]
    """
    # Drawn together, so that starts do not depend on the order in which they run.
    return [int(s) for s in random.randint(np.iinfo(np.int32).max, size=n)]


def at_most(rows: NDArray[Any], most: int, random: np.random.RandomState) -> NDArray[Any]:
    """Return rows (n, ...) as they are, or `most` of them, drawn at random and in their order.

    >>> at_most(np.arange(9), 4, np.random.RandomState(0)).tolist()
    [1, 2, 4, 7]
    """
    if len(rows) <= most:
        return rows
    return rows[np.sort(random.choice(len(rows), most, replace=False))]


def means(
    X: Table,
    k: int,
    random: Seed,
    n_init: int = 1,
    weight: Vector | None = None,
    **parameters: Any,
) -> KMeans:
    """Fit k-means to rows X (n, d) n_init times from k-means++, keeping the least inertia.

    Weights (n,) count a row as so many.

    >>> means(np.array([[0.0], [0.0], [9.0]]), 2, 0).inertia_
    0.0
    """
    # Arguments are checked by the callers: to check them again is a sixth of a small fit.
    quick = sklearn.config_context(skip_parameter_validation=True)
    with quick, warnings.catch_warnings():
        # Fewer than k distinct rows give fewer clusters; callers report the clusters they found.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KMeans(k, n_init=n_init, random_state=random, **parameters)
        return model.fit(X, sample_weight=weight)


def kmeans(
    X: Table,
    k: int,
    random: Seed,
    n_init: int = 1,
    *,
    overwrite: bool = False,
    weight: Vector | None = None,
    max_iter: int = small_kmeans.MAX_ITER,
) -> Labels:
    """k-means labels (n,) of the least inertia; `overwrite` lets it use X as working memory.

    Rows without columns are equal, and equal rows are one cluster.

    >>> kmeans(np.array([[0.0], [9.0], [9.5]]), 2, 0)
    array([1, 0, 0], dtype=int32)
    >>> kmeans(np.empty((3, 0)), 2, 0)
    array([0, 0, 0], dtype=int32)
    """
    if X.shape[1] == 0:
        return np.zeros(X.shape[0], dtype=np.int32)
    found: Labels | None = None
    if weight is None and small_kmeans.fits(X, k):
        found = small_kmeans.labels(X, k, random, n_init, max_iter)
    if found is None:
        settings = {"copy_x": not overwrite, "max_iter": max_iter}
        found = means(X, k, random, n_init, weight, **settings).labels_
    return found


def round_rows(Z: Matrix) -> Matrix:
    """Rotate and scale rows Z (n, d) so that they vary as much in all directions that they span.

    k-means cuts long clusters that lie side by side across; of these rows it does not.

    >>> Z = np.array([[0.0, 0.0], [8.0, 8.0], [0.0, 1.0], [8.0, 9.0]])
    >>> round_rows(Z - Z.mean(axis=0)).std(axis=0).round(3)
    array([1., 1.])
    """
    U, sizes, _ = np.linalg.svd(Z, full_matrices=False)
    return np.asarray(U[:, sizes > 1e-6 * sizes.max(initial=0.0)] * np.sqrt(len(Z)))


def centers(X: Table, k: int, random: Seed, n_init: int = 1) -> Matrix:
    """k-means centers (k, d) of the least inertia.

    >>> centers(np.array([[0.0], [9.0], [9.5]]), 2, 0).round(9).tolist()
    [[9.25], [0.0]]
    """
    found = small_kmeans.fitted(X, k, random, n_init) if small_kmeans.fits(X, k) else None
    return means(X, k, random, n_init).cluster_centers_ if found is None else found[1]


def worth_condensing(shape: tuple[int, int]) -> bool:
    """True if k-means on the columns of `condensed` is cheaper than on a table of this shape."""
    n, d = shape
    return 4 * n < d  # an eigendecomposition of n^2 numbers must pay for itself


def condensed(G: Matrix) -> Matrix:
    """Rows (n, n) that have the inner products G (n, n), and so the original distances.

    >>> rows = condensed(np.array([[4.0, 0.0], [0.0, 9.0]]))
    >>> abs(rows)
    array([[2., 0.],
           [0., 3.]])
    """
    values, vectors = np.linalg.eigh(G)
    return vectors * np.sqrt(np.maximum(values, 0.0))


@memo.remembered
def starting_rows(Z: Features) -> Table:
    """Return a task's rows for k-means, rotated to fewer columns where that is cheaper.

    >>> starting_rows(Features([np.eye(2), np.ones((2, 1))])).shape
    (2, 3)
    """
    return condensed(Z.inner(Z)) if worth_condensing(Z.shape) else Z.merged()


def first_labels(
    Z: Features, k: int, seeds: list[int], n_init: int = 1, weight: Vector | None = None
) -> list[Labels]:
    """k-means labels of the rows Z for each seed, each the best of `n_init` runs.

    Weights (n,) count a row as so many.
    """
    weight = weighted_rows.uneven(weight)
    rows = starting_rows(Z)
    # Remembered rows are shared: k-means may not use them as its working memory.
    overwrite = not memo.active()
    return [kmeans(rows, k, seed, n_init, overwrite=overwrite, weight=weight) for seed in seeds]


def spread(X: Table, k: int, seed: int, weight: Vector | None = None) -> Matrix:
    """Draw k rows of X by k-means++ as centers (k, d), with weights (n,) or none."""
    # k-means++ draws by products of rows, which lose their digits far from 0.
    middle = distances.origin(X)
    rows = X if middle is None else X - middle
    drawn = kmeans_plusplus(rows, k, sample_weight=weight, random_state=seed)[1]
    return operators.dense(X[drawn]).astype(float)


def of_random_memberships(X: Table, k: int, seed: int, weight: Vector | None = None) -> Matrix:
    """Centers (k, d) from random memberships: uniform numbers, normalized by row.

    They lie near the mean of all rows, the nearer the more rows there are.

    >>> of_random_memberships(np.array([[0.0], [0.0], [9.0]]), 2, 0).round(1)
    array([[2.6],
           [3.3]])
    """
    U: Matrix = np.random.RandomState(seed).uniform(size=(X.shape[0], k))
    U /= U.sum(axis=1, keepdims=True)
    return memberships.centers(X, U if weight is None else U * weight[:, None])


CENTRES = {"k-means++": spread, "random": of_random_memberships}
"""Name -> first centers of a soft clustering: rows far apart, or means of random memberships."""
