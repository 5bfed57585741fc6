"""A set of files is replaced as one, at every moment, and nothing of others is lost."""

import itertools
import json
import os
import shutil
import signal
import threading
from pathlib import Path

import pytest

from kinfolk.disk import file_sets, folder_exchange, folder_lock
from kinfolk.errors import InputError
from kinfolk.papers.store import Outcome, RunSpec, Store

OLD = {"labels.csv": b"old labels", "model/model.json": b"old model"}
NEW = {"labels.csv": b"new labels", "model/model.json": b"new model", "page.html": b"new page"}


def found(folder):
    """Contents of all files of a folder except its manifest."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != file_sets.MANIFEST
    }


@pytest.fixture
def out(tmp_path):
    """Fixture: a folder with an older set and a file of the user."""
    file_sets.replace(tmp_path / "out", OLD, run="old")
    (tmp_path / "out" / "notes.txt").write_bytes(b"mine")
    return tmp_path / "out"


def test_a_set_is_replaced_and_files_of_others_stay(out):
    file_sets.replace(out, NEW, run="new")
    assert found(out) == {**NEW, "notes.txt": b"mine"}
    assert {entry.run for entry in file_sets.entries(out).values()} == {"new"}
    assert sorted(os.listdir(out)) == ["labels.csv", "model", "notes.txt", "page.html", "run.json"]


def test_files_of_an_earlier_set_that_stay_keep_the_run_that_wrote_them(out):
    file_sets.replace(out, {"page.html": b"other"}, run="new")
    runs = {name: entry.run for name, entry in file_sets.entries(out).items()}
    assert runs == {"labels.csv": "old", "model/model.json": "old", "page.html": "new"}
    (out / "labels.csv").unlink()
    file_sets.replace(out, {"page.html": b"other"}, run="third")
    assert "labels.csv" not in file_sets.entries(out)


def test_others_may_read_what_is_written(out):
    umask = os.umask(0)
    os.umask(umask)
    for path in (out / "labels.csv", out / file_sets.MANIFEST):
        assert path.stat().st_mode & 0o777 == 0o666 & ~umask


@pytest.fixture
def one_by_one(monkeypatch):
    """Fixture: files are moved one by one, as where folders cannot be swapped."""
    monkeypatch.setattr(folder_exchange, "can_step_aside", lambda _: False)


class CutOff(BaseException):
    """Exception that stands for a killed process."""


def cut(monkeypatch, nth, names=("replace", "fsync", "mkdir", "rmdir", "unlink", "link")):
    """Raise `CutOff` at the nth file-system step; return the steps taken."""
    taken = itertools.count(1)

    def cutting(step):
        def function(*args, **options):
            if next(taken) >= nth:
                raise CutOff
            return step(*args, **options)

        return function

    for name in names:
        monkeypatch.setattr(file_sets.os, name, cutting(getattr(os, name)))


@pytest.mark.usefixtures("one_by_one")
def test_a_process_killed_at_any_step_leaves_one_set_or_one_that_is_mended(out, monkeypatch):
    outcomes = []
    done = False
    for nth in itertools.count(1):
        place = out.with_name(f"out{nth}")
        shutil.copytree(out, place)
        with monkeypatch.context() as patch:
            cut(patch, nth)
            # A killed process removes no draft.
            patch.setattr(file_sets.shutil, "rmtree", lambda *_, **__: None)
            try:
                file_sets.replace(place, NEW, run="new")
            except CutOff:
                pass
            else:
                done = True
        left = {name: content for name, content in found(place).items() if name in NEW}
        pending = (place / ".kinfolk-next" / "run.json").is_file()
        assert left in (OLD, NEW) or pending
        with folder_lock.held(place):
            assert file_sets.mend(place) == pending
        expected = NEW if pending or left == NEW else OLD
        assert found(place) == {**expected, "notes.txt": b"mine"}
        assert {e.run for e in file_sets.entries(place).values()} == {
            "new" if expected is NEW else "old"
        }
        assert file_sets.damaged(place) == []
        outcomes.append((expected is NEW, pending))
        if done:
            break
    assert sorted(set(outcomes)) == [(False, False), (True, False), (True, True)]
    assert nth > 8  # drafts, their folders, the exchange, and a move for each file


def killed(nth, place):
    """Replace a set in a process that kills itself at its nth file-system step; True if it did."""
    pid = os.fork()
    if not pid:
        taken = itertools.count(1)

        def counted(step):
            def function(*args, **options):
                if next(taken) == nth:
                    os.kill(os.getpid(), signal.SIGKILL)
                return step(*args, **options)

            return function

        for name in ("replace", "fsync", "mkdir", "rmdir", "unlink", "link"):
            setattr(os, name, counted(getattr(os, name)))
        try:
            file_sets.replace(place, NEW, run="new")
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])


def test_beside_a_store_a_kill_at_any_step_leaves_runs_and_a_set_whose_older_files_are_told(
    tmp_path,
):
    pending = 0
    for nth in itertools.count(1):
        place = tmp_path / f"out{nth}"
        file_sets.replace(place, OLD, run="old")
        with Store(place / "runs.sqlite") as store:
            store.record(store.claim(RunSpec("blobs", "kmeans"), "c"), Outcome("done"))
        was_killed = killed(nth, place)
        left = {name: content for name, content in found(place).items() if name in NEW}
        known = file_sets.entries(place)
        here = {name for name, content in left.items() if content == NEW[name]}
        if (place / ".kinfolk-next" / file_sets.MANIFEST).exists():
            pending += 1
            # The manifest is still the older one, by which the newer files are those that differ.
            assert {entry.run for entry in known.values()} == {"old"}
            assert set(file_sets.damaged(place)) == here & OLD.keys()
        else:
            assert left in (OLD, NEW)
            assert file_sets.damaged(place) == []
        with Store(place / "runs.sqlite", read_only=True) as store:
            assert [run.outcome.status for run in store.runs()] == ["done"]
        file_sets.replace(place, NEW, run="new")
        assert {name: found(place)[name] for name in NEW} == NEW
        assert file_sets.damaged(place) == []
        assert not list(place.glob(".kinfolk*"))
        if not was_killed:
            break
    assert pending >= len(NEW)


@pytest.mark.usefixtures("one_by_one")
def test_a_reader_can_tell_a_set_that_is_being_replaced(out, monkeypatch):
    seen = []
    replace = os.replace

    def watched(*places):
        replace(*places)
        seen.append(file_sets.damaged(out))

    monkeypatch.setattr(file_sets.os, "replace", watched)
    file_sets.replace(out, {name: NEW[name] for name in OLD}, run="new")
    whole, *between, last = seen
    assert whole == last == []  # after the draft got its place, and after the manifest
    assert between
    assert all(between)


@pytest.mark.usefixtures("one_by_one")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_exchange_waits_for_its_end(number, out, monkeypatch):
    replace = os.replace

    def signalled(*places):
        signal.raise_signal(number)
        replace(*places)

    def heard(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(file_sets.os, "replace", signalled)
    before = signal.signal(number, heard)
    try:
        with pytest.raises(KeyboardInterrupt):
            file_sets.replace(out, NEW, run="new")
        assert signal.getsignal(number) is heard
    finally:
        signal.signal(number, before)
    assert found(out) == {**NEW, "notes.txt": b"mine"}
    assert file_sets.damaged(out) == []


@pytest.mark.usefixtures("one_by_one")
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_leaves_the_older_set_and_is_told(step, out, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(file_sets.os, step, full)
    with pytest.raises(InputError, match=r"No space left on device\); its files are as they were"):
        file_sets.replace(out, NEW, run="new")
    assert found(out) == {**OLD, "notes.txt": b"mine"}
    assert file_sets.damaged(out) == []


@pytest.mark.usefixtures("one_by_one")
def test_a_move_that_fails_is_told_and_finished_by_the_next_one(out, monkeypatch):
    replace = os.replace

    def failing(source, target):
        if str(target).endswith("model.json"):
            raise PermissionError(13, "Permission denied")
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(file_sets.os, "replace", failing)
        with pytest.raises(InputError, match="could not be written in full .Permission denied"):
            file_sets.replace(out, NEW, run="new")
    file_sets.replace(out, OLD, run="third")
    assert found(out) == {**NEW, **OLD, "notes.txt": b"mine"}
    assert file_sets.damaged(out) == []


@pytest.mark.usefixtures("one_by_one")
@pytest.mark.parametrize("backwards", [False, True])
def test_files_take_their_places_by_name_in_whatever_order_they_are_listed(
    backwards, out, monkeypatch
):
    listed = Path.rglob
    moved = []
    replace = os.replace

    def noted(source, target):
        moved.append(str(Path(target).relative_to(out)))
        replace(source, target)

    monkeypatch.setattr(Path, "rglob", lambda *given: sorted(listed(*given), reverse=backwards))
    monkeypatch.setattr(os, "replace", noted)
    file_sets.replace(out, NEW, run="new")
    assert moved[-4:] == [*sorted(NEW), file_sets.MANIFEST]


def test_a_file_of_somebody_else_is_never_replaced_unless_asked(out):
    (out / "page.html").write_bytes(b"hers")
    with pytest.raises(InputError, match=r"page.html was not written by Kinfolk: .*overwrite=True"):
        file_sets.replace(out, NEW, run="new")
    assert found(out) == {**OLD, "notes.txt": b"mine", "page.html": b"hers"}
    file_sets.replace(out, NEW, run="new", overwrite=True)
    assert found(out)["page.html"] == b"new page"


def test_a_file_that_was_changed_is_not_replaced_either(out):
    (out / "labels.csv").write_bytes(b"old labels, corrected by hand")
    with pytest.raises(InputError, match="labels.csv was changed after Kinfolk wrote it"):
        file_sets.check(out, NEW)


def test_a_file_with_the_content_to_be_written_is_no_loss(out):
    (out / "page.html").write_bytes(NEW["page.html"])
    file_sets.replace(out, NEW, run="new")
    assert file_sets.damaged(out) == []


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"\xff", b'{"format": "kinfolk-run", "schema": 2, "files": {}}', b"[" * 100_000],
)
def test_a_manifest_that_is_not_ours_is_kept(content, tmp_path):
    (tmp_path / "run.json").write_bytes(content)
    assert file_sets.entries(tmp_path) == {}
    with pytest.raises(InputError, match=r"run.json was not written by Kinfolk"):
        file_sets.replace(tmp_path, NEW, run="new")
    assert os.listdir(tmp_path) == ["run.json"]


def test_folders_links_and_pipes_in_the_way_are_told(tmp_path):
    (tmp_path / "a" / "page.html").mkdir(parents=True)
    with pytest.raises(InputError, match="page.html is a folder"):
        file_sets.replace(tmp_path / "a", NEW, run="new")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "model").symlink_to(tmp_path / "a")
    with pytest.raises(InputError, match="model is a link"):
        file_sets.replace(tmp_path / "b", NEW, run="new")
    (tmp_path / "c").mkdir()
    os.mkfifo(tmp_path / "c" / "page.html")
    with pytest.raises(InputError, match="page.html was not written"):
        file_sets.replace(tmp_path / "c", NEW, run="new")
    assert os.listdir(tmp_path / "a") == ["page.html"]


def test_a_folder_that_is_a_link_gets_the_set_where_it_leads(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "real")
    file_sets.replace(tmp_path / "out", NEW, run="new")
    assert found(tmp_path / "real") == NEW
    (tmp_path / "lost").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError, match="lost is no folder that can be written to"):
        file_sets.replace(tmp_path / "lost", NEW, run="new")


def test_the_manifest_names_time_version_and_checksums(out):
    told = json.loads((out / "run.json").read_text("utf-8"))
    assert list(told) == ["format", "schema", "run", "written", "kinfolk", "files"]
    assert told["run"] == "old"
    assert len(told["files"]["labels.csv"]["sha256"]) == 64


def test_damage_is_named(out):
    (out / "labels.csv").write_bytes(b"cut")
    (out / "model" / "model.json").unlink()
    assert file_sets.damaged(out) == ["labels.csv", "model/model.json"]


def test_equal_contents_and_no_others_have_the_same_identifier():
    assert file_sets.run_id([b"a", b"b"]) == file_sets.run_id([b"a", b"b"])
    assert file_sets.run_id([b"ab", b""]) != file_sets.run_id([b"a", b"b"])


def test_a_single_file_replaces_one_of_its_kind_only(tmp_path):
    place = tmp_path / "labels.csv"
    file_sets.write_file(place, b"row,task\n1,a", b"row,task")
    file_sets.write_file(place, b"row,task\n2,b", b"row,task")
    assert place.read_bytes() == b"row,task\n2,b"
    place.write_bytes(b"my table")
    with pytest.raises(InputError, match="labels.csv was not written by Kinfolk"):
        file_sets.write_file(place, b"row,task\n3,c", b"row,task")
    file_sets.write_file(place, b"row,task\n3,c", b"row,task", overwrite=True)
    assert os.listdir(tmp_path) == ["labels.csv"]


@pytest.mark.parametrize(
    ("place", "sentence"),
    [("none/a.csv", "There is no folder .*none: make it first"), ("", "is a folder: name a file")],
)
def test_a_place_for_a_file_that_is_none_is_told(place, sentence, tmp_path):
    with pytest.raises(InputError, match=sentence):
        file_sets.write_file(tmp_path / place, b"x", b"x")


def test_a_single_file_does_not_take_the_place_of_one_of_a_run(out):
    mark = OLD["labels.csv"]
    with pytest.raises(InputError, match=r"labels.csv belongs to the run .*overwrite=True"):
        file_sets.write_file(out / "labels.csv", mark + b" of new rows", mark)
    assert file_sets.damaged(out) == []
    file_sets.write_file(out / "labels.csv", mark + b" of new rows", mark, overwrite=True)
    assert file_sets.damaged(out) == ["labels.csv"]


def test_two_threads_of_one_process_write_one_after_the_other(tmp_path):
    sets = [{"labels.csv": b"%d" % i, "page.html": b"%d" % i} for i in range(8)]
    threads = [
        threading.Thread(target=file_sets.replace, args=(tmp_path / "out", one, str(i)))
        for i, one in enumerate(sets)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found(tmp_path / "out") in sets
    assert file_sets.damaged(tmp_path / "out") == []


@pytest.mark.parametrize("instead", ["nothing", "a file"])
def test_a_folder_that_goes_while_its_files_are_made_is_told(instead, out, monkeypatch):
    write = file_sets._write_through

    def removed(path, content):
        write(path, content)
        if path.name == file_sets.MANIFEST:
            shutil.rmtree(out)
            if instead == "a file":
                out.write_text("mine")

    monkeypatch.setattr(file_sets, "_write_through", removed)
    with pytest.raises(InputError, match="moved away or removed while .* nothing is written"):
        file_sets.replace(out, NEW, "b", overwrite=True)
    assert list(out.parent.glob(".*")) == []
