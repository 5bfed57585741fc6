"""Matches clusters of different tasks, and tests the matches against chance.

A cluster number in one task means nothing in another. The profile of a cluster is the difference
of its mean from the mean of its own task, so that a shift of a whole task cancels. The link of two
clusters is the cosine of their profiles, in [-1, 1]. Where the rows are there, the agreement of two
clusters by votes of their rows (`neighbor_votes`) is known as well, at most 1, and 0 for chance.

Groups: sets with at most one cluster of each task, chosen such that the agreements inside them sum
up highest; links stand in for agreements that are not known. All clusters of a group get one
number; a cluster without positive agreement has its own.

Counterparts: for each cluster and each other task, the cluster there that is the same, or the
several clusters that are the same together, or none. A link counts if it is above the level

    q + (1 - q) beta m
    beta = (min(k, l) - 1) / sqrt(k (k - 1) l (l - 1))
    D    = trace(S) / p'Sp, at most d

- q is the cosine that random directions exceed for one in 20 clusters. Unrelated clusters differ in
  directions in which rows differ anyway. So S is the covariance of the rows of a task around the
  means of their clusters, and D the number of its directions, as seen from a profile p of length 1
  of the other task. The smaller D of the two tasks counts.
- The rest is for tasks of k and l clusters that share all but one of them: those two differ alike
  from all the others, which makes a link of beta where the others lie at right angles. The
  strongest link m between the two tasks stands for a perfect link.
- If the agreement of the two clusters is above half of this level, rows and means both support the
  match: then q is what random directions exceed for one in 5 clusters.

Links above the level are paired one to one, such that they sum up highest. Then a cluster without
a partner joins another one of its task if the mean of the rows of both is at least as similar to
the counterpart as the mean of the one was: two halves of a group that another task has as a whole.
Here profiles start from the mean of the other pairs, which both tasks have, since the mean of all
rows is moved by clusters that only one task has.

Units   profiles have those of X; the rest has none.
Limits  with one column or two, hardly any link exceeds chance. If two tasks have two clusters each
        and share one, the data cannot tell which one it is.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.numerics import cluster_groups, matching, memberships, profile_links

CHANCE = 0.05
"""False-positive rate: share of clusters without a counterpart that get one by chance."""
# Halves of one group differ this much by chance of their rows; a cluster half as far away as
# unrelated ones loses more. Measured in docs/clusters-across-tasks-measured.md.
SLACK = 0.01
"""The most that a link may lose where clusters join."""
SUPPORTED_CHANCE = 0.2
"""False-positive rate where votes of rows support the match, too."""
WITNESS = 0.5
"""Rows support a match if their agreement exceeds this share of the level for its link."""
# Dense clusters draw the votes of loose ones. Of two sets of newsgroups with the same two classes
# one pair agreed by -0.15, with a link of 0.3.
UNDECIDED = 0.2
"""Clusters with an agreement between minus this and 0 are matched if their link is clear."""
CLEAR_LINK = 0.25
"""A link above this is clear."""
BARELY = 1e-3
"""Score of two clusters that are matched by a clear link although their rows are undecided."""


_SKIPPED: ContextVar[bool] = ContextVar("_SKIPPED", default=False)

Side = tuple[list[int], list[int]]
"""A match: clusters of one task, and the clusters of another task that are the same together."""


@contextmanager
def skipped() -> Iterator[None]:
    """Context in which fits do not match clusters across tasks, to save time.

    >>> from kinfolk import PerTask
    >>> with skipped():
    ...     model = PerTask(n_clusters=2).fit([[0.0], [5.0], [0.1], [5.2]], tasks=list("aabb"))
    >>> hasattr(model, "labels_"), hasattr(model, "matched_labels_")
    (True, False)
    """
    token = _SKIPPED.set(True)
    try:
        yield
    finally:
        _SKIPPED.reset(token)


def is_skipped() -> bool:
    """True inside a `skipped` block."""
    return _SKIPPED.get()


@dataclass(frozen=True)
class Correspondence:
    """Matches between the C clusters of T tasks: pairwise similarities and groups.

    Attributes
    ----------
    clusters : list of C pairs (task, cluster number in the task)
    links : (C, C), strength between any two clusters, in [-1, 1], 1 with itself
    groups : (C,), the matched number: equal for clusters of one kind
    strength : (C,), mean agreement, or link, with the others of the group; nan: no counterpart
    profiles : (C, d), how the mean of a cluster differs from that of its task, in units of X
    sizes : (C,), rows of each cluster
    directions : (C, T), D of each task's rows, as seen from each cluster
    votes : (C, C), agreement of clusters of different tasks; 0, as for chance, where not known
    """

    clusters: list[tuple[Any, int]]
    links: Matrix
    groups: Labels
    strength: Vector
    profiles: Matrix
    sizes: Labels
    directions: Matrix
    votes: Matrix

    @property
    def owner(self) -> Labels:
        """Position (C,) of the task of each cluster."""
        position = {task: t for t, task in enumerate(dict.fromkeys(t for t, _ in self.clusters))}
        return np.array([position[task] for task, _ in self.clusters])


def correspond(
    X: Table,
    labels: Labels,
    codes: Labels,
    names: list[Any],
    k: list[int],
    agreement: Matrix | None = None,
) -> Correspondence:
    """Match the clusters of all tasks, by agreement of nearest rows or by profiles.

    Parameters
    ----------
    X : (n, d)
    labels : (n,) the cluster of each row in its task
    codes : (n,) the position of each row's task in `names`
    names : T tasks
    k : T numbers of clusters
    agreement : (C, C) by votes of rows, nan where not known; None: links alone

    Examples
    --------
    >>> X = np.array([[9.0, 1.0], [8.0, 2.0], [1.0, 9.0], [2.0, 8.0]])
    >>> found = correspond(X, np.array([0, 1, 1, 0]), np.array([0, 1, 0, 1]), ["a", "b"], [2, 2])
    >>> found.links.round(2)
    array([[ 1., -1., -1.,  1.],
           [-1.,  1.,  1., -1.],
           [-1.,  1.,  1., -1.],
           [ 1., -1., -1.,  1.]])
    >>> found.groups
    array([0, 1, 1, 0])
    """
    owner = np.repeat(np.arange(len(k)), k)
    first = np.concatenate([[0], np.cumsum(k)[:-1]])
    positions = first[codes] + labels
    sizes = cluster_sizes(labels, codes, k)
    means = memberships.centers(X, memberships.indicator(positions, len(owner)))
    profiles = profile_links.profiles(X, means, codes, owner, sizes)
    links = profile_links.links(profiles, profiles)
    np.fill_diagonal(links, 1.0)
    if agreement is None:
        agreement = np.full_like(links, np.nan)
    scores = _scores(agreement, links)
    groups, strength = cluster_groups.groups_of(scores, owner, sizes)
    clusters = [(names[t], int(c - first[t])) for c, t in enumerate(owner)]
    directions = profile_links.directions(X, means, positions, codes, profiles)
    votes = np.nan_to_num(agreement)
    return Correspondence(clusters, links, groups, strength, profiles, sizes, directions, votes)


def cluster_sizes(labels: Labels, codes: Labels, k: Sequence[int]) -> Labels:
    """Number (C,) of rows in each cluster of all tasks.

    >>> cluster_sizes(np.array([0, 1, 1, 0]), np.array([0, 0, 0, 1]), [2, 2])
    array([1, 2, 1, 0])
    """
    first = np.cumsum(k) - k
    return np.bincount(first[codes] + labels, minlength=sum(k))


def with_task(known: Correspondence, X: Table, labels: Labels, name: Any, k: int) -> Correspondence:
    """Match the clusters of one more task with the known ones, whose groups do not change.

    The new clusters join the known groups such that their links to them sum up highest. A cluster
    without a positive link to its group starts a new one.
    """
    codes = np.zeros(len(labels), dtype=int)
    new = correspond(X, labels, codes, [name], [k])
    links = profile_links.links(new.profiles, known.profiles)
    members = memberships.indicator(known.groups, int(known.groups.max()) + 1)
    towards = links @ members / members.sum(axis=0)
    groups = matching.assignment(np.maximum(links @ members, 0.0))
    strength = np.where(groups < 0, np.nan, towards[np.arange(k), groups])
    strength[strength <= 0] = np.nan
    alone = np.flatnonzero(np.isnan(strength))
    alone = alone[np.argsort(-new.sizes[alone], kind="stable")]
    groups[alone] = members.shape[1] + np.arange(len(alone))
    means = memberships.centers(X, memberships.indicator(labels, k))
    seen = profile_links.directions(X, means, labels, codes, known.profiles)
    # The rows of the known tasks are not kept, so their D is the largest possible and the smaller
    # D of the two tasks is always that of the new one.
    unseen = np.full((k, known.directions.shape[1]), float(X.shape[1]))
    return Correspondence(
        [*known.clusters, *new.clusters],
        np.block([[known.links, links.T], [links, new.links]]),
        np.concatenate([known.groups, groups]),
        np.concatenate([known.strength, strength]),
        np.vstack([known.profiles, new.profiles]),
        np.concatenate([known.sizes, new.sizes]),
        np.block([[known.directions, seen], [unseen, new.directions]]),
        # Nor can the rows of the known tasks vote.
        np.pad(known.votes, (0, k)),
    )


def counterparts(found: Correspondence) -> list[dict[str, Any]]:
    """For each cluster and other task, find the matching cluster or clusters, as records.

    Returns
    -------
    task, cluster : the cluster of this record
    other_task, other_clusters : its counterparts there; an empty list for none
    strength : the link of both sides, with several clusters taken together; nan for none
    share : of the rows on its side of the match, those in this cluster; nan for none
    strongest : the strongest link to any cluster of the other task
    level : the link that chance could explain, lower where votes of rows support the match
    agreement : by votes, with the cluster of the strongest link; 0 for chance, or if not known

    Examples
    --------
    >>> X = np.repeat(np.eye(12)[[0, 1, 2, 0, 0, 1, 2]], 9, axis=0)
    >>> X[27:45, 3] = np.repeat([0.4, -0.4], 9)  # the second task has halves of the first group
    >>> X += 0.1 * np.random.RandomState(0).normal(size=X.shape)
    >>> labels, codes = np.repeat([0, 1, 2, 0, 1, 2, 3], 9), np.repeat([0, 1], [27, 36])
    >>> found = counterparts(correspond(X, labels, codes, ["coarse", "fine"], [3, 4]))
    >>> for r in found[:5]:
    ...     r["task"], r["cluster"], r["other_clusters"], r["share"]
    ('coarse', 0, [0, 1], 1.0)
    ('coarse', 1, [2], 1.0)
    ('coarse', 2, [3], 1.0)
    ('fine', 0, [0], 0.5)
    ('fine', 1, [0], 0.5)
    """
    tasks = [np.flatnonzero(found.owner == t) for t in range(int(found.owner.max()) + 1)]
    levels = _levels(found)
    records = {}
    for a, b in combinations(tasks, 2):
        sides = _matched_sides(found, levels, a, b)
        flipped = [(other, own) for own, other in sides]
        for own, other, matched in ((a, b, sides), (b, a, flipped)):
            for c in own.tolist():
                records[c, other[0]] = _record(found, levels, c, other, matched)
    return [records[key] for key in sorted(records)]


def _scores(agreement: Matrix, links: Matrix) -> Matrix:
    """Scores (C, C) for grouping clusters: agreement by rows if known, else links of profiles.

    Where the agreement is undecided and the link is clear, the score is `BARELY`.
    """
    scores = np.where(np.isfinite(agreement), agreement, links)
    undecided = (scores > -UNDECIDED) & (scores <= 0) & (links > CLEAR_LINK)
    return np.where(undecided, BARELY, scores)


def _record(
    found: Correspondence, levels: Matrix, c: int, other: Labels, sides: Sequence[Side]
) -> dict[str, Any]:
    """Return the record for cluster c and its matching clusters `other` of another task."""
    own, kin = next((side for side in sides if c in side[0]), ([], []))
    near = other[found.links[c, other].argmax()]
    task, cluster = found.clusters[c]
    return {
        "task": task,
        "cluster": cluster,
        "other_task": found.clusters[near][0],
        "other_clusters": sorted(found.clusters[e][1] for e in kin),
        "strength": _side_link(found, (own, kin), [], 0) if kin else float("nan"),
        "share": float(found.sizes[c] / found.sizes[own].sum()) if kin else float("nan"),
        "strongest": float(found.links[c, near]),
        "level": float(levels[c, near]),
        "agreement": float(found.votes[c, near]),
    }


def _levels(found: Correspondence) -> Matrix:
    """Return for each pair of clusters the link (C, C) that it must exceed to beat chance."""
    owner = found.owner
    k = np.bincount(owner)
    D = np.minimum(found.directions[:, owner], found.directions[:, owner].T)
    more = np.maximum.outer(k, k)[np.ix_(owner, owner)]
    common = profile_links.shared_links(found.links, owner, owner)
    full, lowered = (
        q + (1.0 - q) * common
        for q in (
            profile_links.chance_cosines(D, share / more) for share in (CHANCE, SUPPORTED_CHANCE)
        )
    )
    return np.where(found.votes > WITNESS * full, lowered, full)


def _matched_sides(found: Correspondence, levels: Matrix, a: Labels, b: Labels) -> list[Side]:
    """Match clusters `a` of a task to clusters `b` of another, one to one or to several.

    The best one-to-one matches come first. Then the clusters left over join a match one by one, as
    long as that costs its link no more than `SLACK`.
    """
    strong = found.links > levels
    chosen = matching.assignment(np.where(strong, found.links, 0.0)[np.ix_(a, b)])
    pairs = [(int(c), int(b[i])) for c, i in zip(a, chosen, strict=True) if i >= 0]
    sides = [([c], [e]) for c, e in pairs if strong[c, e]]
    paired = {c for side in sides for part in side for c in part}
    left = [int(c) for c in (*a, *b) if c not in paired]
    while (best := _best_join(found, strong, sides, left, a)) is not None:
        c, i, joined = best
        sides[i] = joined
        left.remove(c)
    return sides


def _best_join(
    found: Correspondence, strong: NDArray[np.bool_], sides: list[Side], left: list[int], a: Labels
) -> tuple[int, int, Side] | None:
    """Return the best cluster of `left` to join a match, the match's position, and both joined.

    A cluster may join its side of a match if the other side is one cluster, to which it has a
    strong link. None if each would cost a match more than `SLACK`.
    """
    best = None
    largest_gain = -SLACK
    for c in left:
        for i, (own, other) in enumerate(sides):
            kin = other if c in a else own
            if len(kin) > 1 or not strong[c, kin[0]]:
                continue
            joined = ([*own, c], other) if c in a else (own, [*other, c])
            gain = _side_link(found, joined, sides, i) - _side_link(found, sides[i], sides, i)
            if gain > largest_gain:
                best = c, i, joined
                largest_gain = gain
    return best


def _side_link(found: Correspondence, side: Side, sides: Sequence[Side], i: int) -> float:
    """Link of the two sides of match i, with profiles taken from the mean of the other matches."""
    others = [_side_profiles(found, other) for j, other in enumerate(sides) if j != i]
    a, b = _side_profiles(found, side) - (np.mean(others, axis=0) if others else 0.0)
    return float(profile_links.links(a[None], b[None])[0, 0])


def _side_profiles(found: Correspondence, side: Side) -> Matrix:
    """Profiles (2, d) of the pooled clusters on each side of a match."""
    return np.array([np.average(found.profiles[part], 0, found.sizes[part]) for part in side])
