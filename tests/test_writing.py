"""Files are written whole or not at all."""

import os

import pytest

from kinfolk import writing


def test_a_file_is_replaced_by_the_whole_new_one(tmp_path):
    for text in ("first", "æ\r\n"):
        writing.write_atomically(tmp_path / "t.txt", text.encode("utf-8"))
        assert (tmp_path / "t.txt").read_bytes() == text.encode("utf-8")
    assert os.listdir(tmp_path) == ["t.txt"]
    assert (tmp_path / "t.txt").stat().st_mode & 0o777 == 0o644


def test_a_write_that_fails_leaves_the_older_file_and_no_draft(tmp_path, monkeypatch):
    writing.write_atomically(tmp_path / "t.txt", b"older")

    def full(*_):
        raise OSError("disk full")

    monkeypatch.setattr(writing.os, "replace", full)
    with pytest.raises(OSError, match="disk full"):
        writing.write_atomically(tmp_path / "t.txt", b"newer")
    assert (tmp_path / "t.txt").read_bytes() == b"older"
    assert os.listdir(tmp_path) == ["t.txt"]
