"""External measures against all permutations, counted pairs and printed formulas."""

from itertools import combinations, permutations
from math import comb, log, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinfolk import measures
from kinfolk.errors import InputError

PARTITIONS = st.integers(1, 25).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 3), min_size=n, max_size=n)] * 2)
)
SCORES = [measures.accuracy, measures.nmi, measures.rand_index, measures.adjusted_rand_index]
AVERAGES = {
    "geometric": lambda a, b: sqrt(a * b),
    "arithmetic": lambda a, b: (a + b) / 2,
    "max": max,
    "min": min,
}


def best_naming(truth, labels):
    """Most rows that any one-to-one map of clusters to classes gets right, by enumeration."""
    clusters = sorted(set(labels))
    classes = [*sorted(set(truth)), *[None] * len(clusters)]
    best = 0
    for names in permutations(classes, len(clusters)):
        name = dict(zip(clusters, names, strict=True))
        best = max(best, sum(name[r] == t for t, r in zip(truth, labels, strict=True)))
    return best


def printed_nmi(truth, labels, average):
    """Equation (22) of Gu and Zhou (2009), term by term, with a choice of the denominator."""
    n, rows = len(truth), list(zip(truth, labels, strict=True))
    shared, h_truth, h_labels = 0.0, 0.0, 0.0
    for t in set(truth):
        h_truth -= truth.count(t) * log(truth.count(t) / n)
    for r in set(labels):
        h_labels -= labels.count(r) * log(labels.count(r) / n)
    for t, r in set(rows):
        both = rows.count((t, r))
        shared += both * log(n * both / (truth.count(t) * labels.count(r)))
    return shared / AVERAGES[average](h_truth, h_labels)


def counted_pairs(truth, labels):
    """Count pairs of rows together in both, in truth only, in labels only, in neither."""
    together = [
        (truth[i] == truth[j], labels[i] == labels[j])
        for i, j in combinations(range(len(truth)), 2)
    ]
    return [together.count(kind) for kind in [(1, 1), (1, 0), (0, 1), (0, 0)]]


@settings(deadline=None, max_examples=40)
@given(PARTITIONS)
def test_accuracy_is_the_best_of_all_namings(pair):
    truth, labels = pair
    assert measures.accuracy(truth, labels) == best_naming(truth, labels) / len(truth)


@pytest.mark.parametrize(
    ("truth", "labels", "expected"),
    [
        ("aabb", [0, 1, 2, 3], 0.5),
        ("aabb", [0, 0, 0, 0], 0.5),
        ("aaabbc", [1, 1, 0, 0, 0, 0], 4 / 6),
        ("a", [3], 1.0),
    ],
)
def test_accuracy_allows_more_clusters_than_classes_and_fewer(truth, labels, expected):
    assert measures.accuracy(list(truth), labels) == pytest.approx(expected)


@settings(deadline=None, max_examples=40)
@given(PARTITIONS)
def test_rand_indices_equal_the_counted_pairs(pair):
    truth, labels = pair
    both, first, second, neither = counted_pairs(truth, labels)
    pairs = comb(len(truth), 2)
    ri = (both + neither) / pairs if pairs else 1.0
    assert measures.rand_index(truth, labels) == pytest.approx(ri)
    if not first and not second:
        assert measures.adjusted_rand_index(truth, labels) == 1.0
        return
    chance = (both + first) * (both + second) / pairs
    most = (2 * both + first + second) / 2
    expected = (both - chance) / (most - chance)
    assert measures.adjusted_rand_index(truth, labels) == pytest.approx(expected)


def test_adjusted_rand_index_is_the_rand_index_above_its_mean_over_all_renumberings():
    truth, labels = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 1]
    orders = set(permutations(labels))  # each stands for equally many of all renumberings
    chance = np.mean([measures.rand_index(truth, order) for order in orders])
    both, first, second, neither = counted_pairs(truth, labels)
    # Hubert and Arabie take the mean of the two pair counts as the largest number of meetings.
    most = measures.rand_index(truth, labels) + (first + second) / 15
    expected = (measures.rand_index(truth, labels) - chance) / (most - chance)
    assert measures.adjusted_rand_index(truth, labels) == pytest.approx(expected)


@pytest.mark.parametrize("average", AVERAGES)
@settings(deadline=None, max_examples=30)
@given(pair=PARTITIONS)
def test_nmi_equals_the_printed_formula(average, pair):
    truth, labels = pair
    if min(len(set(truth)), len(set(labels))) > 1:
        expected = printed_nmi(truth, labels, average)
        assert measures.nmi(truth, labels, average) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("average", AVERAGES)
def test_nmi_of_trivial_partitions_is_one_for_two_and_zero_for_one(average):
    assert measures.nmi([5, 5, 5], ["a", "a", "a"], average) == 1.0
    assert measures.nmi([5, 5, 5], [0, 1, 2], average) == 0.0
    assert measures.nmi([0, 1, 1], [7, 7, 7], average) == 0.0


def test_nmi_of_equal_partitions_is_not_rounded_above_one():
    rng = np.random.default_rng(0)
    partitions = [rng.integers(0, 6, 32) for _ in range(60)]
    assert max(measures.nmi(p, p) for p in partitions) == 1.0


def test_nmi_divides_by_the_geometric_mean_unless_told_otherwise():
    truth, labels = [0, 0, 1, 1, 2], [0, 0, 1, 2, 3]
    assert measures.nmi(truth, labels) == measures.nmi(truth, labels, "geometric")
    assert len({round(measures.nmi(truth, labels, a), 6) for a in AVERAGES}) == 4


@pytest.mark.parametrize("score", SCORES)
@settings(deadline=None, max_examples=30)
@given(pair=PARTITIONS, names=st.permutations("wxyz"))
def test_scores_do_not_depend_on_names(score, pair, names):
    truth, labels = pair
    renamed = [names[r] for r in labels]
    assert score(truth, renamed) == pytest.approx(score(truth, labels), abs=1e-12)


@pytest.mark.parametrize("score", SCORES)
@settings(deadline=None, max_examples=30)
@given(pair=PARTITIONS)
def test_scores_are_symmetric_and_bounded(score, pair):
    value = score(*pair)
    assert value == pytest.approx(score(*pair[::-1]), abs=1e-12)
    assert (-0.5 if score is measures.adjusted_rand_index else 0.0) <= value <= 1.0


@pytest.mark.parametrize("score", SCORES)
@settings(deadline=None, max_examples=30)
@given(pair=PARTITIONS)
def test_scores_are_one_for_renamed_labels(score, pair):
    assert score(pair[0], [f"kind {c}" for c in pair[0]]) == pytest.approx(1.0)


@pytest.mark.parametrize("score", SCORES)
def test_scores_read_arrays_series_and_mixed_types_of_names_alike(score):
    truth, labels = ["b", "b", "a", "a", "c"], [1, 1, 1, 0, 2]
    expected = score(truth, labels)
    assert score(np.array(truth, dtype=object), np.array(labels, dtype=float)) == expected
    assert score(pd.Series(truth), pd.Series(labels, index=[4, 3, 2, 1, 0])) == expected
    assert score(pd.Categorical(truth), tuple(labels)) == expected


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize(
    ("truth", "labels", "sentence"),
    [
        ([0, 1], [0, 1, 1], "truth has 2 rows and labels has 3"),
        ([], [], r"truth has shape \(0,\); give one label per row"),
        ([[0], [1]], [0, 1], r"truth has shape \(2, 1\)"),
        (0, [0], r"truth has shape \(\)"),
        ([0.0, np.nan], [0, 1], "truth has missing values; drop these rows"),
        ([0, 1], ["a", np.nan], "labels has missing values"),
        ([0, 1], [None, None], "labels has missing values"),
        (np.array([0, 1]), pd.Series(["a", None]), "labels has missing values"),
        ([0, 1], pd.Series([1, None], dtype="Int64"), "labels has missing values"),
        ([0, "a"], [0, 1], "truth mixes kinds of labels; give all numbers or all texts"),
    ],
)
def test_unusable_labels_are_refused_by_a_sentence(score, truth, labels, sentence):
    with pytest.raises(InputError, match=sentence):
        score(truth, labels)


def test_an_unknown_average_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="average is 'mean'; choose one of 'geometric'"):
        measures.nmi([0, 1], [0, 1], average="mean")
