import io
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from file_contents import ROWS, packed, parquet, sparse_file, squeezed
from kinfolk import sources
from kinfolk.errors import FileFormatError, InputError, KinfolkError, MissingExtraError
from kinfolk.running import progress


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


def test_one_file_without_tasks_is_one_task(put):
    data, notes, _ = sources.read(put(**{"alone.csv": "x\n1\n2\n"})[0])
    assert data.task_names == ["alone"]
    assert notes == []


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


def test_files_with_different_columns_are_refused_unless_a_way_is_chosen(put):
    paths = put(**{"a.csv": "x,y\n1,2\n", "b.csv": "x,z\n1,2\n"})
    with pytest.raises(InputError, match=r"only '.*a\.csv' has 'y'; only '.*b\.csv' has 'z'"):
        sources.read(paths)


@pytest.mark.parametrize(
    ("module", "name", "extra"),
    [("pandas", "t.csv", "app"), ("pandas", "t.jsonl", "app"), ("pyarrow", "t.parquet", "parquet")],
)
def test_a_missing_library_is_named_with_its_extra(put, monkeypatch, module, name, extra):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"needs {module}, .*\[{extra}\]"):
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


BROKEN = [
    # name, content, options, error, pattern
    ("t.csv", "a,b\n", {}, FileFormatError, r"t\.csv names its columns but has no rows"),
    ("t.csv", "a,b\n1,2\n", {"tasks": "a", "target": "a"}, InputError, "'a' is named for two"),
    ("t.csv", "x,b\n1,r\n2,r\n", {"row_id": "b"}, InputError, "Row id 'r' .* in task 't'"),
    (
        "t.csv",
        "id,b\n" + "".join(f"r{i},1\n" for i in range(30)),
        {"tasks": "id"},
        InputError,
        r"Each of the 30 rows names a task of its own \(such as 'r0'\).*row id",
    ),
]  # fmt: skip


@pytest.mark.parametrize("file", BROKEN, ids=[row[-1] for row in BROKEN])
def test_rows_that_cannot_be_told_apart_are_refused_in_one_sentence(assert_refused, file):
    assert_refused(*file)


def test_one_path_may_be_a_string_and_names_the_data(put):
    (path,) = put(**{"day.csv": "x\n1\n"})
    data, *_ = sources.read(str(path))
    assert data.name == "day"
    assert data.origin == "Read from day.csv."  # without the folder, which a report would show


def test_row_ids_may_repeat_in_different_tasks_but_not_within_one(put):
    paths = put(**{"a.csv": "id,x\nr,1\n", "b.csv": "id,x\nr,2\n"})
    data, *_ = sources.read(paths, row_id="id")
    assert data.row_ids.tolist() == ["r", "r"]
    with pytest.raises(InputError, match="Row id 'r' stands more than once in task 'u'"):
        sources.read(put(**{"c.csv": "t,id,x\nu,r,1\nu,r,2\n"}), tasks="t", row_id="id")


@pytest.mark.parametrize(("n", "refused"), [(10, False), (11, True)])
def test_a_task_per_row_is_plausible_for_few_rows_only(put, n, refused):
    paths = put(**{"t.csv": "t,x\n" + "".join(f"u{i},{i}\n" for i in range(n))})
    if not refused:
        assert len(sources.read(paths, tasks="t").data.task_names) == n
        return
    with pytest.raises(InputError, match="Each of the 11 rows names a task of its own"):
        sources.read(paths, tasks="t")


def test_numbers_among_other_columns_can_be_asked_for(put):
    paths = put(**{"t.csv": "x,color,y\n1,red,2\n3,,4\n"})
    assert sources.read(paths).data.X is None
    data, notes, _ = sources.read(paths, only=["y", "x", "z"])
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 4]])
    assert data.feature_names == ("x", "y")
    assert notes == ["Columns that are not asked for are ignored ('color')."]


def test_an_ignored_column_of_several_files_is_named_once(put):
    paths = put(**{"a.csv": "x,w\n1,q\n", "b.csv": "x,w\n2,q\n"})
    _, notes, _ = sources.read(paths, only=["x"])
    assert notes[-1] == "Columns that are not asked for are ignored ('w')."


def test_texts_of_several_files_are_stacked_without_columns(put):
    paths = put(**{"a.csv": "w,n\nyes,1\n", "b.csv": "n,w\n2,no\n"})
    data, notes, _ = sources.read(paths, text="w")
    assert data.texts == ("yes", "no")
    assert data.X is None
    assert data.feature_names == ()
    assert notes == []


def test_known_classes_of_some_files_leave_the_others_unknown(put):
    X = np.ones((2, 1))
    paths = put(**{"a.npz": packed(X=X, k=np.array([1, 2])), "b.csv": "x1,k\n1,\n1,2\n"})
    assert sources.read(paths, labels="k").labels.tolist() == ["1", "2", "-1", "2"]


def test_a_name_that_no_file_can_hold_is_refused(put):
    # JSON may name half of a surrogate pair, which could never be written again.
    paths = put(**{"t.jsonl": '{"t": "\\ud800", "x": 1}\n'})
    with pytest.raises(InputError, match=r"'\\ud800' holds half a character"):
        sources.read(paths, tasks="t")


def test_the_same_rows_in_another_format_give_the_same_bits(put):
    rng = np.random.default_rng(0)
    # Numbers beyond 1e100 are refused: their squares, and sums of these, would not be finite.
    X = rng.normal(size=(20, 3)) * 10.0 ** rng.integers(-200, 99, size=(20, 3))
    frame = pd.DataFrame(X, columns=["x1", "x2", "x3"])
    contents = {
        "t.csv": frame.to_csv(index=False),
        "t.tsv": frame.to_csv(index=False, sep="\t"),
        "t.jsonl": frame.to_json(orient="records", lines=True, double_precision=15),
        "t.parquet": parquet(frame),
        "t.npz": packed(X=X),
    }
    for name, content in contents.items():
        data, *_ = sources.read(put(**{name: content}))
        if name == "t.jsonl":  # pandas writes 15 digits
            np.testing.assert_allclose(data.X, X, rtol=1e-12, atol=1e-14)
        else:
            np.testing.assert_array_equal(data.X, X)


def test_progress_counts_the_files(put, monkeypatch):
    seen = []
    monkeypatch.setattr(progress, "track", lambda items, what: seen.append(what) or items)
    sources.read(put(**{"a.csv": "x\n1\n", "b.csv": "x\n2\n"}))
    assert seen == ["reading files"]
