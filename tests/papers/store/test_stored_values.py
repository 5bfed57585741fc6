"""SQLite keeps any type in any column: each value of a store is checked as it is read."""

import sqlite3
import zlib
from contextlib import closing

import numpy as np
import pytest
from safetensors.numpy import save as format_arrays

from kinfolk.errors import FileFormatError
from kinfolk.papers.store import Outcome, RunSpec, Store, stored_values


@pytest.fixture
def path(tmp_path):
    """Fixture: a store with one finished run."""
    with Store(tmp_path / "runs.sqlite") as store:
        key = store.claim(RunSpec("blobs", "kmeans", n_clusters={"a": 2}), "sum")
        arrays = {"labels": np.arange(6) % 2, "shares": np.ones(2)}
        scores = {"nmi": {"a": 0.5}, "dunn": {"a": np.inf}}
        done = Outcome("done", notes=("slow",), seconds=1.5, scores=scores, arrays=arrays)
        store.record(key, done)
    return tmp_path / "runs.sqlite"


def change(path, table, column, value, where="1"):
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (value,))
        db.commit()


def runs(path):
    with Store(path, read_only=True) as store:
        return store.runs()


def test_a_sound_store_is_read_as_it_was_written(path):
    (run,) = runs(path)
    assert run.outcome.notes == ("slow",)
    assert run.outcome.scores == {"nmi": {"a": 0.5}, "dunn": {"a": np.inf}}
    with Store(path, read_only=True) as store:
        assert store.labels(run.key).tolist() == [0, 1] * 3


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("seed", "x"), ("seed", 0.5), ("data", b"raw"), ("method", b""), ("status", "won")),
        *(("n_clusters", "[1]"), ("n_clusters", '"2"'), ("n_clusters", "{")),
        *(("parameters", "[]"), ("parameters", '{"a": NaN}'), ("parameters", "[" * 9000)),
        *(("notes", "{}"), ("notes", "[1]"), ("seconds", "long"), ("peak_memory", b"1")),
        *(("converged", "yes"), ("started", "yesterday"), ("n_iter", "many"), ("error", b"\xff")),
    ],
)
def test_a_value_of_another_type_is_told_in_one_sentence(path, column, value):
    change(path, "runs", column, value)
    with pytest.raises(FileFormatError, match=r"runs.sqlite is damaged \(.+\); it is left") as said:
        runs(path)
    assert "\n" not in str(said.value)


def test_a_text_that_is_no_utf_8_is_told(path):
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE runs SET error = CAST(x'ff41' AS TEXT)")
        db.commit()
    with pytest.raises(FileFormatError, match="is damaged .*decode"):
        runs(path)


@pytest.mark.parametrize(("column", "value"), [("value", "x"), ("task", b"a"), ("measure", b"x")])
def test_a_score_of_another_type_is_told(path, column, value):
    change(path, "scores", column, value, "measure = 'nmi'")
    with pytest.raises(FileFormatError, match="is damaged"):
        runs(path)


def packed(array, name="array"):
    return zlib.compress(format_arrays({name: array}))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"raw",
        "text",
        packed(np.arange(4))[:-3],
        packed(np.arange(4), "other"),
        zlib.compress(b"none"),
        packed(np.zeros(4)),
        packed(np.zeros((2, 2), dtype=int)),
    ],
)
def test_labels_that_are_none_are_told(path, content):
    change(path, "arrays", "content", content, "name = 'labels'")
    (run,) = runs(path)
    with Store(path, read_only=True) as store, pytest.raises(FileFormatError, match="is damaged"):
        store.labels(run.key)


def test_packed_zeros_are_not_unpacked_beyond_the_limit(path, monkeypatch):
    monkeypatch.setattr(stored_values, "LARGEST_ARRAY", 1000)
    change(path, "arrays", "content", packed(np.zeros(10**5)), "name = 'labels'")
    (run,) = runs(path)
    with Store(path, read_only=True) as store, pytest.raises(FileFormatError, match="more than"):
        store.array(run.key, "labels")


@pytest.mark.parametrize(("column", "value"), [("started", "then"), ("pid", "x"), ("host", b"h")])
def test_a_claim_that_cannot_be_read_is_told(path, column, value):
    change(path, "runs", "status", "running")
    change(path, "runs", column, value)
    if column == "host":  # that of no machine, so the claim stands
        with Store(path) as store:
            assert store.claim(RunSpec("blobs", "kmeans", n_clusters={"a": 2}), "sum") is None
        return
    if column == "pid":
        import socket

        change(path, "runs", "host", socket.gethostname())
    with Store(path) as store, pytest.raises(FileFormatError, match="is damaged"):
        store.claim(RunSpec("blobs", "kmeans", n_clusters={"a": 2}), "sum")
