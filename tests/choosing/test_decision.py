from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from kinfolk.choosing import changes, consensus, decision, null_model, scores, task_scorer
from kinfolk.choosing.consensus import Answer
from kinfolk.choosing.decision import Options
from kinfolk.choosing.null_model import NullLevel
from kinfolk.choosing.scores import BaseClusterings
from kinfolk.choosing.task_scorer import TaskScorer

RANDOM = np.random.default_rng(1)
TRUTH = np.repeat([0, 1, 2], 15)
OTHER = np.tile([0, 1, 2], 15)
X = RANDOM.normal(size=(45, 6)) * 0.25 + np.eye(6)[TRUTH]
ROWS = np.arange(100, 145)


def noisy(truth, share, seed):
    """A truth with a share of rows drawn anew, and clusters renamed."""
    random = np.random.default_rng(seed)
    drawn = random.uniform(size=45) < share
    return random.permutation(3)[np.where(drawn, random.integers(3, size=45), truth)]


def runs_of(*labels, joint=False):
    labels = np.array([row for group in labels for row in group])
    n = len(labels)
    return BaseClusterings(
        labels, ["joint" if joint else "own"] * n, list(range(n)), np.full(n, joint)
    )


def judged(own, joint, bench=None, referees=(TRUTH,), **options):
    alone = task_scorer.own_result(runs_of(own), TaskScorer(X, 3) if bench is None else bench)
    (verdict,) = decision.decide(
        [decision.options(alone, runs_of(joint, joint=True), referees)], **options
    )
    return verdict


def by_itself(alone):
    return decision.decide([decision.options(alone)])[0]


def case_of(*signs, echo=0.5):
    """A case whose answers have these modularities, echoes and known labels, the first its own."""
    none, runs = np.array([], dtype=int), runs_of([TRUTH])
    kinds = [("own", "voting"), ("joint", "voting"), ("joint", "evidence accumulation")]
    answers = [
        Answer(TRUTH, way, source, none, *values)
        for (source, way), values in zip(kinds, signs, strict=False)
    ]
    found = task_scorer.own_result(runs, TaskScorer(X, 3)).run_scores
    return Options(TaskScorer(X, 3), runs, found, np.full(1, echo), answers[0], answers)


GOOD = [noisy(TRUTH, 0.3, seed) for seed in range(10)]
BAD = [noisy(TRUTH, 0.8, seed) for seed in range(20, 30)]


def test_the_own_answer_is_that_of_the_runs_of_the_task_alone():
    alone = runs_of(BAD)
    W = scores.neighbor_graph(X, 3)
    seen = scores.score_runs(alone, scores.modularities(alone.labels, W))
    made = np.array(list(consensus.combine(alone, seen, 3).values()))
    verdict = judged(BAD, GOOD)
    own = made[scores.modularities(made, W).argmax()]
    np.testing.assert_array_equal(verdict.own.labels, own)
    assert adjusted_rand_score(TRUTH, verdict.own.labels) < 0.7


def test_the_answer_uses_runs_that_know_other_tasks_where_they_are_better():
    verdict = judged(BAD, GOOD)
    assert not verdict.own_runs_only
    assert (verdict.answer.kept >= 10).all()
    assert adjusted_rand_score(TRUTH, verdict.answer.labels) > 0.9


@pytest.mark.parametrize("cautious", [True, False])
def test_the_own_answer_stands_where_they_are_worse(cautious):
    verdict = judged(GOOD, BAD, cautious=cautious)
    assert verdict.own_runs_only
    assert (verdict.answer.kept < 10).all()
    record = changes.change_record("a", verdict, ROWS)
    assert record["own_runs_only"]
    assert record["joint_share"] == 0
    assert record["meaning"].startswith("The clusters are those of this data set by itself")


def test_without_other_tasks_the_own_answer_is_the_answer():
    verdict = by_itself(task_scorer.own_result(runs_of(GOOD), TaskScorer(X, 3)))
    assert verdict.own.labels is verdict.answer.labels
    record = changes.change_record("a", verdict, ROWS)
    assert record["meaning"] == "This data set was clustered by itself."
    assert np.isnan(record["agreement_with_joint_runs"])
    assert record["joint_share"] == 0


def test_what_other_tasks_bear_out_may_decide():
    random = np.random.default_rng(3)
    both = np.hstack([np.eye(3)[TRUTH], np.eye(3)[OTHER] * 1.1])
    bench = TaskScorer(both + random.normal(size=(45, 6)) * 0.1, 3)
    own = [noisy(OTHER, 0.3, seed) for seed in range(10)]
    joint = [noisy(TRUTH, 0.0, seed) for seed in range(20)]
    weak = np.where(np.arange(45) < 26, OTHER, random.integers(3, size=45))
    referees = [noisy(TRUTH, 0.0, 5), weak]
    outside = judged(own, joint, bench, referees=referees)
    assert adjusted_rand_score(TRUTH, outside.answer.labels) > 0.9
    heard = max(adjusted_rand_score(echo, outside.answer.labels) for echo in referees)
    assert outside.answer.cross_task_agreement == pytest.approx(heard)
    assert outside.cross_task.max() == pytest.approx(heard)
    inside = judged(own, joint, bench, referees=[OTHER])
    assert adjusted_rand_score(OTHER, inside.answer.labels) > 0.9


def test_the_own_answer_stands_where_no_run_has_an_echo():
    silent = [np.random.default_rng(3).integers(3, size=45)]
    verdict = judged(GOOD[:5], BAD[:5], referees=silent)
    assert verdict.answer is verdict.own
    assert not verdict.has_cross_task_support
    assert 0 < verdict.cross_task.max() < 0.4
    assert verdict.runs.joint.sum() == 5
    record = changes.change_record("a", verdict, ROWS)
    assert (record["has_cross_task_support"], record["source"], record["joint_share"]) == (
        False,
        "own",
        0,
    )
    assert record["meaning"] == (
        "The clusters are those of this data set by itself: "
        "the clusters of the others do not agree with any run."
    )
    other = changes.change_record("a", judged(GOOD, BAD, referees=silent), ROWS)
    assert "by itself, combined in another way (" in other["meaning"]
    y = np.where(np.arange(45) % 2 == 0, TRUTH, -1)
    told = judged(BAD, GOOD, TaskScorer(X, 3, y=y), referees=[])
    assert not told.own_runs_only


@pytest.mark.parametrize(("lead", "stands"), [(0.01, True), (0.02, False)])
def test_without_an_echo_another_answer_must_be_clearer(lead, stands):
    silent = case_of((0.3, 0.1), (0.3 + lead, 0.0), (0.31, 0.3), echo=0.3)
    (verdict,) = decision.decide([silent])
    assert (verdict.answer is silent.own) == stands
    assert verdict.answer is silent.answers[0 if stands else 1]


def test_a_task_that_hears_nobody_counts_only_for_itself():
    here = case_of((0.3, 0.3), (0.32, 0.3), (0.31, 0.3))
    silent = case_of((0.3, 0.3), (0.1, 0.3), (0.5, 0.3), echo=0.0)
    assert decision.decide([here, silent])[0].answer is here.answers[1]


def test_known_labels_take_part():
    random = np.random.default_rng(3)
    both = np.hstack([np.eye(3)[TRUTH], np.eye(3)[OTHER] * 1.2])
    rows = both + random.normal(size=(45, 6)) * 0.2
    own = [noisy(t, 0.1, seed) for seed in range(10) for t in (TRUTH, OTHER)]
    y = np.where(np.arange(45) % 2 == 0, TRUTH, -1)
    for known, truth in ((None, OTHER), (y, TRUTH)):
        alone = task_scorer.own_result(runs_of(own), TaskScorer(rows, 3, y=known))
        assert adjusted_rand_score(truth, alone.answer.labels) > 0.9
    record = changes.change_record("a", by_itself(alone), ROWS)
    assert record["known_rows"] == 23
    assert "23 known labels took part in the choice." in record["meaning"]


@pytest.mark.parametrize(
    ("modularity", "echo", "stands"), [(0.4, 0.9, False), (0.2, 0.9, True), (0.4, 0.7, True)]
)
def test_the_cautious_leave_the_own_answer_only_where_both_signs_say_so(modularity, echo, stands):
    case = case_of((0.3, 0.8), (modularity, echo))
    assert (decision.decide([case], cautious=True)[0].answer is case.own) == stands


@pytest.mark.parametrize(("share", "best"), [(22, "other"), (3, "truth")])
def test_known_labels_count_by_how_many_there_are(share, best):
    y = np.where(np.arange(45) % share == 0, TRUTH, -1)
    bench, none = TaskScorer(X, 3, y=y), np.array([], dtype=int)
    answers = [bench.answer(labels, "voting", "own", none) for labels in (OTHER, TRUTH)]
    levelled = [replace(answers[0], modularity=0.6), replace(answers[1], modularity=0.5)]
    assert consensus.best(levelled) is levelled[best == "truth"]


def test_what_is_good_in_other_tasks_counts_twice():
    here = case_of((0.3, 0.3), (0.32, 0.3), (0.31, 0.3))
    there = case_of((0.3, 0.3), (0.1, 0.3), (0.5, 0.3))
    alone, (first, second) = decision.decide([here]), decision.decide([here, there])
    assert alone[0].answer is here.answers[1]
    assert first.answer is here.answers[2]
    assert second.answer is there.answers[2]


def test_the_own_answer_stands_where_only_other_tasks_prefer_another():
    here = case_of((0.3, 0.3), (0.3, 0.3))
    there = case_of((0.3, 0.3), (0.9, 0.3))
    first, second = decision.decide([here, there])
    assert first.answer is here.own
    assert second.answer is there.answers[1]
    assert decision.decide([case_of((0.3, 0.3), (0.3, 0.3, 0.1)), there])[0].answer.label_fit == 0.1


def test_known_labels_count_in_their_own_task_alone():
    here = case_of((0.3, 0.3), (0.3, 0.301), (0.302, 0.3))
    told = case_of((0.3, 0.3), (0.3, 0.3, 9.0), (0.3, 0.3))
    assert decision.decide([here, told])[0].answer is here.answers[2]


def test_one_real_run_is_the_one_with_the_best_score():
    verdict = judged(BAD, GOOD, TaskScorer(X, 3, combine=False))
    best = verdict.run_scores.total.argmax()
    np.testing.assert_array_equal(verdict.answer.labels, [*BAD, *GOOD][best])
    assert verdict.answer.kept.tolist() == [best]
    assert verdict.answer.combiner == "single run"
    assert verdict.answer.modularity == pytest.approx(verdict.run_scores.separation[best])


def test_a_sample_speaks_for_all_rows():
    sample = np.sort(RANDOM.choice(45, 30, replace=False))
    verdict = judged(BAD, GOOD, TaskScorer(X[sample], 3, sample), referees=[TRUTH[sample]])
    seen = replace(verdict.runs, labels=verdict.runs.labels[:, sample])
    clear = scores.modularities(seen.labels, scores.neighbor_graph(X[sample], 3))
    echo = [adjusted_rand_score(TRUTH[sample], labels) for labels in seen.labels]
    expected = scores.score_runs(seen, clear, cross_task=np.array(echo))
    np.testing.assert_allclose(verdict.run_scores.total, expected.total)
    assert verdict.answer.labels.shape == (45,)
    Q = scores.modularities(
        verdict.answer.labels[None, sample], scores.neighbor_graph(X[sample], 3)
    )
    assert verdict.answer.modularity == pytest.approx(Q[0])


def test_the_record_compares_the_answer_with_the_own_one():
    verdict = judged(BAD, GOOD)
    record = changes.change_record("a", verdict, ROWS)
    a, o = verdict.answer.labels, verdict.own.labels
    assert record["agreement"] == pytest.approx(adjusted_rand_score(a, o))
    assert record["joint_share"] == verdict.runs.joint[verdict.answer.kept].mean()
    agree = [adjusted_rand_score(a, labels) for labels in verdict.runs.labels]
    assert record["agreement_with_own_runs"] == pytest.approx(np.mean(agree[:10]))
    assert record["agreement_with_joint_runs"] == pytest.approx(np.mean(agree[10:]))
    differing = min(
        (ROWS[np.array(names)[o] != a] for names in
         [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]),
        key=len,
    )  # fmt: skip
    assert len(record["changed_rows"]) == len(differing)
    assert "the criteria prefer the change" in record["meaning"]
    assert f"{len(differing)} of 45 rows" in record["meaning"]


def test_two_stories_are_two_answers():
    told = [noisy(OTHER, 0.15, seed) for seed in range(40, 52)]
    crowd = [noisy(TRUTH, 0.15, seed) for seed in range(12)]
    runs = runs_of(crowd, told, BAD)
    even = scores.score_runs(runs, np.r_[np.ones(24), np.zeros(10)])
    bench = TaskScorer(np.hstack([X, np.eye(3)[OTHER]]), 3)
    second = decision.second_answer(runs, even, TRUTH, bench)
    assert adjusted_rand_score(OTHER, second) > 0.9
    first = decision.second_answer(runs, even, OTHER, bench)
    assert adjusted_rand_score(TRUTH, first) > 0.9
    assert (
        decision.second_answer(runs, even, TRUTH, replace(bench, null_level=NullLevel(0.9, 0.9)))
        is None
    )


@pytest.mark.parametrize("share", [0.15, 0.3, 0.9])
def test_one_story_or_none_is_no_second_answer(share):
    runs = runs_of([noisy(TRUTH, share, seed) for seed in range(40)])
    assert by_itself(task_scorer.own_result(runs, TaskScorer(X, 3))).second is None


@pytest.mark.parametrize(("Q", "S", "clear"), [(0, 9, True), (9, 0, True), (9, 9, False)])
def test_one_sign_beyond_chance_is_enough(Q, S, clear):
    assert TaskScorer(X, 3, null_level=NullLevel(Q, S)).exceeds_null(TRUTH) == clear


def test_a_table_without_groups_says_so():
    noise = np.random.default_rng(0).normal(size=(45, 6))
    runs = runs_of([noisy(TRUTH, 1.0, seed) for seed in range(12)])
    own = task_scorer.own_result(
        runs, TaskScorer(noise, 3, null_level=null_model.null_level(noise, 3, correlated=True))
    )
    assert not own.has_clusters
    record = changes.change_record("a", by_itself(own), ROWS)
    assert not record["has_clusters"]
    assert record["meaning"].startswith("No clusters found: ")
