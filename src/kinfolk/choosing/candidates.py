"""Plans the candidates: many base clusterings by several methods, settings and starts.

A family is one method; a setting is its parameters and the representation of the rows; a start is
one random seed. Combining settings is better than the best single one, so each family has a few.

    family       several tasks   what it adds
    kmeans       no              round groups
    symnmf       no              blocks of cosines
    graph        no              blocks of a nearest-neighbor graph: MTCFIR on a single task,
                                 without common features
    spectral     no              groups of any shape in such a graph
    soft-kmeans  no              memberships between 0 and 1
    mec          no              overlapping groups
    pooled       yes             all rows as one task, for equal numbers of clusters
    mtcfir       yes             common features and weighted neighbors of other tasks
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
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans

from kinfolk.choosing import costs
from kinfolk.choosing.records import Record
from kinfolk.choosing.representations import Representations
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
        """Number of starts per setting: `starts`, or as little as a third of it for many tasks.

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
# combined, exact runs gave no better answers (`docs/labelfree-rules-measured.md`). Representations
# suit cosines: those of measurements have a constant column (`representations`).
PRINTED = MappingProxyType(
    {"update": "multiplicative", "affinity": "cosine", "max_iter": 300, "tol": 1e-6}
)
PRINTED_SOFT = MappingProxyType({"update": "multiplicative", "max_iter": 20})
# The best number of neighbors differs between tasks, and runs on one task are cheap.
GRAPH_SETTINGS = tuple(
    ({"share_features": False, "neighbors": l},) for l in (0.3, 0.5, 0.7, 0.1)
)  # fmt: skip
# The middle of the published grids; whole grids double the time for less than .003 of accuracy.
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
# Half as many neighbors as rows in a cluster, and half and twice as many as that.
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

# With more eigenvectors k-means takes longer than everything else.
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
    [('kmeans', 'raw', 5), ('mec', 'raw', 0), ('mec', 'raw', 1), ('kmeans', 'z-scores', 0)]
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
    """True if a setting takes an eigenvector per cluster of all tasks, and these are too many."""
    return parameters.get("n_components") == "all" and sum(k.values()) > MOST_COMPONENTS
