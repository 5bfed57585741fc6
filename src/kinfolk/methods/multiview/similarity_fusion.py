"""Similarity network fusion (SNF): diffuses each view's similarities through the others.

With r_ij the distance of rows i and j in a view, N(i) the l nearest rows of i, and m(i) the mean of
their distances,

    W(i,j) = exp(-r_ij^2 / (2 (mu e_ij)^2)),   e_ij = (m(i) + m(j) + r_ij) / 3        (1)
    P(i,j) = W(i,j) / (2 sum over r != i of W(i,r))  for j != i,   P(i,i) = 1/2       (2)
    S(i,j) = W(i,j) / sum over r in N(i) of W(i,r)  for j in N(i), else 0             (3)

and P_v, S_v of each view v, the views exchange what they know T times, all at once:

    P_v <- S_v (mean over w != v of P_w) S_v',   then scaled as by (2)                (4)

The labels are those of spectral clustering of the mean of all P_v: k leading eigenvectors, rows at
unit length, k-means.

Symbols     P_v (n, n), S_v (n, n) sparse with l entries per row; T is `n_diffusions`.
Units       none: the width mu e_ij grows with the distances of a view. Views count the same.
Exact       dense n x n: at most 5000 rows.
Limits      T = 0: the mean of the views' similarities. One view: spectral clustering of its P.
Source      Wang, Mezlini, Demir, Fiume, Tu, Brudno, Haibe-Kains, Goldenberg: Similarity network
            fusion for aggregating data types on a genomic scale. Nature Methods 11, 2014, Methods.
Departures  the printed W has r^2 / (mu e), which depends on the unit of r; (1) is that of the
            authors' package SNFtool. The mean of P_v, which is not symmetric, is divided as the
            mean of it and its transpose.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Matrix, MatrixLike, Seed, Table
from kinfolk.estimators import checks, embedded
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.voted_views import VotedViews
from kinfolk.numerics import distances, graphs, operators, spectra, starts


def similarities(X: Table, l: int, mu: float) -> tuple[Matrix, sp.csr_array]:
    """Full similarity P (n, n) and nearest-neighbor similarity S (n, n) of a view's rows.

    >>> P, S = similarities(np.array([[0.0], [1.0], [3.0]]), 1, 0.5)
    >>> P.diagonal(), P.sum(axis=1), S.toarray()[0]
    (array([0.5, 0.5, 0.5]), array([1., 1., 1.]), array([0., 1., 0.]))
    """
    rows: Matrix = operators.dense(X).astype(np.float64, copy=False)
    n = len(rows)
    l = min(l, n - 1)
    lengths = np.sqrt(distances.squared(rows, rows))
    np.fill_diagonal(lengths, np.inf)
    # A stable order, so that of equal distances the earlier row is the nearer one.
    near = np.argsort(lengths, axis=1, kind="stable")[:, :l]
    m = np.take_along_axis(lengths, near, axis=1).mean(axis=1)
    np.fill_diagonal(lengths, 0.0)
    widths = mu * (m[:, None] + m + lengths) / 3.0
    # Equal rows alone have width 0: they are all equally similar.
    powers = np.square(lengths / np.where(widths > 0, widths, 1.0)) / -2.0
    # Times a factor of each row, which cancels in (2) and (3): narrow kernels would round to 0.
    np.fill_diagonal(powers, -np.inf)
    W = np.exp(powers - powers.max(axis=1, keepdims=True))  # (1)
    local = np.take_along_axis(W, near, axis=1)
    return scaled(W), graphs.directed(near, local / local.sum(axis=1, keepdims=True), n)  # (3)


def scaled(W: Matrix) -> Matrix:
    """Scale the off-diagonal of W (n, n) to row sums of 1/2, and set the diagonal to 1/2.

    >>> scaled(np.array([[9.0, 1.0, 3.0], [2.0, 9.0, 0.0], [0.0, 0.0, 9.0]]))
    array([[0.5  , 0.125, 0.375],
           [0.5  , 0.5  , 0.   ],
           [0.   , 0.   , 0.5  ]])
    """
    P = W.copy()
    np.fill_diagonal(P, 0.0)
    sums = P.sum(axis=1)
    P /= 2.0 * np.where(sums > 0, sums, 1.0)[:, None]  # (2)
    np.fill_diagonal(P, 0.5)
    return P


def diffuse(P: Sequence[Matrix], S: Sequence[sp.csr_array]) -> list[Matrix]:
    """One diffusion step of all views' similarities P_v (n, n) through the other views."""
    if len(P) == 1:
        return list(P)
    total: Matrix = np.add.reduce(list(P))
    found = []
    for own, links in zip(P, S, strict=True):
        others = (total - own) / (len(P) - 1)
        left: Matrix = links @ others
        found.append(scaled((links @ left.T).T))  # (4)
    return found


@parameterized
class SNF(VotedViews):
    """Spectral clustering of several views by similarities that diffuse through all of them.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    views : mapping view -> columns of X (slice, positions or names); None: one view
    n_neighbors : int >= 1, l, nearest rows through which similarities diffuse (paper: 10 to 30)
    kernel_width : float > 0, mu, width of the similarities in local distances (paper: .3 to .8)
    n_diffusions : int >= 0, T (paper: 10 to 20)
    n_init : int >= 1, k-means starts in the eigenvectors
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the cluster of each row
    view_names_ : (V,)
    view_weights_ : (V,), equal: the method has no weights of views

    Raises
    ------
    InputError : a parameter is out of range, or X is no finite table of k to 5000 rows

    Examples
    --------
    >>> from kinfolk.tables import join
    >>> a = np.repeat([0.0, 5.0], 8)[:, None] + 0.1 * np.arange(16)[:, None]
    >>> X, views = join({"a": a, "b": -a})
    >>> model = SNF(n_clusters=2, views=views, n_neighbors=2, random_state=0).fit(X)
    >>> model.labels_, model.predict([[1.0, -1.0], [5.0, -5.0]])
    (array([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]), array([0, 1]))
    """

    n_clusters: int = 2
    views: Mapping[Any, Any] | None = None
    n_neighbors: int = 20
    kernel_width: float = 0.5
    n_diffusions: int = 20
    n_init: int = 10
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d)."""
        rows, k = self._open_rows(X)
        self._few_rows(rows.X.shape[0])
        l = checks.at_least("n_neighbors", self.n_neighbors, 1)
        mu = checks.above("kernel_width", self.kernel_width, 0)
        rounds = checks.at_least("n_diffusions", self.n_diffusions, 0)
        seed, n_init = embedded.kmeans_starts(self)
        each = [similarities(T, l, mu) for T in rows.sorted_tables()]
        P, S = map(list, zip(*each, strict=True))
        for _ in range(rounds):
            P = diffuse(P, S)
        mean: Matrix = np.mean(P, axis=0)
        places = spectra.spectrum(sp.csr_array((mean + mean.T) / 2.0), k).embedding()
        return self._record_labels(rows, starts.kmeans(places, k, seed, n_init))
