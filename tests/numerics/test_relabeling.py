from itertools import permutations

import numpy as np
import pytest

from kinfolk.numerics import relabeling


def shared(groups, numbers):
    """Number of groups whose clusters have one number in all their tasks."""
    by_group = {}
    for own, found in zip(groups.tolist(), numbers.tolist(), strict=True):
        for group, number in zip(own, found, strict=True):
            by_group.setdefault(group, set()).add(number)
    return sum(len(found) == 1 for found in by_group.values())


@pytest.mark.parametrize("seed", range(5))
def test_each_task_uses_each_number_once(seed):
    groups = np.array(
        [np.random.default_rng([seed, t]).choice(9, size=4, replace=False) for t in range(6)]
    )
    numbers = relabeling.shared_numbers(groups)
    for own in numbers:
        assert sorted(own.tolist()) == [0, 1, 2, 3]


def test_the_same_groups_in_any_order_have_the_same_numbers():
    orders = np.array(list(permutations([7, 2, 5])))
    numbers = relabeling.shared_numbers(orders)
    assert shared(orders, numbers) == 3
    assert numbers[0].tolist() == [0, 1, 2]


def test_a_group_keeps_its_number_beside_groups_of_one_task():
    groups = np.array([[1, 2, 3], [8, 1, 9], [3, 10, 1]])
    numbers = relabeling.shared_numbers(groups)
    assert numbers[0].tolist() == [0, 1, 2]
    assert numbers[1, 1] == 0
    assert numbers[2, [0, 2]].tolist() == [2, 0]


def test_clusters_of_one_task_in_one_group_have_different_numbers():
    numbers = relabeling.shared_numbers(np.array([[4, 4, 4], [4, 6, 4]]))
    assert [sorted(own) for own in numbers.tolist()] == [[0, 1, 2], [0, 1, 2]]
    assert numbers[1, 0] == numbers[0, 0]


def test_groups_stay_as_they_are():
    groups = np.array([[3, 1], [1, 3]])
    relabeling.shared_numbers(groups)
    assert groups.tolist() == [[3, 1], [1, 3]]
