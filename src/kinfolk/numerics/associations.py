"""Affinities between the rows of all tasks, and the task weights estimated from them.

V^ts (n_t, n_s) holds the association (one of `affinities`) of row i of task t with row j of task
s. They are computed in blocks; where all tasks have few rows, V is precomputed as a whole.

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
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.spatial.distance import pdist, squareform

from kinfolk.arrays import Matrix, Vector
from kinfolk.numerics import memo, operators, starts, weighted_rows
from kinfolk.numerics.affinities import Formula
from kinfolk.numerics.features import Features
from kinfolk.running import progress


@dataclass(frozen=True)
class Precomputed:
    """Affinity looked up in a precomputed matrix instead of computed from features.

    The features of a row are its associations with all rows, and its position among them.
    """

    formula: Formula
    linear = False

    def reached(self, eps: float) -> float:
        """Return the lowest affinity that counts as at least eps, allowing for rounding."""
        return self.formula.reached(eps)

    def prepared(self, Z: Features, fit: Features | None = None) -> Features:
        """Return the rows unchanged, as nothing has to be prepared."""
        return Z

    def tile(self, a: Features, b: Features) -> Matrix:
        """Affinities (m, n) of rows a with rows b, looked up."""
        columns: Any = b.tables[1]
        return operators.dense(a.tables[0])[:, columns.ravel()]


Association = Formula | Precomputed


def prepare(V: Formula, rows: list[Features]) -> list[Features]:
    """Prepare the rows of all tasks for the affinity V, and empty the given list to save memory."""
    return [V.prepared(rows.pop(0)) for _ in range(len(rows))]


def worth_precomputing(rows: Sequence[Features]) -> bool:
    """True if all affinities take no more memory than the rows, or fit in one block."""
    n = sum(z.shape[0] for z in rows)
    size = sum(operators.entries(table).size for z in rows for table in z.tables)
    return n * n <= max(operators.BLOCK, size)


@memo.remembered
def precompute(V: Formula, rows: Sequence[Features]) -> tuple[Features, ...]:
    """Compute the affinities of all rows, as features that `Precomputed` looks up.

    >>> from kinfolk.numerics.affinities import Cosine
    >>> rows = [Features([np.array([[1.0, 0.0]])]), Features([np.array([[1.0, 1.0]])])]
    >>> precompute(Cosine(), rows)[0].tables[0]
    array([[1.    , 0.7071]])
    """
    ends = np.cumsum([z.shape[0] for z in rows]).tolist()
    places = [slice(end - z.shape[0], end) for end, z in zip(ends, rows, strict=True)]
    values = np.empty((ends[-1], ends[-1]))
    numbers = np.arange(ends[-1])[:, None]
    # Kernels share the rows, and their scales are costly. Cosines hold rows of their own, which
    # are prepared once more for each pair: cheap beside the product, and rows are large.
    shared = None if V.linear else [V.prepared(z) for z in rows]
    for t, own in enumerate(places):
        Z = V.prepared(rows[t]) if shared is None else shared[t]
        values[own, own] = V.tile(Z, Z)
        for s, other in enumerate(places[:t]):
            values[own, other] = V.tile(Z, V.prepared(rows[s]) if shared is None else shared[s])
            values[other, own] = values[own, other].T
    return tuple(Features([values[own], numbers[own]]) for own in places)


def precompute_new(V: Formula, rows: Features, Z: Sequence[Features]) -> Features:
    """Compute affinities of new rows (m, d) with all tasks' prepared rows Z, for `Precomputed`."""
    values = np.hstack([V.tile(rows, z) for z in Z])
    return Features([values, np.full((len(values), 1), -1)])  # new rows have no position


def median_distance(
    Z: Sequence[Features],
    random: np.random.RandomState,
    n_rows: int = 1000,
    weight: Vector | None = None,
) -> float:
    """Median Euclidean distance between rows of all tasks, as a bandwidth.

    That of different rows if most pairs are of equal ones, and 1 if all are. From n_rows rows drawn
    in proportion to the tasks' sizes, if there are more. With weights (n,) of all tasks' rows a row
    counts as so many equal ones.

    >>> median_distance([Features([np.array([[0.0], [1.0], [5.0]])])], np.random.RandomState(0))
    4.0
    """
    n_all = sum(z.shape[0] for z in Z)
    seed = starts.seeds(random, 1)[0]  # one for all tasks, so that their order does not matter
    parts = []
    positions = []
    for z in Z:
        n = z.shape[0]
        m = n if n_all <= n_rows else max(1, round(n_rows * n / n_all))
        positions.append(drawn(n, m, seed))
        parts.append(z.rows(positions[-1]).dense())
    rows = np.vstack(parts)
    if weight is None:
        return median_apart(rows)
    own = np.split(weight, np.cumsum([z.shape[0] for z in Z])[:-1])
    counts = np.concatenate([w[rows] for w, rows in zip(own, positions, strict=True)])
    D = squareform(pdist(rows))
    median = weighted_rows.median_of_pairs
    return median(D, counts) or median(D, counts, apart=True) or 1.0


def median_apart(rows: Matrix) -> float:
    """Median distance of all pairs of rows (n, d), else of those that are different, else 1.

    >>> median_apart(np.array([[0.0], [0.0], [0.0], [0.0], [3.0]]))
    3.0
    """
    apart = pdist(rows)
    if not apart.any():
        return 1.0
    return float(np.median(apart) or np.median(apart[apart > 0]))


def drawn(n: int, m: int, seed: int) -> NDArray[np.integer]:
    """Draw m of n row positions at random, or all if there are no more, sorted.

    >>> drawn(100, 3, 0)
    array([ 2, 26, 86])
    """
    return np.sort(np.random.RandomState(seed).choice(n, min(n, m), replace=False))


def threshold(V: Association, Z: Features, l: int) -> float:
    """Affinity threshold of a task: median over rows of the (l+1)-th largest affinity within it.

    >>> from kinfolk.numerics.affinities import Cosine
    >>> Z = Cosine().prepared(Features([np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])]))
    >>> threshold(Cosine(), Z, 1)
    0.7071
    """
    n = Z.shape[0]
    low, slack = _screen(V, Z)
    rough = np.concatenate(
        [_largest(V.tile(low.rows(b), low), l + 1) for b in operators.blocks(n, n)]
    ).astype(float)
    middle = [(n - 1) // 2, n // 2]
    ends = np.partition(rough, middle)[middle]
    # Single precision cannot tell these columns from the median.
    near = np.flatnonzero((rough >= ends[0] - 2 * slack) & (rough <= ends[1] + 2 * slack))
    exact = np.concatenate(
        [_largest(V.tile(Z.rows(near[b]), Z), l + 1) for b in operators.blocks(len(near), n)]
    )
    below = int(np.sum(rough < ends[0] - 2 * slack))
    return float(np.sort(exact)[[m - below for m in middle]].mean())


class TaskWeights(NamedTuple):
    """Task weights alpha (T, T), and the standard errors (T, T) of alpha_ts / alpha_tt."""

    alpha: Matrix
    relatedness_error: Matrix


@memo.remembered
def exact_weights(V: Association, Z: Sequence[Features], l: list[int]) -> TaskWeights:
    """Compute the task weights from all pairs of rows; l has one neighbor rank per task.

    >>> from kinfolk.numerics.affinities import Cosine
    >>> tasks = [Features([np.eye(3)]), Features([np.eye(3)[[0, 1, 1]]])]
    >>> exact_weights(Cosine(), tasks, [1, 1]).alpha.round(3)
    array([[1.   , 1.   ],
           [0.333, 0.556]])
    """
    return weights(V, Z, [threshold(V, z, l_t) for z, l_t in zip(Z, l, strict=True)])


def weights(V: Association, Z: Sequence[Features], eps: list[float]) -> TaskWeights:
    """Compute the task weights by counting all affinities that reach the thresholds eps (T,)."""
    T = len(Z)
    counts = np.zeros((T, T))
    pairs = [(t, s) for t in range(T) for s in range(t, T)]
    for t, s in progress.track(pairs, "weighing tasks"):
        a, slack = _screen(V, Z[t])
        b = a if s == t else _screen(V, Z[s])[0]
        for rows, columns, times in _tiles(Z[t].shape[0], Z[s].shape[0], symmetric=s == t):
            tile = V.tile(a.rows(rows), b.rows(columns))
            exact = _recomputer(Z[t].rows(rows), Z[s].rows(columns))
            counts[t, s] += times * _exceeding(tile, V.reached(eps[t]), slack, exact).sum()
            if s != t:
                counts[s, t] += _exceeding(tile, V.reached(eps[s]), slack, exact).sum()
    n = np.array([z.shape[0] for z in Z], dtype=float)
    return TaskWeights(counts / np.outer(n, n), np.zeros((T, T)))


def sampled_weights(
    V: Association, Z: Sequence[Features], l: list[int], n_rows: int, random: np.random.RandomState
) -> TaskWeights:
    """Estimate the task weights from at most n_rows sampled rows of each task.

    Both eps_t and the counts come from the sampled rows; l has one rank per task. The error is
    that of the ratio of two sampled means (Cochran, 1977, equation 6.13), plus in the residuals
    the influence of each row on the median eps_t.
    """
    T = len(Z)
    alpha = np.zeros((T, T))
    error = np.zeros((T, T))
    seed = starts.seeds(random, 1)[0]  # one for all tasks, so that their order does not matter
    for t in progress.track(range(T), "weighing tasks"):
        n = Z[t].shape[0]
        m = min(n_rows, n)
        own = Z[t].rows(drawn(n, m, seed))
        ranked = np.concatenate(
            [_largest(V.tile(own.rows(b), Z[t]), l[t] + 1) for b in operators.blocks(m, n)]
        )
        shares = _sampled_shares(V, Z, own, sampled_levels(ranked))
        alpha[t], error[t] = estimated(shares, ranked, t, n)
    return TaskWeights(alpha, error)


def constant_weights(T: int, related: bool = True) -> TaskWeights:
    """Task weights (T, T) that are all 1, or the identity if not `related`; with errors of 0.

    >>> constant_weights(2, related=False).alpha
    array([[1., 0.],
           [0., 1.]])
    """
    return TaskWeights(np.ones((T, T)) if related else np.eye(T), np.zeros((T, T)))


def sampled_levels(ranked: Vector) -> Vector:
    """Levels of affinity (3,): the median of `ranked` (m,), between a lower and a higher quantile.

    >>> sampled_levels(np.array([0.1, 0.2, 0.3, 0.4, 0.5]))
    array([0.2, 0.3, 0.4])
    """
    reach = _reach(len(ranked))
    return np.quantile(ranked, [0.5 - reach, 0.5, 0.5 + reach])


def _reach(m: int) -> float:
    # The slope of the shares in the level is measured within the error of a median.
    return min(0.25, m**-0.5)


def estimated(shares: np.ndarray, ranked: Vector, t: int, n: int) -> tuple[Vector, Vector]:
    """Estimate row t of alpha (T,) and the errors (T,) of its ratios to alpha_tt.

    `shares` (3, m, T) are those of each task's rows whose affinity to m of the n rows of task t
    reaches `sampled_levels(ranked)`, and `ranked` (m,) the affinities of rank l + 1.
    """
    m = len(ranked)
    low, alpha, high = shares.mean(axis=1)
    slope = (high / high[t] - low / low[t]) / (2 * _reach(m))
    residual = (shares[1] - shares[1][:, [t]] * (alpha / alpha[t])) / alpha[t]
    residual += np.outer(0.5 - (ranked < sampled_levels(ranked)[1]), slope)
    error = np.sqrt((1 - m / n) * (residual**2).sum(axis=0) / (max(m - 1, 1) * m))
    return alpha, error


def _sampled_shares(
    V: Association,
    Z: Sequence[Features],
    sampled: Features,
    levels: Vector,
) -> np.ndarray:
    """Shares (levels, m, T) of each task's rows whose affinity to sampled rows reaches a level."""
    a, slack = _screen(V, sampled)
    m = sampled.shape[0]
    shares = np.empty((len(levels), m, len(Z)))
    for s, z in enumerate(Z):
        b = _screen(V, z)[0]
        for rows in operators.blocks(m, z.shape[0]):
            exact = _recomputer(sampled.rows(rows), z)
            tile = V.tile(a.rows(rows), b)
            for level, share in zip(levels, shares, strict=True):
                share[rows, s] = _exceeding(tile, V.reached(level), slack, exact) / z.shape[0]
    return shares


def _tiles(n: int, m: int, symmetric: bool) -> Iterator[tuple[slice, slice, int]]:
    """Yield blocks of an (n, m) matrix and how often each counts; upper ones if symmetric."""
    for rows in operators.blocks(n, m):
        yield rows, rows if symmetric else slice(0, m), 1
        if symmetric and rows.stop < m:
            yield rows, slice(rows.stop, m), 2


def _screen(V: Association, Z: Features) -> tuple[Features, float]:
    """Return rows in single precision for a quick first count, with a bound on their error."""
    if not V.linear:
        return Z, 0.0
    # Sums of D products of unit rows in single precision, u = 2^-24, err by less than
    # 8 sqrt(D) u with overwhelming probability (Higham and Mary, 2019).
    return Z.single(), 8.0 * np.sqrt(max(Z.shape[1], 1)) * 2.0**-24


def _recomputer(a: Features, b: Features) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function that recomputes the cosines at flat positions of a block in full precision.

    In double precision and bounded memory.
    """

    def recompute(flat: np.ndarray) -> np.ndarray:
        out = np.empty(len(flat))
        for part in operators.blocks(len(flat), 2 * a.shape[1]):
            i, j = np.divmod(flat[part], b.shape[0])
            out[part] = _paired(a.rows(i), b.rows(j))
        return out

    return recompute


def _paired(a: Features, b: Features) -> np.ndarray:
    """Inner products of row i of a with row i of b."""
    total = np.zeros(a.shape[0])
    for x, y in zip(a.tables, b.tables, strict=True):
        total += (
            operators.row_sums(x.multiply(y))
            if isinstance(x, sp.csr_array)
            else np.einsum("ij,ij->i", x, operators.dense(y))
        )
    return total


def _exceeding(
    tile: Matrix, eps: float, slack: float, exact: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Count entries >= eps per row; entries within `slack` of eps are recomputed exactly."""
    if slack == 0.0:
        return np.count_nonzero(tile >= eps, axis=1)
    sure = tile >= tile.dtype.type(eps + slack)
    counts = np.count_nonzero(sure, axis=1)
    sure ^= tile >= tile.dtype.type(eps - slack)
    doubtful = np.flatnonzero(sure)
    rows = doubtful[exact(doubtful) >= eps] // tile.shape[1]
    return counts + np.bincount(rows, minlength=len(tile))


def _largest(tile: Matrix, rank: int) -> np.ndarray:
    """Return the rank-th largest entry of each row."""
    place = tile.shape[1] - rank
    return np.partition(tile, place, axis=1)[:, place]
