import itertools

import numpy as np
import pytest
import scipy.sparse as sp

import oracles_coclusters as oracle
from kinfolk.numerics import coclusters
from kinfolk.numerics.coclusters import Domain, State

RANDOM = np.random.default_rng(0)


def drawn(seed, shapes=((9, 7), (6, 7)), rate=0.9, ks=(3, 2), m=3):
    """Draw counts of two tables, a weighted problem, and random clusters."""
    random = np.random.default_rng(seed)
    tables = [random.poisson(rate, size=shape).astype(float) for shape in shapes]
    domains = [Domain(X, k, w) for X, k, w in zip(tables, ks, (1.0, 0.6))]
    p = coclusters.problem(domains, m)
    rows = [random.integers(k, size=len(X)) for X, k in zip(tables, ks)]
    return p, coclusters.state(p, rows, random.integers(m, size=shapes[0][1]))


def joints(p):
    return [oracle.joint(domain.X) for domain in p.domains]


def cost(p, s):
    """Objective of co-clustering by loops."""
    return sum(
        domain.weight * oracle.loss(joint, rows, s.columns, domain.k, p.m)
        for domain, joint, rows in zip(p.domains, joints(p), s.rows)
    )


def test_the_worked_example_of_the_paper():
    # Dai, Yang, Xue, Yu (2008): {x1, x2}, {x3} and {z1, z2}, {z3}.
    B = np.array([[0.4, 0.2], [0.2, 0.2]])
    printed = [[0.089, 0.178, 0.133], [0.044, 0.089, 0.067], [0.067, 0.133, 0.200]]
    in_rows, in_columns = np.array([0.4, 0.2, 0.4]), np.array([0.2, 0.4, 0.4])
    rows, columns = np.array([0, 0, 1]), np.array([0, 0, 1])
    # Any table with these sums and blocks has this approximation; that itself is one.
    found = B[np.ix_(rows, columns)] * np.outer(
        in_rows / np.bincount(rows, in_rows)[rows],
        in_columns / np.bincount(columns, in_columns)[columns],
    )
    np.testing.assert_allclose(found, printed, atol=5e-4)
    np.testing.assert_allclose(found.sum(axis=1), in_rows)
    np.testing.assert_allclose(oracle.approximation(found.tolist(), rows, columns, 2, 2), found)
    p = coclusters.problem([Domain(found, 2)], 2)
    s = coclusters.state(p, [rows], columns)
    np.testing.assert_allclose(s.blocks[0], B)
    assert coclusters.objective(p, s) == 0.0  # nothing is lost where the table is its approximation


@pytest.mark.parametrize("seed", range(4))
def test_the_objective_is_the_lost_information_and_the_divergence_of_the_approximation(seed):
    p, s = drawn(seed)
    assert coclusters.objective(p, s) == pytest.approx(cost(p, s))
    for loss, domain, joint, rows in zip(coclusters.losses(p, s), p.domains, joints(p), s.rows):
        near = oracle.approximation(joint, rows, s.columns, domain.k, p.m)
        flat = [list(itertools.chain(*table)) for table in (joint, near)]
        assert loss == pytest.approx(oracle.divergence(*flat))


def first_of_least(costs, current):
    """Cluster of least cost, preferring the current one among ties."""
    least = min(costs)
    return current if costs[current] <= least + 1e-12 else costs.index(least)


@pytest.mark.parametrize("seed", range(4))
def test_one_sweep_is_that_of_the_loops(seed):
    p, s = drawn(seed)
    weights, ks = [[getattr(domain, name) for domain in p.domains] for name in ("weight", "k")]
    columns = [
        first_of_least(
            oracle.column_costs(joints(p), weights, j, s.rows, s.columns, ks, p.m), s.columns[j]
        )
        for j in range(len(s.columns))
    ]
    expected = [
        [
            first_of_least(oracle.row_costs(joint, i, rows, columns, domain.k, p.m), rows[i])
            for i in range(len(rows))
        ]
        for joint, rows, domain in zip(joints(p), s.rows, p.domains)
    ]
    found = coclusters.sweep(p, s)
    assert columns != s.columns.tolist()
    assert found.columns.tolist() == columns
    assert [rows.tolist() for rows in found.rows] == expected
    for B, joint, rows, domain in zip(found.blocks, joints(p), expected, p.domains):
        np.testing.assert_allclose(B, oracle.blocks(joint, rows, columns, domain.k, p.m))


def test_the_objective_never_rises_where_clusters_are_empty_in_one_table():
    # Columns 0 to 2 are in the first table alone, 4 to 6 in the second: most clusters of columns
    # have no mass in one of them, and log(0 / 0) of that table must not look free.
    moved = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        tables = [random.poisson(1.0, size=(8, 7)).astype(float) for _ in range(2)]
        tables[0][:, 4:] = 0
        tables[1][:, :3] = 0
        p = coclusters.problem([Domain(tables[0], 3), Domain(tables[1], 2)], 5)
        rows = [random.integers(3, size=8), random.integers(2, size=8)]
        s = coclusters.state(p, rows, random.integers(5, size=7))
        trace = [coclusters.objective(p, s)]
        for _ in range(12):
            after = coclusters.sweep(p, s)
            moved += int(np.sum(after.columns != s.columns))
            s = after
            trace.append(coclusters.objective(p, s))
        assert np.diff(trace).max() <= 1e-12
    assert moved > 50


def test_a_column_may_not_join_a_cluster_that_its_table_lacks():
    # The second cluster of columns has no mass in the second table, where column 1 has.
    Q = [np.array([[0.5, 0.3], [0.1, 0.1]]), np.array([[0.6, 0.2], [0.1, 0.1]])]
    B = [np.array([[0.5, 0.3], [0.1, 0.1]]), np.array([[0.8, 0.0], [0.2, 0.0]])]
    scores = coclusters.column_scores(Q, B, [1.0, 0.01])
    assert np.isneginf(scores[:, 1]).all()
    assert np.isfinite(scores[:, 0]).all()


def test_a_row_keeps_its_cluster_on_ties():
    X = np.ones((4, 3))
    p = coclusters.problem([Domain(X, 2)], 2)
    s = coclusters.state(p, [np.array([0, 1, 1, 0])], np.array([0, 1, 1]))
    found = coclusters.sweep(p, s)
    assert found.rows[0].tolist() == [0, 1, 1, 0]
    assert found.columns.tolist() == [0, 1, 1]


def test_fixed_rows_stay():
    p, s = drawn(3)
    held = p._replace(domains=(p.domains[0], p.domains[1]._replace(fixed=True)))
    np.testing.assert_array_equal(coclusters.sweep(held, s).rows[1], s.rows[1])
    assert (coclusters.sweep(p, s).rows[1] != s.rows[1]).any()


def test_sparse_tables_of_single_precision_give_the_same_sums_as_dense_ones():
    X = RANDOM.poisson(0.5, size=(11, 9)).astype(np.float32)
    for form in (X, sp.csr_array(X), np.asfortranarray(X)):
        rows, columns = np.arange(11) % 3, np.arange(9) % 4
        by_rows = coclusters.by_rows(form, rows, 3)
        np.testing.assert_array_equal(by_rows, [X[rows == c].sum(axis=0) for c in range(3)])
        by_columns = coclusters.by_columns(form, columns, 4)
        np.testing.assert_array_equal(by_columns.T, [X[:, columns == c].sum(1) for c in range(4)])
        assert by_rows.dtype == by_columns.dtype == np.float64
        expected = oracle.information(oracle.joint(X.astype(float)))
        assert coclusters.mutual_information(form) == pytest.approx(expected)


def test_restarts_reach_the_optimum_of_small_tables():
    reached = 0
    for seed in range(5):
        X = np.random.default_rng(seed).poisson(1.0, size=(6, 5)).astype(float)
        p = coclusters.problem([Domain(X, 2)], 2)

        def at(rows, columns, p=p):
            return coclusters.state(p, [np.array(rows)], np.array(columns))

        best = min(
            coclusters.objective(p, at(rows, columns))
            for rows in itertools.product((0, 1), repeat=6)
            for columns in itertools.product((0, 1), repeat=5)
        )
        ends = []
        for start in range(40):
            random = np.random.default_rng(start)
            s = at(random.integers(2, size=6), random.integers(2, size=5))
            for _ in range(15):
                s = coclusters.sweep(p, s)
            ends.append(coclusters.objective(p, s))
        assert min(ends) >= best - 1e-12
        reached += min(ends) <= best + 1e-9
    assert reached >= 4


def test_new_rows_go_where_they_miss_the_least():
    B = np.array([[0.5, 0.0, 0.1], [0.0, 0.3, 0.1]])
    P = np.array([[1.0, 0.0, 5.0], [1.0, 9.0, 0.0], [9.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    assert coclusters.nearest(P, B).tolist() == [0, 1, 0, 0]
    empty = np.array([[0.0, 0.0, 0.0], [0.5, 0.3, 0.2]])
    assert coclusters.nearest(P, empty).tolist()[:3] == [1, 1, 1]


def test_a_table_of_zeros_has_no_information():
    X = np.zeros((4, 3))
    p = coclusters.problem([Domain(X, 2), Domain(sp.csr_array(X), 2)], 2)
    s = coclusters.state(p, [np.array([0, 1, 0, 1])] * 2, np.array([0, 1, 1]))
    found = coclusters.sweep(p, s)
    assert coclusters.objective(p, found) == 0.0
    assert isinstance(found, State)
