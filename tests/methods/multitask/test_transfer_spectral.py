import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

import oracles_tsc as oracle
from kinfolk.errors import InputError
from kinfolk.methods.multitask import transfer_spectral as module
from kinfolk.methods.multitask.transfer_spectral import TSC
from kinfolk.numerics import spectra

SIZES = {"a": 19, "b": 14, "c": 11}
TASKS = np.random.default_rng(3).permutation(np.repeat(list(SIZES), list(SIZES.values())))
CENTERS = 2.0 * np.abs(np.random.default_rng(2).normal(size=(3, 7)))
X = CENTERS[np.arange(44) % 3] + np.random.default_rng(0).normal(size=(44, 7))
NEW = CENTERS[np.arange(9) % 3] + np.random.default_rng(1).normal(size=(9, 7))
L, R, K = 5, 3.0, 3


def rows_of(task):
    return X[task == TASKS]


@pytest.fixture(scope="module")
def parts():
    return [oracle.graphs(rows_of(task), L) for task in dict.fromkeys(TASKS)]


def fitted(form=np.asarray, **parameters):
    model = TSC(K, R, L, random_state=0, tol=0.0, **parameters)
    return model.fit(form(X), tasks=TASKS)


def subspace(F):
    return F @ F.T


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("step", [1.0, 0.3])
def test_the_end_is_that_of_the_released_steps_whatever_their_length(parts, form, step):
    F, G, trace = oracle.released(parts, K, R, step, 800 if step == 1.0 else 2500)
    model = fitted(form)
    assert np.diff(trace).min() > -1e-12
    assert -model.objective_trace_[-1] == pytest.approx(trace[-1], rel=1e-9)
    # f does not change if F and G are turned together.
    Q = oracle.polar(model.components_.T @ G)
    np.testing.assert_allclose(model.components_ @ Q, G, atol=1e-4)
    for t, task in enumerate(dict.fromkeys(TASKS)):
        np.testing.assert_allclose(model.embedding_[task == TASKS] @ Q, F[t], atol=1e-4)


def test_one_sweep_is_that_of_the_formulas(parts):
    F, G = oracle.start(parts, K)
    tables = [rows_of(task) for task in dict.fromkeys(TASKS)]
    ours = [module.task_graphs(rows, L) for rows in tables]
    state = module.State(tuple(F), G, tuple(A @ G for _, A in parts))
    assert -module.objective(ours, state, R) == pytest.approx(oracle.objective(parts, F, G, R))
    found = module.sweep(ours, state, R)
    for t, (W, A) in enumerate(parts):
        expected = oracle.polar(2 * (W + np.eye(len(W))) @ F[t] + R * A @ G)
        np.testing.assert_allclose(found.F[t], expected, atol=1e-10)
    total = sum(A.T @ own for (_, A), own in zip(parts, found.F, strict=True))
    np.testing.assert_allclose(found.G, oracle.polar(total), atol=1e-10)


def test_no_other_orthonormal_columns_have_a_higher_value_nearby(parts):
    model = fitted()
    F = [model.embedding_[task == TASKS] for task in dict.fromkeys(TASKS)]
    best = oracle.objective(parts, F, model.components_, R)
    random = np.random.default_rng(5)
    for _ in range(50):
        moved = [oracle.polar(own + 0.05 * random.normal(size=own.shape)) for own in F]
        G = oracle.polar(model.components_ + 0.05 * random.normal(size=model.components_.shape))
        assert oracle.objective(parts, moved, G, R) < best


def test_the_start_is_no_lower_than_that_of_the_released_code(parts):
    F, G = oracle.start(parts, K)
    assert -fitted(max_iter=1).objective_trace_[0] >= oracle.objective(parts, F, G, R) - 1e-12


def test_directions_that_rows_lack_are_added_in_memory_that_grows_with_the_columns():
    rows = sp.csr_array(np.outer([1.0, 2.0, 0.0, 1.0], np.arange(1500) % 7))
    tracemalloc.start()
    G = module.leading_columns(rows, 3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_allclose(G.T @ G, np.eye(3), atol=1e-12)
    assert peak < 8 * 1500**2


def test_without_columns_each_task_has_the_leading_vectors_of_its_graph():
    model = TSC(K, 0.0, L, random_state=0).fit(X, tasks=TASKS)
    for task in SIZES:
        values, vectors = np.linalg.eigh(oracle.halved(oracle.neighbor_graph(rows_of(task), L)))
        assert values[-K] - values[-K - 1] > 1e-3
        F = model.embedding_[task == TASKS]
        np.testing.assert_allclose(subspace(F), subspace(vectors[:, -K:]), atol=1e-8)


def test_new_rows_lie_where_a_step_would_keep_them(parts, monkeypatch):
    model = fitted()
    seen = []
    of = module.embedded.distances.squared
    spied = lambda A, B: (seen.append(A), of(A, B))[1]  # noqa: E731
    monkeypatch.setattr(module.embedded.distances, "squared", spied)
    for t, task in enumerate(dict.fromkeys(TASKS)):
        model.predict(NEW, tasks=task)
        there, F = rows_of(task), model.embedding_[task == TASKS]
        W, A = parts[t]
        degrees = oracle.neighbor_graph(there, L).sum(axis=1)
        columns = (there - there.min()).sum(axis=0)
        inverse = np.linalg.inv(F.T @ (2 * W @ F + R * A @ model.components_))
        for i, x in enumerate(NEW):
            near = np.argsort([np.sum((x - other) ** 2) for other in there])[:L]
            a = np.maximum(x - there.min(), 0)
            z = 2 * sum(F[j] / np.sqrt(L * degrees[j]) for j in near)
            z = (z + R * (a / np.sqrt(a.sum() * columns)) @ model.components_) @ inverse
            np.testing.assert_allclose(seen[-1][i], z / np.linalg.norm(z), atol=1e-8)


def test_graphs_without_links_between_groups_are_taken():
    parts = [X[:22] + 100 * np.eye(3, 7)[np.arange(22) % 3], X[22:]]
    tasks = np.repeat(["far", "near"], 22)
    model = TSC(3, random_state=0).fit(np.vstack(parts), tasks=tasks)
    assert (np.bincount(model.labels_[:22] * 3 + np.arange(22) % 3) > 0).sum() == 3


def test_the_released_number_of_neighbors_becomes_what_a_task_has():
    model = TSC(3, n_neighbors=27, random_state=0).fit(X, tasks=TASKS)
    assert dict(zip(model.task_names_, model._l, strict=True)) == {"a": 18, "b": 13, "c": 10}


def test_eigenvalues_of_the_graphs_are_never_below_the_shift():
    for l in (1, 2, 5):
        S = spectra.normalized(sp.csr_array(oracle.neighbor_graph(X, l)))
        assert np.linalg.eigvalsh(S.toarray()).min() + module.SHIFT > -1e-12


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"feature_weight": -1.0}, "feature_weight is -1.0"),
        ({"n_neighbors": 0}, "n_neighbors is 0"),
        ({"n_clusters": 8}, "n_clusters is 8 but X has only 7 columns.*joint-spectral"),
        ({"n_clusters": {"a": 2, "b": 3, "c": 2}}, "TSC needs the same number of clusters"),
    ],
)
def test_what_cannot_be_used_is_refused(parameters, message):
    with pytest.raises(InputError, match=message):
        TSC(**parameters).fit(X, tasks=TASKS)
