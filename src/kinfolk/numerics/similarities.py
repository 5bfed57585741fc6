"""Similarity matrices to be factorized: cosines, kernels, or matrices given by the user.

Each kind offers

    operator(rows, t)         M of the rows (n, d) of task t, as products
    kept(rows, Y)             the summary of these rows and Y (n, k) that new rows need
    products(X, kept, Y)      m'Y (m, k) of the similarities of new rows X (m, d); None: unknown

and, where it compares directions, `directions(rows)`, the rows of unit length.

The Itakura-Saito divergence of positive rows is D(x, y) = sum_f x_f/y_f - log(x_f/y_f) - 1. In
the sum of both directions the logarithms cancel, so that all pairs cost two products:

    D(x, y) + D(y, x) = sum_f x_f/y_f + y_f/x_f - 2 = sum_f (2 sinh(log(x_f/y_f) / 2))^2   (IS)

Units   (IS) has none: it does not see the unit of a feature.
Limits  (IS) of rows that are nearly equal is the squared distance of their logarithms.
Source  Itakura, Saito (1968); the sum of both directions is twice the COSH distance of Gray,
        Markel (1976), summed over f where theirs is a mean.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.errors import InputError
from kinfolk.numerics import (
    affinities,
    associations,
    distances,
    operators,
    starts,
    weighted_rows,
)
from kinfolk.numerics.features import Features
from kinfolk.numerics.operators import Symmetric


class CosineSimilarity:
    """Cosine similarity of rows; a row of zeros has cosine 0 with every row.

    >>> cosines = CosineSimilarity()
    >>> Y = np.array([[1.0], [0.5]])
    >>> cosines.products(np.array([[0.6, 0.8]]), cosines.kept(np.eye(2), Y), Y)
    array([[1.]])
    """

    def operator(self, rows: Table, t: int) -> Symmetric:
        """Similarity Z Z' (n, n) of the rows, with Z of unit length, as an operator."""
        return operators.gram([distances.unit_rows(rows)])

    def kept(self, rows: Table, Y: Matrix) -> Matrix:
        """Z'Y (d, k): the part of the fit that is needed to assign new rows."""
        return operators.crossed(distances.unit_rows(rows), Y)

    def products(self, X: Table, kept: Any, Y: Matrix) -> Matrix:
        """Similarities of new rows X (m, d) with the fit's rows, times Y: (m, k)."""
        return operators.times(distances.unit_rows(X), kept)

    def directions(self, rows: Table) -> Table:
        """Scale the rows to unit length."""
        return distances.unit_rows(rows)


class CenteredCosineSimilarity:
    """Cosine similarity of rows after subtracting the mean of the fit's rows.

    >>> cosines = CenteredCosineSimilarity()
    >>> rows = np.array([[3.0, 1.0], [5.0, 1.0]])
    >>> kept = cosines.kept(rows, np.eye(2))
    >>> kept  # the mean, and Z'Y
    array([[ 4., -1.,  1.],
           [ 1.,  0.,  0.]])
    >>> cosines.products(np.array([[9.0, 1.0]]), kept, np.eye(2))
    array([[-1.,  1.]])
    """

    def __init__(self, weight: Vector | None = None) -> None:
        self._weight = weight

    def operator(self, rows: Table, t: int) -> Symmetric:
        """Similarity Z Z' (n, n) with Z the centered rows of unit length."""
        return operators.gram([self.directions(rows)])

    def kept(self, rows: Table, Y: Matrix) -> Matrix:
        """Mean and Z'Y side by side (d, 1 + k): all that assigning new rows needs."""
        mean = distances.center(rows, self._weight)
        return np.column_stack([mean, self.directions(rows).T @ Y])

    def products(self, X: Table, kept: Any, Y: Matrix) -> Matrix:
        """Similarities of new rows X (m, d) with the fit's rows, times Y."""
        return np.asarray(distances.unit_rows(operators.dense(X) - kept[:, 0]) @ kept[:, 1:])

    def directions(self, rows: Table) -> Matrix:
        """Subtract the mean of the rows and scale them to unit length."""
        return distances.unit_rows(operators.dense(rows) - distances.center(rows, self._weight))


class LocalSimilarity:
    """Gaussian similarity whose bandwidth is local to each row.

    With weights (n,) of the fit's rows, each counts as so many where its scale is sought.

    >>> kernel = LocalSimilarity()
    >>> rows = np.array([[0.0], [1.0], [5.0]])
    >>> kept = kernel.kept(rows, np.eye(3))  # the rows and their scales
    >>> kernel.products(np.array([[2.0]]), kept, np.eye(3)).round(3)
    array([[0.766, 0.92 , 0.549]])
    """

    def __init__(
        self,
        kernel: affinities.LocalGaussian | affinities.LocalNeighbors | None = None,
        weight: Vector | None = None,
    ) -> None:
        self._kernel = affinities.LocalGaussian() if kernel is None else kernel
        self._weight = weight

    def operator(self, rows: Table, t: int) -> Symmetric:
        """Compute the similarity matrix (n, n) of the rows."""
        return operators.Explicit(self.matrix(rows))

    def matrix(self, rows: Table) -> Matrix:
        """Similarity matrix M (n, n) of rows (n, d)."""
        Z = self._kernel.prepared(Features([rows]), weight=self._weight)
        return self._kernel.tile(Z, Z)

    def kept(self, rows: Table, Y: Matrix) -> Table:
        """The rows with columns of their local scales, and weights if any, for new rows."""
        tables = self._kernel.prepared(Features([rows]), weight=self._weight).tables
        weights = [] if self._weight is None else [self._weight[:, None]]
        return operators.hstack([*tables, *weights])

    def products(self, X: Table, kept: Any, Y: Matrix) -> Matrix:
        """Similarities of new rows X (m, d) with the fit's rows, times Y: (m, k)."""
        V = self._kernel
        d = X.shape[1]
        scales = [kept[:, [d + j]] for j in range(V.appended)]
        fit = Features([kept[:, :d], *scales])
        weighted = kept.shape[1] > d + V.appended
        weight = operators.dense(kept[:, [-1]]).ravel() if weighted else None
        new = V.prepared(Features([X]), Features([kept[:, :d]]), weight)
        parts = operators.blocks(X.shape[0], kept.shape[0])
        return np.vstack([V.tile(new.rows(part), fit) @ Y for part in parts])


class KernelSimilarity:
    """Similarity by any function of two tables (m, d) and (n, d) that returns (m, n)."""

    def __init__(self, function: Callable[[Table, Table], Table]) -> None:
        self._function = function

    def operator(self, rows: Table, t: int) -> Symmetric:
        """Compute the similarity matrix; InputError unless symmetric and finite."""
        return symmetric(self.matrix(rows), rows.shape[0], "the affinity of its rows")

    def matrix(self, rows: Table) -> Table:
        """Similarity matrix M (n, n) of rows (n, d)."""
        return self._function(rows, rows)

    def kept(self, rows: Table, Y: Matrix) -> Table:
        """Return the rows themselves, which are stored for similarities of new rows."""
        return rows

    def products(self, X: Table, kept: Any, Y: Matrix) -> Matrix:
        """Similarities of new rows X (m, d) with the fit's rows, times Y: (m, k)."""
        parts = operators.blocks(X.shape[0], kept.shape[0])
        return np.vstack([np.asarray(self._function(X[part], kept) @ Y) for part in parts])


class MatrixSimilarity:
    """Similarity given as one symmetric matrix per task; unknown for new rows."""

    def __init__(self, matrices: list[Table]) -> None:
        self._matrices = matrices

    def operator(self, rows: Table, t: int) -> Symmetric:
        """Return the checked matrix of task t; InputError unless symmetric and finite."""
        return symmetric(self._matrices[t], rows.shape[0], "the affinity given for a task")

    def kept(self, rows: Table, Y: Matrix) -> None:
        """Keep nothing, as similarities of new rows are unknown."""

    def products(self, X: Table, kept: Any, Y: Matrix) -> None:
        """Return None, as similarities of new rows are unknown."""


Kernel = LocalSimilarity | KernelSimilarity
DIRECTED = CosineSimilarity | CenteredCosineSimilarity
"""Cosine similarities, which place new rows by Z'Y, without the rows of the fit."""
NamedSimilarity = CosineSimilarity | CenteredCosineSimilarity | Kernel
Similarity = NamedSimilarity | MatrixSimilarity


def symmetric(M: Table, n: int, what: str) -> Symmetric:
    """Check that a matrix (n, n) is symmetric and finite, and wrap it as an operator."""
    M = sp.csr_array(cast(Any, M), dtype=float) if sp.issparse(M) else np.asarray(M, dtype=float)
    # A similarity that is computed as M_ij and as M_ji may differ in the last digits.
    if M.shape != (n, n) or not np.isfinite(operators.entries(M)).all() or asymmetry(M) > 1e-8:
        raise InputError(
            f"{what} has shape {M.shape}; give a symmetric ({n}, {n}) matrix of finite numbers."
        )
    return operators.Explicit(M)


def asymmetry(M: Table) -> float:
    """Largest |M - M'| relative to the largest |M|, for square M.

    >>> asymmetry(np.array([[1.0, 2.0], [1.5, 1.0]]))
    0.25
    """
    size = operators.largest(M)
    return float(operators.largest(M - M.T) / size) if size > 0 else 0.0


def itakura_saito(X: Matrix, Y: Matrix) -> Matrix:
    """Itakura-Saito divergences (m, n) of rows X (m, d) and Y (n, d), summed over both directions.

    Y is positive; rows of X with entries of 0 or below are infinitely far from every row.

    >>> itakura_saito(np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[2.0, 2.0]]))
    array([[0.5],
           [inf]])
    """
    X = np.maximum(X, 0.0, dtype=np.float64)
    Y = Y.astype(np.float64, copy=False)
    with np.errstate(divide="ignore", over="ignore"):
        D = X @ (1.0 / Y).T + (1.0 / X) @ Y.T
    return np.maximum(D - 2.0 * X.shape[1], 0.0)


NAMES = (*affinities.NAMES, "itakura-saito")
"""Names of similarities; the last is for positive rows."""

BANDWIDTHS = ("gaussian", "itakura-saito")
"""Names of similarities that have a bandwidth."""


def named(
    name: str, bandwidth: float | None, links: int | None = None, weight: Vector | None = None
) -> NamedSimilarity:
    """Build the similarity with this name, such as "cosine", "gaussian" or "itakura-saito".

    `weight` (n,) are those of the rows of the fit, which new rows need not know again.

    "gaussian" and "itakura-saito" are exp(-D / (2 h^2)) with bandwidth h, where D are squared
    distances or divergences (IS); "local-neighbors" links a row to `links` rows. ValueError for
    another name, or without the number that it needs.

    >>> Y = np.eye(2)
    >>> named("gaussian", 1.0).products(np.array([[1.0]]), np.array([[1.0], [3.0]]), Y).round(3)
    array([[1.   , 0.135]])
    """
    match name:
        case "cosine":
            return CosineSimilarity()
        case "centered-cosine":
            return CenteredCosineSimilarity(weight)
        case "local-gaussian":
            return LocalSimilarity(weight=weight)
        case "local-neighbors" if links is not None:
            return LocalSimilarity(affinities.LocalNeighbors(links), weight)
        case "gaussian" if bandwidth is not None:
            return gaussian(bandwidth)
        case "itakura-saito" if bandwidth is not None:
            return _itakura_saito(bandwidth)
    raise ValueError(f"no similarity {name!r} with bandwidth {bandwidth} and {links} links")


def _itakura_saito(bandwidth: float) -> KernelSimilarity:
    """Build the similarity exp(-D / (2 h^2)) with divergences D of (IS) and bandwidth h."""
    scale = -0.5 / bandwidth**2
    dense = operators.dense
    return KernelSimilarity(lambda A, B: np.exp(scale * itakura_saito(dense(A), dense(B))))


def gaussian(bandwidth: float) -> KernelSimilarity:
    """Build the Gaussian similarity exp(-|x - y|^2 / (2 h^2)) with bandwidth h.

    >>> gaussian(1.0).matrix(np.array([[1.0], [3.0]])).round(3)
    array([[1.   , 0.135],
           [0.135, 1.   ]])
    """
    V = affinities.Gaussian(bandwidth)
    return KernelSimilarity(lambda A, B: V.tile(Features([A]), Features([B])))


def median_bandwidth(
    name: str,
    X: Table,
    random: np.random.RandomState,
    n_rows: int = 1000,
    weight: Vector | None = None,
) -> float | None:
    """Median root of the named divergence between rows of X, or of n_rows sampled ones.

    None for affinities without a bandwidth; 1 where the median is 0, if "gaussian" has no different
    rows (`associations.median_distance`). With weights (n,) a row counts as so many equal ones.
    """
    if name not in BANDWIDTHS:
        return None
    if name == "gaussian":
        return associations.median_distance([Features([X])], random, n_rows, weight)
    chosen = starts.at_most(np.arange(X.shape[0]), n_rows, random)
    rows = operators.dense(X[chosen])
    D = np.sqrt(itakura_saito(rows, rows))
    if weight is None:
        median = float(np.median(D[np.triu_indices(len(D), k=1)]))
    else:
        median = weighted_rows.median_of_pairs(D, weight[chosen])
    return median if median > 0 else 1.0
