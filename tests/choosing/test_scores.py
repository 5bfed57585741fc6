import itertools

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import cosine_distances

from kinfolk.choosing import partial_labels, scores
from kinfolk.choosing.scores import BaseClusterings

RANDOM = np.random.default_rng(0)
TRUTH = np.repeat([0, 1, 2], 12)
X = RANDOM.normal(size=(36, 5)) * 0.3 + np.eye(5)[TRUTH]
LABELS = np.array([np.where(RANDOM.uniform(size=36) < p, RANDOM.integers(3, size=36), TRUTH)
                   for p in (0.0, 0.1, 0.2, 0.5, 0.9, 1.0, 0.3)])  # fmt: skip
FAMILIES = ["a", "a", "a", "b", "b", "c", "c"]
SETTINGS = [1, 1, 2, 1, 1, 1, 2]
RUNS = BaseClusterings(LABELS, FAMILIES, SETTINGS, np.array([False] * 3 + [True] * 4))


LINKS = scores.neighbor_graph(X, 3)


def gathered(runs, **more):
    return scores.score_runs(runs, scores.modularities(runs.labels, LINKS), **more)


def test_a_row_is_linked_to_half_as_many_rows_as_a_cluster_has():
    D = cosine_distances(X)
    np.fill_diagonal(D, np.inf)
    N = np.zeros((36, 36))
    for i, row in enumerate(D):
        N[i, np.argsort(row)[:6]] = 1
    np.testing.assert_array_equal(LINKS.toarray(), (N + N.T) / 2)


@pytest.mark.parametrize(("n", "k", "l"), [(36, 12, 3), (36, 3, 6), (36, 1, 15), (2, 2, 1)])
def test_links_are_few_in_small_groups_and_fifteen_at_most(n, k, l):
    assert scores.neighbor_graph(X[:n], k).sum() == n * l


def test_a_row_alone_has_no_links():
    W = scores.neighbor_graph(X[:1], 1)
    np.testing.assert_array_equal(scores.modularities(np.array([[0]]), W), [0])


def test_modularity_is_links_inside_less_those_of_chance():
    W = LINKS.toarray()
    degrees, total = W.sum(axis=1), W.sum()
    for labels, Q in zip(LABELS, scores.modularities(LABELS, LINKS)):
        expected = sum(
            W[i, j] - degrees[i] * degrees[j] / total
            for i in range(36) for j in range(36) if labels[i] == labels[j]
        )  # fmt: skip
        assert pytest.approx(expected / total) == Q
    assert scores.modularities(TRUTH[None], LINKS)[0] > 0.6


def test_assortativity_is_the_share_of_the_largest_modularity():
    W = LINKS.toarray()
    degrees, total = W.sum(axis=1), W.sum()
    Q = scores.modularities(LABELS, LINKS)
    for labels, value, r in zip(LABELS, Q, scores.assortativities(LABELS, LINKS)):
        volumes = [sum(degrees[i] for i in range(36) if labels[i] == c) for c in set(labels)]
        largest = 1 - sum((volume / total) ** 2 for volume in volumes)
        assert pytest.approx(value) == r * largest
        assert r <= 1
    single = np.zeros((1, 36), dtype=int)
    np.testing.assert_allclose(scores.assortativities(single, LINKS), [0], atol=1e-12)


def test_agreement_is_the_adjusted_rand_index_of_every_pair():
    expected = [[adjusted_rand_score(a, b) for b in LABELS] for a in LABELS]
    np.testing.assert_allclose(scores.pairwise_agreement(LABELS), expected, atol=1e-12)


def test_agreement_with_other_clusterings_is_a_part_of_that_of_all_pairs():
    other = np.array([LABELS[0][::-1], LABELS[-1] + 3])
    every = scores.pairwise_agreement(np.vstack([LABELS, other]))
    R = len(LABELS)
    np.testing.assert_array_equal(scores.pairwise_agreement(LABELS, other), every[:R, R:])


@pytest.mark.parametrize(
    "labels", [np.zeros((2, 6), int), np.array([np.arange(6), np.arange(6)[::-1]])]
)
def test_two_runs_without_any_division_agree_fully(labels):
    np.testing.assert_array_equal(scores.pairwise_agreement(labels), np.ones((2, 2)))


def test_one_cluster_agrees_with_nothing_else():
    labels = np.array([np.zeros(6, int), [0, 0, 1, 1, 2, 2]])
    np.testing.assert_allclose(scores.pairwise_agreement(labels), np.eye(2), atol=1e-12)


def test_run_scores_are_the_printed_formulas():
    found = gathered(RUNS)
    n_settings = {"a": 2, "b": 1, "c": 2}
    pairs = list(zip(FAMILIES, SETTINGS))
    w = [1 / (3 * n_settings[f] * pairs.count((f, s))) for f, s in pairs]
    np.testing.assert_allclose(found.weights, w)
    assert sum(w) == pytest.approx(1)
    agree = []
    for r in range(7):
        others = [s for s in range(7) if pairs[s] != pairs[r]]
        A = [adjusted_rand_score(LABELS[r], LABELS[s]) for s in others]
        agree.append(np.average(A, weights=[w[s] for s in others]))
    np.testing.assert_allclose(found.mean_agreement, agree)
    Q = scores.modularities(LABELS, LINKS)
    np.testing.assert_array_equal(found.separation, Q)
    np.testing.assert_allclose(found.total, (rankdata(agree) + rankdata(Q)) / 7)
    assert found.best(0.25)[0] == 0
    agreement = np.array([0.1, 0.5, 0.2, 0.9, 0.3, 0.0, 0.4])
    with_agreement = gathered(RUNS, cross_task=agreement)
    np.testing.assert_allclose(with_agreement.total, found.total + 0.5 * rankdata(agreement) / 7)


def test_some_runs_keep_their_scores_and_weigh_what_they_do_among_themselves():
    found = gathered(RUNS)
    seeing = RUNS.take(RUNS.joint)
    some = found.take(RUNS.joint, seeing)
    np.testing.assert_array_equal(some.total, found.total[3:])
    np.testing.assert_array_equal(some.pairwise, found.pairwise[3:, 3:])
    np.testing.assert_allclose(some.weights, [0.25, 0.25, 0.25, 0.25])


def test_a_family_weighs_the_same_however_often_it_runs():
    many = RUNS.take(np.array([0, 1, 2, 3, 4, 5, 6] + [5] * 30))
    few, repeated = gathered(RUNS), gathered(many)
    np.testing.assert_allclose(repeated.mean_agreement[:7], few.mean_agreement)


def test_at_least_five_runs_are_kept_where_there_are_five():
    found = gathered(RUNS)
    assert len(found.best(0.25)) == 5
    assert len(gathered(RUNS.take(np.arange(3))).best(0.25)) == 3


def test_a_single_setting_has_no_other_to_agree_with():
    found = gathered(RUNS.take(np.array([0, 1])))
    np.testing.assert_array_equal(found.mean_agreement, [0, 0])
    assert found.best(1.0)[0] == found.separation.argmax()


def test_runs_can_be_taken():
    some = RUNS.take(np.array([False] * 6 + [True]))
    assert some.labels.shape == (1, 36)
    assert some.families == ["c"]
    assert some.settings == [2]
    assert some.joint.tolist() == [True]


def test_known_labels_add_their_weighted_ranks():
    y = np.where(np.arange(36) % 3 == 0, TRUTH, -1)
    fit = partial_labels.label_fit(LABELS, y)
    shares = [max(np.mean(np.array(order)[run[y >= 0]] == y[y >= 0])
                  for order in itertools.permutations(range(3))) for run in LABELS]  # fmt: skip
    expected = gathered(RUNS).total + 1.2 * rankdata(np.round(shares, 12)) / 7
    np.testing.assert_allclose(gathered(RUNS, label_fit=fit).total, expected)


def test_scores_follow_the_runs_into_another_order():
    order = np.array([4, 0, 6, 2, 1, 5, 3])
    before, after = gathered(RUNS), gathered(RUNS.take(order))
    for name in ("weights", "mean_agreement", "separation", "total"):
        np.testing.assert_allclose(getattr(after, name), getattr(before, name)[order])
    np.testing.assert_allclose(after.pairwise, before.pairwise[np.ix_(order, order)])


def test_scores_do_not_depend_on_names_of_clusters_families_and_settings():
    renamed = BaseClusterings(
        np.array([7 - 2 * ((labels + r) % 3) for r, labels in enumerate(LABELS)]),
        [f"the {family}" for family in FAMILIES],
        [("setting", setting) for setting in SETTINGS],
        RUNS.joint,
    )
    np.testing.assert_allclose(gathered(renamed).total, gathered(RUNS).total)


def test_one_setting_number_in_two_families_is_two_settings():
    labels = np.array([[0, 0, 1, 1], [0, 0, 1, 1]])
    other = BaseClusterings(labels, ["a", "b"], [1, 1], np.zeros(2, dtype=bool))
    same = BaseClusterings(labels, ["a", "a"], [1, 1], np.zeros(2, dtype=bool))
    assert scores.score_runs(other, np.zeros(2)).mean_agreement.tolist() == [1, 1]
    assert scores.score_runs(same, np.zeros(2)).mean_agreement.tolist() == [0, 0]


def test_values_that_differ_by_rounding_share_a_rank():
    labels = np.array([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]])
    runs = BaseClusterings(labels, list("abc"), [1, 1, 1], np.zeros(3, dtype=bool))
    found = scores.score_runs(runs, np.array([0.5, 0.5 + 1e-15, 0.6]))
    np.testing.assert_allclose(found.total, [(2 + 1.5) / 3, (2 + 1.5) / 3, (2 + 3) / 3])
    assert found.best(1.0).tolist() == [2, 0, 1]  # equals in the order of the runs


@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.5, 0.77, 1.0])
def test_the_best_share_is_counted_from_the_top(share):
    total = np.random.default_rng(3).permutation(41) / 41
    found = scores.RunScores(np.eye(41), total, total, total, total).best(share)
    n = max(round(share * 41), 5)
    assert found.tolist() == sorted(range(41), key=lambda r: -total[r])[:n]


def test_modularity_does_not_change_with_the_unit_of_the_links():
    found = scores.modularities(LABELS, LINKS)
    np.testing.assert_allclose(scores.modularities(LABELS, LINKS * 3.0), found)
    order = np.random.default_rng(0).permutation(36)
    moved = scores.modularities(LABELS[:, order], LINKS[order][:, order])
    np.testing.assert_allclose(moved, found)


def test_one_cluster_has_modularity_zero_and_single_rows_a_negative_one():
    Q = scores.modularities(np.array([np.zeros(36, int), np.arange(36)]), LINKS)
    degrees = LINKS.toarray().sum(axis=1)
    np.testing.assert_allclose(Q, [0, -np.sum((degrees / degrees.sum()) ** 2)], atol=1e-12)


def test_joined_runs_keep_their_order():
    both = RUNS.take(np.arange(2)).joined_with(RUNS.take(np.array([5])))
    np.testing.assert_array_equal(both.labels, LABELS[[0, 1, 5]])
    assert (both.families, both.settings) == (["a", "a", "c"], [1, 1, 1])
    assert both.joint.tolist() == [False, False, True]


@pytest.mark.parametrize("largest", [1, 3, 12, 4000])
def test_memberships_of_runs_side_by_side_are_those_of_each_run(largest):
    random = np.random.default_rng(largest)
    labels = random.integers(-1, largest, size=(9, 40))
    H, first = scores.stacked_memberships(labels)
    parts = [row[:, None] == np.unique(row) for row in labels]
    np.testing.assert_array_equal(H.toarray(), np.hstack(parts))
    np.testing.assert_array_equal(first, np.cumsum([0, *(part.shape[1] for part in parts[:-1])]))
    assert H.indices.dtype == H.indptr.dtype == np.int32


def test_dense_memberships_give_the_same_modularities_as_sparse_ones(monkeypatch):
    dense = scores.separations(LABELS, LINKS)
    monkeypatch.setattr(scores, "DENSE", 0)
    np.testing.assert_array_equal(dense, scores.separations(LABELS, LINKS))
