"""Fits a mixture to each task of measurements; it is the own answer where it fits well.

Most methods take clusters for balls of one size. Those of measurements are long, lie askew, differ
in size, or stand out in few columns; mixtures find such clusters (`numerics/mixed_mixtures`), and
their categories weigh as much as they tell. But two clusters of a mixture may be the middle and the
rim of one group. So it is the own answer of a task only if all hold:

    evidence  BIC of the k clusters is more than 10 above that of one cluster
    means     its clusters are those of the nearest mean in one covariance for all: adjusted Rand
              index of .85 and more. The middle and the rim of a group have the same mean. Or each
              mean is outside of 99.9 % of every other cluster: long clusters that lie askew to each
              other are not those of one covariance. Each then has d (d + 1) rows of d numbers or
              more, since few rows that lie by chance along a line are far from all others
    fit       Kolmogorov's distance between the squared Mahalanobis distances of rows to their
              clusters and the chi-squared distribution is at most .2 (of heavy tails, F for chi)
    sizes     every cluster has 3 rows and more

Limits  not for a task with fewer than d (d + 1) rows of d numbers, more than 32 tasks, known
        labels, or tables that are not measurements.
Source  `docs/labelfree-columns-measured.md` says what decided the rule. 10: the "very strong"
        evidence of Kass, Raftery: Bayes factors. JASA 90, 1995.
"""

import warnings
from collections.abc import Callable, Sequence
from copy import copy
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kstest
from sklearn.base import clone

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table
from kinfolk.choosing import copula, null_evidence, task_state
from kinfolk.choosing.candidate_runs import CandidateRuns, FittedCandidate
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.task_state import FitState
from kinfolk.errors import EmptyClusterWarning
from kinfolk.estimators import checks
from kinfolk.estimators.base import Clusterer
from kinfolk.estimators.parameterized import parameterized
from kinfolk.numerics import kinds, matching, memberships, mixed_mixtures, operators, starts
from kinfolk.numerics.mixed_mixtures import Fitted, Mixture
from kinfolk.tables import Tasks

FAMILY = "mixture"
REPRESENTATION = "raw"
MIN_EVIDENCE = 10.0
MIN_NEAREST_MEAN = 0.85
# Halves of groups of tables with known classes reached .99, right clusters across each other more.
OUTSIDE = 0.999
"""Share of a cluster that has to lie nearer to its mean than the mean of each other cluster."""
MAX_MISFIT = 0.2
MIN_ROWS = 3
FEW_VALUES = 5
"""Most values of a column that all become categories, where a cluster has one value alone."""
# A sample tells the few numbers of a mixture as well, and sweeps take seconds with more.
MOST_ROWS = 2000


class _Found(Protocol):
    """A mixture of some rows, and their memberships (n, k)."""

    @property
    def mixture(self) -> Mixture: ...
    @property
    def memberships(self) -> Matrix: ...


AnyMixture = TypeVar("AnyMixture", bound=_Found)


@parameterized
class MixedMixture(Clusterer):
    """Mixture of normal numbers and independent categories; BIC chooses its covariances.

    Columns with two values are categories, one together where they one-hot encode it. So are those
    of which a cluster has one value alone, such as a code of 3, 6 and 7, or the milk of farms
    without cows: as a normal cluster it has no variance there, and fits better than any other one.
    With more than five values such a column has the categories of that value and of any other.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    n_init : int >= 1, the number of k-means starts, each of which gives two of the mixture
    random_state : int, RandomState or None, for the starts, and for a sample of 2000 rows where
        there are more
    heavy_tails : bool, True also tries clusters of Student's t, where rows lie far out; False:
        normal numbers alone

    Attributes
    ----------
    labels_ : (n,), the most probable cluster of each row
    means_, spreads_ : (d,) of the columns; the mixture is of columns with variance 1
    factors_ : (d,), by which tiny numbers are multiplied to tell values of a column apart, else 1
    coded_, values_ : (p,), the columns that are categories, once for each value, and these values,
        times the factor, NaN for any other one; columns with one value take no part
    weights_, cluster_centers_, covariances_, shares_, tails_ : of `mixed_mixtures.Mixture`
    evidence_ : BIC of the mixture less that of one cluster
    fits_ : True if the mixture passes all four tests of this module

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(60, 2)) * [1.0, 9.0] + 6 * np.eye(2)[[0, 1] * 30]
    >>> model = MixedMixture(2, random_state=0).fit(X)
    >>> model.labels_[:6], model.fits_
    (array([1, 0, 1, 0, 1, 0]), True)
    """

    compares = "nothing"  # columns have variance 1

    n_clusters: int = 2
    n_init: int = 4
    random_state: Seed = None
    heavy_tails: bool = True

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d), n >= k."""
        X, k = self._open(X, self.n_clusters)
        random = checks.random(self.random_state)
        rows = starts.at_most(operators.dense(X).astype(np.float64), MOST_ROWS, random)
        seeds = starts.seeds(random, self.n_init)
        N, B, found = self.search(rows, lambda N, B: self._best(N, B, k, seeds))
        self.evidence_ = found.bic - self._best(N, B, 1, [0]).bic
        self.fits_ = self.evidence_ > MIN_EVIDENCE and fits(N, found.mixture, found.memberships)
        self.labels_ = self._assigned(X)
        return self._warn_of_empty_clusters()

    def predict(self, X: MatrixLike) -> Labels:
        """Return the most probable cluster (m,) of each row of X (m, d)."""
        return self._assigned(self._new_rows(X))

    def moved_to(self, X: Table) -> Self:
        """Return a copy for rows X (m, d) of another task, with all centers shifted to fit them.

        It keeps the clusters that hold a row; `evidence_` is its BIC less that of one cluster.

        >>> random = np.random.default_rng(0)
        >>> X = random.normal(size=(60, 2)) * [1.0, 9.0] + 6 * np.eye(2)[[0, 1] * 30]
        >>> few = MixedMixture(2, random_state=0).fit(X).moved_to(X[:4] + 50)
        >>> few.labels_, few.evidence_ > 0
        (array([1, 0, 1, 0]), True)
        """
        N, B = self.columns(operators.dense(X).astype(np.float64))
        found = mixed_mixtures.moved(N, B, self._mixture)
        made = copy(self)
        used, made.labels_ = np.unique(found.memberships.argmax(axis=1), return_inverse=True)
        w, centers, covariances, shares, tails = found.mixture
        w = w[used] / w[used].sum()
        made.take(Mixture(w, centers[used], covariances[used], shares[used], tails))
        made.evidence_ = float(found.bic - self._best(N, B, 1, [0]).bic)
        return made

    def evidence_of(self, X: Table, k: int) -> float:
        """BIC of the best mixture of k clusters fitted to rows X (m, d), less that of one cluster.

        In the columns and at the scale of this model, to compare it with `moved_to`.
        """
        N, B = self.columns(operators.dense(X).astype(np.float64))
        seeds = starts.seeds(checks.random(self.random_state), self.n_init)
        return self._best(N, B, k, seeds).bic - self._best(N, B, 1, [0]).bic

    def search(
        self, rows: Matrix, best: Callable[[Matrix, Matrix], AnyMixture]
    ) -> tuple[Matrix, Matrix, AnyMixture]:
        """Fit mixtures to rows (n, d) until no further column is a category, and keep the last one.

        Sets all attributes but `labels_`, `evidence_` and `fits_`.

        Parameters
        ----------
        best : finds the best mixture of numbers (n, d) and indicators (n, p)

        Returns
        -------
        N, B : numbers (n, d) and indicators (n, p) of the last mixture
        found : the last result of `best`
        """
        self.n_features_in_ = rows.shape[1]
        self.means_ = rows.mean(axis=0)
        self.factors_ = kinds.enlarging(rows)
        values = [np.unique(column) for column in self._rounded(rows).T]
        sizes = np.array([len(found) for found in values])
        self.spreads_ = np.where(sizes > 1, rows.std(axis=0), 0.0)
        categories = {j: values[j] for j in np.flatnonzero(sizes == 2).tolist()}
        # Of columns that encode one category each row has one, which none of them has for a 0.
        for own in copula.categories(rows):
            categories.update((j, values[j][1:]) for j in own.tolist())
        while True:
            lengths = [len(found) for found in categories.values()]
            self.coded_ = np.repeat(np.array([*categories], dtype=int), lengths)
            self.values_ = np.concatenate([np.empty(0), *categories.values()])
            N, B = self.columns(rows)
            found = best(N, B)
            alone = task_state.single_values(self._rounded(rows), found.memberships.argmax(axis=1))
            new = [j for j, v in enumerate(alone) if len(v) and j not in categories]
            if not new:
                self.take(found.mixture)
                return N, B, found
            for j in new:
                few = sizes[j] <= FEW_VALUES
                categories[j] = values[j] if few else np.append(alone[j], np.nan)

    def _best(self, N: Matrix, B: Matrix, k: int, seeds: Sequence[int]) -> Fitted:
        """Best mixture of k clusters of numbers N (n, d) and indicators B (n, p)."""
        first = kmeans_starts(N, B, k, seeds)
        return mixed_mixtures.best(N, B, first, k, self.heavy_tails)

    def take(self, mixture: Mixture) -> None:
        """Set the attributes that describe a mixture of the columns of this model."""
        self.weights_, self.cluster_centers_, self.covariances_, self.shares_ = mixture[:4]
        self.tails_ = mixture.tails

    def with_mixture(self, mixture: Mixture) -> Self:
        """Return a copy with another mixture of the same columns."""
        made = copy(self)
        made.take(mixture)
        return made

    @property
    def _mixture(self) -> Mixture:
        shares = self.shares_
        if hasattr(self, "binary_"):  # stored when categories had two values
            shares = np.hstack([shares, 1 - shares])
        tails = getattr(self, "tails_", None)  # earlier versions had normal numbers alone
        return Mixture(self.weights_, self.cluster_centers_, self.covariances_, shares, tails)

    def _assigned(self, X: Table) -> Labels:
        N, B = self.columns(operators.dense(X).astype(np.float64))
        return np.asarray(mixed_mixtures.log_densities(N, B, self._mixture).argmax(axis=1))

    def columns(self, X: Matrix) -> tuple[Matrix, Matrix]:
        """Numbers (n, d) with variance 1, and indicators (n, p) of values, of rows X."""
        if hasattr(self, "binary_"):
            above = X[:, self.binary_] > self.means_[self.binary_] + 1e-9
            return self._numbers(X, ~self.binary_), np.hstack([above, ~above]).astype(float)
        numbers = np.ones(X.shape[1], dtype=bool)
        numbers[self.coded_] = False
        B = (self._rounded(X)[:, self.coded_] == self.values_).astype(float)
        for q in np.flatnonzero(np.isnan(self.values_)):
            B[:, q] = 1.0 - B[:, self.coded_ == self.coded_[q]].sum(axis=1)
        return self._numbers(X, numbers), B

    def _rounded(self, X: Matrix) -> Matrix:
        """Values of rows X (m, d), in units of `factors_`, as they are told apart."""
        factors = getattr(self, "factors_", 1.0)  # not stored by earlier versions
        return (X * factors).round(kinds.DIGITS)

    def _numbers(self, X: Matrix, numbers: NDArray[np.bool_]) -> Matrix:
        numbers = numbers & (self.spreads_ > 0)
        return (X[:, numbers] - self.means_[numbers]) / self.spreads_[numbers]


def kmeans_starts(N: Matrix, B: Matrix, k: int, seeds: Sequence[int]) -> list[Labels]:
    """Cluster numbers N (n, d) beside indicators B (n, p) by k-means, as they are and whitened."""
    apart = B * np.sqrt(0.5)  # rows of two values differ in two indicators: their distance is 1
    tables = np.hstack([N, apart]), np.hstack([starts.round_rows(N), apart])
    return [starts.kmeans(Z, k, seed) for seed in seeds for Z in tables]


def fits(N: Matrix, mixture: Mixture, R: Matrix) -> bool:
    """True if a mixture of numbers N (n, d) passes the tests of means, fit and sizes.

    `R` (n, k) are the memberships of the rows under it.
    """
    if not mixed_mixtures.rows_suffice(*N.shape) or not sizes_suffice(R):
        return False
    none = np.empty((len(N), 0))
    return lie_as_described(N, mixture, R) and means_tell_apart(N, none, mixture, R)


def sizes_suffice(R: Matrix) -> bool:
    """True if every cluster is the likeliest of three rows or more, by memberships R (n, k)."""
    return bool(np.bincount(R.argmax(axis=1), minlength=R.shape[1]).min() >= MIN_ROWS)


def lie_as_described(N: Matrix, mixture: Mixture, R: Matrix) -> bool:
    """True if numbers N (n, d) lie in their likeliest clusters about as the mixture says."""
    squares = mixed_mixtures.own_distances(N, mixture, R)
    inside = mixed_mixtures.share_inside(squares, N.shape[1], mixture.tails)
    return bool(kstest(inside, "uniform").statistic <= MAX_MISFIT)


def means_tell_apart(N: Matrix, B: Matrix, mixture: Mixture, R: Matrix) -> bool:
    """True if clusters are those of the nearest mean in one covariance, or each mean is far out.

    Of numbers N (n, d), and with the shares of values B (n, p) of each cluster.
    """
    labels = R.argmax(axis=1)
    Y = memberships.indicator(labels, R.shape[1])
    same_shape = mixed_mixtures.renewed(N, B, Y, mixed_mixtures.FORMS[0])
    nearest = mixed_mixtures.log_densities(N, B, same_shape).argmax(axis=1)
    if matching.adjusted_rand(labels, nearest) >= MIN_NEAREST_MEAN:
        return True
    smallest = int(Y.sum(axis=0).min())
    enough = mixed_mixtures.rows_suffice(smallest, N.shape[1])
    return enough and _apart(mixture)


def _apart(mixture: Mixture) -> bool:
    """True if the center of each cluster lies outside of nearly all of every other one.

    >>> long = np.array([np.diag([9.0, 0.1]), np.diag([0.1, 9.0])])
    >>> far = Mixture(np.ones(2) / 2, np.array([[0.0, 0.0], [9.0, 9.0]]), long, np.empty((2, 0)))
    >>> _apart(far), _apart(far._replace(centers=np.zeros((2, 2))))
    (True, False)
    """
    k, d = mixture.centers.shape
    D, _ = mixed_mixtures.squared_distances(mixture.centers, mixture)
    of_others = D[~np.eye(k, dtype=bool)]
    inside = mixed_mixtures.share_inside(of_others, d, mixture.tails)
    return bool(inside.min(initial=1.0) >= OUTSIDE)


def exceeds_chance(model: MixedMixture, X: Matrix) -> bool:
    """True if a mixture of rows X (n, d) has more evidence than those of tables without clusters.

    Such tables have the values of the columns and similar rank correlations (`copula`), but no rows
    far out in several columns at once: one cluster with heavy tails would describe them far better
    than X. So the mixtures compared are normal.

    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(60, 2)) @ np.array([[1.0, 1.0], [0.0, 0.1]])
    >>> X[:30, 1] += 0.8
    >>> exceeds_chance(MixedMixture(2, random_state=0).fit(X), X)
    True
    """
    normal = clone(model).set_params(heavy_tails=False)
    random = checks.random(model.random_state)
    draw = copula.drawing(starts.at_most(X, MOST_ROWS, random))
    with warnings.catch_warnings():
        # Tables without clusters may fill fewer than were asked for.
        warnings.simplefilter("ignore", EmptyClusterWarning)
        evidence = clone(normal).fit(X).evidence_ if model.heavy_tails else model.evidence_
        return null_evidence.is_exceeded(
            evidence, lambda: clone(normal).fit(draw(random)).evidence_
        )


def improve(
    X: Table,
    found: Tasks,
    seen: Representations,
    states: list[FitState],
    runs: CandidateRuns,
    random: np.random.RandomState,
) -> FittedCandidate | None:
    """Set the own answers of tasks to clusters of mixtures, where these fit their rows X (n, d).

    If any does, the run of all mixtures is added to `runs`, and to the runs of each state.

    Returns
    -------
    run : the mixtures of all tasks, each by itself; None if none of them is an answer
    """
    if not task_state.may_be_tested(states, seen.kind):
        return None
    # Unscaled: a mixture scales the columns itself, and its own scale holds for rows of others too.
    Z = operators.dense(seen.transform(REPRESENTATION, X, found.codes)).astype(float)
    d = len(task_state.numbers(Z, found.codes))
    if not mixed_mixtures.rows_suffice(min(max(found.sizes), MOST_ROWS), d):
        return None
    model = MixedMixture(random_state=starts.seeds(random, 1)[0])
    run = task_state.run_alone(states, FAMILY, REPRESENTATION, model, Z, found.codes)
    if run is None:
        return None
    fitted = run.candidate.estimator.estimators_
    if not any(one.fits_ for one in fitted):
        return None
    runs.fitted.append(run)
    for state, one in zip(states, fitted, strict=True):
        # Clusters with sparse space between them (`separated_clusters`) stand.
        is_answer = one.fits_ and state.own.fitted is None
        state.own = task_state.with_run(state, run, is_answer)
        if is_answer and not state.own.has_clusters and exceeds_chance(one, Z[state.rows]):
            task_state.accept(state)
    task_state.transfer(states)
    task_state.accept_found_again(states)
    return run
