"""Data of the timing cases: functions that make rows X and tasks (n,)."""

import numpy as np
import scipy.sparse as sp

from kinfolk.datasets import data_home, load, makers
from kinfolk.numerics import distances
from kinfolk.preparation import Preparation

SEED = 0
MFEAT = {"fou": 76, "fac": 216, "kar": 64, "pix": 240, "zer": 47, "mor": 6}
"""The views of mfeat in the order of its file, and their columns; kar has negative entries."""

TWO_VIEWS = ("fou", "pix")
"""The two views of the cases: both without negative entries, as Co-MVCF is printed for."""


def blobs(n, d, k):
    """Four related tasks of n rows: Gaussian clusters of unit variance, most of them shared.

    `makers.make_related_blobs`: in each column centers spread by 0.3 and tasks displaced by 0.05
    (standard deviations), all but one cluster in common, random_state 0. At n 5000, d 500, k 10
    the learned relatedness of two tasks is between 0.92 and 0.97.
    """
    data = makers.make_related_blobs(
        n, d, k, 4, shift=0.05, shared=k - 1, separation=0.3, random_state=SEED
    )
    return data.X, np.unique(data.tasks, return_inverse=True)[1]


def crowd(n, d, k=10, dtype=float):
    """One task: k round clusters of unit variance whose centers spread by 0.5 in each column."""
    random = np.random.default_rng(SEED)
    centers = 0.5 * random.standard_normal((k, d))
    X = random.standard_normal((n, d), dtype=np.float32).astype(dtype)
    X += centers[np.arange(n) % k]
    return X, np.zeros(n, dtype=int)


def documents(n, d, k=10, n_tasks=1):
    """Sparse counts (n, d) of about 1 % density: k topics, each with weights of its own.

    A document has Poisson(d / 80) words or more, 60 % of them from its topic and the others from
    a distribution that all share; topics are Dirichlet(0.1), random_state 0. Tasks are runs of
    documents of equal length.
    """
    random = np.random.RandomState(SEED)
    common, topics = random.dirichlet(np.full(d, 0.5)), random.dirichlet(np.full(d, 0.1), size=k)
    mixed = 0.6 * topics + 0.4 * common
    sums = np.cumsum(mixed, axis=1)
    lengths = np.maximum(random.poisson(d / 80, size=n), 1)
    words = [np.searchsorted(sums[i % k], random.random(m)) for i, m in enumerate(lengths)]
    rows = np.repeat(np.arange(n, dtype=np.int32), lengths)
    columns = np.minimum(np.concatenate(words), d - 1).astype(np.int32)
    X = sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, d))
    return X, np.arange(n) * n_tasks // n


def unit(source):
    """Scale a source's rows to unit length."""
    X, tasks = source
    return distances.unit_rows(X), tasks


def web_pages(directory):
    """WebKB4: counts of the 2500 terms in most pages of four universities."""
    data = load("webkb4", directory)
    X = Preparation(text_weighting="counts", scale="none", n_terms=2500).fit_transform(data)
    return X, np.unique(data.tasks, return_inverse=True)[1]


def newsgroups(directory):
    """CompvsSci of Gu, Zhou (2009): counts of 2000 terms in two tasks of 20 Newsgroups."""
    page = "https://github.com/jiayuzhou/MALSAR"
    counts, labels = (
        data_home.find("CompvsSci", [f"text/lssmtc_compvssci_{part}.npz"], directory, page)
        for part in ("counts", "labels")
    )
    with np.load(labels) as kept:
        tasks = kept["task"] - 1
    return sp.csr_array(sp.load_npz(counts), dtype=float), tasks


def digits(directory, names=tuple(MFEAT)):
    """Views of mfeat side by side, the rows of each at length 1, and the digits (2000,)."""
    page = "https://doi.org/10.24432/C5HC70"
    with np.load(data_home.find("mfeat", ["digits/mfeat.npz"], directory, page)) as kept:
        places = [list(MFEAT).index(name) for name in names]
        views = [distances.unit_rows(kept[f"view_{i}"].astype(float)) for i in places]
        return np.hstack(views), kept["y"]


def views(directory, names, n=2000):
    """The digits as one task; beyond 2000 rows with copies that noise of 1 % sets apart."""
    X, _ = digits(directory, names)
    random = np.random.default_rng(SEED)
    copies = X[np.arange(n) % len(X)]
    if n > len(X):
        copies = copies * (1 + 0.01 * random.standard_normal(copies.shape))
    return copies, np.zeros(n, dtype=int)


SOURCES = {
    "webkb4": web_pages,
    "webkb4-unit": lambda directory: unit(web_pages(directory)),
    "webkb4-tenfold": lambda _: unit(documents(10410, 2500, 4, 4)),
    "newsgroups-unit": lambda directory: unit(newsgroups(directory)),
    "newsgroups-tenfold": lambda _: unit(documents(37020, 2000, 2, 2)),
    "blobs": lambda _: blobs(5000, 500, 10),
    "blobs-small": lambda _: blobs(600, 100, 5),
    "documents": lambda _: documents(20000, 5000),
    "documents-small": lambda _: documents(2000, 1000),
    "tasks-small": lambda _: unit(documents(600, 800, 4, 2)),
    "tasks-wide": lambda _: unit(documents(2000, 10000, 4, 4)),
    "tasks-wider": lambda _: unit(documents(20000, 25000, 4, 4)),
    "crowd": lambda _: crowd(1_000_000, 50),
    "crowd-single": lambda _: crowd(1_000_000, 50, dtype=np.float32),
    "crowd-small": lambda _: crowd(20_000, 20),
    "crowd-tiny": lambda _: crowd(600, 2, 4),
    "mfeat-2": lambda directory: views(directory, TWO_VIEWS),
    "mfeat-6": lambda directory: views(directory, MFEAT),
    "mfeat-2-fivefold": lambda directory: views(directory, TWO_VIEWS, 10_000),
    "mfeat-2-tenfold": lambda directory: views(directory, TWO_VIEWS, 20_000),
}
