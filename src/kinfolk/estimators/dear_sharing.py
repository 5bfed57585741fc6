"""Warnings of tasks whose clusters are far worse with sharing than without, by their own rows.

Methods of centers are measured by the squared error e of a task's rows from the means of their
clusters, methods of graphs by the share c of a cluster's links within the task that lead out of it,
a mean over its k clusters:

    c = 1/k sum_j cut(j) / links(j)

where cut / links is 0 for a cluster without links. Both are compared with clusters of the task by
itself, e_0 and c_0. Users are warned if

    e > (1 + DEAR) e_0,     or     c > LEAKY c_0  and  c > c_0 + LEAK,

the last alone where the clusters without sharing are those of the same method.

Units       none.
Source      normalized cuts, k c: Shi, Malik (2000); the comparison is ours.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.errors import SharingWarning, warn_user
from kinfolk.estimators import correspondence
from kinfolk.estimators.warn import first_three
from kinfolk.numerics import distances, memberships, memo, operators, spectra, starts

# Shaped on random halves of iris and cancer, sexes of penguins, hospitals, and regions of oils.
# Of tasks with the same classes e / e_0 is 1.01 at most, on wine, digits, web pages and stories
# too; of regions with other oils 1.08 to 1.15.
DEAR = 0.05
"""Sharing is too dear if it raises the squared error of a task by this share."""

# Of the same tasks c / c_0 is 1.33 at most; of regions with other oils, of speakers and of stories
# in other classes 2.3 and more.
LEAKY = 2.0
"""Sharing is too dear if this many times as many links lead out of clusters as without."""

# Of the same method with and without sharing (MTSC) the difference was above this in 33 of 262
# tasks of 95 sets, all of texts: sharing cost 30 of the 33 accuracy, .17 on average, and the other
# tasks .02. The limit was not chosen with them.
LEAK = 0.05
"""Least increase of the share of links that lead out of clusters for sharing to be too dear.

Where hardly any links lead out, a few are many times as many.
"""


def of_errors(names: Sequence[Any], errors: Vector, alone: Vector, advice: str) -> None:
    """Warn of tasks whose squared error with sharing (T,) is far above that without it (T,)."""
    dear = [
        f"{e / e_0 - 1.0:.0%} in task {name!r}".replace("%", " %")
        for name, e, e_0 in zip(names, errors, alone, strict=True)
        if e > (1.0 + DEAR) * e_0 > 0
    ]
    if dear:
        warn_user(
            f"sharing makes the squared error of clusters larger than without, by "
            f"{first_three(dear)}: clusters of different tasks do not fit together. {advice}, or "
            "cluster each task by itself.",
            SharingWarning,
        )


def of_cuts(
    names: Sequence[Any],
    graphs: Sequence[sp.csr_array],
    labels: Sequence[Labels],
    k: Sequence[int],
    seed: int,
    advice: str,
    without: Sequence[Labels] | None = None,
    cause: str = "clusters of different tasks do not fit together",
) -> None:
    """Warn if far more links lead out of the clusters of a task than without sharing.

    Parameters
    ----------
    names : of the T tasks
    graphs : symmetric links (n_t, n_t) of each task, without those to other tasks
    labels : clusters (n_t,) of each task, found with sharing
    k : numbers of clusters
    seed : of k-means
    advice : how to share less, in words
    without : clusters (n_t,) of each task by the same method without sharing; None: spectral ones
    cause : what does not fit, in words
    """
    if correspondence.is_skipped():
        return  # one run of many, whose answer is compared with own clusters
    # Another method's clusters may cut the graph less whether tasks share or not.
    times = LEAKY if without is None else 1.0
    dear = []
    for t, (name, W, own, k_t) in enumerate(zip(names, graphs, labels, k, strict=True)):
        shared = leaving(W, own, k_t)
        if shared <= LEAK:
            continue
        single = _alone(W, k_t, seed) if without is None else without[t]
        alone = leaving(W, single, k_t)
        if shared > times * alone and shared > alone + LEAK:
            shares = f"{shared:.0%} in task {name!r}, without it {alone:.0%}"
            dear.append(shares.replace("%", " %"))
    if dear:
        warn_user(
            f"with sharing {'far ' if without is None else ''}more links to near rows of the same "
            "task lead out of a cluster: "
            f"{first_three(dear)}: {cause}. {advice}, or cluster each task by itself.",
            SharingWarning,
        )


def leaving(W: sp.csr_array, labels: Labels, k: int) -> float:
    """Share c of a cluster's links in W (n, n) that lead out of it, a mean over k clusters.

    >>> W = sp.csr_array([[0.0, 3, 0], [3, 0, 1], [0, 1, 0]])
    >>> leaving(W, np.array([0, 0, 1]), 2)  # 1 of 7 and 1 of 1
    0.5714
    """
    Y: Matrix = memberships.indicator(labels, k)
    links = operators.row_sums(W) @ Y
    inside = np.sum(Y * (W @ Y), axis=0)
    out = np.divide(links - inside, links, out=np.zeros(k), where=links > 0)
    return float(out.mean())


def _alone(W: sp.csr_array, k: int, seed: int) -> Labels:
    """Spectral clusters (n,) of the graph W (n, n) of one task."""
    return starts.kmeans(_embedded(W, k), k, seed, 10)


@memo.remembered
def _embedded(W: sp.csr_array, k: int) -> Matrix:
    """Leading eigenvectors (n, k) of the graph W (n, n), rows at unit length."""
    return distances.unit_rows(spectra.leading(W, k)[1])
