"""Maximum mean discrepancy (MMD): distance of two samples in the feature space of a kernel.

    MMD^2(X, Y) = mean_ij k(X[i], X[j]) - 2 mean_ij k(X[i], Y[j]) + mean_ij k(Y[i], Y[j])   (5)

the biased V-statistic, which is the squared distance of the two mean embeddings and so is
never negative.

Symbols  X (m, d), Y (n, d).
Units    linear: squared units of X; gaussian: none, between 0 and 2.
Limits   gaussian with a large bandwidth s is linear / s^2; X = Y gives 0.
Source   Gretton, Borgwardt, Rasch, Schoelkopf, Smola, JMLR 13 (2012) 723-773: the square of
         equation (5), and the median distance of section 8 as bandwidth; introduced by
         Borgwardt, Gretton, Rasch, Kriegel, Schoelkopf, Smola, Bioinformatics 22 (2006) e49-e57.
"""

from typing import Literal

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import euclidean_distances

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.errors import InputError
from kinfolk.numerics import distances, operators

LARGEST = 1e300
"""Largest factor of squared distances in the kernel: infinity times a distance of 0 is NaN."""

_ZERO_SQUARE = 1e-14  # a squared distance below this share of both squared lengths is rounding

_SAMPLE = 1000  # rows for the default bandwidth: half a million distances settle a median


def squared_mmd(
    X: Table,
    Y: Table,
    kernel: Literal["gaussian", "linear"] = "gaussian",
    bandwidth: float | None = None,
) -> float:
    """Squared maximum mean discrepancy of the rows of X (m, d) and Y (n, d), dense or CSR.

    Parameters
    ----------
    X, Y : (m, d) and (n, d), dense or CSR
    kernel : "gaussian", k(x, y) = exp(-|x - y|^2 / (2 bandwidth^2)), costs O((m + n)^2 d) time
        and bounded memory; rows that differ by less than 1e-7 of their lengths count as equal;
        "linear", k(x, y) = <x, y>, costs O((m + n) d)
    bandwidth : float > 0 in units of X, for the gaussian kernel; None takes the median distance
        between different rows, of all rows up to 1000, of 1000 evenly spread ones above

    Raises
    ------
    InputError
        If the tables differ in columns or have no rows, the kernel is unknown, or the bandwidth
        is not positive.

    Examples
    --------
    >>> X, Y = np.array([[0.0], [2.0]]), np.array([[3.0], [5.0]])
    >>> squared_mmd(X, Y, kernel="linear")
    9.0
    >>> round(squared_mmd(X, Y, bandwidth=1.0), 6)
    0.820959
    """
    if X.shape[1] != Y.shape[1] or not min(X.shape[0], Y.shape[0]):
        raise InputError(
            f"X is {X.shape} and Y is {Y.shape}; give two tables with rows and the same columns."
        )
    if kernel == "linear":
        return float(np.sum((operators.mean(X) - operators.mean(Y)) ** 2))
    if kernel != "gaussian":
        raise InputError(f"kernel={kernel!r} is not known; choose 'gaussian' or 'linear'.")
    X, Y = _centered(X, Y)
    if bandwidth is None:
        bandwidth = _median_distance(X, Y)
    elif not bandwidth > 0:
        raise InputError(f"bandwidth={bandwidth!r} must be above 0, or None for the median.")
    between = _mean_kernel(X, Y, bandwidth)
    within = _mean_kernel(X, X, bandwidth) + _mean_kernel(Y, Y, bandwidth)
    # Of equal samples rounding may leave a negative difference.
    return max(0.0, within - 2 * between)


def _centered(X: Table, Y: Table) -> tuple[Table, Table]:
    """Shift dense tables to their common mean, where squared distances keep most digits."""
    if sp.issparse(X) or sp.issparse(Y):
        return X, Y
    m, n = X.shape[0], Y.shape[0]
    mean = (m * operators.mean(X) + n * operators.mean(Y)) / (m + n)
    return X - mean, Y - mean


def _mean_kernel(X: Table, Y: Table, bandwidth: float) -> float:
    """Mean Gaussian kernel over all pairs of a row of X and a row of Y, in blocks of rows."""
    m, n = X.shape[0], Y.shape[0]
    # The square of a bandwidth may be infinite or 0; a factor that is infinite would make NaN of 0.
    factor = min(0.5 / bandwidth / bandwidth, LARGEST)
    of_x = _ZERO_SQUARE * distances.squared_norms(X)
    of_y = _ZERO_SQUARE * distances.squared_norms(Y)
    total = 0.0
    for rows in operators.blocks(m, n):
        D = euclidean_distances(X[rows], Y, squared=True)
        D[of_x[rows, None] + of_y > D] = 0.0
        D *= -factor
        total += float(np.exp(D, out=D).sum())
    return total / (m * n)


def _median_distance(X: Table, Y: Table) -> float:
    """Median distance between distinct rows of a subsample; 1 where all are equal."""
    share = min(1.0, _SAMPLE / (X.shape[0] + Y.shape[0]))
    P = _spread(X, share)
    Q = _spread(Y, share)
    between = euclidean_distances(P, Q).ravel()
    lengths = np.concatenate(
        [_above(euclidean_distances(P)), between, _above(euclidean_distances(Q))]
    )
    rounding = 1e-6 * lengths.max()  # equal rows may come out this far apart
    different = lengths[lengths > rounding]
    return float(np.median(different)) if different.size else 1.0


def _above(D: Matrix) -> Vector:
    """Return the entries above the diagonal of a square matrix."""
    return D[np.triu_indices(len(D), k=1)]


def _spread(X: Table, share: float) -> Table:
    """Pick an evenly spaced share of the rows of X, at least one."""
    n = X.shape[0]
    return X[np.linspace(0, n - 1, max(1, round(share * n))).astype(int)]
