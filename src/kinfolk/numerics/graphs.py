"""Nearest-neighbour graphs with the weights of the simplex projection.

For squared distances A from one row to others, sorted upwards as B, minimising
sum_i A_i m_i + beta |m|^2 over the simplex, with beta such that exactly l weights are positive,
gives m_i proportional to B_{l+1} - A_i (own row left out, so B_1 is the nearest other row).
Scaled so that the largest weight is 1, beta cancels:

    m_i = (B_{l+1} - A_i) / (B_{l+1} - B_1)   for the l nearest,   0 for all others.

Source      Zhang, Zhang, Liu (2019), equations (14), (16), (19) and section 3.5, where the row
            itself is counted as the first: their B_{l+2} is B_{l+1} here. The weights are those
            of Nie, Wang, Jordan, Huang (2016).
Departures  when B_{l+1} = B_1 the formula is 0/0 and the l neighbours share equal weights; the
            same when there are only l other rows, so that no B_{l+1} exists.
"""

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Matrix, Vector

TIE = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1e-6}
"""Distances closer than this share of their size count as equal, by their precision."""


def nearest(A: Matrix, l: int, sizes: Vector) -> tuple[np.ndarray, Matrix]:
    """Neighbours (m, l) and weights (m, l) for squared distances A (m, n), infinite to leave out.

    `sizes` (m,) are the squared lengths that A was computed from, to tell ties from rounding.
    """
    m, n = A.shape
    if l + 1 > n or not np.isfinite(A).sum(axis=1).min() > l:
        near = np.argsort(A, axis=1, kind="stable")[:, :l]
        return near, np.isfinite(np.take_along_axis(A, near, axis=1)).astype(float)
    # A copy: a view would keep all (m, n) positions alive.
    near = np.argpartition(A, l, axis=1)[:, : l + 1].astype(np.int32)
    near_A = np.take_along_axis(A, near, axis=1)
    edge = near_A[:, l]
    near, near_A = near[:, :l], near_A[:, :l]
    span = edge - near_A.min(axis=1)
    tied = span <= TIE[A.dtype] * np.maximum(sizes, edge)
    weights = (edge[:, None] - near_A) / np.where(tied, 1.0, span)[:, None]
    weights[tied] = 1.0
    return near, weights


def directed(near: np.ndarray, weights: Matrix, n: int) -> sp.csr_array:
    """The graph (m, n) with these neighbours; zero weights are left out."""
    m, l = near.shape
    ends = l * np.arange(m + 1, dtype=np.int32)
    graph = sp.csr_array(
        (weights.ravel(), near.ravel().astype(np.int32, copy=False), ends), shape=(m, n)
    )
    graph.eliminate_zeros()
    graph.sort_indices()
    return graph


def symmetrised(graph: sp.csr_array) -> sp.csr_array:
    """(M + M')/2."""
    return sp.csr_array((graph + graph.T) / 2)
