import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import memberships

RANDOM = np.random.default_rng(0)


def test_entropic_memberships_solve_their_minimisation():
    """The stationarity residual D + gamma (log U + 1) is constant along each row."""
    D, gamma = RANDOM.uniform(0, 5, size=(9, 4)), 0.7
    U = memberships.entropic(D, gamma)
    np.testing.assert_allclose(U.sum(axis=1), 1)
    residual = D + gamma * (np.log(U) + 1)
    np.testing.assert_allclose(residual, residual[:, [0]] * np.ones(4), rtol=1e-12)


def test_entropic_memberships_are_those_of_the_printed_formula():
    D, gamma = RANDOM.uniform(0, 5, size=(9, 4)), 0.7
    expected = np.exp(-D / gamma) / np.exp(-D / gamma).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(memberships.entropic(D, gamma), expected, rtol=1e-12)


def test_entropic_memberships_are_finite_for_huge_distances_and_cold_temperatures():
    D = np.array([[1e300, 2e300], [5e8, 5e8 + 1], [0.0, 0.0]])
    U = memberships.entropic(D, 1e-6)
    np.testing.assert_array_equal(U, [[1, 0], [1, 0], [0.5, 0.5]])


def test_entropic_memberships_do_not_change_when_all_distances_shift():
    D = RANDOM.uniform(0, 5, size=(9, 4))
    np.testing.assert_allclose(
        memberships.entropic(D + 100, 0.5), memberships.entropic(D, 0.5), rtol=1e-10
    )


def test_negentropy_is_minus_log_k_for_even_memberships_and_zero_for_hard_ones():
    assert memberships.negentropy(np.full((3, 4), 0.25)) == pytest.approx(-3 * np.log(4))
    assert memberships.negentropy(np.eye(3)) == 0


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_centers_are_weighted_means_and_an_empty_cluster_gets_the_mean_of_all(kind):
    X, U = RANDOM.normal(size=(7, 3)), RANDOM.uniform(size=(7, 3))
    U[:, 2] = 0
    V = memberships.centers(kind(X), U)
    for k in range(2):
        np.testing.assert_allclose(V[k], np.average(X, axis=0, weights=U[:, k]))
    np.testing.assert_allclose(V[2], X.mean(axis=0))


def test_hard_memberships_keep_the_fallback_where_a_row_has_none():
    Y = np.array([[0.0, 0.1], [0.0, 0.0], [2.0, 1.0]])
    np.testing.assert_array_equal(memberships.hard(Y, np.array([7, 8, 9])), [1, 8, 0])


def test_indicator_carries_its_offset():
    Y = memberships.indicator(np.array([1, 0, 1]), 3, offset=0.2)
    np.testing.assert_array_equal(Y - 0.2 > 0.5, np.eye(3)[[1, 0, 1]] == 1)
    assert Y.min() == 0.2


def test_a_high_temperature_gives_even_memberships_and_a_low_one_hard_ones():
    D = RANDOM.uniform(0, 5, size=(9, 4))
    np.testing.assert_allclose(memberships.entropic(D, 1e9), 0.25, atol=1e-8)
    hard = memberships.entropic(D, 1e-4)
    np.testing.assert_array_equal(hard.argmax(axis=1), D.argmin(axis=1))
    np.testing.assert_allclose(hard.max(axis=1), 1.0, atol=1e-3)


def test_entropic_memberships_are_the_best_of_all():
    D, gamma = RANDOM.uniform(0, 5, size=(3, 4)), 0.7

    def cost(U):
        return np.sum(U * D) + gamma * memberships.negentropy(U)

    best = memberships.entropic(D, gamma)
    for _ in range(50):
        other = RANDOM.dirichlet(np.ones(4), size=3)
        assert cost(best) <= cost(other)
        assert cost(best) <= cost(0.99 * best + 0.01 * other)


def test_weights_of_centers_count_by_their_shares():
    X, U = RANDOM.normal(size=(7, 3)), RANDOM.uniform(size=(7, 3))
    scale = np.array([1e-9, 1.0, 1e9])
    np.testing.assert_allclose(memberships.centers(X, U * scale), memberships.centers(X, U))


def test_of_equal_memberships_the_first_counts():
    Y = np.array([[0.5, 0.5], [0.0, 0.3]])
    np.testing.assert_array_equal(memberships.hard(Y, np.array([7, 8])), [0, 1])
