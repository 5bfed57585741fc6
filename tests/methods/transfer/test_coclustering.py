import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import laws
import oracles_coclusters as oracle
from kinfolk.errors import InputError, SharingWarning
from kinfolk.methods.transfer import coclustering
from kinfolk.methods.transfer.coclustering import CoCC, HalvesAgreement
from kinfolk.numerics import naive_bayes


@parametrize_with_checks([CoCC()])
def test_scikit_learn_takes_the_estimator(estimator, check):
    check(estimator)


def drifting(seed=0, n=120, words=30, length=20):
    """Draw counts of two classes in two tasks, where half of each class's words change."""
    random = np.random.default_rng(seed)
    truth = np.arange(2 * n) % 2
    tasks = np.repeat(["old", "new"], n)
    X = np.empty((2 * n, 5 * words), dtype=int)
    for i, c in enumerate(truth):
        chances = np.full(5 * words, 0.5)
        chances[c * words : c * words + words // 3] = 2.0  # words of the class in both tasks
        late = (2 + c) * words + (tasks[i] == "new") * words // 2
        chances[late : late + words // 2] = 2.0  # words of the class in this task alone
        X[i] = random.multinomial(length, chances / chances.sum())
    return X, tasks, truth


def fit(X, tasks, truth, **parameters):
    y = np.where(tasks == "old", truth, -1)
    return CoCC(random_state=0, **parameters).fit(X, y, tasks=tasks)


def test_classes_follow_words_that_only_the_new_task_has():
    gains = []
    for seed in range(4):
        X, tasks, truth = drifting(seed)
        model = fit(X, tasks, truth, n_feature_clusters=8)
        new = tasks == "new"
        gains.append(np.mean((model.transduction_ == truth)[new]))
        gains[-1] -= np.mean((model.naive_bayes_ == truth)[new])
        same = np.mean((model.transduction_ == model.naive_bayes_)[new])
        assert model.guard_[0]["same_as_naive_bayes"] == pytest.approx(same)
    assert np.mean(gains) > 0.02


def test_each_task_without_labels_is_guarded_and_all_rows_have_one_class():
    X = np.kron(np.eye(2, dtype=int), np.ones((6, 3), dtype=int))
    tasks = np.array(list("abc" * 4))
    y = np.where(tasks == "a", np.repeat([0, 1], 6), -1)
    model = CoCC(random_state=0).fit(X, y, tasks=tasks)
    assert [record["task"] for record in model.guard_] == ["b", "c"]
    np.testing.assert_array_equal(model.memberships_.sum(axis=1), 1)


def test_the_objective_is_the_information_lost_by_rows_and_by_classes():
    X, tasks, truth = drifting(n=20, words=4)
    model = fit(X, tasks, truth, n_feature_clusters=5, class_weight=0.7)
    joint = oracle.joint(X[tasks == "new"])
    G = np.array([X[(tasks == "old") & (truth == c)].sum(axis=0) for c in (0, 1)])
    columns = model.feature_clusters_
    known = oracle.loss(oracle.joint(G), [0, 1], columns, 2, 5)
    kept = oracle.information(model.block_sums_[model.task_names_.tolist().index("new")].tolist())
    expected = oracle.information(joint) - kept + 0.7 * known
    assert model.objective_trace_[-1] == pytest.approx(expected)
    np.testing.assert_allclose(
        model.block_sums_[0], oracle.blocks(oracle.joint(G), [0, 1], columns, 2, 5)
    )


@pytest.mark.parametrize("weight", [0.0, 0.25, 4.0])
def test_the_objective_never_rises(weight):
    for seed, rate in enumerate((0.2, 1.0, 3.0)):
        X = np.random.default_rng(seed).poisson(rate, size=(30, 12))
        y = np.where(np.arange(30) < 12, np.arange(30) % 3, -1)
        tasks = np.arange(30) // 10
        model = CoCC(6, weight, n_init=1, tol=0.0, guard="off", random_state=seed)
        laws.assert_never_rises(model.fit(X, y, tasks=tasks))


def test_rows_without_a_label_get_the_class_that_new_rows_get():
    for seed in range(3):
        X, tasks, truth = drifting(seed, n=30, words=6)
        model = fit(X, tasks, truth)
        found = model.predict(X, tasks=tasks)
        new = tasks == "new"
        np.testing.assert_array_equal(found[new], model.transduction_[new])


def test_all_known_labels_leave_the_rows_alone():
    X, tasks, truth = drifting(n=20, words=4)
    model = CoCC(random_state=0).fit(X, truth, tasks=tasks)
    np.testing.assert_array_equal(model.transduction_, truth)
    assert model.guard_ == []


@pytest.mark.filterwarnings("ignore:k-means finds the known classes")
def test_a_heavy_class_weight_gives_columns_the_clusters_of_the_classes():
    X, tasks, truth = drifting(n=40, words=4)
    heavy = fit(X, tasks, truth, class_weight=1e9, n_feature_clusters=4, n_init=10)
    G = np.array([X[(tasks == "old") & (truth == c)].sum(axis=0) for c in (0, 1)])
    lost = oracle.loss(oracle.joint(G), [0, 1], heavy.feature_clusters_, 2, 4)
    light = fit(X, tasks, truth, class_weight=0.01, n_feature_clusters=4, n_init=10)
    assert lost < 0.5 * oracle.loss(oracle.joint(G), [0, 1], light.feature_clusters_, 2, 4)


def contrary(seed=0):
    """Draw two tasks where the second has other, stronger groups than the classes."""
    random = np.random.default_rng(seed)
    X, tasks, truth = drifting(seed, n=200, words=6, length=30)
    groups = random.integers(2, size=len(truth))
    extra = random.poisson(np.where(groups[:, None] == np.arange(2), 9.0, 0.5))
    extra[tasks == "old"] = random.poisson(4.0, size=(200, 2))
    return np.hstack([X, extra]), tasks, truth


def doubted(monkeypatch, agreement, **parameters):
    """Fit with a given agreement between halves; naive Bayes' agreement is .9."""
    monkeypatch.setattr(coclustering, "agreements", lambda *_: [HalvesAgreement(agreement, 0.9)])
    X, tasks, truth = contrary()
    return fit(X, tasks, truth, **parameters), X, tasks


@pytest.mark.filterwarnings("ignore:k-means finds the known classes")
def test_the_guard_warns_and_leaves_the_answer(monkeypatch):
    with pytest.warns(SharingWarning, match=r"task 'new'.* in 50 % .* naive Bayes alone in 90 %"):
        model, X, tasks = doubted(monkeypatch, 0.5)
    assert model.guard_[0]["answer"] == "co-clustering"
    assert model.guard_[0]["agreement"] == 0.5
    assert (model.transduction_ != model.naive_bayes_).any()
    new = tasks == "new"
    np.testing.assert_array_equal(model.predict(X[new], "new"), model.transduction_[new])


@pytest.mark.filterwarnings("ignore:k-means finds the known classes")
def test_the_guard_takes_naive_bayes_if_asked_to(monkeypatch):
    with pytest.warns(SharingWarning, match="These are the answer"):
        model, X, tasks = doubted(monkeypatch, 0.5, guard="naive-bayes")
    assert model.guard_[0]["answer"] == "naive Bayes"
    assert model.guard_[0]["same_as_naive_bayes"] < 1
    np.testing.assert_array_equal(model.transduction_, model.naive_bayes_)
    new = tasks == "new"
    np.testing.assert_array_equal(model.predict(X[new], "new"), model.naive_bayes_[new])


def test_the_guard_is_silent_where_halves_agree(monkeypatch):
    with pytest.warns(SharingWarning, match="k-means finds the known classes in 100 %") as told:
        model, _, _ = doubted(monkeypatch, 0.95, guard="naive-bayes")
    assert len(told) == 1
    assert model.guard_[0]["answer"] == "co-clustering"


def test_agreements_are_those_of_fits_to_the_halves():
    X, tasks, truth = drifting(n=60, words=8)
    new = tasks == "new"
    half = np.arange(X.shape[1]) % 2
    settings = coclustering.Settings([3], 100, 1e-6)
    rows = coclustering.EncodedRows(X[~new].astype(float), truth[~new], [X[new].astype(float)], 2)
    found = coclustering.agreements(rows, [half], 8, 0.25, settings)[0]
    ends, firsts = [], []
    for side in (0, 1):
        own = half == side
        judge = naive_bayes.fitted(X[~new][:, own].astype(float), truth[~new])
        firsts.append(judge.likeliest(X[new][:, own].astype(float)))
        part = coclustering.EncodedRows(
            X[~new][:, own].astype(float), truth[~new], [X[new][:, own].astype(float)], 2
        )
        p = coclustering.problem(part, 8, 0.25)
        ends.append(coclustering.descend(p, [firsts[-1]], settings).state.rows[0])
    assert found.classes == pytest.approx(np.mean(ends[0] == ends[1]))
    assert found.naive_bayes == pytest.approx(np.mean(firsts[0] == firsts[1]))


@pytest.mark.filterwarnings("ignore:k-means finds the known classes")
def test_without_guard_no_halves_are_looked_at():
    X, tasks, truth = drifting(n=20, words=4)
    record = fit(X, tasks, truth, guard="off").guard_[0]
    assert record["agreement"] is None
    assert 0 <= record["same_as_naive_bayes"] <= 1
    few = fit(X[:, :3], tasks, truth).guard_[0]
    assert few["agreement"] is None


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_feature_clusters": 0}, "n_feature_clusters is 0; give at least 1"),
        ({"class_weight": -1}, "class_weight is -1; give a number of at least 0"),
        ({"encoding": "log"}, "encoding is 'log'; choose one of 'auto', 'raw', 'shifted', 'doub"),
        ({"guard": "dog"}, "guard is 'dog'; choose one of 'warn', 'naive-bayes', 'off'"),
        ({"n_init": 0}, "n_init is 0; give at least 1"),
    ],
)
def test_unusable_parameters_are_refused(parameters, sentence):
    X, tasks, truth = drifting(n=20, words=4)
    with pytest.raises(InputError, match=sentence):
        fit(X, tasks, truth, **parameters)


def test_missing_labels_are_refused():
    X, tasks, _ = drifting(n=20, words=4)
    with pytest.raises(InputError, match="CoCC requires y to be passed"):
        CoCC().fit(X, None, tasks=tasks)
    with pytest.raises(InputError, match="y has no known label"):
        CoCC().fit(X, np.full(40, -1), tasks=tasks)


def test_one_row_of_many_casts_no_doubt_where_all_others_agree():
    assert not coclustering.in_doubt(HalvesAgreement(0.999, 1.0), 1000)
    assert coclustering.in_doubt(HalvesAgreement(0.99, 1.0), 1000)
