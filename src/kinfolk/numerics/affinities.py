"""Affinities of pairs of rows: cosines and Gaussian kernels, for rows split over several tables.

    cosine            x'y / (|x| |y|)
    centered cosine   (x - m)'(y - m') / (|x - m| |y - m'|), m and m' the means of the rows' tasks
    gaussian          exp(-|x - y|^2 / (2 h^2))
    local gaussian    exp(-|x - y|^2 / (s_x s_y)), s_x the distance from x to the 7th nearest row
                      of its task that lies elsewhere, or to the `near`-th one               (LG)
    local neighbors   (LG) if |x - y| <= max(r_x, r_y), else 0, r_x the distance from x to the l-th
                      nearest row of its task that lies elsewhere                            (LN)

Means and scales are those of a row's own task, so that the affinities within a task do not depend
on which other tasks there are; centered cosines do not see a shift of a whole task. Rows at the
same place as x are passed over when s_x and r_x are sought: s_x is never 0, and a new row that
equals a row of the fit has its scale and its neighbors. (LN) links two rows of a task if either is
among the l nearest of the other, and so every row to l others at least.

Symbols     rows are `Features` (n, D); `prepared` rows are what `tile` compares.
Units       none but h, in units of the rows. (LG) and (LN) do not see the unit of a task.
Limits      fewer than 7 rows elsewhere: s_x is the distance to the farthest; none: 1. (LN) with as
            many neighbors as rows is (LG).
Source      (LG): Zelnik-Manor, Perona, Self-tuning spectral clustering, NIPS 17 (2004), where the
            seventh is proposed for all data; (LN) joins it with the graph of nearest rows of Kuang,
            Ding, Park (2012), section 3.1.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kinfolk.arrays import Matrix, Vector
from kinfolk.numerics import distances, operators
from kinfolk.numerics.features import Features

EQUAL_ASSOCIATIONS = 1e-12
"""Cosines closer than this count as equal, kernels closer than this share of their size."""

NEAR = 7
"""Rank of the neighbor whose distance is the local scale of a row in (LG)."""

SAME_PLACE = 1e-12
"""Squared distances below this share of the squared lengths are 0 but for rounding."""


@dataclass(frozen=True)
class Cosine:
    """Cosine affinity; a row of zeros has affinity 0 with every row.

    >>> V = Cosine()
    >>> Z = V.prepared(Features([np.array([[3.0, 4.0], [2.0, 0.0]])]))
    >>> V.tile(Z, Z)
    array([[1. , 0.6],
           [0.6, 1. ]])
    """

    linear: ClassVar[bool] = True
    local: ClassVar[bool] = False

    def prepared(self, Z: Features, fit: Features | None = None) -> Features:
        """Scale rows to unit length, so that their inner products are the cosines."""
        scale = distances.inverse_lengths(Z.squared_norms())
        return Features([distances.rows_times(T, scale) for T in Z.double().tables])

    def tile(self, a: Features, b: Features) -> Matrix:
        """Cosines (m, n) of prepared rows a (m, D) with prepared rows b (n, D)."""
        return a.inner(b)

    def reached(self, eps: float) -> float:
        """Return eps less a tolerance for rounding: the lowest affinity that counts as >= eps."""
        return eps - EQUAL_ASSOCIATIONS


@dataclass(frozen=True)
class CenteredCosine(Cosine):
    """Cosine affinity after subtracting the mean of the rows' task; prepared rows are dense.

    >>> V = CenteredCosine()
    >>> Z = V.prepared(Features([np.array([[3.0, 1.0], [5.0, 1.0], [4.0, 4.0]])]))
    >>> V.tile(Z, Z).round(2)
    array([[ 1.  ,  0.  , -0.71],
           [ 0.  ,  1.  , -0.71],
           [-0.71, -0.71,  1.  ]])
    """

    local: ClassVar[bool] = True

    def prepared(self, Z: Features, fit: Features | None = None) -> Features:
        """Subtract the mean of the task's rows `fit` (None: of Z) and scale to unit length."""
        means = [distances.center(T) for T in (Z if fit is None else fit).tables]
        pairs = zip(Z.double().tables, means, strict=True)
        return super().prepared(Features([operators.dense(T) - m for T, m in pairs]))


class _Kernel:
    """Base class of affinities that fall with distance: their tolerance for rounding."""

    def reached(self, eps: float) -> float:
        """Return eps less a tolerance for rounding: the lowest affinity that counts as >= eps."""
        return eps - EQUAL_ASSOCIATIONS * abs(eps)


@dataclass(frozen=True)
class Gaussian(_Kernel):
    """Gaussian affinity exp(-|z_i - z_j|^2 / (2 h^2)) with bandwidth h in units of Z."""

    bandwidth: float
    linear: ClassVar[bool] = False
    local: ClassVar[bool] = False

    def prepared(self, Z: Features, fit: Features | None = None) -> Features:
        """Convert rows to double precision."""
        return Z.double()

    def tile(self, a: Features, b: Features) -> Matrix:
        """Affinities (m, n) of prepared rows a (m, D) with prepared rows b (n, D)."""
        D = squared_distances(a, b)
        D *= -0.5 / self.bandwidth**2
        return np.exp(D, out=D)


NEIGHBORS = 0.5
"""Number of neighbors of a row in (LN), as a share of the mean cluster size."""

FEWEST_NEIGHBORS = 3
"""Least number of neighbors of a row in (LN), if its task has as many other rows."""

SAME_DISTANCE = 1e-6
"""Squared distances that differ by less than this share count as equal.

A row of the fit and the same row given again have the same neighbors, although matrix products of
other blocks of rows round otherwise.
"""


@dataclass(frozen=True)
class LocalGaussian(_Kernel):
    """Gaussian affinity with local scales: each row's distance to its `near`-th neighbor.

    >>> V = LocalGaussian()
    >>> Z = V.prepared(Features([np.array([[0.0], [1.0], [1.0], [11.0]])]))
    >>> Z.tables[-1].ravel()
    array([11., 10., 10., 11.])
    >>> V.tile(Z, Z).round(3)
    array([[1.   , 0.991, 0.991, 0.368],
           [0.991, 1.   , 1.   , 0.403],
           [0.991, 1.   , 1.   , 0.403],
           [0.368, 0.403, 0.403, 1.   ]])
    """

    near: int = NEAR
    linear: ClassVar[bool] = False
    local: ClassVar[bool] = True
    appended: ClassVar[int] = 1

    def prepared(
        self, Z: Features, fit: Features | None = None, weight: Vector | None = None
    ) -> Features:
        """Append each row's local scale: distance to its near-th nearest row of `fit` (None: of Z).

        Weights (n,) are those of the rows of `fit`.
        """
        rows = Z.double()
        s = local_scales(rows, rows if fit is None else fit.double(), self.near, weight)
        return Features([*rows.tables, s[:, None]])

    def tile(self, a: Features, b: Features) -> Matrix:
        """Affinities (m, n) of prepared rows a (m, D) with prepared rows b (n, D)."""
        s_a, s_b = (operators.dense(rows.tables[-1]).ravel() for rows in (a, b))
        D = squared_distances(Features(a.tables[:-1]), Features(b.tables[:-1]))
        D /= -s_a[:, None]
        D /= s_b[None, :]
        return np.exp(D, out=D)  # (LG)


@dataclass(frozen=True)
class LocalNeighbors(_Kernel):
    """Gaussian affinity with local scales between near rows, 0 between others (LN).

    >>> V = LocalNeighbors(links=1)
    >>> Z = V.prepared(Features([np.array([[0.0], [1.0], [3.0], [4.0]])]))
    >>> V.tile(Z, Z).round(3)
    array([[1.  , 0.92, 0.  , 0.  ],
           [0.92, 1.  , 0.  , 0.  ],
           [0.  , 0.  , 1.  , 0.92],
           [0.  , 0.  , 0.92, 1.  ]])
    """

    links: int
    linear: ClassVar[bool] = False
    local: ClassVar[bool] = True
    appended: ClassVar[int] = 2

    def prepared(
        self, Z: Features, fit: Features | None = None, weight: Vector | None = None
    ) -> Features:
        """Append each row's local scale and the distance to its links-th nearest row of `fit`.

        `fit` None is Z itself; weights (n,) are those of the rows of `fit`.
        """
        rows = Z.double()
        fit = rows if fit is None else fit.double()
        scales = [local_scales(rows, fit, nearest, weight) for nearest in (NEAR, self.links)]
        return Features([*rows.tables, *(s[:, None] for s in scales)])

    def tile(self, a: Features, b: Features) -> Matrix:
        """Affinities (m, n) of prepared rows a (m, D) with prepared rows b (n, D)."""
        (s_a, r_a), (s_b, r_b) = (
            [operators.dense(column).ravel() for column in rows.tables[-2:]] for rows in (a, b)
        )
        D = squared_distances(Features(a.tables[:-2]), Features(b.tables[:-2]))
        reach = np.square(np.maximum(r_a[:, None], r_b[None, :]))
        far = (1.0 + SAME_DISTANCE) * reach < D
        D /= -s_a[:, None]
        D /= s_b[None, :]
        D[far] = -np.inf
        return np.exp(D, out=D)  # (LN)


Formula = Cosine | CenteredCosine | Gaussian | LocalGaussian | LocalNeighbors

NAMES = ("auto", "cosine", "centered-cosine", "gaussian", "local-gaussian")
"""Names of affinities that a method takes; "auto" is one of the others, by the kind of table."""

LOCAL_NEIGHBORS = "local-neighbors"
"""Name of (LN), whose number of neighbors comes from the number of clusters."""

WITHIN = (*NAMES, LOCAL_NEIGHBORS)
"""Names of affinities of methods that compare rows of one task only."""


def neighbor_count(n: int, k: int, share: float = NEIGHBORS) -> int:
    """Number of neighbors l of a row in (LN): a share of the mean size of k clusters of n rows.

    >>> neighbor_count(75, 3), neighbor_count(10, 5)
    (12, 3)
    """
    # Within half of a cluster of mean size most of the nearest rows are of the same cluster, also
    # where clusters are of uneven size.
    return min(max(FEWEST_NEIGHBORS, round(share * n / k)), max(1, n - 1))


def formula(name: str, bandwidth: float | None = None, links: int | None = None) -> Formula:
    """Build the affinity with this name; `bandwidth` is h of "gaussian", `links` l of (LN).

    ValueError for another name, or without the number that it needs.

    >>> formula("gaussian", 2.0), formula("local-neighbors", links=5)
    (Gaussian(bandwidth=2.0), LocalNeighbors(links=5))
    """
    match name:
        case "local-neighbors" if links is not None:
            return LocalNeighbors(links)
        case "gaussian" if bandwidth is not None:
            return Gaussian(bandwidth)
        case "local-gaussian":
            return LocalGaussian()
        case "centered-cosine":
            return CenteredCosine()
        case "cosine":
            return Cosine()
    raise ValueError(f"no affinity {name!r} with bandwidth {bandwidth} and {links} links")


def squared_distances(a: Features, b: Features) -> Matrix:
    """Squared distances (n, m) of rows a (n, D) and b (m, D) in double precision.

    >>> squared_distances(Features([np.eye(2)]), Features([np.eye(2)[:1]])).ravel()
    array([0., 2.])
    """
    a, b = _nearby(a.double(), b.double())
    D = a.inner(b)
    D *= -2.0
    D += a.squared_norms()[:, None]
    D += b.squared_norms()[None, :]
    return np.maximum(D, 0.0, out=D)


def local_scales(
    rows: Features, fit: Features, nearest: int = NEAR, weight: Vector | None = None
) -> Vector:
    """Distance (m,) of each row to its `nearest`-th nearest row of `fit` at another place.

    The farthest one where there are fewer, 1 where there is none. With weights (n,) a row of `fit`
    counts as so many.

    >>> rows = Features([np.arange(10.0)[:, None]])
    >>> local_scales(rows, rows)
    array([7., 6., 5., 4., 4., 4., 4., 5., 6., 7.])
    >>> local_scales(rows, rows, weight=np.full(10, 7.0))[:3]
    array([1., 1., 1.])
    """
    m = rows.shape[0]
    n = fit.shape[0]
    rows, fit = _nearby(rows, fit)
    lengths = fit.squared_norms()
    found = np.empty(m)
    for block in operators.blocks(m, n):
        part = rows.rows(block)
        D = squared_distances(part, fit)
        D[SAME_PLACE * (part.squared_norms()[:, None] + lengths) >= D] = np.inf
        if weight is None:
            near = np.partition(D, min(nearest, n) - 1, axis=1)[:, :nearest]
            farthest = np.where(np.isfinite(near), near, 0.0).max(axis=1)
        else:
            farthest = _weighted_nearest(D, weight, nearest)
        found[block] = np.sqrt(np.where(farthest > 0, farthest, 1.0))
    return found


def _weighted_nearest(D: Matrix, weight: Vector, nearest: int) -> Vector:
    """Smallest entry of each row of D (m, n) up to which the weights (n,) add up to `nearest`.

    Where all weights add up to less, the largest finite entry. Infinite entries and entries of
    weight 0 do not count.

    >>> _weighted_nearest(np.array([[0.5, 2.0, np.inf, 1.0]]), np.array([1.0, 9.0, 9.0, 0.5]), 2)
    array([2.])
    """
    order = np.argsort(D, axis=1)
    values = np.take_along_axis(D, order, axis=1)
    counts = np.where(np.isfinite(values), weight[order], 0.0)
    before = np.zeros_like(counts)
    np.cumsum(counts[:, :-1], axis=1, out=before[:, 1:])
    # Sums of weights such as 0.1 fall short of a whole number by rounding.
    counted = (counts > 0) & (before < nearest * (1.0 - SAME_PLACE))
    return np.where(counted, values, 0.0).max(axis=1)


def _nearby(a: Features, b: Features) -> tuple[Features, Features]:
    """Subtract the column means of b from both tables if they are far from 0, to keep digits."""
    pairs = [distances.nearby(A, B) for A, B in zip(a.tables, b.tables, strict=True)]
    return Features([A for A, _ in pairs]), Features([B for _, B in pairs])
