"""Logarithms of skewed columns."""

import math

import numpy as np
import pytest

from kinfolk.numerics import mixed_mixtures
from kinfolk.preparation import logarithms

ONE = np.zeros(200, dtype=int)
SPEND = np.exp(np.random.default_rng(0).normal(size=200))


def terms(x, codes=None):
    return logarithms.terms(np.asarray(x)[:, None], ONE[: len(x)] if codes is None else codes)[:, 0]


def skewness_in_loops(x, codes):
    """Equation (2), task by task and row by row."""
    total = 0.0
    for t in set(codes.tolist()):
        own = [v for v, code in zip(x.tolist(), codes.tolist(), strict=True) if code == t]
        mean = math.fsum(own) / len(own)
        spread = math.sqrt(math.fsum((v - mean) ** 2 for v in own) / len(own))
        total += sum(((v - mean) / spread) ** 3 for v in own)
    return total / len(x)


def test_the_skewness_is_that_of_the_formula():
    codes = np.repeat([0, 1], [50, 150])
    x = np.where(codes == 1, 7 + 100 * SPEND, SPEND)
    assert logarithms.skewness(x, codes) == pytest.approx(skewness_in_loops(x, codes))


def test_a_column_with_few_large_values_becomes_its_logarithm():
    found = logarithms.terms(SPEND[:, None], ONE)
    assert found[:, 0].tolist() == [SPEND.min(), 0.0]
    np.testing.assert_allclose(logarithms.taken(SPEND[:, None], found)[:, 0], np.log(SPEND))


def test_with_zeros_the_median_of_the_others_is_added():
    x = np.where(np.arange(200) < 40, 0.0, SPEND)
    lowest, offset = terms(x)
    assert (lowest, offset) == (0.0, np.median(x[40:]))
    made = logarithms.taken(x[:, None], np.array([[lowest], [offset]]))
    np.testing.assert_allclose(made[:, 0], np.log(x + offset))


@pytest.mark.parametrize(
    "x",
    [
        np.random.default_rng(0).uniform(size=200),
        np.random.default_rng(0).normal(size=200),
        SPEND.max() - SPEND,
        np.minimum(np.random.default_rng(0).geometric(0.5, size=200), 9).astype(float),
        10 + np.random.default_rng(0).exponential(size=200),
        np.full(200, 0.1),
        np.full(200, np.nan),
    ],
    ids=[
        "even",
        "below zero",
        "few small values",
        "grades",
        "logarithm skewed",
        "constant",
        "gaps",
    ],
)
def test_other_columns_stay_as_they_are(x):
    assert np.isnan(terms(x)).all()
    found = logarithms.terms(x[:, None], ONE)
    assert logarithms.taken(x[:, None], found) is not None
    np.testing.assert_array_equal(logarithms.taken(x[:, None], found)[:, 0], x)


def test_tasks_of_different_levels_are_not_skewed_for_that():
    codes = np.repeat([0, 1], [170, 30])
    x = np.random.default_rng(0).uniform(1, 2, size=200) + 50 * codes
    assert logarithms.skewness(x, ONE) > logarithms.SKEWED
    assert np.isnan(terms(x, codes)).all()


def unequal_clusters(n, far):
    """Values of a large cluster about 0, and of a small one."""
    return np.random.default_rng(0).normal(size=n) + far * (np.arange(n) % 6 == 0)


@pytest.mark.parametrize("far", [5, 7, 9])
@pytest.mark.parametrize("above", [0.0, 3.0, "standardized"])
def test_a_small_cluster_far_from_the_others_makes_no_logarithm(far, above):
    x = unequal_clusters(150, far)
    x = (x - x.mean()) / x.std() if above == "standardized" else x + above
    assert np.isnan(terms(x)).all()


def test_one_cluster_is_described_by_one_normal_distribution():
    """BIC of equation (4) in loops, where one normal distribution is the best description."""
    x = np.sort(np.random.default_rng(0).normal(5.0, 2.0, size=60))
    mean = math.fsum(x) / 60
    variance = math.fsum((v - mean) ** 2 for v in x) / 60
    variance *= 1 + mixed_mixtures.RIDGE / 60  # the prior of the mixtures
    likelihood = math.fsum(
        -0.5 * (math.log(2 * math.pi * variance) + (v - mean) ** 2 / variance) for v in x
    )
    assert logarithms._descriptions(x[None]) == pytest.approx(2 * likelihood - 2 * math.log(60))


@pytest.mark.parametrize("sigma", [0.7, 1.0, 1.5])
def test_a_logarithm_is_likelier_where_it_is_normal(sigma):
    x = np.exp(sigma * np.random.default_rng(1).normal(size=200))
    pairs = [logarithms._pair(y, np.log(y), 0.0, ONE) for y in (x, np.log(x) + 9)]
    assert logarithms._are_likelier(pairs).tolist() == [True, False]


def test_another_unit_adds_a_constant():
    one = logarithms.terms(SPEND[:, None], ONE)
    other = logarithms.terms(1000 * SPEND[:, None], ONE)
    apart = logarithms.taken(1000 * SPEND[:, None], other) - logarithms.taken(SPEND[:, None], one)
    np.testing.assert_allclose(apart, np.log(1000))


def test_new_rows_below_all_old_ones_count_as_the_lowest():
    found = logarithms.terms(SPEND[:, None], ONE)
    made = logarithms.taken(np.array([[-5.0], [0.0], [np.nan]]), found)
    np.testing.assert_allclose(made[:2, 0], np.log(SPEND.min()))
    assert np.isnan(made[2, 0])


def test_gaps_change_nothing():
    x = np.append(SPEND, [np.nan] * 30)
    np.testing.assert_array_equal(terms(x, np.zeros(230, dtype=int)), terms(SPEND))


BALANCE = np.r_[SPEND, -SPEND[:40] / 3]


@pytest.mark.parametrize("sign", [1, -1])
def test_values_of_both_signs_keep_their_sign(sign):
    x = sign * BALANCE
    codes = np.zeros(len(x), dtype=int)
    lowest, offset = terms(x, codes)
    assert (lowest, offset) == (x.min(), np.median(np.abs(x)))
    made = logarithms.taken(x[:, None], np.array([[lowest], [offset]]))[:, 0]
    # (2), in its second form
    size = np.abs(x) / offset
    np.testing.assert_allclose(made, np.sign(x) * np.log(size + np.sqrt(size**2 + 1)))
    assert abs(skewness_in_loops(made, codes)) < 0.5 * abs(skewness_in_loops(x, codes))


def test_another_unit_changes_nothing_where_signs_are_kept():
    codes = np.zeros(len(BALANCE), dtype=int)
    one, other = (
        logarithms.taken(x, logarithms.terms(x, codes))
        for x in (BALANCE[:, None], BALANCE[:, None] / 7)
    )
    np.testing.assert_allclose(one, other)
    assert not np.allclose(one[:, 0], BALANCE)
