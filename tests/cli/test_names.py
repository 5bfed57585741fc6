"""Names of kinds stay with labels, profiles, model and new rows."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from kinfolk.disk import file_sets

OUT = Path("kinfolk-report")


@pytest.fixture
def run(kinfolk, table, quick):
    """Return a function that clusters customers by shop with further options."""
    pd.read_csv(table).drop(columns="kind").to_csv(table, index=False)

    def function(*options):
        return kinfolk("run", table, "--tasks", "shop", "--id", "customer", *quick, *options)

    return function


def names(file):
    frame = pd.read_csv(file)
    return dict(zip(frame["matched_cluster"], frame["name"], strict=True))


def test_a_run_writes_profiles_in_the_units_of_the_table(run, table):
    assert run("--scale", "standard").code == 0
    profiles = pd.read_csv(OUT / "profiles.csv")
    labels = pd.read_csv(OUT / "labels.csv")
    rows = pd.read_csv(table).merge(labels, left_on="customer", right_on="row")
    for (kind, shop), of_it in rows.groupby(["matched_cluster", "shop"]):
        line = profiles.query(f"matched_cluster == {kind} and task == '{shop}' and column == 'age'")
        assert line["rows"].item() == len(of_it)
        assert line["mean"].item() == pytest.approx(of_it["age"].mean(), rel=1e-5)


def test_names_given_to_a_run_stay_in_its_files_and_in_assign(kinfolk, run, table):
    assert run("--names", "0=young, new,1=old").code == 0
    expected = {0: "young, new", 1: "old"}
    assert names(OUT / "labels.csv") == expected
    profiles = pd.read_csv(OUT / "profiles.csv")
    assert set(profiles["name"]) == {"young, new", "old", "all kinds"}
    kinfolk("assign", OUT / "model", table, "--out", "new.csv")
    assert names("new.csv") == expected


def test_without_names_labels_have_no_column_of_names(run):
    run()
    assert "name" not in pd.read_csv(OUT / "labels.csv").columns


def test_a_run_tells_of_names_for_kinds_that_do_not_exist_and_keeps_its_result(run):
    said = run("--names", "0=young,9=nobody")
    assert said.code == 0
    assert "no kind 9 to name nobody: the kinds are 0 and 1" in re.sub(r"\s+", " ", said.err)
    assert names(OUT / "labels.csv") == {0: "young", 1: "kind 1"}


def test_wrong_names_are_refused_before_the_run(run):
    said = run("--names", "0=young,1=young")
    assert (said.code, OUT.exists()) == (2, False)
    assert "two kinds are named" in said.err


def test_kinds_are_named_after_the_run(kinfolk, run, table):
    run()
    assert kinfolk("name", OUT, "0=young", "1=old").code == 0
    assert names(OUT / "labels.csv") == {0: "young", 1: "old"}
    assert set(pd.read_csv(OUT / "profiles.csv")["name"]) == {"young", "old", "all kinds"}
    assert kinfolk("name", OUT, "1=<grown>, up").code == 0
    page = (OUT / "report.html").read_text("utf-8")
    assert '<span data-kind="0"> young</span>' in page
    assert '<span data-kind="1"> &lt;grown&gt;, up</span>' in page
    assert "old</span>" not in page
    kinfolk("assign", OUT / "model", table, "--out", "new.csv")
    assert names("new.csv") == {0: "young", 1: "<grown>, up"}
    again = pd.read_csv(OUT / "labels.csv")
    assert list(again.columns[:5]) == ["row", "task", "cluster", "matched_cluster", "strength"]


def test_the_report_of_a_named_run_is_that_of_a_run_with_the_names(kinfolk, run):
    assert run("--names", "0=old <gold>").code == 0
    expected = (OUT / "report.html").read_text("utf-8")
    assert run().code == 0
    kinfolk("name", OUT, "0=first & last")
    kinfolk("name", OUT, "0=old <gold>")
    page = (OUT / "report.html").read_text("utf-8")
    (headline,) = re.findall(r'<p class="lead">.*', page)
    assert '<span data-kinds="0">old &lt;gold&gt;</span>' in headline
    assert '<span data-kinds="1">kind\N{NO-BREAK SPACE}1</span>' in headline
    varying = re.compile(r"run [0-9a-f]{12}\.|<code>.*|\d+\.?\d* ?(s|ms)\b")
    assert varying.sub("", page) == varying.sub("", expected)


def test_files_with_new_names_are_still_one_set(kinfolk, run):
    run()
    (identifier,) = {entry.run for entry in file_sets.entries(OUT).values()}
    assert kinfolk("name", OUT, "0=young").code == 0
    assert file_sets.damaged(OUT) == []
    assert {entry.run for entry in file_sets.entries(OUT).values()} == {identifier}
    assert run().code == 0  # and may be replaced by a later run


def test_names_of_new_rows_can_be_given(kinfolk, run, table):
    run()
    kinfolk("assign", OUT / "model", table, "--names", "0=young", "--out", "new.csv")
    assert names("new.csv") == {0: "young", 1: "kind 1"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nowhere", "0=a"), "nowhere has no folder 'model'"),
        ((OUT, "7=a"), "There is no kind 7 to name a: the kinds are 0 and 1."),
        ((OUT, "a"), "give the number of a kind and its name"),
    ],
)
def test_names_that_do_not_fit_leave_the_folder_as_it_was(kinfolk, run, arguments, sentence):
    run()
    before = {file: file.read_bytes() for file in OUT.rglob("*") if file.is_file()}
    said = kinfolk("name", *arguments)
    assert said.code == 2
    assert sentence in re.sub(r"\s+", " ", said.err)
    assert before == {file: file.read_bytes() for file in OUT.rglob("*") if file.is_file()}


def test_names_are_sealed_with_the_model(kinfolk, run, table):
    run("--names", "0=young")
    header = OUT / "model" / "model.json"
    assert json.loads(header.read_text("utf-8"))["names"] == [[0, "young"]]
    header.write_text(header.read_text("utf-8").replace("young", "older"))
    said = kinfolk("assign", OUT / "model", table)
    assert said.code == 2
    assert "checksum" in said.err
