import functools
import gzip
import io
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from kinfolk import sources
from kinfolk.errors import FileFormatError, InputError, KinfolkError, MissingExtraError
from kinfolk.sources import paths

squeezed = functools.partial(gzip.compress, mtime=0)
"""Packed bytes that are the same at any time, so that tests have the same names everywhere."""

ROWS = "shop,price,size\nb,1,2.5\nb,3,4\no,5,6\n"


def packed(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def sparse_file(X):
    stream = io.BytesIO()
    sp.save_npz(stream, X)
    return stream.getvalue()


def parquet(frame):
    stream = io.BytesIO()
    frame.to_parquet(stream)
    return stream.getvalue()


@pytest.fixture
def put(tmp_path):
    """Write files, a text or bytes a name, and return their paths."""

    def write(**contents):
        paths = []
        for name, content in contents.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            paths.append(path)
        return paths

    return write


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", ROWS),
        ("T.CSV", ROWS),
        ("t.csv", "\ufeff" + ROWS),
        ("t.csv", ROWS.replace("\n", "\r\n")),
        ("t.csv", "\n" + ROWS.replace("\n", "\n\n")),
        ("t.csv", ROWS.rstrip()),
        ("t.csv", "shop, price ,size\n b,1, 2.5\nb ,3,4\no,5,6\n"),
        ("t.csv", 'shop,price,size\n"b","1",2.5\nb,3,4\no,5e0,6\n'),
        ("t.tsv", ROWS.replace(",", "\t")),
        ("t.csv.gz", squeezed(ROWS.encode())),
        ("t.jsonl", '{"shop":"b","price":1,"size":2.5}\n\n{"size":4,"shop":"b","price":3}\n'
                    '{"shop":"o","price":5,"size":6}'),
        ("t.ndjson.gz", squeezed(b'{"shop":"b","price":1,"size":2.5}\n'
                                      b'{"shop":"b","price":3,"size":4}\n'
                                      b'{"shop":"o","price":5,"size":6}\n')),
        ("t.parquet", parquet(pd.read_csv(io.StringIO(ROWS)))),
        ("t.parquet", parquet(pd.read_csv(io.StringIO(ROWS)).set_index("shop"))),
        ("t.parquet", parquet(pd.read_csv(io.StringIO(ROWS)).set_axis([7, 8, 9]))),
        ("t.npz", packed(X=np.array([[1, 2.5], [3, 4], [5, 6]]), shop=np.array(["b", "b", "o"]),
                         feature_names=np.array(["price", "size"]))),
    ],
)  # fmt: skip
def test_every_format_gives_the_same_table(put, name, content):
    data, notes, _ = sources.read(put(**{name: content}), tasks="shop")
    assert data.tasks.tolist() == ["b", "b", "o"]
    assert data.row_ids.tolist() == ["1", "2", "3"]
    assert data.feature_names == ("price", "size")
    np.testing.assert_array_equal(data.X, [[1, 2.5], [3, 4], [5, 6]])
    assert data.X.dtype == np.float64
    assert data.texts is None
    assert data.target is None
    assert notes == []


def test_columns_are_taken_by_role(put):
    content = "who,kind,shop,note,n\n007,x,b,good,1\n008,y,b,NA,2\n007,x,None,null,3\n"
    data, notes, _ = sources.read(
        put(**{"t.csv": content}), tasks="shop", text="note", target="kind", row_id="who"
    )
    assert data.texts == ("good", "NA", "null")
    assert data.tasks.tolist() == ["b", "b", "None"]
    assert data.target.tolist() == ["x", "y", "x"]
    assert data.row_ids.tolist() == ["007", "008", "007"]
    assert data.X is None
    assert notes == []


def test_truth_values_count_as_zero_and_one(put):
    paths = put(**{"a.csv": "x,y\nTrue,1\nFalse,2\n", "b.jsonl": '{"x": true, "y": 0.5}\n'})
    data, *_ = sources.read(paths)
    np.testing.assert_array_equal(data.X, [[1, 1], [0, 2], [1, 0.5]])


@pytest.mark.parametrize("value", ["0.1", "1e-300", "3.141592653589793", "123456789.12345679"])
def test_numbers_are_read_to_the_last_bit(put, value):
    data, *_ = sources.read(put(**{"t.csv": f"a\n{value}\n"}))
    assert data.X[0, 0] == float(value)


def test_each_of_several_files_is_a_task_in_its_own_column_order(put):
    paths = put(**{"a.v1.csv.gz": squeezed(b"x,y\n1,2\n"), "b.tsv": "y\tx\n4\t3\n6\t5\n"})
    data, *_ = sources.read(paths)
    assert data.tasks.tolist() == ["a.v1", "b", "b"]
    assert data.name == "a.v1 and 1 more"
    assert data.row_ids.tolist() == ["1", "1", "2"]
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 4], [5, 6]])


def test_files_of_one_name_are_told_apart_by_their_folder(put):
    data, *_ = sources.read(put(**{"oslo/day.csv": "x\n1\n", "rome/day.csv": "x\n2\n"}))
    assert data.tasks.tolist() == ["oslo/day", "rome/day"]


def test_several_files_with_a_task_column_are_one_table(put):
    data, *_ = sources.read(put(**{"a.csv": "t,x\nu,1\nv,2\n", "b.csv": "x,t\n3,u\n"}), tasks="t")
    assert data.tasks.tolist() == ["u", "v", "u"]
    assert len(set(data.row_ids.tolist())) == 3
    np.testing.assert_array_equal(data.X, [[1], [2], [3]])


@pytest.mark.parametrize("how", ["intersect", "union"])
def test_columns_that_only_some_files_have_are_cut_or_filled(put, how):
    paths = put(**{"a.csv": "x,y\n1,2\n", "b.csv": "z,x\n3,4\n"})
    data, notes, _ = sources.read(paths, columns=how)
    expected = {"intersect": [[1], [4]], "union": [[1, 2, 0], [4, 0, 3]]}[how]
    np.testing.assert_array_equal(data.X, expected)
    assert notes[0].startswith("Only 1 of 3 columns are shared by all tables (33 %)")


def test_known_classes_are_read_with_gaps(put):
    csv = "t,k,x\na,3,1\na, ,2\nb,-1,3\nb,,4\n"
    jsonl = (
        '{"t":"a","k":3,"x":1}\n{"t":"a","x":2}\n{"t":"b","k":-1,"x":3}\n{"t":"b","k":null,"x":4}'
    )
    npz = packed(X=np.ones((4, 1)), t=np.array(list("aabb")), k=np.array([3, -1, -1, -1]))
    for name, content in {"t.csv": csv, "t.jsonl": jsonl, "t.npz": npz}.items():
        data, _, labels = sources.read(put(**{name: content}), tasks="t", labels="k")
        assert labels.tolist() == ["3", "-1", "-1", "-1"]
        assert data.X.shape == (4, 1)
    assert sources.read(put(**{"t.csv": ROWS}), tasks="shop").labels is None


PIX, FOU = "id,kind,p1,p2\nr1,u,1,2\nr2,v,3,4\n", "f1,id\n6,r2\n5,r1\n"
BESIDE = [[1, 2, 5], [3, 4, 6]]


def test_each_file_is_a_view_of_the_rows_that_their_ids_name(put):
    paths = put(**{"pix.csv": PIX, "fou.csv": FOU})
    data, notes, _ = sources.read(paths, views="files", row_id="id", target="kind")
    np.testing.assert_array_equal(data.X, BESIDE)
    assert data.feature_names == ("p1", "p2", "f1")
    assert data.views == {"pix": slice(0, 2), "fou": slice(2, 3)}
    assert data.row_ids.tolist() == ["r1", "r2"]
    assert data.target.tolist() == ["u", "v"]
    assert data.task_names == ["all"]
    assert notes == ["The columns are 2 views: pix (2), fou (1)."]
    turned, *_ = sources.read(paths[::-1], views="files", row_id="id", target="kind")
    assert turned.row_ids.tolist() == ["r2", "r1"]
    assert turned.target.tolist() == ["v", "u"]
    np.testing.assert_array_equal(turned.X, [[6, 3, 4], [5, 1, 2]])


def test_views_without_ids_are_joined_in_their_order_and_may_have_tasks(put):
    paths = put(**{"a.csv": "t,x\nu,1\nv,2\n", "b.npz": packed(X=np.array([[3.0], [4.0]]))})
    data, *_ = sources.read(paths, views="files", tasks="t")
    np.testing.assert_array_equal(data.X, [[1, 3], [2, 4]])
    assert data.tasks.tolist() == ["u", "v"]


def test_columns_of_one_name_are_told_apart_by_their_view(put):
    paths = put(**{"a.csv": "x,y\n1,2\n", "b.csv": "x\n3\n"})
    data, *_ = sources.read(paths, views="files")
    assert data.feature_names == ("a: x", "a: y", "b: x")
    some, notes, _ = sources.read(paths, views="files", only=["a: x", "b: x"])
    assert some.feature_names == ("a: x", "b: x")
    assert "'y'" in notes[-1]


def test_sparse_views_stay_sparse(put):
    eye = sparse_file(sp.csr_array(np.eye(2)))
    data, *_ = sources.read(put(**{"a.npz": eye, "b.csv": "x\n3\n4\n"}), views="files")
    assert sp.issparse(data.X)
    np.testing.assert_array_equal(data.X.toarray(), [[1, 0, 3], [0, 1, 4]])


def test_columns_are_divided_into_views_by_patterns(put):
    (path,) = put(**{"t.csv": "p1,f1,p2,g\n1,5,2,6\n3,7,4,8\n"})
    data, notes, _ = sources.read(path, views="pix=p*, fou=f?,fou=g")
    np.testing.assert_array_equal(data.X, [[1, 2, 5, 6], [3, 4, 7, 8]])
    assert data.feature_names == ("p1", "p2", "f1", "g")
    assert data.views == {"pix": slice(0, 2), "fou": slice(2, 4)}
    assert notes == ["The columns are 2 views: pix (2), fou (2)."]


@pytest.mark.parametrize(
    ("contents", "options", "told"),
    [
        ({"a.csv": PIX}, {"row_id": "id", "target": "kind"}, "a.csv is one view"),
        ({"a.csv": "x\n1\n", "b.csv": "y\n1\n2\n"}, {}, "b.csv has 2 rows and .*a.csv has 1"),
        ({"a.csv": PIX, "b.csv": "id,y\nr1,1\nr3,2\n"}, {"row_id": "id", "target": "kind"},
         "same rows, each once .such as 'r2', 'r3'"),
        ({"a.csv": PIX, "b.csv": "id,y\nr1,1\nr1,2\nr2,3\n"}, {"row_id": "id", "target": "kind"},
         "same rows, each once .such as 'r1'"),
        ({"a.csv": "x\n1\n", "b.csv": "y\n1\n"}, {"tasks": "t"}, "No file of a view has .* 't'"),
        ({"a.csv": "x,t\n1,u\n", "b.csv": "y,t\n1,v\n"}, {"tasks": "t"}, "differ in the tasks"),
        ({"a.csv": "w\nyes\n", "b.csv": "w\nno\n"}, {"text": "w"}, "a.csv holds texts"),
        ({"a.csv": "x,y\n1,2\n"}, {"views": "a=x"}, "Columns 'y' are in no view or in two"),
        ({"a.csv": "x,y\n1,2\n"}, {"views": "a=*,b=y"}, "Columns 'y' are in no view or in two"),
        ({"a.csv": "x,y\n1,2\n"}, {"views": "a=x,b=z*"}, "'b=z\\*', which names no columns"),
        ({"a.csv": "x,y\n1,2\n"}, {"views": "xy"}, "'xy', which names no columns"),
        ({"a.csv": "w\nyes\n"}, {"text": "w", "views": "a=w"}, "the rows are texts"),
    ],
)  # fmt: skip
def test_views_that_do_not_fit_are_refused(put, contents, options, told):
    with pytest.raises(InputError, match=told):
        sources.read(put(**contents), **({"views": "files"} | options))


def test_one_file_without_tasks_is_one_task(put):
    data, notes, _ = sources.read(put(**{"alone.csv": "x\n1\n2\n"})[0])
    assert data.task_names == ["alone"]
    assert notes == []


def test_an_archive_names_its_own_labels(put):
    content = packed(
        other=np.eye(3), tasks=np.array([1, 1, 2]), target=np.array([b"x", b"y", b"x"]),
        row_ids=np.array(["p", "q", "p"]),
    )  # fmt: skip
    data, *_ = sources.read(put(**{"t.npz": content}))
    assert data.tasks.tolist() == ["1", "1", "2"]
    assert data.target.tolist() == ["x", "y", "x"]
    assert data.row_ids.tolist() == ["p", "q", "p"]
    assert data.feature_names == ("x1", "x2", "x3")


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
def test_sparse_files_stay_sparse_beside_dense_ones(put, kind):
    X = sp.csr_array(np.triu(np.arange(24.0).reshape(6, 4)))
    paths = put(**{"a.npz": sparse_file(X.asformat(kind)), "b.npz": packed(X=np.eye(4))})
    data, *_ = sources.read(paths)
    assert data.X.format == "csr"
    assert data.tasks.tolist() == ["a"] * 6 + ["b"] * 4
    np.testing.assert_array_equal(data.X.toarray(), np.vstack([X.toarray(), np.eye(4)]))


def test_classes_known_in_some_files_only_are_ignored_and_the_reader_told(put):
    X = np.ones((2, 1))
    paths = put(**{"a.npz": packed(X=X, target=np.array([1, 2])), "b.npz": packed(X=X)})
    data, notes, _ = sources.read(paths)
    assert data.target is None
    assert "Only some of the files hold true classes; they are ignored." in notes


BROKEN = [
    # name, content, options, error, pattern
    ("t.csv", "", {}, FileFormatError, r"t\.csv is empty"),
    ("t.csv", " \n\n", {}, FileFormatError, r"t\.csv is empty"),
    ("t.csv", "a,b\n", {}, FileFormatError, r"t\.csv names its columns but has no rows"),
    ("t.csv", "a,b\n1,2\n1,2,3\n", {}, FileFormatError, "Expected 2 fields in line 3, saw 3"),
    ("t.csv", "a,b\n1,2,3\n1,2,3\n", {}, FileFormatError, "more fields than its header"),
    ("t.csv", "a,b\n1,2\n1\n", {}, InputError, "data row 2 has nothing.*column 'b'"),
    ("t.csv", 'a,b\n1,"2\n3,4\n', {}, FileFormatError, "EOF inside string"),
    ("t.csv", bytes(range(256)), {}, FileFormatError, "not text in UTF-8: save it as UTF-8"),
    ("t.csv", "a\ncaf\xe9\n".encode("latin-1"), {}, FileFormatError, "save it as UTF-8"),
    ("t.csv", "caf\xe9\n1\n".encode("latin-1"), {}, FileFormatError, "save it as UTF-8"),
    ("t.csv", "a,b\n1,2\n".encode("utf-16"), {}, FileFormatError, "save it as UTF-8"),
    ("t.csv", squeezed(b"a\n1\n"), {}, FileFormatError, "true format"),
    ("t.csv", "a,b, a\n1,2,3\n", {}, FileFormatError, "more than one column named 'a'"),
    ("t.csv", ",a\n0,2\n", {}, FileFormatError, "column 1 has no name"),
    ("t.csv", "a;b\n1;2\n", {}, FileFormatError, "separated by ';' where ','"),
    ("t.tsv", "a,b\n1,2\n", {}, FileFormatError, r"separated by ',' where '\\t'"),
    ("t.csv", "a,b\n1,x\n2,y\n", {}, InputError, "'b' is not numeric .data row 1 holds 'x'.*text"),
    ("t.csv", "a,b\n1,2\n2,1e\n", {}, InputError, "'b' is not numeric .data row 2 holds '1e'"),
    ("t.csv", "a,b\n1,2\n3,\n", {}, InputError, r"t\.csv: data row 2 has nothing .*column 'b'"),
    ("t.csv", "a,b\n1,2\nNA,nan\n", {}, InputError, "data row 2 has nothing .*column 'a'"),
    ("t.csv", "a,b\n1,2\n1,-inf\n", {}, InputError, "data row 2 has an infinite .*column 'b'"),
    ("t.csv", "a,b\n1,1e999\n", {}, InputError, "data row 1 has an infinite .*column 'b'"),
    ("t.csv", "a,b\nu,2\n,2\n", {"tasks": "a"}, InputError, "data row 2 has nothing in column 'a'"),
    ("t.csv", "a,b\nu,2\nv,\n", {"text": "b"}, InputError, "data row 2 has no text in column 'b'"),
    ("t.csv", "a,b\n1,2\n", {"tasks": "c"}, InputError, "no column 'c'; it has 'a', 'b'"),
    ("t.csv", "a,b\n1,2\n", {"tasks": "a", "target": "a"}, InputError, "'a' is named for two"),
    ("t.csv", "a\n1\n", {"tasks": "a"}, InputError, "no column left to cluster on"),
    ("t.csv", "x,b\n1,r\n2,r\n", {"row_id": "b"}, InputError, "Row id 'r' .* in task 't'"),
    (
        "t.csv",
        "id,b\n" + "".join(f"r{i},1\n" for i in range(30)),
        {"tasks": "id"},
        InputError,
        r"Each of the 30 rows names a task of its own \(such as 'r0'\).*row id",
    ),
    ("t.csv.gz", b"a\n1\n", {}, FileFormatError, "not a complete gzip file"),
    ("t.csv.gz", squeezed(ROWS.encode())[:-9], {}, FileFormatError, "not a complete gzip"),
    ("t.csv.gz", squeezed(b""), {}, FileFormatError, "is empty"),
    ("t.jsonl", '{"a": 1}\n[1]\n', {}, FileFormatError, r"line 2 is not a JSON object but '\[1\]'"),
    ("t.jsonl", '{"a": 1}\n{"a": \n', {}, FileFormatError, "line 2 is not JSON"),
    ("t.jsonl", "[" * 100_000, {}, FileFormatError, "line 1 is not JSON"),
    ("t.jsonl", '{"a": 1, "a": 2}\n', {}, FileFormatError, "line 1 has more than one .*'a'"),
    ("t.jsonl", '{"a": 1}\n{"b": 2}\n', {}, InputError, "data row 1 has nothing .*column 'b'"),
    ("t.jsonl", '{"a": [1]}\n', {}, InputError, r"'a' is not numeric .data row 1 holds '\[1\]'"),
    ("t.jsonl", '{"a": NaN}\n', {}, InputError, "data row 1 has nothing .*column 'a'"),
    ("t.jsonl", f'{{"a": 1{"0" * 400}}}\n', {}, InputError, "'a' holds a number beyond"),
    ("t.jsonl", '{"a": 5}\n', {"text": "a"}, InputError, "'a' is not text .data row 1 holds 5"),
    ("t.jsonl", b'{"a": "\xe9"}\n', {}, FileFormatError, "save it as UTF-8"),
    ("t.parquet", b"PAR1 junk PAR1", {}, FileFormatError, "not a Parquet file"),
    ("t.parquet", parquet(pd.DataFrame({"a": [1, 2]}))[:-9], {}, FileFormatError, "not a Parquet"),
    ("t.parquet", parquet(pd.DataFrame({"a": [1.0, None]})), {}, InputError, "data row 2 .*'a'"),
    (
        "t.parquet",
        parquet(pd.DataFrame({"when": pd.to_datetime(["2020-01-01"])})),
        {},
        InputError,
        "'when' is not numeric .data row 1 holds '2020-01-01",
    ),
    ("t.npz", b"PK junk", {}, FileFormatError, r"t\.npz is damaged"),
    ("t.npz", packed(X=np.eye(9))[:-30], {}, FileFormatError, "is damaged"),
    ("t.npz", packed(X=np.array([[object()]])), {}, FileFormatError, "holds Python objects"),
    (
        "t.npz",
        packed(X=np.eye(2), tasks=np.array(["a", None])),
        {},
        FileFormatError,
        "holds Python objects, which are never read",
    ),
    ("t.npz", packed(a=np.eye(2), b=np.eye(2)), {}, FileFormatError, "needs one array 'X'"),
    ("t.npz", packed(X=np.ones(3)), {}, FileFormatError, "needs one array 'X'.*two axes"),
    ("t.npz", packed(X=np.array([["a"]])), {}, FileFormatError, "'X' of numbers"),
    ("t.npz", packed(X=np.eye(2) * 1j), {}, FileFormatError, "'X' of numbers"),
    ("t.npz", packed(X=np.eye(3), tasks=np.ones(2)), {}, InputError, r"'tasks' has shape \(2,\)"),
    ("t.npz", packed(X=np.eye(2), tasks=np.array(["", "a"])), {}, InputError, "row 1 .*'tasks'"),
    ("t.npz", packed(X=np.eye(2)), {"tasks": "site"}, InputError, "no array 'site'; it has 'X'"),
    ("t.npz", packed(X=np.eye(2)), {"text": "X"}, InputError, "holds arrays, not texts"),
    ("t.npz", packed(X=np.array([[1, np.nan]])), {}, InputError, "data row 1 .*'x2'"),
    ("t.npz", packed(X=np.ones((2, 0))), {}, FileFormatError, "has 0 columns"),
    ("t.npz", packed(X=np.ones((0, 2))), {}, FileFormatError, "has no rows"),
    (
        "t.npz",
        packed(X=np.eye(2), feature_names=np.array(["a", "a"])),
        {},
        FileFormatError,
        "more than one column named 'a'",
    ),
    (
        "t.npz",
        sparse_file(sp.csr_array([[0, 1.0], [np.inf, 0]])),
        {},
        InputError,
        "data row 2 has an infinite number in column 'x1'",
    ),
    (
        "t.npz",
        packed(
            format=b"csr", shape=np.array([2, 2]), data=np.ones(2),
            indices=np.array([0, 99]), indptr=np.array([0, 1, 2]),
        ),
        {},
        FileFormatError,
        "not a sound sparse matrix",
    ),
    (
        "t.npz",
        sparse_file(sp.csr_array((1, paths.COLUMN_LIMIT + 1))),
        {},
        FileFormatError,
        "has 10,000,001 columns",
    ),
    ("t.xlsx", "a\n", {}, FileFormatError, r"t\.xlsx is in no format .*\.csv, \.tsv"),
    ("t.parquet.gz", "a\n", {}, FileFormatError, "in no format"),
    ("t", "a\n", {}, FileFormatError, "in no format"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "options", "error", "sentence"), BROKEN, ids=[row[4] for row in BROKEN]
)
def test_what_cannot_be_used_is_refused_in_a_sentence(put, name, content, options, error, sentence):
    with pytest.raises(error, match=sentence) as caught:
        sources.read(put(**{name: content}), **options)
    assert "\n" not in str(caught.value)


def test_paths_that_lead_nowhere_are_refused(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match=r"There is no file .*gone\.csv"):
        sources.read(tmp_path / "gone.csv")
    with pytest.raises(InputError, match=r"folder\.csv is a directory"):
        sources.read(tmp_path / "folder.csv")
    with pytest.raises(InputError, match="No file is given"):
        sources.read([])


def test_a_file_that_may_not_be_read_is_refused(put, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(paths.Path, "read_bytes", refuse)
    with pytest.raises(InputError, match=r"t\.csv cannot be read: Permission denied"):
        sources.read(put(**{"t.csv": ROWS}))


def test_files_that_would_be_one_task_are_refused(put):
    paths = put(**{"a.csv": "x\n1\n", "a.tsv": "x\n1\n"})
    with pytest.raises(InputError, match=r"Several files .*/a'"):
        sources.read(paths)


def test_files_with_different_columns_are_refused_unless_a_way_is_chosen(put):
    paths = put(**{"a.csv": "x,y\n1,2\n", "b.csv": "x,z\n1,2\n"})
    with pytest.raises(InputError, match=r"only '.*a\.csv' has 'y'; only '.*b\.csv' has 'z'"):
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
    monkeypatch.setattr(paths, "UNPACKED_LIMIT", 5000)
    with pytest.raises(FileFormatError, match="unpacks to more than 5,000 bytes"):
        sources.read(put(**{name: content}))


def test_an_archive_is_not_believed_about_the_size_of_its_arrays(put):
    stream = io.BytesIO()
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000000, 9), }"
    header = header.ljust(117) + "\n"
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("X.npy", b"\x93NUMPY\x01\x00v\x00" + header.encode() + b"\0" * 64)
    with pytest.raises(FileFormatError, match="is damaged"):
        sources.read(put(**{"t.npz": stream.getvalue()}))


@pytest.mark.parametrize(
    ("module", "name", "extra"),
    [("pandas", "t.csv", "app"), ("pandas", "t.jsonl", "app"), ("pyarrow", "t.parquet", "parquet")],
)
def test_a_missing_library_is_named_with_its_extra(put, monkeypatch, module, name, extra):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"needs {module}: .*kinfolk\[{extra}\]"):
        sources.read(put(**{name: ROWS}))


def test_arrays_are_read_without_pandas(put, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    data, *_ = sources.read(put(**{"t.npz": packed(X=np.eye(2))}))
    np.testing.assert_array_equal(data.X, np.eye(2))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", ROWS.encode()),
        ("t.csv.gz", squeezed(ROWS.encode())),
        ("t.jsonl", b'{"a": 1, "b": 2.5}\n{"a": 3, "b": -4e5}\n'),
        ("t.parquet", parquet(pd.DataFrame({"a": [1.0, 2], "b": [3, 4]}))),
        ("t.npz", packed(X=np.eye(3), tasks=np.array(["a", "b", "a"]))),
        ("t.npz", sparse_file(sp.csr_array(np.eye(3)))),
    ],
)
@pytest.mark.filterwarnings("ignore:Reading .* required additional header parsing")
def test_damaged_files_never_raise_anything_but_our_own_errors(put, name, content):
    rng = np.random.default_rng(0)
    sentences = []
    for _ in range(150):
        damaged = bytearray(content)
        for place in rng.integers(len(damaged), size=rng.integers(1, 4)):
            damaged[place] = rng.integers(256)
        try:
            sources.read(put(**{name: bytes(damaged[: rng.integers(1, 2 * len(damaged))])}))
        except KinfolkError as error:
            sentences.append(str(error))
    assert sentences
    assert not [sentence for sentence in sentences if "\n" in sentence]
