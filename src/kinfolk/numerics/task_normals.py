"""Multivariate normal of each task, learned from rows with gaps, and values for the gaps.

Rows z of task t are taken to be normal with mean m[t] and covariance S[t]. In a row with gaps in
the columns g and values in the columns o, the gaps have, with the precision K = S[t]^-1,

    mean         m[g] - K[g,g]^-1 K[g,o] (z[o] - m[o])                                     (N1)
    covariance   K[g,g]^-1                                                                 (N2)

Expectation maximization (EM; Dempster, Laird and Rubin 1977; Little and Rubin 2019, section 11.2)
puts (N1) into the gaps, adds (N2) to the scatter A[t] of the filled rows about their mean, and
learns m and S anew, until S stays. First all tasks have one covariance S, then each its own with S
as prior, so that a task of few rows is close to the others:

    S      = (sum_t A[t] + v I) / (n + v),   v = PRIOR_ROWS d                              (N3)
    S[t]   = (A[t] + v S) / (n[t] + v)                                                     (N4)

No sweep lowers the posterior density of the values that are there, whose prior of S is inverse
Wishart. Columns are meant to have a variance of about 1.

Symbols  z (d,), m (T, d), S (T, d, d), n[t] rows of task t, n rows in all.
Limits   no gaps, many rows: (N3) is the pooled covariance within tasks; columns that tell nothing
         of each other, or few rows: each gap is the mean of its column.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix

PRIOR_ROWS = 1
"""Rows per column that a prior counts for; it keeps covariances of equal columns invertible."""

Covariance: TypeAlias = NDArray[np.float64]

MOST_SWEEPS = 50
SAME = 1e-4
"""Covariances of columns of variance about 1 are the same if no entry changes by more."""

MOST_NUMBERS = 2_000_000
"""Entries of small matrices that are inverted at a time: 16 MB."""


@dataclass(frozen=True)
class Normals:
    """Multivariate normals of T tasks, and of a task that is not known.

    Attributes
    ----------
    means : (T + 1, d), the last is the mean of the others
    covariances : (T + 1, d, d), the last is the one that all tasks share; or (1, d, d): that alone

    Examples
    --------
    >>> z = np.linspace(-1.7, 1.7, 50)
    >>> Z = np.column_stack([z, z])
    >>> Z[0, 1] = Z[30, 0] = np.nan
    >>> codes = np.zeros(50, dtype=int)
    >>> found = Normals.fit(Z, codes, 1)
    >>> found.filled(Z, codes)[[0, 30]].round(2)
    array([[-1.7 , -1.7 ],
           [ 0.38,  0.38]])
    """

    means: Matrix
    covariances: Covariance

    @classmethod
    def fit(cls, Z: Matrix, codes: Labels, n_tasks: int, *, alone: bool = True) -> Self:
        """Learn the normals from rows Z (n, d), NaN in gaps, of the tasks at `codes` (n,).

        `alone` is False if all tasks keep the shared covariance (N3).
        """
        means, shared = _learned(Z, codes, _means(Z, codes, n_tasks), np.eye(Z.shape[1]))
        return cls._of(means, shared, Z, codes) if alone else cls(_with_mean(means), shared[None])

    def with_tasks(self, Z: Matrix, codes: Labels, n_tasks: int) -> Self:
        """Return normals with new tasks from rows Z (n, d); the shared covariance stays."""
        means = _means(Z, codes, n_tasks)
        if len(self.covariances) == 1:
            return type(self)(_with_mean(np.vstack([self.means[:-1], means])), self.covariances)
        new = self._of(means, self.covariances[-1], Z, codes)
        return type(self)(
            _with_mean(np.vstack([self.means[:-1], new.means[:-1]])),
            np.concatenate([self.covariances[:-1], new.covariances]),
        )

    @classmethod
    def _of(cls, means: Matrix, shared: Covariance, Z: Matrix, codes: Labels) -> Self:
        """Learn own means and covariances (N4) of tasks, beginning with given means (T, d)."""
        own = []
        for t in range(len(means)):
            rows = Z[codes == t]
            own.append(_learned(rows, np.zeros(len(rows), dtype=int), means[t : t + 1], shared))
        covariances = np.stack([*(covariance for _, covariance in own), shared])
        return cls(_with_mean(np.vstack([mean for mean, _ in own])), covariances)

    def filled(self, Z: Matrix, codes: Labels) -> Matrix:
        """Return rows Z (n, d) with gaps (NaN) filled by their mean (N1); code T: no known task."""
        made = Z.copy()
        gaps = np.isnan(Z).any(axis=1)
        for t in np.unique(codes[gaps]):
            rows = np.flatnonzero(gaps & (codes == t))
            covariance = self.covariances[min(t, len(self.covariances) - 1)]
            residuals = Z[rows] - self.means[t]
            made[rows] = self.means[t] + _expected(residuals, _patterns(residuals), covariance)[0]
        return made


def _means(Z: Matrix, codes: Labels, n_tasks: int) -> Matrix:
    """Means (T, d) of the values of each task; where it has none, the mean of the other tasks."""
    there = ~np.isnan(Z)
    values = np.nan_to_num(Z)
    counts = np.stack([there[codes == t].sum(axis=0) for t in range(n_tasks)])
    sums = np.stack([values[codes == t].sum(axis=0) for t in range(n_tasks)])
    means = sums / np.maximum(counts, 1)
    others = means.sum(axis=0) / np.maximum((counts > 0).sum(axis=0), 1)
    return np.where(counts > 0, means, others)


def _with_mean(means: Matrix) -> Matrix:
    """Append the mean of tasks (T, d) as a row."""
    return np.vstack([means, means.mean(axis=0)])


def _learned(
    Z: Matrix, codes: Labels, means: Matrix, prior: Covariance
) -> tuple[Matrix, Covariance]:
    """Learn means (T, d) of tasks and one covariance (d, d) of their rows beside a prior one."""
    patterns = _patterns(Z)
    times = np.bincount(codes, minlength=len(means))[:, None]
    weight = PRIOR_ROWS * Z.shape[1]
    covariance = prior
    for _ in range(MOST_SWEEPS):
        filled, added = _expected(Z - means[codes], patterns, covariance)
        steps = np.stack([filled[codes == t].sum(axis=0) for t in range(len(means))]) / times
        filled -= steps[codes]
        before = covariance
        scatter = filled.T @ filled + added
        covariance = (scatter + weight * prior) / (len(Z) + weight)  # (N3), (N4)
        means = means + steps
        if _same(before, covariance):
            break
    return means, covariance


def _same(one: Matrix, other: Matrix) -> bool:
    """True if no entry of two covariances differs by more than `SAME`."""
    return bool(np.abs(one - other).max() <= SAME)


class _Pattern(NamedTuple):
    """Rows with equally many gaps, sorted by the columns of their gaps.

    Attributes
    ----------
    rows : (r,) positions of the rows
    of_row : (r,) for each the position of its gaps in `gaps`, ascending
    gaps : (p, g) columns of the gaps of each distinct pattern
    """

    rows: Labels
    of_row: Labels
    gaps: Labels


def _patterns(Z: Matrix) -> list[_Pattern]:
    """Group rows of Z (n, d) by the number of their gaps (NaN); rows without gaps are left out."""
    gaps = np.isnan(Z)
    n_gaps = gaps.sum(axis=1)
    found = []
    for count in np.unique(n_gaps[n_gaps > 0]):
        rows = np.flatnonzero(n_gaps == count)
        distinct, of_row = np.unique(
            np.nonzero(gaps[rows])[1].reshape(-1, count), axis=0, return_inverse=True
        )
        order = np.argsort(of_row.ravel(), kind="stable")
        found.append(_Pattern(rows[order], of_row.ravel()[order], distinct))
    return found


def _parts(patterns: list[_Pattern]) -> Iterator[_Pattern]:
    """Cut patterns into parts whose matrices (g, g) per row hold up to `MOST_NUMBERS` entries."""
    for pattern in patterns:
        size = max(1, MOST_NUMBERS // pattern.gaps.shape[1] ** 2)
        for start in range(0, len(pattern.rows), size):
            part = slice(start, start + size)
            of_row = pattern.of_row[part]
            own = slice(of_row[0], of_row[-1] + 1)
            yield _Pattern(pattern.rows[part], of_row - of_row[0], pattern.gaps[own])


def _expected(
    residuals: Matrix, patterns: list[_Pattern], covariance: Matrix
) -> tuple[Matrix, Matrix]:
    """Fill gaps of residuals (n, d) by (N1); return them, and the sum (d, d) of (N2) over rows."""
    width = residuals.shape[1]
    precision = np.linalg.inv(covariance)
    filled = np.nan_to_num(residuals)
    told = filled @ precision  # K[g,o] (z[o] - m[o]) at the gaps, where `filled` is 0 so far
    added = np.zeros(width * width)
    for rows, of_row, gaps in _parts(patterns):
        within = np.linalg.inv(precision[gaps[:, :, None], gaps[:, None, :]])  # (N2)
        where = (rows[:, None], gaps[of_row])
        filled[where] = -np.einsum("rgh,rh->rg", within[of_row], told[where])  # (N1)
        times = np.bincount(of_row, minlength=len(gaps))
        places = gaps[:, :, None] * width + gaps[:, None, :]
        weights = within * times[:, None, None]
        added += np.bincount(places.ravel(), weights.ravel(), minlength=width * width)
    return filled, added.reshape(width, width)
