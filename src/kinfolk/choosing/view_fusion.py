"""Combines clusterings by several views with those of single ones, and tests the gain of joining.

With W_v the graph of the l nearest rows by cosine in view v, and S_v = D^-1/2 W_v D^-1/2,

    S = E^-1/2 (sum over views v of a set of a_v S_v) E^-1/2                              (1)

with E_ii the sum of a_v over the views that row i has, and S_v empty for rows that lack v. S is
divided by spectral clustering: k leading eigenvectors of S, rows at unit length, k-means; a is the
support of `view_support` to the power 2, in units of the largest; l is a half and a quarter of the
mean cluster size. This judges if joining views gains anything: it is the quickest way to join them.

The consensus is k-means on the 0/1 memberships of the clusterings of `view_coregularized` and
`view_joined`, which together weigh 1 - `OWN_SHARE`, and of the views' own ones, which weigh
`OWN_SHARE` times w of `view_support`. A row that lacks v gets the own cluster of v that is
commonest among the rows that it is clustered with by the others.

Units   none.
Limits  one view of weight: spectral clustering of that view. Equal views: that of one of them.
Source  the mean of normalized graphs: Zhou, Burges: Spectral clustering and transductive learning
        with multiple views. ICML 2007, for equal weights; the consensus: `consensus`.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Table, Vector
from kinfolk.choosing import consensus
from kinfolk.choosing.view_support import POWER, ViewGraph, ViewSupport
from kinfolk.numerics import distances, graphs, local_graphs, spectra, starts

# Half as many neighbours as rows in a cluster, and half as many as that: as the family "spectral".
SHARES = 0.5, 0.25
FEWEST_LINKS, MOST_LINKS = 3, 50
"""Bounds on the links of a row, as in `methods.multitask.joint_spectral`."""
# Eigenvectors of the mean of several graphs have few bad optima.
N_INIT = 5


Graphs: TypeAlias = dict[float, list[sp.csr_array]]
"""Links of a row in mean cluster sizes -> the normalized graph S_v (n, n) of each view."""


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


def view_graph(Z: Table, k: int, share: float) -> sp.csr_array:
    """Normalized nearest-neighbour graph S_v (n, n) of the rows Z (n, d) of a view.

    >>> view_graph(np.eye(2)[[0, 0, 0, 0, 1, 1, 1, 1]], 2, 0.5).sum(axis=1).round(6).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    n = Z.shape[0]
    l = int(np.clip(round(share * n / k), FEWEST_LINKS, MOST_LINKS))
    near = graphs.nearest_by_cosine(Z, l)
    # As in joint spectral clustering: rows that have nothing in common are not linked.
    W = graphs.directed(near.rows, (near.cosines > graphs.UNRELATED).astype(float), n)
    return spectra.normalized(graphs.symmetrized(W))


def spectral(
    S: Sequence[sp.csr_array], there: NDArray[np.bool_], weights: Vector, k: int, seed: int
) -> Labels:
    """Spectral clustering (n,) of the weighted sum of the views' normalised graphs.

    Parameters
    ----------
    there : (n, V) True where a row has a view
    """
    parts: list[Any] = [a * part for a, part in zip(weights, S, strict=True)]
    mean = sp.csr_array(sum(parts[1:], parts[0]))
    if not there.all():
        scale = sp.diags_array(distances.inverse_lengths(there @ weights))
        mean = sp.csr_array(scale @ mean @ scale)
    _, vectors = spectra.largest(mean, k)
    return starts.kmeans(distances.unit_rows(vectors), k, seed, n_init=N_INIT)


def graphs_of(tables: Sequence[Table], there: NDArray[np.bool_], k: int) -> Graphs:
    """Normalized graphs (n, n) of all views, for each number of links (a share of n / k).

    Parameters
    ----------
    tables : the rows (n_v, d_v) that have each view, in the representation for scoring
    there : (n, V) True where a row has a view
    """
    n = len(there)
    rows = [np.flatnonzero(own) for own in there.T]
    return {
        share: [
            local_graphs.spread(view_graph(Z, k, share), own, n)
            for Z, own in zip(tables, rows, strict=True)
        ]
        for share in SHARES
    }


def _fused(
    S: Sequence[sp.csr_array], there: NDArray[np.bool_], found: ViewSupport, k: int, seed: int
) -> Labels:
    """Spectral clustering (n,) of the supported views' graphs, weighted by their support."""
    views = found.order
    a = (found.support[views] / found.support[views[0]]) ** POWER
    return spectral([S[v] for v in views], there[:, views], a, k, seed)


def joined_answer(
    made: Sequence[Fusion], own: Sequence[Labels], weights: Vector, k: int, seed: int
) -> Labels:
    """Consensus (n,) of joint clusterings and of single views' ones weighted by (V,).

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
    """Fill in rows without cluster (-1) by the majority of rows alike in other clusterings.

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
    S: Graphs,
    graphs: Sequence[ViewGraph],
    own: Sequence[Labels],
    there: NDArray[np.bool_],
    found: ViewSupport,
    k: int,
    seed: int,
) -> Vector:
    """Gain (V,) in modularity of joining the other views, judged on each held-out view.

    The views but u are fused, with weights that have not seen u, and judged in the graph of u:

        gain[u] = (modularity of the fused clusters in W_u - M[best,u]) / M[u,u]          (2)

    where the modularity of the fused clusters is the mean over the numbers of links, and best is
    the best supported of the others. nan for a view that takes no part, or beside which fewer than
    two others do.
    """
    gains = np.full(len(graphs), np.nan)
    for u in found.order:
        others = found.without(u)
        if len(others.order) < 2:
            continue
        labels = [_fused(one, there, others, k, seed) for one in S.values()]
        *fused, single, itself = graphs[u].modularities(
            np.array([*labels, own[others.best], own[u]])
        )
        gains[u] = (np.mean(fused) - single) / itself  # (2)
    return gains
