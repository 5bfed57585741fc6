"""Propagates known labels over a Gaussian graph: harmonic values, and local-global consistency.

    w_ij = exp(-|X[i] - X[j]|^2 / s)   if i is among the l nearest rows of j or j of i      (1)
    d_i  = sum_j w_ij,   P = D^-1 W,   S = D^-1/2 W D^-1/2                                  (2)

Harmonic values of rows without a label (U), given those of the rows with one (K):

    F_U = (I - P_UU)^-1 P_UK F_K                                                            (3)

Local and global consistency, with Y the 0/1 memberships of rows with a label, 0 for the others:

    F = (I - a S)^-1 Y                                                                      (4)

Symbols     X (n, d), W, P, S (n, n) sparse, F and Y (n, k).
Units       s is in squared units of X; F has none.
Exact       weights are held as logarithms and divided by the largest of a row, so that a far row
            keeps its links where exp(-|.|^2 / s) would be 0. Both systems are solved by conjugate
            gradients in the symmetric form, I - a S; where the result does not solve the system
            to `RESIDUAL`, by elimination.
Limits      a -> 0: F is Y. A row that no path links to a known row has no harmonic value.
Source      Zhu, Ghahramani, Lafferty (2003), equation (5); Zhou, Bousquet, Lal, Weston, Schoelkopf
            (2004), section 2.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import cg, splu
from sklearn.neighbors import NearestNeighbors

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.errors import InputError
from kinfolk.numerics import distances, memo, operators

RESIDUAL = 1e-9
"""Largest residual of a system whose right side has entries up to 1."""

SUM_ERROR = 1e-6
"""Largest error of the sum of a row's harmonic values, which is 1."""

LEAK = 1e-12
"""Number added to the diagonal of (3) where it may be singular; it draws values towards 0."""

LOST = 0.01
"""Rows whose values, solved with the leak, sum to at most this get nan: they lost their links."""

SWEEPS = 1000
"""Most sweeps of the iteration F <- a S F + Y after the system is solved."""

SAME_ENTRY = 1e-10
"""Sweeps end when none changes an entry of F by more than this share of it."""

SAME_PLACE = 1e-12
"""Two rows are equal if their squared distance is at most this share of their squared lengths."""


@memo.remembered
def mean_distance(X: Table) -> float:
    """Mean distance over all pairs of rows of X (n, d); 1 if all rows are equal.

    >>> mean_distance(np.array([[0.0], [1.0], [5.0]])).__round__(3)
    3.333
    """
    n = X.shape[0]
    rows = X.astype(np.float64, copy=False)
    total = 0.0
    for block in operators.blocks(n, n):
        part = rows[block]
        total += float(np.sqrt(_squared(part, rows)).sum())
    return total / (n * (n - 1)) if total > 0 else 1.0


@memo.remembered
def edges(X: Table, l: int) -> sp.csr_array:
    """Squared distances (n, n), sparse, of pairs with one row among the l nearest of the other.

    Equal rows have a stored 0.

    >>> edges(np.array([[0.0], [1.0], [5.0]]), 1).toarray()
    array([[ 0.,  1.,  0.],
           [ 1.,  0., 16.],
           [ 0., 16.,  0.]])
    """
    n = X.shape[0]
    near, squares = nearest(X, l)
    i = np.repeat(np.arange(n), near.shape[1])
    j = near.ravel()
    # A pair that is found from both of its rows is kept once.
    pairs, first = np.unique(np.concatenate([i * n + j, j * n + i]), return_index=True)
    ends = np.searchsorted(pairs, n * np.arange(n + 1))
    values = np.tile(squares.ravel(), 2)[first]
    return sp.csr_array((values, (pairs % n).astype(np.int32), ends), shape=(n, n))


def nearest(X: Table, l: int, rows: Table | None = None) -> tuple[np.ndarray, Matrix]:
    """Positions (m, l) of the rows of X nearest to `rows` (m, d), and squared distances (m, l).

    None: of X to themselves, each row left out of its own list. l is at most the rows there are.

    >>> nearest(np.array([[0.0], [1.0], [5.0]]), 1, np.array([[4.0]]))
    (array([[2]]), array([[1.]]))
    """
    there: Table = X.astype(np.float64, copy=False)
    l = min(l, X.shape[0] - (rows is None))
    asked: Table | None = None
    if rows is not None:
        asked = rows.astype(np.float64, copy=False)
        asked = sp.csr_array(asked) if sp.issparse(X) else operators.dense(asked)
    if asked is None:
        there = distances.nearby(there, there)[1]
    else:
        asked, there = distances.nearby(asked, there)
    lengths, near = NearestNeighbors(n_neighbors=l).fit(there).kneighbors(asked)
    return near, np.square(lengths)


def same_place(rows: Table, X: Table, near: np.ndarray, squares: Matrix) -> np.ndarray:
    """Mark (m, l) the neighbors near[i] in X that equal row i of `rows` (m, d) up to rounding."""
    rows, X = distances.nearby(rows, X)
    sizes = distances.squared_norms(rows)[:, None] + distances.squared_norms(X)[near]
    equal: np.ndarray = squares <= SAME_PLACE * sizes
    return equal


class Links(NamedTuple):
    """Row-stochastic transitions P and normalized weights S, CSR (n, n), and log degrees (n,)."""

    P: sp.csr_array
    S: sp.csr_array
    log_degrees: Vector


def links(squares: sp.csr_array, s: float) -> Links:
    """Build transitions and normalized Gaussian weights from squared distances (n, n) and width s.

    >>> links(edges(np.array([[0.0], [1.0], [5.0]]), 2), 10.0).P.toarray().round(3)
    array([[0.   , 0.917, 0.083],
           [0.818, 0.   , 0.182],
           [0.289, 0.711, 0.   ]])
    """
    logs = -squares.data / s
    first = squares.indptr[:-1]
    row = np.repeat(np.arange(squares.shape[0]), np.diff(squares.indptr))
    top = np.maximum.reduceat(logs, first)
    sums = np.add.reduceat(np.exp(logs - top[row]), first)
    log_degrees = top + np.log(sums)
    P = np.exp(logs - log_degrees[row])
    S = np.exp(logs - (log_degrees[row] + log_degrees[squares.indices]) / 2)
    return Links(_like(squares, P), _like(squares, S), log_degrees)


def transitions(squares: Matrix, s: float) -> Matrix:
    """Row-normalized Gaussian weights (m, l) of new rows from squared distances (m, l).

    >>> transitions(np.array([[0.0, 1.0]]), 1.0).round(3)
    array([[0.731, 0.269]])
    """
    W = np.exp((squares.min(axis=1, keepdims=True) - squares) / s)
    shares: Matrix = W / W.sum(axis=1, keepdims=True)
    return shares


def reached(graph: sp.csr_array, known: np.ndarray) -> np.ndarray:
    """Mark rows (n,) that a path of the symmetric graph (n, n) connects to a known row.

    >>> graph = sp.csr_array(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    >>> reached(graph, np.array([True, False, False]))
    array([ True,  True, False])
    """
    pattern = _like(graph, np.ones(graph.nnz))  # a stored 0 is a link too
    part = sp.csgraph.connected_components(pattern, directed=False)[1]
    return np.isin(part, part[known])


def harmonic(graph: Links, known: np.ndarray, fixed: Matrix) -> Matrix:
    """Harmonic function F (n, k) with known rows fixed; nan for rows without path to a known row.

    `known` (n,) marks the m rows of known label, `fixed` (m, k) are their values, of sum 1.
    """
    F = np.full((len(known), fixed.shape[1]), np.nan)
    F[known] = fixed
    free = np.flatnonzero(reached(graph.P, known) & ~known)
    if not len(free):
        return F
    own = graph.P[free]
    A = _less(sp.csr_array(own[:, free]), 1.0)
    B = operators.times(sp.csr_array(own[:, known]), fixed)
    # With g = D^1/2 F the system (I - P) F = B is (I - S) g = D^1/2 B.
    root = np.exp((graph.log_degrees[free] - graph.log_degrees[free].max()) / 2)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        found = _conjugate(_less(sp.csr_array(graph.S[free][:, free]), 1.0), root * B) / root
        # Values of a row sum to 1 as those of known rows do: a second test of the solution.
        right = _solves(A, B, found) and np.abs(found.sum(axis=1) - 1.0).max() <= SUM_ERROR
    if not right:
        # The leak keeps groups whose links to others are lost in rounding from dividing 0 by 0.
        found = _eliminated(A + LEAK * sp.eye_array(len(free), format="csr"), B)
        sums = found.sum(axis=1, keepdims=True)
        found = np.where(sums > LOST, found / np.where(sums > LOST, sums, 1.0), np.nan)
    F[free] = found
    return F


def consistent(S: sp.csr_array, a: float, Y: Matrix) -> Matrix:
    """Local and global consistency: F = (I - a S)^-1 Y (n, k) for known memberships Y (n, k).

    >>> consistent(sp.csr_array(np.eye(2)[::-1]), 0.5, np.array([[1.0], [0.0]])).ravel().round(3)
    array([1.333, 0.667])
    """
    A = _less(S, a)
    F = _conjugate(A, Y)
    F = np.maximum(F if _solves(A, Y, F) else _eliminated(A, Y), 0.0)
    # Far from known rows F is below the rounding of its largest entries. Sweeps of the authors'
    # iteration add nothing but products of positive numbers, and so make each entry exact.
    for _ in range(SWEEPS):
        before = F
        F = Y + a * (S @ F)
        if (np.abs(F - before) <= SAME_ENTRY * F).all():
            break
    return F


def _less(S: sp.csr_array, a: float) -> sp.csr_array:
    """Return the sparse matrix I - a S."""
    return sp.csr_array(sp.eye_array(S.shape[0], format="csr") - a * S)


def _conjugate(A: sp.csr_array, B: Matrix) -> Matrix:
    """Solve A Z = B by conjugate gradients, maybe without convergence."""
    # In exact arithmetic len(b) steps suffice; rounding asks for more.
    return np.column_stack([cg(A, b, rtol=1e-13, maxiter=10 * len(b) + 100)[0] for b in B.T])


def _solves(A: sp.csr_array, B: Matrix, F: Matrix) -> bool:
    return bool(np.abs(A @ F - B).max(initial=0.0) <= RESIDUAL)  # false for nan


def _eliminated(A: sp.csr_array, B: Matrix) -> Matrix:
    """Solve A Z = B by sparse LU without pivoting, for diagonally dominant A."""
    options = {"SymmetricMode": True}
    try:
        solver = splu(sp.csc_array(A), "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    except RuntimeError:  # a factor is singular
        raise InputError(
            "rows have no links to the rows of known label, up to rounding; raise the width of "
            "the links, or scale the columns."
        ) from None
    found: Matrix = solver.solve(B)
    return found


def _squared(a: Table, b: Table) -> Matrix:
    """Squared distances (m, n) of rows a (m, d) and b (n, d), dense or sparse."""
    a, b = distances.nearby(a, b)
    D = operators.dense(a @ b.T)
    D *= -2.0
    D += distances.squared_norms(a)[:, None]
    D += distances.squared_norms(b)[None, :]
    D[SAME_PLACE * (distances.squared_norms(a)[:, None] + distances.squared_norms(b)) >= D] = 0.0
    return D


def _like(graph: sp.csr_array, data: Vector) -> sp.csr_array:
    return sp.csr_array((data, graph.indices, graph.indptr), shape=graph.shape)
