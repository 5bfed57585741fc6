from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.correspondence import correspond
from kinfolk.numerics import matching


def world(sizes, kinds, d=8, noise=0.05, seed=0):
    """Tasks with rows of some kinds; each task is shifted far and names its clusters at random.

    Returns the table, the clusters, the positions of the tasks, and the kind of each cluster.
    """
    random = np.random.default_rng(seed)
    centres = np.eye(d)
    parts, labels, codes, truth = [], [], [], []
    for t, (n, own) in enumerate(zip(sizes, kinds, strict=True)):
        shift = 20 * random.normal(size=d)
        names = random.permutation(len(own))
        which = np.arange(n) % len(own)
        parts.append(centres[np.array(own)[which]] + shift + noise * random.normal(size=(n, d)))
        labels.append(names[which])
        codes.append(np.full(n, t))
        truth.extend(own[i] for i in np.argsort(names))
    return np.vstack(parts), np.concatenate(labels), np.concatenate(codes), np.array(truth)


def match(X, labels, codes, k):
    names = [f"task {t}" for t in range(len(k))]
    return correspond(X, labels, codes, names, k)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("seed", range(5))
def test_known_kinds_are_found_under_shifts_and_renaming(seed, kind):
    X, labels, codes, truth = world((30, 20, 40, 24), [[0, 1, 2, 3]] * 4, seed=seed)
    found = match(kind(X), labels, codes, [4] * 4)
    meets = matching.contingency(found.groups, truth).counts
    assert ((meets > 0).sum(axis=0) == 1).all()
    assert ((meets > 0).sum(axis=1) == 1).all()
    assert found.strength.min() > 0.95
    assert found.clusters[4] == ("task 1", 0)


def test_tasks_may_have_different_numbers_of_clusters():
    kinds = [[0, 1, 2, 3], [1, 3], [3, 2, 1]]
    X, labels, codes, truth = world((40, 20, 30), kinds, noise=0.01, seed=3)
    found = match(X, labels, codes, [4, 2, 3])
    for kind in (1, 3):
        assert len(set(found.groups[truth == kind])) == 1


def test_a_cluster_without_counterpart_has_its_own_number_and_no_strength():
    X = np.array([[3.0, 0, 0], [-3, 0, 0], [0, 5, 0], [3, 0, 9], [-3, 0, 9]]).repeat(4, axis=0)
    labels, codes = np.array([0, 1, 2, 0, 1]).repeat(4), np.array([0, 0, 0, 1, 1]).repeat(4)
    found = match(X, labels, codes, [3, 2])
    assert found.groups[0] == found.groups[3]
    assert found.groups[1] == found.groups[4]
    assert (found.groups == found.groups[2]).sum() == 1
    assert np.isnan(found.strength[2])
    assert np.isfinite(found.strength[[0, 1, 3, 4]]).all()


def test_opposite_clusters_are_not_of_one_kind():
    X = np.array([[2.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -1.0]])
    found = match(X, np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]), [2, 2])
    assert len(set(found.groups)) == 4
    assert np.isnan(found.strength).all()


def test_groups_hold_at_most_one_cluster_of_each_task():
    for seed in range(20):
        random = np.random.default_rng(seed)
        X, codes = random.normal(size=(60, 3)), np.repeat([0, 1, 2], 20)
        k = [4, 2, 5]
        labels = np.concatenate([np.arange(20) % c for c in k])
        found = match(X, labels, codes, k)
        owner = np.repeat([0, 1, 2], k)
        assert len(set(zip(found.groups, owner, strict=True))) == 11
        assert set(found.groups) == set(range(found.groups.max() + 1))


def test_groups_of_two_tasks_are_the_best_of_all_pairings():
    for seed in range(10):
        random = np.random.default_rng(seed)
        X = random.normal(size=(24, 3))
        labels, codes = np.arange(24) % 3, np.repeat([0, 1], 12)
        found = match(X, labels, codes, [3, 3])
        L = found.links[:3, 3:]
        totals = [L[[0, 1, 2], list(order)] for order in permutations(range(3))]
        best = max(totals, key=sum)
        same = found.groups[:3, None] == found.groups[None, 3:]
        np.testing.assert_allclose(np.sort(L[same]), np.sort(best[best > 0]), rtol=1e-12)


def test_numbers_go_by_size():
    X, labels, codes, _ = world((7, 7), [[0, 1]] * 2)
    big = labels[codes == 0][0]
    X, labels, codes = (np.concatenate([A, A[:1].repeat(9, axis=0)]) for A in (X, labels, codes))
    found = match(X, labels, codes, [2, 2])
    assert found.groups[big] == 0
    members = found.groups[np.array([0, 2])[codes] + labels]
    assert (np.diff(np.bincount(members)) <= 0).all()


def test_links_are_symmetric_cosines():
    X, labels, codes, _ = world((20, 20), [[0, 1, 2]] * 2, noise=1.0)
    found = match(X, labels, codes, [3, 3])
    np.testing.assert_array_equal(found.links, found.links.T)
    np.testing.assert_array_equal(found.links.diagonal(), 1.0)
    assert abs(found.links).max() <= 1
    means = [
        X[(codes == t) & (labels == c)].mean(axis=0) - X[codes == t].mean(axis=0)
        for t in range(2)
        for c in range(3)
    ]
    a, b = means[1], means[5]
    assert found.links[1, 5] == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_links_do_not_change_when_a_task_is_shifted_or_all_units_change():
    X, labels, codes, _ = world((20, 20), [[0, 1, 2]] * 2, noise=1.0)
    moved = 3.0 * X + 100.0 * codes[:, None]
    a, b = (match(T, labels, codes, [3, 3]) for T in (X, moved))
    np.testing.assert_allclose(a.links, b.links, atol=1e-9)
    np.testing.assert_array_equal(a.groups, b.groups)


def test_one_task_has_no_counterparts():
    X, labels, codes, _ = world((20,), [[0, 1, 2]])
    found = match(X, labels, codes, [3])
    assert set(found.groups) == {0, 1, 2}
    assert np.isnan(found.strength).all()


def test_a_cluster_without_rows_is_like_no_other():
    X, labels, codes, _ = world((20, 20), [[0, 1, 2]] * 2)
    labels[(codes == 1) & (labels == 2)] = 0
    found = match(X, labels, codes, [3, 3])
    assert np.isnan(found.strength[5])
    np.testing.assert_array_equal(found.links[5, :5], 0)
