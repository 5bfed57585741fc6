import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.errors import InputError
from kinfolk.estimators import factorization
from kinfolk.numerics import degrees
from kinfolk.numerics.operators import Explicit, Gram

RANDOM = np.random.default_rng(0)
Z = RANDOM.uniform(size=(9, 4))
Z[3] = 0  # a row that is similar to none


def divided(M):
    """Degree-normalized similarity, entry by entry."""
    n = len(M)
    d = [sum(M[i]) for i in range(n)]
    linked = [value for value in d if value > 0]
    mean = sum(linked) / len(linked)
    return np.array(
        [
            [mean * M[i, j] / np.sqrt(d[i] * d[j]) if d[i] * d[j] > 0 else 0.0 for j in range(n)]
            for i in range(n)
        ]
    )


KINDS = {
    "dense": lambda: Explicit(Z @ Z.T),
    "sparse": lambda: Explicit(
        sp.csr_array(np.kron(np.diag([3.0, 0.0, 1.0, 2.0]), np.ones((9, 9))))
    ),
    "product": lambda: Gram([Z[:, :1], Z[:, 1:]]),
    "sparse product": lambda: Gram([sp.csr_array(Z)]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_similarities_are_divided_by_the_roots_of_their_degrees(kind):
    M = KINDS[kind]()
    whole = M.times(np.eye(M.n))
    expected = divided(whole)
    found = M.scaled(degrees.scales(M))
    np.testing.assert_allclose(found.times(np.eye(M.n)), expected, atol=1e-12)
    assert found.squared_norm() == pytest.approx(np.sum(expected**2))
    np.testing.assert_array_equal(M.times(np.eye(M.n)), whole)  # M itself stays


def test_equal_degrees_change_nothing():
    M = np.full((5, 5), 0.3) + np.eye(5)
    np.testing.assert_allclose(degrees.scales(Explicit(M)), np.ones(5))
    np.testing.assert_array_equal(degrees.scales(Explicit(np.zeros((3, 3)))), np.ones(3))


def test_the_unit_of_a_similarity_does_not_matter():
    M = Z @ Z.T
    np.testing.assert_allclose(degrees.scales(Explicit(7 * M)), degrees.scales(Explicit(M)))


@pytest.mark.parametrize(
    ("update", "affinity", "M", "expected"),
    [
        ("exact", "cosine", Z @ Z.T, True),
        ("exact", "cosine", Z @ Z.T - 0.5, False),  # sums of numbers of both signs
        ("exact", "local-gaussian", Z @ Z.T, True),
        ("exact", "local-neighbors", Z @ Z.T, True),
        ("exact", "gaussian", Z @ Z.T, False),  # outliers would be clusters
        ("exact", "precomputed", Z @ Z.T, False),
        ("multiplicative", "cosine", Z @ Z.T, False),  # as printed
    ],
)
def test_the_default_divides_where_degrees_are_even(update, affinity, M, expected):
    M = Explicit(M)
    found, s = factorization.balanced(M, "auto", update, affinity)
    assert (found is not M) == expected
    assert (len(set(s)) > 1) == expected


def test_sums_of_negative_similarities_are_no_degrees():
    with pytest.raises(InputError, match="a row have a negative sum"):
        factorization.balanced(Explicit(Z @ Z.T - 50.0), True, "exact", "cosine")
    with pytest.raises(InputError, match="divide_by_degrees is 'yes'; choose"):
        factorization.balanced(Explicit(Z @ Z.T), "yes", "exact", "cosine")


def test_few_negative_similarities_leave_degrees_to_divide_by():
    M = Z @ Z.T + 1.0
    M[0, 1] = M[1, 0] = -1e-3
    found, s = factorization.balanced(Explicit(M), True, "multiplicative", "cosine")
    assert len(set(s)) > 1
    np.testing.assert_allclose(found.times(np.eye(len(M))), s[:, None] * M * s, rtol=1e-12)
