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

from typing import Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table
from kinfolk.estimators import checks
from kinfolk.estimators.base import Clusterer
from kinfolk.numerics import distances, operators, starts, subspaces


def factor(X: Table, signed: bool) -> Table:
    """F (n, D) with M = F F' >= 0."""
    Z = distances.unit_rows(X)
    if not signed:
        return Z
    ones = np.ones((Z.shape[0], 1), dtype=Z.dtype)
    return (sp.hstack([Z, ones], "csr") if sp.issparse(Z) else np.hstack([Z, ones])) / np.sqrt(2)


def directions(F: Table, k: int) -> Matrix:
    """R/s (D, k) of D^-1/2 F: the embedding of a row f is f'R/s."""
    sums = operators.times(F, operators.sums(F))
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
    directions_ : (D, k), R/s

    Raises
    ------
    InputError : a parameter is out of range, or X is not a finite table of at least k rows

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 3.0]])
    >>> labels = NCut(random_state=0).fit_predict(X)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    def __init__(self, n_clusters: int = 2, n_init: int = 10, random_state: Seed = None) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d)."""
        X, k = self._open(X, self.n_clusters)
        n_init = checks.at_least("n_init", self.n_init, 1)
        self.signed_ = bool(X.size) and bool(X.min() < 0)
        F = factor(X, self.signed_)
        self.directions_ = directions(F, k)
        places, random = self._places(F), checks.random(self.random_state)
        self._centres = starts.means(places, k, random, n_init).cluster_centers_
        self.labels_ = distances.squared(self._places(F), self._centres).argmin(axis=1)
        return self

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d) to the nearest centre in the eigenvectors."""
        check_is_fitted(self)
        X = checks.samples(self, X, reset=False)
        places = self._places(factor(X, self.signed_))
        return distances.squared(places, self._centres).argmin(axis=1)

    def _places(self, F: Table) -> Matrix:
        places: Matrix = distances.unit_rows(operators.times(F, self.directions_))
        return places if places.shape[1] else np.zeros((len(places), 1))
