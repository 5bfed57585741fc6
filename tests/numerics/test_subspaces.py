import numpy as np
import pytest
import scipy.sparse as sp

import oracles_lssmtc
from kinfolk.numerics import seminonnegative, subspaces
from kinfolk.numerics.subspaces import FirstColumns, LeastResidual, MostExplained

RANDOM = np.random.default_rng(0)


def scatter(X, Y):
    return oracles_lssmtc.scatter(X, Y)


def projector(W):
    return W @ W.T


@pytest.mark.parametrize("shape", [(9, 5), (5, 9), (6, 6)])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_axes_are_the_thin_singular_value_decomposition(shape, form):
    X = RANDOM.normal(size=shape) @ np.diag(np.r_[np.ones(shape[1] - 1), 0.0])
    R, s = subspaces.axes(form(X))
    known = np.linalg.svd(X, compute_uv=False)
    np.testing.assert_allclose(s, known[known > 1e-9], rtol=1e-10)
    np.testing.assert_allclose(R.T @ R, np.eye(len(s)), atol=1e-10)
    np.testing.assert_allclose(X @ R @ R.T, X, atol=1e-10)
    assert subspaces.axes(np.zeros((4, 3)))[1].shape == (0,)


@pytest.mark.parametrize("l", [1, 2, 4])
def test_least_residual_with_full_rank_is_the_printed_eigenproblem(l):
    X, Y = RANDOM.normal(size=(12, 4)), RANDOM.uniform(size=(12, 2))
    W = LeastResidual(X, l)(X.T @ seminonnegative.orthonormal_basis(Y).O)
    expected = oracles_lssmtc.least_eigenvectors(X, Y, l)
    np.testing.assert_allclose(projector(W), projector(expected), atol=1e-10)


@pytest.mark.parametrize("l", [1, 3, 5, 7])
def test_least_residual_of_a_deficient_table_reaches_the_least_eigenvalues(l):
    X = RANDOM.normal(size=(12, 4)) @ RANDOM.normal(size=(4, 7))
    Y = RANDOM.uniform(size=(12, 2))
    W = LeastResidual(X, l)(X.T @ seminonnegative.orthonormal_basis(Y).O)
    S = scatter(X, Y)
    np.testing.assert_allclose(W.T @ W, np.eye(l), atol=1e-10)
    least = np.linalg.eigvalsh(S)[:l].sum()
    assert np.trace(W.T @ S @ W) == pytest.approx(least, abs=1e-9)
    if l <= 3:
        np.testing.assert_allclose(X @ W, 0, atol=1e-11)


def test_least_residual_of_wide_tables_sees_nothing_of_the_data():
    X = RANDOM.poisson(1.0, size=(10, 30)).astype(float)
    Y = RANDOM.uniform(size=(10, 3))
    for form in (np.asarray, sp.csr_array):
        W = LeastResidual(form(X), 4)(X.T @ seminonnegative.orthonormal_basis(Y).O)
        np.testing.assert_allclose(X @ W, 0, atol=1e-11)
        np.testing.assert_allclose(W.T @ W, np.eye(4), atol=1e-12)


@pytest.mark.parametrize("l", [1, 2, 3])
def test_most_explained_loses_least_of_the_fitted_rows(l):
    X, Y = RANDOM.normal(size=(12, 6)), RANDOM.uniform(size=(12, 3))
    O = seminonnegative.orthonormal_basis(Y).O
    W = MostExplained(X, l)(X.T @ O)
    fitted = Y @ oracles_lssmtc.centers(Y, X)
    lost = np.linalg.svd(fitted, compute_uv=False)[l:]
    assert np.sum((fitted - fitted @ W @ W.T) ** 2) == pytest.approx(np.sum(lost**2), abs=1e-9)
    np.testing.assert_allclose(W.T @ W, np.eye(l), atol=1e-12)
    values = np.linalg.eigvalsh(X.T @ X - scatter(X, Y))
    assert np.sum((O.T @ X @ W) ** 2) == pytest.approx(values[::-1][:l].sum(), rel=1e-10)


def test_the_released_step_leaves_the_identity_where_it_is():
    X, Y = RANDOM.normal(size=(8, 5)), RANDOM.uniform(size=(8, 2))
    W = FirstColumns(X, 3)(X.T @ Y)
    F = oracles_lssmtc.centers(Y, X @ W)
    np.testing.assert_allclose(oracles_lssmtc.released_step(X, Y, W, F), W, atol=1e-14)
    tilted = W + 0.3 * np.abs(RANDOM.normal(size=W.shape))
    assert abs(oracles_lssmtc.released_step(X, Y, tilted, F) - tilted).max() > 1e-2


@pytest.mark.parametrize("kind", [LeastResidual, MostExplained, FirstColumns])
@pytest.mark.parametrize("shape", [(12, 5), (6, 15)])
def test_directions_are_orthonormal_and_ignore_the_basis_of_the_memberships(kind, shape):
    X, Y = RANDOM.normal(size=shape), RANDOM.uniform(size=(shape[0], 3))
    O = seminonnegative.orthonormal_basis(Y).O
    turn = np.linalg.qr(RANDOM.normal(size=(3, 3)))[0]
    W = kind(X, 2)(X.T @ O)
    np.testing.assert_allclose(W.T @ W, np.eye(2), atol=1e-10)
    np.testing.assert_allclose(projector(kind(X, 2)(X.T @ O @ turn)), projector(W), atol=1e-9)


def test_no_directions_are_none():
    X = RANDOM.normal(size=(6, 4))
    for kind in (MostExplained, FirstColumns):
        assert kind(X, 0)(X.T @ np.eye(6, 2)).shape == (4, 0)


def test_directions_that_explain_most_are_no_more_than_the_memberships_span():
    X = RANDOM.normal(size=(9, 6))
    assert MostExplained(X, 5)(X.T @ np.eye(9, 2)).shape == (6, 2)
