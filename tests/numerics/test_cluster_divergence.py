import numpy as np
import pytest
import scipy.sparse as sp

import oracles_shared_neighbors as loops
from kinfolk.numerics import cluster_divergence as divergence

RANDOM = np.random.default_rng(0)
A = RANDOM.poisson(0.8, size=(12, 6)).astype(float)
B = RANDOM.poisson(0.8, size=(9, 6)).astype(float)
OF_A = np.arange(12) % 3
OF_B = np.arange(9) % 2


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_divergences_of_terms_are_those_of_the_loops(form):
    found = divergence.by_terms(form(A), OF_A, form(B), OF_B, (3, 2))
    for i in range(3):
        for j in range(2):
            expected = loops.divergence_of_terms(A[i == OF_A], B[j == OF_B])
            assert found[i, j] == pytest.approx(expected)
    assert (found > 0).all()
    assert (found < np.log(2)).all()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_divergences_of_densities_are_those_of_the_loops(form):
    of_b = OF_B.copy()
    of_b[[0, 2, 4, 6]] = 1
    assert (of_b == 0).sum() == 1  # a cluster of one row is its own density
    found = divergence.by_densities(form(A), OF_A, form(B), of_b, (3, 2), 1.7)
    for i in range(3):
        for j in range(2):
            expected = loops.divergence_of_densities(A[i == OF_A], B[of_b == j], 1.7)
            assert found[i, j] == pytest.approx(expected)


def test_a_cluster_without_rows_or_terms_is_paired_with_none():
    terms = divergence.by_terms(A, OF_A, B * (OF_B == 0)[:, None], OF_B, (4, 2))
    assert np.isinf(terms[3]).all()
    assert np.isinf(terms[:, 1]).all()
    densities = divergence.by_densities(A, OF_A, B, OF_B, (4, 2), 1.0)
    assert np.isinf(densities[3]).all()
    for D in (terms, densities):
        assert 3 not in [i for i, _ in divergence.pairs(D, mutual=False)]
    assert divergence.pairs(np.full((2, 2), np.inf), mutual=True) == []


def test_far_rows_have_finite_divergences():
    far = np.array([[0.0], [1e3]])
    found = divergence.by_densities(
        far, np.array([0, 0]), far + 5e5, np.array([0, 0]), (1, 1), 1e-3
    )
    assert np.isfinite(found).all()


def test_rows_too_far_for_any_density_are_not_alike():
    far = np.array([[0.0], [1e3]])
    own = np.array([0, 0])
    found = divergence.by_densities(far, own, far + 5e5, own, (1, 1), 1e-3)
    assert found[0, 0] == pytest.approx(np.log(2))


def test_mutual_pairs_are_the_same_from_both_sides():
    for seed in range(10):
        D = np.random.default_rng(seed).uniform(size=(4, 3))
        there = divergence.pairs(D, mutual=True)
        assert there == sorted((i, j) for j, i in divergence.pairs(D.T, mutual=True))
        assert {*there} <= {*divergence.pairs(D, mutual=False)}
        assert divergence.pairs(D, mutual=True)  # the smallest of all is one
