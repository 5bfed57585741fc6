import numpy as np
import pytest
import scipy.sparse as sp

import oracles_comvcf as oracles
from kinfolk.numerics import laplacians

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(25, 4))


@pytest.mark.parametrize("table", [X, sp.csr_array(X)], ids=["dense", "sparse"])
@pytest.mark.parametrize("h", [0.5, 2.0])
def test_weights_are_those_of_the_loops(table, h):
    found = laplacians.graph(table, 3, h)
    expected = oracles.nearest_graph(X, 3, h)
    np.testing.assert_allclose(found.S.toarray(), expected, rtol=1e-10)
    np.testing.assert_allclose(found.degrees, expected.sum(axis=1), rtol=1e-10)
    assert found.bandwidth == h


def test_edges_make_the_laplacian():
    found = laplacians.graph(X, 4, 1.0)
    L = np.diag(found.degrees) - found.S.toarray()
    np.testing.assert_allclose((found.B.T @ found.B).toarray(), L, atol=1e-12)
    Y = RANDOM.uniform(size=(25, 3))
    np.testing.assert_allclose(laplacians.energies(found, Y), np.diag(Y.T @ L @ Y), rtol=1e-12)
    assert laplacians.energies(found, Y).sum() == pytest.approx(
        oracles.roughness(found.S.toarray(), Y), rel=1e-12
    )


def test_equal_neighbours_have_no_energy_in_spite_of_rounding():
    found = laplacians.graph(X, 4, 1.0)
    Y = np.ones((25, 1)) * (1 + 1e-15 * RANDOM.normal(size=(25, 1)))
    assert np.ptp(Y) > 0
    assert laplacians.energies(found, Y) == 0
    assert laplacians.energies(found, Y + 1e-8 * RANDOM.normal(size=Y.shape)) > 0


def test_the_bandwidth_is_the_median_distance_of_linked_rows():
    found = laplacians.graph(X, 1, None)
    D = np.linalg.norm(X[:, None] - X, axis=2) + np.diag(np.full(25, np.inf))
    assert found.bandwidth == pytest.approx(np.median(D.min(axis=1)))
    assert laplacians.graph(np.zeros((5, 2)), 2, None).bandwidth == 1.0


def test_an_infinite_bandwidth_gives_weights_of_one():
    assert set(laplacians.graph(X, 3, np.inf).S.data) == {1.0}
    assert laplacians.graph(X, 100, np.inf).degrees.tolist() == [24.0] * 25


def test_new_rows_are_linked_to_their_nearest_rows():
    rows = X[:6] + 0.01
    found = laplacians.links(rows, X, 2, 1.5).toarray()
    D = np.square(rows[:, None] - X).sum(axis=2)
    expected = np.where(np.sort(D, axis=1)[:, [1]] >= D, np.exp(-D / (2 * 1.5**2)), 0)
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    assert (found.argmax(axis=1) == np.arange(6)).all()


def test_a_large_graph_stays_sparse():
    found = laplacians.graph(RANDOM.normal(size=(3000, 2)), 5, None)
    assert found.S.nnz <= 2 * 5 * 3000
    assert found.B.nnz == found.S.nnz
