import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import cosine_similarity

from kinfolk.choosing import search_scores
from kinfolk.choosing.fitting import FitOutcome
from kinfolk.choosing.scores import BaseClusterings
from kinfolk.choosing.search_scores import FinishedRun, PlannedRun
from kinfolk.choosing.task_scorer import TaskScorer
from kinfolk.errors import InputError

RANDOM = np.random.default_rng(0)
TRUTH = np.repeat([0, 1, 2], 12)
X = RANDOM.normal(size=(36, 5)) * 0.3 + np.eye(5)[TRUTH]
SCORER = TaskScorer(X, 3)


def noisy(share, seed):
    random = np.random.default_rng(seed)
    return np.where(random.uniform(size=36) < share, random.integers(3, size=36), TRUTH)


LABELS = np.array([TRUTH, noisy(0.3, 1), noisy(0.6, 2), noisy(0.2, 3), noisy(1.0, 4)])
SETTINGS = [1, 1, 2, 3, 3]


def modularity(labels):
    """Modularity in the nearest-neighbor graph, by loops over pairs of rows."""
    n = len(X)
    C = cosine_similarity(X) - 9 * np.eye(n)
    near = [set(np.argsort(-row)[: n // 6].tolist()) for row in C]
    W = np.array([[((j in near[i]) + (i in near[j])) / 2 for j in range(n)] for i in range(n)])
    d = W.sum(axis=1)
    same = labels[:, None] == labels
    return float(np.sum((W - np.outer(d, d) / d.sum()) * same) / d.sum())


def runs(labels=LABELS, families=None, settings=SETTINGS):
    R = len(labels)
    return BaseClusterings(
        np.array(labels), families or ["s"] * R, settings, np.zeros(R, dtype=bool)
    )


def test_the_score_is_the_printed_formula():
    found = search_scores.score_task(runs(), np.full(5, 3), SCORER)
    A = [[adjusted_rand_score(a, b) for b in LABELS] for a in LABELS]
    weights = 1 / np.array([2, 2, 1, 2, 2])
    agree = [
        np.average(
            [A[r][s] for s in range(5) if SETTINGS[s] != SETTINGS[r]],
            weights=[weights[s] for s in range(5) if SETTINGS[s] != SETTINGS[r]],
        )
        for r in range(5)
    ]
    clear = [modularity(labels) for labels in LABELS]
    np.testing.assert_allclose(found.agree, agree)
    np.testing.assert_allclose(found.modularity, clear)
    np.testing.assert_allclose(found.score, (rankdata(agree) + rankdata(clear)) / 10)
    assert found.known is None


def test_known_labels_join_with_their_weight():
    y = np.where(np.arange(36) % 6 == 0, TRUTH, -1)
    plain, found = (
        search_scores.score_task(runs(), np.full(5, 3), TaskScorer(X, 3, y=given))
        for given in (None, y)
    )
    fits = [np.mean(labels[y >= 0] == y[y >= 0]) for labels in LABELS]
    assert found.known[0] == fits[0] == 1
    expected = (2 * plain.score + 0.6 * rankdata(found.known) / 5) / 2.6
    np.testing.assert_allclose(found.score, expected)


def test_fewer_clusters_than_asked_lose_the_share_of_missing_divisions():
    labels = np.array([TRUTH, noisy(0.3, 1), np.minimum(TRUTH, 1)])
    all_there = search_scores.score_task(
        runs(labels, settings=[1, 2, 3]), np.array([3, 3, 2]), SCORER
    )
    found = search_scores.score_task(runs(labels, settings=[1, 2, 3]), np.array([3, 3, 3]), SCORER)
    np.testing.assert_allclose(found.complete, [1, 1, 0.5])
    np.testing.assert_allclose(found.score, all_there.score * [1, 1, 0.5])


def test_the_numbers_of_clusters_need_not_follow_each_other():
    gaps = np.array([TRUTH * 5, *LABELS[1:]])
    np.testing.assert_array_equal(
        search_scores.score_task(runs(gaps), np.full(5, 3), SCORER).score,
        search_scores.score_task(runs(), np.full(5, 3), SCORER).score,
    )


def test_runs_of_one_cluster_are_no_crowd():
    labels = np.array([TRUTH, noisy(0.2, 1), *np.zeros((6, 36), dtype=int)])
    found = search_scores.score_task(runs(labels, settings=list(range(8))), np.full(8, 3), SCORER)
    np.testing.assert_array_equal(found.agree[2:], 0)
    np.testing.assert_array_equal(found.modularity[2:], 0)
    np.testing.assert_array_equal(found.score[2:], 0)
    assert found.agree[0] == pytest.approx(adjusted_rand_score(labels[0], labels[1]))
    assert min(found.score[:2]) > 0


def test_a_task_of_one_cluster_does_not_change_the_order():
    labels = np.zeros((3, 36), dtype=int)
    found = search_scores.score_task(
        runs(labels, settings=[1, 2, 3]), np.ones(3, dtype=int), SCORER
    )
    np.testing.assert_array_equal(found.complete, 1)
    np.testing.assert_allclose(found.score, found.score[0])
    assert found.score[0] > 0


def test_references_count_as_families_and_are_not_scored():
    labels = np.array([TRUTH, noisy(1.0, 7), TRUTH, TRUTH, np.zeros(36, dtype=int)])
    crowd = runs(labels, ["s", "s", "kmeans", "kmeans", "symnmf"], [1, 2, 1, 1, 1])
    found = search_scores.score_task(crowd, np.array([3, 3]), SCORER)
    A = adjusted_rand_score(labels[0], labels[1])
    assert len(found.score) == len(found.agree) == 2
    # One of two settings and one of two families: the other setting weighs half a family.
    np.testing.assert_allclose(found.agree, [(0.25 * A + 0.5) / 0.75, A])
    assert search_scores.score_task(
        crowd, np.array([3, 3]), TaskScorer(X, 3, y=TRUTH)
    ).known.shape == (2,)


class Asked:
    """A fitted estimator of two tasks with 3 and 1 clusters requested."""

    n_clusters_ = np.array([3, 1])


def test_a_failed_run_is_one_cluster_where_more_were_asked_for():
    planned = PlannedRun("searched", 0, Asked(), X)
    failed = FinishedRun(planned, FitOutcome(None, 0.1, InputError("too few"), []))
    assert failed.failed
    assert failed.labels(4).tolist() == [0, 0, 0, 0]
    assert (failed.asked(0), failed.asked(1)) == (2, 2)


def test_a_finished_run_has_the_labels_of_its_fit():
    labels = np.array([2, 0, 1])
    run = FinishedRun(PlannedRun("searched", 0, Asked(), X), FitOutcome(labels, 0.1, None, []))
    assert not run.failed
    assert run.labels(3) is labels
    assert (run.asked(0), run.asked(1)) == (3, 1)


def test_a_score_is_at_most_one_and_reached_by_the_best_of_every_criterion():
    labels = np.array([TRUTH, TRUTH, noisy(0.5, 1), noisy(1.0, 2)])
    found = search_scores.score_task(runs(labels, settings=[0, 1, 2, 3]), np.full(4, 3), SCORER)
    assert found.score.max() <= 1
    assert found.score[0] == found.score[1] > found.score[2:].max()


def test_names_of_criteria_are_those_that_were_computed():
    plain = search_scores.score_task(runs(), np.full(5, 3), SCORER)
    known = search_scores.score_task(runs(), np.full(5, 3), TaskScorer(X, 3, y=TRUTH))
    names = ["score", "agree", "modularity", "complete"]
    assert [name for name, _ in plain.named()] == names
    assert [name for name, _ in known.named()] == [*names, "known"]
