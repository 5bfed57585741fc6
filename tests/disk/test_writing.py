import os
import stat

import pytest

from kinfolk.disk import writing
from kinfolk.disk.writing import write_atomically


def test_a_new_file_holds_the_bytes_and_others_may_read_it(tmp_path):
    path = tmp_path / "a.bin"
    write_atomically(path, b"bytes")
    assert path.read_bytes() == b"bytes"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_an_older_file_keeps_who_may_read_it(mode, tmp_path):
    path = tmp_path / "patients.csv"
    path.write_text("older")
    path.chmod(mode)
    write_atomically(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_link_stays_one_and_its_file_is_replaced(tmp_path):
    (tmp_path / "a.txt").write_text("older")
    (tmp_path / "link").symlink_to("a.txt")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a.txt").read_bytes() == b"new"


def test_a_file_may_have_the_longest_name_of_the_system(tmp_path):
    write_atomically(tmp_path / ("n" * 255), b"new")
    assert os.listdir(tmp_path) == ["n" * 255]


def test_an_older_file_is_replaced(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a much longer older text")
    write_atomically(str(path), b"new")
    assert path.read_bytes() == b"new"


def test_a_failure_keeps_the_older_file_and_leaves_no_draft(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("older")

    def failing(source, target):
        raise OSError("the disk is full")

    monkeypatch.setattr(writing.os, "replace", failing)
    with pytest.raises(OSError, match="disk is full"):
        write_atomically(path, b"new")
    assert path.read_text() == "older"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "missing" / "a.txt", b"new")
