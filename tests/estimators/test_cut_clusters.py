"""Warnings of tasks whose k-means clusters are not the classes that were found in them."""

import itertools
import warnings

import numpy as np
import pytest

from kinfolk.errors import SharingWarning
from kinfolk.estimators import cut_clusters
from kinfolk.estimators.cut_clusters import MatchedShare
from kinfolk.methods.transfer.linear_svm import LinearSVM

RANDOM = np.random.default_rng(0)
TRUTH = np.arange(60) % 3
X = 8.0 * np.eye(4)[TRUTH] + RANDOM.normal(size=(60, 4))


def told(known, found):
    """The sentences for known and found classes of tasks."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cut_clusters.warn_of_cut_clusters(known, found, 3)
    assert all(w.category is SharingWarning for w in caught)
    return [str(w.message) for w in caught]


def moved(share):
    """The true classes, where this share of the rows has the next class."""
    return np.where(np.arange(60) < share * 60, (TRUTH + 1) % 3, TRUTH)


def test_paired_rows_are_those_of_the_best_of_all_pairings():
    for share in (0.0, 0.2, 0.5, 0.9):
        classes = moved(share)
        best = max(
            sum(pairing[c] == j for c, j in zip(TRUTH, classes, strict=True))
            for pairing in itertools.permutations(range(3))
        )
        assert MatchedShare.of(X, classes, 3) == (best, 60)


@pytest.mark.parametrize("m", [8, 40, 1000])
@pytest.mark.parametrize("a", [0.86, 0.9, 1.0])
def test_the_rule_is_the_printed_one(m, a):
    p = (round(a * m) + 1) / (m + 2)
    for n, b in itertools.product([6, 50, 2000], np.arange(0.3, 1.0, 0.05)):
        q = (round(b * n) + 1) / (n + 2)
        error = (p * (1 - p) / (m + 2) + q * (1 - q) / (n + 2)) ** 0.5
        below = MatchedShare(round(b * n), n).is_below(MatchedShare(round(a * m), m))
        assert below == (p - q > 0.05 and p - q > 2 * error)


@pytest.mark.parametrize("share", [0.0, 0.03, 0.4])
def test_classes_that_cut_through_clusters_are_told_where_known_ones_do_not(share):
    sentences = told([(X, TRUTH)], {"task 'b'": (X, moved(share))})
    assert len(sentences) == (share > 0.1)
    assert all("in 100 % of their rows" in s for s in sentences)
    assert all("in only 60 % of task 'b'" in s for s in sentences)


def test_known_classes_that_are_no_clusters_say_nothing():
    assert not told([(X, moved(0.2))], {"task 'b'": (X, moved(0.4))})


def test_all_known_rows_count():
    # Two rows in one task are no evidence, and 60 in another are.
    found = {"task 'b'": (X, moved(0.4))}
    assert not told([(X[:2], TRUTH[:2])], found)
    assert told([(X[:2], TRUTH[:2]), (X, TRUTH)], found)


def test_known_rows_of_one_class_are_no_evidence():
    each = [(X[c == TRUTH], TRUTH[c == TRUTH]) for c in range(3)]
    assert not told(each, {"task 'b'": (X, moved(0.4))})


def test_a_class_that_no_row_gets_is_a_cluster_that_is_missed():
    found = np.where(TRUTH == 2, 1, TRUTH)
    sentences = told([(X, TRUTH)], {"task 'b'": (X, found)})
    assert "in only 67 % of task 'b'" in sentences[0]


def test_a_task_without_rows_near_known_classes_is_told_once():
    tasks = np.repeat(["a", "b"], 60)
    y = np.where(tasks == "a", np.tile(TRUTH, 2), -1)
    other = X[:, [1, 2, 3, 0]] * [1.0, 1.0, 1.0, 0.0]  # class 2 lies where no class is known
    for shift in (0.0, 60.0):
        with pytest.warns(SharingWarning) as caught:
            LinearSVM().fit(np.vstack([X, other + shift * np.eye(4)[0]]), y, tasks=tasks)
        sentences = [str(w.message) for w in caught if w.category is SharingWarning]
        assert len(sentences) == 1
        assert ("lie farther" in sentences[0]) == (shift > 0)
