"""Shared-nearest-neighbor similarity of rows, with neighbors in one or several groups.

    N^g(i) = the l_g rows of group g nearest to row i by cosine, i itself left out
    S_ij   = w_ij sum_g q_g |N^g(i) and N^g(j)|,   S_ii = 0                                  (1)
    w_ij   = exp(-|z_i - z_j|^2 / (2 h^2)), or 1 without a bandwidth h                       (2)

A group is a set of rows, of the same task or of another one. Some rows may have no neighbors in
it: they share none there.

Symbols     Z (n, d) rows of unit length, B (m, n) with B_ij = sqrt(q_g) if j is in N^g(i), else 0.
Units       none.
Exact       the counts are those of the sparse product B B', which holds as many numbers as there
            are pairs of rows that share a neighbor; (2) is computed for these pairs only, in
            blocks. Nothing dense is n x n.
Limits      a cosine of 0 or less is no neighbor. l_g as large as the group: every pair of rows
            shares all of it, and S is constant but for w.
Source      Jarvis, Patrick (1973), IEEE Trans. Computers C-22, for the counts.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import pdist

from kinfolk.arrays import Labels, Table
from kinfolk.numerics import distances, graphs, memo, operators, spectra
from kinfolk.numerics.graphs import Nearest
from kinfolk.numerics.spectra import Spectrum

SEARCHED = 64
"""Nearest rows that are looked for at least, so that settings share a search."""

SAMPLE = 1000  # rows for a median distance: half a million distances settle it


class Group(NamedTuple):
    """Rows among which a task's rows have neighbors; how many each has there, and their weight.

    Attributes
    ----------
    rows : (m,) positions of the group in Z
    n_neighbors : l_g
    weight : q_g
    takers : (n_t,) True for the rows of the task that have neighbors in the group
    """

    rows: np.ndarray
    n_neighbors: int
    weight: float
    takers: np.ndarray


@memo.remembered
def nearest(Z: Table, own: np.ndarray, there: np.ndarray, l: int) -> Nearest:
    """Find the l rows among `there` nearest by cosine to each row `own` of Z.

    `there` is `own`, where a row is not its own neighbor, or has no row of it.

    >>> Z = distances.unit_rows(np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 1.0], [3.0, 3.0]]))
    >>> nearest(Z, np.array([0, 1]), np.array([2, 3]), 1).rows
    array([[3],
           [3]])
    """
    same = len(own) == len(there) and bool((own == there).all())
    found = graphs.nearest_by_cosine(Z[own], l, None if same else Z[there])
    return Nearest(there[found.rows], found.cosines)


def searched(l: int) -> int:
    """Number of neighbors to search where l are needed: rounded up to a power of 2, >= 64.

    >>> searched(3), searched(65)
    (64, 128)
    """
    return max(SEARCHED, 1 << (l - 1).bit_length())


def links(
    near: list[Nearest], groups: list[Group], takers: list[np.ndarray], n: int
) -> sp.csr_array:
    """Sparse weighted incidence (m, n) of m rows and their nearest rows in each group.

    >>> group = Group(np.arange(2), 1, 4.0, np.array([True]))
    >>> near = Nearest(np.array([[1, 0]]), np.array([[0.9, 0.2]]))
    >>> links([near], [group], [np.array([True])], 2).toarray()
    array([[0., 2.]])
    """
    found = []
    values = []
    for part, group, taking in zip(near, groups, takers, strict=True):
        l = group.n_neighbors
        found.append(part.rows[:, :l])
        related = (part.cosines[:, :l] > graphs.UNRELATED) & taking[:, None]
        values.append(np.sqrt(group.weight) * related)
    return graphs.directed(np.hstack(found), np.hstack(values), n)


def links_of_task(Z: Table, own: np.ndarray, groups: list[Group]) -> sp.csr_array:
    """Sparse weighted incidence (n_t, n) of a task's rows and their nearest rows."""
    near = [nearest(Z, own, g.rows, searched(g.n_neighbors)) for g in groups]
    return links(near, groups, [g.takers for g in groups], Z.shape[0])


def median_distance(Z: Table) -> float:
    """Median distance of unequal rows, of 1000 evenly spread ones if there are more; 1 if none.

    >>> median_distance(np.array([[0.0], [1.0], [5.0], [5.0]]))
    4.0
    """
    n = Z.shape[0]
    rows = operators.dense(Z[np.linspace(0, n - 1, min(n, SAMPLE)).astype(int)])
    lengths = pdist(rows)
    different = lengths[lengths > graphs.SAME_DIRECTION]
    return float(np.median(different)) if different.size else 1.0


def similarity(B: sp.csr_array, Z: Table, bandwidth: float | None) -> sp.csr_array:
    """Shared-neighbor similarity (n_t, n_t) from incidence B, Gaussian-weighted by a bandwidth.

    >>> B = sp.csr_array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    >>> similarity(B, np.eye(3), None).toarray()
    array([[0., 1., 1.],
           [1., 0., 0.],
           [1., 0., 0.]])
    """
    S = sp.csr_array(B @ B.T)
    S.setdiag(0.0)
    S.eliminate_zeros()
    return S if bandwidth is None else weighted(S, Z, Z, bandwidth)


def weighted(S: sp.csr_array, A: Table, Z: Table, bandwidth: float) -> sp.csr_array:
    """Multiply the nonzero entries of S (m, n) by Gaussian weights of rows A and Z.

    >>> S = sp.csr_array([[0.0, 2.0]])
    >>> weighted(S, np.array([[1.0, 0.0]]), np.eye(2), 1.0).toarray().round(3)
    array([[0.   , 0.736]])
    """
    lengths = distances.squared_norms(Z)
    data = S.data.copy()
    for block in operators.blocks(*S.shape):
        part = A[block]
        D = operators.dense(part @ Z.T)
        D *= -2.0
        D += distances.squared_norms(part)[:, None]
        D += lengths
        ends = S.indptr[block.start : block.stop + 1]
        held = slice(ends[0], ends[-1])
        row = np.repeat(np.arange(D.shape[0]), np.diff(ends))
        near = np.maximum(D[row, S.indices[held]], 0.0)
        data[held] *= np.exp(-near / (2.0 * bandwidth**2))
    return sp.csr_array((data, S.indices, S.indptr), shape=S.shape)


@memo.remembered
def spectrum(B: sp.csr_array, Z: Table, bandwidth: float | None, k: int) -> Spectrum:
    """The k leading eigenvectors of the normalized shared-neighbor similarity of a task's rows."""
    return spectra.spectrum(similarity(B, Z, bandwidth), k)


def first_alike(Z: Table, own: np.ndarray) -> Labels:
    """For each of the rows `own` (n_t,) of Z the first of them with the same direction."""
    return graphs.first_alike(nearest(Z, own, own, SEARCHED), own)
