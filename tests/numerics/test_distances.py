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


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_equal_rows_do_not_scatter_whatever_rounding_leaves(form):
    X = np.full((7, 3), 0.1)
    assert 0 <= distances.scatter(form(X)) < 1e-12


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_scaled_rows_keep_form_and_precision(form, kind):
    X = form(np.array([[3.0, 4.0], [0.0, 0.0]], dtype=kind))
    unit = distances.unit_rows(X)
    assert unit.dtype == kind
    assert sp.issparse(unit) == sp.issparse(X)
    dense = unit.toarray() if sp.issparse(unit) else unit
    np.testing.assert_allclose(dense, [[0.6, 0.8], [0.0, 0.0]], rtol=1e-6)


def test_lengths_of_single_precision_are_added_in_double():
    X = np.full((1, 10**6), 1e-4, dtype=np.float32)
    assert distances.squared_norms(X)[0] == pytest.approx(1e-2, rel=1e-6)
    assert distances.squared_norms(sp.csr_array(X))[0] == pytest.approx(1e-2, rel=1e-6)


def test_inverse_lengths_of_zero_are_zero():
    found = distances.inverse_lengths(np.array([4.0, 0.0, 1e-300]))
    np.testing.assert_allclose(found, [0.5, 0.0, 1e150])


FAR_AWAY = 5e8 + np.random.default_rng(3).integers(-4, 5, size=(30, 3))


def test_distances_of_rows_far_from_zero_keep_their_digits():
    V = FAR_AWAY[:4] + 0.5
    expected = [[sum((a - b) ** 2 for a, b in zip(x, v, strict=True)) for v in V] for x in FAR_AWAY]
    np.testing.assert_allclose(distances.squared(FAR_AWAY, V), expected, rtol=1e-12)


def test_rows_near_zero_are_measured_from_zero():
    X = np.random.default_rng(0).normal(size=(9, 2)) + 50.0
    assert distances.origin(X) is None
    assert distances.nearby(X, X)[0] is X
    assert distances.origin(sp.csr_array(X + 1e9)) is None  # less a mean it would be dense


def test_rows_of_single_precision_are_moved_without_rounding():
    X = (FAR_AWAY - 5e8 + 2.0**20).astype(np.float32)
    near, V = distances.nearby(X, X)
    assert near.dtype == np.float32
    np.testing.assert_array_equal(near[:, None] - V, X[:, None] - X)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("weight", [None, np.arange(30) % 3 + 0.5])
def test_scatter_of_rows_far_from_zero_keeps_its_digits(kind, weight):
    w = np.ones(30) if weight is None else weight
    rows = FAR_AWAY * (np.arange(3) > 0)  # a column of zeros, which are not stored
    mean = np.average(rows, axis=0, weights=w)
    expected = sum(v * ((x - mean) ** 2).sum() for v, x in zip(w, rows, strict=True))
    found = distances.scatter_about(kind(rows), mean, weight)
    assert found == pytest.approx(expected, rel=1e-12)
