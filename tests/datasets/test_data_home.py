import hashlib
from pathlib import Path

import pytest

from kinfolk.datasets import data_home
from kinfolk.errors import FileFormatError, MissingDataError


def test_argument_comes_before_environment_and_environment_before_default(monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", "of-the-user")
    monkeypatch.setenv("KINFOLK_DATA", "")
    assert data_home.directory() == Path("of-the-user", "kinfolk")
    monkeypatch.setenv("KINFOLK_DATA", "of-the-environment")
    assert data_home.directory() == Path("of-the-environment")
    assert data_home.directory("given") == Path("given")


def test_default_is_local_share_without_xdg(monkeypatch, tmp_path):
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("KINFOLK_DATA", raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert data_home.directory() == tmp_path / ".local" / "share" / "kinfolk"


def test_find_prefers_the_first_layout(tmp_path):
    for name in ("b", "c"):
        (tmp_path / name).touch()
    assert data_home.find("toy", ["a", "b", "c"], tmp_path, "https://toy.example") == tmp_path / "b"


def test_missing_data_sentence_says_what_where_and_what_to_do(tmp_path):
    with pytest.raises(MissingDataError) as caught:
        data_home.find("toy", ["a.gz", "text/a.gz"], tmp_path, "https://toy.example")
    sentence = str(caught.value)
    for part in ("toy", "a.gz, text/a.gz", str(tmp_path), "https://toy.example", "--data DIR"):
        assert part in sentence
    assert "KINFOLK_DATA" in sentence
    assert "no such directory" not in sentence


def test_missing_directory_is_named_as_missing(tmp_path):
    with pytest.raises(MissingDataError, match="no such directory"):
        data_home.find("toy", ["a.gz"], tmp_path / "nowhere", "https://toy.example")


def test_verify_accepts_the_right_sum_and_shows_both_others(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"content")
    right, wrong = hashlib.sha256(b"content").hexdigest(), hashlib.sha256(b"other").hexdigest()
    assert data_home.verify(file, right) is None
    with pytest.raises(FileFormatError, match=f"{right[:12]} where {wrong[:12]} is expected"):
        data_home.verify(file, wrong)


@pytest.mark.parametrize(
    "read", [data_home.read_text, lambda path: data_home.verify(path, "0" * 64)]
)
def test_what_cannot_be_read_gives_a_sentence(read, tmp_path):
    with pytest.raises(FileFormatError, match="cannot be read"):
        read(tmp_path)


def test_text_keeps_every_byte(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(bytes(range(256)))
    assert data_home.read_text(file) == "".join(map(chr, range(256)))


def test_text_over_the_limit_gives_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(data_home, "LARGEST_TEXT", 10)
    file = tmp_path / "file"
    file.write_bytes(b"x" * 10)
    assert data_home.read_text(file) == "x" * 10
    file.write_bytes(b"x" * 11)
    with pytest.raises(FileFormatError, match="larger than 10 bytes"):
        data_home.read_text(file)
