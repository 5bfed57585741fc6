"""Links by chance: the distribution of a random cosine, and what shared clusters add."""

import numpy as np
import pytest

from kinfolk.numerics import profile_links

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("d", [2, 3, 8, 50])
@pytest.mark.parametrize("cosine", [-0.4, 0.0, 0.1, 0.5])
def test_probabilities_are_those_of_drawn_directions(d, cosine):
    drawn = RANDOM.normal(size=(40_000, d))
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    found = profile_links.chance_probabilities(np.array([cosine]), np.array([float(d)]))
    assert found[0] == pytest.approx(np.mean(drawn[:, 0] >= cosine), abs=0.01)


def test_cosines_and_probabilities_of_chance_are_inverse():
    D = np.array([1.5, 2.0, 7.3, 400.0])
    share = np.array([0.3, 0.01, 0.05, 1e-4])
    cosines = profile_links.chance_cosines(D, share)
    np.testing.assert_allclose(profile_links.chance_probabilities(cosines, D), share, rtol=1e-6)


def test_in_one_dimension_both_directions_are_equally_probable():
    one = np.ones(2)
    found = profile_links.chance_probabilities(np.array([0.7, -0.7]), one)
    np.testing.assert_allclose(found, [0.5, 0.5], atol=1e-6)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_tasks_that_share_all_but_one_cluster_link_these_two_by_the_shared_link(k):
    centers = np.eye(k + 1)
    tasks = np.vstack([centers[: k - 1], centers[k - 1]]), np.vstack([centers[: k - 1], centers[k]])
    profiles = [V - V.mean(axis=0) for V in tasks]
    L = profile_links.links(*profiles)
    one = np.zeros(k, dtype=int)
    beta = (k - 1) / np.sqrt(k * (k - 1) * k * (k - 1))
    shared = profile_links.shared_links(L, one, one)
    np.testing.assert_allclose(shared, beta * L.max())
    # Equal sizes, right angles: the profiles of the clusters that differ have the cosine 1/k.
    assert L[-1, -1] == pytest.approx(1 / k)


def test_shared_links_are_those_of_each_pair_of_tasks():
    L = RANDOM.uniform(-1, 1, size=(5, 7))
    rows, columns = np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1, 1, 2])
    found = profile_links.shared_links(L, rows, columns)
    for t in np.unique(rows):
        for s in np.unique(columns):
            block = np.ix_(rows == t, columns == s)
            alone = profile_links.shared_links(L[block], 0 * rows[rows == t],
                                               0 * columns[columns == s])  # fmt: skip
            np.testing.assert_allclose(found[block], alone)


def test_profiles_of_empty_clusters_and_of_equal_means_are_zero():
    X = np.array([[0.1, 0.2], [0.1, 0.2]]) * 3
    means = np.vstack([X[0], [9.0, 9.0]])
    zero = np.zeros(2, dtype=int)
    found = profile_links.profiles(X, means, zero, zero, np.array([2, 0]))
    np.testing.assert_array_equal(found, np.zeros((2, 2)))
