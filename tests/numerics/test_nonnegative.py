import numpy as np
import pytest

import oracles
from kinfolk.numerics import nonnegative, operators


def problem(random, signed):
    """A small symmetric matrix of any rank and scale, and a start, some entries zero."""
    n, k = random.integers(2, 8), random.integers(1, 4)
    Z = random.normal(size=(n, random.integers(1, 8))) * 10.0 ** random.uniform(-2, 2)
    M = Z @ Z.T if random.random() < 0.5 else Z[:, :1] + Z[:, :1].T
    M = M if signed else abs(M)
    Y = random.uniform(size=(n, k)) * (random.random(size=(n, k)) < 0.9)
    return M, Y * 10.0 ** random.uniform(-2, 2)


@pytest.mark.parametrize("signed", [False, True])
def test_the_multiplicative_step_never_raises_the_objective(signed):
    random = np.random.default_rng(int(signed))
    for _ in range(700):
        M, Y = problem(random, signed)
        operator = operators.Explicit(M)
        square = operator.squared_norm()
        s = nonnegative.factor(operator, Y)
        for _ in range(3):
            following = nonnegative.symmetric_sweep(operator, s)
            before, after = (np.sum((M - t.Y @ t.Y.T) ** 2) for t in (s, following))
            assert after <= before + 1e-9 * (square + before)
            assert following.Y.min() >= 0
            s = following


def test_one_step_for_a_non_negative_matrix_is_equation_25():
    random = np.random.default_rng(2)
    M, Y = random.uniform(size=(7, 7)), random.uniform(0.1, 1, size=(7, 3))
    M = M + M.T
    step = nonnegative.symmetric_step(Y, M @ Y, None)
    expected = oracles.symmetric_step(M, Y)
    assert abs(expected - Y).max() > 0.1
    np.testing.assert_allclose(step, expected, rtol=1e-12)


def test_a_stationary_point_with_mixed_signs_stays():
    """The KKT conditions of |M - YY'|^2 over Y >= 0 hold where the step ends."""
    Z = np.random.default_rng(3).normal(size=(12, 4))
    operator = operators.Explicit(Z @ Z.T)
    s = nonnegative.factor(operator, np.random.default_rng(4).uniform(size=(12, 2)))
    for _ in range(6000):
        s = nonnegative.symmetric_sweep(operator, s)
    gradient = s.Y @ (s.Y.T @ s.Y) - Z @ (Z.T @ s.Y)
    assert gradient.min() >= -1e-6
    assert abs(gradient * s.Y).max() < 1e-6
    assert s.Y.max() > 0.5


@pytest.mark.parametrize("signed", [False, True])
def test_the_objective_is_the_sum_of_squared_residuals(signed):
    M, Y = (
        np.random.default_rng(5).normal(size=(6, 6)),
        np.random.default_rng(6).uniform(size=(6, 2)),
    )
    M = M + M.T if signed else abs(M + M.T)
    operator = operators.Explicit(M)
    found = nonnegative.symmetric_objective(
        operator.squared_norm(), nonnegative.factor(operator, Y)
    )
    assert found == pytest.approx(oracles.symmetric_objective(M, Y), rel=1e-12)


def test_entries_at_zero_stay_and_rows_of_zeros_make_no_nan():
    Y = np.array([[0.0, 0.0], [1.0, 0.0]])
    step = nonnegative.symmetric_step(Y, np.zeros((2, 2)), None)
    np.testing.assert_array_equal(step, 0)


def test_least_squares_satisfies_its_kkt_conditions():
    random = np.random.default_rng(7)
    for _ in range(100):
        m, k = random.integers(1, 5), random.integers(1, 6)
        R = random.normal(size=(k + 2, k))
        G, B = R.T @ R, random.normal(size=(m, k))
        y = nonnegative.least_squares(G, B)
        slack = y @ G - B
        assert y.min() >= 0
        assert slack.min() >= -1e-8
        assert abs(slack * y).max() <= 1e-8


def test_least_squares_takes_a_singular_matrix():
    a = np.array([1.0, 2.0])
    y = nonnegative.least_squares(np.outer(a, a), 3.0 * a[None, :])
    assert y @ a == pytest.approx(3.0)
    assert y.min() >= 0


def test_least_squares_of_a_zero_matrix_is_zero():
    for _ in range(50):
        found = nonnegative.least_squares(np.zeros((2, 2)), np.zeros((3, 2)))
        np.testing.assert_array_equal(found, 0)


def test_a_row_that_has_nearly_vanished_comes_back_without_overflow():
    random = np.random.default_rng(0)
    A = random.uniform(size=(6, 6))
    M = operators.Explicit(A + A.T)
    Y = random.uniform(size=(6, 2))
    Y[2] = 1e-310
    s = nonnegative.factor(M, Y)
    size = M.squared_norm()
    values = [nonnegative.symmetric_objective(size, s)]
    for _ in range(8):
        s = nonnegative.symmetric_sweep(M, s)
        values.append(nonnegative.symmetric_objective(size, s))
    assert np.isfinite(s.Y).all()
    assert (np.diff(values) <= 1e-12 * size).all()
    assert s.Y[2].max() > 1e-3
