import numpy as np
import scipy.sparse as sp

from kinfolk.numerics import equal_rows


def test_equal_rows_have_equal_hashes_and_others_do_not():
    X = np.random.default_rng(0).integers(0, 2, size=(40, 5)).astype(float)
    found = equal_rows.hashes(X)
    for i in range(40):
        for j in range(40):
            assert (found[i] == found[j]) == (X[i] == X[j]).all()


def test_stored_zeros_and_single_precision_do_not_matter():
    X = np.array([[0.5, 0.0, 2.0], [0.0, 0.0, 1.0]])
    stored = sp.csr_array((np.array([0.5, 0.0, 2.0, 1.0]), [0, 1, 2, 2], [0, 3, 4]), shape=(2, 3))
    for form in (stored, X.astype(np.float32), sp.csr_array(X)):
        np.testing.assert_array_equal(equal_rows.hashes(form), equal_rows.hashes(X))
    assert stored.nnz == 4


def test_positions_are_those_of_the_first():
    among = equal_rows.hashes(np.array([[1.0], [2.0], [1.0], [0.0]]))
    new = equal_rows.hashes(np.array([[0.0], [1.0], [7.0]]))
    assert equal_rows.positions(new, among).tolist() == [3, 0, -1]
