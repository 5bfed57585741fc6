import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import laws
from kinfolk.errors import InputError, SharingWarning
from kinfolk.methods.multitask import shared_subspace
from kinfolk.methods.multitask.baselines import PerTask
from kinfolk.methods.multitask.shared_subspace import LSSMTC
from kinfolk.methods.single.soft_kmeans import SoftKMeans
from kinfolk.numerics.subspaces import SUBSPACES
from oracles_lssmtc import CODES, table

RANDOM = np.random.default_rng(0)


WAYS = [
    {"mixed": False, "update": "exact"},
    {"mixed": True, "update": "exact"},
    {"update": "multiplicative"},
]
"""Memberships in one cluster and in several, by exact rows, and the published step."""


@parametrize_with_checks([LSSMTC(n_init=2), LSSMTC(n_init=2, max_iter=20, mixed=True)])
def test_scikit_learn_takes_the_estimator(estimator, check):
    check(estimator)


PRINTED = {"update": "multiplicative", "n_init": 1, "tol": 0.0, "max_iter": 20}


@pytest.mark.parametrize("init", ["random", "kmeans"])
@pytest.mark.parametrize("subspace", SUBSPACES)
def test_with_own_weight_one_it_is_soft_k_means_of_each_task_to_the_last_digit(subspace, init):
    X, settings = table(7), {"init": init, "random_state": 3, **PRINTED}
    model = LSSMTC(3, own_weight=1.0, subspace=subspace, **settings).fit(X, tasks=CODES)
    alone = PerTask(SoftKMeans(3, **settings)).fit(X, tasks=CODES)
    for Y, V, single in zip(model.memberships_, model.cluster_centers_, alone.estimators_):
        np.testing.assert_array_equal(Y, single.memberships_)
        np.testing.assert_array_equal(V, single.cluster_centers_)
        t = int(single is not alone.estimators_[CODES[0]])
        np.testing.assert_array_equal(model.labels_[t == CODES], single.labels_)
        new = RANDOM.normal(size=(6, 7))
        np.testing.assert_array_equal(model.predict(new, tasks=t), single.predict(new))


@pytest.mark.parametrize("init", ["random", "kmeans"])
def test_exact_steps_with_own_weight_one_end_where_soft_k_means_of_each_task_does(init):
    X = table(7)
    settings = {"init": init, "n_init": 1, "tol": 1e-9, "random_state": 1}
    model = LSSMTC(3, own_weight=1.0, **settings).fit(X, tasks=CODES)
    alone = PerTask(SoftKMeans(3, **settings)).fit(X, tasks=CODES)
    assert model.objective_trace_[-1] == pytest.approx(alone.objective_trace_[-1], rel=1e-6)
    np.testing.assert_array_equal(model.labels_, alone.labels_)
    for Y, V, single in zip(model.memberships_, model.cluster_centers_, alone.estimators_):
        # Extrapolation looks at all tasks or at one: the sizes of Y and V may end elsewhere.
        expected = single.memberships_ @ single.cluster_centers_
        np.testing.assert_allclose(Y @ V, expected, atol=1e-3)


def test_the_published_subspace_shares_nothing_where_rows_are_fewer_than_features():
    X = table(40, counts=True)
    settings = {"init": "random", "random_state": 0, **PRINTED}
    model = LSSMTC(3, subspace="published", **settings).fit(X, tasks=CODES)
    assert model.subspace_share_ < 1e-12
    alone = PerTask(SoftKMeans(3, **settings)).fit(X, tasks=CODES)
    for Y, single in zip(model.memberships_, alone.estimators_):
        np.testing.assert_allclose(Y, single.memberships_, rtol=1e-9)
    ours = LSSMTC(3, **settings).fit(X, tasks=CODES)
    assert ours.subspace_share_ > 0.3


@pytest.mark.usefixtures("rows_as_given")
def test_sharing_helps_a_small_task_where_its_rows_alone_do_not_tell():
    right = []
    for seed in range(6):
        random = np.random.default_rng(seed)
        topics = random.gamma(0.4, size=(3, 60)) + 0.2
        truth = random.integers(3, size=130)
        X = random.poisson(topics[truth]).astype(float)
        tasks = np.where(np.arange(130) < 7, "small", "large")
        small = tasks == "small"
        scores = []
        for weight in (1.0, 0.1):
            model = LSSMTC(3, own_weight=weight, n_init=3, random_state=seed)
            found = model.fit(X, tasks=tasks)
            names = found.labels_[small]
            scores.append(max(np.mean(np.array(p)[names] == truth[small]) for p in PERMUTATIONS))
        right.append(scores)
    alone, shared = np.mean(right, axis=0)
    assert 1 - shared < (1 - alone) / 2
    assert alone < 0.9 < shared


PERMUTATIONS = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("subspace", SUBSPACES)
@pytest.mark.parametrize("init", ["matched", "random", "kmeans"])
def test_the_objective_never_rises(init, subspace, way):
    for seed, counts in enumerate([False, True]):
        settings = {"n_init": 1, "max_iter": 30, "tol": 0.0, "random_state": seed, **way}
        model = LSSMTC(3, 0.4, subspace, init=init, **settings)
        laws.assert_never_rises(model.fit(table(9, counts), tasks=CODES))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("mixed", [False, True])
def test_rows_of_the_fit_are_members_of_the_clusters_that_new_rows_get(mixed, dtype):
    X = table(6).astype(dtype)
    model = LSSMTC(3, mixed=mixed, n_init=2, random_state=0).fit(X, tasks=CODES)
    np.testing.assert_array_equal(model.predict(X, tasks=CODES), model.labels_)
    for t, Y in enumerate(model.memberships_):
        found = Y.any(axis=1)
        labels = model.labels_[t == CODES]
        np.testing.assert_array_equal(Y[found].argmax(axis=1), labels[found])
        assert ((Y > 0).sum(axis=1).max() > 1) == mixed


def test_a_change_of_units_changes_units_only():
    X = table(6)
    a, b = (LSSMTC(3, random_state=0, tol=0.0).fit(c * X, tasks=CODES) for c in (1.0, 8.0))
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_allclose(b.objective_trace_, 64 * a.objective_trace_, rtol=1e-9)


def test_matched_starts_give_clusters_of_one_kind_one_number():
    X = np.kron(np.eye(3), np.ones((8, 4))) + 0.1 * RANDOM.uniform(size=(24, 12))
    truth, codes = np.repeat(np.arange(3), 8), np.arange(24) % 2
    for seed in range(5):
        Y = RANDOM.uniform(size=(24, 3)) * 0.2
        for t in (0, 1):
            names = RANDOM.permutation(3)
            rows = np.flatnonzero(codes == t)
            Y[rows, names[truth[rows]]] += 1.0
        new = shared_subspace.renumbered_alike(X, codes, Y)
        labels = new.argmax(axis=1)
        assert all(len(set(labels[truth == c])) == 1 for c in range(3)), seed
        np.testing.assert_array_equal(new[codes == 0], Y[codes == 0])
        np.testing.assert_allclose(np.sort(new, axis=1), np.sort(Y, axis=1))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"own_weight": 1.2}, "own_weight is 1.2; give a number from 0 to 1"),
        ({"own_weight": -0.1}, "own_weight is -0.1; give a number of at least 0"),
        ({"update": "fast"}, "update is 'fast'; choose one of 'exact', 'multiplicative'"),
        ({"subspace": "eig"}, "subspace is 'eig'; choose one of 'explained', 'published', 'rel"),
        ({"n_components": 0}, "n_components is 0; give at least 1"),
        ({"init": "cold"}, "init is 'cold'; choose one of 'matched', 'random', 'kmeans'"),
        ({"n_init": 0}, "n_init is 0; give at least 1"),
        ({"max_iter": 0}, "max_iter is 0; give at least 1"),
        ({"tol": -1.0}, "tol is -1.0; give a number of at least 0"),
    ],
)
def test_unusable_parameters_are_refused(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        LSSMTC(**parameters).fit(table(5), tasks=CODES)


def test_different_numbers_of_clusters_are_refused():
    with pytest.raises(InputError, match="LSSMTC needs the same number of clusters in every task"):
        LSSMTC({0: 2, 1: 3}).fit(table(5), tasks=CODES)


def test_the_old_name_of_init_is_accepted():
    with pytest.warns(FutureWarning, match="'start' of LSSMTC is now called 'init'"):
        old = LSSMTC(3, start="kmeans", n_init=1, random_state=0)
    new = LSSMTC(3, init="kmeans", n_init=1, random_state=0)
    np.testing.assert_array_equal(
        old.fit(table(6), tasks=CODES).labels_, new.fit(table(6), tasks=CODES).labels_
    )


def test_the_trace_of_the_one_descent_stands_under_all_tasks():
    model = LSSMTC(3, n_init=1, random_state=0).fit(table(6), tasks=CODES)
    assert list(model.objective_traces_) == ["all tasks"]
    np.testing.assert_array_equal(model.objective_traces_["all tasks"], model.objective_trace_)
    assert len(model.objective_trace_) == model.n_iter_ + 1


def shifted_tasks(shift):
    """Make three far groups in two tasks, the second with columns rolled by `shift`."""
    random = np.random.default_rng(5)
    X = 5.0 * np.eye(3, 6)[np.arange(60) % 3] + 0.3 * random.normal(size=(60, 6))
    codes = np.arange(60) // 30
    X[codes == 1] = np.roll(X[codes == 1], shift, axis=1)
    return X, codes


def test_tasks_whose_clusters_do_not_fit_together_are_told_of():
    X, codes = shifted_tasks(3)
    model = LSSMTC(3, own_weight=0.1, n_init=2, random_state=0)
    sentence = r"sharing makes .* larger than without: .* Raise own_weight \(now 0.1"
    with pytest.warns(SharingWarning, match=sentence):
        model.fit(X, tasks=codes)
    model.set_params(own_weight=1.0).fit(X, tasks=codes)  # a warning would be an error here


def test_tasks_whose_clusters_fit_together_are_not_told_of():
    X, codes = shifted_tasks(0)
    model = LSSMTC(3, own_weight=0.1, n_init=2, random_state=0).fit(X, tasks=codes)
    assert len(set(model.labels_[:3])) == 3
