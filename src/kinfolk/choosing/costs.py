"""Predicts the seconds that runs and their scoring will take, corrected by the runs made so far.

The seconds of one start of a family on n rows of w numbers other than 0, with k clusters in each of
T tasks, and those of the null level (`null_model`) of a task of n rows, are about

    s     = exp(a) n^b w^c k^e T^f
    null  = a + b n sqrt(w) + c n^2
    pairs = T (T - 1) (a + b m + c m^2)

where pairs are the transfers and comparisons of clusters between tasks of m scored rows each.
The numbers are least squares fits, in logarithms and of ratios, to processor times of made tables:
300 to 8,000 rows, 20 to 1,000 columns, 2 and 8 tasks of 3 and 10 clusters, amounts, measurements
and counts (`python -m benchmarks.costs`); those of pairs to three tables of 32 and 64 tasks of 40
to 400 rows. A machine is faster or slower, other work shares it, and tables differ: before any
run the seconds are multiplied by `deadlines.slowness`; then every run that is complete corrects the
expectation of its family, and less that of the others, by the ratio of both sums.

Units   seconds.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Table
from kinfolk.choosing import consensus
from kinfolk.numerics import operators
from kinfolk.running import deadlines


class Power(NamedTuple):
    """Power law of running time: log factor, exponents of rows n, entries w, clusters, tasks T."""

    a: float
    rows: float
    numbers: float
    clusters: float
    tasks: float

    def seconds(self, n: float, w: float, k: float, T: float) -> float:
        """Evaluate the power law: exp(a) n^rows w^numbers k^clusters T^tasks seconds.

        >>> Power(0.0, 2.0, 1.0, 0.0, 0.0).seconds(3.0, 5.0, 7.0, 9.0)
        45.0
        """
        logarithm = self.a + self.rows * math.log(n) + self.numbers * math.log(w)
        # Rounded, so that machines whose exp differs in the last digit plan the same runs.
        return round(
            math.exp(logarithm + self.clusters * math.log(k) + self.tasks * math.log(T)), 12
        )


POWERS = MappingProxyType(
    {
        "kmeans": Power(-10.98, 0.83, 0.29, -0.02, 0.89),
        "symnmf of counts": Power(-9.71, 0.76, 0.50, 0.33, 0.36),
        "symnmf": Power(-10.91, 0.98, 0.40, 0.25, 0.14),
        "graph": Power(-9.77, 1.13, 0.04, 0.06, -0.13),
        "spectral": Power(-9.81, 1.12, 0.08, -0.07, -0.10),
        "soft-kmeans": Power(-10.78, 0.80, 0.29, 0.06, 0.89),
        "mec": Power(-10.61, 0.82, 0.30, 0.31, 0.55),
        "pooled": Power(-12.20, 0.92, 0.35, 0.07, 0.92),
        "mtcfir of counts": Power(-17.85, 1.59, 1.00, -0.20, -0.20),
        "mtcfir": Power(-11.09, 1.17, 0.11, 0.25, -0.03),
        "lssmtc": Power(-10.36, 0.83, 0.32, 0.21, 0.52),
        "mtcmrl": Power(-6.70, 0.68, 0.28, 0.31, 0.10),
        "joint-spectral": Power(-12.06, 1.34, 0.02, 0.16, 0.51),
    }
)
"""Power law of the seconds of one start, by name of the family."""

NULL_LEVELS = MappingProxyType(
    {
        "amounts": (0.087, 1.5e-05, 1.0e-06),
        "measurements": (0.19, 7.6e-05, 2.5e-06),
        "counts": (0.26, 1.7e-05, 1.4e-06),
    }
)
"""Coefficients a, b, c of the seconds for the null level of a task, by kind of table."""

PAIRS = (2.0e-4, 8.2e-6, 2.1e-8)
"""Coefficients a, b, c of the seconds for comparing two tasks."""

# Share of the seconds of a fit that no deadline can cut short: all steps but the sweeps.
WHOLE = MappingProxyType(
    {
        "kmeans": 1.0,
        "pooled": 1.0,
        "spectral": 1.0,
        "joint-spectral": 1.0,
        "graph": 0.4,
        "mtcfir": 0.4,
        "symnmf": 0.1,
        "mtcmrl": 0.1,
        "soft-kmeans": 0.1,
        "mec": 0.3,
        "lssmtc": 0.1,
    }
)


MANY = 32
"""Most tasks with the usual starts and null tables each; more tasks get fewer, to save time."""
# Three null tables tell the mean of a task well enough where many tasks share their deviation.
LEAST_TABLES = 0.3
"""Least share of the usual null tables of a task, where tasks are many."""
NULL = "null levels"
"""Key of `Costs.taken` for the seconds of null levels and scores."""
SLOW = "mtcmrl"
"""Family whose seconds stand for those of a family without a power."""
FIXED = 0.3
"""Predicted seconds, at usual speed, added to those of runs: a first run also imports modules."""
LEAST_SCORED = 200
"""Fewest rows of a task to score; with fewer, scores err more than the runs differ."""


class Effort(NamedTuple):
    """Thoroughness of scoring: most rows of a task (None: default), share of null tables made."""

    rows: int | None = None
    tables: float = 1.0


FULL = Effort()
SCORED = 0.05
"""Seconds of scoring without null tables, as a share of those with all null tables."""


@dataclass
class Costs:
    """Predicts the seconds of each run, and of scoring, on one table.

    Attributes
    ----------
    sizes : (T,) rows of each task
    numbers : entries of a row other than 0, the mean
    clusters : of a task, the mean
    kind : "counts", "amounts" or "measurements", which have more null tables
    columns : d
    taken : family -> seconds of each of its runs, and those expected beforehand

    Examples
    --------
    >>> costs = Costs([500, 500], 50.0, 5.0, "amounts", 50)
    >>> costs.of("mtcfir")
    0.11
    >>> costs.learn("kmeans", 9.0)  # far slower than expected, so the others will be, too
    >>> costs.of("mtcfir")
    3.14
    """

    sizes: Sequence[int]
    numbers: float
    clusters: float
    kind: str
    columns: int
    taken: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    @classmethod
    def of_table(cls, X: Table, sizes: Sequence[int], k: Sequence[int], kind: str) -> Self:
        """Build the cost model from the shape and kind ("counts", ...) of a table X (n, d)."""
        # Layers of MTCFIR hold all columns, also those that are 0.
        filled = np.count_nonzero(operators.entries(X)) / max(X.shape[0], 1)
        return cls(sizes, max(filled, 1.0), float(np.mean(k)), kind, X.shape[1])

    def sampled(self, size: int) -> "Costs":
        """Return the cost model of a sample of at most `size` rows of each task."""
        return replace(self, sizes=[min(n, size) for n in self.sizes])

    def of(self, family: str) -> float:
        """Predict seconds of one start of a family; unknown families count as the slowest one."""
        return self._planned(family) * self._ratio(family)

    def _planned(self, family: str) -> float:
        """Predict seconds of one start of a family by the power law, without corrections."""
        width = self.numbers
        name = family
        if f"{family} of {self.kind}" in POWERS:
            name = f"{family} of {self.kind}"
            width = self.columns
        power = POWERS.get(name, POWERS[SLOW])
        return power.seconds(sum(self.sizes), width, self.clusters, len(self.sizes))

    def learn(self, family: str, seconds: float) -> None:
        """Record the seconds that a finished run of a family took, to correct later predictions."""
        self.taken.setdefault(family, []).append((seconds, self._planned(family)))

    def _ratio(self, family: str) -> float:
        """Correction factor for a family: observed over predicted seconds of the finished runs."""
        every = [pair for of_family in self.taken.values() for pair in of_family]
        overall = _quotient(every, FIXED, deadlines.slowness())
        # A family's own runs soon count more than those of other families.
        return _quotient(self.taken.get(family, []), FIXED / 10, overall)

    def judging(self, effort: Effort = FULL) -> float:
        """Predict seconds for scoring the runs and computing the null levels."""
        return self._null(effort) * self._ratio(NULL)

    def pairs(self, effort: Effort = FULL) -> float:
        """Predict seconds for comparing the clusters of all pairs of tasks.

        >>> Costs([100] * 64, 20.0, 5.0, "amounts", 20).pairs()
        4.96
        """
        a, b, c = PAIRS
        m = self._scored(effort).mean()
        T = len(self.sizes)
        return float(T * (T - 1) * (a + b * m + c * m**2)) * self._ratio("pairs")

    def _scored(self, effort: Effort) -> NDArray[np.integer]:
        """Number (T,) of rows of each task that are scored."""
        return np.array([consensus.scored_rows(size, effort.rows) for size in self.sizes])

    def _null(self, effort: Effort) -> float:
        """Predict seconds for scores and null levels by their formula, without corrections."""
        a, b, c = NULL_LEVELS[self.kind]
        n = self._scored(effort)
        each = a + b * n * math.sqrt(self.numbers) + c * np.square(n)
        # Even without null tables every task is scored.
        share = effort.tables * share_of_tables(len(self.sizes))
        return float(each.sum()) * max(share, SCORED)

    def judged(self, seconds: float, effort: Effort = FULL) -> None:
        """Record the seconds that scoring took, to correct later predictions."""
        self.taken[NULL] = [(seconds, self._null(effort))]

    def effort(self, seconds: float) -> Effort:
        """Return the most thorough scoring that fits into these seconds, else the quickest one."""
        rows = max(self.sizes)
        # Rows are given up before null tables: without any of these no chance level is known.
        for tables in (1.0, 0.5, 0.25, 0.0):
            while self.judging(Effort(rows, tables)) > seconds and rows > LEAST_SCORED:
                rows = max(int(rows / 1.25), LEAST_SCORED)
            if self.judging(Effort(rows, tables)) <= seconds:
                break
        return Effort(None if rows >= max(self.sizes) else rows, tables)


def share_of_tables(n_tasks: int) -> float:
    """Share of the usual number of null tables per task, smaller for many tasks.

    >>> share_of_tables(4), share_of_tables(64), share_of_tables(500)
    (1.0, 0.5, 0.3)
    """
    return min(1.0, max(MANY / n_tasks, LEAST_TABLES))


def _quotient(pairs: Sequence[tuple[float, float]], weight: float, usual: float) -> float:
    """Ratio of summed observed to summed predicted seconds, shrunk towards a usual value.

    >>> _quotient([(3.0, 1.0)], 1.0, 1.0)
    2.0
    """
    seconds, expected = np.sum(pairs, axis=0) if pairs else (0.0, 0.0)
    return float((seconds + weight * usual) / (expected + weight))
