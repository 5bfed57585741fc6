"""k-means of small tables, with the draws, the steps and the choice of scikit-learn.

Fits of a hundred rows spend more time on checks and set-up there than on products, and a default
answer takes thousands of them. Labels are the same but for rounding, where a row is as near to one
center as to another, or candidates are equally good. Of several starts that of the least inertia
is taken; where two end in different clusters of the same inertia they are left to scikit-learn.

Source  Arthur, Vassilvitskii: k-means++: the advantages of careful seeding. SODA 2007, with
        2 + ln k candidates for each center; Lloyd: Least squares quantization in PCM. IEEE
        Transactions on Information Theory 28, 1982.
"""

import threading
from numbers import Integral

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from kinfolk.arrays import Labels, Matrix, Seed, Table, Vector
from kinfolk.numerics import operators

MOST_NUMBERS = 40_000
"""Most numbers of a table of more than `FEW_ROWS` rows; above, products take most of the time."""
FEW_ROWS = 512
"""Most rows of a table that may hold up to `MOST_OF_FEW` numbers; products are quick there."""
MOST_OF_FEW = 2**18
"""Most numbers of a table of few rows."""
MAX_ITER = 300
"""Most sweeps, as of `KMeans`."""
TOL = 1e-4
"""Sweeps end if squared movements of centers sum to at most this share of the mean variance."""

_own = threading.local()
"""The generator of random numbers of each thread that `_generator` has made."""

LEVEL = 1e-10
"""Starts are level if their inertia differs by less than this share of all rows' scatter."""


def fits(X: Table, k: int) -> bool:
    """True for a table X (n, d) in double precision that is small, with k rows or more.

    So are sparse ones that are small if dense, which scikit-learn takes several times as long for.
    """
    usual = type(X) in (np.ndarray, sp.csr_array) and X.dtype == np.float64
    most = MOST_OF_FEW if X.shape[0] <= FEW_ROWS else MOST_NUMBERS
    return usual and k <= X.shape[0] and X.shape[0] * X.shape[1] <= most


def labels(
    X: Table, k: int, random: Seed, n_init: int = 1, max_iter: int = MAX_ITER
) -> Labels | None:
    """k-means labels (n,) of rows X (n, d); None where `fitted` is.

    >>> labels(np.array([[0.0], [9.0], [9.5]]), 2, 0)
    array([1, 0, 0], dtype=int32)
    """
    found = fitted(X, k, random, n_init, max_iter)
    return None if found is None else found[0]


def fitted(
    X: Table, k: int, random: Seed, n_init: int = 1, max_iter: int = MAX_ITER
) -> tuple[Labels, Matrix] | None:
    """k-means labels (n,) and centers (k, d) of rows X (n, d), the best of `n_init` starts.

    None if a cluster lost its rows, two starts are level, or X is not finite; a generator of random
    numbers that was given is then as before.

    >>> fitted(np.array([[0.0], [9.0], [9.5]]), 2, 0)[1].round(9).tolist()
    [[9.25], [0.0]]
    """
    generator = _generator(random)
    before = random.get_state() if isinstance(random, np.random.RandomState) else None
    found = _best(operators.dense(X), k, generator, n_init, max_iter)
    if found is None and before is not None:
        generator.set_state(before)  # scikit-learn's k-means, run instead, takes the same draws
    return found


def _generator(random: Seed) -> np.random.RandomState:
    """Generator of random numbers; that of a seed is valid until the next call in this thread."""
    if not isinstance(random, Integral):
        return check_random_state(random)
    # To make one takes as long as a sweep of a few hundred rows; to seed one again takes 2 %.
    if not hasattr(_own, "generator"):
        _own.generator = np.random.RandomState(0)
    generator: np.random.RandomState = _own.generator
    generator.seed(random)
    return generator


def _best(
    given: Matrix, k: int, random: np.random.RandomState, n_init: int, max_iter: int
) -> tuple[Labels, Matrix] | None:
    """Labels (n,) and centers (k, d) of the start that ends lowest; None as of `fitted`."""
    middle = given.mean(axis=0)
    rows = np.ascontiguousarray(given - middle)  # for accuracy of distances
    scatter = float(np.sum(np.square(rows)))
    if not np.isfinite(scatter):
        return None
    least = TOL * scatter / rows.size  # of the mean variance of a column
    level = LEVEL * scatter
    best: tuple[Labels, Matrix] = (np.empty(0, dtype=np.int32), np.empty((0, 0)))
    inertia = np.inf
    for _ in range(n_init):
        tried = _descended(rows, k, least, random, max_iter)
        if tried is None:
            return None
        found = _inertia(rows, *tried)
        gain = inertia - found
        if abs(gain) <= level and not _same_clusters(best[0], tried[0], k):
            return None
        if gain > level:
            best = tried
            inertia = found
    return best[0], best[1] + middle


def _descended(
    rows: Matrix, k: int, least: float, random: np.random.RandomState, max_iter: int
) -> tuple[Labels, Matrix] | None:
    """Labels (n,) and centers (k, d) of one start; None if a cluster lost its rows."""
    centers = rows[_spread(rows, k, random)]
    found = np.full(len(rows), -1)
    for _ in range(max_iter):
        before = found
        found = _nearest(rows, centers)
        sizes = np.bincount(found, minlength=k)
        if not sizes.all():
            return None
        if np.array_equal(found, before):
            return found.astype(np.int32), centers
        moved = (np.arange(k)[:, None] == found).astype(float) @ rows / sizes[:, None]
        shift = float(np.sum((moved - centers) ** 2))
        centers = moved
        if shift <= least:
            break
    return _nearest(rows, centers).astype(np.int32), centers


def _inertia(rows: Matrix, labels: Labels, centers: Matrix) -> float:
    """Sum of the squared distances of rows to the centers of their clusters."""
    return float(np.sum(np.square(rows - centers[labels])))


def _same_clusters(a: Labels, b: Labels, k: int) -> bool:
    """True if two labellings (n,) differ in the names of their k clusters only, none empty."""
    return len(np.unique(a * k + b)) == k


def _nearest(X: Matrix, centers: Matrix) -> Labels:
    """Position (n,) of the center nearest to each row; the first one of equally near ones."""
    nearest: Labels = (_squares(centers) - X @ (2.0 * centers.T)).argmin(axis=1)
    return nearest


def _spread(X: Matrix, k: int, random: np.random.RandomState) -> list[int]:
    """Positions of k rows drawn by k-means++, each the best of 2 + ln k candidates."""
    n = len(X)
    squares = _squares(X)
    chosen = [int(random.choice(n, p=np.full(n, 1.0 / n)))]
    nearest = _distances(X, chosen, squares)[0]
    for _ in range(1, k):
        sums = np.cumsum(nearest)
        drawn = random.uniform(size=2 + int(np.log(k))) * nearest.sum()
        candidates = np.minimum(np.searchsorted(sums, drawn), n - 1)
        distances = np.minimum(nearest, _distances(X, candidates, squares))
        best = int(distances.sum(axis=1).argmin())
        nearest = distances[best]
        chosen.append(int(candidates[best]))
    return chosen


def _distances(X: Matrix, rows: Labels | list[int], squares: Vector) -> Matrix:
    """Squared distances (len(rows), n) of some rows of X from all."""
    D: Matrix = -2.0 * (X[rows] @ X.T)
    D += squares[rows][:, None]
    D += squares
    return np.maximum(D, 0.0)


def _squares(X: Matrix) -> Vector:
    """Squared length (n,) of each row."""
    squares: Vector = np.einsum("ij,ij->i", X, X)
    return squares
