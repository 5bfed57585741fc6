"""Two programs never write into one folder, and a lock that nobody holds is no obstacle."""

import json
import os
import subprocess
import sys
import threading
import time

import pytest

from kinfolk.disk import folder_lock
from kinfolk.errors import InputError

HOLD = """
import sys, time
from kinfolk.disk import folder_lock
with folder_lock.held(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    """Fixture: another process that holds the lock of a folder."""
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_the_second_program_is_told_who_writes_there(holder, tmp_path):
    sentence = rf"Another program writes to .* \(process {holder.pid} on .*\): wait until it has"
    with pytest.raises(InputError, match=sentence), folder_lock.held(tmp_path):
        pass
    assert (tmp_path / folder_lock.LOCK).exists()


def test_the_lock_of_a_killed_process_is_taken_over(holder, tmp_path):
    holder.kill()
    holder.wait()
    assert (tmp_path / folder_lock.LOCK).exists()
    with folder_lock.held(tmp_path):
        assert json.loads((tmp_path / folder_lock.LOCK).read_text())["pid"] == os.getpid()
    assert os.listdir(tmp_path) == []


def left(folder, **changes):
    """Write the lock file of a process that has ended."""
    host = folder_lock.socket.gethostname()
    told = {"pid": 2**22 + 1, "host": host, "since": time.time(), **changes}
    (folder / folder_lock.LOCK).write_text(json.dumps(told))


def test_a_lock_of_another_host_counts_for_a_day(tmp_path):
    left(tmp_path, host="elsewhere")
    sentence = r"on elsewhere\).*if that process has ended, delete .*\.kinfolk-lock"
    with pytest.raises(InputError, match=sentence), folder_lock.held(tmp_path):
        pass
    left(tmp_path, host="elsewhere", since=time.time() - folder_lock.LIFETIME - 1)
    with folder_lock.held(tmp_path):
        pass


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b"{", b'{"pid": "x"}', b"[" * 100_000])
def test_a_lock_file_that_says_nothing_is_no_obstacle(content, tmp_path):
    (tmp_path / folder_lock.LOCK).write_bytes(content)
    with folder_lock.held(tmp_path):
        pass
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("pid", "free"), [(2**22 + 1, True), (os.getppid(), False)])
def test_on_a_share_without_locks_the_process_tells(pid, free, tmp_path, monkeypatch):
    def unsupported(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(folder_lock.fcntl, "flock", unsupported)
    left(tmp_path, pid=pid)
    if free:
        with folder_lock.held(tmp_path):
            pass
        return
    with pytest.raises(InputError, match=f"process {pid}"), folder_lock.held(tmp_path):
        pass


def test_a_new_folder_goes_again_if_nothing_is_left_in_it(tmp_path):
    place = tmp_path / "a" / "b"
    with folder_lock.held(place):
        assert place.is_dir()
    assert os.listdir(tmp_path) == []
    with folder_lock.held(place):
        (place / "result").write_text("kept")
    assert os.listdir(place) == ["result"]


def test_a_block_within_a_block_goes_on_and_the_outer_one_keeps_the_lock(tmp_path):
    with folder_lock.held(tmp_path):
        with folder_lock.held(tmp_path / "." / ""):
            pass
        assert (tmp_path / folder_lock.LOCK).exists()


def test_another_thread_waits_for_its_turn(tmp_path):
    order = []

    def second():
        with folder_lock.held(tmp_path, wait=30.0):
            order.append("second")

    with folder_lock.held(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.15)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_a_lock_file_that_its_holder_removes_meanwhile_is_made_anew(tmp_path, monkeypatch):
    locked = folder_lock._locked
    raced = []

    def after_removal(handle):
        if not raced:
            raced.append((tmp_path / folder_lock.LOCK).unlink())
        return locked(handle)

    monkeypatch.setattr(folder_lock, "_locked", after_removal)
    with folder_lock.held(tmp_path):
        assert (tmp_path / folder_lock.LOCK).exists()


def test_a_place_that_is_no_folder_is_told(tmp_path):
    (tmp_path / "file").write_text("mine")
    for place in ("file", "file/deeper"):
        with (
            pytest.raises(InputError, match="file is no folder that can be written to"),
            folder_lock.held(tmp_path / place),
        ):
            pass


FORK = """
import os, sys
from kinfolk.disk import folder_lock
from kinfolk.errors import InputError
place = sys.argv[1]
with folder_lock.held(place):
    if not (child := os.fork()):
        try:
            with folder_lock.held(place):
                print("both hold it", flush=True)
        except InputError as error:
            print(error, flush=True)
        sys.exit(0)  # which leaves the parent's block as well
    os.waitpid(child, 0)
    print(os.listdir(place), flush=True)
    if not (child := os.fork()):
        os.kill(os.getppid(), 9)
        os.read(0, 1)  # until the test has seen that its parent's lock has ended
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
def test_a_forked_process_does_not_hold_the_lock_of_its_parent_nor_end_it(tmp_path):
    command = [sys.executable, "-c", FORK, str(tmp_path)]
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **streams) as parent:
        told = parent.stdout.readline()
        assert told.startswith(f"Another program writes to {tmp_path} (process {parent.pid} ")
        assert parent.stdout.readline() == "['.kinfolk-lock']\n"
        parent.wait()
        with folder_lock.held(tmp_path):
            pass
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("age", "free"), [(0, False), (folder_lock.LIFETIME + 1, True)])
def test_a_lock_of_a_host_with_a_wrong_clock_counts_for_a_day_of_its_file(age, free, tmp_path):
    left(tmp_path, host="elsewhere", since=time.time() + 400 * folder_lock.LIFETIME)
    written = time.time() - age
    os.utime(tmp_path / folder_lock.LOCK, (written, written))
    if free:
        with folder_lock.held(tmp_path):
            pass
        return
    with pytest.raises(InputError, match="on elsewhere"), folder_lock.held(tmp_path):
        pass


def test_a_folder_that_became_a_file_or_the_lock_of_another_is_left_as_it_is(tmp_path):
    with folder_lock.held(tmp_path / "a"):
        (tmp_path / "a" / folder_lock.LOCK).unlink()
        (tmp_path / "a").rmdir()
        (tmp_path / "a").write_text("mine")
    assert (tmp_path / "a").read_text() == "mine"
    with folder_lock.held(tmp_path / "b"):
        (tmp_path / "b" / folder_lock.LOCK).unlink()
        (tmp_path / "b" / folder_lock.LOCK).write_text("of a later one")
    assert os.listdir(tmp_path / "b") == [folder_lock.LOCK]
