import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence

import oracles_shared_neighbors as loops
from kinfolk.numerics import discrepancy, discrepancy_subspace
from kinfolk.numerics.discrepancy_subspace import Criterion, projected, subspace

CODES = np.random.default_rng(1).permutation(np.repeat([0, 1, 2], [14, 9, 7]))


def table(d, seed=0):
    random = np.random.default_rng(seed)
    scales = np.linspace(3.0, 0.5, d)
    return random.normal(size=(30, d)) * scales + 0.7 * CODES[:, None] * (np.arange(d) % 2)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("a", [0.0, 0.5, 0.9])
def test_products_are_those_of_the_loops(form, a):
    X = table(6)
    C = Criterion(form(X), CODES, a)
    np.testing.assert_allclose(C.times(np.eye(6)), loops.criterion(X, CODES, a), atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(("d", "l"), [(6, 3), (80, 5), (6, 50)])
@pytest.mark.parametrize("large", [True, False])
def test_the_subspace_is_that_of_the_leading_eigenvectors(form, d, l, large, monkeypatch):
    if large:
        monkeypatch.setattr(discrepancy_subspace, "DENSE", 0)
    X = table(d)
    if large and l >= d:
        l = d - 1
    values, vectors = np.linalg.eigh(loops.criterion(X, CODES, 0.5))
    kept = [c for c in range(d - 1, -1, -1) if values[c] > 1e-9][:l]
    W = subspace(form(X), CODES, 0.5, l)
    assert W.shape == (d, len(kept))
    np.testing.assert_allclose(W.T @ W, np.eye(len(kept)), atol=1e-10)
    np.testing.assert_allclose(W @ W.T, vectors[:, kept] @ vectors[:, kept].T, atol=1e-7)


def test_steps_that_do_not_converge_leave_it_to_the_dense_matrix(monkeypatch):
    X = table(80, seed=3)
    expected = np.linalg.eigh(loops.criterion(X, CODES, 0.5))[1][:, -5:]

    def fails(*_, **__):
        raise ArpackNoConvergence("no convergence", [], [])

    monkeypatch.setattr(discrepancy_subspace, "DENSE", 0)
    monkeypatch.setattr(discrepancy_subspace, "eigsh", fails)
    W = subspace(X, CODES, 0.5, 5)
    np.testing.assert_allclose(W @ W.T, expected @ expected.T, atol=1e-9)


def test_no_orthonormal_map_is_better():
    X = table(6)
    C = loops.criterion(X, CODES, 0.5)
    W = subspace(X, CODES, 0.5, 2)
    random = np.random.default_rng(5)
    others = [np.linalg.qr(random.normal(size=(6, 2)))[0] for _ in range(500)]
    assert np.trace(W.T @ C @ W) > max(np.trace(V.T @ C @ V) for V in others)


def test_without_weight_or_other_tasks_it_has_the_principal_components():
    X = table(6)
    components = np.linalg.svd(X - X.mean(axis=0))[2][:3].T
    for codes, a in ((CODES, 0.0), (np.zeros(30, dtype=int), 0.5)):
        W = subspace(X, codes, a, 3)
        np.testing.assert_allclose(W @ W.T, components @ components.T, atol=1e-9)


def test_tasks_are_nearer_in_the_subspace():
    X = table(6)
    W = subspace(X, CODES, 0.9, 3)
    share = lambda A: discrepancy.squared_mmd(A[CODES == 0], A[CODES == 2], "linear") / A.var()  # noqa: E731
    assert share(X @ W) < 0.2 * share(X)


@pytest.mark.parametrize("d", [3, 50])
def test_rows_that_do_not_vary_have_no_subspace(d):
    W = subspace(np.full((12, d), 0.7), np.arange(12) % 2, 0.5, 4)
    assert W.shape == (d, 0)


def test_rows_at_right_angles_to_the_subspace_lie_at_0():
    W = np.array([[1.0], [-1.0]]) / np.sqrt(2)
    Z = projected(np.array([[0.1, 0.1 + 1e-15], [3.0, 1.0], [0.0, 0.0]]), W)
    np.testing.assert_allclose(Z, [[0.0], [1.0], [0.0]])
