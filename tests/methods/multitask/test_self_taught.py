import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks

import laws
import oracles_coclusters as oracle
from kinfolk.errors import InputError
from kinfolk.measures import accuracy
from kinfolk.methods.multitask.self_taught import STC


@parametrize_with_checks([STC()])
def test_scikit_learn_takes_the_estimator(estimator, check):
    check(estimator)


def topics(sizes, words=20, seed=0, lengths=(12, 12)):
    """Draw counts of texts on three topics with separate words; with tasks and topics.

    The texts of each task have as many words as `lengths` says.
    """
    random = np.random.default_rng(seed)
    truth = np.concatenate([np.arange(n) % 3 for n in sizes])
    tasks = np.repeat(np.arange(len(sizes)), sizes)
    chances = np.full((3, 3 * words), 0.3)
    for c in range(3):
        chances[c, c * words : (c + 1) * words] = 1.0
    chances /= chances.sum(axis=1, keepdims=True)
    drawn = [random.multinomial(lengths[t], chances[c]) for c, t in zip(truth, tasks, strict=True)]
    return np.array(drawn), tasks, truth


def right(model, tasks, truth, t):
    """Share of a task's rows in their topic's cluster, by the best matching."""
    return accuracy(truth[tasks == t], model.labels_[tasks == t])


def test_short_texts_are_helped_by_the_columns_of_many_long_ones():
    gains = []
    for seed in range(6):
        X, tasks, truth = topics((30, 300), seed=seed, lengths=(12, 60))
        together = STC(3, 3, random_state=0).fit(X, tasks=tasks)
        alone = STC(3, 3, auxiliary_weight=0, random_state=0).fit(X, tasks=tasks)
        gains.append(right(together, tasks, truth, 0) - right(alone, tasks, truth, 0))
        assert right(together, tasks, truth, 1) > 0.9
    assert np.mean(gains) > 0.1


def test_without_weight_each_task_is_clustered_as_by_itself():
    X, tasks, _ = topics((30, 40))
    both = STC(3, 5, auxiliary_weight=0, random_state=0).fit(X, tasks=tasks)
    assert set(both.objective_traces_) == {0, 1}
    for t in (0, 1):
        one = STC(3, 5, random_state=0).fit(X[tasks == t])
        np.testing.assert_array_equal(both.labels_[tasks == t], one.labels_)
        np.testing.assert_array_equal(both.feature_clusters_[t], one.feature_clusters_[0])
        np.testing.assert_allclose(both.block_sums_[t], one.block_sums_[0])
        np.testing.assert_allclose(both.objective_traces_[t][-1], one.objective_trace_[-1])


def test_equal_weights_need_one_descent():
    X, tasks, _ = topics((30, 40))
    model = STC(3, 5, n_init=2, random_state=0).fit(X, tasks=tasks)
    assert list(model.objective_traces_) == ["all tasks"]
    nearly = STC(3, 5, 1 + 1e-12, n_init=2, random_state=0).fit(X, tasks=tasks)
    assert list(nearly.objective_traces_) == [0, 1]
    np.testing.assert_array_equal(nearly.labels_, model.labels_)
    np.testing.assert_array_equal(nearly.feature_clusters_, model.feature_clusters_)


def test_the_objective_is_the_information_that_each_task_loses():
    X, tasks, _ = topics((12, 9), words=3)
    for weight in (0.5, 1.0, 3.0):
        model = STC(3, 4, weight, n_init=1, random_state=1).fit(X, tasks=tasks)
        for target, trace in model.objective_traces_.items():
            t = 0 if target == "all tasks" else target
            expected = 0.0
            for s in (0, 1):
                table = X[tasks == s]
                joint = oracle.joint(table)
                assert model.feature_clusters_.shape == (2, 9)
                kept = oracle.information(model.block_sums_[s].tolist())
                if weight == 1 or s == t:
                    expected += oracle.information(joint) - kept
            if weight == 1:
                assert trace[-1] == pytest.approx(expected)
            else:
                assert trace[-1] > expected


def test_as_many_clusters_as_columns_leave_columns_by_themselves():
    X, tasks, _ = topics((30, 40), words=2)
    model = STC(3, 99, random_state=0).fit(X, tasks=tasks)
    np.testing.assert_array_equal(model.feature_clusters_, [np.arange(6)] * 2)
    for t in (0, 1):
        shares = X[tasks == t] / X[tasks == t].sum()
        for i, p in enumerate(shares):
            costs = [
                oracle.divergence((p / p.sum()).tolist(), (B / B.sum()).tolist())
                for B in model.block_sums_[t]
            ]
            assert model.labels_[tasks == t][i] == int(np.argmin(costs))


def test_sparse_counts_give_the_clusters_of_dense_ones():
    X, tasks, _ = topics((30, 40), lengths=(200, 200))
    dense = STC(3, 3, random_state=0).fit(X, tasks=tasks)
    sparse = STC(3, 3, random_state=0).fit(sp.csr_array(X), tasks=tasks)
    for t in (0, 1):
        assert laws.same_clusters(sparse.labels_[tasks == t], dense.labels_[tasks == t])
    np.testing.assert_allclose(sparse.objective_trace_[-1], dense.objective_trace_[-1])


def test_measurements_are_doubled_and_counts_are_not():
    X, tasks, _ = laws.related()
    assert STC(3, random_state=0).fit(X, tasks=tasks).encoding_ == "doubled"
    assert STC(3, random_state=0).fit(X, tasks=tasks).feature_clusters_.shape == (2, 12)
    counts, codes, _ = topics((30, 40))
    assert STC(3, random_state=0).fit(counts, tasks=codes).encoding_ == "raw"
    shifted = STC(3, encoding="shifted", random_state=0).fit(X, tasks=tasks)
    assert shifted.feature_clusters_.shape == (2, 6)
    laws.assert_never_rises(shifted)


def test_random_starts_find_topics_too():
    X, tasks, truth = topics((300, 300))
    model = STC(3, 6, init="random", random_state=0).fit(X, tasks=tasks)
    assert min(right(model, tasks, truth, t) for t in (0, 1)) > 0.85


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_feature_clusters": 0}, "n_feature_clusters is 0; give at least 1"),
        ({"auxiliary_weight": -1}, "auxiliary_weight is -1; give a number of at least 0"),
        ({"encoding": "raw"}, "encoding is 'raw' and X has negative numbers, such as -"),
        ({"encoding": "log"}, "encoding is 'log'; choose one of 'auto', 'raw', 'shifted', 'doub"),
        ({"init": "cold"}, "init is 'cold'; choose one of 'kmeans', 'random'"),
        ({"n_init": 0}, "n_init is 0; give at least 1"),
        ({"tol": -1.0}, "tol is -1.0; give a number of at least 0"),
    ],
)
def test_unusable_parameters_are_refused(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        STC(**parameters).fit(laws.related().X)
