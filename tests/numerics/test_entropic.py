import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from kinfolk.numerics import distances, entropic, operators
from kinfolk.numerics.entropic import Moments, Rule

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(50, 4))
V = RANDOM.normal(size=(3, 4))
C = np.array([0.0, 2.0, 0.5])


def by_hand(X, V, beta, c, origin):
    """Memberships and log normalizers with full matrices."""
    E = np.square(X[:, None] - V[None]).sum(axis=2) + c
    scale = logsumexp(-beta * E, axis=1)
    above = beta * np.square(X - origin).sum(axis=1)
    return np.exp(-beta * E - scale[:, None]), (scale + above).sum()


@pytest.mark.parametrize("beta", [0.0, 0.3, 5.0])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("rows", [1, 7, 50])
def test_moments_in_blocks_are_those_of_the_whole_matrix(beta, make, rows, monkeypatch):
    monkeypatch.setattr(operators, "BLOCK", 4 * 4 * rows)
    origin = RANDOM.normal(size=4)
    U, log_sum = by_hand(X, V, beta, C, origin)
    found, found_sum = entropic.moments(make(X), Rule(V, beta, C), origin)
    np.testing.assert_allclose(found.mass, U.sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.sums, U.T @ X, rtol=1e-11, atol=1e-13)
    assert found_sum == pytest.approx(log_sum, rel=1e-12)
    np.testing.assert_allclose(entropic.mixture(make(X), [(1.0, Rule(V, beta, C))]), U, rtol=1e-11)


def test_rules_are_mixed_by_their_weights():
    a, b = (by_hand(X, centers, 0.7, C, np.zeros(4))[0] for centers in (V, V[::-1]))
    parts = [(0.25, Rule(V, 0.7, C)), (0.75, Rule(V[::-1], 0.7, C))]
    np.testing.assert_allclose(entropic.mixture(X, parts), 0.25 * a + 0.75 * b, rtol=1e-11)


def test_an_infinite_offset_leaves_a_center_out():
    found = entropic.mixture(X, [(1.0, Rule(V, 0.7, np.array([0.0, np.inf, 0.5])))])
    expected = by_hand(X, V[[0, 2]], 0.7, C[[0, 2]], np.zeros(4))[0]
    np.testing.assert_allclose(found[:, [0, 2]], expected, rtol=1e-11)
    assert not found[:, 1].any()


def test_nothing_overflows_and_no_row_is_empty():
    far = np.vstack([X, 1e8 * X, -1e8 * X])
    for beta in (1e-300, 1e6, 1e300 / 1e20):
        found, log_sum = entropic.moments(far, Rule(V, beta, C), far.mean(axis=0))
        assert found.mass.sum() == pytest.approx(len(far))
        assert np.isfinite(log_sum)
        assert np.isfinite(found.sums).all()


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_rows_far_from_zero_keep_their_digits(shift):
    U, _ = by_hand(X, V, 2.0, C, np.zeros(4))
    found = entropic.mixture(X + shift, [(1.0, Rule(V + shift, 2.0, C))])
    np.testing.assert_allclose(found, U, atol=1e-14 * max(1, 100 * shift))


def test_single_precision_stays_single_inside_and_double_in_the_sums(monkeypatch):
    seen = []
    softmax = entropic._softmax
    monkeypatch.setattr(
        entropic, "_softmax", lambda *a, **k: seen.append(softmax(*a, **k)) or seen[-1]
    )
    found, log_sum = entropic.moments(X.astype(np.float32), Rule(V, 0.7, C), X.mean(axis=0))
    assert seen[0][0].dtype == np.float32
    assert found.sums.dtype == found.mass.dtype == np.float64
    expected, expected_sum = entropic.moments(X, Rule(V, 0.7, C), X.mean(axis=0))
    np.testing.assert_allclose(found.sums, expected.sums, atol=1e-5)
    assert log_sum == pytest.approx(expected_sum, rel=1e-6)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("shift", [0.0, 30.0])
@pytest.mark.parametrize("gamma", [1e-3, 0.2, 5.0, 1e4])
def test_the_rounding_of_single_precision_bounds_what_it_does(gamma, shift, make):
    rows = RANDOM.normal(size=(4000, 20)) + shift
    single = rows.astype(np.float32)
    rule, origin = Rule(rows[:7], 1 / gamma, np.zeros(7)), rows.mean(axis=0)
    low, high = (entropic.moments(make(t), rule, origin)[1] for t in (single, single.astype(float)))
    allowed = entropic.rounding(make(single), gamma)
    assert 0 < gamma * abs(low - high) < allowed
    assert allowed < 1e-5 * (np.square(rows).sum() + gamma * len(rows))
    assert entropic.rounding(make(rows), gamma) < 1e-8 * allowed


def test_steep_scores_do_not_overflow_in_single_precision():
    single = 1e10 * X.astype(np.float32)
    for gamma in (1e-30, 1e-3, 1e30):
        rule = Rule(1e10 * V, 1 / gamma, C)
        found, log_sum = entropic.moments(single, rule, single.mean(axis=0, dtype=float))
        assert np.isfinite(log_sum)
        assert found.mass.sum() == pytest.approx(len(X), rel=1e-6)
        assert entropic.mixture(single, [(1.0, rule)]).dtype == np.float32


def test_threads_change_no_digit(monkeypatch):
    big = RANDOM.normal(size=(3000, 4))
    monkeypatch.setattr(operators, "BLOCK", 4 * 4 * 100)
    rule, origin = Rule(V, 0.7, C), np.zeros(4)
    libraries = entropic._libraries()
    results = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(
            entropic, "_libraries", lambda threads=threads: _Threads(libraries, threads)
        )
        results.append(entropic.moments(big, rule, origin))
    for found, log_sum in results[1:]:
        np.testing.assert_array_equal(found.sums, results[0][0].sums)
        assert log_sum == results[0][1]


class _Threads:
    """Stand-in for libraries that report this number of threads."""

    def __init__(self, libraries, threads):
        self.limit = libraries.limit
        self.info = lambda: [{"num_threads": threads}]


def test_nearest_counts_offsets():
    D = distances.squared(X, V)
    np.testing.assert_array_equal(entropic.nearest(X, V, C), (D + C).argmin(axis=1))
    assert (entropic.nearest(X, V, C) != D.argmin(axis=1)).any()


def test_means_of_nothing_are_the_fallback():
    found = Moments(np.array([2.0, 0.0]), np.array([[4.0], [0.0]])).means(np.array([7.0]))
    np.testing.assert_array_equal(found, [[2.0], [7.0]])
    both = Moments(np.ones(1), np.ones((1, 1))).plus(Moments(np.ones(1), np.zeros((1, 1))))
    np.testing.assert_array_equal(both.scaled(0.5).mass, [1.0])


@pytest.mark.parametrize("n", [20, 3000])
@pytest.mark.parametrize("shift", [0.0, 1e3])
def test_the_temperature_of_copies_of_few_rows_is_that_of_the_distance_of_two(n, shift):
    rows = np.random.default_rng(3).normal(size=(3, 7)) + shift
    apart = np.square(rows[:, None] - rows).sum(axis=2)[np.triu_indices(3, k=1)]
    copies = np.repeat(rows, n, axis=0)
    expected = pytest.approx(entropic.COLD * apart.min())
    assert entropic.temperature(copies, 3, 0) == expected
    assert entropic.temperature(copies, 3, 0, np.full(3 * n, 2.0)) == expected
    assert entropic.temperature(copies[:n], 1, 0) == 1.0


def test_the_temperature_is_twice_the_variance_inside_clusters():
    rows = np.concatenate([[-1.0, 1.0] * 5, [99.0, 101.0] * 5])[:, None]
    assert entropic.temperature(rows, 2, 0) == pytest.approx(2.0)
    assert entropic.temperature(sp.csr_array(rows), 2, 0) == pytest.approx(2.0)
    assert entropic.temperature(np.ones((4, 2)), 1, 0) == 1.0


def test_rows_that_equal_their_centers_are_softened_in_their_own_units():
    points = np.array([[1.0, 0.0], [0.0, 1.0], [5.0, 0.0]]).repeat(5, axis=0)
    for k in (3, 5):
        assert entropic.temperature(points, k, 0) == pytest.approx(0.02)
        assert entropic.temperature(10.0 * points, k, 0) == pytest.approx(2.0)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 30), st.integers(1, 5), st.integers(1, 4), st.floats(0, 50), st.integers(0, 9)
)
def test_rows_sum_to_one_and_mass_to_their_number(n, k, d, beta, seed):
    random = np.random.default_rng(seed)
    rows, rule = random.normal(size=(n, d)), Rule(random.normal(size=(k, d)), beta, np.zeros(k))
    np.testing.assert_allclose(entropic.mixture(rows, [(1.0, rule)]).sum(axis=1), 1)
    assert entropic.moments(rows, rule, rows[0])[0].mass.sum() == pytest.approx(n)


def test_the_bound_on_rounding_grows_with_the_distance_from_zero_and_not_with_its_square():
    X = np.random.default_rng(0).normal(size=(50, 2))
    near, far = (entropic.rounding(X + move, 1.0) for move in (1e3, 1e6))
    assert far == pytest.approx(1e3 * near, rel=0.01)
