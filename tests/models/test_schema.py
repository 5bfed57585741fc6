"""A stored object is compared with the declared form of each part before anything is built."""

import ast
import inspect
import json
import shutil
import textwrap
import tomllib
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from safetensors.numpy import load as parse_arrays
from safetensors.numpy import save as format_arrays
from sklearn.cluster import KMeans

import kinfolk as kf
from kinfolk.disk import sealed
from kinfolk.errors import FileFormatError, InputError
from kinfolk.models import encoding, foreign, plain_values, schema, storage
from kinfolk.models.model import Model
from kinfolk.models.parameter_types import parameter_types
from kinfolk.models.scope import Scope

N, D = 24, 4
TASKS = np.repeat(["a", "b"], N // 2)
X = np.where(np.arange(N)[:, None] % 2, 1.0, 6.0) + np.random.default_rng(0).random((N, D))


def check(form, value, **symbols):
    scope = Scope(symbols)
    schema.compiled(form)(value, scope, "part")
    scope.finish()
    return scope.symbols


ones = np.ones
FITTING = [
    ("float (n, d)", ones((3, 4)), {"d": 4}),
    ("float? (k)", np.array([np.nan, np.inf]), {}),
    ("int (n) from 0 below k", np.array([0, 2]), {"k": 3}),
    ("int (n) from 0", np.zeros(0, dtype=int), {}),
    ("table (n, d)", sp.csr_array(ones((2, 4))), {"d": 4}),
    ("csr (2, *)", sp.csr_array(ones((2, 4))), {}),
    ("bool (n)", np.array([True]), {}),
    ("names (n)", np.array(["a", ("b", 1)], dtype=object), {}),
    ("array (n)", np.array(["a", "a"], dtype=object), {}),
    ("positions (k)", np.arange(3), {"k": 3}),
    ("number from 0", 0.5, {}),
    ("int from 1", 2, {}),
    ("none or float (d)", None, {}),
    ("none or float (d)", ones(2), {}),
    ("list of float (*)", [ones(2), ones(3)], {}),
    ("tuple of text; float (d)", ("a", ones(2)), {}),
    ("each text", ("a", "b"), {}),
    ("plain", {"a": [1, (2.5, None)], ("b", 1): ones(2)}, {}),
    ("records", [{"a": 1}, {}], {}),
    ("nothing", {}, {}),
]

OTHERS = [
    ("float (n, d)", ones((3, 4)), {"d": 5}, r"part has the shape \(3, 4\), where d is 5"),
    ("float (n, n)", ones((3, 4)), {}, "where n is 3"),
    ("float (n)", ones((3, 4)), {}, "2 axes, and 1 are meant"),
    ("float (n)", np.ones(3, dtype=int), {}, "entries of type int64"),
    ("float (n)", [1.0, 2.0], {}, r"part is \[1.0, 2.0\]"),
    ("float (n)", np.array([np.nan]), {}, "no finite numbers"),
    ("float (n)", np.array([np.inf]), {}, "no finite numbers"),
    ("float (n, d)", sp.csr_array(ones((2, 2))), {}, "part is sparse"),
    ("table (n, d)", sp.csr_array(np.array([[np.nan]])), {}, "no finite numbers"),
    ("csr (n, d)", ones((2, 2)), {}, "part is an array"),
    ("int (n) from 0 below k", np.array([0, 3]), {"k": 3}, "has 3, and a number below 3"),
    ("int (n) from 0", np.array([-1]), {}, "has -1, and at least 0"),
    ("int (n) below q", np.array([1]), {}, "nothing says what q is"),
    ("int from 1", 0, {}, "part is 0"),
    ("int from 1", True, {}, "part is True"),
    ("int from 1", 2**63, {}, "part is 9223372036854775808"),
    ("number", float("nan"), {}, "part is nan"),
    ("number from 0", -1.0, {}, "at least 0"),
    ("size d", 5, {"d": 4}, "says that d is 5, where it is 4"),
    ("positions (k)", np.array([0, 2]), {}, "no?t? the numbers of clusters"),
    ("names (n)", np.array(["a", "a"], dtype=object), {}, "a name twice"),
    ("names (n)", np.array([[1], None], dtype=object), {}, "which is no name"),
    ("list of text", ("a",), {}, "part is no list"),
    ("list T of text", ["a"], {"T": 2}, "says that T is 1, where it is 2"),
    ("tuple of text; text", ("a",), {}, "has not 2 parts"),
    ("none or float (d)", "x", {}, "part is 'x'"),
    ("plain", {"a": object()}, {}, "holds a object"),
    ("records", [{1: 2}], {}, "no text"),
    ("records", {}, {}, "no list of records"),
    ("nothing", {"a": 1}, {}, "not empty"),
    ("Layer(d=d)", "x", {"d": 1}, "is a str, and a Layer is meant"),
]


@pytest.mark.parametrize(("form", "value", "symbols"), FITTING)
def test_a_value_of_the_declared_form_passes(form, value, symbols):
    check(form, value, **symbols)


@pytest.mark.parametrize(("form", "value", "symbols", "told"), OTHERS)
def test_a_value_of_another_form_is_told(form, value, symbols, told):
    with pytest.raises(ValueError, match=told):
        check(form, value, **symbols)


def nested(depth):
    """A number within as many lists."""
    return [nested(depth - 1)] if depth else 0


def test_plain_values_may_be_nested_20_deep_and_no_deeper():
    schema.compiled("plain")(nested(20), Scope({}), "value")
    with pytest.raises(ValueError, match="nested too deeply"):
        schema.compiled("plain")(nested(21), Scope({}), "value")


@pytest.mark.parametrize("place", [0, 50, 99])
@pytest.mark.parametrize("wrong", [{"task": object()}, {object(): 1}, {"task": [1, object()]}])
def test_one_wrong_value_among_many_records_is_found(place, wrong):
    records = [{"task": "north", "strength": 0.5} for _ in range(100)]
    schema.compiled("plain")(records, Scope({}), "replicability_")
    records[place] = wrong
    with pytest.raises(ValueError, match="replicability_ holds a object"):
        schema.compiled("plain")(records, Scope({}), "replicability_")


def test_single_values_of_records_are_checked_together(monkeypatch):
    checked = []
    whole = plain_values.check

    def counted(*arguments):
        checked.append(arguments)
        whole(*arguments)

    monkeypatch.setattr(plain_values, "check", counted)
    plain_values.check([dict.fromkeys("abcdefghi", 0.5)] * 100, Scope({}), "replicability_")
    assert len(checked) == 1 + 100


def test_a_letter_stands_for_one_number_and_a_letter_with_t_for_one_of_each_task():
    arrays = [ones((5, 2)), ones((7, 3))]
    form = "list T of float (n_t, k_t)"
    found = check(form, arrays, T=2, k_0=2, k_1=3)
    assert (found["n_0"], found["n_1"]) == (5, 7)
    with pytest.raises(ValueError, match=r"part\[1\] has the shape \(7, 3\), where k_t is 2"):
        check(form, arrays, T=2, k_0=2, k_1=2)


def test_a_range_can_differ_by_task():
    form = "int (R, T, m) from -1 below k_t"
    check(form, np.array([[[1, -1], [2, 0]]]), T=2, k_0=2, k_1=3)
    with pytest.raises(ValueError, match="has 2"):
        check(form, np.array([[[2, -1], [1, 0]]]), T=2, k_0=2, k_1=3)


def test_a_refused_alternative_leaves_no_symbol_behind():
    assert check("float (q, 3) or float (p)", ones(4)) == {"p": 4}


def test_a_refused_alternative_leaves_no_range_to_check():
    form = "tuple of int (p) below 2; text or tuple of int (p) below 9; int"
    check(form, (np.array([5]), 1))


def test_a_refused_list_leaves_no_task_behind():
    scope = Scope({"T": 2, "k_0": 3, "k_1": 2})
    either = schema.compiled("list T of text or list of plain")
    either(["a", 1], scope, "part")
    assert scope.value("k_t") == 3
    assert scope.task is None


def declared():
    file = resources.files("kinfolk.models").joinpath("stored.toml")
    return tomllib.loads(file.read_text("utf-8"))


def known_classes():
    """Names of the classes that a saved model may hold, and of their bases."""
    classes = [*encoding.ESTIMATORS.values(), *encoding.VALUE_CLASSES]
    return {base.__name__ for cls in classes for base in cls.__mro__}


def test_every_class_of_the_table_exists_and_every_form_can_be_read():
    assert declared().keys() <= known_classes()
    for forms in declared().values():
        for form in forms.values():
            schema.compiled(form)


@pytest.mark.parametrize("cls", encoding.VALUE_CLASSES)
def test_every_part_of_a_value_class_has_a_form(cls):
    parts = getattr(cls, "_fields", None) or tuple(cls.__dataclass_fields__)
    assert tuple(schema.forms(cls)) == parts


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Fixture: a saved k-means of each task; do not modify."""
    folder = tmp_path_factory.mktemp("stored") / "model"
    kf.save(kf.PerTask(n_clusters=2).fit(X, tasks=TASKS), folder)
    return folder


@pytest.fixture
def changed(stored, tmp_path):
    """Fixture: function that alters a copy of the folder, reseals and loads it."""

    def change(edit):
        folder = Path(shutil.copytree(stored, tmp_path / "model"))
        header = json.loads((folder / storage.HEADER).read_text("utf-8"))
        arrays = parse_arrays((folder / storage.ARRAYS).read_bytes())
        edit(header["estimator"]["attributes"], arrays)
        packed = format_arrays(arrays)
        header["sha256"] = sealed.checksum(header, [packed])
        (folder / storage.ARRAYS).write_bytes(packed)
        (folder / storage.HEADER).write_text(json.dumps(header), "utf-8")
        return storage.load(folder)

    return change


def inner(attributes, **values):
    for estimator in attributes["estimators_"]:
        estimator["attributes"].update(values)


def centers(array):
    """Replace the centers of every k-means."""

    def edit(attributes, arrays):
        arrays["forged"] = array
        inner(attributes, cluster_centers_={"array": "forged"})

    return edit


def wide(attributes, arrays):
    attributes["n_features_in_"] = 400_000_000
    inner(attributes, n_features_in_=400_000_000)


def of_many_clusters(attributes, arrays):
    arrays["forged"] = np.array([2**40, 2])
    attributes["n_clusters_"] = {"array": "forged"}


ATTACKS = {
    "400 million columns": (wide, "where d is 400000000"),
    "400 million columns inside": (
        lambda a, _: inner(a, n_features_in_=400_000_000),
        "says that d",
    ),
    "centers (3, 1)": (centers(ones((3, 1))), r"shape \(3, 1\), where k is 2"),
    "centers (2, 1)": (centers(ones((2, 1))), r"shape \(2, 1\), where d is 4"),
    "centers (0, 4)": (centers(ones((0, 4))), r"shape \(0, 4\), where k is 2"),
    "centers (5, 4)": (centers(ones((5, 4))), r"shape \(5, 4\), where k is 2"),
    "NaN": (centers(np.full((2, 4), np.nan)), "no finite numbers"),
    "single precision of integers": (centers(np.ones((2, 4), dtype=np.int64)), "type int64"),
    "no such attribute": (lambda a, _: inner(a, _n_of_threads=-5), "no attribute '_n_of_threads'"),
    "parameter of another type": (lambda a, _: inner(a, n_init=[1]), "sound"),
    "trillions of clusters": (of_many_clusters, "does not list the clusters"),
    "renamed cluster": (
        lambda a, _: a["clusters_"].__setitem__(0, {"tuple": ["a", 7]}),
        "in their order",
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_forged_folder_is_refused_before_it_is_used(attack, changed):
    edit, told = ATTACKS[attack]
    with pytest.raises(FileFormatError, match=told):
        changed(edit)


def test_private_attributes_of_older_folders_are_not_looked_at(changed):
    model = changed(lambda a, _: inner(a, _n_threads=-5, _tol=None, _sklearn_version="0.1"))
    for one in model.estimator.estimators_:
        assert one._n_threads != -5
    np.testing.assert_array_equal(
        model.estimator.predict(X, tasks=TASKS),
        kf.PerTask(n_clusters=2).fit(X, tasks=TASKS).labels_,
    )


def test_nothing_private_of_another_library_is_written(stored):
    header = json.loads((stored / storage.HEADER).read_text("utf-8"))
    for one in header["estimator"]["attributes"]["estimators_"]:
        assert not [name for name in one["attributes"] if name.startswith("_")]
    assert header["schema"] == 4


@pytest.mark.parametrize("equal", [False, True])
def test_k_means_comes_back_from_its_centers_to_the_last_digit(equal):
    model = KMeans(3, n_init=2, random_state=0).fit(X)
    if equal:
        model.cluster_centers_[1] = model.cluster_centers_[0]
    attributes = foreign.public(KMeans, model.__getstate__())
    found = foreign.kmeans(attributes)
    assert found.get_params() == model.get_params()
    np.testing.assert_array_equal(found.cluster_centers_, model.cluster_centers_)
    np.testing.assert_array_equal(found.predict(X), model.predict(X))
    assert (found.inertia_, found.n_iter_) == (model.inertia_, model.n_iter_)


def test_an_attribute_of_the_user_is_refused_when_it_is_saved(tmp_path):
    model = kf.PerTask(n_clusters=2).fit(X, tasks=TASKS)
    model.remark = "mine"
    with pytest.raises(InputError, match="attribute 'remark' cannot be stored.*delete it"):
        kf.save(model, tmp_path / "model")


def test_only_an_inner_estimator_may_lack_the_list_of_its_clusters():
    model = kf.PerTask(n_clusters=2).fit(X, tasks=TASKS)
    fewer = {n: v for n, v in vars(model).items() if n not in ("clusters_", "estimators_")}
    stored = schema.StoredObject(kf.PerTask, fewer)
    schema.check(stored, {"most": 2})
    with pytest.raises(ValueError, match="clusters_ does not list"):
        schema.check(stored)


def test_labels_beyond_the_clusters_of_a_task_are_refused(monkeypatch):
    model = kf.PerTask(n_clusters=2).fit(X, tasks=TASKS)
    data = kf.RelatedData("t", TASKS, np.arange(N).astype(str), X, tuple("wxyz"))
    monkeypatch.setattr(kf.PerTask, "_assign", lambda self, rows, t: np.full(len(rows), 5))
    with pytest.raises(FileFormatError, match="clusters that it does not have"):
        Model(model, "per-task").assign(data)


def test_ids_of_clusters_that_a_task_does_not_have_are_refused():
    model = kf.PerTask(n_clusters=2).fit(X, tasks=TASKS)
    model._values[0] = np.array([-7, -6])  # as no folder may say
    data = kf.RelatedData("t", TASKS, np.arange(N).astype(str), X, tuple("wxyz"))
    with pytest.raises(InputError, match="assigns a row to cluster"):
        Model(model, "per-task").assign(data)


OPTIONS = {
    "mtcmrl": [{"affinity": "cosine"}, {"affinity": "gaussian"}, {"update": "multiplicative"}],
    "samtc": [{"weigh_distances": False}, {"init": "kmeans"}],
    "symnmf": [{"affinity": "gaussian"}, {"affinity": "cosine"}],
    "ncut": [{"affinity": "centered-cosine"}],
    "comvcf": [{"update": "multiplicative"}],
}


@pytest.mark.parametrize(("name", "options"), [(n, o) for n, all_ in OPTIONS.items() for o in all_])
def test_attributes_under_other_options_have_forms_too(name, options, tmp_path):
    entry = kf.catalogue.method(name)
    # The attributes after one start and few sweeps are those after many.
    known = entry.cls().get_params(deep=False)
    few = {n: value for n, value in {"n_init": 1, "max_iter": 20}.items() if n in known}
    model = kf.catalogue.tasks_estimator(entry, {"a": 2, "b": 3}, 0, **few, **options)
    model.fit(X.astype(np.float32), tasks=TASKS)
    model.add_task(X[:9], "late", 2)
    kf.save(model, tmp_path / "model")
    loaded = kf.load(tmp_path / "model").estimator
    for task in ("a", "b", "late"):
        np.testing.assert_array_equal(loaded.predict(X, tasks=task), model.predict(X, tasks=task))


def test_a_fit_to_samples_comes_back(tmp_path):
    rng = np.random.default_rng(0)
    rows = np.vstack([X, X, X, X]) + rng.random((4 * N, D)) / 9
    tasks = np.tile(TASKS, 4)
    model = kf.Kinfolk(2, families=["kmeans"], rows=24, random_state=0).fit(rows, tasks=tasks)
    assert model.sampling_["rows"].size < len(rows)
    kf.save(model, tmp_path / "model")
    loaded = kf.load(tmp_path / "model").estimator
    np.testing.assert_array_equal(loaded.sure_, model.sure_)
    np.testing.assert_array_equal(
        loaded.predict(rows, tasks=tasks), model.predict(rows, tasks=tasks)
    )


def attributes_set_by(cls):
    """Names of the attributes that a class's methods assign, by its source."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }


@pytest.mark.parametrize("name", encoding.ESTIMATORS)
def test_every_attribute_that_a_class_sets_has_a_form(name):
    cls = encoding.ESTIMATORS[name]
    known = schema.forms(cls).keys() | parameter_types(cls).keys()
    for base in cls.__mro__:
        if base.__module__.startswith("kinfolk"):
            lacking = attributes_set_by(base) - known
            assert not lacking, f"give {sorted(lacking)} of {base.__name__} a form in stored.toml"
