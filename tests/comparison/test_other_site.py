"""Rows and centers of another site meet on the same columns and the same scale."""

import numpy as np
import pytest

from kinfolk.comparison import other_site
from kinfolk.errors import InputError
from kinfolk.knowledge import Knowledge
from kinfolk.preparation import Preparation
from kinfolk.tables import RelatedData

CENTRES = np.array([[1.0, -1.0], [0.0, 2.0]])
NAMED = Knowledge(CENTRES, [10.0, 20.0], ("mass", "height"), "standard", [4.0, 8.0], [2.0, 0.5])
PLAIN = Knowledge(CENTRES, [10.0, 20.0])
UNIT = Knowledge(CENTRES, [10.0, 20.0], ("cat", "dog"), "unit")
NUMBERS = RelatedData(
    "n", np.array(["a", "a"]), np.array(["1", "2"]), np.array([[8.0, 8.0], [6.0, 9.0]]),
    ("mass", "height"),
)  # fmt: skip
TEXTS = RelatedData("t", np.array(["a"]), np.array(["1"]), texts=("cat cat dog bird",))


def test_rows_are_scaled_as_those_behind_the_centers():
    prepared = other_site.same_preparation(NAMED, Preparation(), NUMBERS)
    np.testing.assert_allclose(prepared.transform(NUMBERS), [[2.0, 0.0], [1.0, 2.0]])
    np.testing.assert_allclose(prepared.transform(NUMBERS), NAMED.scaled(NUMBERS.X))
    plain = other_site.on_columns(PLAIN, NUMBERS.feature_names)
    prepared = other_site.same_preparation(plain, Preparation(), NUMBERS)
    np.testing.assert_array_equal(prepared.transform(NUMBERS), NUMBERS.X)


def test_texts_are_counted_by_the_terms_of_the_other_site():
    known = other_site.on_columns(UNIT, ())
    prepared = other_site.same_preparation(known, Preparation(), TEXTS)
    assert prepared.feature_names == ("cat", "dog")
    np.testing.assert_allclose(prepared.transform(TEXTS).toarray(), [[2, 1] / np.sqrt(5)])


def test_columns_are_matched_by_name_or_else_by_position():
    swapped = other_site.on_columns(NAMED, ("height", "mass"))
    np.testing.assert_array_equal(swapped.cluster_centers, CENTRES[:, ::-1])
    np.testing.assert_array_equal(swapped.center, [8.0, 4.0])
    named = other_site.on_columns(PLAIN, ("height", "mass"))
    np.testing.assert_array_equal(named.cluster_centers, CENTRES)
    assert named.feature_names == ("height", "mass")


@pytest.mark.parametrize(
    ("known", "names", "sentence"),
    [
        (NAMED, (), "about columns of numbers, and the rows are texts"),
        (PLAIN, (), "about columns of numbers, and the rows are texts"),
        (NAMED, ("mass", "age"), "the table lacks 'height'"),
        (NAMED, ("mass", "height", "age"), "says nothing of 'age'"),
        (PLAIN, ("mass",), "is about 2 columns without names and the table has 1"),
    ],
)
def test_other_columns_are_refused(known, names, sentence):
    with pytest.raises(InputError, match=sentence):
        other_site.on_columns(known, names)


@pytest.mark.parametrize(
    ("known", "asked", "data", "sentence"),
    [
        (UNIT, Preparation(text_weighting="tfidf"), TEXTS, "leave text_weighting out"),
        (UNIT, Preparation(scale="standard"), NUMBERS, "scale is 'standard' and .* by 'unit'"),
        (NAMED, Preparation(scale="unit"), NUMBERS, "were scaled by 'standard': leave scale out"),
    ],
)
def test_another_preparation_than_that_of_the_other_site_is_refused(known, asked, data, sentence):
    with pytest.raises(InputError, match=sentence):
        other_site.same_preparation(known, asked, data)


def test_columns_in_other_units_are_told_with_mean_and_spread():
    data = RelatedData("n", ["a"] * 2, ["1", "2"], [[4.0, 21.0], [8.0, 9.0]], ("mass", "height"))
    assert list(other_site.other_units(NAMED, data)) == [
        "height: your mean, 15, is 14 spreads away from that of the other site, 8 (spread 0.5): "
        "other units?"
    ]
    assert list(other_site.other_units(NAMED, NUMBERS)) == []
    assert list(other_site.other_units(PLAIN, data)) == []  # without means there is no telling


def test_a_column_that_the_other_site_never_saw_vary_is_no_unit():
    known = Knowledge(CENTRES, [10.0, 20.0], ("mass", "height"), "standard", [4, 8], [0, 1.0])
    assert list(other_site.other_units(known, NUMBERS)) == []
