import json
from copy import copy

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import kinfolk as kf
import oracles
from kinfolk.disk import sealed
from kinfolk.errors import InputError
from kinfolk.methods.multitask import feature_instance
from kinfolk.methods.multitask.feature_instance import MTCFIR
from kinfolk.methods.single.symmetric import SymNMF
from kinfolk.numerics import common_features, denoising, memo, operators, starts
from kinfolk.numerics.affinities import Cosine, Gaussian
from kinfolk.numerics.features import Features

SIZES = (9, 8)
TASKS = np.repeat(["a", "b"], SIZES)


def table(d, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(sum(SIZES), d)) * 0.4
    X[np.arange(len(X)), np.arange(len(X)) % min(d, 3)] += 1.5
    return X


def oracle_similarities(X, s, noise, n_layers, ridge, k, share):
    """MTCFIR's similarity of each task by the printed algorithms, in loops."""
    Z = oracles.common_features(X, noise, n_layers, ridge)
    Z = [Z[t == TASKS] for t in "ab"]
    V = oracles.associations(Z, s)
    l = oracles.neighbor_counts(SIZES, k, share)
    alpha = oracles.task_weights(V, [e - 1e-12 for e in oracles.thresholds(V, l)])
    A = [oracles.association_distances(V, alpha, t) for t in range(2)]
    return [oracles.consistent_similarity(A[t], l[t]) for t in range(2)]


@pytest.fixture(params=[40, 2**23], ids=["small blocks", "large blocks"])
def block(request, monkeypatch):
    monkeypatch.setattr(operators, "BLOCK", request.param)


@pytest.fixture
def similarities(monkeypatch):
    """Fixture: collects the similarity matrices that each fit factorizes."""
    seen = []
    plain = MTCFIR._similarity

    def spied(self, V, Z, t, grams):
        graph = plain(self, V, Z, t, grams)
        seen.append(graph.M)
        return graph

    monkeypatch.setattr(MTCFIR, "_similarity", spied)
    return seen


@pytest.mark.usefixtures("rows_as_given")
@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("d", [3, 25], ids=["more rows than features", "fewer"])
@pytest.mark.parametrize("affinity", ["cosine", "gaussian"])
def test_the_whole_pipeline_is_the_paper(affinity, d, form, similarities):
    X, k, ridge = table(d), [3, 2], 1e-3
    X = np.where(abs(X) > 0.2, X, 0.0)
    h = 2.0
    s = oracles.cosine if affinity == "cosine" else oracles.gaussian(h)
    expected = oracle_similarities(X, s, 0.5, 2, ridge, k, 0.5)
    model = MTCFIR(
        {"a": 3, "b": 2},
        noise=0.5,
        share_features=True,
        n_layers=2,
        neighbors=0.5,
        affinity=affinity,
        bandwidth=h,
        ridge=ridge,
        n_init=1,
        max_iter=3,
        tol=0,
        update="multiplicative",
        random_state=0,
    ).fit(form(X), tasks=TASKS)
    for operator, M in zip(similarities, expected, strict=True):
        found = operators.dense(operator.parts(np.eye(len(M)))[0])
        np.testing.assert_allclose(found, M, atol=1e-9)
    for name, M, Y in zip("ab", expected, model.memberships_, strict=True):
        last = model.objective_traces_[name][-1]
        assert last == pytest.approx(oracles.symmetric_objective(M, Y), rel=1e-8)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("V", [Cosine(), Gaussian(1.5)], ids=["cosine", "gaussian"])
def test_the_similarity_of_given_weights_is_the_paper_in_every_block_size(V, form, monkeypatch):
    s = oracles.cosine if V.linear else oracles.gaussian(1.5)
    for d in (3, 25):
        X = table(d)
        parts = [X[t == TASKS] for t in "ab"]
        Z = [V.prepared(Features([form(x)])) for x in parts]
        values, alpha = oracles.associations(parts, s), np.array([[1.0, 0.6], [0.3, 0.9]])
        for t in range(2):
            A = oracles.association_distances(values, alpha, t)
            expected = oracles.consistent_similarity(A, 3)
            for size in (1, 30, 2**23):
                monkeypatch.setattr(operators, "BLOCK", size)
                M = feature_instance.consistent_similarity(V, Z, alpha[t], t, 3).M
                found = M.parts(np.eye(SIZES[t]))[0]
                np.testing.assert_allclose(found, expected, atol=1e-9)


def test_learned_relatedness_is_equation_20():
    """Affinities equal to the threshold, up to rounding, count."""
    for seed in range(10):
        X = np.random.default_rng(seed).normal(size=(17, 5))
        parts = [X[t == TASKS] for t in "ab"]
        V = oracles.associations(parts, oracles.cosine)
        eps = oracles.thresholds(V, oracles.neighbor_counts(SIZES, [2, 2], 0.7))
        alpha = oracles.task_weights(V, [e - 1e-12 for e in eps])
        model = MTCFIR(
            2, neighbors=0.7, affinity="cosine", share_features=False, n_init=1, random_state=0
        )
        found = model.fit(X, tasks=TASKS).task_relatedness_
        np.testing.assert_allclose(found, alpha / alpha.diagonal()[:, None], rtol=1e-12)


@pytest.mark.parametrize("affinity", ["cosine", "gaussian"])
@pytest.mark.parametrize("signed", [True, False])
def test_sharing_nothing_is_symmetric_factorization_of_each_task(affinity, signed):
    X = table(6) if signed else abs(table(6))
    X /= np.linalg.norm(X, axis=1)[:, None]
    model = MTCFIR(
        3,
        share_features=False,
        share_instances=False,
        affinity=affinity,
        bandwidth=0.9,
        random_state=5,
    ).fit(X, tasks=TASKS)
    for t in "ab":
        alone = SymNMF(3, affinity=affinity, bandwidth=0.9, random_state=5).fit(X[t == TASKS])
        np.testing.assert_array_equal(model.labels_[t == TASKS], alone.labels_)
        np.testing.assert_allclose(model.objective_traces_[t], alone.objective_trace_, rtol=1e-9)
    np.testing.assert_array_equal(model.task_relatedness_, np.eye(2))


def test_without_weights_all_tasks_are_fully_related():
    model = MTCFIR(3, weigh_tasks=False, random_state=0).fit(table(6), tasks=TASKS)
    np.testing.assert_array_equal(model.task_relatedness_, np.ones((2, 2)))


@pytest.mark.parametrize("weight_rows", [None, 4])
def test_one_task_is_fully_related_to_itself_and_its_weight_cancels(weight_rows):
    X = table(6)
    model = MTCFIR(3, weight_rows=weight_rows, random_state=0).fit(X)
    np.testing.assert_array_equal(model.task_relatedness_, [[1.0]])
    if weight_rows is None:
        settings = {"affinity": "cosine", "n_init": 1, "random_state": 0}
        model = MTCFIR(3, **settings).fit(X)
        unweighted = MTCFIR(3, weigh_tasks=False, **settings).fit(X)
        np.testing.assert_array_equal(model.labels_, unweighted.labels_)
        np.testing.assert_allclose(model.objective_trace_, unweighted.objective_trace_, rtol=1e-7)


def test_weights_counted_on_all_rows_are_the_exact_ones():
    X = table(6)
    exact = MTCFIR(3, random_state=0).fit(X, tasks=TASKS)
    counted = MTCFIR(3, weight_rows=50, random_state=0).fit(X, tasks=TASKS)
    np.testing.assert_allclose(counted.task_relatedness_, exact.task_relatedness_)
    assert not counted.task_relatedness_error_.any()
    sampled = MTCFIR(3, weight_rows=4, random_state=0).fit(X, tasks=TASKS)
    assert sampled.task_relatedness_error_[0, 1] > 0


def test_neighbors_are_those_of_the_paper_and_leave_one_row_beyond():
    for share in (0.1, 0.5, 0.9, 5.0):
        model = MTCFIR(3, neighbors=share, n_init=1, random_state=0).fit(table(5), tasks=TASKS)
        assert model._l == oracles.neighbor_counts(SIZES, [3, 3], share)


def test_neighbors_are_bounded_and_without_a_bound_they_are_a_share():
    sizes = [4000, 300, 4]
    for most, expected in ((100, [100, 90, 2]), (7, [7, 7, 2]), (None, [1200, 90, 2])):
        model = MTCFIR(neighbors=0.9, max_neighbors=most)
        assert model._neighbor_counts(sizes, [3, 3, 1]) == expected


CHANGES = {
    "noise": 0.9,
    "n_layers": 1,
    "neighbors": 0.9,
    "affinity": "gaussian",
    "share_features": False,
    "share_instances": False,
    "weigh_tasks": False,
    "weight_rows": 3,
    "ridge": 10.0,
    "max_iter": 2,
    "tol": 0.05,
    "random_state": 3,
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_parameter_changes_something(name):
    settings = {"affinity": "cosine", "share_features": True, "random_state": 0, "n_init": 1}
    X = np.random.default_rng(8).normal(size=(17, 6))
    a = MTCFIR(3, **settings).fit(X, tasks=TASKS)
    b = MTCFIR(3, **{**settings, name: CHANGES[name]}).fit(X, tasks=TASKS)
    same_trace = np.array_equal(a.objective_trace_, b.objective_trace_)
    assert not (same_trace and np.array_equal(a.task_relatedness_, b.task_relatedness_))


def test_a_related_task_weighs_more_than_an_unrelated_one():
    random = np.random.default_rng(0)
    centers = 3 * np.eye(8)[:3]
    kin = [centers[np.arange(30) % 3] + 0.3 * random.normal(size=(30, 8)) for _ in range(2)]
    stranger = 3 * np.eye(8)[3 + np.arange(30) % 3] + 0.3 * random.normal(size=(30, 8))
    model = MTCFIR(3, affinity="cosine", share_features=True, random_state=0).fit(
        np.vstack([*kin, stranger]), tasks=np.repeat(["kin", "kith", "stranger"], 30)
    )
    R = model.task_relatedness_
    assert min(R[0, 1], R[1, 0]) > 0.8
    assert max(R[0, 2], R[1, 2], R[2, 0], R[2, 1]) < 0.2


@pytest.mark.parametrize("d", [4, 40], ids=["by features", "by rows"])
def test_single_precision_changes_distances_by_rounding_alone(similarities, d):
    X = table(d)
    settings = {"neighbors": 0.7, "n_init": 2, "random_state": 0}
    double = MTCFIR(2, **settings).fit(X, tasks=TASKS)
    single = MTCFIR(2, precision="single", **settings).fit(X, tasks=TASKS)
    for t, n in enumerate(SIZES):
        exact, rough = (similarities[t + 2 * side].parts(np.eye(n))[0] for side in (0, 1))
        np.testing.assert_allclose(rough, exact, atol=1e-3)
    np.testing.assert_array_equal(double.labels_, single.labels_)
    np.testing.assert_array_equal(double.task_relatedness_, single.task_relatedness_)
    np.testing.assert_array_equal(single.predict(X, tasks=TASKS), single.labels_)


@pytest.fixture
def many(monkeypatch):
    """Fixture: treat rows as too many for precomputed affinities."""
    monkeypatch.setattr(operators, "BLOCK", 40)


@pytest.mark.parametrize("affinity", ["cosine", "gaussian"])
def test_precomputed_associations_change_nothing(affinity, request):
    X, new = table(4), table(4, seed=1)
    settings = {"affinity": affinity, "n_init": 1, "n_layers": 1, "random_state": 0}
    few = MTCFIR(3, **settings).fit(X, tasks=TASKS)
    expected = few.predict(new, tasks=TASKS)
    request.getfixturevalue("many")
    plain = MTCFIR(3, **settings).fit(X, tasks=TASKS)
    np.testing.assert_array_equal(plain.labels_, few.labels_)
    np.testing.assert_array_equal(plain.task_relatedness_, few.task_relatedness_)
    for ours, theirs in zip(few.memberships_, plain.memberships_, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
    np.testing.assert_array_equal(plain.predict(new, tasks=TASKS), expected)


SETTINGS = [
    {},
    {"random_state": 1},
    {"neighbors": 0.7},
    {"share_features": True, "noise": 0.9},
    {"share_features": True, "n_layers": 2},
    {"share_features": True, "ridge": 10.0},
    {"affinity": "gaussian"},
    {"affinity": "gaussian", "bandwidth": 3.0},
    {"precision": "single"},
    {"weigh_tasks": False},
    {"share_features": True},
    {"share_features": True, "affinity": "local-gaussian"},
    {"affinity": "local-gaussian"},
    {"affinity": "centered-cosine"},
    {"share_instances": False},
    {"share_instances": False, "affinity": "local-gaussian"},
    {"share_instances": False, "neighbors": 0.9},
    {"weight_rows": 4},
]


@pytest.mark.parametrize("seed", [0, 2])
def test_what_is_remembered_is_never_taken_for_something_else(seed):
    """Cached fits equal uncached ones for two tables and all settings."""
    X, new = table(6, seed), table(6, seed + 1)
    models = [MTCFIR(3, **{"n_init": 1, "max_iter": 30, "random_state": 0, **s}) for s in SETTINGS]
    alone = [clone(model).fit(T, tasks=TASKS) for T in (X, new) for model in models]
    expected = [model.predict(new, tasks=TASKS) for model in alone]
    with memo.remembering():
        shared = [clone(model).fit(T, tasks=TASKS) for T in (X, new) for model in models]
        found = [model.predict(new, tasks=TASKS) for model in shared]
    for a, b in zip(alone, shared, strict=True):
        np.testing.assert_array_equal(a.labels_, b.labels_)
        np.testing.assert_allclose(a.objective_trace_, b.objective_trace_, rtol=1e-9)
        np.testing.assert_array_equal(a.task_relatedness_, b.task_relatedness_)
    np.testing.assert_array_equal(found, expected)


def test_starts_and_neighbors_share_layers_and_associations(monkeypatch):
    calls = []
    for module, name in [(denoising, "fit"), (Cosine, "tile"), (starts, "condensed")]:
        plain = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, n=name, f=plain: calls.append(n) or f(*a))
    X = table(25)
    with memo.remembering():
        for neighbors in (0.3, 0.7):
            for seed in (0, 1):
                model = MTCFIR(
                    3,
                    affinity="cosine",
                    share_features=True,
                    neighbors=neighbors,
                    n_init=1,
                    random_state=seed,
                )
                model.fit(X, tasks=TASKS)
    assert calls == 3 * ["fit"] + 2 * ["condensed"] + 3 * ["tile"]


def test_models_fitted_in_one_memory_share_no_writeable_array():
    X = table(6)
    with memo.remembering():
        models = [
            MTCFIR(3, share_features=True, n_init=1, random_state=seed).fit(X, tasks=TASKS)
            for seed in (0, 1)
        ]
        for model in models:
            model.predict(table(6, seed=1), tasks=TASKS)
    one, other = (list(memo.arrays_of(model)) for model in models)
    shared = [a for a in one if any(a is b for b in other) and a is not X]
    assert any(a is models[0]._layers[0].core for a in shared)
    assert not any(a.flags.writeable for a in shared)
    assert models[0].task_relatedness_error_.flags.writeable
    assert X.flags.writeable


def test_the_old_name_of_affinity_is_accepted_with_a_warning():
    with pytest.warns(FutureWarning, match="'association' of MTCFIR is now called 'affinity'"):
        model = MTCFIR(3, association="gaussian", random_state=0)
    assert model.affinity == "gaussian"
    with pytest.warns(FutureWarning, match="is now called 'affinity'"):
        model.set_params(association="cosine")
    assert model.get_params()["affinity"] == "cosine"
    assert "association" not in model.get_params()


def test_a_model_file_that_names_the_old_parameter_loads(tmp_path):
    X, new = table(6), table(6, seed=1)
    model = MTCFIR(3, affinity="gaussian", random_state=0).fit(X, tasks=TASKS)
    kf.save(model, tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    header = json.loads(file.read_text().replace('"affinity"', '"association"'))
    header["sha256"] = sealed.checksum(header, [(file.parent / "arrays.safetensors").read_bytes()])
    file.write_text(json.dumps(header))
    loaded = kf.load(tmp_path / "model").estimator
    assert loaded.affinity == "gaussian"
    np.testing.assert_array_equal(loaded.predict(new, tasks=TASKS), model.predict(new, tasks=TASKS))


def test_rows_of_a_fit_that_are_of_no_task_are_refused():
    """Without checksum, a damaged model file may hold such rows."""
    model = MTCFIR(3, random_state=0).fit(table(6), tasks=TASKS)
    model._codes = model._codes + 1
    with pytest.raises(ValueError, match="a row of the fit is of none of the 2 tasks"):
        model.predict(table(6, seed=1), tasks=TASKS)


CODES = np.repeat([0, 1], SIZES)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("n_layers", [0, 1, 3])
def test_task_features_are_the_stacked_layers_of_the_rows_of_each_task(form, n_layers):
    X = table(5)
    layers, rows = common_features.by_task(form(X), CODES, 0.5, n_layers, 1e-2)
    expected = oracles.common_features(X, 0.5, n_layers, 1e-2) if n_layers else X
    assert len(layers) == n_layers
    for t in (0, 1):
        np.testing.assert_allclose(rows[t].dense(), expected[t == CODES], atol=1e-9)
        assert len(rows[t].tables) == n_layers + 1


def test_common_features_are_the_tables_that_layers_saw_and_made():
    X = table(5)
    layers, H = common_features.fit(X, 0.5, 2, 1e-2)
    assert H[0] is X
    for layer, before, after in zip(layers, H, H[1:], strict=False):
        np.testing.assert_allclose(denoising.apply(layer, before, before), after, atol=1e-12)


@pytest.mark.parametrize("V", [Cosine(), Gaussian(1.5)], ids=["cosine", "gaussian"])
def test_the_similarity_without_sharing_is_that_of_all_pairs(V):
    X = table(4)[:9]
    s = oracles.cosine if V.linear else oracles.gaussian(1.5)
    M = feature_instance.own_similarity(V, V.prepared(Features([X[:, :2], X[:, 2:]])))
    P, N = M.parts(np.eye(9))
    found = P if N is None else P - N
    np.testing.assert_allclose(found, [[s(x, z) for z in X] for x in X], atol=1e-12)


@pytest.mark.parametrize("d", [5, 36, 37, 80])
def test_rows_for_k_means_keep_their_distances(d):
    X = table(d)[:9]
    rows = starts.starting_rows(Features([X[:, :2], X[:, 2:]]))
    assert rows.shape == (9, 9 if d > 36 else d)
    for i in range(9):
        for j in range(9):
            expected = np.linalg.norm(X[i] - X[j])
            assert np.linalg.norm(rows[i] - rows[j]) == pytest.approx(expected, abs=1e-9)


def test_first_labels_follow_the_seeds_and_leave_the_features_as_they_are():
    X = table(5)
    Z = Features([X.copy()])
    one = starts.first_labels(Z, 3, [4, 5, 4])
    np.testing.assert_array_equal(one[0], one[2])
    assert all(set(labels) == {0, 1, 2} for labels in one)
    np.testing.assert_array_equal(Z.tables[0], X)
    with memo.remembering():
        shared = starts.first_labels(Z, 3, [4, 5])
    np.testing.assert_array_equal(shared[0], one[0])


def test_the_consistent_similarity_is_symmetric_and_no_row_is_its_own_neighbor():
    V = Cosine()
    Z = [V.prepared(Features([table(4)[t == CODES]])) for t in (0, 1)]
    M = feature_instance.consistent_similarity(V, Z, np.array([1.0, 0.5]), 0, 3).M
    found, negative = M.parts(np.eye(SIZES[0]))
    assert negative is None
    np.testing.assert_array_equal(found, found.T)
    assert not found.diagonal().any()
    assert (np.count_nonzero(found, axis=1) >= 3).all()


def test_the_order_of_tasks_changes_no_relatedness():
    X = table(6)
    one = MTCFIR(3, n_init=1, random_state=0).fit(X, tasks=TASKS)
    other = MTCFIR(3, n_init=1, random_state=0).fit(X[::-1], tasks=TASKS[::-1])
    assert list(other.task_names_) == ["b", "a"]
    np.testing.assert_allclose(
        other.task_relatedness_, one.task_relatedness_[::-1, ::-1], rtol=1e-12
    )


@pytest.mark.parametrize("settings", SETTINGS[:2] + SETTINGS[6:], ids=str)
def test_a_copy_predicts_the_same_without_what_can_be_computed_again(settings):
    new = table(6, seed=1)
    model = MTCFIR(3, **{"n_init": 1, "random_state": 0, **settings}).fit(table(6), tasks=TASKS)
    expected = model.predict(new, tasks=TASKS)
    assert model._training
    again = copy(model)
    assert again._training == {}
    np.testing.assert_array_equal(again.predict(new, tasks=TASKS), expected)


def test_a_row_of_the_fit_keeps_its_label_among_new_rows():
    X = table(6)
    model = MTCFIR(3, random_state=0).fit(X, tasks=TASKS)
    mixed = np.vstack([table(6, seed=1)[:9], X[:9]])
    found = model.predict(mixed, tasks=["a"] * 18)
    np.testing.assert_array_equal(found[9:], model.labels_[:9])


def test_a_second_fit_forgets_the_rows_of_the_first():
    X, other = table(6), table(6, seed=3)
    model = MTCFIR(3, n_init=1, random_state=0).fit(X, tasks=TASKS)
    model.predict(other, tasks=TASKS)
    model.fit(other, tasks=TASKS)
    np.testing.assert_array_equal(model.predict(other, tasks=TASKS), model.labels_)


REFUSED = [
    ({"noise": 1.0}, "noise is 1.0; give a number"),
    ({"n_layers": 0}, "n_layers is 0; give at least 1"),
    ({"ridge": 0.0}, "ridge is 0.0; give a number greater than 0"),
    ({"neighbors": 0}, "neighbors is 0; give a number greater than 0"),
    ({"affinity": "euclid"}, "affinity is 'euclid'; choose one of 'auto', 'cosine'"),
    ({"affinity": "gaussian", "bandwidth": 0.0}, "bandwidth is 0.0; give a number greater than 0"),
    ({"weight_rows": 1}, "weight_rows is 1; give at least 2"),
    ({"precision": "half"}, "precision is 'half'; choose one of 'double', 'single'"),
    ({"n_clusters": 9}, "n_clusters of task 'b' is 9"),
]


@pytest.mark.parametrize(("parameters", "sentence"), REFUSED, ids=[str(p) for p, _ in REFUSED])
def test_a_parameter_out_of_range_is_refused_by_a_sentence(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        MTCFIR(**{"n_clusters": 3, **parameters}).fit(table(6), tasks=TASKS)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("share_instances", [True, False])
def test_rows_of_the_fit_are_predicted_as_they_were_clustered(share_instances, form):
    """Also for cut-short descents and repeated rows."""
    X = np.vstack([table(6), np.repeat(table(6)[:4], 2, axis=0)])
    tasks = np.append(TASKS, np.repeat(TASKS[:4], 2))
    settings = {"n_layers": 1, "n_init": 1, "max_iter": 2, "random_state": 0}
    model = MTCFIR(2, share_instances=share_instances, **settings).fit(form(X), tasks=tasks)
    np.testing.assert_array_equal(model.predict(form(X), tasks=tasks), model.labels_)
    for t, name in enumerate("ab"):
        largest = model.memberships_[t].argmax(axis=1)
        np.testing.assert_array_equal(largest, model.labels_[tasks == name])


def test_layers_are_for_tables_like_those_of_words():
    counts = np.random.default_rng(0).poisson(0.4, size=(17, 6)).astype(float)
    for X, layers in ((table(6), 0), (counts, 3), (sp.csr_array(counts), 3)):
        model = MTCFIR(2, n_init=1, random_state=0).fit(X, tasks=TASKS)
        assert len(model._layers) == layers
        assert model.affinity_ == ("cosine" if layers else "local-gaussian")
        named = MTCFIR(2, share_features=bool(layers), n_init=1, random_state=0)
        np.testing.assert_array_equal(named.fit(X, tasks=TASKS).labels_, model.labels_)
    with pytest.raises(InputError, match="share_features is 'yes'; choose one of 'auto'"):
        MTCFIR(2, share_features="yes").fit(table(6), tasks=TASKS)


def test_the_share_of_the_layers_is_that_of_the_squared_length():
    X = table(6)
    model = MTCFIR(2, share_features=True, n_layers=2, ridge=1e-2, n_init=1, random_state=0)
    Z = oracles.common_features(X, 0.5, 2, 1e-2)
    expected = sum(z[6:] @ z[6:] for z in Z) / sum(z @ z for z in Z)
    assert model.fit(X, tasks=TASKS).layer_share_ == pytest.approx(expected)
    assert MTCFIR(2, share_features=False).fit(X, tasks=TASKS).layer_share_ == 0.0
    assert model.fit(0.0 * X, tasks=TASKS).layer_share_ == 0.0
    assert model.fit(100.0 * X, tasks=TASKS).layer_share_ < 1e-3  # tanh ends at 1


@pytest.mark.parametrize("name", ["centered-cosine", "local-gaussian", "local-neighbors", "auto"])
def test_variants_that_share_nothing_are_single_methods_with_own_means_and_scales(name):
    X = table(6)
    settings = {"share_features": False, "share_instances": False, "random_state": 5}
    model = MTCFIR(3, affinity=name, **settings).fit(X, tasks=TASKS)
    for t in "ab":
        alone = SymNMF(3, affinity=name, random_state=5).fit(X[t == TASKS])
        objective = model.objective_traces_[t][-1]
        assert objective == pytest.approx(alone.objective_trace_[-1], rel=0.02)
        found = model.predict(X[t == TASKS], tasks=t)
        np.testing.assert_array_equal(found, model.labels_[t == TASKS])


def test_centered_cosines_of_a_sparse_table_are_refused():
    with pytest.raises(InputError, match="is sparse, which it would not be less its mean"):
        MTCFIR(2, affinity="centered-cosine").fit(sp.csr_array(table(6)), tasks=TASKS)


def test_near_rows_alone_are_compared_only_within_a_task():
    X = table(6)
    model = MTCFIR({"a": 3, "b": 2}, share_instances=False, random_state=0).fit(X, tasks=TASKS)
    assert model.affinity_ == "local-neighbors"
    sizes = [np.sum(name == TASKS) for name in "ab"]
    assert model._l == [max(3, round(n / (2 * k))) for n, k in zip(sizes, (3, 2), strict=True)]
    with pytest.raises(InputError, match="affinity is 'local-neighbors'; choose one of 'auto'"):
        MTCFIR(2, affinity="local-neighbors").fit(X, tasks=TASKS)


@pytest.mark.parametrize("name", ["centered-cosine", "gaussian", "local-gaussian"])
def test_a_model_file_has_what_new_rows_need(name, tmp_path):
    X, new = table(6), table(6, seed=1)
    model = MTCFIR(3, affinity=name, n_init=2, random_state=0).fit(X, tasks=TASKS)
    kf.save(model, tmp_path / "model")
    loaded = kf.load(tmp_path / "model").estimator
    expected = model.predict(new, tasks=TASKS)
    np.testing.assert_array_equal(loaded.predict(new, tasks=TASKS), expected)
