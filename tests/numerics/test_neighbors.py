import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import neighbors

RANDOM = np.random.default_rng(0)
X, OTHER = RANDOM.normal(size=(20, 4)), RANDOM.normal(size=(7, 4))
FORMS = pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])


def cosine(x, z):
    return x @ z / np.sqrt((x @ x) * (z @ z))


def loops(X, l, among=None):
    """The l nearest of each row, one row at a time."""
    found = []
    for i, x in enumerate(X):
        there = X if among is None else among
        near = [(-cosine(x, z), j) for j, z in enumerate(there) if among is not None or j != i]
        found.append([j for _, j in sorted(near)[:l]])
    return found


@FORMS
@pytest.mark.parametrize("l", [1, 3, 19])
def test_the_nearest_rows_are_those_of_the_loops(form, l):
    assert neighbors.nearest(form(X), l).tolist() == loops(X, l)
    found = neighbors.nearest(form(X), l, among=form(OTHER))
    assert found.tolist() == loops(X, l, OTHER)


def test_no_more_rows_are_found_than_there_are():
    assert neighbors.nearest(X, 50).shape == (20, 19)
    assert neighbors.nearest(X, 50, among=OTHER).shape == (20, 7)
    assert neighbors.nearest(X[:1], 3).shape == (1, 0)
    assert neighbors.nearest(X[:1], 3, among=X[:1]).tolist() == [[0]]


@FORMS
def test_a_row_is_never_in_its_own_list_even_among_equal_rows(form):
    rows = np.repeat(X[:2], 6, axis=0)
    for l in (1, 4, 11):
        found = neighbors.nearest(form(rows), l)
        assert found.shape == (12, l)
        assert not (found == np.arange(12)[:, None]).any()
        assert all(len(set(near)) == l for near in found.tolist())


@FORMS
def test_lengths_do_not_matter_and_rows_of_zeros_are_far_from_all(form):
    scaled = X * 10.0 ** RANDOM.integers(-6, 6, size=(20, 1))
    assert neighbors.nearest(form(scaled), 5).tolist() == loops(X, 5)
    rows = np.vstack([np.abs(X), np.zeros((1, 4))])
    assert 20 not in neighbors.nearest(form(rows), 19)[:20]


@FORMS
def test_single_precision_finds_what_double_precision_finds(form):
    low = X.astype(np.float32)
    found = neighbors.nearest(form(low), 6)
    np.testing.assert_array_equal(found, neighbors.nearest(form(low.astype(float)), 6))


@FORMS
def test_cosines_of_pairs_of_rows(form):
    found = neighbors.cosines(form(X[:7]), form(OTHER))
    np.testing.assert_allclose(found, [cosine(x, z) for x, z in zip(X, OTHER)], rtol=1e-12)
    assert neighbors.cosines(form(np.zeros((1, 4))), form(OTHER[:1])).tolist() == [0.0]
