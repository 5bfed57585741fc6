"""Joined rows in which numbers of clusters of several views are looked for."""

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.choosing.view_representations import ViewRepresentations

RANDOM = np.random.default_rng(0)
CODES = np.zeros(30, dtype=int)
COLUMNS = [np.arange(3), np.arange(3, 8)]


def test_every_view_has_a_mean_squared_length_of_one_and_a_mean_of_zero():
    X = RANDOM.normal(size=(30, 8)) * np.repeat([1.0, 1e5], [3, 5]) + 7.0
    Z = ViewRepresentations.of(X, CODES, COLUMNS).for_numbers(X, CODES)
    for own in COLUMNS:
        assert np.square(Z[:, own]).sum(axis=1).mean() == pytest.approx(1.0)
        np.testing.assert_allclose(Z[:, own].mean(axis=0), 0.0, atol=1e-12)


def test_units_of_a_view_do_not_count_and_a_view_of_one_value_is_zero():
    X = RANDOM.normal(size=(30, 8))
    X[:, 3:] = 4.0
    scaled = X * np.repeat([1e-3, 1e3], [3, 5])
    one, other = (
        ViewRepresentations.of(T, CODES, COLUMNS).for_numbers(T, CODES) for T in (X, scaled)
    )
    np.testing.assert_allclose(one, other, atol=1e-9)
    assert not one[:, 3:].any()


def test_counts_stay_as_they_are():
    X = sp.csr_array(RANDOM.poisson(0.2, size=(30, 8)).astype(float))
    assert ViewRepresentations.of(X, CODES, COLUMNS).for_numbers(X, CODES) is X
