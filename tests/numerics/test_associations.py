from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist

import oracles
from kinfolk.numerics import associations, operators
from kinfolk.numerics.affinities import Cosine
from kinfolk.numerics.features import Features
from small_tasks import KINDS, L, precomputed, prepared, tables


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_associations_are_those_of_the_definition(kind, X, form):
    V, s = kind
    X[0][3] = 0.0
    Z = prepared(V, X, form)
    expected = oracles.associations(X, s)
    for t in range(3):
        for u in range(3):
            np.testing.assert_allclose(V.tile(Z[t], Z[u]), expected[t][u], atol=1e-12)


@pytest.mark.usefixtures("block")
def test_thresholds_are_those_of_the_paper(kind, X):
    V, s = kind
    expected = oracles.thresholds(oracles.associations(X, s), L)
    found = [associations.threshold(V, z, l) for z, l in zip(prepared(V, X), L, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_task_weights_are_those_of_equation_20(kind, X, form):
    V, s = kind
    values = oracles.associations(X, s)
    eps = [0.5 * e + 0.03 for e in oracles.thresholds(values, L)]
    found = associations.weights(V, prepared(V, X, form), eps)
    np.testing.assert_allclose(found.alpha, oracles.task_weights(values, eps), rtol=1e-15)
    assert not found.relatedness_error.any()
    assert (found.alpha < 1).any()


@pytest.mark.usefixtures("block")
def test_doubtful_entries_are_settled_in_double_precision():
    """Thresholds far closer to entries than single precision can tell them apart."""
    V, X = Cosine(), tables(6)
    Z = prepared(V, X)
    values = oracles.associations(X, oracles.cosine)
    for gap in (1e-10, -1e-10):
        eps = [float(values[t][t][2, 4]) + gap for t in range(3)]
        found = associations.weights(V, Z, eps).alpha
        np.testing.assert_allclose(found, oracles.task_weights(values, eps), rtol=1e-15)


def exact_shares(X, l):
    """Thresholds and counts in exact integer arithmetic."""

    def squared_cosine(a, b):
        size = int(a @ a) * int(b @ b)
        return Fraction(int(a @ b) ** 2, size) if size else Fraction(0)

    V = [[[[squared_cosine(a, b) for b in Xs] for a in Xt] for Xs in X] for Xt in X]
    eps = []
    for t, n in enumerate(l):
        ranked = sorted(sorted(row, reverse=True)[n] for row in V[t][t])
        eps.append(ranked[len(ranked) // 2])
    T = range(len(X))
    counts = [[np.mean([[v >= eps[t] for v in r] for r in V[t][s]]) for s in T] for t in T]
    return np.sqrt([float(e) for e in eps]), np.array(counts)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_entries_at_the_threshold_count(form):
    V = Cosine()
    for seed in range(3):
        random = np.random.default_rng(seed)
        X = [random.integers(0, 3, size=(n, 4)) for n in (15, 21, 11)]
        expected_eps, expected = exact_shares(X, L)
        Z = prepared(V, [x.astype(float) for x in X], form)
        eps = [associations.threshold(V, z, l) for z, l in zip(Z, L, strict=True)]
        np.testing.assert_allclose(eps, expected_eps, rtol=1e-12)
        np.testing.assert_allclose(associations.weights(V, Z, eps).alpha, expected, rtol=1e-15)


def test_a_task_of_equal_rows_is_fully_related_to_itself():
    V = Cosine()
    for row in np.random.default_rng(0).normal(size=(300, 5)):
        z = prepared(V, [np.tile(row, (6, 1))])
        alpha = associations.weights(V, z, [associations.threshold(V, z[0], 2)]).alpha
        np.testing.assert_array_equal(alpha, 1.0)


def test_counting_on_all_rows_is_exact_and_has_no_error(kind, X):
    V, _ = kind
    Z = prepared(V, X)
    l = [3, 2, 4]
    eps = [associations.threshold(V, z, rank) for z, rank in zip(Z, l)]
    expected = associations.weights(V, Z, eps).alpha
    for n_rows in (9, 100):
        found = associations.sampled_weights(V, Z, l, n_rows, np.random.RandomState(0))
        np.testing.assert_allclose(found.alpha, expected, rtol=1e-15)
        assert not found.relatedness_error.any()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_sampled_weights_do_not_depend_on_the_size_of_blocks(kind, X, form, monkeypatch):
    V, _ = kind
    Z = prepared(V, X, form)
    expected = associations.sampled_weights(V, Z, L, 5, np.random.RandomState(0))
    monkeypatch.setattr(operators, "BLOCK", 30)
    found = associations.sampled_weights(V, Z, L, 5, np.random.RandomState(0))
    np.testing.assert_allclose(found.alpha, expected.alpha, rtol=1e-14)
    np.testing.assert_allclose(found.relatedness_error, expected.relatedness_error, rtol=1e-10)


def test_sampled_relatedness_is_nearly_unbiased_and_its_errors_cover():
    V = Cosine()
    Z = prepared(V, tables(4, sizes=(60, 50)))
    l = [12, 9]
    eps = [associations.threshold(V, z, rank) for z, rank in zip(Z, l)]
    exact = associations.weights(V, Z, eps).alpha
    ratio = exact / exact.diagonal()[:, None]
    draws = [
        associations.sampled_weights(V, Z, l, 25, np.random.RandomState(seed))
        for seed in range(300)
    ]
    alphas = np.array([draw.alpha for draw in draws])
    errors = np.array([draw.relatedness_error for draw in draws])
    ratios = alphas / np.array([np.diag(alpha) for alpha in alphas])[:, :, None]
    for t, s in ((0, 1), (1, 0)):
        bias = ratios[:, t, s].mean() - ratio[t, s]
        assert abs(bias) < 0.25 * ratios[:, t, s].std()  # of the median, which falls with n_rows
        covered = np.mean(abs(ratios[:, t, s] - ratio[t, s]) <= 1.96 * errors[:, t, s])
        assert 0.88 <= covered <= 0.99
        assert errors[:, t, s].mean() == pytest.approx(ratios[:, t, s].std(), rel=0.15)
    assert not errors[:, [0, 1], [0, 1]].any()


def test_precomputed_associations_have_the_thresholds_and_weights_of_computed_ones(kind, X):
    V, s = kind
    X[0][4:7] = X[0][3]  # equal rows: entries that differ by rounding alone
    made, values = prepared(V, X), oracles.associations(X, s)
    K, Z = precomputed(V, X)
    for t in range(3):
        np.testing.assert_allclose(K.tile(Z[t], Z[1]), values[t][1], atol=1e-12)
        assert associations.threshold(K, Z[t], L[t]) == pytest.approx(
            associations.threshold(V, made[t], L[t]), abs=1e-14
        )
    eps = [associations.threshold(V, z, l) for z, l in zip(made, L, strict=True)]
    exact = associations.weights(V, made, eps).alpha
    np.testing.assert_array_equal(associations.weights(K, Z, eps).alpha, exact)


def test_the_median_distance_is_that_of_all_pairs_and_nearly_that_of_a_sample():
    X = tables(4, sizes=(40, 80))
    Z = [Features([x[:, :1], x[:, 1:]]) for x in X]
    exact = np.median(pdist(np.vstack(X)))
    found = associations.median_distance(Z, np.random.RandomState(0))
    assert found == pytest.approx(exact)
    sampled = associations.median_distance(Z, np.random.RandomState(0), n_rows=60)
    assert sampled != found
    assert sampled == pytest.approx(exact, rel=0.15)
    equal = [Features([np.ones((5, 2))])]
    assert associations.median_distance(equal, np.random.RandomState(0)) == 1.0


def test_exact_weights_are_those_of_their_thresholds(kind, X):
    V, _ = kind
    Z = prepared(V, X)
    eps = [associations.threshold(V, z, l) for z, l in zip(Z, L, strict=True)]
    expected = associations.weights(V, Z, eps)
    found = associations.exact_weights(V, Z, L)
    np.testing.assert_array_equal(found.alpha, expected.alpha)
    assert not found.relatedness_error.any()


def test_the_order_of_tasks_does_not_matter(kind, X):
    V, _ = kind
    order = [2, 0, 1]
    Z = prepared(V, X)
    alpha = associations.exact_weights(V, Z, L).alpha
    moved = associations.exact_weights(V, [Z[t] for t in order], [L[t] for t in order]).alpha
    np.testing.assert_array_equal(moved, alpha[np.ix_(order, order)])


def test_cosine_weights_do_not_depend_on_lengths_and_gaussian_ones_on_the_origin():
    X = tables(4)
    scale = np.random.default_rng(1).uniform(0.1, 9, size=(9, 1))
    for V, other in (
        (Cosine(), [X[0] * scale, *X[1:]]),
        (KINDS["gaussian"][0], [x + 3.0 for x in X]),
    ):
        expected = associations.exact_weights(V, prepared(V, X), L).alpha
        found = associations.exact_weights(V, prepared(V, other), L).alpha
        np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_more_neighbors_lower_the_threshold_and_raise_the_weights(kind, X):
    V, _ = kind
    Z = prepared(V, X)
    eps = [[associations.threshold(V, z, l) for l in range(1, 6)] for z in Z]
    assert (np.diff(eps, axis=1) <= 0).all()
    few = associations.exact_weights(V, Z, [1, 1, 1]).alpha
    many = associations.exact_weights(V, Z, [5, 5, 5]).alpha
    assert (few <= many).all()
    assert few.sum() < many.sum()


def test_preparing_gives_up_the_rows_task_by_task():
    rows = [Features([x]) for x in tables(4)]
    found = associations.prepare(Cosine(), rows)
    assert rows == []
    for z in found:
        np.testing.assert_allclose(np.linalg.norm(z.dense(), axis=1), 1.0)


def test_precomputed_associations_are_those_of_the_definition_and_symmetric(kind, X):
    V, s = kind
    K, Z = precomputed(V, X)
    expected = oracles.associations(X, s)
    whole = np.vstack([z.tables[0] for z in Z])
    np.testing.assert_allclose(whole, whole.T, rtol=1e-14)
    for t in range(3):
        for u in range(3):
            np.testing.assert_allclose(K.tile(Z[t], Z[u]), expected[t][u], atol=1e-12)
    assert K.reached(0.5) == V.reached(0.5)


@pytest.mark.parametrize(
    ("n", "d", "block", "worth"), [(10, 10, 1, True), (10, 9, 1, False), (10, 1, 100, True)]
)
def test_precomputing_pays_where_associations_are_no_more_numbers(n, d, block, worth, monkeypatch):
    monkeypatch.setattr(operators, "BLOCK", block)
    rows = [Features([np.zeros((n - 4, d))]), Features([np.zeros((4, d))])]
    assert associations.worth_precomputing(rows) == worth


@pytest.mark.parametrize("unit", [1.0, 1e-3])
def test_the_median_distance_is_that_of_different_rows_where_most_are_equal(unit):
    rows = unit * np.array([[0.0]] * 9 + [[1.0], [4.0]])
    found = associations.median_distance([Features([rows])], np.random.RandomState(0))
    assert found == pytest.approx(3.0 * unit)  # of 9 times 1, once 3 and 9 times 4
    weight = np.array([9.0, 1.0, 1.0])
    weighed = associations.median_distance(
        [Features([rows[8:]])], np.random.RandomState(0), weight=weight
    )
    assert weighed == pytest.approx(found)
