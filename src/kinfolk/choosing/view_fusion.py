"""Combines clusterings by several views with those of single ones, and tests the gain of joining.

The consensus is k-means on the 0/1 memberships of the clusterings of `view_coregularized` and
`view_joined`, which together weigh 1 - `OWN_SHARE`, and of the views' own ones, which weigh
`OWN_SHARE` times w of `view_support`. A row that lacks v gets the own cluster of v that is
commonest among the rows that it is clustered with by the others.

Units   none.
Source  the consensus: `consensus`.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.choosing import consensus
from kinfolk.choosing.view_support import ViewGraph, ViewSupport
from kinfolk.methods.multiview import coregularized_spectral
from kinfolk.numerics import starts

N_INIT = 5
"""Starts of k-means in the embeddings."""

# Mean accuracy of shaping tables with .2, .3, .4, .5: .922, .923, .924, .922. Single views alone
# are right less often than any way of joining them.
OWN_SHARE = 0.3
"""Share of the views' own clusterings in the consensus."""


class Fusion(NamedTuple):
    """One clustering made from several views, with those views, the setting and the method.

    Attributes
    ----------
    labels : (n,)
    views : positions of the views
    setting : the parameters in words
    method : the name of a method of several views
    """

    labels: Labels
    views: tuple[int, ...]
    setting: str
    method: str


def joined_answer(
    made: Sequence[Fusion], own: Sequence[Labels], weights: Vector, k: int, seed: int
) -> Labels:
    """Consensus (n,) of clusterings by several views and by single ones, with weights (V,).

    >>> halves = np.array([0, 0, 1, 1])
    >>> made = [Fusion(halves, (0, 1), "even", "joined-kmeans")]
    >>> joined_answer(made, [halves, 1 - halves], np.full(2, 0.5), 2, 0)
    array([0, 0, 1, 1])
    """
    fused = [fusion.labels for fusion in made]
    runs = np.array([*fused, *(completed(labels, fused) for labels in own)])
    joined = np.full(len(made), (1 - OWN_SHARE) / len(made))
    shares = np.concatenate([joined, OWN_SHARE * weights])
    kept = shares > 0
    return consensus.kmeans_on_memberships(runs[kept], shares[kept], k, seed)


def completed(labels: Labels, others: Sequence[Labels]) -> Labels:
    """Return labels (n,), rows without cluster (-1) filled in by the majority of similar rows.

    Similar are rows of the same cluster in the first of `others`, each (n,), that has the row in
    one; a row that is in none gets cluster 0.

    >>> completed(np.array([1, 0, -1, -1]), [np.array([5, 3, 5, -1])])
    array([1, 0, 1, 0])
    """
    found = labels.copy()
    for other in others:
        for c in np.unique(other[(found < 0) & (other >= 0)]):
            known = labels[(other == c) & (labels >= 0)]
            if len(known):
                found[(other == c) & (found < 0)] = np.bincount(known).argmax()
    return np.maximum(found, 0)


def held_out_gains(
    embedded: Sequence[Mapping[int, Matrix]],
    graphs: Sequence[ViewGraph],
    own: Sequence[Labels],
    found: ViewSupport,
    k: int,
    seed: int,
) -> Vector:
    """Gain (V,) in modularity of joining the other views, judged on each held-out view.

    The embeddings of all views but u are divided together, and judged in the graph of u:

        gain[u] = (modularity of the fused clusters in W_u - M[best,u]) / M[u,u]          (1)

    where the modularity of the fused clusters is the mean over the numbers of links, and best is
    the best supported of the others. nan for a view that takes no part, or beside which fewer than
    two others do.

    Parameters
    ----------
    embedded : for each number of links, the eigenvectors (n, k) of each view that takes part
    """
    gains = np.full(len(graphs), np.nan)
    for u in found.order:
        others = found.without(u)
        if len(others.order) < 2:
            continue
        labels = [divided([U[v] for v in others.order], k, seed) for U in embedded]
        *fused, single, itself = graphs[u].modularities(
            np.array([*labels, own[others.best], own[u]])
        )
        gains[u] = (np.mean(fused) - single) / itself  # (1)
    return gains


def divided(U: list[Matrix], k: int, seed: int) -> Labels:
    """Clusters (n,) of the views' embeddings U_v (n, k) side by side, by k-means."""
    places = coregularized_spectral.places(coregularized_spectral.State(U, None))
    return starts.kmeans(places, k, seed, N_INIT)
