"""Tables are read without second copies of their numbers."""

import numpy as np
import pandas as pd
import pytest

from kinfolk import sources
from kinfolk.errors import InputError
from kinfolk.sources import frames, native, sheets
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
    monkeypatch.setattr(sheets, "PIECE", 3)
    X = np.zeros((7, 1))
    assert sheets.finite("t.csv", ["a"], X) is X
    X[row] = np.inf
    with pytest.raises(InputError, match=f"data row {row + 1} has an infinite number"):
        sheets.finite("t.csv", ["a"], X)


def test_letters_across_the_ends_of_pieces_are_read(monkeypatch):
    monkeypatch.setattr(frames, "_PIECE", 1)
    text = "a;ö\n1;2\n".encode()
    assert frames.decoded("t.csv", text) == (text, "")
    half = text[: text.index(b"\xc3") + 1]
    assert frames.decoded("t.csv", half)[1] == "Windows-1252 (Western European)"


def test_a_column_has_one_type_though_its_pieces_differ(tmp_path):
    """Long columns are parsed in pieces, of which the last alone has words or points."""
    n = 300_000
    for end, kind in (("x", object), ("0.5", float), ("7", int)):
        lines = "\n".join(["1,2"] * n + [f"{end},2"])
        frame = frames.separated_values("t.csv", f"a,b\n{lines}\n".encode(), Roles(), ",")
        assert frame["a"].dtype.kind == np.dtype(kind).kind
        assert set(map(type, frame["a"].tolist())) == {str if kind is object else kind}


def test_a_file_of_parquet_is_read_as_the_frame_it_was_written_from(tmp_path):
    pytest.importorskip("pyarrow", reason="the extra parquet is not there")
    TABLE.assign(site=["p", "q"]).to_parquet(tmp_path / "t.parquet")
    found = sources.read(tmp_path / "t.parquet", tasks="site").data
    np.testing.assert_array_equal(found.X, TABLE.to_numpy())
    found.X[0, 0] = 5.0  # not a view of what the file's reader owns
