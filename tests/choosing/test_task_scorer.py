import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from kinfolk.choosing import own_answers, scores
from kinfolk.choosing.null_model import NullLevel
from kinfolk.choosing.scores import BaseClusterings
from kinfolk.choosing.task_scorer import TaskScorer
from redrawn_runs import TRUTH, X, runs_of

NONE = np.array([], dtype=int)


@pytest.mark.parametrize(
    ("Q", "S", "r", "exceeds"),
    [(0, 9, 9, True), (9, 0, 9, True), (9, 9, 0, True), (9, 9, 9, False)],
)
def test_one_criterion_above_its_null_level_is_enough(Q, S, r, exceeds):
    scorer = TaskScorer(X, 3, null_level=NullLevel(Q, S, r))
    assert scorer.exceeds_null(TRUTH) == scorer.has_clusters(TRUTH) == exceeds


def test_a_task_has_clusters_if_others_than_the_answer_exceed_the_null_level():
    scorer = TaskScorer(X, 3, null_level=NullLevel(9, 9, 9, exceeded=True))
    assert scorer.has_clusters(TRUTH)
    assert not scorer.exceeds_null(TRUTH)


def test_a_sample_is_all_that_is_scored():
    sample = np.arange(0, 45, 2)
    other = TRUTH.copy()
    other[1::2] = 0
    scorer = TaskScorer(X[sample], 3, sample)
    np.testing.assert_array_equal(scorer.on_sample(TRUTH), TRUTH[::2])
    Q = scorer.modularities(np.array([TRUTH, other]))
    assert Q[0] == Q[1]
    expected = scores.modularities(TRUTH[None, ::2], scores.neighbor_graph(X[sample], 3))
    np.testing.assert_array_equal(Q[:1], expected)


@pytest.mark.parametrize(
    ("known", "n_known"), [([], 0), ([0, 1], 0), ([0, 1, 15], 0), ([0, 1, 15, 16], 4)]
)
def test_known_rows_count_once_two_classes_have_two_each(known, n_known):
    y = np.full(45, -1)
    y[known] = TRUTH[known]
    assert TaskScorer(X, 3, y=y).n_known == n_known


def test_without_labels_no_row_is_known():
    assert TaskScorer(X, 3).n_known == 0


def test_an_answer_has_its_modularity_and_weighted_label_fit():
    y = np.where(np.arange(45) % 3 == 0, TRUTH, -1)
    labels = (TRUTH + 1) % 3
    labels[0] = labels[44]
    answer = TaskScorer(X, 3, y=y).answer(labels, "voting", "own", NONE)
    W = scores.neighbor_graph(X, 3)
    assert answer.modularity == scores.modularities(labels[None], W)[0]
    assert answer.label_fit == pytest.approx(1.5 * 14 / 15)
    assert TaskScorer(X, 3).answer(labels, "voting", "own", NONE).label_fit == 0


def test_the_single_best_run_replaces_a_consensus_if_asked_for():
    runs = runs_of(0.9, 0.1, 0.5, 0.3)
    scorer = TaskScorer(X, 3, combine=False)
    run_scores = scorer.score_runs(runs, scorer.modularities(runs.labels))
    (answer,) = scorer.answers("all", runs, run_scores, np.array([10, 11, 12, 13]))
    assert answer.combiner == "single run"
    assert answer.kept.tolist() == [10 + run_scores.total.argmax()]
    np.testing.assert_array_equal(answer.labels, runs.labels[run_scores.total.argmax()])


def test_answers_keep_the_positions_of_their_runs_among_all_runs():
    runs = runs_of(*np.linspace(0, 0.9, 8))
    scorer = TaskScorer(X, 3)
    run_scores = scorer.score_runs(runs, scorer.modularities(runs.labels))
    answers = scorer.answers("joint", runs, run_scores, np.arange(100, 108))
    best = run_scores.best(0.25)
    for answer in answers:
        assert answer.source == "joint"
        np.testing.assert_array_equal(answer.kept, 100 + best)


def test_cross_task_agreement_is_added_to_a_copy_of_each_answer():
    scorer = TaskScorer(X, 3)
    before = [scorer.answer(labels, "voting", "own", NONE) for labels in (TRUTH, TRUTH % 2)]
    after = scorer.with_cross_task_agreement(before, [TRUTH])
    expected = [adjusted_rand_score(TRUTH, answer.labels) for answer in before]
    assert [a.cross_task_agreement for a in after] == pytest.approx(expected)
    assert [a.cross_task_agreement for a in before] == [0, 0]
    assert [a.modularity for a in after] == [a.modularity for a in before]


def two_clouds_with_two_wrong_rows():
    """Scorer options, and runs that agree on two swapped rows."""
    X = np.random.RandomState(0).randn(80, 2) + 6 * np.repeat(np.eye(2), 40, axis=0)
    X = np.column_stack([X, np.full(80, 100.0)])
    truth = np.repeat([0, 1], 40)
    wrong = truth.copy()
    wrong[[3, 70]] = [1, 0]
    runs = BaseClusterings(np.array([wrong] * 6), list("abcdef"), [0] * 6, np.zeros(6, bool))
    return X, truth, wrong, runs


def test_smooth_consensus_moves_single_rows_to_their_neighborhood():
    X, truth, wrong, runs = two_clouds_with_two_wrong_rows()
    plain = own_answers.own_result(runs, TaskScorer(X, 2)).answers
    smooth = own_answers.own_result(runs, TaskScorer(X, 2, smooth=True)).answers
    assert [a.combiner for a in plain] == [a.combiner for a in smooth]
    assert all(np.array_equal(a.labels, wrong) for a in plain)
    assert all(np.array_equal(a.labels, truth) for a in smooth)
    assert smooth[0].modularity > plain[0].modularity


@pytest.mark.parametrize("options", [{"combine": False}, {"sample": np.arange(0, 80, 2)}])
def test_single_runs_and_sampled_tasks_are_not_smoothed(options):
    X, _, wrong, runs = two_clouds_with_two_wrong_rows()
    rows = options.get("sample", np.arange(80))
    scorer = TaskScorer(X[rows], 2, smooth=True, **options)
    assert all(
        np.array_equal(a.labels, wrong) for a in own_answers.own_result(runs, scorer).answers
    )
