import numpy as np
import pytest
import scipy.sparse as sp

import oracles
from kinfolk.numerics import denoising

RANDOM = np.random.default_rng(0)
SHAPES = {"primal": (12, 5), "square": (6, 6), "dual": (5, 12)}
TABLES = {
    name: np.where(RANDOM.random(shape) < 0.5, RANDOM.normal(size=shape), 0.0)
    for name, shape in SHAPES.items()
}
for _table in TABLES.values():
    _table[:, 2] = 0.0


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("noise", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("name", TABLES)
def test_a_layer_is_the_one_of_the_paper(name, noise, kind):
    H, ridge = TABLES[name], 1e-2
    layer, found = denoising.fit(kind(H), noise, ridge)
    assert layer.core.shape == (min(H.shape),) * 2
    expected = oracles.denoising_layer(H, noise, ridge)
    np.testing.assert_allclose(found, expected, atol=1e-10)
    again = denoising.apply(layer, kind(H), kind(H))
    np.testing.assert_allclose(again, expected, atol=1e-10)


@pytest.mark.parametrize("name", TABLES)
def test_the_usual_ridge_agrees_with_the_paper_too(name):
    H = TABLES[name]
    layer, _ = denoising.fit(H, 0.7, 1e-5)
    expected = oracles.denoising_layer(H, 0.7, 1e-5)
    np.testing.assert_allclose(denoising.apply(layer, H, H), expected, atol=1e-9)


@pytest.mark.parametrize("name", TABLES)
def test_the_layer_is_the_minimiser_over_corrupted_copies(name):
    """No other affine map rebuilds the rows better from infinitely many corrupted copies."""
    H, noise, ridge = TABLES[name], 0.6, 1e-3
    d, q = H.shape[1], 0.4
    layer, _ = denoising.fit(H, noise, ridge)
    unit = np.eye(d)
    zero = np.arctanh(denoising.apply(layer, np.zeros((1, d)), H))
    A = np.arctanh(denoising.apply(layer, unit / 10, H)) * 10 - zero * 10
    b = zero[0]

    def loss(A, b):
        residual = H - q * H @ A - b
        spread = np.square(H).sum(axis=0) @ np.square(A).sum(axis=1)
        return np.square(residual).sum() + q * noise * spread + ridge * (A**2).sum() + ridge * b @ b

    best = loss(A, b)
    for scale in (1e-3, 1e-1):
        for _ in range(20):
            other = loss(A + scale * RANDOM.normal(size=A.shape), b + scale * RANDOM.normal(size=d))
            assert other > best


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("name", ["primal", "dual"])
def test_a_layer_with_weights_is_that_of_repeated_rows(name, kind):
    H = TABLES[name]
    times = np.array([0, 2, 1, 2, 1] + [1] * (len(H) - 5))
    layer, found = denoising.fit(kind(H), 0.6, 1e-2, times.astype(float))
    repeated = np.repeat(H, times, axis=0)
    other, outputs = denoising.fit(repeated, 0.6, 1e-2)
    np.testing.assert_allclose(np.repeat(found, times, axis=0), outputs, atol=1e-10)
    # A row of weight 0 has an output, too.
    np.testing.assert_allclose(found, denoising.apply(other, H, repeated), atol=1e-10)
    np.testing.assert_allclose(denoising.apply(layer, kind(H), kind(H)), found, atol=1e-12)


def test_without_noise_and_ridge_a_layer_copies_its_rows():
    H = 0.1 * RANDOM.normal(size=(20, 4))
    layer, _ = denoising.fit(H, 0.0, 1e-12)
    np.testing.assert_allclose(denoising.apply(layer, H, H), np.tanh(H), atol=1e-9)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("name", TABLES)
def test_stacked_layers_are_algorithm_2(name, kind):
    X = TABLES[name]
    layers, H = [], kind(X)
    for _ in range(3):
        layer, H = denoising.fit(H, 0.5, 1e-2)
        layers.append(layer)
    tables = denoising.stack(kind(X), layers)
    stacked = np.hstack([T.toarray() if sp.issparse(T) else T for T in tables])
    np.testing.assert_allclose(stacked, oracles.common_features(X, 0.5, 3, 1e-2), atol=1e-9)
    again = denoising.stack(kind(X[2:4]), layers, tables)
    for part, whole in zip(again[1:], tables[1:], strict=True):
        np.testing.assert_allclose(part, whole[2:4], atol=1e-12)


def test_outputs_lie_between_minus_1_and_1_and_do_not_depend_on_the_order_of_rows():
    H = TABLES["dual"] * 50
    layer, found = denoising.fit(H, 0.5, 1e-2)
    assert abs(found).max() <= 1.0
    order = np.random.default_rng(1).permutation(len(H))
    _, moved = denoising.fit(H[order], 0.5, 1e-2)
    np.testing.assert_allclose(moved, found[order], atol=1e-9)


def test_the_two_forms_of_a_layer_agree_where_rows_and_features_are_as_many():
    H = RANDOM.normal(size=(6, 6))
    _, narrow = denoising.fit(H, 0.5, 1e-2)
    # One more feature that is 0 everywhere changes nothing, but takes the other form.
    layer, wide = denoising.fit(np.hstack([H, np.zeros((6, 1))]), 0.5, 1e-2)
    assert layer.scale.size == 7
    np.testing.assert_allclose(wide[:, :6], narrow, atol=1e-9)
    np.testing.assert_allclose(wide[:, 6], 0.0, atol=1e-12)


@pytest.mark.parametrize("noise", [0.0, 0.5])
@pytest.mark.filterwarnings("error")
def test_large_numbers_with_copied_columns_and_columns_of_zeros_have_a_layer(noise):
    H = np.random.default_rng(0).poisson(1.0, size=(90, 4)) * 1e5
    H = np.hstack([H, H, np.zeros((90, 1))])
    _, output = denoising.fit(H, noise, 1e-5)
    assert np.isfinite(output).all()
    np.testing.assert_allclose(output[:, :4], output[:, 4:8], atol=1e-6)


def test_fitting_leaves_its_rows_as_they_are():
    for H in TABLES.values():
        before = H.copy()
        layer, output = denoising.fit(H, 0.5, 1e-2)
        denoising.apply(layer, H, H)
        np.testing.assert_array_equal(H, before)
        assert not np.shares_memory(output, H)


def test_the_inverse_from_a_factor_is_symmetric_and_the_inverse():
    A = np.random.default_rng(0).normal(size=(30, 40))
    K = A @ A.T + np.eye(30)
    found = denoising._inverse(K)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_allclose(found @ K, np.eye(30), atol=1e-11)
