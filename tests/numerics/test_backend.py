"""Functions of rows of other libraries: the same numbers as those of NumPy, on their device."""

import subprocess
import sys

import array_api_strict
import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.errors import InputError, MissingExtraError
from kinfolk.numerics import backend, distances, entropic, operators
from kinfolk.numerics.entropic import Rule
from libraries import LIBRARIES

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(40, 5))
V = RANDOM.normal(size=(3, 5))
WEIGHT = RANDOM.random(40)
TYPES = [np.float64, np.float32]
everywhere = pytest.mark.parametrize("convert", LIBRARIES)
in_both = pytest.mark.parametrize("kind", TYPES)


def near(found, expected, kind):
    digits = 1e-12 if kind == np.float64 else 2e-6
    np.testing.assert_allclose(backend.host(found), expected, rtol=digits, atol=digits)


@everywhere
@in_both
def test_products_are_in_double_precision_and_of_numpy(convert, kind):
    rows = X.astype(kind)
    Y = RANDOM.random((40, 2))
    for found, expected in (
        (operators.times(convert(rows), V.T), rows.astype(float) @ V.T),
        (operators.times(convert(rows), rows[:3].T), rows.astype(float) @ rows[:3].T.astype(float)),
        (operators.crossed(convert(rows), Y), rows.astype(float).T @ Y),
        (
            operators.crossed(convert(rows), convert(rows)),
            rows.astype(float).T @ rows.astype(float),
        ),
        (operators.mean(convert(rows)), rows.astype(float).mean(axis=0)),
    ):
        assert type(found) is np.ndarray
        assert found.dtype == np.float64
        near(found, expected, np.float64)


@everywhere
@in_both
def test_distances_stay_where_the_rows_are(convert, kind):
    rows = X.astype(kind)
    there = convert(rows)
    found = distances.squared(there, V)
    assert type(found) is type(there)
    near(found, np.square(rows[:, None].astype(float) - V).sum(axis=2), np.float64)
    near(distances.squared(there, rows.astype(float)), distances.squared(rows, rows), np.float64)
    assert backend.host(distances.squared(there, rows.astype(float))).min() >= 0
    near(distances.squared_norms(there), np.square(rows.astype(float)).sum(axis=1), np.float64)
    assert distances.scatter(there) == pytest.approx(40 * rows.astype(float).var(axis=0).sum())


@everywhere
@in_both
def test_rows_of_zeros_have_no_direction(convert, kind):
    rows = X.astype(kind)
    rows[3] = 0.0
    found = backend.host(distances.unit_rows(convert(rows)))
    assert found.dtype == kind
    near(found, distances.unit_rows(rows), kind)
    assert not found[3].any()


@everywhere
def test_the_inverse_of_no_length_is_zero(convert):
    found = distances.inverse_lengths(convert(np.array([4.0, 0.0])))
    assert backend.host(found).tolist() == [0.5, 0.0]


@everywhere
def test_rows_far_from_zero_lose_no_digits(convert):
    far = 5e8 + np.round(4 * X)
    found = backend.host(distances.squared(convert(far), far[:3]))
    np.testing.assert_allclose(found, np.square(far[:, None] - far[:3]).sum(axis=2), atol=1e-6)
    for weight in (None, WEIGHT):
        mean = np.average(far, axis=0, weights=weight)
        exact = np.average(np.square(far - mean).sum(axis=1), weights=weight)
        exact *= 40 if weight is None else WEIGHT.sum()
        assert distances.scatter_about(convert(far), mean, weight) == pytest.approx(exact)


@everywhere
def test_the_rounding_of_a_mean_that_is_taken_off_is_no_distance(convert):
    middle = np.full(5, 0.1)
    rows = np.tile(middle * (1 + 1e-16), (4, 1)) + np.array([[0.0], [1e-16], [0.0], [3.0]])
    found = backend.host(distances._less(convert(rows), middle))
    np.testing.assert_array_equal(found, distances._less(rows, middle))
    assert not found[:3].any()


@everywhere
@in_both
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weighted"])
def test_moments_are_those_of_memberships_written_out(convert, kind, weight):
    rows = X.astype(kind)
    rule = Rule(V, 0.7, np.array([0.0, 0.4, np.inf]))
    origin = X.mean(axis=0)
    found, log_sum = entropic.moments(convert(rows), rule, origin, weight)
    E = np.square(rows[:, None] - V).sum(axis=2) + rule.offsets
    U = np.exp(-0.7 * E)
    w = np.ones(40) if weight is None else weight
    away = np.square(rows - origin).sum(axis=1)
    assert log_sum == pytest.approx(w @ (np.log(U.sum(axis=1)) + 0.7 * away), rel=1e-5)
    U = w[:, None] * U / U.sum(axis=1, keepdims=True)
    near(found.mass, U.sum(axis=0), np.float32)
    near(found.sums, U.T @ rows, np.float32)
    exact, exact_sum = entropic.moments(rows, rule, origin, weight)
    near(found.sums, exact.sums, kind)
    near(log_sum, exact_sum, kind)


@everywhere
@in_both
def test_labels_and_memberships_are_of_numpy(convert, kind):
    rows = X.astype(kind)
    offsets = np.array([0.0, 0.5, 0.2])
    labels = entropic.nearest(convert(rows), V, offsets)
    assert type(labels) is np.ndarray
    np.testing.assert_array_equal(labels, entropic.nearest(rows, V, offsets))
    parts = [(0.25, Rule(V, 0.3, offsets)), (0.75, Rule(V + 1, 2.0, np.zeros(3)))]
    found = entropic.mixture(convert(rows), parts)
    assert found.dtype == kind
    near(found, entropic.mixture(rows, parts), kind)
    assert entropic.rounding(convert(rows), 2.0) == pytest.approx(entropic.rounding(rows, 2.0))


@everywhere
def test_rows_are_taken_by_slices_and_by_positions(convert):
    there = convert(X)
    for rows in (slice(2, 5), np.array([7, 1]), np.array([], dtype=int)):
        found = backend.taken(there, rows)
        assert type(found) is type(there)
        np.testing.assert_array_equal(backend.host(found), X[rows])


@everywhere
def test_numbers_of_other_types_become_floats(convert):
    whole = np.arange(4).reshape(2, 2)
    found = backend.floats(convert(whole), "X")
    assert backend.precision(found) == np.float64
    np.testing.assert_array_equal(backend.host(found), whole)
    assert backend.host(backend.floats(convert(whole > 1), "X")).tolist() == [[0, 0], [1, 1]]
    with pytest.raises(InputError, match="Complex data not supported: X holds"):
        backend.floats(convert(X + 1j), "X")


def test_tensors_with_gradients_and_of_half_precision_are_taken():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: its wheel is large")
    learned = torch.ones((2, 2), requires_grad=True)
    assert not backend.floats(learned, "X").requires_grad
    assert backend.in_memory(learned, "X").tolist() == [[1, 1], [1, 1]]
    assert backend.precision(backend.floats(learned.bfloat16(), "X")) == np.float32


def test_tables_of_numpy_and_scipy_are_of_no_other_library():
    for table in (X, np.ma.masked_array(X), sp.csr_array(X), [[1.0]], "X", None):
        assert not backend.is_other(table)
        assert backend.host(table) is table


def test_other_libraries_are_imported_by_their_users_alone():
    code = (
        "import sys, numpy, kinfolk; kinfolk.MEC(1).fit(numpy.eye(2));"
        "print([name for name in ('torch', 'array_api_compat') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout.strip() == "[]", found.stderr


def test_without_the_extra_a_sentence_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "array_api_compat", None)
    with pytest.raises(MissingExtraError, match=r"array_api_compat.*\[array-api\]'"):
        backend.namespace(array_api_strict.eye(2))
