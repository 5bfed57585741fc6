"""Plans and runs the candidates: many base clusterings by several methods, settings and starts.

A family is one method; a setting is its parameters and the representation of the rows; a start is
one random seed. Combining settings is better than the best single one, so each family has a few.

    family       several tasks   what it adds
    kmeans       no              round groups
    symnmf       no              blocks of cosines
    graph        no              blocks of a nearest-neighbour graph: MTCFIR on a single task,
                                 without common features
    spectral     no              groups of any shape in such a graph
    soft-kmeans  no              memberships between 0 and 1
    mec          no              overlapping groups
    pooled       yes             all rows as one task, for equal numbers of clusters
    mtcfir       yes             common features and weighted neighbours of other tasks
    mtcmrl       yes             related regressions
    lssmtc       yes             a shared subspace, for equal numbers of clusters
    joint-spectral  yes          groups of any shape in one graph of all tasks

Families of one task ("own" runs) come first, then those that use several tasks ("joint" runs). A
plan takes the first setting of each family in turn, then the second, and so on. The starts of a
setting are consecutive and share their first steps. With a budget the first start of every family
goes before all others (`turns`).
"""

import itertools
import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from kinfolk.arrays import Labels, Table
from kinfolk.choosing import chains, costs, fitting
from kinfolk.choosing.costs import Costs
from kinfolk.choosing.records import Record
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.turns import Turns
from kinfolk.errors import InputError, LeftOutWarning, ScaleWarning, warn_user
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.methods.multitask.baselines import PerTask, Pooled
from kinfolk.methods.multitask.feature_instance import MTCFIR
from kinfolk.methods.multitask.joint_spectral import JointSpectral
from kinfolk.methods.multitask.model_relation import MTCMRL
from kinfolk.methods.multitask.shared_subspace import LSSMTC
from kinfolk.methods.single.entropy import MEC
from kinfolk.methods.single.soft_kmeans import SoftKMeans
from kinfolk.methods.single.symmetric import SymNMF
from kinfolk.numerics import starts

INTERRUPTED = "interrupted"
"""Why no further candidate starts after Ctrl-C."""


class Family(NamedTuple):
    """A clustering method with the settings, starts and table representations to try it with.

    Attributes
    ----------
    cls : the estimator
    wrapper : PerTask or Pooled, for an estimator of one table; None: it takes several tasks
    starts : of each setting
    representations : the property of `Representations` that names those it runs on
    settings : groups of parameters; members of a group share their costliest step
    settings_without_counts : the same for tables that are not counts; None: no others
    fixed : parameters of all settings
    """

    cls: type[BaseEstimator]
    wrapper: type[MultiTaskClusterer] | None
    starts: int
    representations: str = "for_cosines"
    settings: tuple[tuple[Mapping[str, Any], ...], ...] = (({},),)
    fixed: Mapping[str, Any] = MappingProxyType({})
    settings_without_counts: tuple[tuple[Mapping[str, Any], ...], ...] | None = None

    @property
    def joint(self) -> bool:
        """True if the method clusters several tasks at once, not each task by itself."""
        return self.wrapper is not PerTask

    def starts_for(self, n_tasks: int) -> int:
        """Number of starts per setting, reduced to a third at least where tasks are many.

        >>> [FAMILIES["kmeans"].starts_for(T) for T in (2, 32, 64, 500)]
        [6, 6, 3, 2]
        """
        share = min(1.0, max(costs.MANY / n_tasks, 1.0 / 3.0))
        return math.ceil(self.starts * share)

    def make(self, n_clusters: Mapping[int, int], seed: int, **parameters: Any) -> Any:
        """Build an estimator that clusters several tasks, with one start and this random seed."""
        inner = {"n_init": 1, "random_state": seed, **self.fixed, **parameters}
        if self.wrapper is None:
            return self.cls(n_clusters=n_clusters, **inner)
        return self.wrapper(self.cls(**inner), n_clusters=n_clusters)


# Printed steps, because many starts of them end in more different clusterings than exact ones:
# combined, exact runs gave no better answers (`docs/labelfree.md`). Representations suit cosines:
# those of measurements have a constant column (`representations`).
PRINTED = MappingProxyType(
    {"update": "multiplicative", "affinity": "cosine", "max_iter": 300, "tol": 1e-6}
)
PRINTED_SOFT = MappingProxyType({"update": "multiplicative", "max_iter": 20})
# The best number of neighbours differs between tasks, and runs on one task are cheap.
GRAPH_SETTINGS = tuple(
    ({"share_features": False, "neighbors": l},) for l in (0.3, 0.5, 0.7, 0.1)
)  # fmt: skip
# The middle of the published grids; the rest doubles the time for less than 0.003 of accuracy.
MTCFIR_SETTINGS = tuple(
    tuple({"noise": p, "neighbors": l} for l in (0.3, 0.5, 0.7)) for p in (0.7, 0.5)
)
# Layers help words and harm pixels (`docs/methods-tasks.md`): elsewhere half of the runs have none.
MTCFIR_SETTINGS_WITHOUT_COUNTS = (
    tuple({"share_features": False, "neighbors": l} for l in (0.3, 0.5, 0.7)),
    MTCFIR_SETTINGS[1],
)
LAYERS = MappingProxyType({**PRINTED, "share_features": True})
MTCMRL_SETTINGS = (({"regression_weight": 1.0, "relation_weight": 1.0},),)
# Half as many neighbours as rows in a cluster, and half and twice as many as that.
SPECTRAL_SETTINGS = tuple(({"neighbors": l},) for l in (0.5, 0.25, 1.0))
# Many weak links between tasks, or a third as many of full weight. As many eigenvectors as the
# largest task has clusters suit tasks with the same groups; as many as all tasks have, tasks with
# groups of their own.
JOINT_SPECTRAL_SETTINGS = tuple(
    tuple(
        {"neighbors": l, "other_neighbors": o, "other_weight": w, "n_components": c}
        for o, w in ((l, 0.3), (l / 3, 1.0))
        for c in ("largest", "all")
    )
    for l in (0.5, 0.25)
)

# Of more eigenvectors k-means takes longer than all else.
MOST_COMPONENTS = 128
# In the order in which they run. Methods that end in one of several local optima get more starts:
# from one start they may miss the good one.
FAMILIES: dict[str, Family] = {
    "kmeans": Family(KMeans, PerTask, 6, "for_kmeans"),
    "symnmf": Family(SymNMF, PerTask, 6, fixed=PRINTED),
    "graph": Family(MTCFIR, PerTask, 3, settings=GRAPH_SETTINGS, fixed=PRINTED),
    "spectral": Family(JointSpectral, PerTask, 3, "for_neighbors", SPECTRAL_SETTINGS),
    "soft-kmeans": Family(SoftKMeans, PerTask, 2, fixed={**PRINTED_SOFT, "init": "random"}),
    "mec": Family(MEC, PerTask, 2),
    "pooled": Family(KMeans, Pooled, 3, "for_kmeans"),
    "mtcfir": Family(
        MTCFIR,
        None,
        3,
        "weighted_by_length",
        MTCFIR_SETTINGS,
        LAYERS,
        MTCFIR_SETTINGS_WITHOUT_COUNTS,
    ),
    "lssmtc": Family(LSSMTC, None, 2, fixed=PRINTED_SOFT),
    "mtcmrl": Family(MTCMRL, None, 2, settings=MTCMRL_SETTINGS, fixed=PRINTED),
    "joint-spectral": Family(JointSpectral, None, 3, "for_neighbors", JOINT_SPECTRAL_SETTINGS),
}


class Candidate(NamedTuple):
    """One planned run: method, setting, representation of the table, seed and estimator.

    Attributes
    ----------
    family : name in `FAMILIES`
    setting : its parameters in words
    representation : name of the representation of the rows, see `Representations`
    start : from 0
    joint : True if the method uses several tasks
    estimator : of several tasks, which are named by their positions
    """

    family: str
    setting: str
    representation: str
    start: int
    joint: bool
    estimator: Any

    def described(self) -> Record:
        """Return all fields but the estimator as a record (a dict)."""
        return Record((key, value) for key, value in self._asdict().items() if key != "estimator")


class FittedCandidate(NamedTuple):
    """A fitted candidate: labels (n,), -1 for rows of tasks left out, and seconds taken."""

    candidate: Candidate
    labels: Labels
    seconds: float


@dataclass
class CandidateRuns:
    """Collects the runs of one or more plans: those fitted, left out and failed, and warnings.

    Attributes
    ----------
    budget : seconds for all that is to be done; None: no limit
    costs : what runs are expected to take; None: nothing is known
    n_jobs : workers, as of joblib
    fitted : the successful runs
    left_out : records of candidates that did not run, each with a "reason"
    run_warnings : records of candidates whose fit warned, each with a "message"
    failed : families with a run that failed for another reason than a refusal (`InputError`)
    stopped : why no further candidate starts, or ""
    """

    budget: float | None = None
    costs: Costs | None = None
    n_jobs: int | None = None
    fitted: list[FittedCandidate] = field(default_factory=list)
    left_out: list[Record] = field(default_factory=list)
    run_warnings: list[Record] = field(default_factory=list)
    failed: set[str] = field(default_factory=set)
    stopped: str = ""
    turns: Turns = field(init=False)

    def __post_init__(self) -> None:
        self.turns = Turns(self.budget, self.costs)

    def outcomes(self, plan: chains.Plan, what: str) -> Iterable[chains.Done]:
        """Yield each fitted candidate of a plan, run one by one or in parallel by joblib."""
        if self.stopped == INTERRUPTED:
            return []
        self.stopped = ""  # an earlier plan may have left time for this one
        if chains.several(self.n_jobs):
            return chains.side_by_side(plan, self.turns, self._has_none, what, self.n_jobs)
        return chains.one_by_one(plan, self.turns, self._has_none, what)

    def _has_none(self) -> bool:
        """Return True while no run has succeeded: the next one then runs without a time limit."""
        return not self.fitted

    def leave_out(self, candidates: Iterable[Candidate]) -> None:
        """Record candidates that never ran, with the reason: interrupted, or no time left."""
        records = [candidate.described() for candidate in candidates]
        if records and not self.stopped:
            spent = "" if self.budget is None else f" of {self.budget:.3g} s"
            self.stopped = f"the budget{spent} was spent"
        self.left_out.extend(Record(each, reason=self.stopped) for each in records)

    def add(self, candidate: Candidate, outcome: fitting.FitOutcome, rows: Labels, n: int) -> bool:
        """Record labels, warnings or error of one fit to some of n rows; True if it gave labels."""
        # Many candidates make the few sweeps of their papers: a vote needs no ends of descents.
        expected = [f"{ConvergenceWarning.__name__}:"]
        if "offset" in candidate.representation:
            # The constant column of such a representation is meant to be long.
            expected.append(f"{ScaleWarning.__name__}:")
        for message in outcome.warnings:
            if message.startswith(tuple(expected)):
                continue
            self.run_warnings.append(Record(candidate.described(), message=message))
        if outcome.labels is None:
            self.left_out.append(Record(candidate.described(), reason=outcome.reason))
            self.turns.fail(candidate.family)
            if not isinstance(outcome.error, InputError):
                self.failed.add(candidate.family)
            return False
        labels = np.full(n, -1)
        labels[rows] = outcome.labels
        self.fitted.append(FittedCandidate(candidate, labels, outcome.seconds))
        self.turns.learn(candidate.family, outcome.seconds)
        return True

    def warn_of_left_out(self, requested: Container[str]) -> None:
        """Warn once for each family without any run, with the reason.

        A family that refuses the rows is left out silently unless it was requested by name: some
        methods do not apply to some data, and `left_out` says so.
        """
        ran = {run.candidate.family for run in self.fitted}
        reasons: dict[str, str] = {}
        for record in self.left_out:
            family = record["family"]
            expected = family in ran or record["reason"] == self.stopped
            if not expected and (family in requested or family in self.failed):
                reasons.setdefault(family, record["reason"])
        for family, reason in reasons.items():
            warn_user(
                f"No run of {family!r} took part: {reason.rstrip('.')}.",
                LeftOutWarning,
            )


def plan(
    families: Sequence[str] | Mapping[str, Family],
    representations: Representations,
    k: Mapping[int, int],
    random: np.random.RandomState,
) -> list[Candidate]:
    """List the candidates of several families in the order in which they will run.

    Parameters
    ----------
    families : names from `FAMILIES`, or families by name
    representations : of the table to cluster
    k : position of a task -> its number of clusters
    random : draws a seed for each run

    Examples
    --------
    >>> found = Representations.of(np.array([[0.0, 1.5], [1.5, 0.0]]), np.array([0, 0]))
    >>> made = plan(["kmeans", "mec"], found, {0: 2}, np.random.RandomState(0))
    >>> [(c.family, c.representation, c.start) for c in made[5:9]]
    [('kmeans', 'raw', 5), ('mec', 'raw', 0), ('mec', 'raw', 1), ('kmeans', 'unit', 0)]
    """
    known = families if isinstance(families, Mapping) else {n: FAMILIES[n] for n in families}
    settings = (_settings(n, family, representations, k, random) for n, family in known.items())
    turns = itertools.zip_longest(*settings)
    return [candidate for turn in turns for setting in turn if setting for candidate in setting]


def _settings(
    name: str,
    family: Family,
    representations: Representations,
    k: Mapping[int, int],
    random: np.random.RandomState,
) -> Iterator[list[Candidate]]:
    """Yield the candidates of one family, grouped into one list per setting."""
    groups = family.settings
    if representations.kind != "counts" and family.settings_without_counts is not None:
        groups = family.settings_without_counts
    for group in groups:
        names = getattr(representations, family.representations)
        group = tuple(each for each in group if not _too_wide(each, k))
        for representation, parameters in itertools.product(names, group):
            setting = ", ".join(f"{key} {value}" for key, value in parameters.items())
            seeds = starts.seeds(random, family.starts_for(len(k)))
            made = [family.make(k, seed, **parameters) for seed in seeds]
            yield [
                Candidate(name, setting, representation, start, family.joint, estimator)
                for start, estimator in enumerate(made)
            ]


def _too_wide(parameters: Mapping[str, Any], k: Mapping[int, int]) -> bool:
    """True if a setting takes one eigenvector per cluster, and there are too many of all tasks."""
    return parameters.get("n_components") == "all" and sum(k.values()) > MOST_COMPONENTS


def run(
    candidates: Sequence[Candidate],
    representations: Representations,
    X: Table,
    codes: Labels,
    runs: CandidateRuns,
    what: str = "candidates",
) -> None:
    """Fit candidates to the rows X (n, d) and append their results to `runs` in planned order.

    With a budget they take turns (`turns`), and descents end once their time is over.

    Parameters
    ----------
    codes : (n,) the position of each row's task; -1 for rows of tasks without a part
    what : the candidates in words, for the progress bar

    Raises
    ------
    KeyboardInterrupt : before the first run is complete

    Warns
    -----
    UserWarning : interrupted; the complete runs are kept
    """
    rows = np.flatnonzero(codes >= 0)
    X, seen = (X, codes) if len(rows) == len(codes) else (X[rows], codes[rows])
    names = [candidate.representation for candidate in candidates]
    tables = {name: representations.transform(name, X, seen) for name in set(names)}
    families = [candidate.family for candidate in candidates]
    waiting = chains.Plan([c.estimator for c in candidates], families, names, tables, seen)
    before = len(runs.fitted)
    left = dict(enumerate(candidates))
    made: list[int] = []
    try:
        for place, estimator, outcome in runs.outcomes(waiting, f"trying {what}"):
            candidate = left.pop(place)._replace(estimator=estimator)
            made.extend([place] * runs.add(candidate, outcome, rows, len(codes)))
    except KeyboardInterrupt:
        if not runs.fitted:
            raise
        runs.stopped = INTERRUPTED
        warn_user(
            f"interrupted after {len(runs.fitted)} runs: the answer uses these alone; fit again "
            "for one that uses all.",
        )
    # As planned, so that neither a budget that suffices nor the number of workers changes anything.
    runs.fitted[before:] = [runs.fitted[before + j] for j in np.argsort(made, kind="stable")]
    runs.leave_out(left.values())
