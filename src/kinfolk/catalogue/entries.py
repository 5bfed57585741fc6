"""Entries of the catalogue: the default method first, and variants after their parent."""

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
    summary="runs many methods and gives the one answer that their agreement supports best",
    paper="none: docs/labelfree.md",
    equations="none: docs/labelfree.md has the steps",
    takes="Any numbers, dense or sparse, the same columns in all tasks, at least two rows in each.",
    when="No classes are known, and you want one answer beside that of each data set alone.",
    when_not="You need one method of a paper, or an answer at once: it makes hundreds of runs.",
)
kmeans = Entry(
    name="kmeans",
    cls=KMeans,
    relation=ONE_DATA_SET,
    summary="compact round clusters around their means",
    paper="Lloyd: Least squares quantization in PCM. IEEE Trans. Inf. Theory 28(2), 1982",
    equations="scikit-learn's KMeans",
    takes="Any numbers, dense or sparse; at least as many rows as clusters.",
    when="Clusters are compact and of similar spread; for a quick first look.",
    when_not="Rows are long sparse counts, or clusters are not round.",
)
symnmf = Entry(
    name="symnmf",
    cls=SymNMF,
    relation=ONE_DATA_SET,
    summary="clusters as blocks of the similarity matrix of the rows",
    paper="Kuang, Ding, Park: Symmetric nonnegative matrix factorization for graph "
    "clustering. SDM 2012",
    equations="(21)-(25) of Zhang, Zhang, Liu (2019)",
    takes="Any numbers, dense or sparse; a row of zeros is similar to no other.",
    when="The similarity of rows says more than their coordinates: texts, counts, graphs.",
    when_not="Clusters differ only in the length of their rows, which cosines ignore.",
)
mec = Entry(
    name="mec",
    cls=MEC,
    relation=ONE_DATA_SET,
    summary="k-means with soft memberships; a temperature sets how soft",
    paper="Karayiannis: MECA: maximum entropy clustering algorithm. FUZZ-IEEE 1994",
    equations="(1)-(3) of Qian, Sun, Jiang, Wang, Deng (2015)",
    takes="Any numbers, dense or sparse; the temperature is in squared units of the columns.",
    when="Clusters overlap and you want to know how much each row belongs to each cluster.",
    when_not="There are very many columns: memberships then become 0 or 1, as in k-means.",
    grid={"temperature": (*TENTHS[1:10], *range(1, 11), *range(20, 101, 10))},
)
kt_mec = Entry(
    name="kt-mec",
    cls=KTMEC,
    relation=OTHER_SITE,
    summary="MEC with its centres pulled towards those of another site",
    paper="Qian, Sun, Jiang, Wang, Deng: Knowledge transfer based maximum entropy "
    "clustering. Control and Decision 30, 2015",
    equations="(4)-(12), (8) with the signs of the derivative",
    takes="Centres of another site, and any numbers with the same columns; with another number of "
    "clusters than there are centres, match=true is needed.",
    when="Your rows are few or noisy, and another site gives its centres but not its rows.",
    when_not="You have enough clean rows: the pull biases your centres however many rows you have.",
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
    summary="clusters as concepts: each a mixture of rows, and each row a mixture of concepts",
    paper="Xu, Gong: Document clustering by concept factorization. SIGIR 2004",
    equations="(3) of Hu, Shen, Huang, Huang (2023)",
    takes="Any numbers, dense or sparse, of any sign.",
    when="Clusters are directions: rows of one cluster are multiples of each other.",
    when_not="Cluster centres lie in one direction from 0: k-means separates them, this does not.",
)
lccf = cf.variant(
    "lccf",
    {"graph_weight": 100.0},
    summary="concept factorization in which neighbouring rows get similar memberships",
    paper="Cai, He, Han: Locally consistent concept factorization for document clustering. "
    "IEEE TKDE 23(6), 2011",
    equations="(3) of Hu, Shen, Huang, Huang (2023) with gamma tr(Y'LY)",
    when="Clusters are curved and rows have clear nearest neighbours.",
    when_not="Nearest neighbours often belong to different clusters.",
)
soft_kmeans = Entry(
    name="soft-kmeans",
    cls=SoftKMeans,
    relation=ONE_DATA_SET,
    summary="k-means with non-negative memberships in place of 0 and 1",
    paper="Ding, Li, Jordan: Convex and semi-nonnegative matrix factorizations. "
    "IEEE TPAMI 32(1), 2010",
    equations="(4), (8), (14) of Gu, Zhou (2009)",
    takes="Any numbers, dense or sparse, of any sign.",
    when="Rows are long counts, where k-means is poor.",
    when_not="Clusters differ by a shift and not by their direction from 0.",
)
asi = Entry(
    name="asi",
    cls=ASI,
    relation=ONE_DATA_SET,
    summary="soft k-means in a subspace that is fitted to the clusters",
    paper="Li, Ma, Ogihara: Document clustering via adaptive subspace iteration. SIGIR 2004",
    equations="(4)-(16) of Gu, Zhou (2009) with lambda = 0",
    takes="Any numbers, dense or sparse, of any sign.",
    when="Few directions separate the clusters, among many columns.",
    when_not="n_components is the number of clusters or more: it is then soft k-means.",
)
ncut = Entry(
    name="ncut",
    cls=NCut,
    relation=ONE_DATA_SET,
    summary="spectral clustering: k-means on eigenvectors of the cosine similarities",
    paper="Shi, Malik: Normalized cuts and image segmentation. IEEE TPAMI 22(8), 2000",
    equations="none numbered",
    takes="Any numbers, dense or sparse; with negative ones, (1 + cosine)/2 is the similarity.",
    when="The similarity of rows says more than their coordinates.",
    when_not="The length of rows matters.",
)
pca_kmeans = Entry(
    name="pca-kmeans",
    cls=PCAKMeans,
    relation=ONE_DATA_SET,
    summary="k-means on principal components",
    paper=GU_ZHOU,
    equations="section V-C",
    takes="Any numbers, dense or sparse.",
    when="As a simple baseline.",
    when_not="Directions of small variance separate the clusters.",
)
comvcf = Entry(
    name="comvcf",
    cls=CoMVCF,
    relation=SEVERAL_VIEWS,
    summary="soft k-means in each view and in a latent space that the views share",
    paper="Hu, Shen, Huang, Huang: Concept factorization-based collaborative multi-view clustering "
    "algorithm in visible and latent spaces. Pattern Recognition and Artificial Intelligence, 2023",
    equations="(9)-(16)",
    takes="Any numbers, dense or sparse, of any sign, every row in every view; without views all "
    "columns are one view.",
    when="Several sets of columns describe the same rows, some of them better than others.",
    when_not="Views are in different units: scale them first, or the one with the largest numbers "
    "decides alone.",
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
    summary="CoMVCF without the graph of nearest neighbours",
    equations="(9) without the Laplacian (table 6)",
    when="To measure what the graph contributes.",
    when_not="Rows have clear nearest neighbours.",
)
mtcfir = Entry(
    name="mtcfir",
    cls=MTCFIR,
    relation=SEVERAL_TASKS,
    summary="learns common features and similarities of rows, weighted by the relatedness of tasks",
    paper="Zhang, Zhang, Liu: Weighted multi-task clustering by feature and instance transfer. "
    "Chinese Journal of Computers 42(12), 2019",
    equations="(1)-(25)",
    takes="Any numbers, dense or sparse, the same columns in all tasks, at least two rows in each.",
    when="Data sets are small or noisy, and share columns and some of their clusters.",
    when_not="There is one large data set, or the data sets have no column in common.",
    grid={"neighbors": (0.1, 0.3, 0.5, 0.7, 0.9), "noise": (0.5, 0.6, 0.7, 0.8, 0.9)},
)
mtcfir_nf = mtcfir.variant(
    "mtcfir-nf",
    {"share_features": False},
    summary="MTCFIR without step 1, the common features",
    equations="(8)-(25), step 1 left out",
    when="To measure what the common features contribute; columns separate clusters as they are.",
    when_not="The data sets are distributed differently.",
    grid={"neighbors": mtcfir.grid["neighbors"]},
)
mtcfir_ni = mtcfir.variant(
    "mtcfir-ni",
    {"share_instances": False},
    summary="MTCFIR without step 2, the similarities learned from all tasks",
    equations="(1)-(6), (21)-(25), step 2 left out",
    when="To measure what the rows of other data sets contribute.",
    when_not="You want the relatedness of tasks to matter: it weights these similarities.",
    grid={"noise": mtcfir.grid["noise"]},
)
mtcfir_nr = mtcfir.variant(
    "mtcfir-nr",
    {"weigh_tasks": False},
    summary="MTCFIR with all tasks treated as fully related",
    equations="(1)-(25) with every alpha 1 instead of (20)",
    when="To measure what the learned relatedness contributes.",
    when_not="Some data sets may be unrelated: nothing protects the others from them.",
)
mtcmrl = Entry(
    name="mtcmrl",
    cls=MTCMRL,
    relation=SEVERAL_TASKS,
    summary="learns which clusters of different tasks are related, by their regression models",
    paper="Zhang, Zhang, Liu, Luo: Multi-task clustering with model relation learning. IJCAI 2018",
    equations="(1)-(19)",
    takes="Any numbers, dense or sparse, the same columns in all tasks, at least two rows in each.",
    when="Data sets share some clusters and columns mean the same in all of them; texts.",
    when_not="Rows are far from unit length, or data sets share no cluster: it then ties all of "
    "them equally.",
    grid={"regression_weight": POWERS_OF_TWO, "relation_weight": POWERS_OF_TWO},
)
snmf_lr = mtcmrl.variant(
    "snmf-lr",
    {"relation_weight": 0.0},
    summary="MTCMRL without relations: symmetric factorization with a regression",
    equations="(1) and (19) with alpha = 0",
    when="To measure what the relations contribute; one data set that gets new rows later.",
    when_not="You want help from other data sets.",
)
joint_spectral = Entry(
    name="joint-spectral",
    cls=JointSpectral,
    relation=SEVERAL_TASKS,
    summary="spectral clustering on one nearest-neighbour graph of the rows of all tasks",
    paper="Ng, Jordan, Weiss: On spectral clustering: analysis and an algorithm. NIPS 14, 2002",
    equations="its six steps, on one graph of all tasks; the links between tasks are ours",
    takes="Any numbers, dense or sparse, the same columns in all tasks, at least two rows in each; "
    "a row of zeros has no neighbours.",
    when="Clusters are curved or uneven, rows have clear neighbours by cosine, and "
    "the same clusters of different data sets lie near each other.",
    when_not="The length of rows matters, rows of different clusters are neighbours, or data sets "
    "are shifted: links between data sets then mislead; other_weight=0 leaves them out.",
)
lssmtc = Entry(
    name="lssmtc",
    cls=LSSMTC,
    relation=SEVERAL_TASKS,
    summary="k-means with centres that all tasks share in a common subspace",
    paper=GU_ZHOU,
    equations="(4)-(15), ours in place of (16)",
    takes="Any numbers, dense or sparse, the same columns in all tasks, and the same number of "
    "clusters in each.",
    when="Data sets are small and their clusters look alike.",
    when_not="Clusters differ between data sets: sharing then costs accuracy.",
    grid={"n_components": (2, 4, 8, 16), "own_weight": (0.25, 0.5, 0.75)},
    different_k=False,
)
lssmtc_published = lssmtc.variant(
    "lssmtc-published",
    {"subspace": "published", "init": "kmeans", "n_init": 1},
    summary="LSSMTC with the subspace as the paper prints it",
    equations="(4)-(16)",
    when="To reproduce the printed equations.",
    when_not="You want sharing: on texts this subspace shares nothing.",
)
# The authors' code never updates the subspace.
lssmtc_released = lssmtc.variant(
    "lssmtc-released",
    {"subspace": "released", "init": "random", "n_init": 1},
    summary="LSSMTC as its authors released it",
    equations="(4)-(14), W fixed",
    when="To reproduce the authors' code.",
    when_not="You want sharing: the subspace stays that of the first columns.",
)
lssttc = Entry(
    name="lssttc",
    cls=LSSTTC,
    relation=KNOWN_LABELS,
    summary="transfers known classes of some tasks to the others in a common subspace",
    paper=GU_ZHOU,
    equations="(17)-(20), ours in place of (16)",
    takes="Any numbers, dense or sparse, the same columns in all tasks, and known classes in at "
    "least one; as many clusters as known classes.",
    when="One data set has known classes, and a related one needs the same classes.",
    when_not="Rows can be given the class with the nearest mean: on texts that is often better.",
    grid={"n_components": tuple(range(100, 1001, 100)), "own_weight": (0.25, 0.5, 0.75)},
    different_k=False,
)
per_task = Entry(
    name="per-task",
    cls=PerTask,
    relation=SEVERAL_TASKS,
    summary="any scikit-learn clusterer on each task by itself",
    paper="the single-task rows of the papers' tables",
    equations="none",
    takes="Tables that the clusterer inside takes; new rows only if it has predict.",
    when="As the baseline that help from other data sets must beat.",
    when_not="Data sets are too small to cluster alone.",
)
pooled = Entry(
    name="pooled",
    cls=Pooled,
    relation=SEVERAL_TASKS,
    summary='any scikit-learn clusterer on all rows as one task, called "All" in the papers',
    paper=GU_ZHOU,
    equations='the rows "All" of its tables',
    takes="Tables that the clusterer inside takes, with the same number of clusters in every "
    "task; new rows only if it has predict.",
    when="All data sets have the same distribution.",
    when_not="They do not: clusters then separate the data sets instead of the classes.",
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
