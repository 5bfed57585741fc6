import functools
import gzip
import json
import os

import numpy as np
import pytest

from kinfolk.datasets import data_home, jsonlines
from kinfolk.errors import FileFormatError

packed = functools.partial(gzip.compress, mtime=0)
"""Packed bytes that are the same at any time, so that tests have the same names everywhere."""

FIELDS = {"id": int, "label": str | None}
GOOD = b'{"id": 1, "label": null}\n'


@pytest.fixture
def read(tmp_path):
    """Write lines to a gzip file and read its records."""

    def read(lines):
        path = tmp_path / "file.jsonl.gz"
        path.write_bytes(packed(lines))
        return list(jsonlines.records(path, FIELDS))

    return read


def test_records_are_the_objects_of_the_lines(read):
    assert read(GOOD + b'{"id": 2, "label": "a", "more": [3]}') == [
        {"id": 1, "label": None},
        {"id": 2, "label": "a", "more": [3]},
    ]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b'{"id": 2,', "line 2: not JSON"),
        (b"\xff\xfe\xfd", "line 2: not JSON"),
        (b"", "line 2: not JSON"),
        (b"[" * 200_000, "line 2: not JSON"),
        (b'["id", "label"]', "line 2: a JSON object is expected, not list"),
        (b'{"id": 2}', "line 2: the field 'label' must hold .*, it holds nothing"),
        (b'{"id": "2", "label": null}', "line 2: the field 'id' must hold int, it holds str"),
    ],
)
def test_a_bad_line_is_named(read, line, sentence):
    with pytest.raises(FileFormatError, match=f"file.jsonl.gz, {sentence}"):
        read(GOOD + line + b"\n")


def test_a_truncated_file_is_named_with_its_line(tmp_path):
    path = tmp_path / "cut.jsonl.gz"
    lines = b"".join(
        json.dumps({"id": i, "label": os.urandom(50).hex()}).encode() + b"\n" for i in range(99)
    )
    path.write_bytes(packed(lines)[:-400])
    with pytest.raises(FileFormatError, match=r"cut.jsonl.gz, line \d+: .*damaged or incomplete"):
        list(jsonlines.records(path, FIELDS))


@pytest.mark.parametrize(
    "content",
    [
        b"no gzip at all",
        packed(GOOD)[:10] + b"\xff" * 30,
        packed(GOOD)[:-8] + bytes(8),
    ],
)
def test_a_damaged_stream_gives_a_sentence(tmp_path, content):
    path = tmp_path / "bad.jsonl.gz"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"bad.jsonl.gz, line \d: the gzip file is damaged"):
        list(jsonlines.records(path, FIELDS))


def test_a_long_line_stops_at_its_limit(read, monkeypatch):
    monkeypatch.setattr(data_home, "LARGEST_TEXT", 1000)
    with pytest.raises(FileFormatError, match="line 2: .* line of more than 1000"):
        read(GOOD + b" " * 10_000_000)


def test_many_lines_stop_at_the_limit_of_the_file(read, monkeypatch):
    assert len(read(GOOD * 40)) == 40
    monkeypatch.setattr(jsonlines, "MOST_BYTES", 40 * len(GOOD) - 1)
    with pytest.raises(FileFormatError, match="line 40: the file unpacks to more than 999 bytes"):
        read(GOOD * 40)


def test_any_records_come_back_as_they_were_written(read):
    random = np.random.default_rng(0)
    records = [
        {
            "id": int(random.integers(-(2**60), 2**60)),
            "label": "".join(map(chr, random.integers(32, 0x2FFF, size=20))),
            "more": random.normal(size=3).tolist(),
        }
        for _ in range(50)
    ]
    lines = "\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    assert read(lines.encode()) == records


def test_an_empty_file_has_no_records(read):
    assert read(b"") == []


def test_records_before_a_bad_line_are_given_first(tmp_path):
    path = tmp_path / "file.jsonl.gz"
    path.write_bytes(packed(GOOD * 3 + b"bad\n"))
    records = jsonlines.records(path, FIELDS)
    assert [next(records)["id"] for _ in range(3)] == [1, 1, 1]
    with pytest.raises(FileFormatError, match="line 4: not JSON"):
        next(records)


def test_a_missing_file_gives_a_sentence(tmp_path):
    with pytest.raises(FileFormatError, match=r"none.jsonl.gz, line 1: .*damaged or incomplete"):
        list(jsonlines.records(tmp_path / "none.jsonl.gz", FIELDS))
