"""Order of rows by content: the same for every order of rows, columns and tasks."""

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import content_order

RANDOM = np.random.default_rng(0)
COUNTS = RANDOM.poisson(0.6, size=(40, 12)).astype(float)
TABLES = {
    "plain": RANDOM.normal(size=(40, 5)),
    "counts": COUNTS,
    "sparse": sp.csr_array(COUNTS),
    "sparse, of both signs": sp.random_array((40, 9), density=0.3, format="csr", rng=RANDOM) * -2.5,
    "single precision": RANDOM.normal(size=(40, 5)).astype(np.float32),
    "one column": RANDOM.normal(size=(40, 1)),
    "constant columns": np.hstack([RANDOM.normal(size=(40, 2)), np.full((40, 2), 3.0)]),
    "rows of very different length": RANDOM.normal(size=(40, 3))
    * 10.0 ** np.arange(-20, 20)[:, None],
    "the largest numbers": 1e307 * RANDOM.uniform(-1, 1, size=(40, 3)),
    "the smallest numbers": 1e-307 * RANDOM.uniform(-1, 1, size=(40, 3)),
    "equal rows": np.repeat(RANDOM.normal(size=(8, 3)), 5, axis=0),
    "all rows equal": np.full((40, 3), 0.7),
    "zeros": np.zeros((40, 3)),
}
EACH = pytest.mark.parametrize("X", TABLES.values(), ids=TABLES)


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def literal_keys(X):
    """First sort keys by the formulas, with Python's exact integers."""
    X = dense(X).astype(float)
    low, high = X.min(axis=0) / 2, X.max(axis=0) / 2
    keys = [0] * len(X)
    for j in range(X.shape[1]):
        width = high[j] - low[j]
        u = [(x / 2 - low[j]) / width if width > 0 else 0.0 for x in X[:, j]]
        moments = [sum(round(v**p * 2**30) for v in u) / (2**30 * len(u)) for p in (1, 2, 3)]
        c = min(max(0.61 * moments[0] + 0.29 * moments[1] - 0.43 * moments[2], -1.0), 1.0)
        weight = 1 + np.cos(8 * np.arccos(c)) / 2
        for i, v in enumerate(u):
            keys[i] += round(v * weight * 2**30)
    return np.array(keys, dtype=float)


@EACH
def test_rows_are_in_the_same_order_however_rows_and_columns_come(X):
    expected = dense(X[content_order.order(X).rows])
    for seed in range(3):
        random = np.random.default_rng(seed)
        rows = random.permutation(X.shape[0])
        columns = random.permutation(X.shape[1])
        moved = X[rows][:, columns]
        found = dense(moved[content_order.order(moved).rows])
        np.testing.assert_array_equal(found, expected[:, columns])


@EACH
def test_columns_are_in_the_same_order_however_rows_and_columns_come(X):
    expected = dense(content_order.sorted_columns(X))
    random = np.random.default_rng(4)
    rows = random.permutation(X.shape[0])
    moved = X[rows][:, random.permutation(X.shape[1])]
    np.testing.assert_array_equal(dense(content_order.sorted_columns(moved)), expected[rows])


@EACH
def test_a_sparse_table_has_the_order_of_a_dense_one(X):
    X = dense(X)
    there = content_order.order(sp.csr_array(X)).rows
    np.testing.assert_array_equal(there, content_order.order(X).rows)


@pytest.mark.parametrize("name", ["plain", "counts", "sparse", "constant columns"])
def test_keys_are_those_of_the_formulas(name):
    first, _ = content_order.keys(TABLES[name])
    np.testing.assert_allclose(first, literal_keys(TABLES[name]), rtol=1e-7)


def test_blocks_of_rows_and_more_digits_change_no_order(monkeypatch):
    X = TABLES["plain"]
    expected = content_order.order(X).rows
    monkeypatch.setattr(content_order, "BLOCK", 17)
    np.testing.assert_array_equal(content_order.order(X).rows, expected)
    monkeypatch.setattr(content_order, "MOST_DIGITS", 4)
    np.testing.assert_array_equal(content_order.order(X).rows, expected)


def test_units_and_shifts_of_columns_do_not_matter():
    X = TABLES["plain"]
    moved = X * np.array([1e-5, 3.0, 7e4, 1.0, 0.3]) + np.array([2.0, -1e3, 5e5, 0.0, 9.0])
    np.testing.assert_array_equal(content_order.order(moved).rows, content_order.order(X).rows)


def test_rounding_of_standardized_rows_changes_no_order():
    X = COUNTS[np.unique(COUNTS, axis=0, return_index=True)[1]]
    order = np.random.default_rng(5).permutation(len(X))
    a, b = ((rows - rows.mean(axis=0)) / rows.std(axis=0) for rows in (X, X[order]))
    there = order[content_order.order(b).rows]
    np.testing.assert_array_equal(there, content_order.order(a).rows)


def test_equal_keys_of_different_rows_are_told_apart_by_their_sizes():
    first, second = content_order.keys(np.array([[1.0], [1e-30], [1e-20], [0.0]]))
    assert len(np.unique(first)) == 2
    assert len(np.unique(second)) == 4


def test_rows_of_a_task_have_the_order_of_a_table_of_their_own():
    X = TABLES["plain"]
    codes = np.random.default_rng(6).integers(3, size=len(X))
    found = content_order.order(X, codes)
    assert (
        codes[found.rows].tolist()
        == np.repeat(found.tasks, np.bincount(codes)[found.tasks]).tolist()
    )
    for t in range(3):
        own = np.flatnonzero(codes == t)
        there = found.rows[codes[found.rows] == t]
        np.testing.assert_array_equal(there, own[content_order.order(X[own]).rows])


@pytest.mark.parametrize("sizes", [(10, 10, 10), (5, 12, 13)])
def test_tasks_are_in_the_same_order_however_they_are_numbered(sizes):
    X = RANDOM.normal(size=(30, 4))
    codes = np.repeat([0, 1, 2], sizes)
    expected = content_order.order(X, codes).tasks
    number = np.array([2, 0, 1])
    found = content_order.order(X, number[codes]).tasks
    np.testing.assert_array_equal(found, number[expected])


def test_a_table_in_order_is_not_copied():
    X = TABLES["plain"]
    codes = np.zeros(len(X), dtype=int)
    rows, found = content_order.sorted_rows(X, codes)
    assert not found.is_given
    again, order = content_order.sorted_rows(rows, codes)
    assert again is rows
    np.testing.assert_array_equal(order.rows, np.arange(len(X)))
