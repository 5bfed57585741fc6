import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import cosine_similarity

from kinfolk.choosing import cluster_count_criteria, cross_task, null_model, scores
from kinfolk.choosing.mixtures import MixedMixture
from kinfolk.errors import EmptyClusterWarning
from kinfolk.numerics import content_order


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Fixture: fewer halves and null tables, to save time."""
    monkeypatch.setattr(cluster_count_criteria, "SPLITS", 4)
    monkeypatch.setattr(cluster_count_criteria, "PERMUTED_TABLES", 4)


def test_halves_agree_on_what_is_there():
    G = cluster_count_criteria.cosines(np.repeat(np.eye(4), 10, axis=0))
    found = cluster_count_criteria.agreement(G, [2, 4, 6], True, np.random.RandomState(0)).mean(
        axis=0
    )
    assert found[1] == pytest.approx(1.0)
    assert found[0] < 0.9


def test_halves_of_noise_do_not_agree():
    X = np.random.RandomState(0).normal(size=(80, 40))
    found = cluster_count_criteria.agreement(
        cluster_count_criteria.cosines(X), [2, 4], True, np.random.RandomState(0)
    )
    assert np.abs(found.mean(axis=0)).max() < 0.2


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_cosines_are_those_of_scikit_learn(form):
    X = np.random.RandomState(0).normal(size=(9, 4))
    found = cluster_count_criteria.cosines(form(X))
    np.testing.assert_allclose(found, cosine_similarity(X), atol=1e-12)


def test_halves_of_rows_without_any_word_are_no_trouble():
    G = np.zeros((12, 12))
    found = cluster_count_criteria.agreement(G, [2, 3], True, np.random.RandomState(0))
    assert found.shape == (4, 2)
    assert np.isfinite(found).all()


@pytest.mark.parametrize("words", [True, False])
def test_halves_always_agree_on_one_cluster(words):
    G = cosine_similarity(np.random.RandomState(0).normal(size=(20, 5)))
    found = cluster_count_criteria.agreement(G, [1, 2], words, np.random.RandomState(0))
    np.testing.assert_array_equal(found[:, 0], np.ones(4))
    assert (found[:, 1] < 1).any()


def test_the_length_of_rows_and_the_order_of_columns_do_not_change_cosines():
    X = np.random.RandomState(0).normal(size=(9, 4))
    before = cluster_count_criteria.cosines(X)
    after = cluster_count_criteria.cosines(X[:, ::-1] * np.arange(1, 10)[:, None])
    np.testing.assert_allclose(after, before, atol=1e-12)


def three_groups(seed, n=60):
    random = np.random.RandomState(seed)
    truth = np.arange(n) % 3
    return np.eye(6)[truth] * 4 + random.normal(size=(n, 6)) * 0.4 + 1, truth


def gaps_by_hand(X, numbers):
    W = scores.neighbor_graph(X, 2).toarray()
    d = W.sum(axis=1)
    values = np.sort(np.linalg.eigvalsh(W / np.sqrt(np.outer(d, d))))[::-1]
    return [values[k - 1] - values[k] for k in numbers]


def test_gaps_are_those_of_the_eigenvalues_of_the_graph():
    X = np.random.RandomState(0).normal(size=(50, 4)) + 3
    found, _ = cluster_count_criteria.graph_clusterings(X, [2, 3, 4], np.random.RandomState(0))
    np.testing.assert_allclose(found, gaps_by_hand(X, [2, 3, 4]), atol=1e-8)


def test_the_gap_is_largest_at_the_number_of_groups_and_the_clusters_are_these():
    X, truth = three_groups(0)
    gaps, labels = cluster_count_criteria.graph_clusterings(
        X, [2, 3, 4, 5], np.random.RandomState(0)
    )
    assert gaps.argmax() == 1
    assert adjusted_rand_score(truth, labels[1]) == 1


def test_agreement_with_other_tasks_is_the_best_of_both_directions_over_their_numbers():
    tables, labels = [], []
    for seed, numbers in ((0, [2, 3]), (1, [2, 3, 4]), (2, [5])):
        X, _ = three_groups(seed, 45 + 3 * seed)
        tables.append(X)
        labels.append(
            cluster_count_criteria.graph_clusterings(X, numbers, np.random.RandomState(0))[1]
        )
    found = cluster_count_criteria.found_in_others(tables, labels)
    for t in range(3):
        for i, one in enumerate(labels[t]):
            best = [
                max(
                    adjusted_rand_score(
                        one, cross_task.transferred_labels(tables[t], tables[s], other)
                    )
                    + adjusted_rand_score(
                        other, cross_task.transferred_labels(tables[s], tables[t], one)
                    )
                    for other in labels[s]
                )
                for s in range(3)
                if s != t
            ]
            assert found[t][i] == pytest.approx(np.mean(best) / 2)
    assert found[0].argmax() == found[1].argmax() == 1


def test_a_single_task_has_no_agreement_with_others():
    (found,) = cluster_count_criteria.found_in_others([np.eye(4)], [np.zeros((3, 4), dtype=int)])
    np.testing.assert_array_equal(found, np.zeros(3))


def test_the_nested_share_counts_rows_of_the_largest_part_of_each_finer_cluster():
    random = np.random.default_rng(0)
    finer, coarser = random.integers(4, size=30), random.integers(2, size=30)
    kept = sum(max(sum((finer == c) & (coarser == e)) for e in range(2)) for c in range(4))
    assert cluster_count_criteria.nested_share(finer, coarser) == kept / 30
    assert cluster_count_criteria.nested_share(finer, finer // 2) == 1


@pytest.mark.parametrize("topics", [0.0, 0.4, 2.0])
def test_words_exceed_chance_if_their_second_eigenvalue_exceeds_that_of_permuted_tables(topics):
    X = np.random.RandomState(1).poisson(1.0, size=(60, 40)) * 1.0
    X[:30, :20] += topics
    X[30:, 20:] += topics
    random = np.random.RandomState(7)
    seconds = []
    for _ in range(4):
        table = null_model.permuted_columns(X[:, content_order.columns(X)], random)
        seconds.append(np.sort(np.linalg.eigvalsh(cosine_similarity(table)))[-2])
    limit = np.mean(seconds) + 5 * np.std(seconds, ddof=1)
    G = cosine_similarity(X)
    found = cluster_count_criteria.exceeds_permuted(X, G, np.random.RandomState(7))
    assert found == (np.sort(np.linalg.eigvalsh(G))[-2] > limit)
    assert found or topics < 2
    assert topics or not found


def test_clearness_is_largest_for_the_number_of_round_groups():
    random = np.random.RandomState(0)
    X = np.repeat(np.eye(4)[:3] * 4, 15, axis=0) + random.normal(size=(45, 4)) * 0.3
    X = X - X.mean(axis=0)
    G = cluster_count_criteria.cosines(X)
    found, spread = cluster_count_criteria.clearness(X, G, [2, 3, 4, 5], random)
    assert found.argmax() == 1
    assert found[1] > 4 * spread > 0


def test_clearness_of_a_normal_table_is_within_chance():
    random = np.random.RandomState(0)
    X = random.normal(size=(50, 4))
    G = cluster_count_criteria.cosines(X)
    found, spread = cluster_count_criteria.clearness(X, G, [2, 3], random)
    assert np.abs(found).max() < 4 * spread


def test_clearness_is_the_lead_over_normal_tables(monkeypatch):
    tables = np.random.default_rng(0).uniform(size=(null_model.NULL_TABLES, 3))
    own = np.array([0.9, 0.4, 0.1])
    values = iter([*tables, own])
    monkeypatch.setattr(cluster_count_criteria, "_silhouettes", lambda *_: next(values))
    X = np.random.default_rng(1).normal(size=(8, 2))
    found, spread = cluster_count_criteria.clearness(
        X, np.eye(8), [2, 3, 4], np.random.RandomState(0)
    )
    for k in range(3):
        assert found[k] == pytest.approx(own[k] - sum(tables[:, k]) / len(tables))
    variances = [np.std(tables[:, k], ddof=1) ** 2 for k in range(3)]
    assert spread == pytest.approx(np.sqrt(sum(variances) / 3))


def clouds(k, rows=60):
    """Long clouds side by side, beside a constant column and one of 0 and 1."""
    random = np.random.RandomState(k)
    places = np.repeat(8.0 * np.arange(k), rows)
    along = random.normal(size=(k * rows, 2)) * [1.0, 10.0] + places[:, None]
    return np.column_stack([along, np.ones(k * rows), random.uniform(size=k * rows) < 0.4])


@pytest.mark.parametrize("k", [2, 3, 4])
def test_long_clouds_are_counted_by_mixtures(k):
    random = np.random.RandomState(0)
    numbers = [2, 3, 4, 5, 6, 7]
    assert cluster_count_criteria.fitting_mixture(clouds(k), numbers, random).n_clusters == k


def test_the_number_of_clear_groups_in_two_heaps_does_not_depend_on_the_seed():
    places = [[x + a, y] for x in (-12, 12) for a, y in ((-2.2, 0), (2.2, 0), (0, 3))]
    noise = np.random.default_rng(0).normal(size=(360, 2))
    X = (np.repeat(places, 60, axis=0) + 0.35 * noise)[::3]
    # From this seed two starts of a mixture miss the groups.
    found = cluster_count_criteria.fitting_mixture(X, [6, 7], np.random.RandomState(6))
    assert found.n_clusters == 6


def test_no_mixture_tells_a_number_of_one_normal_cloud_or_of_columns_with_two_values():
    random = np.random.RandomState(0)
    assert cluster_count_criteria.fitting_mixture(clouds(1), [2, 3], random) is None
    binary = random.uniform(size=(60, 4)) < 0.5
    assert cluster_count_criteria.fitting_mixture(binary * 1.0, [2, 3], random) is None


@pytest.mark.parametrize("numbers", [[2, 3, 4, 5, 6], [16, 18, 20, 22, 24]])
def test_mixtures_end_after_two_numbers_without_gain(numbers, monkeypatch):
    asked = []
    evidence = dict(zip(numbers, [20.0, 30.0, 25.0, 29.0, 99.0], strict=True))

    class Known:
        def __init__(self, n_clusters, n_init, random_state):
            self.n_clusters = n_clusters

        def fit(self, X):
            asked.append(self.n_clusters)
            self.evidence_ = evidence[self.n_clusters]
            self.fits_ = True
            return self

    monkeypatch.setattr(cluster_count_criteria, "MixedMixture", Known)
    random = np.random.RandomState(0)
    found = cluster_count_criteria.fitting_mixture(clouds(2), numbers, random)
    assert found.n_clusters == numbers[1]
    assert asked == numbers[:4]


def test_wide_tables_have_no_mixture(monkeypatch):
    monkeypatch.delattr(cluster_count_criteria, "MixedMixture")
    random = np.random.RandomState(0)
    wide = random.normal(size=(19, 4))
    assert cluster_count_criteria.fitting_mixture(wide, [2, 3], random) is None


def test_mixtures_with_empty_clusters_tell_the_user_nothing():
    random = np.random.RandomState(0)
    rows = np.repeat(random.normal(size=(6, 2)), 10, axis=0)
    with pytest.warns(EmptyClusterWarning):
        MixedMixture(9, n_init=2, random_state=0).fit(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cluster_count_criteria.fitting_mixture(rows, list(range(2, 10)), random)
