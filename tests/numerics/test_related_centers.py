"""Steps of multi-task Bregman clustering against loops, and the descent of J."""

import numpy as np
import pytest

import oracles_related_centers as oracle
from kinfolk.numerics import related_centers
from kinfolk.numerics.related_centers import KernelRows, PointRows, Problem

K = [3, 2, 3]


def tasks(seed=0, n=(9, 7, 8), d=2):
    random = np.random.default_rng(seed)
    return [random.normal(size=(m, d)) + random.normal(size=d) for m in n]


def first(p, seed=0, empty=False):
    """Build a state that is no fixed point; `empty` leaves one cluster without rows."""
    random = np.random.default_rng(seed)
    labels = [random.permutation(np.arange(n) % k) for n, k in zip(p.space.sizes, K, strict=True)]
    if empty:
        labels[0] = labels[0] % 2
    width = 2 if isinstance(p.space, PointRows) else sum(p.space.sizes)
    return related_centers.start(p, labels, width)


def parts(p, V):
    return [V[own] for own in p.space.own]


@pytest.mark.parametrize("marginals", ["size", "uniform"])
def test_the_objective_is_that_of_the_loops(marginals):
    tables = tasks()
    p = Problem(PointRows(tables, K), 0.7, marginals)
    s = first(p)
    for _ in range(2):
        expected = oracle.objective(tables, s.labels, parts(p, s.V), 0.7, marginals)
        assert pytest.approx(expected, rel=1e-9) == s.J
        s = related_centers.sweep(p, s)


@pytest.mark.parametrize("marginals", ["size", "uniform"])
@pytest.mark.parametrize("empty", [False, True])
def test_centers_are_where_no_direction_lowers_the_objective(marginals, empty):
    tables = tasks()
    p = Problem(PointRows(tables, K), 0.7, marginals)
    s = first(p, empty=empty)
    own = p.space.own
    R = {(t, u): s.R[own[t], own[u]] for t in range(3) for u in range(3) if t != u}
    V = related_centers.centers(p, s, p.space.means(s.labels, s.V))

    def J(V):
        return oracle.objective_of_plan(tables, s.labels, parts(p, V), R, 0.7)

    random = np.random.default_rng(1)
    for _ in range(5):
        step = 1e-3 * random.normal(size=V.shape)
        # A square function: both differences are the same at its minimum, and positive.
        assert J(V + step) - J(V) == pytest.approx(J(V - step) - J(V), rel=1e-6)
        assert J(V + step) >= J(V)


def test_of_known_plans_only_those_of_a_task_with_new_masses_are_made(monkeypatch):
    p = Problem(PointRows(tasks(), K), 0.7)
    s = first(p)
    between = p.space.places(s.V).centers
    made = []
    plan = related_centers.transport.plan
    monkeypatch.setattr(related_centers.transport, "plan", lambda *of: made.append(1) or plan(*of))
    known = {}
    related_centers.plans(p, between, s.labels, known)
    assert len(made) == 3
    labels = [np.zeros_like(s.labels[0]), *s.labels[1:]]
    found = related_centers.plans(p, between, labels, known)
    assert len(made) == 5  # that of the two other tasks stays
    np.testing.assert_array_equal(found, related_centers.plans(p, between, labels))


def test_clusters_that_no_row_holds_keep_their_centers():
    X = np.array([[0.0], [0.2], [0.1]])
    p = Problem(PointRows([X, X + 5.0], [2, 2]), 0.5, "uniform")
    s = related_centers.start(p, [np.zeros(3, dtype=int)] * 2, 1)
    V = np.array([[0.1], [3.0], [5.1], [3.5]])
    R = np.zeros((4, 4))
    R[[0, 1, 2, 3], [2, 3, 0, 1]] = 0.5
    found = related_centers.centers(p, s._replace(V=V, R=R), p.space.means(s.labels, V))
    np.testing.assert_array_equal(found[[1, 3]], V[[1, 3]])
    assert 0.1 < found[0] < found[2] < 5.1


@pytest.mark.parametrize("marginals", ["size", "uniform"])
@pytest.mark.parametrize("local_loss", [None, "partition", "centroid"])
def test_no_sweep_raises_the_objective(marginals, local_loss):
    for seed in range(20):
        p = Problem(PointRows(tasks(seed), K), 1.0, marginals, local_loss)
        s = first(p, seed, empty=seed % 2 == 1)
        for _ in range(8):
            new = related_centers.sweep(p, s)
            assert new.J <= s.J * (1 + 1e-12)
            s = new


def test_labels_that_would_raise_the_objective_are_held_back():
    held = 0
    for seed in range(30):
        p = Problem(PointRows(tasks(seed), K), 1.0)
        s = first(p, seed)
        for _ in range(4):
            V = related_centers.centers(p, s, p.space.means(s.labels, s.V))
            at = p.space.places(V)
            plain = related_centers.measured(p, V, [D.argmin(axis=1) for D in at.rows], at)
            stay = related_centers.measured(p, V, s.labels, at)
            s = related_centers.sweep(p, s)
            held += plain.J > stay.J
            assert min(stay.J, max(plain.J, stay.J)) >= s.J
    assert held > 5  # else the test shows nothing


def test_a_choice_is_that_of_the_loops():
    shared = 0
    for seed in range(10):
        tables = tasks(seed)
        p = Problem(PointRows(tables, K), 0.5, "size", "partition")
        s = first(p, seed)
        means = p.space.means(s.labels, s.V)
        drawn = related_centers.centers(p, s, means)
        new = related_centers.sweep(p, s)
        for t, X in enumerate(tables):
            options = [oracle.nearest(X, parts(p, V)[t]) for V in (means, drawn)]
            losses = [oracle.partition_loss(X, h) for h in options]
            best = int(losses[1] < losses[0])
            shared += best
            assert new.labels[t].tolist() == options[best]
            assert new.shared[t] == best
        expected = np.mean([oracle.partition_loss(X, h) for X, h in zip(tables, new.labels)])
        assert pytest.approx(expected) == new.J
    assert 3 < shared < 27


@pytest.mark.parametrize("local_loss", [None, "partition", "centroid"])
def test_the_kernel_of_inner_products_takes_the_steps_of_points(local_loss):
    for seed in range(4):
        tables = tasks(seed)
        X = np.vstack(tables)
        p = Problem(PointRows(tables, K), 0.6, "size", local_loss)
        q = p._replace(space=KernelRows(X @ X.T, [len(own) for own in tables], K))
        a = first(p, seed, empty=seed % 2 == 1)
        b = first(q, seed, empty=seed % 2 == 1)
        for _ in range(5):
            assert pytest.approx(b.J, rel=1e-9) == a.J
            np.testing.assert_allclose(b.V @ X, a.V, atol=1e-10)
            np.testing.assert_allclose(a.R, b.R, atol=1e-10)
            for own, other in zip(a.labels, b.labels, strict=True):
                np.testing.assert_array_equal(own, other)
            a = related_centers.sweep(p, a)
            b = related_centers.sweep(q, b)
