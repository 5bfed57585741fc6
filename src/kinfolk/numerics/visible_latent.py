"""Update steps of Co-MVCF: clusters by several views and a shared latent space together.

The printed sweep takes one split step for the concepts and one for the latent space; both end late,
since the two can only move together. The exact sweep descends along the concepts first, with the
latent space nearly at its best for each of them (`concept_descent`), and then takes the printed
steps: a state that these keep and that no descent lowers is kept. Clusters and weights of views are
exact in both, and neither sweep raises J.

What a row lacks is left out: o_iv is 1 where row i has view v, q_v the share of such rows, and

    J = alpha sum_v w_v |O_v (X_v - Y G_v'X_v)|_F^2 + beta sum_i |Y[i] - z~[p_i]|^2
      + (1-beta) sum_v w_v sum_i o_iv |X_v[i] - z_v[p_i]|^2 + gamma tr(Y'LY)
      + eta sum_v q_v w_v log w_v,   sum_v q_v w_v = 1,                            (9o)

so that Y[i] has the matrix alpha sum_v o_iv w_v G_v'K_v G_v of the views that row i has, G_v meets
Y'O_vY, z_v is the mean of the rows that have v, and w_v ~ exp(-cost_v / (q_v eta)): a view does not
gain weight because few rows have it. Other numbers of equations are those of
`kinfolk.methods.multiview.concept_collaboration`.
"""

from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.numerics import (
    concept_descent,
    concepts,
    distances,
    graphs,
    memberships,
    view_patterns,
)
from kinfolk.numerics.concepts import GramKernel
from kinfolk.numerics.graphs import NeighborGraph
from kinfolk.numerics.linked_memberships import Inner, Rough
from kinfolk.numerics.view_patterns import ViewPatterns

ENOUGH = Inner(steps=30, slope=1e-6)
"""Stopping rule of the steps for the latent space, which moves again in the next sweep.

Steps to rounding take five times as long and end at a J lower by a share of 1e-5.
"""

WORTH = 1e-4
"""A descent that lowers J by less than this share of its size is made more rarely from then on."""

FIRST_PAUSE = 2
"""Sweeps without a descent after the first one that was in vain."""


class Problem(NamedTuple):
    """Constants of the objective; `size` is the scale of tolerances.

    `patterns` has the views of each row; kernels are 0 in rows that lack the view.
    """

    kernels: list[GramKernel]
    graph: NeighborGraph | None
    k: int
    alpha: float
    beta: float
    gamma: float
    eta: float
    normalize: bool
    size: float = 1.0
    patterns: ViewPatterns = view_patterns.EVERYTHING


class State(NamedTuple):
    """State of the descent: latent space Y (n, r), concepts per view, clusters, view weights.

    An exact sweep descends along the concepts after `wait` sweeps; `pause` is the next wait.
    """

    Y: Matrix
    G: list[Matrix]
    KG: list[Matrix]
    p: Labels
    Z: Matrix
    E: Vector
    w: Vector
    wait: int = 0
    pause: int = FIRST_PAUSE


def mean_weights(
    p: Labels, k: int, v: int = 0, patterns: ViewPatterns = view_patterns.EVERYTHING
) -> Matrix:
    """Weights M (n, k) whose products M'X are cluster means over the rows that have view v.

    An empty cluster gets the mean of all these rows.

    >>> mean_weights(np.array([0, 0, 1]), 2).T @ np.array([1.0, 3.0, 7.0])
    array([2., 7.])
    """
    M = patterns.seen(memberships.indicator(p, k), v)
    empty = ~M.any(axis=0)
    if empty.any():
        M[:, empty] = patterns.seen(np.ones((len(M), 1)), v)
    return M / M.sum(axis=0)


def visible_distances(K: GramKernel, M: Matrix) -> Matrix:
    """Squared distances (n, k) of a view's rows to the means M'X, from kernel products."""
    KM = K.times(M)
    D = K.squared_norms[:, None] - 2.0 * KM + np.sum(M * KM, axis=0)
    return np.maximum(D, 0.0, out=D)  # rounding may leave small negative numbers


def distances_by_view(problem: Problem, p: Labels) -> list[Matrix]:
    """Squared distances (n, k) in each view to the centers of clusters p; 0 where it is missing."""
    return [
        problem.patterns.seen(
            visible_distances(K, mean_weights(p, problem.k, v, problem.patterns)), v
        )
        for v, K in enumerate(problem.kernels)
    ]


def squared_lengths(s: State) -> Matrix:
    """Squared lengths (views, r) of the concepts."""
    return np.array([np.sum(G * KG, axis=0) for G, KG in zip(s.G, s.KG, strict=True)])


def latent_scale(problem: Problem, s: State) -> Vector:
    """Scale (r,) of the latent columns: mean squared length of concepts; 1 unless normalized."""
    if not problem.normalize:
        return np.ones(s.Y.shape[1])
    return s.w @ squared_lengths(s)


def latent_cost(problem: Problem, s: State) -> Vector:
    """Cost (r,) per latent column: distance to cluster centers plus roughness on the graph."""
    scatter = np.sum(np.square(s.Y - s.Z[s.p]), axis=0)
    # Rows that are equal up to rounding lie on their center.
    scatter[scatter <= graphs.EQUAL_ENTRIES**2 * np.sum(np.square(s.Y), axis=0)] = 0.0
    cost = problem.beta * scatter
    if problem.graph is not None:
        cost += problem.gamma * graphs.laplacian_energies(problem.graph, s.Y)
    return cost


def residuals(problem: Problem, s: State) -> Vector:
    """Squared residuals (views,) of the views' factorizations, over the rows that have them."""
    views = enumerate(zip(problem.kernels, s.G, s.KG, strict=True))
    return np.array(
        [concepts.residual(K, problem.patterns.seen(s.Y, v), G, KG) for v, (K, G, KG) in views]
    )


def objective(problem: Problem, s: State) -> float:
    """Return the objective of Co-MVCF at a state."""
    visible = problem.alpha * residuals(problem, s) + (1.0 - problem.beta) * s.E
    latent = latent_scale(problem, s) @ latent_cost(problem, s)
    w = s.w
    q = problem.patterns.shares(len(w))
    entropy = problem.eta * np.sum(q * w * np.log(w, out=np.zeros_like(w), where=w > 0))
    return float(s.w @ visible + latent + entropy)


def update_clusters(problem: Problem, s: State) -> State:
    """Update cluster centers, then the cluster of each row, with the distances per view."""
    Z = mean_weights(s.p, problem.k).T @ s.Y  # (10)
    m = np.sqrt(latent_scale(problem, s))
    D = distances_by_view(problem, s.p)
    cost = problem.beta * distances.squared(s.Y * m, Z * m)  # (11)
    for w, Dv in zip(s.w, D, strict=True):
        cost += (1.0 - problem.beta) * w * Dv
    p = cost.argmin(axis=1)
    E = np.array([Dv[np.arange(len(p)), p].sum() for Dv in D])
    return s._replace(p=p, Z=Z, E=E)


def update_factors(problem: Problem, s: State) -> State:
    """Update the concepts of each view, then the latent space, by multiplicative-type steps."""
    # Longer concepts raise the latent cost of J(Y m, G/m).
    longer = np.diag(latent_cost(problem, s)) if problem.normalize else 0.0
    G = []
    for v, (K, Gv, KGv) in enumerate(zip(problem.kernels, s.G, s.KG, strict=True)):
        Yv = problem.patterns.seen(s.Y, v)
        Q = problem.alpha * (Yv.T @ Yv) + longer
        G.append(concepts.concept_step(K, Gv, KGv, problem.alpha * K.times(Yv), Q))  # (14)
    KG = [K.times(Gv) for K, Gv in zip(problem.kernels, G, strict=True)]
    s = s._replace(G=G, KG=KG)
    m = latent_scale(problem, s)
    b = problem.beta * m * s.Z[s.p]
    for w, KGv in zip(s.w, s.KG, strict=True):
        b += problem.alpha * w * KGv
    views = zip(s.w, s.G, s.KG, strict=True)
    A = problem.patterns.matrices(
        [problem.alpha * w * concepts.gram(Gv, KGv) for w, Gv, KGv in views]
    )
    Y = concepts.membership_step(s.Y, A, b, problem.beta * m, problem.graph, problem.gamma * m)
    return s._replace(Y=Y)  # (15)


def descend(problem: Problem, s: State) -> State:
    """Update concepts by quasi-Newton steps, with near-optimal latent space and centers."""
    P = memberships.indicator(s.p, problem.k)
    p = concept_descent.Factorization(
        problem.kernels,
        problem.alpha * s.w,
        s.w if problem.normalize else None,
        Rough(problem.beta, P, problem.gamma, problem.graph),
        problem.patterns,
    )
    Y, G = concept_descent.descend(p, s.Y, s.G, inner=ENOUGH)
    KG = [K.times(Gv) for K, Gv in zip(problem.kernels, G, strict=True)]
    return s._replace(Y=Y, G=G, KG=KG, Z=mean_weights(s.p, problem.k).T @ Y)


def exact_factors(problem: Problem, s: State) -> State:
    """Quasi-Newton update of the factors (if it helped lately), then the printed steps."""
    if s.wait > 0:
        return update_factors(problem, s._replace(wait=s.wait - 1))
    lower = descend(problem, s)
    fall = objective(problem, s) - objective(problem, lower)
    if fall > WORTH * problem.size:
        lower = lower._replace(wait=0, pause=FIRST_PAUSE)
    else:  # it costs many printed steps: each pause is twice as long as the one before
        # A latent space that is not quite the best may lift J near the end.
        lower = (lower if fall > 0 else s)._replace(wait=s.pause, pause=2 * s.pause)
    return update_factors(problem, lower)


def update_weights(problem: Problem, s: State) -> State:
    """Update the weights of the views from their costs: distances, residuals and lengths."""
    cost = (1.0 - problem.beta) * s.E + problem.alpha * residuals(problem, s)
    if problem.normalize:
        cost += squared_lengths(s) @ latent_cost(problem, s)
    q = problem.patterns.shares(len(s.w))
    w = memberships.entropic((cost / q)[None], problem.eta)[0]  # (16)
    return s._replace(w=w if problem.patterns.there is None else w / (q @ w))


def sweep(problem: Problem, s: State) -> State:
    """One printed sweep (algorithm 1): centers, clusters, concepts, latent space, view weights."""
    return update_weights(problem, update_factors(problem, update_clusters(problem, s)))


def exact_sweep(problem: Problem, s: State) -> State:
    """The printed sweep, with a quasi-Newton update of the concepts where worthwhile."""
    better = update_weights(problem, exact_factors(problem, update_clusters(problem, s)))
    # Near the end rounding may lift J, where concepts depend on each other.
    return better if objective(problem, better) <= objective(problem, s) else s


SWEEPS = {"exact": exact_sweep, "multiplicative": sweep}
"""Name of an `update` -> its sweep."""
