"""Which clusters of different tasks are of the same kind.

A cluster number in one task means nothing in another. Each cluster is described by how its mean
differs from the mean of its own task, so that a shift of a whole task does not matter; the link
of two clusters is the cosine of these differences, in [-1, 1]. Groups with at most one cluster of
each task are then chosen such that the links inside groups sum up highest.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.numerics import distances, matching, memberships


@dataclass(frozen=True)
class Correspondence:
    """Clusters of all tasks, C in all, and which are of one kind.

    Attributes
    ----------
    clusters : list of C pairs (task, cluster number in the task)
    links : (C, C), strength between any two clusters, in [-1, 1], 1 with itself
    groups : (C,), the matched number: equal for clusters of one kind
    strength : (C,), mean link to the others of the group; nan where there is no counterpart
    """

    clusters: list[tuple[Any, int]]
    links: Matrix
    groups: Labels
    strength: Vector


def correspond(
    X: Table, labels: Labels, codes: Labels, names: list[Any], k: list[int]
) -> Correspondence:
    """Match the clusters of tasks: rows X (n, d), clusters (n,) and task positions (n,)."""
    owner = np.repeat(np.arange(len(k)), k)
    first = np.concatenate([[0], np.cumsum(k)[:-1]])
    C = int(sum(k))
    positions = first[codes] + labels
    sizes = np.bincount(positions, minlength=C)
    links = _links(X, positions, codes, owner, sizes)
    groups, strength = _groups(links, owner, sizes)
    clusters = [(names[t], int(c - first[t])) for c, t in enumerate(owner)]
    return Correspondence(clusters, links, groups, strength)


def _links(X: Table, positions: Labels, codes: Labels, owner: Labels, sizes: Labels) -> Matrix:
    means = memberships.centres(X, memberships.indicator(positions, len(owner)))
    task_means = memberships.centres(X, memberships.indicator(codes, int(codes.max()) + 1))
    profiles = means - task_means[owner]
    profiles[sizes == 0] = 0.0
    small = 1e-12 * np.sqrt(distances.squared_norms(task_means)[owner])
    profiles[np.linalg.norm(profiles, axis=1) <= small] = 0.0
    profiles = distances.unit_rows(profiles)
    links = np.clip(profiles @ profiles.T, -1.0, 1.0)
    np.fill_diagonal(links, 1.0)
    return links


def _groups(links: Matrix, owner: Labels, sizes: Labels) -> tuple[Labels, Vector]:
    """Groups by the best of T starts: each task's clusters in turn found the groups."""
    across = np.where(owner[:, None] == owner[None, :], 0.0, links)
    T = int(owner.max()) + 1
    K = int(np.bincount(owner).max())
    best, most = np.zeros(len(owner), dtype=int), -np.inf
    for start in range(T):
        groups = _settled(across, owner, K, start)
        total = across[groups[:, None] == groups[None, :]].sum()
        if total > most + 1e-12:
            best, most = groups, total
    return _numbered(best, across, sizes)


def _settled(across: Matrix, owner: Labels, K: int, start: int) -> Labels:
    """Reassign one task after the other, each optimally, until nothing moves."""
    T = int(owner.max()) + 1
    groups = np.full(len(owner), -1)
    order = [(start + t) % T for t in range(T)]
    groups[owner == start] = np.arange((owner == start).sum())
    for _ in range(100):
        before = groups.copy()
        for t in order:
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


def _numbered(groups: Labels, across: Matrix, sizes: Labels) -> tuple[Labels, Vector]:
    """Send clusters without a positive link away, then number groups by size, largest first."""
    groups = groups.copy()
    while True:
        strength = np.full(len(groups), np.nan)
        for c in range(len(groups)):
            kin = np.flatnonzero((groups == groups[c]) & (np.arange(len(groups)) != c))
            if len(kin):
                strength[c] = across[c, kin].mean()
        weak = np.flatnonzero(strength <= 0)
        if len(weak) == 0:
            break
        groups[weak[np.argmin(strength[weak])]] = groups.max() + 1
    _, groups = np.unique(groups, return_inverse=True)
    total = np.bincount(groups, weights=sizes)
    rank = np.empty(len(total), dtype=int)
    rank[np.argsort(-total, kind="stable")] = np.arange(len(total))
    return rank[groups], strength
