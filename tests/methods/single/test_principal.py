import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.utils.estimator_checks import parametrize_with_checks

import laws
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


def test_all_of_the_variance_is_k_means():
    X = RANDOM.normal(size=(30, 3)) + 6 * np.eye(3)[np.arange(30) % 3]
    labels = PCAKMeans(3, variance=1.0, random_state=0).fit_predict(X)
    assert laws.same_clusters(labels, KMeans(3, n_init=10, random_state=0).fit(X).labels_)


@pytest.mark.parametrize("share", [0.0, 1.2])
def test_impossible_shares_are_refused(share):
    with pytest.raises(ValueError, match="variance is"):
        PCAKMeans(variance=share).fit(np.eye(4))
