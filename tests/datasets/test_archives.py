import numpy as np
import pytest

from kinfolk.datasets import archives
from kinfolk.datasets.archives import Archive
from kinfolk.errors import FileFormatError, MissingDataError

PAGE = "http://example.org"


def test_arrays_come_back_as_they_were_packed(packed, tmp_path):
    arrays = packed("a.npz", x=np.eye(2), names=np.array(["p", "q"])).read("a", tmp_path, PAGE)
    assert set(arrays) == {"x", "names"}
    np.testing.assert_array_equal(arrays["x"], np.eye(2))
    assert arrays["names"].tolist() == ["p", "q"]


def test_file_may_lie_in_its_folder(packed, tmp_path):
    archive = packed("a.npz", x=np.eye(2))
    (tmp_path / "digits").mkdir()
    (tmp_path / "a.npz").rename(tmp_path / "digits" / "a.npz")
    assert set(archive.read("a", tmp_path, PAGE)) == {"x"}


def test_a_changed_file_is_refused(packed, tmp_path):
    archive = packed("a.npz", x=np.eye(2))
    packed("a.npz", x=np.eye(3))
    with pytest.raises(FileFormatError, match=f"{archive.sha256[:12]} is expected"):
        archive.read("a", tmp_path, PAGE)


def test_a_missing_file_gives_a_sentence(tmp_path):
    with pytest.raises(MissingDataError, match=r"looked for a.npz, faces/a.npz; get it from http"):
        Archive("faces", "a.npz", "0").read("a", tmp_path, PAGE)


def test_objects_in_a_file_are_not_read(packed, tmp_path):
    archive = packed("a.npz", x=np.array([{}], dtype=object))
    with pytest.raises(ValueError, match="allow_pickle=False"):
        archive.read("a", tmp_path, PAGE)


def test_views_stand_side_by_side_in_one_task():
    views = {"b": np.ones((2, 3)), "a": np.zeros((2, 1))}
    data = archives.side_by_side("both", views, np.array([4, 7]), "Here.")
    np.testing.assert_array_equal(data.X[:, data.views["b"]], views["b"])
    np.testing.assert_array_equal(data.X[:, data.views["a"]], views["a"])
    assert data.feature_names == ("b_0", "b_1", "b_2", "a_0")
    assert data.target.tolist() == ["4", "7"]
    assert data.task_names == ["all"]
    assert data.row_ids.tolist() == ["0", "1"]
