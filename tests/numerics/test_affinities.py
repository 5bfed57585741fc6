import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

import oracles
from kinfolk.numerics import affinities, associations, operators
from kinfolk.numerics.affinities import CenteredCosine, LocalGaussian, LocalNeighbors
from kinfolk.numerics.associations import Precomputed
from kinfolk.numerics.features import Features
from kinfolk.numerics.geometry import Geometry
from kinfolk.numerics.reference import OwnReference, Reference
from small_tasks import L, prepared, tables

OWN = {
    "centered cosine": (CenteredCosine(), oracles.centered_cosine),
    "local gaussian": (LocalGaussian(), oracles.local_gaussian),
    "local neighbors": (LocalNeighbors(2), lambda tasks: oracles.local_neighbors(tasks, 2)),
}
"""Affinities with means or scales of the task of a row."""


@pytest.fixture(params=OWN)
def own(request):
    return OWN[request.param]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_rows_are_compared_by_means_and_scales_of_their_own_tasks(own, X, form, block):
    V, oracle = own
    X[1][3] = X[1][2]  # two rows at one place
    expected = oracles.associations(X, oracle(X))
    Z = prepared(V, X, form)
    for t in range(3):
        for u in range(3):
            np.testing.assert_allclose(V.tile(Z[t], Z[u]), expected[t][u], atol=1e-10)


def test_other_tasks_change_no_affinity_within_a_task(own):
    V, _ = own
    X = tables(4)
    alone = V.tile(*(2 * prepared(V, X[:1])))
    whole = associations.precompute(V, [Features([x[:, :2], x[:, 2:]]) for x in X])
    np.testing.assert_allclose(whole[0].tables[0][:, :9], alone, atol=1e-12)


@pytest.mark.parametrize("known", [True, False], ids=["precomputed", "in blocks"])
def test_task_weights_and_distances_are_those_of_the_paper(own, X, known, block):
    V, oracle = own
    values = oracles.associations(X, oracle(X))
    eps = oracles.thresholds(values, L)
    rows = [Features([x]) for x in X]
    Z = associations.precompute(V, rows) if known else [V.prepared(z) for z in rows]
    W = Precomputed(V) if known else V
    found = associations.exact_weights(W, Z, L).alpha
    np.testing.assert_allclose(found, oracles.task_weights(values, [e - 1e-11 for e in eps]))
    for t in range(3):
        geometry = Geometry(W, Z, found[t], t)
        A = np.vstack([geometry.among(part)[0] for part in geometry.blocks()])
        np.testing.assert_allclose(A, oracles.association_distances(values, found, t), atol=1e-9)


def test_counts_on_a_sample_of_all_rows_are_exact(own, X):
    V, _ = own
    Z = prepared(V, X)
    exact = associations.exact_weights(V, Z, [3, 2, 4]).alpha
    found = associations.sampled_weights(V, Z, [3, 2, 4], 100, np.random.RandomState(0))
    np.testing.assert_allclose(found.alpha, exact, rtol=1e-12)


def test_new_rows_have_means_and_scales_of_the_rows_of_their_task(own, block):
    V, _ = own
    X = tables(4)
    codes = np.repeat([0, 1, 2], [len(x) for x in X])
    new = np.random.default_rng(3).normal(size=(5, 4))
    fit = OwnReference(np.vstack(X), codes, [], (V, V, V))
    for t, x in enumerate(X):
        Y = np.random.default_rng(t).uniform(size=(len(x), 2))
        if not isinstance(V, CenteredCosine):
            s = [oracles.scale(a, x) for a in new]
            s_fit = [oracles.scale(a, x) for a in x]
            M = np.array([
                [np.exp(-sum((a - b) ** 2) / (r * q)) for b, q in zip(x, s_fit)]
                for a, r in zip(new, s)
            ])  # fmt: skip
            if isinstance(V, LocalNeighbors):
                near = [[oracles.scale(a, x, 2) for a in rows] for rows in (new, x)]
                M = np.where(cdist(new, x) <= np.maximum.outer(*near) + 1e-9, M, 0.0)
        else:
            M = [[oracles.cosine(a - x.mean(axis=0), b - x.mean(axis=0)) for b in x] for a in new]
        np.testing.assert_allclose(fit.products(new, t, Y), np.array(M) @ Y, atol=1e-10)


def test_rows_of_the_fit_are_compared_as_in_the_fit(own, block):
    V, _ = own
    X = tables(4)
    codes = np.repeat([0, 1, 2], [len(x) for x in X])
    fit = Reference(np.vstack(X), codes, [], V, np.float64)
    for t, x in enumerate(X):
        np.testing.assert_allclose(fit.prepared(x, t).dense(), fit.Z[t].dense(), atol=1e-10)


def test_scales_pass_over_rows_at_the_same_place():
    X = np.random.default_rng(0).normal(size=(12, 3))
    once = affinities.local_scales(Features([X]), Features([X]))
    twice = np.vstack([X, np.tile(X[0], (20, 1))])
    found = affinities.local_scales(Features([twice]), Features([twice]))
    assert found[0] == pytest.approx(once[0])
    np.testing.assert_allclose(found[12:], found[0])
    assert (found[1:12] <= once[1:] + 1e-9).all()


@pytest.mark.parametrize("n", [1, 2, 7, 8])
def test_a_task_of_few_rows_has_scales(n):
    X = np.arange(float(n))[:, None]
    found = affinities.local_scales(Features([X]), Features([X]))
    expected = [oracles.scale(row, X) for row in X]
    np.testing.assert_allclose(found, expected)
    equal = np.ones((n, 2))
    V = LocalGaussian()
    Z = V.prepared(Features([equal]))
    np.testing.assert_array_equal(V.tile(Z, Z), 1.0)


def test_the_unit_and_the_place_of_a_table_do_not_matter_to_local_scales(X):
    V = LocalGaussian()
    one = [V.prepared(Features([x])) for x in X]
    other = [V.prepared(Features([1e-4 * x + 3.0])) for x in X]
    np.testing.assert_allclose(V.tile(*one[:2]), V.tile(*other[:2]), rtol=1e-4)


def test_as_many_neighbors_as_rows_leave_out_no_pair(X):
    V, whole = LocalNeighbors(99), LocalGaussian()
    Z, expected = ([W.prepared(Features([x])) for x in X] for W in (V, whole))
    np.testing.assert_array_equal(V.tile(Z[0], Z[0]), whole.tile(expected[0], expected[0]))


def test_every_row_is_linked_to_so_many_others(X):
    Z = LocalNeighbors(3).prepared(Features([X[0]]))
    M = LocalNeighbors(3).tile(Z, Z)
    np.testing.assert_allclose(M, M.T, rtol=1e-14)
    assert ((M > 0).sum(axis=1) >= 4).all()  # with itself
    assert (M == 0).any()


def test_the_mean_of_a_task_does_not_matter_to_centered_cosines():
    X = tables(4)
    V = CenteredCosine()
    one = prepared(V, X)
    other = prepared(V, [X[0] + 7.0, X[1] - 2.0, X[2]])
    for t in range(3):
        np.testing.assert_allclose(V.tile(one[0], one[t]), V.tile(other[0], other[t]), atol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_equal_rows_have_no_direction_from_their_mean(form):
    rows = CenteredCosine().prepared(Features([form(np.full((1000, 2), 0.1))]))
    assert not rows.dense().any()


def test_an_affinity_is_made_by_its_name():
    kinds = [affinities.formula(name, 2.0) for name in affinities.NAMES[1:]]
    assert kinds == [
        affinities.Cosine(),
        CenteredCosine(),
        affinities.Gaussian(2.0),
        LocalGaussian(),
    ]
    assert affinities.formula("local-neighbors", links=4) == LocalNeighbors(4)
    for name in ("local-neighbors", "gaussian", "auto", "cosines"):
        with pytest.raises(ValueError, match=f"no affinity '{name}'"):
            affinities.formula(name)


def test_blocks_of_rows_have_the_scales_of_all_rows(monkeypatch):
    X = Features([np.random.default_rng(0).normal(size=(30, 3))])
    whole = affinities.local_scales(X, X)
    monkeypatch.setattr(operators, "BLOCK", 64)
    np.testing.assert_allclose(affinities.local_scales(X, X), whole, rtol=1e-12)
