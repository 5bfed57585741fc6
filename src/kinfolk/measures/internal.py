"""Internal measures: compactness and separation of clusters, without known classes.

Every measure takes a table X (n, d), dense or CSR, and one label per row; it holds no n x n
matrix and never makes a sparse table dense.

The silhouette of row i is (b - a) / max(a, b), with a its mean distance to the other rows of
its cluster and b the least of its mean distances to the other clusters. With x the rows at unit
length and S[c] the sum of x over the m[c] rows of cluster c, the cosine distance needs no pairs:

    a[i] = 1 - (<x[i], S[c]> - <x[i], x[i]>) / (m[c] - 1),   c the cluster of i
    b[i] = min over the other clusters c of 1 - <x[i], S[c]> / m[c]

which costs O(n k d), where <x[i], x[i]> is 1, or 0 for a row of zeros.

Source  Davies and Bouldin, IEEE PAMI 1 (1979); Dunn, J. Cybernetics 4 (1974); Rousseeuw,
        J. Computational and Applied Mathematics 20 (1987).
"""

from typing import Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_array

from kinfolk.arguments import choice
from kinfolk.arrays import Labels, Matrix, MatrixLike, Table, Vector
from kinfolk.errors import InputError
from kinfolk.measures import partitions
from kinfolk.numerics import distances, memberships, operators
from kinfolk.tables import intake

_ZERO_COSINE_DISTANCE = 1e-12  # a smaller mean cosine distance is 0 up to rounding
_ZERO_SQUARE = 1e-14  # and so is, of products, a squared distance below this share of |x|^2
_CANCELLED = 1e-8  # by products, smaller ones have less than half of their digits
_ZERO_LENGTH = 1e-11  # of differences, a distance below this share of |x|


def davies_bouldin(X: MatrixLike, labels: ArrayLike) -> float:
    """Davies-Bouldin index: width of clusters relative to the distance of their centers.

    The mean over clusters of the largest (spread + spread of another) / distance of the two
    centers, where the spread is the mean Euclidean distance of a cluster's rows to its center.

    Parameters
    ----------
    X : (n, d), dense or sparse
    labels : (n,) clusters

    Returns
    -------
    0 or more, lower is better, free of units; nan for one cluster, for one cluster per row and if
    all rows are equal; inf where two centers coincide

    Raises
    ------
    InputError
        If X is no table of finite numbers or its rows and the labels differ in number.

    Examples
    --------
    >>> davies_bouldin([[0.0], [2.0], [9.0], [11.0]], [0, 0, 1, 1])
    0.2222
    """
    table, codes = _checked(X, labels)
    if not _divides(codes):
        return float("nan")
    table = _centered(table)
    counts = np.bincount(codes)
    V = memberships.centers(table, memberships.indicator(codes, len(counts)))
    spread = np.bincount(codes, weights=_lengths(table, V, codes)) / counts
    gaps = cdist(V, V)
    np.fill_diagonal(gaps, np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = (spread[:, None] + spread) / gaps
    return float(ratios.max(axis=1).mean())


def dunn(X: MatrixLike, labels: ArrayLike) -> float:
    """Dunn index: smallest distance between clusters / largest distance within one.

    Time is O(n^2 d); the distances are computed and dropped in blocks of rows.

    Parameters
    ----------
    X : (n, d), dense or sparse
    labels : (n,) clusters

    Returns
    -------
    0 or more, higher is better, free of units; nan for one cluster, for one cluster per row and
    where all rows are equal; inf where every cluster is a single point

    Raises
    ------
    InputError
        If X is no table of finite numbers or its rows and the labels differ in number.

    Examples
    --------
    >>> dunn([[0.0], [2.0], [9.0], [11.0]], [0, 0, 1, 1])
    3.5
    """
    table, codes = _checked(X, labels)
    if not _divides(codes):
        return float("nan")
    table = _centered(table)
    nearest, widest = (np.inf, 0, 0), (np.inf, 0, 0)
    for rows in operators.blocks(len(codes), len(codes)):
        # Upper blocks are enough: distances are symmetric.
        D = _squares(table[rows], table[rows.start :], 0)
        apart = codes[rows, None] != codes[rows.start :]
        nearest = min(nearest, _least(np.where(apart, D, np.inf), rows.start))
        widest = min(widest, _least(np.where(apart, np.inf, -D), rows.start))
    # Squared distances only find the pairs; their own distances are exact.
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(_distance(table, *nearest[1:]) / _distance(table, *widest[1:]))


def silhouette(
    X: MatrixLike, labels: ArrayLike, metric: Literal["cosine", "euclidean"] = "cosine"
) -> float:
    """Mean silhouette coefficient of all rows; see `silhouette_samples`.

    Parameters
    ----------
    X : (n, d), dense or sparse
    labels : (n,) clusters
    metric : "cosine", which costs O(n k d), or "euclidean", O(n^2 d)

    Returns
    -------
    from -1 to 1, higher is better; 0 for one cluster and for one cluster per row

    Raises
    ------
    InputError
        If X is no table of finite numbers, its rows and the labels differ in number, or the
        metric is unknown.

    Examples
    --------
    >>> silhouette([[5.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 3.0]], [0, 0, 1, 1])
    1.0
    """
    return float(silhouette_samples(X, labels, metric).mean())


def silhouette_samples(
    X: MatrixLike, labels: ArrayLike, metric: Literal["cosine", "euclidean"] = "cosine"
) -> Vector:
    """Silhouette coefficient (n,) of each row, from distances to own and next cluster.

    Parameters
    ----------
    X : (n, d), dense or sparse; a row of zeros has the cosine distance 1 to every other row
    labels : (n,) clusters
    metric : "cosine", which costs O(n k d), or "euclidean", O(n^2 d)

    Returns
    -------
    (n,) from -1 to 1; 0 for a row that is alone in its cluster, and for one cluster

    Raises
    ------
    InputError
        If X is no table of finite numbers, its rows and the labels differ in number, or the
        metric is unknown.

    Examples
    --------
    >>> silhouette_samples([[5.0, 0.0], [0.0, 1.0], [0.0, 1.0]], ["a", "b", "b"])
    array([0., 1., 1.])
    """
    samples = {"cosine": _cosine_samples, "euclidean": _euclidean_samples}
    silhouettes = samples[choice("metric", metric, samples)]
    table, codes = _checked(X, labels)
    return silhouettes(table, codes) if _divides(codes) else np.zeros(len(codes))


def _cosine_samples(X: Table, codes: Labels) -> Vector:
    """Silhouette coefficients (n,) for cosine distances, without a distance matrix."""
    counts = np.bincount(codes)
    rows = np.arange(len(codes))
    Z = distances.unit_rows(X)
    C = Z @ (Z.T @ memberships.indicator(codes, len(counts)))
    others = counts[codes] - 1
    a = 1 - (C[rows, codes] - distances.squared_norms(Z)) / np.maximum(others, 1)
    D = 1 - C / counts
    D[rows, codes] = np.inf
    a, b = (np.where(d > _ZERO_COSINE_DISTANCE, d, 0.0) for d in (a, D.min(axis=1)))
    longer = np.maximum(a, b)
    defined = (others > 0) & (longer > 0)
    return np.divide(b - a, longer, out=np.zeros_like(longer), where=defined)


def _euclidean_samples(X: Table, codes: Labels) -> Vector:
    X = _centered(X)
    n = len(codes)
    counts = np.bincount(codes)
    members = sp.csr_array((np.ones(n), (codes, np.arange(n))))
    found = np.zeros(n)
    for rows in operators.blocks(n, n):
        D = np.sqrt(_squares(X[rows], X, rows.start))
        own = codes[rows]
        places = np.arange(len(own))
        sums = (members @ D.T).T
        a = sums[places, own] / np.maximum(counts[own] - 1, 1)
        sums[places, own] = np.inf
        b = (sums / counts).min(axis=1)
        longer = np.maximum(a, b)
        defined = (counts[own] > 1) & (longer > 0)
        np.divide(b - a, longer, out=found[rows], where=defined)
    return found


def _squares(A: Table, B: Table, start: int) -> Matrix:
    """Squared distances (m, n) of rows A (m, d), which are rows of B (n, d) from `start`, to B.

    Those of a row to itself are 0.
    """
    D: Matrix = euclidean_distances(A, B, squared=True)
    m = A.shape[0]
    own = (np.arange(m), start + np.arange(m))
    D[own] = 0.0
    if sp.issparse(B):
        return D
    norms = distances.squared_norms(B)
    lost = _CANCELLED * (norms[start : start + m, None] + norms) > D
    lost[own] = False
    # Rows far from the mean and near one another: products lose the digits of their distance.
    return cdist(operators.dense(A), operators.dense(B), "sqeuclidean") if lost.any() else D


def _checked(X: MatrixLike, labels: ArrayLike) -> tuple[Table, Labels]:
    """Convert X to floats, dense or CSR, rescaled if squares would overflow; labels to codes."""
    codes = partitions.partition(labels)
    try:
        # Checks of a plain table take longer than a silhouette of some hundred rows.
        table: Table = X if _is_finite_matrix(X) else _converted(X)
    except (TypeError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"X is not a table of finite numbers: {reason}") from error
    if table.shape[0] != len(codes):
        raise InputError(
            f"X has {table.shape[0]} rows and labels has {len(codes)}; give one label per row."
        )
    # The measures are free of units.
    return operators.with_squares(table)[0], codes


def _is_finite_matrix(X: MatrixLike) -> bool:
    """True for a NumPy table (n, d) of finite numbers in double precision."""
    usual = type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and X.size > 0
    return usual and bool(np.isfinite(X).all())


def _converted(X: MatrixLike) -> Table:
    """Convert a table of another kind to floats, dense or CSR; ValueError if it cannot be."""
    found: Table = check_array(intake.numbers(X), accept_sparse="csr", dtype=np.float64)
    return found


def _divides(codes: Labels) -> bool:
    """True if there are several clusters, one of them with several rows."""
    return bool(0 < codes.max() < len(codes) - 1)


def _centered(X: Table) -> Table:
    """Subtract the mean from a dense table, so that squared distances keep their digits.

    A sparse table is returned as it is.
    """
    return X if sp.issparse(X) else X - X.mean(axis=0)


def _lengths(X: Table, V: Matrix, codes: Labels) -> Vector:
    """Distance (n,) of each row to the center of its cluster, exactly 0 up to rounding."""
    norms = distances.squared_norms(X)
    if sp.issparse(X):
        squares = distances.squared(X, V)[np.arange(len(codes)), codes]
        return np.sqrt(np.where(squares < _ZERO_SQUARE * norms, 0.0, squares))
    # By differences: beside far outliers products would lose all digits.
    parts = [
        np.linalg.norm(X[rows] - V[codes[rows]], axis=1) for rows in operators.blocks(*X.shape)
    ]
    lengths = np.concatenate(parts)
    # Otherwise two equal clusters would have a spread of rounding.
    return np.where(lengths < _ZERO_LENGTH * np.sqrt(norms), 0.0, lengths)


def _least(D: Matrix, start: int) -> tuple[float, int, int]:
    """Smallest entry of D, its row and its column, both offset by `start`."""
    i, j = np.unravel_index(D.argmin(), D.shape)
    return float(D[i, j]), int(i) + start, int(j) + start


def _distance(X: Table, i: int, j: int) -> np.floating:
    """Euclidean distance of rows i and j, exactly 0 for equal rows."""
    return np.sqrt(distances.squared_norms(X[[i]] - X[[j]])[0])
