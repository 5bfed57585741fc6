import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

import laws
import oracles_lssmtc as oracles
from kinfolk.blocks import Blocks
from kinfolk.errors import InputError
from kinfolk.methods.single import soft_kmeans
from kinfolk.methods.single.soft_kmeans import SoftKMeans
from kinfolk.numerics import memberships

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(15, 6)) + 2.0 * np.kron(np.eye(3), np.ones((5, 2)))


WAYS = [
    {"mixed": False, "update": "exact"},
    {"mixed": True, "update": "exact"},
    {"update": "multiplicative"},
]
"""Memberships in one cluster and in several, by exact rows, and the published step."""


def as_random_starts(estimator):
    """Checks that starts from random memberships do not pass, as each copy of a row has others."""
    if estimator.init != "random":
        return {}
    names = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    return dict.fromkeys(names, "random memberships of repeated rows are others")


@parametrize_with_checks(
    [
        SoftKMeans(n_init=1, max_iter=20, mixed=True),
        *(SoftKMeans(init="random", n_init=2, max_iter=20, **way) for way in WAYS),
    ],
    expected_failed_checks=as_random_starts,
)
def test_scikit_learn_takes_the_estimator(estimator, check):
    check(estimator)


def test_one_sweep_and_the_objective_are_the_printed_formulas():
    Y = RANDOM.uniform(size=(15, 3))
    s = soft_kmeans.with_best_centers(X, Y)
    np.testing.assert_allclose(s.V, oracles.centers(Y, X), rtol=1e-10)
    found = soft_kmeans.sweep(X, s)
    expected = oracles.step(X, Y, s.V, np.zeros((6, 1)), np.zeros((3, 1)), 1.0)
    assert abs(expected - Y).max() > 0.1
    np.testing.assert_allclose(found.Y, expected, rtol=1e-10)
    np.testing.assert_allclose(found.V, oracles.centers(expected, X), rtol=1e-9)
    size = np.sum(X**2)
    for point in (s, found):
        known = oracles.residual(X, point.Y, point.V)
        assert soft_kmeans.objective(size, point) == pytest.approx(known, rel=1e-10)


@pytest.mark.parametrize("mixed", [False, True])
def test_one_exact_sweep_is_the_centers_and_then_the_best_rows(mixed):
    Y = RANDOM.uniform(size=(15, 3))
    found = soft_kmeans.exact_sweep(X, Y, mixed)
    V = oracles.centers(Y, X)
    np.testing.assert_allclose(found.V, V, rtol=1e-10)
    expected = oracles.mixed_rows(X, V) if mixed else oracles.single_rows(X, V)
    np.testing.assert_allclose(found.Y, expected, atol=1e-9)


@pytest.mark.parametrize("init", ["random", "kmeans"])
@pytest.mark.parametrize("way", WAYS)
def test_the_objective_never_rises(way, init):
    for seed in range(5):
        model = SoftKMeans(4, init=init, n_init=1, tol=0, max_iter=30, random_state=seed, **way)
        laws.assert_never_rises(model.fit(X), rounding=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("mixed", [False, True])
def test_rows_of_the_fit_are_members_of_the_clusters_that_new_rows_get(mixed, dtype):
    for k in (3, 9):  # of nine centers in six columns several memberships are equally good
        rows = X.astype(dtype)
        model = SoftKMeans(k, mixed=mixed, n_init=2, random_state=0).fit(rows)
        np.testing.assert_array_equal(model.predict(rows), model.labels_)
        V = model.cluster_centers_.astype(float)
        rest = np.sum((X - model.memberships_ @ V) ** 2)
        assert rest == pytest.approx(model.objective_trace_[-1], rel=1e-4, abs=1e-4)
        found = model.memberships_.any(axis=1)
        np.testing.assert_array_equal(
            model.memberships_[found].argmax(axis=1), model.labels_[found]
        )


def test_a_row_belongs_to_one_cluster_unless_it_may_be_mixed():
    entries = [(SoftKMeans(3, **way).fit(X).memberships_ > 0).sum(axis=1).max() for way in WAYS]
    assert entries[0] == 1
    assert min(entries[1:]) > 1


def test_exact_rows_reach_in_few_sweeps_what_takes_the_published_step_hundreds():
    flowers = load_iris().data
    settings = {"n_init": 1, "tol": 0, "random_state": 0}
    exact = SoftKMeans(3, mixed=True, max_iter=10, **settings).fit(flowers)
    printed = SoftKMeans(3, update="multiplicative", max_iter=300, **settings).fit(flowers)
    assert exact.objective_trace_[-1] < printed.objective_trace_[-1]


def test_hard_memberships_have_the_objective_of_k_means():
    labels = np.arange(15) % 3
    means = np.array([X[labels == c].mean(axis=0) for c in range(3)])
    s = soft_kmeans.with_best_centers(X, memberships.indicator(labels, 3))
    np.testing.assert_allclose(s.V, means)
    inertia = np.sum((X - means[labels]) ** 2)
    assert soft_kmeans.objective(np.sum(X**2), s) == pytest.approx(inertia)


def test_one_cluster_of_a_non_negative_table_is_its_first_singular_vector():
    s = np.linalg.svd(abs(X), compute_uv=False)
    model = SoftKMeans(1, n_init=1, max_iter=1000, tol=0.0, random_state=0).fit(abs(X))
    assert model.objective_trace_[-1] == pytest.approx(np.sum(s[1:] ** 2), rel=1e-6)


@pytest.mark.parametrize("init", ["random", "kmeans"])
@pytest.mark.parametrize("way", WAYS[1:])
def test_the_descent_ends_where_the_gradient_allows_no_more(way, init):
    settings = {"init": init, "n_init": 1, "max_iter": 4000, "tol": 1e-9, "random_state": 0}
    model = SoftKMeans(3, **way, **settings).fit(X)
    Y, V = model.memberships_, model.cluster_centers_
    gradient = (Y @ V - X) @ V.T
    assert np.abs(gradient * Y).max() < 1e-3 * np.abs(X @ V.T).max() * Y.max()
    np.testing.assert_allclose(V, np.linalg.pinv(Y) @ X, atol=1e-5)


def test_new_rows_get_the_largest_entry_of_their_least_squares_memberships():
    model = SoftKMeans(3, mixed=True, random_state=0).fit(X)
    new = RANDOM.normal(size=(8, 6)) + 1.0
    expected = [nnls(model.cluster_centers_.T, x)[0].argmax() for x in new]
    assert model.predict(new).tolist() == expected
    assert model.predict(sp.csr_array(new)).tolist() == expected


def test_new_rows_get_the_cluster_whose_direction_is_nearest():
    model = SoftKMeans(3, random_state=0).fit(X)
    new = RANDOM.normal(size=(8, 6)) + 1.0
    V = model.cluster_centers_ / np.linalg.norm(model.cluster_centers_, axis=1)[:, None]
    assert model.predict(new).tolist() == (new @ V.T).argmax(axis=1).tolist()
    np.testing.assert_array_equal(model.predict(7.0 * new), model.predict(new))


def test_sparse_and_dense_rows_give_the_same_trace():
    table = np.where(X > 1, X, 0.0)
    a, b = (SoftKMeans(3, random_state=0).fit(form(table)) for form in (np.asarray, sp.csr_array))
    np.testing.assert_allclose(a.objective_trace_, b.objective_trace_, rtol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"init": "warm"}, "init is 'warm'; choose one of 'random', 'kmeans'"),
        ({"update": "fast"}, "update is 'fast'; choose one of 'exact', 'multiplicative'"),
        ({"n_clusters": 40}, "n_clusters is 40 but X has only 15 rows"),
        ({"tol": -1}, "tol is -1; give a number of at least 0"),
        ({"max_iter": 0}, "max_iter is 0; give at least 1"),
        ({"n_init": 0}, "n_init is 0; give at least 1"),
    ],
)
def test_unusable_parameters_are_refused(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        SoftKMeans(**parameters).fit(X)


def test_a_fit_of_blocks_is_that_of_the_table():
    wide = np.vstack([X, X + 0.3 * RANDOM.normal(size=X.shape)])
    model = SoftKMeans(3, n_init=3, random_state=0)
    expected = model.fit(wide)
    labels = expected.labels_
    V = expected.cluster_centers_
    J = expected.objective_trace_
    Y = expected.memberships_
    for rows in (Blocks(wide, block_rows=7), Blocks(wide, tasks=list("ab") * 15, block_rows=7)):
        found = model.fit(rows)
        np.testing.assert_array_equal(found.labels_, labels)
        # A sweep that looks ahead magnifies rounding where the objective is flat.
        np.testing.assert_allclose(found.cluster_centers_, V, atol=1e-6)
        np.testing.assert_allclose(found.memberships_, Y, atol=1e-6)
        assert found.objective_trace_[-1] == pytest.approx(J[-1], rel=1e-10)
        np.testing.assert_array_equal(found.predict(rows), labels)


@pytest.mark.parametrize("ways", [{"mixed": True}, {"update": "multiplicative"}])
def test_blocks_need_exact_rows_of_one_cluster(ways):
    with pytest.raises(InputError, match="SoftKMeans needs update='exact' and mixed=False"):
        SoftKMeans(3, **ways).fit(Blocks(X))


def test_labels_of_the_printed_step_are_its_last_memberships_and_new_rows_get_the_best_ones():
    flowers = load_iris().data
    settings = {"mixed": True, "init": "random", "n_init": 1, "random_state": 0}
    printed = SoftKMeans(3, update="multiplicative", max_iter=20, tol=0.0, **settings).fit(flowers)
    np.testing.assert_array_equal(printed.labels_, printed.memberships_.argmax(axis=1))
    V = printed.cluster_centers_
    best = np.array([nnls(V.T, row)[0] for row in flowers])
    np.testing.assert_array_equal(printed.predict(flowers), best.argmax(axis=1))
    assert (printed.predict(flowers) != printed.labels_).mean() > 0.1
    exact = SoftKMeans(3, **settings).fit(flowers)
    np.testing.assert_array_equal(exact.predict(flowers), exact.labels_)
