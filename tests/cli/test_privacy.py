"""What a run says of the rows in its model, and what its files must not say of the machine."""

import json
from pathlib import Path

import pandas as pd
import pytest

from kinfolk import catalogue
from kinfolk.cli.shown_command import shown
from kinfolk.estimators import kept_rows

SECRET = "ward-of-dr-grey"


@pytest.fixture
def far(table):
    """Fixture: the table in a folder with a telling name."""
    folder = table.parent / SECRET
    folder.mkdir()
    return table.rename(folder / "shops.csv")


def contents(folder):
    return {p.name: p.read_bytes() for p in Path(folder).rglob("*") if p.is_file()}


def test_no_file_of_a_run_names_a_folder_of_the_machine(kinfolk, far, roles, quick, tmp_path):
    out = tmp_path / "hall-7" / "out"
    said = kinfolk("run", far, *roles, *quick, "--out", out)
    assert said.code == 0, said.err
    found = contents(out)
    assert b"kinfolk run shops.csv" in found["report.html"]
    for name, content in found.items():
        for word in (SECRET, "hall-7", str(tmp_path), str(Path.home()) + "/"):
            assert word.encode() not in content, (name, word)


def test_notes_about_files_name_no_folder_either(kinfolk, far, quick):
    frame = pd.read_csv(far).drop(columns="kind")
    places = []
    for shop, rows in frame.groupby("shop"):
        places.append(far.parent / f"{shop}.csv")
        rows.drop(columns=["shop", *(["age"] if shop == "north" else [])]).to_csv(
            places[-1],
            index=False,
            sep=";",  # of which a note tells
        )
    said = kinfolk("run", *places, "--columns", "intersect", *quick, "--out", "out")
    assert said.code == 0, said.err
    for name, content in contents("out").items():
        assert SECRET.encode() not in content, name


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["/a/b c/x.csv"], "x.csv"),
        (["--out=/a/out"], "--out=out"),
        (["--out", "../out"], "--out out"),
        (["~/x.csv"], "x.csv"),
        (["C:\\rows\\x.csv", "a/b"], "x.csv a/b"),
        (["--views", "pix=pix_*,fou=fou_*"], "--views 'pix=pix_*,fou=fou_*'"),
        (["--only", "km/h"], "--only km/h"),
        (["/"], "/"),
    ],
)
def test_a_command_is_shown_with_names_of_files_only(arguments, expected):
    assert shown(arguments) == expected


def test_a_list_of_columns_longer_than_names_of_files_may_be_is_shown_as_it_is():
    columns = ",".join(f"column-{j}" for j in range(60)) + ",km/h"
    assert shown(["kinfolk", "run", "a.csv", "--ignore", columns]).endswith(columns)


def test_a_run_says_what_its_model_holds_and_so_do_model_and_report(kinfolk, table, roles, quick):
    said = kinfolk("run", table, *roles, *quick, "--out", "out")
    sentence = f"The model holds {kept_rows.MEANINGS['rows']}. 4 clusters have fewer than 10 rows"
    assert sentence in said.err
    found = contents("out")
    assert json.loads(found["model.json"])["holds"].startswith(sentence)
    page = found["report.html"].decode()
    assert sentence in page
    assert "This page shows single rows" in page


def test_a_method_without_rows_says_so(kinfolk, table, roles):
    said = kinfolk(
        *("run", table, *roles, "--clusters", 2, "--method", "per-task", "--quiet", "--out", "out")
    )
    assert f"The model holds {kept_rows.MEANINGS['labels']}" in said.err


@pytest.mark.parametrize(("name", "level"), [("mtcfir", "rows"), ("lssmtc", "memberships")])
def test_the_description_of_a_method_says_what_its_models_hold(kinfolk, name, level):
    said = kinfolk("methods", name)
    assert kept_rows.MEANINGS[level] in said.out
    listed = json.loads(kinfolk("methods", name, "--json").out)
    assert listed[0]["a stored model holds"] == kept_rows.MEANINGS[level]
    assert kept_rows.of(catalogue.method(name).make()) == level


def test_a_run_without_rows_stores_none(kinfolk, make_shops, roles):
    make_shops(each=15).to_csv("shops.csv", index=False)
    quick = ("--clusters", 2, "--method", "mtcfir", "--set", "n_init=1", "--quiet")
    said = kinfolk("run", "shops.csv", *roles, *quick, "--no-rows", "--out", "out")
    sentence = f"The model holds {kept_rows.MEANINGS['none']}."
    assert sentence in said.err
    found = contents("out")
    assert json.loads(found["model.json"])["holds"] == sentence
    assert sentence in found["report.html"].decode()
    assert len(found["labels.csv"].splitlines()) == 61
    again = kinfolk("assign", "out/model", "shops.csv", "--quiet")
    assert again.code == 0, again.err
    assert pd.read_csv("out/labels.csv")["cluster"].tolist() == [
        int(line.split(",")[2]) for line in again.out.splitlines()[1:]
    ]


def test_where_rows_cannot_be_left_out_all_but_the_model_is_written(kinfolk, table, roles, quick):
    said = kinfolk("run", table, *roles, *quick, "--no-rows", "--out", "out")
    assert said.code == 0
    assert "No model is stored, because --no-rows was asked for: cluster" in said.err
    assert "has fewer than 10 rows" in said.err
    found = contents("out")
    assert "labels.csv" in found
    assert "model.json" not in found
    assert "No model is stored." in found["report.html"].decode()
    said = kinfolk("run", table, *roles, *quick, "--no-rows", "--minimum", 5, "--out", "two")
    assert "The model holds nothing about single rows" in said.err
    assert "4 clusters have fewer than 10 rows" in said.err
