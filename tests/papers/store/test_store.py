"""The store keeps outcomes, once, and leaves alone what is not its own."""

import json
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from tests.papers.made_runs import ARRAYS, OUTCOME, RUN

from kinfolk.errors import FileFormatError, InputError
from kinfolk.papers.store import (
    KINFOLK_VERSION,
    Outcome,
    RunSpec,
    Store,
    canonical,
    claims,
    database,
)


def fill(store, run=RUN, outcome=OUTCOME):
    key = store.claim(run, "c")
    store.record(key, outcome)
    return key


def change(path, statement, *values):
    """Modify a store's file directly by SQL."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(statement, values)


def files_in(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def test_what_is_recorded_is_read_back(store):
    key = fill(store, outcome=replace(OUTCOME, arrays=ARRAYS))
    (row,) = store.runs()
    assert (row.spec, row.outcome) == (RUN, OUTCOME)
    assert (row.key, row.checksum, row.version) == (key, "c", KINFOLK_VERSION)
    assert list(row.outcome.scores["nmi"]) == ["b", "a"]
    assert datetime.now(UTC) - datetime.fromisoformat(row.started) < timedelta(minutes=1)
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(store.array(key, name), array)
    np.testing.assert_array_equal(store.labels(key), ARRAYS["labels"])


def test_a_store_outlives_its_process(path, store):
    fill(store)
    with Store(path, read_only=True) as again:
        assert [row.spec for row in again.runs()] == [RUN]


def test_an_undefined_score_is_nan_and_an_infinite_one_is_kept(store):
    fill(store, outcome=Outcome("done", scores={"dunn": {"a": np.nan, "b": np.inf}}))
    found = store.runs()[0].outcome.scores["dunn"]
    assert np.isnan(found["a"])
    assert found["b"] == np.inf


def test_a_missing_array_is_named(store):
    key = fill(store, outcome=replace(OUTCOME, arrays=ARRAYS))
    with pytest.raises(InputError, match="no 'view_weights'; it has labels, task_relatedness"):
        store.array(key, "view_weights")


def test_runs_are_asked_for_by_what_they_are(store):
    for seed, method in enumerate(["kmeans", "mec", "mtcfir"]):
        fill(store, RunSpec("blobs", method, "alone", seed=seed))
    fill(store, RunSpec("digits", "mec"), Outcome("refused", "no"))

    def methods(**wanted):
        return [row.spec.method for row in store.runs(**wanted)]

    assert methods() == ["kmeans", "mec", "mtcfir", "mec"]
    assert methods(method=["mec", "mtcfir"], data="blobs") == ["mec", "mtcfir"]
    assert methods(status="refused") == methods(data="digits") == ["mec"]
    assert methods(seed=2) == ["mtcfir"]
    assert methods(strategy="together") == ["mec"]
    assert methods(method=[]) == []
    assert methods(method="x' OR '1'='1") == []


@pytest.mark.parametrize(
    "other",
    [
        replace(RUN, seed=4),
        replace(RUN, data="digits"),
        replace(RUN, method="mec"),
        replace(RUN, strategy="alone"),
        replace(RUN, n_clusters=2),
        replace(RUN, parameters={"noise": 0.7}),
        replace(RUN, preparation={}),
        replace(RUN, data_options={"draw": 2}),
    ],
)
def test_runs_that_differ_in_anything_have_different_keys(other):
    assert other.key("c") != RUN.key("c")


def test_stores_and_keys_call_the_strategy_way_as_the_first_ones_did(store, monkeypatch):
    monkeypatch.setattr("kinfolk.papers.store.runs.KINFOLK_VERSION", "0.1.0")
    spec = RunSpec("blobs", "mec", "alone", 3, n_clusters=2, parameters={"temperature": 0.1})
    # Written before the field had its present name.
    assert spec.key("c").startswith("b9f689880b3d4622451542a0392cddf5")
    fill(store, spec)
    assert store._db.execute("SELECT way FROM runs").fetchall() == [("alone",)]
    assert [run.spec for run in store.runs(strategy=["alone"])] == [spec]


def test_the_key_follows_the_content_of_the_data_and_no_order_of_words(monkeypatch):
    assert RUN.key("c") != RUN.key("d")
    turned = replace(RUN, parameters={"a": np.int64(1), "b": (1,)})
    assert turned.key("c") == replace(RUN, parameters={"b": [1], "a": 1}).key("c")
    before = RUN.key("c")
    monkeypatch.setattr("kinfolk.papers.store.runs.KINFOLK_VERSION", "another")
    assert RUN.key("c") != before


@pytest.mark.parametrize("value", [object(), np.eye(2), float("nan")])
def test_a_parameter_that_is_no_plain_value_is_refused(value):
    with pytest.raises(InputError, match="give numbers, texts, lists and mappings only"):
        canonical({"kernel": value})


def test_a_run_in_hand_or_settled_is_not_given_out_again(path, store):
    key = store.claim(RUN, "c")
    with Store(path) as other:
        assert store.claim(RUN, "c") is None
        assert other.claim(RUN, "c") is None
        store.record(key, OUTCOME)
        assert other.claim(RUN, "c") is None
        assert other.finished_keys() == {key}


def test_a_refusal_is_settled_and_a_failure_is_tried_again(store):
    fill(store, outcome=Outcome("refused", "no"))
    assert store.claim(RUN, "c") is None
    failed = replace(RUN, seed=9)
    fill(store, failed, Outcome("failed", "MemoryError: "))
    assert store.finished_keys() == {RUN.key("c")}
    assert store.claim(failed, "c") == failed.key("c")
    assert store.runs(seed=9)[0].outcome == Outcome("running")


def test_closing_gives_back_what_is_not_recorded(path):
    with Store(path) as store:
        fill(store)
        store.claim(replace(RUN, seed=9), "c")
    with Store(path) as again:
        assert [row.spec.seed for row in again.runs()] == [RUN.seed]


def a_dead_process():
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


@pytest.mark.parametrize(
    ("pid", "host", "hours", "free"),
    [
        ("dead", None, 0, True),
        ("parent", None, 0, False),
        ("own", None, 0, True),
        ("dead", "elsewhere", 0, False),
        ("dead", "elsewhere", 25, True),
        ("parent", None, 25, True),
    ],
)
@pytest.mark.skipif(os.name != "posix", reason="processes cannot be asked for")
def test_the_claim_of_a_process_that_is_gone_falls_to_the_next(path, store, pid, host, hours, free):
    store.claim(RUN, "c")
    process = {"dead": a_dead_process, "parent": os.getppid, "own": os.getpid}[pid]()
    started = (datetime.now(UTC) - timedelta(hours=hours)).isoformat()
    change(
        path,
        "UPDATE runs SET pid = ?, host = ?, started = ?, claimant = 'of another life'",
        process,
        host or socket.gethostname(),
        started,
    )
    with Store(path) as other:
        assert (other.claim(RUN, "c") is not None) is free


def test_a_run_that_another_has_taken_over_is_not_recorded_twice(path, store, monkeypatch):
    key = store.claim(RUN, "c")
    monkeypatch.setattr(claims, "CLAIM_LIFETIME", timedelta(seconds=-1))
    with Store(path) as other:
        assert other.claim(RUN, "c") == key
        store.record(key, Outcome("failed", "too late"))
        assert store.runs()[0].outcome == Outcome("running")
        other.record(key, OUTCOME)
    assert store.runs()[0].outcome == OUTCOME


def test_a_record_is_whole_or_not_there(store):
    key = store.claim(RUN, "c")
    broken = replace(OUTCOME, scores={"nmi": {"a": "unfit", "b": object()}})
    with pytest.raises(sqlite3.Error):
        store.record(key, broken)
    assert store.runs()[0].outcome == Outcome("running")
    store.record(key, OUTCOME)
    assert store.runs()[0].outcome == OUTCOME


def test_threads_share_a_store(store):
    def work(first):
        for seed in range(first, first + 10):
            fill(store, replace(RUN, seed=seed))

    threads = [threading.Thread(target=work, args=(first,)) for first in (0, 100, 200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.runs(status="done")) == 30


def a_store(path):
    with Store(path) as store:
        for seed in range(40):
            fill(store, replace(RUN, seed=seed), replace(OUTCOME, arrays=ARRAYS))


def text(path):
    path.write_text("task,x\na,1\n" * 50)


def foreign(path):
    change(path, "CREATE TABLE songs (title TEXT)")


def foreign_in_use(path):
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")
    foreign(path)


def newer(path):
    a_store(path)
    change(path, f"PRAGMA user_version = {database.STORE_SCHEMA + 1}")


def cut(path):
    a_store(path)
    path.write_bytes(path.read_bytes()[:-5000])


def scrambled(path):
    a_store(path)
    raw = bytearray(path.read_bytes())
    raw[4096:16384] = bytes(range(256)) * 48
    path.write_bytes(raw)


def with_a_broken_definition(path):
    a_store(path)
    path.write_bytes(path.read_bytes().replace(b"peak_memory INTEGER", b"peak_m\xc5mory INTEGER"))


def with_a_trigger(path):
    a_store(path)
    change(path, "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM scores; END")


def with_a_stub(path):
    path.write_bytes(database.SQLITE_MAGIC)


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    ("make", "why"),
    [
        (text, "is no store of Kinfolk"),
        (foreign, "is no store of Kinfolk"),
        (foreign_in_use, "is no store of Kinfolk"),
        (with_a_stub, "is no store of Kinfolk"),
        (newer, "newer Kinfolk"),
        (cut, "is damaged"),
        (scrambled, "is damaged"),
        (with_a_broken_definition, "is damaged .*decode"),
        (with_a_trigger, "is damaged"),
    ],
)
def test_a_file_that_is_no_sound_store_is_refused_and_left_as_it_is(path, make, why, read_only):
    make(path)
    before = files_in(path.parent)
    with pytest.raises(FileFormatError, match=why) as refused:
        Store(path, read_only=read_only)
    assert str(path) in str(refused.value)
    assert files_in(path.parent) == before


def test_a_folder_is_no_store(tmp_path):
    with pytest.raises(FileFormatError, match="is a folder, and a store is one file"):
        Store(tmp_path)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may read all")
def test_a_file_that_may_not_be_read_is_named(path):
    a_store(path)
    path.chmod(0)
    with pytest.raises(FileFormatError, match="cannot be read"):
        Store(path)


def as_nobody(function):
    """Result of a function, as text, in a process without write permission."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.setuid(65534)
            said = str(function())
        except BaseException as error:
            said = str(error)
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(pid, 0)
    with open(reading, "rb") as pipe:
        return pipe.read().decode()


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="changes the user")
def test_a_store_that_may_only_be_read_is_read_and_refuses_a_claim_in_a_sentence(path):
    a_store(path)
    ours = [p for p in path.parents if Path(tempfile.gettempdir()) in p.parents]
    for place in ours:  # pytest keeps its folders to their owner
        place.chmod(0o755)
    before = files_in(path.parent)

    def read():
        with Store(path, read_only=True) as store:
            return len(store.runs())

    def write():
        with Store(path) as store:
            store.claim(replace(RUN, seed=99), "c")

    assert as_nobody(read) == "40"
    assert "cannot be used: attempt to write a readonly database; see that" in as_nobody(write)
    assert files_in(path.parent) == before


def test_a_store_that_another_program_switched_to_the_other_journal_is_switched_back(path):
    a_store(path)
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
        other.execute("SELECT * FROM runs").fetchone()
        with Store(path) as store:  # not as long as the other program has it open
            assert len(store.runs()) == 40
    with Store(path) as store:
        assert len(store.runs()) == 40
        fill(store, replace(RUN, seed=99))
        assert [p.name for p in path.parent.iterdir()] == [path.name]
    assert path.read_bytes()[18:20] == b"\1\1"  # SQLite's marks of the rollback journal


def test_a_reader_makes_nothing(tmp_path, path):
    with pytest.raises(InputError, match="There is no store"):
        Store(path, read_only=True)
    with pytest.raises(InputError, match="There is no folder"):
        Store(tmp_path / "none" / "runs.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_a_reader_changes_nothing(path):
    a_store(path)
    before = files_in(path.parent)
    with Store(path, read_only=True) as store:
        assert len(store.runs()) == 40
        with pytest.raises(InputError, match="cannot be used"):
            store.claim(replace(RUN, seed=99), "c")
    assert files_in(path.parent) == before


def test_a_store_that_another_holds_is_named(path, store, monkeypatch):
    monkeypatch.setattr(database, "LOCK_TIMEOUT", 0.1)
    with closing(sqlite3.connect(path, isolation_level=None)) as holder, Store(path) as patient:
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(InputError, match=r"cannot be used: database is locked"):
            patient.claim(RUN, "c")
        holder.execute("ROLLBACK")
        assert patient.claim(RUN, "c") is not None


def test_an_array_that_is_damaged_is_named(path, store):
    key = fill(store, outcome=replace(OUTCOME, arrays=ARRAYS))
    change(path, "UPDATE arrays SET content = X'00' WHERE name = 'labels'")
    with pytest.raises(FileFormatError, match="is damaged"):
        store.labels(key)


@pytest.mark.parametrize("column", ["parameters", "notes"])
def test_a_row_that_is_damaged_is_named(path, store, column):
    fill(store)
    change(path, f"UPDATE runs SET {column} = '17 oranges'")
    with pytest.raises(FileFormatError, match="is damaged"):
        store.runs()


def test_two_processes_make_a_store_at_once(path):
    code = (
        "import sys; from kinfolk.papers.store import *\n"
        "with Store(sys.argv[1]) as s:\n"
        "  for seed in range(20):\n"
        "    key = s.claim(RunSpec('blobs', 'kmeans', seed=seed), 'c')\n"
        "    if key: s.record(key, Outcome('done', error=sys.argv[2]))\n"
    )
    both = [subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in "ab"]
    assert [process.wait(timeout=60) for process in both] == [0, 0]
    with Store(path, read_only=True) as store:
        assert sorted(row.spec.seed for row in store.runs(status="done")) == list(range(20))


def test_a_store_reads_as_plain_sql(path, store):
    fill(store)
    with closing(sqlite3.connect(path)) as db:
        found = db.execute("SELECT data, method, parameters, status FROM runs").fetchone()
    assert found == ("blobs", "mtcfir", json.dumps({"noise": 0.5}).replace(" ", ""), "done")


def test_a_plan_is_taken_up_where_it_was_left(path):
    plan = [replace(RUN, seed=seed) for seed in range(4)]
    with Store(path) as store:
        fill(store, plan[0])
        fill(store, plan[1], Outcome("refused", "no"))
        fill(store, plan[2], Outcome("failed", "MemoryError: "))
        store.claim(plan[3], "c")  # interrupted
    with Store(path) as again:
        assert [again.claim(run, "c") is not None for run in plan] == [False, False, True, True]
        assert again.finished_keys() == {plan[0].key("c"), plan[1].key("c")}


def test_a_run_that_is_tried_again_keeps_nothing_of_its_failure(store):
    partial = Outcome("failed", "OSError: ", ("late",), 9.0, scores={"nmi": {"old": 0.1}})
    key = fill(store, outcome=replace(partial, arrays={"old": np.zeros(2)}))
    fill(store, replace(RUN, seed=9))
    assert fill(store, outcome=replace(OUTCOME, arrays=ARRAYS)) == key
    assert [row.spec.seed for row in store.runs()] == [9, RUN.seed]  # it is the youngest now
    assert store.runs(seed=RUN.seed)[0].outcome == OUTCOME
    with pytest.raises(InputError, match="no 'old'; it has labels, task_relatedness"):
        store.array(key, "old")


def test_an_outcome_is_recorded_once(store):
    key = fill(store)
    store.record(key, Outcome("failed", "again"))
    assert store.runs()[0].outcome == OUTCOME


def test_an_outcome_without_a_claim_is_not_kept(store):
    store.record(RUN.key("c"), OUTCOME)
    assert store.runs() == []
    assert store.finished_keys() == set()


def test_changed_data_are_run_anew_beside_the_old_ones(store):
    fill(store)
    assert store.claim(RUN, "d") is not None
    assert [(row.checksum, row.outcome.status) for row in store.runs()] == [
        ("c", "done"),
        ("d", "running"),
    ]


def test_releasing_leaves_the_claims_of_others(path, store):
    store.claim(RUN, "c")
    with Store(path) as other:
        other.claim(replace(RUN, seed=9), "c")
        other.release()
        assert [row.spec.seed for row in other.runs(status="running")] == [RUN.seed]
        assert other.claim(replace(RUN, seed=9), "c") is not None


def test_a_run_without_arrays_says_so(store):
    key = fill(store)
    with pytest.raises(InputError, match=rf"Run {key[:12]} has no 'labels'; it has no arrays\."):
        store.labels(key)


def test_an_empty_store_has_no_runs_and_no_finished_keys(path, store):
    assert store.runs() == store.runs(method="mec") == []
    assert store.finished_keys() == set()
    with Store(path, read_only=True) as reader:
        assert reader.runs() == []


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "bool"])
@pytest.mark.parametrize("shape", [(0,), (3,), (2, 3), (2, 0)])
def test_arrays_keep_their_type_and_shape(store, dtype, shape):
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    key = fill(store, outcome=replace(OUTCOME, arrays={"a": array, "turned": array.T}))
    for name, expected in (("a", array), ("turned", array.T)):
        found = store.array(key, name)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("converged", [True, False, None])
def test_convergence_is_true_false_or_unknown(store, converged):
    fill(store, outcome=replace(OUTCOME, converged=converged))
    assert store.runs()[0].outcome.converged is converged


@pytest.mark.parametrize(
    ("value", "kind"), [(object(), "is a object"), (np.eye(1), "is a ndarray"), ({1}, "is a set")]
)
def test_a_run_that_cannot_be_kept_names_the_kind_of_value(value, kind):
    with pytest.raises(InputError, match=f"A run cannot be kept: .* {kind}; give numbers"):
        replace(RUN, parameters={"kernel": value}).key("c")
