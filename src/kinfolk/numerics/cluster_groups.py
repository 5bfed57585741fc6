"""Groups of matching clusters of several tasks, at most one cluster of each task in a group.

The sum of the scores inside the groups is made large by reassigning the clusters of one task after
the other, each task optimally, once from the clusters of each of the first 20 tasks; the best
grouping is kept. First there are as many groups as the largest task has clusters. Then clusters may
leave them for groups of their own: tasks may have more groups in all than any one of them.
"""

import numpy as np

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.numerics import matching, memberships

MOST_STARTS = 20
"""Most starts, each from the clusters of one task; the time of a start grows with the tasks."""
MOST_ROUNDS = 100
"""Most rounds over all tasks: with ties of scores reassignments could cycle without end."""


def groups_of(scores: Matrix, owner: Labels, sizes: Labels) -> tuple[Labels, Vector]:
    """Group matching clusters of all tasks, to maximize the sum of scores within groups.

    Parameters
    ----------
    scores : (C, C) of any two clusters, symmetric; those inside a task are ignored
    owner : (C,) the position of the task of each
    sizes : (C,) rows of each

    Returns
    -------
    groups : (C,) numbered by size; a cluster whose mean score in its group is not positive is alone
    strength : (C,) mean score with the others of the group; nan for clusters that are alone

    Examples
    --------
    >>> scores = np.array([[0, 0, 0.9, 0.1], [0, 0, 0.2, 0.6], [0.9, 0.2, 0, 0], [0.1, 0.6, 0, 0]])
    >>> groups_of(scores, np.array([0, 0, 1, 1]), np.array([5, 9, 5, 9]))
    (array([1, 0, 1, 0]), array([0.9, 0.6, 0.9, 0.6]))
    """
    across = np.where(owner[:, None] == owner[None, :], 0.0, scores)
    T = int(owner.max()) + 1
    K = int(np.bincount(owner).max())
    best = np.zeros(len(owner), dtype=int)
    most = -np.inf
    for start in range(min(T, MOST_STARTS)):
        groups = _parted(_best_groups(across, owner, K, start), across, owner, start)
        total = across[groups[:, None] == groups[None, :]].sum()
        if total > most + 1e-12:  # of equal sums the first is kept, whatever the rounding
            best = groups
            most = total
    return _numbered_by_size(best, across, sizes)


def _best_groups(across: Matrix, owner: Labels, K: int, start: int) -> Labels:
    """Reassign each task's clusters to K groups in turn, optimally, until nothing changes."""
    groups = np.full(len(owner), -1)
    groups[owner == start] = np.arange((owner == start).sum())
    for _ in range(MOST_ROUNDS):
        before = groups.copy()
        for t in _turns(owner, start):
            own = np.flatnonzero(owner == t)
            others = np.where((owner != t) & (groups >= 0), groups, K)
            gain = across[own] @ memberships.indicator(others, K + 1)[:, :K]
            if gain.any():
                groups[own] = matching.assignment(gain)
            elif (groups[own] < 0).any():
                groups[own] = np.arange(len(own))
        if np.array_equal(groups, before):
            break
    return groups


def _parted(groups: Labels, across: Matrix, owner: Labels, start: int) -> Labels:
    """Move each task's clusters in turn, optimally, to groups of others or to new ones.

    >>> scores = np.zeros((4, 4))
    >>> scores[0, 2] = scores[2, 0] = 0.9
    >>> scores[1, 3] = scores[3, 1] = -0.4
    >>> _parted(np.array([0, 1, 0, 1]), scores, np.array([0, 0, 1, 1]), 0)
    array([0, 1, 0, 2])
    """
    groups = groups.copy()
    for _ in range(MOST_ROUNDS):
        before = across[groups[:, None] == groups].sum()
        for t in _turns(owner, start):
            own = np.flatnonzero(owner == t)
            others = np.flatnonzero(owner != t)
            present, numbers = np.unique(groups[others], return_inverse=True)
            gain = across[np.ix_(own, others)] @ memberships.indicator(numbers, len(present))
            # A new group gains nothing; each cluster can have one.
            chosen = matching.assignment(np.hstack([gain, np.zeros((len(own), len(own)))]))
            groups[own] = chosen
            groups[others] = numbers
        if across[groups[:, None] == groups].sum() <= before + 1e-12:
            break
    return groups


def _turns(owner: Labels, start: int) -> list[int]:
    """Positions of the tasks in cyclic order, from task `start` on."""
    T = int(owner.max()) + 1
    return [(start + t) % T for t in range(T)]


def _numbered_by_size(groups: Labels, across: Matrix, sizes: Labels) -> tuple[Labels, Vector]:
    """Take out clusters without positive score, number groups by size; return also strengths."""
    groups = groups.copy()
    while True:
        kin = groups[:, None] == groups
        np.fill_diagonal(kin, False)
        n_kin = kin.sum(axis=1)
        strength = np.where(n_kin > 0, (across * kin).sum(axis=1) / np.maximum(n_kin, 1), np.nan)
        weak = np.flatnonzero(strength <= 0)
        if len(weak) == 0:
            break
        groups[weak[np.argmin(strength[weak])]] = groups.max() + 1
    _, groups = np.unique(groups, return_inverse=True)
    total = np.bincount(groups, weights=sizes)
    rank = np.empty(len(total), dtype=int)
    rank[np.argsort(-total, kind="stable")] = np.arange(len(total))
    return rank[groups], strength
