import numpy as np
import pytest
import scipy.sparse as sp

import oracles_shared_neighbors as loops
from kinfolk.numerics import distances, memo, shared_neighbors
from kinfolk.numerics.shared_neighbors import Group

Z = distances.unit_rows(np.random.default_rng(0).normal(size=(30, 5)) + 0.4)
OWN = np.arange(0, 18)
OTHER = np.arange(18, 30)
TAKERS = np.arange(18) % 3 > 0
EVERYONE = np.ones(18, dtype=bool)
GROUPS = [Group(OWN, 5, 0.2, EVERYONE), Group(OTHER, 4, 0.15, TAKERS)]
LOOPED = [(OWN, 5, 0.2, OWN), (OTHER, 4, 0.15, OWN[TAKERS])]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("h", [None, 0.7])
def test_the_similarity_is_that_of_the_loops(form, h):
    B = shared_neighbors.links_of_task(form(Z), OWN, GROUPS)
    S = shared_neighbors.similarity(B, form(Z)[OWN], h)
    np.testing.assert_allclose(S.toarray(), loops.similarity(Z, OWN, LOOPED, h), atol=1e-12)


def test_the_similarity_is_weighted_in_blocks_as_at_once(monkeypatch):
    B = shared_neighbors.links_of_task(Z, OWN, GROUPS)
    expected = shared_neighbors.similarity(B, Z[OWN], 0.5).toarray()
    monkeypatch.setattr(shared_neighbors.operators, "BLOCK", 40)
    found = shared_neighbors.similarity(B, Z[OWN], 0.5).toarray()
    np.testing.assert_allclose(found, expected, atol=1e-14)


def test_the_spectrum_is_that_of_all_eigenvectors():
    B = shared_neighbors.links_of_task(Z, OWN, GROUPS)
    V = shared_neighbors.spectrum(B, Z[OWN], 0.7, 3).embedding()
    expected = loops.embedding(loops.similarity(Z, OWN, LOOPED, 0.7), 3)
    np.testing.assert_allclose(V @ V.T, expected @ expected.T, atol=1e-9)


def test_neighbors_in_the_whole_group_leave_the_distance_alone():
    all_of_them = [Group(OTHER, 12, 1.0, EVERYONE)]
    rows = np.abs(Z)  # cosines above 0
    B = shared_neighbors.links_of_task(rows, OWN, all_of_them)
    S = shared_neighbors.similarity(B, rows[OWN], None).toarray()
    np.testing.assert_array_equal(S, 12.0 * (1 - np.eye(18)))


def test_rows_without_anything_in_common_are_no_neighbors():
    rows = np.eye(6)[[0, 0, 0, 3, 4, 5]]
    B = shared_neighbors.links_of_task(
        rows, np.arange(6), [Group(np.arange(6), 4, 1.0, EVERYONE[:6])]
    )
    assert B.nnz == 6
    assert not B[3:].nnz


def test_the_median_distance_leaves_equal_rows_out():
    assert shared_neighbors.median_distance(Z[OWN]) == pytest.approx(loops.median_distance(Z, OWN))
    assert shared_neighbors.median_distance(sp.csr_array(Z[OWN])) == pytest.approx(
        loops.median_distance(Z, OWN)
    )
    assert shared_neighbors.median_distance(np.ones((4, 2))) == 1.0
    assert shared_neighbors.median_distance(np.ones((1, 2))) == 1.0


def test_numbers_of_neighbors_share_a_search(monkeypatch):
    made = []
    plain = shared_neighbors.graphs.nearest_by_cosine
    spied = lambda *given: (made.append(given[1]), plain(*given))[1]  # noqa: E731
    monkeypatch.setattr(shared_neighbors.graphs, "nearest_by_cosine", spied)
    with memo.remembering():
        for l in (3, 9, 60):
            shared_neighbors.links_of_task(Z, OWN, [Group(OWN, l, 1.0, EVERYONE)])
        assert made == [64]
        shared_neighbors.links_of_task(Z, OWN, [Group(OWN, 70, 1.0, EVERYONE)])
        assert made == [64, 128]


def test_equal_directions_have_one_first_row():
    rows = distances.unit_rows(Z[[4, 7, 4, 9, 7, 4]] * np.arange(1.0, 7.0)[:, None])
    assert shared_neighbors.first_alike(rows, np.arange(6)).tolist() == [0, 1, 0, 3, 1, 0]
