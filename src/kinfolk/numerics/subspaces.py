"""Rules that choose a subspace W (d, l) of the features from the rows and their memberships.

Each is made once from X and then called with X'O (d, r), where the columns of O are an orthonormal
basis of the columns of the memberships Y. With P = O O', `W = subspace(XO)` is

    LeastResidual   the l smallest eigenvectors of X'(I - P)X: least |(I - P) X W|, W'W = I    (16)
    MostExplained   the l largest eigenvectors of X'PX: least |X - P X W W'|, W'W = I
    CloseMeans      at most l eigenvectors of X'PX - m n G'G above 0: least |X - P X W W'|^2
                    + m n |G W|^2, W'W = I, where |G W|^2 is the mean squared distance between the
                    means of two tasks in the subspace
    FirstColumns    the first l columns of the identity

Exact       nothing is (d, d) where n < d. With X = U s R' of rank r, (16) has d - r solutions W
            with X W = 0; only where these are fewer than l are eigenvectors sought, those of the
            (r, r) matrix s^2 - (R'X'O)(R'X'O)'. MostExplained needs only the thin singular value
            decomposition of X'O. Eigenvectors of CloseMeans with an eigenvalue other than 0 lie in
            the span of the columns of X'O and G'.
Limits      singular values of X below 1e-6 of the largest count as 0.
Source      Gu, Zhou (2009), equation (16).
"""

from typing import Protocol, Self

import numpy as np
from scipy import linalg

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.numerics import content_order, extreme_eigenvectors, memberships, operators

RANK = 1e-12
"""Eigenvalues of the Gram matrix below this share of the largest count as 0."""


class Subspace(Protocol):
    """Interface of a rule that chooses the subspace for given memberships.

    Attributes
    ----------
    counts_rest : True if the objective also counts the part of X outside of W
    """

    counts_rest: bool

    def __init__(self, X: Table, l: int) -> None: ...

    def __call__(self, XO: Matrix) -> Matrix:
        """Choose W (d, l), given X'O (d, r) for an orthonormal basis O of the memberships."""

    def price(self, W: Matrix) -> float:
        """Penalty that the objective adds for the subspace W."""


def axes(X: Table) -> tuple[Matrix, Vector]:
    """Right singular vectors R (d, r) and singular values (r,) of X (n, d), largest first.

    From the smaller of the two Gram matrices; r is the rank.

    >>> R, s = axes(np.array([[3.0, 0.0, 0.0], [0.0, 0.0, 2.0]]))
    >>> s
    array([3., 2.])
    """
    n, d = X.shape
    wide = n < d  # the smaller Gram matrix
    values, vectors = np.linalg.eigh(
        operators.crossed(X.T, X.T) if wide else operators.crossed(X, X)
    )
    kept = values > RANK * max(values[-1], np.finfo(float).tiny)
    s = np.sqrt(values[kept][::-1])
    vectors = vectors[:, kept][:, ::-1]
    return (operators.crossed(X, vectors) / s if wide else vectors), s


class LeastResidual:
    """Subspace of the least variance within clusters: smallest eigenvectors of X'(I - P)X.

    >>> subspace = LeastResidual(np.array([[3.0, 0.0, 0.0], [0.0, 0.0, 2.0]]), 1)
    >>> abs(subspace(np.eye(3, 1)).ravel())
    array([0., 1., 0.])
    """

    counts_rest = False

    def __init__(self, X: Table, l: int) -> None:
        self._R, self._s = axes(X)
        d, r = self._R.shape
        places = content_order.columns(X) if l < d - r else np.arange(d)
        self._null = _complement(self._R, min(l, d - r), places)
        self._missing = l - self._null.shape[1]

    def __call__(self, XO: Matrix) -> Matrix:
        """Choose W (d, l), given X'O (d, r) for an orthonormal basis O of the memberships."""
        if self._missing == 0:
            return self._null
        B = self._R.T @ XO
        S = np.diag(self._s**2) - B @ B.T
        vectors = extreme_eigenvectors.smallest(S, self._missing)[1]
        return np.hstack([self._null, self._R @ vectors])

    def price(self, W: Matrix) -> float:
        """Return 0: there is no penalty for W."""
        return 0.0


class MostExplained:
    """Subspace of the largest variance between clusters: largest eigenvectors of X'PX.

    >>> XO = np.array([[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    >>> abs(MostExplained(np.eye(3), 1)(XO).ravel())
    array([1., 0., 0.])
    """

    counts_rest = True

    def __init__(self, X: Table, l: int) -> None:
        self._l = l

    def __call__(self, XO: Matrix) -> Matrix:
        """Choose W (d, l), given X'O (d, r) for an orthonormal basis O of the memberships."""
        W: Matrix = np.linalg.svd(XO, full_matrices=False)[0][:, : self._l]
        return W

    def price(self, W: Matrix) -> float:
        """Return 0: there is no penalty for W."""
        return 0.0


class CloseMeans:
    """Subspace of large variance between clusters and small distances of the tasks' means.

    Directions of an eigenvalue of 0 or less, which part tasks more than they explain, are left out
    but for the best one.

    >>> X = np.array([[1.0, 5.0], [3.0, 5.0], [1.0, -5.0], [3.0, -5.0]])
    >>> far = CloseMeans(X, 1, np.array([0, 0, 1, 1]), 1.0)
    >>> abs(far(X.T)).round(6).ravel(), far.price(np.eye(2))
    (array([1., 0.]), 400.0)
    """

    counts_rest = True

    def __init__(self, X: Table, l: int, codes: Labels, weight: float) -> None:
        T = int(codes.max()) + 1
        means = memberships.centers(X, memberships.indicator(codes, T))
        self._set(means, l, weight * X.shape[0])

    @classmethod
    def of_means(cls, means: Matrix, l: int, weight: float) -> Self:
        """Build the rule from the tasks' means (T, d), dimension l and the penalty's weight m n."""
        found = cls.__new__(cls)
        found._set(means, l, weight)
        return found

    def _set(self, means: Matrix, l: int, weight: float) -> None:
        self._l = l
        T = len(means)
        # The mean over pairs of tasks is a sum over tasks around the mean of means.
        share = 2.0 * weight / max(T - 1, 1)
        self._G = np.sqrt(share) * (means - means.mean(axis=0))

    def __call__(self, XO: Matrix) -> Matrix:
        """Choose W (d, l'), l' <= l, given X'O (d, r) for a basis O of the memberships."""
        B = linalg.qr(np.hstack([XO, self._G.T]), mode="economic")[0]
        explained = B.T @ XO
        apart = self._G @ B
        values, vectors = np.linalg.eigh(explained @ explained.T - apart.T @ apart)
        kept = max(1, min(self._l, int(np.sum(values > 0.0))))
        W: Matrix = B @ vectors[:, ::-1][:, :kept]
        return W

    def price(self, W: Matrix) -> float:
        """Penalty: m n times the mean squared distance of two tasks' means in the subspace W."""
        return float(np.sum(np.square(self._G @ W)))


class FirstColumns:
    """Fixed subspace of the first l features, whatever the memberships."""

    counts_rest = False

    def __init__(self, X: Table, l: int) -> None:
        self._W = np.eye(X.shape[1], l)

    def __call__(self, XO: Matrix) -> Matrix:
        """Return the first l columns of the identity, W (d, l)."""
        return self._W

    def price(self, W: Matrix) -> float:
        """Return 0: there is no penalty for W."""
        return 0.0


SUBSPACES: dict[str, type[Subspace]] = {
    "explained": MostExplained,
    "published": LeastResidual,
    "released": FirstColumns,
}
"""Subspaces by the names that methods offer."""


def _complement(R: Matrix, l: int, places: Labels) -> Matrix:
    """Random orthonormal columns (d, l), orthogonal to R (d, r) and zero outside `places`."""
    E = np.empty((len(R), l))
    E[places] = np.random.RandomState(0).normal(size=E.shape)
    for _ in range(2):  # one pass is not orthogonal to working precision
        E = np.linalg.qr(E - R @ (R.T @ E))[0]
    return E
