from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from file_contents import ROWS, packed, parquet, squeezed
from kinfolk import sources
from kinfolk.errors import FileFormatError, InputError
from kinfolk.sources import limits, paths

BROKEN = [
    # name, content, options, error, pattern
    ("t.csv", "", {}, FileFormatError, r"t\.csv is empty"),
    ("t.csv", " \n\n", {}, FileFormatError, r"t\.csv is empty"),
    ("t.csv.gz", b"a\n1\n", {}, FileFormatError, "not a complete gzip file"),
    ("t.csv.gz", squeezed(ROWS.encode())[:-9], {}, FileFormatError, "not a complete gzip"),
    ("t.csv.gz", squeezed(b""), {}, FileFormatError, "is empty"),
    ("t.ods", "a\n", {}, FileFormatError, r"t\.ods is in no format .*\.csv, \.tsv"),
    ("t.parquet.gz", "a\n", {}, FileFormatError, "in no format"),
    ("t", "a\n", {}, FileFormatError, "in no format"),
    ("t.zip", "a\n", {}, FileFormatError, r"\.h5mu\. Unpack it first\."),
    ("t.json", "a\n", {}, FileFormatError, r"\.h5mu\. Write an object per line, as JSON Lines"),
]  # fmt: skip


@pytest.mark.parametrize("file", BROKEN, ids=[row[-1] for row in BROKEN])
def test_a_file_that_cannot_be_opened_is_refused_in_one_sentence(assert_refused, file):
    assert_refused(*file)


def test_paths_that_lead_nowhere_are_refused(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match=r"There is no file .*gone\.csv"):
        sources.read(tmp_path / "gone.csv")
    with pytest.raises(InputError, match=r"folder\.csv is a directory"):
        sources.read(tmp_path / "folder.csv")
    with pytest.raises(InputError, match="No file is given"):
        sources.read([])


def test_a_file_that_may_not_be_read_is_refused(put, monkeypatch):
    def refuse(path, mode):
        raise PermissionError(13, "Permission denied", str(path))

    file = put(**{"t.csv": ROWS})
    monkeypatch.setattr(paths.Path, "open", refuse)
    with pytest.raises(InputError, match=r"t\.csv cannot be read: Permission denied"):
        sources.read(file)


def test_a_parquet_file_beyond_the_limit_is_told_of_blocks(put, monkeypatch):
    monkeypatch.setattr(limits, "UNPACKED_LIMIT", 5000)
    file = put(**{"t.parquet": parquet(pd.DataFrame({"a": np.zeros(5000)}))})
    with pytest.raises(FileFormatError, match=r"in blocks, see kf\.Blocks\.$"):
        sources.read(file)


def test_files_that_would_be_one_task_are_refused(put):
    paths = put(**{"a.csv": "x\n1\n", "a.tsv": "x\n1\n"})
    with pytest.raises(InputError, match=r"Several files .*/a'"):
        sources.read(paths)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv.gz", squeezed(b"a\n" + b"0\n" * 5000)),
        ("t.npz", packed(X=np.zeros((100, 100)))),
        ("t.parquet", parquet(pd.DataFrame({"a": np.zeros(5000)}))),
    ],
)
def test_small_files_that_unpack_to_large_ones_are_refused(put, monkeypatch, name, content):
    monkeypatch.setattr(limits, "UNPACKED_LIMIT", 5000)
    with pytest.raises(FileFormatError, match="unpacks to more than 5,000 bytes"):
        sources.read(put(**{name: content}))


@pytest.mark.parametrize(
    ("name", "stem", "suffix"),
    [
        ("a.csv", "a", ".csv"),
        ("a.CSV", "a", ".csv"),
        ("a.b.tsv.gz", "a.b", ".tsv"),
        ("a.JSONL.GZ", "a", ".jsonl"),
        ("x/y.z/a.ndjson", "a", ".ndjson"),
        ("a.parquet", "a", ".parquet"),
        (".hidden.npz", ".hidden", ".npz"),
    ],
)
def test_a_name_has_a_stem_and_a_suffix_without_gz(name, stem, suffix):
    assert paths.split(Path(name)) == (stem, suffix)


@pytest.mark.parametrize("name", ["a", "a.doc", "a.gz", "a.npz.gz", "a.csv.zip", ".csv", "a."])
def test_other_suffixes_are_refused_with_a_list_of_formats(name):
    with pytest.raises(FileFormatError, match=r"\.csv, \.tsv, \.jsonl, \.ndjson, .*\.npz"):
        paths.split(Path(name))


def test_folders_are_added_to_the_names_that_need_them_only():
    files = [Path("u/a.csv"), Path("v/a.tsv"), Path("u/b.csv")]
    assert paths.task_names(files) == ["u/a", "v/a", "b"]
    assert paths.task_names(files[1:]) == ["a", "b"]


def test_task_names_that_no_folder_tells_apart_are_refused():
    files = [Path("u/a.csv"), Path("u/a.tsv"), Path("v/b.csv")]
    with pytest.raises(InputError, match=r"the same name \('u/a'\)"):
        paths.task_names(files)


def test_the_limit_of_unpacked_bytes_is_itself_allowed(tmp_path, monkeypatch):
    import gzip

    file = tmp_path / "t.csv.gz"
    file.write_bytes(gzip.compress(b"a" * 100))
    monkeypatch.setattr(limits, "UNPACKED_LIMIT", 100)
    assert paths.read_bytes(file) == b"a" * 100
    monkeypatch.setattr(limits, "UNPACKED_LIMIT", 99)
    with pytest.raises(FileFormatError, match="unpacks to more than 99 bytes"):
        paths.read_bytes(file)


def test_several_packed_pieces_in_one_file_are_read_to_the_end(tmp_path):
    file = tmp_path / "t.csv.gz"
    file.write_bytes(squeezed(b"x\n1\n") + squeezed(b"2\n"))
    assert paths.read_bytes(file) == b"x\n1\n2\n"


@pytest.mark.parametrize("n", [1, 1_000_000])
def test_a_table_may_have_any_usual_number_of_columns(n):
    limits.check_width("t.csv", n)


@pytest.mark.parametrize(
    ("n", "sentence"), [(0, "has 0 columns"), (1_000_001, "has 1,000,001 columns")]
)
def test_a_table_of_no_columns_or_too_many_is_refused(n, sentence):
    with pytest.raises(FileFormatError, match=sentence):
        limits.check_width("t.csv", n)


def test_names_in_any_script_are_allowed_and_half_a_character_is_not():
    paths.check_characters(["Ærø", "東京", "\U0001f600", ""])
    with pytest.raises(InputError, match=r"'a\\udc00' holds half a character"):
        paths.check_characters(["fine", "a\udc00"])
