"""Which clusters of different tasks are of the same kind.

A cluster number in one task means nothing in another. Each cluster is described by its profile,
how its mean differs from the mean of its own task, so that a shift of a whole task does not
matter. The link of two clusters is the cosine of their profiles, in [-1, 1].

One number a kind: groups with at most one cluster of each task are chosen such that the links
inside groups sum up highest. A cluster without a positive link has a number of its own.

Counterparts: for each cluster and each other task, the one cluster there or the several that
together are the same, or none. A link counts if it is above the level

    q + (1 - q) beta m
    beta = (min(k, l) - 1) / sqrt(k (k - 1) l (l - 1))
    D    = trace(S) / p'Sp, at most d

q is what cosines of random directions pass for one in 20 clusters. Unrelated clusters differ in
directions in which rows differ anyway, so S is the covariance of the rows of a task around the
means of their clusters, and D the number of its directions, seen from a profile p of length 1 of
the other task. Of both tasks' D the smaller counts. The rest is for tasks, of k and l clusters,
that share all but one of them: these two differ alike from all the others, which makes a link of
beta where the others lie at right angles; m, the strongest link between the two tasks, is what a
perfect one comes to there.

Links above the level are chosen one to one, such that they sum up highest. Then a cluster that is
left joins another one of its task if the mean of the rows of both is at least as much like the
counterpart as that of the one was: two halves of a group that another task has as a whole. There
all are seen from the mean of the other pairs, which both tasks have, and not from that of all
rows, which is moved by what only one has.

Units   profiles have those of X; the rest has none.
Limits  with one column or two, hardly anything is more than chance. Of two tasks with two
        clusters each, of which they share one, nobody can tell which one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import betaincinv

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.numerics import distances, matching, memberships, operators

CHANCE = 0.05
"""Share of the clusters without a counterpart in a task that are said to have one."""
SLACK = 0.01
"""What a link may lose where clusters join: even halves of one group differ that much by chance of
their rows, and a cluster that is half as far away as unrelated ones are loses more."""


Side = tuple[list[int], list[int]]
"""Clusters of one task that together are those of another."""


@dataclass(frozen=True)
class Correspondence:
    """Clusters of all T tasks, C in all, and which are of one kind.

    Attributes
    ----------
    clusters : list of C pairs (task, cluster number in the task)
    links : (C, C), strength between any two clusters, in [-1, 1], 1 with itself
    groups : (C,), the matched number: equal for clusters of one kind
    strength : (C,), mean link to the others of the group; nan where there is no counterpart
    profiles : (C, d), how the mean of a cluster differs from that of its task, in units of X
    sizes : (C,), rows of each cluster
    directions : (C, T), D of each task's rows, seen from each cluster
    """

    clusters: list[tuple[Any, int]]
    links: Matrix
    groups: Labels
    strength: Vector
    profiles: Matrix
    sizes: Labels
    directions: Matrix

    @property
    def owner(self) -> Labels:
        """The position of each cluster's task (C,)."""
        position = {task: t for t, task in enumerate(dict.fromkeys(t for t, _ in self.clusters))}
        return np.array([position[task] for task, _ in self.clusters])


def correspond(
    X: Table, labels: Labels, codes: Labels, names: list[Any], k: list[int]
) -> Correspondence:
    """Match the clusters of tasks: rows X (n, d), clusters (n,) and task positions (n,)."""
    owner = np.repeat(np.arange(len(k)), k)
    first = np.concatenate([[0], np.cumsum(k)[:-1]])
    positions = first[codes] + labels
    sizes = np.bincount(positions, minlength=len(owner))
    means = memberships.centres(X, memberships.indicator(positions, len(owner)))
    profiles = _profiles(X, means, codes, owner, sizes)
    links = _links(profiles, profiles)
    np.fill_diagonal(links, 1.0)
    groups, strength = _groups(links, owner, sizes)
    clusters = [(names[t], int(c - first[t])) for c, t in enumerate(owner)]
    directions = _directions(X, means, positions, codes, profiles)
    return Correspondence(clusters, links, groups, strength, profiles, sizes, directions)


def with_task(known: Correspondence, X: Table, labels: Labels, name: Any, k: int) -> Correspondence:
    """Add one more task with rows X (m, d) in k clusters (m,); the known clusters stay as they are.

    The new clusters join the known groups such that their links to them sum up highest. One without
    a positive link to its group founds a new one.
    """
    codes = np.zeros(len(labels), dtype=int)
    new = correspond(X, labels, codes, [name], [k])
    links = _links(new.profiles, known.profiles)
    members = memberships.indicator(known.groups, int(known.groups.max()) + 1)
    towards = links @ members / members.sum(axis=0)
    groups = matching.assignment(np.maximum(links @ members, 0.0))
    strength = np.where(groups < 0, np.nan, towards[np.arange(k), groups])
    strength[strength <= 0] = np.nan
    alone = np.flatnonzero(np.isnan(strength))
    alone = alone[np.argsort(-new.sizes[alone], kind="stable")]
    groups[alone] = members.shape[1] + np.arange(len(alone))
    means = memberships.centres(X, memberships.indicator(labels, k))
    seen = _directions(X, means, labels, codes, known.profiles)
    # The rows of the known tasks are gone: what they tell is left to the rows of the new one.
    unseen = np.full((k, known.directions.shape[1]), float(X.shape[1]))
    return Correspondence(
        [*known.clusters, *new.clusters],
        np.block([[known.links, links.T], [links, new.links]]),
        np.concatenate([known.groups, groups]),
        np.concatenate([known.strength, strength]),
        np.vstack([known.profiles, new.profiles]),
        np.concatenate([known.sizes, new.sizes]),
        np.block([[known.directions, seen], [unseen, new.directions]]),
    )


def counterparts(found: Correspondence) -> list[dict[str, Any]]:
    """Find the counterparts of each cluster in each other task, as records.

    Returns
    -------
    task, cluster : of which the record speaks
    other_task, other_clusters : those that are the same there; an empty list for none
    strength : the link of both sides, where several clusters are taken together; nan for none
    share : of the rows that are the same as `other_clusters`, those in this cluster; nan for none
    strongest : the strongest link to any cluster of the other task
    level : that link had to be above it to be more than chance

    Examples
    --------
    >>> X = np.repeat(np.eye(12)[[0, 1, 2, 0, 0, 1, 2]], 9, axis=0)
    >>> X[27:45, 3] = np.repeat([0.4, -0.4], 9)  # the second task has halves of the first group
    >>> X += 0.1 * np.random.RandomState(0).normal(size=X.shape)
    >>> labels, codes = np.repeat([0, 1, 2, 0, 1, 2, 3], 9), np.repeat([0, 1], [27, 36])
    >>> found = counterparts(correspond(X, labels, codes, ["coarse", "fine"], [3, 4]))
    >>> for r in found[2:5]:
    ...     r["task"], r["cluster"], r["other_clusters"], r["share"]
    ('coarse', 2, [3], 1.0)
    ('fine', 0, [0], 0.5)
    ('fine', 1, [0], 0.5)
    """
    tasks = [np.flatnonzero(found.owner == t) for t in range(int(found.owner.max()) + 1)]
    levels = _levels(found)
    records = {}
    for a, b in combinations(tasks, 2):
        sides = _sides(found, levels, a, b)
        flipped = [(other, own) for own, other in sides]
        for own, other, matched in ((a, b, sides), (b, a, flipped)):
            for c in own.tolist():
                records[c, other[0]] = _record(found, levels, c, other, matched)
    return [records[key] for key in sorted(records)]


def _record(
    found: Correspondence, levels: Matrix, c: int, other: Labels, sides: Sequence[Side]
) -> dict[str, Any]:
    """What is found for the cluster c among the clusters `other` of another task."""
    own, kin = next((side for side in sides if c in side[0]), ([], []))
    near = other[found.links[c, other].argmax()]
    task, cluster = found.clusters[c]
    return {
        "task": task,
        "cluster": cluster,
        "other_task": found.clusters[near][0],
        "other_clusters": sorted(found.clusters[e][1] for e in kin),
        "strength": _alike(found, (own, kin), [], 0) if kin else float("nan"),
        "share": float(found.sizes[c] / found.sizes[own].sum()) if kin else float("nan"),
        "strongest": float(found.links[c, near]),
        "level": float(levels[c, near]),
    }


def _levels(found: Correspondence) -> Matrix:
    """The level (C, C) that links have to be above."""
    owner = found.owner
    k = np.bincount(owner)
    first = np.cumsum(k) - k
    D = np.minimum(found.directions[:, owner], found.directions[:, owner].T)
    more, less = np.maximum.outer(k, k), np.minimum.outer(k, k)
    # cos^2 is Beta(1/2, (D - 1)/2) distributed, and half of it belongs to cosines below 0.
    share = 1.0 - 2.0 * CHANCE / more[np.ix_(owner, owner)]
    q = np.sqrt(betaincinv(0.5, np.maximum(D - 1.0, 1e-9) / 2.0, share))
    spread = np.sqrt(np.multiply.outer(k * (k - 1.0), k * (k - 1.0)))
    beta = np.divide(less - 1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    most = np.maximum.reduceat(np.maximum.reduceat(found.links, first, axis=0), first, axis=1)
    common = beta * np.clip(most, 0.0, 1.0)
    return q + (1.0 - q) * common[np.ix_(owner, owner)]


def _sides(found: Correspondence, levels: Matrix, a: Labels, b: Labels) -> list[Side]:
    """Which of the clusters `a` together are which of `b`; one of the two sides is one cluster."""
    strong = found.links > levels
    chosen = matching.assignment(np.where(strong, found.links, 0.0)[np.ix_(a, b)])
    pairs = [(int(c), int(b[i])) for c, i in zip(a, chosen, strict=True) if i >= 0]
    sides = [([c], [e]) for c, e in pairs if strong[c, e]]
    paired = {c for side in sides for part in side for c in part}
    left = [int(c) for c in (*a, *b) if c not in paired]
    while left:
        joined = {
            (c, i): ([*own, c], other) if c in a else (own, [*other, c])
            for c in left
            for i, (own, other) in enumerate(sides)
            if len(kin := other if c in a else own) == 1 and strong[c, kin[0]]
        }
        gains = {
            (c, i): _alike(found, side, sides, i) - _alike(found, sides[i], sides, i)
            for (c, i), side in joined.items()
        }
        if max(gains.values(), default=-1.0) <= -SLACK:
            break
        c, i = max(gains, key=lambda key: gains[key])
        sides[i] = joined[c, i]
        left.remove(c)
    return sides


def _alike(found: Correspondence, side: Side, sides: Sequence[Side], i: int) -> float:
    """The link of both halves of a side in place i, seen from the mean of the other sides."""
    others = [_mean(found, other) for j, other in enumerate(sides) if j != i]
    a, b = _mean(found, side) - (np.mean(others, axis=0) if others else 0.0)
    return float(_links(a[None], b[None])[0, 0])


def _mean(found: Correspondence, side: Side) -> Matrix:
    """The profiles (2, d) of all rows of the clusters on each half of a side."""
    return np.array([np.average(found.profiles[part], 0, found.sizes[part]) for part in side])


def _profiles(X: Table, means: Matrix, codes: Labels, owner: Labels, sizes: Labels) -> Matrix:
    """Means of clusters (C, d) less those of their tasks; 0 for no rows, and for rounding."""
    task_means = memberships.centres(X, memberships.indicator(codes, int(codes.max()) + 1))
    profiles = means - task_means[owner]
    profiles[sizes == 0] = 0.0
    small = 1e-12 * np.sqrt(distances.squared_norms(task_means)[owner])
    profiles[np.linalg.norm(profiles, axis=1) <= small] = 0.0
    return profiles


def _links(a: Matrix, b: Matrix) -> Matrix:
    return np.clip(distances.unit_rows(a) @ distances.unit_rows(b).T, -1.0, 1.0)


def _directions(
    X: Table, means: Matrix, positions: Labels, codes: Labels, profiles: Matrix
) -> Matrix:
    """In how many directions the rows of each task vary around their cluster's mean.

    Parameters
    ----------
    means, positions : (K, d) of the clusters of these rows, and the cluster of each (n,)
    codes : (n,) their tasks
    profiles : (C, d) of the clusters from which it is seen

    Returns
    -------
    (C, T), from 1 to d; d where the rows do not vary at all
    """
    d, P = X.shape[1], distances.unit_rows(profiles)
    Y = memberships.indicator(codes, int(codes.max()) + 1)
    along = (operators.times(X, P.T) - (means @ P.T)[positions]) ** 2
    length = distances.squared_norms(X) @ Y
    trace = length - distances.squared_norms(means)[positions] @ Y
    trace[trace <= 1e-12 * length] = 0.0
    seen = along.T @ Y
    D = np.divide(trace, seen, out=np.full_like(seen, d), where=(seen > 0) & (trace > 0))
    return np.clip(D, 1.0, d)


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
