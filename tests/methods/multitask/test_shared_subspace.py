import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks import literal_lssmtc
from sklearn.utils.estimator_checks import parametrize_with_checks

import laws
import oracles_lssmtc as oracles
from kinfolk.methods.multitask import shared_subspace
from kinfolk.methods.multitask.baselines import PerTask
from kinfolk.methods.multitask.shared_subspace import LSSMTC, LSSTTC
from kinfolk.methods.single.soft_kmeans import SoftKMeans
from kinfolk.numerics.subspaces import SUBSPACES
from kinfolk.tables import Tasks


@parametrize_with_checks([LSSMTC(), LSSTTC()])
def test_scikit_learn_takes_the_estimator(estimator, check):
    check(estimator)


RANDOM = np.random.default_rng(0)
CODES = np.array([0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1])


def table(d, counts=False):
    random = np.random.default_rng(d)
    if counts:
        return random.poisson(1.0, size=(len(CODES), d)).astype(float)
    return random.normal(size=(len(CODES), d)) + 1.5 * np.eye(3, d)[np.arange(len(CODES)) % 3]


def tasks_of(codes=CODES):
    return Tasks(list(range(int(codes.max()) + 1)), codes)


def problem(X, lam, subspace, l):
    return shared_subspace.problem(X, tasks_of(), lam, SUBSPACES[subspace](X, l))


@pytest.mark.parametrize("subspace", SUBSPACES)
@pytest.mark.parametrize("lam", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_one_sweep_and_the_objective_are_the_printed_formulas(form, lam, subspace):
    X, Y = table(6), RANDOM.uniform(size=(len(CODES), 3))
    p = problem(form(X), lam, subspace, 2)
    s = shared_subspace.settled(p, Y)
    np.testing.assert_allclose(s.F, oracles.centres(Y, oracles.product(X, s.W)), atol=1e-10)
    found = shared_subspace.sweep(p, s)
    for t in (0, 1):
        rows = t == CODES
        np.testing.assert_allclose(s.V[t], oracles.centres(Y[rows], X[rows]), atol=1e-10)
        expected = oracles.step(X[rows], Y[rows], s.V[t], s.W, s.F, lam)
        assert abs(expected - Y[rows]).max() > 0.05
        np.testing.assert_allclose(found.Y[rows], expected, rtol=1e-10)
    for point in (s, found):
        rest = subspace == "explained"
        known = oracles.objective(X, CODES, point.Y, point.V, point.W, point.F, lam, rest)
        assert shared_subspace.objective(p, point) == pytest.approx(known, rel=1e-10)


def test_the_published_subspace_is_renewed_from_the_new_memberships():
    X, Y = table(6), RANDOM.uniform(size=(len(CODES), 3))
    p = problem(X, 0.4, "published", 2)
    found = shared_subspace.sweep(p, shared_subspace.settled(p, Y))
    W = oracles.least_eigenvectors(X, found.Y, 2)
    np.testing.assert_allclose(found.W @ found.W.T, W @ W.T, atol=1e-9)


LITERAL = [
    *(
        (subspace, d, counts)
        for subspace in ("released", "explained")
        for d in (6, 40)
        for counts in (0, 1)
    ),
    ("published", 6, False),
    ("published", 9, True),
    ("published deficient", 9, True),
]


@pytest.mark.parametrize(("subspace", "d", "counts"), LITERAL)
def test_the_exact_form_is_the_literal_one(subspace, d, counts):
    X, Y = table(d, counts), RANDOM.uniform(size=(len(CODES), 3))
    if subspace == "published deficient":
        X[:, 6:] = X[:, :3]
    name = subspace.split()[0]
    labels, trace = literal_lssmtc.fit(X, CODES, Y, 2, 0.4, name, max_iter=12)
    for form in (np.asarray, sp.csr_array):
        p = problem(form(X), 0.4, name, 2)
        run = shared_subspace.descend(p, Y, 12, 0.0)
        np.testing.assert_allclose(run.trace, trace, rtol=1e-10)
        np.testing.assert_array_equal(run.state.Y.argmax(axis=1), labels)


@pytest.mark.parametrize("init", ["random", "kmeans"])
@pytest.mark.parametrize("subspace", SUBSPACES)
def test_with_own_weight_one_it_is_soft_k_means_of_each_task_to_the_last_digit(subspace, init):
    X, settings = table(7), {"init": init, "n_init": 1, "tol": 0.0, "random_state": 3}
    model = LSSMTC(3, own_weight=1.0, subspace=subspace, **settings).fit(X, tasks=CODES)
    alone = PerTask(SoftKMeans(3, **settings)).fit(X, tasks=CODES)
    for Y, V, single in zip(model.memberships_, model.cluster_centers_, alone.estimators_):
        np.testing.assert_array_equal(Y, single.memberships_)
        np.testing.assert_array_equal(V, single.cluster_centers_)
        t = int(single is not alone.estimators_[CODES[0]])
        np.testing.assert_array_equal(model.labels_[t == CODES], single.labels_)
        new = RANDOM.normal(size=(6, 7))
        np.testing.assert_array_equal(model.predict(new, tasks=t), single.predict(new))


def test_with_own_weight_zero_it_is_soft_k_means_of_all_in_every_direction_of_the_centres():
    X, Y = table(7), RANDOM.uniform(size=(len(CODES), 3))
    together = problem(X, 0.0, "explained", 3)
    single = shared_subspace.problem(X, Tasks.single(len(X)))
    a, b = (shared_subspace.descend(p, Y, 15, 0.0) for p in (together, single))
    np.testing.assert_allclose(a.trace, b.trace, rtol=1e-10)
    np.testing.assert_allclose(a.state.Y, b.state.Y, rtol=1e-8)


def test_with_own_weight_zero_tasks_make_no_difference():
    X, Y = table(7), RANDOM.uniform(size=(len(CODES), 3))
    for subspace in SUBSPACES:
        pooled = shared_subspace.problem(X, Tasks.single(len(X)), 0.0, SUBSPACES[subspace](X, 2))
        runs = [
            shared_subspace.descend(p, Y, 15, 0.0) for p in (pooled, problem(X, 0.0, subspace, 2))
        ]
        np.testing.assert_allclose(runs[0].trace, runs[1].trace, rtol=1e-10)
        np.testing.assert_allclose(runs[0].state.Y, runs[1].state.Y, rtol=1e-9)


def test_the_published_subspace_shares_nothing_where_rows_are_fewer_than_features():
    X = table(40, counts=True)
    settings = {"init": "random", "n_init": 1, "tol": 0.0, "random_state": 0}
    model = LSSMTC(3, subspace="published", **settings).fit(X, tasks=CODES)
    assert model.subspace_share_ < 1e-12
    alone = PerTask(SoftKMeans(3, **settings)).fit(X, tasks=CODES)
    for Y, single in zip(model.memberships_, alone.estimators_):
        np.testing.assert_allclose(Y, single.memberships_, rtol=1e-9)
    ours = LSSMTC(3, **settings).fit(X, tasks=CODES)
    assert ours.subspace_share_ > 0.3


def test_sharing_helps_a_small_task_where_its_rows_alone_do_not_tell():
    right = []
    for seed in range(6):
        random = np.random.default_rng(seed)
        topics = random.gamma(0.4, size=(3, 60)) + 0.2
        truth = random.integers(3, size=130)
        X = random.poisson(topics[truth]).astype(float)
        tasks = np.where(np.arange(130) < 10, "small", "large")
        small = tasks == "small"
        scores = []
        for weight in (1.0, 0.1):
            found = LSSMTC(3, own_weight=weight, random_state=seed).fit(X, tasks=tasks)
            names = found.labels_[small]
            scores.append(max(np.mean(np.array(p)[names] == truth[small]) for p in PERMUTATIONS))
        right.append(scores)
    alone, shared = np.mean(right, axis=0)
    assert shared > alone + 0.1
    assert shared > 0.9


PERMUTATIONS = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]


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
        new = shared_subspace.matched(X, codes, Y)
        labels = new.argmax(axis=1)
        assert all(len(set(labels[truth == c])) == 1 for c in range(3)), seed
        np.testing.assert_array_equal(new[codes == 0], Y[codes == 0])
        np.testing.assert_allclose(np.sort(new, axis=1), np.sort(Y, axis=1))


def test_known_labels_stay_and_classes_keep_their_names():
    X = np.kron(np.eye(2), np.ones((6, 3))) + 0.2 * RANDOM.uniform(size=(12, 6))
    truth = np.repeat(["rec", "talk"], 6).astype(object)
    tasks = np.array(list("abc" * 4))
    for form in (np.asarray, sp.csr_array):
        y = np.where(tasks == "a", truth, -1)
        y[1] = "talk"  # wrong on purpose, in task b
        model = LSSTTC(random_state=0).fit(form(X), y, tasks=tasks)
        assert model.classes_.tolist() == ["rec", "talk"]
        assert model.transduction_[1] == "talk"
        others = np.arange(12) != 1
        np.testing.assert_array_equal(model.transduction_[others], truth[others])
        np.testing.assert_array_equal(model.predict(form(X), tasks=tasks)[others], truth[others])
        np.testing.assert_array_equal(model.memberships_[tasks == "a"].sum(axis=1), 1)


@pytest.mark.parametrize("subspace", SUBSPACES)
@pytest.mark.parametrize("init", ["matched", "random", "kmeans"])
def test_the_transfer_objective_never_rises(subspace, init):
    for seed, counts in enumerate([False, True, True]):
        X, y = table(9, counts), np.where(CODES == 0, np.arange(len(CODES)) % 3, -1)
        model = LSSTTC(0.3, subspace=subspace, init=init, max_iter=40, random_state=seed)
        laws.assert_never_rises(model.fit(X, y, tasks=CODES))


def test_all_rows_without_labels_are_what_moves_in_a_transfer():
    X, Y = table(6), RANDOM.uniform(size=(len(CODES), 3))
    free = CODES == 1
    p = shared_subspace.problem(X, tasks_of(), 0.4, SUBSPACES["explained"](X, 2), free)
    s = shared_subspace.settled(p, Y)
    found = shared_subspace.sweep(p, s)
    np.testing.assert_array_equal(found.Y[~free], Y[~free])
    expected = oracles.step(X[free], Y[free], s.V[1], s.W, s.F, 0.4)
    np.testing.assert_allclose(found.Y[free], expected, rtol=1e-10)


def test_all_known_labels_leave_nothing_to_do():
    y = np.arange(len(CODES)) % 3
    model = LSSTTC().fit(table(6), y, tasks=CODES)
    np.testing.assert_array_equal(model.transduction_, y)
    assert model.converged_


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"own_weight": 1.2}, "own_weight is 1.2; give a number from 0 to 1"),
        ({"own_weight": -0.1}, "own_weight is -0.1; give a number of at least 0"),
        ({"subspace": "eig"}, "subspace is 'eig'; choose one of 'explained', 'published', 'rel"),
        ({"n_components": 0}, "n_components is 0; give at least 1"),
        ({"init": "cold"}, "init is 'cold'; choose one of 'matched', 'random', 'kmeans'"),
        ({"n_init": 0}, "n_init is 0; give at least 1"),
        ({"max_iter": 0}, "max_iter is 0; give at least 1"),
        ({"tol": -1.0}, "tol is -1.0; give a number of at least 0"),
    ],
)
def test_unusable_parameters_are_refused(parameters, sentence):
    y = np.where(CODES == 0, 1, -1)
    for model in (LSSMTC(**parameters), LSSTTC(**parameters)):
        with pytest.raises(ValueError, match=sentence):
            model.fit(table(5), y, tasks=CODES)


def test_different_numbers_of_clusters_and_missing_labels_are_refused():
    with pytest.raises(ValueError, match="LSSMTC needs the same number of clusters in every task"):
        LSSMTC({0: 2, 1: 3}).fit(table(5), tasks=CODES)
    with pytest.raises(ValueError, match="y has no known label"):
        LSSTTC().fit(table(5), np.full(len(CODES), -1), tasks=CODES)
