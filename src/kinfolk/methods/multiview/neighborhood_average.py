"""NEMO: spectral clustering of the views' mean relative similarity, over shared views.

With N_v(i) the l_v nearest rows of row i in view v, and m_v(i) the mean of their squared distances,

    s2_v(i,j) = (m_v(i) + m_v(j) + |x_v[i] - x_v[j]|^2) / 3                           (1)
    S_v(i,j)  = exp(-|x_v[i] - x_v[j]|^2 / (2 s2_v(i,j))) / sqrt(2 pi s2_v(i,j))      (2)
    A_v(i,j)  = S_v(i,j) / sum over r in N_v(i) of S_v(i,r)  if j is in N_v(i), else 0
    R_v       = A_v + A_v'                                                            (3)
    R(i,j)    = mean of R_v(i,j) over the views v that rows i and j both have         (4)

The labels are those of spectral clustering of R: the k leading eigenvectors of D^-1/2 R D^-1/2,
rows at unit length, k-means.

Symbols     R (n, n) sparse, with at most 2 sum_v l_v links of a row.
Units       none: a factor of a view cancels in A_v. Views count the same, whatever their columns.
Exact       rows that share no view have similarity 0.
Limits      one view: spectral clustering of R_1. Equal views: that of one of them.
Source      Rappoport, Shamir: NEMO: cancer subtyping by integration of partial multi-omic data.
            Bioinformatics 35(18), 2019, equations of section 2.1; (1) after Wang et al., Similarity
            network fusion, Nature Methods 11, 2014.
Departures  l_v is n_v/k by default, for n_v rows that have view v, as in the source where the
            number of clusters is known. The authors' code gives rows that share no view the mean of
            all similarities, by which R would not be sparse.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from kinfolk.arrays import MatrixLike, Seed, Table
from kinfolk.errors import InputError
from kinfolk.estimators import checks, embedded
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.voted_views import VotedViews
from kinfolk.numerics import (
    content_order,
    distances,
    graphs,
    local_graphs,
    spectra,
    starts,
)


def relative_similarities(X: Table, l: int) -> sp.csr_array:
    """Similarities R_v (n, n) of one view's rows, relative to their neighborhoods.

    >>> relative_similarities(np.array([[0.0], [1.0], [3.0]]), 1).toarray().round(3)
    array([[0., 2., 0.],
           [2., 0., 1.],
           [0., 1., 0.]])
    """
    n = X.shape[0]
    l = min(l, n - 1)
    if l < 1:
        return sp.csr_array((n, n))
    X, _ = distances.nearby(X, X)  # differences of rows far from zero would lose digits
    lengths, near = NearestNeighbors(n_neighbors=l).fit(X).kneighbors()
    squares = np.square(lengths)
    means = squares.mean(axis=1)
    widths = (means[:, None] + means[near] + squares) / 3.0  # (1)
    # Equal rows alone have width 0: they are all equally similar.
    widths = np.where(widths > 0, widths, 1.0)
    S = np.exp(-squares / (2.0 * widths)) / np.sqrt(widths)  # (2) without a factor that cancels
    A = graphs.directed(near, S / S.sum(axis=1, keepdims=True), n)
    return sp.csr_array(A + A.T)  # (3)


def mean_similarities(
    tables: Sequence[Table],
    positions: Sequence[NDArray[np.integer]],
    n: int,
    neighbors: Sequence[int],
) -> sp.csr_array:
    """Mean similarity R (n, n) of rows over the views that both have.

    Parameters
    ----------
    tables : the rows (n_v, d_v) that have each view
    positions : (n_v,) of these rows among the n
    neighbors : (V,) numbers l_v of nearest rows that a row is compared with in each view
    """
    there = np.zeros((n, len(tables)))
    found: Any = sp.csr_array((n, n))
    for v, (X, rows, l) in enumerate(zip(tables, positions, neighbors, strict=True)):
        there[rows, v] = 1.0
        found = found + local_graphs.spread(relative_similarities(X, l), rows, n)
    links = sp.coo_array(found)
    shared = np.einsum("lv,lv->l", there[links.row], there[links.col])
    return sp.csr_array((links.data / shared, (links.row, links.col)), shape=(n, n))  # (4)


@parameterized
class NEMO(VotedViews):
    """Spectral clustering of several views by their mean relative similarities.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    views : mapping view -> columns of X (slice, positions or names); None: one view. A row lacks a
        view if all its columns are NaN
    n_neighbors : int >= 1, l_v, nearest rows that a row is compared with in each view; None: the
        number of rows that have the view over k, the mean cluster size, as in the paper
    n_init : int >= 1, k-means starts in the eigenvectors
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the cluster of each row
    view_names_ : (V,)
    view_weights_ : (V,), equal: a view counts in each pair of rows that have it

    Raises
    ------
    InputError : a parameter is out of range; X is no finite table of at least k rows, but for views
        that are NaN as a whole

    Examples
    --------
    >>> from kinfolk.tables import join
    >>> a = np.repeat([0.0, 5.0], 8)[:, None] + 0.1 * np.arange(16)[:, None]
    >>> X, views = join({"a": a, "b": -a})
    >>> X[3, 0] = np.nan  # the fourth row has no view "a"
    >>> model = NEMO(n_clusters=2, views=views, n_neighbors=2, random_state=0).fit(X)
    >>> model.labels_, model.predict([[1.0, np.nan], [5.0, np.nan]])
    (array([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]), array([0, 1]))
    """

    takes_missing_views = True

    n_clusters: int = 2
    views: Mapping[Any, Any] | None = None
    n_neighbors: int | None = None
    n_init: int = 10
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d); a row may lack views, each NaN in all its columns there."""
        rows, k = self._open_rows(X)
        n = rows.X.shape[0]
        seed, n_init = embedded.kmeans_starts(self)
        positions = [np.flatnonzero(own) for own in rows.there.T]
        if self.n_neighbors is None:
            neighbors = [max(round(len(own) / k), 1) for own in positions]
        else:
            neighbors = [checks.at_least("n_neighbors", self.n_neighbors, 1)] * len(positions)
        # Columns in another order would round distances in another way.
        tables = [
            content_order.sorted_columns(T[own])
            for T, own in zip(rows.tables, positions, strict=True)
        ]
        R = mean_similarities(tables, positions, n, neighbors)
        if not np.isfinite(R.data).all():
            raise InputError(
                "similarities are not finite: numbers of X are too large; divide the columns by "
                "their size."
            )
        places = spectra.spectrum(R, k).embedding()
        return self._record_labels(rows, starts.kmeans(places, k, seed, n_init))
