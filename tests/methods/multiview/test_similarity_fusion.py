"""SNF: similarities and exchanges against loops, units, limits, refusals."""

import numpy as np
import pytest

import oracles_views as oracles
from kinfolk import SNF
from kinfolk.errors import InputError
from kinfolk.estimators import voted_views
from kinfolk.measures import accuracy
from kinfolk.methods.multiview import similarity_fusion as method
from made_views import related_views

X, VIEWS, TRUTH = related_views(noise=0.9)
TABLES = [X[:, own] for own in VIEWS.values()]


@pytest.mark.parametrize(("l", "mu"), [(1, 0.5), (5, 0.3), (60, 2.0)])
def test_similarities_of_a_view_are_those_of_the_formulas(l, mu):
    P, S = method.similarities(TABLES[0], l, mu)
    expected = oracles.snf_similarities(TABLES[0], l, mu)
    np.testing.assert_allclose(P, expected[0], atol=1e-12)
    np.testing.assert_allclose(S.toarray(), expected[1], atol=1e-12)


def test_exchanges_are_those_of_the_formula_for_two_and_three_views():
    for tables in (TABLES, [*TABLES, X[:, :2]]):
        P, S = map(list, zip(*(method.similarities(T, 4, 0.5) for T in tables), strict=True))
        expected = P
        for _ in range(3):
            expected = oracles.snf_exchange(expected, [links.toarray() for links in S])
            P = method.diffuse(P, S)
        for found, right in zip(P, expected, strict=True):
            np.testing.assert_allclose(found, right, atol=1e-12)
            np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_units_of_a_view_do_not_count():
    P, _ = method.similarities(TABLES[0], 4, 0.5)
    for c in (1e-5, 1e5):
        np.testing.assert_allclose(method.similarities(c * TABLES[0], 4, 0.5)[0], P, rtol=1e-6)


def test_equal_rows_are_equally_similar():
    P, _ = method.similarities(np.ones((4, 2)), 2, 0.5)
    np.testing.assert_allclose(P, np.where(np.eye(4), 0.5, 0.5 / 3))


def test_one_view_is_not_changed_by_exchanges():
    P, S = method.similarities(TABLES[0], 4, 0.5)
    np.testing.assert_array_equal(method.diffuse([P], [S])[0], P)
    one = {"a": slice(0, 4)}
    few, many = (SNF(3, one, n_diffusions=t, random_state=0).fit(TABLES[0]).labels_ for t in (0, 9))
    np.testing.assert_array_equal(few, many)


def test_groups_that_both_views_show_are_found_and_diffusion_helps():
    hard, views, truth = related_views(n=90, noise=1.3, seed=3)
    right = [
        accuracy(truth, SNF(3, views, n_diffusions=t, random_state=0).fit(hard).labels_)
        for t in (0, 10)
    ]
    assert right[1] > 0.8
    assert right[1] >= right[0]


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_neighbors": 0}, "n_neighbors is 0"),
        ({"kernel_width": 0}, "kernel_width is 0"),
        ({"n_diffusions": -1}, "n_diffusions is -1"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        SNF(3, VIEWS, **parameters).fit(X)


def test_many_rows_are_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(voted_views, "MOST_ROWS", 20)
    with pytest.raises(InputError, match="SNF forms square matrices of all rows"):
        SNF(3, VIEWS).fit(X)


def test_rows_of_narrow_kernels_keep_their_similarities():
    # (1) of the last row is 0 in double precision for all others; (2) is a ratio of such numbers.
    rows = np.array([[0.0], [1.0], [3.0], [1e6]])
    P, S = method.similarities(rows, 1, 0.01)
    r = np.abs(rows[3] - rows[:3]).ravel()
    e = (np.array([1.0, 1.0, 2.0]) + r[2] + r) / 3
    powers = -np.square(r / (0.01 * e)) / 2
    weights = np.exp(powers - powers.max())
    np.testing.assert_allclose(P[3], [*weights / weights.sum() / 2, 0.5], rtol=1e-9)
    np.testing.assert_array_equal(S.toarray()[3], [0.0, 0.0, 1.0, 0.0])
