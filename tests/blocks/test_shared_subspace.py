"""LSSMTC of rows in blocks: its sums by loops, and its fits beside those in memory."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import kinfolk as kf
from kinfolk import Blocks
from kinfolk.blocks import Block, shared_subspace
from kinfolk.blocks.shared_subspace import Centers
from kinfolk.errors import InputError, SharingWarning
from kinfolk.numerics import shared_factorization
from kinfolk.numerics.subspaces import CloseMeans, MostExplained

da = pytest.importorskip("dask.array", reason="the extra dask is not there")
dd = pytest.importorskip("dask.dataframe", reason="the extra dask is not there")

RANDOM = np.random.default_rng(0)
SITES = np.array(["a", "b", "c"])[RANDOM.integers(0, 3, size=240)]
CODES = np.searchsorted(["a", "b", "c"], SITES)
X = abs(RANDOM.normal(size=(240, 6))) + 2 * np.eye(6)[RANDOM.integers(0, 4, size=240)]
X += 0.3 * (SITES == "b")[:, None]
W = RANDOM.integers(1, 4, size=240).astype(float)
C = Centers(
    RANDOM.uniform(size=(3, 4, 6)),
    np.linalg.qr(RANDOM.normal(size=(6, 2)))[0],
    RANDOM.uniform(size=(4, 2)),
)


def loops(c, lam, X=X, codes=CODES, weight=W):
    """Best one-entry memberships, their products and the objective, by loops over rows."""
    YY, YX, J = np.zeros((3, 4, 4)), np.zeros((3, 4, 6)), 0.0
    Y = np.zeros((len(X), 4))
    for i, (x, t, w) in enumerate(zip(X, codes, weight, strict=True)):
        best = np.inf
        for j in range(4):
            v, f, z = c.V[t, j], c.F[j], x @ c.W
            y = max(0.0, (lam * x @ v + (1 - lam) * z @ f) / (lam * v @ v + (1 - lam) * f @ f))
            own = sum((x - y * v) ** 2)
            cost = lam * own + (1 - lam) * (sum((z - y * f) ** 2) + x @ x - z @ z)
            if cost < best:
                best, row = cost, y * np.eye(4)[j]
        Y[i] = row
        J += w * best
        YY[t] += w * np.outer(row, row)
        YX[t] += w * np.outer(row, x)
    return Y, YY, YX, J


@pytest.mark.parametrize("lam", [0.3, 0.8])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_the_sums_and_the_objective_are_those_of_loops(lam, make):
    Y, YY, YX, J = loops(C, lam)
    rows = Blocks(make(X), tasks=SITES, sample_weight=W, block_rows=50).with_tasks(list("abc"))
    p = shared_subspace.problem(rows, lam, MostExplained(X, 2), 3)
    s = shared_subspace.state_at(p, C)
    np.testing.assert_allclose(rows.each(shared_subspace.memberships, C, lam), Y, rtol=1e-10)
    np.testing.assert_allclose(s.terms.products.YY, YY, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(s.terms.products.YX, YX, rtol=1e-10, atol=1e-12)
    assert shared_subspace.objective(p, s) == pytest.approx(J, rel=1e-11)


def test_centers_are_those_in_memory_for_the_same_memberships():
    Y = RANDOM.uniform(size=(240, 4)) ** 4
    near = shared_factorization.problem(X, [np.flatnonzero(t == CODES) for t in range(3)])
    near = near._replace(subspace=MostExplained(X, 3))
    expected = shared_factorization.best_centers(near, Y)
    p = shared_subspace.problem(Block(X, None, CODES), 0.5, MostExplained(X, 3), 3)
    found = shared_subspace.centers(p, shared_subspace._products(p.rows, Y, 3))
    np.testing.assert_allclose(found.V, expected.V, rtol=1e-9)
    np.testing.assert_allclose(found.W @ found.W.T, expected.W @ expected.W.T, atol=1e-10)
    np.testing.assert_allclose(found.F @ found.W.T, expected.F @ expected.W.T, rtol=1e-9)


def test_an_empty_cluster_does_no_harm():
    Y = np.c_[RANDOM.uniform(size=(240, 3)), np.zeros(240)]
    p = shared_subspace.problem(Block(X, None, CODES), 0.5, MostExplained(X, 3), 3)
    found = shared_subspace.centers(p, shared_subspace._products(p.rows, Y, 3))
    assert np.isfinite(found.V).all()
    np.testing.assert_array_equal(found.V[:, 3], 0)
    np.testing.assert_array_equal(found.F[3], 0)


def test_two_sweeps_and_one_ahead_are_those_in_memory():
    p = shared_subspace.problem(Block(X, None, CODES), 0.5, MostExplained(X, 2), 3)
    near = shared_factorization.problem(
        X, [np.flatnonzero(t == CODES) for t in range(3)], 0.5, MostExplained(X, 2), mixed=False
    )
    s = shared_subspace.state_at(p, C)
    memory = shared_factorization.State(
        np.zeros((240, 4)), C.V, C.W, C.F, np.empty((240, 4)), X @ C.W
    )
    for t in range(3):
        memory.XV[t == CODES] = X[t == CODES] @ C.V[t].T
    memory = shared_factorization.with_best_memberships(near, memory)
    for _ in range(4):
        s = shared_subspace.sweeps(p, s)
        memory = shared_factorization.exact_sweeps(near, memory)
        np.testing.assert_allclose(s.c.V, memory.V, rtol=1e-7)
        assert shared_subspace.objective(p, s) == pytest.approx(
            shared_factorization.objective(near, memory), rel=1e-11
        )


def test_weights_are_equal_rows():
    times = W.astype(int)
    heavy = Block(X, W, CODES)
    repeated = Block(np.repeat(X, times, axis=0), None, np.repeat(CODES, times))
    subspace = MostExplained(X, 2)
    states = []
    for rows in (heavy, repeated):
        p = shared_subspace.problem(rows, 0.5, subspace, 3)
        s = shared_subspace.state_at(p, C)
        for _ in range(3):
            s = shared_subspace.sweeps(p, s)
        states.append((shared_subspace.objective(p, s), s.c.V))
    assert states[0][0] == pytest.approx(states[1][0], rel=1e-10)
    np.testing.assert_allclose(states[0][1], states[1][1], rtol=1e-6)


def test_close_means_can_be_made_of_means():
    means = np.array([X[t == CODES].mean(axis=0) for t in range(3)])
    first = CloseMeans(X, 2, CODES, 1.5)
    second = CloseMeans.of_means(means, 2, 1.5 * 240)
    assert second.price(C.W) == pytest.approx(first.price(C.W))


SETTINGS = [
    {},
    {"init": "kmeans"},
    {"init": "random", "subspace": "released", "n_components": 3},
    {"gap_weight": 1.0},
    {"own_weight": 1.0},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_fit_of_blocks_is_that_of_the_table(settings):
    model = kf.LSSMTC(4, n_init=2, random_state=0, **settings)
    expected = clone(model).fit(X, tasks=SITES)
    frame = pd.DataFrame(X, columns=list("uvwxyz")).assign(site=SITES)
    for rows in (
        Blocks(X, tasks=SITES, block_rows=70),
        Blocks(dd.from_pandas(frame, npartitions=3), tasks="site"),
    ):
        found = clone(model).fit(rows)
        np.testing.assert_array_equal(np.asarray(found.labels_), expected.labels_)
        np.testing.assert_array_equal(np.asarray(found.matched_labels_), expected.matched_labels_)
        np.testing.assert_allclose(found.objective_trace_, expected.objective_trace_, rtol=1e-10)
        np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, atol=1e-6)
        assert found.subspace_share_ == pytest.approx(expected.subspace_share_, rel=1e-7)
        assert isinstance(found.labels_, da.Array) == rows.is_dask
        assert not hasattr(found, "memberships_")


def test_a_fit_with_weights_ends_at_the_weighted_objective():
    model = kf.LSSMTC(4, n_init=2, random_state=0)
    expected = clone(model).fit(Blocks(X, tasks=SITES, sample_weight=W, block_rows=50))
    c = Centers(expected.cluster_centers_, expected.components_, expected.shared_centers_)
    codes = [expected.task_names_.tolist().index(name) for name in SITES]
    J = loops(c, 0.5, codes=codes)[3]
    assert expected.objective_trace_[-1] == pytest.approx(J, rel=1e-10)
    even = clone(model).fit(Blocks(X, tasks=SITES, sample_weight=np.full(240, 2.0)))
    plain = clone(model).fit(X, tasks=SITES)
    np.testing.assert_array_equal(even.labels_, plain.labels_)
    assert even.objective_trace_[-1] == pytest.approx(2 * plain.objective_trace_[-1])


def test_sharing_that_costs_much_is_warned_of():
    far = 5.0 * np.eye(3, 6)[np.arange(60) % 3] + 0.3 * RANDOM.normal(size=(60, 6))
    tasks = np.arange(60) // 30
    far[tasks == 1] = np.roll(far[tasks == 1], 3, axis=1)
    model = kf.LSSMTC(3, own_weight=0.1, n_init=2, random_state=0)
    with pytest.warns(SharingWarning, match="sharing makes the squared error") as memory:
        clone(model).fit(far, tasks=tasks)
    with pytest.warns(SharingWarning, match="sharing makes the squared error") as blocks:
        clone(model).fit(Blocks(far, tasks=tasks, block_rows=50))
    assert str(memory[0].message) == str(blocks[0].message)


@pytest.mark.parametrize(
    "settings", [{"update": "multiplicative"}, {"mixed": True}, {"subspace": "published"}], ids=str
)
def test_what_is_no_sum_over_rows_is_refused(settings):
    with pytest.raises(InputError, match="for them LSSMTC needs update='exact'"):
        kf.LSSMTC(2, **settings).fit(Blocks(X, tasks=SITES))
