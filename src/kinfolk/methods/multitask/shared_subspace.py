"""Tasks that share a subspace, for clustering (LSSMTC) and with known labels (LSSTTC).

Soft k-means of each task in all features, and of all tasks together in a subspace they share.
Over memberships Y >= 0, own centres V_t, shared centres F and directions W, minimise

    J = lambda sum_t |X_t - Y_t V_t|^2 + (1 - lambda) |X W - Y F|^2                 (4)

1. F   = Y^+ X W                                                                   (6)
2. V_t = Y_t^+ X_t                                                                 (8)
3. Y_t <- Y_t o sqrt( (A+ + Y_t B-) / (A- + Y_t B+) ),                            (14)
   A = lambda X_t V_t' + (1 - lambda) X_t W F',  B = lambda V_t V_t' + (1 - lambda) F F'
4. W, by the name of the subspace (`numerics/subspaces`):
   "explained"   ours: the l largest eigenvectors of X'Y Y^+ X
   "published"   the l smallest eigenvectors of X'(I - Y Y^+)X                    (16)
   "released"    the first l columns of the identity

The label of a row is its largest membership. LSSTTC is the same with the 0/1 memberships of
known labels held fast (20); only the other rows take step 3.

Symbols     X (n, d) all tasks, X_t (n_t, d), Y (n, k), V_t (k, d), F (k, l), W (d, l), W'W = I.
Units       J in squared units of X; lambda has none.
Exact       nothing is d x d where n < d, see `subspaces`; J from products with X.
Limits      lambda = 1 is soft k-means of each task; lambda = 0 is adaptive subspace iteration of
            all rows, and soft k-means of all rows for "explained" with l >= k. One task: both at
            once.
Source      Gu, Zhou (2009), equations (4)-(20).
Departures  1. (16) with d - rank(X) >= l, as always with texts, has solutions with X W = 0: the
            shared term then says nothing. "published" takes these. "explained" adds what lies
            outside of W to the shared term, |X - Y F W'|^2 = |X W - Y F|^2 + |X|^2 - |X W|^2.
            2. The code that the authors released starts from W = I (d, l) and multiplies it by
            sqrt( (N + W W'P) / (P + W W'N) ), N and P the parts of the gradient. Off the
            diagonal 0 stays 0, on it the ratio is 1: W never moves. So "released" keeps it.
            3. k-means in each task numbers its clusters at random, so that F mixes different
            ones. init="matched" is soft k-means of each task first, its clusters then numbered
            alike by `correspondence`; for LSSTTC it is the class whose known mean fits best.
            "kmeans" (as printed) and "random" (as released) can be chosen.
            4. Algorithm 2 prints a W in V_2, which (8) excludes. The own term of tasks with
            all labels known is kept in J, a constant.
Beyond      labels may be known in several tasks, and for a part of their rows. A new row of task t
            gets the y >= 0 that minimises its share of J.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.errors import InputError
from kinfolk.estimators import checks, factorization
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.estimators.correspondence import correspond
from kinfolk.estimators.descent import Run, alternate, restarts
from kinfolk.estimators.renamed import accept_old_names
from kinfolk.numerics import distances, memberships, operators, relabeling, seminonnegative, starts
from kinfolk.numerics.subspaces import SUBSPACES, FirstColumns, Subspace
from kinfolk.tables import Tasks

STARTS = ("matched", *seminonnegative.STARTS)
ALONE = 20
"""Sweeps of each task by itself before its clusters are matched with those of others."""


class Problem(NamedTuple):
    """What is given: the tables X_t and their rows of X, |X|_F^2, lambda, and how W is found.

    `free` (n,) marks the rows whose memberships are sought.
    """

    tables: list[Table]
    rows: list[np.ndarray]
    size: float
    own_weight: float
    subspace: Subspace
    free: np.ndarray


class State(NamedTuple):
    """One point of the descent: Y, V (T, k, d), W, F, and rows X_t V_t' (n, k) and X W (n, l)."""

    Y: Matrix
    V: Matrix
    W: Matrix
    F: Matrix
    XV: Matrix
    XW: Matrix


def problem(
    X: Table,
    tasks: Tasks,
    own_weight: float = 1.0,
    subspace: Subspace | None = None,
    free: np.ndarray | None = None,
) -> Problem:
    """The problem of these tasks, by default with nothing shared and all memberships sought."""
    rows = tasks.rows()
    free = np.ones(X.shape[0], dtype=bool) if free is None else free
    size = float(distances.squared_norms(X).sum())
    subspace = FirstColumns(X, 0) if subspace is None else subspace
    return Problem([X[r] for r in rows], rows, size, own_weight, subspace, free)


def settled(p: Problem, Y: Matrix) -> State:
    """The point Y with the best V_t, W and F for it: equations (8), (16) and (6)."""
    V, XV = [], np.empty_like(Y)
    O, C = seminonnegative.span(Y)
    XO = np.zeros((p.tables[0].shape[1], O.shape[1]))
    for X, rows in zip(p.tables, p.rows, strict=True):
        own = seminonnegative.span(Y[rows])
        V.append(own.C @ operators.crossed(X, own.O).T)  # (8)
        XV[rows] = operators.times(X, V[-1].T)
        XO += operators.crossed(X, O[rows])
    W = p.subspace(XO)  # (16)
    XW = np.empty((len(Y), W.shape[1]))
    for X, rows in zip(p.tables, p.rows, strict=True):
        XW[rows] = operators.times(X, W)
    return State(Y, np.array(V), W, C @ (O.T @ XW), XV, XW)  # (6)


def objective(p: Problem, s: State) -> float:
    """J of equation (4); "explained" counts what lies outside of W too."""
    own = p.size - 2.0 * np.sum(s.Y * s.XV)
    for V, rows in zip(s.V, p.rows, strict=True):
        own += np.sum((V @ V.T) * (s.Y[rows].T @ s.Y[rows]))
    shared = np.sum(np.square(s.XW - s.Y @ s.F))
    if p.subspace.counts_rest:
        shared += p.size - np.sum(np.square(s.XW))
    J = p.own_weight * own + (1.0 - p.own_weight) * shared
    return seminonnegative.cleared(float(J), p.size)


def sweep(p: Problem, s: State) -> State:
    """Equation (14), then (8), (16) and (6)."""
    lam, Y = p.own_weight, np.empty_like(s.Y)
    across, FF = s.XW @ s.F.T, s.F @ s.F.T
    for V, rows in zip(s.V, p.rows, strict=True):
        A = lam * s.XV[rows] + (1.0 - lam) * across[rows]
        B = lam * (V @ V.T) + (1.0 - lam) * FF
        Y[rows] = seminonnegative.step(s.Y[rows], A, B)  # (14)
    Y[~p.free] = s.Y[~p.free]
    return settled(p, Y)


def descend(p: Problem, Y: Matrix, max_iter: int, tol: float) -> Run[State]:
    """Sweep from Y; `tol` is a share of |X|_F^2."""
    return alternate(
        settled(p, Y),
        sweep=lambda s: sweep(p, s),
        objective=lambda s: objective(p, s),
        max_iter=max_iter,
        tol=tol * p.size,
    )


def alone(X: Table, tasks: Tasks, k: int, seed: int) -> Matrix:
    """Memberships Y (n, k) by soft k-means of each task, from a random start."""
    p = problem(X, tasks)
    return descend(p, begun(p, k, seed, "random"), ALONE, 0.0).state.Y


def begun(p: Problem, k: int, seed: int, how: str) -> Matrix:
    """A start Y (n, k) of each task by itself."""
    Y = np.empty((len(p.free), k))
    for X, rows in zip(p.tables, p.rows, strict=True):
        Y[rows] = seminonnegative.start(X, k, seed, how, factorization.OFFSET)
    return Y


def matched(X: Table, codes: Labels, Y: Matrix) -> Matrix:
    """Y with the clusters of each task numbered as those of their kind in the first task."""
    T, k = int(codes.max()) + 1, Y.shape[1]
    labels = factorization.labels_of(Y)
    groups = correspond(X, labels, codes, list(range(T)), [k] * T).groups.reshape(T, k)
    new = np.empty_like(Y)
    for t, places in enumerate(relabeling.seats(groups)):
        rows = np.flatnonzero(codes == t)
        new[rows[:, None], places] = Y[rows]
    return new


def transferred(X: Table, known: np.ndarray, fixed: Matrix) -> Matrix:
    """Each row as 0/1 plus 0.2 in the class whose centre, that of known rows, fits it best."""
    O, C = seminonnegative.span(fixed)
    V = C @ operators.crossed(X[known], O).T
    classes = seminonnegative.placed(operators.times(X, V.T), V @ V.T)
    return memberships.indicator(classes, len(V), factorization.OFFSET)


def solve(
    model: Any,
    X: Table,
    tasks: Tasks,
    k: int,
    first: Callable[[Problem, int], Matrix],
    free: np.ndarray | None = None,
) -> State:
    """Check the parameters of a model, descend from each start, and keep what was found."""
    lam = checks.share("own_weight", model.own_weight)
    l = k if model.n_components is None else model.n_components
    l = min(checks.at_least("n_components", l, 1), X.shape[1])
    made = SUBSPACES[checks.choice("subspace", model.subspace, SUBSPACES)](X, l)
    p = problem(X, tasks, lam, made, free)
    random = checks.random(model.random_state)
    seeds = starts.seeds(random, checks.at_least("n_init", model.n_init, 1))
    max_iter = checks.at_least("max_iter", model.max_iter, 1)
    tol = checks.not_negative("tol", model.tol)
    run = restarts(
        lambda seed: descend(p, first(p, seed), max_iter, tol), seeds, "sharing a subspace"
    )
    s = run.state
    model.cluster_centers_ = s.V.astype(X.dtype, copy=False)
    model.shared_centers_, model.components_ = s.F, s.W
    model.subspace_share_ = float(np.linalg.norm(s.XW) / np.sqrt(p.size)) if p.size > 0 else 0.0
    model.objective_trace_ = np.array(run.trace)
    model.n_iter_, model.converged_ = run.n_iter, run.converged
    return s


def placed(model: Any, X: Table, t: int) -> Labels:
    """Clusters (m,) of new rows X (m, d) of task t."""
    lam, V, F = float(model.own_weight), model.cluster_centers_[t], model.shared_centers_
    A = lam * operators.times(X, V.T)
    A += (1.0 - lam) * operators.times(X, model.components_ @ F.T)
    return seminonnegative.placed(A, lam * (V @ V.T) + (1.0 - lam) * (F @ F.T))


@accept_old_names(parameters={"start": "init"})
class LSSMTC(MultiTaskClusterer):
    """Multi-task clustering in a subspace that the tasks share.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters, the same in every task
    own_weight : float in [0, 1], lambda, the weight of each task's own clusters; 1: nothing is
        shared, 0: all tasks are one (published: 0.25, 0.5, 0.75)
    subspace : "explained", "published" or "released", how W is found
    n_components : int >= 1, l, at most d of them are used; None: k (published: 2, 4, 8, 16)
    init : "matched", "kmeans" (as printed) or "random" (as released)
    n_init : int >= 1, starts, of which the one with the lowest J is kept
    max_iter : int >= 1, the most sweeps (published: 20)
    tol : float >= 0, stop when a sweep lowers J by at most this share of |X|_F^2
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the column of the largest membership
    memberships_ : list of T arrays Y (n_t, k), not negative, in the row order of each task
    cluster_centers_ : (T, k, d), V_t, in units of X over those of Y
    shared_centers_ : (k, l), F
    components_ : (d, l), W, orthonormal columns
    subspace_share_ : |X W|_F / |X|_F; 0 says that W sees nothing of the data and nothing is shared
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep, with V, F and W renewed
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range; tasks with different numbers of clusters

    Examples
    --------
    >>> X = np.kron(np.eye(2), np.ones((4, 3))) + 0.1 * np.eye(8, 6)
    >>> model = LSSMTC(n_clusters=2, random_state=0).fit(X, tasks=list("abababab"))
    >>> model.task_names_.tolist(), model.components_.shape
    (['a', 'b'], (6, 2))
    >>> same = model.labels_ == model.labels_[0]
    >>> same.tolist()
    [True, True, True, True, False, False, False, False]
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        own_weight: float = 0.5,
        subspace: str = "explained",
        n_components: int | None = None,
        init: str = "matched",
        n_init: int = 10,
        max_iter: int = 20,
        tol: float = 1e-8,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.own_weight = own_weight
        self.subspace = subspace
        self.n_components = n_components
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: None = None, tasks: Any = None) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each."""
        X, found = self._open(X, tasks)
        k = checks.one_number_of_clusters(self.n_clusters, found, "LSSMTC")
        how = checks.choice("init", self.init, STARTS)

        def first(p: Problem, seed: int) -> Matrix:
            if how == "matched":
                return matched(X, found.codes, alone(X, found, k, seed))
            return begun(p, k, seed, how)

        Y = solve(self, X, found, k, first).Y
        self.memberships_ = [Y[rows] for rows in found.rows()]
        return self._record(X, found, factorization.labels_of(Y), [k] * len(found.names))

    def _assign(self, X: Table, t: int) -> Labels:
        return placed(self, X, t)


@accept_old_names(parameters={"start": "init"})
class LSSTTC(BaseEstimator):
    """Classes of rows without labels, from labels of related tasks: the transfer form of LSSMTC.

    Parameters
    ----------
    own_weight : float in [0, 1], lambda, the weight of each task's own classes (published: 0.25,
        0.5, 0.75)
    subspace, n_components, n_init, max_iter, tol, random_state : as of `LSSMTC` (published
        n_components: 100 to 1000)
    init : "matched": the class whose mean of known rows fits best; "kmeans" or "random"

    Attributes
    ----------
    classes_ : (k,), the known labels, sorted
    transduction_ : (n,), the class of each row: the known label, else the largest membership
    labels_ : (n,), the position of this class in `classes_`
    memberships_ : (n, k), Y, 0/1 where the label is known
    task_names_, n_clusters_, clusters_, cluster_links_, matched_clusters_, match_strength_,
    matched_labels_ : as of `LSSMTC`; clusters of one kind are those of one class
    cluster_centers_, shared_centers_, components_, subspace_share_, objective_trace_, n_iter_,
    converged_ : as of `LSSMTC`

    Raises
    ------
    InputError : a parameter is out of range, or no label is known

    Examples
    --------
    >>> X = np.kron(np.eye(2), np.ones((4, 3))) + 0.1 * np.eye(8, 6)
    >>> y = [7, -1, 7, -1, 9, -1, 9, -1]
    >>> LSSTTC(random_state=0).fit(X, y, tasks=list("abababab")).transduction_.tolist()
    [7, 7, 7, 7, 9, 9, 9, 9]
    """

    __metadata_request__fit = {"tasks": True}
    __metadata_request__predict = {"tasks": True}

    def __init__(
        self,
        own_weight: float = 0.5,
        subspace: str = "explained",
        n_components: int | None = None,
        init: str = "matched",
        n_init: int = 1,
        max_iter: int = 20,
        tol: float = 1e-8,
        random_state: Seed = None,
    ) -> None:
        self.own_weight = own_weight
        self.subspace = subspace
        self.n_components = n_components
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    def fit(self, X: MatrixLike, y: Any = None, tasks: Any = None) -> Self:
        """Find the classes of the rows of X (n, d) whose label in y (n,) is -1.

        tasks (n,) names the task of each row; in a task any share of the labels may be known.
        """
        if y is None:
            raise InputError(
                "LSSTTC requires y to be passed, but the target y is None; give the known labels, "
                "and -1 where a label is unknown."
            )
        found, X = checks.tasks_of(tasks, X)
        X, y = checks.samples(self, X), column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        known = ~np.array([label in (-1, "-1") for label in y.tolist()], dtype=bool)
        if not known.any():
            raise InputError("y has no known label (all are -1); give those of at least one task.")
        check_classification_targets(y[known])
        self.classes_, classes = np.unique(y[known], return_inverse=True)
        how, k = checks.choice("init", self.init, STARTS), len(self.classes_)
        fixed = memberships.indicator(classes, k)

        def first(p: Problem, seed: int) -> Matrix:
            Y = transferred(X, known, fixed) if how == "matched" else begun(p, k, seed, how)
            Y[known] = fixed
            return Y

        self.memberships_ = solve(self, X, found, k, first, ~known).Y
        return self._record(X, found, factorization.labels_of(self.memberships_), k)

    def predict(self, X: MatrixLike, tasks: Any = None) -> np.ndarray:
        """Return the classes (m,) of new rows X (m, d) of known tasks (m,), or of one for all."""
        check_is_fitted(self)
        codes, X = checks.known_tasks(tasks, X, list(self.task_names_))
        X = checks.samples(self, X, reset=False)
        classes = np.empty(X.shape[0], dtype=self.classes_.dtype)
        for t in np.unique(codes):
            rows = np.flatnonzero(codes == t)
            classes[rows] = self.classes_[placed(self, X[rows], int(t))]
        return classes

    def match(self, labels: Labels, tasks: Any) -> tuple[Labels, Vector]:
        """Return matched numbers and strengths (m,) of positions in `classes_` of known tasks."""
        check_is_fitted(self)
        codes, _ = checks.known_tasks(tasks, np.empty((len(labels), 0)), list(self.task_names_))
        return labels, self.match_strength_[codes * len(self.classes_) + labels]

    def _record(self, X: Table, tasks: Tasks, labels: Labels, k: int) -> Self:
        """Keep the classes, which are of one kind in all T tasks."""
        T = len(tasks.names)
        self.task_names_ = np.empty(T, dtype=object)
        self.task_names_[:] = tasks.names
        self.labels_, self.matched_labels_ = labels, labels.copy()
        self.transduction_ = self.classes_[labels]
        self.n_clusters_, self.matched_clusters_ = np.full(T, k), np.tile(np.arange(k), T)
        found = correspond(X, labels, tasks.codes, tasks.names, [k] * T)
        self.clusters_, self.cluster_links_ = found.clusters, found.links
        kin = found.links.reshape(T, k, T, k).diagonal(axis1=1, axis2=3).sum(axis=1).ravel() - 1.0
        self.match_strength_ = kin / (T - 1) if T > 1 else np.full(k, np.nan)
        return self
