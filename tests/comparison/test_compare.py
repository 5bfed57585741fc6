"""`kf.compare`: one call, the results, and everything that the command line leaves."""

import dataclasses
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

import kinfolk as kf
from kinfolk import catalogue, report
from kinfolk.catalogue import strategies
from kinfolk.comparison import settings
from kinfolk.comparison.notes import notes_on_help
from kinfolk.datasets import makers
from kinfolk.disk import file_sets
from kinfolk.errors import InputError
from kinfolk.methods.multitask.baselines import PerTask
from kinfolk.models import storage
from kinfolk.report import canvas

DATA = makers.make_related_blobs(20, 3, random_state=0)
K = {"n_clusters": 3, "method": "joint-spectral"}


@pytest.fixture(scope="module")
def found():
    return kf.compare(DATA, **K)


def test_a_table_gives_the_results_of_the_data_it_came_from(found):
    again = kf.compare(DATA.X, tasks=DATA.tasks, target=DATA.target, **K)
    for one, other in zip(again.results, found.results, strict=True):
        assert (one.name, one.description, one.scores) == (
            other.name,
            other.description,
            other.scores,
        )
        np.testing.assert_array_equal(one.labels, other.labels)


def test_the_frame_has_every_score_once(found):
    frame = found.frame()
    assert list(frame) == ["task", "strategy", "measure", "value"]
    assert len(frame) == 2 * 4 * 3
    scores = frame.set_index(["strategy", "measure", "task"])["value"].sort_index()
    assert scores.index.is_unique
    for result in found.results:
        for measure, of_tasks in result.scores.items():
            assert scores[result.name, measure].to_dict() == of_tasks


def test_tasks_named_by_numbers_may_have_their_own_numbers_of_clusters():
    years = np.where(DATA.tasks == "task-0", 2019, 2020)
    found = kf.compare(DATA.X, tasks=years, n_clusters={2019: 2, 2020: 3}, method="joint-spectral")
    assert found.data.task_names == ["2019", "2020"]
    assert found.model.estimator.n_clusters_.tolist() == [2, 3]
    pooled = found.results[1]
    assert "same number of clusters in every task" in pooled.reason
    assert "pooled" not in set(found.frame()["strategy"])
    assert ["pooled", "–"] in [line.split() for line in repr(found).splitlines()]


def test_the_model_assigns_new_rows(found):
    assigned = found.model.assign(DATA)
    np.testing.assert_array_equal(assigned.labels, found.results[2].labels)


def test_labels_are_those_of_labels_csv(found, tmp_path):
    found.save(tmp_path / "out")
    written = pd.read_csv(tmp_path / "out" / "labels.csv", dtype={"row": str})
    labels = found.labels().astype({"row": str})
    pd.testing.assert_frame_equal(labels.round({"strength": 4}), written)
    named = kf.compare(DATA, names={0: "young"}, **K).labels()
    assert set(named["name"][named["matched_cluster"] == 0]) == {"young"}


def test_a_comparison_reads_as_a_table_of_mean_scores(found):
    text = repr(found)
    assert max(map(len, text.splitlines())) <= 88
    before, table = text.split("\njoint-spectral on ")
    assert before.startswith("The 40 rows of 2 data sets are of ")
    title, head, *lines = f"joint-spectral on {table}".splitlines()
    assert " ".join(lines[4:]).startswith(
        "Measured against the true classes (accuracy in %), clustering together"
    )
    assert title == f"joint-spectral on {DATA.name}: 40 rows in 2 tasks; mean scores of the tasks"
    assert head.split() == ["silhouette", "accuracy", "nmi"]
    for line, result in zip(lines[:4], found.results, strict=True):
        mean = np.mean(list(result.scores["silhouette"].values()))
        assert line.startswith(result.name)
        assert line.removeprefix(result.name).split()[0] == f"{mean:.3f}"


def test_a_notebook_shows_the_same_table_with_names_that_are_only_names():
    tasks = np.where(DATA.tasks == "task-0", "<script>", "b")
    data = kf.RelatedData("<b>", tasks, DATA.row_ids, DATA.X, DATA.feature_names)
    shown = kf.compare(data, n_clusters=2, method="kmeans")._repr_html_()
    assert "<table><caption>kmeans on &lt;b&gt;: 40 rows" in shown
    assert shown.startswith("<p>The 40 rows of 2 data sets are of ")
    assert "<script>" not in shown
    assert shown.count("<tr>") == 1 + 3


def test_saving_leaves_labels_a_model_and_a_report(found, tmp_path, monkeypatch):
    monkeypatch.setattr(canvas, "svg", lambda *_, **__: "<svg></svg>")
    found.save(tmp_path / "out")
    left = ["labels.csv", "model", "profiles.csv", "report.html", "run.json"]
    assert sorted(os.listdir(tmp_path / "out")) == left
    assert file_sets.damaged(tmp_path / "out") == []
    labels = pd.read_csv(tmp_path / "out" / "labels.csv")
    np.testing.assert_array_equal(labels["cluster"], found.results[2].labels)
    assert kf.load(tmp_path / "out" / "model").method == "joint-spectral"
    found.report(tmp_path / "alone.html")
    page = (tmp_path / "alone.html").read_text("utf-8")
    assert page == (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "joint-spectral" in page
    # One run: its identifier stands in the page, in the model and in run.json.
    (run,) = {entry.run for entry in file_sets.entries(tmp_path / "out").values()}
    assert f"run {run}." in page
    assert storage.load(tmp_path / "out" / "model").run == run


def test_an_older_run_is_replaced_and_a_file_of_somebody_else_is_not(found, tmp_path, monkeypatch):
    monkeypatch.setattr(canvas, "svg", lambda *_, **__: "<svg></svg>")
    (tmp_path / "notes.txt").write_text("mine")
    found.save(tmp_path)
    found.save(tmp_path)
    (tmp_path / "report.html").write_text("mine, too")
    with pytest.raises(InputError, match="report.html was changed after Kinfolk wrote it"):
        found.save(tmp_path)
    with pytest.raises(InputError, match="report.html belongs to the run in that folder"):
        found.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == "mine, too"
    found.save(tmp_path, overwrite=True)
    found.report(tmp_path / "report.html", overwrite=True)
    assert file_sets.damaged(tmp_path) == []
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_nothing_is_written_where_something_else_would_be_lost(found, tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="no model"):
        found.save(tmp_path)
    assert os.listdir(tmp_path) == ["model"]


def test_centers_in_a_file_are_read_matched_and_used(tmp_path):
    names = DATA.feature_names[::-1]
    known = kf.Knowledge(DATA.X[:3, ::-1], [10.0] * 3, names)
    known.save(tmp_path / "site")
    for knowledge in (known, tmp_path / "site", str(tmp_path / "site")):
        found = kf.compare(DATA, n_clusters=3, method="kt-mec", knowledge=knowledge)
        used = found.model.estimator.estimator.knowledge
        assert used.feature_names == DATA.feature_names
        np.testing.assert_array_equal(used.cluster_centers, DATA.X[:3])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"labels": DATA.target}, "joint-spectral takes no labels: leave it out, or choose method"),
        ({"views": {"a": slice(0, 1)}}, "takes no views: leave it out, or choose method kinfolk"),
        ({"knowledge": "site"}, "takes no knowledge: .* choose method kt-mec"),
        ({"parameters": {"knowledge": "site"}}, "takes no knowledge"),
        ({"n_clusters": "auto"}, "cannot find the number of clusters itself"),
        ({"n_clusters": None}, "n_clusters is None; give one number, or a mapping of tasks.$"),
        ({"n_clusters": None, "method": "kinfolk"}, 'a mapping of tasks, or "auto".$'),
        ({"method": "jointspectral"}, "did you mean 'joint-spectral'"),
        ({"parameters": {"noise": 1}}, "has no parameter 'noise'"),
    ],
)
def test_what_the_method_cannot_use_is_refused_before_rows_are_read(options, sentence):
    with pytest.raises(InputError, match=sentence):
        kf.compare("no-such-file.csv" if "parameters" not in options else DATA, **K | options)


def test_a_broken_method_is_not_hidden(monkeypatch):
    def broken(self, X, y=None, tasks=None):
        raise ValueError("operands could not be broadcast together")

    monkeypatch.setattr(PerTask, "fit", broken)
    with pytest.raises(ValueError, match="could not be broadcast"):
        kf.compare(DATA, **K)


@pytest.mark.parametrize("error", [np.linalg.LinAlgError("singular"), MemoryError()])
def test_a_baseline_that_cannot_be_fitted_says_why(error, monkeypatch):
    def failing(self, X, y=None, tasks=None):
        raise error

    monkeypatch.setattr(kf.Pooled, "fit", failing)
    pooled = kf.compare(DATA, **K).results[1]
    assert pooled.labels is None
    assert pooled.reason == (str(error) or "MemoryError")


def test_a_task_without_a_score_does_not_count_in_the_mean(found):
    name, *_ = DATA.task_names
    results = [dataclasses.replace(result, scores={}) for result in found.results]
    for result, value in zip(results, (np.nan, 0.25, 0.75, 1.0), strict=True):
        result.scores["nmi"] = {name: value, "other": np.nan}
    changed = dataclasses.replace(found, study=dataclasses.replace(found.study, results=results))
    measured, lines = changed.table()
    assert measured == ["nmi"]
    assert [mean for _, mean in lines] == ["\N{EN DASH}", "0.250", "0.750", "1.000"]


def test_a_strategy_that_does_not_apply_has_no_line_of_scores():
    one = kf.compare(DATA, n_clusters=3, method="kmeans")
    assert set(one.frame()["strategy"]) == {"alone", "pooled"}
    measured, lines = one.table()
    assert lines[2] == ["together", *["\N{EN DASH}"] * len(measured)]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.5, "0.5"),
        (None, "None"),
        (KMeans(3), "KMeans"),
        ({"ink": slice(0, 2), "pen": slice(2, 5)}, "ink: 1 to 2, pen: 3 to 5"),
        ({"a": 2}, "{'a': 2}"),
        (kf.Knowledge([[1.0, 2.0]], [30.0]), "1 center of 2 columns, scaling none"),
    ],
)
def test_settings_show_long_values_in_few_words(value, shown):
    found = settings.settings("mec", {"views": value}, kf.Preparation(), 5)
    assert found["views"] == shown
    assert (found["method"], found["seed"]) == ("mec", "5")
    assert found["preparation: scale"] == "none"


@pytest.mark.parametrize("library", ["jinja2", "matplotlib"])
def test_only_the_report_needs_its_libraries(library, found, tmp_path, monkeypatch):
    for name in list(sys.modules):
        if name.startswith("kinfolk.report.") and name != "kinfolk.report.study":
            monkeypatch.delitem(sys.modules, name)
            monkeypatch.delattr(report, name.removeprefix("kinfolk.report."), raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    assert len(kf.compare(DATA, **K).results) == 4
    with pytest.raises(kf.errors.MissingExtraError, match=rf"need {library}, .*\[app\]'"):
        found.report(tmp_path / "page.html")


def test_frames_need_pandas(found, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(kf.errors.MissingExtraError, match=r"need pandas, .*\[app\]'"):
        found.frame()


LIGHT = """
import sys, kinfolk
print([extra for extra in ("jinja2", "matplotlib", "typer") if extra in sys.modules])
"""


def test_importing_kinfolk_imports_no_extras():
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_method_is_told_whether_columns_are_scaled_already():
    frame = pd.DataFrame(DATA.X, columns=["x", "y", "z"]).assign(task=DATA.tasks)
    options = {"tasks": "task", "n_clusters": 3, "parameters": {"families": ["kmeans"]}}
    assert not kf.compare(frame, **options).model.estimator.columns_are_scaled
    mixed = frame.assign(plan=np.where(np.arange(len(frame)) % 2, "free", "paid"))
    words = mixed[["task", "plan"]].assign(land=np.where(DATA.X[:, 0] > 0, "north", "south"))
    words["size"] = np.where(DATA.X[:, 1] > 0, "few", "many")
    assert not kf.compare(words, **options).model.estimator.columns_are_scaled
    told = kf.compare(mixed, **options)
    assert told.model.estimator.columns_are_scaled
    assert told.study.settings["preparation: taken for category"] == "plan"
    assert told.study.settings["preparation: taken for number"] == "x, y, z"
    options["parameters"]["columns_are_scaled"] = False
    assert not kf.compare(mixed, **options).model.estimator.columns_are_scaled


def test_classes_of_all_rows_are_not_used_and_the_notes_say_so():
    blobs = makers.make_related_blobs(random_state=0)
    for labels, told in ((blobs.target, True), (np.where(np.arange(len(blobs)) % 2, -1, 0), False)):
        setup = strategies.Setup(catalogue.method("kinfolk"), blobs, 3, 0, {}, labels)
        assert any("class of every row" in note for note in notes_on_help(setup)) == told


def test_groups_that_only_some_data_sets_have_are_matched_on_the_scale_of_the_table():
    random = np.random.default_rng(0)
    owned = {"a": [0, 1, 2], "b": [1, 2, 3], "c": [0, 2, 3]}
    tasks = np.repeat(list(owned), 60)
    target = np.array([random.choice(owned[task]) for task in tasks])
    X = 6 * np.eye(4)[target] + random.normal(size=(180, 4))
    frame = pd.DataFrame(X, columns=list("wxyz"))
    frame["plan"] = np.where(random.random(180) < 0.8, np.array(list("pqrs"))[target], "p")
    method = {"n_clusters": 3, "method": "kmeans", "random_state": 0}
    made = kf.compare(frame, tasks=tasks, **method)
    matched = made.model.estimator.matched_labels_
    assert adjusted_rand_score(target, matched) > 0.95
    # Without that scale the means of the data sets, which have other groups, are all there is.
    blind = kf.Preparation()
    rows = blind.fit_transform(made.data)
    alone = PerTask(KMeans(n_init=10, random_state=0), 3).fit(rows, tasks=tasks)
    assert adjusted_rand_score(target, alone.matched_labels_) < 0.8


def test_tasks_that_are_numbers_read_the_same_as_floats():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=40), "y": rng.normal(size=40)})
    sites = np.repeat([1.0, 2.0], 20)
    given = kf.compare(frame, tasks=sites, n_clusters={1.0: 2, 2.0: 3}, method="kmeans")
    named = kf.compare(frame.assign(site=sites), tasks="site", n_clusters=2, method="kmeans")
    assert set(given.labels().task) == set(named.labels().task) == {"1", "2"}
    assert len(named.model.assign(frame, tasks=sites).labels) == 40
