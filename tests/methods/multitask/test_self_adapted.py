import numpy as np
import pytest
import scipy.sparse as sp

import kinfolk as kf
import oracles_shared_neighbors as loops
from kinfolk.errors import InputError
from kinfolk.methods.multitask.baselines import PerTask
from kinfolk.methods.multitask.self_adapted import SAMTC
from kinfolk.numerics import mean_matching, memo, starts
from shared_neighbor_fits import (
    ROWS,
    SIZES,
    TASKS,
    assert_each_task_is_clustered_alone,
    assert_new_rows_lie_as_in_the_loops,
)

X = np.random.default_rng(0).normal(size=(47, 6)) + 0.3
WORDS = np.random.default_rng(0).gamma(0.4, size=(47, 9))
NEW = np.random.default_rng(1).normal(size=(10, 6)) + 0.3


def divergence(Z, P, Q, h):
    if h is None:
        return loops.divergence_of_terms(Z[P], Z[Q])
    return loops.divergence_of_densities(Z[P], Z[Q], h)


def pairs_of(Z, first, t, s, mutual, densities, k=2):
    """Pairs of similar clusters of two tasks, by loops."""
    both = np.sort(np.concatenate([ROWS[t], ROWS[s]]))
    h = loops.median_distance(Z, both) if densities else None
    parts = [[ROWS[u][first[ROWS[u]] == c] for c in range(k)] for u in (t, s)]
    D = np.array([[divergence(Z, P, Q, h) for Q in parts[1]] for P in parts[0]])
    chosen = [(i, int(D[i].argmin())) for i in range(k)]
    return [(i, j) for i, j in chosen if not mutual or D[:, j].argmin() == i]


def groups_of(model, rows, t, share, other_share):
    """Groups of neighbors of task t by loops, after checking pairs and relatedness."""
    Z, first, own = loops.unit(rows), model.first_labels_, ROWS[t]
    l = max(3, int(np.ceil(share * len(own) / 2)))
    groups = [(own, l, 1 / l, own)]
    for s in [s for s in range(3) if s != t]:
        pairs = pairs_of(Z, first, t, s, model.pairing == "mutual", rows is X)
        names = model.task_names_[t], model.task_names_[s]
        assert [tuple(pair) for pair in model.paired_clusters_[names]] == pairs
        takers = own[np.isin(first[own], [i for i, _ in pairs])]
        there = ROWS[s][np.isin(first[ROWS[s]], [j for _, j in pairs])]
        r = mean_matching.relatedness(Z[there], Z[takers])
        assert model.task_relatedness_[t, s] == pytest.approx(r)
        l = max(3, int(np.ceil(other_share * len(there) / len({j for _, j in pairs}))))
        l = min(l, len(there))
        groups.append((there, l, r / l, takers))
    return groups


@pytest.mark.parametrize("pairing", ["mutual", "nearest"])
@pytest.mark.parametrize("rows", [X, WORDS], ids=["densities", "terms"])
def test_the_embedding_is_that_of_the_loops(rows, pairing):
    model = SAMTC(2, 0.8, 1.2, pairing=pairing, random_state=0).fit(rows, tasks=TASKS)
    for t, own in enumerate(ROWS):
        groups = groups_of(model, rows, t, 0.8, 1.2)
        Z = loops.unit(rows)
        S = loops.similarity(Z, own, groups, loops.median_distance(Z, own))
        V = loops.embedding(S, 2)
        found = model.embedding_[own]
        np.testing.assert_allclose(found @ found.T, V @ V.T, atol=1e-7)


def test_new_rows_lie_where_the_extension_puts_them(monkeypatch):
    model = SAMTC(2, 0.8, 1.2, random_state=0).fit(X, tasks=TASKS)
    t, own, Z = 0, ROWS[0], loops.unit(X)
    groups = groups_of(model, X, t, 0.8, 1.2)
    assert any(len(takers) < len(own) for *_, takers in groups)
    h = loops.median_distance(Z, own)
    seen = Z, loops.unit(NEW)
    assert_new_rows_lie_as_in_the_loops(model, t, NEW, seen, groups, h, monkeypatch)


@pytest.mark.usefixtures("rows_as_given")
@pytest.mark.parametrize("init", ["spectral", "kmeans"])
def test_the_first_clusters_are_those_of_each_task_alone(init):
    model = SAMTC(2, init=init, random_state=0).fit(X, tasks=TASKS)
    alone = SAMTC(2, share_instances=False, random_state=0).fit(X, tasks=TASKS)
    seed = starts.seeds(np.random.RandomState(0), 1)[0]
    for own in ROWS:
        means = starts.means(loops.unit(X)[own], 2, seed, 10).labels_
        expected = alone.labels_[own] if init == "spectral" else means
        np.testing.assert_array_equal(model.first_labels_[own], expected)


def test_without_transfer_each_task_is_clustered_alone():
    own = SAMTC(2, share_instances=False, random_state=0).fit(X, tasks=TASKS)
    alone = PerTask(SAMTC(random_state=0), n_clusters=2).fit(X, tasks=TASKS)
    assert_each_task_is_clustered_alone(own, alone, NEW)
    np.testing.assert_array_equal(own.task_relatedness_, np.eye(3))


def test_a_copy_of_a_task_is_fully_related_and_pairs_every_cluster():
    rows = np.vstack([WORDS, WORDS])
    tasks = np.repeat(["p", "q"], 47)
    model = SAMTC(3, random_state=0).fit(rows, tasks=tasks)
    np.testing.assert_allclose(model.task_relatedness_, 1.0, atol=1e-9)
    assert len(model.paired_clusters_["p", "q"]) == 3


def test_the_group_that_tasks_share_is_paired():
    random = np.random.default_rng(0)
    centers = np.repeat(np.eye(3), 4, axis=1)
    truth = np.array([0, 1] * 10 + [0, 2] * 10)
    rows = random.poisson(3.0 * centers[truth] + 0.2).astype(float)
    tasks = np.repeat(["p", "q"], 20)
    model = SAMTC(2, random_state=0).fit(rows, tasks=tasks)
    own, other = (model.first_labels_[tasks == task] for task in "pq")
    truths = [truth[tasks == task] for task in "pq"]
    shared = [own[truths[0] == 0][0], other[truths[1] == 0][0]]
    assert shared in model.paired_clusters_["p", "q"].tolist()


def test_remembered_steps_change_nothing():
    settings = [
        {"random_state": s, "init": i, "other_neighbors": l}
        for l in (0.3, 0.9)
        for i in ("spectral", "kmeans")
        for s in (0, 1)
    ]
    expected = [SAMTC(2, n_init=1, **setting).fit(X, tasks=TASKS) for setting in settings]
    with memo.remembering():
        for setting, other in zip(settings, expected):
            model = SAMTC(2, n_init=1, **setting).fit(X, tasks=TASKS)
            np.testing.assert_array_equal(model.labels_, other.labels_)
            np.testing.assert_array_equal(model.embedding_, other.embedding_)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_model_comes_back_from_its_folder(form, tmp_path):
    model = SAMTC({"a": 3, "b": 2, "c": 2}, random_state=0).fit(form(X), tasks=TASKS)
    kf.save(model, tmp_path / "model")
    loaded = kf.load(tmp_path / "model")
    assert loaded.method == "samtc"
    np.testing.assert_array_equal(loaded.estimator.task_relatedness_, model.task_relatedness_)
    for task in SIZES:
        expected = model.predict(NEW, tasks=task)
        np.testing.assert_array_equal(loaded.estimator.predict(NEW, tasks=task), expected)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"neighbors": -1.0}, "neighbors is -1.0; give a number greater than 0"),
        ({"other_neighbors": 0.0}, "other_neighbors is 0.0; give a number greater than 0"),
        ({"init": "warm"}, "init is 'warm'; choose one of 'spectral', 'kmeans'"),
        ({"pairing": "all"}, "pairing is 'all'; choose one of 'mutual', 'nearest'"),
        ({"divergence": "kl"}, "divergence is 'kl'; choose one of 'auto', 'terms', 'densities'"),
        ({"divergence": "terms"}, "divergence is 'terms' and X has negative numbers.*densities"),
        ({"max_neighbors": 0}, "max_neighbors is 0; give at least 1"),
        ({"n_init": 0}, "n_init is 0; give at least 1"),
    ],
)
def test_wrong_parameters_are_refused(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        SAMTC(**parameters).fit(X, tasks=TASKS)


def test_equal_rows_have_one_label():
    rows = np.repeat(X[:12], 8, axis=0) * np.tile(np.arange(1.0, 9.0), 12)[:, None]
    tasks = np.tile(["p", "q"], 48)
    model = SAMTC(3, 0.2, random_state=0).fit(rows, tasks=tasks)
    for task in "pq":
        own = tasks == task
        pairs = {(i, label) for i, label in zip(np.repeat(range(12), 8)[own], model.labels_[own])}
        assert len(pairs) == 12
