"""Descents of many variables that stay at 0 or above."""

import numpy as np

from kinfolk.numerics import bounded_descent


def quartic(x):
    """A quartic of 30 variables, whose minimum over x >= 0 has some at 0, and its slope."""
    random = np.random.default_rng(0)
    A = random.normal(size=(40, 30))
    away = A @ x - random.normal(size=40)
    return float(np.sum(away**2) + np.sum(x**4)), 2 * A.T @ away + 4 * x**3


START = np.random.default_rng(1).uniform(size=30)


def test_no_slope_leads_down_at_the_end():
    x = bounded_descent.minimized(quartic, START, 500)
    slope = quartic(x)[1]
    assert 0 < (x == 0).sum() < 30
    assert abs(slope[x > 0]).max() < 1e-6
    assert slope[x == 0].min() > -1e-6


def test_more_steps_lead_further_down():
    points = [bounded_descent.minimized(quartic, START, steps, memory=5) for steps in (1, 3, 40)]
    values = [quartic(x)[0] for x in (START, *points)]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == 4
    assert all(x.min() >= 0 for x in points)
