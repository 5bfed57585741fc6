"""Inner products of rows in blocks, and concept factorization of them."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import kinfolk as kf
from kinfolk import Blocks
from kinfolk.blocks import blocks, kernel
from kinfolk.errors import ConceptWarning, InputError
from kinfolk.numerics.concepts import GramKernel

da = pytest.importorskip("dask.array", reason="the extra dask is not there")

RANDOM = np.random.default_rng(0)
GROUPS = np.kron(np.eye(3), np.ones((50, 7)))[:, :20]
COUNTS = RANDOM.poisson(0.2, size=(150, 20)) + 2.0 * GROUPS
SIGNED = 0.5 * RANDOM.normal(size=(150, 20)) + 3.0 * GROUPS * np.resize([1.0, -1.0], 20)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_products_are_those_of_the_matrix_of_inner_products(make):
    K = kernel.kernel(Blocks(make(SIGNED), block_rows=40))
    M = RANDOM.uniform(size=(150, 3))
    loops = [sum(SIGNED[i] @ SIGNED[j] * M[j] for j in range(150)) for i in range(150)]
    np.testing.assert_allclose(K.times(M), loops, rtol=1e-12, atol=1e-11)
    np.testing.assert_allclose(K.crossed(M), SIGNED.T @ M, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(K.squared_norms, GramKernel(SIGNED).squared_norms, rtol=1e-13)
    roots = RANDOM.uniform(size=150)
    scaled = K.scaled(roots)
    heavy = GramKernel(roots[:, None] * SIGNED)
    np.testing.assert_allclose(scaled.times(M), heavy.times(M), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(scaled.squared_norms, heavy.squared_norms, rtol=1e-13)
    assert K.signed
    assert not kernel.kernel(Blocks(COUNTS, block_rows=40)).signed


@pytest.mark.parametrize(
    ("X", "settings"),
    [
        (COUNTS, {}),
        (SIGNED, {}),
        (COUNTS, {"normalize": False}),
        (COUNTS, {"update": "multiplicative", "n_init": 2, "max_iter": 8}),
    ],
    ids=["counts", "signed", "as printed", "multiplicative"],
)
def test_a_fit_of_blocks_is_that_of_the_table(X, settings):
    # Blocks enter by products alone, which differ by rounding from the first sweep on. Each exact
    # sweep is some 25 steps of a descent.
    few = {"n_init": 1, "max_iter": 3, **settings}
    model = kf.ConceptFactorization(3, random_state=0, **few)
    expected = clone(model).fit(X)
    for rows in (Blocks(X, block_rows=40), da.from_array(X, chunks=(60, 11))):
        found = clone(model).fit(rows)
        np.testing.assert_array_equal(np.asarray(found.labels_), expected.labels_)
        np.testing.assert_allclose(
            found.objective_trace_[-1], expected.objective_trace_[-1], rtol=1e-10
        )
        np.testing.assert_allclose(found.concepts_, expected.concepts_, atol=1e-6)
        np.testing.assert_allclose(np.asarray(found.memberships_), expected.memberships_, atol=1e-5)
        assert isinstance(found.labels_, da.Array) == isinstance(rows, da.Array)
        np.testing.assert_array_equal(found.predict(X), expected.predict(X))
        np.testing.assert_array_equal(np.asarray(expected.predict(rows)), expected.predict(X))
        new = np.asarray(found.predict_memberships(rows))
        np.testing.assert_allclose(new, expected.predict_memberships(X), atol=1e-5)


def test_random_starts_need_no_sample():
    model = kf.ConceptFactorization(3, init="random", n_init=1, random_state=0)
    found = model.fit(Blocks(COUNTS, block_rows=40))
    assert np.diff(found.objective_trace_).max() <= 1e-9 * found.objective_trace_[0]
    assert len(np.unique(found.labels_)) == 3


@pytest.mark.parametrize(
    "method",
    [
        kf.MEC(9),
        kf.KTMEC(n_clusters=9),
        kf.SoftKMeans(9, update="exact", mixed=False),
        kf.SymNMF(9, affinity="cosine"),
        kf.ConceptFactorization(9),
    ],
    ids=lambda method: type(method).__name__,
)
def test_more_clusters_than_sampled_rows_are_told(method, monkeypatch):
    monkeypatch.setattr(blocks, "SAMPLE_NUMBERS", 8 * COUNTS.shape[1])
    with pytest.raises(InputError, match="n_clusters is 9, and starts are drawn from the 8 rows"):
        method.fit(Blocks(COUNTS, block_rows=40))


def test_clusters_that_are_no_directions_are_told_of_blocks_too():
    X = np.repeat([[5.0, 0.0], [9.0, 0.0], [9.0, 9.0]], 30, axis=0) + RANDOM.normal(size=(90, 2))
    with pytest.warns(ConceptWarning, match="times the scatter of k-means clusters"):
        kf.ConceptFactorization(3, n_init=1, random_state=0).fit(Blocks(X, block_rows=40))


def test_what_products_of_blocks_cannot_do_is_told():
    CF = kf.ConceptFactorization
    with pytest.raises(InputError, match="graph_weight is 2: a graph compares all pairs"):
        CF(2, graph_weight=2.0).fit(Blocks(COUNTS))
    with pytest.raises(InputError, match="negative entries.*give update='exact'"):
        CF(2, update="multiplicative").fit(Blocks(SIGNED))


def test_a_model_with_a_graph_assigns_new_rows_in_blocks():
    model = kf.ConceptFactorization(3, graph_weight=1.0, n_init=1, random_state=0).fit(COUNTS)
    new = COUNTS[::2] + 0.1
    np.testing.assert_array_equal(model.predict(Blocks(new, block_rows=20)), model.predict(new))
