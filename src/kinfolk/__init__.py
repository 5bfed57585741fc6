"""Kinfolk clusters related data sets together.

Several tables that describe the same kind of thing are clustered each with the help of the
others. The public names:

    Kinfolk                  many methods, and the one answer that the evidence supports
    compare, Comparison      a method with and without the help of others: scores, report, files
    read, Preparation        tables from files; texts as counts, columns on one scale
    profile                  groups in the units of the table: sizes, means, shares, differences
    describe                 what each column of a table is taken for, and why
    stack, by_task           tables of several tasks as one table, and back
    join, RelatedData        several feature sets side by side; a table with names and classes
    MTCFIR                   multi-task clustering by feature and instance transfer
    MTCMRL                   multi-task clustering with model relation learning
    MBC, MKC                 k-means, or kernel k-means, of tasks whose centres draw each other
    LSSMTC, LSSTTC           multi-task clustering, and transfer of classes, in a shared subspace
    GFHF, LLGC, CDSC, LinearSVM, TSVM
                             classes from labels of other tasks: along a graph, or by margins
    JointSpectral            spectral clustering on one graph that links the tasks
    TSC, MTSC                spectral clustering with one embedding of the columns for all tasks, or
                             by regressions on the same columns
    MTCTKI, SAMTC            spectral clustering by nearest rows shared within and across tasks
    TSC                      spectral clustering with one embedding of the columns for all tasks
    DMTFCLS, DMTRCLS         linear models with features or relations of tasks in common
    SharedCovarianceMixture, MTLGMM
                             Gaussian mixtures with one covariance for all tasks, or drawn together
    SymNMF, MEC, CLR, ConceptFactorization, SoftKMeans, ASI, NCut, PCAKMeans, TiedGaussianMixture
                             clustering of one data set
    KTMEC, Knowledge         clustering with the centres of another site
    CoMVCF                   several views of the same rows
    PerTask, Pooled          each data set alone, all as one
    search                   parameters of one of them, without labels
    suggest_clusters         how many clusters each task may have
    save, load               a fitted model as a folder that cannot execute code
    datasets, measures       data sets to try, measures to judge by
    catalogue                every method with its paper
    progress, errors         progress bars of long work; every error and warning

>>> import kinfolk as kf
>>> X, tasks = kf.stack({"lab": [[0.0, 1.0], [1.0, 0.0]], "field": [[0.1, 1.0], [1.0, 0.1]]})
>>> kf.PerTask(kf.MEC(random_state=0), 2).fit(X, tasks=tasks).matched_labels_
array([0, 1, 0, 1])
"""

from importlib.metadata import version

from kinfolk import catalogue, datasets, errors, measures, progress
from kinfolk.choosing.cluster_count import suggest_clusters
from kinfolk.choosing.estimator import Kinfolk
from kinfolk.choosing.search import search
from kinfolk.comparison import Comparison, compare, profile
from kinfolk.knowledge import Knowledge
from kinfolk.methods.multitask.baselines import PerTask, Pooled
from kinfolk.methods.multitask.bregman import MBC
from kinfolk.methods.multitask.discriminative import DMTFCLS, DMTRCLS
from kinfolk.methods.multitask.feature_instance import MTCFIR
from kinfolk.methods.multitask.instances_transfer import MTCTKI
from kinfolk.methods.multitask.joint_spectral import JointSpectral
from kinfolk.methods.multitask.kernel_bregman import MKC
from kinfolk.methods.multitask.model_relation import MTCMRL
from kinfolk.methods.multitask.mtl_gmm import MTLGMM
from kinfolk.methods.multitask.multitask_spectral import MTSC
from kinfolk.methods.multitask.self_adapted import SAMTC
from kinfolk.methods.multitask.self_taught import STC
from kinfolk.methods.multitask.shared_covariance import SharedCovarianceMixture
from kinfolk.methods.multitask.shared_subspace import LSSMTC
from kinfolk.methods.multitask.transfer_spectral import TSC
from kinfolk.methods.multiview.concept_collaboration import CoMVCF
from kinfolk.methods.single.concept import ConceptFactorization
from kinfolk.methods.single.entropy import MEC
from kinfolk.methods.single.laplacian_rank import CLR
from kinfolk.methods.single.normalized_cut import NCut
from kinfolk.methods.single.principal import PCAKMeans
from kinfolk.methods.single.soft_kmeans import SoftKMeans
from kinfolk.methods.single.subspace_iteration import ASI
from kinfolk.methods.single.symmetric import SymNMF
from kinfolk.methods.single.tied_mixture import TiedGaussianMixture
from kinfolk.methods.transfer.coclustering import CoCC
from kinfolk.methods.transfer.entropy_transfer import KTMEC
from kinfolk.methods.transfer.harmonic_fields import GFHF
from kinfolk.methods.transfer.linear_svm import LinearSVM
from kinfolk.methods.transfer.local_global import LLGC
from kinfolk.methods.transfer.shared_subspace import LSSTTC
from kinfolk.methods.transfer.spectral_classes import CDSC
from kinfolk.methods.transfer.transductive_svm import TSVM
from kinfolk.models.storage import Model, load, save
from kinfolk.preparation import Preparation
from kinfolk.sources import read
from kinfolk.sources.describe import describe
from kinfolk.tables import RelatedData, by_task, join, stack

__all__ = [
    "ASI",
    "CDSC",
    "CLR",
    "DMTFCLS",
    "DMTRCLS",
    "GFHF",
    "KTMEC",
    "Kinfolk",
    "Knowledge",
    "LLGC",
    "LSSMTC",
    "LSSTTC",
    "MBC",
    "MEC",
    "MKC",
    "MTCFIR",
    "MTCMRL",
    "MTCTKI",
    "MTLGMM",
    "MTSC",
    "SAMTC",
    "STC",
    "TSC",
    "TSVM",
    "CoCC",
    "CoMVCF",
    "Comparison",
    "ConceptFactorization",
    "JointSpectral",
    "LinearSVM",
    "Model",
    "NCut",
    "PCAKMeans",
    "PerTask",
    "Pooled",
    "Preparation",
    "RelatedData",
    "SharedCovarianceMixture",
    "SoftKMeans",
    "SymNMF",
    "TiedGaussianMixture",
    "by_task",
    "catalogue",
    "compare",
    "datasets",
    "describe",
    "errors",
    "join",
    "load",
    "measures",
    "profile",
    "progress",
    "read",
    "save",
    "search",
    "stack",
    "suggest_clusters",
]

__version__ = version("kinfolk")
