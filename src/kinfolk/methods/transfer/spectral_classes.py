"""Cross-domain spectral classification (CDSC), reconstructed: graph cuts that keep known classes.

The structure is published: one normalized cut of all rows, of the source with labels and of the
target without, that keeps rows of a known class together and cuts the target well too. Which
formulas the authors have could not be read. Ours, for each class against the rest,

    min x'(L + beta C + lambda L_U) x / x'D x,   x'D 1 = 0,                              (1)
    C = mean(D) sum_c (diag 1_c - 1_c 1_c'/n_c),                                         (2)

on the graph of the nearest rows by cosine, W_ij = cos(X[i], X[j]) > 0. C is the scatter within the
known rows of the class and within those of the rest, L_U the Laplacian of the rows without a label.
Two classes are divided at x = 0, of more each row gets the class of the largest x.

Symbols     X (n, d) the rows of all tasks, W (n, n) with degrees D and Laplacian L.
Units       none: cosines see only the directions of rows.
Exact       see `numerics.labelled_cuts`.
Limits      beta = lambda = 0: the normalized cut in two, its sides named after known classes.
Source      Ling, Dai, Xue, Yang, Yu, KDD 2008: the abstract. 27 neighbors, beta 15 and lambda
            0.025 are what we remember of its experiments, and not confirmed.
Departures  all formulas here are ours, see above.
Beyond      a new row gets the x that (1) gives a row without a label:
            sum_j w_j (1 + lambda [j in U]) x_j / (d + lambda d_U - mu d), mu the value of (1).
"""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Matrix, MatrixLike, Table, Vector
from kinfolk.estimators import checks
from kinfolk.estimators.label_graph import LabelGraphEstimator
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.renamed import accept_old_names
from kinfolk.numerics import distances, label_graphs, labelled_cuts, memberships, operators


def cosine_graph(Z: Table, l: int) -> sp.csr_array:
    """Positive cosines (n, n) of unit rows Z (n, d) with their l nearest rows.

    >>> Z = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    >>> cosine_graph(Z, 1).toarray()
    array([[0. , 0.6, 0. ],
           [0.6, 0. , 0.8],
           [0. , 0.8, 0. ]])
    """
    squares = label_graphs.edges(Z, l)
    sizes = distances.squared_norms(Z)
    row = np.repeat(np.arange(Z.shape[0]), np.diff(squares.indptr))
    cosines = (sizes[row] + sizes[squares.indices] - squares.data) / 2.0
    cosines[cosines <= UNRELATED] = 0.0
    # A copy: zeros are dropped in place, and the links may be kept for further fits.
    parts = cosines, squares.indices, squares.indptr
    W = sp.csr_array(parts, shape=squares.shape, copy=True)
    W.eliminate_zeros()
    return W


UNRELATED = 1e-12
"""Cosines up to this are 0 or below, but for rounding."""


@accept_old_names(parameters={"unlabelled_weight": "unlabeled_weight"})
@parameterized
class CDSC(LabelGraphEstimator):
    """Classifies unlabeled rows by spectral cuts that keep known classes together.

    Parameters
    ----------
    n_neighbors : int >= 1, links of a row to its nearest rows of all tasks by cosine, or "all"
    label_weight : float >= 0, beta, the weight of the scatter within known classes
    unlabeled_weight : float >= 0, lambda, the weight of the cut among rows without a label

    Attributes
    ----------
    classes_ : (k,), the known labels, sorted
    transduction_ : (n,), the class of each row: the known label, else the one found
    labels_ : (n,), the position of this class in `classes_`
    memberships_ : (n, k), 0/1; the shares of the known classes where no path leads to a known row
    places_ : (n, k), x of each class against the rest, 0 where no path leads to a known row
    cuts_ : (k,), the values of (1)
    unreached_ : number of rows that no path links to a row of known label
    and all of `KnownLabelsEstimator`

    Raises
    ------
    InputError : a parameter is out of range, or no label is known

    Warns
    -----
    SharingWarning : some rows are linked to no row of known label

    Examples
    --------
    >>> X = np.array([[9.0, 1.0], [1.0, 9.0], [8.0, 3.0], [9.0, 4.0], [2.0, 7.0], [3.0, 9.0]])
    >>> model = CDSC(n_neighbors=3).fit(X, [7, 8, -1, -1, -1, -1], tasks=list("aabbbb"))
    >>> model.transduction_
    array([7, 8, 7, 7, 8, 8])
    """

    of_rows = ("places_",)

    compares = "directions"

    n_neighbors: Any = 27
    label_weight: float = 15.0
    unlabeled_weight: float = 0.025

    def fit(self, X: MatrixLike, y: Any = None, tasks: Any = None) -> Self:
        """Find the classes of the rows of X (n, d) whose label in y (n,) is -1.

        tasks (n,) names the task of each row; in a task any share of the labels may be known.
        """
        X, found, given = self._open_labelled(X, y, tasks)
        checks.not_negative("label_weight", self.label_weight)
        checks.not_negative("unlabeled_weight", self.unlabeled_weight)
        n = X.shape[0]
        l = min(self._width(n), n - 1)
        Z = distances.unit_rows(X.astype(np.float64, copy=False))
        self.places_ = np.zeros((n, given.k))
        self.cuts_ = np.zeros(given.k)
        classes = np.full(n, -1)
        classes[given.known] = given.classes
        W = cosine_graph(Z, l) if l else sp.csr_array((n, n))
        linked = label_graphs.reached(W, given.known) & (operators.row_sums(W) > 0)
        if given.k > 1 and linked.sum() > 1:
            self._cut(sp.csr_array(W[linked][:, linked]), classes, linked)
        F = memberships.indicator(self.places_.argmax(axis=1), given.k)
        F[~linked] = 0.0
        return self._record_values(X, found, given, F, Z)

    def _cut(self, W: sp.csr_array, classes: np.ndarray, linked: np.ndarray) -> None:
        """Compute the cut of linked rows for each class; sets `places_` and `cuts_`."""
        k = self.places_.shape[1]
        own = classes[linked]
        weights = (float(self.label_weight), float(self.unlabeled_weight))
        # Two classes have one cut, seen from either side.
        for c in [1] if k == 2 else range(k):
            side: Vector = np.where(own == c, 1.0, -1.0) * (own >= 0)
            found = labelled_cuts.cut(W, side, *weights)  # (1)
            self.places_[linked, c] = found.x
            self.cuts_[c] = found.value
        if k == 2:
            self.places_[:, 0] = -self.places_[:, 1]
            self.cuts_[0] = self.cuts_[1]

    def _scores(self, X: Table) -> Matrix:
        near, squares = self._nearest(self._rows, X)
        sizes = distances.squared_norms(X)[:, None] + distances.squared_norms(self._rows)[near]
        w = (sizes - squares) / 2.0
        w[w <= UNRELATED] = 0.0
        unknown = w * (~self._sorted(self.known_))[near]
        lam = float(self.unlabeled_weight)
        sums = np.einsum("ml,mlk->mk", w + lam * unknown, self._sorted(self.places_)[near])
        d = w.sum(axis=1, keepdims=True)
        size = d + lam * unknown.sum(axis=1, keepdims=True) - self.cuts_ * d
        return np.asarray(sums / np.where(size > 0, size, 1.0))

    def _assign(self, X: Table, t: int) -> Any:
        return super()._assign(distances.unit_rows(X.astype(np.float64, copy=False)), t)
