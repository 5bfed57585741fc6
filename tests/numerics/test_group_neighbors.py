"""One search finds the nearest rows in each group, as a search for each pair would."""

from itertools import groupby

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import cluster_groups, graphs, group_neighbors

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(23, 4))
V = RANDOM.normal(size=(40, 4)) + 0.5
GROUPS = [np.arange(40)[RANDOM.permutation(40) < 17], np.array([3]), np.array([9, 8, 1, 30, 31])]
L = [4, 2, 3]


def oracle(x, group, l, metric):
    """The l nearest rows of a group, by a loop over its rows."""
    if metric == "cosine":
        far = [-x @ V[j] / np.linalg.norm(x) / np.linalg.norm(V[j]) for j in group]
    else:
        far = [np.linalg.norm(x - V[j]) for j in group]
    return {int(group[j]) for j in np.argsort(far)[:l]}


@pytest.mark.parametrize("block", [1, 100, 2**22])
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_nearest_of_each_group_are_found(form, metric, block, monkeypatch):
    monkeypatch.setattr(group_neighbors, "BLOCK", block)
    seen = 0
    for rows, near in group_neighbors.nearest_by_group(form(X), form(V), GROUPS, L, metric):
        for i in range(rows.start, rows.stop):
            seen += 1
            for group, l, found in zip(GROUPS, L, near, strict=True):
                assert set(found[i - rows.start].tolist()) == oracle(X[i], group, l, metric)
    assert seen == len(X)


def test_rows_far_from_zero_have_the_nearest_rows_that_they_have_near_it():
    rows = np.random.default_rng(0).integers(-(2**20), 2**20, size=(40, 3)) / 2.0**20
    groups = [np.arange(25), np.arange(25, 40)]
    ((_, near),) = group_neighbors.nearest_by_group(rows, rows, groups, [3, 3], "euclidean")
    far = rows + 2.0**28
    ((_, found),) = group_neighbors.nearest_by_group(far, far, groups, [3, 3], "euclidean")
    for expected, own in zip(near, found, strict=True):
        assert np.array_equal(np.sort(own), np.sort(expected))


@pytest.mark.parametrize("block", [1, 2**22])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("l", [1, 4, 50])
def test_cosines_are_those_of_a_search_in_each_group(form, l, block, monkeypatch):
    monkeypatch.setattr(group_neighbors, "BLOCK", block)
    both = group_neighbors.nearest_cosines(form(X), form(V), GROUPS, l)
    for group, found in zip(GROUPS, both, strict=True):
        expected = graphs.nearest_by_cosine(form(X), l, form(V[group]))
        np.testing.assert_array_equal(found.rows, group[expected.rows])
        np.testing.assert_allclose(found.cosines, expected.cosines, atol=1e-14)
    unordered = group_neighbors.rows_nearest_by_cosine(form(X), form(V), GROUPS, l)
    for found, rows in zip(both, unordered, strict=True):
        np.testing.assert_array_equal(np.sort(found.rows), np.sort(rows))


@pytest.mark.parametrize("sizes", [[8, 8, 8, 8, 8], [8, 8, 20, 1, 3], [40]])
def test_groups_of_equal_size_are_sorted_at_once_and_no_others(sizes, monkeypatch):
    calls = []
    sort = group_neighbors._nearest_first
    monkeypatch.setattr(
        group_neighbors, "_nearest_first", lambda far, l: calls.append(far.shape[1]) or sort(far, l)
    )
    groups = np.split(RANDOM.permutation(40), np.cumsum(sizes)[:-1])
    found = group_neighbors.nearest_cosines(X, V, groups, 3)
    assert calls == [len(list(run)) for _, run in groupby(sizes)]
    for group, near in zip(groups, found, strict=True):
        expected = graphs.nearest_by_cosine(X, 3, V[group])
        np.testing.assert_array_equal(near.rows, group[expected.rows])


def test_rows_of_zeros_are_found_and_find():
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, -2.0]])
    ((_, near),) = group_neighbors.nearest_by_group(rows, rows, [np.array([0, 2])], [1])
    assert near[0].shape == (3, 1)
    assert near[0][2, 0] == 2


def test_votes_are_shares_summed_over_the_rows_of_a_cluster():
    near = [RANDOM.integers(0, 12, (9, 3)), RANDOM.integers(0, 12, (9, 1))]
    labels = RANDOM.integers(0, 2, 12)
    clusters = np.array([0, 0, 3, 1, 1, 3, 3, 0, 1])
    for g, found in enumerate(group_neighbors.votes(near, labels, clusters, [2, 3])):
        expected = np.zeros((4, [2, 3][g]))
        for i in range(9):
            for j in near[g][i]:
                expected[clusters[i], labels[j]] += 1 / near[g].shape[1]
        np.testing.assert_allclose(found, expected)


def test_groups_of_many_tasks_start_from_some_of_them(monkeypatch):
    T = 6
    owner = np.repeat(np.arange(T), 2)
    kind = np.array([0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0])
    scores = np.where(kind[:, None] == kind, 0.6, -0.4) + 0.1 * RANDOM.normal(size=(12, 12))
    scores = (scores + scores.T) / 2
    whole = cluster_groups.groups_of(scores, owner, np.arange(12) + 1)
    monkeypatch.setattr(cluster_groups, "MOST_STARTS", 2)
    few = cluster_groups.groups_of(scores, owner, np.arange(12) + 1)
    np.testing.assert_array_equal(whole[0], few[0])
    for c in range(12):
        kin = [e for e in range(12) if e != c and whole[0][e] == whole[0][c]]
        assert whole[1][c] == pytest.approx(np.mean(scores[c, kin]))


def test_of_equally_near_rows_some_are_found():
    there = np.repeat(np.eye(4), 3, axis=0)  # three equal rows, of which two are asked for
    here = np.eye(4) + 0.1
    groups = [np.arange(12)]
    (near,) = group_neighbors.rows_nearest_by_cosine(here, there, groups, 2)
    ((_, (closest,)),) = group_neighbors.nearest_by_group(here, there, groups, [2])
    for found in (near, closest):
        assert found.shape == (4, 2)
        np.testing.assert_array_equal(found // 3, np.repeat(np.arange(4)[:, None], 2, axis=1))
        assert (found[:, 0] != found[:, 1]).all()
