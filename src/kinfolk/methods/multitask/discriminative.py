"""Discriminative multi-task clustering by related linear models (DMTFC-LS, DMTRC-LS).

Over hard labels h_t, models W_t and a matrix that is positive definite with trace 1, minimize

    J = sum_t |Y_t - X_t W_t|^2 / n_t + l1 sum_t |W_t|^2 + l2 R                     (1)

where Y_t is the indicator of h_t less 1 / k_t, every cluster of task t has from
(1 - slack) n_t / k_t to (1 + slack) n_t / k_t rows, and R is

    DMTFC-LS  tr( D^-1 (sum_t W_t W_t' + e I) ),  D (r, r) the covariance of features
              D = (sum_t W_t W_t' + e I)^(1/2) / its trace                          (2)
    DMTRC-LS  tr( Omega^-1 (G + e I) ),  G_ts = <W_t, W_s>,  Omega (T, T) that of tasks
              Omega = (G + e I)^(1/2) / its trace                                   (3)

The other blocks, each an exact minimum:

    W_t = Q X_t' (X_t Q X_t' + n_t I)^-1 Y_t,  Q = (l1 I + l2 D^-1)^-1              (4)
    (X_t'X_t / n_t + c I) W_t = X_t'Y_t / n_t - l2 sum_{s != t} P_ts W_s            (5)
        with P = Omega^-1, c = l1 + l2 P_tt, one task after the other
    h_t maximizes sum_i F[i, h_t(i)] with F = X_t W_t, within these sizes           (6)
    DMTRC-LS numbers the clusters of each task such that R is least (an assignment) (7)

W goes on along a step of (4) or (5), in steps of twice the length, while J falls.

Symbols     X_t (n_t, d) rows less their mean, Y_t (n_t, k_t), W_t (d, k_t), r the dimension of the
            span of all X_t, l1 = shrinkage, l2 = shared_shrinkage.
Units       none: X is divided by the root mean square distance of rows from the mean of their task.
            Texts of unit length keep nearly their unit, so that the published l1 and l2 hold.
Exact       Q is low-rank plus a multiple of I, and (4) costs n_t^2 k after one eigendecomposition
            of min(n_t, d)^2 numbers per task; nothing is d x d unless d < n_t, and sparse tables
            stay sparse. (6) is solved as a transportation problem, `sized_assignment`.
Cost        n_t^2 d once for the inner products, n_t^3 for their eigenvectors; n_t^2 k per sweep.
Limits      l2 = 0: each task by itself. R of DMTFC-LS at e = 0 is the squared trace norm of
            [W_1 .. W_T]; with one task, and DMTRC-LS of one task, ridge regressions.
Source      Zhang, IEEE TPAMI 37(1), 2015, for the idea: convex multi-task feature learning
            (Argyriou, Evgeniou, Pontil, Machine Learning 73, 2008: (2), and e) or relationship
            learning (Zhang, Yeung, UAI 2010: (3)) joined with maximum-margin clustering of classes
            of bounded size, with l1 = l2 from 2^-10 to 2^-2.
Departures  a reconstruction: the text of the 2015 paper could not be had. Published are its blocks,
            the bound on sizes, and the grid. Ours are the squared loss in place of the hinge, hard
            labels by (6), the start, and (7); hence the names end in LS, for least squares. The
            published method relaxes the labels to a convex problem. With a squared loss that
            relaxation is empty: labels at the mean of all labelings and W = 0 give J = 0. So J has
            local minima here, and starts: k-means of each task's k_t - 1 principal components.
            1 / k_t in place of free intercepts: these make J fall with the entropy of the sizes
            alone, so that clusters end at the bounds whatever the rows say.
            The slack is ours too: the figures printed for DMTFC cannot be reached with clusters of
            equal size, nor with a slack below .26.
            l2 = 2^-6 over the rank of the prior by default ("auto"): of a prior of trace 1 and rank
            p each direction has 1/p, so that a fixed l2 shrinks models p times as much.
            e > 0 keeps directions alive that no model uses at the moment: with e = 0 the models
            never leave the span of the first ones. Half of the first prior lies evenly.
Beyond      the multipliers of the bounds in (6) are prices of the clusters. A new row goes to the
            largest of x W_t + prices, and `labels_` are these for the rows of the fit: equal
            rows stay together, where the bounds would part them.
"""

from abc import abstractmethod
from typing import Any, ClassVar, Self

from kinfolk.arrays import Labels, MatrixLike, Seed, Table
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.numerics import discriminative, operators
from kinfolk.numerics.discriminative import Problem, State
from kinfolk.tables import Tasks

SLACK = 0.5
"""Default of `size_slack`: clusters of half to one and a half times the mean size.

The figures printed for DMTFC cannot be reached with less than .26.
"""


@parameterized
class DiscriminativeClusterer(MultiTaskClusterer):
    """Base of clusterers of several tasks by linear models with a shared prior."""

    compares = "distances"
    relations: ClassVar[bool]

    n_clusters: Any = 2
    shrinkage: float = discriminative.MIDDLE
    shared_shrinkage: float | str = "auto"
    size_slack: float = SLACK
    n_init: int = 10
    max_iter: int = 1000
    tol: float = 1e-5
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None, tasks: Any = None) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each."""
        X, found = self._open(X, tasks)
        k = self._clusters(found)
        tables = [X[rows] for rows in found.rows()]
        settings = Settings.of(self)
        p = discriminative.problem(
            tables,
            k,
            slack=checks.number("size_slack", self.size_slack, 0.0, 1.0, open_low=False),
            own=checks.above("shrinkage", self.shrinkage, 0),
            shared=self._shared_shrinkage(),
            relations=self.relations,
        )
        # e is that of the first start for all of them, so that their J can be compared.
        p = discriminative.smoothed(p, settings.seeds[0])
        run = settings.best(
            start=lambda seed: discriminative.start(p, seed),
            sweep=lambda s: discriminative.sweep(p, s),
            objective=lambda s: discriminative.objective(p, s),
            scale=float(len(k)),
            what="discriminative clustering",
        )
        self._keep(p, run.state)
        labels = found.merged(self._assign(own, t) for t, own in enumerate(tables))
        return self._record(X, found, labels, k, run)

    def _shared_shrinkage(self) -> float | None:
        """Check the shared shrinkage and return it, None for "auto"."""
        given = self.shared_shrinkage
        if not isinstance(given, str):
            return checks.above("shared_shrinkage", given, 0)
        if given != "auto":
            raise InputError(
                f'shared_shrinkage is {given!r}; give a number greater than 0, or "auto".'
            )
        return None

    @abstractmethod
    def _clusters(self, tasks: Tasks) -> list[int]:
        """Check the number of clusters of each task and return them."""

    def _keep(self, p: Problem, s: State) -> None:
        """Set `coef_` and `intercept_` for X in its own units."""
        self.coef_ = [W / rows.unit for W, rows in zip(s.W, p.rows, strict=True)]
        self.intercept_ = [
            b - rows.mean @ W
            for b, rows, W in zip(discriminative.prices(p, s), p.rows, self.coef_, strict=True)
        ]

    def _assign(self, X: Table, t: int) -> Labels:
        return (operators.times(X, self.coef_[t]) + self.intercept_[t]).argmax(axis=1)


class DMTFCLS(DiscriminativeClusterer):
    """Discriminative multi-task clustering with features in common, by least squares (DMTFC-LS).

    A reconstruction, with formulas of ours: see the module.

    Parameters
    ----------
    n_clusters : int >= 1, or a mapping task -> int
    shrinkage : float > 0, l1, of all models alike, beside rows of variance 1 (paper: 2^-10 to 2^-2)
    shared_shrinkage : float > 0, l2, of models in directions that few models use (paper: the same),
        or "auto": 2^-6 over the number of directions or of models, sum_t k_t, whichever is less
    size_slack : float in [0, 1), how far the size of a cluster may lie from n_t / k_t, as a share
        of it; 0: equal sizes
    n_init : int >= 1, k-means starts; the run with the lowest J is kept
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the cluster of each row, from 0 in each task
    coef_ : list of T arrays W (d, k_t), in units of 1/X
    intercept_ : list of T arrays (k_t,); labels are the largest of X W + intercept
    feature_directions_ : (d, p) orthonormal columns, the directions that the models use
    feature_shares_ : (p,) their eigenvalues in D, shares of its trace of 1
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range; a task has fewer rows than clusters, or only one

    Examples
    --------
    >>> import numpy as np
    >>> from kinfolk.datasets import makers
    >>> data = makers.make_related_blobs(random_state=0)
    >>> model = DMTFCLS(n_clusters=3, random_state=0).fit(data.X, tasks=data.tasks)
    >>> np.bincount(model.matched_labels_)
    array([68, 66, 33, 33])
    """

    relations = False

    def _clusters(self, tasks: Tasks) -> list[int]:
        return checks.clusters(self.n_clusters, tasks)

    def _keep(self, p: Problem, s: State) -> None:
        super()._keep(p, s)
        self.feature_directions_ = s.prior.V
        self.feature_shares_ = s.prior.w


class DMTRCLS(DiscriminativeClusterer):
    """Discriminative multi-task clustering that learns how tasks are related, by least squares.

    DMTRC-LS, a reconstruction, with formulas of ours: see the module.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters, the same in every task
    shrinkage : float > 0, l1, of all models alike, beside rows of variance 1 (paper: 2^-10 to 2^-2)
    shared_shrinkage : float > 0, l2, of models that differ from those of related tasks (paper: the
        same), or "auto": 2^-6 / T
    size_slack : float in [0, 1), how far the size of a cluster may lie from n_t / k, as a share of
        it; 0: equal sizes
    n_init : int >= 1, k-means starts; the run with the lowest J is kept
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the cluster of each row, from 0; related clusters have the same number
    coef_ : list of T arrays W (d, k), in units of 1/X
    intercept_ : list of T arrays (k,); labels are the largest of X W + intercept
    task_covariance_ : (T, T), Omega, of trace 1, in the order of `task_names_`
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range; tasks with different numbers of clusters

    Examples
    --------
    >>> import numpy as np
    >>> from kinfolk.datasets import makers
    >>> data = makers.make_related_blobs(random_state=0)
    >>> model = DMTRCLS(n_clusters=3, random_state=0).fit(data.X, tasks=data.tasks)
    >>> np.bincount(model.matched_labels_), model.task_covariance_.shape
    (array([68, 66, 33, 33]), (2, 2))
    """

    relations = True

    def _clusters(self, tasks: Tasks) -> list[int]:
        k = checks.one_number_of_clusters(self.n_clusters, tasks, "DMTRC-LS")
        return [k] * len(tasks.names)

    def _keep(self, p: Problem, s: State) -> None:
        super()._keep(p, s)
        self.task_covariance_ = (s.prior.V * s.prior.w) @ s.prior.V.T
