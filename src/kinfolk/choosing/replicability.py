"""Tests if a cluster found in one task is also found in another task clustered by itself.

For a cluster c of task t, and the clusters e that task s has by itself, made without t:

    forth[c,e]   = Jaccard index of e and the rows of s that get c, where each row of s gets the
                   cluster of its nearest rows in t (`cross_task.transferred_labels`)
    back[c,e]    = Jaccard index of c and the rows of t that get e in the same way
    strength     = (forth[c,e] + back[c,e]) / 2, at the e with the largest
    chance       = the largest such mean over e for independent divisions with the same sizes
    link[c,e]    = cosine of the profiles of c and e, each the mean less that of its task
    p            = k_s P(cos >= (link - shared) / (1 - shared)) of a random direction, at most 1
    adjusted p   = of Benjamini and Hochberg, over all comparisons of all clusters

Nearest rows alone cannot tell a cluster that s lacks: its rows have nearest rows in s, too, and two
divisions into clear clusters often coincide. So the probability asks for more than that: by chance,
would the mean of a cluster of s lie in the same direction from the mean of all? `profile_links` has
the probability and `shared`, the link of two clusters of one task each that differ from the same
others. k_s, the number of clusters of s, corrects for the choice of e.

    found again   adjusted p <= .05 and strength >= 1/2: of the rows in either, half are in both
    partly        adjusted p <= .05 and strength above chance
    not found     else

All is measured in the representation in which `Kinfolk` scores clusterings (`representations`).
A cluster of t that was made with the help of s is no independent finding: `alone` says how much of
it task t finds without help.

Units   none; neither units nor zeros of measured columns matter.
Cost    the nearest rows of each task in each other one, of at most `MAX_ROWS` rows of each.
Limits  with one or two columns no direction is rare, and nothing is found again. p holds for a
        direction drawn at random; clusters of different kinds may be alike, and be found again.
Source  Masoero, Thomas, Parmigiani, Tyekucheva, Trippa: Cross-study replicability in cluster
        analysis. Statistical Science 38, 2023, for the question; the measure is ours.
"""

from collections.abc import Sequence
from itertools import permutations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import false_discovery_control
from sklearn.base import BaseEstimator

from kinfolk.arguments import flag
from kinfolk.arrays import Labels, Matrix, MatrixLike, Table
from kinfolk.choosing import cross_task
from kinfolk.choosing.representations import Representations
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.measures import partitions
from kinfolk.numerics import float_errors, matching, memberships, profile_links
from kinfolk.tables import intake

# The usual error: of the clusters said to be found again, one in twenty is by chance.
LEVEL = 0.05
# Half of the rows in either cluster are in both: more alike than not.
ALIKE = 0.5
# Nearest rows of larger tasks cost n^2; shares of 2000 rows err by .01.
MAX_ROWS = 2000

Pair: TypeAlias = tuple[int, int]

FOUND = "found again"
PARTLY = "partly"
NOT_FOUND = "not found"


class Divided(NamedTuple):
    """One task's rows with their clusters, and with the clusters found from these rows alone.

    Attributes
    ----------
    name : of the task
    X : (n, d) rows in the representation for scoring
    labels, own : (n,) clusters from 0, and those found without other tasks
    names, own_names : the labels of these clusters
    """

    name: Any
    X: Table
    labels: Labels
    own: Labels
    names: NDArray[Any]
    own_names: NDArray[Any]

    @classmethod
    def of(cls, name: Any, X: Table, labels: ArrayLike, own: ArrayLike) -> "Divided":
        """Renumber a task's labels (n,) and own labels (n,), of any type, from 0."""
        names, found = np.unique(labels, return_inverse=True)
        own_names, own_found = np.unique(own, return_inverse=True)
        return cls(name, X, found, own_found, names, own_names)


class ClosestClusters(NamedTuple):
    """For each cluster (k,) of a task: its most similar cluster in another task, strength and p.

    Attributes
    ----------
    other : (k,) the other task's most similar cluster, from 0
    strength, chance, p : (k,) as in the formulas above
    """

    other: Labels
    strength: NDArray[np.float64]
    chance: NDArray[np.float64]
    p: NDArray[np.float64]


@float_errors.handled_by_default
def replicability(
    X: MatrixLike,
    labels: ArrayLike,
    tasks: Any,
    own_labels: ArrayLike | None = None,
    *,
    columns_are_scaled: bool = False,
) -> list[dict[str, Any]]:
    """Test for each cluster if it is found again in each other task; return records.

    Parameters
    ----------
    X : (n, d), dense or sparse
    labels : (n,) the cluster of each row in its task
    tasks : (n,) the task of each row, or the name of a column of X
    own_labels : (n,) clusters that each task has without the others; None: `labels` are such
    columns_are_scaled : as of `Kinfolk`

    Returns
    -------
    list of records, one for each cluster and other task; empty for a single task

    task, cluster : the cluster of this record
    other_task, other_cluster : the most similar cluster that the other task has by itself
    strength : Jaccard index of the two, mean of both directions, from 0 to 1
    chance : the strength of independent divisions with the same sizes
    p_value, adjusted_p_value : probability of the link by chance; adjusted for all comparisons
    alone : Jaccard index with the most similar cluster that the same task has by itself
    result : "found again", "partly" or "not found"

    Raises
    ------
    InputError : X or tasks are not usable, or there is not one label per row, in one order

    Examples
    --------
    >>> from kinfolk.datasets import makers
    >>> data = makers.make_related_blobs(150, 20, 3, 2, shared=2, random_state=0)
    >>> found = replicability(data.X, data.target, data.tasks)
    >>> for r in found[:3]:
    ...     r["cluster"], r["strength"], round(r["p_value"], 4), r["result"]
    ('c0', 1.0, 0.0051, 'found again')
    ('c1', 1.0, 0.0, 'found again')
    ('c2', 1.0, 1.0, 'not found')
    """
    columns_are_scaled = flag("columns_are_scaled", columns_are_scaled)
    found, X = checks.tasks_of(tasks, X)
    table = checks.samples(BaseEstimator(), X)
    given = _one_per_row("labels", labels, X, table.shape[0])
    own = given if own_labels is None else _one_per_row("own_labels", own_labels, X, len(given))
    seen = Representations.of(table, found.codes, columns_are_scaled)
    divided = []
    for name, rows in zip(found.names, found.rows(), strict=True):
        kept = rows[np.linspace(0, len(rows) - 1, min(len(rows), MAX_ROWS)).astype(int)]
        scored = seen.for_scoring(table[kept], found.codes[kept])
        divided.append(Divided.of(name, scored, given[kept], own[kept]))
    return records(divided)


def records(tasks: Sequence[Divided]) -> list[dict[str, Any]]:
    """Replicability records (dicts) of all clusters of several tasks in each other task."""
    pairs = list(permutations(range(len(tasks)), 2))
    if not pairs:
        return []
    alone = [
        matching.jaccard(t.labels, t.own, len(t.names), len(t.own_names)).max(axis=1) for t in tasks
    ]
    P = _probabilities([_Profiled.of(task) for task in tasks])
    of = _places([len(t.names) for t in tasks])
    own_of = _places([len(t.own_names) for t in tasks])
    forth, back = _transferred(tasks)
    compared = {
        (t, s): compare(tasks[t], tasks[s], forth[t, s], back[s, t], P[of[t], own_of[s]])
        for t, s in pairs
    }
    adjusted = false_discovery_control(np.concatenate([c.p for c in compared.values()]))
    ends = np.cumsum([len(c.p) for c in compared.values()])
    values = dict(zip(compared, np.split(adjusted, ends[:-1]), strict=True))
    return [
        _record(tasks[t], tasks[s], c, found, float(values[t, s][c]), float(alone[t][c]))
        for (t, s), found in compared.items()
        for c in range(len(found.p))
    ]


def compare(
    task: Divided, other: Divided, forth: Labels, back: Labels, P: Matrix
) -> ClosestClusters:
    """Find each cluster's most similar one among the own clusters of another task, with p-values.

    Parameters
    ----------
    forth : (m,) clusters of the task, transferred to the rows of the other
    back : (n,) own clusters of the other task, transferred to the rows of the task
    P : (k, l) probabilities of their links by chance
    """
    k, l = P.shape
    J = matching.jaccard(forth, other.own, k, l) + matching.jaccard(task.labels, back, k, l)
    expected = matching.expected_jaccard(forth, other.own, k, l)
    expected += matching.expected_jaccard(task.labels, back, k, l)
    best = J.argmax(axis=1)
    clusters = np.arange(k)
    p = np.minimum(l * P[clusters, best], 1.0)
    return ClosestClusters(best, J[clusters, best] / 2.0, expected.max(axis=1) / 2.0, p)


def result(strength: float, chance: float, adjusted_p: float) -> str:
    """Classify a match as "found again", "partly" or "not found".

    >>> result(0.8, 0.3, 0.01), result(0.4, 0.3, 0.01), result(0.8, 0.3, 0.2)
    ('found again', 'partly', 'not found')
    """
    if adjusted_p > LEVEL or strength <= chance:
        return NOT_FOUND
    return FOUND if strength >= ALIKE else PARTLY


class _Profiled(NamedTuple):
    """Rows of a task with means and centered profiles of its clusters and own clusters.

    Attributes
    ----------
    X, labels, own : (n, d) and (n,), see `Divided`
    means, own_means : (k, d) and (l, d)
    profiles, own_profiles : of the same shapes
    """

    X: Table
    labels: Labels
    own: Labels
    means: Matrix
    own_means: Matrix
    profiles: Matrix
    own_profiles: Matrix

    @classmethod
    def of(cls, task: Divided) -> "_Profiled":
        """Compute means and profiles of the clusters and own clusters of a task."""
        one = np.zeros(len(task.labels), dtype=int)
        found = []
        for labels in (task.labels, task.own):
            sizes = np.bincount(labels)
            means = memberships.centers(task.X, memberships.indicator(labels, len(sizes)))
            owner = np.zeros(len(sizes), dtype=int)
            found.append((means, profile_links.profiles(task.X, means, one, owner, sizes)))
        (means, profiles), (own_means, own_profiles) = found
        return cls(task.X, task.labels, task.own, means, own_means, profiles, own_profiles)


def _probabilities(tasks: Sequence[_Profiled]) -> Matrix:
    """p-values (C, E) of the similarity of all C clusters with all E own clusters.

    Those within a task mean nothing.
    """
    profiles = np.vstack([task.profiles for task in tasks])
    own_profiles = np.vstack([task.own_profiles for task in tasks])
    owner = np.repeat(np.arange(len(tasks)), [len(task.profiles) for task in tasks])
    own_owner = np.repeat(np.arange(len(tasks)), [len(task.own_profiles) for task in tasks])
    # By one product per task: a call for each pair of tasks takes longer than the numbers do.
    one = [np.zeros(len(task.labels), dtype=int) for task in tasks]
    forth = [
        profile_links.directions(task.X, task.means, task.labels, codes, own_profiles)
        for task, codes in zip(tasks, one, strict=True)
    ]
    back = [
        profile_links.directions(task.X, task.own_means, task.own, codes, profiles)
        for task, codes in zip(tasks, one, strict=True)
    ]
    D = np.minimum(np.hstack(forth).T[owner], np.hstack(back)[:, own_owner])
    L = profile_links.links(profiles, own_profiles)
    shared = profile_links.shared_links(L, owner, own_owner)
    # Tasks of one cluster each, or whose clusters coincide, have nothing beyond what they share.
    room = np.maximum(1.0 - shared, np.finfo(np.float64).eps)
    beyond = np.clip((L - shared) / room, -1.0, 1.0)
    return profile_links.chance_probabilities(beyond, D)


def _places(k: Sequence[int]) -> list[slice]:
    """Slice of each task's clusters among those of all tasks.

    >>> _places([2, 1])
    [slice(0, 2, None), slice(2, 3, None)]
    """
    ends = np.cumsum(k).tolist()
    return [slice(end - k_t, end) for end, k_t in zip(ends, k, strict=True)]


def _transferred(tasks: Sequence[Divided]) -> tuple[dict[Pair, Labels], dict[Pair, Labels]]:
    """Clusters, and own clusters, of each task t transferred to the rows of s: {(t, s): labels}."""
    labels: dict[Pair, Labels] = {}
    own: dict[Pair, Labels] = {}
    same = [np.array_equal(task.labels, task.own) for task in tasks]
    for s, task in enumerate(tasks):
        others = [t for t in range(len(tasks)) if t != s]
        near = cross_task.near_in_each(task.X, [tasks[t].X for t in others])
        for t, rows in zip(others, near, strict=True):
            labels[t, s] = cross_task.voted_labels(rows, tasks[t].labels)
            own[t, s] = labels[t, s] if same[t] else cross_task.voted_labels(rows, tasks[t].own)
    return labels, own


def _record(
    task: Divided, other: Divided, c: int, found: ClosestClusters, adjusted: float, alone: float
) -> dict[str, Any]:
    """Return the record (a dict) of cluster c of a task and the closest one in another task."""
    strength = float(found.strength[c])
    chance = float(found.chance[c])
    return {
        "task": task.name,
        "cluster": task.names.tolist()[c],
        "other_task": other.name,
        "other_cluster": other.own_names.tolist()[found.other[c]],
        "strength": strength,
        "chance": chance,
        "p_value": float(found.p[c]),
        "adjusted_p_value": adjusted,
        "alone": alone,
        "result": result(strength, chance, adjusted),
    }


def _one_per_row(name: str, values: Any, X: MatrixLike, n: int) -> NDArray[Any]:
    """Return labels (n,) in the order of the rows of X; InputError unless there is one per row."""
    values = intake.in_order_of(X, values, name)
    found = np.asarray(values, dtype=None if hasattr(values, "__array__") else object)
    if found.shape != (n,):
        raise InputError(
            f"{name} has shape {found.shape} but X has {n} rows; give one label per row."
        )
    partitions.partition(found, name)  # refuses missing labels, and numbers beside texts
    return found
