"""A deadline around a comparison: time for scores and files, and what is left out for it."""

import math

import numpy as np
import pytest
from sklearn.cluster import KMeans

from kinfolk import PerTask
from kinfolk.catalogue.strategies import Strategy
from kinfolk.comparison import evaluation
from kinfolk.comparison.evaluation import ComparedRows
from kinfolk.datasets import makers
from kinfolk.running import deadlines

BLOBS = makers.make_related_blobs(20, random_state=0)


class Watching(PerTask):
    """k-means of each task that records the seconds it may take."""

    def fit(self, X, y=None, tasks=None):
        left = deadlines.left()
        super().fit(X, y, tasks=tasks)
        self.left_ = left
        return self


def strategies():
    """Make two strategies: the answer, and k-means to compare with."""
    return [
        Strategy(name, name, cls(KMeans(n_init=10, random_state=0), 3))
        for name, cls in (("together", Watching), ("k-means alone", PerTask))
    ]


def fitted(seconds, rows=None):
    """Results of strategies within some seconds, and the seconds left for the answer."""
    planned = strategies()
    with deadlines.ending(deadlines.clock() + seconds):
        results, _ = evaluation.fit_all(planned, planned[0], rows or ComparedRows(BLOBS, BLOBS.X))
    return results, planned[0].estimator.left_


def test_without_a_deadline_all_is_fitted_without_a_limit():
    results, left = fitted(math.inf)
    assert left == math.inf
    assert all(result.labels is not None for result in results)


def test_the_answer_leaves_time_for_scores_and_files():
    results, left = fitted(600.0)
    after = evaluation.AFTER + 2 * evaluation.AFTER_TASK + 40 * evaluation.AFTER_ROW
    assert left == pytest.approx(600.0 - after, abs=2.0)
    assert all(result.labels is not None for result in results)


def test_it_leaves_at_most_half_of_a_short_budget():
    _, left = fitted(3.0)
    assert 0.8 < left <= 1.5


def test_what_would_take_longer_than_is_left_is_left_out_with_a_reason(monkeypatch):
    monkeypatch.setattr(evaluation, "KMEANS", 1.0)
    results, _ = fitted(60.0)
    assert results[0].labels is not None
    assert results[1].labels is None
    assert results[1].reason == "The budget left no time for it."
    assert np.isfinite(results[0].scores["silhouette"]["task-0"])


def test_where_other_work_shares_the_cores_more_time_is_kept_for_scores_and_files(monkeypatch):
    monkeypatch.setattr(deadlines, "slowness", lambda: 3.0)
    _, left = fitted(600.0)
    after = evaluation.AFTER + 2 * evaluation.AFTER_TASK + 40 * evaluation.AFTER_ROW
    assert left == pytest.approx(600.0 - 3 * after, abs=2.0)
    monkeypatch.setattr(evaluation, "KMEANS", 200.0 / (40 * BLOBS.X.shape[1] * 3 * 10))
    results, _ = fitted(500.0)
    assert results[1].labels is None
