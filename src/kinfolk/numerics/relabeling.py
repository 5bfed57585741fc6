"""One numbering for the clusters of several tasks."""

import numpy as np

from kinfolk.arrays import Labels


def shared_numbers(groups: Labels) -> Labels:
    """One number in 0..k-1 for each cluster of a task (T, k), the same for one group if it can be.

    >>> shared_numbers(np.array([[5, 3], [3, 5], [7, 5]]))
    array([[0, 1],
           [1, 0],
           [1, 0]])
    """
    seat: dict[int, int] = {}
    places = np.full_like(groups, -1)
    for own, place in zip(groups.tolist(), places, strict=True):
        for c, group in enumerate(own):
            if seat.get(group, -1) not in place:
                place[c] = seat[group]
        spare = sorted(set(range(len(own))) - set(place.tolist()))
        for c in np.flatnonzero(place < 0).tolist():
            place[c] = spare.pop(0)
            seat.setdefault(own[c], int(place[c]))
    return places
