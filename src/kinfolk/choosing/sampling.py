"""Fits `Kinfolk` to samples of large tasks, and assigns the remaining rows to the clusters found.

The whole rule runs on a sample of each task, with as many rows as time allows:

1. Draw two samples of s rows of each task that have no row in common, and fit the rule to each.
   Tasks of up to s rows take part whole, rows of known label are in both samples.
2. Place every row of the tables by both fits: by up to 15 nearest rows of its task's sample, where
   clusters are scored; by the mixture itself where that is the answer (`shared_metric`).
3. Compare the two placements. Where they differ too much, and less than before, double s and begin
   again.

The answer is that of the first sample. A row is sure if both place it in the same cluster, clusters
matched; the share of the others is how much another sample would change.

Units   none.
Limits  s at least the rows of the largest task: the fit to all rows.
Source  the idea of prediction strength: Tibshirani, Walther: Cluster validation by prediction
        strength. Journal of Computational and Graphical Statistics 14, 2005.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Table
from kinfolk.choosing import consensus, cross_task, scores
from kinfolk.choosing.costs import Costs
from kinfolk.choosing.mixtures import MixedMixture
from kinfolk.choosing.turns import JUDGED, JUDGING
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.methods.multitask.shared_covariance import SharedCovarianceMixture
from kinfolk.numerics import matching, starts
from kinfolk.running import deadlines, interruptions, progress
from kinfolk.tables import Tasks, TaskSizes, object_array
from kinfolk.tables.tasks import even_share

# The default rule takes about half a minute of one core for 4,000 rows, minutes for 16,000.
AUTO_ROWS = 16_000
"""Rows of all tasks above which `rows="auto"` takes samples, and the most that it samples."""
FIRST_ROWS = 4_000
"""Rows of all tasks in the first two samples."""
# Of 200 tasks of 100 rows samples would have 20 rows of each, and all rows take less time than they
# do, since what is done for each task and pair of tasks is done anew for each of up to six samples.
FEWEST_OF_TASK = 100
"""Fewest rows of a task in the first sample; else up to twice `AUTO_ROWS` rows are all fitted."""
# Two draws of 250 to 2000 rows of digits: where they agreed to .82, accuracy was .02 below that of
# all rows, and .06 below where they agreed to .7.
SETTLED_AGREEMENT = 0.95
"""Mean adjusted Rand index of two placements above which a larger sample would change little."""
# Where clusters overlap, two samples of any size place the rows between them differently.
LEAST_GAIN = 0.01
"""Gain in this agreement by doubled samples, below which doubling again would change little."""
LEAST_ROWS = 1_000
"""Fewest rows of all tasks in a sample, however short the budget is; not tuned."""
LEAST_OF_CLUSTER = 10
"""Fewest rows per cluster in such a sample, as of tasks that take part in sharing."""
USUAL_CLUSTERS = 5
"""Clusters per task that predicted costs assume until the numbers of clusters are known."""
SHARE_OF_TIME = 0.38
"""Share of the time left that each of two fits may take."""
LEAST_SHARE_OF_TIME = 0.1
"""Least share for each fit, where placing the rows is expected to take most of the time."""
EARLIEST = 0.1
"""Fewest seconds for a fit."""
# Of 300,000 rows of 20 columns in 10 tasks, by 256 sampled rows of each, on a core without others.
SECONDS_TO_PLACE = 6e-6
"""Seconds to place a row, without those of comparing it with the sampled rows."""
SECONDS_TO_COMPARE = 3e-8
"""Seconds to compare a row with a sampled one."""
BLOCK = 10_000
"""Rows that are placed at once."""

Positions = NDArray[np.integer]


class Second(NamedTuple):
    """Model of a second sample, its rows (m,), and the first model's cluster for each of its own.

    clusters[t][j] is the cluster of the first fit that matches cluster j of the task at position t.
    """

    model: Any
    rows: Positions
    clusters: list[Labels]


@dataclass(frozen=True)
class Sampled:
    """A model fitted to a sample, and how well a second sample's model agrees with it.

    Attributes
    ----------
    model : the fitted estimator, which has seen the sample alone
    rows : (m,) positions of the sample, task by task
    labels, own_labels : (n,) of all rows, with and without the other tasks
    sure : (n,) True where the two fits place a row in the same cluster
    agreement : (T,) adjusted Rand index of the two placements in each task
    second : the fit to the other sample
    """

    model: Any
    rows: Positions
    labels: Labels
    own_labels: Labels
    sure: NDArray[np.bool_]
    agreement: NDArray[np.float64]
    second: Second

    @property
    def moved(self) -> float:
        """Share of all rows that the second model puts into another cluster."""
        return float(1.0 - self.sure.mean())

    def record(self) -> dict[str, Any]:
        """Return the record for users: sampled rows, agreement, share moved, and a sentence."""
        sentence = (
            f"The methods saw {len(self.rows):,} of {len(self.labels):,} rows; the others were "
            f"placed by their nearest rows. Another sample would move {100 * self.moved:.1f} % of "
            "all rows."
        )
        return {
            "rows": self.rows,
            "agreement": self.agreement,
            "moved": self.moved,
            "meaning": sentence,
        }


def sample_size(rows: Any, found: Tasks | TaskSizes) -> int | None:
    """Return the size of each task's first sample, or None to fit all rows.

    Parameters
    ----------
    rows : "auto", None for all rows, or the number of rows of each task, at least 10

    Raises
    ------
    InputError : rows is none of these

    Examples
    --------
    >>> tasks = Tasks.of(["a"] * 30_000 + ["b"] * 500)
    >>> sample_size("auto", tasks), sample_size(None, tasks), sample_size(400, tasks)
    (3500, None, 400)
    """
    if rows is None:
        return None
    if isinstance(rows, str) and rows == "auto":
        size = even_share(found.sizes, FIRST_ROWS)
        whole = AUTO_ROWS if size >= FEWEST_OF_TASK else 2 * AUTO_ROWS
        return None if sum(found.sizes) <= whole else size
    whole = isinstance(rows, int | np.integer) and not isinstance(rows, bool)
    if not whole or rows < 10:
        raise InputError(
            f'rows is {rows!r}; give "auto", None for all rows, or a whole number from 10: the '
            "rows of each task that the methods see."
        )
    return int(rows) if max(found.sizes) > rows else None


def affordable(
    costs: Costs, families: Sequence[str], size: int | None, seconds: float
) -> int | None:
    """Return the sample size per task that a time budget allows, at most `size`; None: all rows.

    A sample is affordable if the first runs of all families, judging them, and comparing each pair
    of tasks are expected to take `SHARE_OF_TIME` of the seconds.

    Examples
    --------
    >>> costs = Costs([4000, 4000], 50.0, 5.0, "amounts", 50)
    >>> affordable(costs, ["kmeans", "mtcfir"], None, 600.0)
    >>> affordable(costs, ["kmeans", "mtcfir"], None, 0.1)
    500
    """

    def needed(of: Costs) -> float:
        effort = of.effort(seconds * SHARE_OF_TIME * JUDGED)
        return sum(map(of.of, families)) + JUDGING * of.judging(effort) + of.pairs(effort)

    enough = seconds * SHARE_OF_TIME
    if size is None and (sum(costs.sizes) <= LEAST_ROWS or needed(costs) <= seconds / 2):
        return None
    least = max(even_share(costs.sizes, LEAST_ROWS), round(LEAST_OF_CLUSTER * costs.clusters))
    found = max(costs.sizes) if size is None else size
    while found > least and needed(costs.sampled(found)) > enough:
        # Steps of a fifth: costs err more than that.
        found = max(int(found / 1.25), least)
    return found if found < max(costs.sizes) else None


def in_time(
    X: Table, found: Tasks, n_clusters: Any, families: Sequence[str], kind: str, size: int | None
) -> int | None:
    """Return the sample size per task of a table X (n, d) that the running deadline allows.

    n_clusters, kind : as of `Kinfolk` and of `Representations`; size : see `affordable`
    """
    # Before the numbers of clusters are found, which takes place on the samples.
    k = [USUAL_CLUSTERS] if isinstance(n_clusters, str) else checks.clusters(n_clusters, found)
    costs = Costs.of_table(X, found.sizes, k, kind)
    return affordable(costs, families, size, deadlines.left())


def drawn(
    found: Tasks, size: int, y: Labels | None, random: np.random.RandomState
) -> tuple[Positions, Positions]:
    """Draw two samples of each task's rows, with as few rows in common as possible.

    Returns
    -------
    first, second : positions, task by task, so that tasks keep their order

    Examples
    --------
    >>> first, second = drawn(Tasks.single(6), 3, None, np.random.RandomState(0))
    >>> first, second
    (array([0, 1, 5]), array([2, 3, 4]))
    """
    samples: tuple[list[Positions], list[Positions]] = ([], [])
    (seed,) = starts.seeds(random, 1)
    for rows in found.rows():
        known = rows[:0] if y is None else rows[y[rows] >= 0]
        # One seed for all tasks: their order, that of their first rows, changes no draw.
        others = np.random.RandomState(seed).permutation(np.setdiff1d(rows, known))
        m = min(max(size - len(known), 0), len(others))
        samples[0].append(np.sort(np.concatenate([known, others[:m]])))
        samples[1].append(np.sort(np.concatenate([known, others[len(others) - m :]])))
    return np.concatenate(samples[0]), np.concatenate(samples[1])


def fitted(
    make: Callable[[Positions, float | None], Any],
    X: Table,
    y: Labels | None,
    found: Tasks,
    size: int,
    random: np.random.RandomState,
    largest: int = AUTO_ROWS,
) -> Sampled:
    """Fit growing samples until two of them assign the rows alike, or time runs out.

    After Ctrl-C the second fit, which only tells how many rows another sample would move, is as
    short as can be, and no larger samples follow.

    Parameters
    ----------
    make : fits the rule to the rows at some positions, within seconds or without a limit
    size : rows of each task in the first sample
    largest : rows of all tasks above which a sample is not doubled
    """
    before = -1.0
    while True:
        started = deadlines.clock()
        left = deadlines.left()
        # More than half of what is left for the two fits; the rest is for placing, and so that a
        # larger sample is within reach.
        share = None if math.isinf(left) else _for_each_fit(left, found, size)
        one, two = drawn(found, size, y, random)
        model = make(one, share)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the first fit has said what there is to say
            other = make(two, EARLIEST if interruptions.came() else share)
        made = _compared(X, found, (model, one), (other, two))
        took = deadlines.clock() - started
        # A fit to twice as many rows takes about three times as long.
        late = 3 * took > deadlines.left() or interruptions.came()
        alike = float(made.agreement.mean())
        settled = alike >= SETTLED_AGREEMENT or alike - before < LEAST_GAIN
        if settled or late or size >= max(found.sizes) or 2 * len(one) > largest:
            return made
        before = alike
        size *= 2


def _for_each_fit(left: float, found: Tasks, size: int) -> float:
    """Return the seconds that each of two fits may take, of those left for fits and placing.

    >>> _for_each_fit(100.0, Tasks.single(100), 50)
    38.0
    """
    # Both fits place all rows.
    rows = [SECONDS_TO_PLACE + SECONDS_TO_COMPARE * min(n, size) for n in found.sizes]
    placing = 2.0 * float(np.dot(found.sizes, rows)) * deadlines.slowness()
    return max(
        min(left * SHARE_OF_TIME, (left - placing) / 2.0), left * LEAST_SHARE_OF_TIME, EARLIEST
    )


def _compared(
    X: Table, found: Tasks, first: tuple[Any, Positions], second: tuple[Any, Positions]
) -> Sampled:
    """Assign all rows by two models, and measure their agreement task by task."""
    model, rows = first
    labels = placed(model, X, found, rows, model.labels_, answer=True)
    other = placed(second[0], X, found, second[1], second[0].labels_, answer=True)
    sure = np.empty(len(labels), dtype=bool)
    agreement = np.empty(len(found.names))
    clusters = []
    for t, mine in enumerate(found.rows()):
        k = int(model.n_clusters_[t])
        matched = consensus.match_clusters(other[mine], labels[mine], k)
        sure[mine] = matched[other[mine]] == labels[mine]
        clusters.append(matched)
        agreement[t] = matching.adjusted_rand(labels[mine], other[mine])
    own = labels.copy()
    if differ(model):
        own = placed(model, X, found, rows, model.own_labels_, answer=False)
    return Sampled(model, rows, labels, own, sure, agreement, Second(*second, clusters))


def name_budget(model: Any) -> None:
    """State the user's budget, not a sample's share of it, in the reasons of `left_out_`."""
    for record in model.left_out_:
        if record["reason"].startswith("the budget") and model.budget is not None:
            record["reason"] = f"the budget of {model.budget:.3g} s was spent"


def differ(model: Any) -> bool:
    """True if a model's own clusters and its answer may assign rows differently."""
    if (model.labels_ != model.own_labels_).any():
        return True
    return any(_is_mixture(model, name) for name in model.task_names_)


def placed(
    model: Any, X: Table, found: Tasks, sample: Positions, labels: Labels, *, answer: bool
) -> Labels:
    """Extend clusters (m,) of the sampled rows to clusters (n,) of all rows."""
    placed = np.full(len(found.codes), -1)
    placed[sample] = labels
    for t, name in enumerate(found.names):
        mine = sample[found.codes[sample] == t]
        others = np.flatnonzero((found.codes == t) & (placed < 0))
        if not len(others):
            continue
        mixture = answer and _is_mixture(model, name)
        there = None if mixture else _scored(model, X, mine, t)
        n_neighbors = _neighbors(placed[mine])
        for rows in progress.track(np.split(others, range(BLOCK, len(others), BLOCK)), "placing"):
            if there is None:
                placed[rows] = model.predict(X[rows], tasks=object_array([name] * len(rows)))
                continue
            seen = _scored(model, X, rows, t)
            placed[rows] = cross_task.transferred_labels(seen, there, placed[mine], n_neighbors)
    return placed


def _scored(model: Any, X: Table, rows: Positions, t: int) -> Table:
    """Return a task's rows in the representation used to score clusterings."""
    scored: Table = model._for_scoring(X[rows], np.full(len(rows), t))
    return scored


def _neighbors(labels: Labels) -> int:
    """Number of nearest rows that vote: half of the smallest cluster's size, but 3 to 15.

    >>> _neighbors(np.repeat([0, 1], [90, 40])), _neighbors(np.repeat([0, 1], [90, 4]))
    (15, 3)
    """
    return int(np.clip(np.unique(labels, return_counts=True)[1].min() // 2, 3, scores.NEIGHBORS))


def _is_mixture(model: Any, name: Any) -> bool:
    """True if mixtures alone assign new rows of a task: its own one, or one of all tasks."""
    voters = [getattr(found, "estimator", found) for _, found in model.voters_[name]]
    return bool(voters) and all(
        isinstance(one, SharedCovarianceMixture | MixedMixture) for one in voters
    )
