import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import cosine_similarity

from kinfolk.choosing import echoes

RANDOM = np.random.default_rng(0)
LABELS = RANDOM.integers(3, size=40)
X = RANDOM.uniform(size=(40, 5)) + 4 * np.eye(5)[LABELS]


@pytest.mark.parametrize("table", [X, sp.csr_array(X)])
def test_centres_are_mean_directions(table):
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    means = np.array([unit[c == LABELS].mean(axis=0) for c in range(3)])
    found = echoes.centres(table, LABELS)
    np.testing.assert_allclose(found, means / np.linalg.norm(means, axis=1, keepdims=True))


@pytest.mark.parametrize("table", [X, sp.csr_array(X)])
def test_a_row_goes_to_the_nearest_centre_by_cosine(table):
    C = echoes.centres(X[::-1], LABELS)
    np.testing.assert_array_equal(echoes.referee(table, C), cosine_similarity(X, C).argmax(axis=1))


def test_an_echo_is_the_best_agreement():
    others = [RANDOM.permutation(LABELS), np.where(np.arange(40) < 10, 0, LABELS)]
    best = max(adjusted_rand_score(LABELS, other) for other in others)
    assert echoes.strength(LABELS, others) == pytest.approx(best)
    assert echoes.strength(LABELS, []) == 0


def test_the_same_groups_are_echoed_and_other_groups_are_not():
    C = echoes.centres(X[:20], LABELS[:20])
    assert echoes.strength(LABELS[20:], [echoes.referee(X[20:], C)]) > 0.9
    shuffled = X[20:, [3, 4, 0, 1, 2]]
    assert echoes.strength(LABELS[20:], [echoes.referee(shuffled, C)]) < 0.5
