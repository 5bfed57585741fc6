import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import kinfolk as kf
from file_contents import packed, parquet
from kinfolk.errors import FileFormatError, InputError, KinfolkError
from kinfolk.sources import embeddings, limits
from kinfolk.sources.embeddings import of_column

E = np.array([[0.5, 1.0], [2.0, -3.0], [4.0, 0.25]])
ROWS = {"shop": ["b", "b", "o"], "price": [1, 3, 5], "note": ["a red cat", "a dog", "red dog"]}
FRAME = pd.DataFrame({**ROWS, "vector": [row.tolist() for row in E]})


def npy(array):
    import io

    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.parquet", parquet(FRAME)),
        ("t.jsonl", FRAME.to_json(orient="records", lines=True)),
        ("t.csv", FRAME.assign(vector=FRAME["vector"].map(json.dumps)).to_csv(index=False)),
    ],
)
def test_a_column_of_lists_is_clustered_in_place_of_all_others(put, name, content):
    data, notes, _ = kf.read(put(**{name: content}), tasks="shop", embeddings="vector")
    np.testing.assert_array_equal(data.X, E)
    assert data.feature_names == ("embedding 1", "embedding 2")
    assert data.tasks.tolist() == ["b", "b", "o"]
    assert notes == ["Columns that are not asked for are ignored ('price', 'note')."]


@pytest.mark.parametrize(
    "frame",
    [
        FRAME.assign(vector=list(E)),
        pl.DataFrame(FRAME),
        pl.DataFrame({**ROWS, "vector": E}),
        pa.table({**ROWS, "vector": E.tolist()}),
    ],
    ids=["arrays", "polars lists", "polars arrays", "arrow"],
)
def test_lists_of_a_data_frame_are_embeddings(frame):
    np.testing.assert_array_equal(kf.read(frame, embeddings="vector").data.X, E)


@pytest.mark.parametrize("name", ["e.npy", "e.npz"])
def test_a_file_has_a_row_for_each_row_of_the_tables_in_order(put, name):
    content = npy(E) if name == "e.npy" else packed(X=E)
    first, second, beside = put(**{"a.csv": "n\n1\n2\n", "b.csv": "n\n3\n", name: content})
    data = kf.read([first, second], embeddings=str(beside)).data
    np.testing.assert_array_equal(data.X, E)
    assert data.tasks.tolist() == ["a", "a", "b"]


def test_an_array_is_given_beside_a_frame_and_may_be_sparse():
    np.testing.assert_array_equal(kf.read(FRAME, embeddings=E).data.X, E)
    assert sp.issparse(kf.read(FRAME, embeddings=sp.csr_array(E)).data.X)


def test_rows_without_a_task_leave_with_their_embedding():
    frame = FRAME.assign(shop=["b", None, "o"])
    data = kf.read(frame, tasks="shop", embeddings=E, missing="drop").data
    np.testing.assert_array_equal(data.X, E[[0, 2]])


def test_texts_beside_embeddings_describe_rows_and_are_not_clustered():
    data = kf.read(FRAME, text="note", embeddings="vector").data
    assert data.documents == tuple(ROWS["note"])
    assert data.texts is None
    np.testing.assert_array_equal(data.X, E)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"embeddings": "vektor"}, "no column 'vektor'"),
        ({"embeddings": "note"}, "'note' has no list of numbers in data row 1 .'a red cat'"),
        ({"embeddings": "price"}, "'price' has no list of numbers in data row 1 .1"),
        ({"embeddings": E[:2]}, "fewer embeddings than rows"),
        ({"embeddings": np.vstack([E, E])}, "6 embeddings and 3 rows"),
        ({"embeddings": E[0]}, "embeddings has 1 dimension"),
        ({"embeddings": E * np.nan}, "embeddings: data row 1 has nothing .* 'embedding 1'"),
        ({"embeddings": "vector", "only": ["price"]}, "leave out only"),
        ({"embeddings": "vector", "kinds": {"price": "number"}}, "leave out kinds"),
        ({"embeddings": "vector", "tasks": "vector"}, "named for two roles"),
    ],
)
def test_embeddings_that_do_not_fit_are_refused_in_one_sentence(given, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        kf.read(FRAME, **given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([[1.0, 2.0], [1.0]], "2 numbers in data row 1 and 1 in data row 2"),
        ([[1.0], None], "no list of numbers in data row 2 .None"),
        ([[1.0], []], "no list of numbers in data row 2"),
        ([["1"], ["2"]], "no list of numbers in data row 1"),
        ([[True], [False]], "no list of numbers in data row 1"),
        ([[[1.0]], [[2.0]]], "no list of numbers in data row 1"),
        (["[1, 2", "[1, 2]"], "no list of numbers in data row 1"),
        ([{"a": 1}], "no list of numbers in data row 1"),
    ],
)
def test_lists_that_are_no_vectors_of_one_length_are_refused(values, sentence):
    with pytest.raises(InputError, match=sentence):
        of_column("t.csv", "vector", values)


def test_arrays_need_a_table_to_describe(put):
    (path,) = put(**{"x.npy": npy(E)})
    with pytest.raises(InputError, match="holds arrays, not columns"):
        kf.read(path, embeddings=E)


def test_a_file_of_embeddings_that_holds_none_is_refused(put):
    (path,) = put(**{"e.npy": b"\x93NUMPY junk"})
    with pytest.raises(FileFormatError, match=r"e\.npy is damaged"):
        kf.read(FRAME, embeddings=str(path))


def test_lists_of_a_parquet_file_are_refused_unless_they_are_named(put):
    with pytest.raises(InputError, match="'vector': lists or records .*embeddings="):
        kf.read(put(**{"t.parquet": parquet(FRAME)}))


def test_lists_that_stand_for_more_than_a_file_may_hold_are_refused(put, monkeypatch):
    monkeypatch.setattr(limits, "UNPACKED_FLOOR", 1000)
    monkeypatch.setattr(limits, "UNPACKED_RATIO", 1)
    frame = pd.DataFrame({"v": [[0.0] * 100] * 1000})
    content = parquet(frame)
    assert len(content) < 100_000  # zeros pack well
    with pytest.raises(FileFormatError, match="unpacks to more than"):
        kf.read(put(**{"t.parquet": content}), embeddings="v")


def test_names_of_embeddings_count_from_one():
    assert embeddings.names(3)[-1] == "embedding 3"


def test_damaged_lists_are_read_or_refused_in_a_sentence(put):
    random = np.random.default_rng(5)
    whole = parquet(FRAME)
    refused = []
    for j in range(60):
        damaged = bytearray(whole)
        for _ in range(random.integers(1, 6)):
            damaged[random.integers(len(damaged))] = random.integers(256)
        kept = random.integers(1, len(damaged)) if j % 5 == 0 else len(damaged)
        (path,) = put(**{"t.parquet": bytes(damaged[:kept])})
        try:
            kf.read(path, tasks="shop", embeddings="vector", text="note")
        except KinfolkError as error:
            refused.append(str(error))
    assert len(refused) > 30
    assert not any("\n" in sentence for sentence in refused)


@pytest.mark.parametrize(
    "vector",
    [
        np.array(["1", "2"]),
        np.array(["1", "2"], dtype=object),
        np.array([True, False]),
        np.array([1 + 2j, 2]),
        np.array([1, 2], dtype="datetime64[s]"),
        [np.True_, 1.0],
        np.array(None, dtype=object),
    ],
)
def test_arrays_of_something_else_do_not_become_numbers(vector):
    with pytest.raises(InputError, match="column 'v' has no list of numbers in data row 1"):
        of_column("t.parquet", "v", [vector])


def test_arrays_of_integers_and_of_python_numbers_are_embeddings():
    found = of_column("t", "v", [np.array([1, 2]), np.array([3, 0.5], dtype=object)])
    np.testing.assert_array_equal(found, [[1.0, 2.0], [3.0, 0.5]])
