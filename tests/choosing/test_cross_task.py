import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import cosine_similarity

from kinfolk.choosing import cross_task

RANDOM = np.random.default_rng(0)
LABELS = np.arange(120) % 3
X = RANDOM.uniform(size=(120, 5)) + 4 * np.eye(5)[LABELS]
HERE, THERE = slice(0, 60), slice(60, 120)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_row_has_the_cluster_of_the_rows_it_is_most_like(form):
    labels = np.where(RANDOM.uniform(size=60) < 0.4, 1, LABELS[THERE])
    sizes = np.bincount(labels)
    expected = []
    for row in cosine_similarity(X[HERE], X[THERE]):
        near = np.argsort(-row)[:15]
        votes = [sum(labels[j] == c for j in near) / np.sqrt(sizes[c]) for c in range(3)]
        expected.append(int(np.argmax(votes)))
    found = cross_task.transferred_labels(form(X[HERE]), form(X[THERE]), labels)
    np.testing.assert_array_equal(found, expected)


def test_a_few_rows_may_be_all_that_another_task_has():
    found = cross_task.transferred_labels(X[HERE], X[[60, 61, 62]], np.array([0, 1, 2]))
    assert found.shape == (60,)


def test_cross_task_agreement_is_the_best_over_the_other_tasks():
    runs = np.array([LABELS, RANDOM.permutation(LABELS)])
    others = [RANDOM.permutation(LABELS), np.where(np.arange(120) < 40, 0, LABELS)]
    best = [max(adjusted_rand_score(run, other) for other in others) for run in runs]
    np.testing.assert_allclose(cross_task.cross_task_agreement(runs, others), best)
    np.testing.assert_array_equal(cross_task.cross_task_agreement(runs, []), [0, 0])


def test_transferred_labels_of_one_cluster_do_not_count():
    same = np.zeros(120, dtype=int)
    np.testing.assert_array_equal(
        cross_task.cross_task_agreement(np.array([same, LABELS]), [same]), [0, 0]
    )


def test_the_same_groups_agree_across_tasks_and_other_groups_do_not():
    runs = LABELS[HERE][None]
    same = cross_task.transferred_labels(X[HERE], X[THERE], LABELS[THERE])
    assert cross_task.cross_task_agreement(runs, [same])[0] > 0.9
    shuffled = cross_task.transferred_labels(X[HERE][:, [3, 4, 0, 1, 2]], X[THERE], LABELS[THERE])
    assert cross_task.cross_task_agreement(runs, [shuffled])[0] < cross_task.SUPPORT


def test_names_of_clusters_and_the_order_of_rows_elsewhere_do_not_matter():
    labels = LABELS[THERE]
    before = cross_task.transferred_labels(X[HERE], X[THERE], labels)
    renamed = cross_task.transferred_labels(X[HERE], X[THERE], (labels + 1) % 3)
    np.testing.assert_array_equal(renamed, (before + 1) % 3)
    order = RANDOM.permutation(60)
    moved = cross_task.transferred_labels(X[HERE], X[THERE][order], labels[order])
    np.testing.assert_array_equal(moved, before)


def test_the_length_of_rows_does_not_matter():
    lengths = RANDOM.uniform(0.1, 10, size=(60, 1))
    before = cross_task.transferred_labels(X[HERE], X[THERE], LABELS[THERE])
    after = cross_task.transferred_labels(X[HERE] * lengths, X[THERE] * lengths, LABELS[THERE])
    np.testing.assert_array_equal(after, before)


def test_one_cluster_elsewhere_is_one_cluster_here():
    found = cross_task.transferred_labels(X[HERE], X[THERE], np.zeros(60, dtype=int))
    np.testing.assert_array_equal(found, np.zeros(60))


def test_a_cluster_number_without_rows_gets_none():
    found = cross_task.transferred_labels(X[HERE], X[THERE], np.where(LABELS[THERE] > 0, 2, 0))
    assert set(found) == {0, 2}


def test_agreement_is_the_same_for_renamed_clusters_and_any_order_of_tasks():
    runs = np.array([LABELS, RANDOM.permutation(LABELS)])
    others = [RANDOM.permutation(LABELS), np.where(np.arange(120) < 70, 0, LABELS)]
    found = cross_task.cross_task_agreement(runs, others)
    np.testing.assert_allclose(cross_task.cross_task_agreement((runs + 1) % 3, others), found)
    np.testing.assert_allclose(cross_task.cross_task_agreement(runs, others[::-1]), found)
    np.testing.assert_allclose(cross_task.cross_task_agreement(runs[::-1], others), found[::-1])


def test_a_task_of_one_cluster_is_left_out_beside_others():
    runs = np.array([RANDOM.permutation(LABELS)])
    other = (runs[0] + (np.arange(120) < 100)) % 3
    with_one = cross_task.cross_task_agreement(runs, [np.zeros(120, dtype=int), other])
    np.testing.assert_allclose(with_one, [adjusted_rand_score(runs[0], other)])
    assert with_one[0] != 0


@pytest.mark.parametrize(("best", "supported"), [(0.4, True), (0.3999, False), (1.0, True)])
def test_support_begins_at_its_level(best, supported):
    assert cross_task.has_support(np.array([-0.2, best, 0.0])) is supported


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("sizes", [(), (120,), (40, 7, 60), (1, 1, 20, 30)])
def test_one_search_gives_the_clusters_that_a_search_in_each_task_gives(form, sizes):
    others = [form(X[:n] + 0.01 * n) for n in sizes]
    labels = [np.arange(n) % 3 for n in sizes]
    found = cross_task.transferred_from(form(X), others, labels)
    assert len(found) == len(sizes)
    for other, theirs, moved in zip(others, labels, found, strict=True):
        expected = cross_task.transferred_labels(form(X), other, theirs)
        np.testing.assert_array_equal(moved, expected)


def test_agreement_with_each_is_the_adjusted_rand_index_and_0_for_one_cluster():
    others = [RANDOM.integers(0, k, 120) + 4 for k in (1, 2, 5)] + [LABELS]
    found = cross_task.agreement_with_each(LABELS, others)
    expected = [0.0, *(adjusted_rand_score(LABELS, other) for other in others[1:])]
    np.testing.assert_allclose(found, expected)
    assert cross_task.agreement_with_each(LABELS, []).shape == (0,)
    assert cross_task.agreement_with_each(np.zeros(120, int), others[:1])[0] == 0
