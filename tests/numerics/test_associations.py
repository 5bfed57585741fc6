from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist

import oracles
from kinfolk.numerics import associations, operators
from kinfolk.numerics.associations import Cosine, Gaussian, Precomputed
from kinfolk.numerics.features import Features
from kinfolk.numerics.geometry import Geometry

SIZES = (9, 7, 8)
L = [3, 2, 4]
KINDS = {"cosine": (Cosine(), oracles.cosine), "gaussian": (Gaussian(2.5), oracles.gaussian(2.5))}
WIDTHS = {"narrow tables": 4, "wide tables": 60}


def tables(d, seed=0, sizes=SIZES):
    random = np.random.default_rng(seed)
    return [random.normal(size=(n, d)) * (2.0 if d < 10 else 0.5) + 0.3 for n in sizes]


def prepared(V, X, kind=np.asarray):
    """Each table cut into two side by side, as the layers of step 1 are."""
    return [V.prepared(Features([kind(x[:, :2]), kind(x[:, 2:])])) for x in X]


@pytest.fixture(params=[30, 2**23], ids=["small blocks", "large blocks"])
def block(request, monkeypatch):
    monkeypatch.setattr(operators, "BLOCK", request.param)
    return request.param


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


@pytest.fixture(params=WIDTHS)
def X(request):
    return tables(WIDTHS[request.param])


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
    """Thresholds and counts in exact arithmetic, for whole numbers >= 0 and odd task sizes."""

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
    for seed in range(6):
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


@pytest.mark.usefixtures("block")
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


def geometry(V, X, alpha, t, form=np.asarray):
    return Geometry(V, prepared(V, X, form), alpha, t)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_association_distances_are_those_of_equation_9(kind, X, block, form):
    V, s = kind
    values = oracles.associations(X, s)
    alpha = np.random.default_rng(1).uniform(0.1, 1, size=(3, 3))
    for t in range(3):
        expected = oracles.association_distances(values, alpha, t)
        found = geometry(V, X, alpha[t], t, form)
        rows = found.blocks()
        assert (len(rows) > 1) == (block == 30)
        A = np.vstack([found.among(b)[0] for b in rows])
        sizes = np.concatenate([found.among(b)[1] for b in rows])
        np.testing.assert_allclose(A, expected, atol=1e-11 * sizes.max())
        G = sum(alpha[t, u] * np.square(values[t][u]).sum(axis=1) for u in range(3))
        np.testing.assert_allclose(sizes, G, rtol=1e-11)
        np.testing.assert_allclose(found.sizes, G, rtol=1e-11)


def test_distances_to_rows_of_the_fit_are_those_among_them(kind, X, block):
    V, _ = kind
    alpha = np.array([0.9, 0.4, 0.7])
    found = geometry(V, X, alpha, 1)
    A = np.vstack([found.among(b)[0] for b in found.blocks()])
    rows = prepared(V, X)[1].rows(slice(2, 5))
    there, sizes = found.distances(rows)
    np.testing.assert_allclose(there, A[2:5], atol=1e-11 * sizes.max())
    np.testing.assert_allclose(sizes, found.sizes[2:5], rtol=1e-11)


def test_each_way_of_holding_the_geometry_is_taken(monkeypatch):
    """By features, by rows of all tasks, streamed: see `Geometry`."""
    ways = {}
    for name, V, d, block in [
        ("features", Cosine(), 4, 2**23),
        ("rows", Cosine(), 60, 50),
        ("streamed", Gaussian(2.0), 4, 50),
    ]:
        monkeypatch.setattr(operators, "BLOCK", block)
        held = geometry(V, tables(d), np.ones(3), 0)
        ways[name] = (held._C is not None, held._reference is not None)
    assert ways == {"features": (True, False), "rows": (False, True), "streamed": (False, False)}


def precomputed(V, X):
    rows = [Features([x[:, :2], x[:, 2:]]) for x in X]
    return Precomputed(V), associations.precompute(V, rows)


def test_precomputed_associations_have_the_thresholds_weights_and_distances_of_made_ones(kind, X):
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
    found, expected = Geometry(K, Z, exact[1], 1), Geometry(V, made, exact[1], 1)
    np.testing.assert_allclose(found.sizes, expected.sizes, rtol=1e-11)
    for block in found.blocks():
        pair = found.among(block)[0], expected.among(block)[0]
        np.testing.assert_allclose(*pair, atol=1e-11 * found.sizes.max())


def test_new_rows_are_compared_by_their_associations(kind, X):
    V, _ = kind
    alpha = np.array([0.9, 0.4, 0.7])
    made, (K, Z) = prepared(V, X), precomputed(V, X)
    rows = prepared(V, [tables(X[0].shape[1], seed=5)[0]])[0]
    expected, sizes = Geometry(V, made, alpha, 2).distances(rows)
    found, known_sizes = Geometry(K, Z, alpha, 2).distances(
        associations.precompute_new(V, rows, made)
    )
    np.testing.assert_allclose(known_sizes, sizes, rtol=1e-11)
    np.testing.assert_allclose(found, expected, atol=1e-11 * sizes.max())


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


def test_features_side_by_side_act_as_one_table():
    x, y = tables(5, sizes=(4, 6))
    for form in (np.asarray, sp.csr_array):
        a, b = (Features([form(t[:, :2]), form(t[:, 2:])]) for t in (x, y))
        np.testing.assert_allclose(a.inner(b), x @ y.T)
        np.testing.assert_allclose(a.dense(), x)
        np.testing.assert_allclose(operators.dense(b.merged()), y)
        np.testing.assert_allclose(b.squared_norms(), np.square(y).sum(axis=1))
        np.testing.assert_allclose(b.rows(np.array([3, 0])).dense(), y[[3, 0]])
        assert a.shape == (4, 5)
        assert a.single().dense().dtype == np.float32
