"""The candidates: many runs of many methods, among which evidence then chooses.

A family is one method; a setting is its parameters and the space it sees; a start is one seed.
Averages of settings are worth more than the best of them, so each family has a few, and starts
more than settings: where a method ends in one of two places, one start may see only the wrong one.

    family       knows others   what it adds
    kmeans       no             round groups
    symnmf       no             blocks of cosines
    graph        no             blocks of a graph of nearest neighbours: MTCFIR on one task by
                                itself, without common features
    soft-kmeans  no             memberships that need not be 0 or 1
    mec          no             groups that overlap
    pooled       yes            all rows as one task, for equal numbers of clusters
    mtcfir       yes            common features and weighted neighbours of other tasks
    mtcmrl       yes            related regressions
    lssmtc       yes            a shared subspace, for equal numbers of clusters

The plan takes the first setting of each family in turn, then the second, so that whoever stops
early has seen all families. Starts of one setting come together: they share all that comes before
the start. A candidate runs on all tasks or on none.
"""

import itertools
import time
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans

from kinfolk import progress
from kinfolk.arrays import Labels, Table
from kinfolk.base import MultiTaskClusterer
from kinfolk.choosing.spaces import Spaces
from kinfolk.errors import InputError
from kinfolk.methods.multitask.baselines import PerTask, Pooled
from kinfolk.methods.multitask.feature_instance import MTCFIR
from kinfolk.methods.multitask.model_relation import MTCMRL
from kinfolk.methods.multitask.shared_subspace import LSSMTC
from kinfolk.methods.single.entropy import MEC
from kinfolk.methods.single.soft_kmeans import SoftKMeans
from kinfolk.methods.single.symmetric import SymNMF
from kinfolk.numerics import reuse, starts


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

FAMILIES: dict[str, Family] = {
    "kmeans": Family(KMeans, PerTask, 6, "names"),
    "symnmf": Family(SymNMF, PerTask, 6),
    "graph": Family(MTCFIR, PerTask, 3, settings=GRAPHS),
    "soft-kmeans": Family(SoftKMeans, PerTask, 2),
    "mec": Family(MEC, PerTask, 2),
    "pooled": Family(KMeans, Pooled, 3, "names"),
    "mtcfir": Family(MTCFIR, None, 3, "long", SHARED),
    "lssmtc": Family(LSSMTC, None, 2),
    "mtcmrl": Family(MTCMRL, None, 2, settings=RELATED),
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
    """A candidate that has run, its labels (n,) and the seconds it took."""

    candidate: Candidate
    labels: Labels
    seconds: float


@dataclass(frozen=True)
class Trial:
    """What became of a plan.

    Attributes
    ----------
    finished : the runs
    left_out : what did not run, each as `Candidate.described` with a "reason"
    """

    finished: list[Finished]
    left_out: list[dict[str, Any]]


def plan(
    families: Sequence[str], spaces: Spaces, k: Sequence[int], random: np.random.RandomState
) -> list[Candidate]:
    """All candidates in the order in which they run.

    Parameters
    ----------
    families : names from `FAMILIES`
    spaces : of the table that will be clustered
    k : (T,) clusters of each task
    random : draws a seed for each run

    Examples
    --------
    >>> spaces = Spaces.of(np.array([[0.0, 2.5], [1.5, 0.0]]), np.array([0, 0]))
    >>> made = plan(["kmeans", "mec"], spaces, [2], np.random.RandomState(0))
    >>> [(c.family, c.space, c.start) for c in made[5:9]]
    [('kmeans', 'raw', 5), ('mec', 'raw', 0), ('mec', 'raw', 1), ('kmeans', 'unit', 0)]
    """
    turns = itertools.zip_longest(*(_settings(name, spaces, k, random) for name in families))
    return [candidate for turn in turns for setting in turn if setting for candidate in setting]


def _settings(
    name: str, spaces: Spaces, k: Sequence[int], random: np.random.RandomState
) -> Iterator[list[Candidate]]:
    """The candidates of one family, those of a setting together."""
    family, n_clusters = FAMILIES[name], dict(enumerate(k))
    for group in family.settings:
        for space, parameters in itertools.product(getattr(spaces, family.spaces), group):
            setting = ", ".join(f"{key} {value}" for key, value in parameters.items())
            seeds = starts.seeds(random, family.starts)
            made = [family.make(n_clusters, seed, **parameters) for seed in seeds]
            yield [
                Candidate(name, setting, space, start, family.joint, estimator)
                for start, estimator in enumerate(made)
            ]


def run(
    candidates: Sequence[Candidate],
    spaces: Spaces,
    X: Table,
    codes: Labels,
    budget: float | None = None,
) -> Trial:
    """Fit the candidates to the rows X (n, d) of the tasks at positions (n,).

    Parameters
    ----------
    budget : seconds after which no further candidate begins, once there is one; None: no limit

    Raises
    ------
    InputError : no candidate takes these rows, or none that clusters each task by itself
    KeyboardInterrupt : before there is a run

    Warns
    -----
    UserWarning : interrupted; the runs until then are returned
    """
    begin = time.perf_counter()
    trial, reason = Trial([], []), ""
    tables = {name: spaces.table(name, X, codes) for name in {c.space for c in candidates}}
    memories: dict[str, reuse.Memory] = defaultdict(OrderedDict)
    try:
        for candidate in progress.track(candidates, "trying candidates"):
            if trial.finished and budget is not None and time.perf_counter() - begin > budget:
                reason = f"the budget of {budget:g} s was spent"
                break
            with reuse.kept(memories[candidate.family]):
                _try(candidate, tables[candidate.space], codes, trial)
    except KeyboardInterrupt:
        if not trial.finished:
            raise
        reason = "interrupted"
        warnings.warn(
            f"interrupted after {len(trial.finished)} of {len(candidates)} candidates: the answer "
            "rests on these alone; fit again for one that rests on all.",
            stacklevel=2,
        )
    if all(finished.candidate.joint for finished in trial.finished):
        why = trial.left_out[0]["reason"] if trial.left_out else "none was asked for"
        raise InputError(f"no candidate that clusters each task by itself takes these rows: {why}")
    missed = candidates[len(trial.finished) + len(trial.left_out) :]
    trial.left_out.extend({**c.described(), "reason": reason} for c in missed)
    return trial


def _try(candidate: Candidate, X: Table, codes: Labels, trial: Trial) -> None:
    """Fit one candidate; what it warns of is its own affair, and a refusal is noted."""
    begin = time.perf_counter()
    try:
        with warnings.catch_warnings(), progress.listening(lambda *_: None):
            warnings.simplefilter("ignore")
            labels = candidate.estimator.fit(X, tasks=codes).labels_
    except (ValueError, ArithmeticError, MemoryError) as error:
        trial.left_out.append({**candidate.described(), "reason": str(error)})
    else:
        trial.finished.append(Finished(candidate, labels, time.perf_counter() - begin))
