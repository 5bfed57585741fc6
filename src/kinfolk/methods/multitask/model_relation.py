"""Multi-task clustering with model relation learning (MTCMRL), and SNMF+LR, its single-task limit.

Symmetric factorization of each task whose memberships are also a linear regression on the
features; clusters of different tasks with similar regressions draw each other's closer. Minimize

    J = sum_t  1/2 |M_t - Y_t Y_t'|_F^2 + lambda |Y_t - X_t W_t|_F^2 + mu |W_t|_F^2
      + alpha sum_{t<s} ( sum_ij |W_t[:,i] - W_s[:,j]|^2 G_ts[i,j] + beta |G_ts|_F^2 )   (3)

over Y_t >= 0, W_t, and G_ts >= 0 whose entries sum to 1, with G_st = G_ts', by

    G_ts     = simplex(-A / (2 beta)),   A_ij = |W_t[:,i] - W_s[:,j]|^2,  for all s      (5)
    W_t[:,i] : (lambda X'X + (mu + alpha h_i) I) w = lambda X'y_i + alpha z_i            (7)
               z_i = sum_s W_s G_ts[i,:]',   h_i = sum_s sum_j G_ts[i,j]
    y        = argmin |m - Y y|^2 + lambda |y - q|^2 over y >= 0, of each row m of M     (R)

from k-means labels as 0/1 rows plus 0.2 and W = 0. M may first be divided by its degrees d = M 1,

    M <- S M S,   S = sqrt(mean d) diag(d)^-1/2.                                  (D)

Each sweep solves (5), and goes from all Y and W
towards the solutions of (R) and (7) as far as J falls most (`model_relations`). The label of a row,
of the fit or new, is the largest entry of its y of (R). The printed step of Y is

    Y_t      = Y o sqrt( (P Y + lambda Q+) / (Y Y'Y + N Y + lambda Y + lambda Q-) )     (19)
               Q = X W = Q+ - Q-,   M = P - N

Symbols     X_t (n_t, d), Y_t (n_t, k_t), W_t (d, k_t), M_t (n_t, n_t), G_ts (k_t, k_s).
Units       J has none; mu and alpha are in squared units of X: rows should be about unit length.
Exact       (5) is a projection: no quadratic programme. (7) solves in O(n d k), after one
            eigendecomposition per task (`ridge`), what (10) and (13) solve as an n x n Sylvester
            equation. For cosines M = Z Z' is never formed where it would outweigh X, and
            |M - YY'|^2 = |Z'Z|^2 - 2 <Y, MY> + |Y'Y|^2.
Limits      relation_weight=0: every task by itself, which is SNMF+LR; with regression_weight=0
            also, SymNMF of the same affinity (J is then half of its). evenness -> infinity: G is
            uniform; evenness -> 0: each G_ts links only the two most similar clusters. The sum of
            each G_ts being 1, unrelated tasks draw each other as much as related ones.
Source      Zhang, Zhang, Liu, Luo (2018), IJCAI, equations (1)-(19), algorithm 1.
Departures  (D) as in SymNMF, which the paper has not. Exact sweeps end where (5), (7) and the
            condition (17) of Y hold, whatever the order of the tasks. `update="multiplicative"` is
            (5), (7) and (19) of each task in turn, with the largest entry of Y as label: it depends
            on the order in which tasks first occur. A regression weight of 1 and not of 4: 4 draws
            clusters of a few rows into others.
            (3) sums over t != s, where each W stands in the terms of (t, s) and (s, t), and (6)
            counts one of them. Summed over pairs t < s, as here, (5) and (7) are exact minimizers.
            (19) shows no root, and without one J oscillates. The square root lowers J except far
            from rest; there the fourth root is taken, which cannot raise it (`factor`).
            The paper has M >= 0; P and N allow any symmetric M.
            W starts at 0: `first_weights=1` is as printed (where n_t x h_t should be d x h_t), but
            ones pull the first regressions towards the sum of all features.
            The descent stops at a share of J instead of an absolute threshold of 1.
            The Itakura-Saito similarity is not said: here the Gaussian of the symmetric divergence.
Beyond      a new row with similarities m to the rows of its task gets its y of (R). Where no m can
            be had (matrices given), the regression alone decides.
            With weights w of rows, D = diag(w), the terms of a task are those of its table with row
            i repeated w_i times, whose copies have the similarity M_ii: with F = D^1/2 Y,

                1/2 |D^1/2 M D^1/2 - F F'|_F^2 + lambda |F - D^1/2 X W|_F^2 + mu |W|_F^2,   (3w)

            for which (7), (R) and (19) are computed (`numerics/weighted_rows`); (D) has d = M w.
            Weights times c are another problem, as mu |W|^2 and (5) do not grow with them.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Self, TypeAlias

import numpy as np

from kinfolk.arrays import Labels, MatrixLike, Seed, Table, Vector
from kinfolk.blocks import Blocks, gram, kernel
from kinfolk.blocks.ridge import BlockRidge
from kinfolk.errors import InputError
from kinfolk.estimators import (
    affinity,
    checks,
    factorization,
    kept_rows,
    task_blocks,
    task_similarity,
    warn,
)
from kinfolk.estimators import rows as rows_in
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.estimators.descent import Run, Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.numerics import (
    degrees,
    kinds,
    memberships,
    model_relations,
    operators,
    similarities,
    starts,
    weighted_rows,
)
from kinfolk.numerics.model_relations import SOLVERS, Problem, RelationTask, State
from kinfolk.numerics.operators import Symmetric
from kinfolk.numerics.ridge import Regression, Ridge
from kinfolk.numerics.symmetric_factorization import factor, point
from kinfolk.running import progress

PREPARING = "preparing regressions"
Weights: TypeAlias = Sequence[Vector | None]
"""Weights (n_t,) of the rows of each task, or None."""


def start(p: Problem, labels: list[Labels], first_weights: float, weights: Weights) -> State:
    """First state: memberships of hard labels, constant models W and uniform relations."""
    k = [own.stop - own.start for own in p.own]
    W = np.full((p.ridges[0].width, sum(k)), first_weights)
    tasks = []
    for t, (first, own) in enumerate(zip(labels, p.own, strict=True)):
        Y = memberships.indicator(first, k[t], factorization.OFFSET)
        Y = weighted_rows.times_roots(Y, weights[t])
        Q = p.ridges[t].values(W[:, own])
        complete = point if p.update == "exact" else factor
        tasks.append(RelationTask(Q, complete(p.M[t], Y)))
    return State(tuple(tasks), W, model_relations.even(k))


# With 4, clusters of six vowels of a speaker are drawn into others: .75 right, with 1 .91. The
# printed steps keep the value that they were measured with.
REGRESSION_WEIGHTS = {"exact": 1.0, "multiplicative": 4.0}
"""Value of `regression_weight` (lambda) for "auto", by the name of `update`."""


@parameterized
class MTCMRL(MultiTaskClusterer):
    """Multi-task clustering that learns which clusters of different tasks have related models.

    Parameters
    ----------
    n_clusters : int >= 1, or a mapping task -> int
    regression_weight : float >= 0, lambda (paper: 1/4 to 4), beside which a cluster weighs as many
        as it has rows; "auto": 1, or 4 for multiplicative updates
    shrinkage : float > 0, mu, in squared units of X (paper: 1/2)
    relation_weight : float >= 0, alpha, in squared units of X (paper: 1/4 to 4); 0 is SNMF+LR
    evenness : float > 0, beta: the larger, the more equal the entries of each G (paper: 1/2)
    affinity : "cosine", "centered-cosine", "gaussian", "local-gaussian" (means and scales of a
        task's own rows; `affinities`), "itakura-saito" (for positive X), or "auto": "cosine" for
        counts and tables that are mostly zeros, "gaussian" for answers of yes and no, else
        "local-gaussian" (`kinds`); or a function of tables (m, d) and (n, d) that returns
        similarities (m, n); or a mapping task -> symmetric (n_t, n_t), in the order of the task's
        rows. M of kernels holds n_t^2 numbers
    bandwidth : float > 0, h in exp(-D / (2 h^2)) for the two named kernels, where D are squared
        distances or divergences; None: the median root of D
    divide_by_degrees : bool, (D); "auto": True for exact updates where the affinity is cosines that
        are not negative or "local-gaussian"
    first_weights : float, every entry of W at the start (paper: 1)
    solver : "projection", "quadratic-program" or "frank-wolfe", how G is found
    update : "exact" rows by non-negative least squares, or "multiplicative" as printed
    n_init : int >= 1, k-means starts; the run with the lowest J is kept
    kmeans_n_init : int >= 1, k-means runs behind each start; that of the least inertia is taken
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts and the median bandwidth

    Attributes
    ----------
    labels_ : (n,), the cluster of each row, from 0 in each task
    memberships_ : list of T arrays Y (n_t, k_t), not negative, in the row order of each task
    coef_ : list of T arrays W (d, k_t), in units of 1/X
    cluster_relatedness_ : (task, other task) -> G (k, k_other), entries sum to 1; both orders
    affinity_ : the name of the affinity that was used, where it has one
    bandwidth_ : the h that was used by a named affinity; None where it has none
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    objective_traces_ : {"all tasks": the same}, since one descent moves all; with exact updates and
        relation_weight=0, task -> that of its own
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range; a task has fewer rows (of weights above 0) than
        clusters, or only one; a given similarity is not symmetric or fits no task

    Examples
    --------
    >>> X = np.eye(3)[[0, 0, 1, 1, 2, 2, 1, 1, 0, 0]] + 0.1 * np.eye(10, 3)
    >>> tasks = ["a"] * 6 + ["b"] * 4
    >>> model = MTCMRL({"a": 3, "b": 2}, affinity="cosine", random_state=0).fit(X, tasks=tasks)
    >>> model.labels_
    array([1, 1, 0, 0, 2, 2, 0, 0, 1, 1])
    >>> model.cluster_relatedness_["a", "b"].round(2).tolist()
    [[0.5, 0.0], [0.0, 0.5], [0.0, 0.0]]
    >>> model.predict([[0.0, 0.1, 2.0], [3.0, 0.0, 0.0]], tasks="a")
    array([2, 1])
    >>> model.fit(X, tasks=tasks, sample_weight=[2] * 10).coef_[1][:, 0].round(2)  # .75 without
    array([0.  , 0.87, 0.  ])
    """

    from_zero = True  # regressions have no constant term
    keeps = kept_rows.ROWS
    of_rows = ("memberships_",)

    n_clusters: Any = 2
    regression_weight: float | str = "auto"
    shrinkage: float = 0.5
    relation_weight: float = 4.0
    evenness: float = 0.5
    affinity: Any = "auto"
    bandwidth: float | None = None
    divide_by_degrees: bool | str = "auto"
    first_weights: float = 0.0
    solver: str = "projection"
    update: str = "exact"
    n_init: int = 10
    max_iter: int = 1000
    tol: float = 1e-8
    random_state: Seed = None
    kmeans_n_init: int = 1

    def fit(
        self, X: MatrixLike, y: None = None, tasks: Any = None, sample_weight: Any = None
    ) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each.

        sample_weight (n,), not negative, counts a row as so many; None: 1. X may be in blocks
        (`kinfolk.Blocks`, or of Dask) for cosines and exact updates; memberships are then not kept.
        """
        if rows_in.in_blocks(X, self):
            return self._fit_blocks(task_blocks.opened(self, X, tasks, sample_weight))
        sample_weight = rows_in.weights_beside(X, sample_weight)
        X, found = self._open(X, tasks)
        warn.unless_unit_length(X, "shrinkage")
        k = checks.clusters(self.n_clusters, found)
        weight = rows_in.weights_of_fit(self, sample_weight, found, k)
        weights = task_similarity.by_task(weight, found.rows())
        random = checks.random(self.random_state)
        settings = Settings.of(self, random)  # draws the seeds before the bandwidth
        tables = [X[rows] for rows in found.rows()]
        similar = task_similarity.fitted(self, X, found, random, weight)
        plain = [similar[t].operator(x, t) for t, x in enumerate(tables)]
        M, scales = self._balanced(plain, weights)
        heavy = progress.track(list(map(weighted_rows.scaled, tables, weights)), PREPARING)
        ridges = [Ridge(table) for table in heavy]
        p = self._problem(ridges, M, weights, k)
        # k-means needs the distances of the rows only, which fewer columns may have too.
        reduced = tables if weight is not None else [ridge.condensed() for ridge in ridges]
        of_tasks = zip(reduced, k, map(weighted_rows.uneven, weights), strict=True)
        clusters = [partial(starts.kmeans, *of, weight=w) for *of, w in of_tasks]
        runs = self._descents(p, settings, clusters, weights)
        self._set_relations(p, runs, found.names)
        states = [task for run in runs for task in run.state.tasks]
        self._factors = [task.factor.Y for task in states]
        Q = [task.Q for task in states]
        if weight is not None:  # those are of D^1/2 X
            Q = list(map(operators.times, tables, self.coef_))
        ends = [
            factorization.symmetric_memberships(task.factor, p.lam, Q[t], M[t], weights[t])
            for t, task in enumerate(states)
        ]
        self.memberships_ = [end.Y for end in ends]
        self._scaled = list(map(degrees.with_ones, scales, self._factors, weights))
        kept = zip(similar, tables, self._scaled, strict=True)
        self._kept = [own.kept(x, Y) for own, x, Y in kept]
        labels = found.merged(end.labels for end in ends)
        return self._record(X, found, labels, k, runs if len(runs) > 1 else runs[0])

    def _fit_blocks(self, found: Blocks) -> Self:
        """Cluster rows in blocks by cosines, with starts from a sample in memory."""
        settings = Settings.of(self, checks.random(self.random_state))
        if checks.choice("update", self.update, factorization.UPDATES) != "exact":
            raise InputError("X is in blocks, and for them MTCMRL needs update='exact'.")
        self.affinity_ = affinity.of_blocks(self, found, similarities.NAMES)
        self.bandwidth_: float | None = None
        warn.unless_unit_length(found.sample().x, "shrinkage")
        k = task_blocks.clusters(self.n_clusters, found)
        task_blocks.check_sample(found, k)
        own = [found.of_task(t) for t in range(len(k))]
        near = task_blocks.samples(found)
        plain = [gram.cosines(x) for x in own]
        weights = [rows_in.weights_of_blocks(x) for x in own]
        M, scales = self._balanced([*plain], weights)
        ridges = list(map(BlockRidge, progress.track(own, PREPARING), weights))
        p = self._problem(ridges, M, weights, k)
        clusters = [partial(kernel.start_labels, *of) for of in zip(own, near, k, strict=True)]
        runs = self._descents(p, settings, clusters, weights)
        self._set_relations(p, runs, task_blocks.task_names(found))
        factors = [task.factor.Y for run in runs for task in run.state.tasks]
        weighed = map(degrees.with_ones, scales, factors, weights)
        self._kept = [own_M.crossed(Y) for own_M, Y in zip(plain, weighed, strict=True)]
        # New rows need Y'Y and the profiles alone.
        self._factors = [memberships.gram_root(Y) for Y in factors]
        self._scaled = [Y[:0] for Y in factors]
        return task_blocks.record(self, found, k, runs if len(runs) > 1 else runs[0])

    def _set_relations(self, p: Problem, runs: list[Run[State]], names: list[Any]) -> None:
        """Set `coef_` and `cluster_relatedness_` from the fitted models."""
        W = np.hstack([run.state.W for run in runs])
        G = runs[0].state.G
        if len(runs) > 1:
            k = [own.stop - own.start for own in p.own]
            G = model_relations.relations(p, W, model_relations.even(k))
        self.coef_ = [W[:, columns].copy() for columns in p.own]
        own = dict(zip(names, p.own, strict=True))
        self.cluster_relatedness_ = {
            (a, b): G[own[a], own[b]].copy() for a, b in itertools.permutations(own, 2)
        }

    def level_kept(self) -> str:
        """Return what of single rows a saved model holds: "rows", or only "memberships"."""
        fitted = "_kept" in vars(self)
        cosines = fitted and isinstance(task_similarity.of_fit(self), similarities.DIRECTED)
        return kept_rows.MEMBERSHIPS if cosines else self.keeps

    def works_elsewhere(self) -> bool:
        """True if the fit also runs on arrays of a GPU: affinity "cosine" and exact updates."""
        cosine = isinstance(self.affinity, str) and self.affinity == "cosine"
        return cosine and self.update == "exact"

    def _sorts_rows(self) -> bool:
        return not isinstance(self.affinity, Mapping)  # its matrices are for rows as given

    def _regression_weight(self) -> float:
        """Return the parameter `regression_weight` (lambda), checked or chosen."""
        if isinstance(self.regression_weight, str):
            checks.choice("regression_weight", self.regression_weight, [kinds.AUTO])
            return REGRESSION_WEIGHTS[self.update]
        return checks.not_negative("regression_weight", self.regression_weight)

    def _balanced(
        self, M: list[Symmetric], weights: Weights
    ) -> tuple[list[Symmetric], list[Vector]]:
        """Return similarities, divided by (D) or not, and factors (n_t,); sets `_mean_degrees`."""
        update = checks.choice("update", self.update, factorization.UPDATES)
        name = vars(self).get("affinity_", "given")
        asked = self.divide_by_degrees
        each = list(zip(M, weights, strict=True))
        found = [factorization.balanced(own, asked, update, name, w) for own, w in each]
        self._mean_degrees = [
            None if divided is own else degrees.mean(degrees.degrees(own, w), w)
            for (own, w), (divided, _) in zip(each, found, strict=True)
        ]
        return [own for own, _ in found], [s for _, s in found]

    def _descents(
        self,
        p: Problem,
        settings: Settings,
        kmeans: Sequence[Callable[..., Labels]],
        weights: Weights,
    ) -> list[Run[State]]:
        """Return the best run for all tasks at once, or one per task if nothing relates them.

        kmeans[t](seed, n_init) are the labels of k-means of the rows of a task.
        """
        first_weights = checks.number("first_weights", self.first_weights, -np.inf, open_low=True)
        best_of = checks.at_least("kmeans_n_init", self.kmeans_n_init, 1)
        problems = model_relations.parts(p)
        of = [[t] for t in range(len(p.own))] if len(problems) > 1 else [list(range(len(p.own)))]

        def best(part: Problem, tasks: list[int]) -> Run[State]:
            own = [weights[t] for t in tasks]
            return settings.best(
                start=lambda seed: start(
                    part, [kmeans[t](seed, best_of) for t in tasks], first_weights, own
                ),
                sweep=lambda s: model_relations.sweep(part, s),
                objective=lambda s: model_relations.objective(part, s),
                scale=0.5 * sum(part.sizes),
                what="model relation learning",
            )

        return [best(part, tasks) for part, tasks in zip(problems, of, strict=True)]

    def _problem(
        self, ridges: Sequence[Regression], M: list[Symmetric], weights: Weights, k: list[int]
    ) -> Problem:
        """Check the parameters of the objective, and collect all that its descent needs."""
        ends = np.cumsum(k).tolist()
        M = list(map(weighted_rows.scaled_similarity, M, weights))
        return Problem(
            ridges=ridges,
            M=M,
            sizes=[similarity.squared_norm() for similarity in M],
            own=[slice(end - c, end) for end, c in zip(ends, k, strict=True)],
            lam=self._regression_weight(),
            mu=checks.above("shrinkage", self.shrinkage, 0),
            alpha=checks.not_negative("relation_weight", self.relation_weight),
            beta=checks.above("evenness", self.evenness, 0),
            solver=checks.choice("solver", self.solver, SOLVERS),
            update=checks.choice("update", self.update, factorization.UPDATES),
        )

    def _assign(self, X: Table, t: int) -> Labels:
        # Models that were saved by earlier versions have no factors of their own.
        values = vars(self)
        Y = values["_factors" if "_factors" in values else "memberships_"][t]
        Q = operators.times(X, self.coef_[t])
        scaled = values["_scaled" if "_scaled" in values else "memberships_"][t]
        B = task_similarity.of_fit(self).products(X, self._kept[t], scaled)
        if B is None:  # matrices were given, which say nothing of new rows
            return Q.argmax(axis=1)
        if hasattr(self, "_mean_degrees"):  # older files have no column of ones
            B, d = B[:, :-1], B[:, -1]
            if (size := self._mean_degrees[t]) is not None:
                B = B * degrees.scale(d, size)[:, None]  # (D)
        lam = self._regression_weight()
        return factorization.row_memberships(Y.T @ Y + lam * np.eye(Y.shape[1]), B + lam * Q).labels
