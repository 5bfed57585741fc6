"""Notebooks show what a fit found, below the parameters that scikit-learn shows."""

import numpy as np
import pytest
import sklearn

import kinfolk as kf


@pytest.fixture(scope="module")
def model():
    birds = kf.datasets.load_penguins()
    tasks = np.where(birds.tasks == "male", "<male>", birds.tasks)
    families = ["kmeans", "mec"]
    return kf.Kinfolk(3, families=families, random_state=0).fit(birds.X, tasks=tasks)


def test_a_model_shows_its_kinds_and_what_sharing_changed(model):
    shown = model._repr_mimebundle_()["text/html"]
    assert model._repr_html_().endswith(shown[shown.index("<tr><th>kind</th>") :])
    for size in model.profiles_.sizes[:-1].ravel():
        assert f"<td>{size}</td>" in shown
    assert model.guard_[0]["meaning"] in shown
    assert "beside" in shown


def test_names_of_tasks_cannot_write_html(model):
    shown = model._repr_html_()
    assert "&lt;male&gt;" in shown
    assert "<male>" not in shown


def test_methods_with_known_classes_are_shown_though_their_records_have_no_sentence():
    X = np.array([[0.0, 9.0], [9.0, 0.0]] * 4)
    y = ["tea", "ore"] * 2 + [-1] * 4
    known = kf.CoCC(n_feature_clusters=2, random_state=0).fit(X, y, tasks=["a"] * 4 + ["b"] * 4)
    assert "<th>kind</th>" in known._repr_html_()


def test_before_a_fit_there_are_parameters_alone():
    assert "<li>" not in kf.Kinfolk(3)._repr_html_().partition("</style>")[2]


def test_texts_are_shown_to_those_who_ask_for_texts(model):
    with sklearn.config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()


def test_many_tasks_are_counted_and_not_listed():
    X = np.tile([[0.0], [1.0], [9.0]], (13, 1)) + np.arange(39)[:, None] / 1000
    many = kf.PerTask(n_clusters=2).fit(X, tasks=np.repeat(np.arange(13), 3))
    head = many._repr_html_().partition("<tr><th>kind</th>")[2].partition("</tr>")[0]
    assert head == "<th>rows</th><th>differs most in</th>"


def test_wide_models_that_keep_no_profiles_are_shown_without(model):
    bare = kf.PerTask(n_clusters=2).fit(np.eye(6), tasks=["a"] * 3 + ["b"] * 3)
    bare._moments = None
    assert not hasattr(bare, "profiles_")
    assert "profiles_" not in dir(bare)
    assert "<th>kind</th>" not in bare._repr_html_()
