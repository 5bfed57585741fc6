import numpy as np
import pytest

import oracles_comvcf as oracles
from kinfolk.numerics import concept_descent, concepts, graphs, linked_memberships
from kinfolk.numerics.concept_descent import Factorization
from kinfolk.numerics.concepts import GramKernel
from kinfolk.numerics.linked_memberships import Rough

RANDOM = np.random.default_rng(0)
A = RANDOM.normal(size=(12, 4)) + 2 * np.eye(4)[np.arange(12) % 3]
B = RANDOM.normal(size=(12, 3)) - 2 * np.eye(3)[np.arange(12) % 3]
P = np.eye(2)[np.arange(12) % 2]
A_V = np.array([0.7, 0.4])
W = np.array([0.6, 0.4])
BETA = 0.3
GAMMA = 1.5


def problem(graph=True, normalize=True, clusters=True):
    rough = Rough(
        BETA if clusters else 0.0,
        P if clusters else None,
        GAMMA if graph else 0.0,
        graphs.heat_graph(A, 3, 1.5) if graph else None,
    )
    return Factorization([GramKernel(A), GramKernel(B)], A_V, W if normalize else None, rough)


def formula(p, Y, G):
    """Objective by loops."""
    S = oracles.nearest_graph(A, 3, 1.5)
    J = sum(a * oracles.squares(Y, X, g) for a, X, g in zip(A_V, (A, B), G))
    for j in range(3):
        m = 1.0
        if p.shares is not None:
            m = sum(w * np.sum((g[:, j] @ X) ** 2) for w, X, g in zip(W, (A, B), G))
        if p.rough.indicator is not None:
            for c in range(2):
                inside = Y[P[:, c] > 0, j]
                J += m * BETA * sum((y - inside.mean()) ** 2 for y in inside)
        if p.rough.graph is not None:
            J += m * GAMMA * oracles.roughness(S, Y[:, [j]])
    return J


CASES = [
    {},
    {"graph": False},
    {"normalize": False},
    {"clusters": False},
    {"graph": False, "clusters": False},
]


@pytest.mark.parametrize("terms", CASES)
def test_value_and_slope_are_those_of_the_formula(terms):
    p = problem(**terms)
    Y, *G = RANDOM.uniform(0.2, 1.0, size=(3, 12, 3))
    end = linked_memberships.PRECISE
    found = concept_descent._point(p, Y, G, end)
    constant = sum(a * np.sum(X**2) for a, X in zip(A_V, (A, B)))
    assert found.value + constant == pytest.approx(formula(p, found.Y, G), rel=1e-9)
    for v in range(2):
        for i, j in ((0, 0), (5, 2), (11, 1)):
            low, high = ([g.copy() for g in G] for _ in range(2))
            low[v][i, j] -= 1e-4
            high[v][i, j] += 1e-4
            # At fixed Y: the best Y moves too, which changes J in second order only.
            rise = formula(p, found.Y, high) - formula(p, found.Y, low)
            assert found.slopes[v][i, j] == pytest.approx(rise / 2e-4, rel=1e-6, abs=1e-6)
            rise = concept_descent._point(p, found.Y, high, end).value
            rise -= concept_descent._point(p, found.Y, low, end).value
            assert found.slopes[v][i, j] == pytest.approx(rise / 2e-4, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("terms", CASES)
def test_a_descent_never_rises_and_its_slope_flattens(terms):
    p = problem(**terms)
    Y = np.eye(3)[np.arange(12) % 3] + 0.2
    G = [Y / Y.sum(axis=0)] * 2
    J = formula(p, Y, G)
    steep = pull_back(p, Y, G)
    for _ in range(8):
        last = J
        Y, G = concept_descent.descend(p, Y, G)
        J = formula(p, Y, G)
        assert last * (1 + 1e-9) >= J
    assert min(Y.min(), *(g.min() for g in G)) >= 0
    if terms.get("normalize", True) and terms.get("clusters", True):  # else J has no minimum here
        assert pull_back(p, Y, G) < 0.05 * steep


def pull_back(p, Y, G):
    """Largest derivative of the objective in the logarithm of an entry of G."""
    slopes = concept_descent._point(p, Y, G, linked_memberships.PRECISE).slopes
    return max(abs(slope * g).max() for slope, g in zip(slopes, G))


def test_rows_of_zeros_and_concepts_of_zeros_stay_finite():
    p = Factorization([GramKernel(np.zeros((4, 2)))], np.ones(1), np.ones(1), Rough())
    Y, (G,) = concept_descent.descend(p, np.ones((4, 2)), [np.ones((4, 2))])
    assert np.isfinite(Y).all()
    assert np.isfinite(G).all()
    X = A * (np.arange(12) % 3 > 0)[:, None]
    p = Factorization([GramKernel(X)], np.ones(1), np.ones(1), Rough())
    first = np.zeros((12, 3))
    first[:, 0] = 1.0
    Y, (G,) = concept_descent.descend(p, np.ones((12, 3)), [first])
    K = GramKernel(X)
    assert concepts.residual(K, Y, G, K.times(G)) < np.sum(X**2)
