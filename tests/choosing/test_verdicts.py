from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, silhouette_score

from kinfolk.choosing import chance, consensus, evidence, verdicts
from kinfolk.choosing.evidence import Runs
from kinfolk.choosing.verdicts import Bench

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


def runs_of(own, joint):
    labels = np.array([*own, *joint])
    families = ["own"] * len(own) + ["joint"] * len(joint)
    is_joint = np.array([family == "joint" for family in families])
    return Runs(labels, families, list(range(len(labels))), is_joint)


GOOD = [noisy(TRUTH, 0.3, seed) for seed in range(10)]
BAD = [noisy(TRUTH, 0.8, seed) for seed in range(20, 30)]
HELPED = runs_of(BAD, GOOD)


def test_the_answer_uses_all_runs_and_the_own_one_those_of_the_task_alone():
    verdict = verdicts.judge(HELPED, Bench(X, 3))
    alone = HELPED.take(~HELPED.joint)
    seen = evidence.gather(alone, evidence.silhouettes(alone, X))
    np.testing.assert_array_equal(verdict.own.labels, consensus.combine(alone, seen, X, 3).labels)
    assert (verdict.own_kept < 10).all()
    assert (verdict.kept >= 10).all()
    assert adjusted_rand_score(TRUTH, verdict.answer.labels) > 0.9
    assert adjusted_rand_score(TRUTH, verdict.own.labels) < 0.7


def test_without_other_tasks_the_own_answer_is_the_answer():
    verdict = verdicts.judge(runs_of(GOOD, []), Bench(X, 3))
    assert verdict.own is verdict.answer
    record = verdicts.compared("a", verdict, ROWS)
    assert record["meaning"] == "With and without the other tasks the clusters are the same."
    assert np.isnan(record["agree_joint"])
    assert record["joint_share"] == 0


def test_the_cautious_take_the_own_answer_where_both_signs_prefer_it():
    made = verdicts.judge(HELPED, Bench(X, 3))
    worse = consensus.best({"vote": OTHER}, X)
    hasty = replace(made, answer=worse, own=made.answer)
    cautious = replace(hasty, cautious=True)
    np.testing.assert_array_equal(cautious.stands[0], made.answer.labels)
    np.testing.assert_array_equal(cautious.stands[1], made.own_kept)
    np.testing.assert_array_equal(hasty.stands[0], OTHER)
    record = verdicts.compared("a", cautious, ROWS)
    assert record["own_stands"]
    assert not verdicts.compared("a", hasty, ROWS)["own_stands"]
    assert "neither sign says for the better: compare own_labels_" in record["meaning"]
    torn = replace(worse, silhouette=made.answer.silhouette + 0.1)
    divided = replace(cautious, answer=torn)
    np.testing.assert_array_equal(divided.stands[0], OTHER)
    assert "two signs do not agree" in verdicts.compared("a", divided, ROWS)["meaning"]


def test_one_real_run_is_the_one_with_the_best_score():
    verdict = verdicts.judge(HELPED, Bench(X, 3, combined=False))
    best = verdict.found.scores.argmax()
    np.testing.assert_array_equal(verdict.answer.labels, HELPED.labels[best])
    assert verdict.kept.tolist() == [best]
    assert verdict.answer.way == "single run"
    expected = silhouette_score(X, HELPED.labels[best], metric="cosine")
    assert verdict.answer.silhouette == pytest.approx(expected)


def test_a_sample_speaks_for_all_rows():
    sample = np.sort(RANDOM.choice(45, 30, replace=False))
    verdict = verdicts.judge(HELPED, Bench(X[sample], 3, sample))
    seen = HELPED.rows(sample)
    expected = evidence.gather(seen, evidence.silhouettes(seen, X[sample]))
    np.testing.assert_allclose(verdict.found.scores, expected.scores)
    assert verdict.answer.labels.shape == (45,)
    assert verdict.answer.silhouette == pytest.approx(
        silhouette_score(X[sample], verdict.answer.labels[sample], metric="cosine")
    )


def test_the_record_compares_the_answer_with_the_own_one():
    verdict = verdicts.judge(HELPED, Bench(X, 3))
    record = verdicts.compared("a", verdict, ROWS)
    a, o = verdict.answer.labels, verdict.own.labels
    assert record["agreement"] == pytest.approx(adjusted_rand_score(a, o))
    assert record["joint_share"] == HELPED.joint[verdict.kept].mean()
    agree = [adjusted_rand_score(a, labels) for labels in HELPED.labels]
    assert record["agree_own"] == pytest.approx(np.mean(agree[:10]))
    assert record["agree_joint"] == pytest.approx(np.mean(agree[10:]))
    differing = min(
        (ROWS[np.array(names)[o] != a] for names in
         [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]),
        key=len,
    )  # fmt: skip
    assert len(record["rows"]) == len(differing)
    assert "both signs say for the better" in record["meaning"]
    assert f"{len(differing)} of 45 rows" in record["meaning"]


def test_two_stories_are_two_answers():
    told = [noisy(OTHER, 0.15, seed) for seed in range(40, 52)]
    crowd = [noisy(TRUTH, 0.15, seed) for seed in range(12)]
    runs = runs_of([*crowd, *told, *BAD], [])
    even = evidence.gather(runs, np.r_[np.ones(24), np.zeros(10)])
    bench = Bench(np.hstack([X, np.eye(3)[OTHER]]), 3)
    second = verdicts.second(runs, even, TRUTH, bench)
    assert adjusted_rand_score(OTHER, second) > 0.9
    first = verdicts.second(runs, even, OTHER, bench)
    assert adjusted_rand_score(TRUTH, first) > 0.9
    assert verdicts.second(runs, even, TRUTH, replace(bench, chance=0.9)) is None


@pytest.mark.parametrize("share", [0.15, 0.3, 0.9])
def test_one_story_or_none_is_no_second_answer(share):
    runs = runs_of([noisy(TRUTH, share, seed) for seed in range(40)], [])
    assert verdicts.judge(runs, Bench(X, 3)).second is None


def test_a_table_without_groups_says_so():
    noise = np.random.default_rng(0).normal(size=(45, 6))
    runs = runs_of([noisy(TRUTH, 1.0, seed) for seed in range(12)], [])
    bench = Bench(noise, 3, chance=chance.level(noise, 3, together=True))
    record = verdicts.compared("a", verdicts.judge(runs, bench), ROWS)
    assert not record["clusters"]
    assert record["meaning"].startswith("No clusters found: ")
