import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans

import laws
import oracles_views as oracles
from kinfolk import CoFKM, JoinedKMeans
from kinfolk.errors import InputError
from kinfolk.estimators.observed import ObservedRows, blocks_there, filled
from kinfolk.methods.multiview import collaborative_fuzzy, joined_kmeans
from kinfolk.numerics import memberships, view_centers
from made_views import as_lists, related_views, with_gaps

RANDOM = np.random.default_rng(0)
X, VIEWS, TRUTH = related_views(noise=1.0)
HOLED = with_gaps(X, VIEWS, 0.5)


def rows_of(X):
    columns = [np.arange(7)[own] for own in VIEWS.values()]
    there = blocks_there(X, columns, list(VIEWS))
    whole = filled(X)
    return ObservedRows(whole, [whole[:, own] for own in columns], there)


@pytest.mark.parametrize("table", [X, HOLED])
def test_a_sweep_of_joined_kmeans_is_that_of_its_formulas(table):
    p = RANDOM.integers(3, size=len(X))
    c = np.array([0.7, 2.0])
    found = joined_kmeans.sweep(rows_of(table), p, 3, c)
    V, new, J = oracles.joined_kmeans(as_lists(table, VIEWS), p, 3, c)
    assert found.p.tolist() == new
    np.testing.assert_allclose(found.J, J, rtol=1e-12)
    for ours, theirs in zip(found.V, V, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize("table", [X, HOLED])
@pytest.mark.parametrize(("m", "eta"), [(1.25, 0.0), (2.0, 0.3), (1.5, 0.5)])
def test_a_sweep_of_cofkm_is_that_of_its_formulas(table, m, eta):
    U = [RANDOM.dirichlet(np.ones(3), size=len(X)) for _ in VIEWS]
    found = collaborative_fuzzy.sweep(rows_of(table), U, m, eta)
    lists = as_lists(table, VIEWS)
    if eta == 0 and table is HOLED:  # no distance says anything about a missing view
        lists = as_lists(X, VIEWS)
        found = collaborative_fuzzy.sweep(rows_of(X), U, m, eta)
    new, A = oracles.cofkm_sweep(lists, U, m, eta)
    for ours, theirs in zip([*found.U, *found.A], [*new, *A], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9)
    expected = oracles.cofkm_objective(lists, new, A, m, eta)
    np.testing.assert_allclose(found.J, expected, rtol=1e-12)


def test_no_memberships_are_better_than_those_of_the_step():
    U = [RANDOM.dirichlet(np.ones(3), size=len(X)) for _ in VIEWS]
    found = collaborative_fuzzy.sweep(rows_of(HOLED), U, 1.5, 0.3)
    for v in range(2):
        for _ in range(20):
            other = list(found.U)
            other[v] = 0.9 * found.U[v] + 0.1 * RANDOM.dirichlet(np.ones(3), size=len(X))
            J = oracles.cofkm_objective(as_lists(HOLED, VIEWS), other, found.A, 1.5, 0.3)
            assert J >= found.J


def test_joined_kmeans_of_complete_rows_is_kmeans():
    expected = KMeans(3, n_init=10, random_state=0).fit(X)
    model = JoinedKMeans(3, views=VIEWS, random_state=0).fit(X)
    assert laws.same_clusters(model.labels_, expected.labels_)
    assert model.objective_trace_[-1] == pytest.approx(expected.inertia_, rel=1e-10)


def test_balanced_views_do_not_depend_on_units():
    other = X * np.repeat([1.0, 1e3], [4, 3])
    a, b = (JoinedKMeans(3, views=VIEWS, balance=True, random_state=0).fit(T) for T in (X, other))
    np.testing.assert_array_equal(a.labels_, b.labels_)
    assert a.objective_trace_[-1] == pytest.approx(b.objective_trace_[-1])
    assert b.view_weights_[0] > 0.999  # in its own units the small view weighs most


def test_a_fuzzifier_near_one_is_kmeans_and_one_membership_that_of_joined_views():
    expected = JoinedKMeans(3, views=VIEWS, random_state=0).fit(X)
    model = CoFKM(3, views=VIEWS, fuzzifier=1.001, collaboration=0.5, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    # Each view has half of the whole weight.
    assert model.objective_trace_[-1] == pytest.approx(expected.objective_trace_[-1], rel=0.01)
    joined = CoFKM(3, fuzzifier=1.5, random_state=0).fit(X)
    both = CoFKM(3, views=VIEWS, fuzzifier=1.5, collaboration=0.5, random_state=0).fit(X)
    np.testing.assert_allclose(both.memberships_, joined.memberships_, atol=1e-3)


def test_memberships_are_means_over_the_views_of_a_row():
    model = CoFKM(3, views=VIEWS, fuzzifier=2.0, random_state=0).fit(HOLED)
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.memberships_.argmax(axis=1), model.labels_)
    np.testing.assert_allclose(model.predict_memberships(HOLED), model.memberships_)


def test_parameters_out_of_range_are_refused():
    with pytest.raises(InputError, match=r"collaboration is 0.8; with 2 views give at most 0.5"):
        CoFKM(3, views=VIEWS, collaboration=0.8).fit(X)
    with pytest.raises(InputError, match="fuzzifier is 1.0; give a number greater than 1"):
        CoFKM(3, views=VIEWS, fuzzifier=1.0).fit(X)
    with pytest.raises(InputError, match="balance"):
        JoinedKMeans(3, views=VIEWS, balance=3).fit(X)


def test_a_cluster_without_rows_has_the_mean_of_all():
    U = memberships.indicator(np.zeros(len(X), dtype=int), 2)
    found = view_centers.means(X, U, np.ones(len(X)))
    np.testing.assert_allclose(found[1], X.mean(axis=0))


def test_a_column_of_two_views_has_centers_in_each():
    rows = np.random.default_rng(10).normal(size=(460, 3))
    copied = rows[:, [0, 1, 1, 2]]
    model = CoFKM(2, collaboration=0.1, fuzzifier=1.5, n_init=10, tol=1e-10, random_state=0)
    model.set_params(max_iter=1000)
    both = clone(model).set_params(views={"a": [0, 1], "b": [1, 2]}).fit(rows[:60])
    twice = clone(model).set_params(views={"a": [0, 1], "b": [2, 3]}).fit(copied[:60])
    assert laws.same_clusters(both.predict(rows), twice.predict(copied))
