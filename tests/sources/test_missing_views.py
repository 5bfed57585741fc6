import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk.errors import InputError
from kinfolk.preparation import scaling


@pytest.fixture
def files(tmp_path):
    """Fixture: two views of ten rows; the second lacks rows 0 and 1 and has another."""
    random = np.random.RandomState(0)
    names = [f"r{i}" for i in range(11)]
    a = pd.DataFrame(random.randn(10, 2), columns=["x", "y"])
    a.insert(0, "id", names[:10])
    a.insert(0, "site", ["n", "s"] * 5)
    b = pd.DataFrame(random.randn(9, 1), columns=["z"])
    b.insert(0, "id", names[2:])
    a.to_csv(tmp_path / "a.csv", index=False)
    b.to_csv(tmp_path / "b.csv", index=False)
    return [tmp_path / "a.csv", tmp_path / "b.csv"]


def test_rows_that_a_file_lacks_are_kept_with_gaps(files):
    data = kf.read(files, views="files", row_id="id", missing_views="keep", ignore=["site"]).data
    assert data.row_ids.tolist() == [f"r{i}" for i in range(11)]
    gaps = np.isnan(data.X)
    assert gaps.sum(axis=0).tolist() == [1, 1, 2]
    assert gaps[:2, 2].all()
    assert gaps[10, :2].all()


def test_the_reader_is_told_how_many_rows_lack_a_view(files):
    found = kf.read(files, views="files", row_id="id", missing_views="keep", ignore=["site"])
    assert "Rows that lack a view: a 1 of 11, b 2 of 11." in found.notes[0]


def test_rows_that_a_file_lacks_are_dropped(files):
    found = kf.read(files, views="files", row_id="id", missing_views="drop", tasks="site")
    assert found.data.row_ids.tolist() == [f"r{i}" for i in range(2, 10)]
    assert found.data.tasks.tolist() == ["n", "s"] * 4
    assert not np.isnan(found.data.X).any()


def test_a_row_whose_task_is_in_no_file_is_refused(files):
    with pytest.raises(InputError, match="Row 'r10' is in no file with the column 'site'"):
        kf.read(files, views="files", row_id="id", missing_views="keep", tasks="site")


def test_without_a_choice_they_are_refused_with_the_option_that_helps(files):
    with pytest.raises(InputError, match="missing_views="):
        kf.read(files, views="files", row_id="id", ignore=["site"])


def test_rows_without_names_cannot_be_joined(files):
    with pytest.raises(InputError, match="name the column that has"):
        kf.read(files, views="files", missing_views="keep", ignore=["site", "id"])


def test_missing_views_are_for_views_in_files(files):
    with pytest.raises(InputError, match="give views"):
        kf.read(files[0], missing_views="keep")


def test_files_that_disagree_on_a_role_are_refused(files):
    b = pd.read_csv(files[1]).iloc[:8].assign(site="x")
    b.to_csv(files[1], index=False)
    with pytest.raises(InputError, match="differ in the tasks of row 'r2'"):
        kf.read(files, views="files", row_id="id", missing_views="keep", tasks="site")


def test_a_view_that_is_missing_has_no_length():
    X = np.array([[3.0, 4.0, 2.0], [np.nan, np.nan, 5.0]])
    found = scaling.unit(X, [2, 3])
    np.testing.assert_allclose(found, [[0.6, 0.8, 1.0], [np.nan, np.nan, 1.0]])


def test_profiles_of_rows_that_lack_views_name_typical_rows_by_the_views_they_have(files):
    rows = kf.read(files, views="files", row_id="id", missing_views="keep", ignore=["site"])
    found = kf.profile(rows, np.zeros(11, dtype=int))
    far = np.square(rows.data.X - np.nanmean(rows.data.X, axis=0))
    nearest = np.nansum(far, axis=1).argsort()[:3]
    assert [row.row for row in found.typical] == nearest.tolist()
