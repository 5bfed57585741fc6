"""Smooths clusterings on a graph by label propagation.

    S    = D^-1/2 W D^-1/2,   D = diag(row sums of W)                                       (1)
    Y_ic = 1 / sqrt(n_c) if row i is in cluster c of n_c rows, else 0                       (2)
    F    = (I - a S)^-1 Y                                                                   (3)
    new label of row i = argmax_c F_ic

Symbols     W (n, n) symmetric and not negative, sparse; Y and F (n, k).
Units       none; a graph times a number is the same graph.
Exact       (3) is solved by Chebyshev's semi-iteration, F[j+1] = F[j-1] + w[j+1] (a S F[j] + Y -
            F[j-1]), whose error falls by a / (1 + sqrt(1 - a^2)) in each of `SWEEPS` sweeps: to
            5e-6 at a = .95. The eigenvalues of S lie in [-1, 1].
Limits      a -> 0, or a graph without links: the clustering itself.
Source      Zhou, Bousquet, Lal, Weston, Schoelkopf: Learning with local and global consistency.
            NIPS 16 (2004), section 2, for known labels of some rows; here all rows have one, which
            may be wrong. Golub, Varga: Numerische Mathematik 3 (1961), for the sweeps.
Departures  the square root in (2) is ours: without it large clusters take rows of small ones, and
            with n_c itself small ones take rows of large ones.
See also    `label_graphs.consistent`, which solves (3) to the last digit, for much longer.
"""

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Matrix
from kinfolk.numerics import memberships, operators

SWEEPS = 40
# Entries of F that differ by less are equal but for rounding and the end of the sweeps.
EQUAL = 1e-5


def smoothed(labels: Labels, W: sp.csr_array, a: float) -> Labels:
    """Smooth labels (n,) on the graph W (n, n): each row takes the cluster spread most to it.

    A row keeps its cluster where no other one reaches it better. The labels themselves are returned
    if a cluster would lose its last row.

    >>> path = sp.csr_array(np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1))
    >>> smoothed(np.array([0, 0, 1, 0, 1, 1]), path, 0.9)
    array([0, 0, 0, 1, 1, 1])
    """
    sizes = np.bincount(labels)
    Y = memberships.indicator(labels, len(sizes)) / np.sqrt(np.maximum(sizes, 1))  # (2)
    F = spread(W, a, Y)
    own = np.take_along_axis(F, labels[:, None], axis=1)[:, 0]
    found = np.where(F.max(axis=1) > (1 + EQUAL) * own, F.argmax(axis=1), labels)
    lost = np.bincount(found, minlength=len(sizes))[sizes > 0].min() == 0
    return labels if lost else found


def spread(W: sp.csr_array, a: float, Y: Matrix) -> Matrix:
    """Spread memberships Y (n, k) along the graph W (n, n), with 0 < a < 1; returns F (n, k).

    >>> pair = sp.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> spread(pair, 0.5, np.array([[1.0], [0.0]])).ravel().round(3)
    array([1.333, 0.667])
    """
    degrees = operators.row_sums(W)
    root = sp.diags_array(1 / np.sqrt(np.where(degrees > 0, degrees, 1.0)))
    aS = sp.csr_array(a * (root @ W @ root))  # (1)
    before = np.zeros_like(Y)
    F = Y
    w = 2.0
    for _ in range(SWEEPS):
        w = 1 / (1 - a * a * w / 4)
        after = before + w * (aS @ F + Y - before)
        before = F
        F = after
    return F
