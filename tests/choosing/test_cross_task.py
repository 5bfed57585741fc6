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


def test_an_echo_is_the_best_agreement():
    runs = np.array([LABELS, RANDOM.permutation(LABELS)])
    others = [RANDOM.permutation(LABELS), np.where(np.arange(120) < 40, 0, LABELS)]
    best = [max(adjusted_rand_score(run, other) for other in others) for run in runs]
    np.testing.assert_allclose(cross_task.cross_task_agreement(runs, others), best)
    np.testing.assert_array_equal(cross_task.cross_task_agreement(runs, []), [0, 0])


def test_a_referee_that_divides_nothing_is_not_asked():
    same = np.zeros(120, dtype=int)
    np.testing.assert_array_equal(
        cross_task.cross_task_agreement(np.array([same, LABELS]), [same]), [0, 0]
    )


def test_the_same_groups_are_echoed_and_other_groups_are_not():
    runs = LABELS[HERE][None]
    same = cross_task.transferred_labels(X[HERE], X[THERE], LABELS[THERE])
    assert cross_task.cross_task_agreement(runs, [same])[0] > 0.9
    shuffled = cross_task.transferred_labels(X[HERE][:, [3, 4, 0, 1, 2]], X[THERE], LABELS[THERE])
    assert cross_task.cross_task_agreement(runs, [shuffled])[0] < cross_task.SUPPORT
