import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import features, operators
from kinfolk.numerics.features import Features

CODES = np.array([1, 0, 2, 1, 1, 0])


def test_features_side_by_side_act_as_one_table():
    x, y = (
        np.random.default_rng(0).normal(size=(4, 5)),
        np.random.default_rng(1).normal(size=(6, 5)),
    )
    for form in (np.asarray, sp.csr_array):
        a, b = (Features([form(t[:, :2]), form(t[:, 2:])]) for t in (x, y))
        np.testing.assert_allclose(a.inner(b), x @ y.T)
        np.testing.assert_allclose(a.dense(), x)
        np.testing.assert_allclose(operators.dense(b.merged()), y)
        np.testing.assert_allclose(b.squared_norms(), np.square(y).sum(axis=1))
        np.testing.assert_allclose(b.rows(np.array([3, 0])).dense(), y[[3, 0]])
        assert a.shape == (4, 5)
        assert a.single().dense().dtype == np.float32


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_rows_are_divided_by_task_in_their_order(form):
    X, H = np.arange(12.0).reshape(6, 2), 10 * np.arange(18.0).reshape(6, 3)
    found = features.by_task([form(X), form(H)], CODES)
    assert len(found) == 3
    for t, own in enumerate(found):
        rows = [i for i in range(6) if CODES[i] == t]
        np.testing.assert_array_equal(own.dense(), np.hstack([X[rows], H[rows]]))
        assert len(own.tables) == 2


def test_dividing_rows_gives_up_the_undivided_tables():
    tables = [np.zeros((6, 2)), np.ones((6, 1))]
    features.by_task(tables, CODES)
    assert tables == []


def test_features_in_double_precision_are_not_copied():
    Z = np.zeros((3, 2))
    assert Features([Z]).double().tables[0] is Z
    low = Z.astype(np.float32)
    assert Features([low]).double().tables[0].dtype == np.float64


def test_tables_are_merged_sparse_only_if_all_are():
    dense, sparse = np.ones((2, 1)), sp.csr_array(np.eye(2))
    assert sp.issparse(Features([sparse, sparse]).merged())
    merged = Features([dense, sparse]).merged()
    np.testing.assert_array_equal(merged, [[1, 1, 0], [1, 0, 1]])
    one = Features([dense]).merged()
    one[0, 0] = 5.0  # k-means may overwrite it
    assert dense[0, 0] == 1.0


def test_the_shape_counts_the_columns_of_all_tables():
    assert Features([np.zeros((4, 2)), np.zeros((4, 5))]).shape == (4, 7)
    assert Features([np.zeros((4, 2))]).rows(slice(1, 3)).shape == (2, 2)
