import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from kinfolk.numerics import dominance, operators

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(23, 4)) * [1.0, 3.0, 0.1, 2.0] + [0.0, 50.0, 1e6, -3.0]
X[7] *= 30
X[11] = 0.0


def loops(X, compares):
    """Shares of columns and rows by loops."""
    n, d = X.shape
    columns, rows = [0.0] * d, [0.0] * n
    for i in range(n):
        length = sum(float(x) ** 2 for x in X[i])
        for j in range(d):
            if compares == "directions":
                columns[j] += float(X[i, j]) ** 2 / length if length else 0.0
                continue
            mean = sum(map(float, X[:, j])) / n if compares == "distances" else 0.0
            columns[j] += (float(X[i, j]) - mean) ** 2
            rows[i] += (float(X[i, j]) - mean) ** 2
        if compares == "directions":
            rows[i] = float(length > 0)
    moved = n / (n - 1) if compares == "distances" else 1
    return np.array(columns) / sum(columns), moved * np.array(rows) / sum(rows)


def test_a_single_far_row_has_the_whole_share_of_distances():
    far = np.vstack([np.zeros((9, 2)), [[3.0, 4.0]]])
    assert dominance.shares(far, "distances").rows[9] == pytest.approx(1.0)


@pytest.mark.parametrize("compares", ["distances", "lengths", "directions"])
@pytest.mark.parametrize("block", [operators.BLOCK, 10])
def test_the_shares_are_those_of_the_loops(compares, block, monkeypatch):
    monkeypatch.setattr(operators, "BLOCK", block)
    found = dominance.shares(X, compares)
    columns, rows = loops(X, compares)
    np.testing.assert_allclose(found.columns, columns, rtol=1e-9)
    np.testing.assert_allclose(found.rows, rows, rtol=1e-9)


def test_single_precision_adds_up_in_double():
    low = (X / 7).astype(np.float32)
    found = dominance.shares(low, "lengths").columns
    np.testing.assert_allclose(found, dominance.shares(low.astype(float), "lengths").columns)


def test_what_does_not_vary_has_no_share_of_distances():
    flat = np.hstack([RANDOM.normal(size=(9, 1)), np.full((9, 2), [0.1, 1.7e9])])
    assert dominance.shares(flat, "distances").columns.tolist() == [1.0, 0.0, 0.0]
    assert not dominance.shares(np.full((9, 3), 0.7), "distances").columns.any()
    assert not dominance.shares(np.zeros((4, 3)), "directions").rows.any()


def test_equal_numbers_of_many_rows_do_not_vary_by_the_rounding_of_their_mean():
    varying = np.random.default_rng(0).normal(size=(2000, 3)) * [1.0, 0.7, 0.5]
    constant = np.full((2000, 20), 0.1)
    found = dominance.shares(np.hstack([varying, constant]), "distances")
    assert np.count_nonzero(found.columns) == 3
    assert dominance.dominant(found.columns) is None
    assert not dominance.shares(constant, "distances").rows.any()


def test_columns_of_equal_size_all_count_and_a_large_one_alone():
    for d in (1, 2, 7, 100):
        assert dominance.effective(np.full(d, 1 / d)) == pytest.approx(d)
    large = dominance.shares(RANDOM.normal(size=(50, 5)) * [1e4, 1, 1, 1, 1], "distances")
    assert dominance.effective(large.columns) == pytest.approx(1.0, abs=1e-4)
    assert dominance.effective(np.zeros(3)) == 0.0


def raw(load):
    return load().data


@pytest.mark.parametrize(
    ("table", "lengths", "distances"),
    [
        (raw(load_iris), None, None),  # cm
        (raw(load_wine), 12, 12),  # proline, 98 % of the squared length
        (raw(load_breast_cancer), 23, 23),  # the largest area
        (raw(load_digits), None, None),
        (RANDOM.normal(size=(40, 2)) * [5.0, 1.0], None, None),  # one direction of a plane
        (RANDOM.normal(size=(40, 2)) * [50.0, 1.0], 0, 0),
        (np.hstack([RANDOM.normal(size=(40, 1)), np.full((40, 3), 0.1)]), 0, None),
    ],
)
def test_a_column_in_larger_units_is_found_and_one_of_the_same_unit_is_not(
    table, lengths, distances
):
    assert dominance.dominant(dominance.shares(table, "distances").columns) == distances
    assert dominance.dominant(dominance.shares(table, "lengths").columns) == lengths
    spread = np.std(table, axis=0)
    scores = (table - table.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0)
    assert dominance.dominant(dominance.shares(scores, "distances").columns) is None
