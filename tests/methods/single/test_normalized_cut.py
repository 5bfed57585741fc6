import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks

import laws
from kinfolk.methods.single import normalized_cut
from kinfolk.methods.single.normalized_cut import NCut

RANDOM = np.random.default_rng(0)


@parametrize_with_checks([NCut(n_init=2)])
def test_scikit_learn_takes_the_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("d", [5, 30])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_places_are_eigenvectors_of_the_scaled_similarity(form, d, signed):
    X = RANDOM.normal(size=(12, d)) + 1.0
    X = X if signed else abs(X)
    Z = X / np.linalg.norm(X, axis=1, keepdims=True)
    M = np.array([[(1 + a @ b) / 2 if signed else a @ b for b in Z] for a in Z])
    scale = 1 / np.sqrt(M.sum(axis=1))
    values, vectors = np.linalg.eigh(scale[:, None] * M * scale)
    F = normalized_cut.factor(form(X), signed)
    E = scale[:, None] * np.asarray(F @ normalized_cut.directions(F, 3))
    np.testing.assert_allclose(E @ E.T, vectors[:, -3:] @ vectors[:, -3:].T, atol=1e-9)


def test_blocks_are_cut_apart():
    X = np.kron(np.eye(3), np.ones((4, 2))) * RANDOM.uniform(0.5, 2.0, size=(12, 6))
    labels = NCut(3, random_state=0).fit_predict(X)
    assert laws.same_clusters(labels, np.repeat(np.arange(3), 4))
