"""Tables are read without second copies of their numbers."""

import gzip
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from kinfolk import sources
from kinfolk.errors import InputError
from kinfolk.sources import contents, finite_numbers, frames, native, parquet, sheets, text_encoding
from kinfolk.sources.contents import Contents
from kinfolk.sources.sheets import Roles
from kinfolk.tables import alignment

TABLE = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})


def test_numbers_of_a_frame_are_shared_until_they_are_stacked():
    X = TABLE.to_numpy().copy()
    frame = native.opened(pd.DataFrame(X, columns=["a", "b"], copy=False))
    raws = native.of_frame(frame, shared=True)
    assert all(np.shares_memory(raw.values, X) for raw in raws.values())
    assert not np.shares_memory(native.number_table(raws), X)


def test_columns_that_are_kept_are_no_views_of_the_users_table():
    given = pd.DataFrame({"a": [1.0, 2.0], "word": ["x", "y"]})
    found = sheets.from_frame("t.csv", given, Roles())
    found.raws["a"].values[0] = 9.0
    assert given["a"].tolist() == [1.0, 2.0]


def test_one_table_is_stacked_as_it_is():
    X = np.ones((3, 2))
    assert alignment.stacked([X]) is X
    assert alignment.stacked([X, X]).shape == (6, 2)


@pytest.mark.parametrize("row", [0, 2, 5, 6])
def test_a_wrong_number_is_found_in_any_piece(row, monkeypatch):
    monkeypatch.setattr(finite_numbers, "PIECE", 3)
    X = np.zeros((7, 1))
    assert finite_numbers.checked("t.csv", ["a"], X) is X
    X[row] = np.inf
    with pytest.raises(InputError, match=f"data row {row + 1} has an infinite number"):
        finite_numbers.checked("t.csv", ["a"], X)


def test_letters_across_the_ends_of_pieces_are_read(monkeypatch):
    monkeypatch.setattr(contents, "PIECE", 1)
    text = "a;ö\n1;2\n".encode()
    whole, encoding = text_encoding.decoded("t.csv", Contents.of_bytes(text))
    assert (whole.read(), encoding) == (text, "")
    half = text[: text.index(b"\xc3") + 1]
    assert (
        text_encoding.decoded("t.csv", Contents.of_bytes(half))[1]
        == "Windows-1252 (Western European)"
    )


def test_a_column_has_one_type_though_its_pieces_differ(tmp_path):
    """Long columns are parsed in pieces, of which the last alone has words or points."""
    n = 300_000
    for end, kind in (("x", object), ("0.5", float), ("7", int)):
        lines = "\n".join(["1,2"] * n + [f"{end},2"])
        frame = frames.separated_values(
            "t.csv", Contents.of_bytes(f"a,b\n{lines}\n".encode()), Roles(), ","
        )
        assert frame["a"].dtype.kind == np.dtype(kind).kind
        assert set(map(type, frame["a"].tolist())) == {str if kind is object else kind}


def test_a_file_of_parquet_is_read_as_the_frame_it_was_written_from(tmp_path):
    pytest.importorskip("pyarrow", reason="the extra parquet is not there")
    TABLE.assign(site=["p", "q"]).to_parquet(tmp_path / "t.parquet")
    found = sources.read(tmp_path / "t.parquet", tasks="site").data
    np.testing.assert_array_equal(found.X, TABLE.to_numpy())
    found.X[0, 0] = 5.0  # not a view of what the file's reader owns


def test_a_code_across_the_ends_of_pieces_is_kept(monkeypatch):
    raw = Contents.of_bytes(b"a,b\n1,01067\n2,7\n")
    whole = frames.separated_values("t.csv", raw, Roles(), ",")
    assert whole["b"].tolist() == ["01067", "7"]
    for size in (1, 2, 3, 5):
        monkeypatch.setattr(contents, "PIECE", size)
        assert frames.separated_values("t.csv", raw, Roles(), ",").equals(whole)


def test_a_packed_text_is_unpacked_piece_by_piece(tmp_path, monkeypatch):
    file = tmp_path / "t.csv.gz"
    file.write_bytes(gzip.compress(b"a,b\n1,2\n3,5\n"))
    monkeypatch.setattr(contents, "PIECE", 2)
    assert sources.read(file).data.X.tolist() == [[1.0, 2.0], [3.0, 5.0]]


def test_parts_of_a_parquet_file_are_joined_in_its_order(tmp_path):
    """A text, whole numbers, a gap, and names of which one begins another."""
    pytest.importorskip("pyarrow", reason="the extra parquet is not there")
    frame = pd.DataFrame({f"x{j}": np.arange(5.0) + j for j in range(40)})
    frame.insert(7, "word", list("vwxyz"))
    frame.insert(3, "x1.5", [1, 2, 3, 4, 5])
    frame.loc[2, "x8"] = np.nan
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=2, index=False)
    found = parquet.frame("t.parquet", Contents.of_file(tmp_path / "t.parquet"), Roles())
    pd.testing.assert_frame_equal(found, frame)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_reading_takes_little_more_memory_than_two_tables(tmp_path, suffix):
    """Of the bytes that Python's and NumPy's allocators hand out; 4.9 and 4.2 tables before."""
    pytest.importorskip("pyarrow", reason="the extra parquet is not there")
    X = np.random.default_rng(0).normal(size=(20_000, 20))
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(20)])
    path = tmp_path / f"t.{suffix}"
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    sources.read(path)  # imports
    tracemalloc.start()
    try:
        found = sources.read(path).data.X
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    np.testing.assert_array_equal(found, X)
    # A megabyte for each piece, and the ids of rows.
    assert peak < 2.2 * X.nbytes + 6 * 2**20


def test_numbers_in_single_precision_stay_so(tmp_path):
    pytest.importorskip("pyarrow", reason="the extra parquet is not there")
    single = TABLE.astype(np.float32)
    single.to_parquet(tmp_path / "t.parquet")
    assert sources.read(tmp_path / "t.parquet").data.X.dtype == np.float32
    single.assign(b=[3.0, 4.0]).to_parquet(tmp_path / "t.parquet")
    assert sources.read(tmp_path / "t.parquet").data.X.dtype == np.float64
    # Beside gaps or words columns are decided by their values, in double precision.
    single.assign(word=["x", "y"]).to_parquet(tmp_path / "t.parquet")
    columns = sources.read(tmp_path / "t.parquet").data.columns
    assert columns[0].values.dtype == np.float64


def test_infinite_numbers_in_single_precision_are_refused(tmp_path):
    pytest.importorskip("pyarrow", reason="the extra parquet is not there")
    wrong = pd.DataFrame({"a": np.array([1.0, np.inf], dtype=np.float32)})
    wrong.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match="data row 2 has an infinite number"):
        sources.read(tmp_path / "t.parquet")
