"""Regressions on rows in blocks, and MTCMRL of them."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import kinfolk as kf
from kinfolk import Blocks
from kinfolk.blocks import gram
from kinfolk.blocks.ridge import BlockRidge
from kinfolk.errors import InputError
from kinfolk.numerics import distances

dd = pytest.importorskip("dask.dataframe", reason="the extra dask is not there")

RANDOM = np.random.default_rng(0)
SITES = np.array(["a", "b"])[RANDOM.integers(0, 2, size=160)]
GROUPS = RANDOM.integers(0, 3, size=160)
X = RANDOM.poisson(0.3, size=(160, 12)) + 3.0 * np.kron(np.eye(3), np.ones(4))[GROUPS]
X = distances.unit_rows(X)
FRAME = pd.DataFrame(X, columns=[f"c{j}" for j in range(12)]).assign(site=SITES)
MODEL = kf.MTCMRL({"a": 3, "b": 2}, affinity="cosine", n_init=2, max_iter=5, random_state=0)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_the_regression_solves_its_equations(make):
    Y = RANDOM.uniform(size=(160, 2))
    Z = RANDOM.normal(size=(12, 2))
    c = np.array([0.5, 3.0])
    found = BlockRidge(Blocks(make(X), block_rows=50)).towards(Y, Z, 0.7, c)
    for j in range(2):
        A = 0.7 * X.T @ X + c[j] * np.eye(12)
        w = np.linalg.solve(A, 0.7 * X.T @ Y[:, j] + c[j] * Z[:, j])
        np.testing.assert_allclose(found.W[:, j], w, rtol=1e-10)
    np.testing.assert_allclose(found.values, X @ found.W, rtol=1e-10, atol=1e-12)


def test_a_regression_with_weights_is_that_on_rows_times_their_roots():
    w = RANDOM.uniform(0.0, 3.0, size=160)
    Y = RANDOM.uniform(size=(160, 2))
    Z = RANDOM.normal(size=(12, 2))
    c = np.array([0.5, 3.0])
    rows = Blocks(X, block_rows=50, sample_weight=w)
    found = BlockRidge(rows, w).towards(Y, Z, 0.7, c)
    heavy = X * np.sqrt(w)[:, None]
    expected = BlockRidge(Blocks(heavy, block_rows=50)).towards(Y, Z, 0.7, c)
    np.testing.assert_allclose(found.W, expected.W, rtol=1e-9)
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("alone", [False, True], ids=["related", "each by itself"])
def test_a_fit_of_blocks_is_that_of_the_table(alone, tmp_path):
    model = clone(MODEL)
    if alone:
        model.set_params(relation_weight=0.0, divide_by_degrees=False)
    expected = clone(model).fit(X, tasks=SITES)
    FRAME.to_parquet(tmp_path / "rows.parquet", row_group_size=30)
    for rows in (
        Blocks(sp.csr_array(X), tasks=SITES, block_rows=50),
        Blocks(tmp_path / "rows.parquet", tasks="site", block_rows=60),
        Blocks(dd.from_pandas(FRAME, npartitions=3), tasks="site"),
    ):
        found = clone(model).fit(rows)
        np.testing.assert_array_equal(np.asarray(found.labels_), expected.labels_)
        np.testing.assert_array_equal(np.asarray(found.matched_labels_), expected.matched_labels_)
        assert len(found.objective_trace_) == len(expected.objective_trace_)
        np.testing.assert_allclose(found.objective_trace_, expected.objective_trace_, rtol=1e-10)
        for name in ("a", "b"):
            t = expected.task_names_.tolist().index(name)
            own = found.coef_[found.task_names_.tolist().index(name)]
            np.testing.assert_allclose(own, expected.coef_[t], atol=1e-6)
        for pair, G in expected.cluster_relatedness_.items():
            np.testing.assert_allclose(found.cluster_relatedness_[pair], G, atol=1e-6)
        new = X[:30] + 0.01
        np.testing.assert_array_equal(
            found.predict(new if rows.feature_names is None else _frame(new), SITES[:30]),
            expected.predict(new, SITES[:30]),
        )


def _frame(new):
    return pd.DataFrame(new, columns=FRAME.columns[:12])


def test_what_the_model_keeps_does_not_grow_with_the_rows():
    found = clone(MODEL).fit(Blocks(X, tasks=SITES, block_rows=50))
    values = vars(found)
    held = [*values["_factors"], *values["_scaled"], *values["_kept"], *values["coef_"]]
    assert max(map(len, held)) <= 12
    assert "memberships_" not in values


def test_what_products_of_blocks_cannot_do_is_told(monkeypatch):
    rows = Blocks(X, tasks=SITES)
    for wrong in ({"affinity": "gaussian"}, {"affinity": lambda A, B: A @ B.T}):
        with pytest.raises(InputError, match="affinity is .*which compares all pairs of rows"):
            clone(MODEL).set_params(**wrong).fit(rows)
    with pytest.raises(InputError, match="needs update='exact'"):
        clone(MODEL).set_params(update="multiplicative").fit(rows)
    monkeypatch.setattr(gram, "WIDEST", 11)
    with pytest.raises(InputError, match="has 12 columns, whose products .* at most 11"):
        clone(MODEL).fit(rows)
