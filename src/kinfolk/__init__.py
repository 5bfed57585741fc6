"""Kinfolk clusters several related data sets together, each helped by the others.

Several tables that describe the same kind of thing are clustered each with the help of the
others. The public names:

    Kinfolk                  many methods, and the one answer that the evidence supports
    compare, Comparison      a method with and without the help of others: scores, report, files
    Blocks                   rows in files or in Dask that are more than memory holds
    read, Preparation        tables from files; texts as counts, columns on one scale
    profile                  groups in the units of the table: sizes, means, shares, differences
    describe                 what each column of a table is taken for, and why
    stack, by_task           tables of several tasks as one table, and back
    join, RelatedData        several feature sets side by side; a table with names and classes
    MTCFIR                   multi-task clustering by feature and instance transfer
    MTCMRL                   multi-task clustering with model relation learning
    MBC, MKC                 k-means, or kernel k-means, of tasks whose centers draw each other
    LSSMTC, LSSTTC           multi-task clustering, and transfer of classes, in a shared subspace
    GFHF, LLGC, CDSC, LinearSVM, TSVM
                             classes from labels of other tasks: along a graph, or by margins
    JointSpectral            spectral clustering on one graph that links the tasks
    TSC, MTSC                spectral clustering with one embedding of the columns for all tasks, or
                             by regressions on the same columns
    MTCTKI, SAMTC            spectral clustering by nearest rows shared within and across tasks
    DMTFCLS, DMTRCLS         linear models with features or relations of tasks in common
    SharedCovarianceMixture, MTLGMM
                             Gaussian mixtures with one covariance for all tasks, or drawn together
    SymNMF, MEC, CLR, ConceptFactorization, SoftKMeans, ASI, NCut, PCAKMeans, TiedGaussianMixture
                             clustering of one data set
    KTMEC, Knowledge         clustering with the centers of another site
    check_knowledge          how much such centers tell of the rows behind them
    CoMVCF, CoFKM, CoMSC, COMVSC, CoregularizedSpectral, CotrainedSpectral, JoinedKMeans, MultiNMF,
    MVCF, MVCoVH, NEMO, PLCMF, SNF
                             several views of the same rows
    PerTask, Pooled          each data set alone, all as one
    search                   parameters of one of them, without labels
    suggest_clusters         how many clusters each task may have
    replicability            which clusters are found again in which other task, by itself
    save, load               a fitted model as a folder that cannot execute code
    anndata                  cells of single-cell analysis, by donor: kf.anndata.cluster
    datasets, measures       data sets to try, measures to judge by
    catalogue                every method with its paper
    testing                  the laws that all methods keep, as checks of a clusterer of your own
    RelatednessDisplay, MatchedClustersDisplay, ProfilesDisplay, EvidenceDisplay,
    ClusterNumbersDisplay, ScoresDisplay, RowsDisplay
                             pictures on matplotlib axes
    progress, errors         progress bars of long work; every error and warning

>>> import kinfolk as kf
>>> X, tasks = kf.stack({"lab": [[0.0, 1.0], [1.0, 0.0]], "field": [[0.1, 1.0], [1.0, 0.1]]})
>>> kf.PerTask(kf.MEC(random_state=0), 2).fit(X, tasks=tasks).matched_labels_
array([0, 1, 0, 1])
"""

from typing import Any

import lazy_loader

# A name is imported when it is first used: `kinfolk --help` needs no scikit-learn. The names stand
# in `__init__.pyi`.
_imported, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name != "__version__":
        return _imported(name)
    # Imported late: it takes a third of the time of `kinfolk --help`, which shows no version.
    from importlib.metadata import version

    return version("kinfolk")
