"""The methods, that which asks many of them first; a variant is made from its parent."""

from sklearn.cluster import KMeans

from kinfolk.catalogue.entry import Entry
from kinfolk.catalogue.relation import (
    KNOWN_LABELS,
    ONE_DATA_SET,
    OTHER_SITE,
    SEVERAL_METHODS,
    SEVERAL_TASKS,
    SEVERAL_VIEWS,
)
from kinfolk.choosing.estimator import Kinfolk
from kinfolk.methods.multitask.baselines import PerTask, Pooled
from kinfolk.methods.multitask.feature_instance import MTCFIR
from kinfolk.methods.multitask.joint_spectral import JointSpectral
from kinfolk.methods.multitask.model_relation import MTCMRL
from kinfolk.methods.multitask.shared_subspace import LSSMTC
from kinfolk.methods.multiview.concept_collaboration import CoMVCF
from kinfolk.methods.single.concept import ConceptFactorization
from kinfolk.methods.single.entropy import MEC
from kinfolk.methods.single.normalized_cut import NCut
from kinfolk.methods.single.principal import PCAKMeans
from kinfolk.methods.single.soft_kmeans import SoftKMeans
from kinfolk.methods.single.subspace_iteration import ASI
from kinfolk.methods.single.symmetric import SymNMF
from kinfolk.methods.transfer.entropy_transfer import KTMEC
from kinfolk.methods.transfer.shared_subspace import LSSTTC

GU_ZHOU = (
    "Gu, Zhou: Learning the shared subspace for multi-task clustering and transductive transfer "
    "classification. ICDM 2009"
)
TENTHS = tuple(i / 10 for i in range(11))
POWERS_OF_TWO = (0.25, 0.5, 1.0, 2.0, 4.0)

consensus = Entry(
    name="kinfolk",
    cls=Kinfolk,
    relation=SEVERAL_METHODS,
    summary="asks many methods, gives the one answer that most evidence supports",
    paper="none: docs/labelfree.md",
    equations="none: docs/labelfree.md has the steps",
    takes="Any numbers, dense or sparse, the same columns in all tasks, at least two rows in each.",
    when="No class is known, and you want one answer, with what each data set gives by itself.",
    when_not="You want one method's formulas, or a second is long: it takes some hundred runs.",
)
kmeans = Entry(
    name="kmeans",
    cls=KMeans,
    relation=ONE_DATA_SET,
    summary="round groups around centres",
    paper="Lloyd: Least squares quantization in PCM. IEEE Trans. Inf. Theory 28(2), 1982",
    equations="scikit-learn's KMeans",
    takes="Any numbers, dense or sparse; at least as many rows as clusters.",
    when="Groups are compact and of similar spread; a quick first look.",
    when_not="Rows are long sparse counts, or groups are not round.",
)
symnmf = Entry(
    name="symnmf",
    cls=SymNMF,
    relation=ONE_DATA_SET,
    summary="clusters as blocks of a similarity between rows",
    paper="Kuang, Ding, Park: Symmetric nonnegative matrix factorization for graph "
    "clustering. SDM 2012",
    equations="(21)-(25) of Zhang, Zhang, Liu (2019)",
    takes="Any numbers, dense or sparse; a row of zeros is similar to none.",
    when="Similarity between rows means more than coordinates: texts, counts, graphs.",
    when_not="Clusters differ only in the length of their rows; cosines cannot see that.",
)
mec = Entry(
    name="mec",
    cls=MEC,
    relation=ONE_DATA_SET,
    summary="k-means softened by a temperature",
    paper="Karayiannis: MECA: maximum entropy clustering algorithm. FUZZ-IEEE 1994",
    equations="(1)-(3) of Qian, Sun, Jiang, Wang, Deng (2015)",
    takes="Any numbers, dense or sparse; the temperature is in squared units of the columns.",
    when="Groups overlap and you want to know how much a row belongs to each.",
    when_not="There are very many features: memberships turn hard, k-means does the same.",
    grid={"temperature": (*TENTHS[1:10], *range(1, 11), *range(20, 101, 10))},
)
kt_mec = Entry(
    name="kt-mec",
    cls=KTMEC,
    relation=OTHER_SITE,
    summary="MEC drawn towards the centres that another site tells of",
    paper="Qian, Sun, Jiang, Wang, Deng: Knowledge transfer based maximum entropy "
    "clustering. Control and Decision 30, 2015",
    equations="(4)-(12), (8) with the signs of the derivative",
    takes="Any numbers with the columns of the knowledge, which it needs; another number of "
    "clusters than it has centres only with match=true.",
    when="You have few or noisy rows, and centres from a site that keeps its rows.",
    when_not="You have enough clean rows: the pull biases centres however many there are.",
    grid={
        "transfer_weight": (0, 0.5, *range(2, 11), *range(20, 101, 10)),
        "own_share": TENTHS,
        "temperature": (0.1, 0.3, 0.5, 0.7, 0.9, *range(2, 11), *range(20, 151, 10)),
    },
)
cf = Entry(
    name="cf",
    cls=ConceptFactorization,
    relation=ONE_DATA_SET,
    summary="rows as mixtures of concepts that are mixtures of rows",
    paper="Xu, Gong: Document clustering by concept factorization. SIGIR 2004",
    equations="(3) of Hu, Shen, Huang, Huang (2023)",
    takes="Any numbers, dense or sparse, of any sign.",
    when="Groups are directions: rows of a group are multiples of one another, any sign.",
    when_not="Groups lie around centres that share a direction; k-means sees them, CF not.",
)
lccf = cf.variant(
    "lccf",
    {"graph_weight": 100.0},
    summary="concept factorisation, smooth on a graph of the rows",
    paper="Cai, He, Han: Locally consistent concept factorization for document clustering. "
    "IEEE TKDE 23(6), 2011",
    equations="(3) of Hu, Shen, Huang, Huang (2023) with gamma tr(Y'LY)",
    when="Groups are curved and rows have clear neighbours.",
    when_not="Neighbours in X say little.",
)
soft_kmeans = Entry(
    name="soft-kmeans",
    cls=SoftKMeans,
    relation=ONE_DATA_SET,
    summary="k-means with non-negative memberships",
    paper="Ding, Li, Jordan: Convex and semi-nonnegative matrix factorizations. "
    "IEEE TPAMI 32(1), 2010",
    equations="(4), (8), (14) of Gu, Zhou (2009)",
    takes="Any numbers, dense or sparse, of any sign.",
    when="Rows are long counts, where k-means is poor.",
    when_not="Groups differ by a shift and not by direction from 0.",
)
asi = Entry(
    name="asi",
    cls=ASI,
    relation=ONE_DATA_SET,
    summary="soft k-means in directions that follow the clusters",
    paper="Li, Ma, Ogihara: Document clustering via adaptive subspace iteration. SIGIR 2004",
    equations="(4)-(16) of Gu, Zhou (2009) with lambda = 0",
    takes="Any numbers, dense or sparse, of any sign.",
    when="Few directions hold the groups.",
    when_not="n_components is k or more: it is then soft k-means.",
)
ncut = Entry(
    name="ncut",
    cls=NCut,
    relation=ONE_DATA_SET,
    summary="k-means on eigenvectors of the cosines",
    paper="Shi, Malik: Normalized cuts and image segmentation. IEEE TPAMI 22(8), 2000",
    equations="none numbered",
    takes="Any numbers, dense or sparse; with negative ones, (1 + cosine)/2 is the similarity.",
    when="Similarity between rows means more than coordinates.",
    when_not="Row lengths matter.",
)
pca_kmeans = Entry(
    name="pca-kmeans",
    cls=PCAKMeans,
    relation=ONE_DATA_SET,
    summary="k-means on principal components",
    paper=GU_ZHOU,
    equations="section V-C",
    takes="Any numbers, dense or sparse.",
    when="As a plain yardstick.",
    when_not="Directions of small variance separate the groups.",
)
comvcf = Entry(
    name="comvcf",
    cls=CoMVCF,
    relation=SEVERAL_VIEWS,
    summary="k-means in all views and in a latent space that they share",
    paper="Hu, Shen, Huang, Huang: Concept factorization-based collaborative multi-view clustering "
    "algorithm in visible and latent spaces. Pattern Recognition and Artificial Intelligence, 2023",
    equations="(9)-(16)",
    takes="Any numbers, dense or sparse, of any sign, every row in every view; without views it "
    "takes all columns as one.",
    when="The same rows are described by several views of different worth.",
    when_not="Views are in different units: scale them first, or the largest takes all.",
    grid={
        "factor_weight": tuple(10.0**i for i in range(-6, 3)),
        "latent_share": TENTHS,
        "graph_weight": tuple(10.0**i for i in range(7)),
        "view_temperature": tuple(10.0**i for i in range(7)),
    },
)
comvcf_n = comvcf.variant(
    "comvcf-n",
    {"graph_weight": 0.0},
    summary="Co-MVCF without the graph",
    equations="(9) without the Laplacian (table 6)",
    when="To see what the graph contributes.",
    when_not="Rows have clear neighbours.",
)
mtcfir = Entry(
    name="mtcfir",
    cls=MTCFIR,
    relation=SEVERAL_TASKS,
    summary="shares features and instances, weighted by how related tasks are",
    paper="Zhang, Zhang, Liu: Weighted multi-task clustering by feature and instance transfer. "
    "Chinese Journal of Computers 42(12), 2019",
    equations="(1)-(25)",
    takes="Any numbers, dense or sparse, the same columns in all tasks, at least two rows in each.",
    when="Each data set is small or noisy and they share features and some of the groups.",
    when_not="There is one large data set, or the tasks have no feature in common.",
    grid={"neighbors": (0.1, 0.3, 0.5, 0.7, 0.9), "noise": (0.5, 0.6, 0.7, 0.8, 0.9)},
)
mtcfir_nf = mtcfir.variant(
    "mtcfir-nf",
    {"share_features": False},
    summary="MTCFIR without common features",
    equations="(8)-(25), step 1 left out",
    when="To see what the common features contribute; features are good as they are.",
    when_not="The tasks are distributed differently.",
    grid={"neighbors": mtcfir.grid["neighbors"]},
)
mtcfir_ni = mtcfir.variant(
    "mtcfir-ni",
    {"share_instances": False},
    summary="MTCFIR without the similarity that tasks learn together",
    equations="(1)-(6), (21)-(25), step 2 left out",
    when="To see what the instances of other tasks contribute.",
    when_not="You want the full method: its similarity is what relatedness acts on.",
    grid={"noise": mtcfir.grid["noise"]},
)
mtcfir_nr = mtcfir.variant(
    "mtcfir-nr",
    {"weigh_tasks": False},
    summary="MTCFIR with all tasks taken as fully related",
    equations="(1)-(25) with every alpha 1 instead of (20)",
    when="To see what the learned relatedness contributes.",
    when_not="Some tasks may be unrelated: nothing protects against them.",
)
mtcmrl = Entry(
    name="mtcmrl",
    cls=MTCMRL,
    relation=SEVERAL_TASKS,
    summary="learns which clusters of different tasks have related models",
    paper="Zhang, Zhang, Liu, Luo: Multi-task clustering with model relation learning. IJCAI 2018",
    equations="(1)-(19)",
    takes="Any numbers, dense or sparse, the same columns in all tasks, at least two rows in each.",
    when="Tasks share some groups and features mean the same in all of them; texts.",
    when_not="Rows are far from unit length, or tasks share no group: all are tied alike.",
    grid={"regression_weight": POWERS_OF_TWO, "relation_weight": POWERS_OF_TWO},
)
snmf_lr = mtcmrl.variant(
    "snmf-lr",
    {"relation_weight": 0.0},
    summary="MTCMRL without relations: symmetric factorisation with a regression",
    equations="(1) and (19) with alpha = 0",
    when="To see what the relations contribute; one data set whose new rows will come.",
    when_not="You want help from other tasks.",
)
joint_spectral = Entry(
    name="joint-spectral",
    cls=JointSpectral,
    relation=SEVERAL_TASKS,
    summary="spectral clustering on one graph of nearest rows that links the tasks",
    paper="Ng, Jordan, Weiss: On spectral clustering: analysis and an algorithm. NIPS 14, 2002",
    equations="its six steps, on one graph of all tasks; the links between tasks are ours",
    takes="Any numbers, dense or sparse, the same columns in all tasks, at least two rows in each; "
    "a row of zeros is linked to none.",
    when="Groups are curved or uneven, rows have clear neighbours by cosine, and groups of "
    "different tasks lie near each other.",
    when_not="Row lengths matter, rows of different groups are neighbours, or tasks are shifted: "
    "links between them then mislead, and other_weight=0 leaves them out.",
)
lssmtc = Entry(
    name="lssmtc",
    cls=LSSMTC,
    relation=SEVERAL_TASKS,
    summary="shares centres in a common subspace",
    paper=GU_ZHOU,
    equations="(4)-(15), ours in place of (16)",
    takes="Any numbers, dense or sparse, the same columns in all tasks, and the same number of "
    "clusters in each.",
    when="Groups look alike in all data sets and each is small.",
    when_not="Groups differ between data sets: sharing then costs accuracy.",
    grid={"n_components": (2, 4, 8, 16), "own_weight": (0.25, 0.5, 0.75)},
    different_k=False,
)
lssmtc_published = lssmtc.variant(
    "lssmtc-published",
    {"subspace": "published", "init": "kmeans", "n_init": 1},
    summary="LSSMTC with the printed subspace",
    equations="(4)-(16)",
    when="To reproduce the formulas.",
    when_not="You want sharing: on texts it shares nothing.",
)
lssmtc_released = lssmtc.variant(
    "lssmtc-released",
    {"subspace": "released", "init": "random", "n_init": 1},
    summary="LSSMTC as its authors released it",
    equations="(4)-(14), W fixed",
    when="To reproduce the authors' code.",
    when_not="You want sharing: W stays on the first columns.",
)
lssttc = Entry(
    name="lssttc",
    cls=LSSTTC,
    relation=KNOWN_LABELS,
    summary="carries known classes of some tasks over to the others, in a common subspace",
    paper=GU_ZHOU,
    equations="(17)-(20), ours in place of (16)",
    takes="Any numbers, dense or sparse, the same columns in all tasks, and known classes in at "
    "least one; as many clusters as known classes.",
    when="One data set has labels, and a related one needs the same classes.",
    when_not="The nearest known class mean already does: on texts it is often better.",
    grid={"n_components": tuple(range(100, 1001, 100)), "own_weight": (0.25, 0.5, 0.75)},
    different_k=False,
)
per_task = Entry(
    name="per-task",
    cls=PerTask,
    relation=SEVERAL_TASKS,
    summary="each task by itself, with any scikit-learn clusterer",
    paper="the single-task rows of the papers' tables",
    equations="none",
    takes="What the clusterer inside takes; new rows only if that has predict.",
    when="The baseline: help from other tasks must beat it.",
    when_not="Tasks are too small to cluster alone.",
)
pooled = Entry(
    name="pooled",
    cls=Pooled,
    relation=SEVERAL_TASKS,
    summary='all rows as if of one task, the papers\' "All"',
    paper=GU_ZHOU,
    equations='the rows "All" of its tables',
    takes="What the clusterer inside takes, with the same number of clusters in every task; new "
    "rows only if that has predict.",
    when="All data sets have the same distribution.",
    when_not="They do not: clusters then tell the data sets apart instead of the groups.",
    different_k=False,
)

ENTRIES = (
    consensus,
    *(kmeans, symnmf, mec, kt_mec, cf, lccf, soft_kmeans, asi, ncut, pca_kmeans),
    *(comvcf, comvcf_n),
    *(mtcfir, mtcfir_nf, mtcfir_ni, mtcfir_nr, mtcmrl, snmf_lr),
    joint_spectral,
    *(lssmtc, lssmtc_published, lssmtc_released, lssttc, per_task, pooled),
)
