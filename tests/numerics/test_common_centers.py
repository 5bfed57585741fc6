import numpy as np
import pytest
from scipy.optimize import minimize

import oracles_mixtures as oracle
from kinfolk.numerics import common_centers
from kinfolk.numerics.common_centers import Spectra

T, D = 4, 3


@pytest.fixture(autouse=True)
def _to_the_end(monkeypatch):
    """Fixture: iterate to the minimum, where methods would continue in the next sweep."""
    monkeypatch.setattr(common_centers, "STEPS", 20000)
    monkeypatch.setattr(common_centers, "CLOSE", 1e-13)


def drawn(seed):
    """Draw means, numbers of rows, pulls, and quadratic losses of four tasks, one an outlier."""
    random = np.random.default_rng(seed)
    m = random.normal(size=(T, D))
    m[-1] += 20.0
    A = random.normal(size=(T, D, D))
    S = A @ A.transpose(0, 2, 1) + 0.3 * np.eye(D)
    return m, random.uniform(5, 20, size=T), random.uniform(3, 9, size=T), S


def lowest(losses, s, estimates, center):
    """Minimum found by a general optimiser from a starting point."""

    def value(z):
        return oracle.drawn(losses, s, z[:-D].reshape(T, D), z[-D:])

    first = np.concatenate([estimates.ravel(), center])
    found = minimize(value, first, method="Powell", options={"maxiter": 40000, "ftol": 1e-12})
    return value(first), found.fun


@pytest.mark.parametrize("seed", [0, 1])
def test_squares_reach_the_minimum_of_the_loops(seed):
    m, N, s, _ = drawn(seed)
    found = common_centers.squares(m, N, s, np.zeros(D))
    losses = [lambda x, t=t: N[t] / 2 * sum((x - m[t]) ** 2) for t in range(T)]
    reached, least = lowest(losses, s, *found)
    assert reached <= least * (1 + 1e-7)


@pytest.mark.parametrize("seed", [0, 1])
def test_quadratics_reach_the_minimum_of_the_loops(seed):
    m, n, s, S = drawn(seed)
    found = common_centers.quadratic(S, Spectra.of(S), m, n, s, np.zeros(D))
    losses = [lambda x, t=t: n[t] * (x @ S[t] @ x / 2 - x @ m[t]) for t in range(T)]
    reached, least = lowest(losses, s, *found)
    assert reached <= least + 1e-6 * abs(least)


def test_without_a_pull_each_task_stays_by_itself():
    m, n, _, S = drawn(2)
    none = np.zeros(T)
    np.testing.assert_allclose(common_centers.squares(m, n, none, none[:D]).estimates, m)
    found = common_centers.quadratic(S, Spectra.of(S), m, n, none, none[:D]).estimates
    np.testing.assert_allclose(found, np.linalg.solve(S, m[:, :, None])[:, :, 0], rtol=1e-9)


def test_a_strong_pull_makes_one_estimate():
    m, n, _, S = drawn(3)
    strong = np.full(T, 1e6)
    found = common_centers.squares(m, n, strong, np.zeros(D))
    np.testing.assert_allclose(found.estimates, np.tile(n @ m / n.sum(), (T, 1)))
    found = common_centers.quadratic(S, Spectra.of(S), m, n, strong, np.zeros(D))
    one = np.linalg.solve(np.einsum("t,tij->ij", n, S), n @ m)
    np.testing.assert_allclose(found.estimates, np.tile(one, (T, 1)))


def test_a_task_far_away_moves_the_center_no_further_the_farther_it_is():
    m, n, s, _ = drawn(4)
    farther = m.copy()
    farther[-1] *= 1000.0
    near, far = (common_centers.squares(each, n, s, np.zeros(D)) for each in (m, farther))
    direction = np.linalg.norm(near.center - far.center)
    assert direction < 0.1
    assert np.linalg.norm(far.center) < 2.0


def test_a_task_of_hardly_any_rows_is_shrunk_to_the_center_without_a_warning():
    m = np.array([[0.0], [1.0]])
    found = common_centers.squares(m, np.array([1.0, 1e-310]), np.ones(2), np.zeros(1))
    np.testing.assert_allclose(found.estimates, 0.0, atol=1e-12)
