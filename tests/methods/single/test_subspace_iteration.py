import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks

import oracles_lssmtc as oracles
from kinfolk.methods.single import subspace_iteration
from kinfolk.methods.single.soft_kmeans import SoftKMeans
from kinfolk.methods.single.subspace_iteration import ASI
from kinfolk.numerics import shared_factorization
from kinfolk.numerics.subspaces import SUBSPACES
from kinfolk.tables import Tasks

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(15, 6)) + 2.0 * np.kron(np.eye(3), np.ones((5, 2)))


@parametrize_with_checks([ASI(n_init=2)])
def test_scikit_learn_takes_the_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("subspace", ["explained", "published"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_one_sweep_and_the_objective_are_the_printed_formulas(form, subspace):
    made, Y = SUBSPACES[subspace](form(X), 2), RANDOM.uniform(size=(15, 3))
    s = subspace_iteration.with_best_subspace(form(X), Y, made)
    expected = oracles.step(X, Y, np.zeros((3, 6)), s.W, s.F, 0.0)
    found = subspace_iteration.sweep(form(X), s, made)
    np.testing.assert_allclose(found.Y, expected, rtol=1e-10)
    size, tasks, none = np.sum(X**2), np.zeros(15), np.zeros((1, 3, 6))
    for p in (s, found):
        known = oracles.objective(X, tasks, p.Y, none, p.W, p.F, 0.0, subspace == "explained")
        assert subspace_iteration.objective(size, p, made) == pytest.approx(known, rel=1e-10)


@pytest.mark.parametrize("subspace", ["explained", "published"])
def test_it_is_a_shared_subspace_with_nothing_of_its_own(subspace):
    made, Y = SUBSPACES[subspace](X, 2), RANDOM.uniform(size=(15, 3))
    a = subspace_iteration.with_best_subspace(X, Y, made)
    p = shared_factorization.problem(X, Tasks.of(np.arange(15) % 2).rows(), 0.0, made)
    other = shared_factorization.best_centres(p, Y)
    for _ in range(10):
        a, other = subspace_iteration.sweep(X, a, made), shared_factorization.sweep(p, other)
    np.testing.assert_allclose(a.Y, other.Y, rtol=1e-9)


def test_with_all_directions_of_the_centres_it_is_soft_k_means():
    settings = {"n_init": 1, "tol": 0.0, "random_state": 0}
    a, b = ASI(3, n_components=3, **settings).fit(X), SoftKMeans(3, **settings).fit(X)
    np.testing.assert_allclose(a.objective_trace_, b.objective_trace_, rtol=1e-10)
    np.testing.assert_allclose(a.memberships_, b.memberships_, rtol=1e-8)


def test_other_subspaces_are_refused():
    with pytest.raises(ValueError, match="subspace is 'released'; choose one of 'explained', 'pub"):
        ASI(subspace="released").fit(X)
