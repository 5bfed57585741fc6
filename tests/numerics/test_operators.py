import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import operators

RANDOM = np.random.default_rng(0)
SHAPES = {"wide": (8, 20), "narrow": (20, 5)}
SIGNED = {name: RANDOM.normal(size=shape) for name, shape in SHAPES.items()}
TABLES = SIGNED | {f"non-negative {name}": abs(Z) for name, Z in SIGNED.items()}


def halves(Z, kind):
    """Split the table into two side by side."""
    return [kind(Z[:, :3]), kind(Z[:, 3:])]


@pytest.fixture(params=[50, 2**23], ids=["small blocks", "large blocks"])
def block(request, monkeypatch):
    monkeypatch.setattr(operators, "BLOCK", request.param)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("Z", TABLES.values(), ids=TABLES)
def test_a_gram_operator_is_the_product_of_its_table_with_itself(Z, kind):
    M, Y = Z @ Z.T, RANDOM.uniform(size=(len(Z), 3))
    operator = operators.Gram(halves(Z, kind))
    P, N = operator.parts(np.eye(len(Z)))
    if Z.min() >= 0:
        assert N is None
        N = np.zeros_like(M)
    assert min(P.min(), N.min()) >= 0
    np.testing.assert_allclose(P - N, M, atol=1e-12)
    PY, NY = operator.parts(Y)
    np.testing.assert_allclose(PY - (0 if NY is None else NY), M @ Y, rtol=1e-11, atol=1e-11)
    assert operator.squared_norm() == pytest.approx(np.sum(M**2), rel=1e-12)
    assert operator.n == len(Z)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("sign", [1, -1])
def test_an_explicit_matrix_is_split_by_sign(kind, sign):
    M = RANDOM.normal(size=(6, 6))
    M = np.where(abs(M + M.T) > 1, M + M.T, 0) if sign < 0 else abs(M + M.T)
    operator = operators.Explicit(kind(M))
    P, N = operator.parts(np.eye(6))
    np.testing.assert_allclose(P, np.maximum(M, 0), atol=1e-15)
    if sign > 0:
        assert N is None
    else:
        np.testing.assert_allclose(N, np.maximum(-M, 0), atol=1e-15)
    assert operator.squared_norm() == pytest.approx(np.sum(M**2), rel=1e-13)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("name", SHAPES)
def test_a_gram_matrix_is_formed_only_where_it_is_the_smaller(name, kind):
    Z = SIGNED[name]
    operator = operators.gram(halves(Z, kind))
    assert isinstance(operator, operators.Explicit if name == "wide" else operators.Gram)
    PY, NY = operator.parts(np.eye(len(Z)))
    np.testing.assert_allclose(PY - NY, Z @ Z.T, atol=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("name", SHAPES)
def test_a_gram_matrix_without_signs_is_formed_where_its_products_are_quicker(name, kind):
    Z = TABLES[f"non-negative {name}"]
    operator = operators.gram(halves(Z, kind))
    sparse = kind is sp.csr_array  # 20 x 20 numbers instead of 2 x 100, or 2 x 100 sparse ones
    formed = name == "wide" or sparse
    assert isinstance(operator, operators.Explicit if formed else operators.Gram)
    PY, NY = operator.parts(np.eye(len(Z)))
    assert NY is None
    np.testing.assert_allclose(PY, Z @ Z.T, atol=1e-12)


def test_steps_do_not_depend_on_whether_a_gram_matrix_is_formed():
    """Rows of mixed signs whose inner products are all positive, or a few of them negative."""
    Z = np.column_stack([np.full(20, 2.0), RANDOM.uniform(-0.4, 0.4, size=(20, 4))])
    few = Z.copy()
    few[3, 0] = -2.0
    Y = RANDOM.uniform(size=(20, 3))
    for table, negative in ((Z, 0), (few, 38)):
        M = table @ table.T
        assert np.count_nonzero(M < 0) == negative
        formed = operators.Explicit(M).parts(Y)
        found = operators.Gram(halves(table, np.asarray)).parts(Y)
        np.testing.assert_allclose(found[0], formed[0], atol=1e-12)
        assert (found[1] is None) == (formed[1] is None) == (negative == 0)
        if negative:
            np.testing.assert_allclose(found[1], formed[1], atol=1e-12)


def test_what_is_formed_for_speed_alone_is_small(monkeypatch):
    Z = sp.csr_array(TABLES["non-negative narrow"])
    monkeypatch.setattr(operators, "CACHE", Z.shape[0] ** 2)
    assert isinstance(operators.gram([Z]), operators.Explicit)
    monkeypatch.setattr(operators, "CACHE", Z.shape[0] ** 2 - 1)
    assert isinstance(operators.gram([Z]), operators.Gram)


@pytest.mark.parametrize(
    ("filled", "cache", "call", "dense"),
    [(5, 400, 0, True), (5, 399, 0, False), (1, 400, 0, False), (1, 400, 160, True)],
)
def test_a_small_or_well_filled_sparse_matrix_is_held_dense(
    filled, cache, call, dense, monkeypatch
):
    monkeypatch.setattr(operators, "CACHE", cache)
    monkeypatch.setattr(operators, "CALL", call)
    M = sp.dok_array((20, 20))
    for i in range(20):
        M[i, (i + np.arange(filled)) % 20] = 1.0 - 2.0 * (i % 2)
    operator = operators.Explicit(sp.csr_array(M))
    assert sp.issparse(operator._M) != dense
    Y = RANDOM.uniform(size=(20, 2))
    PY, NY = operator.parts(Y)
    np.testing.assert_allclose(PY - (0 if NY is None else NY), M.toarray() @ Y, atol=1e-14)


def test_an_empty_sparse_matrix_has_no_parts():
    operator = operators.Explicit(sp.csr_array((4, 4)))
    assert operator.squared_norm() == 0
    np.testing.assert_array_equal(operator.parts(np.ones((4, 2)))[0], 0)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize(("n", "width"), [(1, 1), (7, 10), (120, 3), (5, 1000), (3, 0)])
def test_blocks_cover_all_rows_once_and_fit(n, width):
    parts = operators.blocks(n, width)
    np.testing.assert_array_equal(np.concatenate([np.arange(n)[b] for b in parts]), np.arange(n))
    for part in parts:
        rows = part.stop - part.start
        assert rows == 1 or rows * width <= operators.BLOCK


def test_no_rows_need_no_blocks():
    assert sum(b.stop - b.start for b in operators.blocks(0, 3)) == 0


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("block", [1, 7, 2**20])
def test_products_of_single_precision_are_those_of_the_same_numbers_in_double(
    make, block, monkeypatch
):
    monkeypatch.setattr(operators, "BLOCK", 6 * block)
    random = np.random.default_rng(0)
    single = (random.normal(size=(40, 6)) * (random.random((40, 6)) < 0.6)).astype(np.float32)
    double, W, Y = single.astype(float), random.normal(size=(6, 3)), random.normal(size=(40, 3))
    X = make(single)
    pairs = [
        (operators.times(X, W), double @ W),
        (operators.crossed(X, Y), double.T @ Y),
        (operators.crossed(X, X), double.T @ double),
        (operators.crossed(X.T, X.T), double @ double.T),
        (operators.mean(X), double.mean(axis=0)),
    ]
    for found, expected in pairs:
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


def test_products_of_single_precision_hold_no_second_table():
    X = np.ones((2**21, 4), dtype=np.float32)
    tracemalloc.start()
    operators.crossed(X, X)
    operators.mean(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.5 * 8 * operators.BLOCK < X.nbytes
