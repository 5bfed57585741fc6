import numpy as np
import pytest
import scipy.sparse as sp

import oracles
from kinfolk.numerics import graphs


def table_of_distances(n, seed, d=3):
    X = np.random.default_rng(seed).normal(size=(n, d))
    A = np.square(X[:, None] - X[None, :]).sum(axis=2)
    return A, np.square(X).sum(axis=1)


def without_own(A):
    A = A.copy()
    np.fill_diagonal(A, np.inf)
    return A


@pytest.mark.parametrize("l", [1, 3, 7])
def test_weights_are_the_projection_of_the_distances_onto_the_simplex(l):
    """There are theta and beta > 0 with p = max(theta - A/(2 beta), 0), sum p = 1, l positive."""
    A, sizes = table_of_distances(12, seed=l)
    near, weights = graphs.nearest(without_own(A), l, sizes)
    assert near.shape == weights.shape == (12, l)
    for i in range(12):
        p = np.zeros(12)
        p[near[i]] = weights[i] / weights[i].sum()
        others = np.flatnonzero(np.arange(12) != i)
        B = np.sort(A[i, others])
        beta = (l * B[l] - B[:l].sum()) / 2
        theta = B[l] / (2 * beta)
        np.testing.assert_allclose(p[others], np.maximum(theta - A[i, others] / (2 * beta), 0))
        assert p[i] == 0
        assert p.sum() == pytest.approx(1)
        assert np.count_nonzero(p) == l
    np.testing.assert_allclose(weights.max(axis=1), 1)


def test_the_graph_is_the_consistent_similarity_of_the_paper():
    for seed in range(5):
        A, sizes = table_of_distances(10, seed)
        graph = graphs.directed(*graphs.nearest(without_own(A), 4, sizes), 10)
        M = graphs.symmetrised(graph).toarray()
        np.testing.assert_allclose(M, oracles.consistent_similarity(A, 4), atol=1e-12)
        np.testing.assert_array_equal(M, M.T)
        assert M.min() >= 0
        assert not M.diagonal().any()


def test_the_weights_do_not_change_with_the_unit_of_distance():
    A, sizes = table_of_distances(10, 0)
    near, weights = graphs.nearest(A, 3, sizes)
    there, scaled = graphs.nearest(1e6 * A, 3, 1e6 * sizes)
    np.testing.assert_array_equal(near, there)
    np.testing.assert_allclose(weights, scaled)


def test_neighbours_at_equal_distance_share_equal_weights():
    near, weights = graphs.nearest(np.full((1, 6), 2.0), 3, np.ones(1))
    np.testing.assert_array_equal(weights, [[1, 1, 1]])
    assert len(set(near[0])) == 3


def test_rounding_does_not_turn_ties_into_weights():
    A = np.array([[1.0, 1.0 + 1e-15, 1.0 - 1e-15, 5.0]])
    _, weights = graphs.nearest(A, 2, np.ones(1))
    np.testing.assert_array_equal(weights, [[1, 1]])


def test_a_row_without_a_further_neighbour_gives_equal_weights():
    near, weights = graphs.nearest(np.array([[np.inf, 3.0, 1.0]]), 2, np.ones(1))
    assert set(near[0]) == {1, 2}
    np.testing.assert_array_equal(weights, [[1, 1]])


def test_left_out_rows_weigh_nothing_where_there_are_fewer_rows_than_neighbours():
    near, weights = graphs.nearest(np.array([[np.inf, 3.0]]), 2, np.ones(1))
    graph = graphs.directed(near, weights, 2)
    np.testing.assert_array_equal(graph.toarray(), [[0, 1]])


def test_a_directed_graph_keeps_positions_and_drops_zero_weights():
    graph = graphs.directed(np.array([[2, 0], [1, 2]]), np.array([[0.5, 0.0], [1.0, 0.25]]), 3)
    np.testing.assert_array_equal(graph.toarray(), [[0, 0, 0.5], [0, 1, 0.25]])
    assert graph.nnz == 3
    assert graph.has_sorted_indices
    assert isinstance(graph, sp.csr_array)
