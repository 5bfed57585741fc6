"""Sums with weights beside those of rows that are repeated."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist, squareform

from kinfolk.numerics import affinities, associations, degrees, similarities, weighted_rows
from kinfolk.numerics.features import Features
from kinfolk.numerics.operators import Explicit

RANDOM = np.random.default_rng(0)
X = RANDOM.gamma(1.0, size=(30, 4))
M = np.exp(-squareform(pdist(X)))
Y = RANDOM.uniform(size=(30, 3))
WEIGHTS = [RANDOM.integers(0, 4, size=30), RANDOM.integers(1, 30, size=30)]


def repeated(values, weight):
    """Repeat rows as often as they weigh."""
    return np.repeat(values, weight, axis=0)


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_products_and_errors_are_those_of_repeated_rows(weight, make):
    heavy = weighted_rows.scaled(make(X), weight)
    heavy = heavy.toarray() if sp.issparse(heavy) else heavy
    F = weighted_rows.times_roots(Y, weight)
    rows = repeated(X, weight)
    np.testing.assert_allclose(heavy.T @ F, rows.T @ repeated(Y, weight))  # (W1)
    assert np.sum(heavy**2) == pytest.approx(np.sum(rows**2))  # (W2)
    scaled = weighted_rows.scaled_similarity(Explicit(M), weight).times(np.eye(30))
    all_pairs = repeated(repeated(M - Y @ Y.T, weight).T, weight)
    assert np.sum((scaled - F @ F.T) ** 2) == pytest.approx(np.sum(all_pairs**2))  # (W3)


def test_single_precision_is_left_before_rows_are_scaled():
    single = X.astype(np.float32)
    heavy = weighted_rows.scaled(single, WEIGHTS[1])
    assert heavy.dtype == np.float64
    np.testing.assert_array_equal(heavy, weighted_rows.scaled(single.astype(float), WEIGHTS[1]))
    assert weighted_rows.scaled(single, None) is single


@pytest.mark.parametrize("weight", WEIGHTS)
def test_degrees_and_their_mean_are_those_of_repeated_rows(weight):
    d = degrees.degrees(Explicit(M), weight)
    whole = degrees.degrees(Explicit(repeated(repeated(M, weight).T, weight)))
    np.testing.assert_allclose(repeated(d, weight), whole)
    assert degrees.mean(d, weight) == pytest.approx(degrees.mean(whole))
    s = degrees.scales(Explicit(M), weight)
    expected = degrees.scales(Explicit(repeated(repeated(M, weight).T, weight)))
    np.testing.assert_allclose(repeated(s, weight), expected)


@pytest.mark.parametrize(
    "weight", [*WEIGHTS, np.eye(30, dtype=int)[3], 2 * np.eye(30, dtype=int)[3]]
)
def test_the_median_of_pairs_is_that_of_repeated_rows(weight):
    D = squareform(pdist(X))
    found = weighted_rows.median_of_pairs(D, weight.astype(float))
    pairs = pdist(repeated(X, weight))
    assert found == pytest.approx(np.median(pairs) if len(pairs) else 0.0)


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("name", similarities.BANDWIDTHS)
def test_bandwidths_are_those_of_repeated_rows(name, weight):
    draw = np.random.RandomState
    found = similarities.median_bandwidth(name, X, draw(0), weight=weight.astype(float))
    expected = similarities.median_bandwidth(name, repeated(X, weight), draw(0))
    assert found == pytest.approx(expected)


def test_the_median_distance_of_a_sample_takes_the_weights_of_its_rows():
    weight = WEIGHTS[1].astype(float)
    Z = [Features([X[:10]]), Features([X[10:]])]
    draw = np.random.RandomState
    ones = associations.median_distance(Z, draw(0), 12, np.ones(30))
    assert ones == pytest.approx(associations.median_distance(Z, draw(0), 12))
    some = associations.median_distance(Z, draw(0), 12, weight)
    moved = associations.median_distance(Z, draw(0), 12, np.where(weight > 15, 1000.0, weight))
    assert some != moved


@pytest.mark.parametrize("weight", [*WEIGHTS, 5 * np.eye(30, dtype=int)[:3].sum(axis=0)])
@pytest.mark.parametrize("near", [1, 7])
def test_local_scales_are_those_of_repeated_rows(weight, near):
    new = Features([np.vstack([X, X + 0.1])])
    found = affinities.local_scales(new, Features([X]), near, weight.astype(float))
    expected = affinities.local_scales(new, Features([repeated(X, weight)]), near)
    np.testing.assert_allclose(found, expected)


def test_weights_that_add_up_to_seven_but_for_rounding_are_seven_rows():
    rows = np.arange(200.0)[:, None]
    tenth = affinities.local_scales(Features([rows[:1]]), Features([rows]), 7, np.full(200, 0.1))
    assert tenth == 70.0


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_new_rows_know_the_weights_of_the_fit(make):
    weight = WEIGHTS[1]
    kernel = similarities.LocalSimilarity(weight=weight.astype(float))
    kept = kernel.kept(make(X), Y)
    assert kept.shape == (30, 4 + 2)
    heavy = weight[:, None] * Y
    found = similarities.LocalSimilarity().products(make(X + 0.1), kept, heavy)
    whole = similarities.LocalSimilarity()
    rows = make(repeated(X, weight))
    expected = whole.products(make(X + 0.1), whole.kept(rows, Y), repeated(Y, weight))
    np.testing.assert_allclose(found, expected)
