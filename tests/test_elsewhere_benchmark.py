"""The benchmark of other libraries: the same labels as NumPy's, from every method it measures."""

import pytest
from benchmarks import elsewhere


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_each_method_gives_the_labels_of_numpy():
    found = list(elsewhere.measured(300, 6, 2, "cpu"))
    assert [name for name, *_ in found] == list(elsewhere.methods(2))
    for _, here, there, equal in found:
        assert min(here, there) > 0
        assert equal == 1.0


def test_rows_are_groups_without_negative_entries():
    X = elsewhere.made(20, 30)
    assert X.shape == (20, 30)
    assert X.min() >= 0
    assert abs(X[::5] - X[:1]).mean() < abs(X[1::5] - X[:1]).mean()
