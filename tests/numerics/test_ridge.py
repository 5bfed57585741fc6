import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import memo
from kinfolk.numerics.ridge import Ridge, gram_eigenvectors

RANDOM = np.random.default_rng(0)


def table(n, d, rank=None):
    rank = min(n, d) if rank is None else rank
    return RANDOM.normal(size=(n, rank)) @ RANDOM.normal(size=(rank, d)) / np.sqrt(rank)


SHAPES = {
    "wide": table(5, 12),
    "tall": table(12, 5),
    "square": table(6, 6),
    "wide, dependent": table(7, 12, 3),
    "tall, dependent": table(12, 7, 3),
    "one row": table(1, 4),
    "one column": table(4, 1),
    "zero": np.zeros((4, 3)),
}


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("X", SHAPES.values(), ids=SHAPES)
def test_columns_solve_their_normal_equations(X, form):
    n, d = X.shape
    ridge = Ridge(form(X))
    for weight in (0.0, 0.25, 4.0):
        Y, Z = RANDOM.normal(size=(n, 3)), RANDOM.normal(size=(d, 3))
        c = np.array([0.01, 0.7, 30.0])
        found = ridge.towards(Y, Z, weight, c)
        for i in range(3):
            left = weight * X.T @ X + c[i] * np.eye(d)
            expected = np.linalg.solve(left, weight * X.T @ Y[:, i] + c[i] * Z[:, i])
            np.testing.assert_allclose(found.W[:, i], expected, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(found.values, X @ found.W, rtol=1e-10, atol=1e-10)


def test_without_weight_the_target_is_the_answer():
    Z = RANDOM.normal(size=(12, 2))
    found = Ridge(SHAPES["wide"]).towards(np.ones((5, 2)), Z, 0.0, np.ones(2))
    np.testing.assert_array_equal(found.W, Z)


def test_a_small_penalty_gives_the_interpolant_nearest_to_the_target():
    X, y, z = SHAPES["wide"], RANDOM.normal(size=(5, 1)), RANDOM.normal(size=(12, 1))
    found = Ridge(X).towards(y, z, 1.0, np.array([1e-10]))
    np.testing.assert_allclose(found.values, y, atol=1e-8)
    np.testing.assert_allclose(found.W, z + np.linalg.pinv(X) @ (y - X @ z), atol=1e-7)


def test_a_wide_sparse_table_costs_its_entries():
    X = sp.csr_array(sp.random_array((6, 2_000_000), density=1e-5, rng=1, format="csr"))
    found = Ridge(X).towards(np.ones((6, 1)), np.zeros((X.shape[1], 1)), 2.0, np.ones(1))
    slope = X.T @ (2.0 * (found.values - 1)) + found.W
    assert abs(slope).max() <= 1e-12


@pytest.mark.parametrize("shape", [(4, 40), (10, 12), (20, 3)])
def test_condensed_rows_keep_their_distances(shape):
    X = table(*shape)
    rows = Ridge(X).condensed()
    assert rows.shape[1] == (4 if shape == (4, 40) else shape[1])
    np.testing.assert_allclose(rows @ rows.T, X @ X.T, atol=1e-12)


def test_the_smaller_gram_matrix_is_decomposed():
    for X in (SHAPES["wide"], SHAPES["tall"]):
        values, vectors = gram_eigenvectors(X)
        G = X @ X.T if X.shape[0] <= X.shape[1] else X.T @ X
        assert vectors.shape == (5, 5)
        np.testing.assert_allclose(vectors * values @ vectors.T, G, atol=1e-10)


def test_regressions_on_one_table_share_its_decomposition_inside_a_memory(monkeypatch):
    calls = []
    plain = np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda G: calls.append(1) or plain(G))
    Y, Z = np.ones((5, 1)), np.zeros((12, 1))
    expected = Ridge(SHAPES["wide"]).towards(Y, Z, 1.0, np.ones(1)).W
    with memo.remembering():
        for _ in range(3):
            found = Ridge(SHAPES["wide"]).towards(Y, Z, 1.0, np.ones(1)).W
            np.testing.assert_array_equal(found, expected)
    assert len(calls) == 2


def test_a_large_penalty_gives_the_target():
    Z = RANDOM.normal(size=(5, 2))
    found = Ridge(SHAPES["tall"]).towards(np.ones((12, 2)), Z, 1.0, np.full(2, 1e14))
    np.testing.assert_allclose(found.W, Z, atol=1e-10)


def test_weight_and_penalty_count_by_their_ratio():
    Y, Z = RANDOM.normal(size=(12, 2)), RANDOM.normal(size=(5, 2))
    one = Ridge(SHAPES["tall"]).towards(Y, Z, 2.0, np.array([3.0, 5.0]))
    other = Ridge(SHAPES["tall"]).towards(Y, Z, 1.0, np.array([1.5, 2.5]))
    np.testing.assert_allclose(one.W, other.W, rtol=1e-12)
