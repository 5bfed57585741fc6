import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize_scalar

import oracles_comvcf as oracles
from kinfolk.numerics import concepts, graphs

RANDOM = np.random.default_rng(0)
WIDE, TALL = RANDOM.normal(size=(7, 60)), RANDOM.normal(size=(20, 4))


@pytest.mark.parametrize("X", [WIDE, TALL, abs(WIDE), abs(TALL)], ids=["wide", "tall"] * 2)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_products_are_those_of_the_whole_kernel(X, form):
    K, M = concepts.GramKernel(form(X)), RANDOM.uniform(size=(len(X), 3))
    P, N = oracles.halves(X)
    KM = K.times(M)
    PM, NM = K.parts(M, KM)
    np.testing.assert_allclose(KM, oracles.inner(X) @ M, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(PM, P @ M, rtol=1e-10)
    assert (NM is None) == bool(X.min() >= 0)
    if NM is not None:
        np.testing.assert_allclose(NM, N @ M, rtol=1e-10)
    np.testing.assert_allclose(K.squared_norms, np.diag(oracles.inner(X)), rtol=1e-12)


@pytest.mark.parametrize("b", [-3.0, -1e-9, 0.0, 0.7, 20.0])
@pytest.mark.parametrize("c", [None, 0.0, 1e-6, 2.0])
def test_the_split_step_minimises_its_bound(b, c):
    F, a = 0.8, 1.3

    def bound(x):
        return a * x * x / F - 2 * b * x - 2 * (c or 0) * F * np.log(x)

    filled = [np.full((1, 1), v) for v in (F, a, b)]
    found = concepts.split_step(*filled, None if c is None else np.full((1, 1), c)).item()
    low = F / 10 if b < 0 else 1e-12
    best = minimize_scalar(bound, bounds=(low, 50), method="bounded", options={"xatol": 1e-10})
    assert found >= (low if b < 0 else 0)
    assert bound(max(found, low)) <= best.fun + 1e-9


def test_entries_that_nothing_acts_on_stay():
    F, nothing = np.array([[0.3]]), np.zeros((1, 1))
    for c in (None, nothing):
        assert concepts.split_step(F, nothing, nothing, c) == F
        assert concepts.split_step(F, np.ones((1, 1)), nothing, c) == 0


@pytest.mark.parametrize("seed", range(5))
def test_steps_never_raise_what_they_minimize(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(15, 4))
    K, graph = concepts.GramKernel(X), graphs.heat_graph(X, 1 + seed % 3, None)
    L = np.diag(graph.degrees) - graph.S.toarray()
    (G, Y), b = random.uniform(size=(2, 15, 3)), random.normal(size=(15, 3))
    Q = random.uniform(size=(3, 3))
    Q = Q @ Q.T
    A = random.normal(size=(3, 3))
    A = A @ A.T
    shrink, pull = random.uniform(size=3), 10.0 ** random.uniform(-2, 4, size=3)

    def of_concepts(G):
        return np.sum(Q * (G.T @ X @ X.T @ G)) - 2 * np.sum(b * G)

    def of_memberships(Y):
        smooth = np.sum(shrink * np.square(Y)) + pull @ np.diag(Y.T @ L @ Y)
        return np.sum(A * (Y.T @ Y)) + smooth - 2 * np.sum(b * Y)

    for _ in range(30):
        better = concepts.concept_step(K, G, K.times(G), b, Q)
        assert better.min() >= 0
        assert of_concepts(better) <= of_concepts(G) + 1e-12 * abs(of_concepts(G))
        G = better
        better = concepts.membership_step(Y, A, b, shrink, graph, pull)
        assert better.min() >= 0
        assert of_memberships(better) <= of_memberships(Y) + 1e-12 * np.sum(pull * Y**2)
        Y = better


def test_the_residual_is_the_plain_sum_of_squares():
    Y, G = RANDOM.uniform(size=(2, 20, 3))
    K = concepts.GramKernel(TALL)
    found = concepts.residual(K, Y, G, K.times(G))
    assert found == pytest.approx(oracles.squares(Y, TALL, G), rel=1e-12)


@pytest.mark.parametrize("shift", [np.zeros(6), np.arange(6.0)], ids=["none", "one a row"])
def test_placed_rows_meet_the_conditions_of_the_minimum(shift):
    R = RANDOM.normal(size=(3, 9))
    A, B = R @ R.T, RANDOM.normal(size=(6, 2, 3)) * 5
    Y = concepts.nonnegative_memberships(A, B, shift)
    slope = Y @ A + shift[:, None, None] * Y - B
    assert Y.shape == B.shape
    assert Y.min() >= 0
    assert slope.min() > -1e-9
    assert abs(slope * Y).max() < 1e-9
    assert (Y > 0).any()
