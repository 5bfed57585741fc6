"""Associations between rows of tasks, the task weights they imply, and the distances they give.

V^ts (n_t, n_s) holds the association (cosine, Gaussian kernel) of row i of task t with row j of
task s. Nothing of size n x n is kept: everything is made block by block.

    eps_t     = median over columns of the (l+1)-th largest entry of each column of V^tt
    alpha_ts  = share of the entries of V^ts that are >= eps_t                               (20)
    A_ij      = sum_s alpha_ts |V^ts_i - V^ts_j|^2                                           (9)

Exact cheaper forms. With G = sum_s alpha_ts V^ts V^ts', A_ij = G_ii + G_jj - 2 G_ij. For cosines
G = Z_t C Z_t' with C = sum_s alpha_ts Z_s'Z_s (D, D), so that D takes the place of all rows;
where rows are fewer than features, and for kernels, G is summed over blocks of the V^ts. Counts
are screened in single precision: only entries too close to eps_t to be sure are computed again
in double precision, so that the counts are those of double precision.

Source  Zhang, Zhang, Liu (2019), section 3.4.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import pdist

from kinfolk import progress
from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import distances, operators

TIE = 1e-12
"""Cosines closer than this count as equal, kernels closer than this share of their size."""


class Features:
    """Tables side by side, (n, D) in all, never copied into one."""

    def __init__(self, tables: list[Table]) -> None:
        self.tables = tables
        self.shape = (tables[0].shape[0], sum(Z.shape[1] for Z in tables))

    def rows(self, index: slice | np.ndarray) -> "Features":
        """The rows at these positions."""
        return Features([Z[index] for Z in self.tables])

    def inner(self, other: "Features") -> Matrix:
        """All inner products of rows, (n, n_other)."""
        pairs = list(zip(self.tables, other.tables, strict=True))
        total = operators.dense(pairs[0][0] @ pairs[0][1].T)
        for a, b in pairs[1:]:
            total += operators.dense(a @ b.T)
        return total

    def single(self) -> "Features":
        """The same rows in single precision."""
        return Features([Z.astype(np.float32) for Z in self.tables])

    def dense(self) -> Matrix:
        """The rows as one dense table (n, D)."""
        return np.hstack([operators.dense(Z) for Z in self.tables])

    def merged(self) -> Table:
        """The rows as one table, sparse if all parts are."""
        if all(sp.issparse(Z) for Z in self.tables):
            return sp.csr_array(sp.hstack(self.tables))
        return self.dense()

    def squared_norms(self) -> Vector:
        """Squared lengths of the rows (n,)."""
        return np.add.reduce([distances.squared_norms(Z) for Z in self.tables])


class Cosine:
    """Cosines; a row of zeros has association 0 with every row."""

    linear = True

    def prepared(self, Z: Features) -> Features:
        """Rows of unit length, whose inner products are the associations."""
        lengths = np.sqrt(Z.squared_norms())
        scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        return Features([_rows_times(T, scale) for T in Z.tables])

    def tile(self, a: Features, b: Features) -> Matrix:
        """Associations of rows a with rows b."""
        return a.inner(b)


class Gaussian:
    """exp(-|z_i - z_j|^2 / (2 h^2)) with bandwidth h, in units of Z."""

    linear = False

    def __init__(self, bandwidth: float) -> None:
        self.bandwidth = bandwidth

    def prepared(self, Z: Features) -> Features:
        """The rows as they are."""
        return Z

    def tile(self, a: Features, b: Features) -> Matrix:
        """Associations of rows a with rows b."""
        D = a.inner(b)
        D *= -2.0
        D += a.squared_norms()[:, None]
        D += b.squared_norms()[None, :]
        np.maximum(D, 0.0, out=D)
        D *= -0.5 / self.bandwidth**2
        return np.exp(D, out=D)


Association = Cosine | Gaussian


def median_distance(Z: list[Features], random: np.random.RandomState, n_rows: int = 1000) -> float:
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


class Weights(NamedTuple):
    """alpha (T, T) of equation (20), and the standard errors of alpha_ts / alpha_tt (T, T)."""

    alpha: Matrix
    relatedness_error: Matrix


def weights(V: Association, Z: list[Features], eps: list[float]) -> Weights:
    """alpha of equation (20), from every entry of every V^ts."""
    T = len(Z)
    counts = np.zeros((T, T))
    pairs = [(t, s) for t in range(T) for s in range(t, T)]
    for t, s in progress.track(pairs, "weighing tasks"):
        a, slack = _screen(V, Z[t])
        b = a if s == t else _screen(V, Z[s])[0]
        for rows in operators.blocks(Z[t].shape[0], Z[s].shape[0]):
            tile = V.tile(a.rows(rows), b)
            exact = _settler(V, Z[t].rows(rows), Z[s])
            counts[t, s] += _exceeding(tile, eps[t], slack, exact).sum()
            if s != t:
                counts[s, t] += _exceeding(tile, eps[s], slack, exact).sum()
    n = np.array([z.shape[0] for z in Z], dtype=float)
    return Weights(counts / np.outer(n, n), np.zeros((T, T)))


def sampled_weights(
    V: Association,
    Z: list[Features],
    eps: list[float],
    n_rows: int,
    random: np.random.RandomState,
) -> Weights:
    """alpha of equation (20) counted on at most n_rows rows of each task, against all others.

    The error is that of the ratio of two sampled means, with the correction for sampling
    without replacement (Cochran, 1977, equation 6.13).
    """
    T = len(Z)
    alpha, error = np.zeros((T, T)), np.zeros((T, T))
    single = [_screen(V, z) for z in Z]
    for t in progress.track(range(T), "weighing tasks"):
        n = Z[t].shape[0]
        m = min(n_rows, n)
        sample = np.sort(random.choice(n, m, replace=False))
        shares = np.empty((m, T))
        for s in range(T):
            a, b, slack = single[t][0].rows(sample), single[s][0], single[t][1]
            for rows in operators.blocks(m, Z[s].shape[0]):
                exact = _settler(V, Z[t].rows(sample[rows]), Z[s])
                tile = V.tile(a.rows(rows), b)
                shares[rows, s] = _exceeding(tile, eps[t], slack, exact) / Z[s].shape[0]
        alpha[t] = shares.mean(axis=0)
        own = alpha[t, t]
        residual = shares - shares[:, [t]] * (alpha[t] / own)
        spread = (residual**2).sum(axis=0) / max(m - 1, 1)
        error[t] = np.sqrt((1 - m / n) * spread / m) / own
    return Weights(alpha, error)


class Geometry:
    """Squared distances A of equation (9) from any rows to the rows of one task t.

    Attributes
    ----------
    sizes : (n_t,), G_ii of the task's own rows
    """

    def __init__(self, V: Association, Z: list[Features], alpha: Vector, t: int) -> None:
        self._V, self._Z, self._alpha, self._own = V, Z, alpha, Z[t]
        n_all, (n, D) = sum(z.shape[0] for z in Z), self._own.shape
        self._C = _weighted_gram(Z, alpha) if V.linear and n_all > D else None
        self._reference: Matrix | None = None
        if self._C is not None:
            own = self._own.dense()
            self._reference = own @ self._C
            self.sizes = np.einsum("ij,ij->i", self._reference, own)
        elif n_all <= max(D, operators.BLOCK // n):
            self._reference = self._associations(self._own)
            self.sizes = distances.squared_norms(self._reference)
        else:
            self.sizes = self._streamed(self._own, against_own=False)[1]

    def blocks(self) -> list[slice]:
        """Blocks of the task's rows whose distances fit into one block of memory."""
        return operators.blocks(self._own.shape[0], max(self._own.shape))

    def among(self, rows: slice) -> tuple[Matrix, Vector]:
        """A from these rows of the task to all of its rows, and their sizes."""
        if self._reference is None:
            G = self._streamed(self._own.rows(rows))[0]
        elif self._C is not None:
            G = self._own.rows(rows).dense() @ self._reference.T
        else:
            G = self._reference[rows] @ self._reference.T
        return self._apart(G, self.sizes[rows]), self.sizes[rows]

    def distances(self, rows: Features) -> tuple[Matrix, Vector]:
        """A (m, n_t) from new rows to those of the task, and the sizes G_ii (m,)."""
        if self._reference is None:
            G, sizes = self._streamed(rows)
        elif self._C is not None:
            Z = rows.dense()
            G, sizes = Z @ self._reference.T, np.einsum("ij,ij->i", Z @ self._C, Z)
        else:
            F = self._associations(rows)
            G, sizes = F @ self._reference.T, distances.squared_norms(F)
        return self._apart(G, sizes), sizes

    def _apart(self, G: Matrix, sizes: Vector) -> Matrix:
        G *= -2.0
        G += sizes[:, None]
        G += self.sizes[None, :]
        return np.maximum(G, 0.0, out=G)

    def _associations(self, rows: Features) -> Matrix:
        """[sqrt(alpha_1) V^t1, sqrt(alpha_2) V^t2, ...] for these rows, (m, n_all)."""
        weighed = zip(self._Z, self._alpha, strict=True)
        return np.hstack([np.sqrt(a) * self._V.tile(rows, z) for z, a in weighed])

    def _streamed(self, rows: Features, against_own: bool = True) -> tuple[Matrix, Vector]:
        """G (m, n_t) and sizes (m,), summed over blocks of the columns of V."""
        n = self._own.shape[0]
        G, sizes = np.zeros((rows.shape[0], n if against_own else 0)), np.zeros(rows.shape[0])
        for z, a in zip(self._Z, self._alpha, strict=True):
            for columns in operators.blocks(z.shape[0], n):
                part = z.rows(columns)
                left = self._V.tile(rows, part)
                sizes += a * distances.squared_norms(left)
                if against_own:
                    G += (a * left) @ self._V.tile(self._own, part).T
        return G, sizes


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
    """Per row, how many entries are >= eps; entries within the slack are settled exactly.

    eps is itself an entry, so entries that differ from it by rounding alone have reached it.
    """
    eps -= TIE if slack else TIE * abs(eps)
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


def _weighted_gram(Z: list[Features], alpha: Vector) -> Matrix:
    """C = sum_s alpha_s Z_s'Z_s (D, D)."""
    D = Z[0].shape[1]
    C = np.zeros((D, D))
    for z, a in zip(Z, alpha, strict=True):
        for rows in operators.blocks(z.shape[0], D):
            part = z.rows(rows).dense()
            C += a * (part.T @ part)
    return C


def _rows_times(Z: Table, scale: Vector) -> Table:
    return sp.csr_array(sp.diags_array(scale) @ Z) if sp.issparse(Z) else Z * scale[:, None]
