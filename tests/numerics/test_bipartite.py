import numpy as np
import pytest
import scipy.sparse as sp

import oracles_tsc as oracle
from kinfolk.numerics import bipartite

RANDOM = np.random.default_rng(0)
SIGNED = RANDOM.normal(size=(6, 4)) * (RANDOM.random((6, 4)) > 0.4)
TABLES = {
    "counts": np.abs(np.round(3 * SIGNED)),
    "signed": SIGNED,
    "above zero": SIGNED + 4.0,
    "a column of zeros": np.abs(SIGNED) * [1, 0, 1, 1],
    "all equal": np.full((6, 4), 0.3),
}


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, np.float32], ids=str)
@pytest.mark.parametrize("name", TABLES)
def test_products_are_those_of_the_formed_graph(name, form):
    X = form(TABLES[name])
    A = bipartite.graph(X, bipartite.least_entry(X))
    dense = X.toarray() if sp.issparse(X) else X.astype(float)
    expected = oracle.halved(dense - dense.min())
    np.testing.assert_allclose(A.times(np.eye(4)), expected, atol=1e-7)
    np.testing.assert_allclose(A.crossed(np.eye(6)), expected.T, atol=1e-7)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_graphs_on_top_of_each_other_are_normalized_again(form):
    for name in ("counts", "signed"):
        tables = [form(TABLES[name]), form(TABLES[name][:3])]
        parts = [bipartite.graph(X, bipartite.least_entry(X)) for X in tables]
        found = bipartite.normalized(parts)
        assert sp.issparse(found) == (form is sp.csr_array and name == "counts")
        dense = [X.toarray() if sp.issparse(X) else X for X in tables]
        expected = oracle.halved(np.vstack([oracle.halved(own - own.min()) for own in dense]))
        np.testing.assert_allclose(found.toarray() if sp.issparse(found) else found, expected)


def test_new_rows_take_the_columns_of_the_fit_and_nothing_below_its_least_entry():
    A = bipartite.graph(SIGNED, SIGNED.min())
    for form in (np.asarray, sp.csr_array):
        new = bipartite.graph(form(SIGNED[:2] - 0.5), SIGNED.min(), A.columns).times(np.eye(4))
        rows = np.maximum(SIGNED[:2] - 0.5 - SIGNED.min(), 0)
        expected = rows / np.sqrt(rows.sum(axis=1, keepdims=True)) * A.columns
        np.testing.assert_allclose(new, expected, atol=1e-12)
