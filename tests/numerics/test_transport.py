"""Plans against a linear programme, and the certificate of the best plan."""

import numpy as np
import pytest

import oracles_related_centers as oracle
from kinfolk.numerics import matching, transport


def masses(random, k, l):
    """Draw two integer marginals with equal sums, some entries 0."""
    a = random.integers(0, 9, k)
    b = random.integers(0, 9, l)
    a[0] += max(b.sum() - a.sum(), 0)
    b[-1] += a.sum() - b.sum()
    return a, b


@pytest.mark.parametrize("seed", range(12))
def test_a_plan_costs_what_the_linear_programme_costs(seed):
    random = np.random.default_rng(seed)
    k, l = random.integers(1, 7, 2)
    C = random.random((k, l)) if seed % 3 else random.integers(0, 3, (k, l)).astype(float)
    a, b = masses(random, k, l)
    R = transport.plan(C, a, b)
    np.testing.assert_array_equal(R.sum(axis=1), a)
    np.testing.assert_array_equal(R.sum(axis=0), b)
    assert R.min() >= 0
    assert np.sum(R * C) == pytest.approx(oracle.transport(C, a, b), rel=1e-9)


def test_tiny_and_uneven_costs_are_resolved():
    C = np.array([[0.0, 3.0, 1e12], [1.0, 1.0, 1e12], [1e12, 1e12, 2e12 - 10]])
    for unit in (1e-30, 1.0, 1e30):
        R = transport.plan(unit * C, np.array([2, 2, 2]), np.array([2, 2, 2]))
        np.testing.assert_array_equal(R, 2 * np.eye(3))


def test_equal_masses_are_a_pairing():
    C = np.random.default_rng(0).random((6, 6))
    ones = np.ones(6, dtype=int)
    R = transport.plan(C, ones, ones)
    np.testing.assert_array_equal(R.argmax(axis=1), matching.assignment(-C))
