"""Models in a folder: what comes back is what was put in, and damage is told, never run."""

import copy
import functools
import gc
import json
import os
import re
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from safetensors.numpy import load as parse_arrays
from safetensors.numpy import save as format_arrays
from sklearn.cluster import MiniBatchKMeans

import kinfolk as kf
from kinfolk import catalogue
from kinfolk.disk import sealed
from kinfolk.errors import ClusterNumberWarning, FileFormatError, InputError, UnknownTaskError
from kinfolk.models import storage
from kinfolk.models.model import Model
from kinfolk.numerics import content_order
from kinfolk.preparation import Preparation

pytestmark = pytest.mark.usefixtures("short_sweeps")

N, D = 24, 5
TASKS = np.repeat(["a", "b"], N // 2)
TASK_NAMES = {
    "strings": ["a", "b"],
    "numbers": [-1, 2019],
    "halves": [0.5, 1.5],
    "tuples": [("no", 1), ("de", 2)],
    "hostile": ["<script>", "../a\n'\"🦊"],
}


def rows(seed=0, n=N):
    """Draw two groups in each task, with some rows between them."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, D)) * 0.6
    X[np.arange(n) % 2 == 0, :2] += 2
    X[np.arange(n) % 2 == 1, 2:] += 2
    return X


X = DENSE = rows()
NEW = rows(1, 40) + np.random.default_rng(2).random((40, D))


def named(names):
    """One of two task names per row, as objects."""
    column = np.empty(N, dtype=object)
    column[:] = [names[int(task == "b")] for task in TASKS]
    return column


def fitted(method="per-task", X=None, tasks=TASKS, n_clusters=2, **parameters):
    """A fitted model; fitted once if only the method is given."""
    if X is None and tasks is TASKS and n_clusters == 2 and not parameters:
        return copy.deepcopy(fitted_once(method))
    return fit(method, DENSE if X is None else X, tasks, n_clusters, parameters)


@functools.cache
def fitted_once(method):
    return fit(method, DENSE, TASKS, 2, {})


def fit(method, X, tasks, n_clusters, parameters):
    entry = catalogue.method(method)
    # A model is stored and read in the same way after few sweeps.
    known = entry.cls().get_params(deep=False)
    few = {"n_init": 1, "max_iter": 20}
    parameters = {name: few[name] for name in few if name in known} | parameters
    estimator = catalogue.tasks_estimator(entry, n_clusters, 0, **parameters)
    known = np.where(tasks == "a", np.arange(N) % 2, -1)
    labels = known if entry.relation.name == "tasks with labels" else None
    return Model(estimator.fit(X, labels, tasks=tasks), method)


def assert_same(before, after, names, X):
    """Assert that two models assign every row to the same cluster, as of each task."""
    for name in names:
        tasks = np.empty(X.shape[0], dtype=object)
        tasks[:] = [name] * X.shape[0]
        found, expected = (m.estimator.predict(X, tasks=tasks) for m in (after, before))
        np.testing.assert_array_equal(found, expected)
        for one, other in zip(
            after.estimator.match(found, tasks), before.estimator.match(found, tasks), strict=True
        ):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("method", catalogue.METHODS)
def test_a_loaded_model_predicts_as_the_stored_one(method, sparse, tmp_path):
    model = fitted(method, sp.csr_array(X) if sparse else None)
    storage.save(model, tmp_path / "model")
    loaded = storage.load(tmp_path / "model")
    assert loaded.method == method
    assert_same(model, loaded, ["a", "b"], sp.csr_array(NEW) if sparse else NEW)


@pytest.mark.parametrize("method", ["mtcfir", "per-task"])
@pytest.mark.parametrize(
    "names",
    [
        pytest.param(
            names,
            id=kind,
        )
        for kind, names in TASK_NAMES.items()
    ],
)
def test_names_of_tasks_come_back_as_what_they_were(method, names, tmp_path):
    model = fitted(method, tasks=named(names), n_clusters=dict(zip(names, (2, 3), strict=True)))
    storage.save(model, tmp_path / "model")
    loaded = storage.load(tmp_path / "model")
    assert list(loaded.estimator.task_names_) == names
    assert [type(name) for name in loaded.estimator.task_names_] == [type(n) for n in names]
    assert loaded.estimator.n_clusters == dict(zip(names, (2, 3), strict=True))
    assert loaded.estimator.clusters_ == model.estimator.clusters_
    assert_same(model, loaded, names, NEW)


@pytest.mark.parametrize(
    "parameters",
    [
        {"affinity": "gaussian"},
        {"affinity": "gaussian", "bandwidth": 2.0, "n_layers": 1},
        {"weight_rows": 5},
        {"weigh_tasks": False, "share_features": False},
    ],
)
def test_every_variant_of_mtcfir_comes_back(parameters, tmp_path):
    model = fitted("mtcfir", **parameters)
    storage.save(model, tmp_path / "model")
    assert_same(model, storage.load(tmp_path / "model"), ["a", "b"], NEW)


@pytest.mark.parametrize("method", catalogue.METHODS)
def test_everything_a_reader_may_ask_of_a_model_comes_back(method, tmp_path):
    model = fitted(method)
    storage.save(model, tmp_path / "model")
    before, after = (vars(m.estimator) for m in (model, storage.load(tmp_path / "model")))
    public = [name for name in before if name.endswith("_") and not name.startswith("_")]
    for name in [name for name in public if name != "estimators_" and name != "estimator_"]:
        np.testing.assert_equal(after[name], before[name], err_msg=name)


@pytest.mark.parametrize("columns", [5, 40])
def test_layers_are_learned_again_from_the_rows_and_not_stored(columns, tmp_path):
    words = np.random.default_rng(0).poisson(0.35, (N, columns)).astype(float)
    model = kf.MTCFIR(2, share_features=True, random_state=0).fit(words, tasks=TASKS)
    expected = model.predict(words + 0.3, tasks=TASKS)
    kf.save(model, tmp_path / "model")
    kept = parse_arrays((tmp_path / "model" / storage.ARRAYS).read_bytes()).values()
    cores = {layer.core.shape for layer in model._layers}
    assert cores == {(min(N, columns),) * 2}
    assert not [array for array in kept if array.shape in cores]
    loaded = kf.load(tmp_path / "model").estimator
    np.testing.assert_array_equal(loaded.predict(words + 0.3, tasks=TASKS), expected)
    again = loaded._reference().layers
    for layer, other in zip(model._layers, again, strict=True):
        np.testing.assert_array_equal(layer.core, other.core)


def test_runs_that_vote_are_stored_without_matches_and_their_owner_with_them(tmp_path):
    model = kf.Kinfolk(2, families=["graph", "mtcfir"], random_state=0).fit(X, tasks=TASKS)
    voters = [voter for _, voter in model.voters_["a"]]
    assert len(model.clusters_) == 4
    assert not any(hasattr(voter, "clusters_") for voter in voters)
    kf.save(model, tmp_path / "model")
    attributes_of = header(tmp_path / "model")["estimator"]["attributes"]
    assert "cluster_profiles_" in attributes_of
    assert "cluster_profiles_" not in json.dumps(attributes_of["_kept_runs"])
    assert_same(Model(model, ""), kf.load(tmp_path / "model"), ["a", "b"], NEW)


@pytest.mark.parametrize("method", catalogue.METHODS)
def test_a_model_can_be_stored_after_it_has_assigned_rows(method, tmp_path):
    model = fitted(method)
    expected = model.estimator.predict(NEW, tasks="a")
    storage.save(model, tmp_path / "model")
    loaded = storage.load(tmp_path / "model").estimator
    np.testing.assert_array_equal(loaded.predict(NEW, tasks="a"), expected)


@pytest.mark.parametrize(
    "views",
    [
        {"p": slice(0, 2), "q": slice(2, D)},
        {"p": slice(None, 2), "q": slice(2, None, 1)},
        {"p": [0, 4], "q": [1, 2, 3]},
    ],
)
def test_views_come_back_as_they_were(views, tmp_path):
    model = fitted("comvcf", views=views)
    storage.save(model, tmp_path / "model")
    loaded = storage.load(tmp_path / "model")
    assert loaded.estimator.estimator.views == views
    assert_same(model, loaded, ["a", "b"], NEW)
    for one, other in zip(loaded.estimator.estimators_, model.estimator.estimators_, strict=True):
        assert list(one.view_names_) == ["p", "q"]
        np.testing.assert_array_equal(one.view_weights_, other.view_weights_)


def test_factors_of_incomplete_views_come_back(tmp_path):
    holed, new = np.array(X, dtype=float), np.array(NEW, dtype=float)
    holed[::5, :2] = np.nan
    new[::4, 2:] = np.nan
    model = fitted("comvcf", X=holed, views={"p": slice(0, 2), "q": slice(2, D)}, max_iter=5)
    storage.save(model, tmp_path / "model")
    assert_same(model, storage.load(tmp_path / "model"), ["a", "b"], new)


def test_the_knowledge_of_another_site_comes_back(tmp_path):
    known = kf.Knowledge(X[:2], [10.0, 12.0], tuple("vwxyz"), "standard", np.ones(D), np.ones(D))
    model = fitted("kt-mec", knowledge=known)
    storage.save(model, tmp_path / "model")
    loaded = storage.load(tmp_path / "model")
    assert loaded.estimator.estimator.knowledge == known
    assert loaded.estimator.estimators_[1].knowledge == known
    assert_same(model, loaded, ["a", "b"], NEW)


def test_known_classes_come_back_and_new_rows_get_their_names(tmp_path):
    known = np.where(TASKS == "a", np.array(["even", "odd"])[np.arange(N) % 2], "-1")
    model = Model(kf.LSSTTC(random_state=0).fit(X, known, tasks=TASKS), "lssttc")
    storage.save(model, tmp_path / "model")
    loaded = storage.load(tmp_path / "model")
    data = kf.RelatedData("new", TASKS, np.arange(N).astype(str), X, tuple("vwxyz"))
    found = loaded.assign(data)
    assert found.classes.tolist() == np.array(["even", "odd"])[np.arange(N) % 2].tolist()
    np.testing.assert_array_equal(found.labels, np.arange(N) % 2)
    np.testing.assert_array_equal(found.matched, found.labels)
    np.testing.assert_array_equal(found.strength, model.assign(data).strength)


@pytest.mark.parametrize("parts", [["a"], [1, 2, 3, 4], [0.5, "x", None], []])
def test_a_slice_that_is_none_is_refused(parts, model):
    rewrite(model, lambda h: attributes(h).update(labels_={"slice": parts}))
    assert "sound" in refused(model)


@pytest.mark.parametrize("method", ["mtcfir", "kmeans"])
def test_a_loaded_model_can_be_stored_again(method, tmp_path):
    model = fitted(method)
    storage.save(model, tmp_path / "first")
    storage.save(storage.load(tmp_path / "first"), tmp_path / "second")
    assert_same(model, storage.load(tmp_path / "second"), ["a", "b"], NEW)


@pytest.mark.parametrize("method", catalogue.METHODS)
def test_rows_one_by_one_are_assigned_as_rows_together(method, tmp_path):
    storage.save(fitted(method), tmp_path / "model")
    estimator = storage.load(tmp_path / "model").estimator
    together = estimator.predict(NEW, tasks="b")
    alone = [estimator.predict(NEW[[i]], tasks="b")[0] for i in range(len(NEW))]
    np.testing.assert_array_equal(alone, together)


@pytest.mark.parametrize("seed", [None, 3, np.random.RandomState(3)], ids=["none", "3", "state"])
def test_a_random_state_need_not_come_back(seed, tmp_path):
    model = kf.MTCFIR(2, n_init=1, random_state=seed).fit(X, tasks=TASKS)
    kf.save(model, tmp_path / "model")
    kept = kf.load(tmp_path / "model").estimator.random_state
    assert kept == (seed if isinstance(seed, int) else None)


@pytest.mark.parametrize("scale", ["none", "unit", "standard"])
def test_the_preparation_comes_back(scale, tmp_path):
    data = kf.RelatedData("t", TASKS, np.arange(N).astype(str), X, tuple("vwxyz"))
    preparation = Preparation(scale=scale)
    estimator = kf.MTCFIR(2, n_init=1, random_state=0)
    estimator.fit(preparation.fit_transform(data), tasks=TASKS)
    model = Model(estimator, "mtcfir", preparation, {"tasks": "task", "text": None})
    storage.save(model, tmp_path / "model")
    loaded = storage.load(tmp_path / "model")
    assert loaded.roles == model.roles
    for one, other in zip(loaded.assign(data), model.assign(data), strict=True):
        np.testing.assert_array_equal(one, other)


def test_one_answer_from_many_runs_assigns_the_rows_of_the_fit_as_before(tmp_path):
    data = kf.RelatedData("t", TASKS, np.arange(N).astype(str), X, tuple("vwxyz"))
    preparation = Preparation(scale="standard")
    estimator = kf.Kinfolk(2, families=["kmeans", "graph", "mtcfir", "mtcmrl"], random_state=0)
    estimator.fit(preparation.fit_transform(data), tasks=TASKS)
    model = Model(estimator, "kinfolk", preparation, {})
    storage.save(model, tmp_path / "model")
    loaded = storage.load(tmp_path / "model")
    for one, other in zip(loaded.assign(data)[:3], model.assign(data)[:3], strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_several_runs_hold_is_stored_once(tmp_path):
    estimator = kf.Kinfolk(2, families=["graph"], random_state=0).fit(X, tasks=TASKS)
    rows = [one._X for _, voter in estimator._kept_runs for one in voter.estimators_]
    assert len(rows) > 2 * 2
    kf.save(estimator, tmp_path / "model")
    kept = parse_arrays((tmp_path / "model" / storage.ARRAYS).read_bytes()).values()
    for own in (X[TASKS == "a"], X[TASKS == "b"]):
        own = own[content_order.order(own).rows]
        assert sum(a.shape == own.shape and (a == own).all() for a in kept) == 1
    assert_same(Model(estimator, ""), kf.load(tmp_path / "model"), ["a", "b"], NEW)


def unlike(n=30):
    """Draw word counts with two groups in tasks a and c, and none in b."""
    words = (np.kron(np.eye(2), np.full(4, 0.2)) + 0.025)[np.arange(n) % 2]
    shares = np.vstack([words, np.full((n, 8), 0.125), words])
    shares /= shares.sum(axis=1, keepdims=True)
    counts = np.random.default_rng(0).multinomial(40, shares)
    return counts.astype(float), np.repeat(["a", "b", "c"], n)


def test_a_task_left_out_of_sharing_is_assigned_as_before(tmp_path):
    counts, tasks = unlike()
    model = kf.Kinfolk(2, families=["kmeans", "mec", "pooled", "mtcfir"], random_state=0)
    model.fit(counts, tasks=tasks)
    assert model.unclustered_tasks_ == ["b"]
    assert {r["task"] for r in model.evidence_ if r["joint"]} == {"a", "c"}
    kf.save(model, tmp_path / "model")
    loaded = kf.load(tmp_path / "model")
    assert_same(Model(model, ""), loaded, ["a", "b", "c"], counts[::3])
    np.testing.assert_array_equal(loaded.estimator.task_relatedness_, model.task_relatedness_)


def test_numbers_that_were_found_and_a_new_task_come_back(tmp_path):
    model = kf.Kinfolk("auto", families=["kmeans", "mec"], random_state=0)
    with pytest.warns(ClusterNumberWarning):
        model.fit(X, tasks=TASKS)
    with pytest.warns(ClusterNumberWarning):
        model.add_task(NEW, "late")
    kf.save(model, tmp_path / "model")
    loaded = kf.load(tmp_path / "model")
    assert_same(Model(model, ""), loaded, ["a", "b", "late"], NEW)
    after = loaded.estimator
    assert list(after.suggestions_) == list(model.suggestions_)
    assert repr(after.added_tasks_[0].suggestions_) == repr(model.added_tasks_[0].suggestions_)
    assert after.added_tasks_[0].suggestions_[0].curve
    np.testing.assert_equal(after.counterparts_, model.counterparts_)


def test_numbers_that_are_none_come_back(tmp_path):
    estimator = kf.Kinfolk(2, families=["mec"], random_state=0).fit(X)
    (record,) = estimator.guard_
    assert np.isnan(record["agreement_with_joint_runs"])
    record["silhouette"] = -np.inf
    kf.save(estimator, tmp_path / "model")
    np.testing.assert_equal(kf.load(tmp_path / "model").estimator.guard_, [record])


@pytest.mark.parametrize("text", ["1e5", "not", 5, None, "NaN", ["nan"]])
def test_a_number_that_is_none_is_refused(text, model):
    rewrite(model, lambda h: attributes(h).update(n_iter_={"number": [text]}))
    assert "sound" in refused(model)


def test_a_loaded_model_refuses_a_task_that_it_does_not_know(tmp_path):
    storage.save(fitted(), tmp_path / "model")
    with pytest.raises(UnknownTaskError, match="'c'"):
        storage.load(tmp_path / "model").estimator.predict(NEW, tasks="c")


@pytest.mark.parametrize("other", ["folder", "file"])
def test_what_is_no_model_is_never_replaced(other, tmp_path):
    place = tmp_path / "notes"
    if other == "folder":
        place.mkdir()
    precious = place / "letter.txt" if other == "folder" else place
    precious.write_text("dear", "utf-8")
    with pytest.raises(InputError, match="no model of Kinfolk: name another|no folder: name anoth"):
        storage.save(fitted(), place)
    assert precious.read_text("utf-8") == "dear"
    assert os.listdir(tmp_path) == ["notes"]
    precious.unlink()
    storage.save(fitted(), place)
    storage.load(place)


def unstorable():
    foreign = MiniBatchKMeans(2, random_state=0)
    return Model(kf.PerTask(foreign).fit(X, tasks=TASKS), "per-task")


def test_what_cannot_be_stored_is_refused_and_the_older_model_stays(tmp_path):
    storage.save(fitted(), tmp_path / "model")
    before = {p.name: p.read_bytes() for p in (tmp_path / "model").iterdir()}
    with pytest.raises(InputError, match="MiniBatchKMeans inside cannot be stored"):
        storage.save(unstorable(), tmp_path / "model")
    assert {p.name: p.read_bytes() for p in (tmp_path / "model").iterdir()} == before
    assert os.listdir(tmp_path) == ["model"]


def test_a_clusterer_of_one_data_set_is_refused(tmp_path):
    with pytest.raises(InputError, match="kf.PerTask"):
        kf.save(kf.MEC(2).fit(X), tmp_path / "model")
    assert os.listdir(tmp_path) == []


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Fixture: a saved MTCFIR with a preparation; do not modify."""
    folder = tmp_path_factory.mktemp("sound") / "model"
    data = kf.RelatedData("t", TASKS, np.arange(N).astype(str), X, tuple("vwxyz"))
    preparation = Preparation(scale="unit")
    estimator = kf.MTCFIR(2, n_init=1, random_state=0)
    estimator.fit(preparation.fit_transform(data), tasks=TASKS)
    storage.save(Model(estimator, "mtcfir", preparation, {"tasks": "task"}), folder)
    return folder


@pytest.fixture
def model(sound, tmp_path):
    """Fixture: a copy of the saved model, to be damaged."""
    return Path(shutil.copytree(sound, tmp_path / "model"))


def header(folder):
    return json.loads((folder / storage.HEADER).read_text("utf-8"))


def rewrite(folder, change=lambda header: None):
    """Change the header and recompute the checksum, as an attacker could."""
    found = header(folder)
    change(found)
    if found.get("sha256") == header(folder)["sha256"]:  # else the change is about the checksum
        found["sha256"] = sealed.checksum(found, [(folder / storage.ARRAYS).read_bytes()])
    (folder / storage.HEADER).write_text(json.dumps(found), "utf-8")


def attributes(found):
    return found["estimator"]["attributes"]


def rewrite_arrays(folder, change):
    """Change the arrays and recompute the checksum, as an attacker could."""
    arrays = parse_arrays((folder / storage.ARRAYS).read_bytes())
    change(arrays)
    packed = format_arrays(arrays)
    (folder / storage.ARRAYS).write_bytes(packed)
    rewrite(folder)


def load(folder):
    """Load a model without warnings about damaged numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return storage.load(folder)


def refused(folder):
    """Return the sentence of the error that loading raises."""
    with pytest.raises(FileFormatError) as caught:
        load(folder)
    assert str(caught.value).count("\n") == 0
    return str(caught.value)


def deep(n):
    return "[" * n + "]" * n


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not readable JSON"),
        ("{", "not readable JSON"),
        (deep(100_000), "not readable JSON"),
        ('{"a": ' + "9" * 5000 + "}", "not readable JSON"),
        ("\ud800", "not readable JSON"),
        ("[]", "is no model of Kinfolk"),
        ("null", "is no model of Kinfolk"),
        ("{}", "is no model of Kinfolk"),
        ('{"format": "kinfolk-model"}', "schema"),
        ('{"format": "kinfolk-model", "schema": 1}', "lacks"),
    ],
)
def test_a_header_that_is_none_is_refused(text, told, model):
    (model / storage.HEADER).write_bytes(text.encode("utf-8", "surrogatepass"))
    assert told in refused(model)


HEADERS = {
    "newer schema": (
        lambda h: h.update(schema=5),
        "schema 5 and this version of Kinfolk reads 1 and 2 and 3 and 4",
    ),
    "other checksum": (lambda h: h.update(sha256="0" * 64), "checksum"),
    "checksum of another type": (lambda h: h.update(sha256=[1]), "sha256=[1]"),
    "unknown method": (lambda h: h.update(method="telepathy"), "telepathy"),
    "method of another type": (lambda h: h.update(method=["mtcfir"]), "method=['mtcfir']"),
    "unknown class": (lambda h: h["estimator"].update(estimator="Popen"), "Popen"),
    "class of another type": (lambda h: h["estimator"].update(estimator=["KMeans"]), "sound"),
    "not an estimator": (lambda h: h.update(estimator=[1, 2]), "estimator=[1, 2]"),
    "no attributes": (lambda h: h["estimator"].pop("attributes"), "sound"),
    "attributes as a list": (lambda h: h["estimator"].update(attributes=["x"]), "sound"),
    "hidden method": (lambda h: attributes(h).update(predict=1), "predict"),
    "hidden private method": (lambda h: attributes(h).update(_assign=1), "_assign"),
    "dunder": (lambda h: attributes(h).update(__class__="KMeans"), "__class__"),
    "dict": (lambda h: attributes(h).update(__dict__={"pairs": []}), "__dict__"),
    "no identifier": (lambda h: attributes(h).update({"a b": 1}), "a b"),
    "no such array": (lambda h: attributes(h).update(labels_={"array": "a999"}), "a999"),
    "unknown kind": (lambda h: attributes(h).update(labels_={"pickle": "gASV"}), "pickle"),
    "two kinds": (lambda h: attributes(h).update(labels_={"array": "a0", "tuple": []}), "sound"),
    "no kind": (lambda h: attributes(h).update(labels_={}), "sound"),
    "layer of one": (lambda h: attributes(h).update(_layers=[{"Layer": [1]}]), "sound"),
    "pairs of one": (lambda h: attributes(h).update(n_clusters={"pairs": [[1]]}), "sound"),
    "sparse nonsense": (
        lambda h: attributes(h).update(_X={"csr": [[1.0], [9], [0, 1]], "shape": [1, 2]}),
        "sound",
    ),
    "sparse without shape": (lambda h: attributes(h).update(_X={"csr": []}), "sound"),
    "no memberships": (lambda h: attributes(h).pop("memberships_"), "memberships_"),
    "no task names": (lambda h: attributes(h).pop("task_names_"), "task_names_"),
    "one task too many": (
        lambda h: attributes(h)["task_names_"]["objects"].append("c"),
        "sound",
    ),
    "width of another type": (lambda h: attributes(h).update(n_features_in_="5"), "sound"),
    "negative width": (lambda h: attributes(h).update(n_features_in_=-5), "sound"),
    "another width": (lambda h: attributes(h).update(n_features_in_=D + 1), "sound"),
    "deep": (
        lambda h: attributes(h).update(labels_=json.loads(deep(900))),
        "sound",
    ),
    "preparation of another type": (lambda h: h.update(preparation=[1]), "preparation"),
    "newer preparation": (lambda h: h["preparation"].update(version=2), "version 2"),
    "unknown scale": (lambda h: h["preparation"].update(scale="log"), "log"),
    "single-task class": (
        lambda h: h.update(estimator={"estimator": "KMeans", "attributes": {}}),
        "sound",
    ),
}
HEADERS |= {
    "giant width": (lambda h: attributes(h).update(n_features_in_=10**15), "sound"),
    "fewer columns in the preparation": (
        lambda h: h["preparation"].update(feature_names=["v", "w"]),
        "sound",
    ),
    "roles as a list": (lambda h: h.update(roles=["task"]), "roles"),
    "roles that are no names": (lambda h: h.update(roles={"tasks": 5}), "roles"),
}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(
            *case,
            id=name,
        )
        for name, case in HEADERS.items()
    ],
)
def test_a_header_that_cannot_be_right_is_refused(change, told, model):
    rewrite(model, change)
    assert told in refused(model)


def largest(arrays):
    return max((n for n in arrays if arrays[n].ndim == 2), key=lambda n: arrays[n].size)


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.clear(),
        lambda a: a.pop(largest(a)),
        lambda a: a.update({largest(a): a[largest(a)][:, :-1]}),
        lambda a: a.update({largest(a): a[largest(a)].ravel()}),
        lambda a: a.update({"preparation.center": np.zeros(D)}),
        lambda a: a.update({"preparation.idf": np.ones(D)}),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change, model):
    rewrite_arrays(model, change)
    refused(model)


@pytest.mark.parametrize("keep", [0, 7, 100, -1])
def test_cut_off_arrays_are_refused_with_or_without_their_checksum(keep, model):
    packed = (model / storage.ARRAYS).read_bytes()[:keep]
    (model / storage.ARRAYS).write_bytes(packed)
    assert "checksum" in refused(model)
    rewrite(model)
    refused(model)


@pytest.mark.parametrize("name", [storage.HEADER, storage.ARRAYS])
def test_a_folder_that_lacks_a_file_holds_no_model(name, model):
    (model / name).unlink()
    assert "holds no model" in refused(model)


def test_a_giant_header_is_not_read(model, monkeypatch):
    monkeypatch.setattr(sealed.read_bytes, "__defaults__", (100,))
    assert "more than 100 bytes" in refused(model)


@pytest.mark.parametrize("collecting", [True, False])
def test_reading_a_model_leaves_the_search_for_garbage_as_it_was(collecting, model):
    damaged = model.parent / "damaged"
    shutil.copytree(model, damaged)
    (damaged / "model.json").write_text("{", "utf-8")
    try:
        (gc.enable if collecting else gc.disable)()
        storage.load(model)
        assert gc.isenabled() == collecting
        for folder in (model / "missing", damaged):
            with pytest.raises(FileFormatError):
                storage.load(folder)
            assert gc.isenabled() == collecting
    finally:
        gc.enable()


def test_a_linked_folder_is_as_good_as_the_folder(model, sound):
    link = model.parent / "link"
    link.symlink_to(sound, target_is_directory=True)
    assert_same(storage.load(sound), storage.load(link), ["a", "b"], NEW)


@pytest.mark.parametrize("code", [2, -1, 2**30])
def test_a_row_of_a_task_that_is_none_is_refused_before_memory_is_taken(code, model):
    text = (model / storage.HEADER).read_text("utf-8")
    name = re.search(r'"_codes": {\s*"array": "(\w+)"', text)[1]

    def change(arrays):
        codes = arrays[name].astype(np.int32)
        codes[0] = code
        arrays[name] = codes

    rewrite_arrays(model, change)
    assert f"MTCFIR._codes has {code}, and" in refused(model)


OLD = Path(__file__).parent / "schema-1"


@pytest.mark.parametrize("method", ["kinfolk", "kt-mec", "lssttc", "mtcfir"])
def test_models_of_schema_1_predict_as_when_they_were_written(method, tmp_path):
    with np.load(OLD / "expected.npz") as expected:
        X, tasks, labels = expected["X"], expected["tasks"], expected[method]
    old = storage.load(OLD / method)  # a warning would be an error here
    assert header(OLD / method)["schema"] == 1
    assert old.method == method
    np.testing.assert_array_equal(old.estimator.predict(X, tasks=tasks), labels)
    storage.save(old, tmp_path / "again")
    assert header(tmp_path / "again")["schema"] == 4
    again = storage.load(tmp_path / "again")
    np.testing.assert_array_equal(again.estimator.predict(X, tasks=tasks), labels)
    assert old.estimator.__getstate__().keys() == again.estimator.__getstate__().keys()


EARLIER = Path(__file__).parent / "schema-2"


@pytest.mark.parametrize("method", ["lccf", "comvcf"])
def test_models_with_a_graph_that_store_one_table_of_memberships_predict_as_before(method):
    with np.load(EARLIER / "expected.npz") as stored:
        expected = dict(stored)
    old = storage.load(EARLIER / method)
    X = expected["X"]
    tasks = expected["tasks"]
    np.testing.assert_array_equal(old.estimator.predict(X, tasks=tasks), expected[method])
    for t, alone in enumerate(old.estimator.estimators_):
        assert alone.graph_weight == 5.0
        assert alone.update == "multiplicative"
        rows = X[tasks == old.estimator.task_names_[t]]
        found = alone.predict_memberships(rows)
        np.testing.assert_allclose(found, expected[f"{method} memberships {t}"], rtol=1e-9)


def test_damaged_arrays_of_schema_1_are_refused(tmp_path):
    place = Path(shutil.copytree(OLD / "mtcfir", tmp_path / "model"))
    packed = bytearray((place / storage.ARRAYS).read_bytes())
    packed[-1] ^= 1
    (place / storage.ARRAYS).write_bytes(packed)
    assert "checksum" in refused(place)


def test_fields_of_the_two_schemas_are_not_mixed_up(model):
    rewrite(model, lambda h: h.update(schema=1))
    assert "lacks arrays_sha256" in refused(model)
    rewrite(model, lambda h: h.update(schema=2, arrays_sha256="0"))
    assert "should not have arrays_sha256" in refused(model)


@pytest.mark.parametrize("change", ["method", "roles", "estimator"])
def test_a_changed_header_is_refused_by_its_checksum(change, model):
    found = header(model)
    if change == "estimator":
        found["estimator"]["attributes"]["noise"] = 0.75
    else:
        found[change] = {"method": "mtcfir-nf", "roles": {"tasks": "shop"}}[change]
    (model / storage.HEADER).write_text(json.dumps(found), "utf-8")
    assert "are not as they were written (the checksum differs)" in refused(model)


def damaged(raw, rng):
    """Flip some bytes, or cut off the end."""
    if rng.random() < 0.2:
        return raw[: rng.integers(len(raw))]
    changed = bytearray(raw)
    for place in rng.integers(len(raw), size=rng.integers(1, 4)):
        changed[place] = rng.integers(256)
    return bytes(changed)


@pytest.mark.parametrize("part", range(4))
def test_random_damage_is_refused_or_harmless(part, model):
    rng = np.random.default_rng(part)
    whole = {name: (model / name).read_bytes() for name in (storage.HEADER, storage.ARRAYS)}
    refusals = 0
    for _ in range(50):
        name = storage.HEADER if part % 2 else storage.ARRAYS
        for other, raw in whole.items():
            (model / other).write_bytes(raw)
        packed = damaged(whole[name], rng)
        (model / name).write_bytes(packed)
        if part == 2:  # the damage came before the checksum was taken
            rewrite(model)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                storage.load(model)
        except FileFormatError:
            refusals += 1
    assert refusals > (50 * 0.9 if part == 0 else 5)


@pytest.mark.parametrize("rows", [np.ones(2), "no", None])
def test_rows_of_a_saved_model_are_yes_or_no(tmp_path, rows):
    model = kf.PerTask(n_clusters=2).fit(np.eye(4), tasks=["a", "a", "b", "b"])
    with pytest.raises(InputError, match=r"rows is .* give True or False"):
        kf.save(model, tmp_path / "m", rows=rows)
    assert not (tmp_path / "m").exists()
