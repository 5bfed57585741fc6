import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls

import oracles
from kinfolk.numerics import nonnegative, operators, symmetric_factorization


def problem(random, signed):
    """Draw a small symmetric matrix of any rank and scale, and a start with zeros."""
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
        s = symmetric_factorization.factor(operator, Y)
        for _ in range(3):
            following = symmetric_factorization.multiplicative_sweep(operator, s)
            before, after = (np.sum((M - t.Y @ t.Y.T) ** 2) for t in (s, following))
            assert after <= before + 1e-9 * (square + before)
            assert following.Y.min() >= 0
            s = following


def test_one_step_for_a_non_negative_matrix_is_equation_25():
    random = np.random.default_rng(2)
    M, Y = random.uniform(size=(7, 7)), random.uniform(0.1, 1, size=(7, 3))
    M = M + M.T
    step = symmetric_factorization.multiplicative_step(Y, M @ Y, None)
    expected = oracles.symmetric_step(M, Y)
    assert abs(expected - Y).max() > 0.1
    np.testing.assert_allclose(step, expected, rtol=1e-12)


def test_a_stationary_point_with_mixed_signs_stays():
    """The KKT conditions of |M - YY'|^2 over Y >= 0 hold where the step ends."""
    Z = np.random.default_rng(3).normal(size=(12, 4))
    operator = operators.Explicit(Z @ Z.T)
    s = symmetric_factorization.factor(operator, np.random.default_rng(4).uniform(size=(12, 2)))
    for _ in range(6000):
        s = symmetric_factorization.multiplicative_sweep(operator, s)
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
    found = symmetric_factorization.objective(
        operator.squared_norm(), symmetric_factorization.factor(operator, Y)
    )
    assert found == pytest.approx(oracles.symmetric_objective(M, Y), rel=1e-12)


def test_entries_at_zero_stay_and_rows_of_zeros_make_no_nan():
    Y = np.array([[0.0, 0.0], [1.0, 0.0]])
    step = symmetric_factorization.multiplicative_step(Y, np.zeros((2, 2)), None)
    np.testing.assert_array_equal(step, 0)


def test_a_row_that_has_nearly_vanished_comes_back_without_overflow():
    random = np.random.default_rng(0)
    A = random.uniform(size=(6, 6))
    M = operators.Explicit(A + A.T)
    Y = random.uniform(size=(6, 2))
    Y[2] = 1e-310
    s = symmetric_factorization.factor(M, Y)
    size = M.squared_norm()
    values = [symmetric_factorization.objective(size, s)]
    for _ in range(8):
        s = symmetric_factorization.multiplicative_sweep(M, s)
        values.append(symmetric_factorization.objective(size, s))
    assert np.isfinite(s.Y).all()
    assert (np.diff(values) <= 1e-12 * size).all()
    assert s.Y[2].max() > 1e-3


def target(random, M, Y):
    """Draw a weight lambda and a target Q of both signs, on the scale of Y."""
    return 10.0 ** random.uniform(-2, 2), Y.max() * random.normal(size=Y.shape)


def cost(M, Y, lam=0.0, Q=0.0):
    """Objective of the factorization with target, from dense matrices."""
    return np.sum((M - Y @ Y.T) ** 2) / 2 + lam * np.sum((Y - Q) ** 2)


FORMS = {
    "explicit": lambda Z: operators.Explicit(Z @ Z.T),
    "sparse": lambda Z: operators.Explicit(sp.csr_array(Z @ Z.T)),
    "products": lambda Z: operators.Gram([Z[:, :1], Z[:, 1:]]),
}


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_an_operator_times_memberships_is_the_product(form, signed):
    Z = np.random.default_rng(3).normal(size=(9, 4))
    Z = Z if signed else abs(Z)
    operator = FORMS[form](Z)
    T = np.random.default_rng(4).normal(size=(9, 2))
    np.testing.assert_allclose(operator.times(T), Z @ Z.T @ T, rtol=1e-12, atol=1e-12)
    PT, NT = operator.parts(T)
    np.testing.assert_allclose(PT - (0 if NT is None else NT), Z @ Z.T @ T, atol=1e-12)
    assert operator.squared_norm() == pytest.approx(np.sum((Z @ Z.T) ** 2))


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("targeted", [False, True])
def test_no_exact_step_raises_the_objective(signed, targeted):
    random = np.random.default_rng(11)
    for _ in range(150):
        M, Y = problem(random, signed)
        lam, Q = target(random, M, Y) if targeted else (0.0, None)
        operator = operators.Explicit(M)
        s = symmetric_factorization.point(operator, Y)
        size = cost(M, Y, lam, 0.0 if Q is None else Q)
        before = size
        for _ in range(5):
            s = symmetric_factorization.exact_sweep(operator, s, lam, Q)
            after = cost(M, s.Y, lam, 0.0 if Q is None else Q)
            assert after <= before + 1e-10 * size
            assert s.Y.min() >= 0
            np.testing.assert_allclose(s.product, M @ s.Y, atol=1e-9 * abs(M @ Y).max() + 1e-300)
            before = after


def test_the_change_along_a_line_is_that_of_the_objective():
    random = np.random.default_rng(12)
    for _ in range(30):
        M, Y = problem(random, True)
        lam, Q = target(random, M, Y)
        T = random.normal(size=Y.shape) * Y.max()
        slope = Y @ (Y.T @ Y) - M @ Y + lam * (Y - Q)
        c = symmetric_factorization.change(Y, slope, T, M @ T, lam)
        for s in (-0.7, 0.2, 1.0, 3.0):
            difference = cost(M, Y + s * T, lam, Q) - cost(M, Y, lam, Q)
            size = cost(M, Y + s * T, lam, Q) + cost(M, Y, lam, Q)
            found = c @ [s, s**2, s**3, s**4]
            assert found == pytest.approx(difference, abs=1e-11 * size)


@pytest.mark.parametrize("limit", [0.3, 1.0, 4.0, np.inf])
def test_no_step_of_a_grid_is_lower_than_the_lowest(limit):
    random = np.random.default_rng(13)
    for _ in range(200):
        c = random.normal(size=4) * 10.0 ** random.uniform(-3, 3, size=4)
        c[0] = -abs(c[0])
        c[3] = abs(c[3])
        s = symmetric_factorization.lowest(c, limit)
        assert 0 < s <= limit
        grid = np.linspace(0, min(limit, 100 * s), 2001)
        values = c @ [grid, grid**2, grid**3, grid**4]
        least = c @ [s, s**2, s**3, s**4]
        assert least <= values.min() + 1e-9 * abs(values.min())


@pytest.mark.parametrize("limit", [1e9, np.inf])
def test_no_step_is_made_where_the_line_rises(limit):
    assert symmetric_factorization.lowest(np.array([1e-16, 1e-20, 0.0, 0.0]), limit) == 0


def test_one_exact_step_is_the_least_squares_of_rows_and_a_line_search():
    random = np.random.default_rng(14)
    Z = abs(random.normal(size=(8, 5)))
    M = Z @ Z.T
    Y = random.uniform(size=(8, 2))
    Q = random.normal(size=(8, 2))
    operator = operators.Explicit(M)
    found = symmetric_factorization.exact_sweep(
        operator, symmetric_factorization.point(operator, Y), 0.7, Q
    )
    wide = np.vstack([Y, np.sqrt(0.7) * np.eye(2)])  # |m - Y y|^2 + lambda |y - q|^2 as one norm
    H = np.array([nnls(wide, np.append(m, np.sqrt(0.7) * q))[0] for m, q in zip(M, Q)])
    D = found.last.D[0]
    np.testing.assert_allclose(D, H - Y, atol=1e-9)
    grid = np.linspace(0, min(symmetric_factorization.longest(Y, D), 2.0), 2001)
    best = grid[np.argmin([cost(M, Y + s * D, 0.7, Q) for s in grid])]
    assert best > 0.3
    np.testing.assert_allclose(found.Y, Y + best * D, atol=1e-3 * abs(D).max())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lam", [0.0, 0.7])
def test_exact_steps_end_where_the_conditions_hold(form, lam):
    Z = np.random.default_rng(3).normal(size=(12, 4))
    Q = np.random.default_rng(5).normal(size=(12, 2))
    operator = FORMS[form](Z)
    Y = np.random.default_rng(4).uniform(size=(12, 2))
    s = symmetric_factorization.point(operator, Y)
    for _ in range(150):
        s = symmetric_factorization.exact_sweep(operator, s, lam, Q)
    gradient = s.Y @ (s.Y.T @ s.Y) - Z @ (Z.T @ s.Y) + lam * (s.Y - Q)
    assert gradient.min() >= -1e-6
    assert abs(gradient * s.Y).max() < 1e-6
    assert s.Y.max() > 0.5
    rows = nonnegative.least_squares(s.Y.T @ s.Y + lam * np.eye(2), s.product + lam * Q)
    np.testing.assert_allclose(rows, s.Y, atol=1e-5)


def test_exact_steps_end_as_low_as_multiplicative_ones_in_fewer_sweeps():
    Z = abs(np.random.default_rng(6).normal(size=(30, 6)))
    Z /= np.linalg.norm(Z, axis=1)[:, None]
    operator = operators.Gram([Z])
    size = operator.squared_norm()
    Y = np.random.default_rng(7).uniform(size=(30, 3))
    slow = symmetric_factorization.factor(operator, Y)
    for _ in range(3000):
        slow = symmetric_factorization.multiplicative_sweep(operator, slow)
    quick = symmetric_factorization.point(operator, Y)
    for _ in range(100):
        quick = symmetric_factorization.exact_sweep(operator, quick)
    lowest = symmetric_factorization.objective(size, slow)
    assert symmetric_factorization.objective(size, quick) <= lowest * (1 + 1e-6)


def test_a_point_at_rest_stays():
    s = symmetric_factorization.Point(np.zeros((3, 2)), np.zeros((3, 2)))
    assert symmetric_factorization.exact_sweep(operators.Explicit(np.zeros((3, 3))), s) is s
