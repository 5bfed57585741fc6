"""Concept factorization X ~ Y G'X: concepts are mixtures of rows, rows are mixtures of concepts.

For K = XX', a step for G and one for Y, each for a problem quadratic in its factor x >= 0:

    min <x, M x> - 2 <b, x>,   M = P - N with P, N >= 0
    x = F o (b + sqrt(b^2 + 4 a c)) / (2 a),   a = P F,  c = N F,                  split step

where F is the factor before. It never raises the value: for x, F >= 0 the part with P is at most
sum a x^2 / F, since P >= 0, and that with -N at most -sum c F (1 + 2 ln(x / F)), since
u >= 1 + ln u; both are equalities at x = F, and the split step minimizes their sum. The sum is
convex, so that stopping on the way to 0, at F/10, still lowers it: no entry is lost for ever.

    G:  <Q, G'KG> - 2 <b, G>,  b = KY            P, N from K and Q >= 0            concept step
    Y:  <A, Y'Y> + sum_j (s_j |Y_j|^2 + g_j Y_j'L Y_j) - 2 <b, Y>                  membership step
        P from the positive entries of A, s and g D, N from the negative ones, and b + g S Y for b

Of the graph g Y'(D - S)Y the part with S is replaced by its tangent. That is no bound, but the
bound falls by at least g d'Dd over a step d, and what the tangent misses is -g d'Sd: the value
falls by at least g d'(D + S)d >= 0, since D + S = sum over edges of s_ij (e_i + e_j)(e_i + e_j)'.

Symbols     X (n, d), Y and G (n, r), Q and A (r, r), s and g (r,); L = D - S of `graphs`.
Exact       K = P - N with P = (|X||X|' + XX') / 2 = X+X+' + X-X-' and
            N = (|X||X|' - XX') / 2 = X+X-' + X-X+', so that two products with X and two with |X|
            are all that is needed; K is formed only where n^2 numbers are no more than X holds.
Limits      X >= 0: N = 0 and the split step is F o b / a, the printed rule, graph and all.
Source      the step is that of Sha, Saul, Lee (2003) for non-negative quadratic programmes; the
            factorization that of Xu, Gong (2004).
"""

from typing import Any, Protocol, cast

import numpy as np

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import distances, nonnegative, operators, view_patterns
from kinfolk.numerics.graphs import NeighborGraph
from kinfolk.numerics.view_patterns import RowMatrices

SHRINK = 0.1
"""The smallest share of its value to which one step shrinks an entry, where b is negative."""


class Kernel(Protocol):
    """Interface of products with the Gram matrix K = XX' (n, n) of rows X (n, d)."""

    @property
    def squared_norms(self) -> Vector:
        """Squared lengths of the rows, the diagonal of K (n,)."""

    def times(self, M: Matrix) -> Matrix:
        """Product K M (n, r)."""

    def parts(self, M: Matrix, KM: Matrix) -> tuple[Matrix, Matrix | None]:
        """Products (P M, N M) of K = P - N with P, N >= 0; N M is None where X >= 0."""


class GramKernel:
    """The Gram matrix K = XX' (n, n) of the rows X (n, d) of a view, held for products.

    >>> K = GramKernel(np.array([[1.0, 0.0], [-1.0, 2.0]]))
    >>> K.times(np.eye(2))
    array([[ 1., -1.],
           [-1.,  5.]])
    """

    def __init__(self, X: Table) -> None:
        entries = operators.entries(X)
        self.squared_norms = distances.squared_norms(X)
        self.signed = bool(entries.size and entries.min() < 0)
        self._small = X.shape[0] ** 2 <= entries.size
        self._X = self._held(X)
        self._sizes = self._held(cast(Any, abs(X))) if self.signed else None

    def times(self, M: Matrix) -> Matrix:
        """Product K M (n, r) of the Gram matrix with M (n, r)."""
        return self._product(self._X, M)

    def parts(self, M: Matrix, KM: Matrix) -> tuple[Matrix, Matrix | None]:
        """Products (P M, N M) of M with K = P - N, P, N >= 0; N M is None where X >= 0."""
        if self._sizes is None:
            return KM, None
        whole = self._product(self._sizes, M)
        return (whole + KM) / 2, np.maximum(whole - KM, 0.0) / 2

    def _held(self, X: Table) -> Table:
        return operators.crossed(X.T, X.T) if self._small else X

    def _product(self, held: Table, M: Matrix) -> Matrix:
        return held @ M if self._small else operators.times(held, operators.crossed(held, M))


def split_step(F: Matrix, a: Matrix, b: Matrix, c: Matrix | None) -> Matrix:
    """Minimize sum a x^2 / F - 2 b x - 2 c F ln x over x >= 0, a surrogate function at F.

    Where b < 0, over x >= F/10; c None is 0.

    >>> one = np.ones((1, 1))
    >>> split_step(2 * one, one, 3 * one, None), split_step(one, one, -1.5 * one, one)
    (array([[6.]]), array([[0.5]]))
    """
    # A quotient by a denormal number overflows; F is as small there, and stays.
    some = a >= np.finfo(a.dtype).tiny
    if c is None:
        ratio = np.divide(b, a, out=np.ones_like(F), where=some)
    else:
        root = np.hypot(b, 2.0 * np.sqrt(a) * np.sqrt(c))
        # The two forms of one root, each without cancellation.
        above = np.where(b >= 0, b + root, 2.0 * c)
        below = np.where(b >= 0, 2.0 * a, root - b)
        ratio = np.divide(above, below, out=np.ones_like(F), where=some & (below > 0))
    return F * np.maximum(ratio, SHRINK, out=ratio, where=b < 0)


def concept_step(K: Kernel, G: Matrix, KG: Matrix, b: Matrix, Q: Matrix) -> Matrix:
    """Multiplicative-type step that lowers <Q, G'KG> - 2 <b, G> over G (n, r) >= 0.

    >>> X = np.array([[1.0], [2.0]])
    >>> G = np.ones((2, 1))
    >>> K = GramKernel(X)
    >>> concept_step(K, G, K.times(G), X, np.eye(1))
    array([[0.3333],
           [0.3333]])
    """
    PG, NG = K.parts(G, KG)
    return split_step(G, PG @ Q, b, None if NG is None else NG @ Q)


def membership_step(
    Y: Matrix,
    A: Matrix | RowMatrices,
    b: Matrix,
    shrink: Vector,
    graph: NeighborGraph | None,
    pull: Vector,
) -> Matrix:
    """Step that lowers sum_i y_i'A_i y_i - 2 <b, Y> plus ridge and graph penalties over Y >= 0."""
    A = A if isinstance(A, RowMatrices) else view_patterns.same(A)
    a = A.each(lambda M: np.maximum(M, 0.0)).times(Y) + shrink * Y
    if graph is not None:
        a += pull * graph.degrees[:, None] * Y
        b = b + pull * (graph.S @ Y)
    signed = any(M.min() < 0 for M in A.matrices)
    c = A.each(lambda M: np.maximum(-M, 0.0)).times(Y) if signed else None
    return split_step(Y, a, b, c)


def gram(G: Matrix, KG: Matrix) -> Matrix:
    """Inner products G'KG (r, r) of the concepts."""
    A = G.T @ KG
    # Rounding leaves it not quite symmetric.
    return (A + A.T) / 2


def residual(K: Kernel, Y: Matrix, G: Matrix, KG: Matrix) -> float:
    """Squared reconstruction error |X - Y G'X|_F^2, computed from Gram products only."""
    fit = np.sum((Y.T @ Y) * gram(G, KG)) - 2.0 * np.sum(Y * KG)
    return float(max(K.squared_norms.sum() + fit, 0.0))


def nonnegative_memberships(A: Matrix, B: Matrix, shift: Vector) -> Matrix:
    """Minimize y'(A + shift_i I) y - 2 b'y over y >= 0 for each row of B (m, q, r).

    >>> B = np.array([[[4.0, -1.0]], [[4.0, 6.0]]])
    >>> nonnegative_memberships(np.eye(2), B, np.array([0.0, 1.0])).tolist()
    [[[4.0, 0.0]], [[2.0, 3.0]]]
    """
    if np.ptp(shift) == 0:
        G = A + shift[0] * np.eye(len(A))
        return nonnegative.least_squares(G, B.reshape(-1, len(A))).reshape(B.shape)
    Y = np.zeros(B.shape)
    for block in operators.blocks(len(B), B.shape[1] * A.size):
        Y[block] = nonnegative.shifted_least_squares(A, B[block], shift[block])
    return Y
