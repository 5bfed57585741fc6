"""Columns with several peaks, told from those with one."""

import numpy as np
import pytest

from kinfolk.numerics import peaks

RANDOM = np.random.default_rng(0)


def minorant(x, F):
    """Greatest convex minorant of points (x_i, F_i), by all chords below them."""
    found = F.copy()
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            between = slice(i, j + 1)
            chord = F[i] + (F[j] - F[i]) * (x[between] - x[i]) / (x[j] - x[i])
            found[between] = np.minimum(found[between], chord)
    return found


def literal(x):
    """(P1) and (P2) by loops over all pairs of values."""
    x = np.sort(x)
    F = np.arange(len(x)) / len(x)
    places = np.unique(np.linspace(0, len(x) - 1, peaks.SPLITS).round().astype(int))
    each = []
    for m in places:
        below = (F[: m + 1] - minorant(x[: m + 1], F[: m + 1])).max()
        turned = -x[m:][::-1], -F[m:][::-1]
        above = (turned[1] - minorant(*turned)).max()
        each.append(max(below, above) / 2)
    return np.sqrt(len(x)) * min(each)


@pytest.mark.parametrize("shift", [0.0, 2.0, 6.0])
def test_the_distance_is_that_of_the_formula(shift):
    x = RANDOM.normal(size=60) + shift * np.repeat([0, 1], 30)
    assert peaks.distance(x) == pytest.approx(literal(x))


def draws(n):
    yield RANDOM.normal(size=n)
    yield RANDOM.random(n)
    yield np.exp(RANDOM.normal(size=n))
    yield RANDOM.standard_cauchy(n)
    yield RANDOM.exponential(size=n).round(1)
    yield RANDOM.normal(40, 12, size=n).round()


@pytest.mark.parametrize("n", [30, 150, 1000])
def test_columns_with_one_peak_hardly_ever_have_several(n):
    found = [peaks.has_several(x) for _ in range(20) for x in draws(n)]
    assert sum(found) <= 2


@pytest.mark.parametrize("k", [2, 3])
def test_clusters_of_one_column_are_peaks(k):
    x = 6 * np.resize(np.arange(k), 120) + RANDOM.normal(size=120)
    assert peaks.has_several(x)
    assert peaks.has_several(x.round(1))
    assert peaks.has_several(-1e6 * x + 3)


def test_columns_of_few_values_have_no_peaks():
    assert not peaks.has_several(np.resize([0.0, 1.0], 200))
    assert not peaks.has_several(np.resize([1.0, 2, 5], 200))
    zeros = np.where(RANDOM.random(200) < 0.3, 0.0, 10 + RANDOM.normal(size=200))
    assert not peaks.has_several(zeros)
    assert not peaks.has_several(np.ones(50))


@pytest.mark.parametrize("shift", [0.0, 6.0])
@pytest.mark.parametrize("zero", [0.0, 1e6])
def test_values_that_differ_by_rounding_alone_count_as_equal(shift, zero):
    x = (shift * np.resize([0, 1], 120) + RANDOM.normal(size=120)).round(1) + zero
    y = np.where(np.arange(120) % 3, x, (10 * x).round() * 0.1)
    assert len(np.unique(y)) > len(np.unique(x))
    assert peaks.has_several(y) == peaks.has_several(x) == (shift > 0)
