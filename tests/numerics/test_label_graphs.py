import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.semi_supervised import LabelPropagation, LabelSpreading

import oracles_labels as oracles
from kinfolk.numerics import graphs, label_graphs

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(24, 3))
KNOWN = np.arange(24) % 4 == 0
FIXED = np.eye(2)[np.arange(6) % 2]
Y = np.zeros((24, 2))
Y[KNOWN] = FIXED


def graph(l, s, rows=X):
    return label_graphs.links(label_graphs.edges(rows, l), s)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_mean_distance_is_that_of_all_pairs(form):
    found = label_graphs.mean_distance(form(X))
    assert found == pytest.approx(oracles.mean_distance(X), rel=1e-12)
    assert label_graphs.mean_distance(form(np.ones((4, 3)))) == 1.0


@pytest.mark.parametrize("l", [1, 4, 23])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_links_are_those_of_the_loops(l, form):
    W = oracles.weights(X, l, 3.0)
    d = W.sum(axis=1)
    found = graph(l, 3.0, form(X))
    np.testing.assert_allclose(found.P.toarray(), W / d[:, None], atol=1e-12)
    np.testing.assert_allclose(found.S.toarray(), W / np.sqrt(np.outer(d, d)), atol=1e-12)
    np.testing.assert_allclose(found.log_degrees, np.log(d), atol=1e-12)


def test_equal_rows_are_linked():
    squares = label_graphs.edges(np.repeat([[1.0], [2.0]], 3, axis=0), 2)
    assert squares.nnz == 12
    np.testing.assert_allclose(label_graphs.links(squares, 1.0).P.sum(axis=1), 1.0)


@pytest.mark.parametrize(("l", "s"), [(3, 0.5), (8, 3.0), (23, 1.0)])
def test_harmonic_values_are_those_of_the_laplacian_and_have_the_least_energy(l, s):
    W = oracles.weights(X, l, s)
    F = label_graphs.harmonic(graph(l, s), KNOWN, FIXED)
    np.testing.assert_allclose(F, oracles.harmonic(W, KNOWN, FIXED), atol=1e-9)
    np.testing.assert_allclose(F.sum(axis=1), 1.0, atol=1e-9)
    for _ in range(5):
        moved = F + 0.1 * RANDOM.normal(size=F.shape) * ~KNOWN[:, None]
        assert oracles.energy(W, F) < oracles.energy(W, moved)


def test_harmonic_values_are_those_of_label_propagation():
    W = oracles.weights(X, 6, 2.0)
    y = np.where(KNOWN, Y.argmax(axis=1), -1)
    model = LabelPropagation(kernel=lambda a, b: W, max_iter=20_000, tol=1e-12).fit(X, y)
    F = label_graphs.harmonic(graph(6, 2.0), KNOWN, FIXED)
    np.testing.assert_allclose(F, model.label_distributions_, atol=1e-6)


@pytest.mark.parametrize("a", [0.01, 0.5, 0.91])
def test_consistent_values_are_those_of_label_spreading_and_minimize(a):
    W = oracles.weights(X, 6, 2.0)
    F = label_graphs.consistent(graph(6, 2.0).S, a, Y)
    np.testing.assert_allclose((1 - a) * F, oracles.spread(W, Y, a), atol=1e-9)
    y = np.where(KNOWN, Y.argmax(axis=1), -1)
    # Of scikit-learn, whose Laplacian has no diagonal of W: the same S.
    model = LabelSpreading(kernel=lambda a, b: W, alpha=a, max_iter=5000, tol=1e-12).fit(X, y)
    shares = F / F.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares, model.label_distributions_, atol=1e-6)
    mu = (1 - a) / a
    least = (1 - a) * F
    for _ in range(5):
        moved = least + 0.01 * RANDOM.normal(size=F.shape)
        assert oracles.consistency(W, least, Y, mu) < oracles.consistency(W, moved, Y, mu)


def test_far_from_known_rows_entries_are_exact():
    line = np.arange(30.0)[:, None]
    S = graph(1, 1.0, line).S
    Y = np.zeros((30, 1))
    Y[0] = 1.0
    F = label_graphs.consistent(S, 0.01, Y)
    exact = np.zeros((30, 1))
    power = Y
    for _ in range(80):  # sum of a^t S^t Y, products of positive numbers alone
        exact += power
        power = 0.01 * (S @ power)
    assert exact[-1] < 1e-40
    np.testing.assert_allclose(F, exact, rtol=1e-6)


def test_rows_without_a_path_to_a_known_row_have_no_value():
    rows = np.vstack([X, X + 1000.0])
    known = np.concatenate([KNOWN, np.zeros(24, dtype=bool)])
    found = graph(4, 2.0, rows)
    np.testing.assert_array_equal(label_graphs.reached(found.P, known), np.arange(48) < 24)
    F = label_graphs.harmonic(found, known, FIXED)
    np.testing.assert_allclose(F[:24], label_graphs.harmonic(graph(4, 2.0), KNOWN, FIXED))
    assert np.isnan(F[24:]).all()


@pytest.mark.parametrize("gap", [5.0, 30.0, 200.0])
def test_a_group_that_hardly_hangs_on_gets_the_value_of_its_only_exit(gap):
    # The group is linked to the first class alone, by one link of weight exp(-gap^2).
    rows = np.array([0.0, 1.0, 2.0, 2.0 + gap, 3.0 + gap, 4.0 + gap, 100 - gap, -1.0])[:, None]
    known = np.arange(8) < 1
    known[6] = True
    squares = label_graphs.edges(rows[:6], 5)
    squares = sp.block_array([[squares, None], [None, sp.csr_array([[0.0, 1.0], [1.0, 0.0]])]])
    F = label_graphs.harmonic(label_graphs.links(sp.csr_array(squares), 1.0), known, np.eye(2))
    assert (F[1:3, 0] > 0.99).all()
    if gap == 5.0:
        np.testing.assert_allclose(F[3:6, 0], 1.0, atol=1e-6)
    else:  # a link of 1e-390 is none
        assert np.isnan(F[3:6]).all()


def test_first_alike_names_the_first_of_equal_rows():
    rows = X[[0, 1, 0, 2, 1, 0]]
    near, squares = label_graphs.nearest(rows, 3)
    equal = label_graphs.same_place(rows, rows, near, squares)
    np.testing.assert_array_equal(graphs.first_of_equal(near, equal), [0, 1, 0, 3, 1, 0])
