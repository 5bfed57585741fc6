from dataclasses import replace

import numpy as np
import pytest

import kinfolk as kf
import long_groups
from kinfolk.choosing import (
    mixtures,
    scores,
    shape_scorers,
    shape_without_task,
    shared_metric,
    task_state,
)
from kinfolk.choosing.own_answers import own_result
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.scores import BaseClusterings
from kinfolk.choosing.task_scorer import TaskScorer
from kinfolk.choosing.task_state import FitState
from kinfolk.models import storage
from kinfolk.numerics import cluster_sizes
from kinfolk.tables import Tasks

pytestmark = pytest.mark.usefixtures("three_families")

S = np.array([[1.0, 0.99], [0.99, 1.0]])


def long_clusters(n=80, seed=0):
    """Draw two elongated clusters side by side in each of two tasks, the second shifted."""
    random = np.random.RandomState(seed)
    codes = np.repeat([0, 1], n)
    truth = np.tile([0, 1], n)
    X = random.multivariate_normal([0, 0], 25 * S, 2 * n) + 2.2 * truth[:, None] * [1, -1]
    return X + 40.0 * codes[:, None], codes, truth


def without_mixtures(patch):
    """Leave the mixtures of single tasks out, which find such clusters, too."""
    patch.setattr(mixtures, "improve", lambda *_: None)


@pytest.fixture(autouse=True)
def consensus_alone(monkeypatch):
    without_mixtures(monkeypatch)


@pytest.fixture(scope="module")
def fitted():
    X, codes, truth = long_clusters()
    # For this fit alone: a patch that outlives it would change tests of other files.
    with pytest.MonkeyPatch.context() as patch:
        without_mixtures(patch)
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


@pytest.mark.filterwarnings("ignore:the budget leaves")
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
    W = shape_scorers.whitened(X, codes, 25 * S)
    inside = W[(codes == 0) & (truth == 0)]
    np.testing.assert_allclose(np.cov(inside.T), np.eye(2), atol=0.1)
    means = [W[codes == t].mean(axis=0) for t in (0, 1)]
    np.testing.assert_allclose(means, 0, atol=1e-9)


def test_columns_of_two_values_are_no_numbers():
    codes = np.repeat([0, 1], 3)
    Z = np.column_stack([[0, 1, 0, 0.5, 0.5, 1.5], np.arange(6.0), np.ones(6)])
    assert task_state.numbers(Z, codes).tolist() == [1]


def coded(values, n=120, seed=0):
    """Rows of two tasks with three numbers without groups, and a code drawn apart from them."""
    random = np.random.RandomState(seed)
    code = random.choice(values, 2 * n, p=[0.55, 0.05, 0.4])
    return np.column_stack([random.normal(size=(2 * n, 3)), code]), np.repeat([0, 1], n)


@pytest.mark.parametrize("values", [(0, 0, 1), (3, 6, 7)], ids=["two", "three, one of them rare"])
def test_a_column_of_few_values_is_no_evidence_of_a_shape(values):
    X, codes = coded(values)
    model = kf.Kinfolk(2, random_state=0).fit(X, tasks=codes)
    assert {record["support"] for record in model.guard_} == {""}
    np.testing.assert_array_equal(model.labels_, model.own_labels_)


def answers(n=120, seed=0):
    """Rows of two tasks: an answer from 1 to 5, four in ten of them 1, and what goes with it."""
    random = np.random.RandomState(seed)
    first = random.choice([1.0, 2.0, 3.0, 4.0, 5.0], 2 * n, p=[0.38, 0.02, 0.12, 0.3, 0.18])
    ill = first + random.normal(0, 1.2, 2 * n)
    age = 4 * ill + random.normal(0, 8, 2 * n)
    second = np.clip(np.round(0.6 * ill + random.normal(0, 0.9, 2 * n)), 1, 4)
    return np.column_stack([first, age, second, random.normal(size=(2 * n, 2))])


@pytest.mark.parametrize("seed", [0, 1])
def test_one_answer_that_nearly_all_rows_of_a_cluster_have_is_no_evidence_of_a_shape(seed):
    X = answers(seed=seed)
    model = kf.Kinfolk(2, random_state=0).fit(X, tasks=np.repeat([0, 1], len(X) // 2))
    assert {record["support"] for record in model.guard_} == {""}
    np.testing.assert_array_equal(model.labels_, model.own_labels_)


@pytest.mark.parametrize(
    ("n", "d", "tried"), [(48, 10, False), (50, 10, True), (500, 100, True), (1000, 101, False)]
)
def test_a_covariance_needs_five_rows_for_each_of_at_most_100_columns(n, d, tried):
    X = np.random.RandomState(0).normal(size=(n, d))
    codes = np.arange(n) % 2
    found = Tasks.of(codes)
    states = [state(X[codes == t], np.arange(n // 2) % 2, 0) for t in (0, 1)]
    Z = shared_metric.measurements(X, found, Representations.of(X, codes), states)
    assert (Z is not None) == tried


def state(X, own, first):
    """Make the fit state of one task from row `first` on, with these own clusters."""
    runs = BaseClusterings(np.array([own]), ["kmeans"], [0], np.array([False]))
    rows = first + np.arange(len(X))
    return FitState(f"task {first}", rows, own_result(runs, TaskScorer(X, 2)), True)


def votes(X, other, labels, n_neighbors):
    """Transfer clusters of another task to the rows X by nearest-neighbor votes, in loops."""
    sizes = np.bincount(labels)
    found = []
    for x in X:
        cosines = other @ x / np.linalg.norm(other, axis=1)
        near = np.argsort(-cosines, kind="stable")[:n_neighbors]
        counts = [sum(labels[i] == c for i in near) / np.sqrt(sizes[c]) for c in (0, 1)]
        found.append(int(np.argmax(counts)))
    return np.array(found)


def rand_index(a, b):
    return scores.pairwise_agreement(np.array([a, b]))[0, 1]


def test_gains_in_agreement_between_tasks_equal_loops():
    random = np.random.RandomState(0)
    tables = [random.normal(size=(n, 3)) for n in (24, 30, 36)]
    own = [random.randint(2, size=len(X)) for X in tables]
    made = [(X[:, 0] + 0.3 * random.normal(size=len(X)) > 0).astype(int) for X in tables]
    ends = np.cumsum([0, *map(len, tables)])
    states = [state(X, l, first) for X, l, first in zip(tables, own, ends, strict=False)]
    scorers = [each.own.scorer for each in states]
    D = shared_metric.agreement_gains(states, scorers, np.concatenate(made))
    for t, X in enumerate(tables):
        total = 0.0
        weights = 0.0
        for s, other in enumerate(tables):
            if s == t:
                continue
            h = [
                (
                    rand_index(labels[t], votes(X, other, labels[s], 15))
                    + rand_index(labels[s], votes(other, X, labels[t], 15))
                )
                / 2
                for labels in (own, made)
            ]
            w = max(*h, 0.0) + 0.02
            total += w * (h[1] - h[0])
            weights += w
        np.testing.assert_allclose(D[t], total / weights, atol=1e-12)


@pytest.mark.parametrize(
    ("D", "agreement", "taken"),
    [
        ([0.06, 0.06], 0.3, True),
        ([0.04, 0.04], 0.89, False),
        ([0.04, 0.04], 0.91, True),
        ([0.005, 0.005], 1.0, False),
        ([-0.1, -0.1], 1.0, False),
        ([0.5, 0.0, 0.0], 1.0, False),
    ],
)
def test_a_shape_needs_tasks_that_agree_better(D, agreement, taken):
    assert shared_metric.supported(np.array(D), agreement) is taken


def test_a_shape_that_tasks_do_not_agree_on_is_left(monkeypatch, fitted):
    _, X, codes, _ = fitted
    refused = []

    def worse(states, scorers, labels):
        refused.append(len(states))
        return np.array([-0.02, -0.02])

    monkeypatch.setattr(shared_metric, "agreement_gains", worse)
    model = kf.Kinfolk(2, random_state=0).fit(X, tasks=codes)
    assert refused == [2, 2]  # of each kind of starts the best alone is asked
    np.testing.assert_array_equal(model.labels_, model.own_labels_)
    assert shared_metric.COMBINER not in {record["combiner"] for record in model.guard_}


def test_a_shape_whose_clusters_depend_on_one_size_is_left(monkeypatch, fitted):
    _, X, codes, _ = fitted
    spreads = []

    def refused(W, codes, labels):
        spreads.append([W[(codes == t) & (labels == c)].var() for t in (0, 1) for c in (0, 1)])
        return 0.89

    monkeypatch.setattr(cluster_sizes, "kept", refused)
    model = kf.Kinfolk(2, random_state=0).fit(X, tasks=codes)
    assert len(spreads) == 2  # of each kind of starts those of the best alone
    assert all(max(seen) < 2 * min(seen) for seen in spreads)  # whitened
    np.testing.assert_array_equal(model.labels_, model.own_labels_)


def test_starts_in_whitened_rows_find_a_shape_that_others_miss(monkeypatch):
    X, codes, truth = long_groups.of_different_size(seed=5)
    model = kf.Kinfolk(2, random_state=0).fit(X, tasks=codes)
    monkeypatch.setattr(shared_metric, "INITS", ("kmeans",))
    other = kf.Kinfolk(2, random_state=0).fit(X, tasks=codes)
    assert min(agreement(model.labels_, truth, codes)) > 0.9
    assert max(agreement(other.labels_, truth, codes)) < 0.6
    assert {record["support"] for record in model.guard_} == {"shape"}


def test_a_task_that_agrees_less_keeps_its_own_answer(monkeypatch, fitted):
    model, X, codes, _ = fitted
    monkeypatch.setattr(shared_metric, "agreement_gains", lambda *_: np.array([0.6, -0.1]))
    monkeypatch.setattr(shared_metric, "supported", lambda *_: True)
    other = kf.Kinfolk(2, random_state=0).fit(X, tasks=codes)
    np.testing.assert_array_equal(other.labels_[codes == 0], model.labels_[codes == 0])
    np.testing.assert_array_equal(other.labels_[codes == 1], model.own_labels_[codes == 1])
    assert [record["source"] for record in other.guard_] == ["joint", "own"]


def test_a_task_in_which_a_shared_cluster_is_empty_keeps_its_own_answer(monkeypatch, fitted):
    _, X, codes, _ = fitted
    fit = shared_metric._fitted

    def empty_in_the_second(*given):
        return [run._replace(labels=run.labels * (given[1] == 0)) for run in fit(*given)]

    monkeypatch.setattr(shared_metric, "_fitted", empty_in_the_second)
    monkeypatch.setattr(shared_metric, "_clear", lambda *_: [True, True])
    monkeypatch.setattr(shape_without_task, "found_again", lambda *_: [True, True])
    monkeypatch.setattr(shared_metric, "agreement_gains", lambda *_: np.array([0.6, 0.6]))
    monkeypatch.setattr(shared_metric, "accepted", lambda _: True)
    other = kf.Kinfolk(2, random_state=0).fit(X, tasks=codes)
    assert [record["source"] for record in other.guard_] == ["joint", "own"]
    assert len(np.unique(other.labels_[codes == 1])) == 2


def test_a_task_whose_clusters_others_do_not_tell_keeps_its_own_answer(monkeypatch, fitted):
    model, X, codes, _ = fitted
    monkeypatch.setattr(shape_without_task, "found_again", lambda *_: np.array([True, False]))
    other = kf.Kinfolk(2, random_state=0).fit(X, tasks=codes)
    np.testing.assert_array_equal(other.labels_[codes == 0], model.labels_[codes == 0])
    np.testing.assert_array_equal(other.labels_[codes == 1], model.own_labels_[codes == 1])
    assert [record["source"] for record in other.guard_] == ["joint", "own"]


def test_a_task_whose_own_mixture_fits_keeps_it(monkeypatch, fitted):
    model, X, codes, _ = fitted

    def fits_in_the_second(X, found, seen, states, *_):
        for state in states:
            if state.name == 1:
                state.own = replace(state.own, fitted=state.own.answer)

    monkeypatch.setattr(mixtures, "improve", fits_in_the_second)
    other = kf.Kinfolk(2, random_state=0).fit(X, tasks=codes)
    np.testing.assert_array_equal(other.labels_[codes == 0], model.labels_[codes == 0])
    np.testing.assert_array_equal(other.labels_[codes == 1], model.own_labels_[codes == 1])
    assert [record["source"] for record in other.guard_] == ["joint", "own"]


def test_tasks_that_have_the_clusters_by_a_mixture_are_not_asked_for_a_gain():
    X, codes, truth = long_clusters()
    states = [state(X[codes == t], truth[codes == t], 80 * t) for t in (0, 1)]
    assert task_state.asked(states, truth).tolist() == [True, True]
    own = states[0].own
    states[0].own = replace(own, fitted=own.answer)
    assert task_state.asked(states, truth).tolist() == [False, True]
    assert task_state.asked(states, 1 - truth).tolist() == [False, True]
    assert task_state.asked(states, np.arange(160) % 4 // 2).tolist() == [True, True]
    small = state(X[80:119], truth[80:119], 80)  # 20 rows for each cluster are 40
    assert task_state.asked([states[0], small], truth[:119]).tolist() == [True, True]
