import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist

import oracles
from kinfolk.errors import InputError
from kinfolk.methods.single.symmetric import SymNMF
from kinfolk.numerics import memberships, starts

RANDOM = np.random.default_rng(0)
X = abs(RANDOM.normal(size=(14, 4)) * 0.4 + 2 * np.eye(4)[np.arange(14) % 3])


def cosines(X):
    return np.array([[oracles.cosine(a, b) for b in X] for a in X])


def kernel(X, h):
    return np.array([[oracles.gaussian(h)(a, b) for b in X] for a in X])


def swept(M, labels, k, sweeps):
    Y = memberships.indicator(labels, k, 0.2)
    for _ in range(sweeps):
        Y = oracles.symmetric_step(M, Y)
    return Y


@pytest.mark.parametrize("affinity", ["cosine", "gaussian", "precomputed"])
def test_sweeps_and_objective_are_the_printed_formulas(affinity):
    M = kernel(X, 1.5) if affinity == "gaussian" else cosines(X)
    table = M if affinity == "precomputed" else X
    settings = {"affinity": affinity, "bandwidth": 1.5, "n_init": 1, "tol": 0, "random_state": 3}
    model = SymNMF(3, max_iter=2, **settings).fit(table)
    rows = {"cosine": X / np.linalg.norm(X, axis=1)[:, None]}.get(affinity, table)
    first = starts.kmeans(rows, 3, starts.seeds(np.random.RandomState(3), 1)[0])
    for sweeps, value in enumerate(model.objective_trace_):
        Y = swept(M, first, 3, sweeps)
        assert value == pytest.approx(oracles.symmetric_objective(M, Y), rel=1e-10)
    np.testing.assert_allclose(model.memberships_, Y, rtol=1e-9)
    np.testing.assert_array_equal(model.labels_, Y.argmax(axis=1))
    assert np.ptp(model.objective_trace_) > 0.1


@pytest.mark.parametrize("scale", [1e-3, 1.0, 50.0])
def test_cosines_do_not_see_the_length_of_a_row(scale):
    lengths = scale * RANDOM.uniform(0.1, 10, size=(14, 1))
    a, b = (SymNMF(3, n_init=1, random_state=0).fit(T) for T in (X, lengths * X))
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_allclose(a.objective_trace_, b.objective_trace_, rtol=1e-9)


def test_a_kernel_does_not_see_the_unit_of_length():
    settings = {"affinity": "gaussian", "n_init": 1, "random_state": 0}
    a, b = (SymNMF(3, **settings).fit(c * X) for c in (1.0, 40.0))
    np.testing.assert_array_equal(a.labels_, b.labels_)
    assert b.bandwidth_ == pytest.approx(40 * a.bandwidth_)
    assert a.bandwidth_ == pytest.approx(np.median(pdist(X)))


def test_blocks_of_ones_are_factored_exactly():
    labels = np.array([0, 0, 1, 1, 1, 2, 2])
    M = (labels[:, None] == labels[None, :]).astype(float)
    for table in (M, sp.csr_array(M)):
        model = SymNMF(3, affinity="precomputed", tol=0, random_state=0).fit(table)
        assert model.objective_trace_[-1] == pytest.approx(0, abs=1e-6)
        assert len(set(zip(labels, model.labels_, strict=True))) == 3


def test_the_similarity_may_be_given_instead_of_the_table():
    a = SymNMF(3, affinity="cosine", n_init=8, random_state=0).fit(X)
    b = SymNMF(3, affinity="precomputed", n_init=8, random_state=0).fit(cosines(X))
    assert len(set(zip(a.labels_, b.labels_, strict=True))) == 3
    assert a.objective_trace_[-1] == pytest.approx(b.objective_trace_[-1], rel=1e-3)


@pytest.mark.parametrize("affinity", ["cosine", "gaussian", "precomputed"])
def test_rows_like_those_of_a_group_join_it(affinity):
    M = kernel(X, 1.5) if affinity == "gaussian" else cosines(X)
    table = M if affinity == "precomputed" else X
    model = SymNMF(3, affinity=affinity, bandwidth=1.5, random_state=0).fit(table)
    np.testing.assert_array_equal(model.predict(table), model.labels_)
    if affinity != "precomputed":
        near = X * (1 + 0.01 * RANDOM.normal(size=X.shape))
        np.testing.assert_array_equal(model.predict(near), model.labels_)


@pytest.mark.parametrize("table", [X, np.triu(cosines(X))], ids=["not square", "not symmetric"])
def test_a_precomputed_similarity_must_be_symmetric(table):
    with pytest.raises(InputError, match=r"affinity is 'precomputed'.*give a symmetric \(n, n\)"):
        SymNMF(affinity="precomputed").fit(table)
