"""Mixtures of normal distributions of the values of single columns, many columns at a time.

They are those of `mixed_mixtures` for one number, its equations (1) to (4) and (6), without tails.
A table of 750 columns needs thousands of them (`preparation.logarithms`), so that a sweep is made
for all at once.

Symbols  x (c, n) values of c columns, R (k, c, n) memberships in k clusters.
"""

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.numerics.mixed_mixtures import RIDGE, TOL

Memberships = NDArray[np.float64]

MOST_NUMBERS = 250_000
"""Entries of memberships that are swept at a time: 2 MB, which the caches of a core hold."""


def criteria(x: Matrix, labels: Labels, k: int, sweeps: int) -> Vector:
    """BIC (c,) of a mixture of k clusters of each column x (c, n), from labels (c, n).

    Examples
    --------
    >>> x = np.array([[-1.1, -1.0, -0.9, 0.9, 1.0, 1.1]])
    >>> one, two = np.zeros((1, 6), dtype=int), np.array([[0, 0, 0, 1, 1, 1]])
    >>> criteria(x, one, 1, 10).round(1).tolist(), criteria(x, two, 2, 10).round(1).tolist()
    ([-20.7], [-10.0])
    """
    c, n = x.shape
    step = max(1, MOST_NUMBERS // (k * n))
    parts = [slice(start, start + step) for start in range(0, c, step)]
    likelihoods = [_likelihoods(x[part], labels[part], k, sweeps) for part in parts]
    return 2.0 * np.concatenate(likelihoods) - (3 * k - 1) * np.log(n)  # (6)


def _likelihoods(x: Matrix, labels: Labels, k: int, sweeps: int) -> Vector:
    """Log-likelihoods (c,) after EM sweeps, of each column until its own is level."""
    R = (labels == np.arange(k)[:, None, None]).astype(float)
    L = np.full(len(x), -np.inf)
    rising = np.arange(len(x))
    for _ in range(sweeps):
        R, found = _sweep(x, R)
        goes_on = ~((found - L[rising]) / x.shape[1] < TOL)
        L[rising] = found
        if not goes_on.any():
            break
        if not goes_on.all():
            x, R, rising = x[goes_on], R[:, goes_on], rising[goes_on]
    return L


def _sweep(x: Matrix, R: Memberships) -> tuple[Memberships, Vector]:
    """Make the M and E steps; return memberships and the log-likelihood (c,) of each column."""
    sizes = np.maximum(R.sum(axis=2), 1e-9)  # (k, c); an empty cluster has density 0
    centers = np.einsum("kcn,cn->kc", R, x) / sizes  # (3)
    squares = np.square(x - centers[:, :, None])
    variances = (np.einsum("kcn,kcn->kc", R, squares) + RIDGE) / sizes  # (4)
    heights = np.log(sizes / x.shape[1]) - 0.5 * np.log(2.0 * np.pi * variances)
    logs = heights[:, :, None] - squares / (2.0 * variances)[:, :, None]
    highest = logs.max(axis=0)
    densities = np.exp(logs - highest)
    sums = densities.sum(axis=0)
    return densities / sums, (np.log(sums) + highest).sum(axis=1)  # (2), (1)
