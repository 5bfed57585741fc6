import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import doubling

X = np.random.default_rng(0).normal(size=(7, 3))


def test_doubled_rows_have_one_sum_and_all_numbers_are_shares():
    found = doubling.encoded(X, "doubled", doubling.range_of(X))
    np.testing.assert_allclose(found.sum(axis=1), 3)
    assert found.min() == 0
    assert found.max() == 1


def test_units_signs_and_shifts_of_columns_do_not_matter():
    expected = doubling.encoded(X, "doubled", doubling.range_of(X))
    other = X * [1e6, 1.0, 1e-9] + [3.0, -7.0, 0.0]
    np.testing.assert_allclose(
        doubling.encoded(other, "doubled", doubling.range_of(other)), expected
    )
    turned = doubling.encoded(-X, "doubled", doubling.range_of(-X))
    np.testing.assert_allclose(turned, np.roll(expected, 3, axis=1), atol=1e-12)


def test_new_numbers_outside_of_the_range_count_as_its_ends():
    columns = doubling.range_of(X)
    far = np.vstack([columns.high + 5, columns.low - 5])
    found = doubling.encoded(far, "doubled", columns)
    np.testing.assert_array_equal(found, np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]]))
    assert doubling.encoded(far, "shifted", columns).min() == 0
    assert doubling.encoded(sp.csr_array(far), "raw", columns).min() == 0
    assert far.min() < 0


@pytest.mark.parametrize(
    ("table", "encoding"),
    [
        (X, "doubled"),
        (abs(X), "doubled"),
        (np.eye(12), "raw"),
        (sp.csr_array(abs(X)), "doubled"),
        (sp.csr_array(X), "doubled"),
        (np.where(abs(X) > 0.5, 1.0 + abs(X) / 10, 0.0), "raw"),
        (np.where(abs(X) > 0.5, abs(X), 0.0) * [1, 1, 1000], "doubled"),  # columns of two units
    ],
)
def test_the_encoding_depends_on_signs_and_zeros(table, encoding):
    assert doubling.chosen(table) == encoding
