import numpy as np
import pytest
import scipy.sparse as sp

import oracles
from kinfolk.numerics import associations, operators
from kinfolk.numerics import geometry as geometries
from kinfolk.numerics.affinities import Cosine, Gaussian
from kinfolk.numerics.geometry import Geometry
from small_tasks import precomputed, prepared, tables


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


def test_precomputed_associations_have_the_distances_of_computed_ones(kind, X):
    V, _ = kind
    alpha = np.array([0.9, 0.4, 0.7])
    found = Geometry(*precomputed(V, X), alpha, 1)
    expected = geometry(V, X, alpha, 1)
    np.testing.assert_allclose(found.sizes, expected.sizes, rtol=1e-11)
    for block in found.blocks():
        pair = found.among(block)[0], expected.among(block)[0]
        np.testing.assert_allclose(*pair, atol=1e-11 * found.sizes.max())


def test_new_rows_are_compared_by_their_associations(kind, X):
    V, _ = kind
    alpha = np.array([0.9, 0.4, 0.7])
    made = prepared(V, X)
    K, Z = precomputed(V, X)
    rows = prepared(V, [tables(X[0].shape[1], seed=5)[0]])[0]
    expected, sizes = Geometry(V, made, alpha, 2).distances(rows)
    found, known_sizes = Geometry(K, Z, alpha, 2).distances(
        associations.precompute_new(V, rows, made)
    )
    np.testing.assert_allclose(known_sizes, sizes, rtol=1e-11)
    np.testing.assert_allclose(found, expected, atol=1e-11 * sizes.max())


def test_triangles_of_all_tasks_at_hand_change_nothing(X, monkeypatch):
    V = Cosine()
    Z = prepared(V, X)
    alpha = np.array([0.9, 0.4, 0.7])
    triangles = geometries.grams(V, Z)
    assert (triangles is None) == (X[0].shape[1] >= 24)  # no geometry of 24 rows needs them
    with monkeypatch.context() as nothing_is_small:
        nothing_is_small.setattr(geometries.operators, "BLOCK", 0)
        # 3 tasks of d columns against 24 rows
        assert (geometries.grams(V, Z) is None) == (X[0].shape[1] > 8)
    for t in range(3):
        found = Geometry(V, Z, alpha, t, triangles)
        expected = Geometry(V, Z, alpha, t)
        rows = slice(0, len(X[t]))
        np.testing.assert_array_equal(found.among(rows)[0], expected.among(rows)[0])


def test_triangles_are_the_upper_entries_of_gram_matrices_row_by_row():
    V, X = Cosine(), tables(4)
    Z = prepared(V, X)
    for z, triangle in zip(Z, geometries.grams(V, Z), strict=True):
        unit = z.dense()
        G = [[sum(unit[:, i] * unit[:, j]) for j in range(4)] for i in range(4)]
        expected = [G[i][j] for i in range(4) for j in range(i, 4)]
        np.testing.assert_allclose(triangle, expected, atol=1e-13)


def test_kernels_need_no_triangles():
    V = Gaussian(1.0)
    assert geometries.grams(V, prepared(V, tables(2))) is None


def test_single_precision_errs_by_its_own_rounding():
    V, X = Cosine(), tables(4)
    alpha = np.array([0.9, 0.4, 0.7])
    rows = slice(0, len(X[1]))
    exact, sizes = geometry(V, X, alpha, 1).among(rows)
    rough, rough_sizes = Geometry(V, prepared(V, X), alpha, 1, precision=np.float32).among(rows)
    assert rough.dtype == np.float32
    np.testing.assert_allclose(rough_sizes, sizes, rtol=1e-5)
    np.testing.assert_allclose(rough, exact, atol=1e-5 * sizes.max())
    assert abs(rough - exact).max() > 0


def test_a_task_of_weight_0_does_not_count(kind, X):
    V, _ = kind
    alpha = np.array([0.9, 0.0, 0.7])
    found = geometry(V, X, alpha, 2).among(slice(0, len(X[2])))[0]
    expected = geometry(V, [X[0], X[2]], alpha[[0, 2]], 1).among(slice(0, len(X[2])))[0]
    np.testing.assert_allclose(found, expected, atol=1e-10 * max(expected.max(), 1))
