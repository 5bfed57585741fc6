"""Preprocessing of gene counts per cell: log-normalize, select variable genes, scale.

    log-normalized   ln(1 + 10,000 x[i,j] / sum_j x[i,j]), so that cells that were read more deeply
                     have no larger numbers
    dispersion       of gene j: ln(variance / mean) of expm1 of these numbers. Genes are put into 20
                     bins by their mean, and the dispersion is standardized within the bin, because
                     genes that are read more often vary more

    scaled           divided by the standard deviation of the gene, and at most 10 above its mean:
                     a few cells or genes are not to decide

Symbols  X (n, d) cells and genes, dense or CSR.
Limits   a gene alone in its bin has a standardized dispersion of 1; one without variance has none,
         and counts as 0 in the mean over batches.
Source   Satija, Farrell, Gennert, Schier, Regev (2015), the flavour "seurat" of scanpy; several
         batches: genes that are among the most variable in most batches come first.
"""

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from kinfolk.arrays import Labels, Table, Vector
from kinfolk.errors import InputError
from kinfolk.numerics import operators

TOTAL = 1e4
"""Sum of the counts of each cell before the logarithm, as is customary.

A constant, where scanpy takes the median of the cells: new cells are prepared as the old ones were.
"""

BINS = 20

DIGITS = 9
"""Digits after the point of standardized dispersions: later ones may be rounding."""

LARGEST_DEVIATION = 10.0
"""Most standard deviations above the mean that a scaled number has, as is customary."""


_MARKS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
_MISSING = ("nan", "<na>", "none", "nat", "")


def marked(marks: ArrayLike) -> NDArray[np.intp]:
    """Positions of the genes that `highly_variable` marks (d,); a missing mark is none.

    Joined data sets have gaps among the marks, and other programs write them as words or numbers.

    Raises
    ------
    InputError : a mark is neither true nor false, or no gene is marked

    >>> marked([True, False, "True", "False", 1, 0.0, np.nan, None])
    array([0, 2, 4])
    """
    words = [str(mark).strip().lower() for mark in np.asarray(marks, dtype=object)]
    for word in words:
        if word not in _MARKS and word not in _MISSING:
            raise InputError(
                f'var["highly_variable"] has {word!r:.40}; give True or False for each gene, or '
                "drop it."
            )
    kept = np.flatnonzero([_MARKS.get(word, False) for word in words])
    if not len(kept):
        raise InputError(
            'var["highly_variable"] is False throughout; drop it, or mark the genes to keep.'
        )
    return kept


def are_counts(X: Table) -> bool:
    """Return True if no number of X (n, d) is below 0 and all are whole.

    >>> are_counts(np.array([[0, 3.0]])), are_counts(np.array([[0, 0.5]]))
    (True, False)
    """
    values = X.data if sp.issparse(X) else X
    whole = (values == np.rint(values)).all()
    return bool(all(X.shape) and values.min(initial=0) >= 0 and whole)


def log_normalized(X: Table) -> Table:
    """Return log(1 + 10,000 x / row sum) of the entries of X (n, d); rows of zeros stay zero.

    >>> log_normalized(np.array([[1.0, 3.0], [0.0, 0.0]])).round(2)
    array([[7.82, 8.92],
           [0.  , 0.  ]])
    """
    sums = operators.row_sums(X)
    factors = np.divide(TOTAL, sums, out=np.zeros(len(sums)), where=sums > 0)
    if sp.issparse(X):
        X = sp.csr_array(X)  # entries in the order of rows, as the factors are
        values = np.log1p(X.data * np.repeat(factors, np.diff(X.indptr)))
        return sp.csr_array((values, X.indices, X.indptr), shape=X.shape)
    return np.log1p(X * factors[:, None])


def scaled(X: Table) -> Table:
    """Divide the columns of X (n, d) by their deviation, without centering, and clip large values.

    Columns that do not vary stay as they are. Without the means a sparse table stays sparse.

    >>> scaled(np.array([[1.0, 5.0], [3.0, 5.0]])).round(3)
    array([[0.707, 5.   ],
           [2.121, 5.   ]])
    """
    n = X.shape[0]
    means = operators.sums(X) / n
    squares = operators.sums(X.multiply(X) if sp.issparse(X) else X * X) / n
    spreads = np.sqrt(np.maximum(squares - means**2, 0.0) * (n / max(n - 1, 1)))
    # Rounding of the difference, relative to the squares, is no variation.
    spreads[spreads <= 1e-7 * np.sqrt(squares)] = 1.0
    most = LARGEST_DEVIATION + means / spreads
    if sp.issparse(X):
        values = np.minimum(X.data / spreads[X.indices], most[X.indices])
        return sp.csr_array((values, X.indices, X.indptr), shape=X.shape)
    return np.minimum(X / spreads, most)


def most_variable(X: Table, codes: Labels, n_genes: int) -> NDArray[np.intp]:
    """Return the positions (m,), ascending, of the m <= n_genes most variable columns of X (n, d).

    Parameters
    ----------
    X : log-normalized counts
    codes : (n,) the batch of each row; columns are chosen within batches, so that no column is
        chosen because it differs between them

    Raises
    ------
    InputError : no column varies within any batch
    """
    tables = [X[codes == batch] for batch in np.unique(codes)]
    dispersions = np.array([standardized_dispersion(table) for table in tables])
    known = np.isfinite(dispersions)
    varies = known.any(axis=0)
    if not varies.any():
        raise InputError("no column varies within a batch: give counts that differ between rows.")
    best = np.argsort(-np.where(known, dispersions, -np.inf), axis=1, kind="stable")
    rank = np.argsort(best, axis=1)
    often = (known & (rank < n_genes)).sum(axis=0)
    means = np.where(known, dispersions, 0.0).mean(axis=0)
    # Most batches first, then the largest mean dispersion; ties by position.
    order = np.lexsort((-means, -often, ~varies))
    return np.sort(order[: min(n_genes, int(varies.sum()))])


def standardized_dispersion(X: Table) -> Vector:
    """Return the dispersion (d,) of each column of log-normalized X, relative to its bin.

    Columns that do not vary have nan.
    """
    means, variances = _moments(X)
    if not means.any():
        return np.full(len(means), np.nan)
    # Columns of zeros set no edge: they say nothing about the others.
    level = np.where(means > 0, np.log1p(means), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        dispersion = np.log(variances / means)
    edges = np.linspace(np.nanmin(level), np.nanmax(level), BINS + 1)
    bins = np.searchsorted(edges[1:-1], level)
    varies = np.isfinite(dispersion)
    result = np.full(len(means), np.nan)
    for number in np.unique(bins[varies]):
        inside = varies & (bins == number)
        values = dispersion[inside]
        spread = values.std(ddof=1) if len(values) > 1 else 0.0
        # A column alone in its bin has no other to be compared with: 1, as in scanpy.
        result[inside] = (values - values.mean()) / spread if spread > 0.1**DIGITS else 1.0
    # Two genes alone in a bin have the same numbers as in other such bins, but for rounding.
    return np.round(result, DIGITS)


def _moments(X: Table) -> tuple[Vector, Vector]:
    """Mean and variance (d,) per column of the counts expm1(X) behind log-normalized X (n, d)."""
    n = X.shape[0]
    Z: Table = sp.csr_array(X).expm1() if sp.issparse(X) else np.expm1(X)
    means = operators.sums(Z) / n
    squares = operators.sums(Z.multiply(Z) if sp.issparse(Z) else Z * Z) / n
    variances = (squares - means**2) * (n / max(n - 1, 1))
    # Rounding of the difference, relative to the squares, is no variation.
    return means, np.where(variances > 1e-14 * squares, variances, 0.0)
