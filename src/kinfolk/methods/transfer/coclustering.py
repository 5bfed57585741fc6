"""CoCC: classifies unlabeled rows by column clusters shared with labeled tasks.

Rows without a label of each task are a joint distribution of rows D_t and columns W; the sums of
the columns in each known class are one of classes C and columns. Clusters W^ of the columns, which
all share, carry the classes over. Minimize

    J = sum_t ( I(D_t; W) - I(D^_t; W^) ) + lambda ( I(C; W) - I(C; W^) )             (5), (6)

over the classes D^_t of the rows and W^ by the steps of `coclusters`, in which the classes C stay
as they are, from the classes that naive Bayes gives each row, and random W^. The class of a row is
its known label, else the one in whose blocks it is likeliest.

Symbols     X (n, d), k classes, m = n_feature_clusters, lambda = class_weight.
Units       J in nats.
Limits      with all labels known only columns move. class_weight -> infinity: columns have the
            clusters that tell the known classes best, and rows follow them.
Guard       classes may drift from the known ones to other groups of the rows. The columns are cut
            in two at random, a few times: classes by one half of the columns should agree with
            those by the other half, and not less than the classes by naive Bayes do.
Source      Dai, Xue, Yang, Yu (2007), KDD, (3)-(6), of which two restatements were at hand: the
            objective is published, and the steps are those of STC with one side fixed.
Departures  1. The start of W^ is not known to us, and is random here. Lambda .25 and 64 clusters
            of columns are from memory; on 26 pairs of text tasks other values change little.
            2. Numbers that are no counts are doubled (`doubling`).
Beyond      the sum over several tasks without labels, labels for a part of a task, and the guard
            are ours. A new row of a task gets a class by (14) with the task's blocks, those of the
            known classes if all its labels were known.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from kinfolk.arrays import Labels, MatrixLike, Seed, Table
from kinfolk.errors import SharingWarning, warn_user
from kinfolk.estimators import checks, coclustering, kept_rows
from kinfolk.estimators.descent import Run, Settings
from kinfolk.estimators.known_labels import KnownLabelsEstimator
from kinfolk.estimators.parameterized import parameterized
from kinfolk.numerics import coclusters, memberships, naive_bayes
from kinfolk.numerics.coclusters import Domain, State

GUARDS = ("warn", "naive-bayes", "off")
"""Names of `guard`: warn of classes in doubt, take those of naive Bayes instead, or do not look."""

CUTS = 3
"""Random cuts of the columns into halves; the guard takes the mean agreement."""

FEWEST_COLUMNS = 4
"""Fewest columns that the guard cuts into halves, each of at least two."""

DOUBT = 2.0
"""Classes are in doubt if their agreement is so many standard errors below naive Bayes'."""


class EncodedRows(NamedTuple):
    """Encoded rows with known classes, those classes, and unlabeled rows of each task."""

    known: Table
    classes: Labels
    unknown: list[Table]
    k: int


def by_naive_bayes(rows: EncodedRows) -> list[Labels]:
    """Classify the unlabeled rows of each task by naive Bayes."""
    judge = naive_bayes.fitted(rows.known, rows.classes)
    return [judge.likeliest(Z) for Z in rows.unknown]


def problem(rows: EncodedRows, m: int, weight: float) -> coclusters.Problem:
    """Set up co-clustering of unlabeled tables and the class table (k, d) of known rows."""
    G = coclusters.by_rows(rows.known, rows.classes, rows.k)
    domains = [Domain(Z, rows.k) for Z in rows.unknown]
    return coclusters.problem([*domains, Domain(G, rows.k, weight, fixed=True)], m)


def start(p: coclusters.Problem, first: Sequence[Labels], seed: int) -> State:
    """First state: given classes of rows, and random clusters of columns."""
    tables = [own.X for own in p.domains]
    columns = coclustering.first_columns(tables, p.m, seed)
    return coclusters.state(p, [*first, np.arange(len(tables[-1]))], columns)


def descend(p: coclusters.Problem, first: Sequence[Labels], settings: Settings) -> Run[State]:
    """Descend from all starts, and return the run with the lowest objective."""
    return settings.best(
        start=lambda seed: start(p, first, seed),
        sweep=lambda s: coclusters.sweep(p, s),
        objective=lambda s: coclusters.objective(p, s),
        scale=coclusters.scale(p),
        what="co-clustering with classes",
    )


class HalvesAgreement(NamedTuple):
    """Share of rows with the same class by both column halves: by co-clustering, by naive Bayes."""

    classes: float
    naive_bayes: float


def agreements(
    rows: EncodedRows, halves: list[Labels], m: int, weight: float, settings: Settings
) -> list[HalvesAgreement]:
    """Agreement of each task between halves of the columns, averaged over cuts.

    `halves` are the cuts: the half (p,) of each column, 0 or 1.
    """
    found = []
    for half in halves:
        by_half = []
        for side in (0, 1):
            own = np.flatnonzero(half == side)
            part = EncodedRows(
                rows.known[:, own], rows.classes, [Z[:, own] for Z in rows.unknown], rows.k
            )
            first = by_naive_bayes(part)
            run = descend(problem(part, min(m, len(own)), weight), first, settings)
            by_half.append((run.state.rows[:-1], first))
        (ends, firsts), (other_ends, other_firsts) = by_half
        found.append(
            [
                HalvesAgreement(float(np.mean(a == b)), float(np.mean(c == d)))
                for a, b, c, d in zip(ends, other_ends, firsts, other_firsts, strict=True)
            ]
        )
    return [HalvesAgreement(*np.mean(own, axis=0).tolist()) for own in zip(*found, strict=True)]


def in_doubt(found: HalvesAgreement, n: int) -> bool:
    """True if classes of n rows agree clearly less between halves than naive Bayes' do.

    The standard error is that with one more row that agrees and one that does not, so that it is
    not 0 where all agree.

    >>> in_doubt(HalvesAgreement(0.6, 0.8), 100), in_doubt(HalvesAgreement(0.6, 0.8), 4)
    (True, False)
    """
    share = (n * found.naive_bayes + 1) / (n + 2)
    error = np.sqrt(share * (1 - share) / (n + 2))
    return bool(found.classes < found.naive_bayes - DOUBT * error)


@parameterized
class CoCC(KnownLabelsEstimator):
    """Classifies unlabeled rows by column clusters shared with labeled rows of other tasks.

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
    and all of `KnownLabelsEstimator`

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

    of_rows = ("naive_bayes_", "memberships_")

    compares = "nothing"
    keeps = kept_rows.MEMBERSHIPS

    n_feature_clusters: int = 64
    class_weight: float = 0.25
    encoding: str = "auto"
    guard: str = "warn"
    n_init: int = 3
    max_iter: int = 300
    tol: float = 1e-6
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: Any = None, tasks: Any = None) -> Self:
        """Find the classes of the rows of X (n, d) whose label in y (n,) is -1.

        tasks (n,) names the task of each row; in a task any share of the labels may be known.
        """
        X, found, given = self._open_labelled(X, y, tasks)
        known = given.known
        weight = checks.not_negative("class_weight", self.class_weight)
        checks.choice("guard", self.guard, GUARDS)
        settings = Settings.of(self)
        Z = coclustering.fit_encoding(self, X)
        m = coclustering.n_feature_clusters(self, Z.shape[1])
        free = {t: own[~known[own]] for t, own in enumerate(found.rows()) if not known[own].all()}
        rows = EncodedRows(Z[known], given.classes, [Z[own] for own in free.values()], given.k)
        self._judge = naive_bayes.fitted(rows.known, rows.classes)
        first = [self._judge.likeliest(part) for part in rows.unknown]
        run = descend(problem(rows, m, weight), first, settings)
        self.feature_clusters_ = run.state.columns
        *own_blocks, of_known = run.state.blocks
        blocks = dict(zip(free, own_blocks, strict=True))
        self.block_sums_ = [blocks.get(t, of_known) for t in range(len(found.names))]
        self.guard_ = self._guarded(found.names, free, rows, first, m, weight, settings)
        labels = np.empty(len(known), dtype=int)
        labels[known] = given.classes
        starting = labels.copy()
        for t, own, by_bayes in zip(free, free.values(), first, strict=True):
            labels[own] = self._assign_encoded(Z[own], t)
            starting[own] = by_bayes
        self.naive_bayes_ = self.classes_[starting]
        self.memberships_ = memberships.indicator(labels, given.k)
        return self._record_classes(X, found, given, labels, run)

    def _guarded(
        self,
        names: Sequence[Any],
        free: Mapping[int, Labels],
        rows: EncodedRows,
        first: Sequence[Labels],
        m: int,
        weight: float,
        settings: Settings,
    ) -> list[dict[str, Any]]:
        """Return the records of `guard_`, against naive Bayes; warn of classes in doubt."""
        self._by_naive_bayes: list[int] = []
        records = []
        found = self._agreements(rows, m, weight, settings)
        for t, Z, start_, own in zip(free, rows.unknown, first, found, strict=True):
            same = float(np.mean(self._by_blocks(Z, t) == start_))
            doubted = own is not None and in_doubt(own, Z.shape[0])
            taken = doubted and self.guard == "naive-bayes"
            if taken:
                self._by_naive_bayes.append(t)
            record = {
                "task": names[t],
                "same_as_naive_bayes": same,
                "agreement": None if own is None else own.classes,
                "agreement_of_naive_bayes": None if own is None else own.naive_bayes,
                "answer": "naive Bayes" if taken else "co-clustering",
            }
            if doubted:
                _warn(record)
            records.append(record)
        return records

    def _agreements(
        self, rows: EncodedRows, m: int, weight: float, settings: Settings
    ) -> Sequence[HalvesAgreement | None]:
        """Agreement between column halves for each task with unlabeled rows, None if unknown."""
        p = rows.known.shape[1]
        d = p // 2 if self.encoding_ == "doubled" else p
        if self.guard == "off" or d < FEWEST_COLUMNS or not rows.unknown:
            return [None] * len(rows.unknown)
        random = np.random.RandomState(settings.seeds[0])
        # The columns that one was doubled to are in one half.
        places = coclustering.places_of_columns([rows.known[:, :d]])
        halves = [np.resize((random.permutation(d) % 2)[places], p) for _ in range(CUTS)]
        one = Settings(settings.seeds[:1], settings.max_iter, settings.tol)
        return agreements(rows, halves, m, weight, one)

    def _assign(self, X: Table, t: int) -> Labels:
        return self._assign_encoded(coclustering.encode(self, X), t)

    def _assign_encoded(self, Z: Table, t: int) -> Labels:
        return self._judge.likeliest(Z) if t in self._by_naive_bayes else self._by_blocks(Z, t)

    def _by_blocks(self, Z: Table, t: int) -> Labels:
        B = self.block_sums_[t]
        return coclusters.nearest(coclusters.by_columns(Z, self.feature_clusters_, B.shape[1]), B)


def _warn(record: dict[str, Any]) -> None:
    """Warn that the classes of a task, by its record of `guard_`, are in doubt."""
    took = record["answer"] == "naive Bayes"
    ours = 100 * record["agreement"]
    bayes = 100 * record["agreement_of_naive_bayes"]
    advice = "These are the answer" if took else 'Look at these, or take them (guard="naive-bayes")'
    warn_user(
        f"classes of task {record['task']!r} by one half of the columns are those by the other "
        f"half in {ours:.0f} % of the rows, by naive Bayes alone in {bayes:.0f} %: they may have "
        "left the known classes for other groups. naive_bayes_ has the classes of naive Bayes. "
        f"{advice}.",
        SharingWarning,
    )
