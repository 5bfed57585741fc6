"""Headers, arrays and checksums: written whole, and refused when they are not as written."""

import json
import struct

import numpy as np
import pytest

from kinfolk.disk import sealed
from kinfolk.errors import FileFormatError

LAYOUT = sealed.Layout(
    kind="recipe",
    format="kinfolk-recipe",
    versions={1: {"steps": (list,)}, 2: {"steps": (list,), "hours": (int, type(None))}},
    advice="ask the cook",
)
FIRST = {"format": "kinfolk-recipe", "schema": 1, "steps": ["mix"]}
SECOND = {**FIRST, "schema": 2, "hours": None}


@pytest.mark.parametrize("header", [FIRST, SECOND, {**SECOND, "hours": 3}])
def test_every_version_is_read_with_its_own_fields(header):
    assert LAYOUT.check(header, "cake.json") == header
    assert LAYOUT.latest == 2


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        (None, "cake.json is no recipe of Kinfolk: ask the cook"),
        ([FIRST], "is no recipe"),
        ({**FIRST, "format": "kinfolk-model"}, "is no recipe"),
        ({"schema": 1, "steps": []}, "is no recipe"),
        ({**FIRST, "schema": 3}, "has schema 3 and this version of Kinfolk reads 1 and 2"),
        ({**FIRST, "schema": True}, "has schema True"),
        ({**FIRST, "schema": [1]}, r"has schema \[1\]"),
        ({"format": "kinfolk-recipe", "steps": []}, "has schema None"),
        ({**FIRST, "schema": 2}, "lacks hours: ask the cook"),
        ({**SECOND, "schema": 1}, "should not have hours"),
        ({**FIRST, 5: "five"}, "should not have 5"),
        ({**FIRST, "steps": "mix"}, "has steps='mix': ask the cook"),
        ({**SECOND, "hours": True}, "has hours=True"),
        ({**SECOND, "hours": 1.0}, "has hours=1.0"),
    ],
)
def test_a_header_that_does_not_fit_its_layout_is_refused(header, sentence):
    with pytest.raises(FileFormatError, match=sentence):
        LAYOUT.check(header, "cake.json")


def test_a_long_value_is_cut_in_the_sentence():
    sentence = str(LAYOUT.refusal("cake.json", "steps", "x" * 10_000))
    assert len(sentence) < 110
    assert sentence.endswith(": ask the cook.")


def test_the_checksum_depends_on_every_field_and_byte_but_not_on_the_order_of_fields():
    one = sealed.checksum(FIRST, [b"ab", b"c"])
    assert one == sealed.checksum(dict(reversed(FIRST.items())), [b"abc"])
    assert one == sealed.checksum({**FIRST, "sha256": one}, [b"abc"])
    others = [
        sealed.checksum({**FIRST, "steps": ["stir"]}, [b"abc"]),
        sealed.checksum({**FIRST, "more": None}, [b"abc"]),
        sealed.checksum(FIRST, [b"abd"]),
        sealed.checksum(FIRST, []),
    ]
    assert len({one, *others}) == 5


def test_a_header_of_numbers_that_json_lacks_is_never_written():
    with pytest.raises(ValueError, match="JSON"):
        sealed.canonical({"weight": float("nan")})


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a": ' + b"9" * 5000 + b"}"]
)
def test_bytes_that_are_no_json_are_refused(raw):
    with pytest.raises(FileFormatError, match="cake.json is not readable JSON"):
        sealed.parse_header(raw, "cake.json")


ARRAYS = {"b": np.arange(6.0).reshape(2, 3).T, "a": np.array([True, False]), "c": np.zeros((0, 2))}


def test_arrays_come_back_in_any_order_of_memory():
    found = sealed.unpack(sealed.pack(ARRAYS))
    assert found.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


def test_a_header_in_the_metadata_is_read_and_known_to_be_as_written():
    raw = sealed.pack(ARRAYS, "note", '{"a":"ü"}')
    assert sealed.metadata(raw, "note") == ('{"a":"ü"}', True)
    size = struct.unpack("<Q", raw[:8])[0]
    head = raw[8 : 8 + size].rstrip()
    for hidden in (head.replace(b'"a"', b'"\\u0061"'), head.replace(b":", b": ", 1)):
        assert json.loads(hidden) == json.loads(head)
        again = struct.pack("<Q", len(hidden)) + hidden + raw[8 + size :]
        assert sealed.metadata(again, "note") == ('{"a":"ü"}', False)


@pytest.mark.parametrize("raw", [b"", b"1234567", struct.pack("<Q", 2**60) + b"{}", b"\0" * 8])
def test_metadata_of_a_file_that_is_none_are_an_error(raw):
    with pytest.raises(sealed.MALFORMED):
        sealed.metadata(raw, "note")
    with pytest.raises(sealed.MALFORMED):
        sealed.unpack(raw)


def test_an_array_without_axes_keeps_its_shape():
    assert sealed.unpack(sealed.pack({"one": np.array(1.5)}))["one"].shape == ()


def test_metadata_without_the_entry_are_an_error():
    with pytest.raises(KeyError):
        sealed.metadata(sealed.pack(ARRAYS, "other", "{}"), "note")
    with pytest.raises(KeyError):
        sealed.metadata(sealed.pack(ARRAYS), "note")


def test_a_file_above_the_limit_is_not_read(tmp_path):
    (tmp_path / "cake").write_bytes(b"123")
    assert sealed.read_bytes(tmp_path / "cake", 3) == b"123"
    with pytest.raises(FileFormatError, match="cake has more than 2 bytes"):
        sealed.read_bytes(tmp_path / "cake", 2)
    with pytest.raises(FileNotFoundError):
        sealed.read_bytes(tmp_path / "none")
