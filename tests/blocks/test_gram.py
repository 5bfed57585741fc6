"""Cosines of rows in blocks, and SymNMF of them."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import kinfolk as kf
from kinfolk import Blocks
from kinfolk.blocks import gram
from kinfolk.errors import InputError
from kinfolk.numerics import distances

da = pytest.importorskip("dask.array", reason="the extra dask is not there")

RANDOM = np.random.default_rng(0)
X = RANDOM.poisson(0.2, size=(150, 20)) + 2.0 * np.kron(np.eye(3), np.ones((50, 7)))[:, :20]
X[40] = 0.0


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("scaled", [False, True])
def test_products_are_those_of_the_matrix_of_cosines(make, scaled, tmp_path):
    s = RANDOM.uniform(0.5, 2.0, size=150) if scaled else np.ones(150)
    Z = s[:, None] * distances.unit_rows(X)
    M = gram.cosines(Blocks(make(X), block_rows=40))
    assert not M.signed
    if scaled:
        M = M.scaled(np.sqrt(s)).scaled(np.sqrt(s))
    Y = RANDOM.uniform(size=(150, 3))
    np.testing.assert_allclose(M.times(Y), Z @ Z.T @ Y, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(M.crossed(Y), Z.T @ Y, rtol=1e-12, atol=1e-14)
    assert M.squared_norm() == pytest.approx(np.square(Z @ Z.T).sum())
    assert M.n == 150
    assert M.parts(Y)[1] is None


def test_values_of_rows_go_with_the_pieces_of_a_block(tmp_path):
    import pandas as pd

    names = [f"c{j}" for j in range(20)]
    pd.DataFrame(X, columns=names).to_parquet(tmp_path / "rows.parquet", row_group_size=100)
    rows = Blocks(tmp_path / "rows.parquet", block_rows=30)
    Y = RANDOM.uniform(size=(150, 2))
    np.testing.assert_allclose(gram.cosines(rows).crossed(Y), distances.unit_rows(X).T @ Y)
    both = rows.gathered(lambda block, a, b: a + b, of_rows=(Y, Y))
    np.testing.assert_allclose(both, 2 * Y)


@pytest.mark.parametrize(
    "settings",
    [{}, {"update": "multiplicative", "max_iter": 60}, {"divide_by_degrees": False}],
    ids=str,
)
def test_a_fit_of_blocks_is_that_of_the_table(settings):
    model = kf.SymNMF(3, affinity="cosine", n_init=2, random_state=0, **settings)
    expected = clone(model).fit(X)
    for rows in (Blocks(X, block_rows=40), da.from_array(X, chunks=(60, 11))):
        found = clone(model).fit(rows)
        np.testing.assert_array_equal(np.asarray(found.labels_), expected.labels_)
        np.testing.assert_allclose(
            found.objective_trace_[-1], expected.objective_trace_[-1], rtol=1e-10
        )
        np.testing.assert_allclose(np.asarray(found.memberships_), expected.memberships_, atol=1e-5)
        assert isinstance(found.labels_, da.Array) == isinstance(rows, da.Array)
        np.testing.assert_array_equal(found.predict(X), expected.predict(X))
        np.testing.assert_array_equal(np.asarray(expected.predict(rows)), expected.predict(X))


def test_new_rows_in_blocks_of_a_kernel_are_assigned_too():
    model = kf.SymNMF(3, affinity="gaussian", n_init=1, random_state=0).fit(X)
    new = X[::2] + 0.1
    np.testing.assert_array_equal(model.predict(Blocks(new, block_rows=20)), model.predict(new))


def test_what_cosines_of_blocks_cannot_do_is_told(monkeypatch):
    with pytest.raises(InputError, match="affinity is 'gaussian', which compares all pairs"):
        kf.SymNMF(2, affinity="gaussian").fit(Blocks(X))
    signed = Blocks(X - 1.0, block_rows=40)
    assert gram.cosines(signed).signed
    with pytest.raises(InputError, match="give update='exact'"):
        kf.SymNMF(2, affinity="cosine", update="multiplicative").fit(signed)
    kf.SymNMF(2, affinity="cosine", n_init=1, random_state=0).fit(signed)
    monkeypatch.setattr(gram, "WIDEST", 19)
    with pytest.raises(InputError, match="has 20 columns, whose products .* at most 19"):
        kf.SymNMF(2, affinity="cosine").fit(Blocks(X))
