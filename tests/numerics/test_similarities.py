import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist

import oracles
import oracles_mtcmrl
from kinfolk.errors import InputError
from kinfolk.numerics import operators, similarities

RANDOM = np.random.default_rng(0)
X = RANDOM.uniform(0.2, 3.0, size=(7, 4))
Y = RANDOM.uniform(0.0, 1.0, size=(7, 2))


def divergences(A, B):
    one = oracles_mtcmrl.itakura_saito
    return np.array([[one(a, b) + one(b, a) for b in B] for a in A])


def matrices(h):
    gaussian = oracles.gaussian(h)
    centered = oracles.centered_cosine([X])
    local = oracles.local_gaussian([X])
    near = oracles.local_neighbors([X], 2)
    return {
        "cosine": np.array([[oracles.cosine(a, b) for b in X] for a in X]),
        "centered-cosine": np.array([[centered(a, b) for b in X] for a in X]),
        "local-gaussian": np.array([[local(a, b) for b in X] for a in X]),
        "local-neighbors": np.array([[near(a, b) for b in X] for a in X]),
        "gaussian": np.array([[gaussian(a, b) for b in X] for a in X]),
        "itakura-saito": np.exp(-divergences(X, X) / (2 * h**2)),
    }


@pytest.mark.parametrize("block", [3, 2**21])
@pytest.mark.parametrize("name", [*similarities.NAMES[1:], "local-neighbors"])
def test_a_named_similarity_is_its_formula(name, block, monkeypatch):
    monkeypatch.setattr(operators, "BLOCK", block)
    found, M = similarities.named(name, 1.3, 2), matrices(1.3)[name]
    PY, NY = found.operator(X, 0).parts(Y)
    assert (NY is None) == (name != "centered-cosine")
    np.testing.assert_allclose(PY if NY is None else PY - NY, M @ Y, rtol=1e-12)
    assert found.operator(X, 0).squared_norm() == pytest.approx(np.sum(M**2))
    new = found.products(X[:3], found.kept(X, Y), Y)
    np.testing.assert_allclose(new, M[:3] @ Y, rtol=1e-12)


def test_the_divergence_of_both_directions_is_a_sum_of_squared_hyperbolic_sines():
    D = similarities.itakura_saito(X, X[:4])
    np.testing.assert_allclose(D, divergences(X, X[:4]), atol=1e-12)
    logs = np.log(X)[:, None, :] - np.log(X[:4])[None, :, :]
    np.testing.assert_allclose(D, np.sum((2 * np.sinh(logs / 2)) ** 2, axis=2), atol=1e-12)


def test_the_divergence_does_not_see_the_unit_of_a_feature():
    units = np.array([1e-6, 1.0, 50.0, 3e4])
    a, b = (similarities.itakura_saito(T, T) for T in (X, X * units))
    np.testing.assert_allclose(a, b, atol=1e-12)


@pytest.mark.parametrize("entry", [0.0, -1.0])
def test_a_row_that_is_not_positive_is_like_no_other(entry):
    new = X[:2].copy()
    new[1, 2] = entry
    kernel = similarities.named("itakura-saito", 1.0)
    products = kernel.products(new, X, Y)
    np.testing.assert_array_equal(products[1], 0)
    assert products[0].min() > 0


def test_the_bandwidth_is_a_median():
    random = np.random.RandomState(0)
    expected = np.median(pdist(X))
    assert similarities.median_bandwidth("gaussian", X, random) == pytest.approx(expected)
    D = divergences(X, X)[np.triu_indices(7, 1)]
    found = similarities.median_bandwidth("itakura-saito", X, random)
    assert found == pytest.approx(np.median(np.sqrt(D)))
    assert similarities.median_bandwidth("itakura-saito", X[:1].repeat(4, 0), random) == 1.0
    assert similarities.median_bandwidth("cosine", X, random) is None
    many = RANDOM.uniform(1, 2, size=(300, 3))
    full, drawn = (
        similarities.median_bandwidth("itakura-saito", many, random, m) for m in (300, 99)
    )
    assert drawn == pytest.approx(full, rel=0.1)
    assert drawn != full


@pytest.mark.parametrize(
    "M",
    [np.eye(6), np.triu(np.ones((7, 7))), np.full((7, 7), np.nan), np.ones(7)],
    ids=["other size", "not symmetric", "not finite", "vector"],
)
def test_a_given_matrix_must_be_symmetric_and_finite(M):
    for similarity in (
        similarities.MatrixSimilarity([M]),
        similarities.KernelSimilarity(lambda A, B: M),
    ):
        with pytest.raises(InputError, match=r"give a symmetric \(7, 7\) matrix"):
            similarity.operator(X, 0)


def test_a_given_matrix_may_be_sparse_and_says_nothing_of_new_rows():
    M = np.where(matrices(1.0)["cosine"] > 0.8, -1.0, 0.5)
    for form in (np.asarray, sp.csr_array, sp.coo_array, np.ndarray.tolist):
        given = similarities.MatrixSimilarity([None, form(M)])
        PY, NY = given.operator(X, 1).parts(Y)
        np.testing.assert_allclose(PY - NY, M @ Y)
        assert given.products(X, given.kept(X, Y), Y) is None


def test_a_row_of_zeros_is_like_no_row_by_cosine():
    rows = np.vstack([X, np.zeros((1, 4))])
    PY, _ = similarities.CosineSimilarity().operator(rows, 0).parts(np.eye(8))
    np.testing.assert_array_equal(PY[7], 0)
    np.testing.assert_allclose(PY.diagonal()[:7], 1.0)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_asymmetry_is_the_largest_difference_as_a_share(form):
    M = np.array([[4.0, 1.0, 0.0], [1.5, 0.0, 0.0], [0.0, 0.0, 2.0]])
    assert similarities.asymmetry(form(M)) == pytest.approx(0.5 / 4.0)
    assert similarities.asymmetry(form(M + M.T)) == 0.0
    assert similarities.asymmetry(form(np.zeros((2, 2)))) == 0.0


def test_a_wide_bandwidth_makes_all_rows_alike_and_a_narrow_one_none():
    for name in ("gaussian", "itakura-saito"):
        wide = similarities.named(name, 1e6).operator(X, 0).parts(np.eye(7))[0]
        narrow = similarities.named(name, 1e-3).operator(X, 0).parts(np.eye(7))[0]
        np.testing.assert_allclose(wide, 1.0, atol=1e-9)
        np.testing.assert_allclose(narrow, np.eye(7), atol=1e-9)


def test_unknown_names_and_missing_numbers_are_refused():
    assert isinstance(similarities.named("cosine", 2.0), similarities.CosineSimilarity)
    for name in ("gaussian", "itakura-saito", "local-neighbors", "cosines"):
        with pytest.raises(ValueError, match=f"no similarity '{name}'"):
            similarities.named(name, None)


def test_a_kernel_function_may_return_sparse_similarities():
    def near(A, B):
        return sp.csr_array(np.where(pairs(A, B) < 2.0, 1.0, 0.0))

    def pairs(A, B):
        return np.array([[np.linalg.norm(a - b) for b in B] for a in A])

    kernel = similarities.KernelSimilarity(near)
    M = near(X, X).toarray()
    np.testing.assert_allclose(kernel.operator(X, 0).parts(Y)[0], M @ Y)
    np.testing.assert_allclose(kernel.products(X[:2], kernel.kept(X, Y), Y), M[:2] @ Y)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("weight", [None, np.full(1000, 0.3)], ids=["alike", "weights"])
def test_equal_rows_have_no_direction_from_their_mean(form, weight):
    cosines = similarities.CenteredCosineSimilarity(weight)
    rows = form(np.full((1000, 3), 0.1))
    assert not cosines.directions(rows).any()
    assert not cosines.products(rows[:2], cosines.kept(rows, np.eye(1000)[:, :1]), None).any()
