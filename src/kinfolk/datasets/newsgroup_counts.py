"""Newsgroup messages as published term counts: two tasks, or three views.

Source  RecvsTalk, CompvsSci   Q. Gu, J. Zhou, "Learning the Shared Subspace for Multi-Task
                Clustering and Transductive Transfer Classification", ICDM 2009, tables I and II;
                distributed with MALSAR;
        three views   G. Bisson, C. Grimal, "Co-clustering of Multi-view Datasets: a
                Parallelizable Approach", ICDM 2012; used in the Co-MVCF paper (2023).
"""

import numpy as np
import scipy.sparse as sp

from kinfolk.datasets import assembly
from kinfolk.datasets.data_home import DataHome
from kinfolk.datasets.registry import COLLECTIONS
from kinfolk.tables import RelatedData

MALSAR = COLLECTIONS["malsar"]
VIEWS = COLLECTIONS["20newsgroups-views"]
VIEWS_FILE = "multiview/20newsgroups_500.npz"


def load_recvstalk(data: DataHome = None) -> RelatedData:
    """Load RecvsTalk: 3389 messages, 2 tasks, 2 classes in each, 2000 terms.

    ================ ======================== ===========================
    task             class rec                class talk
    ================ ======================== ===========================
    autos-guns       rec.autos (975)          talk.politics.guns (869)
    baseball-mideast rec.sport.baseball (860) talk.politics.mideast (685)
    ================ ======================== ===========================

    These are the matrices of the paper; tasks 1 and 2 and classes 1 and 2 of the files are given
    the names of table I. The terms themselves are not distributed.

    Parameters
    ----------
    data : the data directory, which holds `lssmtc_recvstalk_counts.npz` (documents x terms) and
        `lssmtc_recvstalk_labels.npz` (`task` and `y`), there or in `text/`

    Returns
    -------
    RelatedData : `X` (3389, 2000) CSR of counts; `row_ids` places in the file

    Raises
    ------
    MissingDataError : the data directory does not hold them
    FileFormatError : they are damaged
    """
    return _from_malsar("recvstalk", ("autos-guns", "baseball-mideast"), ("rec", "talk"), data)


def load_compvssci(data: DataHome = None) -> RelatedData:
    """Load CompvsSci: 3702 messages, 2 tasks, 2 classes in each, 2000 terms.

    ============= ============================= ===============
    task          class comp                    class sci
    ============= ============================= ===============
    windows-crypt comp.os.ms-windows.misc (967) sci.crypt (908)
    mac-space     comp.sys.mac.hardware (871)   sci.space (956)
    ============= ============================= ===============

    All else is as in `load_recvstalk`, with `X` (3702, 2000) from `lssmtc_compvssci_counts.npz`
    and `lssmtc_compvssci_labels.npz`.
    """
    return _from_malsar("compvssci", ("windows-crypt", "mac-space"), ("comp", "sci"), data)


def load_20newsgroups_500(data: DataHome = None) -> RelatedData:
    """Load 20newsgroups in three views: 500 messages, 5 groups of 100, 2000 terms per view.

    The views are three selections of terms; the source names neither the terms nor the groups.

    Parameters
    ----------
    data : the data directory, which holds `20newsgroups_500.npz`, there or in `multiview/`

    Returns
    -------
    RelatedData : one task "all"; `X` (500, 6000) CSR of counts; `views` ngs_view1, ngs_view2 and
        ngs_view3; `target` "0" to "4"

    Raises
    ------
    MissingDataError : the data directory does not hold it
    FileFormatError : it is damaged
    """
    arrays = VIEWS.arrays(VIEWS_FILE, "20newsgroups-500", data)
    views = {
        str(view): sp.csr_array(arrays[f"view_{v}"], dtype=float)
        for v, view in enumerate(arrays["view_names"])
    }
    origin = VIEWS.origin("The multi-view matrices of G. Bisson and C. Grimal")
    return assembly.from_views("20newsgroups-500", views, arrays["y"], origin)


def _from_malsar(
    name: str, tasks: tuple[str, str], classes: tuple[str, str], data: DataHome
) -> RelatedData:
    """Load counts and labels of a data set from the MALSAR collection."""
    matrix = MALSAR.arrays(f"text/lssmtc_{name}_counts.npz", name, data)
    labels = MALSAR.arrays(f"text/lssmtc_{name}_labels.npz", name, data)
    X = assembly.counts_from_arrays(matrix)
    n, d = X.shape
    return RelatedData(
        name=name,
        # The file numbers tasks and classes from 1, as Matlab does.
        tasks=np.array(tasks)[labels["task"] - 1],
        row_ids=np.arange(n).astype(str),
        X=X,
        # The terms are not distributed, only their columns.
        feature_names=tuple(map(str, range(d))),
        target=np.array(classes)[labels["y"] - 1],
        origin=MALSAR.origin("Matrices of Q. Gu and J. Zhou (2009), with MALSAR"),
    )
