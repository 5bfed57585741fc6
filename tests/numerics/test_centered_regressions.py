import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import centered_regressions
from kinfolk.numerics.centered_regressions import CenteredRows

SHAPES = [(6, 20), (20, 6), (9, 9)]


def table(shape, seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=shape) * (random.random(shape) < 0.6) + 0.5 * (
        np.arange(shape[1]) > 3
    )


def penalty(V, q, rest):
    """Inverse of the prior covariance as a full matrix."""
    return np.linalg.inv(rest * (np.eye(len(V)) - V @ V.T) + V @ np.diag(q) @ V.T)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("shape", SHAPES)
def test_solutions_fulfil_the_normal_equations(form, shape):
    random = np.random.default_rng(1)
    X = (table(shape) - table(shape).mean(axis=0)) / 2.5
    n, d = shape
    Y = random.normal(size=(n, 2))
    Z = random.normal(size=(d, 2))
    V = np.linalg.qr(random.normal(size=(d, 3)))[0]
    q = np.array([0.2, 1.5, 3.0])
    rows = CenteredRows(form(table(shape)), 2.5)
    W = rows.towards(Y, Z, 0.7)
    np.testing.assert_allclose(X.T @ (X @ W - Y) + n * 0.7 * (W - Z), 0.0, atol=1e-10)
    W = rows.along(Y, V, q, 0.4)
    np.testing.assert_allclose(X.T @ (X @ W - Y) + n * penalty(V, q, 0.4) @ W, 0.0, atol=1e-10)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("shape", SHAPES)
def test_products_are_those_of_centered_rows(form, shape):
    X = (table(shape) - table(shape).mean(axis=0)) / 3.0
    rows = CenteredRows(form(table(shape)), 3.0)
    A = np.random.default_rng(2).normal(size=shape)
    np.testing.assert_allclose(rows.times(A.T), X @ A.T, atol=1e-12)
    np.testing.assert_allclose(rows.crossed(A), X.T @ A, atol=1e-12)
    Z = rows.leading(2)
    assert np.sum(Z**2) == pytest.approx(np.sum(np.linalg.svd(X)[1][:2] ** 2))


def test_equal_rows_have_no_spread():
    X = np.tile([0.45, -0.37, -0.22, -0.53, -2.94], (12, 1))
    unit = centered_regressions.spread([X])
    assert abs(CenteredRows(X, unit).times(np.eye(5))).max() < 1e-12


def test_the_spread_of_many_equal_rows_is_their_length_or_one():
    assert centered_regressions.spread([np.full((5000, 2), 0.1)]) == 1.0
    assert centered_regressions.spread([np.full((5000, 2), 10.1)]) == pytest.approx(10.1 * 2**0.5)
