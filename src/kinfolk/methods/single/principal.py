"""k-means on the leading principal components (PCA, then k-means).

The rows are projected on the fewest principal components that keep a share of their variance, and
clustered there by k-means.

Symbols     X (n, d), W (d, l) the components.
Units       the share has none; centers are in units of X.
Limits      a share of 1 is k-means in all directions with variance.
Source      Gu, Zhou (2009), section V-C: the fewest components with at least 95 %.
Beyond      a new row goes to the nearest center in the components.
"""

from typing import Self

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.estimators.base import Clusterer
from kinfolk.estimators.parameterized import parameterized
from kinfolk.numerics import distances, operators, starts

NEGLIGIBLE = 1e-12
"""Differences below this share of the variance are rounding."""

ROUNDING = 1e-14
"""Differences between rows below this share of their length are rounding."""


def shifted(X: Table) -> tuple[Table, Vector]:
    """Subtract column means, of a sparse X in full columns only; return rows and shift (d,).

    Full columns have entries in more than half of the rows: so a sparse table stays sparse.

    >>> moved, shift = shifted(sp.csr_array([[1e9, 0.0], [1e9 + 2, 0.0], [1e9 + 4, 3.0]]))
    >>> moved.toarray()[:, 0].tolist(), shift.tolist(), moved.nnz
    ([-2.0, 0.0, 2.0], [1000000002.0, 0.0], 3)
    """
    mean = operators.mean(X)
    if not sp.issparse(X):
        return X - mean, mean
    n, d = X.shape
    # In a column with more zeros than other entries the variance is at least the squared mean, so
    # that subtracting the mean from products loses no digits.
    full = np.flatnonzero(np.bincount(X.indices, minlength=d) > n / 2)
    rest = np.setdiff1d(np.arange(d), full)
    shift = np.zeros(d)
    shift[full] = mean[full]
    moved = sp.hstack([sp.csr_array(X[:, full].toarray() - mean[full]), X[:, rest]], "csr")
    return sp.csr_array(moved[:, np.argsort(np.r_[full, rest])]), shift


def components(X: Table, share: float) -> tuple[Matrix, Vector]:
    """Fewest principal components W (d, l) with this share of the variance, and the mean.

    >>> W, mean = components(np.array([[0.0, 1.0], [4.0, 1.0], [8.0, 1.3]]), 0.9)
    >>> abs(W).round(2).tolist(), mean.round(1).tolist()
    ([[1.0], [0.04]], [4.0, 1.1])
    """
    n, d = X.shape
    lengths = distances.squared_norms(X).sum()
    # Products of numbers with a large mean would leave no digits for their differences.
    X, shift = shifted(X)
    mean = operators.mean(X)
    wide = n < d
    # The smaller of the two matrices of inner products, of rows or of columns, both centered.
    if wide:
        G = operators.crossed(X.T, X.T)
        G = G - G.mean(axis=0) - G.mean(axis=1)[:, None] + G.mean()
    else:
        G = operators.crossed(X, X) - n * np.outer(mean, mean)
    values, vectors = np.linalg.eigh(G)
    values = values[::-1]  # largest first
    vectors = vectors[:, ::-1]
    # Centering subtracts numbers of the size of X, whose rounding is no variance.
    least = max(NEGLIGIBLE * distances.squared_norms(X).sum(), ROUNDING**2 * lengths)
    kept = values > least
    values = values[kept]
    vectors = vectors[:, kept]
    total = np.cumsum(values)
    # A share of 1 must be reached by the last component in spite of rounding.
    l = int(np.searchsorted(total, share * total[-1] * (1 - NEGLIGIBLE))) + 1 if len(values) else 0
    W = vectors[:, :l]
    if wide:  # from vectors of rows to vectors of columns
        W = (operators.crossed(X, W) - np.outer(mean, W.sum(axis=0))) / np.sqrt(values[:l])
    return W, shift + mean


@parameterized
class PCAKMeans(Clusterer):
    """k-means on the principal components that keep most of the variance.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    variance : float in (0, 1], the share of the variance to keep (published: 0.95)
    n_init : int >= 1, k-means starts; the best run is kept
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the cluster of each row
    components_ : (d, l), orthonormal columns
    mean_ : (d,)

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [0.2, 1.1], [9.8, 0.9], [10.0, 1.0]])
    >>> model = PCAKMeans(random_state=0).fit(X)
    >>> model.labels_, model.predict([[5.5, 0.0]])
    (array([1, 1, 0, 0]), array([0]))
    >>> model.components_.shape
    (2, 1)
    """

    compares = "distances"

    n_clusters: int = 2
    variance: float = 0.95
    n_init: int = 10
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d), n >= k; InputError if X or a parameter cannot be used."""
        X, k = self._open(X, self.n_clusters)
        share = checks.above("variance", self.variance, 0)
        if share > 1:
            raise InputError(f"variance is {self.variance!r}; give a share above 0, at most 1.")
        n_init = checks.at_least("n_init", self.n_init, 1)
        self.components_, self.mean_ = components(X, share)
        random = checks.random(self.random_state)
        rows = self._project(X)
        self._centres = starts.centers(rows, k, random, n_init)
        # By nearest center, as `predict` does, so that rows of the fit keep their labels.
        self.labels_ = distances.squared(rows, self._centres).argmin(axis=1)
        return self._record()

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d) to the nearest center in principal components."""
        X = self._new_rows(X)
        return distances.squared(self._project(X), self._centres).argmin(axis=1)

    def _project(self, X: Table) -> Matrix:
        """Project rows on the components (n, l); a column of zeros if nothing varies."""
        if sp.issparse(X):
            rows = operators.times(X, self.components_) - self.mean_ @ self.components_
        else:
            rows = (X - self.mean_) @ self.components_
        return rows if rows.shape[1] else np.zeros((len(rows), 1))
