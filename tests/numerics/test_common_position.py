"""Zeros and units in which the measurements of several tasks are comparable."""

import itertools

import numpy as np
import pytest

from kinfolk.numerics import common_position


def misfit_by_loops(centers):
    """Misfit by the printed formula: every pairing of every two tasks is tried."""
    nearest = []
    for m in centers:
        for c in range(len(m)):
            others = [((m[c] - m[e]) ** 2).sum() for e in range(len(m)) if e != c]
            nearest.append(min(others))
    s_squared = np.median(nearest) / 4
    found = []
    for a, b in itertools.combinations(centers, 2):
        few, many = sorted([a, b], key=len)
        sums = []
        for chosen in itertools.permutations(range(len(many)), len(few)):
            parts = [((m - many[e]) ** 2).sum() for m, e in zip(few, chosen, strict=True)]
            sums.append(sum(min(part / s_squared, 1) for part in parts))
        found.append(min(sums) / len(few))
    return np.mean(found)


@pytest.mark.parametrize("seed", range(5))
def test_the_misfit_is_that_of_the_best_pairing_of_each_two_tasks(seed):
    random = np.random.default_rng(seed)
    centers = [3 * random.normal(size=(k, 2)) for k in (3, 4, 2)]
    assert common_position.misfit(centers) == pytest.approx(misfit_by_loops(centers))


def drawn(shares, zeros, units, seed=0):
    """Centers, means and spreads of tasks with four groups in other shares, zeros and units."""
    random = np.random.default_rng(seed)
    groups = 6 * random.normal(size=(4, 3))
    centers = [zero + unit * groups for zero, unit in zip(zeros, units, strict=True)]
    means = [np.average(m, axis=0, weights=w) for m, w in zip(centers, shares, strict=True)]
    return centers, np.array(means), np.array([[unit] * 3 for unit in units])


def apart(centers, zeros, units):
    """Largest distance of equal groups of two tasks after they were made comparable."""
    first, second = ((m - o) / w for m, o, w in zip(centers, zeros, units, strict=True))
    return np.linalg.norm(first - second, axis=1).max()


def test_tasks_in_one_unit_stay_as_they_are_where_they_have_other_groups():
    centers, _, spreads = drawn([[1, 1, 1, 1]] * 2, [0, 0], [1, 1])
    centers = [centers[0][:3], centers[1][1:]]
    means = np.array([m.mean(axis=0) for m in centers])
    zeros, units = common_position.placements(centers, means, spreads)
    np.testing.assert_array_equal(zeros, 0)
    np.testing.assert_array_equal(units, 1)


def test_tasks_in_other_units_with_other_shares_are_moved_onto_each_other():
    table = drawn([[8, 1, 1, 1], [1, 1, 1, 8]], [0, 400], [1, 50])
    zeros, units = common_position.placements(*table)
    np.testing.assert_allclose(units, [[1] * 3, [50] * 3])
    assert apart(table[0], table[1], table[2]) > 5
    assert apart(table[0], zeros, units) < 1e-9


def test_columns_that_do_not_vary_have_unit_one():
    centers, means, spreads = drawn([[1, 1, 1, 1]] * 2, [0, 0], [2, 2])
    spreads[:, 1] = 0
    spreads[0, 2] = 0
    zeros, units = common_position.placements(centers, means, spreads)
    np.testing.assert_allclose(units, [[2, 1, 2]] * 2)


def test_tasks_of_one_cluster_each_are_centered():
    means = np.array([[1.0, 2.0], [3.0, 4.0]])
    zeros, _ = common_position.placements([means[:1], means[1:]], means, np.ones((2, 2)))
    np.testing.assert_array_equal(zeros, means)
