from dataclasses import replace

import numpy as np
import pytest

import kinfolk as kf
from kinfolk.choosing import changes, task_scorer, whitening
from kinfolk.choosing.candidates import CandidateRuns
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.scores import BaseClusterings
from kinfolk.choosing.task_scorer import TaskScorer
from kinfolk.choosing.task_state import FitState
from kinfolk.models import storage

N = 60
TRUTH = np.tile([0, 1], N // 2)
CODES = np.repeat([0, 1], N)


def slanting(seed=0):
    """Draw amounts (120, 4) of two tasks with within-cluster variation in one direction."""
    random = np.random.RandomState(seed)
    long = random.normal(size=2 * N) * 3.0
    short = random.normal(size=2 * N) * 0.25 + 1.4 * np.tile(TRUTH, 2)
    X = np.column_stack([8 + long + short, 8 + long - short, np.zeros(2 * N), np.ones(2 * N)])
    return np.clip(X, 0, None)


def state_of(X, rows, labels, y=None):
    """Make the fit state of a task whose own runs all have these labels."""
    runs = BaseClusterings(np.array([labels]), ["kmeans"], ["raw"], np.array([False]))
    scorer = TaskScorer(X[rows], 2, y=y)
    return FitState("t", rows, task_scorer.own_result(runs, scorer), True)


def states_of(X, *labels):
    rows = np.arange(N), np.arange(N, 2 * N)
    return {t: state_of(X, rows[t], labels[t]) for t in range(2)}


def lent(X, *labels):
    seen = Representations.of(X, CODES)
    states = states_of(X, *labels)
    runs = CandidateRuns()
    metric = whitening.lend(X, CODES, seen, states, runs, np.random.RandomState(0))
    return metric, states, runs


MESSY = np.where(np.arange(N) < 48, TRUTH, 1 - TRUTH)


def covariances_by_loops(tables, labels, shrinkage=0.1):
    """Shrunk within-cluster covariance of each task, by loops."""
    scatters, spare = [], []
    for Z, l in zip(tables, labels, strict=True):
        S = np.zeros((Z.shape[1], Z.shape[1]))
        for i, row in enumerate(Z):
            centred = row - np.mean([Z[j] for j in range(len(Z)) if l[j] == l[i]], axis=0)
            S += np.outer(centred, centred)
        scatters.append(S)
        spare.append(len(Z) - len(set(l)))
    pooled = sum(scatters) / sum(spare)
    made = []
    for S, left in zip(scatters, spare, strict=True):
        half = (S / left + pooled) / 2
        mean = np.trace(half) / len(half)
        made.append((1 - shrinkage) * half + shrinkage * mean * np.eye(len(half)))
    return made


def test_covariances_are_half_those_of_all_tasks_and_a_tenth_their_mean_variance():
    random = np.random.RandomState(0)
    tables = [random.normal(size=(n, 3)) * [1, 2, 5] for n in (20, 9)]
    labels = [random.randint(3, size=len(table)) for table in tables]
    scatters = [whitening.scatter_within(Z, l) for Z, l in zip(tables, labels, strict=True)]
    spare = np.array([len(Z) - len(set(l)) for Z, l in zip(tables, labels, strict=True)])
    found = whitening.covariances(np.array(scatters), spare)
    np.testing.assert_allclose(found, covariances_by_loops(tables, labels))


def test_in_the_metric_every_direction_has_the_variance_of_clusters():
    X = slanting()
    states = states_of(X, TRUTH, MESSY)
    metric = whitening.learned(X, Representations.of(X, CODES), states)
    assert metric.maps.shape == (2, 4, 4)
    for t, C in enumerate(covariances_by_loops([X[:N], X[N:]], [TRUTH, MESSY])):
        root = metric.maps[t]
        # Directions are rotated and C is shrunk in them, so whitening undoes C up to a rotation.
        np.testing.assert_allclose(np.linalg.inv(root @ root.T), C, rtol=1e-8)
        rows = states[t].rows
        W = metric.transform("whitened", X[rows], CODES[rows])
        np.testing.assert_allclose(W, (X[rows] - X[rows].mean(axis=0)) @ root)


def test_clearer_clusters_in_the_metric_go_before_the_own_ones():
    X = slanting()
    metric, states, runs = lent(X, MESSY, MESSY)
    assert len(runs.fitted) > 10
    assert all(run.candidate.joint for run in runs.fitted)
    assert {run.candidate.representation for run in runs.fitted} == {
        "whitened",
        "whitened with offset",
    }
    for state in states.values():
        assert kf.measures.accuracy(TRUTH, state.own.base.labels) > 0.95
        assert state.own.lent.source == whitening.SOURCE
        np.testing.assert_array_equal(state.own.answer.labels, MESSY)
        kept = [runs.fitted[r].labels[state.rows] for r in state.own.lent.kept]
        assert kf.measures.accuracy(kept[0], state.own.lent.labels) > 0.9
    assert metric.maps.shape[0] == 2


def test_own_clusters_that_are_as_clear_stay():
    random = np.random.RandomState(0)
    X = np.eye(4)[np.tile(TRUTH, 2)] * 9 + random.uniform(size=(2 * N, 4))
    _, states, _ = lent(X, TRUTH, TRUTH)
    assert all(state.own.lent is None for state in states.values())
    assert all(state.own.base is state.own.answer for state in states.values())


def test_too_few_rows_learn_no_metric():
    X = slanting()
    seen = Representations.of(X, CODES)
    states = states_of(X, TRUTH, TRUTH)
    few = {t: state_of(X, s.rows[:6], s.own.answer.labels[:6]) for t, s in states.items()}
    assert whitening.learned(X, seen, few) is None
    metric = whitening.lend(X, CODES, seen, few, CandidateRuns(), np.random.RandomState(0))
    assert metric is seen
    assert whitening.learned(np.zeros_like(X), seen, states) is None


def test_amounts_of_several_tasks_without_known_labels_have_a_metric():
    X = slanting()
    seen = Representations.of(X, CODES)
    states = states_of(X, TRUTH, TRUTH)
    assert seen.kind == "amounts"
    assert whitening.applies(X, seen, states)
    assert not whitening.applies(X, seen, {0: states[0]})
    assert not whitening.applies(X, replace(seen, kind="measurements"), states)
    words = np.where(np.arange(4) < 1, 1.5, 0.0) * (np.arange(2 * N) % 3 == 0)[:, None]
    assert not whitening.applies(words, seen, states)
    known = state_of(X, np.arange(N), TRUTH, np.where(np.arange(N) < 20, TRUTH, -1))
    assert not whitening.applies(X, seen, {0: known, 1: states[1]})


@pytest.fixture(scope="module")
def fitted():
    X = slanting()
    return kf.Kinfolk(2, random_state=2).fit(X, tasks=CODES), X


def test_a_fit_says_that_the_answer_was_made_in_a_metric_of_all(fitted):
    model, _ = fitted
    truth = np.tile(TRUTH, 2)
    assert {record["source"] for record in model.guard_} == {"metric"}
    assert kf.measures.accuracy(truth[N:], model.own_labels_[N:]) < 1
    np.testing.assert_array_equal(model.own_labels_[:N] == model.own_labels_[0], TRUTH == 0)
    for t, record in enumerate(model.guard_):
        rows = slice(t * N, (t + 1) * N)
        assert kf.measures.accuracy(truth[rows], model.labels_[rows]) == 1
        changed = len(record["changed_rows"])
        assert changed == t
        assert record["cases"] == (changed and changes.TRACK_RECORD["metric", "amounts"].all)
    assert "they helped to measure how far rows are apart" in model.guard_[1]["meaning"]


def test_a_cautious_fit_learns_no_metric():
    X = slanting()[::3]
    cautious = kf.Kinfolk(2, guard="both", random_state=0).fit(X, tasks=CODES[::3])
    assert not [r for r in cautious.evidence_ if r["representation"].startswith("whitened")]


def test_new_rows_are_assigned_in_the_metric_also_by_a_stored_model(fitted, tmp_path):
    model, X = fitted
    assert kf.measures.accuracy(model.predict(X, tasks=CODES), model.labels_) > 0.95
    storage.save(model, tmp_path / "model")
    again = storage.load(tmp_path / "model").estimator
    np.testing.assert_array_equal(again.predict(X, tasks=CODES), model.predict(X, tasks=CODES))


def components_of(n=40, classes=3, d=12):
    """Draw principal components (2n, d) of two tasks with elongated clusters."""
    random = np.random.RandomState(0)
    target = np.arange(2 * n) % classes
    means = 5 * random.normal(size=(classes, 2 * d))
    long = random.normal(size=(2 * n, 2)) @ random.normal(size=(2, 2 * d))
    X = means[target] + long + random.normal(size=(2 * n, 2 * d))
    _, _, V = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    return (X - X.mean(axis=0)) @ V[:d].T, np.repeat([0, 1], n), target


def test_components_have_a_metric_and_other_measurements_none():
    X, codes, target = components_of()
    seen = Representations.of(X, codes)
    places = np.flatnonzero(codes == 0), np.flatnonzero(codes == 1)
    states = {t: state_of(X, rows, target[rows] % 2) for t, rows in enumerate(places)}
    assert seen.kind == "measurements"
    assert whitening.applies(X, seen, states)
    assert not whitening.applies(X, seen, {0: states[0]})
    mixed = X[:, ::-1]
    assert not whitening.applies(mixed, Representations.of(mixed, codes), states)


def test_components_are_clustered_in_a_metric_of_all_tasks_also_by_a_stored_model(tmp_path):
    X, codes, target = components_of()
    model = kf.Kinfolk(3, random_state=0).fit(X, tasks=codes)
    assert {r["family"] for r in model.evidence_ if r["representation"].startswith("whitened")} == {
        *whitening.FAMILIES
    }
    for t in (0, 1):
        rows = codes == t
        assert kf.measures.accuracy(target[rows], model.labels_[rows]) > 0.95
    assert not any(record["cases"] for record in model.guard_)  # none were counted
    storage.save(model, tmp_path / "model")
    again = storage.load(tmp_path / "model").estimator
    np.testing.assert_array_equal(again.predict(X, tasks=codes), model.predict(X, tasks=codes))
