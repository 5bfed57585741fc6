from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from kinfolk.choosing import changes, decision, own_answers
from kinfolk.choosing.scores import BaseClusterings
from kinfolk.choosing.task_scorer import TaskScorer
from redrawn_runs import TRUTH, X, redrawn

ROWS = np.arange(100, 145)
RECORD = {
    "modularity": 0.4,
    "own_modularity": 0.3,
    "cross_task_agreement": 0.5,
    "own_cross_task_agreement": 0.6,
    "agreement_with_joint_runs": 0.7,
    "own_runs_only": False,
    "has_clusters": True,
    "has_second_answer": False,
    "has_cross_task_support": True,
    "known_rows": 0,
    "changed_rows": [4, 7],
    "refused_rows": [],
    "evidence": float("nan"),
    "support": "shape",
    "n_rows": 50,
    "source": "joint",
    "cases": 0,
    "better_cases": 0,
}


def runs_of(labels, joint):
    R = len(labels)
    family = ["joint" if joint else "own"] * R
    return BaseClusterings(np.array(labels), family, list(range(R)), np.full(R, joint))


@pytest.fixture(scope="module")
def made():
    """Make a decision in which joint runs score better than own ones."""
    own = runs_of([redrawn(0.8, seed) for seed in range(20, 30)], False)
    joint = runs_of([redrawn(0.3, seed) for seed in range(10)], True)
    result = own_answers.own_result(own, TaskScorer(X, 3))
    other = own_answers.own_result(runs_of([TRUTH], False), TaskScorer(X, 3))
    helped = decision.options(result, joint, {1: result.labels_from_each([other])[0]})
    helper = decision.options(
        other, runs_of([TRUTH], True), {0: other.labels_from_each([result])[0]}
    )
    return decision.decide([helped, helper])[0]


def test_the_record_compares_the_answer_with_the_own_one(made):
    record = changes.change_record("a", made, ROWS)
    answer, own = made.answer, made.own
    assert record["task"] == "a"
    assert record["agreement"] == pytest.approx(adjusted_rand_score(answer.labels, own.labels))
    assert record["joint_share"] == made.runs.joint[answer.kept].mean()
    for name in ("modularity", "cross_task_agreement", "combiner"):
        assert record[name] == getattr(answer, name)
        assert record[f"own_{name}"] == getattr(own, name)
    assert record["null_modularity"] == 0


def test_agreement_with_runs_is_a_mean_over_own_and_over_joint_runs(made):
    record = changes.change_record("a", made, ROWS)
    agreement = [adjusted_rand_score(made.answer.labels, labels) for labels in made.runs.labels]
    assert record["agreement_with_own_runs"] == pytest.approx(np.mean(agreement[:10]))
    assert record["agreement_with_joint_runs"] == pytest.approx(np.mean(agreement[10:]))


def test_changed_rows_are_as_few_as_any_matching_of_clusters_leaves(made):
    record = changes.change_record("a", made, ROWS)
    orders = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    differing = [ROWS[np.array(order)[made.own.labels] != made.answer.labels] for order in orders]
    fewest = min(len(rows) for rows in differing)
    assert len(record["changed_rows"]) == fewest
    assert f"{fewest} of 45 rows; their own clusters support it." in record["meaning"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "of 50 rows; one shape of clusters was learned from all data sets, and by it they a"),
        ({"cases": 27, "better_cases": 24}, "of 27 such cases with known classes it was better."),
        ({"cases": 33, "better_cases": 22}, "33 such cases with known classes it was better, wh"),
        ({"changed_rows": []}, "With and without the other data sets the clusters are the same."),
        (
            {"own_runs_only": True, "changed_rows": []},
            "The clusters are those of this data set by itself: they score highest.",
        ),
        ({"support": "tasks", "evidence": 0.06}, "2 of 50 rows; their own clusters support it."),
        (
            {"changed_rows": [], "refused_rows": [4, 7], "evidence": 0.01},
            "2 of 50 rows scored higher, but the clusters of the other data sets do not support it",
        ),
        (
            {"support": "labels", "evidence": 0.04, "known_rows": 7},
            "2 of 50 rows; the known labels support it.",
        ),
        ({"support": "mixture"}, "describe these rows better than any of their own do."),
        ({"support": "found twice"}, "one of another data set give the same clusters."),
        ({"support": "common mixture"}, "clusters common to all data sets describe these rows"),
        (
            {"agreement_with_joint_runs": np.nan},
            "The clusters are those of this data set by itself.",
        ),
        (
            {"agreement_with_joint_runs": np.nan, "changed_rows": [], "combiner": "mixture"},
            "a mixture of bell-shaped clusters describes its rows well.",
        ),
        ({"has_clusters": False}, "No clusters found that are clearer than chance: tables"),
        ({"known_rows": 7}, "7 known labels took part in the choice."),
        ({"has_second_answer": True}, "it was the better one in 2 of 14 cases."),
    ],
)
def test_a_record_is_described_in_a_sentence(given, sentence):
    assert sentence in changes.describe({**RECORD, **given})


@pytest.mark.parametrize(
    ("kind", "certain"), [("counts", True), ("amounts", False), ("measurements", False)]
)
def test_only_changes_of_counts_were_better_more_often_than_by_chance(made, kind, certain):
    meaning = changes.change_record("a", replace(made, support="tasks"), ROWS, kind)["meaning"]
    assert meaning.endswith("it was better." if certain else "it was better, which may be chance.")


def test_few_cases_may_be_chance_even_if_all_but_one_were_better():
    assert changes.Cases(4, 5).may_be_chance
    assert not changes.Cases(40, 50).may_be_chance


@pytest.mark.parametrize(
    ("kind", "support", "counted"),
    [
        ("counts", "tasks", True),
        ("amounts", "tasks", True),
        ("measurements", "tasks", True),
        ("measurements", "labels", False),
        ("measurements", "shape", False),
    ],
)
def test_changes_of_the_same_sort_on_other_data_are_counted(made, kind, support, counted):
    record = changes.change_record("a", replace(made, support=support), ROWS, kind)
    expected = changes.TRACK_RECORD[kind] if counted else changes.Cases(0, 0)
    assert (record["better_cases"], record["cases"]) == expected
    unchanged = replace(made, answer=made.own, proposal=made.own)
    assert changes.change_record("a", unchanged, ROWS, kind)["cases"] == 0
