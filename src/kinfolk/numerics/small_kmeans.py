"""k-means of small dense tables from one start, with the draws and steps of scikit-learn.

Fits of a hundred rows spend more time on checks and set-up there than on products, and a default
answer takes thousands of them. Labels are the same but for rounding, where a row is as near to one
center as to another.

Source  Arthur, Vassilvitskii: k-means++: the advantages of careful seeding. SODA 2007, with
        2 + ln k candidates for each center; Lloyd: Least squares quantization in PCM. IEEE
        Transactions on Information Theory 28, 1982.
"""

import numpy as np

from kinfolk.arrays import Labels, Matrix, Table, Vector

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


def fits(X: Table, k: int) -> bool:
    """True for a dense table X (n, d) in double precision that is small, with k rows or more."""
    usual = type(X) is np.ndarray and X.dtype == np.float64
    most = MOST_OF_FEW if X.shape[0] <= FEW_ROWS else MOST_NUMBERS
    return usual and k <= X.shape[0] and X.size <= most


def labels(X: Table, k: int, seed: int) -> Labels | None:
    """k-means labels (n,) of rows X (n, d); None if a cluster lost its rows or X is not finite.

    >>> labels(np.array([[0.0], [9.0], [9.5]]), 2, 0)
    array([1, 0, 0], dtype=int32)
    """
    found = fitted(X, k, seed)
    return None if found is None else found[0]


def fitted(X: Table, k: int, seed: int) -> tuple[Labels, Matrix] | None:
    """k-means labels (n,) and centers (k, d) of rows X (n, d); None where `labels` is.

    >>> fitted(np.array([[0.0], [9.0], [9.5]]), 2, 0)[1].round(9).tolist()
    [[9.25], [0.0]]
    """
    given = np.asarray(X)
    least = TOL * float(np.mean(np.var(given, axis=0)))
    if not np.isfinite(least):
        return None
    middle = given.mean(axis=0)
    rows = np.ascontiguousarray(given - middle)  # for accuracy of distances
    centers = rows[_spread(rows, k, np.random.RandomState(seed))]
    found = np.full(len(rows), -1)
    for _ in range(MAX_ITER):
        before = found
        found = _nearest(rows, centers)
        sizes = np.bincount(found, minlength=k)
        if not sizes.all():
            return None
        if np.array_equal(found, before):
            return found.astype(np.int32), centers + middle
        moved = (np.arange(k)[:, None] == found).astype(float) @ rows / sizes[:, None]
        shift = float(np.sum((moved - centers) ** 2))
        centers = moved
        if shift <= least:
            break
    return _nearest(rows, centers).astype(np.int32), centers + middle


def _nearest(X: Matrix, centers: Matrix) -> Labels:
    """Position (n,) of the center nearest to each row; the first one of equally near ones."""
    nearest: Labels = (_squares(centers) - 2.0 * (X @ centers.T)).argmin(axis=1)
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
