import numpy as np
import pytest
import scipy.sparse as sp

import oracles
import oracles_comvcf
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
    near, weights = graphs.simplex_neighbors(without_own(A), l, sizes)
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
        graph = graphs.directed(*graphs.simplex_neighbors(without_own(A), 4, sizes), 10)
        M = graphs.symmetrized(graph).toarray()
        np.testing.assert_allclose(M, oracles.consistent_similarity(A, 4), atol=1e-12)
        np.testing.assert_array_equal(M, M.T)
        assert M.min() >= 0
        assert not M.diagonal().any()


def test_the_weights_do_not_change_with_the_unit_of_distance():
    A, sizes = table_of_distances(10, 0)
    near, weights = graphs.simplex_neighbors(A, 3, sizes)
    there, scaled = graphs.simplex_neighbors(1e6 * A, 3, 1e6 * sizes)
    np.testing.assert_array_equal(near, there)
    np.testing.assert_allclose(weights, scaled)


def test_neighbors_at_equal_distance_share_equal_weights():
    near, weights = graphs.simplex_neighbors(np.full((1, 6), 2.0), 3, np.ones(1))
    np.testing.assert_array_equal(weights, [[1, 1, 1]])
    assert len(set(near[0])) == 3


def test_rounding_does_not_turn_ties_into_weights():
    A = np.array([[1.0, 1.0 + 1e-15, 1.0 - 1e-15, 5.0]])
    _, weights = graphs.simplex_neighbors(A, 2, np.ones(1))
    np.testing.assert_array_equal(weights, [[1, 1]])


def test_a_row_without_a_further_neighbor_gives_equal_weights():
    near, weights = graphs.simplex_neighbors(np.array([[np.inf, 3.0, 1.0]]), 2, np.ones(1))
    assert set(near[0]) == {1, 2}
    np.testing.assert_array_equal(weights, [[1, 1]])


def test_left_out_rows_weigh_nothing_where_there_are_fewer_rows_than_neighbors():
    near, weights = graphs.simplex_neighbors(np.array([[np.inf, 3.0]]), 2, np.ones(1))
    graph = graphs.directed(near, weights, 2)
    np.testing.assert_array_equal(graph.toarray(), [[0, 1]])


def test_a_directed_graph_keeps_positions_and_drops_zero_weights():
    graph = graphs.directed(np.array([[2, 0], [1, 2]]), np.array([[0.5, 0.0], [1.0, 0.25]]), 3)
    np.testing.assert_array_equal(graph.toarray(), [[0, 0, 0.5], [0, 1, 0.25]])
    assert graph.nnz == 3
    assert graph.has_sorted_indices
    assert isinstance(graph, sp.csr_array)


RANDOM = np.random.default_rng(0)
X, OTHER = RANDOM.normal(size=(20, 4)), RANDOM.normal(size=(7, 4))
FORMS = pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])


def cosine(x, z):
    return x @ z / np.sqrt((x @ x) * (z @ z))


def loops(X, l, among=None):
    """The l nearest rows of each row, by loops."""
    found = []
    for i, x in enumerate(X):
        there = X if among is None else among
        near = [(-cosine(x, z), j) for j, z in enumerate(there) if among is not None or j != i]
        found.append([j for _, j in sorted(near)[:l]])
    return found


@FORMS
@pytest.mark.parametrize("l", [1, 3, 19])
def test_the_nearest_rows_are_those_of_the_loops(form, l):
    assert graphs.cosine_neighbors(form(X), l).tolist() == loops(X, l)
    found = graphs.cosine_neighbors(form(X), l, among=form(OTHER))
    assert found.tolist() == loops(X, l, OTHER)


def test_no_more_rows_are_found_than_there_are():
    assert graphs.cosine_neighbors(X, 50).shape == (20, 19)
    assert graphs.cosine_neighbors(X, 50, among=OTHER).shape == (20, 7)
    assert graphs.cosine_neighbors(X[:1], 3).shape == (1, 0)
    assert graphs.cosine_neighbors(X[:1], 3, among=X[:1]).tolist() == [[0]]


@FORMS
def test_a_row_is_never_in_its_own_list_even_among_equal_rows(form):
    rows = np.repeat(X[:2], 6, axis=0)
    for l in (1, 4, 11):
        found = graphs.cosine_neighbors(form(rows), l)
        assert found.shape == (12, l)
        assert not (found == np.arange(12)[:, None]).any()
        assert all(len(set(near)) == l for near in found.tolist())


@FORMS
def test_lengths_do_not_matter_and_rows_of_zeros_are_far_from_all(form):
    scaled = X * 10.0 ** RANDOM.integers(-6, 6, size=(20, 1))
    assert graphs.cosine_neighbors(form(scaled), 5).tolist() == loops(X, 5)
    rows = np.vstack([np.abs(X), np.zeros((1, 4))])
    assert 20 not in graphs.cosine_neighbors(form(rows), 19)[:20]


@FORMS
def test_single_precision_finds_what_double_precision_finds(form):
    low = X.astype(np.float32)
    found = graphs.cosine_neighbors(form(low), 6)
    np.testing.assert_array_equal(found, graphs.cosine_neighbors(form(low.astype(float)), 6))


ROWS = np.random.default_rng(0).normal(size=(25, 4))


@pytest.mark.parametrize("table", [ROWS, sp.csr_array(ROWS)], ids=["dense", "sparse"])
@pytest.mark.parametrize("h", [0.5, 2.0])
def test_weights_are_those_of_the_loops(table, h):
    found = graphs.heat_graph(table, 3, h)
    expected = oracles_comvcf.nearest_graph(ROWS, 3, h)
    np.testing.assert_allclose(found.S.toarray(), expected, rtol=1e-10)
    np.testing.assert_allclose(found.degrees, expected.sum(axis=1), rtol=1e-10)
    assert found.bandwidth == h


def test_edges_make_the_laplacian():
    found = graphs.heat_graph(ROWS, 4, 1.0)
    L = np.diag(found.degrees) - found.S.toarray()
    np.testing.assert_allclose((found.B.T @ found.B).toarray(), L, atol=1e-12)
    Y = RANDOM.uniform(size=(25, 3))
    np.testing.assert_allclose(
        graphs.laplacian_energies(found, Y), np.diag(Y.T @ L @ Y), rtol=1e-12
    )
    assert graphs.laplacian_energies(found, Y).sum() == pytest.approx(
        oracles_comvcf.roughness(found.S.toarray(), Y), rel=1e-12
    )


def test_equal_neighbors_have_no_energy_in_spite_of_rounding():
    found = graphs.heat_graph(ROWS, 4, 1.0)
    Y = np.ones((25, 1)) * (1 + 1e-15 * RANDOM.normal(size=(25, 1)))
    assert np.ptp(Y) > 0
    assert graphs.laplacian_energies(found, Y) == 0
    assert graphs.laplacian_energies(found, Y + 1e-8 * RANDOM.normal(size=Y.shape)) > 0


def test_the_bandwidth_is_the_median_distance_of_linked_rows():
    found = graphs.heat_graph(ROWS, 1, None)
    D = np.linalg.norm(ROWS[:, None] - ROWS, axis=2) + np.diag(np.full(25, np.inf))
    assert found.bandwidth == pytest.approx(np.median(D.min(axis=1)))
    assert graphs.heat_graph(np.zeros((5, 2)), 2, None).bandwidth == 1.0


@pytest.mark.parametrize("d", [5, 30])
def test_the_bandwidth_follows_the_unit_of_rows_whose_neighbors_are_mostly_copies(d):
    rows = np.repeat(np.random.default_rng(0).normal(size=(20, d)), 5, axis=0)
    h = graphs.heat_graph(rows, 6, None).bandwidth
    apart = graphs.heat_graph(rows[::5], 2, None).bandwidth
    assert 0.5 * apart < h < 2 * apart
    assert graphs.heat_graph(100 * rows, 6, None).bandwidth == pytest.approx(100 * h)


def test_an_infinite_bandwidth_gives_weights_of_one():
    assert set(graphs.heat_graph(ROWS, 3, np.inf).S.data) == {1.0}
    assert graphs.heat_graph(ROWS, 100, np.inf).degrees.tolist() == [24.0] * 25


def test_new_rows_are_linked_to_their_nearest_rows():
    rows = ROWS[:6] + 0.01
    found = graphs.heat_links(rows, ROWS, 2, 1.5).toarray()
    D = np.square(rows[:, None] - ROWS).sum(axis=2)
    expected = np.where(np.sort(D, axis=1)[:, [1]] >= D, np.exp(-D / (2 * 1.5**2)), 0)
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    assert (found.argmax(axis=1) == np.arange(6)).all()


def test_a_large_graph_stays_sparse():
    found = graphs.heat_graph(RANDOM.normal(size=(3000, 2)), 5, None)
    assert found.S.nnz <= 2 * 5 * 3000
    assert found.B.nnz == found.S.nnz


def test_heat_kernels_of_rows_far_from_zero_are_those_of_rows_near_it():
    rows = np.random.default_rng(0).integers(-9, 9, size=(30, 20)).astype(float)
    far = rows + 2.0**30
    near = graphs.heat_graph(rows, 4, None)
    np.testing.assert_allclose(
        graphs.heat_graph(far, 4, None).S.toarray(), near.S.toarray(), atol=1e-12
    )
    links = graphs.heat_links(rows[:3], rows, 4, near.bandwidth)
    found = graphs.heat_links(far[:3], far, 4, near.bandwidth)
    np.testing.assert_allclose(found.toarray(), links.toarray(), atol=1e-12)


@pytest.mark.parametrize("h", [1.0, np.inf])
def test_rows_that_are_infinitely_far_away_have_no_weight(h):
    lengths = np.array([[1.0, np.inf]])
    links = graphs.heat_weighted(lengths, np.array([[0, 1]]), 2, h).toarray()
    assert links[0, 0] > 0.6
    assert links[0, 1] == 0
