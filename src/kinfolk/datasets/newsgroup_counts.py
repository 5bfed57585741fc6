"""Newsgroup messages as the counts of terms that were published: two tasks, or three views.

Source  RecvsTalk, CompvsSci   Q. Gu, J. Zhou, "Learning the Shared Subspace for Multi-Task
                Clustering and Transductive Transfer Classification", ICDM 2009, tables I and II;
                distributed with MALSAR;
        three views   G. Bisson, C. Grimal, "Co-clustering of Multi-view Datasets: a
                Parallelizable Approach", ICDM 2012; used in the Co-MVCF paper (2023).
"""

import numpy as np
import scipy.sparse as sp

from kinfolk.datasets import archives, counts, home
from kinfolk.datasets.archives import Archive
from kinfolk.tables import RelatedData

MALSAR_PAGE = "https://github.com/jiayuzhou/MALSAR"
MALSAR_TERMS = "Derived from 20 Newsgroups; no licence of their own is stated: research use."
RECVSTALK = (
    Archive(
        "text",
        "lssmtc_recvstalk_counts.npz",
        "8f3aa2394a4404d6743b2c42bfe309b0dede96779ad2d9bd0a9fe4fb424ec0f4",
    ),
    Archive(
        "text",
        "lssmtc_recvstalk_labels.npz",
        "485147bbf3a0dcbae7093dfcea8838c24a64561cb6d07886b41da1b9d296abe5",
    ),
)
COMPVSSCI = (
    Archive(
        "text",
        "lssmtc_compvssci_counts.npz",
        "d44905764bd9984cd9fce31a03a82e3936c83bdf2a915c53c39ea622023d8fcc",
    ),
    Archive(
        "text",
        "lssmtc_compvssci_labels.npz",
        "eddf6b21dbdf57598b601f55e8814e9ad8047507a9112c10b42d907b83f870bf",
    ),
)
VIEWS_PAGE = "http://lig-membres.imag.fr/grimal/data.html"
VIEWS_TERMS = "Derived from 20 Newsgroups; no licence is stated: research use."
VIEWS = Archive(
    "multiview",
    "20newsgroups_500.npz",
    "a76e373f6cc836e1e282a47c7573739b01e15a82f1a81ff9b925cc1ec9bc4856",
)


def load_recvstalk(data: home.Place = None) -> RelatedData:
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
    tasks, classes = ("autos-guns", "baseball-mideast"), ("rec", "talk")
    return _of_tasks("recvstalk", RECVSTALK, tasks, classes, data)


def load_compvssci(data: home.Place = None) -> RelatedData:
    """Load CompvsSci: 3702 messages, 2 tasks, 2 classes in each, 2000 terms.

    ============= ============================= ===============
    task          class comp                    class sci
    ============= ============================= ===============
    windows-crypt comp.os.ms-windows.misc (967) sci.crypt (908)
    mac-space     comp.sys.mac.hardware (871)   sci.space (956)
    ============= ============================= ===============

    All else is as in `load_recvstalk`, with `lssmtc_compvssci_counts.npz` and
    `lssmtc_compvssci_labels.npz`.

    Returns
    -------
    RelatedData : `X` (3702, 2000) CSR of counts; `row_ids` places in the file

    Raises
    ------
    MissingDataError : the data directory does not hold them
    FileFormatError : they are damaged
    """
    tasks, classes = ("windows-crypt", "mac-space"), ("comp", "sci")
    return _of_tasks("compvssci", COMPVSSCI, tasks, classes, data)


def load_20newsgroups_500(data: home.Place = None) -> RelatedData:
    """Load 20newsgroups in three views: 500 messages, 5 groups of 100, 2000 terms a view.

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
    arrays = VIEWS.read("20newsgroups-500", data, VIEWS_PAGE)
    views = {
        str(view): sp.csr_array(arrays[f"view_{v}"], dtype=float)
        for v, view in enumerate(arrays["view_names"])
    }
    origin = f"The multi-view matrices of G. Bisson and C. Grimal, {VIEWS_PAGE}. {VIEWS_TERMS}"
    return archives.side_by_side("20newsgroups-500", views, arrays["y"], origin)


def _of_tasks(
    name: str,
    files: tuple[Archive, Archive],
    tasks: tuple[str, str],
    classes: tuple[str, str],
    data: home.Place,
) -> RelatedData:
    """Return the counts; the tasks and the classes of the file of labels are 1 or 2."""
    matrix, labels = (file.read(name, data, MALSAR_PAGE) for file in files)
    X = counts.table(matrix)
    n, d = X.shape
    return RelatedData(
        name=name,
        tasks=np.array(tasks)[labels["task"] - 1],
        row_ids=np.arange(n).astype(str),
        X=X,
        feature_names=tuple(map(str, range(d))),
        target=np.array(classes)[labels["y"] - 1],
        origin=f"Matrices of Q. Gu and J. Zhou (2009), with MALSAR, {MALSAR_PAGE}. {MALSAR_TERMS}",
    )
