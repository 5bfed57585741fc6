"""Measures how well the other views of the same rows support the clusters of each view.

Each view v is clustered by itself, into L_v. The rows of all views are the same, so a cluster that
is found in v can be looked for in the graph W_u of nearest rows of another view u:

    M[v,u] = modularity of L_v in W_u, on the rows that have both views                   (1)
    s[v,u] = max(M[v,u], 0) / modularity of L_u there, at most 1                          (2)
    tie    = (s[v,u] + s[u,v]) / 2                                                        (3)

No clustering that was made in v has seen u: M[v,u] is evidence from outside. Noise, and a view of
other rows, have s = 0 up to chance. A view takes part if it has a tie of `LEAST_TIE` with another;
among those that do

    support[v] = mean over the others u of s[v,u]                                         (4)
    w[v]       = support[v]^2 / sum of support^2                                          (5)

Units   none; modularity is that of `scores`.
Limits  two views: each is supported by the other alone, and equal views have weights of 1/2.
        Without a tie no view takes part. Two views that agree by an artifact support each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.choosing import scores

# Between the ties of views of noise or of other rows and those of real views of shaping sets, see
# `docs/views-measured.md`.
LEAST_TIE = 0.15
# Support as it is would let weak views count nearly as much as strong ones. It decides little: on
# shaping sets mean accuracy was .002 higher than with power 1, before `docs/views-measured.md`.
POWER = 2


class ViewGraph(NamedTuple):
    """Nearest-neighbor graph W (m, m) of the rows that have a view, at positions (m,) of n."""

    W: sp.csr_array
    rows: NDArray[np.integer]

    def modularities(self, labels: Labels) -> Vector:
        """Modularity (R,) of clusterings (R, n), on rows labeled (not -1) in all of them.

        >>> graph = ViewGraph(sp.csr_array([[0.0, 1.0], [1.0, 0.0]]), np.array([0, 2]))
        >>> graph.modularities(np.array([[0, 1, 0], [0, 0, 1]]))
        array([ 0. , -0.5])
        """
        seen = labels[:, self.rows]
        known = np.flatnonzero((seen >= 0).all(axis=0))
        if not len(known):
            return np.zeros(len(labels))
        if len(known) == len(self.rows):
            return scores.modularities(seen, self.W)
        return scores.modularities(seen[:, known], self.W[known][:, known])


@dataclass(frozen=True)
class ViewSupport:
    """Support of each of V views by the other views, and the views' weights.

    Attributes
    ----------
    modularity : (V, V) M
    own : (V, V) at [v, u] the modularity of L_u in W_u, on the same rows
    takes_part : (V,) True for views that have a tie with another
    support : (V,), 0 for views that take no part
    weights : (V,) w, which sum to 1; 0 without a part; equal where no view takes part
    """

    modularity: Matrix
    own: Matrix
    takes_part: NDArray[np.bool_]
    support: Vector
    weights: Vector

    @property
    def shares(self) -> Matrix:
        """(V, V) modularity of view v's clusters in view u's graph, over that of u's own ones."""
        # A view without any structure is no measure of that of others.
        clear = self.own > 1e-12
        s = np.divide(
            np.maximum(self.modularity, 0.0), self.own, np.zeros_like(self.own), where=clear
        )
        return np.minimum(s, 1.0)

    @property
    def order(self) -> list[int]:
        """Positions of the views that some other view supports, best supported first."""
        # Views that tie keep their order as given.
        ranked = np.argsort(-self.support.round(12), kind="stable")
        return [int(v) for v in ranked if self.takes_part[v]]

    @property
    def best(self) -> int:
        """Position of the best supported view; if none is supported, of the most modular one."""
        if not self.takes_part.any():
            return int(np.diag(self.modularity).round(12).argmax())
        return self.order[0]

    def without(self, left_out: int) -> "ViewSupport":
        """Return the support among the other views, with one view held out."""
        which = np.arange(len(self.support)) != left_out
        return _of_matrices(self.modularity, self.own, which)


def support(own: Sequence[Labels], graphs: Sequence[ViewGraph]) -> ViewSupport:
    """Compute each view's support from the clusters (n,) of all views and the views' graphs.

    >>> pairs = sp.csr_array(np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3)))
    >>> order = [0, 2, 4, 1, 3, 5]
    >>> other = pairs[order][:, order]
    >>> found = support([np.array([0, 0, 0, 1, 1, 1])] * 2 + [np.array([0, 1] * 3)],
    ...                 [ViewGraph(W, np.arange(6)) for W in (pairs, pairs, other)])
    >>> found.weights, found.order
    (array([0.5, 0.5, 0. ]), [0, 1])
    """
    V = len(own)
    both = np.empty((V, V, 2))
    for u, graph in enumerate(graphs):
        for v in range(V):
            both[v, u] = graph.modularities(np.array([own[v], own[u]]))  # (1)
    return _of_matrices(both[:, :, 0], both[:, :, 1], np.ones(V, dtype=bool))


def _of_matrices(M: Matrix, own: Matrix, asked: NDArray[np.bool_]) -> ViewSupport:
    """Compute the views' support from their modularities (V, V), for the views `asked` (V,)."""
    zeros = np.zeros(len(M))
    s = ViewSupport(M, own, zeros > 0, zeros, zeros).shares  # (2)
    others = ~np.eye(len(M), dtype=bool) & asked & asked[:, None]
    ties = np.where(others, (s + s.T) / 2, 0.0)  # (3)
    takes_part = ties.max(axis=1) >= LEAST_TIE
    counted = others & takes_part & takes_part[:, None]
    n_others = np.maximum(counted.sum(axis=1), 1)
    E = np.where(counted, s, 0.0).sum(axis=1) / n_others  # (4)
    powers = np.where(takes_part, E, 0.0) ** POWER
    even = asked / asked.sum()
    w = powers / powers.sum() if powers.sum() > 0 else even  # (5)
    return ViewSupport(M, own, takes_part, E, w)
