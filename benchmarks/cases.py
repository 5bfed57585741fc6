"""What is measured: data, settings, and for each side a function from data to an `Answer`."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from benchmarks import literal, products
from benchmarks.stopwatch import Stopwatch
from kinfolk import factorisation
from kinfolk.datasets import load, makers
from kinfolk.methods.multitask import feature_instance
from kinfolk.methods.multitask.feature_instance import MTCFIR
from kinfolk.methods.single.symmetric import SymNMF
from kinfolk.numerics import associations, denoising, geometry, nonnegative, starts
from kinfolk.preparation import Preparation

FEATURE_INSTANCE = {"noise": 0.7, "n_layers": 3, "neighbors": 0.3, "ridge": 1e-5}
DESCENT = {"max_iter": 300, "tol": 1e-6}
SEED = 0


@dataclass
class Answer:
    """What one side found.

    Attributes
    ----------
    labels : (n,) clusters
    relatedness : (T, T), or (0, 0) where the method has none
    error : (T, T) standard error of the relatedness
    sweeps : sweeps of each task, all starts together
    steps : seconds by step, of our side only
    """

    labels: np.ndarray
    relatedness: np.ndarray
    error: np.ndarray
    sweeps: list[int]
    steps: dict[str, float]


@dataclass(frozen=True)
class Case:
    """One row of the table.

    `source` makes (X, tasks) from the data directory; cases of equal `source` and `n_init` share
    their literal run. `weight_rows` and `precision` are those of MTCFIR; `single` turns the case
    into SymNMF.
    """

    title: str
    source: str
    k: int
    n_init: int
    weight_rows: int | None = None
    precision: str = "double"
    single: bool = False

    def literal(self, X, tasks):
        """The answer of the printed formulas."""
        if self.single:
            labels = literal.symnmf(X, self.k, n_init=self.n_init, seed=SEED, **DESCENT)
            return _answer(labels)
        labels, relatedness = literal.mtcfir(
            X, tasks, self.k, n_init=self.n_init, seed=SEED, **FEATURE_INSTANCE, **DESCENT
        )
        return _answer(labels, relatedness)

    def ours(self, X, tasks):
        """The answer of Kinfolk, with the sweeps and seconds of its steps."""
        settings = {"n_init": self.n_init, "random_state": SEED, **DESCENT}
        if self.single:
            model = SymNMF(self.k, **settings)
        else:
            settings |= FEATURE_INSTANCE
            sampled = {"weight_rows": self.weight_rows, "precision": self.precision}
            model = MTCFIR(self.k, **sampled, **settings)
        with Stopwatch(STEPS) as watch:
            model.fit(X) if self.single else model.fit(X, tasks=tasks)
        sweeps = [watch.calls["sweeps"]]
        steps = {step: s for step, s in watch.seconds.items() if s and step != "sweeps"}
        if self.single:
            return _answer(model.labels_, sweeps=sweeps, steps=steps)
        error = model.task_relatedness_error_
        return _answer(model.labels_, model.task_relatedness_, error, sweeps, steps)

    def products(self, X, tasks, sweeps):
        """Seconds of the products that cannot be avoided."""
        if self.single:
            return products.symnmf(X, self.k, sweeps[0])
        sizes = np.bincount(tasks).tolist()
        each = [round(sweeps[0] * n / sum(sizes)) for n in sizes]
        return products.mtcfir(
            X, sizes, FEATURE_INSTANCE["n_layers"], FEATURE_INSTANCE["neighbors"], self.k, each
        )


STEPS = {
    "features": [(feature_instance, "common_features"), (denoising, "stack")],
    "k-means": [(feature_instance, "first_labels"), (starts, "kmeans")],
    "thresholds": [(associations, "threshold")],
    "weights": [(associations, "weights"), (associations, "sampled_weights")],
    "graph": [
        (geometry, "grams"),
        (feature_instance, "Geometry"),
        (feature_instance, "consistent_similarity"),
    ],
    "factorisation": [(factorisation, "symmetric")],
    "sweeps": [(nonnegative, "symmetric_step")],
}
"""The functions that make up each step; the last is only counted."""


def _answer(labels, relatedness=None, error=None, sweeps=(0,), steps=None):
    none = np.zeros((0, 0))
    relatedness = none if relatedness is None else relatedness
    return Answer(labels, relatedness, none if error is None else error, list(sweeps), steps or {})


def blobs(n, d, k):
    """Four related tasks of n rows: Gaussian clusters of unit variance, most of them shared.

    `makers.make_related_blobs`: in each column centres spread by 0.3 and tasks displaced by 0.05
    (standard deviations), all but one cluster in common, random_state 0. At n 5000, d 500, k 10
    the learned relatedness of two tasks is between 0.92 and 0.97.
    """
    data = makers.make_related_blobs(
        n, d, k, 4, shift=0.05, shared=k - 1, separation=0.3, random_state=SEED
    )
    return data.X, np.unique(data.tasks, return_inverse=True)[1]


def documents(n, d, k=10):
    """Sparse counts (n, d) of about 1 % density: k topics, each with weights of its own.

    A document has Poisson(d / 80) words or more, 60 % of them from its topic and the others from
    a distribution that all share; topics are Dirichlet(0.1), random_state 0.
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
    return X, np.zeros(n, dtype=int)


def web_pages(directory):
    """WebKB4: counts of the 2500 terms in most pages of four universities."""
    data = load("webkb4", directory)
    X = Preparation(text_weighting="counts", scale="none", n_terms=2500).fit_transform(data)
    return X, np.unique(data.tasks, return_inverse=True)[1]


SOURCES = {
    "webkb4": web_pages,
    "blobs": lambda _: blobs(5000, 500, 10),
    "blobs-small": lambda _: blobs(600, 100, 5),
    "documents": lambda _: documents(20000, 5000),
    "documents-small": lambda _: documents(2000, 1000),
}

FULL = [
    Case("MTCFIR, WebKB4 (n 1041, d 2500)", "webkb4", 4, 10),
    Case("MTCFIR, T 4, n 5000 each, d 500", "blobs", 10, 1),
    Case("MTCFIR, the same, weights from 500 rows", "blobs", 10, 1, weight_rows=500),
    Case("MTCFIR, 200 rows, single precision", "blobs", 10, 1, 200, precision="single"),
    Case("SymNMF, WebKB4", "webkb4", 4, 10, single=True),
    Case("SymNMF, n 20000, d 5000, 1 % counts", "documents", 10, 1, single=True),
]

QUICK = [
    Case("MTCFIR, T 4, n 600 each, d 100", "blobs-small", 5, 1),
    Case("MTCFIR, the same, weights from 200 rows", "blobs-small", 5, 1, weight_rows=200),
    Case("SymNMF, n 2000, d 1000, 1 % counts", "documents-small", 10, 1, single=True),
]
