import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

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


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
@pytest.mark.parametrize("how", ["outer", "inner"])
def test_rows_without_a_name_are_not_taken_for_one_row(views, missing, how):
    unnamed = {view: frame.rename(index={"r3": missing}) for view, frame in views.items()}
    with pytest.raises(InputError, match="view 'a' has no name .* for 1 of 5 rows"):
        kf.join(unnamed, how=how)


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


@pytest.fixture
def tables():
    random = np.random.RandomState(0)
    truth = np.arange(30) % 3
    return {"a": 9 * np.eye(4)[truth] + random.randn(30, 4), "b": 9 * np.eye(3)[truth]}


@pytest.fixture
def observed():
    """Fixture: a mask of 30 rows and two views; every row has one of them."""
    found = np.ones((30, 2), dtype=bool)
    found[:6, 0] = False
    found[6:10, 1] = False
    return found


def test_a_mask_makes_views_missing_whatever_their_values(tables, observed):
    by_hand = {view: X.copy() for view, X in tables.items()}
    by_hand["a"][:6] = np.nan
    by_hand["b"][6:10] = np.nan
    expected, slices = kf.join(by_hand)
    tables["a"][2] = np.inf  # behind the mask
    X, views = kf.join(tables, observed=observed)
    np.testing.assert_array_equal(X, expected)
    assert views == slices
    assert np.isfinite(tables["b"]).all()  # the caller's tables stay as they are
    labels = kf.CoFKM(3, views=views, random_state=0).fit(X).labels_
    assert kf.measures.accuracy(np.arange(30) % 3, labels) == 1
    sparse, _ = kf.join({"a": tables["a"], "b": sp.csr_array(tables["b"])}, observed=observed)
    np.testing.assert_array_equal(sparse.toarray(), expected)


def test_columns_of_a_mask_with_names_are_taken_by_name_and_rows_by_index(tables, observed):
    names = [f"r{i}" for i in range(30)]
    frames = {view: pd.DataFrame(X, index=names) for view, X in tables.items()}
    mask = pd.DataFrame(observed, index=names, columns=["a", "b"])
    expected, _ = kf.join(tables, observed=observed)
    X, _ = kf.join(frames, observed=mask[["b", "a"]].iloc[::-1])
    np.testing.assert_array_equal(X, expected)
    with pytest.raises(InputError, match="name the columns as the views"):
        kf.join(frames, observed=mask.rename(columns={"a": "labs"}))


@pytest.mark.parametrize(
    "wrong", [np.ones((30, 3)), np.ones(30), np.full((30, 2), 0.5), [["yes", "no"]] * 30]
)
def test_what_is_no_mask_of_rows_and_views_is_refused(tables, wrong):
    with pytest.raises(InputError, match=r"observed is no mask of 30 rows and 2 views \(a, b\)"):
        kf.join(tables, observed=wrong)


def test_a_mask_that_leaves_a_row_nothing_or_contradicts_indexes_is_refused(
    tables, observed, views
):
    observed[3] = False
    with pytest.raises(InputError, match="1 rows without any view, the first is row 3"):
        kf.join(tables, observed=observed)
    with pytest.raises(InputError, match='observed is given with how="outer"'):
        kf.join(views, how="outer", observed=observed)
