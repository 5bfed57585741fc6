import math

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import naive_bayes

RANDOM = np.random.default_rng(0)


def test_the_likeliest_class_is_that_of_the_loops():
    X = RANDOM.poisson(1.0, size=(12, 5)).astype(float)
    classes = np.arange(12) % 3
    judge = naive_bayes.fitted(X, classes)
    for row in RANDOM.poisson(1.0, size=(20, 5)):
        logs = []
        for c in range(3):
            counts = [sum(x[j] for x, own in zip(X, classes) if own == c) + 1 for j in range(5)]
            share = sum(own == c for own in classes) / 12
            terms = [x * math.log(n / sum(counts)) for x, n in zip(row, counts)]
            logs.append(math.log(share) + sum(terms))
        assert judge.likeliest(row[None].astype(float))[0] == np.argmax(logs)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_units_do_not_matter_where_numbers_are_no_counts(form):
    X = RANDOM.uniform(size=(12, 5)) * (RANDOM.uniform(size=(12, 5)) > 0.4)
    expected = naive_bayes.fitted(form(X), np.arange(12) % 2)
    found = naive_bayes.fitted(form(1e6 * X), np.arange(12) % 2)
    np.testing.assert_allclose(found.columns, expected.columns)
    # A row of larger numbers has more words: it is surer of its class, not of another one.
    assert naive_bayes.one_count(form(1e6 * X)) == pytest.approx(1e6 * naive_bayes.one_count(X))
