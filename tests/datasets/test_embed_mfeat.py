import numpy as np
import pytest
from scripts import embed_mfeat


@pytest.mark.parametrize(("n", "width"), [(16, 8), (15, 5), (3, 2), (8, 8)])
def test_averaging_keeps_the_mean_ink_of_the_filled_cells(n, width):
    A = embed_mfeat.averaging(n, width)
    assert A.shape == (8, n)
    assert A.min() >= 0
    # Every value is spread over width / n cells, and every cell that is filled is a mean.
    np.testing.assert_allclose(A.sum(axis=0), width / n)
    margin = (8 - width) / 2
    np.testing.assert_allclose(
        A.sum(axis=1), [max(0, min(i + 1, 8 - margin) - max(i, margin)) for i in range(8)]
    )


def test_averaging_over_as_many_cells_as_values_is_the_identity():
    np.testing.assert_allclose(embed_mfeat.averaging(8, 8), np.eye(8))


def test_averaging_a_symmetric_row_gives_a_symmetric_row():
    values = np.array([1.0, 4, 2, 4, 1])
    found = embed_mfeat.averaging(5, 3) @ values
    np.testing.assert_allclose(found, found[::-1])


def test_averaging_agrees_with_a_sum_over_fine_strips():
    n, width, fine = 15, 5, 240
    A = embed_mfeat.averaging(n, width)
    expected = np.zeros((8, n))
    for strip in range(8 * fine):
        place = (strip + 0.5) / fine - (8 - width) / 2
        value = int(np.floor(place * n / width))
        if 0 <= value < n:
            expected[strip // fine, value] += 1 / fine
    np.testing.assert_allclose(A, expected, atol=1e-9)
