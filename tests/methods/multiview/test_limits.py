"""Limits in which methods of several views are known methods of one table.

The derivation of each limit stands in a comment at its test.
"""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import minimize
from sklearn.cluster import KMeans, spectral_clustering
from sklearn.decomposition import NMF

import laws
from kinfolk import MVCF, PLCMF, CoFKM, CoMSC, ConceptFactorization, MultiNMF
from kinfolk.estimators.observed import ObservedRows
from kinfolk.methods.multiview import (
    collaborative_fuzzy,
    consensus_subspace,
    structured_concepts,
    unified_subspace,
)
from kinfolk.numerics import agreeing_factors, centered_kernels
from made_views import related_views

X, VIEWS, TRUTH = related_views(signed=False)
SIGNED = related_views(noise=0.8)[0]
N = len(X)


@pytest.mark.parametrize("table", [X, SIGNED], ids=["non-negative", "signed"])
def test_mvcf_of_one_view_without_graph_is_concept_factorization(table):
    # The graph's weights A_ij < 1 enter J as A_ij^lambda, which vanish as lambda grows; with one
    # view a = 1, so that J = |X - Y G'X|^2 + gamma. Both methods start at the same k-means.
    steps = {"update": "multiplicative", "n_init": 1, "max_iter": 40, "tol": 0, "random_state": 0}
    limit = MVCF(3, graph_power=500.0, weight_penalty=1.0, inner_iter=1, **steps).fit(table)
    prepared = structured_concepts.prepared(table)
    known = ConceptFactorization(3, graph_weight=0.0, **steps).fit(prepared)
    falls = known.objective_trace_
    assert falls[-1] < 0.99 * falls[0]
    np.testing.assert_allclose(limit.objective_trace_ - 1.0, falls, rtol=1e-9)


@pytest.mark.parametrize("lam", [0.01, 5.0])
def test_multinmf_of_one_view_is_nonnegative_matrix_factorization(lam):
    # With one view C = YQ is the best consensus, at which the agreement costs nothing: whatever
    # lambda, the least J is that of |X - YH|^2.
    model = MultiNMF(3, agreement=lam, n_init=10, max_iter=1000, random_state=0).fit(X)
    scaled = X / X.sum()
    known = [
        NMF(3, init="random", tol=1e-12, max_iter=5000, random_state=seed).fit(scaled)
        for seed in range(10)
    ]
    least = min(each.reconstruction_err_ for each in known) ** 2
    assert model.objective_trace_[-1] == pytest.approx(least, rel=1e-4)


def test_multinmf_without_agreement_takes_the_steps_of_lee_and_seung_in_each_view():
    # With lambda = 0 no term joins the views, and steps (5) and (6) are the multiplicative ones of
    # NMF; scaling H to unit rows and Y against it changes no product. Ours update H first, those
    # of scikit-learn the left factor: they get the transposed problem.
    random = np.random.default_rng(0)
    tables = [X[:, own] for own in VIEWS.values()]
    Y = [random.uniform(size=(N, 3)) for _ in tables]
    H = [random.dirichlet(np.ones(T.shape[1]), size=3) for T in tables]
    there = np.ones((N, 2))
    first = agreeing_factors.State(Y, H, random.uniform(size=(N, 3)))
    found = agreeing_factors.multiplicative_sweep(tables, there, first, 0.0, inner=25)
    J = 0.0
    for T, Yv, Hv, ours, components in zip(tables, Y, H, found.Y, found.H, strict=True):
        model = NMF(3, init="custom", solver="mu", tol=0, max_iter=25)
        left = model.fit_transform(T.T.copy(), W=Hv.T.copy(), H=Yv.T.copy())
        known = (left @ model.components_).T
        np.testing.assert_allclose(ours @ components, known, rtol=1e-9)
        J += np.sum(np.square(T - known))
    assert agreeing_factors.objective(tables, there, found, 0.0) == pytest.approx(J, rel=1e-9)


def projector(K, c):
    """Projector (n, n) on the c leading eigenvectors of K."""
    E = eigh(K)[1][:, -c:]
    return E @ E.T


@pytest.mark.parametrize("lam", [0.3, 2.0])
def test_comsc_of_one_kernel_has_the_combinations_of_a_projector(lam):
    # As mu grows, U are the leading eigenvectors of K, and P = U'U is a projector. Then
    # D = (lam I + P)^-1 = (I - P / (1 + lam)) / lam, so that Z_ij = P_ij / (1 + lam - P_jj).
    (K,) = centered_kernels.of(SIGNED, "gaussian", 0)
    s = consensus_subspace.start([K], 3, lam)
    for _ in range(3):
        s = consensus_subspace.sweep([K], s, lam, 1e9)
    P = projector(K, 3)
    expected = P / (1 + lam - np.diagonal(P))
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(s.Z, expected, atol=1e-7)


def test_comsc_of_one_kernel_is_a_normalized_cut_of_its_leading_eigenvectors():
    # As lam grows too, (1 + lam) Z is P without its diagonal, and a cut does not see the factor:
    # the labels are spectral clustering of the positive entries of P.
    model = CoMSC(3, ridge=1e6, kernel_weight=1e9, random_state=0).fit(SIGNED)
    (K,) = centered_kernels.of(SIGNED, "gaussian", 0)
    W = np.maximum(projector(K, 3), 0.0)
    np.fill_diagonal(W, 0.0)
    known = spectral_clustering(W, n_clusters=3, n_init=10, random_state=0)
    assert laws.same_clusters(model.labels_, known)


def test_comvsc_of_one_view_with_even_labels_is_spectral_clustering():
    # As the power r grows, Y tends to 1/k and Y^r to 0, so that labels no longer act on F. With one
    # view F = F_v then costs nothing, and what is left of J in F_v is tr(F'LF): F spans the
    # eigenvectors of the k smallest eigenvalues of the Laplacian of (R + R')/2.
    T = unified_subspace.standardized(SIGNED)
    p = unified_subspace.Problem([T], [float(np.linalg.norm(T, 2) ** 2)], 5.0, 60.0, 3)
    s = unified_subspace.start(p, 3, 5, 0)
    for _ in range(2000):
        s = unified_subspace.sweep(p, s)
    W = ((s.R[0] + s.R[0].T) / 2).toarray()
    L = np.diag(W.sum(axis=1)) - W
    least = eigh(L)[0][:3].sum()
    assert np.trace(s.F.T @ L @ s.F) == pytest.approx(least, rel=1e-6)
    known = spectral_clustering(W, n_clusters=3, n_init=10, random_state=0)
    assert laws.same_clusters(s.Y.argmax(axis=1), known)


@pytest.mark.parametrize("eta", [0.0, 0.4])
def test_cofkm_of_one_view_takes_the_steps_of_fuzzy_k_means(eta):
    # With one view there is no other to mix with, so that u~ = u^m and E = D.
    random = np.random.default_rng(0)
    U = random.dirichlet(np.ones(3), size=N)
    rows = ObservedRows(X, [X], np.ones((N, 1)))
    ours = [U]
    known = U
    m = 1.7
    for _ in range(6):
        ours = collaborative_fuzzy.sweep(rows, ours, m, eta).U
        weights = known**m
        centers = (weights.T @ X) / weights.sum(axis=0)[:, None]
        D = np.sum(np.square(X[:, None] - centers), axis=2)
        known = 1 / np.sum((D[:, :, None] / D[:, None]) ** (1 / (m - 1)), axis=2)
    np.testing.assert_allclose(ours[0], known, rtol=1e-9)
    assert abs(known - U).max() > 0.1


def test_cofkm_of_one_view_ends_at_the_minimum_of_fuzzy_k_means():
    # With the best memberships J is sum_i (sum_c D_ic^(1/(1-m)))^(1-m), a function of the centers.
    m = 1.7

    def reduced(flat):
        D = np.sum(np.square(X[:, None] - flat.reshape(3, -1)), axis=2)
        return np.sum(np.sum(D ** (1 / (1 - m)), axis=1) ** (1 - m))

    model = CoFKM(3, fuzzifier=m, tol=0, max_iter=1000, random_state=0).fit(X)
    # Away from rows, where a distance is 0.
    starts = [X[[i, i + 1, i + 2]].ravel() + 0.01 for i in range(0, N, 6)]
    least = min(minimize(reduced, start, tol=1e-12).fun for start in starts)
    assert model.objective_trace_[-1] == pytest.approx(least, rel=1e-6)


def test_plcmf_of_one_view_without_labels_and_clusters_is_a_shrunk_singular_value_decomposition():
    # With delta = 0 and beta -> 0, J = |X - YA|^2 + lam (|Y|^2 + |A|^2), whose least value is that
    # of |X - Z|^2 + 2 lam sum of singular values of Z: singular values s of X become max(s - lam,
    # 0). It is the matrix factorization of one table with a ridge; no sign is asked for.
    lam = 0.8
    model = PLCMF(
        3,
        n_components=5,
        label_weight=0.0,
        cluster_weight=1e-9,
        ridge=lam,
        n_init=1,
        max_iter=3000,
        tol=0,
        random_state=0,
    ).fit(SIGNED)
    scaled = SIGNED / abs(SIGNED).max()
    left, s, right = np.linalg.svd(scaled, full_matrices=False)
    shrunk = np.maximum(s - lam, 0.0)
    assert 0 < np.sum(shrunk > 0) <= 5
    expected = np.sum((s - shrunk) ** 2) + 2 * lam * shrunk.sum()
    assert model.objective_trace_[-1] == pytest.approx(expected, rel=1e-6)
    found = model.latent_ @ model._maps[0]
    np.testing.assert_allclose(found, (left * shrunk @ right)[:, model._columns[0]], atol=1e-4)


def test_plcmf_of_one_view_with_equal_rows_in_each_cluster_is_k_means():
    # With delta = 0 and beta lam -> infinity the rows of a cluster are one row of C: lam sets the
    # scale of Y, for (Y/t, tA) fits as (Y, A) does. With lam -> 0 and at least k components C A is
    # any table of k rows, so that J is the scatter inside the clusters.
    model = PLCMF(
        3,
        n_components=5,
        label_weight=0.0,
        cluster_weight=1e10,
        ridge=1e-4,
        n_init=4,
        max_iter=300,
        tol=0,
        random_state=0,
    ).fit(SIGNED)
    scaled = SIGNED / abs(SIGNED).max()
    known = KMeans(3, n_init=10, random_state=0).fit(scaled)
    assert laws.same_clusters(model.labels_, known.labels_)
    assert model.objective_trace_[-1] == pytest.approx(known.inertia_, rel=1e-3)
    centers = model.latent_centers_ @ model._maps[0]
    expected = known.cluster_centers_[:, model._columns[0]]
    order = np.square(centers[:, None] - expected).sum(axis=2).argmin(axis=1)
    np.testing.assert_allclose(centers, expected[order], atol=1e-3)
