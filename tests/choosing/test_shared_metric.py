import numpy as np
import pytest

import kinfolk as kf
from kinfolk.choosing import shared_metric
from kinfolk.choosing.representations import Representations
from kinfolk.models import storage

S = np.array([[1.0, 0.99], [0.99, 1.0]])


def long_clusters(n=80, seed=0):
    """Two long clusters side by side in each of two tasks; the second is shifted."""
    random = np.random.RandomState(seed)
    codes = np.repeat([0, 1], n)
    truth = np.tile([0, 1], n)
    X = random.multivariate_normal([0, 0], 25 * S, 2 * n) + 2.2 * truth[:, None] * [1, -1]
    return X + 40.0 * codes[:, None], codes, truth


@pytest.fixture(scope="module")
def fitted():
    X, codes, truth = long_clusters()
    model = kf.Kinfolk(2, random_state=0).fit(X, tasks=codes)
    return model, X, codes, truth


def agreement(labels, truth, codes):
    return [kf.measures.accuracy(truth[codes == t], labels[codes == t]) for t in np.unique(codes)]


def test_long_clusters_are_found_by_the_metric_that_tasks_share(fitted):
    model, _, codes, truth = fitted
    assert min(agreement(model.labels_, truth, codes)) > 0.97
    assert max(agreement(model.own_labels_, truth, codes)) < 0.8
    assert {record["combiner"] for record in model.guard_} == {shared_metric.COMBINER}
    assert all(record["has_clusters"] for record in model.guard_)


def test_new_rows_are_assigned_by_the_mixture_alone(fitted, tmp_path):
    model, X, codes, _ = fitted
    np.testing.assert_array_equal(model.predict(X, tasks=codes), model.labels_)
    assert [len(model.voters_[task]) for task in (0, 1)] == [1, 1]
    storage.save(model, tmp_path / "model")
    again = storage.load(tmp_path / "model").estimator
    np.testing.assert_array_equal(again.predict(X, tasks=codes), model.labels_)


def test_every_start_has_a_record_and_one_of_them_is_kept(fitted):
    model = fitted[0]
    records = [r for r in model.evidence_ if r["family"] == shared_metric.FAMILY]
    assert len(records) == 2 * shared_metric.STARTS
    assert sum(record["kept"] for record in records) == 2


@pytest.mark.parametrize("guard", ["report", "both"])
def test_a_single_cloud_is_left_alone(guard):
    random = np.random.RandomState(0)
    X = random.multivariate_normal([0, 0], S, 160)
    codes = np.repeat([0, 1], 80)
    model = kf.Kinfolk(2, guard=guard, random_state=0).fit(X, tasks=codes)
    assert shared_metric.COMBINER not in {record["combiner"] for record in model.guard_}
    assert model.unclustered_tasks_ == [0, 1]


@pytest.mark.parametrize(
    "change", [{"families": ["kmeans", "mec"]}, {"consensus": False}, {"budget": 1e-9}]
)
def test_it_is_not_tried_where_less_was_asked_for(change):
    X, codes, _ = long_clusters(30)
    model = kf.Kinfolk(2, random_state=0, **change).fit(X, tasks=codes)
    assert shared_metric.FAMILY not in {record["family"] for record in model.evidence_}


def test_units_and_zeros_of_columns_do_not_matter(fitted):
    model, X, codes, _ = fitted
    other = kf.Kinfolk(2, random_state=0).fit(X * [1024.0, 0.5] + [3.0, -7.0], tasks=codes)
    np.testing.assert_array_equal(model.labels_, other.labels_)


def test_whitening_makes_clusters_balls():
    X, codes, truth = long_clusters(2000)
    W = shared_metric.whitened(X, codes, 25 * S)
    inside = W[(codes == 0) & (truth == 0)]
    np.testing.assert_allclose(np.cov(inside.T), np.eye(2), atol=0.1)
    means = [W[codes == t].mean(axis=0) for t in (0, 1)]
    np.testing.assert_allclose(means, 0, atol=1e-9)


def test_columns_of_two_values_are_no_numbers():
    codes = np.repeat([0, 1], 3)
    Z = np.column_stack([[0, 1, 0, 0.5, 0.5, 1.5], np.arange(6.0), np.ones(6)])
    assert shared_metric._numbers(Z, codes).tolist() == [1]


def test_too_few_rows_for_a_covariance_are_refused():
    X = np.random.RandomState(0).normal(size=(20, 5))  # 5 columns need 30
    codes = np.repeat([0, 1], 10)
    seen = Representations.of(X, codes)
    assert shared_metric.measurements(X, None, seen, [None, None]) is None
