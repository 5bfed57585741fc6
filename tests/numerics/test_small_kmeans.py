"""Labels and centers of small tables are those of scikit-learn."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from kinfolk.numerics import small_kmeans, starts
from kinfolk.testing.subject import same_clusters

KINDS = {
    "numbers": lambda X: X,
    "equal rows": np.round,
    "directions": lambda X: X / np.linalg.norm(X, axis=1, keepdims=True),
    "columns in memory order": np.asfortranarray,
    "sparse": lambda X: sp.csr_array(np.where(X > 11, X, 0.0)),
}


def drawn(random, kind, rows, columns, clusters):
    """Draw a table of fewer rows and columns than these, and a number of clusters below that."""
    n, d = int(random.integers(5, rows)), int(random.integers(1, columns))
    k = min(int(random.integers(1, clusters)), n)
    return KINDS[kind](random.normal(size=(n, d)) * random.gamma(1.0, 3.0, d) + 10.0), k


@pytest.mark.parametrize("kind", list(KINDS))
def test_labels_and_centers_are_those_of_scikit_learn(kind):
    random = np.random.default_rng(0)
    lost = 0
    for seed in range(40):
        X, k = drawn(random, kind, 200, 20, 9)
        found = small_kmeans.labels(X, k, seed)
        lost += found is None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = KMeans(k, n_init=1, random_state=seed).fit(X)
        expected = model.labels_
        np.testing.assert_array_equal(starts.kmeans(X, k, seed), expected)
        centers = starts.centers(X, k, seed)
        np.testing.assert_allclose(centers, model.cluster_centers_, rtol=1e-9, atol=1e-12)
        if found is not None:
            np.testing.assert_array_equal(found, expected)
            assert found.dtype == expected.dtype
    assert lost < 10  # else nothing is compared


@pytest.mark.parametrize("shape", [(260, 260), (512, 300), (40, 6000)])
def test_labels_of_wide_tables_are_those_of_scikit_learn(shape):
    random = np.random.default_rng(1)
    centers = random.normal(size=(4, shape[1]))
    X = 0.3 * centers[random.integers(0, 4, shape[0])] + random.normal(size=shape)
    assert small_kmeans.fits(X, 4)
    for seed in range(5):
        expected = KMeans(4, n_init=1, random_state=seed).fit(X).labels_
        np.testing.assert_array_equal(small_kmeans.labels(X, 4, seed), expected)


@pytest.mark.parametrize("kind", list(KINDS))
def test_the_best_of_several_starts_is_that_of_scikit_learn(kind):
    random = np.random.default_rng(2)
    compared = 0
    for seed in range(30):
        X, k = drawn(random, kind, 60, 8, 7)
        found = small_kmeans.fitted(X, k, seed, 10)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = KMeans(k, n_init=10, random_state=seed).fit(X)
        if found is not None:
            compared += 1
            labels, centers = found
            # Their names may differ where two candidates for a center are equally good.
            assert same_clusters(labels, model.labels_)
            np.testing.assert_allclose(
                centers[labels], model.cluster_centers_[model.labels_], rtol=1e-9, atol=1e-12
            )
    assert compared > 20


def test_starts_of_the_same_inertia_are_left_to_scikit_learn():
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])  # cut either way
    seeds = range(20)
    assert None in [small_kmeans.fitted(square, 2, seed, 10) for seed in seeds]
    for seed in seeds:
        expected = KMeans(2, n_init=10, random_state=seed).fit(square).labels_
        np.testing.assert_array_equal(starts.kmeans(square, 2, seed, 10), expected)


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_given_generator_makes_the_draws_of_scikit_learn(kind):
    random = np.random.default_rng(3)
    ours = np.random.RandomState(0)
    theirs = np.random.RandomState(0)
    left = 0
    for _ in range(30):
        X, k = drawn(random, kind, 60, 8, 7)
        left += small_kmeans.fitted(X, k, np.random.RandomState(0), 2) is None
        found = starts.kmeans(X, k, ours, 2, max_iter=3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = KMeans(k, n_init=2, random_state=theirs, max_iter=3).fit(X)
        assert same_clusters(found, model.labels_)
        assert ours.randint(1000) == theirs.randint(1000)
    assert left < 20  # else nothing is compared


def test_a_generator_is_as_before_where_a_table_is_left_to_scikit_learn():
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    left = 0
    for seed in range(20):
        random = np.random.RandomState(seed)
        if small_kmeans.fitted(square, 2, random, 10) is None:
            left += 1
            assert random.randint(1000) == np.random.RandomState(seed).randint(1000)
    assert left


def test_rows_stay_as_they_are():
    X = np.random.default_rng(0).normal(size=(30, 3)) + 5.0
    before = X.copy()
    starts.kmeans(X, 3, 0, overwrite=True)
    np.testing.assert_array_equal(X, before)


def test_other_tables_are_left_to_scikit_learn():
    X = np.eye(4)
    assert small_kmeans.fits(X, 4)
    assert not small_kmeans.fits(X, 5)
    assert not small_kmeans.fits(X.astype(np.float32), 2)
    assert not small_kmeans.fits(np.zeros((small_kmeans.MOST_NUMBERS + 1, 1)), 2)
    assert small_kmeans.labels(np.array([[1.0], [np.nan]]), 1, 0) is None
    with pytest.raises(ValueError, match="NaN"):
        starts.kmeans(np.array([[1.0], [np.nan], [2.0]]), 2, 0)
