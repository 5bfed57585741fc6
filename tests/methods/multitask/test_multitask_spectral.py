import numpy as np
import pytest
import scipy.sparse as sp

import oracles_mtsc as oracle
from kinfolk import measures
from kinfolk.errors import InputError
from kinfolk.methods.multitask import multitask_spectral as module
from kinfolk.methods.multitask.multitask_spectral import MTSC, Weights
from kinfolk.numerics import distances, joint_row_sparsity
from kinfolk.numerics.joint_row_sparsity import CenteredTable

SIZES = {"a": 14, "b": 11}
K = {"a": 3, "b": 2}
TASKS = np.repeat(list(SIZES), list(SIZES.values()))
ALPHA, BETA, P = 0.8, 0.3, 0.9


def drawn(d, seed=0, signed=True):
    random = np.random.default_rng(seed)
    X = np.eye(3, d)[np.arange(25) % 3] + 0.3 * random.normal(size=(25, d))
    return distances.unit_rows(X if signed else np.abs(X))


def parts_of(X):
    return [X[task == TASKS] for task in SIZES]


def problem(X, l):
    tables = [CenteredTable(rows) for rows in parts_of(X)]
    S = [module.neighbors(H.X, l) if l else module.cosines(H.X) for H in tables]
    e = joint_row_sparsity.smoothing(tables, 5)
    return module.Problem(tables, S, [3, 2], Weights(ALPHA, BETA, P), e)


def settings(**changes):
    values = {"regression_weight": ALPHA, "shrinkage": BETA, "norm_power": P, "n_neighbors": 4}
    return values | {"random_state": 0} | changes


@pytest.mark.parametrize("signed", [True, False], ids=["signed", "not negative"])
@pytest.mark.parametrize("l", [4, 0], ids=["neighbors", "cosine"])
@pytest.mark.parametrize("d", [6, 30])
def test_one_sweep_and_the_objective_are_those_of_the_formulas(d, l, signed):
    X = drawn(d, signed=signed)
    p = problem(X, l)
    tables = parts_of(X)
    S = [oracle.similarity(rows, l) for rows in tables]
    for own, expected in zip(p.S, S, strict=True):
        np.testing.assert_allclose(own.times(np.eye(len(expected))), expected, atol=1e-10)
    first = module.start(p)
    D = oracle.row_weights([s.W for s in first], P, p.e)
    found = module.sweep(p, first)
    W, b = [], []
    for X_t, S_t, k, s in zip(tables, S, p.k, found, strict=True):
        F = oracle.embedding(X_t, S_t, D, ALPHA, BETA, k)
        np.testing.assert_allclose(s.F @ s.F.T, F @ F.T, atol=1e-7)
        own_W, own_b = oracle.ridge(X_t, s.F, D, BETA / ALPHA)
        np.testing.assert_allclose(s.W, own_W, atol=1e-7)
        W.append(own_W)
        b.append(own_b)
    J = oracle.objective(tables, S, [s.F for s in found], W, b, ALPHA, BETA, P, p.e)
    assert module.objective(p, found) == pytest.approx(J, rel=1e-8)
    assert module.objective(p, first) > J


def test_the_start_is_spectral_clustering_with_a_ridge_regression():
    X = drawn(6)
    p = problem(X, 4)
    for X_t, k, s in zip(parts_of(X), p.k, module.start(p), strict=True):
        F = np.linalg.eigh(oracle.similarity(X_t, 4))[1][:, ::-1][:, :k]
        np.testing.assert_allclose(s.F @ s.F.T, F @ F.T, atol=1e-8)
        W, _ = oracle.ridge(X_t, s.F, np.ones(6), BETA / ALPHA)
        np.testing.assert_allclose(s.W, W, atol=1e-8)


@pytest.mark.parametrize("affinity", module.AFFINITIES)
def test_lanczos_steps_and_dense_matrices_find_the_same(affinity, monkeypatch):
    dense = MTSC(K, **settings(affinity=affinity)).fit(drawn(6), tasks=TASKS)
    monkeypatch.setattr(module, "DENSE", 5)
    found = MTSC(K, **settings(affinity=affinity)).fit(drawn(6), tasks=TASKS)
    np.testing.assert_allclose(found.objective_trace_, dense.objective_trace_, rtol=1e-8)


def test_where_lanczos_steps_fail_a_dense_matrix_is_solved(monkeypatch):
    monkeypatch.setattr(module, "DENSE", 5)
    expected = MTSC(K, **settings()).fit(drawn(6), tasks=TASKS)

    def fails(*args, **options):
        raise module.ArpackNoConvergence("no convergence", np.empty(0), np.empty(0))

    monkeypatch.setattr(module.lanczos, "largest", fails)
    found = MTSC(K, **settings()).fit(drawn(6), tasks=TASKS)
    np.testing.assert_allclose(found.objective_trace_, expected.objective_trace_, rtol=1e-8)


def test_no_vector_of_equal_eigenvalues_is_missed():
    random = np.random.default_rng(0)
    X = np.repeat(100 * random.normal(size=(10, 3)), 60, axis=0) + random.normal(size=(600, 3))
    S = module.neighbors(X, 10)
    F = module.leading(600, 10, S.times)
    expected = np.linalg.eigvalsh(S.S.toarray())[-10:]
    np.testing.assert_allclose(np.diag(F.T @ S.times(F)), expected, atol=1e-9)


@pytest.mark.parametrize("p", [0.5, 1.0, 1.5])
def test_columns_that_tell_nothing_are_left_out(p):
    X = np.hstack([drawn(6), 0.05 * np.random.default_rng(4).normal(size=(25, 6))])
    model = MTSC(K, **settings(norm_power=p, shrinkage=1.0)).fit(X, tasks=TASKS)
    used = model.column_weights_
    assert used[:3].min() > 3 * used[6:].max()
    expected = np.sqrt(sum(np.square(W).sum(axis=1) for W in model.coef_))
    np.testing.assert_allclose(used, expected)


def test_a_power_of_two_leaves_each_task_by_itself_and_others_do_not():
    X = drawn(6)
    for p, alike in ((2.0, True), (0.5, False)):
        both = MTSC(K, **settings(norm_power=p, tol=0.0, max_iter=60)).fit(X, tasks=TASKS)
        alone = [
            MTSC(K[task], **settings(norm_power=p, tol=0.0, max_iter=60)).fit(X[task == TASKS])
            for task in SIZES
        ]
        W = [own.coef_[0] for own in alone]
        near = [np.allclose(abs(a), abs(b), atol=1e-6) for a, b in zip(both.coef_, W, strict=True)]
        assert all(near) == alike


def test_without_regression_it_is_spectral_clustering():
    X = drawn(6)
    model = MTSC(K, **settings(regression_weight=1e-9)).fit(X, tasks=TASKS)
    for X_t, k, F in zip(parts_of(X), K.values(), model.embeddings_, strict=True):
        values, vectors = np.linalg.eigh(oracle.similarity(X_t, 4))
        assert values[-k] - values[-k - 1] > 1e-3
        expected = vectors[:, -k:] @ vectors[:, -k:].T
        np.testing.assert_allclose(F @ F.T, expected, atol=1e-6)


def test_a_strong_shrinkage_leaves_no_regression():
    model = MTSC(K, **settings(shrinkage=1e6)).fit(drawn(6), tasks=TASKS)
    assert max(abs(W).max() for W in model.coef_) < 1e-3
    for rows, F in zip(parts_of(drawn(6)), model.embeddings_, strict=True):
        S = oracle.similarity(rows, 4) + ALPHA / len(rows)
        expected = np.linalg.eigh(S)[1][:, -F.shape[1] :]
        np.testing.assert_allclose(F @ F.T, expected @ expected.T, atol=1e-6)


def test_new_rows_go_where_the_regression_puts_them():
    X = drawn(8)
    model = MTSC(K, **settings()).fit(sp.csr_array(X), tasks=TASKS)
    new = drawn(8, seed=9)
    for t, task in enumerate(SIZES):
        places = distances.unit_rows(new @ model.coef_[t] + model.intercepts_[t])
        expected = distances.squared(places, model._clusters[t].centers).argmin(axis=1)
        np.testing.assert_array_equal(model.predict(new, tasks=task), expected)
        truth = np.arange(25) % 3
        if K[task] == 3:
            assert measures.accuracy(truth, expected) > 0.9


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"regression_weight": 0.0}, "regression_weight is 0.0"),
        ({"shrinkage": -1.0}, "shrinkage is -1.0"),
        ({"norm_power": 2.5}, "norm_power is 2.5; give a number above 0, and 2 at most"),
        ({"affinity": "euclid"}, "affinity is 'euclid'; choose one of 'neighbors', 'cosine'"),
        ({"n_neighbors": 0}, "n_neighbors is 0"),
    ],
)
def test_what_cannot_be_used_is_refused(parameters, message):
    with pytest.raises(InputError, match=message):
        MTSC(**parameters).fit(drawn(6), tasks=TASKS)
