"""Folders of models: nothing of others is lost, and whatever fails is told in a sentence."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import kinfolk as kf
from kinfolk.disk import file_sets, folder_exchange, folder_lock
from kinfolk.errors import FileFormatError, InputError
from kinfolk.models import folders, storage

X = [[0.0], [5.0], [0.1], [5.2], [0.2], [9.0]]


def fit(n_clusters=2):
    return kf.PerTask(n_clusters=n_clusters).fit(X, tasks=list("aabbba"))


def number(folder):
    """Number of clusters of each task of a stored model."""
    return storage.load(folder).estimator.n_clusters_.tolist()


def test_a_later_model_replaces_an_earlier_one_and_files_of_others_stay(tmp_path):
    place = tmp_path / "model"
    kf.save(fit(2), place)
    (place / "notes.txt").write_text("mine")
    kf.save(fit(3), place)
    assert number(place) == [3, 3]
    assert (place / "notes.txt").read_text() == "mine"
    assert sorted(os.listdir(place)) == [folders.ARRAYS, folders.HEADER, "notes.txt"]
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.parametrize("content", ['{"learner":{}}', "", '{"a": 1, "b": "kinfolk-model"}'])
def test_a_model_of_another_program_is_never_replaced(content, tmp_path):
    (tmp_path / folders.HEADER).write_text(content)
    (tmp_path / "thesis.docx").write_text("precious")
    with pytest.raises(InputError, match=r"no model of Kinfolk: .*overwrite=True"):
        kf.save(fit(), tmp_path)
    assert (tmp_path / folders.HEADER).read_text() == content
    kf.save(fit(), tmp_path, overwrite=True)
    assert number(tmp_path) == [2, 2]
    assert (tmp_path / "thesis.docx").read_text() == "precious"


def test_a_link_stays_one_and_its_model_is_replaced(tmp_path):
    kf.save(fit(2), tmp_path / "model")
    (tmp_path / "link").symlink_to("model")
    kf.save(fit(3), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert number(tmp_path / "model") == [3, 3]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nowhere", "nowhere is a link that leads nowhere: name a folder"),
        ("loop", "loop is a link that leads nowhere: name a folder"),
        ("file", "file is no folder: name another one"),
        ("file/model", r"file is no folder that can be written to \(.*\): name another one"),
        ("n" * 250, r"could not be written to \(File name too long\).*name another folder"),
        ("headed", "model.json is no file, and one goes there: name another folder"),
    ],
)
def test_a_place_where_no_model_can_be_is_told(name, sentence, tmp_path):
    (tmp_path / "nowhere").symlink_to("gone")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "headed" / folders.HEADER).mkdir(parents=True)
    with pytest.raises(InputError, match=sentence):
        kf.save(fit(), tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == ["file", "headed", "loop", "nowhere"]


@pytest.mark.parametrize("function", ["fsync", "listdir"])
def test_a_system_that_refuses_is_told_with_the_name_of_the_folder(function, tmp_path, monkeypatch):
    kf.save(fit(2), tmp_path / "model")

    def refused(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, function, refused)
        with pytest.raises(InputError, match=r"model c.*\(No space left on device\).*name another"):
            kf.save(fit(3), tmp_path / "model")
    assert number(tmp_path / "model") == [2, 2]
    assert os.listdir(tmp_path) == ["model"]


def test_a_disk_that_has_no_room_for_the_lock_is_told(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder_lock.os, "pwrite", full)
    with pytest.raises(InputError, match=r"model is no folder .* \(No space left on device\)"):
        kf.save(fit(), tmp_path / "model")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("whole", [True, False])
def test_stopping_while_a_model_is_written_keeps_the_older_one(whole, tmp_path, monkeypatch):
    kf.save(fit(2), tmp_path / "model")

    def stopped(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(folder_exchange, "can_step_aside", lambda _: whole)
        patch.setattr(folder_exchange, "exchange", stopped)
        patch.setattr(file_sets.os, "replace", stopped)
        with pytest.raises(KeyboardInterrupt):
            kf.save(fit(3), tmp_path / "model")
    assert sorted(os.listdir(tmp_path / "model")) == [folders.ARRAYS, folders.HEADER]
    assert os.listdir(tmp_path) == ["model"]
    assert number(tmp_path / "model") == [2, 2]


def test_a_model_in_the_working_folder_is_replaced_in_its_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kf.save(fit(2), ".")
    kf.save(fit(3), ".")
    assert Path.cwd() == tmp_path
    assert number(".") == [3, 3]


def test_a_model_of_a_run_is_replaced_in_its_list_of_files_too(tmp_path):
    model = fit(2)
    kf.save(model, tmp_path / "apart")
    parts = {p.name: p.read_bytes() for p in (tmp_path / "apart").iterdir()}
    in_run = {f"model/{name}": content for name, content in parts.items()}
    file_sets.replace(tmp_path / "run", {**in_run, "labels.csv": b"row"}, run="5f")
    kf.save(fit(3), tmp_path / "run" / "model")
    assert file_sets.damaged(tmp_path / "run") == []
    runs = {name: entry.run for name, entry in file_sets.entries(tmp_path / "run").items()}
    assert runs["labels.csv"] == "5f" != runs["model/model.json"]
    assert number(tmp_path / "run" / "model") == [3, 3]


SAVERS = """
import sys
import kinfolk as kf
from kinfolk.models import folders
parts = folders.read(folders.Path(sys.argv[1]))
for _ in range(60):
    folders.write(folders.Path(sys.argv[1]), dict(zip((folders.HEADER, folders.ARRAYS), parts)))
"""


def test_two_programs_that_save_take_turns_and_a_third_reads_whole_models(tmp_path):
    place = tmp_path / "model"
    kf.save(fit(), place)
    command = [sys.executable, "-c", SAVERS, str(place)]
    savers = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    while any(saver.poll() is None for saver in savers):
        storage.load(place)
    assert [saver.communicate()[1] for saver in savers] == ["", ""]
    assert os.listdir(tmp_path) == ["model"]
    assert sorted(os.listdir(place)) == [folders.ARRAYS, folders.HEADER]


def test_a_model_that_is_replaced_while_it_is_read_is_read_again(tmp_path, monkeypatch):
    kf.save(fit(2), tmp_path / "model")
    check = folders.sealed.check_regular
    saved = []

    def replaced(path):
        check(path)
        if path.name == folders.ARRAYS and not saved:
            saved.append(kf.save(fit(3), tmp_path / "model"))

    monkeypatch.setattr(folders.sealed, "check_regular", replaced)
    assert number(tmp_path / "model") == [3, 3]


def test_a_model_that_may_not_be_read_is_not_called_missing(tmp_path, monkeypatch):
    kf.save(fit(), tmp_path / "model")

    def refused(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refused)
    with pytest.raises(FileFormatError, match=r"model cannot be read \(Permission denied\)"):
        kf.load(tmp_path / "model")


def test_every_version_of_a_header_has_its_mark_at_its_start(tmp_path):
    headers = list(Path(__file__).parent.glob(f"schema-*/*/{folders.HEADER}"))
    assert len(headers) > 5
    for header in headers:
        assert json.loads(header.read_bytes())["format"] == folders.FORMAT
        assert folders.check_replaceable(header.parent) == header.parent
