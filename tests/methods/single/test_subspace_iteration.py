import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls
from sklearn.utils.estimator_checks import parametrize_with_checks

import laws
import oracles_lssmtc as oracles
from kinfolk.errors import InputError
from kinfolk.methods.single import subspace_iteration
from kinfolk.methods.single.soft_kmeans import SoftKMeans
from kinfolk.methods.single.subspace_iteration import ASI
from kinfolk.numerics import shared_factorization
from kinfolk.numerics.subspaces import SUBSPACES
from kinfolk.tables import Tasks

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(15, 6)) + 2.0 * np.kron(np.eye(3), np.ones((5, 2)))


@parametrize_with_checks(
    [ASI(n_init=2, max_iter=20, mixed=True), ASI(n_init=2, max_iter=20, init="random")]
)
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
@pytest.mark.parametrize("mixed", [False, True])
def test_one_exact_sweep_is_the_subspace_and_then_the_best_rows(mixed, subspace):
    made, Y = SUBSPACES[subspace](X, 2), RANDOM.uniform(size=(15, 3))
    s = subspace_iteration.with_best_subspace(X, Y, made)
    found = subspace_iteration.exact_sweep(X, Y, made, mixed)
    places = oracles.product(X, s.W)
    expected = (oracles.mixed_rows if mixed else oracles.single_rows)(places, s.F)
    # Three centers in two directions: mixed memberships are not the only ones, their sums are.
    np.testing.assert_allclose(found.Y @ s.F, expected @ s.F, atol=1e-7)


@pytest.mark.parametrize("subspace", ["explained", "published"])
def test_it_is_a_shared_subspace_with_nothing_of_its_own(subspace):
    made, Y = SUBSPACES[subspace](X, 2), RANDOM.uniform(size=(15, 3))
    a = subspace_iteration.with_best_subspace(X, Y, made)
    p = shared_factorization.problem(X, Tasks.of(np.arange(15) % 2).rows(), 0.0, made)
    other = shared_factorization.best_centers(p, Y)
    for _ in range(10):
        a, other = subspace_iteration.sweep(X, a, made), shared_factorization.sweep(p, other)
    np.testing.assert_allclose(a.Y, other.Y, rtol=1e-9)


@pytest.mark.parametrize(
    "way", [{"mixed": False}, {"mixed": True}, {"update": "multiplicative"}], ids=str
)
def test_with_all_directions_of_the_centers_it_is_soft_k_means(way):
    settings = {"n_init": 1, "max_iter": 20, "tol": 0.0, "random_state": 0, **way}
    a, b = ASI(3, n_components=3, **settings).fit(X), SoftKMeans(3, **settings).fit(X)
    np.testing.assert_allclose(a.objective_trace_, b.objective_trace_, rtol=1e-10)
    np.testing.assert_allclose(a.memberships_, b.memberships_, rtol=1e-8, atol=1e-10)


def test_other_subspaces_are_refused():
    with pytest.raises(ValueError, match="subspace is 'released'; choose one of 'explained', 'pub"):
        ASI(subspace="released").fit(X)


@pytest.mark.parametrize("subspace", ["explained", "published"])
@pytest.mark.parametrize("l", [1, 2, 4])
def test_directions_are_orthonormal(subspace, l):
    model = ASI(3, subspace=subspace, n_components=l, n_init=1, random_state=0).fit(X)
    W = model.components_
    # Three shared centers explain three directions at most.
    expected = min(l, 3) if subspace == "explained" else l
    assert W.shape == (6, expected)
    np.testing.assert_allclose(W.T @ W, np.eye(expected), atol=1e-10)


def test_there_are_at_most_as_many_directions_as_columns_and_k_unless_given():
    wanted = {"subspace": "published", "n_init": 1, "random_state": 0}
    assert ASI(3, n_components=99, **wanted).fit(X).components_.shape == (6, 6)
    assert ASI(3, **wanted).fit(X).components_.shape == (6, 3)


def test_the_printed_subspace_avoids_all_rows_where_there_is_room():
    wide = np.hstack([X, np.zeros((15, 4))])
    published = ASI(3, subspace="published", n_components=2, n_init=1, random_state=0).fit(wide)
    np.testing.assert_allclose(wide @ published.components_, 0, atol=1e-9)
    explained = ASI(3, n_components=2, n_init=1, random_state=0).fit(wide)
    assert np.square(wide @ explained.components_).sum() > 0.5 * np.square(wide).sum()


def test_new_rows_get_the_largest_entry_of_their_least_squares_memberships():
    model = ASI(3, mixed=True, n_init=1, random_state=0).fit(X)
    new = RANDOM.normal(size=(9, 6)) + 1.0
    places = new @ model.components_
    expected = [nnls(model._F.T, place)[0].argmax() for place in places]
    assert model.predict(new).tolist() == expected
    assert model.predict(sp.csr_array(new)).tolist() == expected


@pytest.mark.parametrize("subspace", ["explained", "published"])
@pytest.mark.parametrize("update", ["exact", "multiplicative"])
@pytest.mark.parametrize("mixed", [False, True])
def test_the_objective_never_rises(mixed, update, subspace):
    for init in ("random", "kmeans"):
        model = ASI(3, subspace, init=init, mixed=mixed, update=update, n_init=1, random_state=1)
        laws.assert_never_rises(model.set_params(tol=0, max_iter=30).fit(X), rounding=1e-9)


@pytest.mark.parametrize("mixed", [False, True])
def test_rows_of_the_fit_get_the_labels_of_new_rows(mixed):
    for subspace in ("explained", "published"):
        model = ASI(4, subspace, mixed=mixed, n_init=2, random_state=0).fit(X)
        np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_a_change_of_units_changes_units_only():
    a, b = (ASI(3, n_init=1, random_state=0).fit(c * X) for c in (1.0, 1000.0))
    np.testing.assert_allclose(b.objective_trace_, 1e6 * a.objective_trace_, rtol=1e-9)
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_allclose(abs(a.components_), abs(b.components_), atol=1e-6)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_components": 0}, "n_components is 0; give at least 1"),
        ({"init": "matched"}, "init is 'matched'; choose one of 'random', 'kmeans'"),
        ({"n_init": 0}, "n_init is 0; give at least 1"),
        ({"max_iter": 0}, "max_iter is 0; give at least 1"),
        ({"tol": np.nan}, "tol is nan; give a number of at least 0"),
        ({"n_clusters": 16}, "n_clusters is 16 but X has only 15 rows"),
    ],
)
def test_unusable_parameters_are_refused(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        ASI(**parameters).fit(X)
