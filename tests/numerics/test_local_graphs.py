"""Graphs of nearest rows with local scales: against loops, equal rows, few rows, missing views."""

import numpy as np
import pytest
import scipy.sparse as sp

import oracles_views as oracles
from kinfolk.numerics import local_graphs, view_graphs

X = np.random.default_rng(0).normal(size=(20, 3))


@pytest.mark.parametrize("l", [1, 5, 9, 40])
def test_weights_are_those_of_the_formula(l):
    found = local_graphs.local_graph(X, l).toarray()
    np.testing.assert_allclose(found, oracles.local_graph(X, l), atol=1e-12)


def test_units_do_not_count_and_sparse_rows_have_the_graph_of_dense_ones():
    W = local_graphs.local_graph(X, 5).toarray()
    np.testing.assert_allclose(local_graphs.local_graph(1e6 * X, 5).toarray(), W, rtol=1e-9)
    thin = np.where(abs(X) > 0.5, X, 0.0)
    np.testing.assert_allclose(
        local_graphs.local_graph(sp.csr_array(thin), 5).toarray(),
        local_graphs.local_graph(thin, 5).toarray(),
        atol=1e-9,
    )


def test_more_equal_rows_than_neighbors_have_a_finite_graph():
    rows = np.repeat([[0.0, 0.0], [1.0, 1.0]], 12, axis=0)
    W = local_graphs.local_graph(rows, 5).toarray()
    assert np.isfinite(W).all()
    assert W[:12, 12:].sum() == 0
    assert W[:12, :12].sum() > 0


def test_a_single_row_has_no_links():
    assert local_graphs.local_graph(np.ones((1, 2)), 3).nnz == 0


def test_a_row_that_lacks_a_view_has_no_links_in_its_graph():
    there = np.ones((20, 1))
    there[[3, 8]] = 0
    (S,) = view_graphs.normalized([X], there, 4)
    rows = np.flatnonzero(there[:, 0])
    expected = oracles.normalized_graph(oracles.local_graph(X[rows], 4))
    np.testing.assert_allclose(S.toarray()[np.ix_(rows, rows)], expected, atol=1e-12)
    assert S.toarray()[[3, 8]].sum() == 0


@pytest.mark.parametrize("l", [3, 12])  # few neighbors by a tree, many by products of all rows
def test_rows_far_from_zero_have_the_graph_of_rows_near_it(l):
    rows = np.random.default_rng(0).integers(-9, 9, size=(20, 2)).astype(float)
    near = local_graphs.local_graph(rows, l)
    far = local_graphs.local_graph(rows + 2.0**32, l)
    np.testing.assert_allclose(far.toarray(), near.toarray(), atol=1e-12)
