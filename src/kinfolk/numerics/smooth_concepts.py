"""Concepts and memberships of one view whose memberships are smooth on a given graph.

For K = XX', concepts C = G'X and a graph of weights S with degrees D, lower

    J(Y, G) = |X - Y C|^2 + sum_j |C_j|^2 Y_j'(D - S) Y_j    over Y, G >= 0

by L-BFGS-B twice: along G with Y at its best (`concept_descent`), then along Y and G side by side,

    dJ/dY = 2 (Y CC' - KG + (D - S) Y diag|C_j|^2),   dJ/dG = 2 (KG (Y'Y + diag r) - KY),
    r_j = Y_j'(D - S) Y_j.

The first gets far in few steps. Where concepts nearly cancel, as on views of any sign, the best Y
leaps from one G to the next, and a search along a line finds nothing lower; the second goes on
there, until the first can again.

Symbols     X (n, d), Y and G (n, k), K (n, n), C (k, d), S and D (n, n).
Exact       S may be sparse: weights so small that J loses them in rounding are left out, as most
            are in a graph whose weights are high powers (`LinkWeights.without_faint`).
Source      L-BFGS-B: Byrd, Lu, Nocedal, Zhu (1995).
"""

from typing import Any, NamedTuple, Self, cast

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import bounded_descent, concept_descent, concepts, operators
from kinfolk.numerics.concept_descent import Factorization
from kinfolk.numerics.concepts import GramKernel
from kinfolk.numerics.linked_memberships import Rough

STEPS = 60
"""Steps of L-BFGS-B along Y and G, which take less than half of the time."""

MEMORY = 20
"""Steps that L-BFGS-B remembers; with 10 it needs a quarter more steps."""


class LinkWeights(NamedTuple):
    """Symmetric weights S (n, n) between rows, and their row sums (n,)."""

    S: Table
    degrees: Vector

    @classmethod
    def without_faint(cls, S: Matrix) -> Self:
        """Weights S (n, n) less those that J loses in the rounding of its sums; sparse if few stay.

        Without weights below eps / n J is lower by less than 2 eps sum_ij Y_ij^2 |C_j|^2, eps the
        distance from 1 to the next number.

        >>> S = np.full((30, 30), 1e-30)
        >>> S[0, 1] = S[1, 0] = 0.5
        >>> LinkWeights.without_faint(S).S.nnz
        2
        """
        kept = np.where(np.finfo(float).eps < len(S) * S, S, 0.0)
        few = operators.SPARSE * np.count_nonzero(kept) < kept.size
        return cls(sp.csr_array(kept) if few else kept, kept.sum(axis=1))


class Factors(NamedTuple):
    """Memberships Y and concepts G (n, k) of a view, and K G."""

    Y: Matrix
    G: Matrix
    KG: Matrix


def roughness(Y: Matrix, graph: LinkWeights) -> Vector:
    """Roughness r (k,) of each column of Y (n, k) on the graph: Y_j'(D - S) Y_j.

    >>> graph = LinkWeights(np.array([[0.0, 1.0], [1.0, 0.0]]), np.ones(2))
    >>> roughness(np.array([[1.0], [3.0]]), graph)
    array([4.])
    """
    return np.maximum(np.sum(Y * _times(graph, Y), axis=0), 0.0)


def cost(K: GramKernel, f: Factors, graph: LinkWeights) -> float:
    """Return J: the reconstruction error plus the roughness of memberships on the graph."""
    squares = np.sum(f.G * f.KG, axis=0)
    return concepts.residual(K, f.Y, f.G, f.KG) + float(squares @ roughness(f.Y, graph))


def descend(K: GramKernel, f: Factors, graph: LinkWeights) -> Factors:
    """Lower J by moving memberships and concepts; it never rises.

    >>> X = np.array([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0]])
    >>> K = GramKernel(X)
    >>> G = np.array([[1.0, 0.1], [1.0, 0.1], [0.1, 1.0]])
    >>> graph = LinkWeights(np.zeros((3, 3)), np.zeros(3))
    >>> found = descend(K, Factors(np.ones((3, 2)), G, K.times(G)), graph)
    >>> cost(K, found, graph) < 1e-9
    True
    """
    one = np.ones(1)
    rough = Rough(gamma=1.0, graph=cast(Any, graph))
    Y, (G,) = concept_descent.descend(Factorization([K], one, one, rough), f.Y, [f.G])
    best = min([Factors(Y, G, K.times(G)), f], key=lambda factors: cost(K, factors, graph))
    return min([_together(K, best, graph), best], key=lambda factors: cost(K, factors, graph))


def _together(K: GramKernel, f: Factors, graph: LinkWeights) -> Factors:
    """Move Y and G side by side by `STEPS` steps of L-BFGS-B."""
    size = float(K.squared_norms.sum())
    if not size > 0:
        return f
    units = _units(K, f)

    def factors(x: Vector) -> Factors:
        Y, G = x.reshape(units.shape) / units
        return Factors(Y, G, K.times(G))

    def value_and_slope(x: Vector) -> tuple[float, Vector]:
        value, slopes = _value_and_slopes(K, factors(x), graph)
        return value / size, (slopes / units).ravel() / size

    x = (np.array([f.Y, f.G]) * units).ravel()
    return factors(bounded_descent.minimized(value_and_slope, x, STEPS, MEMORY))


def _units(K: GramKernel, f: Factors) -> Matrix:
    """Return scales (2, n, k) of the entries of Y and G for about equal curvature of J."""
    lengths = np.sqrt(np.maximum(np.sum(f.G * f.KG, axis=0), 0.0))
    sizes = np.linalg.norm(f.Y, axis=0)
    of_Y = np.broadcast_to(lengths, f.Y.shape)
    units = np.array([of_Y, np.sqrt(K.squared_norms)[:, None] * sizes])
    return np.where(units > 0, units, 1.0)


def _value_and_slopes(K: GramKernel, f: Factors, graph: LinkWeights) -> tuple[float, Matrix]:
    """Return J and its slopes (2, n, k) in Y and in G."""
    Y, G, KG = f
    LY = _times(graph, Y)
    rough = np.maximum(np.sum(Y * LY, axis=0), 0.0)
    moments = Y.T @ Y
    gram = concepts.gram(G, KG)
    squares = np.diagonal(gram)
    value = K.squared_norms.sum() + np.sum(moments * gram) - 2.0 * np.sum(Y * KG) + squares @ rough
    slope_Y = 2.0 * (Y @ gram - KG + squares * LY)
    slope_G = 2.0 * (KG @ moments - K.times(Y) + KG * rough)
    return float(value), np.array([slope_Y, slope_G])


def _times(graph: LinkWeights, Y: Matrix) -> Matrix:
    """Product (D - S) Y (n, k) of the Laplacian with Y."""
    return graph.degrees[:, None] * Y - graph.S @ Y
