import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk.errors import InputError, OverlapWarning
from kinfolk.tables import joined_views


@pytest.fixture
def views():
    random = np.random.RandomState(0)
    names = [f"r{i}" for i in range(8)]
    return {
        "a": pd.DataFrame(random.randn(5, 2), index=names[:5], columns=["x", "y"]),
        "b": pd.DataFrame(random.randn(6, 3), index=names[2:][::-1], columns=["u", "v", "w"]),
    }


def test_outer_keeps_every_row_and_leaves_out_what_is_missing(views):
    X, columns = kf.join(views, how="outer")
    assert set(X.index) == {f"r{i}" for i in range(8)}
    for name in X.index:
        for view, frame in views.items():
            row = X.loc[name].to_numpy()[columns[view]]
            if name in frame.index:
                assert (row == frame.loc[name].to_numpy()).all()
            else:
                assert np.isnan(row).all()


def test_inner_keeps_the_rows_that_all_have(views):
    X, _ = kf.join(views, how="inner")
    assert X.index.tolist() == ["r2", "r3", "r4"]
    assert not X.isna().any().any()


def test_strict_is_as_before(views):
    same = {view: frame.iloc[:5].set_axis(range(5)) for view, frame in views.items()}
    X, _ = kf.join(same)
    assert isinstance(X, np.ndarray)
    np.testing.assert_array_equal(kf.join(same, how="inner")[0].to_numpy(), X)


def test_columns_that_two_views_share_are_told_apart(views):
    X, _ = kf.join({"a": views["a"], "c": views["a"]}, how="outer")
    assert X.columns.tolist() == ["a: x", "a: y", "c: x", "c: y"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda f: f.to_numpy(), "without names of rows"),
        (lambda f: pd.concat([f, f]), "more than one row"),
        (lambda f: f.assign(x="word"), "no numbers"),
    ],
)
def test_what_has_no_names_or_numbers_is_refused(views, change, sentence):
    with pytest.raises(InputError, match=sentence):
        kf.join({**views, "a": change(views["a"])}, how="outer")


def test_no_row_in_all_views_is_refused(views):
    far = views["a"].set_axis([f"s{i}" for i in range(5)])
    with pytest.raises(InputError, match="no row is in all views"):
        kf.join({**views, "a": far}, how="inner")


def test_another_word_for_how_is_refused(views):
    with pytest.raises(InputError, match="how"):
        kf.join(views, how="left")


def test_positions_are_those_of_the_names():
    rows = [["c", "a"], ["a", "b"], ["b"]]
    names, places = joined_views.positions(rows, "outer")
    for name, own in zip(names, places, strict=True):
        for listed, at in zip(rows, own, strict=True):
            assert (listed[at] == name) if at >= 0 else (name not in listed)


@pytest.mark.parametrize("empty", [False, True])
def test_names_of_rows_that_never_match_are_told_with_one_of_each_view(views, empty):
    loud = views["b"].rename(index=str.upper)
    parts = {"a": views["a"], "loud": loud, **({"none": loud[:0]} if empty else {})}
    first = views["a"].index[0]
    with pytest.warns(OverlapWarning, match=f"No row of a .* a has '{first}' and loud has '[A-Z]"):
        kf.join(parts, how="outer")


def test_a_single_view_whose_rows_never_match_is_told(views):
    loud = views["b"].rename(index=str.upper)
    with pytest.warns(OverlapWarning, match="No row of loud is in any other view"):
        kf.join({**views, "loud": loud}, how="outer")


def test_a_view_without_rows_is_no_stranger(views):
    kf.join({"a": views["a"], "none": views["b"][:0]}, how="outer")
