from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import nnls

import oracles_comvcf as oracles
from kinfolk.numerics import graphs, linked_memberships
from kinfolk.numerics.linked_memberships import Rough

RANDOM = np.random.default_rng(0)
A = RANDOM.normal(size=(12, 4)) + 2 * np.eye(4)[np.arange(12) % 3]
P = np.eye(2)[np.arange(12) % 2]
BETA = 0.3


@pytest.mark.parametrize("beta", [0.0, 0.7])
@pytest.mark.parametrize("gamma", [0.0, 1.5])
def test_the_cost_of_linked_rows_is_that_of_the_loops(beta, gamma):
    rough = Rough(beta, P, gamma, graphs.heat_graph(A, 3, 1.5))
    Y = RANDOM.uniform(size=(12, 3))
    S = oracles.nearest_graph(A, 3, 1.5)
    J = 0.0
    for i in range(12):
        members = [a for a in range(12) if (P[a] == P[i]).all()]
        J += beta * np.sum((Y[i] - np.mean(Y[members], axis=0)) ** 2)
        J += sum(gamma * S[i, a] * np.sum((Y[i] - Y[a]) ** 2) / 2 for a in range(12))
    assert np.sum(Y * rough.times(Y)) == pytest.approx(J, rel=1e-12)
    assert rough.nothing == (beta == gamma == 0)
    # A step by the diagonal is short enough: R is at most twice it.
    bound = 2.0 * np.diag(rough.diagonal * np.ones(12)) - rough.times(np.eye(12))
    assert np.linalg.eigvalsh(bound).min() > -1e-9


@pytest.mark.parametrize("gamma", [0.0, 2.0, 100.0])
def test_memberships_meet_the_conditions_of_their_minimum(gamma):
    R = RANDOM.normal(size=(3, 9))
    Q = R @ R.T
    up = 5 * RANDOM.normal(size=(12, 3))
    graph = graphs.heat_graph(A, 3, 1.5)
    m = np.array([1.0, 2.0, 0.5])
    rough = Rough(BETA, P, gamma, graph)
    Y = linked_memberships.best_memberships(Q, up, rough, m, np.ones((12, 3)))
    S = oracles.nearest_graph(A, 3, 1.5)
    L = np.diag(S.sum(axis=1)) - S
    means = np.array([[P[i] @ P[a] / sum(P @ P[i]) for a in range(12)] for i in range(12)])
    slope = Y @ Q + m * ((gamma * L + BETA * (np.eye(12) - means)) @ Y) - up
    assert Y.min() >= 0
    assert slope.min() > -1e-3
    assert abs(slope * Y).max() < 1e-3


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rank", [8, 5])
def test_conjugate_gradients_end_at_the_least_squares_and_never_rise(seed, rank):
    random = np.random.default_rng(seed)
    M = random.normal(size=(rank, 8))
    c = random.normal(size=rank)
    H = M.T @ M
    rate = 1 / np.linalg.norm(H, 2)
    first = np.maximum(random.normal(size=8), 0.0)

    def value(steps):
        end = linked_memberships.Inner(steps, 1e-24)
        x = linked_memberships.conjugate_gradients(lambda x: H @ x, M.T @ c, first, rate, end)
        assert x.min() >= 0
        return np.linalg.norm(M @ x - c)

    values = [value(steps) for steps in range(30)]
    assert all(b <= a + 1e-12 for a, b in pairwise(values))
    assert value(300) == pytest.approx(nnls(M, c)[1], abs=1e-9)
