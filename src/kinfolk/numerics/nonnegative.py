"""Non-negative least squares of many rows, and the ratio of multiplicative steps."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from kinfolk.arrays import Matrix, Vector

LONGEST = 1e200
"""The largest ratio of a step; a longer step could overflow."""

SINGULAR = 1e-12
"""Eigenvalues of a Gram matrix below this share of the largest are 0 up to rounding."""

ROUNDING = 1e-12
"""A slope of y'Gy - 2 b'y below this share of the largest entry of b counts as 0."""

CHANCES = 3
"""Pivots that may pass without fewer wrong entries, before one entry alone is exchanged."""

MANY = 16
"""Most entries of a row for which pivoting is worth its while without a guess."""

FEW_PIVOTS = 10
"""Exchanges of positive and zero entries after which problems with shifts are solved singly."""

PIVOTS = 40
"""Pivots after which the rows that are left are solved one by one."""

FEW = 32
"""Below this number of rows, pivoting costs more than to solve them one by one."""

GROUP = 16
"""Rows per set of positive entries from which on one system per set is the faster way."""

BLOCK = 2**18
"""Numbers in the systems of rows that are solved at once, to bound the memory."""


def ratio(up: Matrix, down: Matrix, empty: float) -> Matrix:
    """Elementwise up / down of a multiplicative update, both >= 0; `empty` where down is 0.

    >>> ratio(np.array([3.0, 3.0, 3.0]), np.array([2.0, 0.0, 1e-310]), 1.0)
    array([1.5e+000, 1.0e+000, 1.0e+200])
    """
    # Cut where a factor has nearly vanished: any step between 1 and the full one lowers J.
    held = np.maximum(down, up / LONGEST)
    if down.min(initial=1.0) > 0:  # as nearly always, and twice as quick
        return np.divide(up, held, out=held)
    return np.divide(up, held, out=np.full_like(down, empty), where=down > 0)


def least_squares(G: Matrix, B: Matrix, start: Matrix | None = None) -> Matrix:
    """Minimize y'Gy - 2 b'y over y >= 0 for each row b of B (m, k); G (k, k) semidefinite.

    A guess `start` (m, k) of the rows y makes this faster the closer its positive entries are to
    those of the answer. Eigenvalues of G below `SINGULAR` of the largest count as 0; where several
    y are equally good then, the answer depends on the guess.

    Block principal pivoting, Kim, Park (2011).

    >>> least_squares(np.eye(2), np.array([[1.0, -1.0]]))
    array([[1., 0.]])
    """
    used = np.diagonal(G) > 0
    if not used.all():  # an entry that y'Gy does not depend on stays 0
        Y: Matrix = np.zeros(B.shape)
        if used.any():
            guess = None if start is None else start[:, used]
            Y[:, used] = least_squares(G[np.ix_(used, used)], B[:, used], guess)
        return Y
    values, vectors = np.linalg.eigh(G)
    kept = values > SINGULAR * max(values[-1], 1e-300)
    if not kept.any():
        return np.zeros(B.shape)
    regular = bool(kept.all())
    if not regular:
        B = (B @ vectors[:, kept]) @ vectors[:, kept].T
    Y, missing = _started(G, B, start, regular)
    # With G = R'R the problem is that of |R y - c|, which nnls solves.
    root = np.sqrt(values[kept])
    R = root[:, None] * vectors[:, kept].T
    C = (B[missing] @ vectors[:, kept]) / root
    for i, c in zip(missing, C, strict=True):
        Y[i] = nnls(R, c)[0]
    return Y


def shifted_least_squares(A: Matrix, B: Matrix, shift: Vector) -> Matrix:
    """Minimize y'(A + shift_i I) y - 2 b'y over y >= 0 for each b of B[i]; B (m, q, k).

    Positive and zero entries of all y are exchanged at once; the few y that are not found in
    `FEW_PIVOTS` exchanges, and those without a shift, are solved one i after the other.

    >>> B = np.array([[[4.0, -1.0]], [[4.0, 6.0]]])
    >>> shifted_least_squares(np.eye(2), B, np.array([0.0, 1.0])).tolist()
    [[[4.0, 0.0]], [[2.0, 3.0]]]
    """
    m, q, k = B.shape
    rows = B.reshape(-1, k)
    s = np.repeat(shift, q)
    G = A + s[:, None, None] * np.eye(k)
    regular = s > SINGULAR * max(float(np.trace(A)), 0.0)
    Y: Matrix = np.zeros(rows.shape)
    passive = rows > 0
    tolerance = ROUNDING * abs(rows).max(axis=1, keepdims=True, initial=0.0)
    left = np.flatnonzero(regular)
    for _ in range(FEW_PIVOTS):
        if not len(left):
            break
        own = passive[left]
        M = np.where(own[:, :, None] & own[:, None, :], G[left], np.eye(k))
        Y[left] = np.linalg.solve(M, np.where(own, rows[left], 0.0)[:, :, None])[:, :, 0]
        slope = np.einsum("ij,ijl->il", Y[left], G[left]) - rows[left]
        wrong = (own & (Y[left] < 0)) | (~own & (slope < -tolerance[left]))
        passive[left] = own ^ wrong
        left = left[wrong.any(axis=1)]
    found = Y.reshape(B.shape)
    regular[left] = False
    for i in np.flatnonzero(~regular.reshape(m, q).all(axis=1)):
        found[i] = least_squares(A + shift[i] * np.eye(k), B[i])
    return found


def _started(
    G: Matrix, B: Matrix, start: Matrix | None, regular: bool
) -> tuple[Matrix, NDArray[np.intp]]:
    """Solve rows by block pivoting from a start; return them and the rows still unsolved.

    Where G is not regular, only rows whose guess has the right positive entries are found.
    """
    m, k = B.shape
    Y = np.zeros((m, k))
    if m < FEW or (start is None and (k > MANY or not regular)):
        return Y, np.arange(m)
    passive = B > 0 if start is None else start > 0
    scale = 1.0 / np.sqrt(np.diagonal(G))  # makes all units alike
    G = G * np.outer(scale, scale)
    able = np.ones(m, dtype=bool) if regular else _independent(G, passive)
    rows = np.flatnonzero(able)
    missing = [np.flatnonzero(~able)]
    size = max(FEW, BLOCK // (k * k))
    for first in range(0, len(rows), size):
        block = rows[first : first + size]
        most = PIVOTS if regular else 1
        Y[block], left = _pivoted(G, B[block] * scale, passive[block], most)
        missing.append(block[left])
    return Y * scale, np.concatenate(missing)


def _independent(G: Matrix, passive: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark rows (m,) whose positive entries select a non-singular submatrix of G."""
    sets, which = np.unique(passive, axis=0, return_inverse=True)
    regular = np.ones(len(sets), dtype=bool)
    for i, entries in enumerate(sets):
        if entries.any():
            values = np.linalg.eigvalsh(G[np.ix_(entries, entries)])
            regular[i] = values[0] > SINGULAR * values[-1]
    return regular[which.reshape(-1)]


def _pivoted(
    G: Matrix, B: Matrix, passive: NDArray[np.bool_], most: int
) -> tuple[Matrix, NDArray[np.intp]]:
    """Block pivoting for non-negative least squares; return solutions and unfinished rows.

    `passive` (m, k), the guess of positive entries, is changed in place.
    """
    m, k = B.shape
    Y = np.zeros((m, k))
    tolerance = ROUNDING * abs(B).max(axis=1, keepdims=True)
    fewest = np.full(m, k + 1)
    chances = np.full(m, CHANCES)
    open_ = np.arange(m)
    for _ in range(most):
        P = passive[open_]
        y = _restricted(G, B[open_], P)
        wrong = np.where(P, ~(y >= 0), y @ G - B[open_] < -tolerance[open_])
        n_wrong = wrong.sum(axis=1)
        done = n_wrong == 0
        Y[open_[done]] = y[done]
        open_ = open_[~done]
        if not len(open_):
            break
        wrong = wrong[~done]
        n_wrong = n_wrong[~done]
        better = n_wrong < fewest[open_]
        fewest[open_] = np.minimum(fewest[open_], n_wrong)
        chances[open_] = np.where(better, CHANCES, chances[open_] - 1)
        # Exchanges of all wrong entries may go round in a circle; of the last alone they cannot.
        last = k - 1 - np.argmax(wrong[:, ::-1], axis=1)
        alone = np.arange(k) == last[:, None]
        passive[open_] ^= np.where((chances[open_] < 0)[:, None], alone, wrong)
    return Y, open_


def _restricted(G: Matrix, B: Matrix, passive: NDArray[np.bool_]) -> Matrix:
    """Solve Gy = b for each row y restricted to its passive entries, with 0 elsewhere."""
    m, k = B.shape
    if k <= MANY:  # a set of entries as the bits of a number; small ones are sorted fast
        sets = (passive @ (1 << np.arange(k))).astype(np.uint16)
        order = np.argsort(sets, kind="stable")
        bounds = np.flatnonzero(np.diff(sets[order])) + 1
        if GROUP * len(bounds) < m:
            return _grouped(G, B, passive, np.split(order, bounds))
    A = np.where(passive[:, :, None] & passive[:, None, :], G, np.eye(k))
    return np.linalg.solve(A, np.where(passive, B, 0.0)[:, :, None])[:, :, 0]


def _grouped(
    G: Matrix, B: Matrix, passive: NDArray[np.bool_], groups: Sequence[NDArray[np.intp]]
) -> Matrix:
    """Solve Gy = b for rows grouped by their passive entries, one system per group."""
    Y = np.zeros(B.shape)
    for rows in groups:
        entries = np.flatnonzero(passive[rows[0]])
        if len(entries):
            # np.ix_ would check its arguments for longer than the solution takes.
            cells = (rows[:, None], entries)
            Y[cells] = np.linalg.solve(G[entries[:, None], entries], B[cells].T).T
    return Y
