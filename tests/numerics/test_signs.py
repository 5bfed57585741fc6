import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import operators, signs

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_parts_add_up_and_are_not_negative(form):
    A = RANDOM.normal(size=(4, 3))
    up, down = map(operators.dense, signs.parts(form(A)))
    np.testing.assert_array_equal(up - down, A)
    np.testing.assert_array_equal(up + down, abs(A))
    assert min(up.min(), down.min()) == 0


def test_parts_of_a_sparse_matrix_store_no_more_numbers_than_it_does():
    A = sp.csr_array(np.diag([1.0, -2.0, 3.0]))
    up, down = signs.parts(A)
    assert sp.issparse(up)
    assert np.count_nonzero(up.toarray()) == 2
    assert np.count_nonzero(down.toarray()) == 1
    assert max(up.nnz, down.nnz) <= A.nnz


def test_parts_leave_the_matrix_as_it_is():
    A = np.array([[1.0, -1.0]])
    up, _ = signs.parts(A)
    up[0, 0] = 9.0
    np.testing.assert_array_equal(A, [[1.0, -1.0]])
