import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris

from kinfolk.choosing import null_model
from kinfolk.choosing.decision import Bench
from kinfolk.choosing.representations import Spaces

RANDOM = np.random.default_rng(0)
COUNTS = RANDOM.poisson(0.5, size=(40, 12)).astype(float)


def test_shuffling_keeps_every_column_and_no_pair_of_them():
    ordered = np.sort(COUNTS, axis=0)
    for table in (ordered, sp.csr_array(ordered)):
        made = null_model.shuffled(table, np.random.RandomState(0))
        dense = made.toarray() if sp.issparse(made) else made
        np.testing.assert_array_equal(np.sort(dense, axis=0), ordered)
        pairs = np.corrcoef(dense, rowvar=False)[np.triu_indices(12, 1)]
        assert np.abs(pairs).mean() < 0.25
        assert np.corrcoef(ordered, rowvar=False)[np.triu_indices(12, 1)].mean() > 0.6


def test_a_cloud_has_the_mean_and_covariance_of_the_rows():
    X = RANDOM.normal(size=(40, 3)) @ RANDOM.normal(size=(3, 3)) + 5
    random = np.random.RandomState(0)
    rows = np.vstack([null_model.cloud(X, random) for _ in range(500)])
    np.testing.assert_allclose(rows.mean(axis=0), X.mean(axis=0), atol=0.1)
    np.testing.assert_allclose(np.cov(rows.T), np.cov(X.T, bias=True), atol=0.15)


@pytest.mark.parametrize("together", [True, False])
def test_levels_are_deviations_above_the_mean_of_the_best_clusterings(together, monkeypatch):
    Q, S = np.random.default_rng(0).uniform(size=(2, 10, 5))
    marks, more = iter(Q), iter(S.ravel())
    monkeypatch.setattr(null_model.scores, "modularities", lambda labels, links: next(marks))
    monkeypatch.setattr(null_model.measures, "silhouette", lambda X, labels: next(more))
    found = null_model.level(COUNTS, 3, together=together)
    for values, spreads, least in ((Q, 2, found.modularity), (S, 5, found.silhouette)):
        best = values.max(axis=1)
        assert least == pytest.approx(np.mean(best) + spreads * np.std(best, ddof=1))


def test_flowers_are_clearer_than_chance_and_a_single_cloud_is_not():
    iris = load_iris()
    codes = np.zeros(150, dtype=int)
    flowers = Spaces.of(iris.data, codes).neutral(iris.data, codes)
    one = iris.data[iris.target == 1]
    cloud = Spaces.of(one, codes[:50]).neutral(one, codes[:50])
    halves = (one[:, 0] > np.median(one[:, 0])).astype(int)
    for rows, kinds, clear in ((flowers, np.minimum(iris.target, 1), True), (cloud, halves, False)):
        least = null_model.level(rows, 2, together=True)
        assert Bench(rows, 2, chance=least).clear(kinds) == clear


def test_one_cluster_is_never_below_chance():
    assert null_model.level(COUNTS, 1, together=False) == (-1, -1)
