"""Views whose columns are words, gaps and dates, from files to the prepared matrix."""

import numpy as np
import pytest

import kinfolk as kf
from kinfolk import sources
from kinfolk.errors import InputError
from kinfolk.preparation import Preparation

LABS = "id,age,plan\np1,30,basic\np2,,pro\np3,50,basic\np4,70,pro\n"
SCAN = "id,f,g\np4,4,1\np2,2,0\np1,1,1\np3,3,0\n"


@pytest.fixture
def put(tmp_path):
    def write(**files):
        paths = []
        for name, text in files.items():
            paths.append(tmp_path / f"{name}.csv")
            paths[-1].write_text(text, "utf-8")
        return paths

    return write


def read(paths, **options):
    return sources.read(paths, views="files", row_id="id", **options)


def test_rows_of_all_views_are_joined_by_their_ids(put):
    data, notes, _ = read(put(labs=LABS, scan=SCAN))
    assert data.feature_names == ("age", "plan", "f", "g")
    assert data.views == {"labs": slice(0, 2), "scan": slice(2, 4)}
    assert data.row_ids.tolist() == ["p1", "p2", "p3", "p4"]
    np.testing.assert_array_equal(data.columns[0].values, [30.0, np.nan, 50.0, 70.0])
    assert data.columns[1].values.tolist() == ["basic", "pro", "basic", "pro"]
    np.testing.assert_array_equal(data.columns[2].values, [1.0, 2.0, 3.0, 4.0])
    assert notes[0] == "The columns are 2 views: labs (2), scan (2)."


def test_rows_that_a_view_lacks_have_gaps_in_all_its_columns(put):
    paths = put(labs=LABS, scan=SCAN.replace("p2,2,0\n", "") + "p9,9,1\n")
    data, notes, _ = read(paths, missing_views="keep")
    assert data.row_ids.tolist() == ["p1", "p2", "p3", "p4", "p9"]
    assert [column.gaps.tolist() for column in data.columns] == [
        [False, True, False, False, True],
        [False, False, False, False, True],
        [False, True, False, False, False],
        [False, True, False, False, False],
    ]
    assert notes[0].endswith("Rows that lack a view: labs 1 of 5, scan 1 of 5.")
    kept, *_ = read(paths, missing_views="drop")
    assert kept.row_ids.tolist() == ["p1", "p3", "p4"]


def test_names_that_two_views_have_are_told_apart(put):
    data, *_ = read(put(a="id,x\np1,u\np2,v\n", b="id,x\np1,1\np2,2\n"))
    assert data.feature_names == ("a: x", "b: x")


def test_missing_views_are_nan_as_prepared_and_gaps_within_a_view_are_filled(put):
    paths = put(labs=LABS, scan=SCAN.replace("p2,2,0\n", "") + "p9,9,1\n")
    data, *_ = read(paths, missing_views="keep")
    preparation = Preparation()
    X = preparation.fit_transform(data)
    names = preparation.feature_names
    views = preparation.views(data)
    # One of five rows lacks the view; the other gap of `age` makes an indicator of its own.
    assert names[views["scan"]] == ("f", "g")
    assert np.isnan(X[4, views["labs"]]).all()
    assert np.isnan(X[1, views["scan"]]).all()
    assert np.isnan(X).sum() == sum(v.stop - v.start for v in views.values())
    assert any("is filled" in n or "are filled" in n for n in preparation.notes)
    assert "age 1" in " ".join(preparation.notes)
    assert "f 1" not in " ".join(preparation.notes)


def test_new_rows_that_lack_a_view_are_prepared_as_those_of_the_fit(put):
    data, *_ = read(put(labs=LABS, scan=SCAN))
    preparation = Preparation()
    preparation.fit_transform(data)
    restored = Preparation.from_state(*preparation.to_state())
    new, *_ = read(put(labs=LABS, scan=SCAN.replace("p2,2,0\n", "")), missing_views="keep")
    X = restored.transform(new)
    scan = preparation.views(data)["scan"]
    assert np.isnan(X[1, scan]).all()
    assert np.isfinite(np.delete(X, 1, axis=0)).all()


def test_a_share_of_rows_without_a_view_makes_no_column_that_says_so(put):
    scan = "".join(SCAN.splitlines(keepends=True)[:3])
    data, *_ = read(put(labs=LABS, scan=scan), missing_views="keep")
    preparation = Preparation()
    preparation.fit_transform(data)
    assert "f is missing" not in preparation.feature_names


def test_a_view_without_a_column_to_cluster_on_is_refused(put):
    data, *_ = read(put(labs=LABS, when="id,x\np1,5\np2,5\np3,5\np4,5\n"))
    with pytest.raises(InputError, match=r"no column of view 'when' is left .* 'x' \(constant\)"):
        Preparation().fit_transform(data)


def test_columns_of_one_table_with_words_are_split_by_patterns(put):
    (path,) = put(t="l_age,s_f,l_plan\n1,2,a\n3,4,b\n5,7,a\n")
    data, *_ = sources.read(path, views="l=l_*,s=s_*")
    assert [column.name for column in data.columns] == ["l_age", "l_plan", "s_f"]
    assert data.views == {"l": slice(0, 2), "s": slice(2, 3)}


def test_texts_are_no_views(put):
    with pytest.raises(InputError, match="holds texts; views are groups of columns"):
        sources.read(put(a="t\nu\n", b="t\nv\n"), views="files", text="t")


@pytest.mark.filterwarnings("ignore")
def test_kinds_are_found_in_views_with_words_gaps_and_rows_that_lack_one(put):
    random = np.random.default_rng(0)
    kind = np.repeat([0, 1, 2], 20)
    labs = [f"r{i},{'abc'[g]},{g * 4 + random.normal():.2f}" for i, g in enumerate(kind)]
    labs[5] = "r5,,"
    labs[7] = "r7,a,"
    scan = [f"r{i},{g * 5 + random.normal():.2f},{random.normal():.2f}" for i, g in enumerate(kind)]
    paths = put(labs="\n".join(["id,code,age", *labs]), scan="\n".join(["id,f,g", *scan[3:]]))
    rows = kf.read(paths, views="files", row_id="id", missing_views="keep")
    found = kf.compare(rows, n_clusters=3, random_state=0)
    labels = found.study.model.labels_
    expected = dict(zip([f"r{i}" for i in range(60)], kind, strict=True))
    truth = np.array([expected[row] for row in rows.data.row_ids])
    assert kf.measures.accuracy(truth, labels) > 0.95


def test_views_of_a_frame_with_words_are_named_by_their_columns():
    pandas = pytest.importorskip("pandas")
    n = 30
    kind = np.arange(n) % 2
    noise = np.random.default_rng(0).normal(size=(n, 2))
    frame = pandas.DataFrame({"f": kind * 9 + noise[:, 0], "plan": np.array(["x", "y"])[kind],
                              "g": kind * 9 + noise[:, 1]})  # fmt: skip
    found = kf.compare(frame, n_clusters=2, views={"scan": ["f", "g"], "labs": ["plan"]})
    assert kf.measures.accuracy(kind, found.study.model.labels_) == 1.0
