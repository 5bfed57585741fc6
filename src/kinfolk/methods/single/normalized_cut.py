"""Normalised cut (NCut): k-means on the eigenvectors of a similarity between rows.

For a similarity M >= 0 with row sums D, the relaxed cut into k parts is

    max tr(E'D^-1/2 M D^-1/2 E),  E'E = I:   the k largest eigenvectors,

whose rows, scaled to unit length, are then clustered by k-means.

Symbols     X (n, d), Z its unit rows, M (n, n) = F F', E (n, k).
Units       none: only the directions of rows count.
Exact       M = Z Z' are the cosines, or (1 + Z Z')/2 if any entry of X is negative, so that M >= 0.
            Then F is Z or [Z, 1]/sqrt 2, E are left singular vectors of D^-1/2 F, and M is never
            formed.
Limits      M with k blocks and nothing between them is cut into the blocks.
Source      Shi, Malik (2000); the k vectors and unit rows of Ng, Jordan, Weiss (2002).
Departures  Gu, Zhou (2009) take a Gaussian kernel, its scale chosen with labels; that is
            scikit-learn's SpectralClustering(affinity="rbf").
Beyond      a new row f lies at f'R/s, with R and s the right singular vectors and values, as the
            rows of the fit do, and goes to the nearest centre.
"""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table
from kinfolk.estimators import checks
from kinfolk.estimators.base import Clusterer
from kinfolk.numerics import distances, operators, starts, subspaces


def factor(X: Table, signed: bool) -> Table:
    """Return F (n, D) with F F' = M: unit rows of X, with a constant column if X is signed.

    >>> F = factor(np.array([[3.0, 4.0], [-3.0, -4.0], [4.0, -3.0]]), signed=True)
    >>> abs(F @ F.T).round(2)  # opposite rows have similarity 0, orthogonal ones 1/2
    array([[1. , 0. , 0.5],
           [0. , 1. , 0.5],
           [0.5, 0.5, 1. ]])
    """
    Z = distances.unit_rows(X)
    if not signed:
        return Z
    ones = np.ones((Z.shape[0], 1), dtype=Z.dtype)
    parts: list[Any] = [Z, ones]
    wide = sp.hstack(parts, "csr") if sp.issparse(Z) else np.hstack(parts)
    return wide / np.sqrt(2)


def directions(F: Table, k: int) -> Matrix:
    """Return R/s (D, k), by which a row f of F is embedded at f'R/s."""
    sums = operators.times(F, operators.sums(F))  # the row sums D of M = F F'
    # A sum of 0 up to rounding may be negative; such a row has no similarity to any.
    scale = np.divide(1.0, np.sqrt(abs(sums)), out=np.zeros_like(sums), where=sums > 0)
    R, s = subspaces.axes(distances.rows_times(F, scale))
    return R[:, :k] / s[:k]


class NCut(Clusterer):
    """Normalised cut of the cosines between rows.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    n_init : int >= 1, k-means starts in the eigenvectors
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the cluster of each row
    directions_ : (D, k), R/s, which embed rows
    signed_ : bool, True if X has negative entries

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 3.0]])
    >>> model = NCut(random_state=0).fit(X)
    >>> model.labels_, model.predict([[0.0, 7.0]])
    (array([1, 1, 0, 0]), array([0]))
    """

    def __init__(self, n_clusters: int = 2, n_init: int = 10, random_state: Seed = None) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d), n >= k; InputError if X or a parameter cannot be used."""
        X, k = self._open(X, self.n_clusters)
        n_init = checks.at_least("n_init", self.n_init, 1)
        self.signed_ = bool(X.size) and bool(X.min() < 0)
        F = factor(X, self.signed_)
        self.directions_ = directions(F, k)
        random = checks.random(self.random_state)
        rows = self._embed(F)
        self._centres = starts.means(rows, k, random, n_init).cluster_centers_
        # By nearest centre, as `predict` does, so that rows of the fit keep their labels.
        self.labels_ = distances.squared(rows, self._centres).argmin(axis=1)
        return self._warn_of_empty_clusters()

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d) to the nearest centre in the embedding."""
        X = self._new_rows(X)
        rows = self._embed(factor(X, self.signed_))
        return distances.squared(rows, self._centres).argmin(axis=1)

    def _embed(self, F: Table) -> Matrix:
        """Return the rows f'R/s (n, k) at unit length; a column of zeros if X is 0."""
        rows: Matrix = distances.unit_rows(operators.times(F, self.directions_))
        return rows if rows.shape[1] else np.zeros((len(rows), 1))
