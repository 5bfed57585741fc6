import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

from kinfolk.numerics import distances, mean_matching


def sample(n, d, seed, shift=0.5):
    return distances.unit_rows(np.random.default_rng(seed).normal(size=(n, d)) + shift)


def objective(b, A, C):
    """Objective of mean matching, entry by entry."""
    n, m = len(A), len(C)
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += b[i] * b[j] * (A[i] @ A[j]) / 2
        total -= b[i] * n / m * sum(A[i] @ c for c in C)
    return total


def bounds(n, most):
    slack = most / np.sqrt(n)
    return max(0.0, n - n * slack), n + n * slack


def solver_of_scipy(A, C, most):
    n = len(A)
    low, high = bounds(n, most)
    found = minimize(
        lambda b: objective(b, A, C),
        np.ones(n),
        bounds=[(0, most)] * n,
        constraints=[
            {"type": "ineq", "fun": lambda b: high - b.sum()},
            {"type": "ineq", "fun": lambda b: b.sum() - low},
        ],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-14},
    )
    return found.x


@pytest.mark.parametrize(
    ("n", "d", "most", "shift"), [(9, 3, 2.0, 0.5), (9, 12, 2.0, 0.5), (6, 4, 1.1, -0.8)]
)
def test_the_weights_are_at_least_as_good_as_those_of_a_general_solver(n, d, most, shift):
    A = sample(n, d, 0)
    C = sample(7, d, 1, shift)
    b = mean_matching.weights(A, C, most)
    low, high = bounds(n, most)
    assert b.min() >= 0
    assert b.max() <= most
    assert low - 1e-9 <= b.sum() <= high + 1e-9
    reached = objective(solver_of_scipy(A, C, most), A, C)
    assert objective(b, A, C) <= reached + 1e-8 * abs(reached)


@pytest.mark.parametrize("n", [9, 40])
def test_free_weights_have_one_slope(n):
    A = sample(n, 12, 2)
    C = sample(20, 12, 3, 1.0)
    b = mean_matching.weights(A, C, 3.0)
    slope = A @ (A.T @ b) - n / len(C) * A @ C.sum(axis=0)
    free = (b > 1e-8) & (b < 3.0 - 1e-8)
    low, high = bounds(n, 3.0)
    theta = slope[free].mean()
    assert np.ptp(slope[free]) < 1e-7
    assert (slope[b <= 1e-8] >= theta - 1e-7).all()
    assert (slope[b >= 3.0 - 1e-8] <= theta + 1e-7).all()
    if low + 1e-6 < b.sum() < high - 1e-6:
        assert theta == pytest.approx(0.0, abs=1e-7)


def test_sparse_rows_have_the_weights_of_dense_ones():
    A = np.where(sample(9, 30, 0) > 0.1, sample(9, 30, 0), 0.0)
    C = np.where(sample(8, 30, 1) > 0.1, sample(8, 30, 1), 0.0)
    expected = mean_matching.weights(A, C)
    found = mean_matching.weights(sp.csr_array(A), sp.csr_array(C))
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_products_with_rows_find_what_their_inner_products_find():
    wide = np.hstack([sample(9, 4, 0), np.zeros((9, 20))])
    other = np.hstack([sample(5, 4, 1), np.zeros((5, 20))])
    b = mean_matching.weights(wide, other)
    again = mean_matching.weights(wide[:, :4], other[:, :4])
    np.testing.assert_allclose(wide.T @ b, wide.T @ again, atol=1e-7)


def test_a_sample_is_fully_related_to_itself():
    A = sample(12, 5, 4)
    assert mean_matching.relatedness(A, A) == pytest.approx(1.0, abs=1e-9)


def test_weights_make_samples_more_alike_and_never_less():
    for seed in range(5):
        A = sample(15, 20, seed)
        C = sample(12, 20, seed + 50, 0.2)
        plain = distances.paired_cosines(A.sum(axis=0)[None], C.sum(axis=0)[None])[0]
        assert mean_matching.relatedness(A, C) > plain


def test_opposite_samples_are_not_related():
    assert mean_matching.relatedness(np.eye(3), -np.eye(3)) == 0.0
    assert mean_matching.relatedness(np.zeros((2, 3)), np.eye(3)) == 0.0


@pytest.mark.parametrize("seed", range(20))
def test_the_projection_is_the_nearest_point(seed):
    random = np.random.default_rng(seed)
    v = 3.0 * random.normal(size=6)
    most = random.uniform(0.5, 3.0)
    low = random.uniform(0, 4 * most)
    high = low + random.uniform(0, most)
    b = mean_matching.project(v, most, low, high)
    assert b.min() >= 0
    assert b.max() <= most
    assert low - 1e-9 <= b.sum() <= high + 1e-9
    # Nearest: no allowed point lies beyond a right angle.
    for _ in range(200):
        other = random.uniform(0, most, size=6)
        if low <= other.sum() <= high:
            assert (v - b) @ (other - b) <= 1e-9
    shift = (v - b)[(b > 1e-9) & (b < most - 1e-9)]
    assert np.ptp(shift) < 1e-9 if shift.size else True
