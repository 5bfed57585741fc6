"""Normalized cut (NCut): spectral clustering of a similarity between rows.

For a similarity M >= 0 with row sums D, the relaxed cut into k parts is

    max tr(E'D^-1/2 M D^-1/2 E),  E'E = I:   the k largest eigenvectors,

whose rows, scaled to unit length, are then clustered by k-means.

Symbols     X (n, d), for centered cosines less its mean, Z its unit rows, M (n, n), E (n, k).
Units       none: cosines see only the directions of rows, kernels have scales of their own.
Exact       M = Z Z' are the cosines, or (1 + Z Z')/2 if any entry of Z is negative, so that M >= 0.
            Then M = F F' with F = Z or [Z, 1]/sqrt 2, E are left singular vectors of D^-1/2 F, and
            M is never formed. M of a kernel is formed: n^2 numbers.
Limits      M with k blocks and nothing between them is cut into the blocks.
Source      Shi, Malik (2000); the k vectors, unit rows and, for kernels, the diagonal of 0 of Ng,
            Jordan, Weiss (2002); local scales: Zelnik-Manor, Perona (2004), see `affinities`.
Departures  scales of "local-gaussian" are distances to the n/(2k)-th nearest row, but at most the
            10th, where Zelnik-Manor and Perona have the 7th for all tables. Gu, Zhou (2009) choose
            the scale of a Gaussian kernel with labels: here it is the median distance. The diagonal
            of cosines is 1, so that M is never formed.
Beyond      a new row f lies at f'R/s, with R and s the right singular vectors and values, as the
            rows of the fit do, and goes to the nearest center. With similarities m to the rows of
            the fit it lies at m'D^-1/2 E / lambda, lambda the eigenvalues (Nystrom's extension);
            rows of the fit too, with m_ii = 1.
"""

from math import ceil
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.estimators import affinity, checks, kept_rows
from kinfolk.estimators.base import Clusterer
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.renamed import accept_old_names
from kinfolk.numerics import (
    affinities,
    distances,
    operators,
    similarities,
    spectra,
    starts,
    subspaces,
)
from kinfolk.numerics.features import Features

COSINES = ("cosine", "centered-cosine")
"""Names of the affinities whose M is a product F F'."""

# In a cluster of six the 7th nearest row is in another one. In large clusters scales of few rows
# follow gaps by chance: of iris .73 are right with the 7th, .83 with the 8th to the 16th, while
# clusters of unequal sizes lose from the 13th on.
SCALES = (3, 10)
"""Bounds on the nearest row whose distance is a row's scale, where `scale_neighbor` is None."""

EMPTY = 1e-12
"""Eigenvalues of a kernel below this are 0 but for rounding."""


def factor(X: Table, signed: bool) -> Table:
    """Factor F (n, D) of the cosine similarity M = F F', shifted to >= 0 if X is signed.

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
    """Matrix (D, k) that maps factor rows to coordinates in the spectral embedding."""
    sums = operators.times(F, operators.sums(F))  # the row sums D of M = F F'
    # A sum of 0 up to rounding may be negative; such a row has no similarity to any.
    scale = np.divide(1.0, np.sqrt(abs(sums)), out=np.zeros_like(sums), where=sums > 0)
    R, s = subspaces.axes(distances.rows_times(F, scale))
    return R[:, :k] / s[:k]


def kernel_directions(M: Matrix, k: int) -> Matrix:
    """Matrix (n, k) that maps similarities m (n,) of a new row to its embedding.

    >>> V = kernel_directions(np.kron(np.eye(2), np.ones((2, 2))), 2)
    >>> abs(V @ V.T).round(2)
    array([[0.5, 0.5, 0. , 0. ],
           [0.5, 0.5, 0. , 0. ],
           [0. , 0. , 0.5, 0.5],
           [0. , 0. , 0.5, 0.5]])
    """
    M = M - np.diag(M.diagonal())
    values, E = spectra.leading(sp.csr_array(M), k)
    # With k near n an eigenvalue may be 0, or below for local scales: it embeds nothing.
    factors = np.divide(1.0, values, out=np.zeros_like(values), where=values > EMPTY)
    embedding: Matrix = distances.inverse_lengths(M.sum(axis=1))[:, None] * E * factors
    return embedding


# Older files were fitted with the 7th nearest row.
@accept_old_names(unstated={"scale_neighbor": affinities.NEAR, "_near": affinities.NEAR})
@parameterized
class NCut(Clusterer):
    """Normalized cut of a similarity between rows.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    affinity : "cosine", "centered-cosine", "gaussian", "local-gaussian", or "auto": "cosine" for
        counts and tables that are mostly zeros, "gaussian" where half of the columns are answers
        of yes and no, else "local-gaussian" (`kinds`, `affinities`)
    bandwidth : float > 0, h of the Gaussian kernel in units of X; None: the median distance
    scale_neighbor : int >= 1, the nearest row whose distance is a row's scale in "local-gaussian";
        None: half the mean cluster size n/(2k), at least 3 and at most 10
    n_init : int >= 1, k-means starts in the eigenvectors
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the cluster of each row
    directions_ : (D, k), R/s, which embed rows; of a kernel (n, k), which embed similarities
    signed_ : bool, True if cosines may be negative, so that M is (1 + cosine)/2
    affinity_ : the name of the affinity that was used
    bandwidth_ : the h that was used, if the affinity is "gaussian"

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 3.0]])
    >>> model = NCut(affinity="cosine", random_state=0).fit(X)
    >>> model.labels_, model.predict([[0.0, 7.0]])
    (array([0, 0, 1, 1]), array([1]))
    """

    keeps = kept_rows.ROWS
    keeps_row_order = True

    n_clusters: int = 2
    affinity: str = "auto"
    bandwidth: float | None = None
    scale_neighbor: int | None = None
    n_init: int = 10
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d), n >= k; InputError if X or a parameter cannot be used."""
        X, k = self._open(X, self.n_clusters)
        n_init = checks.at_least("n_init", self.n_init, 1)
        random = checks.random(self.random_state)
        self.affinity_ = affinity.chosen(self.affinity, X)
        self.__dict__.pop("_rows", None)  # of an earlier fit, which would be saved with the model
        self._near = self._scale_neighbor(X.shape[0], k)
        if self.affinity_ == "gaussian":
            self.bandwidth_ = affinity.bandwidth(self, [Features([X])], random)
        self._fit_directions(X, k)
        rows = self._embed(X)
        self._centres = starts.centers(rows, k, random, n_init)
        # By nearest center, as `predict` does, so that rows of the fit keep their labels.
        self.labels_ = distances.squared(rows, self._centres).argmin(axis=1)
        return self._record()

    def level_kept(self) -> str:
        """Return how much a saved model tells of single rows: "rows" or "labels"."""
        fitted = "directions_" in vars(self)
        return kept_rows.LABELS if fitted and "_rows" not in vars(self) else self.keeps

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d) to the nearest center in the embedding."""
        rows = self._embed(self._new_rows(X))
        return distances.squared(rows, self._centres).argmin(axis=1)

    def _fit_directions(self, X: Table, k: int) -> None:
        """Compute the map to the embedding, and store what new rows are compared with."""
        self._mean: Vector | None = None
        if self.affinity_ in COSINES:
            if self.affinity_ == "centered-cosine":
                self._mean = operators.mean(X)
            compared = self._centered(X)
            self.signed_ = bool(X.size) and bool(compared.min() < 0)
            self.directions_ = directions(factor(compared, self.signed_), k)
            return
        self.signed_ = False
        kernel = self._kernel()
        found = kernel_directions(operators.dense(kernel.matrix(X)), k)
        self.directions_ = self._unsorted(found)
        self._rows = kernel.kept(X, found)

    def _scale_neighbor(self, n: int, k: int) -> int:
        """Return the parameter `scale_neighbor`, checked or chosen."""
        if self.scale_neighbor is not None:
            return checks.at_least("scale_neighbor", self.scale_neighbor, 1)
        few, many = SCALES
        return min(max(few, ceil(n / (2 * k))), many)

    def _kernel(self) -> similarities.Kernel:
        if affinity.of_fit(self) == "local-gaussian":
            return similarities.LocalSimilarity(affinities.LocalGaussian(self._near))
        return similarities.gaussian(self.bandwidth_)

    def _centered(self, X: Table) -> Table:
        # Files of models that were written before there was a choice have no mean.
        mean = vars(self).get("_mean")
        return X if mean is None else operators.dense(X) - mean

    def _embed(self, X: Table) -> Matrix:
        """Embed rows (n, k) at unit length; a column of zeros if X is 0."""
        if affinity.of_fit(self) in COSINES:
            places = operators.times(factor(self._centered(X), self.signed_), self.directions_)
        else:
            places = self._kernel().products(X, self._rows, self._sorted(self.directions_))
        rows: Matrix = distances.unit_rows(places)
        return rows if rows.shape[1] else np.zeros((len(rows), 1))
