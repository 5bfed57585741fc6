from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.datasets import newsgroup_counts
from kinfolk.errors import FileFormatError, MissingDataError

LOADERS = (
    newsgroup_counts.load_recvstalk,
    newsgroup_counts.load_compvssci,
    newsgroup_counts.load_20newsgroups_500,
)


@pytest.mark.parametrize("load", LOADERS)
def test_an_empty_directory_gives_a_sentence(load, tmp_path):
    with pytest.raises(MissingDataError, match="was not found"):
        load(tmp_path)


def test_a_changed_matrix_is_refused(tmp_path):
    for part in ("counts", "labels"):
        np.savez(tmp_path / f"lssmtc_recvstalk_{part}.npz", data=np.ones(1))
    with pytest.raises(FileFormatError, match="8f3aa2394a44 is expected"):
        newsgroup_counts.load_recvstalk(tmp_path)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "recvstalk",
            {
                ("autos-guns", "rec"): 975,
                ("autos-guns", "talk"): 869,
                ("baseball-mideast", "rec"): 860,
                ("baseball-mideast", "talk"): 685,
            },
        ),
        (
            "compvssci",
            {
                ("windows-crypt", "comp"): 967,
                ("windows-crypt", "sci"): 908,
                ("mac-space", "comp"): 871,
                ("mac-space", "sci"): 956,
            },
        ),
    ],
)
def test_real_tasks_have_the_sizes_of_table_two(name, expected, real):
    loaded = real(name)
    assert Counter(zip(loaded.tasks, loaded.target, strict=True)) == expected
    assert loaded.X.shape == (len(loaded), 2000) == (sum(expected.values()), 2000)
    assert len(loaded.feature_names) == 2000
    assert len(set(loaded.row_ids)) == len(loaded)
    assert loaded.X.data.min() == 1
    assert np.all(loaded.X.data == loaded.X.data.round())


def test_messages_of_real_talk_groups_are_longer_than_of_real_rec_groups(real):
    loaded = real("recvstalk")
    terms = np.diff(loaded.X.indptr)
    for task in loaded.task_names:
        rec, talk = (
            terms[(loaded.tasks == task) & (loaded.target == label)].mean()
            for label in ("rec", "talk")
        )
        assert talk > 1.2 * rec


def test_real_views_are_the_arrays_of_the_file(data, real):
    loaded = real("20newsgroups-500")
    arrays = newsgroup_counts.VIEWS.arrays(newsgroup_counts.VIEWS_FILE, "20newsgroups-500", data)
    assert loaded.X.format == "csr"
    assert list(loaded.views) == ["ngs_view1", "ngs_view2", "ngs_view3"]
    for v, columns in enumerate(loaded.views.values()):
        np.testing.assert_array_equal(loaded.X[:, columns].toarray(), arrays[f"view_{v}"])
    assert Counter(loaded.target) == dict.fromkeys("01234", 100)


def stored(counts):
    """The arrays in which `scipy.sparse.save_npz` stores counts."""
    X = sp.csr_array(counts)
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape)}


@pytest.fixture
def small(packed, monkeypatch, tmp_path):
    """Four messages of two tasks as counts of three terms."""
    counts = np.array([[1, 0, 2], [0, 3, 0], [0, 0, 0], [4, 0, 0]])
    labels = {"task": np.array([1, 2, 2, 1]), "y": np.array([1, 1, 2, 2])}
    archives = {}
    for name in ("recvstalk", "compvssci"):
        archives[f"text/lssmtc_{name}_counts.npz"] = stored(counts)
        archives[f"text/lssmtc_{name}_labels.npz"] = labels
    monkeypatch.setattr(newsgroup_counts, "MALSAR", packed(archives))
    return tmp_path, counts


@pytest.mark.parametrize(
    ("load", "tasks", "classes"),
    [
        (newsgroup_counts.load_recvstalk, ("autos-guns", "baseball-mideast"), ("rec", "talk")),
        (newsgroup_counts.load_compvssci, ("windows-crypt", "mac-space"), ("comp", "sci")),
    ],
)
def test_numbers_of_tasks_and_classes_become_names(load, tasks, classes, small):
    place, counts = small
    data = load(place)
    np.testing.assert_array_equal(data.X.toarray(), counts)
    assert data.X.dtype == np.float64
    assert data.tasks.tolist() == [tasks[0], tasks[1], tasks[1], tasks[0]]
    assert data.target.tolist() == [classes[0], classes[0], classes[1], classes[1]]
    assert data.feature_names == ("0", "1", "2")
    assert data.row_ids.tolist() == ["0", "1", "2", "3"]


@pytest.mark.parametrize("part", ["counts", "labels"])
def test_both_files_are_needed(part, small):
    place, _ = small
    (place / f"lssmtc_recvstalk_{part}.npz").unlink()
    with pytest.raises(MissingDataError, match=f"looked for lssmtc_recvstalk_{part}.npz"):
        newsgroup_counts.load_recvstalk(place)


def test_three_views_of_counts_become_one_sparse_table(packed, monkeypatch, tmp_path):
    views = {f"view_{v}": np.full((2, 2), v) for v in range(3)}
    arrays = {**views, "view_names": np.array(["p", "q", "r"]), "y": np.array([4, 0])}
    collection = packed({newsgroup_counts.VIEWS_FILE: arrays})
    monkeypatch.setattr(newsgroup_counts, "VIEWS", collection)
    data = newsgroup_counts.load_20newsgroups_500(tmp_path)
    assert data.X.format == "csr"
    np.testing.assert_array_equal(data.X.toarray(), [[0, 0, 1, 1, 2, 2]] * 2)
    assert list(data.views) == ["p", "q", "r"]
    assert data.target.tolist() == ["4", "0"]
