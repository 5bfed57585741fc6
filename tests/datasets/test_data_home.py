import hashlib
from pathlib import Path

import pytest

from kinfolk.datasets import data_home
from kinfolk.errors import FileFormatError, InputError, MissingDataError


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
    for part in ("toy", "a.gz, text/a.gz", str(tmp_path), "https://toy.example", "by data= or"):
        assert part in sentence
    assert "KINFOLK_DATA" in sentence
    assert "no such directory" not in sentence


def test_missing_directory_is_named_as_missing(tmp_path):
    with pytest.raises(MissingDataError, match="no such directory"):
        data_home.find("toy", ["a.gz"], tmp_path / "nowhere", "https://toy.example")


def test_verify_accepts_the_right_sum_and_shows_both_others(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"content")
    right = hashlib.sha256(b"content").hexdigest()
    wrong = hashlib.sha256(b"other").hexdigest()
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


def test_the_home_folder_of_the_user_may_be_written_as_a_tilde(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_home.directory("~/corpora") == tmp_path / "corpora"


@pytest.mark.parametrize("data", [5, b"corpora", "a\0b", ["corpora"]])
def test_what_is_no_path_of_a_data_directory_gets_a_sentence(data):
    with pytest.raises(InputError, match="^data is .* path"):
        data_home.directory(data)


def test_the_home_of_a_user_who_is_not_there_is_a_folder_that_is_missing():
    with pytest.raises(MissingDataError, match="no such directory"):
        data_home.find("toy", ["toy.gz"], "~nobody-of-this-name/corpora", "https://toy.example")


def test_a_folder_is_found_like_a_file(tmp_path):
    (tmp_path / "webkb" / "course").mkdir(parents=True)
    found = data_home.find("toy", ["a.gz", "webkb/course"], tmp_path, "https://toy.example")
    assert found == tmp_path / "webkb" / "course"


def test_the_environment_decides_where_a_file_is_looked_for(monkeypatch, tmp_path):
    monkeypatch.setenv(data_home.VARIABLE, str(tmp_path))
    (tmp_path / "a").touch()
    assert data_home.find("toy", ["a"], None, "https://toy.example") == tmp_path / "a"


@pytest.mark.parametrize("size", [0, 1, 2**18 - 1, 2**18, 2**18 + 1])
def test_the_checksum_does_not_depend_on_blocks(size, tmp_path):
    content = bytes(i % 251 for i in range(size))
    (tmp_path / "file").write_bytes(content)
    data_home.verify(tmp_path / "file", hashlib.sha256(content).hexdigest())


def test_a_changed_bit_is_noticed(tmp_path):
    content = bytearray(b"some content of a file")
    right = hashlib.sha256(content).hexdigest()
    for place in range(0, len(content), 5):
        content[place] ^= 1
        (tmp_path / "file").write_bytes(content)
        with pytest.raises(FileFormatError, match="damaged or another version"):
            data_home.verify(tmp_path / "file", right)
        content[place] ^= 1
