"""The maximum mean discrepancy against its printed double sums."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.errors import InputError
from kinfolk.numerics import discrepancy, operators


def printed(X, Y, k):
    """Equation (5) of Gretton et al. (2012), squared, by loops over all pairs."""
    m, n = len(X), len(Y)
    xx = sum(k(X[i], X[j]) for i in range(m) for j in range(m)) / m**2
    xy = sum(k(X[i], Y[j]) for i in range(m) for j in range(n)) / (m * n)
    yy = sum(k(Y[i], Y[j]) for i in range(n) for j in range(n)) / n**2
    return xx - 2 * xy + yy


def gaussian(bandwidth):
    return lambda x, y: math.exp(-sum((x - y) ** 2) / (2 * bandwidth**2))


@pytest.fixture
def tables():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 4)) * (rng.random((9, 4)) < 0.6)
    Y = rng.normal(0.7, size=(6, 4)) * (rng.random((6, 4)) < 0.6)
    return X, Y


def test_linear_kernel_equals_the_printed_sums(tables):
    expected = printed(*tables, lambda x, y: x @ y)
    assert discrepancy.squared_mmd(*tables, kernel="linear") == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("bandwidth", [0.4, 1.5, 20.0])
def test_gaussian_kernel_equals_the_printed_sums(tables, bandwidth):
    expected = printed(*tables, gaussian(bandwidth))
    measured = discrepancy.squared_mmd(*tables, bandwidth=bandwidth)
    assert measured == pytest.approx(expected, rel=1e-10)


def test_default_bandwidth_is_the_median_distance_of_different_rows(tables):
    X, Y = tables
    Y = np.vstack([Y, X[:2]])
    Z = np.vstack([X, Y])
    apart = [np.linalg.norm(p - q) for i, p in enumerate(Z) for q in Z[:i] if (p != q).any()]
    expected = discrepancy.squared_mmd(X, Y, bandwidth=float(np.median(apart)))
    assert discrepancy.squared_mmd(X, Y) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
def test_sparse_tables_give_the_value_of_dense_ones(tables, kernel):
    X, Y = tables
    dense = discrepancy.squared_mmd(X, Y, kernel=kernel)
    sparse = discrepancy.squared_mmd(sp.csr_array(X), sp.csr_array(Y), kernel=kernel)
    assert sparse == pytest.approx(dense, rel=1e-10)


@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
def test_it_is_zero_for_the_same_rows_in_any_order(tables, kernel):
    X = tables[0]
    assert discrepancy.squared_mmd(X, X[::-1], kernel=kernel) == pytest.approx(0, abs=1e-14)


def test_it_is_symmetric_above_the_size_of_the_bandwidth_sample():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(900, 2)), rng.normal(1.0, 2.0, size=(400, 2))
    there, back = discrepancy.squared_mmd(X, Y), discrepancy.squared_mmd(Y, X)
    assert there == pytest.approx(back, rel=1e-12)
    assert there == discrepancy.squared_mmd(X, Y)
    assert there > 0.05


def test_blocks_do_not_change_the_value(tables, monkeypatch):
    whole = discrepancy.squared_mmd(*tables)
    monkeypatch.setattr(operators, "BLOCK", 20)
    assert discrepancy.squared_mmd(*tables) == pytest.approx(whole, rel=1e-12)


def test_a_large_bandwidth_gives_the_linear_value(tables):
    linear = discrepancy.squared_mmd(*tables, kernel="linear")
    wide = discrepancy.squared_mmd(*tables, bandwidth=1e3)
    assert wide * 1e6 == pytest.approx(linear, rel=1e-4)


def test_default_is_free_of_units_and_of_the_origin(tables):
    X, Y = tables
    expected = discrepancy.squared_mmd(X, Y)
    assert discrepancy.squared_mmd(1e4 * X, 1e4 * Y) == pytest.approx(expected, rel=1e-10)
    assert discrepancy.squared_mmd(X + 1e6, Y + 1e6) == pytest.approx(expected, rel=1e-6)


def test_far_apart_points_reach_the_upper_bound():
    X, Y = np.zeros((3, 1)), np.full((2, 1), 100.0)
    assert discrepancy.squared_mmd(X, Y, bandwidth=1.0) == pytest.approx(2.0)


def test_it_is_zero_where_all_rows_are_equal():
    assert discrepancy.squared_mmd(np.ones((3, 2)), np.ones((2, 2))) == 0.0


def test_a_difference_in_width_alone_is_seen_by_the_gaussian_kernel_only():
    X, Y = np.array([[-1.0], [1.0]]), np.array([[-5.0], [5.0]])
    assert discrepancy.squared_mmd(X, Y, kernel="linear") == 0.0
    assert discrepancy.squared_mmd(X, Y) > 0.1


@pytest.mark.parametrize(
    ("shape", "options", "sentence"),
    [
        ((3, 3), {}, r"X is \(2, 2\) and Y is \(3, 3\)"),
        ((0, 2), {"kernel": "linear"}, "give two tables with rows"),
        ((3, 2), {"kernel": "rbf"}, "kernel='rbf' is not known; choose 'gaussian' or 'linear'"),
        ((3, 2), {"bandwidth": 0.0}, "bandwidth=0.0 must be above 0"),
        ((3, 2), {"bandwidth": float("nan")}, "bandwidth=nan must be above 0"),
    ],
)
def test_bad_input_is_refused_by_a_sentence(shape, options, sentence):
    with pytest.raises(InputError, match=sentence):
        discrepancy.squared_mmd(np.ones((2, 2)), np.ones(shape), **options)


def test_rows_in_single_precision_have_means_in_double():
    random = np.random.RandomState(0)
    X, Y = ((random.normal(size=(200_000, 2)) + 1000).astype(np.float32) for _ in range(2))
    found = discrepancy.squared_mmd(X, Y[:100_000], kernel="linear")
    exact = discrepancy.squared_mmd(X.astype(float), Y[:100_000].astype(float), kernel="linear")
    assert found == pytest.approx(exact)
