import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris

from kinfolk import measures
from kinfolk.choosing import null_model
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.task_scorer import TaskScorer

pytestmark = pytest.mark.usefixtures("all_null_tables")

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


@pytest.mark.parametrize("kind", [null_model.PERMUTED, null_model.NORMAL])
def test_levels_are_deviations_above_the_mean_of_the_best_clusterings(kind, monkeypatch):
    Q, S = np.random.default_rng(0).uniform(size=(2, 10, 5))
    marks, more = iter(Q), iter(S.ravel())
    monkeypatch.setattr(
        null_model.scores, "separations", lambda labels, links: (next(marks), np.zeros(1))
    )
    monkeypatch.setattr(null_model.measures, "silhouette", lambda X, labels: next(more))
    found = null_model.null_level(COUNTS, 3, kind=kind)
    for values, spreads, least in ((Q, 2, found.modularity), (S, 5, found.silhouette)):
        best = values.max(axis=1)
        assert least == pytest.approx(np.mean(best) + spreads * np.std(best, ddof=1))
    assert (found.assortativity, found.exceeded) == (np.inf, False)


@pytest.mark.parametrize(("own", "exceeded"), [(1.9, False), (2.1, True)])
def test_the_assortativity_of_the_rows_is_compared_with_twenty_tables(own, exceeded, monkeypatch):
    r = np.random.default_rng(0).uniform(size=(20, 6))
    best = r.max(axis=1)
    least = np.mean(best) + 2.5 * np.std(best, ddof=1)
    marks = iter([*r, np.array([0.0, own * least / 2, 0.0])])
    monkeypatch.setattr(
        null_model.scores, "separations", lambda labels, links: (np.zeros(1), next(marks))
    )
    monkeypatch.setattr(null_model.scores, "assortativities", lambda labels, links: next(marks))
    found = null_model.null_level(COUNTS, 3, kind=null_model.COPULA)
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
    found = [null_model.null_level(X, 2, kind=null_model.COPULA) for X in (apart, yes)]
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
        for kind in (null_model.NORMAL, null_model.COPULA):
            least = null_model.null_level(rows, 2, kind=kind)
            assert TaskScorer(rows, 2, null_level=least).has_clusters(labels) == clear


def test_one_cluster_is_never_below_chance():
    assert null_model.null_level(COUNTS, 1, kind=null_model.PERMUTED)[:2] == (-1, -1)


def levels_and_tables(modularity, best, monkeypatch, kind=null_model.PERMUTED):
    """Null level for given modularities of null tables, and the number of tables made."""
    marks = iter(best)
    made = []

    def score(X, n_clusters, seeds):
        made.append(X)
        return next(marks), 0.0, 0.0

    monkeypatch.setattr(null_model, "_best_scores", score)
    level = null_model.null_level(COUNTS, 3, kind=kind, modularity=modularity)
    return level, len(made)


FIRST = [0.30, 0.31, 0.32, 0.33, 0.34]  # a deviation of .0158
REST = [0.3] * 5


@pytest.mark.parametrize(("modularity", "tables"), [(0.47, 10), (0.49, 5), (-1.0, 10)])
def test_few_tables_are_made_for_clusters_far_above_them(modularity, tables, monkeypatch):
    assert levels_and_tables(modularity, FIRST + REST, monkeypatch)[1] == tables


@pytest.mark.parametrize(("modularity", "tables"), [(0.34, 10), (0.36, 5)])
def test_equal_tables_alone_leave_doubt(modularity, tables, monkeypatch):
    assert levels_and_tables(modularity, [0.3] * 10, monkeypatch)[1] == tables


def test_the_level_of_few_tables_is_wider_by_their_number(monkeypatch):
    level, _ = levels_and_tables(0.6, FIRST + REST, monkeypatch)
    spread = np.std(FIRST, ddof=1) * np.sqrt((1 + 1 / 5) / (1 + 1 / 10))
    assert level.modularity == pytest.approx(0.32 + 2 * spread)
    assert level.modularity < 0.6


def test_few_tables_are_the_first_of_all(monkeypatch):
    rows = np.vstack([COUNTS] * 2)
    few = null_model.null_scores(rows, 3, kind=null_model.PERMUTED, modularity=0.999)
    many = null_model.null_scores(rows, 3, kind=null_model.PERMUTED)
    assert (len(few.best), len(many.best)) == (5, 10)
    np.testing.assert_array_equal(few.best, many.best[:5])


def test_clear_clusters_are_not_compared_with_clusterings_of_their_own_rows():
    rows = np.vstack([np.random.default_rng(1).normal(m, 1, size=(20, 4)) for m in (0, 50, 90)])
    asked = {"kind": null_model.COPULA, "seed": 0}
    few = null_model.null_scores(rows, 3, modularity=0.95, **asked)
    assert (len(few.best), few.usual) == (5, 20)
    assert np.isnan(few.own)
    many = null_model.null_scores(rows, 3, modularity=0.0, **asked)
    assert len(many.best) == 20
    assert np.isfinite(many.own)


def test_clusters_of_a_single_column_exceed_chance_and_a_single_peak_does_not():
    random = np.random.default_rng(0)
    labels = np.resize([0, 1, 2], 90)
    three = 6.0 * labels + random.normal(size=90)
    one = random.normal(size=90)
    for values, clear in ((three, True), (one, False)):
        # Beside the constant column by which cosines see the length of a row.
        X = np.column_stack([(values - values.mean()) / values.std(), np.ones(90)])
        level = null_model.null_level(X, 3, kind=null_model.COPULA)
        cut = labels if clear else np.searchsorted(np.sort(one)[[30, 60]], one)
        assert (measures.silhouette(X, cut) > level.silhouette) == clear
