import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from kinfolk.preparation import scaling


def table(n=12, d=5, seed=0):
    X = np.random.default_rng(seed).normal(1, 2, (n, d))
    X[np.abs(X) < 0.5] = 0
    X[3] = 0
    return X


@pytest.mark.parametrize("make", [np.asarray, np.asfortranarray, sp.csr_array])
def test_rows_get_length_one_and_zero_rows_stay_zero(make):
    X = table()
    found = scaling.unit(make(X))
    dense = found.toarray() if sp.issparse(found) else found
    for row, scaled in zip(X, dense, strict=True):
        length = sum(value**2 for value in row) ** 0.5
        expected = row / length if length else row
        np.testing.assert_allclose(scaled, expected, rtol=1e-14)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("ends", [[5], [2, 5], [1, 2, 5], [1, 2, 3, 4, 5]])
def test_each_view_gets_length_one_by_itself(ends, make):
    X = table()
    found = scaling.unit(make(X), ends)
    assert sp.issparse(found) == (make is sp.csr_array)
    dense = found.toarray() if sp.issparse(found) else found
    start = 0
    for end in ends:
        np.testing.assert_allclose(dense[:, start:end], scaling.unit(X[:, start:end]), rtol=1e-14)
        start = end


@pytest.mark.parametrize("factor", [1e-6, 3.0, 1e8])
def test_unit_rows_do_not_depend_on_the_unit_of_measure(factor):
    np.testing.assert_allclose(scaling.unit(factor * table()), scaling.unit(table()), rtol=1e-13)


def test_scaling_twice_is_scaling_once():
    once = scaling.unit(table())
    np.testing.assert_allclose(scaling.unit(once), once, rtol=1e-15)
    X = table()
    standard = scaling.standard(X, *scaling.moments(X))
    np.testing.assert_allclose(
        scaling.standard(standard, *scaling.moments(standard)), standard, atol=1e-14
    )


def test_the_given_table_is_left_alone():
    for make in (np.array, sp.csr_array):
        X = make(table())
        scaling.unit(X)
        scaling.unit(X, [2, 5])
        scaling.standard(X, np.ones(5), np.ones(5))
        np.testing.assert_array_equal(X.toarray() if sp.issparse(X) else X, table())


def test_standard_columns_are_those_of_scikit_learn():
    X = table()
    found = scaling.standard(X, *scaling.moments(X))
    np.testing.assert_allclose(found, StandardScaler().fit_transform(X), atol=1e-14)


def test_moments_are_plain_means_and_deviations():
    X = table()
    center, spread = scaling.moments(X)
    for j, column in enumerate(X.T):
        mean = sum(column) / len(column)
        assert center[j] == pytest.approx(mean)
        assert spread[j] == pytest.approx((sum((column - mean) ** 2) / len(column)) ** 0.5)


def test_moments_of_many_rows_in_single_precision_are_those_in_double():
    X = (np.random.RandomState(0).normal(size=(300_000, 2)) + 1000).astype(np.float32)
    np.testing.assert_allclose(scaling.moments(X), scaling.moments(X.astype(float)), rtol=1e-12)


@pytest.mark.parametrize("value", [0.0, 0.1, -1 / 3, 1e-300, 1e15, 123456.789])
def test_a_constant_column_has_no_spread_however_it_rounds(value):
    X = np.full((97, 1), value)
    center, spread = scaling.moments(X)
    assert spread[0] == 0
    np.testing.assert_array_equal(scaling.standard(X, center, spread), 0)


def test_a_constant_column_of_many_rows_beside_others_has_no_spread():
    """NumPy adds the rows of a table one by one, which is off by more the more there are."""
    X = np.column_stack([np.full(20_000, 1e6 + 0.1), np.arange(20_000.0)])
    np.testing.assert_array_equal(scaling.moments(X)[1][0], 0.0)


@pytest.mark.parametrize("size", [1.0, 1e6])
def test_a_small_spread_above_rounding_is_kept(size):
    X = size + np.array([[0.0], [size * 1e-10]])
    assert scaling.moments(X)[1][0] == pytest.approx(size * 5e-11, rel=1e-4)


def test_sparse_rows_are_standardized_as_dense_ones():
    X = table()
    center, spread = scaling.moments(X)
    np.testing.assert_array_equal(
        scaling.standard(sp.csr_array(X), center, spread), scaling.standard(X, center, spread)
    )


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_only_rows_without_any_value_are_empty(make):
    X = np.array([[0.0, 0.0], [1.0, -1.0], [0.0, 1e-300], [0.0, 0.0]])
    assert scaling.empty_rows(make(X)).tolist() == [True, False, False, True]


def test_stored_zeros_do_not_fill_a_row():
    X = sp.csr_array((np.zeros(2), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 2))
    assert X.nnz == 2
    assert scaling.empty_rows(X).tolist() == [True, True]
