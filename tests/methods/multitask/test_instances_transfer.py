import numpy as np
import pytest
import scipy.sparse as sp

import kinfolk as kf
import oracles_shared_neighbors as loops
from kinfolk.errors import InputError
from kinfolk.methods.multitask.baselines import PerTask
from kinfolk.methods.multitask.instances_transfer import MTCTKI
from kinfolk.numerics import memo, spectra
from shared_neighbor_fits import (
    CODES,
    ROWS,
    SIZES,
    TASKS,
    assert_each_task_is_clustered_alone,
    assert_new_rows_lie_as_in_the_loops,
)

X = np.random.default_rng(0).normal(size=(47, 7)) + 0.5
NEW = np.random.default_rng(1).normal(size=(10, 7)) + 0.5


def subspace(rows, codes, a, r):
    values, vectors = np.linalg.eigh(loops.criterion(rows, codes, a))
    kept = [c for c in range(len(values) - 1, -1, -1) if values[c] > 1e-9][:r]
    return vectors[:, kept]


def groups(t, l):
    return [(ROWS[s], l, 1 / l, ROWS[t]) for s in range(3)]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(("a", "r", "share"), [(0.5, 4, 1.0), (0.9, 3, 0.6)])
def test_the_embedding_is_that_of_the_loops(form, a, r, share):
    model = MTCTKI(2, r, a, share, random_state=0).fit(form(X), tasks=TASKS)
    Z = loops.unit(X @ subspace(X, CODES, a, r))
    for t, own in enumerate(ROWS):
        l = max(3, int(np.ceil(share * len(own) / 2)))
        h = loops.median_distance(Z, own)
        V = loops.embedding(loops.similarity(Z, own, groups(t, l), h), 2)
        found = model.embedding_[own]
        np.testing.assert_allclose(found @ found.T, V @ V.T, atol=1e-7)


@pytest.mark.parametrize("weigh", [True, False])
def test_new_rows_lie_where_the_extension_puts_them(weigh, monkeypatch):
    settings = {"neighbors": 6, "weigh_distances": weigh, "random_state": 0}
    model = MTCTKI(2, 4, **settings).fit(X, tasks=TASKS)
    W = subspace(X, CODES, 0.5, 4)
    Z = loops.unit(X @ W)
    h = loops.median_distance(Z, ROWS[1]) if weigh else None
    seen = Z, loops.unit(NEW @ W)
    assert_new_rows_lie_as_in_the_loops(model, 1, NEW, seen, groups(1, 6), h, monkeypatch)


def test_without_transfer_each_task_is_clustered_alone():
    settings = {"n_components": 3, "random_state": 0}
    own = MTCTKI(2, share_instances=False, share_features=False, **settings).fit(X, tasks=TASKS)
    alone = PerTask(MTCTKI(**settings), n_clusters=2).fit(X, tasks=TASKS)
    assert_each_task_is_clustered_alone(own, alone, NEW)


def test_each_way_of_sharing_changes_the_embedding():
    fits = [
        MTCTKI(2, 3, share_instances=i, share_features=f, random_state=0).fit(X, tasks=TASKS)
        for i, f in ((True, True), (False, True), (False, False))
    ]
    sizes = [model.embedding_ @ model.embedding_.T for model in fits]
    for one, other in ((0, 1), (1, 2), (0, 2)):
        assert np.abs(sizes[one] - sizes[other]).max() > 1e-3


def shifted(seed, n=60):
    """Draw two tasks of two groups, shifted along a column of large variance."""
    random = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    tasks = np.repeat(["p", "q"], n // 2)
    rows = random.normal(scale=0.3, size=(n, 6))
    rows[:, 0] += 2.0 * (truth - 0.5)
    rows[:, 1] += 1.0 * (truth - 0.5)
    rows[:, 5] += np.where(tasks == "p", -2.0, 2.0)
    return rows, tasks, truth


def test_a_shift_between_tasks_is_no_part_of_the_subspace():
    rows, tasks, truth = shifted(0)
    model = MTCTKI(2, 2, random_state=0).fit(rows, tasks=tasks)
    for task in "pq":
        own = tasks == task
        assert kf.measures.adjusted_rand_index(truth[own], model.labels_[own]) == 1.0
    W = model._subspaces[0]
    assert np.abs(W[5]).max() < 0.1
    assert np.abs(W[0]).max() > 0.8


def test_remembered_steps_change_nothing():
    settings = [{"random_state": s, "neighbors": l} for l in (0.3, 0.9) for s in (0, 1)]
    expected = [MTCTKI(2, 3, n_init=1, **setting).fit(X, tasks=TASKS) for setting in settings]
    with memo.remembering():
        for setting, other in zip(settings, expected):
            model = MTCTKI(2, 3, n_init=1, **setting).fit(X, tasks=TASKS)
            np.testing.assert_array_equal(model.labels_, other.labels_)
            np.testing.assert_array_equal(model.embedding_, other.embedding_)


def test_repeats_share_all_steps_but_the_last(monkeypatch):
    made = []
    plain = spectra.leading
    monkeypatch.setattr(spectra, "leading", lambda *given: (made.append(1), plain(*given))[1])
    with memo.remembering():
        for seed in range(4):
            MTCTKI(2, 3, random_state=seed).fit(X, tasks=TASKS)
    assert len(made) == 3 + 3  # with sharing, and without, by which its cost is told


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_model_comes_back_from_its_folder(form, tmp_path):
    model = MTCTKI({"a": 3, "b": 2, "c": 2}, 3, random_state=0).fit(form(X), tasks=TASKS)
    kf.save(model, tmp_path / "model")
    loaded = kf.load(tmp_path / "model")
    assert loaded.method == "mtctki"
    for task in SIZES:
        expected = model.predict(NEW, tasks=task)
        np.testing.assert_array_equal(loaded.estimator.predict(NEW, tasks=task), expected)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_components": 0}, "n_components is 0; give at least 1"),
        ({"discrepancy_weight": 1.0}, "discrepancy_weight is 1.0; give a number of at least 0"),
        ({"neighbors": 0.0}, "neighbors is 0.0; give a number greater than 0"),
        ({"neighbors": 0}, "neighbors is 0; give at least 1"),
        ({"max_neighbors": 0}, "max_neighbors is 0; give at least 1"),
        ({"weigh_distances": 2}, "weigh_distances is 2; give True or False"),
        ({"share_features": False}, "share_instances is True and share_features False.*give share"),
        ({"n_init": 0}, "n_init is 0; give at least 1"),
        ({"n_clusters": 13}, "n_clusters of task 'c' is 13 but task 'c' has only 12 rows"),
    ],
)
def test_wrong_parameters_are_refused(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        MTCTKI(**parameters).fit(X, tasks=TASKS)
