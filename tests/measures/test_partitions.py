"""Labels of every kind that users have, and the sentences for those that are none."""

import numpy as np
import pandas as pd
import pytest

from kinfolk.errors import InputError
from kinfolk.measures import partitions

USABLE = {
    "texts": (["b", "a", "b"], [1, 0, 1]),
    "numbers with gaps": ([10, -3, 10], [1, 0, 1]),
    "floats": (np.array([0.5, 0.25, 0.5]), [1, 0, 1]),
    "truths": ([True, False, True], [1, 0, 1]),
    "a categorical": (pd.Categorical(["y", "x", "y"], categories=["z", "y", "x"]), [1, 0, 1]),
    "nullable integers": (pd.Series([5, 4, 5], dtype="Int64"), [1, 0, 1]),
    "times": (pd.to_datetime(["2024-02-01", "2024-01-01", "2024-02-01"]), [1, 0, 1]),
    "one label": (("only",), [0]),
    "bytes": (np.array([b"b", b"a"]), [1, 0]),
}


@pytest.mark.parametrize(("labels", "expected"), USABLE.values(), ids=USABLE)
def test_labels_become_codes_in_the_order_of_the_sorted_labels(labels, expected):
    codes = partitions.partition(labels)
    assert codes.tolist() == expected
    assert codes.dtype.kind == "i"


MISSING = [None, np.nan, np.datetime64("NaT"), pd.NaT, pd.NA]


@pytest.mark.parametrize("missing", MISSING, ids=repr)
def test_a_missing_label_of_any_kind_is_refused(missing):
    with pytest.raises(InputError, match="truth has missing values; drop these rows or give"):
        partitions.partition(["a", missing, "b"], "truth")


@pytest.mark.parametrize("labels", [[[0, 1]], 3, [], np.zeros((2, 2)), "ab"], ids=repr)
def test_what_is_no_single_column_is_refused_with_its_shape(labels):
    with pytest.raises(InputError, match=r"labels has shape \(.*\); give one label per row"):
        partitions.partition(labels)


def test_labels_of_several_kinds_are_refused():
    with pytest.raises(InputError, match="labels mixes kinds of labels; give all numbers or all"):
        partitions.partition([1, "1"])


def test_a_pair_names_the_side_that_is_wrong():
    with pytest.raises(InputError, match="truth has missing values"):
        partitions.pair([0, None], [0, 1])
    with pytest.raises(InputError, match="labels has missing values"):
        partitions.pair([0, 1], [0, None])
    with pytest.raises(InputError, match="truth has 2 rows and labels has 1; give one per row"):
        partitions.pair([0, 1], [0])
