from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.datasets import assembly
from kinfolk.datasets.assembly import Document
from kinfolk.errors import FileFormatError

COUNTS = {"b": {"y": 2, "x": 1}, "a": {"x": 1}}
DOCUMENTS = [
    Document("a", "x", "9", "one"),
    Document("b", "y", "8", "two"),
    Document("b", "x", "7", "three"),
    Document("b", "y", "6", "four"),
]
HERE = Path("here")


def test_documents_come_by_task_class_and_id_in_the_order_of_the_counts():
    rows = assembly.in_order("toy", DOCUMENTS, COUNTS, HERE)
    assert [row.row_id for row in rows] == ["6", "8", "7", "9"]
    again = assembly.in_order("toy", DOCUMENTS[::-1], COUNTS, HERE)
    assert again == rows


def test_a_table_of_documents_keeps_their_fields_together():
    data = assembly.from_documents("toy", DOCUMENTS, COUNTS, HERE, "Made up.")
    assert data.texts == ("four", "two", "three", "one")
    assert data.tasks.tolist() == ["b", "b", "b", "a"]
    assert data.target.tolist() == ["y", "y", "x", "x"]
    assert data.row_ids.tolist() == ["6", "8", "7", "9"]
    assert (data.name, data.origin) == ("toy", "Made up.")


@pytest.mark.parametrize(
    ("documents", "sentence"),
    [
        (DOCUMENTS[1:], "here holds 3 of the 4 documents of toy: class x of a has 0 instead of 1"),
        ([*DOCUMENTS, DOCUMENTS[2]], "holds 5 of the 4 .*: class x of b has 2 instead of 1"),
        ([], "holds 0 of the 4 .*: class y of b has 0 instead of 2; unpack or fetch it again"),
    ],
)
def test_documents_that_are_too_few_or_too_many_give_a_sentence(documents, sentence):
    with pytest.raises(FileFormatError, match=sentence):
        assembly.from_documents("toy", documents, COUNTS, HERE, "")


def test_views_stand_side_by_side_in_one_task():
    views = {"b": np.ones((2, 3)), "a": np.zeros((2, 1))}
    data = assembly.from_views("both", views, np.array([4, 7]), "Here.")
    np.testing.assert_array_equal(data.X[:, data.views["b"]], views["b"])
    np.testing.assert_array_equal(data.X[:, data.views["a"]], views["a"])
    assert data.feature_names == ("b_0", "b_1", "b_2", "a_0")
    assert data.target.tolist() == ["4", "7"]
    assert data.task_names == ["all"]
    assert data.row_ids.tolist() == ["0", "1"]


def test_sparse_views_stay_sparse():
    views = {"a": sp.csr_array(np.eye(3)), "b": sp.csr_array(2 * np.eye(3))}
    data = assembly.from_views("both", views, np.zeros(3, dtype=int), "")
    assert data.X.format == "csr"
    np.testing.assert_array_equal(data.X.toarray(), np.hstack([np.eye(3), 2 * np.eye(3)]))


def test_counts_come_back_as_scipy_stored_them(tmp_path):
    random = np.random.default_rng(0)
    counts = sp.csr_array(random.poisson(0.3, (20, 30)))
    sp.save_npz(tmp_path / "counts.npz", counts)
    with np.load(tmp_path / "counts.npz") as arrays:
        found = assembly.counts_from_arrays(arrays)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found.toarray(), counts.toarray())


def test_rows_are_drawn_from_their_class_without_repetition():
    target = np.random.default_rng(0).integers(0, 4, 200)
    sizes = {3: 5, 0: 7, 2: 0}
    seen = set()
    for seed in range(10):
        rows = assembly.draw_rows(target, sizes, np.random.RandomState(seed))
        assert np.all(np.diff(rows) > 0)
        assert {label: int(np.sum(target[rows] == label)) for label in sizes} == sizes
        seen.add(tuple(rows))
    assert len(seen) == 10


def test_a_draw_of_all_rows_is_all_rows():
    target = np.array([1, 0, 1, 0, 0])
    rows = assembly.draw_rows(target, {0: 3, 1: 2}, np.random.RandomState(0))
    assert rows.tolist() == [0, 1, 2, 3, 4]
