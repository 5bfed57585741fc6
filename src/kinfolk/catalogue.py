"""Every method by name: its class, its paper, the grid it was published with, the data it takes."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans

from kinfolk.errors import InputError
from kinfolk.methods.multitask.baselines import PerTask, Pooled
from kinfolk.methods.multitask.feature_instance import MTCFIR
from kinfolk.methods.multitask.model_relation import MTCMRL
from kinfolk.methods.multitask.shared_subspace import LSSMTC
from kinfolk.methods.multiview.concept_collaboration import CoMVCF
from kinfolk.methods.single.concept import ConceptFactorization
from kinfolk.methods.single.entropy import MEC
from kinfolk.methods.single.normalised_cut import NCut
from kinfolk.methods.single.principal import PCAKMeans
from kinfolk.methods.single.soft_kmeans import SoftKMeans
from kinfolk.methods.single.subspace_iteration import ASI
from kinfolk.methods.single.symmetric import SymNMF
from kinfolk.methods.transfer.entropy_transfer import KTMEC

Relation = Literal[
    "one data set", "several tasks", "several views", "another site's centres", "tasks with labels"
]


@dataclass(frozen=True)
class Entry:
    """What is known of a method before it runs.

    Attributes
    ----------
    name : what the command line and `method` take
    cls : the estimator
    relation : whether it clusters one data set, several tasks or several views of the same rows
    summary : what it does, in one line
    paper, equations : where it is published
    when, when_not : advice, one line each
    preset : parameters that make it this variant
    grid : the parameters its paper tries, with their values
    different_k : whether tasks may have different numbers of clusters
    """

    name: str
    cls: type[BaseEstimator]
    relation: Relation
    summary: str
    paper: str
    equations: str
    when: str
    when_not: str
    preset: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    different_k: bool = True

    def make(self, **parameters: Any) -> Any:
        """Return an estimator of this variant; InputError names a parameter it does not have."""
        known = self.cls().get_params(deep=False)
        for name in parameters:
            if name not in known:
                raise InputError(
                    f"{self.name} has no parameter {name!r}; it has {', '.join(known)}."
                )
        return self.cls(**{**self.preset, **parameters})

    def seeded(self, random_state: Any, **parameters: Any) -> Any:
        """`make`, with the seed where the method draws random numbers."""
        drawn = "random_state" in self.cls().get_params(deep=False)
        return self.make(**({"random_state": random_state} if drawn else {}), **parameters)


MTCFIR_PAPER = (
    "Zhang, Zhang, Liu: Weighted multi-task clustering by feature and instance transfer. "
    "Chinese Journal of Computers 42(12), 2019"
)
MTCFIR_GRID: Mapping[str, tuple[Any, ...]] = {
    "neighbors": (0.1, 0.3, 0.5, 0.7, 0.9),
    "noise": (0.5, 0.6, 0.7, 0.8, 0.9),
}
MTCMRL_PAPER = (
    "Zhang, Zhang, Liu, Luo: Multi-task clustering with model relation learning. IJCAI 2018"
)
MTCMRL_GRID: Mapping[str, tuple[Any, ...]] = {
    "regression_weight": (0.25, 0.5, 1.0, 2.0, 4.0),
    "relation_weight": (0.25, 0.5, 1.0, 2.0, 4.0),
}
LSSMTC_PAPER = (
    "Gu, Zhou: Learning the shared subspace for multi-task clustering and transductive transfer "
    "classification. ICDM 2009"
)
LSSMTC_GRID: Mapping[str, tuple[Any, ...]] = {
    "n_components": (2, 4, 8, 16),
    "own_weight": (0.25, 0.5, 0.75),
}
COMVCF_PAPER = (
    "Hu, Shen, Huang, Huang: Concept factorization-based collaborative multi-view clustering "
    "algorithm in visible and latent spaces. Pattern Recognition and Artificial Intelligence, 2023"
)
COMVCF_GRID: Mapping[str, tuple[Any, ...]] = {
    "factor_weight": tuple(10.0**i for i in range(-6, 3)),
    "latent_share": tuple(i / 10 for i in range(11)),
    "graph_weight": tuple(10.0**i for i in range(7)),
    "view_temperature": tuple(10.0**i for i in range(7)),
}

METHODS: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            name="kmeans",
            cls=KMeans,
            relation="one data set",
            summary="round groups around centres",
            paper="Lloyd: Least squares quantization in PCM. IEEE Trans. Inf. Theory 28(2), 1982",
            equations="scikit-learn's KMeans",
            when="Groups are compact and of similar spread; a quick first look.",
            when_not="Rows are long sparse counts, or groups are not round.",
        ),
        Entry(
            name="symnmf",
            cls=SymNMF,
            relation="one data set",
            summary="clusters as blocks of a similarity between rows",
            paper="Kuang, Ding, Park: Symmetric nonnegative matrix factorization for graph "
            "clustering. SDM 2012",
            equations="(21)-(25) of Zhang, Zhang, Liu (2019)",
            when="Similarity between rows means more than coordinates: texts, counts, graphs.",
            when_not="Clusters differ only in the length of their rows; cosines cannot see that.",
        ),
        Entry(
            name="mec",
            cls=MEC,
            relation="one data set",
            summary="k-means softened by a temperature",
            paper="Karayiannis: MECA: maximum entropy clustering algorithm. FUZZ-IEEE 1994",
            equations="(1)-(3) of Qian, Sun, Jiang, Wang, Deng (2015)",
            when="Groups overlap and you want to know how much a row belongs to each.",
            when_not="There are very many features: memberships turn hard, k-means does the same.",
            grid={
                "temperature": tuple([x / 10 for x in range(1, 10)] + list(range(1, 11)))
                + tuple(range(20, 101, 10))
            },
        ),
        Entry(
            name="kt-mec",
            cls=KTMEC,
            relation="one data set",
            summary="MEC drawn towards the centres that another site tells of",
            paper="Qian, Sun, Jiang, Wang, Deng: Knowledge transfer based maximum entropy "
            "clustering. Control and Decision 30, 2015",
            equations="(4)-(12), (8) with the signs of the derivative",
            when="You have few or noisy rows, and centres from a site that keeps its rows.",
            when_not="You have enough clean rows: the pull biases centres however many there are.",
            grid={
                "transfer_weight": (0, 0.5, *range(2, 11), *range(20, 101, 10)),
                "own_share": tuple(x / 10 for x in range(11)),
                "temperature": (0.1, 0.3, 0.5, 0.7, 0.9, *range(2, 11), *range(20, 151, 10)),
            },
        ),
        Entry(
            name="cf",
            cls=ConceptFactorization,
            relation="one data set",
            summary="rows as mixtures of concepts that are mixtures of rows",
            paper="Xu, Gong: Document clustering by concept factorization. SIGIR 2004",
            equations="(3) of Hu, Shen, Huang, Huang (2023)",
            when="Groups are directions: rows of a group are multiples of one another, any sign.",
            when_not="Groups lie around centres that share a direction; k-means sees them, CF not.",
        ),
        Entry(
            name="lccf",
            cls=ConceptFactorization,
            relation="one data set",
            summary="concept factorisation, smooth on a graph of the rows",
            paper="Cai, He, Han: Locally consistent concept factorization for document clustering. "
            "IEEE TKDE 23(6), 2011",
            equations="(3) of Hu, Shen, Huang, Huang (2023) with gamma tr(Y'LY)",
            when="Groups are curved and rows have clear neighbours.",
            when_not="Neighbours in X say little.",
            preset={"graph_weight": 100.0},
        ),
        Entry(
            name="soft-kmeans",
            cls=SoftKMeans,
            relation="one data set",
            summary="k-means with non-negative memberships",
            paper="Ding, Li, Jordan: Convex and semi-nonnegative matrix factorizations. "
            "IEEE TPAMI 32(1), 2010",
            equations="(4), (8), (14) of Gu, Zhou (2009)",
            when="Rows are long counts, where k-means is poor.",
            when_not="Groups differ by a shift and not by direction from 0.",
        ),
        Entry(
            name="asi",
            cls=ASI,
            relation="one data set",
            summary="soft k-means in directions that follow the clusters",
            paper="Li, Ma, Ogihara: Document clustering via adaptive subspace iteration. "
            "SIGIR 2004",
            equations="(4)-(16) of Gu, Zhou (2009) with lambda = 0",
            when="Few directions hold the groups.",
            when_not="n_components is k or more: it is then soft k-means.",
        ),
        Entry(
            name="ncut",
            cls=NCut,
            relation="one data set",
            summary="k-means on eigenvectors of the cosines",
            paper="Shi, Malik: Normalized cuts and image segmentation. IEEE TPAMI 22(8), 2000",
            equations="none numbered",
            when="Similarity between rows means more than coordinates.",
            when_not="Row lengths matter.",
        ),
        Entry(
            name="pca-kmeans",
            cls=PCAKMeans,
            relation="one data set",
            summary="k-means on principal components",
            paper=LSSMTC_PAPER,
            equations="section V-C",
            when="As a plain yardstick.",
            when_not="Directions of small variance separate the groups.",
        ),
        Entry(
            name="comvcf",
            cls=CoMVCF,
            relation="several views",
            summary="k-means in all views and in a latent space that they share",
            paper=COMVCF_PAPER,
            equations="(9)-(16)",
            when="The same rows are described by several views of different worth.",
            when_not="Views are in different units: scale them first, or the largest takes all.",
            grid=COMVCF_GRID,
        ),
        Entry(
            name="comvcf-n",
            cls=CoMVCF,
            relation="several views",
            summary="Co-MVCF without the graph",
            paper=COMVCF_PAPER,
            equations="(9) without the Laplacian (table 6)",
            when="To see what the graph contributes.",
            when_not="Rows have clear neighbours.",
            preset={"graph_weight": 0.0},
            grid={name: values for name, values in COMVCF_GRID.items() if name != "graph_weight"},
        ),
        Entry(
            name="mtcfir",
            cls=MTCFIR,
            relation="several tasks",
            summary="shares features and instances, weighted by how related tasks are",
            paper=MTCFIR_PAPER,
            equations="(1)-(25)",
            when="Each data set is small or noisy and they share features and some of the groups.",
            when_not="There is one large data set, or the tasks have no feature in common.",
            grid=MTCFIR_GRID,
        ),
        Entry(
            name="mtcfir-nf",
            cls=MTCFIR,
            relation="several tasks",
            summary="MTCFIR without common features",
            paper=MTCFIR_PAPER,
            equations="(8)-(25), step 1 left out",
            when="To see what the common features contribute; features are good as they are.",
            when_not="The tasks are distributed differently.",
            preset={"share_features": False},
            grid={"neighbors": MTCFIR_GRID["neighbors"]},
        ),
        Entry(
            name="mtcfir-ni",
            cls=MTCFIR,
            relation="several tasks",
            summary="MTCFIR without the similarity that tasks learn together",
            paper=MTCFIR_PAPER,
            equations="(1)-(6), (21)-(25), step 2 left out",
            when="To see what the instances of other tasks contribute.",
            when_not="You want the full method: its similarity is what relatedness acts on.",
            preset={"share_instances": False},
            grid={"noise": MTCFIR_GRID["noise"]},
        ),
        Entry(
            name="mtcfir-nr",
            cls=MTCFIR,
            relation="several tasks",
            summary="MTCFIR with all tasks taken as fully related",
            paper=MTCFIR_PAPER,
            equations="(1)-(25) with every alpha 1 instead of (20)",
            when="To see what the learned relatedness contributes.",
            when_not="Some tasks may be unrelated: nothing protects against them.",
            preset={"weigh_tasks": False},
            grid=MTCFIR_GRID,
        ),
        Entry(
            name="mtcmrl",
            cls=MTCMRL,
            relation="several tasks",
            summary="learns which clusters of different tasks have related models",
            paper=MTCMRL_PAPER,
            equations="(1)-(19)",
            when="Tasks share some groups and features mean the same in all of them; texts.",
            when_not="Rows are far from unit length, or tasks share no group: all are tied alike.",
            grid=MTCMRL_GRID,
        ),
        Entry(
            name="snmf-lr",
            cls=MTCMRL,
            relation="several tasks",
            summary="MTCMRL without relations: symmetric factorisation with a regression",
            paper=MTCMRL_PAPER,
            equations="(1) and (19) with alpha = 0",
            when="To see what the relations contribute; one data set whose new rows will come.",
            when_not="You want help from other tasks.",
            preset={"relation_weight": 0.0},
            grid={"regression_weight": MTCMRL_GRID["regression_weight"]},
        ),
        Entry(
            name="lssmtc",
            cls=LSSMTC,
            relation="several tasks",
            summary="shares centres in a common subspace",
            paper=LSSMTC_PAPER,
            equations="(4)-(15), ours in place of (16)",
            when="Groups look alike in all data sets and each is small.",
            when_not="Groups differ between data sets: sharing then costs accuracy.",
            grid=LSSMTC_GRID,
            different_k=False,
        ),
        Entry(
            name="lssmtc-published",
            cls=LSSMTC,
            relation="several tasks",
            summary="LSSMTC with the printed subspace",
            paper=LSSMTC_PAPER,
            equations="(4)-(16)",
            when="To reproduce the formulas.",
            when_not="You want sharing: on texts it shares nothing.",
            preset={"subspace": "published", "start": "kmeans", "n_init": 1},
            grid=LSSMTC_GRID,
            different_k=False,
        ),
        Entry(
            name="lssmtc-released",
            cls=LSSMTC,
            relation="several tasks",
            summary="LSSMTC as its authors released it",
            paper=LSSMTC_PAPER,
            equations="(4)-(14), W fixed",
            when="To reproduce the authors' code.",
            when_not="You want sharing: W stays on the first columns.",
            preset={"subspace": "released", "start": "random", "n_init": 1},
            grid=LSSMTC_GRID,
            different_k=False,
        ),
        Entry(
            name="per-task",
            cls=PerTask,
            relation="several tasks",
            summary="each task by itself, with any scikit-learn clusterer",
            paper="the single-task rows of the papers' tables",
            equations="none",
            when="The baseline: help from other tasks must beat it.",
            when_not="Tasks are too small to cluster alone.",
        ),
        Entry(
            name="pooled",
            cls=Pooled,
            relation="several tasks",
            summary='all rows as if of one task, the papers\' "All"',
            paper="Gu, Zhou: Learning the shared subspace for multi-task clustering and "
            "transductive transfer classification. ICDM 2009",
            equations='the rows "All" of its tables',
            when="All data sets have the same distribution.",
            when_not="They do not: clusters then tell the data sets apart instead of the groups.",
            different_k=False,
        ),
    )
}
"""The methods by name."""


def method(name: str) -> Entry:
    """Return the entry of a method.

    Raises
    ------
    InputError : there is none of that name; the sentence offers the closest and lists all

    Examples
    --------
    >>> method("mtcfir").cls.__name__
    'MTCFIR'
    """
    if name not in METHODS:
        close = difflib.get_close_matches(name.lower(), METHODS, n=1, cutoff=0)[0]
        raise InputError(
            f"There is no method {name!r}, the closest name is {close!r}; known are "
            f"{', '.join(METHODS)}."
        )
    return METHODS[name]


def tasks_estimator(entry: Entry, n_clusters: Any, random_state: Any, **parameters: Any) -> Any:
    """Return an estimator of several tasks: the method itself, or its single-task form per task.

    Parameters
    ----------
    n_clusters : int, or a mapping task -> int
    parameters : those of the method
    """
    if entry.relation == "several tasks":
        return entry.seeded(random_state, n_clusters=n_clusters, **parameters)
    return PerTask(entry.seeded(random_state, **parameters), n_clusters=n_clusters)
