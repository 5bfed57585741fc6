from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

import oracles_lssmtc
from kinfolk.numerics import seminonnegative

RANDOM = np.random.default_rng(0)


def test_a_basis_gives_the_pseudoinverse_whatever_the_lengths_of_the_columns():
    Y = RANDOM.uniform(size=(9, 3)) * [1e-9, 1.0, 1e7]
    O, C = seminonnegative.orthonormal_basis(Y)
    lengths = np.linalg.norm(Y, axis=0)
    found = lengths[:, None] * (C @ (O.T @ Y)) / lengths
    np.testing.assert_allclose(found, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(O.T @ O, np.eye(3), atol=1e-12)


@pytest.mark.parametrize("broken", ["empty", "equal"])
def test_a_basis_survives_empty_and_equal_columns(broken):
    Y = RANDOM.uniform(size=(9, 3))
    Y[:, 2] = 0.0 if broken == "empty" else 2 * Y[:, 1]
    O, C = seminonnegative.orthonormal_basis(Y)
    assert O.shape == (9, 2)
    np.testing.assert_allclose(Y @ C @ O.T @ Y, Y, atol=1e-10)
    assert seminonnegative.orthonormal_basis(np.zeros((4, 2))).O.shape == (4, 0)


def test_a_step_lowers_the_quadratic_it_is_for_and_rests_at_its_minimum():
    for _ in range(50):
        V = RANDOM.normal(size=(3, 5))
        X, Y = RANDOM.normal(size=(6, 5)), RANDOM.uniform(size=(6, 3))
        A, B = X @ V.T, V @ V.T
        new = seminonnegative.step(Y, A, B)
        assert np.sum((X - new @ V) ** 2) < np.sum((X - Y @ V) ** 2)
    V, Y = np.eye(3, 5), RANDOM.uniform(size=(6, 3))
    np.testing.assert_allclose(seminonnegative.step(Y, Y @ V @ V.T, V @ V.T), Y, rtol=1e-12)


def test_entries_without_a_divisor_stay():
    Y = np.array([[1.0, 2.0]])
    step = seminonnegative.step(Y, np.array([[4.0, 0.0]]), np.diag([1.0, 0.0]))
    np.testing.assert_allclose(step, [[2.0, 2.0]])


def test_new_rows_get_their_least_squares_cluster():
    V = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    X = np.array([[2.0, 0.1, 0.0], [3.0, 2.9, 0.0], [-1.0, 2.0, 0.0]])
    assert seminonnegative.nonnegative_assignment(X @ V.T, V @ V.T).tolist() == [0, 1, 1]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_first_memberships_from_k_means_are_lifted_off_zero(form):
    X = np.repeat(np.eye(3), 4, axis=0) + 0.01 * RANDOM.normal(size=(12, 3))
    Y = seminonnegative.initial_memberships(form(X), 3, 0, "kmeans", 0.2)
    assert set(Y.ravel().round(12)) == {0.2, 1.2}
    np.testing.assert_allclose(Y.sum(axis=1), 1.6)
    # Rows of one group share a cluster, rows of different groups do not.
    assert [len(set(labels)) for labels in np.split(Y.argmax(axis=1), 3)] == [1, 1, 1]
    assert len(set(Y.argmax(axis=1))) == 3


def test_random_first_memberships_follow_the_seed_alone():
    X = RANDOM.normal(size=(5, 2))
    Y = seminonnegative.initial_memberships(X, 3, 7, "random", 0.2)
    assert Y.shape == (5, 3)
    assert 0 <= Y.min() <= Y.max() < 1
    again = seminonnegative.initial_memberships(X + 1, 3, 7, "random", 0.9)
    np.testing.assert_array_equal(again, Y)
    other = seminonnegative.initial_memberships(X, 3, 8, "random", 0.2)
    assert abs(other - Y).max() > 0.1


def test_more_clusters_than_rows_leave_the_last_ones_to_the_offset():
    Y = seminonnegative.initial_memberships(np.eye(2), 4, 0, "kmeans", 0.1)
    assert Y.shape == (2, 4)
    np.testing.assert_array_equal(Y[:, 2:], 0.1)


def test_the_pseudoinverse_gives_the_best_centers():
    X, Y = RANDOM.normal(size=(20, 4)), RANDOM.uniform(size=(20, 3))
    O, C = seminonnegative.orthonormal_basis(Y)
    V = C @ (O.T @ X)
    best = np.sum((X - Y @ V) ** 2)
    for _ in range(20):
        assert np.sum((X - Y @ (V + 0.1 * RANDOM.normal(size=V.shape))) ** 2) > best


def test_an_objective_is_0_below_its_rounding_and_itself_above():
    for size in (1.0, 1e-30, 1e30):
        assert seminonnegative.zero_if_rounding(0.9e-6 * size, size) == 0.0
        assert seminonnegative.zero_if_rounding(-1e-9 * size, size) == 0.0
        assert seminonnegative.zero_if_rounding(1.1e-6 * size, size) == 1.1e-6 * size


def test_a_row_that_no_center_explains_goes_to_the_least_bad_one():
    A = np.array([[-3.0, -1.0, -2.0]])
    assert seminonnegative.nonnegative_assignment(A, np.eye(3)).tolist() == [1]


def test_rows_of_one_cluster_have_the_least_residual_of_all_choices():
    X, V = RANDOM.normal(size=(40, 5)), RANDOM.normal(size=(4, 5)) * [[1e-3], [1.0], [1.0], [1e3]]
    found = seminonnegative.best_rows(X @ V.T, V @ V.T, mixed=False)
    np.testing.assert_allclose(found.Y, oracles_lssmtc.single_rows(X, V), rtol=1e-9)
    member = found.Y.any(axis=1)
    np.testing.assert_array_equal(found.Y[member].argmax(axis=1), found.labels[member])


def test_mixed_rows_are_those_of_least_squares_with_any_guess():
    X, V = RANDOM.normal(size=(40, 5)), RANDOM.normal(size=(4, 5))
    for start in (None, RANDOM.normal(size=(40, 4))):
        found = seminonnegative.best_rows(X @ V.T, V @ V.T, True, start)
        np.testing.assert_allclose(found.Y, oracles_lssmtc.mixed_rows(X, V), atol=1e-9)


@pytest.mark.parametrize("mixed", [False, True])
def test_a_row_on_the_far_side_of_all_centers_has_no_membership(mixed):
    found = seminonnegative.best_rows(np.array([[-3.0, -1.0, 0.0]]), np.diag([1.0, 1, 0]), mixed)
    np.testing.assert_array_equal(found.Y, 0)
    assert found.labels.tolist() == ([2] if mixed else [1])


class Slow(NamedTuple):
    """Memberships that move a tenth of the way to 5 in each sweep."""

    Y: np.ndarray


def slow_sweep(Y):
    return Slow(5.0 + 0.9 * (Y - 5.0))


def cost(s):
    return np.sum((s.Y - 5.0) ** 2)


def test_extrapolation_reaches_the_limit_of_steps_that_shrink_evenly():
    found = seminonnegative.extrapolated(Slow(np.ones((2, 2))), slow_sweep, cost)
    np.testing.assert_allclose(found.Y, 5.0)


def test_extrapolation_gives_two_sweeps_where_it_would_be_higher():
    def misled(Y):
        return slow_sweep(Y) if cost(Slow(Y)) > 1 else Slow(np.full_like(Y, 100.0))

    start = Slow(np.ones((2, 2)))
    expected = slow_sweep(slow_sweep(start.Y).Y)
    np.testing.assert_array_equal(seminonnegative.extrapolated(start, misled, cost).Y, expected.Y)


def test_extrapolation_rests_at_a_fixed_point():
    at = Slow(np.full((2, 2), 5.0))
    np.testing.assert_array_equal(seminonnegative.extrapolated(at, slow_sweep, cost).Y, at.Y)
