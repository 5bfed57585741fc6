"""Support of the clusters of each view by the other views of the same rows.

Each view v is clustered by itself, into L_v. The rows of all views are the same, so a cluster that
is found in v can be looked for in the graph W_u of nearest rows of another view u:

    M[v,u] = modularity of L_v in W_u                                                     (1)
    s[v,u] = max(M[v,u], 0) / M[u,u], at most 1    how much of the structure of u L_v has (2)
    tie    = (s[v,u] + s[u,v]) / 2                                                        (3)

No clustering that was made in v has seen u: M[v,u] is evidence from outside. Noise, and a view of
other rows, have s = 0 up to chance. A view takes part if it has a tie of `LEAST_TIE` with another;
among those that do

    support[v] = mean over the others u of s[v,u]                                         (4)
    w[v]       = support[v]^2 / sum of support^2                                          (5)

Units   none; modularity is that of `scores`.
Limits  two views: each is supported by the other alone, and equal views have weights of 1/2.
        Without a tie no view takes part. Two views that agree by an artefact support each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.choosing import scores

# Views of permuted rows and of permuted columns had ties of .02 at most, the weakest real ones of
# shaping sets .4 (`docs/views.md`).
LEAST_TIE = 0.15
# Support as it is would let weak views count nearly as much as strong ones: on shaping sets mean
# accuracy was .867 with power 1 and .869 with 2.
POWER = 2


@dataclass(frozen=True)
class ViewSupport:
    """Support among V views, see the formulas above.

    Attributes
    ----------
    modularity : (V, V) of the clusters of view v in the graph of view u, at [v, u]
    shares : (V, V) s
    takes_part : (V,) True for views that have a tie with another
    support : (V,), 0 for views that take no part
    weights : (V,) w, which sum to 1; 0 without a part; equal where no view takes part
    """

    modularity: Matrix
    shares: Matrix
    takes_part: NDArray[np.bool_]
    support: Vector
    weights: Vector

    @property
    def order(self) -> list[int]:
        """Positions of the views that take part, the best supported first."""
        ranked = np.argsort(-self.support.round(12), kind="stable")
        return [int(v) for v in ranked if self.takes_part[v]]

    @property
    def best(self) -> int:
        """Position of the best supported view; without a tie, of the one of largest modularity."""
        if not self.takes_part.any():
            return int(np.diag(self.modularity).round(12).argmax())
        return self.order[0]

    def without(self, left_out: int) -> "ViewSupport":
        """Return the support among the others; that view takes no part and gives no evidence."""
        which = np.arange(len(self.support)) != left_out
        return _of_matrix(self.modularity, which)


def support(own: Sequence[Labels], graphs: Sequence[sp.csr_array]) -> ViewSupport:
    """Return the support among views with own clusters (n,) and graphs (n, n) of nearest rows.

    >>> pairs = sp.csr_array(np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3)))
    >>> order = [0, 2, 4, 1, 3, 5]
    >>> found = support([np.array([0, 0, 0, 1, 1, 1])] * 2 + [np.array([0, 1] * 3)],
    ...                 [pairs, pairs, pairs[order][:, order]])
    >>> found.weights, found.order
    (array([0.5, 0.5, 0. ]), [0, 1])
    """
    clusterings = np.array(own)
    M = np.column_stack([scores.modularities(clusterings, W) for W in graphs])
    return _of_matrix(M, np.ones(len(own), dtype=bool))


def _of_matrix(M: Matrix, asked: NDArray[np.bool_]) -> ViewSupport:
    """Return the support among the views `asked` (V,), of modularities M (V, V)."""
    own = np.diag(M)
    # A view without any structure is no measure of that of others.
    s = np.divide(np.maximum(M, 0.0), own, out=np.zeros_like(M), where=own > 1e-12)
    s = np.minimum(s, 1.0)  # (2)
    others = ~np.eye(len(M), dtype=bool) & asked & asked[:, None]
    ties = np.where(others, (s + s.T) / 2, 0.0)  # (3)
    takes_part = ties.max(axis=1) >= LEAST_TIE
    counted = others & takes_part & takes_part[:, None]
    n_others = np.maximum(counted.sum(axis=1), 1)
    E = np.where(counted, s, 0.0).sum(axis=1) / n_others  # (4)
    powers = np.where(takes_part, E, 0.0) ** POWER
    even = asked / asked.sum()
    w = powers / powers.sum() if powers.sum() > 0 else even  # (5)
    return ViewSupport(M, s, takes_part, E, w)
