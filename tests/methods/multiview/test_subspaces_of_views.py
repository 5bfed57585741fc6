"""CoMSC and COMVSC: steps against loops, minima against other points, limits."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence

import oracles_views as oracles
from kinfolk import COMVSC, CoMSC
from kinfolk.errors import InputError
from kinfolk.methods.multiview import consensus_subspace, unified_subspace
from kinfolk.numerics import centered_kernels, distances, simplex
from made_views import related_views

X, VIEWS, TRUTH = related_views(noise=0.8)
N = len(X)
TABLES = [unified_subspace.standardized(X[:, own]) for own in VIEWS.values()]
KERNELS = [K for T in TABLES for K in centered_kernels.of(T, "gaussian", 0)]


def spun(random, U, size):
    """Orthonormal rows (c, n) near U: U plus noise, made orthonormal again."""
    return unified_subspace.polar((U + size * random.normal(size=U.shape)).T).T


def test_the_combinations_are_those_of_each_row_by_itself():
    s = consensus_subspace.start(KERNELS, 3, lam=0.7)
    M = 0.7 * np.eye(N) + sum(b * U.T @ U for b, U in zip(s.b, s.U, strict=True))
    for j in range(N):
        others = np.arange(N) != j
        z = np.zeros(N)
        right = (M - 0.7 * np.eye(N))[others, j]
        z[others] = np.linalg.solve(M[np.ix_(others, others)], right)
        np.testing.assert_allclose(s.Z[:, j], z, atol=1e-10)


def test_the_objective_of_comsc_is_that_of_the_formula_and_never_rises():
    s = consensus_subspace.start(KERNELS, 3, lam=0.1)
    J = [consensus_subspace.objective(KERNELS, s, 0.1, 0.8)]
    for _ in range(12):
        s = consensus_subspace.sweep(KERNELS, s, 0.1, 0.8)
        J.append(oracles.comsc_objective(KERNELS, s.U, s.b, s.g, s.Z, 0.1, 0.8))
        assert np.sqrt(s.b).sum() == pytest.approx(1.0)
        assert np.sum(s.g**2) == pytest.approx(1.0)
        for U in s.U:
            np.testing.assert_allclose(U @ U.T, np.eye(3), atol=1e-9)
    assert consensus_subspace.objective(KERNELS, s, 0.1, 0.8) == pytest.approx(J[-1], rel=1e-10)
    assert np.diff(J).max() <= 1e-9 * abs(J[0])
    assert J[-1] < J[0]


def test_no_orthonormal_rows_and_no_weights_are_better_than_those_of_the_steps():
    random = np.random.default_rng(0)
    first = consensus_subspace.start(KERNELS, 3, lam=0.1)
    new = consensus_subspace.sweep(KERNELS, first, 0.1, 0.8)
    s = first._replace(U=new.U)
    J = consensus_subspace.objective(KERNELS, s, 0.1, 0.8)
    for size in (0.01, 0.3):
        other = s._replace(U=[spun(random, U, size) for U in s.U])
        assert consensus_subspace.objective(KERNELS, other, 0.1, 0.8) >= J
    b, g = consensus_subspace.weights(
        consensus_subspace.misfits(s), consensus_subspace.explained(KERNELS, s.U)
    )
    J = consensus_subspace.objective(KERNELS, s._replace(b=b, g=g), 0.1, 0.8)
    for t in (0.02, 0.2, 0.5, 0.9):
        roots = np.array([t, 1 - t])
        other = s._replace(b=roots**2, g=np.array([t, np.sqrt(1 - t * t)]))
        assert consensus_subspace.objective(KERNELS, other, 0.1, 0.8) >= J


def test_a_large_ridge_leaves_no_combinations():
    s = consensus_subspace.start(KERNELS, 3, lam=1e9)
    assert abs(s.Z).max() < 1e-8


def test_kernels_are_centered_with_a_diagonal_of_one_and_five_of_a_view():
    five = centered_kernels.of(X, "five", 0)
    assert len(five) == 5
    for K in [*five, *KERNELS]:
        np.testing.assert_allclose(np.diagonal(K), 1.0)
        values = np.linalg.eigvalsh(K)
        assert values[0] > -0.1 * values[-1]
    raw = np.exp(-distances.squared(X, X) / 8)
    H = np.eye(N) - 1 / N
    centered = H @ raw @ H
    scale = 1 / np.sqrt(np.diagonal(centered))
    np.testing.assert_allclose(centered_kernels.normalized(raw), centered * scale * scale[:, None])


def test_lanczos_steps_find_the_same_eigenvectors(monkeypatch):
    expected = centered_kernels.leading(KERNELS[0], 2)
    monkeypatch.setattr(centered_kernels, "DENSE", 5)
    found = centered_kernels.leading(KERNELS[0], 2)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-8)


def test_eigenvectors_are_found_where_lanczos_steps_do_not_converge(monkeypatch):
    def fails(*_, **__):
        raise ArpackNoConvergence("no convergence", [], [])

    expected = centered_kernels.leading(KERNELS[0], 2)
    monkeypatch.setattr(centered_kernels, "DENSE", 5)
    monkeypatch.setattr(centered_kernels.lanczos, "largest", fails)
    np.testing.assert_array_equal(centered_kernels.leading(KERNELS[0], 2), expected)


def test_no_vector_of_equal_eigenvalues_is_missed(monkeypatch):
    monkeypatch.setattr(centered_kernels, "DENSE", 500)
    random = np.random.default_rng(0)
    X = np.repeat(1000 * random.normal(size=(10, 3)), 60, axis=0) + random.normal(size=(600, 3))
    K = np.exp(-2.0 * distances.squared(X, X))
    scale = 1.0 / np.sqrt(K.sum(axis=0))
    M = K * scale * scale[:, None]
    U = centered_kernels.leading(M, 10)
    np.testing.assert_allclose(np.diag(U.T @ M @ U), np.linalg.eigvalsh(M)[-10:], atol=1e-9)


def test_no_vector_of_clusters_far_apart_is_missed(monkeypatch):
    monkeypatch.setattr(centered_kernels, "DENSE", 500)
    random = np.random.default_rng(0)
    X = np.repeat(1000 * random.normal(size=(4, 3)), 150, axis=0) + random.normal(size=(600, 3))
    W = np.exp(-2.0 * distances.squared(X, X))
    U = unified_subspace.flattest(sp.csr_array(W), 4)
    np.testing.assert_allclose((np.diag(W.sum(axis=1)) - W) @ U, 0.0, atol=1e-9)


def unified(seed=0, lam=5.0, power=1.7, inner=3):
    sizes = [float(np.linalg.norm(T, 2) ** 2) for T in TABLES]
    p = unified_subspace.Problem(TABLES, sizes, lam, power, inner)
    random = np.random.default_rng(seed)
    R = []
    for _ in TABLES:
        graph = random.dirichlet(np.ones(N), size=N)
        np.fill_diagonal(graph, 0)
        R.append(sp.csr_array(graph / graph.sum(axis=1, keepdims=True)))
    F, *Fv = (unified_subspace.polar(random.normal(size=(N, 3))) for _ in range(3))
    Q = unified_subspace.polar(random.normal(size=(3, 3)))
    Y = random.dirichlet(np.ones(3), size=N)
    return p, unified_subspace.State(R, Fv, F, Q, Y)


def test_the_objective_of_comvsc_is_that_of_the_formula():
    p, s = unified()
    dense = s._replace(R=[R.toarray() for R in s.R])
    expected = oracles.comvsc_objective(TABLES, *dense, p.lam, p.power)
    assert unified_subspace.objective(p, s) == pytest.approx(expected, rel=1e-10)


def test_no_step_of_comvsc_raises_the_objective_and_constraints_hold():
    for seed in range(3):
        p, s = unified(seed)
        J = [unified_subspace.objective(p, s)]
        for _ in range(15):
            new = unified_subspace.sweep(p, s)
            for name in ("R", "Fv", "F", "Q", "Y"):
                s = s._replace(**{name: getattr(new, name)})
                J.append(unified_subspace.objective(p, s))
        assert np.diff(J).max() <= 1e-10 * J[0]
        for R in s.R:
            np.testing.assert_allclose(R.sum(axis=1), 1.0)
            assert R.min() >= 0
            assert not R.diagonal().any()
        for F in (*s.Fv, s.F, s.Q):
            np.testing.assert_allclose(F.T @ F, np.eye(3), atol=1e-9)


def test_the_steps_of_comvsc_are_those_of_dense_matrices():
    p, s = unified(inner=1)
    for v, (R, X, F) in enumerate(zip(s.R, TABLES, s.Fv, strict=True)):
        K = X @ X.T
        known = R.toarray()
        for _ in range(4):
            R = unified_subspace.combination_steps(p, v, R, F)
            slope = known @ K - K + p.lam * known + distances.squared(F, F) / 4
            known = known - slope / (np.linalg.eigvalsh(K)[-1] + p.lam)
            np.fill_diagonal(known, -np.inf)
            known = simplex.project(known, axis=1)
            np.testing.assert_allclose(R.toarray(), known, atol=1e-14)
        assert 0 < (known > 0).mean() < 0.9


def test_many_gradient_steps_end_at_the_best_combinations_of_a_row():
    p, s = unified(inner=3000)
    R = unified_subspace.combination_steps(p, 0, s.R[0], s.Fv[0])
    J = unified_subspace.objective(p, s._replace(R=[R, s.R[1]]))
    random = np.random.default_rng(1)
    for size in (1e-3, 0.1):
        for _ in range(10):
            other = random.dirichlet(np.ones(N), size=N)
            np.fill_diagonal(other, 0)
            other = sp.csr_array((1 - size) * R + size * other / other.sum(axis=1, keepdims=True))
            assert unified_subspace.objective(p, s._replace(R=[other, s.R[1]])) >= J - 1e-9


def test_labels_near_a_power_of_one_are_hard_and_units_do_not_matter():
    p, s = unified(power=1.01)
    new = unified_subspace.sweep(p, s)
    assert (new.Y.max(axis=1) > 0.9).all()
    a, b = (COMVSC(3, views=VIEWS, n_init=1, max_iter=10, random_state=0).fit(T)
            for T in (X, X * np.repeat([1.0, 1e3], [4, 3]) + 5))  # fmt: skip
    np.testing.assert_array_equal(a.labels_, b.labels_)


def test_a_constant_column_says_nothing():
    table = np.hstack([np.full((N, 1), 0.3), X[:, :1]])
    found = unified_subspace.standardized(table)
    assert not found[:, 0].any()
    assert found[:, 1].std() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (CoMSC(3, n_components=25), "n_components is 25 but X has only 24 rows"),
        (CoMSC(3, ridge=0), "ridge is 0"),
        (CoMSC(3, kernels="six"), "kernels is 'six'"),
        (COMVSC(3, label_power=1), "label_power is 1; give a number greater than 1"),
        (COMVSC(3, n_neighbors=0), "n_neighbors is 0"),
    ],
)
def test_parameters_out_of_range_are_refused(model, sentence):
    with pytest.raises(InputError, match=sentence):
        model.fit(X)
