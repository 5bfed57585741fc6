import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.utils.estimator_checks import parametrize_with_checks

import laws
from kinfolk.errors import EmptyClusterWarning, InputError
from kinfolk.methods.single import principal
from kinfolk.methods.single.principal import PCAKMeans

RANDOM = np.random.default_rng(0)


@parametrize_with_checks([PCAKMeans(n_init=2)])
def test_scikit_learn_takes_the_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("share", [0.3, 0.8, 0.95])
@pytest.mark.parametrize("d", [5, 30])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_components_are_those_of_scikit_learn(form, d, share):
    X = RANDOM.normal(size=(14, d)) * np.arange(1, d + 1) + 3.0
    W, mean = principal.components(form(X), share)
    known = PCA(share, svd_solver="full").fit(X).components_
    assert W.shape == known.T.shape
    np.testing.assert_allclose(W @ W.T, known.T @ known, atol=1e-9)
    np.testing.assert_allclose(mean, X.mean(axis=0))


@pytest.mark.parametrize("offset", [1e7, 1.7e9])
@pytest.mark.parametrize("d", [5, 30])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_column_with_a_large_mean_does_not_hide_the_others(form, d, offset):
    random = np.random.default_rng(1)
    X = random.normal(size=(14, d)) * (random.uniform(size=(14, d)) < 0.8) * np.arange(1, d + 1)
    X[:, 2] += offset
    W, mean = principal.components(form(X), 0.9)
    known = PCA(0.9, svd_solver="full").fit(X).components_
    assert W.shape == known.T.shape
    np.testing.assert_allclose(W @ W.T, known.T @ known, atol=1e-6)
    np.testing.assert_allclose(mean, X.mean(axis=0))


# It centers sparse rows, too, but the warning is for all methods.
@pytest.mark.filterwarnings("ignore:rows of a sparse table lie so far from 0")
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_timestamp_beside_clear_groups_leaves_them_clear(form):
    random = np.random.default_rng(2)
    truth = np.arange(30) % 3
    X = np.hstack([random.normal(size=(30, 3)) + 900 * np.eye(3)[truth], np.ones((30, 1))])
    X[:, 3] = 1.7e9 + 100 * random.uniform(size=30)
    model = PCAKMeans(3, random_state=0).fit(form(X))
    assert laws.same_clusters(model.labels_, truth)
    np.testing.assert_array_equal(model.predict(form(X)), model.labels_)
    # The same rows without their mean have the same components, to the digits that X has.
    centered = PCAKMeans(3, random_state=0).fit(X - X.mean(axis=0))
    assert model.components_.shape == centered.components_.shape
    np.testing.assert_array_equal(centered.labels_, model.labels_)


def test_all_of_the_variance_is_k_means():
    X = RANDOM.normal(size=(30, 3)) + 6 * np.eye(3)[np.arange(30) % 3]
    labels = PCAKMeans(3, variance=1.0, random_state=0).fit_predict(X)
    assert laws.same_clusters(labels, KMeans(3, n_init=10, random_state=0).fit(X).labels_)


@pytest.mark.parametrize("share", [0.0, 1.2])
def test_impossible_shares_are_refused(share):
    with pytest.raises(ValueError, match="variance is"):
        PCAKMeans(variance=share).fit(np.eye(4))


FLAT = np.hstack([RANDOM.normal(size=(24, 2)) + 7 * np.eye(2)[np.arange(24) % 2], np.ones((24, 2))])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_constant_columns_have_no_component(form):
    W, mean = principal.components(form(FLAT), 1.0)
    assert W.shape == (4, 2)
    np.testing.assert_allclose(W[2:], 0, atol=1e-9)
    np.testing.assert_allclose(mean, FLAT.mean(axis=0))


@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_equal_rows_have_no_component_and_one_cluster(offset):
    with pytest.warns(EmptyClusterWarning, match="only 1 of 2 clusters"):
        model = PCAKMeans(2, random_state=0).fit(np.full((6, 3), 0.1 + offset))
    assert model.components_.shape == (3, 0)
    assert set(model.labels_) == {0}
    assert model.predict(np.full((2, 3), 5.0)).tolist() == [0, 0]


def test_components_are_orthonormal_and_hold_the_share_asked_for_but_not_more_than_needed():
    X = RANDOM.normal(size=(20, 6)) * np.arange(1, 7)
    centered = X - X.mean(axis=0)
    for share in (0.5, 0.9, 0.99):
        W, _ = principal.components(X, share)
        np.testing.assert_allclose(W.T @ W, np.eye(W.shape[1]), atol=1e-12)
        held = np.square(centered @ W).sum(axis=0)
        whole = np.square(centered).sum()
        assert held.sum() >= share * whole * (1 - 1e-9)
        assert held[:-1].sum() < share * whole


def test_shifts_and_rotations_keep_the_clusters():
    Q = np.linalg.qr(RANDOM.normal(size=(4, 4)))[0]
    a, b = (PCAKMeans(2, n_init=2, random_state=0).fit(T) for T in (FLAT, FLAT @ Q + 3))
    assert laws.same_clusters(a.labels_, b.labels_)
    assert laws.same_clusters(a.labels_, np.arange(24) % 2)


def test_what_the_components_leave_out_does_not_decide():
    loud = np.hstack([FLAT, 0.5 * RANDOM.normal(size=(24, 1))])
    model = PCAKMeans(2, variance=0.5, n_init=2, random_state=0).fit(loud)
    assert model.components_.shape == (5, 1)
    np.testing.assert_array_equal(model.predict(loud), model.labels_)
    across = np.linalg.svd(model.components_.T)[2][1:]
    moved = loud + 20 * RANDOM.normal(size=(24, 4)) @ across
    np.testing.assert_array_equal(model.predict(moved), model.labels_)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"variance": 0}, "variance is 0; give a number greater than 0"),
        ({"variance": 1.01}, "variance is 1.01; give a share above 0, at most 1"),
        ({"variance": "most"}, "variance is 'most'; give a number"),
        ({"n_init": 0}, "n_init is 0; give at least 1"),
        ({"n_clusters": 25}, "n_clusters is 25 but X has only 24 rows"),
    ],
)
def test_unusable_parameters_are_refused(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        PCAKMeans(**parameters).fit(FLAT)
