"""The candidates: many runs of many methods, among which evidence then chooses.

A family is one method; a setting is its parameters and the space it sees; a start is one seed.
Averages of settings are worth more than the best of them, so each family has a few, and starts
more than settings: where a method ends in one of two places, one start may see only the wrong one.

    family       knows others   what it adds
    kmeans       no             round groups
    symnmf       no             blocks of cosines
    graph        no             blocks of a graph of nearest neighbours: MTCFIR on one task by
                                itself, without common features
    spectral     no             groups of any shape in such a graph
    soft-kmeans  no             memberships that need not be 0 or 1
    mec          no             groups that overlap
    pooled       yes            all rows as one task, for equal numbers of clusters
    mtcfir       yes            common features and weighted neighbours of other tasks
    mtcmrl       yes            related regressions
    lssmtc       yes            a shared subspace, for equal numbers of clusters
    joint-spectral  yes         groups of any shape in one graph of all tasks

A plan takes the first setting of each family in turn, then the second, so that whoever stops
early has seen all families. Starts of one setting come together: they share all that comes before
the start. Families of one task run first, and those that know others on the tasks that share.
"""

import itertools
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans

from kinfolk import progress
from kinfolk.arrays import Labels, Table
from kinfolk.choosing.representations import Spaces
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.methods.multitask.baselines import PerTask, Pooled
from kinfolk.methods.multitask.feature_instance import MTCFIR
from kinfolk.methods.multitask.joint_spectral import JointSpectral
from kinfolk.methods.multitask.model_relation import MTCMRL
from kinfolk.methods.multitask.shared_subspace import LSSMTC
from kinfolk.methods.single.entropy import MEC
from kinfolk.methods.single.soft_kmeans import SoftKMeans
from kinfolk.methods.single.symmetric import SymNMF
from kinfolk.numerics import memo, starts


class Family(NamedTuple):
    """One method as a family of candidates.

    Attributes
    ----------
    cls : the estimator
    around : PerTask or Pooled, for an estimator of one table; None: it takes several tasks
    starts : of each setting
    spaces : the property of `Spaces` that names those it sees
    settings : groups of parameters; in a group they share what costs most
    """

    cls: type[BaseEstimator]
    around: type[MultiTaskClusterer] | None
    starts: int
    spaces: str = "cosine"
    settings: tuple[tuple[Mapping[str, Any], ...], ...] = (({},),)

    @property
    def joint(self) -> bool:
        """Whether it knows of other tasks."""
        return self.around is not PerTask

    def make(self, n_clusters: Mapping[int, int], seed: int, **parameters: Any) -> Any:
        """Return an estimator of several tasks with one start from this seed."""
        inner = {"n_init": 1, "random_state": seed, **parameters}
        if self.around is None:
            return self.cls(n_clusters=n_clusters, **inner)
        return self.around(self.cls(**inner), n_clusters=n_clusters)


GRAPHS = tuple(({"share_features": False, "neighbors": l},) for l in (0.3, 0.5, 0.7, 0.1))
"""Which number of neighbours is best differs from task to task, and one task costs little."""

SHARED = tuple(tuple({"noise": p, "neighbors": l} for l in (0.3, 0.5, 0.7)) for p in (0.7, 0.5))
"""The middle of the published grid; the rest of it doubles the time for less than 0.003."""

RELATED = (({"regression_weight": 1.0, "relation_weight": 1.0},),)
"""The middle of the published grid."""

SPECTRAL = tuple(({"neighbors": l},) for l in (0.5, 0.25, 1.0))
"""Half as many neighbours as rows in a cluster, and half and twice as many as that."""

LINKED = tuple(
    tuple(
        {"neighbors": l, "other_neighbors": o, "other_weight": w, "n_components": c}
        for o, w in ((l, 0.3), (l / 3, 1.0))
        for c in ("largest", "all")
    )
    for l in (0.5, 0.25)
)
"""Many weak links between tasks, or a third as many that count in full; groups of all tasks found
in as many dimensions as the groups of one task need, or as those of all tasks do together: the one
suits tasks with the same groups, the other tasks with groups of their own."""

FAMILIES: dict[str, Family] = {
    "kmeans": Family(KMeans, PerTask, 6, "names"),
    "symnmf": Family(SymNMF, PerTask, 6),
    "graph": Family(MTCFIR, PerTask, 3, settings=GRAPHS),
    "spectral": Family(JointSpectral, PerTask, 3, "near", SPECTRAL),
    "soft-kmeans": Family(SoftKMeans, PerTask, 2),
    "mec": Family(MEC, PerTask, 2),
    "pooled": Family(KMeans, Pooled, 3, "names"),
    "mtcfir": Family(MTCFIR, None, 3, "long", SHARED),
    "lssmtc": Family(LSSMTC, None, 2),
    "mtcmrl": Family(MTCMRL, None, 2, settings=RELATED),
    "joint-spectral": Family(JointSpectral, None, 3, "near", LINKED),
}
"""The families by name, in the order in which they run: those of one task first."""


class Candidate(NamedTuple):
    """One run that could be made, not yet fitted.

    Attributes
    ----------
    family, setting, space : see `FAMILIES` and `Spaces`; the setting in words
    start : from 0
    joint : whether it knows of other tasks
    estimator : of several tasks, which are named by their positions
    """

    family: str
    setting: str
    space: str
    start: int
    joint: bool
    estimator: Any

    def described(self) -> dict[str, Any]:
        """What it is, for a table."""
        return {name: value for name, value in self._asdict().items() if name != "estimator"}


class Finished(NamedTuple):
    """A candidate that has run, its labels (n,), -1 where it saw no row, and its seconds."""

    candidate: Candidate
    labels: Labels
    seconds: float


@dataclass
class Trial:
    """What became of a plan, or of several one after the other.

    Attributes
    ----------
    budget : seconds from `begin` after which no further candidate begins; None: no limit
    finished : the runs
    left_out : what did not run, each as `Candidate.described` with a "reason"
    stopped : why no further candidate begins, or ""
    """

    budget: float | None = None
    finished: list[Finished] = field(default_factory=list)
    left_out: list[dict[str, Any]] = field(default_factory=list)
    stopped: str = ""
    begin: float = field(default_factory=time.perf_counter)

    @property
    def spent(self) -> bool:
        """Whether the budget is; the first candidate always begins."""
        if not self.finished or self.budget is None:
            return False
        return time.perf_counter() - self.begin > self.budget


def plan(
    families: Sequence[str], spaces: Spaces, k: Mapping[int, int], random: np.random.RandomState
) -> list[Candidate]:
    """All candidates in the order in which they run.

    Parameters
    ----------
    families : names from `FAMILIES`
    spaces : of the table that will be clustered
    k : clusters of each task, by its position
    random : draws a seed for each run

    Examples
    --------
    >>> spaces = Spaces.of(np.array([[0.0, 2.5], [1.5, 0.0]]), np.array([0, 0]))
    >>> made = plan(["kmeans", "mec"], spaces, {0: 2}, np.random.RandomState(0))
    >>> [(c.family, c.space, c.start) for c in made[5:9]]
    [('kmeans', 'raw', 5), ('mec', 'raw', 0), ('mec', 'raw', 1), ('kmeans', 'unit', 0)]
    """
    turns = itertools.zip_longest(*(_settings(name, spaces, k, random) for name in families))
    return [candidate for turn in turns for setting in turn if setting for candidate in setting]


def _settings(
    name: str, spaces: Spaces, k: Mapping[int, int], random: np.random.RandomState
) -> Iterator[list[Candidate]]:
    """The candidates of one family, those of a setting together."""
    family = FAMILIES[name]
    for group in family.settings:
        for space, parameters in itertools.product(getattr(spaces, family.spaces), group):
            setting = ", ".join(f"{key} {value}" for key, value in parameters.items())
            seeds = starts.seeds(random, family.starts)
            made = [family.make(k, seed, **parameters) for seed in seeds]
            yield [
                Candidate(name, setting, space, start, family.joint, estimator)
                for start, estimator in enumerate(made)
            ]


def run(
    candidates: Sequence[Candidate],
    spaces: Spaces,
    X: Table,
    codes: Labels,
    trial: Trial,
    what: str = "candidates",
) -> None:
    """Fit the candidates to the rows X (n, d) of the tasks at positions (n,); -1: none of theirs.

    Parameters
    ----------
    trial : takes down what becomes of them; labels are -1 for rows that are none of theirs
    what : they are, for the progress bar

    Raises
    ------
    KeyboardInterrupt : before there is a run

    Warns
    -----
    UserWarning : interrupted; the runs until then stay
    """
    rows = np.flatnonzero(codes >= 0)
    X, seen = (X, codes) if len(rows) == len(codes) else (X[rows], codes[rows])
    tables = {name: spaces.table(name, X, seen) for name in {c.space for c in candidates}}
    memories: dict[str, memo.Memory] = defaultdict(memo.Memory)
    begun = 0
    try:
        for candidate in progress.track(candidates, f"trying {what}"):
            if trial.spent and not trial.stopped:
                trial.stopped = f"the budget of {trial.budget:g} s was spent"
            if trial.stopped:
                break
            with memo.remembering(memories[candidate.family]):
                _try(candidate, tables[candidate.space], seen, rows, len(codes), trial)
            begun += 1
    except KeyboardInterrupt:
        if not trial.finished:
            raise
        trial.stopped = "interrupted"
        warnings.warn(
            f"interrupted after {len(trial.finished)} runs: the answer rests on these alone; fit "
            "again for one that rests on all.",
            stacklevel=2,
        )
    trial.left_out.extend({**c.described(), "reason": trial.stopped} for c in candidates[begun:])


def _try(candidate: Candidate, X: Table, codes: Labels, rows: Labels, n: int, trial: Trial) -> None:
    """Fit one candidate to some of n rows; what it warns of is its own affair."""
    begin = time.perf_counter()
    labels = np.full(n, -1)
    try:
        with warnings.catch_warnings(), progress.listening(lambda *_: None):
            warnings.simplefilter("ignore")
            labels[rows] = candidate.estimator.fit(X, tasks=codes).labels_
    except (ValueError, ArithmeticError, MemoryError) as error:
        trial.left_out.append({**candidate.described(), "reason": str(error)})
    else:
        trial.finished.append(Finished(candidate, labels, time.perf_counter() - begin))
