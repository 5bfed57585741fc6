import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import cosine_similarity

from kinfolk.choosing import cluster_count_criteria, null_model
from kinfolk.numerics import content_order


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Fewer halves and tables: what differs here differs with a few."""
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


def test_directions_are_in_multiples_of_chance():
    X = np.random.RandomState(0).poisson(1.0, size=(80, 40)) * 1.0
    X[:40, :10] += 4.0
    values, limit = cluster_count_criteria.directions(
        X, cluster_count_criteria.cosines(X), 4, np.random.RandomState(0)
    )
    assert values[1] > limit > 1.0
    assert values[2] < 1.0


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_cosines_are_those_of_scikit_learn(form):
    X = np.random.RandomState(0).normal(size=(9, 4))
    found = cluster_count_criteria.cosines(form(X))
    np.testing.assert_allclose(found, cosine_similarity(X), atol=1e-12)


def test_eigenvalues_are_the_largest_padded_with_zeros():
    random = np.random.RandomState(0)
    A = random.normal(size=(6, 6))
    G = A @ A.T
    expected = np.sort(np.linalg.eigvalsh(G))[::-1]
    np.testing.assert_allclose(cluster_count_criteria.eigenvalues(G, 3), expected[:3])
    padded = cluster_count_criteria.eigenvalues(G, 8)
    np.testing.assert_allclose(padded, [*expected, 0, 0], atol=1e-12)
    assert (cluster_count_criteria.eigenvalues(-np.eye(3), 3) == 0).all()


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


def test_halves_of_rows_without_any_word_are_no_trouble():
    G = np.zeros((12, 12))
    found = cluster_count_criteria.agreement(G, [2, 3], True, np.random.RandomState(0))
    assert found.shape == (4, 2)
    assert np.isfinite(found).all()


def test_directions_are_multiples_of_the_second_eigenvalue_of_permuted_tables():
    X = np.random.RandomState(1).poisson(1.0, size=(30, 8)) * 1.0 + np.eye(30, 8)
    found, limit = cluster_count_criteria.directions(
        X, cosine_similarity(X), 5, np.random.RandomState(7)
    )
    random = np.random.RandomState(7)
    seconds = []
    for _ in range(4):
        table = null_model.permuted_columns(content_order.sorted_columns(X), random)
        seconds.append(np.sort(np.linalg.eigvalsh(cosine_similarity(table)))[-2])
    expected = np.sort(np.linalg.eigvalsh(cosine_similarity(X)))[::-1][:5]
    np.testing.assert_allclose(found, expected / np.mean(seconds))
    assert limit == pytest.approx(1 + 5 * np.std(seconds, ddof=1) / np.mean(seconds))


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
