import itertools

import numpy as np
import pytest
from scipy.cluster import hierarchy as linkage
from sklearn.cluster import DBSCAN, MeanShift
from sklearn.metrics import adjusted_rand_score

from kinfolk import Kinfolk
from kinfolk.choosing import consensus, scores
from kinfolk.choosing.consensus import Answer
from kinfolk.choosing.scores import BaseClusterings
from kinfolk.datasets.makers import make_related_blobs
from redrawn_runs import TRUTH, X, redrawn

GOOD = np.array([redrawn(0.35, seed) for seed in range(12)])
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


def test_evidence_accumulation_cuts_where_fewest_runs_put_rows_together():
    labels = np.array([[0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1]])
    np.testing.assert_array_equal(consensus.evidence_accumulation(labels, 2), [0, 0, 0, 1, 1])
    np.testing.assert_array_equal(consensus.evidence_accumulation(labels, 3), [0, 0, 1, 2, 2])


def test_a_vote_counts_matched_names():
    labels = np.array([[0, 0, 1, 1, 1], [2, 2, 2, 5, 5], [1, 1, 1, 0, 0]])
    np.testing.assert_array_equal(consensus.voting(labels, 2), [0, 0, 0, 1, 1])


def test_a_vote_of_runs_of_more_clusters_has_at_most_k():
    many = np.array([0, 0, 1, 2, 2, 2, 3])
    np.testing.assert_array_equal(consensus.voting(many[None], 2), [0, 0, 0, 1, 1, 1, 0])
    few = np.array([0, 0, 0, 1, 1, 1, 1])
    np.testing.assert_array_equal(consensus.voting(np.array([many, few]), 2), few)


def test_rows_that_no_run_votes_for_stay_where_they_are():
    runs = np.array([[0, 0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1, 2, 3]])
    # The first vote joins rows 3 to 7; the clusters of rows 6 and 7 match none of it.
    np.testing.assert_array_equal(consensus.voting(runs, 2), [0, 0, 0, 1, 1, 1, 1, 1])


def test_a_vote_keeps_as_many_clusters_as_the_first_run():
    first = np.repeat([0, 1, 2], [6, 6, 3])
    scattered = np.array([0] * 6 + [1] * 6 + [0, 0, 1])  # the other runs have no third cluster
    np.testing.assert_array_equal(
        consensus.voting(np.array([first, scattered, scattered]), 3), first
    )


@pytest.mark.parametrize("families", [[MeanShift()], [DBSCAN(eps=3.0, min_samples=2), "kmeans"]])
def test_clusterers_that_choose_their_own_number_are_combined(families):
    d = make_related_blobs(30, n_features=3, random_state=0)
    model = Kinfolk(2, families=families, random_state=0).fit(d.X, tasks=d.tasks)
    assert all(len(np.unique(model.labels_[d.tasks == t])) <= 2 for t in np.unique(d.tasks))


NONE = np.array([], dtype=int)


def answer(combiner, modularity, agreement=0.0, fit=0.0):
    return Answer(TRUTH, combiner, "own", NONE, modularity, agreement, fit)


def test_the_answer_with_the_largest_sum_of_criteria_is_kept():
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


def test_two_groups_of_agreeing_runs_are_separated():
    random = np.random.default_rng(2)
    other = np.tile([0, 1, 2], 15)
    others = [np.where(random.uniform(size=45) < 0.2, 1, other) for _ in range(12)]
    labels = np.vstack([GOOD, *others])
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


def test_too_few_runs_are_not_split_into_groups():
    runs = BaseClusterings(GOOD, ["a"] * 12, list(range(12)), np.zeros(12, dtype=bool))
    Q = scores.modularities(GOOD, scores.neighbor_graph(X, 3))
    scored = scores.score_runs(runs, Q)
    assert consensus.modes(runs, scored) is None
    assert len(scored.best(consensus.HALF)) == 6


def test_a_task_of_one_or_two_rows_has_an_answer():
    runs = BaseClusterings(np.array([[0, 1]] * 6), list("abcdef"), [0] * 6, np.zeros(6, dtype=bool))
    found = scores.score_runs(runs, np.zeros(6))
    for labels in consensus.combine(runs, found, 2).values():
        np.testing.assert_array_equal(labels, [0, 1])
    np.testing.assert_array_equal(consensus.evidence_accumulation(np.zeros((3, 1), int), 1), [0])


def average_linkage(labels, k):
    """Merge groups by average linkage on the share of runs that separate rows, down to k."""
    n = labels.shape[1]
    apart = [[np.mean(labels[:, i] != labels[:, j]) for j in range(n)] for i in range(n)]
    groups = [[i] for i in range(n)]
    while len(groups) > k:
        pairs = [(a, b) for a in range(len(groups)) for b in range(a)]
        a, b = min(
            pairs, key=lambda p: np.mean([apart[i][j] for i in groups[p[0]] for j in groups[p[1]]])
        )
        groups[b] += groups.pop(a)
    return np.array([next(c for c, group in enumerate(groups) if i in group) for i in range(n)])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [1, 2, 4])
def test_evidence_accumulation_is_average_linkage_of_the_shares_of_runs(seed, k):
    # Many runs, so that no two pairs of groups are equally far apart.
    labels = np.random.default_rng(seed).integers(3, size=(997, 7))
    found = consensus.evidence_accumulation(labels, k)
    assert len(np.unique(found)) == k
    assert adjusted_rand_score(average_linkage(labels, k), found) == 1.0


def best_matching(labels, answer, k):
    """Permutation of cluster names under which most rows agree with the answer."""
    orders = itertools.permutations(range(k))
    return max(orders, key=lambda order: np.sum(np.array(order)[labels] == answer))


@pytest.mark.parametrize("seed", range(5))
def test_voting_is_the_plurality_of_matched_names_repeated_until_nothing_changes(seed):
    labels = np.array([redrawn(0.5, 100 * seed + r) for r in range(9)])
    answer = labels[0]
    while True:
        votes = np.zeros((45, 3))
        for run in labels:
            order = best_matching(run, answer, 3)
            for i in range(45):
                votes[i, order[run[i]]] += 1
        if np.array_equal(votes.argmax(axis=1), answer):
            break
        answer = votes.argmax(axis=1)
    assert adjusted_rand_score(answer, consensus.voting(labels, 3)) == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_matched_clusters_share_as_many_rows_as_any_matching_allows(seed):
    random = np.random.default_rng(seed)
    labels, answer = random.integers(4, size=(2, 30))
    matched = consensus.match_clusters(labels, answer, 4)
    assert sorted(matched) == [0, 1, 2, 3]
    best = np.array(best_matching(labels, answer, 4))
    assert (matched[labels] == answer).sum() == (best[labels] == answer).sum()


def test_a_cluster_too_many_is_matched_to_none():
    matched = consensus.match_clusters(
        np.array([0, 0, 0, 1, 1, 2]), np.array([1, 1, 1, 0, 0, 0]), 2
    )
    np.testing.assert_array_equal(matched, [1, 0, 2])


@pytest.mark.parametrize("combiner", COMBINERS)
def test_the_answer_follows_the_rows_into_another_order(combiner):
    order = np.random.default_rng(5).permutation(45)
    moved = COMBINERS[combiner](GOOD[:, order])
    assert adjusted_rand_score(COMBINERS[combiner](GOOD)[order], moved) == 1.0


@pytest.mark.parametrize("combiner", COMBINERS)
def test_clusters_are_numbered_in_the_order_of_their_first_rows(combiner):
    found = COMBINERS[combiner](GOOD)
    firsts = [np.flatnonzero(found == c)[0] for c in range(found.max() + 1)]
    assert firsts == sorted(firsts)
    assert firsts[0] == 0


def test_one_cluster_is_what_every_combiner_finds_for_k_of_one():
    zeros = np.zeros((3, 6), dtype=int)
    weights = np.full(3, 1 / 3)
    for found in (
        consensus.evidence_accumulation(GOOD[:3, :6], 1),
        consensus.kmeans_on_memberships(GOOD[:3, :6], weights, 1, 0),
        consensus.voting(zeros, 1),
    ):
        np.testing.assert_array_equal(found, np.zeros(6))


@pytest.mark.parametrize("combiner", COMBINERS)
def test_a_single_run_is_its_own_consensus(combiner):
    run = GOOD[:1]
    found = {
        "evidence accumulation": lambda: consensus.evidence_accumulation(run, 3),
        "k-means on memberships": lambda: consensus.kmeans_on_memberships(run, np.ones(1), 3, 0),
        "voting": lambda: consensus.voting(run, 3),
    }[combiner]()
    assert adjusted_rand_score(run[0], found) == 1.0


def test_a_run_counts_as_much_as_its_weight_in_kmeans_on_memberships():
    first, second = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 0, 1])
    runs = np.array([first, second])
    for weights, winner in (([0.9, 0.1], first), ([0.1, 0.9], second)):
        found = consensus.kmeans_on_memberships(runs, np.array(weights), 2, 0)
        assert adjusted_rand_score(winner, found) == 1.0


def test_runs_of_fewer_distinct_rows_give_fewer_clusters():
    runs = np.array([[0, 0, 1, 1], [1, 1, 0, 0]])
    found = consensus.kmeans_on_memberships(runs, np.full(2, 0.5), 3, 0)
    np.testing.assert_array_equal(found, [0, 0, 1, 1])


def test_totals_that_differ_by_rounding_are_tied_and_the_first_is_taken():
    first, later = answer("voting", 0.5), answer("evidence accumulation", 0.5 + 1e-14)
    assert consensus.best([first, later]) is first
    assert consensus.best([later, first]) is later
    clearly = answer("evidence accumulation", 0.5 + 1e-9)
    assert consensus.best([first, clearly]) is clearly


def test_a_single_outlying_run_is_no_group():
    labels = np.array([TRUTH] * 11 + [np.tile([0, 1, 2], 15)] + [TRUTH] * 12)
    runs = BaseClusterings(labels, ["a"] * 24, list(range(24)), np.zeros(24, dtype=bool))
    A = scores.pairwise_agreement(labels)
    total = np.r_[np.full(12, 2.0), np.zeros(12)]
    even = scores.RunScores(A, np.full(24, 1 / 24), np.zeros(24), np.zeros(24), total)
    assert consensus.modes(runs, even) is None
    labels[10] = labels[11]  # with a second one it is
    even = scores.RunScores(scores.pairwise_agreement(labels), *list(vars(even).values())[1:])
    assert sorted(map(len, consensus.modes(runs, even))) == [2, 10]


def test_rows_are_linked_by_whole_numbers_of_runs(monkeypatch):
    seen = []

    def average(distances):
        seen.append(distances)
        return linkage.average(distances)

    monkeypatch.setattr(consensus, "average", average)
    labels = np.random.default_rng(0).integers(3, size=(7, 40))
    consensus.evidence_accumulation(labels, 3)
    apart = (labels[:, :, None] != labels[:, None, :]).sum(axis=0)
    np.testing.assert_array_equal(seen[0], apart[np.triu_indices(40, 1)])
