"""Co-regularized spectral clustering: embeddings of the views with a penalty on disagreement.

With the normalized graphs S_v = D_v^-1/2 W_v D_v^-1/2 of V views, maximize over U_v, U_v'U_v = I

    pairwise    -J = sum_v tr(U_v'S_v U_v) + lam sum_{v<w} |U_v'U_w|^2                  (1)
    centroid    -J = sum_v tr(U_v'S_v U_v) + lam sum_v |U_v'C|^2,   C'C = I             (2)

by exact block updates, so that J never rises; each is k leading eigenvectors:

    U_v: of S_v + lam sum_{w != v} U_w U_w'   pairwise;   of S_v + lam C C'   centroid  (3)
    C:   of sum_v U_v U_v'                                                              (4)

The labels are those of k-means on U_1, ..., U_V side by side, each with rows of length 1.

Symbols     W_v (n, n), U_v and C (n, k); lam is `agreement`; |.| the Frobenius norm, so that
            |U_v'U_w|^2 = tr(U_v U_v' U_w U_w') is the agreement of two similarities.
Units       none: the graphs have a scale for each row, see `local_graphs`.
Exact       U_w U_w' is never formed above 300 rows: Lanczos steps take products with S_v and U_w.
Limits      lam = 0: spectral clustering of each view. One view: that of its graph. Equal views: the
            same for every lam.
Source      Kumar, Rai, Daume: Co-regularized multi-view spectral clustering. NIPS 24 (2011),
            equations (2)-(5) for pairs, (6)-(8) for the centroid.
Departures  the source has a Gaussian kernel of all pairs, of the median distance: here the graph of
            nearest rows with local scales; it runs k-means on C, or on the U_v of one view or side
            by side: here side by side, which was better on mfeat. A row that lacks a view
            has no links in its graph; (3) then places it by the other views.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Matrix, MatrixLike, Seed
from kinfolk.estimators import checks
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.voted_views import VotedViews
from kinfolk.numerics import (
    distances,
    raised_spectra,
    spectra,
    starts,
    view_graphs,
)

KINDS = ("pairwise", "centroid")


class State(NamedTuple):
    """Embeddings U_v (n, k) of the views, and their centroid C (n, k) (None for pairs)."""

    U: list[Matrix]
    C: Matrix | None


def objective(graphs: Sequence[sp.csr_array], s: State, lam: float) -> float:
    """Negative spectral criterion of all views, minus lam times the agreement of embeddings."""
    own = sum(float(np.sum(U * (S @ U))) for S, U in zip(graphs, s.U, strict=True))
    if s.C is not None:
        shared = sum(_agreement(U, s.C) for U in s.U)  # (2)
    else:
        V = len(s.U)
        shared = sum(_agreement(s.U[v], s.U[w]) for v in range(V) for w in range(v))  # (1)
    return -own - lam * shared


def _agreement(U: Matrix, W: Matrix) -> float:
    return float(np.sum(np.square(U.T @ W)))


def sweep(graphs: Sequence[sp.csr_array], s: State, lam: float) -> State:
    """Update each view's embedding in turn, then the centroid."""
    U = list(s.U)
    k = U[0].shape[1]
    root = np.sqrt(lam)
    for v, S in enumerate(graphs):
        others = [s.C] if s.C is not None else [*U[:v], *U[v + 1 :]]
        B = root * np.hstack(others) if others else np.zeros((len(U[v]), 1))
        U[v] = raised_spectra.leading(S, B, k)  # (3)
    return State(U, None if s.C is None else centroid(U))


def centroid(U: Sequence[Matrix]) -> Matrix:
    """Centroid C (n, k): the k leading eigenvectors of the sum of U_v U_v' over the views.

    >>> C = centroid([np.eye(3)[:, :1], np.eye(3)[:, :1], np.eye(3)[:, 1:2]])
    >>> abs(C.T).round(6)
    array([[1., 0., 0.]])
    """
    # Left singular vectors of the U_v side by side are the eigenvectors of sum U_v U_v'.
    left, _, _ = np.linalg.svd(np.hstack(list(U)), full_matrices=False)
    found: Matrix = left[:, : U[0].shape[1]]
    return found


def start(graphs: Sequence[sp.csr_array], k: int, kind: str) -> State:
    """First state: the k leading eigenvectors of each view's graph by itself."""
    return started([spectra.largest(S, k)[1] for S in graphs], kind)


def started(U: list[Matrix], kind: str) -> State:
    """Return the state of embeddings U_v (n, k), with their centroid if `kind` is "centroid"."""
    return State(U, centroid(U) if kind == "centroid" else None)


def places(s: State) -> Matrix:
    """Stack the views' embeddings side by side (n, V k), as unit rows for k-means."""
    return np.hstack([distances.unit_rows(U) for U in s.U])


@parameterized
class CoregularizedSpectral(VotedViews):
    """Spectral clustering of several views with a penalty on disagreeing embeddings.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    views : mapping view -> columns of X (slice, positions or names); None: one view. A row lacks a
        view if all its columns are NaN
    agreement : float >= 0, lam of equations (1) and (2) (paper: .01 to .05 for a kernel of all
        pairs)
    consensus : "centroid", every view agrees with C, or "pairwise", with every other view
    n_neighbors : int >= 1, l, nearest rows that a row is linked to in each view; None: half of the
        mean cluster size, at least 5 and at most 20
    n_init : int >= 1, k-means starts in the embeddings
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts of k-means

    Attributes
    ----------
    labels_ : (n,), the cluster of each row
    view_names_ : (V,)
    view_weights_ : (V,), equal: the objective has no weights of views
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    n_iter_, converged_ : sweeps of the run that was kept, and True if J no longer fell

    Raises
    ------
    InputError : a parameter is out of range; X is no finite table of at least k rows, but for views
        that are NaN as a whole

    Examples
    --------
    >>> from kinfolk.tables import join
    >>> X, views = join({"a": [[0.0], [0.1], [5.0], [5.1]], "b": [[1.0], [1.2], [-4.0], [-4.1]]})
    >>> model = CoregularizedSpectral(n_clusters=2, views=views, n_neighbors=1, random_state=0)
    >>> model.fit(X).labels_, model.predict([[4.0, -3.0]])
    (array([1, 1, 0, 0]), array([0]))
    >>> model.objective_trace_[[0, -1]].round(3)  # -(V + V lam) k at best
    array([-4.8, -4.8])
    """

    takes_missing_views = True

    n_clusters: int = 2
    views: Mapping[Any, Any] | None = None
    agreement: float = 0.2
    consensus: str = "centroid"
    n_neighbors: int | None = None
    n_init: int = 10
    max_iter: int = 100
    tol: float = 1e-3
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d); a row may lack views, each NaN in all its columns there."""
        rows, k = self._open_rows(X)
        n = rows.X.shape[0]
        settings = Settings.of(self)
        lam = checks.not_negative("agreement", self.agreement)
        kind = checks.choice("consensus", self.consensus, KINDS)
        l = view_graphs.neighbors(n, k) if self.n_neighbors is None else self.n_neighbors
        l = checks.at_least("n_neighbors", l, 1)
        graphs = view_graphs.normalized(rows.sorted_tables(), rows.there, l)
        run = settings.descend(
            start(graphs, k, kind),
            sweep=lambda s: sweep(graphs, s, lam),
            objective=lambda s: objective(graphs, s, lam),
            scale=float(k * len(graphs)),
        )
        labels = starts.kmeans(places(run.state), k, settings.seeds[0], len(settings.seeds))
        return self._record_labels(rows, labels, run)
