"""Displays draw what fitted models hold, on new axes or on those given, and refuse the rest."""

import sys
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import kinfolk as kf
from kinfolk.comparison import Comparison
from kinfolk.displays import base, rows
from kinfolk.errors import InputError, MissingExtraError


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def data():
    return kf.datasets.make_related_blobs(24, n_features=4, random_state=0)


@pytest.fixture(scope="module")
def model(data):
    return kf.Kinfolk(3, families=["kmeans", "mec"], random_state=0).fit(data.X, tasks=data.tasks)


@pytest.fixture(scope="module")
def found(data):
    return kf.compare(data, n_clusters=3, method="joint-spectral")


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_agreement_of_tasks_is_written_into_the_fields(model):
    display = kf.RelatednessDisplay.from_estimator(model)
    assert f"{model.task_agreement_[0, 1]:.2f}" in texts(display.ax_)
    assert display.figure_ is display.ax_.get_figure()
    display.figure_.canvas.draw()


def test_help_names_its_direction(data):
    mtcfir = kf.MTCFIR(3, n_init=1, random_state=0).fit(data.X, tasks=data.tasks)
    display = kf.RelatednessDisplay.from_estimator(mtcfir, kind="help")
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("help from", "help for")
    np.testing.assert_array_equal(display.values, mtcfir.task_relatedness_)


def test_given_axes_are_drawn_on(model):
    figure, ax = plt.subplots()
    display = kf.RelatednessDisplay.from_estimator(model, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is figure


def test_matched_clusters_have_their_sizes_and_kinds(data, model):
    display = kf.MatchedClustersDisplay.from_estimator(model, data.tasks)
    assert display.sizes.sum() == len(data)
    by_hand = [
        np.sum((data.tasks == task) & (model.labels_ == number)) for task, number in model.clusters_
    ]
    assert display.sizes.tolist() == by_hand
    assert {"0", "1", "2"} <= set(texts(display.ax_))
    display.figure_.canvas.draw()


def test_matched_clusters_take_tasks_that_are_numbers(data):
    numbers = np.where(data.tasks == "task-0", 7, 3)
    model = kf.PerTask(kf.MEC(random_state=0), 3).fit(data.X, tasks=numbers)
    display = kf.MatchedClustersDisplay.from_estimator(model, numbers)
    assert display.tasks == ["3", "7"]
    assert display.sizes.sum() == len(data)


def test_a_task_that_was_added_is_drawn_beside_those_of_the_fit(data):
    model = kf.Kinfolk(3, families=["kmeans", "mec"], random_state=0).fit(data.X, tasks=data.tasks)
    new = model.add_task(data.X[:20] + 0.1, "new", 2)
    matched = kf.MatchedClustersDisplay.from_estimator(model, data.tasks)
    assert matched.tasks == ["task-0", "task-1", "new"]
    assert matched.sizes[-2:].tolist() == np.bincount(new.labels).tolist()
    # What the fit learned is about its own tasks.
    assert kf.RelatednessDisplay.from_estimator(model).tasks == ["task-0", "task-1"]


def test_every_run_is_a_mark_of_its_task(model):
    display = kf.EvidenceDisplay.from_estimator(model)
    for axes, task in zip(display.axes_, ["task-0", "task-1"], strict=True):
        runs = [record for record in model.evidence_ if record["task"] == task]
        marks = sum(len(drawn.get_offsets()) for drawn in axes.collections)
        assert marks == len(runs) + 1  # the star of the answer
    names = {text.get_text() for text in display.figure_.legends[0].get_texts()}
    assert names == {"kmeans", "mec"}
    display.figure_.canvas.draw()


def test_curves_of_numbers_have_a_panel_each(data):
    suggestions = kf.suggest_clusters(data.X, data.tasks, random_state=0)
    figure, axes = plt.subplots(1, 2)
    display = kf.ClusterNumbersDisplay.from_suggestions(suggestions, ax=axes)
    assert display.figure_ is figure
    for suggestion, panel in zip(suggestions, axes, strict=True):
        assert f": {suggestion.number} (" in panel.get_title(loc="left")


def test_a_model_with_given_numbers_has_no_suggestions(model):
    with pytest.raises(InputError, match='n_clusters="auto"'):
        kf.ClusterNumbersDisplay.from_estimator(model)


def test_scores_have_a_line_for_each_task_and_a_mark_for_each_strategy(found):
    display = kf.ScoresDisplay.from_comparison(found, measure="accuracy")
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["task-0", "task-1"]
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == [result.name for result in found.results]
    first = display.ax_.collections[0].get_offsets()[:, 0]
    expected = [100 * value for value in found.results[0].scores["accuracy"].values()]
    np.testing.assert_allclose(first, expected)


def test_profiles_show_values_in_the_users_units():
    birds = kf.datasets.load_penguins()
    kinds = np.unique(birds.target, return_inverse=True)[1]
    display = kf.ProfilesDisplay.from_profiles(kf.profile(birds, kinds), columns=2)
    shown = texts(display.ax_)
    assert len(shown) == 2 * 3
    assert "5,092" in shown  # mean body mass of Gentoos in g
    display.figure_.canvas.draw()


def test_profiles_name_the_values_of_categories():
    plans = ["a", "b", "c", "a", "b", "c"]
    table = pd.DataFrame({"plan": plans, "age": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    display = kf.ProfilesDisplay.from_profiles(kf.profile(table, [0, 1, 1, 0, 1, 1]))
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert {"plan = a", "plan = b", "plan = c", "age"} == set(names)


def test_profiles_come_from_a_model_and_its_table(data, model):
    display = kf.ProfilesDisplay.from_estimator(model, data)
    assert len(display.profiles.kinds) == len(np.unique(model.matched_labels_))


def test_profiles_come_from_the_means_that_a_model_keeps(model):
    display = kf.ProfilesDisplay.from_estimator(model)
    assert display.profiles.sizes[-1, -1] == len(model.labels_)
    mec = kf.MEC(2, random_state=0).fit([[0.0], [1.0], [9.0]])
    with pytest.raises(InputError, match="MEC has no profiles_: give X"):
        kf.ProfilesDisplay.from_estimator(mec)


def test_rows_stand_in_one_plane_and_units_do_not_matter(data, model):
    one = kf.RowsDisplay.from_estimator(model, data.X, data.tasks)
    other = kf.RowsDisplay.from_estimator(model, data.X * [1.0, 1e4, 1.0, 1e-3], data.tasks)
    np.testing.assert_allclose(np.abs(one.points), np.abs(other.points), atol=1e-8)
    assert len({axes.get_xlim() for axes in one.axes_}) == 1


def test_rows_of_sparse_tables_and_of_one_task_are_drawn(data):
    X = sp.csr_array(np.abs(data.X))
    model = kf.MEC(3, random_state=0).fit(X)
    display = kf.RowsDisplay.from_estimator(model, X)
    assert display.points.shape == (len(data), 2)
    assert len(display.axes_) == 1


def test_umap_sees_rows_less_the_mean_of_their_task(data, model, monkeypatch):
    seen = {}

    class UMAP:
        def __init__(self, n_neighbors, **given):
            seen["given"] = given | {"n_neighbors": n_neighbors}

        def fit_transform(self, X):
            seen["X"] = X
            return X[:, :2]

    monkeypatch.setitem(sys.modules, "umap", SimpleNamespace(UMAP=UMAP))
    kf.RowsDisplay.from_estimator(model, data.X, data.tasks, projection="umap")
    for task in ("task-0", "task-1"):
        np.testing.assert_allclose(seen["X"][data.tasks == task].mean(axis=0), 0, atol=1e-12)
    assert seen["given"]["random_state"] == 0
    assert seen["given"]["n_neighbors"] == 15
    kf.RowsDisplay.from_estimator(kf.MEC(2).fit(data.X[:6]), data.X[:6], projection="umap")
    assert seen["given"]["n_neighbors"] == 5


def test_too_few_rows_for_umap_are_told_in_a_sentence(data, monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", SimpleNamespace())
    model = kf.MEC(2).fit(data.X[:3])
    with pytest.raises(InputError, match=r"needs at least 4 rows and there are 3; take"):
        kf.RowsDisplay.from_estimator(model, data.X[:3], projection="umap")


def test_tasks_may_be_a_column_of_the_frame_of_the_fit(data):
    frame = pd.DataFrame(data.X, columns=list("abcd")).assign(country=data.tasks)
    model = kf.PerTask(kf.MEC(random_state=0), 3).fit(frame, tasks="country")
    named = kf.RowsDisplay.from_estimator(model, frame, "country")
    other = kf.RowsDisplay.from_estimator(model, data.X, data.tasks)
    np.testing.assert_allclose(named.points, other.points)
    assert [axes.get_title() for axes in named.axes_] == ["task-0", "task-1"]


@pytest.mark.parametrize(
    "draw",
    [
        lambda m, d: kf.RowsDisplay.from_estimator(m, d.X, d.tasks),
        lambda m, d: kf.MatchedClustersDisplay.from_estimator(m, d.tasks),
        lambda m, d: kf.ProfilesDisplay.from_estimator(m, d.X, d.tasks),
    ],
)
def test_a_model_that_was_saved_without_rows_is_told_to_hold_no_labels(draw, data, model, tmp_path):
    kf.save(model, tmp_path / "model", rows=False, minimum_cluster_size=1)
    stored = kf.load(tmp_path / "model").estimator
    with pytest.raises(InputError, match="the model holds no labels of its rows.*rows=False"):
        draw(stored, data)


def test_a_missing_library_is_named_with_its_extra(data, model, monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(MissingExtraError, match=r"\[umap\]"):
        kf.RowsDisplay.from_estimator(model, data.X, data.tasks, projection="umap")
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtraError, match=r"\[app\]"):
        kf.RelatednessDisplay.from_estimator(model)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda m, d, f: kf.RelatednessDisplay.from_estimator(m, kind="x"), "choose"),
        (lambda m, d, f: kf.RelatednessDisplay.from_estimator(m, ax=3), "matplotlib axes"),
        (lambda m, d, f: kf.MatchedClustersDisplay.from_estimator(m, d.tasks[:5]), "of the fit"),
        (lambda m, d, f: kf.EvidenceDisplay.from_estimator(m, ax=plt.axes()), "2 data sets"),
        (lambda m, d, f: kf.ScoresDisplay.from_comparison(f, measure="x"), "silhouette"),
        (lambda m, d, f: kf.ScoresDisplay.from_comparison(3), "no Comparison; give the result of"),
        (lambda m, d, f: kf.ProfilesDisplay.from_profiles(f), "kf.profile"),
        (lambda m, d, f: kf.ClusterNumbersDisplay.from_suggestions([3]), "suggest_clusters"),
        (lambda m, d, f: kf.RowsDisplay.from_estimator(m, d.X, projection="x"), "umap"),
        (lambda m, d, f: kf.RowsDisplay.from_estimator(m, d.X[:5]), "table of the fit"),
        (lambda m, d, f: kf.RowsDisplay.from_estimator(m, holed(d.X)), "missing or infinite"),
        (lambda m, d, f: kf.RowsDisplay.from_estimator(m, worded(d.X)), "needs numbers"),
        (lambda m, d, f: kf.MatchedClustersDisplay.from_estimator(m, d.target), "to 'task-0"),
        (lambda m, d, f: kf.ProfilesDisplay.from_estimator(m, columns=0), "columns is 0"),
        (lambda m, d, f: kf.ClusterNumbersDisplay.from_suggestions([]), "suggest_clusters"),
        (lambda m, d, f: kf.ClusterNumbersDisplay.from_suggestions(5), "suggest_clusters"),
    ],
)
def test_wrong_calls_are_answered_in_a_sentence(call, sentence, data, model, found):
    with pytest.raises(InputError, match=sentence):
        call(model, data, found)


def holed(X):
    """Copy X with one number missing."""
    return np.where(np.arange(X.size).reshape(X.shape) == 1, np.nan, X)


def worded(X):
    """Make a data frame of X with a column of words."""
    return pd.DataFrame(X).assign(plan="a")


def test_a_measure_that_some_results_lack_is_refused_with_their_names():
    results = [
        SimpleNamespace(name="alone", scores={"nmi": {"a": 0.5}, "silhouette": {"a": 0.1}}),
        SimpleNamespace(name="pooled", scores={"silhouette": {"a": 0.2}}),
        SimpleNamespace(name="together", scores={}),
    ]
    comparison = Comparison(SimpleNamespace(results=results), None)
    with pytest.raises(InputError, match="'nmi', which 'pooled' lack; choose .* silhouette"):
        kf.ScoresDisplay.from_comparison(comparison, measure="nmi")


def test_a_model_without_the_attribute_is_told_what_has_it(data):
    mec = kf.MEC(3, random_state=0).fit(data.X)
    with pytest.raises(InputError, match=r"MEC has no evidence_: only kf\.Kinfolk"):
        kf.EvidenceDisplay.from_estimator(mec)


def test_panels_that_are_left_over_are_empty():
    axes = base.several(None, 4, (1.0, 1.0))
    assert len(axes) == 4
    hidden = [a for a in axes[0].get_figure().axes if not a.axison]
    assert len(hidden) == 2


def test_constant_columns_stay_as_they_are():
    X = np.array([[1.0, 2.0], [1.0, 4.0]])
    np.testing.assert_array_equal(rows._scaled(X, np.zeros(2, dtype=int))[:, 0], 1.0)
    # The mean of three times 0.1 is not quite 0.1.
    X = np.column_stack([np.full(7, 0.1), np.arange(7.0)])
    scaled = rows._scaled(X, np.repeat([0, 1], [3, 4]))
    np.testing.assert_array_equal(scaled[:, 0], 0.1)
    X = np.column_stack([np.full(1000, 1e6 + 0.1), np.arange(1000.0)])
    scaled = rows._scaled(X, np.repeat([0, 1], [30, 970]))
    np.testing.assert_array_equal(scaled[:, 0], 1e6 + 0.1)


def test_tasks_of_displays_are_joined_by_the_index_of_pandas(data, model):
    frame = pd.DataFrame(data.X, index=range(len(data.X)))
    turned = pd.Series(data.tasks, index=frame.index).iloc[::-1]
    display = kf.RowsDisplay.from_estimator(model, frame, turned)
    assert display.tasks.tolist() == [str(task) for task in data.tasks]


@pytest.mark.parametrize("tasks", [[["a"], ["b", "c"]], None, {"a": 1}])
def test_tasks_that_are_no_column_are_refused(data, model, tasks):
    with pytest.raises(InputError, match="tasks"):
        kf.MatchedClustersDisplay.from_estimator(model, tasks)
    if tasks is not None:
        with pytest.raises(InputError, match="task"):
            kf.RowsDisplay.from_estimator(model, data.X, tasks)


def test_a_projection_of_any_type_is_refused_in_a_sentence(data, model):
    with pytest.raises(InputError, match=r"projection is <NA>; choose one of 'principal', 'umap'"):
        kf.RowsDisplay.from_estimator(model, data.X, data.tasks, projection=pd.NA)
