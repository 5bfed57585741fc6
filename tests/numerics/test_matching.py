"""Matchings against all permutations and plain counting."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import adjusted_rand_score

from kinfolk.numerics import matching

SCORES = arrays(int, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.integers(-9, 9))


def best_sum(scores):
    """Largest sum of a one-to-one pairing, by enumeration."""
    if scores.shape[0] > scores.shape[1]:
        scores = scores.T
    r, c = scores.shape
    return max(sum(scores[i, p[i]] for i in range(r)) for p in permutations(range(c), r))


@settings(deadline=None)
@given(SCORES)
def test_assignment_reaches_the_best_sum_of_all_pairings(scores):
    columns = matching.assignment(scores)
    paired = columns >= 0
    assert scores[paired, columns[paired]].sum() == best_sum(scores)


@settings(deadline=None)
@given(SCORES)
def test_assignment_uses_each_column_once_and_pairs_as_many_rows_as_it_can(scores):
    columns = matching.assignment(scores)
    paired = columns[columns >= 0]
    assert columns.shape == (scores.shape[0],)
    assert len(set(paired.tolist())) == len(paired) == min(scores.shape)


def test_assignment_does_not_take_each_rows_best_when_that_costs_more():
    assert matching.assignment([[9, 8], [9, 0]]).tolist() == [1, 0]


def test_assignment_refuses_nan():
    with pytest.raises(ValueError, match="invalid numeric"):
        matching.assignment([[np.nan, 1.0], [1.0, 0.0]])


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(-2, 2)), min_size=1, max_size=30))
def test_contingency_counts_each_meeting(rows):
    a, b = zip(*rows, strict=True)
    table = matching.contingency(a, b)
    assert table.row_labels.tolist() == sorted(set(a))
    assert table.column_labels.tolist() == sorted(set(b))
    for i, x in enumerate(table.row_labels):
        for j, y in enumerate(table.column_labels):
            assert table.counts[i, j] == rows.count((x, y))


def test_contingency_refuses_different_lengths():
    with pytest.raises(ValueError, match="inconsistent"):
        matching.contingency([1, 2, 3], [1])


def test_adjusted_rand_index_is_that_of_scikit_learn_to_the_last_digit():
    random = np.random.default_rng(0)
    for n, k, l in [(1, 1, 1), (2, 2, 1), (9, 3, 4), (300, 7, 5), (300, 1, 3), (300, 300, 300)]:
        for a in (random.integers(0, k, n), np.arange(n) % k):
            b = random.permutation(np.arange(n) % l)
            assert matching.adjusted_rand(a, b) == adjusted_rand_score(a, b)
            assert matching.adjusted_rand(a, a[::-1] + 5) == adjusted_rand_score(a, a[::-1] + 5)


def test_jaccard_indices_are_rows_in_both_over_rows_in_either():
    random = np.random.default_rng(0)
    a, b = random.integers(4, size=50), random.integers(3, size=50)
    found = matching.jaccard(a, b, 5, 3)
    for c in range(5):
        for e in range(3):
            either = sum((a == c) | (b == e))
            assert found[c, e] == (sum((a == c) & (b == e)) / either if either else 0)


def test_expected_jaccard_indices_are_near_those_of_permuted_labels():
    random = np.random.default_rng(0)
    a, b = np.repeat([0, 1, 2], [300, 100, 50]), np.repeat([0, 1], [150, 300])
    drawn = [matching.jaccard(a, random.permutation(b), 3, 2) for _ in range(300)]
    found = matching.expected_jaccard(a, b, 3, 2)
    np.testing.assert_allclose(found, np.mean(drawn, axis=0), atol=0.005)
