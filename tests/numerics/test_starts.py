import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import starts
from kinfolk.numerics.features import Features

X = np.random.default_rng(0).normal(size=(30, 3))


def test_more_seeds_begin_with_the_same_seeds():
    few, many = (starts.seeds(np.random.RandomState(4), n) for n in (3, 7))
    assert many[:3] == few
    assert len(set(many)) == 7


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_k_means_labels_depend_on_the_seed_alone(kind):
    labels = starts.kmeans(kind(X), 4, random=1)
    np.testing.assert_array_equal(labels, starts.kmeans(kind(X), 4, random=1))
    assert set(labels) == {0, 1, 2, 3}


def test_fewer_distinct_rows_than_clusters_are_taken_in_silence():
    labels = starts.kmeans(np.repeat([[0.0], [1.0]], 4, axis=0), 3, random=0)
    assert len(set(labels)) == 2


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_spread_centers_are_different_rows(kind):
    V = starts.spread(kind(X), 5, seed=2)
    V = V.toarray() if sp.issparse(V) else V
    places = [np.flatnonzero((row == X).all(axis=1)).tolist() for row in V]
    assert len({place for [place] in places}) == 5


def test_condensed_rows_have_the_inner_products_and_the_k_means_of_wide_ones():
    wide = np.random.default_rng(1).normal(size=(12, 50)) + 4 * np.eye(50)[np.arange(12) % 3]
    rows = starts.condensed(wide @ wide.T)
    assert rows.shape == (12, 12)
    np.testing.assert_allclose(rows @ rows.T, wide @ wide.T, atol=1e-10)
    a, b = (starts.kmeans(table, 3, random=0) for table in (rows, wide))
    assert len(set(zip(a, b, strict=True))) == 3


@pytest.mark.parametrize(("shape", "worth"), [((10, 41), True), ((10, 40), False), ((5, 1), False)])
def test_condensing_pays_for_tables_more_than_four_times_as_wide_as_long(shape, worth):
    assert starts.worth_condensing(shape) == worth


def test_k_means_changes_its_table_only_if_it_may():
    table = X + 100.0
    starts.kmeans(table, 3, random=0)
    np.testing.assert_array_equal(table, X + 100.0)
    starts.kmeans(table, 3, random=0, overwrite=True)
    np.testing.assert_allclose(table, X + 100.0, rtol=1e-12)


def test_k_means_reads_tables_that_must_not_be_written():
    table = X.copy()
    table.flags.writeable = False
    np.testing.assert_array_equal(starts.kmeans(table, 4, random=1), starts.kmeans(X, 4, random=1))


def test_the_best_of_several_k_means_runs_has_the_least_inertia_of_them():
    def inertia(labels):
        return sum(np.sum((X[labels == c] - X[labels == c].mean(axis=0)) ** 2) for c in range(6))

    one, many = (inertia(starts.kmeans(X, 6, 3, n)) for n in (1, 20))
    assert many < one - 1e-9
    (labels,) = starts.first_labels(Features([X]), 6, [3], 20)
    np.testing.assert_array_equal(labels, starts.kmeans(X, 6, 3, 20))


def test_more_starts_never_end_in_more_inertia():
    inertias = [starts.means(X, 6, 0, n_init=n).inertia_ for n in (1, 4, 16)]
    assert inertias == sorted(inertias, reverse=True)


def test_condensed_rows_of_a_singular_gram_matrix_are_real():
    wide = np.vstack([X[:4], X[:4]])
    rows = starts.condensed(wide @ wide.T)
    np.testing.assert_allclose(rows @ rows.T, wide @ wide.T, atol=1e-10)


def test_spread_centers_of_an_integer_table_are_floats():
    V = starts.spread(np.array([[0], [5], [9]]), 2, seed=0)
    assert V.dtype == np.float64
    assert set(V.ravel()) <= {0.0, 5.0, 9.0}
