"""LSSMTC: clusters each task, and all tasks together in a shared subspace.

Soft k-means of each task in all features, and of all tasks together in a subspace they share.
Over memberships Y >= 0, own centers V_t, shared centers F and directions W, minimize

    J = lambda sum_t |X_t - Y_t V_t|^2 + (1 - lambda) |X W - Y F|^2                 (4)

and with the mean squared distance of two task means in W, which learns what tasks differ in (MCDA),

    + (1 - lambda) mu n mean_{t<s} |(m_t - m_s) W|^2                                (D)

1. F   = Y^+ X W                                                                   (6)
2. V_t = Y_t^+ X_t                                                                 (8)
3. W, by the name of the subspace (`numerics/subspaces`):
   "explained"   ours: the l largest eigenvectors of X'Y Y^+ X, less mu n G'G with (D) = |G W|^2
   "published"   the l smallest eigenvectors of X'(I - Y Y^+)X                    (16)
   "released"    the first l columns of the identity
4. Each row y of Y_t, to the best one for these: with a a row of A and

   A = lambda X_t V_t' + (1 - lambda) X_t W F',  B = lambda V_t V_t' + (1 - lambda) F F',

   one entry y_j = a_j / B_jj, for the j with the largest a_j / sqrt(B_jj) > 0,       (S)
   or, of mixed rows, y >= 0 with the lowest y B y' - 2 y a'. The published step towards these is
   Y_t <- Y_t o sqrt( (A+ + Y_t B-) / (A- + Y_t B+) ).                              (14)

The label of a row is its largest membership. The updates are in `numerics/shared_factorization`.

Symbols     X (n, d) all tasks, X_t (n_t, d), Y (n, k), V_t (k, d), F (k, l), W (d, l), W'W = I.
Units       J in squared units of X; lambda has none.
Exact       nothing is d x d where n < d, see `subspaces`; J from products with X.
Limits      mu = 0 is LSSMTC; a large mu leaves directions in which the tasks have equal means.
            lambda = 1 is soft k-means of each task; lambda = 0 is adaptive subspace iteration of
            all rows, and soft k-means of all rows for "explained" with l >= k. One task: both at
            once.
Source      Gu, Zhou (2009), equations (4)-(19). (D) after Zhang, Zhou, Pattern Recognition 45(1),
            2012 (MCDA).
Departures  1. (16) with d - rank(X) >= l, as always with texts, has solutions with X W = 0: the
            shared term then says nothing. "published" takes these. "explained" adds what lies
            outside of W to the shared term, |X - Y F W'|^2 = |X W - Y F|^2 + |X|^2 - |X W|^2.
            2. The code that the authors released starts from W = I (d, l) and multiplies it by
            sqrt( (N + W W'P) / (P + W W'N) ), N and P the parts of the gradient. Off the
            diagonal 0 stays 0, on it the ratio is 1: W never moves. So "released" keeps it.
            3. k-means in each task numbers its clusters at random, so that F mixes different
            ones. init="matched" is soft k-means of each task first, its clusters then numbered
            alike by `correspondence`. "kmeans" (as printed) and "random" (as released) can be
            chosen.
            4. A row belongs to one cluster, see `methods/single/soft_kmeans`, unless `mixed`. 20
            multiplicative sweeps, as published, stop far from a minimum; `update` and `max_iter`
            choose them. "matched" starts are then those of 20 sweeps from random memberships.
            5. MCDA is a reconstruction: its abstract says that clusters are best in the original
            and in a learnt space in which the distributions of tasks are close, found by turns;
            the maximum mean discrepancy is in its references. (D) is that of the linear kernel, in
            the objective of LSSMTC; the published formulas could not be read. W'W = I and
            "explained", since W'X'XW = I lets W place the rows anywhere where d >= n.
Beyond      a new row of task t gets the best y for V_t, W and F. With weights w of rows a row of
            weight 2 is two equal rows: with D = diag(w) the objective of the repeated table is

            lambda sum_t |D_t^1/2 (X_t - Y_t V_t)|^2 + (1 - lambda) |D^1/2 (X W - Y F)|^2,  (Dw)

            that is (4) of D^1/2 X and D^1/2 Y, where (6), (8), (16) and the rows' problems are
            too (`numerics/weighted_rows`); in (D) n is sum w, and m_t are weighted means. Weights
            times a constant change J by it, and nothing else. Clusters of different tasks are
            matched by rows with weights above 0, each as one.
"""

from typing import Any, Self

import numpy as np

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.blocks import Blocks, Rows
from kinfolk.blocks import shared_subspace as in_blocks
from kinfolk.errors import InputError, SharingWarning, warn_user
from kinfolk.estimators import checks, factorization, kept_rows, rows, task_blocks
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.estimators.correspondence import correspond
from kinfolk.estimators.descent import Run, Settings, alternate
from kinfolk.estimators.factorization import (
    OFFSET,
    PUBLISHED,
    UPDATES,
    SharedSubspaceEstimator,
)
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.renamed import accept_old_names
from kinfolk.numerics import relabeling, seminonnegative, shared_factorization, weighted_rows
from kinfolk.numerics.shared_factorization import Problem, State
from kinfolk.numerics.subspaces import SUBSPACES, CloseMeans, Subspace
from kinfolk.tables import Tasks

INITS = ("matched", *seminonnegative.PLAIN_INITS)
"""Names of `init`: "matched" numbers the clusters of soft k-means of each task alike."""

ALONE = 20
"""Sweeps of each task by itself before its clusters are matched with those of others."""

DEAR = 0.1
"""Warn if sharing raises the squared error of the tasks' own clusters by more than this share."""


def alone(
    X: Table,
    tasks: Tasks,
    k: int,
    seed: int,
    update: str,
    mixed: bool,
    weight: Vector | None = None,
) -> Run[State]:
    """Run soft k-means of each task by itself; the run's state has memberships Y (n, k).

    By exact updates from k-means labels, by multiplicative ones from random memberships. With
    weights (n,) the memberships are D^1/2 Y.
    """
    exact = update == "exact"
    # With lambda = 1 nothing is shared.
    heavy = weighted_rows.scaled(X, weight)
    p = shared_factorization.problem(heavy, tasks.rows(), mixed=mixed or not exact)
    sweep = shared_factorization.exact_sweeps if exact else shared_factorization.sweep
    init = "kmeans" if exact else "random"
    Y = shared_factorization.initial_memberships(X, tasks.rows(), k, seed, init, 0.0, weight)
    first = shared_factorization.best_centers(p, Y)
    return alternate(
        shared_factorization.with_best_memberships(p, first) if exact else first,
        sweep=lambda s: sweep(p, s),
        objective=lambda s: shared_factorization.objective(p, s),
        max_iter=ALONE,
        tol=0.0,
    )


def renumbered_alike(X: Table, codes: Labels, Y: Matrix, weight: Vector | None = None) -> Matrix:
    """Reorder each task's columns of Y (n, k) so that matched clusters have the same number.

    Clusters are matched by their rows with a weight above 0, each as one.
    """
    T = int(codes.max()) + 1
    k = Y.shape[1]
    labels = factorization.labels_of(Y)
    found = (X, labels, codes)
    if weight is not None:
        there = np.flatnonzero(weight)
        found = (X[there], labels[there], codes[there])
    groups = correspond(*found, list(range(T)), [k] * T).groups.reshape(T, k)
    new = np.empty_like(Y)
    for t, numbers in enumerate(relabeling.shared_numbers(groups)):
        rows = np.flatnonzero(codes == t)
        new[rows[:, None], numbers] = Y[rows]
    return new


@accept_old_names(parameters={"start": "init"}, unstated={**PUBLISHED, "gap_weight": 0.0})
@parameterized
class LSSMTC(SharedSubspaceEstimator, MultiTaskClusterer):
    """Multi-task clustering with centers of each task, and common ones in a shared subspace.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters, the same in every task
    own_weight : float in [0, 1], lambda, the weight of each task's own clusters; 1: nothing is
        shared, 0: all tasks are one (published: 0.25, 0.5, 0.75)
    subspace : "explained", "published" or "released", how W is found
    n_components : int >= 1, l, at most d of them are used; None: k (published: 2, 4, 8, 16)
    gap_weight : float >= 0, mu, the weight of the distance of task means in the subspace beside
        that of a row from its shared center; 0 is LSSMTC, more is MCDA ("explained" only)
    init : "matched", "kmeans" (as printed) or "random" (as released)
    mixed : a row may belong to several clusters, as published, instead of to one; always so with
        multiplicative updates
    update : "exact" rows by non-negative least squares, or "multiplicative" as printed
    n_init : int >= 1, starts, of which the one with the lowest J is kept
    max_iter : int >= 1, the most sweeps (published: 20)
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the column of the largest membership, as `predict` gives it to these rows
    memberships_ : list of T arrays Y (n_t, k), not negative, in the row order of each task
    cluster_centers_ : (T, k, d), V_t, in units of X over those of Y
    shared_centers_ : (k, l), F
    components_ : (d, l), W, orthonormal columns; fewer where gap_weight leaves no more
    subspace_share_ : |X W|_F / |X|_F; 0: W sees nothing of the data and nothing is shared
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep, with V, F and W renewed
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range; tasks with different numbers of clusters; weights that
        are negative, no numbers, or above 0 in fewer rows of a task than it has clusters

    Warns
    -----
    SharingWarning : sharing raises the squared error of the tasks' own clusters by a tenth or more
        above that of soft k-means of each task ("matched" starts)

    Examples
    --------
    >>> X = np.kron(np.eye(2), np.ones((4, 3))) + 0.1 * np.eye(8, 6)
    >>> model = LSSMTC(n_clusters=2, random_state=0).fit(X, tasks=list("abababab"))
    >>> model.task_names_.tolist(), model.components_.shape
    (['a', 'b'], (6, 2))
    >>> model.labels_
    array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> heavy = LSSMTC(2, random_state=0).fit(X, tasks=list("abababab"), sample_weight=[2, 1] * 4)
    >>> model.objective_trace_[-1].round(4), heavy.objective_trace_[-1].round(4)
    (np.float64(0.032), np.float64(0.0476))
    """

    keeps = kept_rows.MEMBERSHIPS
    of_rows = ("memberships_",)

    n_clusters: Any = 2
    own_weight: float = 0.5
    subspace: str = "explained"
    n_components: int | None = None
    gap_weight: float = 0.0
    init: str = "matched"
    mixed: bool = False
    update: str = "exact"
    n_init: int = 10
    max_iter: int = 300
    tol: float = 1e-4
    random_state: Seed = None

    def fit(
        self, X: MatrixLike, y: None = None, tasks: Any = None, sample_weight: Any = None
    ) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each.

        sample_weight (n,), not negative, counts a row as so many; None: 1. X may be in blocks
        (`kinfolk.Blocks`, or of Dask), which bring their weights with them: then memberships are
        not kept.
        """
        if rows.in_blocks(X, self):
            return self._fit_blocks(task_blocks.opened(self, X, tasks, sample_weight))
        sample_weight = rows.weights_beside(X, sample_weight)
        X, found = self._open(X, tasks)
        k = checks.one_number_of_clusters(self.n_clusters, found, "LSSMTC")
        checks.choice("init", self.init, INITS)
        update = checks.choice("update", self.update, UPDATES)
        gap_weight = checks.not_negative("gap_weight", self.gap_weight)
        weight = rows.weights_of_fit(self, sample_weight, found, [k] * len(found.names))
        errors: list[float] = []

        def first(p: Problem, seed: int) -> Matrix:
            return self._first_memberships(X, found, k, seed, weight, errors)

        run = self._minimize(X, found, k, first, gap_weight=gap_weight, weight=weight)
        if errors and update == "exact":
            p = shared_factorization.problem(weighted_rows.scaled(X, weight), found.rows())
            self._warn_of_cost(shared_factorization.own_error(p, run.state), min(errors))
        Y, labels = self._fitted_rows(X, found, run.state.Y, weight)
        self.memberships_ = [Y[rows] for rows in found.rows()]
        return self._record(X, found, labels, [k] * len(found.names), run)

    def _first_memberships(
        self, X: Table, tasks: Tasks, k: int, seed: int, weight: Vector | None, errors: list[float]
    ) -> Matrix:
        """First memberships Y (n, k), or D^1/2 Y with weights (n,), by the parameter `init`.

        `errors` gets the squared error of the tasks' own clusters if these are found first.
        """
        if self.init == "matched":
            each = alone(X, tasks, k, seed, self.update, self.mixed, weight)
            errors.append(each.trace[-1])
            return renumbered_alike(X, tasks.codes, each.state.Y, weight)
        offset = 0.0 if self.update == "exact" else OFFSET
        of_rows = (X, tasks.rows(), k, seed, self.init, offset, weight)
        return shared_factorization.initial_memberships(*of_rows)

    def _fit_blocks(self, found: Blocks) -> Self:
        """Cluster rows that come in blocks, with starts from a sample in memory."""
        k = checks.one_number_of_clusters(self.n_clusters, task_blocks.sizes_of(found), "LSSMTC")
        names = task_blocks.task_names(found)
        task_blocks.check_sample(found, [k] * len(names))
        run = self._descend_by_sums(found, names, k)
        return task_blocks.record(self, found, [k] * len(names), run)

    def _descend_by_sums(self, found: Rows, names: list[Any], k: int) -> Run[in_blocks.State]:
        """Descend by sums over blocks, and set the centers of the best run."""
        self._only_sums()
        sample = found.sample()
        tasks = Tasks(names, task_blocks.codes_of(sample))
        lam = checks.share("own_weight", self.own_weight)
        l = k if self.n_components is None else self.n_components
        l = min(checks.at_least("n_components", l, 1), found.shape[1])
        subspace = self._subspace(found, l, len(names))
        heavy = weighted_rows.scaled(sample.x, sample.weight)
        near = shared_factorization.problem(heavy, tasks.rows(), lam, subspace, mixed=False)
        p = in_blocks.problem(found, lam, subspace, len(tasks.names))
        errors: list[float] = []

        def start(seed: int) -> in_blocks.State:
            Y = self._first_memberships(sample.x, tasks, k, seed, sample.weight, errors)
            s = shared_factorization.best_centers(near, Y)
            return in_blocks.state_at(p, in_blocks.Centers(s.V, s.W, s.F))

        run = Settings.of(self).best(
            start=start,
            sweep=lambda s: in_blocks.sweeps(p, s),
            objective=lambda s: in_blocks.objective(p, s),
            scale=p.size,
            what="sharing a subspace",
        )
        s = run.state
        if errors:
            of_sample = in_blocks.problem(sample, lam, subspace, len(tasks.names))
            error = in_blocks.own_error(of_sample, in_blocks.state_at(of_sample, s.c))
            self._warn_of_cost(error, min(errors))
        self.cluster_centers_ = s.c.V.astype(found.dtype, copy=False)
        self.shared_centers_ = s.c.F
        self.components_ = s.c.W
        self.subspace_share_ = float(np.sqrt(s.terms.inside / p.size)) if p.size > 0 else 0.0
        return run

    def works_elsewhere(self) -> bool:
        """True if arrays on a GPU can be fitted there, with these parameters."""
        return self.update == "exact" and not self.mixed and self.subspace != "published"

    def _only_sums(self) -> None:
        """Raise InputError for parameters that need all rows in memory."""
        checks.choice("init", self.init, INITS)
        checks.choice("update", self.update, UPDATES)
        checks.choice("subspace", self.subspace, SUBSPACES)
        if not self.works_elsewhere():
            raise InputError(
                "X is in blocks, and for them LSSMTC needs update='exact', mixed=False and "
                "subspace='explained' or 'released'; give these, or the table itself if it fits."
            )

    def _subspace(self, found: Rows, l: int, T: int) -> Subspace:
        """Return the rule that finds W (d, l), with close task means if `gap_weight` is above 0."""
        weight = checks.not_negative("gap_weight", self.gap_weight)
        if weight == 0:
            return SUBSPACES[self.subspace](found.sample().x, l)
        self._needs_explained(weight)
        mass, sums = found.total(task_blocks.sums, T)
        return CloseMeans.of_means(sums / mass[:, None], l, weight * float(mass.sum()))

    def _warn_of_cost(self, error: float, alone: float) -> None:
        """Warn if own clusters fit far worse than those of each task alone."""
        if alone > 0 and error > (1.0 + DEAR) * alone:
            warn_user(
                "sharing makes the squared error of the clusters of each task "
                f"{error / alone - 1.0:.0%} larger than without: clusters of different tasks do "
                f"not fit together. Raise own_weight (now {self.own_weight:g}; 1 shares nothing), "
                "or cluster each task by itself.",
                SharingWarning,
            )
