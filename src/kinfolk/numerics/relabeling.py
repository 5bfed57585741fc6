"""Renumbers clusters of several tasks so that matched clusters have equal numbers."""

import numpy as np

from kinfolk.arrays import Labels


def shared_numbers(groups: Labels) -> Labels:
    """Number the clusters of each task 0..k-1, clusters of one group alike where possible.

    `groups` (T, k) says which group each cluster of each task belongs to.

    >>> shared_numbers(np.array([[5, 3], [3, 5], [7, 5]]))
    array([[0, 1],
           [1, 0],
           [1, 0]])
    """
    number_of: dict[int, int] = {}
    numbers = np.full_like(groups, -1)
    for own, found in zip(groups.tolist(), numbers, strict=True):
        for c, group in enumerate(own):
            # A group without a number gives -1, which `found` still holds at c, and so is skipped.
            if number_of.get(group, -1) not in found:
                found[c] = number_of[group]
        spare = sorted(set(range(len(own))) - set(found.tolist()))
        for c in np.flatnonzero(found < 0).tolist():
            found[c] = spare.pop(0)
            number_of.setdefault(own[c], int(found[c]))
    return numbers
