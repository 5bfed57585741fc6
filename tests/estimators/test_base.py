import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from kinfolk import LSSMTC, MTCFIR, MTCMRL, PerTask, Pooled, load, save
from kinfolk.errors import InputError, UnknownTaskError
from laws import same_clusters

METHODS = [
    PerTask(n_clusters=3),
    Pooled(n_clusters=3),
    MTCFIR(3, random_state=0),
    LSSMTC(3, random_state=0),
    MTCMRL(3, random_state=0),
]
METHOD = pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)


def rows(kinds, seed, d=10, each=8):
    """Draw rows of some kinds, all shifted alike; return rows and kinds."""
    random = np.random.default_rng(seed)
    truth = random.permutation(np.repeat(kinds, each))
    X = 3 * np.eye(d)[truth] + 0.2 * random.normal(size=(len(truth), d)) + random.uniform(size=d)
    return abs(X), truth


def fitted(method):
    """Fit the method to two tasks with kinds 0, 1 and 2; return it and the kinds."""
    (A, a), (B, b) = rows([0, 1, 2], 0), rows([0, 1, 2], 1)
    return clone(method).fit(np.vstack([A, B]), tasks=["a"] * 24 + ["b"] * 24), np.append(a, b)


@METHOD
def test_a_new_task_gets_the_numbers_of_the_kinds_that_are_known(method):
    model, truth = fitted(method)
    X, kinds = rows([0, 1, 2], 2)
    new = model.add_task(X, "c")
    assert same_clusters(
        np.append(model.matched_labels_, new.matched_labels), np.append(truth, kinds)
    )
    assert new.task == "c"
    assert new.strength.min() > 0.9
    assert [len(r["other_clusters"]) for r in new.counterparts] == [1] * 6
    assert {r["other_task"] for r in new.counterparts} == {"a", "b"}
    assert new.estimator.task_names_.tolist() == ["c"]


def test_a_fit_that_fails_leaves_no_fitted_model():
    model, _ = fitted(PerTask(n_clusters=3))
    X = rows([0, 1, 2], 0)[0]
    with pytest.raises(InputError, match="only 24 rows"):
        model.set_params(n_clusters=25).fit(X)
    with pytest.raises(NotFittedError):
        model.predict(X)


@METHOD
def test_what_was_fitted_does_not_change(method):
    model, _ = fitted(method)
    before, _ = fitted(method)
    model.add_task(rows([0, 1, 2, 5], 2)[0], "c", n_clusters=4)
    for name in ("labels_", "matched_labels_", "objective_trace_", "task_relatedness_"):
        if hasattr(before, name):
            np.testing.assert_array_equal(getattr(model, name), getattr(before, name))
    for name in ("task_names_", "n_clusters_", "matched_clusters_", "match_strength_", "clusters_"):
        old = getattr(before, name)
        np.testing.assert_array_equal(getattr(model, name)[: len(old)], old)
    np.testing.assert_array_equal(model.cluster_links_[:6, :6], before.cluster_links_)
    X = rows([0, 1, 2], 5)[0]
    np.testing.assert_array_equal(model.predict(X, "b"), before.predict(X, "b"))


@METHOD
def test_new_rows_of_a_new_task_go_to_its_clusters(method):
    model, truth = fitted(method)
    X, kinds = rows([0, 1, 2], 2)
    new = model.add_task(X[:18], "c")
    mixed = np.vstack([X[18:], X[18:]])
    labels = model.predict(mixed, tasks=["c"] * 6 + ["a"] * 6)
    np.testing.assert_array_equal(labels[:6], new.estimator.predict(X[18:]))
    matched, strength = model.match(labels, ["c"] * 6 + ["a"] * 6)
    everything = np.concatenate([model.matched_labels_, matched[:6]])
    assert same_clusters(everything, np.concatenate([truth, kinds[18:]]))
    assert np.isfinite(strength).all()


@METHOD
def test_a_model_with_a_new_task_can_be_stored(method, tmp_path):
    model, _ = fitted(method)
    X, _ = rows([0, 1, 5], 2)
    model.add_task(X, "c")
    save(model, tmp_path / "model")
    after = load(tmp_path / "model").estimator
    np.testing.assert_array_equal(after.predict(X, "c"), model.predict(X, "c"))
    assert repr(after.counterparts_) == repr(model.counterparts_)
    after.add_task(rows([1, 2], 3)[0], "d", n_clusters=2)
    assert after.task_names_.tolist() == ["a", "b", "c", "d"]


def test_a_kind_that_is_new_gets_a_number_of_its_own():
    model, _ = fitted(PerTask(n_clusters=3))
    X, kinds = rows([0, 1, 2, 7], 2)
    new = model.add_task(X, "c", n_clusters=4)
    assert set(new.matched_labels[kinds == 7]) == {3}
    assert np.isnan(new.strength[kinds == 7]).all()
    assert np.isfinite(new.strength[kinds < 7]).all()
    stranger = new.labels[kinds == 7][0]
    assert [r["other_clusters"] for r in new.counterparts if r["cluster"] == stranger] == [[], []]


def test_a_task_of_a_single_cluster_has_nothing_to_match():
    model, _ = fitted(PerTask(n_clusters=3))
    new = model.add_task(rows([0], 2)[0], "c", n_clusters=1)
    assert set(new.matched_labels) == {3}
    assert np.isnan(new.strength).all()


def test_tasks_can_be_added_one_after_the_other():
    model, _ = fitted(PerTask(n_clusters=3))
    for seed, name in enumerate(("c", ("d", 1)), start=2):
        X, kinds = rows([0, 1, 2, 6], seed)
        new = model.add_task(X, name, n_clusters=4)
        assert set(new.matched_labels[kinds == 6]) == {3}
    assert np.isfinite(new.strength).all()
    assert len(model.counterparts_) == 14 * 3
    assert model.cluster_links_.shape == (14, 14)
    np.testing.assert_array_equal(model.cluster_links_, model.cluster_links_.T)


def test_a_new_fit_forgets_what_was_added():
    model, _ = fitted(PerTask(n_clusters=3))
    X = rows([0, 1, 2], 2)[0]
    model.add_task(X, "c")
    model.fit(X)
    assert model.added_tasks_ == []
    assert model.task_names_.tolist() == ["all"]


def test_the_columns_of_a_new_frame_are_checked():
    A, _ = rows([0, 1, 2], 0)
    frame = pd.DataFrame(A).add_prefix("x")
    model = PerTask(n_clusters=3).fit(frame, tasks=["a"] * 24)
    assert len(model.add_task(frame, "b").labels) == 24
    with pytest.raises(ValueError, match="feature names"):
        model.add_task(frame.rename(columns={"x0": "y"}), "c")


@pytest.mark.parametrize(
    ("change", "name", "k", "message"),
    [
        (lambda X: X, "a", 3, "task 'a' is known to the model; give the new one another name"),
        (lambda X: X, None, 3, "missing"),
        (lambda X: X, ["c"], 3, "cannot be a name"),
        (lambda X: X[:, 1:], "c", 3, "9 features"),
        (lambda X: np.where(X[0, 0] == X, np.nan, X), "c", 3, "NaN"),
        (lambda X: X, "c", 99, "n_clusters is 99 but X has only 24 rows"),
        (lambda X: X, "c", None, "give n_clusters, the number for task 'c'"),
        (lambda X: X[:1], "c", 1, "task 'c' has 1 row"),
    ],
)
def test_a_task_that_cannot_be_added_changes_nothing(change, name, k, message):
    X, _ = rows([0, 1, 2], 0)
    model = PerTask(n_clusters={"a": 3}).fit(X, tasks=["a"] * 24)
    with pytest.raises(ValueError, match=message):
        model.add_task(change(X), name, n_clusters=k)
    assert model.task_names_.tolist() == ["a"]
    with pytest.raises(UnknownTaskError):
        model.predict(X, "c")


def test_what_is_not_fitted_says_so():
    with pytest.raises(NotFittedError):
        PerTask().add_task(np.eye(3), "c")
    assert not hasattr(PerTask(), "counterparts_")
    assert issubclass(InputError, ValueError)


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ([0, 2], "labels has 2 in row 1; give clusters of the row's task, from 0 to 1"),
        ([-1, 0], "labels has -1 in row 0"),
        ([0.0, 1.0], "give one whole number for each row"),
        (["a", "b"], "give one whole number for each row"),
        (None, "labels is None; give one whole number"),
        ([0, 2**70], r"beyond 2\*\*63"),
    ],
)
def test_labels_that_are_no_clusters_are_not_matched(labels, sentence):
    X = np.repeat(np.eye(4)[:2], 3, axis=0)
    model = PerTask(n_clusters=2).fit(np.vstack([X, X]), tasks=["a"] * 6 + ["b"] * 6)
    with pytest.raises(InputError, match=sentence):
        model.match(labels, ["a", "b"])
