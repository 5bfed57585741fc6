"""A folder of results is exchanged in one step, and nothing of others is lost by it."""

import itertools
import os
import shutil
import subprocess
import sys

import pytest
from tests.disk.test_file_sets import NEW, OLD, CutOff, cut
from tests.disk.test_file_sets import found as all_files

from kinfolk.disk import file_sets, folder_exchange, folder_lock

pytestmark = pytest.mark.skipif(
    folder_exchange._rename() is None, reason="this system cannot exchange folders"
)


@pytest.fixture
def out(tmp_path):
    """Fixture: a folder with an older set, and files and a folder of the user."""
    file_sets.replace(tmp_path / "out", OLD, run="old")
    (tmp_path / "out" / "notes.txt").write_bytes(b"mine")
    (tmp_path / "out" / "mine").mkdir(mode=0o750)
    (tmp_path / "out" / "mine" / "more.txt").write_bytes(b"more")
    (tmp_path / "out" / "link").symlink_to("notes.txt")
    return tmp_path / "out"


OTHERS = {"notes.txt": b"mine", "mine/more.txt": b"more", "link": b"mine"}


def found(folder):
    """Contents of all files of a folder except manifest, lock and marks."""
    return {n: c for n, c in all_files(folder).items() if not n.startswith(".kinfolk")}


def test_all_files_change_at_once(out, monkeypatch):
    exchange = folder_exchange.exchange
    seen = []

    def watched(folder, new):
        seen.append(found(folder))
        done = exchange(folder, new)
        seen.append(found(folder))
        return done

    monkeypatch.setattr(folder_exchange, "exchange", watched)
    inode = (out / "notes.txt").stat().st_ino
    os.chmod(out, 0o2775)
    file_sets.replace(out, NEW, run="new")
    assert seen == [OLD | OTHERS, NEW | OTHERS]
    assert file_sets.damaged(out) == []
    assert (out / "notes.txt").stat().st_ino == inode
    assert (out / "notes.txt").stat().st_nlink == 1
    assert (out / "link").is_symlink()
    assert out.stat().st_mode & 0o7777 == 0o2775
    assert (out / "mine").stat().st_mode & 0o777 == 0o750
    assert os.listdir(out.parent) == ["out"]
    assert folder_lock.LOCK not in os.listdir(out)


def test_a_process_killed_at_any_step_leaves_one_whole_set(out, monkeypatch):
    outcomes = set()
    for nth in itertools.count(1):
        place = out.with_name(f"out{nth}")
        shutil.copytree(out, place, symlinks=True)
        with monkeypatch.context() as patch:
            cut(patch, nth)
            patch.setattr(file_sets.shutil, "rmtree", lambda *_, **__: None)
            try:
                file_sets.replace(place, NEW, run="new")
                done = True
            except CutOff:
                done = False
        left = found(place)
        assert left in (OLD | OTHERS, NEW | OTHERS)
        assert file_sets.damaged(place) == []
        with folder_lock.held(place):
            assert not file_sets.mend(place)
        assert all_files(place) == left
        outcomes.add(left == NEW | OTHERS)
        if done:
            break
    assert outcomes == {False, True}
    assert nth > 8
    assert not [name for name in os.listdir(out.parent) if "draft" in name]


def test_what_came_in_the_last_moment_is_brought_over(out, monkeypatch):
    exchange = folder_exchange.exchange

    def busy(folder, new):
        (folder / "late.txt").write_bytes(b"late")
        (folder / "fresh").write_bytes(b"edited")
        os.replace(folder / "fresh", folder / "notes.txt")
        return exchange(folder, new)

    monkeypatch.setattr(folder_exchange, "exchange", busy)
    file_sets.replace(out, NEW, run="new")
    assert found(out) == {**NEW, **OTHERS, "notes.txt": b"edited", "link": b"edited",
                          "late.txt": b"late"}  # fmt: skip


def test_what_came_in_before_a_kill_is_brought_over_by_the_next_call(out, monkeypatch):
    exchange = folder_exchange.exchange

    def killed(folder, new):
        (folder / "late.txt").write_bytes(b"late")
        exchange(folder, new)
        raise CutOff

    with monkeypatch.context() as patch:
        patch.setattr(folder_exchange, "exchange", killed)
        patch.setattr(file_sets.shutil, "rmtree", lambda *_, **__: None)
        with pytest.raises(CutOff):
            file_sets.replace(out, NEW, run="new")
    assert found(out) == NEW | OTHERS
    with folder_lock.held(out):
        file_sets.mend(out)
    assert found(out) == {**NEW, **OTHERS, "late.txt": b"late"}
    assert os.listdir(out.parent) == ["out"]


@pytest.mark.parametrize("fails", ["exchange", "link"])
def test_files_are_replaced_one_by_one_where_the_step_fails(fails, out, monkeypatch):
    def refused(*_, **__):
        raise PermissionError(1, "Operation not permitted")

    if fails == "link":
        monkeypatch.setattr(folder_exchange.os, "link", refused)
    else:
        monkeypatch.setattr(folder_exchange, "exchange", lambda *_: False)
    file_sets.replace(out, NEW, run="new")
    assert found(out) == NEW | OTHERS
    assert file_sets.damaged(out) == []
    assert os.listdir(out.parent) == ["out"]


def test_a_folder_in_use_by_others_stays_where_it_is(out, monkeypatch):
    assert folder_exchange.can_step_aside(out)
    inode = out.stat().st_ino
    shell = [sys.executable, "-c", "print(1, flush=True); input()"]
    with subprocess.Popen(shell, cwd=out / "mine", stdin=-1, stdout=-1) as inside:
        inside.stdout.readline()
        assert not folder_exchange.can_step_aside(out)
        file_sets.replace(out, NEW, run="new")
        inside.communicate(b"")
    assert out.stat().st_ino == inode
    assert found(out) == NEW | OTHERS
    monkeypatch.setattr(folder_exchange, "MOST_LINKS", 3)
    assert not folder_exchange.can_step_aside(out)


@pytest.mark.parametrize("name", ["runs.sqlite", "runs.sqlite-wal"])
def test_a_database_is_never_apart_from_its_journal(name, out):
    (out / name).write_bytes(b"")
    assert not folder_exchange.can_step_aside(out)


def test_a_link_to_a_folder_is_no_folder_to_exchange(out):
    (out.parent / "link").symlink_to(out)
    assert not folder_exchange.can_step_aside(out.parent / "link")
