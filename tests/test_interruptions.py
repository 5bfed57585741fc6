"""The benchmark of interruptions tells whole sets from those that are not."""

import json
import os
import shutil
import signal

import pytest
from benchmarks import interruptions

from kinfolk.disk import file_sets
from kinfolk.papers.store import Outcome, RunSpec, Store


@pytest.fixture
def out(tmp_path):
    model = json.dumps({"run": "5f"}).encode()
    contents = {"labels.csv": b"x", "model/model.json": model, "report.html": b"<p>run 5f.</p>"}
    file_sets.replace(tmp_path / "out", contents, run="5f")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    return tmp_path / "out"


def test_a_set_is_whole_to_mend_or_lost(out):
    assert interruptions.state(out) == "whole"
    shutil.copytree(out, out / ".kinfolk-next")
    (out / "labels.csv").write_bytes(b"newer")
    assert interruptions.state(out) == "to mend"
    shutil.rmtree(out / ".kinfolk-next")
    assert interruptions.state(out) == "lost"


@pytest.mark.parametrize("name", ["notes.txt", "run.json", "model/model.json", "report.html"])
def test_a_missing_file_is_a_loss(name, out):
    (out / name).unlink()
    assert interruptions.state(out) == "lost"


def test_a_report_of_another_run_is_a_loss(out):
    report = b"<p>run 6a.</p>"
    file_sets.replace(out, {"report.html": report}, run="5f")
    assert interruptions.state(out) == "lost"


def test_only_acknowledged_runs_are_expected_in_a_store(tmp_path):
    keys = tmp_path / "keys.txt"
    record = interruptions.acknowledging(keys)
    with Store(tmp_path / "runs.sqlite") as store:
        key = store.claim(RunSpec("blobs", "kmeans"), "c")
        assert interruptions.recorded(store.path) == set()
        record(store, key, Outcome("done"))
        assert keys.read_text().split() == [key]
        assert interruptions.recorded(store.path) == {key}
    assert interruptions.recorded(tmp_path / "none.sqlite") == set()
    (tmp_path / "empty.sqlite").touch()
    assert interruptions.recorded(tmp_path / "empty.sqlite") == set()


@pytest.mark.parametrize(("pattern", "code"), [(None, -9), ("*.never", 0)])
def test_a_process_is_stopped_at_its_moment_or_has_ended_before(pattern, code, tmp_path):
    pid = os.fork()
    if not pid:
        if pattern is None:
            signal.pause()
        os._exit(0)
    assert interruptions.stopped(pid, signal.SIGKILL, 0.0, tmp_path, pattern) == code
