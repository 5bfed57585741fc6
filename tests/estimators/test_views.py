"""Columns of views, and new rows of estimators of several views."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from kinfolk import CoMVCF, join
from kinfolk.errors import InputError
from kinfolk.estimators.views import columns_of

NAMES = ["height", "mass", "age", "income"]


def positions(views, d=4, names=None):
    return {view: columns.tolist() for view, columns in columns_of(views, d, names).items()}


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (slice(0, 2), [0, 1]),
        (slice(None, None, 2), [0, 2]),
        ([3, 0], [3, 0]),
        (np.array([1]), [1]),
        (2, [2]),
        ("age", [2]),
        (["mass", "height"], [1, 0]),
        (["mass", 3], [1, 3]),
    ],
)
def test_columns_may_be_given_in_many_forms(columns, expected):
    views = {"some": columns, "every": slice(None)}
    assert positions(views, names=NAMES) == {"some": expected, "every": [0, 1, 2, 3]}


def test_without_views_all_columns_are_one_view():
    assert positions(None) == {"all": [0, 1, 2, 3]}


def test_a_column_may_belong_to_several_views():
    assert positions({"a": [0, 1, 2], "b": [2, 3]}) == {"a": [0, 1, 2], "b": [2, 3]}


def test_views_stay_in_the_order_given():
    assert list(columns_of({"z": [0, 1], "a": [2, 3]}, 4, None)) == ["z", "a"]


REFUSED = {
    "no mapping": ([[0, 1], [2, 3]], None, "give a mapping of views to their columns"),
    "empty": ({}, None, "give a mapping of views to their columns"),
    "no columns": ({"a": [], "b": slice(None)}, None, "view 'a' has no columns"),
    "an empty slice": ({"a": slice(2, 2), "b": slice(None)}, None, "view 'a' has no columns"),
    "too far": ({"a": [4]}, None, "asks for column 4 of X, which has 4 columns; give a slice"),
    "a slice too far": (
        {"a": slice(0, 2), "b": slice(2, 9)},
        None,
        r"view .b. has the columns slice\(2, 9, None\), and X has 4 columns; end the slice at 4",
    ),
    "negative": ({"a": [-1]}, None, "asks for column -1 of X"),
    "true": ({"a": [True]}, None, "asks for column True of X"),
    "a fraction": ({"a": [0.5]}, None, "asks for column 0.5 of X"),
    "names of an array": ({"a": ["age"]}, None, "asks for column 'age' of X, which has 4 columns;"),
    "no such name": ({"a": ["sex"]}, NAMES, "4 columns from 'height' to 'income'"),
    "left over": ({"a": [0, 2]}, None, "2 columns of X are in no view, the first is column 1;"),
    "one left over": ({"a": [0, 2, 3]}, None, "^column 1 of X is in no view; put it into a view"),
    "a name left over": ({"a": [0, 2]}, NAMES, "the first is column 'mass'; put them into a view"),
}


@pytest.mark.parametrize(("views", "names", "sentence"), REFUSED.values(), ids=REFUSED)
def test_views_that_cannot_be_used_are_refused(views, names, sentence):
    with pytest.raises(InputError, match=sentence):
        columns_of(views, 4, names)


def fitted(frame=False):
    random = np.random.default_rng(0)
    X, views = join({"near": random.uniform(size=(12, 2)), "far": random.uniform(size=(12, 3))})
    model = CoMVCF(2, views=views, n_init=1, max_iter=5, random_state=0)
    return model.fit(pd.DataFrame(X).add_prefix("x") if frame else X), X


def test_the_weights_of_views_sum_to_one_in_their_order():
    model, _ = fitted()
    assert model.view_names_.tolist() == ["near", "far"]
    assert model.view_weights_.sum() == pytest.approx(1.0)


def test_new_rows_need_the_columns_of_every_view():
    model, X = fitted()
    with pytest.raises(InputError, match=r"expecting 5 features.*'near': 2, 'far': 3"):
        model.predict(X[:, :3])


def test_missing_columns_of_a_frame_are_named():
    model, X = fitted(frame=True)
    with pytest.raises(ValueError, match=r"(?s)seen at fit time, yet now missing.*x4"):
        model.predict(pd.DataFrame(X[:, :4]).add_prefix("x"))


def test_new_rows_of_an_estimator_that_is_not_fitted_are_refused():
    with pytest.raises(NotFittedError):
        CoMVCF(2).predict(np.eye(3))


@pytest.mark.parametrize("columns", [slice(0, 2, 0), slice("a", "b")])
def test_a_slice_that_names_no_columns_is_refused(columns):
    with pytest.raises(InputError, match="give a slice of positions, or a list"):
        columns_of({"a": columns, "b": [2]}, 3, None)
