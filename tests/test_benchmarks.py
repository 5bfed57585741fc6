"""The two benchmarks of ordinary tables: what they measure, mark and write."""

import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks import (
    comparison,
    convergence,
    defaults,
    folders,
    measuring,
    ordinary,
    other_python,
    text_tables,
    view_contest,
)

from kinfolk.errors import MissingDataError

PASSING = {"fall": 0.05, "labels": 1.0, "rises": 0}


@pytest.fixture
def groups():
    """Make two clear groups in each of two tasks."""
    random = np.random.RandomState(0)
    target = np.tile([0, 1], 20)
    X = 5.0 * np.eye(2)[target] + 0.1 * random.normal(size=(40, 2))
    return ordinary.Ordinary(X, np.repeat(["a", "b"], 20), target.astype(str))


@pytest.mark.parametrize("name", ["mec", "lssmtc", "comvcf-n", "joint-spectral"])
def test_clear_groups_are_found(name, groups):
    found = defaults.measured(name, groups, 0)
    assert found["accuracy"] == {"a": 1.0, "b": 1.0}
    assert not found["refusal"]


@pytest.mark.parametrize("name", ["kt-mec", "lssttc"])
def test_the_task_that_helps_is_not_judged(name, groups):
    assert defaults.measured(name, groups, 0)["accuracy"] == {"b": 1.0}


def test_a_refusal_is_kept_as_a_sentence(groups):
    groups.target[20:] = "2"  # one class in the second task
    found = defaults.measured("lssmtc", groups, 0)
    assert found["accuracy"] == {}
    assert "number of clusters" in found["refusal"]


def test_a_descent_that_ended_changes_nothing_with_more_sweeps(groups):
    found = convergence.measured("mec", groups, 0)
    assert found["converged"]
    assert convergence.passes(found)


def test_clusters_with_other_numbers_have_not_moved():
    tasks = np.repeat(["a", "b"], 4)
    before = np.array([0, 0, 1, 1, 0, 0, 1, 1])
    assert convergence.moved(before, np.array([1, 1, 0, 0, 0, 0, 1, 1]), tasks) == 0.0
    assert convergence.moved(before, np.array([1, 1, 0, 0, 0, 1, 1, 1]), tasks) == 0.125


@pytest.mark.parametrize(
    ("change", "passes"),
    [({}, True), ({"fall": 0.1}, False), ({"labels": 1.1}, False), ({"rises": 1}, False)],
)
def test_the_rule(change, passes):
    assert convergence.passes(PASSING | change) == passes


def test_the_start_that_ends_lowest_is_shown_with_the_labels_of_the_worst():
    run = {"refusal": "", "sweeps": 9, **PASSING, "objective": 1.0}
    worse = {**run, "objective": 2.0, "sweeps": 7, "fall": 7.0}
    assert convergence._cell([worse, run]) == "9"
    assert convergence._cell([{**worse, "labels": 4.0}, run]) == "9 (4.0 %)"
    assert convergence._cell([worse]) == "**7**"
    assert convergence._cell([{**worse, "rises": 1}, run]) == "**9**"
    assert convergence._cell([{"refusal": "Too few rows."}]) == "refused"


def test_cells_below_k_means_are_marked_with_what_the_method_said(tmp_path):
    def write(method, accuracy, warnings=(), refusal=""):
        run = {"accuracy": accuracy, "warnings": [*warnings], "refusal": refusal}
        (tmp_path / f"iris_{method}_0.json").write_text(json.dumps(run))

    write("alone", {"a": 0.9, "b": 0.8})
    write("mec", {"a": 0.8, "b": 0.8})
    write("asi", {"a": 0.8, "b": 0.78}, ["Scale the columns."])
    write("soft-kmeans", {"a": 0.8, "b": 0.7}, ["Scale the columns."])
    write("lssmtc", {}, refusal="Numbers of clusters differ.")
    write("kt-mec", {"b": 0.76})  # .04 below on the task that it is judged on
    page = defaults._page(tmp_path)
    table = page.partition("\n\n")[0].splitlines()
    lines = {line.split("|")[1].strip(): line for line in table}
    assert "0.800 |" in lines["mec"]
    assert "0.790*" in lines["asi"]
    assert "0.760 |" in lines["kt-mec"]
    assert "| Scale the columns. | soft-kmeans: iris -0.100; asi: iris -0.060 |" in page
    assert "| Numbers of clusters differ. | lssmtc: iris refused |" in page
    assert "2 cells are more than 0.05 below" in page


def test_parts_are_the_same_every_time():
    first = ordinary.SETS["iris"](None)
    again = ordinary.SETS["iris"](None)
    np.testing.assert_array_equal(first.X, again.X)
    assert first.n_clusters == {"part 1": 3, "part 2": 3}
    np.testing.assert_allclose(first.X.std(axis=0), 1)
    few = ordinary.drawn(first, 5)
    assert len(few.X) == 30


def test_a_page_keeps_what_stands_above_the_mark(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"# Title\n\n{text_tables.MARK}\n\nold\n")
    text_tables.put(page, "new\n")
    assert page.read_text() == f"# Title\n\n{text_tables.MARK}\n\nnew\n"
    text_tables.put(tmp_path / "other.md", "new\n")
    assert (tmp_path / "other.md").read_text() == "new\n"


@pytest.mark.parametrize("benchmark", [convergence, defaults])
def test_missing_runs_are_made_once_and_missing_sets_are_named_once(
    benchmark, groups, tmp_path, monkeypatch, capsys
):
    def load(folder):
        raise MissingDataError("there is no such set")

    monkeypatch.setattr(ordinary, "SETS", {"clear": lambda folder: groups, "gone": load})
    options = ["--only", "gone", "clear", "--methods", "mec", "soft-kmeans"]
    seeds = [] if benchmark is convergence else ["--seeds", "2"]
    command = ["benchmark", "--runs", str(tmp_path / "runs"), "--data", str(tmp_path)]
    monkeypatch.setattr("sys.argv", [*command, *options, *seeds])
    benchmark.main()
    said = capsys.readouterr().out
    assert said.count("gone: there is no such set") == 1
    made = {file: file.stat().st_mtime_ns for file in (tmp_path / "runs").iterdir()}
    assert len(made) == (4 if seeds else 2)
    benchmark.main()
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "runs").iterdir()} == made


def test_the_name_of_a_run_is_that_of_a_file(tmp_path):
    assert folders.file(tmp_path, "digits/16", "k-means, alone", 0).name == (
        "digits-16_k-means-alone_0.json"
    )


def test_another_python_that_fails_is_named_with_its_last_words():
    with pytest.raises(other_python.AbsentError, match="^x left out: .*no_such_module"):
        other_python.ask("no_such_module", "x", {}, sys.executable, 60)


def test_a_method_of_several_views_gets_a_line_of_the_contest(tmp_path):
    random = np.random.RandomState(0)
    y = np.arange(60) % 3
    views = [view_contest.prepared(4.0 * np.eye(4)[y] + random.normal(size=(60, 4))) for _ in "ab"]
    assert np.allclose(views[0].std(axis=0), 1)
    np.savez(tmp_path / "views.npz", **{str(i): view for i, view in enumerate(views)})
    job = {"path": str(tmp_path / "views.npz"), "k": 3, "seeds": [0, 1], "patience": 60}
    assert len(view_contest._run("cofkm", {**job, "seconds": 60})["labels"]) == 2
    found = view_contest._run("cofkm", {**job, "seconds": 0})  # one repeat is always made
    assert len(found["labels"]) == len(found["seconds"]) == 1
    assert len(found["labels"][0]) == 60
    assert found["megabytes"] >= 0
    assert set(view_contest.OURS) <= set(view_contest.ALL)


def test_a_fit_that_uses_up_its_processor_time_has_no_result():
    def forever():
        while True:
            pass

    assert view_contest.limited(forever, 0.1) is None
    assert view_contest.limited(lambda: 3, 10) == 3


def test_a_literal_form_that_did_not_run_stays_without_a_measurement(monkeypatch):
    one = SimpleNamespace(seconds=1.0, answer=SimpleNamespace(sweeps=1))
    monkeypatch.setattr(measuring, "measure", lambda *_: one)
    monkeypatch.setattr(measuring, "products", lambda *_: (0.0, 0.5))
    case = SimpleNamespace(literal_key="key", hours=1.0)
    known = {}
    for _ in range(2):
        found = comparison.measured(case, None, known, 1)
        assert found == (None, one, (0.0, 0.5))
