"""CoMSC: subspace clustering with one self-representation of rows for several kernels.

With kernels K_p (n, n) of the views, minimize over Z (n, n), U_p (c, n) and weights b, g

    J = lam |Z|^2 + sum_p b_p |U_p - U_p Z|^2 - mu sum_p g_p tr(U_p K_p U_p')       (1)
    U_p U_p' = I,  diag Z = 0,  sum_p sqrt(b_p) = 1,  sum_p g_p^2 = 1

by exact block updates, so that J never rises:

    Z_ij = -D_ij / D_jj off the diagonal,  D = (lam I + sum_p b_p U_p'U_p)^-1      (2)
    U_p  = the c leading eigenvectors of the symmetric part of
           2 b_p Z - b_p ZZ' + mu g_p K_p                                          (3)
    b_p  = (1/e_p)^2 / (sum_q 1/e_q)^2,  e_p = |U_p - U_p Z|^2                     (4)
    g_p  = f_p / |f|,  f_p = tr(U_p K_p U_p')                                      (5)

The labels are those of a normalized cut of the positive part of Z + Z'.

Symbols     n rows, k clusters, P kernels; lam and mu are lambda_1 and lambda_2 of the source.
Units       none: kernels are centered and have a diagonal of 1.
Exact       D is a multiple of I less a matrix of rank P c, so that no (n, n) system is solved; (3)
            by Lanczos steps above 1500 rows. For at most 5000 rows.
Limits      lam -> infinity: Z = 0. One kernel, mu -> infinity: U spans its leading eigenvectors,
            and Z_ij = P_ij / (1 + lam - P_jj) with P = U'U; lam -> infinity then: the normalized
            cut of the positive entries of P.
Source      Liu, Liu, Yang, Guo, Kloft, He, IEEE Trans. Neural Networks and Learning Systems 33(10),
            2022; (1)-(5) as read from the authors' released code.
Departures  the released code takes five kernels of every view (kernels="five"); the default is one
            Gaussian with the median distance. New rows go by the votes of near rows.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Vector
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.voted_views import VotedViews
from kinfolk.numerics import centered_kernels, memberships, spectra, starts


class State(NamedTuple):
    """Embedding U_p (c, n) and weights (P,) per kernel, and self-representation Z (n, n)."""

    U: list[Matrix]
    b: Vector
    g: Vector
    Z: Matrix


def combinations(U: list[Matrix], b: Vector, lam: float) -> Matrix:
    """Ridge self-representation Z (n, n): each row as a combination of all other rows."""
    B = np.vstack([np.sqrt(weight) * Up for weight, Up in zip(b, U, strict=True)])
    # D by an inverse of the size of the rank of all U_p.
    inner = np.linalg.solve(lam * np.eye(len(B)) + B @ B.T, B)
    D = -(B.T @ inner)  # lam D less the identity
    D[np.diag_indices_from(D)] += 1.0
    Z: Matrix = -D / np.diagonal(D)
    np.fill_diagonal(Z, 0.0)
    return Z


def misfits(s: State) -> Vector:
    """Squared error (P,) of the self-representation in each kernel's embedding."""
    return np.array([np.sum(np.square(Up - Up @ s.Z)) for Up in s.U])


def explained(kernels: list[Matrix], U: list[Matrix]) -> Vector:
    """Part (P,) of each kernel's trace that its embedding explains."""
    return np.array([np.sum((Up @ K) * Up) for K, Up in zip(kernels, U, strict=True)])


def objective(kernels: list[Matrix], s: State, lam: float, mu: float) -> float:
    """Weighted misfits, less the explained traces, plus the ridge penalty on Z."""
    J = lam * np.sum(np.square(s.Z)) + s.b @ misfits(s)
    return float(J - mu * (s.g @ explained(kernels, s.U)))


def weights(e: Vector, f: Vector) -> tuple[Vector, Vector]:
    """Optimal kernel weights b (P,) for misfits e (P,), and g (P,) for explained traces f (P,).

    >>> weights(np.array([1.0, 3.0]), np.array([3.0, 4.0]))
    (array([0.5625, 0.0625]), array([0.6, 0.8]))
    """
    roots = memberships.fuzzy(e[None], 2.0)[0]
    size = np.linalg.norm(f)
    return roots**2, f / size if size > 0 else np.full(len(f), 1.0 / np.sqrt(len(f)))


def sweep(kernels: list[Matrix], s: State, lam: float, mu: float) -> State:
    """Update the embeddings, the weights, then the self-representation."""
    c = len(s.U[0])
    linked = s.Z + s.Z.T - s.Z @ s.Z.T
    M = np.empty_like(linked)
    U = []
    for K, b, g in zip(kernels, s.b, s.g, strict=True):
        np.multiply(linked, b, out=M)
        M += mu * g * K
        U.append(centered_kernels.leading(M, c).T)  # (3)
    s = s._replace(U=U)
    b, g = weights(misfits(s), explained(kernels, U))
    return State(U, b, g, combinations(U, b, lam))


def start(kernels: list[Matrix], c: int, lam: float) -> State:
    """First state: leading eigenvectors of the kernels and equal weights."""
    P = len(kernels)
    U = [centered_kernels.leading(K, c).T for K in kernels]
    b = np.full(P, 1.0 / P**2)
    return State(U, b, np.full(P, 1.0 / np.sqrt(P)), combinations(U, b, lam))


@parameterized
class CoMSC(VotedViews):
    """Consensus subspace clustering of several views by their kernels.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    views : mapping view -> columns of X (slice, positions or names); None: one view
    n_components : int >= 1, c, eigenvectors of each kernel (paper: k to 20 k); None: n_clusters
    ridge : float > 0, lam (paper: 2^-10 to 2^10)
    kernel_weight : float > 0, mu (paper: 1)
    kernels : "gaussian", one of each view, or the "five" of the released code
    n_init : int >= 1, k-means starts in the eigenvectors of the cut
    max_iter : int >= 1, the most sweeps (code: 20)
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts of k-means

    Attributes
    ----------
    labels_ : (n,), the cluster of each row
    view_names_ : (V,)
    view_weights_ : (V,), the sum of g_p^2 over the kernels of a view
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    n_iter_, converged_ : sweeps of the run that was kept, and True if J no longer fell

    Raises
    ------
    InputError : a parameter is out of range, or X is no finite table of k to 5000 rows

    Examples
    --------
    >>> from kinfolk.tables import join
    >>> X, views = join({"a": [[0.0], [0.1], [5.0], [5.1]], "b": [[1.0], [1.2], [-4.0], [-4.1]]})
    >>> model = CoMSC(n_clusters=2, views=views, random_state=0).fit(X)
    >>> model.labels_, model.predict([[4.0, -3.0]])
    (array([1, 1, 0, 0]), array([0]))
    >>> model.view_weights_.round(1)
    array([0.5, 0.5])
    """

    n_clusters: int = 2
    views: Mapping[Any, Any] | None = None
    n_components: int | None = None
    ridge: float = 1.0
    kernel_weight: float = 1.0
    kernels: str = "gaussian"
    n_init: int = 10
    max_iter: int = 50
    tol: float = 1e-5
    random_state: Seed = None

    def _measures_from_zero(self) -> bool:
        return self.kernels == "five"  # of which some are of products of rows

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d)."""
        rows, k = self._open_rows(X)
        n = rows.X.shape[0]
        self._few_rows(n)
        settings = Settings.of(self)
        lam = checks.above("ridge", self.ridge, 0)
        mu = checks.above("kernel_weight", self.kernel_weight, 0)
        c = k if self.n_components is None else self.n_components
        if checks.at_least("n_components", c, 1) > n:
            raise InputError(f"n_components is {c} but X has only {n} rows; give at most {n}.")
        kind = checks.choice("kernels", self.kernels, centered_kernels.KINDS)
        found = [centered_kernels.of(T, kind, settings.seeds[0]) for T in rows.sorted_tables()]
        kernels = [K for own in found for K in own]
        run = settings.descend(
            start(kernels, c, lam),
            sweep=lambda s: sweep(kernels, s, lam, mu),
            objective=lambda s: objective(kernels, s, lam, mu),
            scale=float(n),
        )
        owner = np.repeat(np.arange(len(found)), [len(own) for own in found])
        weights = np.bincount(owner, weights=run.state.g**2).astype(np.float64)
        labels = cut(run.state.Z, k, settings.seeds[0], len(settings.seeds))
        return self._record_labels(rows, labels, run, weights)


def cut(Z: Matrix, k: int, seed: int, n_init: int) -> Labels:
    """Labels (n,) by spectral clustering of the positive part of Z + Z'."""
    W = np.maximum(Z, 0.0)
    places = spectra.spectrum(sp.csr_array((W + W.T) / 2), k).embedding()
    return starts.kmeans(places, k, seed, n_init)
