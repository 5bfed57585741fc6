import itertools

import numpy as np
import pytest

import oracles_mixtures as oracle
from kinfolk.numerics import cluster_alignment


def shuffled(T, k, noise, seed=0):
    """Draw centers of k clusters in T tasks, permuted per task; with permutations."""
    random = np.random.default_rng(seed)
    common = random.normal(size=(k, 4))
    orders = np.array([random.permutation(k) for _ in range(T)])
    centers = common[orders] + noise * random.normal(size=(T, k, 4))
    return centers, orders


def test_the_score_is_that_of_the_loops():
    centers, _ = shuffled(3, 4, 0.5)
    assert cluster_alignment.score(centers) == pytest.approx(oracle.score(centers))


@pytest.mark.parametrize("how", ["exhaustive", "greedy", "auto"])
def test_clear_clusters_are_numbered_alike(how):
    centers, orders = shuffled(4, 3, 0.05)
    found = cluster_alignment.aligned(centers, how)
    names = np.take_along_axis(orders, found, axis=1)
    assert (names == names[0]).all()
    np.testing.assert_array_equal(found[0], [0, 1, 2])


@pytest.mark.parametrize("seed", range(4))
def test_exhaustive_search_finds_the_least_score_and_greedy_comes_close(seed):
    centers, _ = shuffled(3, 3, 0.6, seed)
    scores = [
        oracle.score(np.take_along_axis(centers, np.array(each)[:, :, None], axis=1))
        for each in itertools.product([(0, 1, 2)], *[list(itertools.permutations(range(3)))] * 2)
    ]
    found = {
        how: cluster_alignment.score(
            np.take_along_axis(centers, cluster_alignment.aligned(centers, how)[:, :, None], axis=1)
        )
        for how in ("exhaustive", "greedy")
    }
    assert found["exhaustive"] == pytest.approx(min(scores))
    assert found["greedy"] <= np.quantile(scores, 0.2)


def test_many_tasks_are_aligned_greedily():
    centers, orders = shuffled(15, 11, 0.05)
    names = np.take_along_axis(orders, cluster_alignment.aligned(centers), axis=1)
    assert (names == names[0]).all()
