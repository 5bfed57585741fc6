"""A small file that claims to be a large table is refused before memory is taken."""

import io
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from benchmarks import damaged_files

from file_contents import packed, squeezed
from kinfolk import sources
from kinfolk.errors import FileFormatError, InputError
from kinfolk.papers import peak_memory
from kinfolk.sources import limits


def compressed(**arrays):
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def claimed(n_rows, n_columns, form, **parts):
    """Bytes of a one-entry sparse matrix that claims any shape."""
    shape = np.array([n_rows, n_columns])
    return compressed(shape=shape, format=form, data=np.ones(1), _is_array=True, **parts)


ZERO = np.zeros(1, dtype=np.int32)
POINTERS = np.array([0, 1], dtype=np.int32)


def header_alone(n):
    """Bytes of an array header that claims n rows, without the rows."""
    said = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({n}, 2), }}".ljust(117) + "\n"
    member = b"\x93NUMPY\x01\x00" + len(said).to_bytes(2, "little") + said.encode()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X.npy", member)
    return stream.getvalue()


def workbook(**cells):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for place, value in {"A1": "a", "B1": "b", "A2": 1, "B2": 2, **cells}.items():
        book.active[place] = value
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def parquet(values):
    arrow = pytest.importorskip("pyarrow")
    file = pytest.importorskip("pyarrow.parquet")
    stream = io.BytesIO()
    file.write_table(arrow.table({"a": values}), stream, compression="zstd")
    return stream.getvalue()


def long_texts():
    """2000 rows that share one text of 200,000 letters, stored once."""
    arrow = pytest.importorskip("pyarrow")
    text = arrow.array(["x" * 200_000])
    return parquet(arrow.DictionaryArray.from_arrays(np.zeros(2000, dtype=np.int32), text))


BOMBS = {
    "rows of a COO matrix": ("t.npz", lambda: claimed(10**9, 2, b"coo", row=ZERO, col=ZERO)),
    "columns of a COO matrix": ("t.npz", lambda: claimed(2, 10**7, b"coo", row=ZERO, col=ZERO)),
    "rows of a CSC matrix": (
        "t.npz",
        lambda: claimed(10**9, 1, b"csc", indices=ZERO, indptr=POINTERS),
    ),
    "header of an array": ("t.npz", lambda: header_alone(10**9)),
    "packed zeros in arrays": ("t.npz", lambda: compressed(X=np.zeros((2_000_000, 1)))),
    "packed zeros in text": ("t.csv.gz", lambda: squeezed(b"a,b\n" + b"0,0\n" * 3_000_000)),
    "columns of one row": ("t.csv.gz", lambda: squeezed(b"a," * 300_000 + b"a\n")),
    "columns of a second line": (
        "t.csv.gz",
        lambda: squeezed(b'"a\n' + b'",a' * 300_000 + b"\n"),
    ),
    "short rows below a long header": (
        "t.csv",
        lambda: b",".join(b"c%d" % i for i in range(3000)) + b"\n" + b"1\n" * 3000,
    ),
    "another name in each line": (
        "t.jsonl",
        lambda: b"".join(b'{"a%d": 1}\n' % i for i in range(3000)),
    ),
    "a cell in the last row": ("t.xlsx", lambda: workbook(XFD1048576=1)),
    "repeated zeros": ("t.parquet", lambda: parquet(np.zeros(3_000_000))),
    "repeated long texts": ("t.parquet", long_texts),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_small_file_of_a_large_table_is_refused_with_little_memory(bomb, put):
    name, content = BOMBS[bomb]
    raw = content()
    assert len(raw) < 100_000
    (path,) = put(**{name: raw})
    before = peak_memory.start()
    with pytest.raises(FileFormatError) as caught:
        sources.read(path)
    rise = peak_memory.rise_since(before)
    assert rise is None or rise < 200 * 2**20
    assert "\n" not in str(caught.value)
    assert "t." in str(caught.value)


def test_sparse_matrices_of_usual_shapes_are_read(put):
    X = sp.coo_array((np.ones(3), ([0, 1, 2], [4, 90_000, 7])), shape=(3, 95_000))
    stream = io.BytesIO()
    sp.save_npz(stream, X)
    (path,) = put(**{"t.npz": stream.getvalue()})
    assert sources.read(path).data.X.shape == (3, 95_000)


def test_json_lines_need_not_name_every_column(put):
    lines = "".join(f'{{"a{i % 500}": 1, "b": 2}}\n' for i in range(1500))
    (path,) = put(**{"t.jsonl": lines})
    assert len(sources.read(path).data) == 1500


def test_texts_with_many_lines_are_read(put):
    text = pd.DataFrame({"text": ["word\n" * 50, "other words\n" * 50] * 20})
    (path,) = put(**{"t.csv": text.to_csv(index=False)})
    assert len(sources.read(path, text="text").data) == 40


def test_texts_of_parquet_come_back_as_they_were(put):
    frame = pd.DataFrame({"city": ["oslo", None, "rome", "oslo"], "n": [1.0, 2.0, 3.0, 4.0]})
    stream = io.BytesIO()
    pytest.importorskip("pyarrow")
    frame.to_parquet(stream)
    (path,) = put(**{"t.parquet": stream.getvalue()})
    data = sources.read(path, missing="impute").data
    city = next(column for column in data.columns if column.name == "city")
    assert city.values.tolist() == ["oslo", None, "rome", "oslo"]


@pytest.mark.parametrize(
    ("text", "extent"),
    [
        (b'<x><row r="3"><c r="B3"/></row></x>', (3, 2)),
        (b"<x><row><c/><c/></row><row><c/></row></x>", (3, 2)),
        (b'<x><row r="&#57;"><c r="&#67;1"/></row></x>', (9, 3)),
        (b'<a:x xmlns:a="u"><a:row r="7"/></a:x>', (7, 1)),
        (b"<x><row r='5'/>", (5, 1)),
        (b"no xml", (1, 1)),
    ],
)
def test_the_extent_of_a_sheet_is_that_of_its_cells(text, extent):
    found = limits._Extent()
    found.read(text)
    assert (found.n_rows, found.n_columns) == extent


@pytest.mark.parametrize("n", [limits.CELL_FLOOR, limits.CELL_FLOOR + 1])
def test_the_limit_of_cells_is_itself_allowed(n):
    if n == limits.CELL_FLOOR:
        limits.check_cells("t", n, 1, 10)
        limits.check_cells("t", 2 * n, 1, n // 10)
    else:
        with pytest.raises(FileFormatError, match="1,000,001 rows and 1 columns, too many for its"):
            limits.check_cells("t", n, 1, 10)


def test_plain_arrays_are_read_whatever_their_zeros(put):
    (path,) = put(**{"t.npz": packed(X=np.zeros((300_000, 4)) + np.eye(4)[0])})
    assert sources.read(path).data.X.shape == (300_000, 4)


@pytest.mark.filterwarnings("ignore:Duplicate name")  # of Python, which writes it nevertheless
def test_an_archive_with_two_members_of_one_name_is_refused(put):
    table = io.BytesIO()
    np.save(table, np.eye(3))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as members:
        members.writestr("X.npy", table.getvalue())
        members.writestr("X.npy", table.getvalue())
    (path,) = put(**{"twice.npz": archive.getvalue()})
    with pytest.raises(FileFormatError, match=r"more than one member named 'X\.npy'"):
        sources.read(path)


def test_lists_in_cells_are_refused(put):
    (path,) = put(**{"t.parquet": parquet([[1, 2], [3]])})
    with pytest.raises(InputError, match=r"column 'a': lists or records \(list<element: int64>\)"):
        sources.read(path)


def test_damaged_statistics_of_parquet_do_not_end_the_process():
    found = damaged_files.tried("parquet", 1, first=412)  # one bit, found by the 20,000
    assert not found.defects
