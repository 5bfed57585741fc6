import numpy as np
import pytest
from scipy.optimize import nnls

import oracles
from kinfolk.numerics import nonnegative


def least_squares_problem(random, m, k, rank):
    """Draw a Gram matrix of this rank, and m right-hand sides in its range."""
    R = random.normal(size=(rank, k)) + random.uniform(-1, 1)
    return R.T @ R, (random.normal(size=(m, rank)) * 3 + 1) @ R


@pytest.mark.parametrize("m", [3, 150])
@pytest.mark.parametrize("k", [1, 2, 3, 5, 8, 12, 20])
@pytest.mark.parametrize("guess", ["none", "random", "the answer", "zero"])
def test_least_squares_is_that_of_scipy_row_by_row(m, k, guess):
    random = np.random.default_rng(k)
    G, B = least_squares_problem(random, m, k, k + 2)
    expected = oracles.nonnegative_rows(G, B)
    start = {
        "none": None,
        "random": random.normal(size=B.shape),
        "the answer": expected,
        "zero": np.zeros(B.shape),
    }[guess]
    found = nonnegative.least_squares(G, B, start)
    np.testing.assert_allclose(found, expected, atol=1e-9 * expected.max())
    np.testing.assert_array_equal(nonnegative.least_squares(G, B, start), found)


@pytest.mark.parametrize("started", [False, True])
@pytest.mark.parametrize("rank", [1, 2, 4, 7])
def test_least_squares_satisfies_its_kkt_conditions(rank, started):
    """For any rank: y >= 0, gradient >= 0, one of them 0."""
    random = np.random.default_rng(rank)
    for _ in range(30):
        m, k = random.choice([2, 40]), random.integers(1, 6)
        G, B = least_squares_problem(random, m, k, rank)
        start = random.normal(size=B.shape) if started else None
        y = nonnegative.least_squares(G, B, start)
        slack = y @ G - B
        assert y.min() >= 0
        assert slack.min() >= -1e-8
        assert abs(slack * y).max() <= 1e-8


@pytest.mark.parametrize("m", [1, 90])
@pytest.mark.parametrize("started", [False, True])
def test_least_squares_takes_a_singular_matrix(m, started):
    a = np.array([1.0, 2.0])
    start = np.tile([1.0, 0.0], (m, 1)) if started else None
    y = nonnegative.least_squares(np.outer(a, a), np.tile(3.0 * a, (m, 1)), start)
    np.testing.assert_allclose(y @ a, 3.0)
    assert y.min() >= 0


@pytest.mark.parametrize("m", [3, 50])
def test_least_squares_of_a_zero_matrix_is_zero(m):
    found = nonnegative.least_squares(np.zeros((2, 2)), np.zeros((m, 2)), np.ones((m, 2)))
    np.testing.assert_array_equal(found, np.zeros((m, 2)))


def test_least_squares_leaves_an_entry_without_a_direction_at_zero():
    random = np.random.default_rng(1)
    G, B = least_squares_problem(random, 60, 3, 5)
    wide = np.zeros((4, 4))
    wide[np.ix_([0, 1, 3], [0, 1, 3])] = G
    found = nonnegative.least_squares(wide, np.insert(B, 2, 0.0, axis=1), np.ones((60, 4)))
    np.testing.assert_array_equal(found[:, 2], 0)
    np.testing.assert_allclose(np.delete(found, 2, axis=1), nonnegative.least_squares(G, B))


def test_least_squares_of_no_rows_has_no_rows():
    for start in (None, np.zeros((0, 2))):
        assert nonnegative.least_squares(np.eye(2), np.zeros((0, 2)), start).shape == (0, 2)


@pytest.mark.parametrize("started", [False, True])
def test_least_squares_takes_units_of_any_size(started):
    """Solutions scale with the units of rows and directions."""
    random = np.random.default_rng(2)
    G, B = least_squares_problem(random, 80, 3, 4)
    Y = nonnegative.least_squares(G, B)
    u = np.array([1e-4, 1.0, 50.0])
    for c in (1e-60, 1e-8, 1e8, 1e60):
        start = np.ones(B.shape) if started else None
        found = nonnegative.least_squares(u[:, None] * G * u * c**2, B * u * c**2, start)
        np.testing.assert_allclose(found * u, Y, rtol=1e-7, atol=1e-9 * Y.max())


def test_rows_that_pivoting_does_not_finish_are_solved_one_by_one(monkeypatch):
    G, B = least_squares_problem(np.random.default_rng(3), 100, 6, 8)
    whole = nonnegative.least_squares(G, B)
    monkeypatch.setattr(nonnegative, "PIVOTS", 1)
    np.testing.assert_allclose(nonnegative.least_squares(G, B), whole, atol=1e-9 * whole.max())


def test_rows_are_solved_in_blocks(monkeypatch):
    G, B = least_squares_problem(np.random.default_rng(4), 300, 4, 6)
    whole = nonnegative.least_squares(G, B)
    monkeypatch.setattr(nonnegative, "BLOCK", 1)
    np.testing.assert_allclose(nonnegative.least_squares(G, B), whole, rtol=1e-12, atol=1e-12)


def test_problems_with_shifts_are_solved_as_one_by_one(monkeypatch):
    random = np.random.default_rng(0)
    C = random.normal(size=(5, 8))
    A = C @ C.T
    B = random.normal(size=(30, 3, 5)) + 0.5
    shift = np.where(np.arange(30) % 7 == 0, 0.0, random.uniform(size=30))
    for pivots in (10, 1):  # with one exchange most are left to be solved singly
        monkeypatch.setattr(nonnegative, "FEW_PIVOTS", pivots)
        Y = nonnegative.shifted_least_squares(A, B, shift)
        for i in range(30):
            R = np.linalg.cholesky(A + shift[i] * np.eye(5)).T
            for q in range(3):
                expected = nnls(R, np.linalg.solve(R.T, B[i, q]))[0]
                np.testing.assert_allclose(Y[i, q], expected, atol=1e-10)


def test_a_problem_does_not_depend_on_those_solved_with_it():
    random = np.random.default_rng(1)
    C = random.normal(size=(4, 4))
    B = random.normal(size=(20, 2, 4))
    shift = random.uniform(0.1, 1, size=20)
    together = nonnegative.shifted_least_squares(C @ C.T, B, shift)
    alone = [nonnegative.shifted_least_squares(C @ C.T, B[[i]], shift[[i]])[0] for i in range(20)]
    np.testing.assert_array_equal(together, np.array(alone))


def test_a_ratio_is_the_same_beside_an_empty_entry():
    random = np.random.default_rng(0)
    up = random.uniform(size=(6, 3))
    down = random.uniform(size=(6, 3)) ** 9
    alone = nonnegative.ratio(up, down, 0.0)
    beside = nonnegative.ratio(np.vstack([up, up[:1]]), np.vstack([down, 0 * down[:1]]), 0.0)
    np.testing.assert_array_equal(beside[:-1], alone)
    np.testing.assert_array_equal(beside[-1], 0.0)
