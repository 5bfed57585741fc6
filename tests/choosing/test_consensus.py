import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from kinfolk.choosing import consensus, scores
from kinfolk.choosing.consensus import Answer
from kinfolk.choosing.scores import Runs

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
WAYS = {
    "linkage": lambda labels: consensus.linkage(labels, 3),
    "stacking": lambda labels: consensus.stacking(labels, WEIGHTS, 3, 0),
    "vote": lambda labels: consensus.vote(labels, 3),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_answer_is_better_than_the_best_of_the_runs(way):
    single = max(adjusted_rand_score(TRUTH, labels) for labels in GOOD)
    assert adjusted_rand_score(TRUTH, WAYS[way](GOOD)) > single


@pytest.mark.parametrize("way", WAYS)
def test_the_answer_does_not_depend_on_the_names_of_clusters(way):
    renamed = np.array([(labels + r) % 3 for r, labels in enumerate(GOOD)])
    np.testing.assert_array_equal(WAYS[way](GOOD), WAYS[way](renamed))


def test_linkage_cuts_where_fewest_runs_put_rows_together():
    labels = np.array([[0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1]])
    np.testing.assert_array_equal(consensus.linkage(labels, 2), [0, 0, 0, 1, 1])
    np.testing.assert_array_equal(consensus.linkage(labels, 3), [0, 0, 1, 2, 2])


def test_a_vote_counts_matched_names():
    labels = np.array([[0, 0, 1, 1, 1], [2, 2, 2, 5, 5], [1, 1, 1, 0, 0]])
    np.testing.assert_array_equal(consensus.vote(labels, 2), [0, 0, 0, 1, 1])


NONE = np.array([], dtype=int)


def answer(way, modularity, echo=0.0, known=0.0):
    return Answer(TRUTH, way, "own", NONE, modularity, echo, known)


def test_the_answer_with_the_largest_sum_of_signs_is_kept():
    answers = [answer("linkage", 0.5, 0.1), answer("vote", 0.4, 0.3), answer("stacking", 0.6)]
    assert consensus.best(answers).way == "vote"
    assert consensus.best(answers[::2]) is answers[0]
    assert consensus.best([answers[0], answer("vote", 0.5, 0.1)]) is answers[0]
    assert consensus.best([*answers, answer("linkage", 0.4, 0.1, 0.3)]).known == 0.3


def test_two_stories_are_told_apart():
    other = np.tile([0, 1, 2], 15)
    told = [np.where(RANDOM.uniform(size=45) < 0.2, 1, other) for _ in range(12)]
    labels = np.vstack([GOOD, *told])
    runs = Runs(labels, ["a"] * 24, list(range(24)), np.zeros(24, dtype=bool))
    A = scores.agreement(labels)
    even = scores.Evidence(A, np.full(24, 1 / 24), np.zeros(24), np.zeros(24), np.ones(24))
    half = np.array([*range(8), *range(12, 20), *range(8, 12), *range(20, 24)])
    even.scores[half[:12]] = 2.0
    first, second = consensus.modes(runs, even)
    assert {frozenset(first.tolist()), frozenset(second.tolist())} == {
        frozenset(range(8)),
        frozenset(range(12, 16)),
    }


def test_too_few_runs_tell_no_two_stories():
    runs = Runs(GOOD, ["a"] * 12, list(range(12)), np.zeros(12, dtype=bool))
    assert consensus.modes(runs, scores.gather(runs, scores.silhouettes(runs, X))) is None
    one_story = scores.gather(runs, scores.silhouettes(runs, X))
    assert len(one_story.best(consensus.HALF)) == 6


def test_a_task_of_one_or_two_rows_has_an_answer():
    runs = Runs(np.array([[0, 1]] * 6), list("abcdef"), [0] * 6, np.zeros(6, dtype=bool))
    found = scores.gather(runs, np.zeros(6))
    for labels in consensus.combined(runs, found, 2).values():
        np.testing.assert_array_equal(labels, [0, 1])
    np.testing.assert_array_equal(consensus.linkage(np.zeros((3, 1), int), 1), [0])
