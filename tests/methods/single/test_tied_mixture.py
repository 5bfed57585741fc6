import warnings

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.utils.estimator_checks import parametrize_with_checks

import laws
from kinfolk.errors import InputError, ManyColumnsWarning
from kinfolk.methods.single.tied_mixture import TiedGaussianMixture
from long_groups import two_groups


@parametrize_with_checks([TiedGaussianMixture(n_init=2)])
def test_scikit_learn_takes_the_estimator(estimator, check):
    check(estimator)


def test_long_clusters_are_found_that_k_means_cuts_across():
    X, truth = two_groups()
    assert laws.same_clusters(TiedGaussianMixture(random_state=0).fit(X).labels_, truth)
    assert not laws.same_clusters(KMeans(2, n_init=10, random_state=0).fit(X).labels_, truth)


def test_probabilities_of_new_rows_are_those_of_the_fit():
    X, _ = two_groups()
    model = TiedGaussianMixture(random_state=0).fit(X)
    np.testing.assert_allclose(model.predict_memberships(X), model.memberships_)
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0)
    np.testing.assert_allclose(model.weights_, model.memberships_.mean(axis=0), atol=1e-3)


@pytest.mark.parametrize("share", [-0.1, 1.0, "some", None])
def test_shares_out_of_range_are_refused(share):
    X, _ = two_groups()
    with pytest.raises(InputError, match="covariance_shrinkage is"):
        TiedGaussianMixture(covariance_shrinkage=share).fit(X)


def test_as_many_columns_as_rows_are_told_in_one_sentence():
    random = np.random.default_rng(0)
    X = random.normal(size=(20, 30)) + 9.0 * (np.arange(20) % 2)[:, None]
    with pytest.warns(ManyColumnsWarning, match=r"X has 30 columns and 20 rows, .* reduce") as told:
        TiedGaussianMixture(random_state=0).fit(X)
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TiedGaussianMixture(random_state=0).fit(X[:, :10])
        TiedGaussianMixture(1, random_state=0).fit(X)
