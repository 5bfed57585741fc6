"""Associations between rows of tasks, and the task weights they imply.

V^ts (n_t, n_s) holds the association (cosine, Gaussian kernel) of row i of task t with row j of
task s. Everything is made block by block, where the rows of all tasks are not so few that the
whole of V is precomputed.

    eps_t     = median over columns of the (l+1)-th largest entry of each column of V^tt
    alpha_ts  = share of the entries of V^ts that are >= eps_t                               (20)

Exact cheaper form. Counts are screened in single precision: only entries too close to eps_t to be
sure are computed again in double precision, so that the counts are those of double precision.

Source      Zhang, Zhang, Liu (2019), section 3.4.
Departures  eps_t is itself an entry of V^tt; entries that differ from it by rounding alone count
            as equal to it, so that alpha does not depend on the order of additions.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import pdist

from kinfolk import progress
from kinfolk.arrays import Matrix, Vector
from kinfolk.numerics import distances, memo, operators
from kinfolk.numerics.features import Features

EQUAL_ASSOCIATIONS = 1e-12
"""Cosines closer than this count as equal, kernels closer than this share of their size."""


@dataclass(frozen=True)
class Cosine:
    """Cosines; a row of zeros has association 0 with every row."""

    linear = True

    def prepared(self, Z: Features) -> Features:
        """Rows of unit length, whose inner products are the associations."""
        scale = distances.inverse_lengths(Z.squared_norms())
        return Features([distances.rows_times(T, scale) for T in Z.double().tables])

    def tile(self, a: Features, b: Features) -> Matrix:
        """Associations of rows a with rows b."""
        return a.inner(b)

    def reached(self, eps: float) -> float:
        """The lowest association that differs from eps by rounding alone, or is larger."""
        return eps - EQUAL_ASSOCIATIONS


@dataclass(frozen=True)
class Gaussian:
    """exp(-|z_i - z_j|^2 / (2 h^2)) with bandwidth h, in units of Z."""

    bandwidth: float
    linear = False

    def prepared(self, Z: Features) -> Features:
        """The rows as they are, in double precision."""
        return Z.double()

    def tile(self, a: Features, b: Features) -> Matrix:
        """Associations of rows a with rows b."""
        D = a.double().inner(b.double())
        D *= -2.0
        D += a.squared_norms()[:, None]
        D += b.squared_norms()[None, :]
        np.maximum(D, 0.0, out=D)
        D *= -0.5 / self.bandwidth**2
        return np.exp(D, out=D)

    def reached(self, eps: float) -> float:
        """The lowest association that differs from eps by rounding alone, or is larger."""
        return eps - EQUAL_ASSOCIATIONS * abs(eps)


Formula = Cosine | Gaussian


@dataclass(frozen=True)
class Precomputed:
    """Associations V that are at hand, by this formula.

    The features of a row are its associations with all rows, and its number among them.
    """

    formula: Formula
    linear = False

    def reached(self, eps: float) -> float:
        """The lowest association that differs from eps by rounding alone, or is larger."""
        return self.formula.reached(eps)

    def prepared(self, Z: Features) -> Features:
        """The rows as they are."""
        return Z

    def tile(self, a: Features, b: Features) -> Matrix:
        """Associations of rows a with rows b."""
        return a.tables[0][:, b.tables[1].ravel()]


Association = Formula | Precomputed


def prepare(V: Formula, rows: list[Features]) -> list[Features]:
    """Rows of all tasks as V compares them; empties the list, so that rows are not held twice."""
    return [V.prepared(rows.pop(0)) for _ in range(len(rows))]


def worth_precomputing(rows: Sequence[Features]) -> bool:
    """True if all of V is no more numbers than the rows of all tasks hold, or fits in one block."""
    n = sum(z.shape[0] for z in rows)
    size = sum(operators.entries(table).size for z in rows for table in z.tables)
    return n * n <= max(operators.BLOCK, size)


@memo.remembered
def precompute(V: Formula, rows: Sequence[Features]) -> tuple[Features, ...]:
    """Rows of all tasks as `Precomputed` compares them; half of V is computed, half copied."""
    ends = np.cumsum([z.shape[0] for z in rows]).tolist()
    places = [slice(end - z.shape[0], end) for end, z in zip(ends, rows, strict=True)]
    values = np.empty((ends[-1], ends[-1]))
    numbers = np.arange(ends[-1])[:, None]
    for t, own in enumerate(places):
        Z = V.prepared(rows[t])
        for s, other in enumerate(places[: t + 1]):
            # Prepared once more for each pair: cheap beside the product, and rows are large.
            values[own, other] = V.tile(Z, Z if s == t else V.prepared(rows[s]))
            values[other, own] = values[own, other].T
    return tuple(Features([values[own], numbers[own]]) for own in places)


def precompute_new(V: Formula, rows: Features, Z: Sequence[Features]) -> Features:
    """New rows (m, d) as `Precomputed` compares them, from prepared rows Z of all tasks."""
    values = np.hstack([V.tile(rows, z) for z in Z])
    return Features([values, np.full((len(values), 1), -1)])


def median_distance(
    Z: Sequence[Features], random: np.random.RandomState, n_rows: int = 1000
) -> float:
    """Median Euclidean distance between rows of all tasks: the papers' bandwidth.

    From n_rows rows drawn in proportion to the tasks' sizes, if there are more.
    """
    n_all = sum(z.shape[0] for z in Z)
    parts = []
    for z in Z:
        n = z.shape[0]
        m = n if n_all <= n_rows else max(1, round(n_rows * n / n_all))
        parts.append(z.rows(np.sort(random.choice(n, m, replace=False))).dense())
    median = float(np.median(pdist(np.vstack(parts))))
    return median if median > 0 else 1.0


def threshold(V: Association, Z: Features, l: int) -> float:
    """eps_t: median over columns of the (l+1)-th largest entry of each column of V^tt."""
    n = Z.shape[0]
    low, slack = _screen(V, Z)
    rough = np.concatenate(
        [_largest(V.tile(low.rows(b), low), l + 1) for b in operators.blocks(n, n)]
    ).astype(float)
    middle = [(n - 1) // 2, n // 2]
    ends = np.partition(rough, middle)[middle]
    near = np.flatnonzero((rough >= ends[0] - 2 * slack) & (rough <= ends[1] + 2 * slack))
    exact = np.concatenate(
        [_largest(V.tile(Z.rows(near[b]), Z), l + 1) for b in operators.blocks(len(near), n)]
    )
    below = int(np.sum(rough < ends[0] - 2 * slack))
    return float(np.sort(exact)[[m - below for m in middle]].mean())


class TaskWeights(NamedTuple):
    """alpha (T, T) of equation (20), and the standard errors of alpha_ts / alpha_tt (T, T)."""

    alpha: Matrix
    relatedness_error: Matrix


@memo.remembered
def exact_weights(V: Association, Z: Sequence[Features], l: list[int]) -> TaskWeights:
    """alpha of equation (20) from all rows; l has one rank per task."""
    return weights(V, Z, [threshold(V, z, l_t) for z, l_t in zip(Z, l, strict=True)])


def weights(V: Association, Z: Sequence[Features], eps: list[float]) -> TaskWeights:
    """alpha of equation (20), from every entry of every V^ts."""
    T = len(Z)
    counts = np.zeros((T, T))
    pairs = [(t, s) for t in range(T) for s in range(t, T)]
    for t, s in progress.track(pairs, "weighing tasks"):
        a, slack = _screen(V, Z[t])
        b = a if s == t else _screen(V, Z[s])[0]
        for rows, columns, times in _tiles(Z[t].shape[0], Z[s].shape[0], symmetric=s == t):
            tile = V.tile(a.rows(rows), b.rows(columns))
            exact = _settler(V, Z[t].rows(rows), Z[s].rows(columns))
            counts[t, s] += times * _exceeding(tile, V.reached(eps[t]), slack, exact).sum()
            if s != t:
                counts[s, t] += _exceeding(tile, V.reached(eps[s]), slack, exact).sum()
    n = np.array([z.shape[0] for z in Z], dtype=float)
    return TaskWeights(counts / np.outer(n, n), np.zeros((T, T)))


def sampled_weights(
    V: Association, Z: Sequence[Features], l: list[int], n_rows: int, random: np.random.RandomState
) -> TaskWeights:
    """alpha of equation (20) from at most n_rows rows of each task, against all others.

    Both eps_t and the counts come from the sampled rows, l has one rank per task. The error is
    that of the ratio of two sampled means (Cochran, 1977, equation 6.13), to whose residuals
    the influence of each row on the median eps_t is added.
    """
    T = len(Z)
    alpha, error = np.zeros((T, T)), np.zeros((T, T))
    for t in progress.track(range(T), "weighing tasks"):
        n = Z[t].shape[0]
        m = min(n_rows, n)
        sample = np.sort(random.choice(n, m, replace=False))
        own = Z[t].rows(sample)
        ranked = np.concatenate(
            [_largest(V.tile(own.rows(b), Z[t]), l[t] + 1) for b in operators.blocks(m, n)]
        )
        reach = min(0.25, m**-0.5)
        levels = np.quantile(ranked, [0.5 - reach, 0.5, 0.5 + reach])
        shares = _sampled_shares(V, Z, own, levels)
        low, alpha[t], high = shares.mean(axis=1)
        slope = (high / high[t] - low / low[t]) / (2 * reach)
        residual = (shares[1] - shares[1][:, [t]] * (alpha[t] / alpha[t, t])) / alpha[t, t]
        residual += np.outer(0.5 - (ranked < levels[1]), slope)
        error[t] = np.sqrt((1 - m / n) * (residual**2).sum(axis=0) / (max(m - 1, 1) * m))
    return TaskWeights(alpha, error)


def _sampled_shares(
    V: Association,
    Z: Sequence[Features],
    sampled: Features,
    levels: Vector,
) -> np.ndarray:
    """Shares (levels, m, T) of the entries of V^ts that reach each level, for sampled rows of t."""
    a, slack = _screen(V, sampled)
    m = sampled.shape[0]
    shares = np.empty((len(levels), m, len(Z)))
    for s, z in enumerate(Z):
        b = _screen(V, z)[0]
        for rows in operators.blocks(m, z.shape[0]):
            exact = _settler(V, sampled.rows(rows), z)
            tile = V.tile(a.rows(rows), b)
            # The outer levels only measure a slope: single precision will do.
            for level, share, doubt in zip(levels, shares, (0.0, slack, 0.0), strict=True):
                share[rows, s] = _exceeding(tile, V.reached(level), doubt, exact) / z.shape[0]
    return shares


def _tiles(n: int, m: int, symmetric: bool) -> Iterator[tuple[slice, slice, int]]:
    """Blocks of an (n, m) matrix and how often each counts; of a symmetric one the upper half."""
    for rows in operators.blocks(n, m):
        yield rows, rows if symmetric else slice(0, m), 1
        if symmetric and rows.stop < m:
            yield rows, slice(rows.stop, m), 2


def _screen(V: Association, Z: Features) -> tuple[Features, float]:
    """Rows for screening, and how far a screened association may be from the exact one.

    For cosines single precision: sums of D products of unit rows err by less than
    8 sqrt(D) u with overwhelming probability (Higham and Mary, 2019, u = 2^-24).
    """
    if not V.linear:
        return Z, 0.0
    return Z.single(), 8.0 * np.sqrt(max(Z.shape[1], 1)) * 2.0**-24


def _settler(V: Association, a: Features, b: Features) -> Callable[[np.ndarray], np.ndarray]:
    """Exact associations at flat positions of the tile of a and b, in bounded memory."""

    def settle(flat: np.ndarray) -> np.ndarray:
        out = np.empty(len(flat))
        for part in operators.blocks(len(flat), 2 * a.shape[1]):
            i, j = np.divmod(flat[part], b.shape[0])
            out[part] = _paired(a.rows(i), b.rows(j))
        return out

    return settle


def _paired(a: Features, b: Features) -> np.ndarray:
    """Inner products of row i of a with row i of b."""
    total = np.zeros(a.shape[0])
    for x, y in zip(a.tables, b.tables, strict=True):
        total += (
            np.asarray(x.multiply(y).sum(axis=1)).ravel()
            if sp.issparse(x)
            else np.einsum("ij,ij->i", x, y)
        )
    return total


def _exceeding(
    tile: Matrix, eps: float, slack: float, exact: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Per row, how many entries are >= eps; entries within the slack are settled exactly."""
    if slack == 0.0:
        return np.count_nonzero(tile >= eps, axis=1)
    sure = tile >= tile.dtype.type(eps + slack)
    counts = np.count_nonzero(sure, axis=1)
    sure ^= tile >= tile.dtype.type(eps - slack)
    doubtful = np.flatnonzero(sure)
    rows = doubtful[exact(doubtful) >= eps] // tile.shape[1]
    return counts + np.bincount(rows, minlength=len(tile))


def _largest(tile: Matrix, rank: int) -> np.ndarray:
    """The rank-th largest entry of each row."""
    place = tile.shape[1] - rank
    return np.partition(tile, place, axis=1)[:, place]
