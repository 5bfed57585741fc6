"""Descents of many variables: the points of SciPy's `minimize`, by its routine or by itself."""

import numpy as np
import pytest

from kinfolk.numerics import bounded_descent


def problem(seed):
    """A quartic of 30 variables, whose minimum over x >= 0 has some at 0."""
    random = np.random.default_rng(seed)
    A = random.normal(size=(40, 30))
    b = random.normal(size=40)

    def value_and_slope(x):
        points.append(x.copy())
        away = A @ x - b
        return float(np.sum(away**2) + np.sum(x**4)), 2 * A.T @ away + 4 * x**3

    points = []
    return value_and_slope, random.uniform(size=30), points


@pytest.mark.parametrize(("steps", "memory"), [(3, 10), (40, 5), (500, 20)])
def test_the_points_are_those_of_minimize(steps, memory):
    assert bounded_descent._is_known()
    by_routine, x, points = problem(0)
    found = bounded_descent._by_routine(by_routine, x, steps, memory)
    by_minimize, x, others = problem(0)
    known = bounded_descent._by_minimize(by_minimize, x, steps, memory)
    np.testing.assert_array_equal(found, known)
    np.testing.assert_array_equal(points, others)


def test_no_slope_leads_down_at_the_end():
    value_and_slope, x, _ = problem(1)
    x = bounded_descent.minimized(value_and_slope, x, 500)
    slope = value_and_slope(x)[1]
    assert 0 < (x == 0).sum() < 30
    assert abs(slope[x > 0]).max() < 1e-6
    assert slope[x == 0].min() > -1e-6


def test_a_routine_that_is_called_in_another_way_is_not_used(monkeypatch):
    def refuses(*_):
        raise TypeError("function takes exactly 3 arguments")

    value_and_slope, x, _ = problem(2)
    expected = bounded_descent.minimized(value_and_slope, x, 20)
    bounded_descent._is_known.cache_clear()
    monkeypatch.setattr(bounded_descent, "_by_routine", refuses)
    try:
        found = bounded_descent.minimized(value_and_slope, x, 20)
        np.testing.assert_array_equal(found, expected)
    finally:
        bounded_descent._is_known.cache_clear()
