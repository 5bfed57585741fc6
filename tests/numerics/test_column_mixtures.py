"""Mixtures of single columns, many at a time."""

import numpy as np
import pytest

from kinfolk.numerics import column_mixtures, memberships, mixed_mixtures
from kinfolk.numerics.mixed_mixtures import Form

RANDOM = np.random.default_rng(0)
COLUMNS = np.sort(RANDOM.normal(size=(9, 60)) ** np.resize([1, 3], 9)[:, None], axis=1)
LABELS = np.sort(RANDOM.integers(4, size=(9, 60)), axis=1)


def one_by_one(x, labels, k, sweeps):
    form = Form(shared=False, diagonal=True)
    first = memberships.indicator(labels, k)
    return mixed_mixtures.swept(x[:, None], np.empty((len(x), 0)), first, form, sweeps).bic


@pytest.mark.parametrize("sweeps", [1, 4, 200])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_they_are_the_mixtures_of_one_number(k, sweeps):
    labels = LABELS % k
    found = column_mixtures.criteria(COLUMNS, labels, k, sweeps)
    single = [one_by_one(x, of, k, sweeps) for x, of in zip(COLUMNS, labels, strict=True)]
    np.testing.assert_allclose(found, single, rtol=1e-9)


def test_parts_of_the_columns_make_no_difference(monkeypatch):
    whole = column_mixtures.criteria(COLUMNS, LABELS, 4, 20)
    monkeypatch.setattr(column_mixtures, "MOST_NUMBERS", 500)
    np.testing.assert_array_equal(column_mixtures.criteria(COLUMNS, LABELS, 4, 20), whole)
