"""Joint spectral clustering: several tasks on one graph of nearest rows, in and across tasks.

1. Links: with the cosine as nearness,

    l_t      = neighbors n_t / k_t for links within task t, and other_neighbors n_t / k_t for
               links into it from other tasks, rounded, at least 3 and at most 50           (1)
    N_ij     = 1 if j is one of the l_t rows of its own task t nearest to i (itself left out)
               w if j is of another task s and one of its l_s rows nearest to i
               0 else, and where the cosine of i and j is not above 0                       (2)
    W        = (N + N')/2                                                                   (3)

2. Embedding: U are the m leading eigenvectors of D^-1/2 W D^-1/2, D = diag(row sums of W), and
   V the same with rows scaled to unit length.                                              (4)
3. Labels: k-means of each task's rows of V.                                                (5)

Symbols     X (N, d) all T tasks, W (N, N) sparse, U and V (N, m), w = other_weight.
Units       none: only the directions of rows count.
Exact       all pairs of rows are compared, in blocks, but in dense tasks of more than 50,000 rows,
            whose rows are compared with those near some landmarks (`large_search`); N has at most
            50 T links per row. Eigenvectors are those of its connected components (`spectra`).
Cost        N^2 d for the nearest rows, which settings of all other parameters share; then m
            products with W per Lanczos step.
Limits      w = 0, or one task: spectral clustering of each task by itself, with its own number of
            eigenvectors. With clear groups W has one component per group, and V indicates it.
Source      the six steps of Ng, Jordan, Weiss (2002), NIPS 14, with the graph of nearest rows that
            von Luxburg (2007), Statistics and Computing 17(4), recommends in its section 8.
Departures  a row without a cosine above 0, such as a row of zeros, is linked to none, and lies at
            0. If W has more than m components, the m largest are told apart, and all other rows
            lie at 0. Rows of one task in the same direction get the label of the first of them.
Beyond      links between tasks are ours. A new row x of task t is linked as in (2), without rows
            of the fit that would take it for a neighbor, and lies at

                v_j(x) = 1/lambda_j sum_i w_xi U_ij / sqrt(d_i),   at unit length,          (6)

            as in Bengio, Paiement, Vincent, Delalleau, Le Roux, Ouimet (2004), NIPS 16; it goes to
            the nearest k-means center. A row in the direction of one of the fit has its label.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, MatrixLike, Seed, Table
from kinfolk.errors import InputError
from kinfolk.estimators import checks, dear_sharing, kept_rows
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.estimators.parameterized import parameterized
from kinfolk.numerics import distances, graphs, group_neighbors, memo, operators, spectra, starts
from kinfolk.numerics.graphs import SAME_DIRECTION, UNRELATED, Nearest, first_alike
from kinfolk.numerics.spectra import Spectrum
from kinfolk.running import progress

FEWEST_LINKS, MOST_LINKS = 3, 50
"""Bounds on the links of a row to the rows of one task, of (1)."""

# Of 64 tasks of 100 rows 256 vectors take 15 s, and 4 of them .4 s.
MOST_SHARED = 128
"""Up to so many eigenvectors are computed even if fewer are needed, for other settings to share."""

WIDTHS: dict[str, Callable[[list[int]], int]] = {"largest": max, "all": sum}
"""Function from the tasks' numbers of clusters to m, by the name of `n_components`."""


def counts(share: float, sizes: list[int], k: list[int]) -> list[int]:
    """Number of links from a row into each task: a share of n_t / k_t, from 3 to 50.

    >>> counts(0.5, [40, 5, 999], [4, 2, 2])
    [5, 3, 50]
    """
    return [
        max(FEWEST_LINKS, min(round(min(share * n / k_t, MOST_LINKS)), MOST_LINKS))
        for n, k_t in zip(sizes, k, strict=True)
    ]


def links(near: list[Nearest], weights: list[float], n: int) -> sp.csr_array:
    """Sparse links N (m, n) of m rows to nearest rows near[s] (m, l_s), with weights[s].

    >>> near = [Nearest(np.array([[1]]), np.array([[0.9]])),
    ...         Nearest(np.array([[2, 0]]), np.array([[0.4, 0.0]]))]
    >>> links(near, [1.0, 0.3], 3).toarray()
    array([[0. , 1. , 0.3]])
    """
    found = np.hstack([part.rows for part in near])
    related = [w * (part.cosines > UNRELATED) for part, w in zip(near, weights, strict=True)]
    return graphs.directed(found, np.hstack(related), n)


class LinkRule(NamedTuple):
    """Number of links from a row to its own task and to others, and the weight of the latter."""

    l: list[int]
    other_l: list[int]
    weight: float


def links_of(near: Callable[[int], Nearest], t: int, rule: LinkRule, n: int) -> sp.csr_array:
    """Sparse links N (m, n) of m rows of task t to all n rows, as `rule` says.

    near(s) returns the `MOST_LINKS` rows of task s nearest to each of the m rows.
    """
    found = []
    weights = []
    for s, other_l in enumerate(rule.other_l):
        if s == t or rule.weight > 0:
            l = rule.l[t] if s == t else other_l
            found.append(Nearest(*(part[:, :l] for part in near(s))))
            weights.append(1.0 if s == t else rule.weight)
    return links(found, weights, n)


def nearest_of(X: Table, codes: Labels, t: int) -> Callable[[int], Nearest]:
    """Function s -> the `MOST_LINKS` rows of task s nearest to each row of task t.

    A row is not its own neighbor.
    """
    # One search for all other tasks, at first use; `MOST_LINKS` of them whatever l is, so that
    # settings of l share it.
    elsewhere = cache(partial(nearest_elsewhere, X, codes, t))
    inside = cache(partial(nearest_own, X, codes, t))

    def near(s: int) -> Nearest:
        return inside() if s == t else elsewhere()[s]

    return near


@memo.remembered
def nearest_own(X: Table, codes: Labels, t: int) -> Nearest:
    """Find each row's `MOST_LINKS` nearest other rows, by cosine, within task t."""
    there = np.flatnonzero(codes == t)
    found = graphs.nearest_by_cosine(X[there], MOST_LINKS)
    return Nearest(there[found.rows], found.cosines)


@memo.remembered
def nearest_elsewhere(X: Table, codes: Labels, t: int) -> tuple[Nearest, ...]:
    """The `MOST_LINKS` rows of each task that are nearest to each row of task t."""
    # One search in all tasks: a search for each pair of tasks grows as T^2.
    return group_neighbors.nearest_cosines(X[codes == t], X, _rows_of(codes), MOST_LINKS)


@memo.remembered
def nearest_fitted(new: Table, X: Table, codes: Labels) -> tuple[Nearest, ...]:
    """The `MOST_LINKS` training rows of each task that are nearest to each new row."""
    return group_neighbors.nearest_cosines(new, X, _rows_of(codes), MOST_LINKS)


def _rows_of(codes: Labels) -> list[np.ndarray]:
    return [np.flatnonzero(codes == t) for t in range(int(codes.max()) + 1)]


class Embedded(NamedTuple):
    """Eigenvectors of each unlinked part of a graph, and the first row equal to each row (n,).

    `inside` are the links (n_t, n_t) of each task without those to others.
    """

    spectra: tuple[Spectrum, ...]
    first_alike: np.ndarray
    inside: tuple[sp.csr_array, ...]


@memo.remembered
def linked_spectra(
    X: Table, codes: Labels, rule: LinkRule, parts: list[np.ndarray], n_vectors: list[int]
) -> Embedded:
    """Leading eigenvectors of the joint graph of all tasks, for each unlinked part.

    Parts are positions in X, without links between them.
    """
    order = np.argsort(codes, kind="stable")
    first = np.empty(len(codes), dtype=np.intp)
    found = []
    for t in progress.track(range(len(rule.l)), "linking rows"):
        near = nearest_of(X, codes, t)
        found.append(links_of(near, t, rule, len(codes)))
        own = np.flatnonzero(codes == t)
        first[own] = first_alike(near(t), own)
    W = graphs.symmetrized(sp.vstack(found, "csr")[np.argsort(order)])  # (3)
    spectra_ = []
    for part, m in zip(parts, n_vectors, strict=True):
        own_W = W if len(parts) == 1 else W[part][:, part]
        degrees = operators.row_sums(own_W)
        spectra_.append(Spectrum(degrees, *spectra.leading(own_W, m)))  # (4)
    own_rows = _rows_of(codes)
    return Embedded(tuple(spectra_), first, tuple(W[own][:, own] for own in own_rows))


@parameterized
class JointSpectral(MultiTaskClusterer):
    """Spectral clustering of several tasks on one graph of nearest rows.

    Parameters
    ----------
    n_clusters : int >= 1, or a mapping task -> int
    neighbors : float > 0, links of a row to its own task, as a share of the mean cluster size there
    other_neighbors : float > 0, the same share for rows of other tasks; None: as `neighbors`
    other_weight : float >= 0, w, the weight of a link to another task; 0: each task by itself
    n_components : "largest", "all" or int >= 1, m: the largest number of clusters of any task, the
        sum over tasks, or that many; with other_weight=0 a task counts its own only
    n_init : int >= 1, k-means starts, of which each task keeps the one with the least inertia
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the cluster of each row, from 0 in each task
    embedding_ : (n, m), rows of unit length; with other_weight=0 each task has its own m vectors,
        the first of these columns
    eigenvalues_ : (m,) the largest of D^-1/2 W D^-1/2, largest first
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range; a task has one row only, or fewer than clusters

    Warns
    -----
    SharingWarning : at least twice as many links lead out of the clusters of a task as without
        links to other tasks

    Examples
    --------
    >>> from kinfolk.datasets import makers
    >>> data = makers.make_related_blobs(random_state=0)
    >>> model = JointSpectral(n_clusters=3, random_state=0).fit(data.X, tasks=data.tasks)
    >>> model.embedding_.shape[1], float(model.eigenvalues_[0])
    (3, 1.0)
    """

    of_rows = ("embedding_",)
    keeps_row_order = True

    compares = "directions"
    keeps = kept_rows.ROWS

    n_clusters: Any = 2
    neighbors: float = 0.5
    other_neighbors: float | None = None
    other_weight: float = 0.3
    n_components: Any = "largest"
    n_init: int = 10
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None, tasks: Any = None) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each."""
        X, found = self._open(X, tasks)
        k = checks.clusters(self.n_clusters, found)
        own = checks.above("neighbors", self.neighbors, 0)
        other = self.other_neighbors
        other = own if other is None else checks.above("other_neighbors", other, 0)
        self._weight = checks.not_negative("other_weight", self.other_weight)
        n_init = checks.at_least("n_init", self.n_init, 1)
        self._l = counts(own, found.sizes, k)
        self._other_l = counts(other, found.sizes, k)
        tasks_of = [[t] for t in range(len(k))] if self._weight == 0 else [list(range(len(k)))]
        k_of = [[k[t] for t in group] for group in tasks_of]
        m = [self._width(k_g) for k_g in k_of]
        seed = starts.seeds(checks.random(self.random_state), 1)[0]
        self._X, self._codes = X, found.codes
        parts = [np.flatnonzero(np.isin(found.codes, group)) for group in tasks_of]
        # As many as any `n_components` by name asks for, so that such settings share the graph.
        n_vectors = [
            max(m_g, sum(k_g)) if sum(k_g) <= MOST_SHARED else m_g
            for m_g, k_g in zip(m, k_of, strict=True)
        ]
        rule = LinkRule(self._l, self._other_l, self._weight)
        graph = linked_spectra(X, found.codes, rule, parts, n_vectors)  # (2)-(4)
        self._embed(parts, [one.leading(m_g) for one, m_g in zip(graph.spectra, m, strict=True)])
        labels = np.empty(len(found.codes), dtype=int)
        self._centres = []
        for t in progress.track(range(len(k)), "clustering tasks"):
            rows = found.codes == t
            centers = starts.centers(self.embedding_[rows], k[t], seed, n_init)  # (5)
            labels[rows] = distances.squared(self.embedding_[rows], centers).argmin(axis=1)
            self._centres.append(centers)
        labels = labels[graph.first_alike]
        if self._weight > 0:
            of_tasks = [labels[rows] for rows in found.rows()]
            advice = f"Lower other_weight (now {self._weight:g}; 0 shares nothing)"
            dear_sharing.of_cuts(found.names, graph.inside, of_tasks, k, seed, advice)
        return self._record(X, found, labels, k)

    def _width(self, k: list[int]) -> int:
        """Return the number of eigenvectors for tasks with k[t] clusters."""
        given = self.n_components
        if isinstance(given, str) and given in WIDTHS:
            return WIDTHS[given](k)
        if given is None or isinstance(given, str | float):
            names = " or ".join(map(repr, WIDTHS))
            raise InputError(
                f"n_components is {given!r}; give {names}, or a whole number of at least 1."
            )
        return checks.at_least("n_components", given, 1)

    def _embed(self, parts: list[np.ndarray], found: list[Spectrum]) -> None:
        """Set embedding, eigenvalues and the map for new rows, from the parts' spectra.

        A part with fewer eigenvectors than another leaves its last columns 0.
        """
        m = max(len(one.values) for one in found)
        self.eigenvalues_ = -np.sort(-np.concatenate([one.values for one in found]))[:m]
        self.embedding_ = np.zeros((len(self._codes), m))
        self._extension = np.zeros((len(self._codes), m))
        for part, one in zip(parts, found, strict=True):
            self.embedding_[part, : len(one.values)] = one.embedding()
            self._extension[part, : len(one.values)] = one.extension()

    def _assign(self, X: Table, t: int) -> Labels:
        """Label new rows: equal training rows keep theirs, others go to the nearest center."""
        X = operators.in_form_of(self._X, X)
        near = nearest_fitted(X, self._X, self._codes).__getitem__
        rule = LinkRule(self._l, self._other_l, self._weight)
        found = links_of(near, t, rule, len(self._codes))
        places = distances.unit_rows(found @ self._extension)  # (6)
        labels = distances.squared(places, self._centres[t]).argmin(axis=1)
        nearest = near(t)
        same = nearest.cosines[:, 0] >= 1 - SAME_DIRECTION
        return np.where(same, self._sorted(self.labels_)[nearest.rows[:, 0]], labels)
