import numpy as np
import pytest

from kinfolk.numerics import dominance, operators

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(23, 4)) * [1.0, 3.0, 0.1, 2.0] + [0.0, 50.0, 1e6, -3.0]
X[7] *= 30
X[11] = 0.0


def loops(X, compares):
    """Shares of columns and rows, square by square."""
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
