"""Digits that leave are those that the rows support."""

import numpy as np
import pytest

from kinfolk.numerics import rounding


def test_rounding_adds_less_than_a_hundredth_of_a_percent_to_the_error_of_a_mean():
    random = np.random.default_rng(0)
    for scale in (1e-9, 0.3, 1.0, 7e6):
        x = scale * random.normal(3, 1, 2000)
        error = scale * random.uniform(0.01, 1, 2000)
        moved = rounding.to_error(x, error) - x
        assert np.abs(moved / error).max() <= 0.5 / rounding.STEPS_PER_ERROR + 1e-9
        assert np.mean((moved / error) ** 2) < 2e-4  # the error grows by half of this share


def test_values_that_differ_by_rounding_alone_are_ties():
    random = np.random.default_rng(0)
    for scale in (1e-12, 1.0, 7e9):
        x = scale * random.normal(size=(50, 3))
        either = x.sum(axis=1), x[:, ::-1].sum(axis=1)
        assert (either[0] != either[1]).any()
        a, b = map(rounding.comparable, either)
        np.testing.assert_array_equal(a, b)
    assert rounding.comparable([np.inf, 0.1 + 0.2]).tolist() == [np.inf, 0.1 + 0.2]
    assert rounding.comparable([]).tolist() == []


def test_the_smallest_numbers_are_compared_by_nine_digits_too():
    a, b = 1.00000000001e-310, 1.00000000002e-310
    found = rounding.comparable([a, b, 2 * a, np.nan])
    assert found[0] == found[1]
    np.testing.assert_allclose(found[:3], [1e-310, 1e-310, 2e-310])


def test_an_infinite_error_leaves_no_digit_and_what_is_not_finite_stays():
    assert rounding.to_error([1.0, 1e300, -2.0], np.inf).tolist() == [0.0, 0.0, 0.0]
    found = rounding.to_error([np.inf, np.nan, 1 / 3], [1.0, 0.0, 1e-323])
    np.testing.assert_allclose(found, [np.inf, np.nan, 0.333333], rtol=1e-12)


def test_numbers_are_as_short_as_they_can_be_written():
    assert rounding.to_error([0.1 + 0.2, -123456.789], [0.3, 2000.0]).tolist() == [0.3, -123460.0]


def test_without_an_error_six_digits_stay_and_zero_stays_zero():
    assert rounding.to_error([1 / 3, 1e9 / 3, 0.0], 0).tolist() == [0.333333, 333333000.0, 0.0]


@pytest.mark.parametrize(("digits", "expected"), [(1, 600.0), (2, 580.0), (3, 576.0), (9, 575.67)])
def test_fewer_digits_can_be_asked_for_and_never_more_than_the_error_leaves(digits, expected):
    assert rounding.to_error(575.6692, 1.0, digits) == expected


def test_centers_of_a_scaled_table_are_rounded_by_their_rows_and_others_by_their_differences():
    V = np.array([[1 / 3], [2 / 3]])
    assert rounding.means(V, [900, 900], scaled=True).ravel().tolist() == [0.333, 0.667]
    assert rounding.means(1000 * V, [900, 900]).ravel().tolist() == [333.3, 666.7]
    alone = rounding.means(np.array([[1 / 3]]), [900])
    assert alone.tolist() == [[0.333333]]
