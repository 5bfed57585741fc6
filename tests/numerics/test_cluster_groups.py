"""Groups of matching clusters, against all partitions of few clusters."""

import itertools

import numpy as np
import pytest

from kinfolk.numerics import cluster_groups


def total(scores, groups, owner):
    """Sum of the scores inside groups, by loops over pairs of clusters of different tasks."""
    pairs = itertools.combinations(range(len(owner)), 2)
    return sum(scores[c, e] for c, e in pairs if groups[c] == groups[e] and owner[c] != owner[e])


def best_of_all(scores, owner):
    """Largest sum over all groupings with at most one cluster of each task in a group."""
    found = []
    for groups in itertools.product(range(len(owner)), repeat=len(owner)):
        members = set(zip(groups, owner.tolist(), strict=True))
        if len(members) == len(owner):
            found.append(total(scores, groups, owner))
    return max(found)


@pytest.mark.parametrize("seed", range(10))
def test_few_clusters_are_grouped_nearly_as_well_as_any_grouping_does(seed):
    random = np.random.default_rng(seed)
    owner = np.array([0, 0, 1, 1, 2, 2])
    scores = random.uniform(-1, 1, size=(6, 6))
    scores = (scores + scores.T) / 2
    groups, _ = cluster_groups.groups_of(scores, owner, np.ones(6, dtype=int))
    assert total(scores, groups, owner) >= 0.9 * best_of_all(scores, owner)


def test_three_tasks_that_each_lack_another_of_three_classes_have_three_groups():
    classes = np.array([0, 1, 1, 2, 0, 2])
    owner = np.array([0, 0, 1, 1, 2, 2])
    scores = np.where(classes[:, None] == classes, 0.9, -0.3)
    groups, strength = cluster_groups.groups_of(scores, owner, np.array([9, 8, 9, 7, 9, 7]))
    assert groups.tolist() == classes.tolist()
    np.testing.assert_allclose(strength, 0.9)
