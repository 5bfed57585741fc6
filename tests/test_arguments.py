"""Single arguments are checked in one sentence each."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import kinfolk as kf
from kinfolk import arguments
from kinfolk.errors import InputError


@pytest.mark.parametrize("value", [True, np.True_, 1, np.int8(1)])
def test_a_flag_is_true_or_false_or_their_numbers(value):
    assert arguments.flag("f", value) is True
    assert arguments.flag("f", type(value)(0)) is False


@pytest.mark.parametrize(
    "value", [2, 0.0, "yes", None, [], np.array([True, False]), pd.NA, np.ma.masked, np.nan]
)
def test_what_is_neither_true_nor_false_is_no_flag(value):
    with pytest.raises(InputError, match=r"^f is .*; give True or False\.$"):
        arguments.flag("f", value)


@pytest.mark.parametrize("value", ["a/b", Path("a"), Path(__file__), ".", Path(__file__) / "x"])
def test_paths_need_not_exist(value):
    assert arguments.path("p", value) == Path(value)


@pytest.mark.parametrize("value", [None, 3, b"a", ["a"], np.eye(2), True])
def test_other_objects_are_no_paths(value):
    with pytest.raises(InputError, match=r"^p is .*; give a path\.$"):
        arguments.path("p", value)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("a\0b", "cannot have"),
        ("\ud800", "cannot have"),
        ("a" * 5000, "too long"),
    ],
)
def test_names_that_no_file_can_have_are_refused_with_the_reason(value, reason):
    with pytest.raises(InputError, match=f"which is no path .*{reason}"):
        arguments.path("p", value)


@pytest.mark.parametrize("value", [("a", "b"), {"a": 1}.keys() | {"b"}, np.array(["a", "b"])])
def test_names_come_from_any_collection(value):
    assert sorted(arguments.names("n", value)) == ["a", "b"]


@pytest.mark.parametrize("value", [b"ab", 3, None, [1], {"a": 1}, np.array("a"), np.eye(2)])
def test_other_objects_are_no_names(value):
    with pytest.raises(InputError, match=r"^n is .*; give a list of names\.$"):
        arguments.names("n", value)


def test_mappings_are_copied_and_none_is_empty():
    given = {"a": 1}
    assert arguments.mapping("m", given) == given
    assert arguments.mapping("m", given) is not given
    assert arguments.mapping("m", None) == {}
    for value in ([("a", 1)], "a", 3, np.eye(2)):
        with pytest.raises(InputError, match="^m is .*; give a dictionary or None"):
            arguments.mapping("m", value)


@pytest.mark.parametrize(
    "value", ["x" * 500, np.eye(50), sp.eye_array(9), pd.DataFrame(np.eye(9)), [[1] * 99] * 99]
)
def test_values_in_sentences_are_short_and_on_one_line(value):
    shown = arguments.shown(value)
    assert len(shown) <= 60
    assert "\n" not in shown


X = np.array([[0.0], [1.0], [5.0], [6.0]])


@pytest.mark.parametrize(
    ("fit", "sentence"),
    [
        (lambda: kf.MTLGMM(2, centered="no").fit(X), "centered is 'no'; give True or False"),
        (lambda: kf.Kinfolk(2, consensus=None).fit(X), "consensus is None; give True or False"),
        (lambda: kf.Kinfolk(2, families=3).fit(X), "families is 3; give a list of names"),
        (lambda: kf.MEC(2, n_init=10**20).fit(X), "n_init is 10+; give at most 2147483647"),
        (lambda: kf.MEC(2, temperature=1e300).fit(X), "temperature is 1e.300, whose square over"),
        (lambda: kf.MEC(2, temperature=X).fit(X), "temperature is an array of shape"),
        (lambda: kf.search(kf.MEC(2), {}, X, references="no"), "references is 'no'; give True"),
        (lambda: kf.compare(X, n_clusters=2, method=3), "method is 3; give the name of a method"),
        (lambda: kf.compare(X, n_clusters=2, preparation=3), "which is no Preparation"),
        (lambda: kf.compare(X, n_clusters=2, parameters=3), "parameters is 3; give a dictionary"),
        (lambda: kf.profile(X, [0, 0, 1, 1], names=3), "names is 3; give a dictionary"),
        (lambda: kf.catalogue.method([]), r"method is \[\]; give the name of a method"),
        (lambda: kf.datasets.load(None), "name is None; give a text"),
        (lambda: kf.load(3), "folder is 3; give a path"),
        (lambda: kf.read(3), "the table is an int; give the path of a file or a data frame"),
        (lambda: kf.read("t.csv", header="no"), "header is 'no'; give True or False"),
        (lambda: kf.read("t.csv", tasks=3), "tasks is 3; give a text"),
        (lambda: kf.describe(pd.DataFrame(X), kinds=3), "kinds is 3; give a dictionary"),
        (lambda: kf.describe(pd.DataFrame(index=[1, 2])), "the table has no columns"),
        (lambda: kf.Knowledge([[1.0]], None), "cluster_centers or cluster_weights is None"),
        (
            lambda: kf.TSVM(C=5e-324).fit(X, [0, 1, -1, -1]),
            "C is 5e-324; give a number of at least",
        ),
        (lambda: kf.Knowledge("a", [9.0]), "cluster_centers is 'a'; give numbers in an array"),
        (lambda: kf.Knowledge([[1.0]], [20.0], 3), "feature_names is 3; give a list of names"),
        (lambda: kf.datasets.cut(3, "a", 1), "data is 3, which is no RelatedData"),
        (lambda: kf.datasets.make_related_blobs(shift="a"), "shift is 'a'; give a number"),
        (lambda: kf.Preparation().fit_transform(X), "data is .* which is no RelatedData"),
        (lambda: kf.measures.mmd(X, list("aabb"), bandwidth="a"), "bandwidth='a' must be above 0"),
        (lambda: kf.measures.per_task(len, 3, X), "tasks is 3; give one task per row"),
        (lambda: kf.measures.nmi(np.ma.masked_equal([0, 1], 1), [0, 1]), "truth has masked"),
    ],
)
def test_arguments_that_cannot_be_used_are_refused_in_a_sentence(fit, sentence):
    with pytest.raises(InputError, match=sentence):
        fit()


def test_labels_with_gaps_of_any_sort_are_refused_and_told_about_minus_one():
    for y in ([0, 1, None, -1], [0, 1, np.nan, -1], np.ma.masked_equal([0, 1, 7, -1], 7)):
        with pytest.raises(InputError, match="y has missing values; give -1"):
            kf.GFHF().fit(X, y)
    with pytest.raises(InputError, match="y mixes kinds of labels"):
        kf.GFHF().fit(X, np.array(["a", object(), "b", -1], dtype=object))


def test_weights_that_leave_the_rows_no_part_are_refused():
    far = kf.MBC(2, relation_weight=1e18, random_state=0)
    with pytest.raises(InputError, match="relation_weight is so large"):
        far.fit(np.vstack([X, X + 1]), tasks=list("aaaabbbb"))


def test_a_path_in_a_working_folder_that_is_gone_is_refused(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(InputError, match="the folder that this process works in is gone"):
        arguments.path("folder", "model")
    assert arguments.path("folder", tmp_path) == tmp_path
