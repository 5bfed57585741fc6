import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from kinfolk.choosing import consensus, scores
from kinfolk.choosing.consensus import Answer
from kinfolk.choosing.scores import BaseClusterings

RANDOM = np.random.default_rng(1)
TRUTH = np.repeat([0, 1, 2], 15)
X = RANDOM.normal(size=(45, 6)) * 0.25 + np.eye(6)[TRUTH]


def noisy(share, seed):
    """The truth with a share of rows drawn anew, and clusters renamed."""
    random = np.random.default_rng(seed)
    drawn = random.uniform(size=45) < share
    return random.permutation(3)[np.where(drawn, random.integers(3, size=45), TRUTH)]


GOOD = np.array([noisy(0.35, seed) for seed in range(12)])
WEIGHTS = np.full(12, 1 / 12)
COMBINERS = {
    "evidence accumulation": lambda labels: consensus.evidence_accumulation(labels, 3),
    "k-means on memberships": lambda labels: consensus.kmeans_on_memberships(labels, WEIGHTS, 3, 0),
    "voting": lambda labels: consensus.voting(labels, 3),
}


@pytest.mark.parametrize("combiner", COMBINERS)
def test_the_answer_is_better_than_the_best_of_the_runs(combiner):
    single = max(adjusted_rand_score(TRUTH, labels) for labels in GOOD)
    assert adjusted_rand_score(TRUTH, COMBINERS[combiner](GOOD)) > single


@pytest.mark.parametrize("combiner", COMBINERS)
def test_the_answer_does_not_depend_on_the_names_of_clusters(combiner):
    renamed = np.array([(labels + r) % 3 for r, labels in enumerate(GOOD)])
    np.testing.assert_array_equal(COMBINERS[combiner](GOOD), COMBINERS[combiner](renamed))


def test_linkage_cuts_where_fewest_runs_put_rows_together():
    labels = np.array([[0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1]])
    np.testing.assert_array_equal(consensus.evidence_accumulation(labels, 2), [0, 0, 0, 1, 1])
    np.testing.assert_array_equal(consensus.evidence_accumulation(labels, 3), [0, 0, 1, 2, 2])


def test_a_vote_counts_matched_names():
    labels = np.array([[0, 0, 1, 1, 1], [2, 2, 2, 5, 5], [1, 1, 1, 0, 0]])
    np.testing.assert_array_equal(consensus.voting(labels, 2), [0, 0, 0, 1, 1])


NONE = np.array([], dtype=int)


def answer(combiner, modularity, agreement=0.0, fit=0.0):
    return Answer(TRUTH, combiner, "own", NONE, modularity, agreement, fit)


def test_the_answer_with_the_largest_sum_of_signs_is_kept():
    answers = [
        answer("evidence accumulation", 0.5, 0.1),
        answer("voting", 0.4, 0.3),
        answer("k-means on memberships", 0.6),
    ]
    assert consensus.best(answers).combiner == "voting"
    assert consensus.best(answers[::2]) is answers[0]
    assert consensus.best([answers[0], answer("voting", 0.5, 0.1)]) is answers[0]
    assert (
        consensus.best([*answers, answer("evidence accumulation", 0.4, 0.1, 0.3)]).label_fit == 0.3
    )


def test_two_stories_are_told_apart():
    other = np.tile([0, 1, 2], 15)
    told = [np.where(RANDOM.uniform(size=45) < 0.2, 1, other) for _ in range(12)]
    labels = np.vstack([GOOD, *told])
    runs = BaseClusterings(labels, ["a"] * 24, list(range(24)), np.zeros(24, dtype=bool))
    A = scores.pairwise_agreement(labels)
    even = scores.RunScores(A, np.full(24, 1 / 24), np.zeros(24), np.zeros(24), np.ones(24))
    half = np.array([*range(8), *range(12, 20), *range(8, 12), *range(20, 24)])
    even.total[half[:12]] = 2.0
    first, second = consensus.modes(runs, even)
    assert {frozenset(first.tolist()), frozenset(second.tolist())} == {
        frozenset(range(8)),
        frozenset(range(12, 16)),
    }


def test_too_few_runs_tell_no_two_stories():
    runs = BaseClusterings(GOOD, ["a"] * 12, list(range(12)), np.zeros(12, dtype=bool))
    assert consensus.modes(runs, scores.score_runs(runs, scores.silhouettes(runs, X))) is None
    one_story = scores.score_runs(runs, scores.silhouettes(runs, X))
    assert len(one_story.best(consensus.HALF)) == 6


def test_a_task_of_one_or_two_rows_has_an_answer():
    runs = BaseClusterings(np.array([[0, 1]] * 6), list("abcdef"), [0] * 6, np.zeros(6, dtype=bool))
    found = scores.score_runs(runs, np.zeros(6))
    for labels in consensus.combine(runs, found, 2).values():
        np.testing.assert_array_equal(labels, [0, 1])
    np.testing.assert_array_equal(consensus.evidence_accumulation(np.zeros((3, 1), int), 1), [0])
