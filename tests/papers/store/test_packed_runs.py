"""Packed runs: what a store holds, in small files that are read only if they are whole."""

import hashlib
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet
import pytest
from tests.papers.made_runs import OUTCOME, RUN

from kinfolk.errors import FileFormatError, InputError
from kinfolk.papers.store import Outcome, RunSpec, Store, packed_runs

SHIPPED = Path(__file__).parents[3] / "docs" / "reproduction" / "runs"
FIRST = replace(RUN, seed=0)
DONE = replace(
    OUTCOME,
    converged=False,
    scores={"nmi": {"b": 0.5, "a": float("nan")}, "dunn": {"b": float("inf"), "a": 0.0}},
    arrays={"labels": np.array([0, 1, 2, 0], dtype=np.uint8), "shares": np.eye(2)[:, ::-1]},
)
RUNS = [
    (FIRST, DONE),
    (replace(FIRST, seed=1), replace(DONE, converged=None, objective=None)),
    (RunSpec("pages", "lssmtc", "alone"), Outcome("refused", "needs the same number")),
]


def fill(store, runs=RUNS):
    for run, outcome in runs:
        store.record(store.claim(run, "c"), outcome)


def files_in(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def contents(store):
    """Everything in a store but processes and the order of runs, as text."""
    return {
        run.key: repr((run, {n: (a.dtype, a.tolist()) for n, a in store.arrays(run.key).items()}))
        for run in store.runs()
    }


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "runs.sqlite") as opened:
        fill(opened)
        yield opened


@pytest.fixture
def folder(store, tmp_path):
    packed_runs.pack(store, tmp_path / "packed")
    return tmp_path / "packed"


def test_unpacked_runs_are_those_that_were_packed(store, folder, tmp_path):
    with Store(tmp_path / "copy.sqlite") as copy:
        assert copy.add(packed_runs.unpack(folder)) == len(RUNS)
        assert contents(copy) == contents(store)
        assert copy.claim(FIRST, "c") is None  # no such run is made again


def test_the_same_runs_give_the_same_bytes_in_whatever_order_they_were_made(
    store, folder, tmp_path
):
    with Store(tmp_path / "copy.sqlite") as copy:
        copy.add(reversed(list(packed_runs.unpack(folder))))
        assert packed_runs.pack(copy, tmp_path / "again") == {"blobs": 2, "pages": 1}
    assert files_in(tmp_path / "again") == files_in(folder)


def test_of_runs_with_one_specification_the_last_is_packed(store, tmp_path):
    last = store.claim(FIRST, "other content of the data")
    store.record(last, replace(DONE, n_iter=8))
    packed_runs.pack(store, tmp_path / "packed")
    keys = {run.key for run in packed_runs.unpack(tmp_path / "packed")}
    assert len(keys) == len(RUNS)
    assert last in keys


def test_unfinished_runs_are_not_packed(tmp_path):
    with Store(tmp_path / "runs.sqlite") as store:
        fill(store, [(FIRST, Outcome("failed", "no room")), *RUNS[2:]])
        store.claim(replace(FIRST, seed=5), "c")
        assert packed_runs.pack(store, tmp_path / "packed") == {"pages": 1}


def test_a_new_run_changes_the_file_of_its_data_set_alone(store, folder):
    before = files_in(folder)
    fill(store, [(RunSpec("pages", "kmeans"), DONE)])
    packed_runs.pack(store, folder)
    after = files_in(folder)
    assert {name for name in after if after[name] != before[name]} == {
        "pages.parquet",
        "SHA256SUMS",
    }


def test_a_file_with_the_same_runs_stays_whatever_wrote_it(store, folder):
    table = parquet.read_table(folder / "blobs.parquet")
    parquet.write_table(table, folder / "blobs.parquet", compression="none")  # as another program
    list_again(folder, "blobs.parquet")
    before = files_in(folder)
    packed_runs.pack(store, folder)
    assert files_in(folder) == before


def test_files_of_data_sets_that_a_store_does_not_have_stay(folder, tmp_path):
    with Store(tmp_path / "other.sqlite") as other:
        fill(other, [(RunSpec("letters", "kmeans"), DONE)])
        packed_runs.pack(other, folder)
    assert len(list(packed_runs.unpack(folder))) == len(RUNS) + 1


def test_runs_that_a_store_has_stay_as_they_are(folder, tmp_path):
    with Store(tmp_path / "copy.sqlite") as copy:
        fill(copy, [(FIRST, Outcome("failed", "no room"))])
        assert copy.add(packed_runs.unpack(folder)) == len(RUNS) - 1
        assert [run.outcome.error for run in copy.runs(status="failed")] == ["no room"]


def test_the_sums_are_those_of_the_command_sha256sum(folder):
    lines = (folder / "SHA256SUMS").read_text("ascii").splitlines()
    assert [line.split("  ")[1] for line in lines] == ["blobs.parquet", "pages.parquet"]
    for line in lines:
        total, name = line.split("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == total


def list_again(folder, name):
    """Give a file of the folder the sum that its bytes have."""
    lines = (folder / "SHA256SUMS").read_text("ascii").splitlines()
    total = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    changed = [f"{total}  {name}" if line.endswith(f"  {name}") else line for line in lines]
    (folder / "SHA256SUMS").write_text("".join(f"{line}\n" for line in changed))


def change_values(folder, **values):
    """Change columns of the packed runs on blobs, and their sum."""
    path = folder / "blobs.parquet"
    table = parquet.read_table(path)
    lines = [{**line, **values} for line in table.to_pylist()]
    parquet.write_table(type(table).from_pylist(lines, table.schema), path)
    list_again(folder, path.name)


def refused(folder, store):
    """Return the sentence by which a folder is refused; nothing is added to the store."""
    with pytest.raises(FileFormatError) as said:
        store.add(packed_runs.unpack(folder))
    assert len(store.runs()) == len(RUNS)
    assert "\n" not in str(said.value)
    return str(said.value)


@pytest.mark.parametrize("name", ["blobs.parquet", "pages.parquet"])
def test_one_changed_byte_anywhere_is_told_before_the_file_is_parsed(
    folder, store, name, monkeypatch
):
    monkeypatch.setattr(parquet, "read_table", None)
    raw = (folder / name).read_bytes()
    for at in range(0, len(raw), 97):
        changed = bytearray(raw)
        changed[at] ^= 1
        (folder / name).write_bytes(changed)
        with pytest.raises(FileFormatError, match=rf"{name} .*SHA-256 .*: get the whole folder"):
            packed_runs._lines(folder, name, packed_runs._sums(folder)[name])


def test_a_missing_file_is_told(folder, store):
    (folder / "blobs.parquet").unlink()
    assert "there is no file blobs.parquet, which it names" in refused(folder, store)


@pytest.mark.parametrize(
    "text",
    ["", "moon\n", f"{'0' * 64}  ../blobs.parquet\n", f"{'0' * 64} blobs.parquet\n", "\xff\n"],
)
def test_a_list_of_sums_of_another_form_is_told(folder, store, text):
    (folder / "SHA256SUMS").write_text(text, "latin-1")
    assert "its lines are not sums and names" in refused(folder, store)


def test_a_file_that_is_no_parquet_file_is_told(folder, store):
    (folder / "blobs.parquet").write_bytes(b"PAR1 and no more")
    list_again(folder, "blobs.parquet")
    assert "blobs.parquet are damaged" in refused(folder, store)


def test_other_columns_are_told(folder, store):
    table = parquet.read_table(folder / "blobs.parquet")
    parquet.write_table(table.drop(["seed"]), folder / "blobs.parquet")
    list_again(folder, "blobs.parquet")
    assert "its columns are not those of packed runs" in refused(folder, store)


@pytest.mark.parametrize(
    "values",
    [
        *({"status": "won"}, {"parameters": "{"}, {"notes": "[1]"}, {"started": "yesterday"}),
        *({"data": None}, {"seed": None}, {"scores": None}, {"arrays": [None]}),
        *({"arrays": [{"name": "labels", "content": b"moon"}]}, {"n_clusters": "[" * 9000}),
    ],
    ids=str,
)
def test_a_value_that_no_run_has_is_told(folder, store, values):
    change_values(folder, **values)
    assert "blobs.parquet are damaged" in refused(folder, store)


def test_a_folder_without_packed_runs_is_told(store, tmp_path):
    with pytest.raises(InputError, match=r"is no folder of packed runs: it has no file SHA256SUMS"):
        store.add(packed_runs.unpack(tmp_path))


def test_a_file_of_others_stays(store, tmp_path):
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "blobs.parquet").write_text("mine")
    with pytest.raises(InputError, match=r"blobs.parquet is not listed in SHA256SUMS"):
        packed_runs.pack(store, tmp_path / "packed")
    assert files_in(tmp_path / "packed") == {"blobs.parquet": b"mine"}


def test_a_store_without_finished_runs_is_not_packed(tmp_path):
    with (
        Store(tmp_path / "runs.sqlite") as store,
        pytest.raises(InputError, match=r"runs.sqlite has no finished runs to pack"),
    ):
        packed_runs.pack(store, tmp_path / "packed")
    assert not (tmp_path / "packed").exists()


def test_a_folder_that_is_a_file_stays(store, tmp_path):
    (tmp_path / "packed").write_text("mine")
    with pytest.raises(InputError):
        packed_runs.pack(store, tmp_path / "packed")
    assert (tmp_path / "packed").read_text() == "mine"


def test_a_data_set_whose_name_leads_elsewhere_is_not_packed(tmp_path):
    with Store(tmp_path / "runs.sqlite") as store:
        fill(store, [(RunSpec("../blobs", "kmeans"), DONE)])
        with pytest.raises(InputError, match=r"'../blobs' cannot be packed"):
            packed_runs.pack(store, tmp_path / "packed")


def test_a_store_whose_values_were_changed_is_not_packed(store, tmp_path):
    with closing(sqlite3.connect(store.path)) as db, db:
        db.execute("UPDATE runs SET seed = 9 WHERE seed = 1")
    with pytest.raises(FileFormatError, match="is not that of its columns"):
        packed_runs.pack(store, tmp_path / "packed")


@pytest.mark.skipif(not SHIPPED.exists(), reason="not in this copy of the sources")
def test_the_runs_in_the_repository_are_whole(tmp_path):
    sums = packed_runs._sums(SHIPPED)
    assert {*sums, "SHA256SUMS"} == set(files_in(SHIPPED))
    for name, total in sums.items():
        assert hashlib.sha256((SHIPPED / name).read_bytes()).hexdigest() == total
    # One data set in full, for the time that all take.
    shutil.copy(SHIPPED / "toydata.parquet", tmp_path)
    (tmp_path / "SHA256SUMS").write_text(f"{sums['toydata.parquet']}  toydata.parquet\n")
    with Store(tmp_path / "runs.sqlite") as store:
        assert store.add(packed_runs.unpack(tmp_path)) > 100
