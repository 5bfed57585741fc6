"""`kinfolk results`: what a store holds, shown and exported."""

import csv
import io
import json
from pathlib import Path

import pytest

from kinfolk import cli
from kinfolk.papers.store import Outcome, RunSpec, Store

DONE = Outcome(
    "done",
    seconds=2.0,
    peak_memory=2**20,
    objective=3.5,
    scores={
        "silhouette": {"forms": 0.25, "scans": 0.75},
        "accuracy": {"forms": 0.5, "scans": 1.0},
        "nmi": {"forms": 0.2, "scans": float("nan")},
    },
)
RUNS = [
    (RunSpec("digits", "mtcfir", seed=0), DONE),
    (RunSpec("digits", "mtcfir", seed=1, parameters={"noise": 0.5}), DONE),
    (RunSpec("digits", "kmeans", "alone"), Outcome("done", scores={"silhouette": {"forms": 0.0}})),
    (RunSpec("pages", "lssmtc"), Outcome("refused", "needs the same number | of\nclusters")),
]


@pytest.fixture
def store(at_home):
    with Store("runs.sqlite") as kept:
        for run, outcome in RUNS:
            kept.record(kept.claim(run, "c"), outcome)
    return at_home / "runs.sqlite"


def exported(kinfolk, *arguments):
    said = kinfolk("results", *arguments, "--format", "json")
    assert said.code == 0
    return json.loads(said.out)


def test_methods_are_shown_with_their_means(kinfolk, store):
    lines = exported(kinfolk, store)
    assert [(line["data"], line["method"], line["strategy"], line["runs"]) for line in lines] == [
        ("digits", "mtcfir", "together", 2),
        ("digits", "kmeans", "alone", 1),
        ("pages", "lssmtc", "together", 0),
    ]
    assert (lines[0]["accuracy"], lines[0]["nmi"], lines[0]["silhouette"]) == (0.75, 0.2, 0.5)
    assert (lines[0]["settings"], lines[0]["seconds"]) == (2, 2.0)
    assert lines[1]["accuracy"] is None
    assert lines[2]["not done"] == "1 refused"


def test_runs_are_shown_with_what_went_wrong(kinfolk, store):
    lines = exported(kinfolk, store, "--by", "run")
    assert [line["status"] for line in lines] == ["done", "done", "done", "refused"]
    assert lines[1]["parameters"] == '{"noise": 0.5}'
    assert lines[3]["error"] == RUNS[3][1].error


def test_tasks_are_shown_one_by_one(kinfolk, store):
    lines = exported(kinfolk, store, "--by", "task", "--method", "mtcfir")
    assert [(line["seed"], line["task"], line["accuracy"]) for line in lines] == [
        (0, "forms", 0.5),
        (0, "scans", 1.0),
        (1, "forms", 0.5),
        (1, "scans", 1.0),
    ]


@pytest.mark.parametrize(
    ("options", "methods"),
    [
        (("--data", "pages"), ["lssmtc"]),
        (("--method", "kmeans", "--method", "lssmtc"), ["kmeans", "lssmtc"]),
        (("--status", "refused"), ["lssmtc"]),
        (("--strategy", "alone"), ["kmeans"]),
    ],
)
def test_runs_are_chosen_by_what_they_are(kinfolk, store, options, methods):
    assert [line["method"] for line in exported(kinfolk, store, *options)] == methods


def test_the_former_name_of_strategy_is_accepted(kinfolk, store):
    said = kinfolk("results", store, "--way", "alone", "--strategy", "pooled", "--format", "json")
    assert [line["strategy"] for line in json.loads(said.out)] == ["alone"]
    assert "--way is now called --strategy" in said.err
    assert "--way" not in kinfolk("results", "--help").out


def test_a_table_is_shown_by_default(kinfolk, store, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    said = kinfolk("results", store)
    assert said.code == 0
    for word in ("digits", "mtcfir", "together", "accuracy", "0.75", "1 refused"):
        assert word in said.out
    assert said.err == ""


@pytest.mark.parametrize("by", ["method", "run", "task"])
def test_every_view_is_exported_in_every_format(kinfolk, store, by):
    lines = exported(kinfolk, store, "--by", by)
    read = list(
        csv.DictReader(io.StringIO(kinfolk("results", store, "--by", by, "--format", "csv").out))
    )
    assert [{k: "" if v is None else str(v) for k, v in line.items()} for line in lines] == read
    marked = kinfolk("results", store, "--by", by, "--format", "md").out.splitlines()
    assert len(marked) == len(lines) + 2
    assert len({line.count(" | ") for line in marked}) == 1


@pytest.mark.parametrize("form", ["table", "csv", "json", "md"])
def test_a_file_is_written_instead(kinfolk, store, form):
    said = kinfolk("results", store, "--format", form, "--out", "kept")
    assert said == (0, "", "")
    kept = (store.parent / "kept").read_text()
    assert "mtcfir" in kept
    assert "0.75" in kept


def test_an_empty_choice_is_told(kinfolk, store):
    said = kinfolk("results", store, "--method", "mec", "--format", "csv")
    assert said.code == 0
    assert f"holds no such runs, but {len(RUNS)} other runs." in said.err


@pytest.mark.parametrize("form", ["table", "csv", "json", "md"])
def test_a_store_without_runs_says_how_to_get_some(kinfolk, form):
    with Store("new.sqlite"):
        pass
    said = kinfolk("results", "new.sqlite", "--format", form)
    assert said.code == 0
    assert said.err.startswith("new.sqlite holds no runs: `kinfolk reproduce ... --store new.sql")


def test_an_empty_file_is_said_to_be_empty(kinfolk):
    Path("empty.sqlite").touch()
    said = kinfolk("results", "empty.sqlite")
    assert said.code == cli.USAGE
    assert "The file empty.sqlite is empty and holds no runs" in said.err
    assert Path("empty.sqlite").stat().st_size == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("none.sqlite",), "There is no store none.sqlite"),
        (("text.csv",), "text.csv is no store of Kinfolk"),
        (("runs.sqlite", "--by", "color"), "choose one of method, run, task"),
        (("runs.sqlite", "--format", "xlsx"), "choose one of table, csv, json, md"),
    ],
)
def test_what_cannot_be_shown_is_told(kinfolk, store, arguments, why):
    (store.parent / "text.csv").write_text("a,b\n" * 50)
    said = kinfolk("results", *arguments)
    assert said.code == cli.USAGE
    assert why in said.err
    assert not (store.parent / "none.sqlite").exists()


@pytest.mark.parametrize("form", ["table", "csv", "json", "md"])
@pytest.mark.parametrize("by", ["method", "run", "task"])
def test_an_export_of_other_runs_replaces_one_of_the_same_form(kinfolk, store, form, by):
    options = ("--by", by, "--format", form, "--out", "kept")
    assert kinfolk("results", store, "--method", "mtcfir", *options).code == 0
    assert kinfolk("results", store, "--method", "kmeans", *options) == (0, "", "")
    assert "mtcfir" not in (store.parent / "kept").read_text()


@pytest.mark.parametrize("form", ["csv", "json", "md"])
def test_a_table_of_somebody_else_is_not_replaced(kinfolk, store, form):
    theirs = store.parent / "kept"
    theirs.write_text('[\n  {\n    "dates": 1\n  }\n]\ndata,class\n| data | class |\n')
    said = kinfolk("results", store, "--format", form, "--out", "kept")
    assert "was not written by Kinfolk" in said.err
    assert "class" in theirs.read_text()
