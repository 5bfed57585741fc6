import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.covariance import ledoit_wolf
from sklearn.mixture import GaussianMixture

import oracles_mixtures as oracle
from kinfolk.errors import InputError
from kinfolk.numerics import gaussian_mixtures as mixtures

SIZES = (9, 7)
K = [3, 2]


def drawn(d=3, seed=0, sizes=SIZES):
    random = np.random.default_rng(seed)
    mix = random.normal(size=(d, d))
    return [random.normal(size=(n, d)) @ mix + 10 * t for t, n in enumerate(sizes)]


def labelled(tables, k=K):
    return [np.arange(len(X)) % k_t for X, k_t in zip(tables, k, strict=True)]


@pytest.mark.parametrize("shrinkage", [None, 0.0, 0.4])
@pytest.mark.parametrize("d", [1, 3])
def test_steps_and_loss_are_those_of_the_loops(d, shrinkage):
    tables = drawn(d)
    p = mixtures.problem(tables, K, shrinkage)
    s = mixtures.start(p, labelled(tables), K)
    for _ in range(3):
        before = s
        s = mixtures.sweep(p, s)
    rows, L, _ = p.prior
    weights, centers, S = oracle.maximized(p.tables, before.memberships, rows, L)
    np.testing.assert_allclose(s.mixture.covariance, S, rtol=1e-10)
    for t, Z in enumerate(p.tables):
        np.testing.assert_allclose(s.mixture.weights[t], weights[t], rtol=1e-10)
        np.testing.assert_allclose(s.mixture.centers[t], centers[t], rtol=1e-8, atol=1e-12)
        R = oracle.memberships(Z, weights[t], centers[t], S)
        np.testing.assert_allclose(s.memberships[t], R, rtol=1e-8, atol=1e-12)
    expected = oracle.loss(p.tables, weights, centers, S, rows, L)
    assert s.loss == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("shrinkage", [0.0, 0.4])
def test_the_prior_is_equation_5(shrinkage):
    tables = drawn()
    p = mixtures.problem(tables, [2, 2], shrinkage)
    Z = np.vstack(p.tables)
    C = np.cov(Z.T, bias=True)
    np.testing.assert_allclose(np.diag(C), 1.0)
    L = 2 ** (-2 / 3) * ((1 - shrinkage) * C + shrinkage * np.diag(np.diag(C)))
    np.testing.assert_allclose(p.prior.covariance, L, atol=1e-12)
    assert p.prior.rows == pytest.approx(max(1.0, 16 * shrinkage / (1 - shrinkage)))


def test_one_cluster_has_the_shrunk_covariance_of_ledoit_and_wolf():
    X = drawn(12, sizes=(20,))[0]
    p = mixtures.problem([X], [1], None)
    s = mixtures.sweep(p, mixtures.start(p, [np.zeros(20, dtype=int)], [1]))
    _, share = ledoit_wolf(p.tables[0], assume_centered=True)
    assert 0.1 < share < 0.9
    assert p.prior.shrinkage == pytest.approx(share)
    # By (4) of the rows and the prior, which is itself shrunk by (5).
    C = p.tables[0].T @ p.tables[0] / 20
    expected = (1 - share) * C + share * ((1 - share) * C + share * np.eye(12))
    np.testing.assert_allclose(s.mixture.covariance, expected, atol=1e-9)


def test_scikit_learn_takes_the_same_steps_without_a_prior():
    X = drawn(3, sizes=(40,))[0]
    p = mixtures.problem([X], [3], 0.0)
    bare = p._replace(prior=p.prior._replace(rows=0.0))
    labels = labelled([X], [3])
    s = mixtures.start(bare, labels, [3])
    first = s.mixture
    for _ in range(30):
        s = mixtures.sweep(bare, s)
    known = GaussianMixture(
        3, covariance_type="tied", reg_covar=0.0, tol=0.0, max_iter=30,
        weights_init=first.weights[0], means_init=first.centers[0],
        precisions_init=np.linalg.inv(first.covariance),
    )  # fmt: skip
    with pytest.warns(UserWarning, match="did not converge"):
        known.fit(p.tables[0])
    np.testing.assert_allclose(s.mixture.centers[0], known.means_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(s.mixture.covariance, known.covariances_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(s.mixture.weights[0], known.weights_, rtol=1e-6)
    assert s.loss == pytest.approx(-40 * known.score(p.tables[0]), rel=1e-9)


@pytest.mark.parametrize("shrinkage", [None, 0.0, 0.4])
def test_in_the_span_of_the_rows_the_problem_is_the_same(shrinkage):
    tables = drawn(40, sizes=(12, 9))
    for X in tables:
        X[:, 3] = 5.0
    p = mixtures.problem(tables, K, shrinkage)
    q = mixtures.in_span(p)
    assert q.tables[0].shape == (12, 19)  # rows less two means
    s = mixtures.start(p, labelled(tables), K)
    r = mixtures.start(q, labelled(tables), K)
    for _ in range(6):
        s = mixtures.sweep(p, s)
        r = mixtures.sweep(q, r)
        # Without shrinking variances outside of the span are the ridge, 1e-6.
        assert r.loss == pytest.approx(s.loss, rel=1e-7)
    for one, other in zip(s.memberships, r.memberships, strict=True):
        np.testing.assert_allclose(other, one, atol=1e-6)
    found = mixtures.unstandardized(q, r.mixture)
    expected = mixtures.unstandardized(p, s.mixture)
    size = np.outer(p.deviations, p.deviations)
    np.testing.assert_allclose(found.covariance / size, expected.covariance / size, atol=1e-8)
    np.testing.assert_allclose(found.centers[1], expected.centers[1], atol=1e-6)
    few = mixtures.problem(drawn(3), K, shrinkage)
    assert mixtures.in_span(few) is few


@pytest.mark.parametrize("shrinkage", [None, 0.0])
@pytest.mark.parametrize(("d", "sizes"), [(3, (30, 20)), (40, (12, 9))])
def test_the_loss_never_rises_where_columns_outnumber_rows_either(d, sizes, shrinkage):
    tables = drawn(d, sizes=sizes)
    p = mixtures.problem(tables, K, shrinkage)
    s = mixtures.start(p, labelled(tables), K)
    trace = [s.loss]
    for _ in range(40):
        s = mixtures.sweep(p, s)
        trace.append(s.loss)
    assert np.isfinite(trace).all()
    assert np.diff(trace).max() <= 1e-9 * abs(trace[0])


def test_an_affine_map_of_the_columns_changes_no_membership_without_shrinking():
    tables = drawn(4, sizes=(30, 20))
    random = np.random.default_rng(1)
    A = random.normal(size=(4, 4))
    moved = [X @ A + random.normal(size=4) for X in tables]
    ends = []
    for rows in (tables, moved):
        p = mixtures.problem(rows, K, 0.0)
        s = mixtures.start(p, labelled(rows), K)
        for _ in range(25):
            s = mixtures.sweep(p, s)
        ends.append((s, mixtures.unstandardized(p, s.mixture)))
    (a, in_a), (b, in_b) = ends
    for t in range(2):
        np.testing.assert_allclose(a.memberships[t], b.memberships[t], atol=1e-6)
    np.testing.assert_allclose(A.T @ in_a.covariance @ A, in_b.covariance, rtol=1e-5, atol=1e-7)


def test_other_units_and_shifts_of_tasks_change_no_membership():
    tables = drawn(4, sizes=(30, 20))
    units = np.array([1e-3, 1.0, 50.0, 1e4])
    moved = [
        X * units + shift for X, shift in zip(tables, ([0, 0, 9, 0], [5, 0, 0, 7]), strict=True)
    ]
    found = []
    for rows in (tables, moved):
        p = mixtures.problem(rows, K, None)
        s = mixtures.start(p, labelled(rows), K)
        for _ in range(25):
            s = mixtures.sweep(p, s)
        found.append(s.memberships)
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-8)


def test_a_task_in_which_columns_are_constant_or_depend_on_each_other_is_taken():
    X = drawn(2, sizes=(20,))[0]
    X = np.column_stack([X, X.sum(axis=1), np.full(20, 7.3)])
    p = mixtures.problem([X], [2], 0.0)
    s = mixtures.sweep(p, mixtures.start(p, labelled([X], [2]), [2]))
    assert np.isfinite(s.loss)
    found = mixtures.unstandardized(p, s.mixture)
    R = mixtures.memberships_of(X, found.weights[0], found.centers[0], found.covariance)
    np.testing.assert_allclose(R, s.memberships[0], atol=1e-6)


def test_a_cluster_without_rows_stays_empty():
    X = drawn(2, sizes=(10,))[0]
    p = mixtures.problem([X], [3], None)
    s = mixtures.start(p, [np.arange(10) % 2], [3])
    s = mixtures.sweep(p, s)
    assert np.isfinite(s.loss)
    assert (s.memberships[0][:, 2] == 0).all()


def test_tables_of_more_columns_than_a_covariance_matrix_can_have_are_refused():
    wide = sp.csr_array((4, mixtures.MOST_COLUMNS + 1))
    with pytest.raises(InputError, match="X has 20,001 columns, and a covariance matrix of more"):
        mixtures.problem([wide], [2], None)


def test_a_column_of_equal_numbers_in_many_rows_has_no_deviation():
    X = np.column_stack([np.arange(100_000) % 7, np.full(100_000, 0.1)])
    found = mixtures.problem([X], [2], 0.5)
    assert found.deviations[1] == 1.0
    assert not found.tables[0][:, 1].any()
