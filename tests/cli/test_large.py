"""`kinfolk run` of a file larger than memory: labels of all rows from a model of a sample."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kinfolk.cli import large
from kinfolk.running import processes
from kinfolk.sources import large_files

QUICK = ("--clusters", "2", "--method", "per-task", "--quiet")


@pytest.fixture
def little_memory(monkeypatch):
    """A machine whose memory is too small for any table, and samples of 60 rows."""
    monkeypatch.setattr(processes, "memory", lambda: 100)
    monkeypatch.setattr(large_files, "PART", 50)
    monkeypatch.setattr(large, "SAMPLE_ROWS", 60)


def labels(folder):
    return pd.read_csv(Path(folder) / "labels.csv", dtype={"row": str, "task": str})


@pytest.fixture
def shops(make_shops):
    """220 customers in random order: two kinds in two shops."""
    return make_shops(each=55).sample(frac=1, random_state=0)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_labels_have_all_rows_in_order_and_are_those_of_the_kinds(
    kinfolk, shops, suffix, little_memory
):
    path = Path(f"shops{suffix}")
    rows = shops.drop(columns="kind")
    rows.to_csv(path, index=False) if suffix == ".csv" else rows.to_parquet(path)
    said = kinfolk("run", path, "--tasks", "shop", "--id", "customer", *QUICK, "--out", "out")
    assert said.code == 0, said.err
    assert "saw 60 of its 220 rows" in said.err
    assert "saw 60 of its 220 rows" in Path("out/report.html").read_text("utf-8")
    found = labels("out")
    assert found["row"].tolist() == shops["customer"].tolist()
    assert found["task"].tolist() == shops["shop"].tolist()
    kinds = pd.crosstab(shops["kind"].to_numpy(), found["matched_cluster"].to_numpy())
    assert kinds.astype(bool).sum(axis=1).tolist() == [1, 1]
    assert sorted(path.name for path in Path().iterdir()) == ["out", f"shops{suffix}"]
    assert kinfolk("run", path, "--tasks", "shop", *QUICK, "--out", "out").code == 0


def check_numbers_of_whole_rows(kinfolk, shops, gaps):
    """Check the numbers of rows after a run without the rows that have gaps."""
    shops = shops.drop(columns=["kind", "customer"]).reset_index(drop=True)
    shops.loc[shops.index[gaps], "age"] = np.nan
    shops.to_csv("shops.csv", index=False)
    said = kinfolk(
        "run", "shops.csv", "--tasks", "shop", "--missing", "drop", *QUICK, "--out", "out"
    )
    assert said.code == 0, said.err
    kept = shops.index[shops["age"].notna()] + 1
    assert labels("out")["row"].astype(int).tolist() == kept.tolist()


def test_rows_without_names_are_numbered_in_the_whole_file(kinfolk, shops, little_memory):
    """With --missing drop rows with gaps are left out, and the others keep their numbers."""
    check_numbers_of_whole_rows(kinfolk, shops, [3, 120])


@pytest.mark.parametrize("gaps", [slice(0, 50), slice(100, 149), slice(200, 220)])
def test_parts_may_hold_only_rows_with_gaps_of_a_task_or_of_all(
    kinfolk, shops, gaps, little_memory
):
    check_numbers_of_whole_rows(kinfolk, shops, gaps)


@pytest.mark.parametrize("row", [70, 220])
def test_errors_name_the_row_of_the_whole_file(kinfolk, shops, row, little_memory):
    """The fault lies in a part that is assigned, or in the sample, which may hold any row."""
    shops = shops.drop(columns=["customer"]).reset_index(drop=True)
    shops.loc[row - 1, "age"] = np.inf
    shops.to_csv("shops.csv", index=False)
    said = kinfolk("run", "shops.csv", "--tasks", "shop", *QUICK, "--out", "out")
    assert said.code == 2
    assert f"shops.csv: data row {row} has an infinite number in column 'age'" in said.err


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("field", ["1,1", '"1'])
def test_errors_of_damaged_lines_name_the_line_of_the_whole_file(
    kinfolk, field, header, little_memory
):
    lines = [*(["0,1,2"] if header else []), *(f"{i % 2},{i},{i % 7}" for i in range(170))]
    lines[120] = f"0,1,{field}"
    Path("lines.csv").write_text("\n".join(lines))
    given = ["--tasks", "0"] if header else ["--no-header"]
    told = kinfolk("run", "lines.csv", *given, *QUICK, "--out", "out")
    assert told.code == 2
    place = "starting at row 120" if '"' in field else "in line 121"
    assert place in told.err


@pytest.mark.parametrize("same", [True, False])
def test_a_name_that_another_part_has_is_refused_within_a_task(kinfolk, shops, same, little_memory):
    shops = shops.drop(columns="kind").reset_index(drop=True)
    last = shops.index[-1]
    there = (shops["shop"] == shops.loc[last, "shop"]) == same
    name = shops.loc[there, "customer"].iloc[0]
    shops.loc[last, "customer"] = name
    shops.to_csv("shops.csv", index=False)
    said = kinfolk(
        "run", "shops.csv", "--tasks", "shop", "--id", "customer", *QUICK, "--out", "out"
    )
    assert said.code == (2 if same else 0)
    assert (f"shops.csv: Row id '{name}' stands more than once" in said.err) == same
    assert Path("out").exists() != same


def test_mixed_columns_are_read_alike_in_all_parts(kinfolk, shops, little_memory):
    """A column that holds only words in the last part is one of words in all of them."""
    shops["plan"] = np.where(shops["kind"] == "young", "1", "2")
    shops.iloc[-50:, shops.columns.get_loc("plan")] = "none"
    shops.drop(columns=["kind", "customer"]).to_csv("shops.csv", index=False)
    said = kinfolk(
        "run", "shops.csv", "--tasks", "shop", "--as", "plan=category", *QUICK, "--out", "out"
    )
    assert said.code == 0, said.err
    assert len(labels("out")) == len(shops)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_several_answers_are_read_alike_in_all_parts(kinfolk, shops, little_memory, suffix):
    """A part whose cells have one answer each has the columns of the sample, too."""
    young = (shops["kind"] == "young").to_numpy()
    place = np.arange(len(shops))
    first = np.where(young, "email", "phone")
    several = [f"{a};chat" if i % 2 else f"{a};post" for i, a in zip(place, first, strict=True)]
    shops["contact"] = np.where(place < 150, several, first)
    table = shops[["shop", "contact", "age"]]
    if suffix == ".csv":
        table.to_csv("shops.csv", index=False)
    else:
        lists = [cell.split(";") for cell in table["contact"]]
        table.assign(contact=lists).to_parquet("shops.parquet", row_group_size=64)
    said = kinfolk("run", f"shops{suffix}", "--tasks", "shop", *QUICK, "--out", "out")
    assert said.code == 0, said.err
    assert "4 different answers with ';' between them" in said.err
    assert "does not know" not in said.err
    assert len(labels("out")) == len(shops)


@pytest.mark.parametrize("part", [50, 7])
def test_rows_that_are_no_data_are_left_out_of_all_parts(
    kinfolk, shops, little_memory, monkeypatch, part
):
    """Units, names of columns that are repeated, and sums: labels are those of the clean file."""
    monkeypatch.setattr(large_files, "PART", part)
    table = shops[["shop", "age", "returns"]]
    lines = table.to_csv(index=False).splitlines()
    Path("shops.csv").write_text("\n".join(lines) + "\n")
    clean = kinfolk("run", "shops.csv", "--tasks", "shop", *QUICK, "--out", "clean")
    assert clean.code == 0, clean.err
    total = f"Total,{table['age'].sum()},{table['returns'].sum()}"
    names, *rows = lines
    messy = [names, ",years,EUR", *rows[:60], names, *rows[60:130], names, *rows[130:], total]
    Path("shops.csv").write_text("\n".join(messy))
    said = kinfolk("run", "shops.csv", "--tasks", "shop", *QUICK, "--out", "out")
    assert said.code == 0, said.err
    for note in (
        "2 rows of shops.csv repeat the names of the columns and are left out",
        "The first row of shops.csv has units (age years, returns EUR) and is left out.",
        "The last row of shops.csv, 'Total', holds sums of the others and is left out.",
    ):
        assert note in said.err
    pd.testing.assert_frame_equal(labels("out"), labels("clean"))
    assert "returns (EUR)" in Path("out/report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["shops.csv", "other.csv"], "several files are read at once"),
        (["shops.jsonl"], "files of this format are read at once"),
        (["shops.csv", "--tasks", "shop", "--labels", "kind"], "with --labels all rows are read"),
    ],
)
def test_what_cannot_be_read_in_parts_is_refused_before_it_is_read(
    kinfolk, shops, little_memory, options, why
):
    for name in ("shops.csv", "other.csv"):
        shops.to_csv(name, index=False)
    shops.to_json("shops.jsonl", orient="records", lines=True)
    said = kinfolk("run", *options, "--clusters", "2", "--method", "lssttc", "--out", "out")
    if "--labels" not in options:
        said = kinfolk("run", *options, *QUICK, "--out", "out")
    assert said.code == 2
    assert why in said.err
    assert "give one .parquet or .csv file" in said.err
    assert not Path("out/labels.csv").exists()


def test_an_error_in_a_part_names_the_file_that_was_given(kinfolk, shops, little_memory):
    shops["age"] = shops["age"].astype(object)
    shops.iloc[-1, shops.columns.get_loc("age")] = np.inf
    shops.drop(columns=["kind", "customer"]).to_csv("shops.csv", index=False)
    said = kinfolk("run", "shops.csv", "--tasks", "shop", *QUICK, "--out", "out")
    assert said.code == 2
    assert said.err.strip().splitlines()[-1].startswith("kinfolk: shops.csv")
    assert not Path("out/labels.csv").exists()


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_titles_and_notes_around_a_large_table_are_no_rows(kinfolk, shops, little_memory, mark):
    rows = shops.drop(columns=["kind", "customer"]).to_csv(index=False, sep=";")
    text = f"{mark}Customers, by shop\n\n{rows}\nSource: the tills;;;\n"
    Path("shops.csv").write_text(text, "utf-8")
    said = kinfolk("run", "shops.csv", "--tasks", "shop", *QUICK, "--out", "out")
    assert said.code == 0, said.err
    assert labels("out")["row"].astype(int).tolist() == list(range(1, len(shops) + 1))
    assert labels("out")["task"].tolist() == shops["shop"].tolist()
    page = Path("out/report.html").read_text("utf-8")
    assert "The first row is a title and left out of shops.csv." in page
    assert "The last row of shops.csv is a note or empty, and is left out." in page


def test_data_sets_with_too_few_rows_are_told_before_any_method_runs(kinfolk, shops, little_memory):
    """The sample has 30 rows of each large shop, and the file more than --min-rows asks for."""
    few = shops.head(9).assign(shop="kiosk")
    rows = pd.concat([shops, few], ignore_index=True).drop(columns=["kind", "customer"])
    rows.to_csv("shops.csv", index=False)
    run = ("run", "shops.csv", "--tasks", "shop", *QUICK, "--out", "out", "--min-rows")
    said = kinfolk(*run, 50)
    assert said.code == 2
    assert "'kiosk' have fewer than --min-rows 50 rows" in said.err
    assert not Path("out/labels.csv").exists()
    rows.iloc[: len(shops)].to_csv("shops.csv", index=False)
    assert kinfolk(*run, 50).code == 0
    assert "at least 1" in kinfolk(*run, -1).err
