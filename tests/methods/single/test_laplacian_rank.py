import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks

import laws
import oracles_clr as oracles
from kinfolk.errors import EmptyClusterWarning, InputError
from kinfolk.methods.single import laplacian_rank
from kinfolk.methods.single.laplacian_rank import CLR

GROUPS = np.arange(36) % 3


def rows(seed, spread=1.0):
    random = np.random.default_rng(seed)
    return 3.0 * np.eye(4)[GROUPS] + spread * random.normal(size=(36, 4))


@parametrize_with_checks([CLR(n_neighbors=5)])
def test_scikit_learn_takes_the_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("m", [1, 5, 20])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_first_graph_is_that_of_the_paper(m, form):
    X = rows(0)
    found = laplacian_rank.neighbor_weights(form(X), m)
    np.testing.assert_allclose(found.toarray(), oracles.first_graph(X, m), atol=1e-9)
    assert found.nnz <= m * len(X)


def test_a_projection_is_that_of_the_loops_and_the_least_of_its_objective():
    A = oracles.first_graph(rows(1), 6)
    random = np.random.default_rng(0)
    F = np.linalg.qr(random.normal(size=(36, 3)))[0]
    S = laplacian_rank.projected(sp.csr_array(A), F, 0.8).toarray()
    np.testing.assert_allclose(S, oracles.project(A, F, 0.8), atol=1e-12)
    for _ in range(5):
        other = random.uniform(size=A.shape) * (A > 0)
        other /= other.sum(axis=1, keepdims=True)
        for share in (0.01, 1.0):
            moved = (1 - share) * S + share * other
            assert oracles.objective(S, A, F, 0.8) < oracles.objective(moved, A, F, 0.8)


def test_the_answer_is_that_of_the_authors_loop():
    same = 0
    for seed in range(8):
        X = rows(seed)
        S = oracles.clr(oracles.first_graph(X, 8), 3)
        model = CLR(3, n_neighbors=8).fit(X)
        assert model.converged_ == (S is not None)
        if S is not None:
            np.testing.assert_allclose(model.graph_.toarray(), S, atol=1e-7)
            same += 1
    assert same >= 4


@pytest.mark.parametrize("seed", range(4))
def test_the_clusters_are_the_components_of_the_graph(seed):
    model = CLR(3, n_neighbors=8).fit(rows(seed, 0.6))
    assert laws.same_clusters(model.labels_, GROUPS)
    S = model.graph_
    np.testing.assert_allclose(S.sum(axis=1), 1.0)
    apart = model.labels_[:, None] != model.labels_
    assert S.toarray()[apart].max() == 0.0


def test_a_graph_of_k_components_is_the_answer():
    X = rows(0, 0.2)
    model = CLR(3, n_neighbors=4).fit(X)
    assert (model.n_iter_, model.converged_) == (1, True)
    np.testing.assert_allclose(model.graph_.toarray(), oracles.first_graph(X, 4), atol=1e-9)


def test_more_components_than_clusters_are_linked_by_more_neighbors():
    X = np.concatenate([np.arange(6.0), 100 + np.arange(6.0), 220 + np.arange(6.0)])[:, None]
    model = CLR(2, n_neighbors=2).fit(X)
    assert model.n_neighbors_ == 8
    assert laws.same_clusters(model.labels_, np.repeat([0, 0, 1], 6))


def test_where_no_graph_has_k_components_it_is_said():
    with pytest.warns(EmptyClusterWarning, match="only 1 of 2 clusters"):
        model = CLR(2).fit(np.array([[0.0], [1.0]]))  # each has but the other
    assert not model.converged_


def test_a_new_row_goes_where_its_nearest_rows_are():
    X = rows(3, 0.6)
    model = CLR(3, n_neighbors=8).fit(X)
    new = 3.0 * np.eye(4)[[0, 1, 2]]
    np.testing.assert_array_equal(model.predict(new), model.labels_[:3])
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_neighbors": 0}, "n_neighbors is 0; give at least 1"),
        ({"max_iter": 0}, "max_iter is 0; give at least 1"),
        ({"n_clusters": 99}, "n_clusters is 99 but X has only 36 rows"),
    ],
)
def test_unusable_parameters_are_refused(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        CLR(**parameters).fit(rows(0))
