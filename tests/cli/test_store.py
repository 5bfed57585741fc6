"""`kinfolk store`: packs the runs of a store into small files, and unpacks them."""

import pytest

from kinfolk.papers.store import Outcome, RunSpec, Store, packed_runs


@pytest.fixture(autouse=True)
def packed(kinfolk, at_home):
    with Store("runs.sqlite") as store:
        for run in (
            RunSpec("digits", "mtcfir"),
            RunSpec("digits", "kmeans"),
            RunSpec("pages", "mec"),
        ):
            store.record(store.claim(run, "c"), Outcome("done"))
    said = kinfolk("store", "pack", "runs.sqlite", "packed")
    assert (said.code, said.err) == (0, "Wrote 3 runs of 2 data sets to packed.\n")
    return at_home / "packed"


def test_packed_runs_are_added_to_a_new_store_and_once_only(kinfolk):
    said = kinfolk("store", "unpack", "packed", "new.sqlite")
    assert (said.code, said.err) == (0, "Added 3 of 3 packed runs to new.sqlite.\n")
    shown = kinfolk("results", "new.sqlite", "--format", "csv")
    before = kinfolk("results", "runs.sqlite", "--format", "csv")
    assert sorted(shown.out.splitlines()) == sorted(before.out.splitlines())
    assert "Added 0 of 3 packed runs" in kinfolk("store", "unpack", "packed", "new.sqlite").err


def test_a_damaged_folder_makes_no_store(kinfolk, packed):
    (packed / "pages.parquet").write_bytes(b"PAR1")
    said = kinfolk("store", "unpack", "packed", "new.sqlite")
    assert said.code == 2
    assert "get the whole folder again" in said.err
    assert not (packed.parent / "new.sqlite").exists()


def test_a_folder_of_packed_runs_given_as_a_store_is_told_how_to_become_one(kinfolk):
    said = kinfolk("results", "packed")
    assert said.code == 2
    assert "`kinfolk store unpack packed runs.sqlite`" in said.err.replace("\n", " ")


def test_a_store_that_is_not_there_is_told(kinfolk, packed):
    said = kinfolk("store", "pack", "none.sqlite", "other")
    assert said.code == 2
    assert "There is no store none.sqlite" in said.err
    assert not (packed.parent / "other").exists()


def test_one_run_of_one_data_set_is_told_in_the_singular(kinfolk):
    with Store("one.sqlite") as store:
        store.record(store.claim(RunSpec("pages", "mec"), "c"), Outcome("done"))
    said = kinfolk("store", "pack", "one.sqlite", "one").err
    said += kinfolk("store", "unpack", "one", "other.sqlite").err
    assert said == "Wrote 1 run of 1 data set to one.\nAdded 1 of 1 packed run to other.sqlite.\n"


def test_a_file_in_the_place_of_the_folder_is_told_before_runs_are_read(
    kinfolk, tmp_path, monkeypatch
):
    (tmp_path / "notes.txt").write_text("mine")
    monkeypatch.setattr(packed_runs, "pack", None)
    said = kinfolk("store", "pack", "runs.sqlite", "notes.txt")
    assert said.code == 2
    assert "notes.txt is no folder that can be written to" in said.err
