"""Runs co-regularised spectral clustering on the views that take part in the answer.

One run for each consensus ("centroid", "pairwise"), each agreement in `AGREEMENTS` and each number
of nearest rows: half of the mean cluster size, at least 5 and at most 20, and half of that.

Units   none.
Limits  a row that lacks all of these views has no links, and gets a cluster by chance.
Source  `methods.multiview.coregularized_spectral`; what was measured: `docs/views.md`.
"""

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Table
from kinfolk.choosing.view_fusion import Fusion
from kinfolk.choosing.view_support import ViewSupport
from kinfolk.methods.multiview import coregularized_spectral as method
from kinfolk.numerics import starts, view_graphs

NAME = "coregularized-spectral"
# Mean accuracy of single runs on shaping tables: .882 with .2 and .5, .905 with .1 and .2, both by
# centroids. Answers with both kinds and agreements: .923, without these runs .906.
AGREEMENTS = 0.1, 0.2
# With more, views agree more and are right less: on views of mfeat three to eight were best.
SWEEPS = 8
N_INIT = 5
"""Starts of k-means in the embeddings."""


def runs(
    tables: Sequence[Table], there: NDArray[np.bool_], found: ViewSupport, k: int, seed: int
) -> list[Fusion]:
    """Run co-regularised spectral clustering on the supported views, once per setting.

    Parameters
    ----------
    tables : the rows (n_v, d_v) that have each view, in the representation for scoring
    there : (n, V) True where a row has a view

    >>> from kinfolk.choosing import view_support
    >>> import scipy.sparse as sp
    >>> Z = np.eye(2)[np.repeat([0, 1], 8)] + np.linspace(0, 0.1, 16)[:, None]
    >>> own = [np.repeat([0, 1], 8)] * 2
    >>> W = [view_support.ViewGraph(sp.csr_array(Z @ Z.T), np.arange(16))] * 2
    >>> there = np.ones((16, 2), dtype=bool)
    >>> made = runs([Z, Z], there, view_support.support(own, W), 2, 0)
    >>> made[0].setting, np.unique(made[0].labels[:8]).size, np.unique(made[0].labels).size
    ('neighbors 5, pairwise, agreement 0.1', 1, 2)
    """
    n = len(there)
    order = found.order
    positions = [np.flatnonzero(there[:, v]) for v in order]
    half = view_graphs.neighbors(n, k)
    made = []
    for l in sorted({half, max(half // 2, view_graphs.FEWEST)}):
        graphs = [
            view_graphs.of_rows(tables[v], rows, n, l)
            for v, rows in zip(order, positions, strict=True)
        ]
        first = method.start(graphs, k, method.KINDS[0]).U  # the same for all kinds and agreements
        for kind, lam in itertools.product(method.KINDS, AGREEMENTS):
            s = method.started(first, kind)
            for _ in range(SWEEPS):
                s = method.sweep(graphs, s, lam)
            labels = starts.kmeans(method.places(s), k, seed, N_INIT)
            made.append(
                Fusion(labels, tuple(order), f"neighbors {l}, {kind}, agreement {lam}", NAME)
            )
    return made
