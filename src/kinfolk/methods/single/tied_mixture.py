"""Gaussian mixture of one table whose clusters share one covariance matrix.

    p(x) = sum_j w_j N(x; m_j, S)

Clusters are ellipsoids of one shape, which S learns; k-means is the case S = s^2 I, s -> 0. The EM
steps, the prior that keeps S regular where n < d, and their equations (1)-(5) are in
`numerics/gaussian_mixtures`.

Symbols     X (n, d), w (k,), m (k, d), S (d, d).
Units       w has none, m those of X, S their products. Another unit of a column changes the k-means
            start, and nothing else.
Limits      k = 1 is the mean and the shrunk covariance. See `numerics/gaussian_mixtures`.
Source      McLachlan, Peel, Finite Mixture Models, 2000, chapter 3; Fraley, Raftery (2007).
Departures  the prior is of Fraley and Raftery's kind, its weight that of Ledoit and Wolf (2004);
            there is none on the centers.
Beyond      a new row goes to its most probable cluster.
"""

from typing import Self

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table
from kinfolk.estimators import checks, kept_rows, warn
from kinfolk.estimators.base import Clusterer
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.numerics import gaussian_mixtures, starts


@parameterized
class TiedGaussianMixture(Clusterer):
    """Gaussian mixture whose clusters have one covariance matrix in common.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    covariance_shrinkage : float in [0, 1), rho, how far the covariance is drawn to a diagonal one;
        "auto": by the rule of Ledoit and Wolf
    n_init : int >= 1, k-means starts; the run with the lowest J is kept
    max_iter : int >= 1, the most sweeps of EM
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the most probable cluster of each row
    memberships_ : (n, k), probabilities of the clusters, rows sum to 1
    weights_ : (k,), shares of the clusters, which sum to 1
    cluster_centers_ : (k, d), their means
    covariance_ : (d, d), of all clusters
    covariance_shrinkage_ : the rho that was used
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    n_iter_, converged_ : sweeps of the run that was kept, and True if J no longer fell

    Warns
    -----
    ManyColumnsWarning : X has at least as many columns as rows

    Examples
    --------
    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> length = 4 * random.normal(size=40)  # two long clusters side by side
    >>> X = np.column_stack([length, length + random.normal(size=40) / 2 + 4 * (np.arange(40) % 2)])
    >>> model = TiedGaussianMixture(random_state=0).fit(X)
    >>> model.labels_[:10], model.covariance_.round(1)
    (array([0, 1, 0, 1, 0, 1, 0, 1, 0, 1]), array([[8.6, 8.6],
           [8.6, 9.3]]))
    >>> model.predict([[20.0, 20.0]]), model.predict_memberships([[0.0, 1.9]]).round(2)
    (array([0]), array([[0.77, 0.23]]))
    """

    of_rows = ("memberships_",)

    compares = "distances"  # those of the k-means starts
    keeps = kept_rows.MEMBERSHIPS

    n_clusters: int = 2
    covariance_shrinkage: float | str = "auto"
    n_init: int = 10
    max_iter: int = 300
    tol: float = 1e-6
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d), n >= k; InputError if X or a parameter cannot be used."""
        X, k = self._open(X, self.n_clusters)
        if k > 1:
            warn.of_separable_rows(X, "MEC, which compares distances")
        shrinkage = checks.covariance_shrinkage(self.covariance_shrinkage)
        p = gaussian_mixtures.in_span(gaussian_mixtures.problem([X], [k], shrinkage))
        run = Settings.of(self).best(
            start=lambda seed: gaussian_mixtures.start(p, [starts.kmeans(X, k, seed)], [k]),
            sweep=lambda s: gaussian_mixtures.sweep(p, s),
            objective=lambda s: s.loss,
            scale=p.scale,
            what="Gaussian mixtures",
        )
        found = gaussian_mixtures.unstandardized(p, run.state.mixture)
        self.weights_ = found.weights[0]
        self.cluster_centers_ = found.centers[0].astype(X.dtype, copy=False)
        self.covariance_ = found.covariance
        self.covariance_shrinkage_ = p.prior.shrinkage
        self.memberships_ = self._memberships(X)
        self.labels_ = self.memberships_.argmax(axis=1)
        return self._record(run)

    def predict(self, X: MatrixLike) -> Labels:
        """Return the most probable cluster (m,) of each row of X (m, d)."""
        return self.predict_memberships(X).argmax(axis=1)

    def predict_memberships(self, X: MatrixLike) -> Matrix:
        """Return the probabilities (m, k) of the clusters of new rows X (m, d)."""
        return self._memberships(self._new_rows(X))

    def _memberships(self, X: Table) -> Matrix:
        return gaussian_mixtures.memberships_of(
            X, self.weights_, self.cluster_centers_, self.covariance_
        )
