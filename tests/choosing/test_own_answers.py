"""Answers from a task's own runs, and how they agree with those of other tasks."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from kinfolk.choosing import cross_task, own_answers
from kinfolk.choosing.scores import BaseClusterings
from kinfolk.choosing.task_scorer import TaskScorer
from redrawn_runs import TRUTH, X, runs_of


def test_agreement_of_tasks_is_the_mean_of_both_directions():
    random = np.random.default_rng(2)
    rows = [X, X[:30] + random.normal(size=(30, 6)) * 0.3, random.normal(size=(20, 6))]
    labels = [TRUTH, TRUTH[:30], np.arange(20) % 3]
    owns = [
        own_answers.own_result(
            BaseClusterings(l[None], ["a"], [0], np.zeros(1, bool)), TaskScorer(Z, 3)
        )
        for Z, l in zip(rows, labels, strict=True)
    ]
    A = own_answers.agreement(owns, own_answers.transfers(owns))
    np.testing.assert_array_equal(A, A.T)
    np.testing.assert_array_equal(np.diag(A), 1)
    for t, s in [(0, 1), (0, 2), (1, 2)]:
        forth = cross_task.transferred_labels(rows[t], rows[s], labels[s])
        back = cross_task.transferred_labels(rows[s], rows[t], labels[t])
        expected = [adjusted_rand_score(labels[t], forth), adjusted_rand_score(labels[s], back)]
        assert A[t, s] == pytest.approx(np.mean(expected))
    assert A[0, 1] > 0.5 > A[0, 2]


def test_the_own_answer_is_the_combination_with_the_largest_total():
    own = own_answers.own_result(runs_of(*np.linspace(0, 0.9, 8)), TaskScorer(X, 3))
    assert own.answer.total == max(answer.total for answer in own.answers)
    assert {answer.source for answer in own.answers} == {"own"}
    assert own.has_clusters
    assert adjusted_rand_score(TRUTH, own.answer.labels) > 0.9


def test_labels_come_from_the_own_answer_of_the_other_task():
    here = own_answers.own_result(runs_of(0.1, 0.2), TaskScorer(X[::3], 3, np.arange(0, 45, 3)))
    there = own_answers.own_result(runs_of(0.0, 0.1), TaskScorer(X, 3))
    found = here.labels_from_each([there])[0]
    expected = cross_task.transferred_labels(X[::3], X, there.answer.labels)
    np.testing.assert_array_equal(found, expected)
    assert adjusted_rand_score(TRUTH[::3], found) == 1
