"""Runs co-regularized spectral clustering on the views that take part in the answer.

One run for each consensus ("centroid", "pairwise"), each agreement in `AGREEMENTS` and each number
of nearest rows: half of the mean cluster size, at least 5 and at most 20, and half of that.

Units   none.
Limits  a row that lacks all of these views has no links, and gets a cluster by chance.
Source  `methods.multiview.coregularized_spectral`; what was measured: `docs/views-measured.md`.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Matrix, Table
from kinfolk.choosing import view_fusion
from kinfolk.choosing.view_fusion import Fusion
from kinfolk.methods.multiview import coregularized_spectral as method
from kinfolk.numerics import view_graphs

NAME = "coregularized-spectral"
# Mean accuracy of single runs on shaping tables: .882 with .2 and .5, .905 with .1 and .2, both by
# centroids. Answers with both kinds and agreements: .923, without these runs .906.
AGREEMENTS = 0.1, 0.2
# With more, views agree more and are right less: on views of mfeat three to eight were best.
SWEEPS = 8


class Linked(NamedTuple):
    """Graphs (n, n) of the views that take part, for one number l of nearest rows.

    `U` has the k leading eigenvectors (n, k) of each graph.
    """

    l: int
    graphs: dict[int, sp.csr_array]
    U: dict[int, Matrix]


def linked(
    tables: Sequence[Table], there: NDArray[np.bool_], order: Sequence[int], k: int
) -> list[Linked]:
    """Graphs of the views at the positions `order`, for each number of nearest rows.

    Parameters
    ----------
    tables : the rows (n_v, d_v) that have each view, in the representation for scoring
    there : (n, V) True where a row has a view
    """
    n = len(there)
    half = view_graphs.neighbors(n, k)
    made = []
    for l in sorted({half, max(half // 2, view_graphs.FEWEST)}):
        graphs = {
            v: view_graphs.of_rows(tables[v], np.flatnonzero(there[:, v]), n, l) for v in order
        }
        first = method.start(list(graphs.values()), k, method.KINDS[0]).U
        made.append(Linked(l, graphs, dict(zip(graphs, first, strict=True))))
    return made


def runs(made: Sequence[Linked], k: int, seed: int) -> list[Fusion]:
    """Run co-regularized spectral clustering on the linked views, once per setting.

    >>> Z = np.eye(2)[np.repeat([0, 1], 8)] + np.linspace(0, 0.1, 16)[:, None]
    >>> there = np.ones((16, 2), dtype=bool)
    >>> made = linked([Z, Z], there, [0, 1], 2)
    >>> run = runs(made, 2, 0)[0]
    >>> run.setting, np.unique(run.labels[:8]).size, np.unique(run.labels).size
    ('neighbors 5, pairwise, agreement 0.1', 1, 2)
    """
    found = []
    for l, graphs, U in made:
        for kind, lam in itertools.product(method.KINDS, AGREEMENTS):
            s = method.started(list(U.values()), kind)  # the same for all kinds and agreements
            for _ in range(SWEEPS):
                s = method.sweep(list(graphs.values()), s, lam)
            labels = view_fusion.divided(s.U, k, seed)
            setting = f"neighbors {l}, {kind}, agreement {lam}"
            found.append(Fusion(labels, tuple(graphs), setting, NAME))
    return found
