import itertools

import numpy as np
import pytest

from kinfolk.choosing import partial_labels
from kinfolk.errors import InputError

Y = np.array([0, 0, 1, 1, 2, -1, -1])
RUNS = np.array([[4, 4, 2, 2, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 1, 0, 1, 2, 1, 1]])


def test_label_fit_is_the_share_of_known_rows_in_their_class():
    found = partial_labels.label_fit(RUNS, Y)
    np.testing.assert_allclose(found.values, [1.0, 0.4, 0.6])
    assert found.weight == 0.5


def test_unknown_rows_do_not_matter():
    other = RUNS.copy()
    other[:, 5:] = [7, 8]
    np.testing.assert_array_equal(
        partial_labels.label_fit(other, Y).values, partial_labels.label_fit(RUNS, Y).values
    )


def test_every_known_row_weighs_the_same_whatever_the_size_of_its_class():
    y = np.array([0] * 8 + [1] * 2)
    large, small = y.copy(), y.copy()
    large[:2], small[8:] = 2, 2
    large[:2], small[8:] = [2, 3], [2, 3]
    runs = np.array([large, small])
    np.testing.assert_allclose(partial_labels.label_fit(runs, y).values, [0.8, 0.9])


@pytest.mark.parametrize(
    ("y", "enough"),
    [
        ([0, 0, 1, 1], True),
        ([0, 0, 1, 2], False),
        ([3, 3, 3, 3], False),
        ([-1, -1, 0, 0], False),
        ([-1, -1, -1, -1], False),
    ],
)
def test_two_classes_need_two_rows_each(y, enough):
    assert partial_labels.sufficient(np.array(y)) is enough
    assert (
        partial_labels.label_fit(np.zeros((2, 4), dtype=int), np.array(y)) is not None
    ) is enough


def test_ranks_grow_with_the_number_of_known_rows():
    one, two = (
        partial_labels.LabelFit(np.array([0.2, 0.9, 0.9]), 1.0),
        partial_labels.LabelFit(np.array([0.2, 0.9, 0.9]), 2.0),
    )
    np.testing.assert_allclose(one.weighted_ranks, [1 / 3, 2.5 / 3, 2.5 / 3])
    np.testing.assert_allclose(two.weighted_ranks, 2 * one.weighted_ranks)


@pytest.mark.parametrize(
    "y",
    [
        ["b", "-1", "a", "b"],
        np.array(["b", -1, "a", "b"], dtype=object),
        [7, -1, 3, 7],
        np.array([7.0, -1.0, 3.0, 7.0]),
    ],
)
def test_classes_are_numbered_and_unknown_ones_are_left(y):
    np.testing.assert_array_equal(partial_labels.encode(y, 4), [1, -1, 0, 1])


def test_no_label_may_be_known():
    np.testing.assert_array_equal(partial_labels.encode([-1, -1], 2), [-1, -1])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1, -1], r"y has shape \(3,\) but X has 4 rows; give one label per row, and -1"),
        (np.zeros((4, 2)), r"y has shape \(4, 2\)"),
        (0, r"y has shape \(\)"),
        ([0.0, np.nan, 1.0, -1.0], "y has missing values"),
        (["a", None, "b", -1], "y has missing values"),
        (["a", 3, "b", -1], "y mixes kinds of labels"),
    ],
)
def test_a_wrong_y_is_refused_in_a_sentence(y, message):
    with pytest.raises(InputError, match=message):
        partial_labels.encode(y, 4)


@pytest.mark.parametrize("seed", range(5))
def test_label_fit_is_the_best_share_over_all_matchings(seed):
    random = np.random.default_rng(seed)
    y = random.permutation(np.repeat([-1, 0, 1, 2], 6))
    runs = random.integers(3, size=(4, 24))
    expected = []
    for run in runs:
        shares = []
        for order in itertools.permutations(range(3)):
            right = [order[run[i]] == y[i] for i in range(24) if y[i] >= 0]
            shares.append(sum(right) / len(right))
        expected.append(max(shares))
    found = partial_labels.label_fit(runs, y)
    np.testing.assert_allclose(found.values, expected)
    assert found.weight == 18 / 10


def test_names_of_clusters_and_classes_and_the_order_of_rows_do_not_matter():
    found = partial_labels.label_fit(RUNS, Y).values
    order = np.random.default_rng(0).permutation(7)
    renamed = np.where(Y >= 0, 2 - Y, -1)
    np.testing.assert_allclose(partial_labels.label_fit(9 - RUNS, renamed).values, found)
    np.testing.assert_allclose(partial_labels.label_fit(RUNS[:, order], Y[order]).values, found)


def test_more_clusters_than_classes_leave_rows_unmatched():
    y = np.array([0, 0, 0, 1, 1, 1])
    found = partial_labels.label_fit(np.array([np.arange(6), [0, 0, 2, 1, 1, 3]]), y)
    np.testing.assert_allclose(found.values, [2 / 6, 4 / 6])
