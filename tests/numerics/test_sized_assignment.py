import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from kinfolk.numerics import sized_assignment
from kinfolk.numerics.sized_assignment import Bounds
from oracles_discriminative import highest_score


def total(F, labels):
    return F[np.arange(len(F)), labels].sum()


@pytest.mark.parametrize("slack", [0.0, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("ties", [False, True])
def test_no_labelling_within_the_bounds_scores_higher(slack, ties):
    random = np.random.default_rng(0)
    for _ in range(25):
        n = random.integers(3, 8)
        k = random.integers(2, min(n, 4) + 1)
        F = random.normal(size=(n, k))
        F = np.round(2 * F) if ties else F
        bounds = sized_assignment.window(n, k, slack)
        labels = sized_assignment.assign(F, bounds)
        sizes = np.bincount(labels, minlength=k)
        assert ((sizes >= bounds.low) & (sizes <= bounds.high)).all()
        assert total(F, labels) == pytest.approx(highest_score(F, *bounds), abs=1e-9)


@pytest.mark.parametrize(("n", "k", "slack"), [(100, 10, 0.1), (60, 4, 0.4), (30, 3, 0.3)])
def test_bounds_that_are_whole_numbers_are_not_widened_by_rounding(n, k, slack):
    share = round(10 * slack)
    bounds = sized_assignment.window(n, k, slack)
    assert bounds.low.tolist() == [(10 - share) * n // (10 * k)] * k
    assert bounds.high.tolist() == [(10 + share) * n // (10 * k)] * k


def test_exact_sizes_agree_with_the_assignment_problem_of_a_column_per_place():
    random = np.random.default_rng(1)
    F = random.normal(size=(60, 4)) + [3, 0, 0, 1]  # most rows want the first cluster
    sizes = np.array([10, 20, 25, 5])
    labels = sized_assignment.assign(F, Bounds(sizes, sizes))
    np.testing.assert_array_equal(np.bincount(labels), sizes)
    rows, places = linear_sum_assignment(np.repeat(F, sizes, axis=1), maximize=True)
    best = np.repeat(np.arange(4), sizes)[places[np.argsort(rows)]]
    np.testing.assert_array_equal(labels, best)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_units_of_scores_do_not_matter(scale):
    F = np.random.default_rng(2).normal(size=(40, 3))
    bounds = sized_assignment.window(40, 3, 0.1)
    expected = sized_assignment.assign(F, bounds)
    np.testing.assert_array_equal(sized_assignment.assign(scale * F, bounds), expected)
    prices = sized_assignment.prices(scale * F, expected, bounds)
    np.testing.assert_array_equal((scale * F + prices).argmax(axis=1), expected)


def test_prices_give_the_labels_and_are_0_where_no_bound_holds():
    random = np.random.default_rng(3)
    for slack in (0.0, 0.3, 0.6):
        for _ in range(20):
            F = random.normal(size=(30, 3)) + [1.0, 0.0, 0.0]
            bounds = sized_assignment.window(30, 3, slack)
            labels = sized_assignment.assign(F, bounds)
            prices = sized_assignment.prices(F, labels, bounds)
            np.testing.assert_array_equal((F + prices).argmax(axis=1), labels)
            sizes = np.bincount(labels, minlength=3)
            assert (prices[sizes > bounds.low] <= 1e-12).all()
            assert (prices[sizes < bounds.high] >= -1e-12).all()


def test_equal_scores_meet_the_bounds():
    bounds = sized_assignment.window(50, 3, 0.2)
    sizes = np.bincount(sized_assignment.assign(np.zeros((50, 3)), bounds), minlength=3)
    assert ((sizes >= bounds.low) & (sizes <= bounds.high)).all()


def test_bounds_can_always_be_met():
    for n in range(1, 12):
        for k in range(1, n + 1):
            for slack in (0.0, 0.5, 0.99):
                low, high = sized_assignment.window(n, k, slack)
                assert low.sum() <= n <= high.sum()
                assert low.min() >= 1


def test_first_prices_of_two_clusters_meet_the_bounds():
    random = np.random.default_rng(4)
    for _ in range(20):
        F = random.normal(size=(12, 2)) + [1.0, 0.0]
        bounds = Bounds(np.array([1, 1]), np.array([5, 12]))
        sizes = np.bincount((F + sized_assignment._first_prices(F, bounds)).argmax(axis=1))
        assert ((sizes >= bounds.low) & (sizes <= bounds.high)).all()
