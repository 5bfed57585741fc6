import warnings

import numpy as np
import pytest

import laws
import long_groups
from kinfolk.errors import InputError, ManyColumnsWarning
from kinfolk.measures import accuracy
from kinfolk.methods.multitask.shared_covariance import SharedCovarianceMixture
from kinfolk.methods.single.tied_mixture import TiedGaussianMixture


def long_clusters(n, seed):
    """Draw two elongated clusters side by side in five columns, with labels."""
    random = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    length = 3 * random.normal(size=n)
    X = random.normal(size=(n, 5))
    X[:, 0] = length
    X[:, 1] = length + random.normal(size=n) / 2 + 3 * truth
    return X, truth


def test_one_task_is_the_mixture_of_one_table():
    X, _ = long_clusters(40, 0)
    alone = TiedGaussianMixture(random_state=0).fit(X)
    model = SharedCovarianceMixture(random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, alone.labels_)
    np.testing.assert_allclose(model.covariance_, alone.covariance_)
    np.testing.assert_allclose(model.objective_trace_, alone.objective_trace_)


def test_a_small_task_takes_the_shape_of_clusters_from_a_large_one():
    large, _ = long_clusters(200, 1)
    right = []
    for seed in range(2, 7):
        small, truth = long_clusters(12, seed)
        X = np.vstack([large, small + 50.0])
        tasks = np.repeat(["large", "small"], [200, 12])
        together = SharedCovarianceMixture(random_state=0).fit(X, tasks=tasks).labels_[200:]
        alone = TiedGaussianMixture(random_state=0).fit(small).labels_
        right.append([laws.same_clusters(found, truth) for found in (together, alone)])
    together, alone = np.sum(right, axis=0)
    assert together >= 3  # of 5: EM from k-means starts may end elsewhere
    assert alone == 0


def test_whitened_starts_end_in_likelier_mixtures_of_long_clusters():
    X, tasks, truth = long_groups.of_different_size(seed=0)
    first, whitened = (
        SharedCovarianceMixture(2, init=init, random_state=0).fit(X, tasks=tasks)
        for init in ("kmeans", "whitened")
    )
    assert whitened.objective_trace_[-1] < first.objective_trace_[-1] - 30.0
    for t in (0, 1):
        own = tasks == t
        assert accuracy(truth[own], first.labels_[own]) < 0.8
        assert accuracy(truth[own], whitened.labels_[own]) > 0.98


def test_whitened_starts_know_no_units():
    X, _ = long_clusters(60, 8)
    tasks = np.repeat(["a", "b"], 30)
    units = [1.0, 1e3, 1e-3, 7.0, 30.0]
    one, other = (
        SharedCovarianceMixture(2, init="whitened", random_state=0).fit(rows, tasks=tasks)
        for rows in (X, X * units)
    )
    np.testing.assert_array_equal(one.labels_, other.labels_)


def test_an_unknown_init_is_refused():
    with pytest.raises(InputError, match="init is 'random'; choose one of"):
        SharedCovarianceMixture(init="random").fit(np.eye(4))


def test_a_shift_of_a_task_changes_no_label():
    X = np.vstack([long_clusters(60, 8)[0], long_clusters(40, 9)[0]])
    tasks = np.repeat(["a", "b"], [60, 40])
    moved = X + np.where(tasks == "b", 100.0, 0.0)[:, None]
    first, second = (
        SharedCovarianceMixture(random_state=0).fit(rows, tasks=tasks) for rows in (X, moved)
    )
    for task in "ab":
        assert laws.same_clusters(first.labels_[tasks == task], second.labels_[tasks == task])
    np.testing.assert_allclose(first.covariance_, second.covariance_, rtol=1e-5)


def test_as_many_columns_as_rows_of_all_tasks_are_told_in_one_sentence():
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 45)) + 9.0 * (np.arange(40) % 2)[:, None]
    tasks = np.repeat(["a", "b"], 20)
    with pytest.warns(ManyColumnsWarning, match=r"X has 45 columns and 40 rows, .* Join") as told:
        SharedCovarianceMixture(random_state=0).fit(X, tasks=tasks)
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # More columns than rows of a task, but the covariance is learnt from both.
        SharedCovarianceMixture(random_state=0).fit(X[:, :30], tasks=tasks)
        SharedCovarianceMixture(1, random_state=0).fit(X, tasks=tasks)
