import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris

from kinfolk.choosing import null_model
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.task_scorer import TaskScorer

RANDOM = np.random.default_rng(0)
COUNTS = RANDOM.poisson(0.5, size=(40, 12)).astype(float)


def test_shuffling_keeps_every_column_and_no_pair_of_them():
    ordered = np.sort(COUNTS, axis=0)
    for table in (ordered, sp.csr_array(ordered)):
        made = null_model.permuted_columns(table, np.random.RandomState(0))
        dense = made.toarray() if sp.issparse(made) else made
        np.testing.assert_array_equal(np.sort(dense, axis=0), ordered)
        pairs = np.corrcoef(dense, rowvar=False)[np.triu_indices(12, 1)]
        assert np.abs(pairs).mean() < 0.25
        assert np.corrcoef(ordered, rowvar=False)[np.triu_indices(12, 1)].mean() > 0.6


def test_a_cloud_has_the_mean_and_covariance_of_the_rows():
    X = RANDOM.normal(size=(40, 3)) @ RANDOM.normal(size=(3, 3)) + 5
    random = np.random.RandomState(0)
    rows = np.vstack([null_model.gaussian_table(X, random) for _ in range(500)])
    np.testing.assert_allclose(rows.mean(axis=0), X.mean(axis=0), atol=0.1)
    np.testing.assert_allclose(np.cov(rows.T), np.cov(X.T, bias=True), atol=0.15)


@pytest.mark.parametrize("kind", [null_model.COUNTS, null_model.METRIC])
def test_levels_are_deviations_above_the_mean_of_the_best_clusterings(kind, monkeypatch):
    Q, S = np.random.default_rng(0).uniform(size=(2, 10, 5))
    marks, more = iter(Q), iter(S.ravel())
    monkeypatch.setattr(null_model.scores, "modularities", lambda labels, links: next(marks))
    monkeypatch.setattr(null_model.measures, "silhouette", lambda X, labels: next(more))
    found = null_model.null_level(COUNTS, 3, kind=kind)
    for values, spreads, least in ((Q, 2, found.modularity), (S, 5, found.silhouette)):
        best = values.max(axis=1)
        assert least == pytest.approx(np.mean(best) + spreads * np.std(best, ddof=1))
    assert (found.assortativity, found.exceeded) == (np.inf, False)


@pytest.mark.parametrize(("own", "exceeded"), [(1.9, False), (2.1, True)])
def test_the_assortativity_of_the_rows_is_compared_with_twenty_tables(own, exceeded, monkeypatch):
    monkeypatch.setattr(null_model, "NULL_TABLES", 10)
    r = np.random.default_rng(0).uniform(size=(20, 6))
    best = r.max(axis=1)
    least = np.mean(best) + 2.5 * np.std(best, ddof=1)
    marks = iter([*r, np.array([0.0, own * least / 2, 0.0])])
    monkeypatch.setattr(null_model.scores, "assortativities", lambda labels, links: next(marks))
    found = null_model.null_level(COUNTS, 3, kind=null_model.MEASUREMENTS)
    assert found.assortativity == pytest.approx(least)
    assert found.exceeded == exceeded
    assert next(marks, None) is None


def table_of(numbers, *answers):
    """Make the scoring representation of numeric and yes/no columns."""
    X = np.column_stack([numbers, *answers])
    codes = np.zeros(len(X), dtype=int)
    return Representations.of(X, codes, columns_are_scaled=True).for_scoring(X, codes)


def test_unequal_clusters_exceed_chance_and_independent_answers_do_not():
    random = np.random.default_rng(1)
    numbers = random.normal(size=(120, 3))
    small = np.arange(120) < 15
    apart = table_of(numbers + 2.5 * small[:, None])
    yes = table_of(numbers, *(1.4 * (random.uniform(size=(3, 120)) < 0.4)))
    found = [null_model.null_level(X, 2, kind=null_model.MEASUREMENTS) for X in (apart, yes)]
    assert [level.exceeded for level in found] == [True, False]


def test_flowers_are_clearer_than_chance_and_a_single_cloud_is_not():
    iris = load_iris()
    codes = np.zeros(150, dtype=int)
    flowers = Representations.of(iris.data, codes).for_scoring(iris.data, codes)
    one = iris.data[iris.target == 1]
    cloud = Representations.of(one, codes[:50]).for_scoring(one, codes[:50])
    halves = (one[:, 0] > np.median(one[:, 0])).astype(int)
    for rows, labels, clear in (
        (flowers, np.minimum(iris.target, 1), True),
        (cloud, halves, False),
    ):
        for kind in (null_model.METRIC, null_model.MEASUREMENTS):
            least = null_model.null_level(rows, 2, kind=kind)
            assert TaskScorer(rows, 2, null_level=least).has_clusters(labels) == clear


def test_one_cluster_is_never_below_chance():
    assert null_model.null_level(COUNTS, 1, kind=null_model.COUNTS)[:2] == (-1, -1)
