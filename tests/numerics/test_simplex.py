import numpy as np
import pytest

import oracles_mtcmrl as oracles
from kinfolk.numerics import simplex

RANDOM = np.random.default_rng(0)


def assert_nearest(v, p):
    """Assert the optimality certificate: p = max(v - theta, 0), sum of p = 1."""
    v = v - v.max()
    assert p.shape == v.shape
    assert p.min() >= 0
    assert p.sum() == pytest.approx(1.0, abs=1e-12)
    inside = p > 0
    theta = (v - p)[inside]
    assert np.ptp(theta) <= 1e-12
    assert (v[~inside] <= theta.mean() + 1e-12).all()


@pytest.mark.parametrize("scale", [1e-9, 0.01, 0.3, 1.0, 30.0, 1e9])
@pytest.mark.parametrize("m", [1, 2, 5, 40, 1000])
def test_a_projection_has_its_certificate(scale, m):
    for _ in range(20):
        v = scale * RANDOM.normal(size=m)
        assert_nearest(v, simplex.project(v))


@pytest.mark.parametrize("level", [-1e9, 1e9])
def test_a_constant_does_not_move_a_projection(level):
    v = np.round(RANDOM.normal(size=50) * 2**8) / 2**8
    np.testing.assert_array_equal(simplex.project(v + level), simplex.project(v))
    assert_nearest(v + level, simplex.project(v + level))


def test_ties_share_alike():
    np.testing.assert_allclose(simplex.project(np.full(7, -3.0)), 1 / 7)
    p = simplex.project(np.array([1.0, 1.0, 0.9, 0.9, -5.0]))
    assert_nearest(np.array([1.0, 1.0, 0.9, 0.9, -5.0]), p)
    assert p[0] == p[1]
    assert p[2] == p[3] > 0


def test_minus_infinity_becomes_zero():
    v = np.array([-np.inf, 0.2, -np.inf, 0.1])
    p = simplex.project(v)
    np.testing.assert_array_equal(p[[0, 2]], 0)
    np.testing.assert_allclose(p[[1, 3]], [0.55, 0.45])


def test_points_of_the_simplex_stay():
    p = RANDOM.dirichlet(np.ones(30))
    np.testing.assert_allclose(simplex.project(p), p, atol=1e-15)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_each_vector_along_an_axis_is_projected(axis):
    V = RANDOM.normal(size=(3, 4, 5))
    V[1, 2, 3] = -np.inf
    before = V.copy()
    P = simplex.project(V, axis)
    rows, projected = (np.moveaxis(A, axis, -1).reshape(-1, V.shape[axis]) for A in (V, P))
    for v, p in zip(rows, projected, strict=True):
        np.testing.assert_allclose(p, simplex.project(v), atol=1e-15)
    np.testing.assert_array_equal(V, before)


def test_without_an_axis_the_whole_matrix_is_one_vector():
    V = RANDOM.normal(size=(4, 6))
    P = simplex.project(V)
    assert P.shape == (4, 6)
    assert_nearest(V.ravel(), P.ravel())


@pytest.mark.parametrize("beta", [0.05, 0.5, 4.0])
def test_projection_and_programme_find_the_best_of_all_supports(beta):
    for _ in range(20):
        f = RANDOM.uniform(0, 3, size=6)
        expected = oracles.nearest_of_simplex(f, beta)
        g = RANDOM.dirichlet(np.ones(6))
        np.testing.assert_allclose(simplex.projection(f, beta, g), expected, atol=1e-12)
        np.testing.assert_allclose(simplex.quadratic_program(f, beta, g), expected, atol=1e-10)


@pytest.mark.parametrize("m", [1, 2, 30, 150])
def test_the_programme_is_the_projection(m):
    random = np.random.default_rng(0)  # of its own: other tests may have drawn before or not
    for spread in (0.0, 0.1, 2.0, 50.0):
        f = spread * random.uniform(0, 1, size=m)
        g = np.full(m, 1 / m)
        expected = simplex.projection(f, 0.5, g)
        np.testing.assert_allclose(simplex.quadratic_program(f, 0.5, g), expected, atol=1e-9)


@pytest.mark.parametrize("m", [1, 2, 30, 150])
def test_frank_wolfe_ends_within_its_gap_and_never_above_its_start(m):
    def value(g):
        return beta * g @ g + f @ g

    for beta in (0.1, 1.0):
        f = RANDOM.uniform(0, 2, size=m)
        g = RANDOM.dirichlet(np.ones(m))
        least = value(simplex.projection(f, beta, g))
        found = simplex.frank_wolfe(f, beta, g)
        assert found.sum() == pytest.approx(1)
        assert found.min() >= 0
        assert least - 1e-12 <= value(found) <= least + simplex.GAP * beta
        for steps in (1, 2, 5):
            assert value(simplex.frank_wolfe(f, beta, g, steps)) <= value(g) + 1e-12
