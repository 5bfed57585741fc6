import numpy as np
import pytest
import scipy.sparse as sp

import oracles
from kinfolk.numerics import associations, denoising, memo, operators, reference
from kinfolk.numerics.affinities import Cosine, Gaussian
from kinfolk.numerics.features import Features
from kinfolk.numerics.geometry import Geometry

SIZES = (9, 8)
CODES = np.random.default_rng(5).permutation(np.repeat([0, 1], SIZES))
KINDS = {"cosine": (Cosine(), oracles.cosine), "gaussian": (Gaussian(1.5), oracles.gaussian(1.5))}
ALPHA = np.array([0.9, 0.4])


def table(n, d, seed):
    X = np.random.default_rng(seed).normal(size=(n, d))
    return np.where(abs(X) > 0.3, X, 0.0)


def layers_of(X, n_layers):
    layers, H = [], X
    for _ in range(n_layers):
        layer, H = denoising.fit(H, 0.5, 1e-2)
        layers.append(layer)
    return layers


@pytest.fixture(params=[40, 2**23], ids=["many rows", "few rows"])
def block(request, monkeypatch):
    """Fixture: precomputed affinities, and affinities computed in blocks."""
    monkeypatch.setattr(operators, "BLOCK", request.param)
    return request.param


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(("d", "n_layers"), [(4, 2), (30, 1), (4, 0)])
def test_new_rows_have_the_distances_of_equation_9(kind, form, d, n_layers):
    V, s = kind
    X, new = table(17, d, 0), table(5, d, 1)
    layers = layers_of(form(X), n_layers)
    rows = reference.Reference(form(X), CODES, layers, V, np.float64)
    # The layers of new and fitted rows, put side by side by hand.
    H, H_new = [X], [new]
    for layer in layers:
        H_new.append(denoising.apply(layer, H_new[-1], H[-1]))
        H.append(denoising.apply(layer, H[-1], H[-1]))
    Z, Z_new = np.hstack(H), np.hstack(H_new)
    tasks = [Z[t == CODES] for t in (0, 1)]
    for t in (0, 1):
        A, _ = rows.geometry(ALPHA, t).distances(rows.compared(form(new), t))
        for i, x in enumerate(Z_new):
            for j, z in enumerate(tasks[t]):
                apart = [sum((s(x, y) - s(z, y)) ** 2 for y in other) for other in tasks]
                assert A[i, j] == pytest.approx(ALPHA @ apart, abs=1e-9)


@pytest.mark.usefixtures("block")
def test_products_are_those_of_the_associations_within_the_task(kind):
    V, s = kind
    X, new = table(17, 4, 0), table(3, 4, 1)
    rows = reference.OwnReference(X, CODES, [], (V, V))
    for t in (0, 1):
        own = X[t == CODES]
        Y = np.random.default_rng(2).uniform(size=(len(own), 2))
        M = np.array([[s(x, z) for z in own] for x in new])
        np.testing.assert_allclose(rows.products(new, t, Y), M @ Y, atol=1e-12)


def test_rows_of_the_fit_have_the_distances_that_the_fit_saw(kind, block):
    V, _ = kind
    X = table(17, 4, 0)
    rows = reference.Reference(X, CODES, [], V, np.float64)
    tasks = [Features([X[t == CODES]]) for t in (0, 1)]
    expected = Geometry(V, [V.prepared(z) for z in tasks], ALPHA, 1)
    A, sizes = rows.geometry(ALPHA, 1).distances(rows.compared(X[CODES == 1], 1))
    whole = np.vstack([expected.among(part)[0] for part in expected.blocks()])
    np.testing.assert_allclose(A, whole, atol=1e-10 * sizes.max())
    np.testing.assert_allclose(sizes, expected.sizes, rtol=1e-10)


def test_a_geometry_is_made_once_per_task_and_weights():
    rows = reference.Reference(table(17, 4, 0), CODES, [], Cosine(), np.float64)
    one = rows.geometry(ALPHA, 0)
    assert rows.geometry(ALPHA.copy(), 0) is one
    assert rows.geometry(ALPHA, 1) is not one
    assert rows.geometry(2 * ALPHA, 0) is not one


def test_models_of_the_same_rows_and_layers_share_them_inside_a_memory():
    X = table(17, 4, 0)
    layers = layers_of(X, 1)
    origin = (CODES, layers, Cosine(), np.float64)
    with memo.remembering():
        one = reference.reference(X, *origin)
        assert reference.reference(X.copy(), *origin) is one
        new = table(3, 4, 1)
        assert reference.compared(one, new, 0) is reference.compared(one, new.copy(), 0)
        for other in (
            (CODES[::-1].copy(), *origin[1:]),
            (CODES, layers_of(2 * X, 1), *origin[2:]),
            (CODES, [], *origin[2:]),
            (CODES, layers, Gaussian(1.0), np.float64),
            (CODES, layers, Cosine(), np.float32),
        ):
            assert reference.reference(X, *other) is not one
    assert reference.reference(X, *origin) is not one
    assert not any(a.flags.writeable for z in one.Z for a in z.tables)
    assert X.flags.writeable


def test_new_rows_cost_few_rows_their_associations_and_many_rows_their_features(monkeypatch):
    X, new = table(17, 4, 0), table(3, 4, 1)
    few = reference.Reference(X, CODES, [], Cosine(), np.float64)
    assert associations.worth_precomputing([Features([X])])
    assert few.compared(new, 0).tables[0].shape == (3, 17)
    monkeypatch.setattr(operators, "BLOCK", 40)
    many = reference.Reference(X, CODES, [], Cosine(), np.float64)
    assert not associations.worth_precomputing([Features([X])])
    assert many.compared(new, 0).shape == (3, 4)
