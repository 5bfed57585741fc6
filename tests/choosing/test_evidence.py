import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.metrics import adjusted_rand_score, silhouette_score

from kinfolk.choosing import evidence
from kinfolk.choosing.evidence import Runs

RANDOM = np.random.default_rng(0)
TRUTH = np.repeat([0, 1, 2], 12)
X = RANDOM.normal(size=(36, 5)) * 0.3 + np.eye(5)[TRUTH]
LABELS = np.array([np.where(RANDOM.uniform(size=36) < p, RANDOM.integers(3, size=36), TRUTH)
                   for p in (0.0, 0.1, 0.2, 0.5, 0.9, 1.0, 0.3)])  # fmt: skip
FAMILIES = ["a", "a", "a", "b", "b", "c", "c"]
SETTINGS = [1, 1, 2, 1, 1, 1, 2]
RUNS = Runs(LABELS, FAMILIES, SETTINGS, np.array([False] * 3 + [True] * 4))


def gathered(runs):
    return evidence.gather(runs, evidence.silhouettes(runs, X))


def test_agreement_is_the_adjusted_rand_index_of_every_pair():
    expected = [[adjusted_rand_score(a, b) for b in LABELS] for a in LABELS]
    np.testing.assert_allclose(evidence.agreement(LABELS), expected, atol=1e-12)


@pytest.mark.parametrize(
    "labels", [np.zeros((2, 6), int), np.array([np.arange(6), np.arange(6)[::-1]])]
)
def test_two_runs_without_any_division_agree_fully(labels):
    np.testing.assert_array_equal(evidence.agreement(labels), np.ones((2, 2)))


def test_one_cluster_agrees_with_nothing_else():
    labels = np.array([np.zeros(6, int), [0, 0, 1, 1, 2, 2]])
    np.testing.assert_allclose(evidence.agreement(labels), np.eye(2), atol=1e-12)


def test_the_evidence_is_the_printed_formulas():
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
    np.testing.assert_allclose(found.agree, agree)
    silhouettes = [silhouette_score(X, labels, metric="cosine") for labels in LABELS]
    np.testing.assert_allclose(found.silhouettes, silhouettes)
    np.testing.assert_allclose(found.scores, (rankdata(agree) + rankdata(silhouettes)) / 7)
    assert found.best(0.25)[0] == 0


def test_a_family_weighs_the_same_however_often_it_runs():
    many = RUNS.take(np.array([0, 1, 2, 3, 4, 5, 6] + [5] * 30))
    few, crowded = gathered(RUNS), gathered(many)
    np.testing.assert_allclose(crowded.agree[:7], few.agree)


def test_at_least_five_runs_are_kept_where_there_are_five():
    found = gathered(RUNS)
    assert len(found.best(0.25)) == 5
    assert len(gathered(RUNS.take(np.arange(3))).best(0.25)) == 3


def test_a_single_setting_has_no_witness():
    found = gathered(RUNS.take(np.array([0, 1])))
    np.testing.assert_array_equal(found.agree, [0, 0])
    assert found.best(1.0)[0] == found.silhouettes.argmax()


def test_rows_and_runs_can_be_taken():
    some = RUNS.rows(np.array([0, 20])).take(np.array([False] * 6 + [True]))
    assert some.labels.shape == (1, 2)
    assert some.families == ["c"]
    assert some.settings == [2]
    assert some.joint.tolist() == [True]
