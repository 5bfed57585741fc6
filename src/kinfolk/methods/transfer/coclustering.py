"""Classes of rows without labels, from labels of related tasks and clusters of columns (CoCC).

Rows without a label of each task are a joint distribution f_t of rows D_t and columns W; the sums of
the columns in each known class are one of classes C and columns. Clusters W^ of the columns, which
all share, carry the classes over. Minimise

    J = sum_t ( I(D_t; W) - I(D^_t; W^) ) + lambda ( I(C; W) - I(C; W^) )             (5), (6)

over the classes D^_t of the rows and W^ by the steps of `coclusters`, in which the classes C stay
as they are, from the classes that naive Bayes gives each row, and random W^. The class of a row is
its known label, else the one in whose blocks it is likeliest.

Symbols     X (n, d), k classes, m = n_feature_clusters, lambda = class_weight.
Units       J in nats.
Limits      with all labels known only columns move. class_weight -> infinity: columns have the
            clusters that tell the known classes best, and rows follow them.
Guard       classes may drift from the known ones to other groups of the rows. The columns are cut
            in two at random, a few times: classes by one half of the columns should agree with those
            by the other half, and not less than the classes by naive Bayes do.
Source      Dai, Xue, Yang, Yu (2007), KDD, (3)-(6), of which two restatements were at hand: the
            objective is published, and the steps are those of STC with one side fixed.
Departures  1. The start of W^ is not known to us: random. So are the published constants: lambda .25
            and 64 clusters are from memory, and n_init, m and lambda change little.
            2. Numbers that are no counts are doubled (`doubling`).
Beyond      the sum over several tasks without labels, labels for a part of a task, and the guard are
            ours. A new row of a task gets a class by (14) with the task's blocks, those of the known
            classes if all its labels were known.
"""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.naive_bayes import MultinomialNB
from sklearn.utils.validation import check_is_fitted

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table
from kinfolk.errors import SharingWarning
from kinfolk.estimators import checks, coclustering, known_labels
from kinfolk.estimators.base import MultiTaskEstimator
from kinfolk.estimators.descent import Run, Settings
from kinfolk.numerics import coclusters, memberships, operators
from kinfolk.numerics.coclusters import Domain, State

GUARDS = ("warn", "naive-bayes", "off")
"""Where the guard speaks against the classes: warn, take those of naive Bayes; or no guard."""

CUTS = 3
"""Random cuts of the columns in two, of which the guard takes the mean."""

FEWEST_COLUMNS = 4
"""Columns that can be cut in two halves of at least two."""

DOUBT = 2.0
"""Standard errors by which one agreement must be below another to speak against it."""


class Rows(NamedTuple):
    """Encoded rows of known class with their classes, and those without a label of each task."""

    known: Table
    classes: Labels
    unknown: list[Table]
    k: int


def unit(Z: Table) -> float:
    """One count of a table (n, d): 1 for whole numbers, else the mean of those above 0.

    >>> unit(np.array([[0.0, 3.0]])), unit(np.array([[0.0, 0.5], [0.1, 0.0]]))
    (1.0, 0.3)
    """
    positive = operators.entries(Z)[operators.entries(Z) > 0]
    whole = not positive.size or np.array_equal(positive, np.floor(positive))
    return 1.0 if whole else float(np.mean(positive, dtype=np.float64))


def naive_bayes(rows: Rows) -> list[Labels]:
    """Classes of the rows without a label by multinomial naive Bayes with one count added."""
    judge = MultinomialNB(alpha=unit(rows.known)).fit(rows.known, rows.classes)
    return [judge.predict(Z) for Z in rows.unknown]


def problem(rows: Rows, m: int, weight: float) -> coclusters.Problem:
    """The tables without labels, and last the table (k, d) of the known classes."""
    G = coclusters.by_rows(rows.known, rows.classes, rows.k)
    domains = [Domain(Z, rows.k) for Z in rows.unknown]
    return coclusters.problem([*domains, Domain(G, rows.k, weight, fixed=True)], m)


def start(p: coclusters.Problem, first: Sequence[Labels], seed: int) -> State:
    """First point of a descent: given classes, and columns at random."""
    k, d = p.domains[-1].X.shape
    return coclusters.state(p, [*first, np.arange(k)], coclustering.first_columns(d, p.m, seed))


def descend(p: coclusters.Problem, first: Sequence[Labels], settings: Settings) -> Run[State]:
    """Descend from all starts and return the run that ends lowest."""
    return settings.best(
        start=lambda seed: start(p, first, seed),
        sweep=lambda s: coclusters.sweep(p, s),
        objective=lambda s: coclusters.objective(p, s),
        scale=coclusters.scale(p),
        what="co-clustering with classes",
    )


class Agreement(NamedTuple):
    """Shares of the rows of a task that get one class by both halves of the columns."""

    classes: float
    naive_bayes: float


def agreements(rows: Rows, halves: list[Labels], m: int, weight: float, settings: Settings) -> Any:
    """Agreement of each task, the mean over cuts; a cut (p,) has the half of each column."""
    found = []
    for half in halves:
        by_half = []
        for side in (0, 1):
            own = np.flatnonzero(half == side)
            part = Rows(rows.known[:, own], rows.classes, [Z[:, own] for Z in rows.unknown], rows.k)
            first = naive_bayes(part)
            run = descend(problem(part, min(m, len(own)), weight), first, settings)
            by_half.append((run.state.rows[:-1], first))
        (ends, firsts), (other_ends, other_firsts) = by_half
        found.append(
            [
                Agreement(float(np.mean(a == b)), float(np.mean(c == d)))
                for a, b, c, d in zip(ends, other_ends, firsts, other_firsts, strict=True)
            ]
        )
    return [Agreement(*np.mean(own, axis=0).tolist()) for own in zip(*found, strict=True)]


def in_doubt(found: Agreement, n: int) -> bool:
    """True if classes of n rows agree clearly less between halves than those of naive Bayes.

    >>> in_doubt(Agreement(0.6, 0.8), 100), in_doubt(Agreement(0.6, 0.8), 4)
    (True, False)
    """
    share = found.naive_bayes
    return found.classes < share - DOUBT * np.sqrt(share * (1 - share) / n)


class CoCC(MultiTaskEstimator):
    """Finds the classes of rows without labels by clusters of columns that they share with others.

    Parameters
    ----------
    n_feature_clusters : int >= 1, the number of clusters of columns, if there are as many columns
    class_weight : float >= 0, lambda, the weight of the known classes
    encoding : as of `STC`
    guard : "warn" where two halves of the columns agree less on the classes than on those of naive
        Bayes; "naive-bayes": take the latter there; "off": do not look, which takes a third of the
        time
    n_init : int >= 1, starts, of which that with the lowest J is kept
    max_iter, tol : as of `STC`
    random_state : int, RandomState or None, for the starts and the halves

    Attributes
    ----------
    classes_ : (k,), the known labels, sorted
    transduction_ : (n,), the class of each row: the known label, else the one that was found
    labels_ : (n,), the position of this class in `classes_`
    naive_bayes_ : (n,), the class of each row at the start: the known label, else by naive Bayes
    guard_ : a record per task with rows without a label: the share of them that has the class of
        naive Bayes ("same_as_naive_bayes"), the agreement between halves of the columns of the
        classes and of naive Bayes ("agreement", "agreement_of_naive_bayes"; None if not looked at),
        and whose classes stand ("answer")
    memberships_ : (n, k), 0/1
    feature_clusters_ : (p,), the cluster of each column, as of `STC`
    block_sums_ : list of T arrays B (k, m), the shares of the sum of rows without a label; of all
        known rows for a task without such rows
    encoding_ : the encoding that was used
    matched_clusters_ : (C,), the class of each cluster
    and all of `MultiTaskEstimator`

    Raises
    ------
    InputError : a parameter is out of range, no label is known, or X has negative numbers and
        encoding is "raw"

    Warns
    -----
    SharingWarning : halves of the columns agree less on the classes than on those of naive Bayes

    Examples
    --------
    >>> X = np.kron(np.eye(2, dtype=int), np.ones((4, 3), dtype=int)) + np.eye(8, 6, dtype=int)
    >>> y = ["tea", -1, "tea", -1, "ore", -1, "ore", -1]
    >>> model = CoCC(n_feature_clusters=2, random_state=0).fit(X, y, tasks=list("abababab"))
    >>> model.transduction_.tolist()
    ['tea', 'tea', 'tea', 'tea', 'ore', 'ore', 'ore', 'ore']
    >>> model.guard_[0]["same_as_naive_bayes"], model.guard_[0]["answer"]
    (1.0, 'co-clustering')
    """

    compares = "nothing"

    def __init__(
        self,
        n_feature_clusters: int = 64,
        class_weight: float = 0.25,
        encoding: str = "auto",
        guard: str = "warn",
        n_init: int = 3,
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: Seed = None,
    ) -> None:
        self.n_feature_clusters = n_feature_clusters
        self.class_weight = class_weight
        self.encoding = encoding
        self.guard = guard
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X: MatrixLike, y: Any = None, tasks: Any = None) -> Self:
        """Find the classes of the rows of X (n, d) whose label in y (n,) is -1.

        tasks (n,) names the task of each row; in a task any share of the labels may be known.
        """
        known_labels.require("CoCC", y)
        X, found = self._open(X, tasks, least_rows=1)
        known, self.classes_, classes = known_labels.of(X, y)
        k = len(self.classes_)
        weight = checks.not_negative("class_weight", self.class_weight)
        checks.choice("guard", self.guard, GUARDS)
        settings = Settings.of(self)
        Z = coclustering.fit_encoding(self, X)
        m = coclustering.n_feature_clusters(self, Z.shape[1])
        free = {t: own[~known[own]] for t, own in enumerate(found.rows()) if not known[own].all()}
        rows = Rows(Z[known], classes, [Z[own] for own in free.values()], k)
        first = naive_bayes(rows)
        run = descend(problem(rows, m, weight), first, settings)
        self.feature_clusters_ = run.state.columns
        blocks = dict(zip(free, run.state.blocks[:-1], strict=True))
        T = len(found.names)
        self.block_sums_ = [blocks.get(t, run.state.blocks[-1]) for t in range(T)]
        labels = np.empty(len(known), dtype=int)
        labels[known] = classes
        starting = labels.copy()
        for t, own, by_bayes in zip(free, free.values(), first, strict=True):
            labels[own] = self._assign_encoded(Z[own], t)
            starting[own] = by_bayes
        self.naive_bayes_ = self.classes_[starting]
        halves = self._agreements(rows, m, weight, settings)
        self._judge(found.names, free, labels, starting, halves)
        self.memberships_ = memberships.indicator(labels, k)
        self.transduction_ = self.classes_[labels]
        return self._record(X, found, labels, [k] * T, run)

    def _agreements(
        self, rows: Rows, m: int, weight: float, settings: Settings
    ) -> list[Agreement | None]:
        """Agreement between halves of the columns in each task with rows without labels."""
        p = rows.known.shape[1]
        d = p // 2 if self.encoding_ == "doubled" else p
        if self.guard == "off" or d < FEWEST_COLUMNS or not rows.unknown:
            return [None] * len(rows.unknown)
        random = np.random.RandomState(settings.seeds[0])
        # Both columns that one was doubled to are in one half.
        halves = [np.resize(random.permutation(d) % 2, p) for _ in range(CUTS)]
        one = Settings(settings.seeds[:1], settings.max_iter, settings.tol)
        found: list[Agreement | None] = agreements(rows, halves, m, weight, one)
        return found

    def _judge(
        self,
        names: Sequence[Any],
        free: dict[int, Labels],
        labels: Labels,
        starting: Labels,
        halves: list[Agreement | None],
    ) -> None:
        """Compare the classes of each task with those of naive Bayes, and warn or take these."""
        self.guard_ = []
        self._by_naive_bayes: list[int] = []
        for (t, own), found in zip(free.items(), halves, strict=True):
            doubted = found is not None and in_doubt(found, len(own))
            taken = doubted and self.guard == "naive-bayes"
            record = {
                "task": names[t],
                "same_as_naive_bayes": float(np.mean(labels[own] == starting[own])),
                "agreement": None if found is None else found.classes,
                "agreement_of_naive_bayes": None if found is None else found.naive_bayes,
                "answer": "naive Bayes" if taken else "co-clustering",
            }
            self.guard_.append(record)
            if doubted:
                _warn(record)
            if taken:
                labels[own] = starting[own]
                self._by_naive_bayes.append(t)

    def predict(self, X: MatrixLike, tasks: Any = None) -> NDArray[Any]:
        """Return the classes (m,) of new rows X (m, d) of known tasks (m,), or of one for all."""
        check_is_fitted(self)
        return self.classes_[super().predict(X, tasks)]

    def _assign(self, X: Table, t: int) -> Labels:
        return self._assign_encoded(coclustering.encode(self, X), t)

    def _assign_encoded(self, Z: Table, t: int) -> Labels:
        B = self.block_sums_[t]
        return coclusters.nearest(coclusters.by_columns(Z, self.feature_clusters_, B.shape[1]), B)


def _warn(record: dict[str, Any]) -> None:
    took = record["answer"] == "naive Bayes"
    shares = [record[name] for name in ("agreement", "agreement_of_naive_bayes")]
    ours, bayes = (f"{100 * share:.0f} %" for share in shares)
    advice = "These are the answer" if took else 'Look at these, or take them (guard="naive-bayes")'
    warnings.warn(
        f"classes of task {record['task']!r} by one half of the columns are those by the other "
        f"half in {ours} of the rows, by naive Bayes alone in {bayes}: they may have left the known "
        f"classes for other groups. naive_bayes_ has the classes of naive Bayes. {advice}.",
        SharingWarning,
        stacklevel=4,
    )
