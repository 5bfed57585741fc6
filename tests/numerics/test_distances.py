import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kinfolk.numerics import distances

tables = st.tuples(st.integers(1, 6), st.integers(1, 5)).flatmap(
    lambda shape: arrays(float, shape, elements=st.floats(-1e3, 1e3, width=32))
)


@settings(deadline=None, max_examples=40)
@given(tables)
def test_squared_distances_are_sums_over_features(X):
    V = X[::-1] + 1.0
    expected = [[sum((a - b) ** 2 for a, b in zip(x, v, strict=True)) for v in V] for x in X]
    scale = 1e-12 * (1 + np.square(X).sum())
    for table in (X, sp.csr_array(X)):
        D = distances.squared(table, V)
        np.testing.assert_allclose(D, expected, atol=scale)
        assert D.min() >= 0


@settings(deadline=None, max_examples=40)
@given(tables)
def test_unit_rows_have_length_one_and_zero_rows_stay_zero(X):
    for table in (X, sp.csr_array(X)):
        Z = distances.unit_rows(table)
        Z = Z.toarray() if sp.issparse(Z) else Z
        zero = (np.square(X).sum(axis=1)) == 0
        np.testing.assert_allclose(np.square(Z).sum(axis=1), np.where(zero, 0.0, 1.0))
        np.testing.assert_allclose(Z * np.linalg.norm(X, axis=1)[:, None], X, atol=1e-9)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_scatter_is_the_sum_of_squared_distances_to_the_mean(kind):
    X = np.random.default_rng(0).normal(size=(20, 3)) + 5
    assert distances.scatter(kind(X)) == pytest.approx(20 * X.var(axis=0).sum())
    assert distances.scatter(kind(np.full((4, 2), 0.1))) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_cosines_of_pairs_of_rows(form):
    A, B = np.random.default_rng(0).normal(size=(2, 7, 4))
    found = distances.paired_cosines(form(A), form(B))
    np.testing.assert_allclose(
        found, [x @ z / np.sqrt((x @ x) * (z @ z)) for x, z in zip(A, B, strict=True)], rtol=1e-12
    )
    assert distances.paired_cosines(form(np.zeros((1, 4))), form(B[:1])).tolist() == [0.0]
